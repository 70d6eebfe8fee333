"""`score formulas`: test what suites and factor designs expect of a model's surprisals."""

from __future__ import annotations

import argparse
from dataclasses import replace

from scorers.cli.common import make_settings, read_inputs, title_of, write_report
from scorers.errors import Findings, ScoreError
from scorers.scoring import group_by_model, score_model
from scorers.summarizing import make_report


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    findings = Findings()
    items, files = read_inputs(options, findings)
    if not any(item.expectations for item in items):
        raise ScoreError(f"{options.items}: these items expect nothing (no formulas); score predictions scores pairs")
    # Pairs of a factor design have commands of their own: here only what is expected counts.
    items = [replace(item, pairs=()) for item in items]
    settings = make_settings(options, items)
    scores = [score_model(items, of_model, settings) for of_model in group_by_model(files).values()]
    return write_report(make_report(title_of(options), scores, settings), options, findings)
