"""JSON lines, and tables with a header: records with their lines."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scorers.errors import nearest
from scorers.readers.source import Report, Source


def json_records(source: Source, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object) of every line of a file of JSON lines; what is none is reported."""
    for line, text in source.lines(report):
        if not text.strip():
            report.warn(line, "a blank line: left out", "blank-line")
            continue
        try:
            record = json.loads(text)
        except json.JSONDecodeError as error:
            is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
            hint = "the line is cut off: the file may not be whole" if is_cut else ""
            message = f"no JSON: {error.msg[0].lower()}{error.msg[1:]} (column {error.colno})"
            report.error(line, message, "truncated" if is_cut else "json", hint=hint)
        except (RecursionError, ValueError):
            report.error(line, "no JSON that can be read: nested too deeply, or a number too long", "json")
        else:
            if not isinstance(record, dict):
                report.error(line, f"found {_JSON_KINDS[type(record)]}, expected a JSON object", "json")
            elif _HALF.search(text) and not is_text(record):
                report.error(line, "a text holds half of a character (a lone surrogate)", "encoding")
            elif twice := _repeated_key(text, record):
                report.error(line, f"the key '{twice}' stands twice in an object", "repeated-key")
            else:
                yield line, record


_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def is_text(value: Any) -> bool:
    """Whether all texts in a value that JSON gave can be written as UTF-8: `"\\ud800"` cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _repeated_key(text: str, record: Mapping[str, Any]) -> str:
    """A key that an object of a line has twice, '' for none: Python's reader would silently keep the last value."""
    if text.count('":') == len(record):
        return ""  # as many keys as the object has, so that none is lost
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        if len({key for key, _ in pairs}) < len(pairs):
            found.extend(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)

    json.loads(text, object_pairs_hook=look)
    return found[0] if found else ""


_JSON_KINDS = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "a truth value",
    type(None): "null",
}


def first_record(source: Source) -> Mapping[str, Any]:
    """The JSON object of a file's first line; empty where it is none."""
    try:
        record = json.loads(source.head[0]) if source.head else {}
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def fields_of(source: Source) -> list[str]:
    """The names of a table's columns, or of the first JSON object's keys; none where the file is neither."""
    return header_of(source) or [str(name) for name in some_record(source)]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its cells by the names of the columns."""

    line: int
    cells: Mapping[str, str]


def header_of(source: Source) -> list[str]:
    """The column names of a tab-separated file; empty where its first line has no tab."""
    first = source.head[0] if source.head else ""
    return [name.strip() for name in first.split("\t")] if "\t" in first else []


Quotes = Literal["none", "csv", "either"]
"""Whether quotes around a cell are taken off, and doubled ones in it halved: never; always, as in CSV; or where they
fit, since some tools quote and some do not.
"""


def table_rows(source: Source, report: Report, required: Sequence[str] = (), quotes: Quotes = "none") -> Iterator[Row]:
    """The rows of a tab-separated file.

    A header without the required columns ends the reading; a row with too few or too many cells is left out.
    """
    header: list[str] = []
    last = 0
    for line, text in source.lines(report):
        if not text.strip():
            report.warn(line, "a blank line: left out", "blank-line")
            continue
        cells = _cells(report, line, text, quotes)
        if cells is None:
            continue
        if not header:
            header = [name.strip() for name in cells]
            if not _is_header(report, line, header, required):
                return
        elif len(cells) != len(header):
            is_cut = len(cells) < len(header) and not source.ends_in_line_end
            message = f"{len(cells)} tab-separated cells, and the header has {len(header)}"
            report.error(line, message, "cells", hint="the line may be cut off" if is_cut else "")
        else:
            last = line
            yield Row(line, dict(zip(header, cells, strict=True)))
    if last and not source.ends_in_line_end:
        report.warn(last, "no line end after the last row: its last cell may be cut off", "no-line-end")


def _cells(report: Report, line: int, text: str, quotes: Quotes) -> list[str] | None:
    if quotes == "none" or '"' not in text:
        return text.split("\t")
    try:
        return next(csv.reader([text], delimiter="\t", strict=True))
    except csv.Error as error:
        if quotes == "either":
            report.warn(line, "quotes that do not fit around a cell: read as they stand", "quotes")
            return text.split("\t")
        hint = "a cell with quotes in it stands in quotes, and they double"
        report.error(line, f"quotes that do not fit ({error})", "quotes", hint=hint)
        return None


def _is_header(report: Report, line: int, header: Sequence[str], required: Sequence[str]) -> bool:
    missing = [name for name in required if name not in header]
    if missing:
        others = [name for name in header if name not in required]
        guess = next((hint for name in missing if (hint := nearest(name, others))), "")
        message = f"the header lacks {', '.join(missing)}: the columns are {', '.join(required)}{guess}"
        report.error(line, message, "header")
    twice = [name for name in dict.fromkeys(header) if header.count(name) > 1]
    if twice:
        report.error(line, f"the header has {', '.join(twice)} twice", "header")
    return not missing and not twice


def whole_number(report: Report, line: int, name: str, text: str) -> int | None:
    """A number from 0; None, and an error, where it is none."""
    bare = text.strip()
    if bare.isascii() and bare.isdigit() and len(bare) < 10:
        return int(bare)
    report.error(line, f"{name} is {text!r}: expected a whole number from 0", "not-a-number")
    return None


def some_record(source: Source) -> Mapping[str, Any]:
    """The first JSON object among a file's first lines; empty where there is none."""
    for text in source.head:
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            return record
    return {}
