"""The sentence-focused `.tab` of 'Evaluate LSTMs for syntax': pattern, sent, sent_alt."""

from __future__ import annotations

from collections.abc import Iterator

from generator.items import Item
from generator.readers.base import Reader, Source, member
from generator.readers.pairing import are_sentences
from generator.readers.tables import has_header, own_template, rows

COLUMNS = ("pattern", "sent", "sent_alt")


def _read(source: Source) -> Iterator[Item]:
    for row in rows(source, COLUMNS):
        pattern, good, bad = (row.known[name] for name in COLUMNS)
        if not are_sentences(source, row.line, good, bad):
            continue
        yield Item(
            f"{source.stem}:{row.line}",
            source.stem,
            own_template(pattern, source.stem),
            0,
            (member(good, True), member(bad, False, rank=1)),
            extra=row.own,
            line=row.line,
        )


READER = Reader(
    "sentences",
    "sentence-focused .tab: pattern, sent, sent_alt",
    _read,
    lambda source: has_header(source, COLUMNS),
)
