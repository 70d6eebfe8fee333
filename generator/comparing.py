"""A sink that writes nothing: what is made again is compared with the file that is there, byte by byte."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from generator.errors import DataError
from generator.output import Writer, Written

_SHOWN = 160
"""Characters of a line that are shown."""

_BLOCK = 1 << 20


@dataclass(frozen=True)
class FirstDifference:
    """Where a file first differs from what is made now.

    `line` counts from 1 (0 of a file that is no text), `byte` from 0; a text is None where there is no line any more.
    """

    path: Path
    line: int
    byte: int
    here: str | None
    again: str | None


class _DifferentError(Exception):
    """The file differs; the rest of it need not be made."""


@dataclass
class Comparison:
    """Compares every file of a run.  `stops`: a file is left at its first difference."""

    stops: bool = True
    differences: list[FirstDifference] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    cut: bool = False

    @contextmanager
    def open(self, path: Path) -> Iterator[Writer]:
        """What is written in the block is compared with the file at `path`, where there is one."""
        if not path.is_file():
            writer = Writer(lambda data: None)
            try:
                yield writer
                self.written.append(writer.finish(path.as_posix()))
            finally:
                writer.close()
            return
        try:
            stream = path.open("rb")
        except OSError as error:
            raise DataError(f"cannot read '{path}': {(error.strerror or str(error)).lower()}") from error
        with stream:
            compared = _Compared(path, stream, self.stops)
            writer = Writer(compared.take)
            try:
                yield writer
                self.written.append(writer.finish(path.as_posix()))
                compared.end()
            except _DifferentError:
                self.cut = True
            finally:
                writer.close()
            if compared.difference is not None:
                self.differences.append(compared.difference)


class _Compared:
    def __init__(self, path: Path, stream: IO[bytes], stops: bool) -> None:
        self.path = path
        self.stream = stream
        self.stops = stops
        self.difference: FirstDifference | None = None
        self.size = 0
        self.lines = 0
        self.begun = b""  # the line that the last block left open

    def take(self, data: bytes) -> None:
        """Compare the next bytes."""
        if self.difference is not None:
            return
        present = self.stream.read(len(data))
        if present == data:
            self.size += len(data)
            self.lines += data.count(b"\n")
            last = data.rfind(b"\n")
            self.begun = data[last + 1 :] if last >= 0 else (self.begun + data)[-_BLOCK:]
            return
        self._differs(present, data)

    def end(self) -> None:
        """Nothing more is made."""
        if self.difference is None:
            rest = self.stream.read(_BLOCK)
            if rest:
                self._differs(rest, b"")

    def _differs(self, present: bytes, data: bytes) -> None:
        place = next((i for i, (a, b) in enumerate(zip(present, data, strict=False)) if a != b), None)
        place = min(len(present), len(data)) if place is None else place
        line = self.lines + data.count(b"\n", 0, place) + 1
        start = data.rfind(b"\n", 0, place) + 1
        here, again = present[start:], data[start:]
        if b"\n" not in here:
            here += self.stream.read(_BLOCK)
        if start == 0:
            here, again = self.begun + here, self.begun + again
            offset = len(self.begun) + place
        else:
            offset = place - start
        shown_here, shown_again = _line(here, offset), _line(again, offset)
        is_text = b"\0" not in here[:_BLOCK] and b"\0" not in again[:_BLOCK]
        self.difference = (
            FirstDifference(self.path, line, self.size + place, shown_here, shown_again)
            if is_text
            else FirstDifference(self.path, 0, self.size + place, None, None)
        )
        if self.stops:
            raise _DifferentError


def _line(data: bytes, offset: int) -> str | None:
    """The line at the head of `data`; of a long one the part about `offset`."""
    if not data:
        return None
    line = data.split(b"\n", 1)[0]
    if len(line) <= _SHOWN:
        return line.decode("utf-8", "replace")
    start = max(0, min(offset - _SHOWN // 2, len(line) - _SHOWN))
    shown = line[start : start + _SHOWN].decode("utf-8", "replace").strip("\ufffd")
    return ("..." if start else "") + shown + ("..." if start + _SHOWN < len(line) else "")


def file_digest(path: Path) -> str:
    """SHA-256 of a file, read in blocks."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise DataError(f"cannot read '{path}': {(error.strerror or str(error)).lower()}") from error
    return digest.hexdigest()
