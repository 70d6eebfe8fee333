"""Scores of regions: a table with a region a row, or JSON lines with an object `regions`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from scorers.predictions import Prediction, RegionPrediction, Unit
from scorers.readers.base import PredictionReader, ReadOptions, Stream
from scorers.readers.fields import checked_number, shown, unit_field, unit_of, warn_of_sign
from scorers.readers.records import Row, header_of, json_records, some_record, table_rows
from scorers.readers.score_rows import Fields, made_by, score_field, some_row
from scorers.readers.source import Report, Source

_REGIONS = ("region", "region_number", "region_name")


def _read_table(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    header = header_of(source)
    found = score_field(report, header, options)
    column = next((name for name in _REGIONS if name in header), "")
    if found is None or not column:
        report.error(1, "expected a column 'region' and one that says what the model gave: surprisal ...", "header")
        return []
    return [Stream(found[1], _table_rows(source, report, column, *found), some_row(source).get("model", ""))]


def _table_rows(source: Source, report: Report, column: str, field: str, unit: Unit) -> Iterator[Prediction]:
    """Rows side by side of one condition of an item are its regions."""
    fields = Fields(report)
    for place, group in groupby(_placed(source, report, fields), key=lambda entry: entry[0]):
        values: dict[str, float] = {}
        first = 0
        for _, row in group:
            first = first or row.line
            name = row.cells[column].strip()
            value = checked_number(report, row.line, row.cells[field], f"'{field}'", unit)
            if not name:
                report.error(row.line, f"'{column}' is empty", "empty")
            elif name in values:
                report.error(row.line, f"the region '{name}' of this condition stands twice", "region")
            elif value is not None:
                values[name] = value
                warn_of_sign(report, row.line, value, unit)
        yield RegionPrediction(values, place[0], place[1], source.name, first)


def _placed(source: Source, report: Report, fields: Fields) -> Iterator[tuple[tuple[str, str, str], Row]]:
    for row in table_rows(source, report, quotes="either"):
        place = fields.place(row.line, row.cells)
        if place is not None:
            yield place, row


def _read_json(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    first = some_record(source)
    named = first.get("unit")
    unit = unit_of(named) if isinstance(named, str) else Unit("surprisal", "bits")
    if unit is None:
        report.error(
            1, f"'unit' is {shown(named)}: expected surprisal_bits, surprisal_nats, log_probability ...", "header"
        )
        return []
    rows = _json_rows(source, report, named, options.unit or unit)
    return [Stream(options.unit or unit, rows, str(first.get("model", "")), made=made_by(first))]


def _json_rows(source: Source, report: Report, named: object, unit: Unit) -> Iterator[Prediction]:
    fields = Fields(report)
    for line, record in json_records(source, report):
        regions, place = record.get("regions"), fields.place(line, record)
        if record.get("unit") != named:
            report.error(line, f"'unit' is {shown(record.get('unit'))}: in the first row it is {shown(named)}", "units")
        elif not isinstance(regions, dict):
            report.error(line, f"'regions' is {shown(regions)}: expected an object from names to numbers")
        else:
            found = {n: checked_number(report, line, v, f"the region '{n}'", unit) for n, v in regions.items()}
            values = {name: value for name, value in found.items() if value is not None}
            for value in values.values():
                warn_of_sign(report, line, value, unit)
            if place is not None and len(values) == len(regions):
                yield RegionPrediction(values, place[0], place[1], source.name, line)


TSV = PredictionReader(
    "tsv-regions",
    "a table with a region a row: item, condition, region, surprisal ...",
    _read_table,
    lambda source: bool({*_REGIONS} & {*(header := header_of(source))}) and unit_field(header) is not None,
    fields=_REGIONS,
)
JSONL = PredictionReader(
    "jsonl-regions",
    "JSON lines: item, condition, regions: {name: surprisal in bits}; unit",
    _read_json,
    lambda source: isinstance((record := some_record(source)).get("regions"), dict) and "items" not in record,
    fields=("regions", "unit"),
)
