"""`score model`: let a model score items, and write its predictions."""

from __future__ import annotations

import argparse
import sys

from scorers.errors import Findings, ScoreError, say, say_few
from scorers.models import MaskFiller, find_model
from scorers.predicting import predict
from scorers.readers.files import read_items
from scorers.writing import write_whole


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    findings = Findings()
    model = find_model(options.model, findings)
    items = read_items([options.items], options.items_format, findings)
    masked = sum(item.mask is not None for item in items)
    is_filler = isinstance(model, MaskFiller)
    if not is_filler and masked == len(items):
        raise ScoreError(f"{options.items}: all items are open-ended, and '{options.model}' says nothing of masks")
    # All is computed before the first line is written, so that an error leaves nothing.
    text = "".join(predict(model, items, options.name))
    if options.output == "-":
        sys.stdout.write(text)
    else:
        write_whole(options.output, text)
    # Which answers are right does not matter to a model.
    say_few([finding for finding in findings.warnings if finding.code != "no-answers"], "warnings of reading")
    if masked and not is_filler:
        say(f"score: '{options.model}' says nothing of masks: {masked:,} open-ended items have no prediction")
    for note in model.notes():
        say(f"score: {note}")
    return 0
