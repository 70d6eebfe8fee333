"""Scores of tokens: a table with a token a row, or JSON lines with arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from scorers.predictions import Prediction, TokenPrediction, Unit
from scorers.readers.base import PredictionReader, ReadOptions, Stream
from scorers.readers.fields import checked_number, shown, unit_field, warn_of_sign
from scorers.readers.records import header_of, json_records, some_record, table_rows, whole_number
from scorers.readers.score_rows import Fields, made_by, score_field, some_row
from scorers.readers.source import Report, Source

_MISSING = "no field says what the model gave: expected surprisal, log_probability ... (with _bits, _nats or _bans)"


def _read_table(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    found = score_field(report, header_of(source), options)
    if found is None:
        report.error(1, _MISSING, "header")
        return []
    return [Stream(found[1], _table_rows(source, report, *found), some_row(source).get("model", ""))]


def _table_rows(source: Source, report: Report, field: str, unit: Unit) -> Iterator[Prediction]:
    """Rows side by side of one sentence are its tokens, in order."""
    for place, group in groupby(_tokens(source, report, field, unit), key=lambda token: token[1]):
        tokens = list(group)
        name, condition, text = place
        yield TokenPrediction(
            tuple(token for _, _, token, _, _ in tokens),
            tuple(value for _, _, _, value, _ in tokens),
            name,
            condition,
            text,
            tuple(start for *_, start in tokens if start is not None),
            source.name,
            tokens[0][0],
        )


def _tokens(
    source: Source, report: Report, field: str, unit: Unit
) -> Iterator[tuple[int, tuple[str, str, str], str, float, int | None]]:
    fields = Fields(report)
    for row in table_rows(source, report, ("token",), quotes="either"):
        value = _number(report, row.line, row.cells[field], f"'{field}'", unit)
        place = fields.place(row.line, row.cells)
        start = whole_number(report, row.line, "start", row.cells["start"]) if "start" in row.cells else None
        if value is not None and place is not None and (start is not None or "start" not in row.cells):
            yield row.line, place, row.cells["token"], value, start


def _number(report: Report, line: int, value: Any, what: str, unit: Unit) -> float | None:
    """A token's number; nan where the model gives none (`null`, an empty cell, `NA`): of the first word, as a rule."""
    if value is None or (isinstance(value, str) and value.strip() in ("", "NA")):
        return math.nan
    found = checked_number(report, line, value, what, unit)
    if found is not None:
        warn_of_sign(report, line, found, unit)
    return found


def _read_json(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    first = some_record(source)
    found = score_field(report, first, options, is_plural=True)
    if found is None:
        report.error(1, _MISSING, "header")
        return []
    rows = _json_rows(source, report, *found)
    return [Stream(found[1], rows, str(first.get("model", "")), made=made_by(first))]


def _json_rows(source: Source, report: Report, field: str, unit: Unit) -> Iterator[Prediction]:
    fields = Fields(report)
    for line, record in json_records(source, report):
        place = fields.place(line, record)
        tokens, values = record.get("tokens"), record.get(field)
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            report.error(line, f"'tokens' is {shown(tokens)}: expected a list of texts")
        elif not isinstance(values, list) or len(values) != len(tokens):
            found = f"a list of {len(values)}" if isinstance(values, list) else shown(values)
            report.error(line, f"'{field}' is {found}: expected a list of {len(tokens)}, one a token", "length")
        else:
            numbers = [_number(report, line, v, f"'{field}'[{n}]", unit) for n, v in enumerate(values)]
            starts = _starts(report, line, record, len(tokens))
            known = tuple(number for number in numbers if number is not None)
            if place is not None and starts is not None and len(known) == len(tokens):
                yield TokenPrediction(tuple(tokens), known, *place, starts, source.name, line)


def _starts(report: Report, line: int, record: Mapping[str, Any], count: int) -> tuple[int, ...] | None:
    starts = record.get("starts", [])
    is_whole = isinstance(starts, list) and all(type(start) is int and start >= 0 for start in starts)
    if not is_whole or len(starts) not in (0, count):
        report.error(line, f"'starts' is {shown(starts)}: expected {count} character offsets, one a token", "length")
        return None
    return tuple(starts)


TSV = PredictionReader(
    "tsv-tokens",
    "a table with a token a row: id (and condition) or text, token, surprisal ...; start",
    _read_table,
    lambda source: "token" in (header := header_of(source)) and unit_field(header) is not None,
    fields=("token", "start"),
)
JSONL = PredictionReader(
    "jsonl-tokens",
    "JSON lines with arrays: tokens, surprisals ...; starts",
    _read_json,
    lambda source: (
        isinstance((record := some_record(source)).get("tokens"), list)
        and unit_field(record, is_plural=True) is not None
    ),
    fields=("tokens", "surprisals", "log_probabilities", "starts"),
)
