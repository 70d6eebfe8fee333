"""BLiMP JSON lines.  The flags are not believed: the writer computes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from generator.facts import PAIR_ID
from generator.items import Item
from generator.readers.base import Reader, Source
from generator.readers.pairing import PairRow, are_sentences, items_of, number_of

PAIR = ("sentence_good", "sentence_bad")
FLAGS = ("simple_LM_method", "one_prefix_method", "two_prefix_method", "lexically_identical")
PROMISED = {
    "one_prefix_method": ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    "two_prefix_method": ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}
COMPUTED = frozenset(FLAGS) | {name for names in PROMISED.values() for name in names}
KNOWN = COMPUTED | {*PAIR, "field", "linguistics_term", "UID", "pairID", "pair_id", "template"}


def records(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, JSON object) of every line; what is none is reported."""
    for line, text in source.lines():
        if not text.strip():
            source.warn(line, "a blank line: left out")
            continue
        try:
            record = json.loads(text)
        except ValueError as error:
            column = getattr(error, "colno", 1)
            source.error(line, f"not JSON: {getattr(error, 'msg', error)}, column {column}")
            continue
        except RecursionError:
            source.error(line, "not JSON that can be read: nested too deeply")
            continue
        if isinstance(record, dict):
            yield line, record
        else:
            source.error(line, f"no JSON object but {type(record).__name__}")


def first_record(source: Source) -> Mapping[str, Any]:
    """The JSON object of a file's first line; empty where it is none."""
    try:
        record = json.loads(source.head[0]) if source.head else {}
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _rows(source: Source) -> Iterator[PairRow]:
    for line, record in records(source):
        wrong = [key for key in PAIR if not isinstance(record.get(key), str)]
        for key in wrong:
            found = f"{record[key]!r}"[:60] if key in record else "missing"
            source.error(line, f"'{key}' is {found}; it is a sentence")
        strings = {key: _string(source, line, record, key) for key in ("UID", "linguistics_term", "field", "template")}
        if wrong or None in strings.values() or not are_sentences(source, line, *(record[key] for key in PAIR)):
            continue
        for flag, promised in PROMISED.items():
            if record.get(flag) is True and not all(name in record for name in promised):
                source.warn(line, f"'{flag}' is true, and the fields that it promises are not there")
        if "UID" not in record:
            source.warn(line, "no 'UID': the file's name stands for it")
        yield _row(source, line, record, {key: text or "" for key, text in strings.items()})


def _string(source: Source, line: int, record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key, "")
    if isinstance(value, str):
        return value
    source.error(line, f"'{key}' is {value!r}; it is a text")
    return None


def _row(source: Source, line: int, record: Mapping[str, Any], strings: Mapping[str, str]) -> PairRow:
    uid = strings["UID"] or source.stem
    pair_id = record.get("pairID", record.get("pair_id"))
    if pair_id is None:
        source.warn(line, "no 'pairID': the line's number stands for it")
    elif not isinstance(pair_id, str):
        source.warn(line, f"'pairID' is no text but {type(pair_id).__name__}: read as text")
    whole = str(line if pair_id is None else pair_id)
    rest = {key: value for key, value in record.items() if key not in KNOWN}
    own = re.fullmatch(rf"({re.escape(uid)}:.+)\.([1-9][0-9]*)", whole)
    base, pair = (own.group(1), int(own.group(2))) if own is not None else (f"{uid}:{whole}", 1)
    crossed: tuple[tuple[str, str], ...] = ()
    if number_of(base, uid, strings["template"]):  # an item of Starling's own: what is left are the crossed values
        crossed = tuple((key, value) for key, value in rest.items() if isinstance(value, str))
        rest = {key: value for key, value in rest.items() if not isinstance(value, str)}
    return PairRow(
        line,
        base,
        pair,
        whole if own is not None else base,
        record["sentence_good"],
        record["sentence_bad"],
        uid,
        strings["template"],
        strings["linguistics_term"],
        strings["field"],
        crossed=crossed,
        extra=rest if own is not None or pair_id is None else {**rest, PAIR_ID: whole},
    )


def _read(source: Source) -> Iterator[Item]:
    return items_of(_rows(source))


READER = Reader(
    "blimp",
    "BLiMP JSON lines",
    _read,
    lambda source: all(key in first_record(source) for key in PAIR),
)
