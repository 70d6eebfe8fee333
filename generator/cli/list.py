"""`gen list`."""

from __future__ import annotations

import argparse
import json
import sys

from generator.cli.common import console, shipped_folder, shipped_grammars
from generator.loading import load_grammar


def run(options: argparse.Namespace) -> int:
    """The shipped grammars, with their first comment line."""
    rows = []
    for path in shipped_grammars():
        grammar = load_grammar(path)
        first = grammar.source.line(1)
        about = grammar.meta.get("about") or (first.lstrip("# ") if first.startswith("#") else "")
        rows.append(
            {
                "name": path.relative_to(shipped_folder()).with_suffix("").as_posix(),
                "paradigm": grammar.paradigm,
                "phenomenon": grammar.meta.get("phenomenon", ""),
                "language": grammar.lexicon.language,
                "about": about,
            }
        )
    if options.json:
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
        return 0
    from rich.table import Table

    table = Table()
    for name in ("name", "phenomenon", "about"):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(row["name"], row["phenomenon"], row["about"])
    console().print(table)
    return 0
