"""Rows that hold a pair each -> items: rows side by side of one Starling item are that item again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from scorers.items import Condition, Item, Pair
from scorers.readers.lines import is_sentence, sentence_of
from scorers.readers.source import Report, Source

PAIR = ("sentence_good", "sentence_bad")
CROSSED = "crossed_"


Critical = Mapping[str, tuple[int, int]]
"""The characters of the critical word of a sentence, by BLiMP's method."""


class PairRow(NamedTuple):
    """A row.  `number` is that of the pair in its item, from 1; 0 where the id does not say it.  `critical`: of the
    acceptable and of the starred sentence.
    """

    line: int
    item: str
    number: int
    good: str
    bad: str
    paradigm: str
    template: str = ""
    phenomenon: str = ""
    field: str = ""
    language: str = ""
    attributes: Mapping[str, str] = {}
    critical: tuple[Critical, Critical] = ({}, {})


def pair_name(paradigm: str, pair_id: str) -> tuple[str, int]:
    """The id of an item and the number of a pair in it, of a pair's id.

    `PARADIGM:TEMPLATE:17.2` is the second pair of an item of Starling's; any other id is an item by itself.
    """
    own = re.fullmatch(rf"({re.escape(paradigm)}:.+)\.([1-9][0-9]{{0,8}})", pair_id)
    if own is not None:
        return own.group(1), int(own.group(2))
    return f"{paradigm}:{pair_id}", 0


def sentences_of(report: Report, line: int, good: str, bad: str) -> tuple[str, str] | None:
    """The two sentences of a row, tidied; None, and an error, where one is empty."""
    are_both = [
        is_sentence(report, line, good, "acceptable sentence"),
        is_sentence(report, line, bad, "starred sentence"),
    ]
    if not all(are_both):
        return None
    pair = sentence_of(good), sentence_of(bad)
    if pair[0] == pair[1]:
        report.warn(line, "the two sentences of the pair are identical", "identical")
    return pair


def items_of(source: Source, rows: Iterable[PairRow]) -> Iterator[Item]:
    """The items of rows, in order: rows side by side of one id, with numbers that go up and one acceptable sentence,
    are one item.
    """
    for _, group in groupby(rows, key=lambda row: row.item):
        found = list(group)
        is_one = found[0].number > 0 and all(a.number < b.number and a.good == b.good for a, b in pairwise(found))
        for members in [found] if is_one else [[row] for row in found]:
            yield _item(source, members)


def _item(source: Source, rows: list[PairRow]) -> Item:
    first = rows[0]
    is_numbered = len(rows) > 1 or first.number > 1
    starred = [
        Condition(f"starred_{row.number}" if is_numbered else "starred", row.bad, False, critical=row.critical[1])
        for row in rows
    ]
    # A sentence has one critical word in all its pairs, or nothing is said of it.
    critical = {
        method: span
        for method, span in first.critical[0].items()
        if all(row.critical[0].get(method) == span for row in rows)
    }
    return Item(
        first.item,
        first.paradigm,
        (Condition("acceptable", first.good, True, critical=critical), *starred),
        tuple(Pair(0, place) for place in range(1, len(rows) + 1)),
        first.template,
        first.phenomenon,
        first.field,
        first.language,
        first.attributes,
        file=source.name,
        line=first.line,
    )


def as_text(value: Any) -> str:
    """A value of a field as an attribute: truth values as JSON writes them."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def attributes_of(record: Mapping[str, Any], known: Iterable[str]) -> dict[str, str]:
    """What a record says beside the fields of its format.  `crossed_NAME` is called after the crossed variable, and
    left out where it is empty.
    """
    own = {name: value for name, value in record.items() if name not in known and isinstance(value, str | int | float)}
    return {
        name.removeprefix(CROSSED): as_text(value)
        for name, value in own.items()
        if value != "" or not name.startswith(CROSSED)
    }
