"""Large files in blocks: their digest is made in a thread beside; sentences are compared without cutting lines."""

from __future__ import annotations

import hashlib
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

from scorers.errors import Finding, InputError

_MARK = b"\xef\xbb\xbf"


class DigestedFile:
    """A file read in blocks of `size` bytes, without its byte order mark.  Raises InputError."""

    def __init__(self, path: str | Path, size: int) -> None:
        self.name = str(path)
        self._size = size
        self._is_start = True
        try:
            self._file = open(path, "rb", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise InputError([Finding("unreadable", f"cannot be read: {error.strerror}", self.name)]) from error
        self._hash = hashlib.blake2b(digest_size=32)
        self._thread = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def __enter__(self) -> DigestedFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._thread.shutdown()
        self._file.close()

    def read(self) -> bytes:
        """The next block, nothing at the end."""
        try:
            data = self._file.read(self._size)
            while self._is_start and 0 < len(data) < len(_MARK) and (more := self._file.read(self._size)):
                data += more
        except OSError as error:
            raise InputError([Finding("unreadable", f"cannot be read: {error.strerror}", self.name)]) from error
        if data:
            if self._last is not None:
                self._last.result()  # one block waits at most, so that memory stays small
            self._last = self._thread.submit(self._hash.update, data)
        if self._is_start:
            self._is_start = False
            return data.removeprefix(_MARK) or (self.read() if data else b"")
        return data

    def digest(self) -> str:
        """The BLAKE2b of what has been read, its mark with it."""
        if self._last is not None:
            self._last.result()
        return self._hash.copy().hexdigest()


class Sentences:
    """The lines of a file, which are to be the sentences of another."""

    def __init__(self, file: DigestedFile) -> None:
        self.name = file.name
        self._file = file
        self._ahead = b""
        self._asked = 0

    def is_next(self, sentences: bytes) -> bool:
        """Whether these lines come next; `skip` goes on behind them."""
        self._asked = len(sentences)
        while len(self._ahead) < self._asked and (data := self._file.read()):
            self._ahead += data
        return self._ahead.startswith(sentences)

    def skip(self) -> None:
        """Go on behind the lines that were asked for last."""
        self._ahead = self._ahead[self._asked :]

    def lines(self, count: int) -> list[bytes]:
        """The next lines, fewer at the end; empty ones at the very end are none."""
        while self._ahead.count(b"\n") < count and (data := self._file.read()):
            self._ahead += data
        found = self._ahead.split(b"\n", count)
        if len(found) > count:
            self._ahead = found.pop()
        else:
            self._ahead = b""
            while found and not found[-1].strip():
                found.pop()
        return found

    def digest(self) -> str:
        """The BLAKE2b of the file, as far as it was read."""
        return self._file.digest()
