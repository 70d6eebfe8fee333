"""Files that appear whole or not at all: written beside, then renamed.  What is written is counted and digested."""

from __future__ import annotations

import hashlib
import os
import queue
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from generator.errors import StarlingError

BLOCK = 1 << 18
"""Characters that are collected before they are encoded and written."""

ALONE = 1 << 23
"""Bytes after which a file is digested by a thread of its own."""


class OutputError(StarlingError):
    """A file or folder that cannot be written."""


@dataclass(frozen=True)
class Written:
    """A file as written.  `size` is in bytes; `lines` counts line ends, None of a file that is no text."""

    path: str
    sha256: str
    size: int
    lines: int | None


class _Hasher:
    """SHA-256 of a stream.  Of a large one it is computed beside the writing: it is slower than most disks."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._size = 0
        self._blocks: queue.Queue[bytes | None] = queue.Queue(4)
        self._thread: threading.Thread | None = None

    def update(self, data: bytes) -> None:
        """Take a block in."""
        if self._thread is None:
            self._hash.update(data)
            self._size += len(data)
            if self._size > ALONE:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
        else:
            self._blocks.put(data)

    def _run(self) -> None:
        while (data := self._blocks.get()) is not None:
            self._hash.update(data)

    def close(self) -> None:
        """Wait for the thread."""
        if self._thread is not None:
            self._blocks.put(None)
            self._thread.join()
            self._thread = None

    def hexdigest(self) -> str:
        """The digest of all that was taken in."""
        self.close()
        return self._hash.hexdigest()


class Writer:
    """Takes text (written as UTF-8) or bytes, and passes them on in large blocks.

    Without `is_digested` nothing is counted or digested, which takes longer than some writing does.
    """

    def __init__(self, put: Callable[[bytes], object], is_digested: bool = True) -> None:
        self._put = put
        self._is_digested = is_digested
        self._pending: list[str] = []
        self._length = 0
        self._hasher = _Hasher()
        self.size = 0
        self.lines: int | None = 0

    def write(self, data: str | bytes) -> None:
        """Write a piece."""
        if isinstance(data, str):
            self._pending.append(data)
            self._length += len(data)
            if self._length >= BLOCK:
                self._flush()
            return
        self._flush()
        self.lines = None
        self._pass(data)

    def _flush(self) -> None:
        if not self._pending:
            return
        data = "".join(self._pending).encode()
        self._pending.clear()
        self._length = 0
        if self.lines is not None and self._is_digested:
            self.lines += data.count(b"\n")
        self._pass(data)

    def _pass(self, data: bytes) -> None:
        self._put(data)
        if self._is_digested:
            self._hasher.update(data)
        self.size += len(data)

    def finish(self, path: str) -> Written:
        """Write what is left; what was written altogether, under the name `path`."""
        self._flush()
        return Written(path, self._hasher.hexdigest(), self.size, self.lines)

    def close(self) -> None:
        """End the thread that digests, where there is one."""
        self._hasher.close()


class Sink(Protocol):
    """Where a run writes its files."""

    def open(self, path: Path) -> AbstractContextManager[Writer]:
        """A file that is written in the block."""


@dataclass
class Files:
    """The files of a run, on disk: they take their names together, in order, when the block ends well.

    Otherwise nothing is left behind.  `-` is standard output.  `written` has each file when it is complete, where
    they `are_digested`.
    """

    are_digested: bool = True
    written: list[Written] = field(default_factory=list)
    _waiting: list[tuple[Path, Path]] = field(default_factory=list)
    _folders: list[Path] = field(default_factory=list)

    def __enter__(self) -> Files:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._name()
        finally:
            for temporary, _path in self._waiting:
                temporary.unlink(missing_ok=True)
            for folder in reversed(self._folders):
                with suppress(OSError):  # one that is not empty stays
                    folder.rmdir()

    def _name(self) -> None:
        while self._waiting:
            temporary, path = self._waiting[0]
            with _reported(path):
                temporary.replace(path)
            del self._waiting[0]

    @contextmanager
    def open(self, path: Path) -> Iterator[Writer]:
        """A file that is written in the block."""
        if path == Path("-"):
            with standard_output() as stream:
                # Past the text layer, which would encode once more; a stream that stands in for it may have none.
                binary = getattr(stream, "buffer", None)
                put = (lambda data: stream.write(data.decode())) if binary is None else binary.write
                stream.flush()
                yield from self._through(Writer(put, self.are_digested), path)
        elif is_device(path):
            with _reported(path), path.open("wb") as raw:
                yield from self._through(Writer(raw.write, self.are_digested), path)
        else:
            with self._beside(path) as raw:
                yield from self._through(Writer(raw.write, self.are_digested), path)

    def _through(self, writer: Writer, path: Path) -> Iterator[Writer]:
        try:
            yield writer
            found = writer.finish(path.as_posix())
            if self.are_digested:
                self.written.append(found)
        finally:
            writer.close()

    @contextmanager
    def _beside(self, path: Path) -> Iterator[IO[bytes]]:
        with _reported(path):
            missing = [folder for folder in path.parents if not folder.exists()]
            path.parent.mkdir(parents=True, exist_ok=True)
            self._folders += reversed(missing)
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        self._waiting.append((Path(name), path))
        with _reported(path, "; nothing was left behind"):
            with os.fdopen(handle, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)


@contextmanager
def _reported(path: Path, more: str = "") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write '{path}': {reason}{more}") from error


def is_device(path: Path) -> bool:
    """Whether a path is a device or a pipe (`/dev/null`): it is written to as it is."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def whole_file(path: Path) -> Iterator[Writer]:
    """A file that takes its name only when the block ends well; nothing is left behind otherwise."""
    with Files(are_digested=False) as files, files.open(path) as stream:
        yield stream


@contextmanager
def standard_output() -> Iterator[IO[str]]:
    """Standard output as UTF-8 with `\\n`; a reader that has gone (as `head` does) ends the program quietly."""
    try:
        stream = open(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed below
    except (OSError, ValueError, AttributeError):
        yield sys.stdout
        return
    try:
        with stream:
            yield stream
    except BrokenPipeError:
        # What was not read is not an error of ours.
        with suppress(OSError):
            stream.close()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write to standard output: {reason}") from error
