"""The items of a report as compact JSON for the page: columns, not objects; repeated texts are written once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from scorers.reports.model import Report
from scorers.reports.wording import finite

_DIGITS = 7
"""Significant digits of scores in the page: enough to read; the JSON output has them all."""


def page_data(report: Report) -> str:
    """JSON that may stand in a script element: no sign in it can end the element or begin a comment."""
    items = report.items
    places = range(len(report.models))
    paradigms, paradigm = _coded(item.paradigm for item in items)
    templates, template = _coded(item.template for item in items)
    verdicts, verdict = _coded(_at(item.verdicts, place) for place in places for item in items)
    names = dict.fromkeys(name for item in items for name in item.attributes)
    attributes = {name: _coded(item.attributes.get(name, "") for item in items) for name in names}
    has_answers = any(item.answers for item in items)
    data: dict[str, Any] = {
        "models": report.models,
        "id": [item.id for item in items],
        "good": [item.good for item in items],
        "bad": [item.bad for item in items],
        "paradigms": paradigms,
        "paradigm": paradigm,
        "templates": templates,
        "template": template,
        "verdicts": verdicts,
        "verdict": [verdict[place * len(items) : (place + 1) * len(items)] for place in places],
        "scores": [
            [[_score(report, number, place, end) for number in range(len(items))] for end in (0, 1)] for place in places
        ],
        "attributes": [{"name": name, "values": values, "of": codes} for name, (values, codes) in attributes.items()],
        "answers": [[_at(item.answers, place) for item in items] for place in places] if has_answers else [],
    }
    written = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # '<' stands only inside texts of JSON, where its escape means the same.
    return written.replace("<", "\\u003c")


def _score(report: Report, number: int, place: int, end: int) -> float | None:
    scores = report.items[number].scores
    value = finite(scores[place][end]) if place < len(scores) else None
    return None if value is None else float(f"{value:.{_DIGITS}g}")


def _at(texts: tuple[str, ...], place: int) -> str:
    return texts[place] if place < len(texts) else ""


def _coded(texts: Iterable[str]) -> tuple[list[str], list[int]]:
    """The different texts in the order of their first coming, and each text's place among them."""
    found: dict[str, int] = {}
    codes = [found.setdefault(text, len(found)) for text in texts]
    return list(found), codes
