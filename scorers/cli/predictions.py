"""`score predictions`: score models' predictions of items."""

from __future__ import annotations

import argparse

from scorers.checkpoints import in_order
from scorers.cli.common import judge, make_settings, read_inputs, title_of, write_report
from scorers.errors import Findings, UsageError
from scorers.scoring import group_by_model, score_model
from scorers.summarizing import make_report


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.pairs:
        if options.human is not None:
            raise UsageError("--pairs counts lines only: --human needs items (leave --pairs out)")
        from scorers.cli.pairs import run_pairs

        return run_pairs(options)
    findings = Findings()
    items, files = read_inputs(options, findings)
    settings = make_settings(options, items)
    scores = [score_model(items, of_model, settings) for of_model in group_by_model(in_order(files)).values()]
    report = make_report(title_of(options), scores, settings)
    return write_report(judge(report, options, items, (settings, scores), findings), options, findings)
