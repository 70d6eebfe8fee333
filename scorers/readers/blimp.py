"""BLiMP (Warstadt et al. 2020): JSON lines with `sentence_good` and `sentence_bad`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scorers.items import Item
from scorers.readers.base import ItemReader
from scorers.readers.fields import shown
from scorers.readers.pair_rows import PAIR, PairRow, attributes_of, items_of, pair_name, sentences_of
from scorers.readers.records import json_records, some_record
from scorers.readers.source import Report, Source

_TEXTS = ("UID", "field", "linguistics_term", "template", "language")
_PROMISED = {
    "one_prefix_method": ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    "two_prefix_method": ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}
# The fields of a method: the prefixes of the acceptable and of the starred sentence, then their words.
_WORDS = {
    "one_prefix": ("one_prefix_prefix", "one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    "two_prefix": ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word", "two_prefix_word"),
}
_LEFT_OUT = {*PAIR, *_TEXTS, "pairID", "pair_id", *(name for names in _PROMISED.values() for name in names)}


def _read(source: Source, report: Report) -> Iterator[Item]:
    return items_of(source, _rows(source, report))


def _rows(source: Source, report: Report) -> Iterator[PairRow]:
    for line, record in json_records(source, report):
        wrong = [name for name in PAIR if not isinstance(record.get(name), str)]
        wrong += [name for name in _TEXTS if not isinstance(record.get(name, ""), str)]
        for name in wrong:
            report.error(line, f"'{name}' is {shown(record.get(name))}: expected a text", "item")
        if wrong:
            continue
        pair = sentences_of(report, line, record[PAIR[0]], record[PAIR[1]])
        if pair is None:
            continue
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
        yield PairRow(
            line,
            name,
            number,
            *pair,
            texts["UID"],
            texts["template"],
            texts["linguistics_term"],
            texts["field"],
            texts["language"],
            attributes_of(record, _LEFT_OUT),
            _critical(report, line, record, pair),
        )


def _critical(
    report: Report, line: int, record: Mapping[str, Any], pair: tuple[str, str]
) -> tuple[dict[str, tuple[int, int]], dict[str, tuple[int, int]]]:
    """The critical words of both sentences by the methods whose flags are true, where they stand as the fields say."""
    found: tuple[dict[str, tuple[int, int]], dict[str, tuple[int, int]]] = ({}, {})
    for method, names in _WORDS.items():
        fields = [record.get(name) for name in names]
        if record.get(f"{method}_method") is not True or not all(isinstance(field, str) for field in fields):
            continue
        spans = [
            _word_behind(text, str(prefix), str(word))
            for text, prefix, word in zip(pair, fields[:2], fields[2:], strict=True)
        ]
        if None in spans:
            report.warn(line, f"a sentence does not go on with its word behind its '{names[0]}'", "prefix")
            continue
        for spans_of, span in zip(found, spans, strict=True):
            if span is not None:
                spans_of[method] = span
    return found


def _word_behind(text: str, prefix: str, word: str) -> tuple[int, int] | None:
    """Where a word stands behind a prefix of a sentence; None where it does not."""
    prefix, word = prefix.strip(), word.strip()
    rest = text[len(prefix) :]
    start = len(text) - len(rest.lstrip())
    is_there = text.startswith(prefix) and bool(word) and text.startswith(word, start)
    return (start, start + len(word)) if is_there else None


def _detect(source: Source) -> bool:
    record: Mapping[str, Any] = some_record(source)
    return all(name in record for name in PAIR) and "resps" not in record


READER = ItemReader(
    "blimp",
    "BLiMP JSON lines: sentence_good, sentence_bad",
    _read,
    _detect,
    fields=(*PAIR, "pairID", "UID"),
)
