"""`score predictions --pairs`: count Zorro's prediction lines, millions a second."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from scorers.cli.common import title_of, write_report
from scorers.errors import Findings, ScoreError, UsageError
from scorers.fast_pairs import FastResult, score_pairs
from scorers.metrics.forced_choice import Tally, mean
from scorers.reports.model import AlignmentCounts, Breakdown, Report, Row
from scorers.signature import make_signature
from scorers.statistics.intervals import wilson

_SLOW: dict[str, object] = {
    "by": None,
    "normalise": "sum",
    "per": "pair",
    "interval": "wilson",
    "category": [],
    "unit": None,
}


def run_pairs(options: argparse.Namespace) -> int:
    """Run the command with `--pairs`."""
    for name, usual in _SLOW.items():
        if getattr(options, name) != usual:
            raise UsageError(f"--pairs counts lines only: --{name.replace('_', '-')} needs items (leave --pairs out)")
    files = _files(options.predictions)
    results = [score_pairs(file, _beside(options.items, file)) for file in files]
    return write_report(_report(options, results), options, Findings())


def _files(paths: Sequence[str]) -> list[Path]:
    found: list[Path] = []
    for name in paths:
        path = Path(name)
        if name == "-" or not path.exists():
            raise ScoreError(f"{name}: --pairs reads files, and there is no such file")
        found += sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    if not found:
        raise ScoreError(f"{', '.join(paths)}: no .txt file in there")
    return found


def _beside(items: str, file: Path) -> Path | None:
    """The file of the sentences of a prediction file: nothing where the predictions stand for themselves."""
    path = Path(items)
    found = path / file.name if path.is_dir() else path
    if not found.exists():
        raise ScoreError(f"{found}: there is no such file (to check {file} against)")
    return None if found.resolve() == file.resolve() else found


def _report(options: argparse.Namespace, results: Sequence[FastResult]) -> Report:
    models: dict[str, list[FastResult]] = {}
    for result in results:
        # As elsewhere: these files are called after their paradigms, their folder after the model.
        models.setdefault(Path(result.name).resolve().parent.name, []).append(result)
    summary, rows, signatures, aligned = [], [], [], []
    for model, found in models.items():
        cells = [result.counts.tally(Path(result.name).stem, options.ties) for result in found]
        rows += [_row(cell, model, options.level) for cell in cells]
        macro = mean(cell.accuracy for cell in cells) if len(cells) > 1 else None
        summary.append(_row(_sum(cells), model, options.level, macro))
        digest = _digest(result.digest for result in found)
        # Without a file of sentences beside them, the predictions' own sentences are the items.
        items = _digest(result.sentences_digest or result.digest for result in found)
        criterion = {"criterion": "higher", "ties": options.ties, "norm": "sum", "per": "pair"}
        interval = {"interval": f"wilson{options.level:g}", "digest": "bytes"}
        signatures.append(make_signature(items, digest, criterion, interval).line())
        aligned.append(AlignmentCounts(model, sum(cell.scored for cell in cells)))
    return Report(
        title=title_of(options),
        signature=tuple(signatures),
        models=tuple(models),
        summary=tuple(summary),
        groups=(Breakdown("paradigm", tuple(rows)),),
        alignment=tuple(aligned),
        level=options.level,
    )


def _digest(digests: Iterable[str]) -> str:
    """One digest of files in whichever order."""
    return hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()


def _sum(cells: Sequence[Tally]) -> Tally:
    return Tally(
        label="all",
        scored=sum(cell.scored for cell in cells),
        right=sum(cell.right for cell in cells),
        ties=sum(cell.ties for cell in cells),
        unequal=sum(cell.unequal for cell in cells),
        equal_right=sum(cell.equal_right for cell in cells),
        chance=0.5,
    )


def _row(cell: Tally, model: str, level: float, macro: float | None = None) -> Row:
    interval = wilson(cell.right, cell.scored, level)
    return Row(
        label=cell.label,
        model=model,
        items=cell.scored,
        right=cell.right,
        accuracy=cell.accuracy,
        low=interval.low,
        high=interval.high,
        ties=cell.ties,
        unequal=cell.unequal,
        chance=0.5,
        macro=macro,
        sum_accuracy=cell.accuracy,
    )
