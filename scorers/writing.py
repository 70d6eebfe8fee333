"""Files that appear whole or not at all: written beside, then renamed."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from scorers.errors import ScoreError, UsageError


def write_whole(path: str | Path, data: str | bytes) -> None:
    """Write a file; what stood there before stays until all is written.  Raises ScoreError."""
    with whole_file(path) as stream:
        stream.write(data.encode() if isinstance(data, str) else data)


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write piece by piece; what stood there before stays until the block is left without an exception.

    Raises ScoreError.
    """
    target = Path(os.path.realpath(path))  # of a link what it points to is written, and the link stays
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:  # a device or a pipe
                yield stream
            return
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, 0o666 & ~umask)
            os.replace(name, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise ScoreError(f"{path}: cannot be written: {error.strerror or error}") from error


def require_writable(path: str | Path, inputs: Iterable[str] = ()) -> None:
    """Raise ScoreError where a file could not be written, before hours of work are spent on it, and UsageError where it
    is one of those that are read.
    """
    target = Path(os.path.realpath(path))
    for name in inputs:
        if target.is_file() and Path(name).exists() and os.path.samefile(target, name):
            raise UsageError(f"-o {path}: that is read as well, and would be lost; name another file")
    reason = ""
    if target.is_dir():
        reason = os.strerror(errno.EISDIR)
    elif not target.parent.is_dir():
        reason = os.strerror(errno.ENOENT)
    elif not os.access(target if target.exists() and not target.is_file() else target.parent, os.W_OK):
        reason = os.strerror(errno.EACCES)
    if reason:
        raise ScoreError(f"{path}: cannot be written: {reason}")
