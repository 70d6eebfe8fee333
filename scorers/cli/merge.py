"""`score merge`: put the parts of a run together."""

from __future__ import annotations

import argparse
import sys

from scorers.merging import merge
from scorers.writing import write_whole


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    text = merge(options.parts)
    if options.output == "-":
        sys.stdout.write(text)
    else:
        write_whole(options.output, text)
    return 0
