"""Starling's own table: a row a pair, `sentence_good` and `sentence_bad` (docs/item-format.md, 'Tables')."""

from __future__ import annotations

from collections.abc import Iterator

from scorers.items import Item
from scorers.readers.base import ItemReader
from scorers.readers.pair_rows import PAIR, PairRow, attributes_of, items_of, sentences_of
from scorers.readers.records import header_of, table_rows, whole_number
from scorers.readers.source import Report, Source

COLUMNS = ("id", "paradigm", "phenomenon", "field", "template", "pair", "crossed", *PAIR)


def _read(source: Source, report: Report) -> Iterator[Item]:
    return items_of(source, _rows(source, report))


def _rows(source: Source, report: Report) -> Iterator[PairRow]:
    for row in table_rows(source, report, COLUMNS, quotes="either"):
        cells = row.cells
        number = whole_number(report, row.line, "pair", cells["pair"])
        crossed = _crossed(report, row.line, cells["crossed"])
        pair = sentences_of(report, row.line, *(cells[name] for name in PAIR))
        name = cells["id"].strip()
        if not name:
            report.error(row.line, "the id is empty", "no-id")
        if not name or number is None or crossed is None or pair is None:
            continue
        yield PairRow(
            row.line,
            name,
            number,
            *pair,
            cells["paradigm"].strip() or source.label,
            cells["template"].strip(),
            cells["phenomenon"].strip(),
            cells["field"].strip(),
            attributes=attributes_of(cells, COLUMNS) | crossed,
        )


def _crossed(report: Report, line: int, text: str) -> dict[str, str] | None:
    """`n=sg; m=pl` -> the crossed values; None, and an error, for anything else."""
    found: dict[str, str] = {}
    for part in text.strip().split("; ") if text.strip() else ():
        name, sign, value = part.partition("=")
        if not sign or not name:
            report.error(line, f"crossed is {text!r}: expected NAME=VALUE, several parted by '; '", "crossed")
            return None
        found[name] = value
    return found


READER = ItemReader(
    "tsv",
    "Starling's table: a row a pair, sentence_good and sentence_bad",
    _read,
    lambda source: {"id", *PAIR} <= set(header_of(source)),
    fields=COLUMNS,
)
