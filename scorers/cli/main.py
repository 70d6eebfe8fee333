"""`score`: arguments, dispatch, exit codes (0 fine, 1 findings, 2 usage, 3 bad input, 130 interrupted)."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from scorers._version import __version__

_COMMANDS = {
    "predictions": "score models' predictions of items",
    "compare": "compare models on the same items",
    "formulas": "test what suites and factor designs expect of a model's surprisals",
    "model": "let a model score items, and write its predictions",
    "ngram": "train n-gram models",
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
  score model items/ --model unigram:en -o unigram.jsonl""",
    "ngram": """examples:
  score ngram train corpus.txt -o model.arpa
  score ngram train part1.txt part2.txt --order 5 --min-count 2 -o model.arpa.gz
  score ngram train corpus.txt --vocab vocab.txt -o model.arpa
  zcat corpus.gz | score ngram train - -o model.arpa
  score model items/ --model ngram:model.arpa -o ngram.jsonl""",
    "formulas": """examples:
  score formulas suite.json surprisals.jsonl
  score formulas items.jsonl tokens.tsv --csv""",
}


class _Parser(argparse.ArgumentParser):
    """Argparse with the project's exit code and nearest names; `more` makes an epilog when help is asked for."""

    more: Callable[[], str] | None = None

    def format_help(self) -> str:
        if self.more is not None:
            self.epilog = self.more()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        from scorers.errors import nearest

        if "invalid choice: '" in message:
            found = message.split("invalid choice: '", 1)[1].split("'", 1)[0]
            if "argument COMMAND" in message:
                message = f"unknown command '{found}'" + (
                    nearest(found, _COMMANDS) or f"; there are {', '.join(_COMMANDS)}"
                )
            else:
                message += nearest(
                    found, message.rsplit("(choose from ", 1)[-1].rstrip(")").replace("'", "").split(", ")
                )
        sys.stderr.write(f"score: {message}\n")
        raise SystemExit(2)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # the types of argparse are overloads
        """As argparse, but an unknown option is refused by the command that it was given to: it knows the nearest."""
        args = sys.argv[1:] if args is None else list(args)
        if args and args[0].startswith("-") and self._subparsers is not None:
            self._refuse([] if args[0] in self._options() else args[:1])
        found, left = super().parse_known_args(args, namespace)
        self._refuse([text for text in left if text.startswith("-") and text != "-"])
        return found, left

    def _options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings]

    def _refuse(self, unknown: Sequence[str]) -> None:
        if unknown:
            from scorers.errors import nearest

            name = unknown[0].partition("=")[0]
            guess = nearest(name, self._options()) or f" (see: {self.prog} --help)"
            self.error(f"unknown option '{name}'{guess}")


def _table(name: str) -> str:
    """The name of a table, checked before anything is read."""
    from scorers.errors import UsageError
    from scorers.reports.csv import require_table

    try:
        if name:  # '' stands for no name
            require_table(name)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return name


def build_parser() -> argparse.ArgumentParser:
    """The argument parser of all commands."""
    parser = _Parser(
        prog="score",
        description="Say what language models know, from their predictions of test items.",
        epilog="ITEMS and PREDICTIONS are files or folders, or '-' for standard input; see: score formats.",
    )
    parser.add_argument("--version", action="version", version=f"score {__version__}")
    sub = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)

    common = _Parser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")
    parents = {
        "reading": _reading(),
        "choosing": _choosing(),
        "judging": _judging(),
        "writing": _writing(),
    }

    def add(name: str, *uses: str) -> _Parser:
        return sub.add_parser(
            name,
            help=_COMMANDS[name],
            description=_COMMANDS[name].capitalize() + ".",
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

    model = add("model")
    model.more = _models
    model.add_argument("items", metavar="ITEMS", help="a file or folder of items, or '-'")
    model.add_argument("--model", metavar="SPEC", required=True, help="a model, as in length or unigram:en")
    model.add_argument(
        "--name", metavar="NAME", default="", help="what the predictions call it (default: its own name)"
    )
    model.add_argument("--items-format", metavar="F", help="format of ITEMS (default: what each file looks like)")
    model.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="predictions, JSON lines (default: standard output)"
    )

    ngram = add("ngram")
    _train(ngram.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=_Parser), common)

    formats = add("formats")
    formats.add_argument("--json", action="store_true", help="as JSON")
    return parser


def _train(actions: Any, common: _Parser) -> None:
    about = "estimate a model from a text, with interpolated modified Kneser-Ney smoothing"
    train = actions.add_parser(
        "train",
        help=about,
        description=about.capitalize() + ".",
        parents=[common],
        epilog=_EXAMPLES["ngram"],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    train.add_argument("texts", nargs="+", metavar="TEXT", help="one sentence a line, words between spaces; or '-'")
    train.add_argument("--order", type=int, default=3, metavar="N", help="longest n-grams (default 3)")
    kept = train.add_mutually_exclusive_group()
    kept.add_argument(
        "--vocab", metavar="FILE", default="", help="the words of the model, one a line; all others are <unk>"
    )
    kept.add_argument(
        "--min-count", type=int, default=1, metavar="N", help="words that occur less often are <unk> (default 1: none)"
    )
    train.add_argument(
        "--discount-fallback",
        metavar="D1,D2,D3",
        default="",
        help="discounts of orders whose counts give none, as in small texts: 0.5,1,1.5",
    )
    train.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="ARPA, with .gz compressed (default: standard output)"
    )


def _models() -> str:
    from scorers.models import MODELS

    specs = {family.name + ":" * bool(family.argument) + family.argument: family.about for family in MODELS.values()}
    wide = max(map(len, specs))
    lines = (f"  {spec:{wide}}  {about}" for spec, about in specs.items())
    return "\n".join([_EXAMPLES["model"], "", "models:", *lines])


def _reading() -> _Parser:
    reading = _Parser(add_help=False)
    reading.add_argument("--items-format", metavar="F", help="format of ITEMS (default: what each file looks like)")
    reading.add_argument("--format", metavar="F", help="format of the predictions (default: what each looks like)")
    reading.add_argument(
        "--unit",
        metavar="U",
        help="what the numbers are, where the file does not say it rightly: log_probability, surprisal, cross_entropy, "
        "perplexity or score (more is better), with _nats, _bits or _bans",
    )
    reading.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of all resampling: equal seeds, equal numbers (default 0)",
    )
    reading.add_argument(
        "--level", type=float, default=0.95, metavar="P", help="confidence level of intervals (default 0.95)"
    )
    reading.add_argument(
        "--resamples",
        type=int,
        default=10_000,
        metavar="N",
        help="draws of a bootstrap or randomisation (default 10000)",
    )
    return reading


def _choosing() -> _Parser:
    choosing = _Parser(add_help=False)
    choosing.add_argument(
        "--by",
        metavar="NAME,...",
        help="break down by fields (paradigm, phenomenon, template, field, language) or attributes of items (default: "
        "paradigm, and which of the others cut otherwise); comparisons are made for each value of the first",
    )
    choosing.add_argument(
        "--ties",
        choices=["half", "right", "wrong"],
        default="half",
        help="what a pair of equal scores is worth: half a point (default), a point or none",
    )
    choosing.add_argument(
        "--normalise",
        choices=["sum", "per_token", "per_character"],
        default="sum",
        help="what decides: the score as given (default), or per token or character",
    )
    choosing.add_argument(
        "--per",
        choices=["pair", "item"],
        default="pair",
        help="what counts: each pair (default), or each item, right where the acceptable one beats all starred ones",
    )
    choosing.add_argument(
        "--interval",
        choices=["wilson", "bootstrap", "cluster"],
        default="wilson",
        help="intervals of accuracies: Wilson's (default), by a bootstrap over items, or over lexemes",
    )
    return choosing


def _judging() -> _Parser:
    judging = _Parser(add_help=False)
    judging.add_argument(
        "--human",
        metavar="FILE",
        help="judgements of people, a row each: id or text; rating or choice; annotator. The report then says how far "
        "models agree with them, and they with each other",
    )
    return judging


def _writing() -> _Parser:
    writing = _Parser(add_help=False)
    shape = writing.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="write the whole report as JSON to standard output")
    shape.add_argument(
        "--csv",
        nargs="?",
        const="",
        type=_table,
        metavar="TABLE",
        help="write one table as CSV: accuracy, answers, words, designs, differences, regions, outcomes, comparisons, "
        "steps, agreement, statistics, "
        "alignment or items (default: comparisons of 'compare', else the first that has rows)",
    )
    shape.add_argument("--markdown", action="store_true", help="write tables for a paper")
    writing.add_argument("--report", metavar="OUT.html", help="also write a page that needs no network")
    writing.add_argument("--plot", metavar="OUT.png|svg", help="also write a chart (the extra 'plots')")
    writing.add_argument("--title", metavar="TEXT", help="title of the report (default: after ITEMS)")
    return writing


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `score`; returns the exit code."""
    options = build_parser().parse_args(arguments)
    from scorers.errors import EXIT_INTERRUPTED, InputError, ScoreError, say

    try:
        module = importlib.import_module(f"scorers.cli.{options.command}")
        code: int = module.run(options)
        return code
    except KeyboardInterrupt:
        say("score: interrupted; nothing unfinished was left behind")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
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


def entry() -> NoReturn:
    """The console script."""
    raise SystemExit(main())


if __name__ == "__main__":
    entry()
