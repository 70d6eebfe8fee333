"""`score compare`: compare models on the same items."""

from __future__ import annotations

import argparse

from scorers.cli.common import make_settings, read_inputs, title_of, write_report
from scorers.comparing import compare_models
from scorers.errors import Findings, UsageError
from scorers.scoring import group_by_model, score_model
from scorers.summarizing import make_report


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    findings = Findings()
    items, files = read_inputs(options, findings)
    settings = make_settings(options, items)
    models = group_by_model(files)
    if len(models) < 2:
        raise UsageError(f"a comparison takes two models at least; these files are of one, '{next(iter(models))}'")
    scores = [score_model(items, of_model, settings) for of_model in models.values()]
    comparisons = compare_models(scores, settings, (settings.by or ("",))[0])
    return write_report(make_report(title_of(options), scores, settings, comparisons), options, findings)
