"""Tab-separated files with a header: rows by the names of their columns."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.errors import nearest
from generator.readers.base import Source


@dataclass(frozen=True)
class Row:
    """A row: the columns that the format knows, and those of the file's own."""

    line: int
    known: Mapping[str, str]
    own: Mapping[str, str]


def has_header(source: Source, columns: Sequence[str]) -> bool:
    """Whether a file's first line begins with these columns."""
    return bool(source.head) and source.head[0].strip().split("\t")[: len(columns)] == list(columns)


def _cut(source: Source, line: int, text: str) -> list[str] | None:
    return text.split("\t")


def quoted(source: Source, line: int, text: str) -> list[str] | None:
    """The fields of a line in which a field may stand in quotes, with quotes in it doubled, as in CSV."""
    try:
        return next(csv.reader([text], delimiter="\t", strict=True))
    except csv.Error as error:
        source.error(
            line, f"quotes that do not fit ({error}): a field with quotes in it stands in quotes, and they double"
        )
        return None


def rows(
    source: Source,
    columns: Sequence[str],
    cut: Callable[[Source, int, str], list[str] | None] = _cut,
) -> Iterator[Row]:
    """The rows of a file whose header has `columns`, in any order.  What is wrong with a row is reported."""
    header: list[str] = []
    for line, text in source.lines():
        if not text.strip():
            source.warn(line, "a blank line: left out")
            continue
        fields = cut(source, line, text)
        if fields is None:
            continue
        if not header:
            header = [name.strip() for name in fields]
            if not _is_header(source, line, header, columns):
                return
            continue
        if len(fields) != len(header):
            source.error(line, f"{len(fields)} tab-separated fields; the header has {len(header)}")
            continue
        found = dict(zip(header, fields, strict=True))
        own = {name: value for name, value in found.items() if name not in columns}
        yield Row(line, {name: found[name] for name in columns}, own)


def _is_header(source: Source, line: int, header: Sequence[str], columns: Sequence[str]) -> bool:
    missing = [name for name in columns if name not in header]
    if missing:
        hints = [hint for name in missing if (hint := nearest(name, [h for h in header if h not in columns]))]
        source.error(
            line,
            f"the header lacks {', '.join(missing)}: the columns are {', '.join(columns)}"
            + (f" ({hints[0]})" if hints else ""),
        )
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        source.error(line, f"the header has {', '.join(twice)} twice")
    return not missing and not twice


def own_template(pattern: str, paradigm: str) -> str:
    """The template that a pattern names: `2` for `paradigm_2`, which is how an unnamed one is written."""
    rest = pattern.removeprefix(f"{paradigm}_")
    return rest if rest != pattern and rest.isascii() and rest.isdigit() else pattern


def whole_number(source: Source, line: int, name: str, text: str) -> int | None:
    """A number from 0; None, and an error, where it is none."""
    if text.strip().isascii() and text.strip().isdigit():
        return int(text)
    source.error(line, f"{name} is {text!r}; it is a whole number from 0")
    return None
