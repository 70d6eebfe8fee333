"""What the commands share: reading, settings, writing a report."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from scorers.agreeing import add_people, agreement_signature
from scorers.aligning_judgements import join_judgements
from scorers.checkpoints import name_checkpoints
from scorers.criteria import Criterion
from scorers.errors import EXIT_FINDINGS, EXIT_FINE, Findings, ScoreError, UsageError, nearest, say_few
from scorers.grouping import CROSS
from scorers.items import Item
from scorers.metrics.forced_choice import attribute_names
from scorers.metrics.open_ended import OTHER
from scorers.predictions import QUANTITIES, Base, PredictionFile, Unit
from scorers.readers.files import read_items, read_predictions
from scorers.readers.gathering import LEFT_OUT
from scorers.readers.judgements import read_judgements
from scorers.reports.model import Report
from scorers.scoring import ModelScores, Settings
from scorers.signature import digest_judgements
from scorers.writing import write_whole

Scored = tuple[Settings, Sequence[ModelScores]]
"""What was scored, and how."""

_BASES: tuple[Base, ...] = get_args(Base)


def parse_unit(text: str | None) -> Unit | None:
    """`surprisal`, `surprisal_bits`, `log_probability_bans` ...  Raises UsageError."""
    if not text:
        return None
    for quantity in QUANTITIES:
        if text == quantity:
            return Unit(quantity, "bits" if quantity == "surprisal" else "nats")
        for base in _BASES:
            if text == f"{quantity}_{base}":
                return Unit(quantity, base)
    known = [*QUANTITIES, *(f"{quantity}_{base}" for quantity in QUANTITIES for base in _BASES)]
    guess = nearest(text, known) or f"; one of {', '.join(QUANTITIES)}, perhaps with _nats, _bits or _bans"
    raise UsageError(f"--unit {text}: no such unit{guess}")


def read_inputs(
    options: argparse.Namespace, findings: Findings, paths: Sequence[str] | None = None
) -> tuple[list[Item], list[PredictionFile]]:
    """The items and the predictions (of `paths` alone, where they are given) that the command line names."""
    if "-" in options.predictions and options.items == "-":
        raise UsageError("items and predictions cannot both come from standard input")
    if "-" in (options.items, *options.predictions) and getattr(options, "human", None) == "-":
        raise UsageError("--human - wants standard input, which is read as items or predictions")
    items = read_items([options.items], options.items_format, findings)
    return items, read_files(options, findings, options.predictions if paths is None else paths)


def read_files(options: argparse.Namespace, findings: Findings, paths: Sequence[str]) -> list[PredictionFile]:
    """The predictions of these paths, as the options say they are to be read."""
    return name_checkpoints(read_predictions(paths, options.format, findings, parse_unit(options.unit)))


def make_settings(options: argparse.Namespace, items: Sequence[Item]) -> Settings:
    """What the options say of scoring.  Raises UsageError."""
    if not 0 < options.level < 1:
        raise UsageError(f"--level is between 0 and 1, not {options.level:g}")
    if options.resamples < 1:
        raise UsageError("--resamples is 1 at least")
    by = getattr(options, "by", None)
    names = None
    if by is not None:
        parts = (CROSS.join(part.strip() for part in name.split(CROSS)) for name in by.split(","))
        names = tuple(name for name in parts if name)
    known = attribute_names(items)
    for name in (part for joined in names or () for part in joined.split(CROSS)):
        if name not in known:
            guess = nearest(name, known) or f"; there are {', '.join(known)}"
            raise UsageError(f"--by {name or by}: no item says that{guess}")
    if "per" not in options:
        return Settings(level=options.level, resamples=options.resamples, seed=options.seed)
    return Settings(
        criterion=Criterion(options.ties, options.normalise, options.per),
        by=names,
        lists=read_lists(getattr(options, "category", [])),
        interval=options.interval,
        level=options.level,
        resamples=options.resamples,
        seed=options.seed,
    )


def read_lists(given: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """The word lists of `NAME=FILE` options: words one a line, `#` starts a comment."""
    lists: dict[str, frozenset[str]] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise UsageError(f"--category {text}: to be NAME=FILE")
        try:
            lines = Path(path).read_text("utf-8-sig").splitlines()
        except OSError as error:
            raise ScoreError(f"{path}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise ScoreError(f"{path}: not UTF-8") from error
        if name == OTHER:
            raise UsageError(f"--category {text}: '{OTHER}' is what falls in no category; take another name")
        words = frozenset(word for line in lines if (word := line.partition("#")[0].strip()))
        if not words:
            raise ScoreError(f"{path}: no words for the category '{name}'")
        lists[name] = lists.get(name, frozenset()) | words
    return lists


def judge(report: Report, options: argparse.Namespace, items: Sequence[Item], scored: Scored, read: Findings) -> Report:
    """The report with what people said of these items, where `--human` names a file of it."""
    if options.human is None:
        return report
    file = read_judgements(options.human, read)
    judged = join_judgements(items, file)
    settings, scores = scored
    report = add_people(report, judged, items, scores, settings)
    parts = agreement_signature(report.agreement, digest_judgements(file.judgements), settings)
    return replace(report, signature=tuple(score.signature.plus(**parts).line() for score in scores))


def title_of(options: argparse.Namespace) -> str:
    """The report's title: as given, else after the items."""
    given: str | None = options.title
    return given or ("items" if options.items == "-" else Path(options.items).stem)


def write_report(report: Report, options: argparse.Namespace, read: Findings) -> int:
    """Write what is asked for; warnings go to standard error.  Returns the exit code.

    Pictures and pages are made before the first file is written, so that an error leaves nothing.
    """
    files: dict[str, str | bytes] = {}
    if options.plot:
        from scorers.reports.plots import picture_of, plot

        files[options.plot] = plot(report, picture_of(options.plot))
    if options.report:
        from scorers.reports.html import to_html

        files[options.report] = to_html(report)
    for path, content in files.items():
        write_whole(path, content)
    _print(report, options)
    sys.stdout.flush()
    say_few(report.findings, "findings (--json lists them)")
    # What was not read at all is said before the quirks of what was.
    say_few(sorted(read.warnings, key=lambda finding: finding.code != LEFT_OUT), "warnings of reading")
    lost = any(counts.missing + counts.unknown + counts.duplicate + counts.ambiguous for counts in report.alignment)
    lost = lost or any(row.missing for row in report.designs)
    is_left_out = any(finding.code == LEFT_OUT for finding in read)
    return EXIT_FINDINGS if lost or is_left_out else EXIT_FINE


def _print(report: Report, options: argparse.Namespace) -> None:
    if options.json:
        from scorers.reports.json import to_json

        sys.stdout.write(to_json(report))
    elif options.csv is not None:
        from scorers.reports.csv import to_csv

        sys.stdout.write(to_csv(report, options.csv or ("comparisons" if report.comparisons else "")))
    elif options.markdown:
        from scorers.reports.markdown import to_markdown

        sys.stdout.write(to_markdown(report))
    else:
        from rich.console import Console

        from scorers.reports.table import print_report

        # Into a file or a pipe a table is as wide as COLUMNS says, else wide enough for all of its own.
        is_told = sys.stdout.isatty() or "COLUMNS" in os.environ
        console = Console(width=None if is_told else 120)
        print_report(replace(report, findings=()), console)
