"""Rows with named columns, as the formats lm-eval and hf have them -> items: a row a pair, or a row a condition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from generator.errors import listed
from generator.facts import PAIR_ID
from generator.items import Condition, Item
from generator.readers.base import Source, is_sentence, plain_sentence
from generator.readers.pairing import PairRow, are_sentences, items_of, number_of

CROSSED = "crossed_"
FACTOR = "factor_"
PAIR = ("sentence_good", "sentence_bad")
MEMBER = ("id", "condition", "sentence")

# Ours first, then what other pair files of the Hub call the same.
_NAMES = {
    "id": ("id", "pairID", "pair_id"),
    "paradigm": ("paradigm", "UID"),
    "phenomenon": ("phenomenon", "linguistics_term"),
    "field": ("field",),
    "language": ("language",),
    "template": ("template",),
}


Row = tuple[int, Mapping[str, Any]]
"""(line or row number from 1, column -> cell)."""


def read_rows(
    source: Source, rows: Iterable[Row], paradigm: str, unused: frozenset[str] = frozenset()
) -> Iterator[Item]:
    """The items of a file's rows.  `paradigm` is for rows that name none; `unused` are columns that say nothing new."""
    numbered = iter(rows)
    first = next(numbered, None)
    if first is None:
        return

    def every() -> Iterator[Row]:
        yield first
        yield from numbered

    if all(name in first[1] for name in PAIR):
        yield from items_of(_pair_rows(source, every(), paradigm, unused))
    elif all(name in first[1] for name in MEMBER):
        yield from _designs(source, every(), paradigm)
    else:
        found = ", ".join(f"'{name}'" for name in list(first[1])[:8]) or "none"
        source.error(first[0], f"found the columns {found}, expected {listed(PAIR)} or {listed(MEMBER)}")


def _head(source: Source, line: int, record: Mapping[str, Any], paradigm: str) -> dict[str, str] | None:
    """The texts at the head of a row; None where one is no text."""
    head: dict[str, str] = {}
    for name, columns in _NAMES.items():
        column = next((column for column in columns if column in record), name)
        value = record.get(column)
        if name == "id" and type(value) is int:
            value = str(value)
        if value is not None and not isinstance(value, str):
            source.error(line, f"'{column}': found {value!r}, expected a text"[:200])
            return None
        head[name] = value or ""
    head["paradigm"] = head["paradigm"] or paradigm
    return head


def _values(record: Mapping[str, Any], prefix: str) -> dict[str, str]:
    """The cells of the columns with a prefix; an empty one says that the row has no such value."""
    return {
        name.removeprefix(prefix): value
        for name, value in record.items()
        if name.startswith(prefix) and isinstance(value, str) and value
    }


def _pair_rows(source: Source, rows: Iterable[Row], paradigm: str, unused: frozenset[str]) -> Iterator[PairRow]:
    known = {*PAIR, *unused, *(column for columns in _NAMES.values() for column in columns)}
    for line, record in rows:
        head = _head(source, line, record, paradigm)
        wrong = [name for name in PAIR if not isinstance(record.get(name), str)]
        for name in wrong:
            source.error(line, f"'{name}': found {record.get(name)!r}, expected a sentence"[:200])
        if head is None or wrong or not are_sentences(source, line, record[PAIR[0]], record[PAIR[1]]):
            continue
        uid, given = head["paradigm"], head["id"]
        own = re.fullmatch(rf"({re.escape(uid)}:.+)\.([1-9][0-9]*)", given)
        whole = given if own else f"{uid}:{given or line}"
        rest = {name: value for name, value in record.items() if name not in known and not name.startswith(CROSSED)}
        yield PairRow(
            line,
            own.group(1) if own else whole,
            int(own.group(2)) if own else 1,
            whole,
            record[PAIR[0]],
            record[PAIR[1]],
            uid,
            head["template"],
            head["phenomenon"],
            head["field"],
            head["language"],
            tuple(_values(record, CROSSED).items()),
            rest if own or not given else {**rest, PAIR_ID: given},
        )


def _designs(source: Source, rows: Iterable[Row], paradigm: str) -> Iterator[Item]:
    """Rows side by side with one id are the conditions of an item."""
    for name, group in groupby(rows, key=lambda row: str(row[1].get("id"))):
        records = list(group)
        line = records[0][0]
        head = _head(source, line, records[0][1], paradigm)
        made = [_member(source, at, record, rank) for rank, (at, record) in enumerate(records)]
        members = tuple(condition for condition in made if condition is not None)
        if head is None or len(members) < len(made):
            continue
        yield Item(
            name,
            head["paradigm"],
            head["template"],
            number_of(name, head["paradigm"], head["template"]),
            members,
            crossed=tuple(_values(records[0][1], CROSSED).items()),
            phenomenon=head["phenomenon"],
            field=head["field"],
            language=head["language"],
            line=line,
        )


def _member(source: Source, line: int, record: Mapping[str, Any], rank: int) -> Condition | None:
    name, text, acceptable = record.get("condition"), record.get("sentence"), record.get("acceptable")
    if not isinstance(name, str) or not isinstance(text, str):
        source.error(line, f"found 'condition' {name!r} and 'sentence' {text!r}, expected two texts"[:200])
        return None
    if acceptable is not None and not isinstance(acceptable, bool):
        source.error(line, f"'acceptable': found {acceptable!r}, expected true, false or null"[:200])
        return None
    if not is_sentence(source, line, text):
        return None
    return Condition(name, acceptable, plain_sentence(text), rank, _values(record, FACTOR))
