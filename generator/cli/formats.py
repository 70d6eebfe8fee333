"""`gen formats`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from generator.cli.common import console
from generator.facts import FACTS
from generator.readers import READERS
from generator.writers import FORMATS


def run(options: argparse.Namespace) -> int:
    """The formats that can be read and written."""
    rows = _rows()
    if options.json:
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return 0
    from rich.table import Table

    table = Table()
    for name in ("format", "file", "read", "written", "style", "flavours", "what it is"):
        table.add_column(name)
    for row in rows:
        table.add_row(
            row["name"],
            f"*{row['suffix']}" if row["suffix"] else "",
            "yes" if row["read"] else "",
            "yes" if row["written"] else "",
            row["style"],
            ", ".join(row["flavours"]),
            row["about"],
        )
    console().print(table)
    return 0


def _rows() -> list[dict[str, Any]]:
    """A row for each format that can be written, then for those that can only be read."""
    read = {reader.name for reader in READERS}
    rows: list[dict[str, Any]] = [
        {
            "name": form.name,
            "suffix": form.suffix,
            "style": form.style,
            "flavours": form.flavours,
            "about": form.about,
            "read": form.name in read,
            "written": True,
            "holds": [fact for fact in FACTS if fact in form.holds],
        }
        for form in FORMATS
    ]
    written = {form.name for form in FORMATS}
    rows += [
        {
            "name": reader.name,
            "suffix": "",
            "style": "",
            "flavours": (),
            "about": reader.about,
            "read": True,
            "written": False,
            "holds": [],
        }
        for reader in READERS
        if reader.name not in written
    ]
    return rows
