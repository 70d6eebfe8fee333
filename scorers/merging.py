"""Predictions that several processes wrote (`--shard 1/4` ... `4/4`) -> those of the whole run, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorers.errors import Finding, InputError, ScoreError
from scorers.signature import differences

_SHARD = re.compile(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,8})")
_NO_PART = "no row of a part of a run: expected an object with 'row' and 'part', as --shard writes them"


@dataclass(frozen=True)
class _Part:
    """A file: its rows by their places in the whole run, and what they say of themselves, all the same."""

    path: str
    rows: Mapping[int, str]
    part: Mapping[str, Any]
    signature: str

    @property
    def number(self) -> int:
        return int(self.part["shard"].partition("/")[0])

    @property
    def count(self) -> int:
        return int(self.part["shard"].partition("/")[2])


def merge(paths: Sequence[str]) -> str:
    """The rows of all parts in the order of the items, without their places.

    Raises InputError where a file is no part of a run or lacks rows, or the files are of different runs; ScoreError
    where a part is missing, is given twice, or a file cannot be read.
    """
    parts: list[_Part] = []
    findings: list[Finding] = []
    for path in paths:
        found = _read(path)
        if isinstance(found, Finding):
            findings.append(found)
        elif found is not None:
            parts.append(found)
    findings += _different(parts)
    if findings:
        raise InputError(findings)
    _require_all(parts, paths)
    rows = {place: text for part in parts for place, text in part.rows.items()}
    return "".join(rows[place] for place in sorted(rows))


def _read(path: str) -> _Part | Finding | None:
    """The part of a file, or the first thing that is wrong with it; None for a file without rows."""
    rows: dict[int, str] = {}
    first: tuple[Mapping[str, Any], str] | None = None
    line = 0
    for line, text in enumerate(_lines(path), start=1):
        record = _record(text)
        if record is None:
            return Finding("row", _NO_PART, path, line)
        place, own = record.pop("row"), (record.pop("part"), str(record.get("signature", "")))
        first = first or own
        if own != first:
            return Finding("part", "a row of another part or run than those before it", path, line)
        if place in rows:
            return Finding("row", "a row that stands twice", path, line)
        rows[place] = json.dumps(record, ensure_ascii=False) + "\n"
    if first is None:
        return None
    if len(rows) != first[0]["rows"]:
        return Finding("rows", f"{len(rows):,} of {first[0]['rows']:,} rows are there: it was cut off", path, line)
    return _Part(path, rows, *first)


def _lines(path: str) -> Iterator[str]:
    try:
        yield from (line for line in Path(path).read_text("utf-8").split("\n") if line.strip())
    except UnicodeDecodeError as error:
        raise ScoreError(f"{path}: not UTF-8") from error
    except OSError as error:
        raise ScoreError(f"{path}: cannot be read: {error.strerror or error}") from error


def _record(text: str) -> dict[str, Any] | None:
    try:
        record = json.loads(text)
    except ValueError:
        return None
    if not isinstance(record, dict) or type(record.get("row")) is not int:
        return None
    part: Any = record.get("part")
    kinds = {"shard": str, "rows": int, "groups": int, "run": str}
    is_part = isinstance(part, dict) and all(isinstance(part.get(name), kind) for name, kind in kinds.items())
    return record if is_part and _SHARD.fullmatch(part["shard"]) else None


def _different(parts: Sequence[_Part]) -> Iterator[Finding]:
    """A finding for each file that is not of the run of the first, with what differs."""
    for part in parts[1:]:
        first = parts[0]
        if part.signature != first.signature:
            shown = differences(part.signature, first.signature)
        elif part.count != first.count:
            shown = f"it is part {part.part['shard']}, and that is {first.part['shard']}"
        elif part.part["run"] != first.part["run"]:
            shown = "the items, --top or --batch-tokens differ"
        else:
            continue
        yield Finding("run", f"not of the run of {first.path}: {shown}", part.path)


def _require_all(parts: Sequence[_Part], paths: Sequence[str]) -> None:
    """Raise ScoreError where a part is missing or given twice.  Parts behind the last group have no rows."""
    if not parts:
        raise ScoreError(f"no rows in {', '.join(paths)}")
    known: dict[int, str] = {}
    for part in parts:
        if known.setdefault(part.number, part.path) != part.path or paths.count(part.path) > 1:
            raise ScoreError(f"the part {part.part['shard']} is given twice: {known[part.number]} and {part.path}")
    count, groups = parts[0].count, parts[0].part["groups"]
    lost = [f"{number}/{count}" for number in range(1, min(count, groups) + 1) if number not in known]
    if lost:
        more = f" and {len(lost) - 10} more" if len(lost) > 10 else ""
        raise ScoreError(f"not all parts are there: missing, or without rows: {', '.join(lost[:10])}{more}")
