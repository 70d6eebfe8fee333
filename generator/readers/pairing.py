"""Rows that hold one pair each -> items: rows of one item, side by side, become one item again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as has
from itertools import groupby, pairwise
from typing import Any

from generator.facts import PAIR_ID
from generator.items import Item
from generator.readers.base import Source, is_sentence, member


@dataclass(frozen=True)
class PairRow:
    """A row: its pair, and what the row says of the item that the pair belongs to.

    `item` is the item's id and `pair` the number of the pair in it.  `whole` is the pair's own id: the item's id where
    the row is taken for an item by itself.
    """

    line: int
    item: str
    pair: int
    whole: str
    good: str
    bad: str
    paradigm: str
    template: str = ""
    phenomenon: str = ""
    field: str = ""
    language: str = ""
    crossed: tuple[tuple[str, str], ...] = ()
    extra: Mapping[str, Any] = has(default_factory=dict)


def are_sentences(source: Source, line: int, good: str, bad: str) -> bool:
    """Whether both are sentences; a pair of identical ones is warned of."""
    both = [is_sentence(source, line, good, "acceptable sentence"), is_sentence(source, line, bad, "starred sentence")]
    if all(both) and good.strip() == bad.strip():
        source.warn(line, "the two sentences of the pair are identical")
    return all(both)


def items_of(rows: Iterable[PairRow]) -> Iterator[Item]:
    """The items of rows.  Rows side by side of one item, whose pairs are numbered upwards and whose acceptable sentence
    is the same one, are that item; any other row is an item by itself, with the file's own id of the pair in `extra`.
    """
    for _, group in groupby(rows, key=lambda row: (row.item, row.paradigm)):
        yield from _group(list(group))


def _group(rows: Sequence[PairRow]) -> Iterator[Item]:
    first = rows[0]
    upwards = all(row.pair < following.pair for row, following in pairwise(rows))
    if upwards and all(_shared(row) == _shared(first) for row in rows):
        yield _item(rows, first.item, first.extra)
        return
    for row in rows:
        yield _item([replace(row, pair=1)], row.whole, {PAIR_ID: row.whole, **row.extra})


def _shared(row: PairRow) -> tuple[Any, ...]:
    return (row.good, row.template, row.phenomenon, row.field, row.language, row.crossed, row.extra)


def _item(rows: Sequence[PairRow], name: str, extra: Mapping[str, Any]) -> Item:
    first = rows[0]
    alone = len(rows) == 1 and first.pair == 1
    starred = [
        member(row.bad, False, "starred" if alone else f"starred_{row.pair}", rank)
        for rank, row in enumerate(rows, start=1)
    ]
    return Item(
        name,
        first.paradigm,
        first.template,
        number_of(name, first.paradigm, first.template),
        (member(first.good, True), *starred),
        crossed=first.crossed,
        phenomenon=first.phenomenon,
        field=first.field,
        language=first.language,
        extra=extra,
        line=first.line,
    )


def number_of(name: str, paradigm: str, template: str) -> int:
    """The number in an id of Starling's own (`paradigm:template:17`); 0 for any other id."""
    start = f"{paradigm}:{template}:"
    rest = name.removeprefix(start)
    return int(rest) if template and name.startswith(start) and re.fullmatch(r"[1-9][0-9]*", rest) else 0
