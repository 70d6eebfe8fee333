"""`gen diff`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from generator.cli.common import console, load_all, note_unused_words, shipped_folder
from generator.cli.progress import progress
from generator.differing import Asked, differ, plans_of
from generator.differing_report import as_record, cause_lines, headline, sample_cells, share_rows, tally_rows
from generator.differing_types import Difference
from generator.errors import DataError, UsageError
from generator.loading import Grammar

if TYPE_CHECKING:
    from rich.table import Table


def run(options: argparse.Namespace) -> int:
    """What a change of grammars or of words does to their items."""
    _require_sensible(options)
    old = load_all([options.old], options.words_old or options.words)
    new = load_all([options.new], options.words_new or options.words)
    asked = Asked(options.n, options.seed, options.most, options.sample, options.style)
    found = []
    for ours, theirs in _matched(options, old, new):
        plans = plans_of(ours, theirs, options.flavour)
        for name, grammar, plan in (("OLD", ours, plans[0]), ("NEW", theirs, plans[1])):
            if grammar is not None and plan is None:
                _say_flavour(name, grammar, options.flavour)
        found.append(differ(*plans, asked, progress))
    is_shared = (options.words_old or options.words) == (options.words_new or options.words)
    for grammars in ([*old, *new],) if is_shared else (old, new):
        note_unused_words(grammars)
    if options.json:
        sys.stdout.write(json.dumps([as_record(each) for each in found], ensure_ascii=False, indent=2) + "\n")
    else:
        _print(found)
    return 0 if all(each.is_empty for each in found) else 1


def _say_flavour(name: str, grammar: Grammar, flavour: str | None) -> None:
    """Say why a side of one grammar has no items: it has none of the flavour that is compared."""
    other = "forced" if flavour == "open" else "open"
    kind = "open-ended" if flavour == "open" else "forced-choice"
    message = f"'{grammar.paradigm}' in {name} has no {kind} items; --flavour {other} compares others"
    sys.stderr.write(f"gen: note: {message}\n")


def _require_sensible(options: argparse.Namespace) -> None:
    if options.old == options.new == "-":
        raise UsageError("only one of OLD and NEW can be '-', standard input")
    for name, least in (("n", 0), ("most", 0), ("sample", 1)):
        if getattr(options, name) < least:
            raise UsageError(f"{'-' if name == 'n' else '--'}{name} must not be less than {least}")
    if _is_folder(options.old) != _is_folder(options.new):
        folder, file = (options.old, options.new) if _is_folder(options.old) else (options.new, options.old)
        raise UsageError(f"'{folder}' is a folder and '{file}' is not: compare two grammars, or two folders")


def _matched(
    options: argparse.Namespace, old: Sequence[Grammar], new: Sequence[Grammar]
) -> Iterator[tuple[Grammar | None, Grammar | None]]:
    """Grammars of both sides: two files whatever their names, grammars of folders by paradigm, OLD's order first."""
    if not _is_folder(options.old):
        yield old[0], new[0]
        return
    ours, theirs = _by_paradigm(options.old, old), _by_paradigm(options.new, new)
    for paradigm in dict.fromkeys([*ours, *theirs]):
        yield ours.get(paradigm), theirs.get(paradigm)


def _is_folder(name: str) -> bool:
    """Whether a name stands for a folder of grammars, looked for as `find_grammars` does."""
    bases = (Path(name), shipped_folder() / name) if name != "-" else ()
    return next((base.is_dir() for base in bases if base.exists()), False)


def _by_paradigm(name: str, grammars: Sequence[Grammar]) -> dict[str, Grammar]:
    found: dict[str, Grammar] = {}
    for grammar in grammars:
        if grammar.paradigm in found:
            first = found[grammar.paradigm].source.name
            raise DataError(
                f"'{name}' has two grammars of the paradigm '{grammar.paradigm}': '{first}' and "
                f"'{grammar.source.name}'; compare them file by file"
            )
        found[grammar.paradigm] = grammar
    return found


def _print(found: Sequence[Difference]) -> None:
    out = console()
    for number, each in enumerate(found):
        if number:
            out.print()
        out.print(headline(each), markup=False, soft_wrap=True)
        if each.is_empty and each.method == "same":
            continue
        out.print(_table(tally_rows(each)) if each.tally is not None else _table(share_rows(each)))
        for line in cause_lines(each):
            out.print(line, markup=False, soft_wrap=True)
        if each.samples:
            out.print(_table(sample_cells(each), is_text=True))


def _table(rows: tuple[Sequence[str], Sequence[Sequence[str]]], is_text: bool = False) -> Table:
    from rich.markup import escape
    from rich.table import Table

    header, body = rows
    table = Table()
    for number, name in enumerate(header):
        table.add_column(name, justify="left" if is_text or number == 0 else "right")
    for row in body:
        if row[0] == "total":
            table.add_section()
        table.add_row(*map(escape, row))
    return table
