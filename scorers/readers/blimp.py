"""BLiMP (Warstadt et al. 2020): JSON lines with `sentence_good` and `sentence_bad`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from scorers.items import Condition, Item, Pair
from scorers.readers.base import ItemReader
from scorers.readers.fields import shown
from scorers.readers.lines import is_sentence, sentence_of
from scorers.readers.records import first_record, json_records
from scorers.readers.source import Report, Source

PAIR = ("sentence_good", "sentence_bad")

_TEXTS = ("UID", "field", "linguistics_term", "template", "language")
_PROMISED = {
    "one_prefix_method": ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    "two_prefix_method": ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}
_LEFT_OUT = {*PAIR, *_TEXTS, "pairID", "pair_id", *(name for names in _PROMISED.values() for name in names)}


class _Row(NamedTuple):
    line: int
    item: str
    number: int
    is_own: bool
    good: str
    bad: str
    texts: Mapping[str, str]
    attributes: Mapping[str, str]


def pair_name(paradigm: str, pair_id: str) -> tuple[str, int]:
    """The id of an item and the number of a pair in it, of a pair's id.

    `PARADIGM:TEMPLATE:17.2` is the second pair of an item of Starling's; any other id is an item by itself.
    """
    own = re.fullmatch(rf"({re.escape(paradigm)}:.+)\.([1-9][0-9]{{0,8}})", pair_id)
    if own is not None:
        return own.group(1), int(own.group(2))
    return f"{paradigm}:{pair_id}", 0


def _read(source: Source, report: Report) -> Iterator[Item]:
    for _, group in groupby(_rows(source, report), key=lambda row: row.item):
        rows = list(group)
        # Rows side by side of one item, with numbers that go up and one acceptable sentence, are that item again.
        is_one = rows[0].is_own and all(one.number < two.number and one.good == two.good for one, two in pairwise(rows))
        for members in [rows] if is_one else [[row] for row in rows]:
            yield _item(source, members)


def _rows(source: Source, report: Report) -> Iterator[_Row]:
    for line, record in json_records(source, report):
        wrong = [name for name in PAIR if not isinstance(record.get(name), str)]
        wrong += [name for name in _TEXTS if not isinstance(record.get(name, ""), str)]
        for name in wrong:
            report.error(line, f"'{name}' is {shown(record.get(name))}: expected a text", "item")
        if wrong:
            continue
        if not all(
            [
                is_sentence(report, line, record[PAIR[0]], "acceptable sentence"),
                is_sentence(report, line, record[PAIR[1]], "starred sentence"),
            ]
        ):
            continue
        good, bad = (sentence_of(record[name]) for name in PAIR)
        if good == bad:
            report.warn(line, "the two sentences of the pair are identical", "identical")
        for flag, promised in _PROMISED.items():
            if record.get(flag) is True and not all(name in record for name in promised):
                report.warn(line, f"'{flag}' is true, and the fields that it promises are not there", "flag")
        texts = {name: record.get(name, "") for name in _TEXTS}
        if not texts["UID"]:
            report.warn(line, "no 'UID': the file's name stands for it", "no-uid")
            texts["UID"] = source.label
        pair_id = record.get("pairID", record.get("pair_id"))
        if pair_id is None:
            report.warn(line, "no 'pairID': the line's number stands for it", "no-id")
        name, number = pair_name(texts["UID"], str(line if pair_id is None else pair_id))
        attributes = {
            key: str(value).lower() if isinstance(value, bool) else str(value)
            for key, value in record.items()
            if key not in _LEFT_OUT and isinstance(value, str | int | float)
        }
        yield _Row(line, name, number, number > 0, good, bad, texts, attributes)


def _item(source: Source, rows: list[_Row]) -> Item:
    first = rows[0]
    is_numbered = len(rows) > 1 or first.number > 1
    starred = [Condition(f"starred_{row.number}" if is_numbered else "starred", row.bad, False) for row in rows]
    return Item(
        first.item,
        first.texts["UID"],
        (Condition("acceptable", first.good, True), *starred),
        tuple(Pair(0, place) for place in range(1, len(rows) + 1)),
        first.texts["template"],
        first.texts["linguistics_term"],
        first.texts["field"],
        first.texts["language"],
        first.attributes,
        file=source.name,
        line=first.line,
    )


def _detect(source: Source) -> bool:
    record: Mapping[str, Any] = first_record(source)
    return all(name in record for name in PAIR) and "resps" not in record


READER = ItemReader("blimp", "BLiMP JSON lines: sentence_good, sentence_bad", _read, _detect)
