"""Files that appear whole or not at all: written beside, then renamed."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from generator.errors import StarlingError


class OutputError(StarlingError):
    """A file or folder that cannot be written."""


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


@contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """A text file that takes its name only when the block ends well; nothing is left behind otherwise."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise OutputError(f"cannot write '{path}': {_reason(error)}") from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"cannot write '{path}': {_reason(error)}; nothing was left behind") from error
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


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
        raise OutputError(f"cannot write to standard output: {_reason(error)}") from error
