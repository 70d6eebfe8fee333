"""`gen formats`."""

from __future__ import annotations

import argparse
import json
import sys

from generator.cli.common import console
from generator.writers import FORMATS


def run(options: argparse.Namespace) -> int:
    """The output formats."""
    if options.json:
        rows = [
            {"name": f.name, "suffix": f.suffix, "style": f.style, "flavours": f.flavours, "about": f.about}
            for f in FORMATS
        ]
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return 0
    from rich.table import Table

    table = Table()
    for name in ("format", "file", "style", "flavours", "what it is"):
        table.add_column(name)
    for form in FORMATS:
        table.add_row(form.name, f"*{form.suffix}", form.style, ", ".join(form.flavours), form.about)
    console().print(table)
    return 0
