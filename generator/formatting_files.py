"""Grammar files and their canonical layout: what would change in a file, and files written anew in their place."""

from __future__ import annotations

import difflib
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.errors import DataError, Diagnostic, GrammarError, StarlingError, nearest
from generator.formatting import formatted
from generator.output import OutputError
from generator.wordlists import decoded


@dataclass(frozen=True)
class Outcome:
    """What the layout of a file is to be.  With `findings` (of syntax, or why it cannot be read) the file stays.

    `before` and `after` are whole texts, `before` with its byte order mark and line ends; `path` is None for standard
    input.
    """

    name: str
    path: Path | None
    before: str = ""
    after: str = ""
    findings: tuple[Diagnostic, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether the file is not in canonical layout."""
        return self.before != self.after

    def diff(self) -> str:
        """A unified diff; empty where nothing changes."""
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), self.name, self.name)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def as_json(self) -> dict[str, Any]:
        """The outcome as a JSON object: `file`, `changed`, `findings`."""
        findings = [finding.as_json() for finding in self.findings]
        return {"file": self.name, "changed": self.is_changed, "findings": findings}


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)  # str.splitlines knows more line ends than grammars do


def files_of(name: str) -> list[Path]:
    """The file of a name on the command line, or the grammars in a folder, in order.  Raises DataError.

    Names of shipped grammars stand for nothing here: what is written anew has to be named by its path.
    """
    path = Path(name)
    try:
        if path.is_dir():
            inside = [found for found in sorted(path.rglob("*.grammar")) if found.is_file()]
            if not inside:
                raise DataError(f"no .grammar file in '{name}'")
            return inside
        if path.is_file():
            return [path]
        if path.exists():
            raise DataError(f"'{name}' is neither a file nor a folder")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DataError(f"cannot read '{name}': {reason.lower()}") from error
    hint = ""
    with suppress(OSError, ValueError):
        hint = nearest(name, [str(near) for near in path.parent.glob("*.grammar")])
    raise DataError(f"no file or folder '{name}'. {hint or 'Files are named by their paths here'}")


def outcomes(names: Iterable[str]) -> Iterable[Outcome]:
    """What becomes of each file that is named, each once, in order; `-` is standard input."""
    seen: set[Path | None] = set()
    for name in names:
        try:
            paths: list[Path | None] = [None] if name == "-" else [*files_of(name)]
        except DataError as error:
            yield Outcome(name, None, findings=(Diagnostic("file", str(error)),))
            continue
        for path in paths:
            real = path and path.resolve()
            if real not in seen:
                seen.add(real)
                yield _outcome(path)


def _outcome(path: Path | None) -> Outcome:
    name = "<stdin>" if path is None else str(path)
    try:
        data = _standard_input() if path is None else path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return Outcome(name, path, findings=(Diagnostic("file", f"cannot read '{name}': {reason}"),))
    try:
        source = decoded(data, name, path)
        return Outcome(name, path, data.decode(), formatted(source))
    except GrammarError as error:
        return Outcome(name, path, findings=tuple(error.diagnostics))
    except StarlingError as error:
        return Outcome(name, path, findings=(Diagnostic("file", str(error)),))


def _standard_input() -> bytes:
    binary = getattr(sys.stdin, "buffer", None)  # a stream put in its place may have text only
    return binary.read() if binary else sys.stdin.read().encode()


def rewrite(path: Path, text: str) -> None:
    """Put a text in the place of a file, whole or not at all; links to it, its mode and its owner stay.

    Raises OutputError.
    """
    real = path.resolve()
    try:
        if not os.access(real, os.W_OK):
            raise OutputError(f"cannot write '{path}': it is read-only")
        old = real.stat()
        handle, name = tempfile.mkstemp(prefix=f".{real.name}.", suffix=".part", dir=real.parent)
        beside = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(text.encode())
                stream.flush()
                os.fsync(stream.fileno())
            if hasattr(os, "chown"):
                with suppress(OSError):  # only the superuser writes for others
                    os.chown(beside, old.st_uid, old.st_gid)
            beside.chmod(stat.S_IMODE(old.st_mode))
            beside.replace(real)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write '{path}': {reason}; it is as it was") from error
