"""Files that appear whole or not at all: written beside, then renamed."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from scorers.errors import ScoreError


def write_whole(path: str | Path, data: str | bytes) -> None:
    """Write a file; what stood there before stays until all is written.  Raises ScoreError."""
    target = Path(path)
    content = data.encode() if isinstance(data, str) else data
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # a device or a pipe
            return
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
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


def require_writable(path: str | Path) -> None:
    """Raise ScoreError where a file could not be written, before hours of work are spent on it."""
    target = Path(path)
    reason = ""
    if target.is_dir():
        reason = os.strerror(errno.EISDIR)
    elif not target.parent.is_dir():
        reason = os.strerror(errno.ENOENT)
    elif not os.access(target if target.exists() and not target.is_file() else target.parent, os.W_OK):
        reason = os.strerror(errno.EACCES)
    if reason:
        raise ScoreError(f"{path}: cannot be written: {reason}")
