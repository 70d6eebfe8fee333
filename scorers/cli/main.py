"""`score`: arguments, dispatch, exit codes (0 fine, 1 findings, 2 usage, 3 bad input, 130 interrupted)."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from scorers._version import __version__

_COMMANDS = {
    "predictions": "score models' predictions of items",
    "compare": "compare models on the same items",
    "formulas": "test what suites and factor designs expect of a model's surprisals",
    "model": "let a model score items, and write its predictions",
    "formats": "list the formats of items and predictions",
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

        if "invalid choice: '" in message and "argument COMMAND" in message:
            found = message.split("invalid choice: '", 1)[1].split("'", 1)[0]
            message = f"unknown command '{found}'" + (
                nearest(found, _COMMANDS) or f"; there are {', '.join(_COMMANDS)}"
            )
        sys.stderr.write(f"score: {message}\n")
        raise SystemExit(2)


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

    reading = _Parser(add_help=False)
    reading.add_argument("--items-format", metavar="F", help="format of ITEMS (default: what each file looks like)")
    reading.add_argument("--format", metavar="F", help="format of the predictions (default: what each looks like)")
    reading.add_argument("--unit", metavar="U", help="what the numbers are: surprisal, log_probability_bits ...")
    reading.add_argument("--seed", type=int, default=0, help="of resampling (default 0)")
    reading.add_argument("--level", type=float, default=0.95, help="confidence level of intervals (default 0.95)")
    reading.add_argument("--resamples", type=int, default=10_000, metavar="N", help="of a bootstrap (default 10000)")

    choosing = _Parser(add_help=False)
    choosing.add_argument("--by", metavar="NAME,...", help="break down by fields or attributes of items")
    choosing.add_argument("--ties", choices=["half", "right", "wrong"], default="half", help="default half a point")
    choosing.add_argument(
        "--normalise",
        choices=["sum", "per_token", "per_character"],
        default="sum",
        help="what decides: the score as given (default), or per token or character",
    )
    choosing.add_argument(
        "--per", choices=["pair", "item"], default="pair", help="an item: the acceptable one beats all starred ones"
    )
    choosing.add_argument(
        "--interval",
        choices=["wilson", "bootstrap", "cluster"],
        default="wilson",
        help="Wilson (default), bootstrap over items, or over lexemes",
    )

    writing = _Parser(add_help=False)
    shape = writing.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="the whole report as JSON")
    shape.add_argument("--csv", nargs="?", const="", metavar="TABLE", help="one table of the report as CSV")
    shape.add_argument("--markdown", action="store_true", help="tables for a paper")
    writing.add_argument("--report", metavar="OUT.html", help="write a self-contained page")
    writing.add_argument("--plot", metavar="OUT.png|svg", help="write a chart (the extra 'plots')")
    writing.add_argument("--title", help="title of the report")

    def add(name: str, *parents: _Parser) -> _Parser:
        description = _COMMANDS[name].capitalize() + "."
        return sub.add_parser(name, help=_COMMANDS[name], description=description, parents=[common, *parents])

    predictions = add("predictions", reading, choosing, writing)
    predictions.add_argument("items", metavar="ITEMS", help="a file or folder of items")
    predictions.add_argument("predictions", nargs="+", metavar="PREDICTIONS", help="files or folders of models")
    predictions.add_argument(
        "--category",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="open-ended items: a category of answers, its words one a line; may stand again",
    )
    predictions.add_argument(
        "--pairs", action="store_true", help="count Zorro's prediction lines in bounded memory, by file only"
    )

    compare = add("compare", reading, choosing, writing)
    compare.add_argument("items", metavar="ITEMS", help="a file or folder of items")
    compare.add_argument(
        "predictions", nargs="+", metavar="MODEL", help="a file or folder for each model, or one of all"
    )

    formulas = add("formulas", reading, writing)
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

    formats = add("formats")
    formats.add_argument("--json", action="store_true", help="as JSON")
    return parser


def _models() -> str:
    from scorers.models import MODELS

    specs = (f"{family.name}{':' * bool(family.argument)}{family.argument}" for family in MODELS.values())
    return "Models. " + " ".join(
        f"{spec}: {family.about}." for spec, family in zip(specs, MODELS.values(), strict=True)
    )


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
