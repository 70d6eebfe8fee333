"""Names on a command line -> sources, each with the reader of its format."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from generator.errors import DataError, UsageError
from generator.readers import READERS, detect, find_reader
from generator.readers.base import Reader, Source

STANDARD_INPUT = "-"
BESIDE = (".answers.json", ".manifest.json", "manifest.json")
"""Endings of the files that `gen make` writes beside items."""


@dataclass(frozen=True)
class Found:
    """A source with its reader.

    `inside` is its path in the folder that was named (with that folder's name where several were), or its file name.
    """

    source: Source
    reader: Reader
    is_detected: bool
    inside: Path


def find_sources(names: Sequence[str], format_name: str | None, folder: Path) -> list[Found]:
    """The sources that names stand for: files, `-`, and folders with all their files in order.

    `format_name` names the reader of all; without it each file is looked at.  Standard input is put into `folder`,
    since it is read twice.  Raises DataError with every file that looks like no format.
    """
    reader = find_reader(format_name) if format_name is not None else None
    if list(names).count(STANDARD_INPUT) > 1:
        raise UsageError("standard input ('-') can be read once")
    found: list[Found] = []
    unknown: list[str] = []
    for source, inside in _sources(names, reader, folder):
        chosen = reader or detect(source)
        if chosen is None:
            unknown.append(_unlike(source))
        else:
            found.append(Found(source, chosen, reader is None, inside))
    if unknown:
        known = ", ".join(r.name for r in READERS)
        raise DataError("\n".join([*unknown, f"--from says what a file is: {known}"]))
    return found


def _sources(names: Sequence[str], reader: Reader | None, folder: Path) -> Iterator[tuple[Source, Path]]:
    several = sum(Path(name).is_dir() for name in names) > 1
    for number, name in enumerate(names):
        path = Path(name)
        if name == STANDARD_INPUT:
            yield Source("<stdin>", _kept(sys.stdin.buffer, folder / "input")), Path("input")
        elif path.exists() and not (path.is_dir() or path.is_file()):
            with path.open("rb") as stream:  # a pipe, which can be read once
                yield Source(name, _kept(stream, folder / f"pipe{number}")), Path("input")
        elif not path.is_dir():
            yield Source(name, path), Path(path.name)
        elif _is_whole(Source(name, path), reader):
            yield Source(name, path), Path(path.resolve().name)
        else:
            own = path.resolve().name if several else ""
            for source, inside in _files(path):
                yield source, own / inside


def _is_whole(source: Source, reader: Reader | None) -> bool:
    """Whether a folder is read as one thing."""
    chosen = reader or detect(source)
    return chosen is not None and chosen.is_folder


def _files(folder: Path) -> Iterator[tuple[Source, Path]]:
    inside = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    kept = sorted(
        path
        for path in inside
        if not path.name.endswith(BESIDE) and not any(part.startswith(".") for part in path.parts)
    )
    if not kept:
        raise DataError(f"{folder}: a folder without files to read")
    for path in kept:
        yield Source(str(folder / path), folder / path), path


def _kept(stream: IO[bytes], path: Path) -> Path:
    with path.open("wb") as copy:
        shutil.copyfileobj(stream, copy)
    return path


def _unlike(source: Source) -> str:
    if not source.head:
        return f"{source.name}: empty"
    first = source.head[0]
    return f"{source.name}:1: looks like no format that can be read: {first[:60]!r}"
