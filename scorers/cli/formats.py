"""`score formats`: list the formats of items and predictions."""

from __future__ import annotations

import argparse
import json
import sys

from scorers.readers import ITEM_READERS, PREDICTION_READERS
from scorers.readers.judgements import FORMATS


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    rows = [("items", reader.name, reader.about) for reader in ITEM_READERS.values()]
    rows += [("predictions", reader.name, reader.about) for reader in PREDICTION_READERS.values()]
    rows += [("judgements", name, about) for name, about in FORMATS.items()]
    if options.json:
        records = [{"of": of, "format": name, "about": about} for of, name, about in rows]
        sys.stdout.write(json.dumps(records, ensure_ascii=False, indent=2) + "\n")
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table()
    for header in ("of", "format", "what it is"):
        table.add_column(header, no_wrap=header != "what it is")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 120).print(table)
    return 0
