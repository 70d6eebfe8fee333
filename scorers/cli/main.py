"""`score`: arguments, dispatch, exit codes (0 fine, 1 findings, 2 usage, 3 bad input, 130 interrupted)."""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from scorers._version import __version__
from scorers.cli import arguments
from scorers.cli.parser import Parser

_COMMANDS = {
    "predictions": "score models' predictions of items",
    "compare": "compare models on the same items",
    "formulas": "test what suites and factor designs expect of a model's surprisals",
    "model": "let a model score items, and write its predictions",
    "merge": "put the parts of a run of 'score model' together",
    "ngram": "train n-gram models",
    "evaluate-lm": "evaluate a language model on pairs of sentences, with the flags of evaluate_lm.py",
    "formats": "list the formats of items and predictions",
}

_EXAMPLES = {
    "predictions": """examples:
  score predictions items/ model/
  score predictions items.jsonl scores.tsv --unit surprisal_bits --by template
  score predictions items/ model/ --markdown --report out.html --plot out.svg
  score predictions items/ model/ --human judgements.tsv
  score predictions items/ run/checkpoint-* --plot steps.png""",
    "compare": """examples:
  score compare items/ first/ second/
  score compare items/ first/ second/ third/ --by phenomenon --csv > comparisons.csv
  score compare items.jsonl first.tsv second.tsv --interval cluster --seed 1
  score compare items/ first/ second/ --human judgements.tsv --report out.html""",
    "model": """examples:
  score model items/ --model length -o length.jsonl
  score model items/ --model unigram:en -o unigram.jsonl
  score model items/ --model causal:gpt2 -o gpt2.jsonl
  score model items/ --model masked:roberta-base --top 5 -o roberta.jsonl
  score model suite.json --model causal:./my_model --measure regions --resume -o regions.jsonl
  score model items/ --model causal:gpt2 --shard 1/4 -o part1.jsonl""",
    "merge": """examples:
  score merge part1.jsonl part2.jsonl -o gpt2.jsonl""",
    "ngram": """examples:
  score ngram train corpus.txt -o model.arpa
  score ngram train part1.txt part2.txt --order 5 --min-count 2 -o model.arpa.gz
  score ngram train corpus.txt --vocab vocab.txt -o model.arpa""",
    "evaluate-lm": """examples:
  score evaluate-lm --data pairs.tab --model model.pt --vocab vocab.txt > results.txt
  score evaluate-lm --data generated.tab --original --eval_target_word --model model.pt --vocab vocab.txt
  score evaluate-lm --data pairs.tab --model bert_base_uncased --eval_target_word --mask_target -o results.txt""",
    "formulas": """examples:
  score formulas suite.json surprisals.jsonl
  score formulas items.jsonl tokens.tsv --csv""",
}


def build_parser() -> argparse.ArgumentParser:
    """The argument parser of all commands."""
    parser = Parser(
        prog="score",
        description="Say what language models know, from their predictions of test items.",
        epilog="ITEMS and PREDICTIONS are files or folders, or '-' for standard input; see: score formats.",
    )
    parser.add_argument("--version", action="version", version=f"score {__version__}")
    sub = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)

    common = Parser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")
    parents = {
        "reading": arguments.reading(),
        "choosing": arguments.choosing(),
        "judging": arguments.judging(),
        "writing": arguments.writing(),
        "running": arguments.running(),
        "evaluating": arguments.evaluating(),
    }

    def add(name: str, *uses: str) -> Parser:
        return sub.add_parser(
            name,
            help=_COMMANDS[name],
            description=_COMMANDS[name][0].upper() + _COMMANDS[name][1:] + ".",
            parents=[common, *(parents[use] for use in uses)],
            epilog=_EXAMPLES.get(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    predictions = add("predictions", "reading", "choosing", "judging", "writing")
    predictions.add_argument("items", metavar="ITEMS", help="a file or folder of items, or '-'")
    predictions.add_argument("predictions", nargs="+", metavar="PREDICTIONS", help="files or folders of models, or '-'")
    predictions.add_argument(
        "--category",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="open-ended items: a class of answers that comes before the grammar's own: a file with a word a line; "
        "may be given several times",
    )
    predictions.add_argument(
        "--pairs",
        action="store_true",
        help="count files of Zorro's prediction lines in memory that does not grow with them, by file only",
    )

    compare = add("compare", "reading", "choosing", "judging", "writing")
    compare.add_argument("items", metavar="ITEMS", help="a file or folder of items, or '-'")
    compare.add_argument(
        "predictions", nargs="+", metavar="MODEL", help="a file or folder for each model, or one of several models"
    )

    formulas = add("formulas", "reading", "writing")
    formulas.add_argument("items", metavar="SUITE", help="SyntaxGym suites or items of factor designs")
    formulas.add_argument(
        "predictions", nargs="+", metavar="PREDICTIONS", help="scores of regions, tokens or sentences"
    )

    model = add("model", "running")
    model.more = _models
    model.add_argument("items", metavar="ITEMS", help="a file or folder of items, or '-'")
    model.add_argument("--model", metavar="SPEC", required=True, help="a model, as in causal:gpt2 or unigram:en")
    model.add_argument(
        "--name", metavar="NAME", default="", help="what the predictions call it (default: its own name)"
    )
    model.add_argument("--items-format", metavar="F", help="format of ITEMS (default: what each file looks like)")
    model.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="predictions, JSON lines (default: standard output)"
    )

    merge = add("merge")
    merge.add_argument("parts", nargs="+", metavar="PART", help="predictions that --shard wrote")
    merge.add_argument("-o", "--output", metavar="FILE", default="-", help="all of them (default: standard output)")

    actions = add("ngram").add_subparsers(
        dest="action", metavar="ACTION", required=True, parser_class=Parser, help="what to do"
    )
    about = "estimate a model from a text, with interpolated modified Kneser-Ney smoothing"
    actions.add_parser(
        "train",
        help=about,
        description=about[0].upper() + about[1:] + ".",
        parents=[common, arguments.training()],
        epilog=_EXAMPLES["ngram"],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )

    add("evaluate-lm", "evaluating")

    formats = add("formats")
    formats.add_argument("--json", action="store_true", help="as JSON")
    return parser


def _models() -> str:
    from scorers.models import MODELS

    specs = {family.name + ":" * bool(family.argument) + family.argument: family.about for family in MODELS.values()}
    wide = max(map(len, specs))
    lines = (f"  {spec:{wide}}  {about}" for spec, about in specs.items())
    return "\n".join([_EXAMPLES["model"], "", "models:", *lines])


def main(command: Sequence[str] | None = None) -> int:
    """Run `score`; returns the exit code."""
    if sys.stdout is None:
        sys.stdout = _Closed()
    options = build_parser().parse_args(command)
    from scorers.errors import EXIT_INTERRUPTED, InputError, ScoreError, say

    try:
        module = importlib.import_module(f"scorers.cli.{options.command.replace('-', '_')}")
        code: int = module.run(options)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        say("score: interrupted; nothing unfinished was left behind")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        # Of files that are read or written something else is said.
        say(f"score: standard output: cannot be written: {error.strerror or error}")
        _drop_output()
        return ScoreError.exit_code
    except InputError as error:
        say(str(error))
        return error.exit_code
    except ScoreError as error:
        say(f"score: {error}")
        return error.exit_code
    except Exception as error:
        if options.debug:
            raise
        say(
            f"score: an error of Starling's own: {type(error).__name__}: {error}. Run again with --debug for its "
            "traceback, and please report it"
        )
        return 70


class _Closed(io.TextIOBase):
    """What stands for standard output where the caller has closed it."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    @property
    def buffer(self) -> NoReturn:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def _drop_output() -> None:
    """Forget what is still to be written to standard output: at the end Python would try once more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def entry() -> NoReturn:
    """The console script."""
    raise SystemExit(main())


if __name__ == "__main__":
    entry()
