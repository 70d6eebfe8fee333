"""`score merge`: put the parts of a run together."""

from __future__ import annotations

import argparse
import sys

from scorers.errors import UsageError
from scorers.merging import merge
from scorers.writing import require_writable, write_whole


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if "-" in options.parts:
        raise UsageError("'-': parts are files")
    if options.output != "-":
        require_writable(options.output, options.parts)
    text = merge(options.parts)
    if options.output == "-":
        sys.stdout.write(text)
    else:
        write_whole(options.output, text)
    return 0
