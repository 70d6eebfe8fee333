"""Folders of tasks for lm-evaluation-harness as Starling writes them, and the data files of such a folder alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from generator.items import Item
from generator.readers.base import Reader, Source
from generator.readers.blimp import first_record, records
from generator.readers.rows import PAIR, read_rows

CHOICES = frozenset({"choices", "target"})


def _read(source: Source) -> Iterator[Item]:
    if source.path is None or not source.path.is_dir():
        yield from read_rows(source, records(source), source.stem, CHOICES)
        return
    files = _data_files(source.path)
    if not files:
        source.error(1, "no tasks: expected data/PARADIGM.jsonl")
    for path in files:
        inner = Source(f"{source.name.rstrip('/')}/data/{path.name}", path)
        yield from read_rows(inner, records(inner), path.stem, CHOICES)
        source.findings.extend(inner.findings)


def _data_files(folder: Path) -> list[Path]:
    return sorted((folder / "data").glob("*.jsonl"))


def _detect(source: Source) -> bool:
    """A folder with task files and data, or lines with choices and their target."""
    if source.path is not None and source.path.is_dir():
        return any(source.path.glob("*.yaml")) and bool(_data_files(source.path))
    return {*PAIR, *CHOICES} <= set(first_record(source))


READER = Reader("lm-eval", "tasks for lm-evaluation-harness: pairs with choices", _read, _detect, is_folder=True)
