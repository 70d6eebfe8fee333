"""Data files of the folders that Starling writes for lm-evaluation-harness and for the Hugging Face Hub.

Rows are flat: a pair a row or, of factor designs, a condition a row.  They come as JSON lines or, with the extra
`hf`, as parquet, whose rows count as lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from scorers.errors import UsageError
from scorers.items import Condition, Item
from scorers.readers.base import ItemReader
from scorers.readers.fields import shown
from scorers.readers.items_jsonl import pairs_of
from scorers.readers.lines import is_sentence, sentence_of
from scorers.readers.pair_rows import PAIR, PairRow, attributes_of, items_of, pair_name, sentences_of
from scorers.readers.records import json_records, some_record
from scorers.readers.source import Report, Source

PARQUET_MAGIC = b"PAR1"

_Rows = Callable[[Source, Report], Iterator[tuple[int, Mapping[str, Any]]]]

_HEAD = ("id", "paradigm", "phenomenon", "field", "language", "template")
_MEMBER = ("condition", "acceptable", "sentence")
_CHOICES = ("choices", "target")
_FACTOR = "factor_"
_BATCH_ROWS = 10_000


def _parquet_records(source: Source, report: Report) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(row number from 1, columns) of a parquet file, a batch at a time.  Raises UsageError without pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise UsageError(f"{source.name}: parquet needs pyarrow: pip install 'starling-gen[hf]'") from error
    number = 0
    try:
        with source.open() as stream, pq.ParquetFile(stream) as table:
            for batch in table.iter_batches(_BATCH_ROWS):
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except (pa.ArrowException, OSError, EOFError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        report.error(number, f"no parquet file that can be read: {why}", "parquet", hint="the file may be cut off")


def _read(records: _Rows, is_choosing: bool = False) -> Callable[[Source, Report], Iterator[Item]]:
    def read(source: Source, report: Report) -> Iterator[Item]:
        rows = ((line, record) for line, record in records(source, report) if _is_sound(report, line, record))
        for is_member, group in groupby(rows, key=lambda row: "condition" in row[1] and PAIR[0] not in row[1]):
            if is_member:
                yield from _designs(source, report, group)
            else:
                yield from items_of(source, _pairs(source, report, group, is_choosing))

    return read


def _is_sound(report: Report, line: int, record: Mapping[str, Any]) -> bool:
    """Whether the fields that every row has are texts."""
    wrong = [name for name in _HEAD if not isinstance(record.get(name, ""), str)]
    for name in wrong:
        report.error(line, f"'{name}' is {shown(record[name])}: expected a text", "item")
    if "id" not in wrong and not record.get("id", ""):
        report.error(line, "the id is empty", "no-id")
        return False
    return not wrong


def _pairs(
    source: Source, report: Report, rows: Iterable[tuple[int, Mapping[str, Any]]], is_choosing: bool
) -> Iterator[PairRow]:
    for line, record in rows:
        wrong = [name for name in PAIR if not isinstance(record.get(name), str)]
        for name in wrong:
            report.error(line, f"'{name}' is {shown(record.get(name))}: expected a text", "item")
        pair = None if wrong else sentences_of(report, line, record[PAIR[0]], record[PAIR[1]])
        if pair is None or (is_choosing and not _is_right_choice(report, line, record)):
            continue
        paradigm = record.get("paradigm") or source.label
        name, number = pair_name(paradigm, record["id"])
        yield PairRow(
            line,
            name if number else record["id"],
            number,
            *pair,
            paradigm,
            record.get("template", ""),
            record.get("phenomenon", ""),
            record.get("field", ""),
            record.get("language", ""),
            attributes_of(record, (*_HEAD, *PAIR, *_CHOICES)),
        )


def _is_right_choice(report: Report, line: int, record: Mapping[str, Any]) -> bool:
    """Whether `target` names the acceptable sentence among `choices`, where the row has these."""
    choices, target = record.get("choices"), record.get("target")
    if choices is None and target is None:
        return True
    pair = [record[name] for name in PAIR]
    if choices not in (pair, pair[::-1]):
        report.error(line, f"'choices' is {shown(choices)}: expected the two sentences of the pair", "choices")
    elif isinstance(target, bool) or target != choices.index(pair[0]):
        found = f"expected {choices.index(pair[0])}, the place of sentence_good among the choices"
        report.error(line, f"'target' is {shown(target)}: {found}", "choices")
    else:
        return True
    return False


def _designs(source: Source, report: Report, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[Item]:
    """Rows side by side of one id are the conditions of an item."""
    for name, group in groupby(rows, key=lambda row: str(row[1]["id"])):
        found = list(group)
        line, first = found[0]
        members = [_member(report, at, record) for at, record in found]
        known = [member for member in members if member is not None]
        names = [member.name for member in known]
        if len(set(names)) < len(names):
            report.error(line, f"'{name}' has two conditions of one name: {', '.join(names)}", "item")
        elif len(known) == len(members):
            factors = [key for key in first if key.startswith(_FACTOR)]
            yield Item(
                name,
                first.get("paradigm") or source.label,
                tuple(known),
                pairs_of(known),
                first.get("template", ""),
                first.get("phenomenon", ""),
                first.get("field", ""),
                first.get("language", ""),
                attributes_of(first, (*_HEAD, *_MEMBER, *factors)),
                file=source.name,
                line=line,
            )


def _member(report: Report, line: int, record: Mapping[str, Any]) -> Condition | None:
    wrong = [name for name in ("condition", "sentence") if not isinstance(record.get(name), str)]
    for name in wrong:
        report.error(line, f"'{name}' is {shown(record.get(name))}: expected a text", "item")
    acceptable = record.get("acceptable")
    if acceptable is not None and not isinstance(acceptable, bool):
        report.error(line, f"'acceptable' is {shown(acceptable)}: expected true, false or null", "item")
        return None
    if wrong or not is_sentence(report, line, record["sentence"]):
        return None
    levels = {
        key.removeprefix(_FACTOR): str(value) for key, value in record.items() if key.startswith(_FACTOR) and value
    }
    return Condition(record["condition"], sentence_of(record["sentence"]), acceptable, levels=levels)


def _is_table(record: Mapping[str, Any]) -> bool:
    return {"id", "paradigm"} <= set(record) and (set(PAIR) <= set(record) or set(_MEMBER) <= set(record))


READERS = (
    ItemReader(
        "lm-eval",
        "data of Starling's tasks for lm-evaluation-harness: pairs with choices and target",
        _read(json_records, is_choosing=True),
        lambda source: {"id", *PAIR, *_CHOICES} <= set(some_record(source)),
    ),
    ItemReader(
        "hf",
        "Starling's data sets for the Hugging Face Hub: JSON lines, a row a pair or a condition",
        _read(json_records),
        lambda source: _is_table(some_record(source)),
        fields=(*_HEAD, *PAIR, *_MEMBER),
    ),
    ItemReader(
        "hf-parquet",
        "the same as parquet (needs the extra 'hf')",
        _read(_parquet_records),
        lambda source: source.starts_with(PARQUET_MAGIC),
        is_binary=True,
    ),
)
