"""`score compare`: compare models on the same items."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

from scorers.checkpoints import name_checkpoints
from scorers.cli.common import judge, make_settings, read_files, read_inputs, title_of, write_report
from scorers.comparing import compare_models
from scorers.errors import Findings, UsageError
from scorers.items import Item
from scorers.predictions import PredictionFile
from scorers.scoring import group_by_model, score_model
from scorers.summarizing import make_report


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    findings = Findings()
    items, models = _read(options, findings)
    settings = make_settings(options, items)
    if len(models) < 2:
        raise UsageError(f"a comparison takes two models at least; these files are of one, '{next(iter(models))}'")
    scores = [score_model(items, of_model, settings) for of_model in models.values()]
    comparisons = compare_models(scores, settings, (settings.by or ("",))[0])
    resamples = str(settings.resamples)
    tests = {"tests": "mcnemar-exact,randomisation", "resamples": resamples, "correction": "holm"}
    scores = [replace(score, signature=score.signature.plus(**tests)) for score in scores]
    report = make_report(title_of(options), scores, settings, comparisons)
    return write_report(judge(report, options, items, (settings, scores), findings), options, findings)


def _read(options: argparse.Namespace, findings: Findings) -> tuple[list[Item], dict[str, list[PredictionFile]]]:
    """The items, and the files of each model: an argument is a model of its own, even if files are called alike."""
    paths: list[str] = options.predictions
    for place, path in enumerate(paths):
        if path in paths[:place]:
            raise UsageError(f"{path}: stands there twice")
    if all(map(os.path.isfile, paths)):
        # Read together, files that are called alike are named by their folders.
        items, files = read_inputs(options, findings)
        given = [[file for file in files if file.name == path] for path in paths]
    else:
        items, first = read_inputs(options, findings, paths[:1])
        given = [first, *(read_files(options, findings, [path]) for path in paths[1:])]
    named = iter(name_checkpoints([file for files in given for file in files]))
    found: dict[str, list[PredictionFile]] = {}
    for path, of_path in zip(paths, given, strict=True):
        for name, files in group_by_model([next(named) for _ in of_path]).items():
            free = name if name not in found else path
            if free in found:
                raise UsageError(f"{path}: stands there twice")
            found[free] = [replace(file, model=free) for file in files]
    return items, found
