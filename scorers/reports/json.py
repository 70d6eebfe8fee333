"""A report as JSON with stable keys (scorers/report_schema.json), and back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scorers.errors import Finding, ScoreError
from scorers.reports import model
from scorers.reports.model import Report
from scorers.reports.wording import finite

FORMAT = "starling-report"
VERSION = 1
"""Raised when a key changes its meaning or goes; keys may be added without it."""


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain JSON values: the keys are the fields of `model`; an infinite number is null."""
    fields: dict[str, Any] = _record(report)
    return {"format": FORMAT, "version": VERSION, **fields}


def to_json(report: Report) -> str:
    """The report as JSON text: a line for each item and row, so that files can be compared and searched."""
    return "".join(_pieces(as_json(report)))


def from_json(text: str) -> Report:
    """The report that `to_json` wrote.  Raises ScoreError for text that is no report, or of another version."""
    try:
        record = json.loads(text)
    except ValueError as problem:
        raise ScoreError(f"not a report: {problem}") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ScoreError(f'not a report: it has no "format": "{FORMAT}"')
    if record.get("version") != VERSION:
        raise ScoreError(f"a report of version {record.get('version')}; this program reads version {VERSION}")
    del record["format"], record["version"]
    try:
        made = {name: _READERS.get(name, _same)(value) for name, value in record.items()}
        return Report(**made)
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise ScoreError(f"not a report: {problem}") from None


def _record(value: Any) -> Any:
    if isinstance(value, Finding):
        return value.as_json()
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, tuple):
        return [_record(part) for part in value]
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value):
        return {name: _record(getattr(value, name)) for name in _names(type(value))}
    return value


_FIELDS: dict[type, tuple[str, ...]] = {}


def _names(kind: type) -> tuple[str, ...]:
    # Looked up once for each class: a report may hold 100,000 items.
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(part.name for part in dataclasses.fields(kind))
    return _FIELDS[kind]


def _pieces(record: dict[str, Any]) -> Iterator[str]:
    write = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    separator = "{\n"
    for name, value in record.items():
        yield f"{separator}{write(name)}: "
        separator = ",\n"
        if isinstance(value, list) and value:
            yield "[\n" + ",\n".join(f"  {write(part)}" for part in value) + "\n]"
        else:
            yield write(value)
    yield "\n}\n"


Reader = Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _each(kind: Callable[..., Any], **parts: Reader) -> Reader:
    """Reads a list of records, each into a `kind`; `parts` reads those fields that are no plain values."""

    def read(records: Any) -> tuple[Any, ...]:
        return tuple(
            kind(**{name: parts[name](value) if name in parts else value for name, value in record.items()})
            for record in records
        )

    return read


def _word_counts(values: Any) -> tuple[tuple[str, int], ...]:
    return tuple((word, times) for word, times in values)


def _score_pairs(values: Any) -> tuple[tuple[float | None, float | None], ...]:
    return tuple((good, bad) for good, bad in values)


def _finding(severity: str, code: str, message: str, **place: Any) -> Finding:
    return Finding(code, message, severity="warning" if severity == "warning" else "error", **place)


_rows = _each(model.Row)
_categories = _each(model.AnswerCategory, words=_word_counts)

_READERS: dict[str, Reader] = {
    "signature": _texts,
    "models": _texts,
    "notes": _texts,
    "summary": _rows,
    "groups": _each(model.Breakdown, rows=_rows),
    "answers": _each(model.AnswerTable, rows=_each(model.AnswerRow, categories=_categories)),
    "designs": _each(model.DesignRow),
    "differences": _each(model.DifferenceRow),
    "regions": _each(model.RegionRow),
    "outcomes": _each(model.OutcomeRow, differences_bits=tuple),
    "comparisons": _each(model.Comparison),
    "steps": _each(model.Step),
    "agreement": _each(model.Agreement),
    "statistics": _each(model.Statistic),
    "alignment": _each(model.AlignmentCounts),
    "findings": _each(_finding),
    "items": _each(model.ItemRow, scores=_score_pairs, verdicts=_texts, answers=_texts),
}
