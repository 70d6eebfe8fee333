"""Starling's own table: one row a pair, for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator

from generator.items import Item
from generator.readers.base import Reader, Source
from generator.readers.pairing import PairRow, are_sentences, items_of
from generator.readers.tables import has_header, rows, whole_number

COLUMNS = (
    "id", "paradigm", "phenomenon", "field", "template", "pair", "crossed", "sentence_good", "sentence_bad",
)  # fmt: skip


def _rows(source: Source) -> Iterator[PairRow]:
    for row in rows(source, COLUMNS):
        known = row.known
        pair = whole_number(source, row.line, "pair", known["pair"])
        crossed = _crossed(source, row.line, known["crossed"])
        if not known["id"].strip():
            source.error(row.line, "the id is empty")
            continue
        if pair is None or crossed is None:
            continue
        if not are_sentences(source, row.line, known["sentence_good"], known["sentence_bad"]):
            continue
        yield PairRow(
            row.line,
            known["id"],
            pair,
            f"{known['id']}.{pair}",
            known["sentence_good"],
            known["sentence_bad"],
            known["paradigm"] or source.stem,
            known["template"],
            known["phenomenon"],
            known["field"],
            crossed=crossed,
            extra=row.own,
        )


def _crossed(source: Source, line: int, text: str) -> tuple[tuple[str, str], ...] | None:
    found = []
    for part in text.split("; ") if text.strip() else ():
        name, sign, value = part.partition("=")
        if not sign or not name:
            source.error(line, f"crossed is {text!r}; it is NAME=VALUE, several parted by '; '")
            return None
        found.append((name, value))
    return tuple(found)


def _read(source: Source) -> Iterator[Item]:
    return items_of(_rows(source))


READER = Reader(
    "tsv", "a table with a header, one row a pair", _read, lambda source: has_header(source, ("id", "paradigm"))
)
