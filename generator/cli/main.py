"""`gen`: arguments, dispatch, exit codes (0 fine, 1 findings, 2 usage, 3 bad input, 130 interrupted)."""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from generator._version import __version__

_COMMANDS = {
    "check": "report everything wrong with grammars",
    "fmt": "lay grammar files out in one canonical way",
    "count": "count items and pairs exactly",
    "diff": "say which items a change adds, removes and changes",
    "explain": "say in plain English what a grammar contrasts",
    "preview": "show a few items side by side",
    "make": "generate items",
    "parse": "say whether and how sentences belong to grammars",
    "verify": "make what a manifest describes again, and compare",
    "convert": "read files of the field's formats and write them in another",
    "formats": "list the formats that can be read and written",
    "list": "list the grammars that ship with Starling",
    "new": "start a grammar of your own",
}


class _Parser(argparse.ArgumentParser):
    """Argparse with the project's exit code and nearest names."""

    def error(self, message: str) -> NoReturn:
        from generator.errors import nearest

        if "invalid choice: '" in message and "argument COMMAND" in message:
            found = message.split("invalid choice: '", 1)[1].split("'", 1)[0]
            message = f"unknown command '{found}'. {nearest(found, _COMMANDS) or 'There are ' + ', '.join(_COMMANDS)}"
        sys.stderr.write(f"gen: {message}\n")
        raise SystemExit(2)


class _Once(argparse.Action):
    """An option that stands once: a second value would silently replace the first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest, None) is not None:
            parser.error(f"{option} stands twice: put the lists of both folders into one")
        setattr(namespace, self.dest, values)


def build_parser() -> argparse.ArgumentParser:
    """The argument parser of all commands."""
    parser = _Parser(
        prog="gen",
        description="Write, count and generate targeted test sentences from .grammar files.",
        epilog="A FILE is a path, '-' for standard input, or the name of a shipped grammar (gen list).",
    )
    parser.add_argument("--version", action="version", version=f"gen {__version__}")
    common = _Parser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")
    sub = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    grammars = _Parser(add_help=False)
    grammars.add_argument("files", nargs="+", metavar="FILE|DIR", help="grammars, folders of them, or shipped names")
    grammars.add_argument(
        "--words", action=_Once, metavar="DIR", help="a folder of your own words (docs/language.md, 'Your own words')"
    )

    def add(name: str, *parents: _Parser) -> argparse.ArgumentParser:
        return sub.add_parser(
            name, help=_COMMANDS[name], description=_COMMANDS[name].capitalize() + ".", parents=[common, *parents]
        )

    check = add("check", grammars)
    check.add_argument("--json", action="store_true", help="findings as JSON")

    fmt = add("fmt")
    fmt.add_argument("files", nargs="+", metavar="FILE|DIR", help="grammars or folders of them, or '-' (to '-')")
    shown = fmt.add_mutually_exclusive_group()
    shown.add_argument("--check", action="store_true", help="write nothing; list what would change, and end with 1")
    shown.add_argument("--diff", action="store_true", help="write nothing; show what would change, and end with 1")
    fmt.add_argument("--json", action="store_true", help="what changes as JSON")

    count = add("count", grammars)
    count.add_argument(
        "--by", metavar="NAME,...", default="", help="rows by variables (n), tables, phrases (by rule), 'template'"
    )
    count.add_argument("--json", action="store_true", help="counts as JSON")

    diff = add("diff")
    diff.add_argument("old", metavar="OLD", help="a grammar, a folder of them, a shipped name, or '-'")
    diff.add_argument("new", metavar="NEW", help="the same, changed; grammars of folders are matched by paradigm")
    diff.add_argument("--words", action=_Once, metavar="DIR", help="a folder of your own words for both sides")
    diff.add_argument("--words-old", metavar="DIR", help="a folder of your own words for OLD")
    diff.add_argument("--words-new", metavar="DIR", help="a folder of your own words for NEW")
    diff.add_argument("-n", type=int, default=5, metavar="N", help="how many items of each kind are shown (default 5)")
    diff.add_argument("--seed", type=int, default=0, help="which items are shown and looked up (default 0)")
    diff.add_argument("--flavour", choices=["forced", "open"], help="default: forced where a side has a contrast")
    diff.add_argument("--style", choices=["tokens", "ptb", "prose"], default="prose", help="default prose")
    diff.add_argument(
        "--most", type=int, default=500_000, metavar="N", help="list sides of up to N items (default 500000)"
    )
    diff.add_argument(
        "--sample", type=int, default=2_000, metavar="N", help="look up N items of each side to estimate (default 2000)"
    )
    diff.add_argument("--json", action="store_true", help="everything as JSON")

    explain = add("explain", grammars)
    explain.add_argument("--json", action="store_true", help="as JSON")

    preview = add("preview", grammars)
    preview.add_argument("-n", type=int, default=10, metavar="N", help="how many items (default 10)")
    preview.add_argument("--seed", type=int, default=0, help="which sample (default 0)")
    preview.add_argument("--flavour", choices=["forced", "open"], help="default: forced where there is a contrast")
    preview.add_argument("--style", choices=["tokens", "ptb", "prose"], default="prose", help="default prose")
    preview.add_argument(
        "--only", metavar="NAME=VALUE", action="append", default=[], help="only these, as in n=pl or template=1"
    )
    preview.add_argument("--json", action="store_true", help="items as JSON lines")

    make = add("make", grammars)
    amount = make.add_mutually_exclusive_group(required=True)
    amount.add_argument("-n", type=int, metavar="N", help="a balanced sample of N items from each grammar")
    amount.add_argument("--all", action="store_true", help="every item, in order")
    make.add_argument("--seed", type=int, default=0, help="which sample (default 0)")
    make.add_argument("--flavour", choices=["forced", "open", "both"], default="forced", help="default forced")
    make.add_argument("--format", default="items", metavar="F", help="output format (gen formats; default items)")
    make.add_argument("--style", choices=["tokens", "ptb", "prose"], help="text style (default: the format's own)")
    make.add_argument("--mask", default="[MASK]", metavar="M", help="the mask token (default [MASK])")
    make.add_argument("--shard", default="1/1", metavar="K/M", help="only the K-th of M consecutive parts")
    make.add_argument(
        "-o",
        "--output",
        default="-",
        metavar="FILE|DIR|-",
        help="a file, a folder (a name without an ending), or '-' for standard output (default)",
    )
    make.add_argument("--vocab", metavar="FILE", help="say which words are not whole words of a tokenizer's vocabulary")
    manifests = make.add_mutually_exclusive_group()
    manifests.add_argument("--manifest", metavar="FILE", help="where the manifest goes (default: beside the output)")
    manifests.add_argument("--no-manifest", action="store_true", help="write no manifest")
    make.add_argument("--quiet", action="store_true", help="no summary on standard error")

    parse = add("parse")
    parse.usage = (
        "gen parse [options] FILE|DIR... SENTENCE|-\n       gen parse [options] FILE|DIR... --input FILE [--format F]"
    )
    parse.add_argument(
        "files",
        nargs="+",
        metavar="FILE|DIR... SENTENCE|-",
        help="grammars, folders of them, or shipped names; then, without --input, the sentence, a pair "
        "('the dog is / * the dog are'), or '-' for standard input",
    )
    parse.add_argument(
        "--words", action=_Once, metavar="DIR", help="a folder of your own words (docs/language.md, 'Your own words')"
    )
    parse.add_argument(
        "--input", metavar="FILE", action="append", help="a file or folder of items or sentences; may stand again"
    )
    parse.add_argument("--format", metavar="F", help="its format (gen formats; default: what it looks like)")
    parse.add_argument("--mask", metavar="M", help="the mask token ([MASK] and <mask> are known)")
    parse.add_argument("--misses", action="store_true", help="list only what is not recognised or judged otherwise")
    parse.add_argument("--json", action="store_true", help="what is recognised as items, JSON lines")
    parse.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="where the items of --json go (default: standard output)"
    )
    parse.add_argument("--quiet", action="store_true", help="no summary on standard error")

    verify = add("verify")
    verify.add_argument("manifests", nargs="+", metavar="MANIFEST|DIR", help="manifests, or folders that have them")
    verify.add_argument("--json", action="store_true", help="what was found as JSON")

    convert = add("convert")
    convert.add_argument("files", nargs="+", metavar="IN", help="files, folders of them, or '-' for standard input")
    convert.add_argument("output", metavar="OUT", help="a file, a folder, or '-' for standard output")
    convert.add_argument("--from", dest="source", metavar="F", help="format of IN (default: what each file looks like)")
    convert.add_argument("--to", metavar="F", help="format of OUT (default: where the ending of OUT stands for one)")
    convert.add_argument("--json", action="store_true", help="what was read, written and lost as JSON")
    convert.add_argument("--quiet", action="store_true", help="no summary on standard error")

    formats = add("formats")
    formats.add_argument("--json", action="store_true", help="as JSON")
    listing = add("list")
    listing.add_argument("--json", action="store_true", help="as JSON")
    new = add("new")
    new.add_argument("name", metavar="NAME", help="the paradigm's name; NAME.grammar is written here")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `gen`; returns the exit code."""
    options = build_parser().parse_args(arguments)
    from generator.errors import GrammarError, StarlingError

    try:
        module = importlib.import_module(f"generator.cli.{options.command}")
        code: int = module.run(options)
        return code
    except BrokenPipeError:  # whoever reads the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("gen: interrupted; nothing unfinished was left behind\n")
        return 130
    except GrammarError as error:
        from generator.cli.common import print_diagnostics

        print_diagnostics(error.diagnostics)
        return error.exit_code
    except StarlingError as error:
        sys.stderr.write(f"gen: {error}\n")
        return error.exit_code
    except RecursionError:
        if options.debug:
            raise
        sys.stderr.write("gen: definitions lie too deep in each other: chains of hundreds cannot be read\n")
        return 3
    except Exception as error:
        if options.debug:
            raise
        sys.stderr.write(
            f"gen: an error of Starling's own: {type(error).__name__}: {error}. Run again with --debug for its "
            "traceback, and please report it\n"
        )
        return 70


def entry() -> NoReturn:
    """The console script."""
    # What a command builds it needs until its end: looking through it for cycles of garbage would take a tenth of it.
    gc.set_threshold(100_000, 20, 50)
    raise SystemExit(main())


if __name__ == "__main__":
    entry()
