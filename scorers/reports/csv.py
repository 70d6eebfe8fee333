"""Parts of a report as CSV, tidy: one observation a row, shares between 0 and 1, full precision, no number = empty."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from scorers.errors import UsageError, nearest
from scorers.reports.model import Report, Row

_ROW = ("items", "right", "accuracy", "low", "high", "ties", "unequal", "chance", "macro")
_LENGTHS = ("sum_accuracy", "token_accuracy", "character_accuracy")
_DESIGN = (
    "label",
    "model",
    "name",
    "formula",
    "items",
    "fulfilled",
    "share",
    "low",
    "high",
    "missing",
    "on_average",
    "difference_bits",
    "difference_low",
    "difference_high",
)
_DIFFERENCE = ("label", "model", "name", "comparison", "items", "mean_bits", "low", "high")
_REGION = (
    "label",
    "model",
    "condition",
    "region",
    "number",
    "place",
    "is_outermost",
    "items",
    "mean_bits",
    "low",
    "high",
)
_STEP = ("step", "label", "model", "checkpoint", "items", "accuracy", "low", "high", "chance")
_AGREEMENT = ("by", "label", "model", "measure", "about", "value", "low", "high", "p", "n", "of")
_STATISTIC = ("name", "model", "value", "low", "high", "p", "items")
_ALIGNMENT = ("model", "joined", "missing", "duplicate", "unknown", "ambiguous")
_COMPARISON = (
    *("by", "label", "first", "second", "items", "first_accuracy", "second_accuracy", "difference", "low", "high"),
    *("first_only", "second_only", "mcnemar_p", "randomisation_p", "holm_p"),
)

_SIGNATURES = {"first": "first_signature", "second": "second_signature"}

Line = Iterable[Any]


def _accuracy(report: Report) -> Iterator[Line]:
    yield ("model", "by", "label", *_ROW, *_LENGTHS)
    rows: list[tuple[str, Row]] = [("all", row) for row in report.summary]
    rows += [(group.by, row) for group in report.groups for row in group.rows]
    for by, row in rows:
        yield (row.model, by, row.label, *(getattr(row, name) for name in (*_ROW, *_LENGTHS)))


def _answers(report: Report) -> Iterator[Line]:
    yield ("model", "by", "label", "items", "category", "count", "share", "low", "high")
    for table in report.answers:
        for row in table.rows:
            for part in row.categories:
                yield (
                    row.model,
                    table.by,
                    row.label,
                    row.items,
                    part.name,
                    part.count,
                    part.share,
                    part.low,
                    part.high,
                )


def _words(report: Report) -> Iterator[Line]:
    yield ("model", "by", "label", "category", "word", "count")
    for table in report.answers:
        for row in table.rows:
            for part in row.categories:
                for word, times in part.words:
                    yield (row.model, table.by, row.label, part.name, word, times)


def _items(report: Report) -> Iterator[Line]:
    named = list(dict.fromkeys(name for item in report.items for name in item.attributes))
    fixed = ("id", "paradigm", "template", "model", "verdict", "score_good", "score_bad", "answer", "good", "bad")
    yield (*fixed, *named)
    for item in report.items:
        attributes = [item.attributes.get(name, "") for name in named]
        for place, model in enumerate(report.models):
            scores = item.scores[place] if item.scores else (None, None)
            answer = item.answers[place] if item.answers else ""
            said = (model, item.verdicts[place], *scores, answer, item.good, item.bad)
            yield (item.id, item.paradigm, item.template, *said, *attributes)


def _outcomes(report: Report) -> Iterator[Line]:
    """A row for each comparison of each formula."""
    yield ("label", "model", "item", "name", "holds", "comparison", "difference_bits")
    for row in report.outcomes:
        holds = None if row.holds is None else int(row.holds)
        for number, bits in enumerate(row.differences_bits, 1):
            yield (row.label, row.model, row.item, row.name, holds, number, bits)


def _plain(part: str, names: tuple[str, ...]) -> Callable[[Report], Iterator[Line]]:
    def lines(report: Report) -> Iterator[Line]:
        yield names
        for row in getattr(report, part):
            yield (getattr(row, name) for name in names)

    return lines


def _signed(lines: Callable[[Report], Iterator[Line]]) -> Callable[[Report], Iterator[Line]]:
    """A table with the signature of each model that a row names, so that a number can be taken out of its file."""

    def signed(report: Report) -> Iterator[Line]:
        signatures = dict(zip(report.models, report.signature, strict=False))
        rows = lines(report)
        header = tuple(next(rows))
        names = [name for name in ("checkpoint", "first", "second") if name in header] or ["model"]
        places = [header.index(name) for name in names]
        yield (*header, *(_SIGNATURES.get(name, "signature") for name in names))
        for row in rows:
            cells = tuple(row)
            yield (*cells, *(signatures.get(cells[place], "") for place in places))

    return signed


_TABLES: dict[str, Callable[[Report], Iterator[Line]]] = {
    "accuracy": _signed(_accuracy),
    "answers": _signed(_answers),
    "words": _signed(_words),
    "designs": _signed(_plain("designs", _DESIGN)),
    "differences": _signed(_plain("differences", _DIFFERENCE)),
    "regions": _signed(_plain("regions", _REGION)),
    "outcomes": _outcomes,
    "comparisons": _signed(_plain("comparisons", _COMPARISON)),
    "steps": _signed(_plain("steps", _STEP)),
    "agreement": _signed(_plain("agreement", _AGREEMENT)),
    "statistics": _plain("statistics", _STATISTIC),
    "alignment": _plain("alignment", _ALIGNMENT),
    "items": _items,
}

TABLES: tuple[str, ...] = tuple(_TABLES)
"""The names of the tables that `to_csv` makes."""


def require_table(name: str) -> None:
    """Raise UsageError, which names the tables, for a name that is none of TABLES."""
    if name not in _TABLES:
        raise UsageError(f"no table is called '{name}'{nearest(name, TABLES)} (the tables: {', '.join(TABLES)})")


def to_csv(report: Report, table: str = "") -> str:
    """One table of the report with its header.

    `table` is one of TABLES; where it is not said, the first that has rows ('accuracy' where none has).
    `accuracy` has one row per model, breakdown (`by`) and label; by 'all' is the summary.
    Raises UsageError for a table that is none.
    """
    if table:
        require_table(table)
    chosen = table or next((name for name in TABLES if _has_rows(_TABLES[name](report))), "accuracy")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_TABLES[chosen](report))
    return text.getvalue()


def _has_rows(lines: Iterator[Line]) -> bool:
    next(lines)
    return next(lines, None) is not None
