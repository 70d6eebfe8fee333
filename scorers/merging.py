"""Predictions that several processes wrote (`--shard 1/4` ... `4/4`) -> those of the whole run, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scorers.errors import Finding, InputError, ScoreError

_SHARD = re.compile(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,8})")


def merge(paths: Sequence[str]) -> str:
    """The rows of all parts in the order of the items, without their places.

    Raises InputError where rows are not of parts, are of different runs or stand twice, or a part is missing;
    ScoreError where a file cannot be read.
    """
    rows: dict[int, tuple[str, str, int]] = {}
    parts: dict[str, str] = {}
    runs: dict[tuple[str, str], str] = {}
    empty: list[str] = []
    findings: list[Finding] = []
    for path in paths:
        is_empty = True
        for line, text in enumerate(_lines(path), start=1):
            is_empty = False
            record = _record(text)
            if record is None:
                message = (
                    "no row of a part of a run: expected an object with 'row', 'shard' and 'run', as --shard writes"
                )
                findings.append(Finding("row", message, path, line))
                continue
            place, shard, run = record.pop("row"), record.pop("shard"), record.pop("run")
            runs.setdefault((run, str(record.get("signature", ""))), f"{path}:{line}")
            if parts.setdefault(shard, path) != path:
                findings.append(Finding("part", f"the part {shard} is in {parts[shard]} too", path, line))
                break
            if place in rows:
                before = f"{rows[place][1]}:{rows[place][2]}"
                findings.append(Finding("row", f"the row {place} stands twice (first in {before})", path, line))
                continue
            rows[place] = json.dumps(record, ensure_ascii=False) + "\n", path, line
        if is_empty:
            empty.append(path)
    findings += _different(runs) + _missing(parts, empty)
    if findings:
        raise InputError(findings)
    return "".join(rows[place][0] for place in sorted(rows))


def _lines(path: str) -> list[str]:
    try:
        return [line for line in Path(path).read_text("utf-8").split("\n") if line.strip()]
    except UnicodeDecodeError as error:
        raise ScoreError(f"{path}: not UTF-8") from error
    except OSError as error:
        raise ScoreError(f"{path}: cannot be read: {error.strerror or error}") from error


def _record(text: str) -> dict[str, Any] | None:
    try:
        record = json.loads(text)
    except ValueError:
        return None
    is_part = (
        isinstance(record, dict)
        and type(record.get("row")) is int
        and isinstance(record.get("run"), str)
        and isinstance(record.get("shard"), str)
        and _SHARD.fullmatch(record["shard"]) is not None
    )
    return record if is_part else None


def _different(runs: dict[tuple[str, str], str]) -> list[Finding]:
    """A finding where the rows are not all of one run, with what differs."""
    if len(runs) < 2:
        return []
    ((_, first), where), ((_, second), elsewhere) = list(runs.items())[:2]
    ours, theirs = first.split("|"), second.split("|")
    differing = [f"{one} and {other}" for one, other in zip(ours, theirs, strict=False) if one != other]
    file, _, line = elsewhere.rpartition(":")
    shown = ", ".join(differing[:3]) or "the items or --batch-tokens differ"
    return [Finding("signature", f"not of the run of {where}: {shown}", file, int(line))]


def _missing(parts: dict[str, str], empty: Sequence[str]) -> list[Finding]:
    """Findings of parts that are not there; a part without rows does not say which one it is."""
    counts = sorted({int(shard.partition("/")[2]) for shard in parts})
    if not parts:
        return [Finding("part", "no rows in any of the files")]
    if len(counts) > 1:
        shown = ", ".join(f"{path} has {shard}" for shard, path in parts.items())
        return [Finding("part", f"parts of runs in different numbers of parts: {shown}")]
    count = counts[0]
    lost = [f"{number}/{count}" for number in range(1, count + 1) if f"{number}/{count}" not in parts]
    if len(lost) <= len(empty):
        return []
    return [
        Finding("part", f"not all parts are there: {', '.join(lost[:10])} {'is' if len(lost) == 1 else 'are'} missing")
    ]
