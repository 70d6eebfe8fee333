"""What a reader is: a file of the field -> items, with every quirk warned of and every malformed row reported."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

from generator.errors import DataError
from generator.items import Condition, Item
from generator.realizing import Region, Sentence

SHOWN_FINDINGS = 20
KEPT_FINDINGS = 1000


class Findings:
    """What a reader has to say of a file: errors (rows that it cannot read) and warnings (quirks that it accepts).

    Errors beyond the first thousand are counted only (`more_errors`), so that a file of the wrong kind fills no memory.
    """

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.more_errors = 0
        self._warnings: dict[tuple[str, str], tuple[int, int]] = {}  # (file, message) -> (first line, how often)

    def error(self, text: str) -> None:
        """Add an error."""
        if len(self.errors) < KEPT_FINDINGS:
            self.errors.append(text)
        else:
            self.more_errors += 1

    def warn(self, name: str, line: int, message: str) -> None:
        """Add a warning; the same of another line is counted."""
        first, count = self._warnings.get((name, message), (line, 0))
        self._warnings[name, message] = (first, count + 1)

    def extend(self, other: Findings) -> None:
        """Add what was found elsewhere."""
        for text in other.errors:
            self.error(text)
        self.more_errors += other.more_errors
        self._warnings.update(other._warnings)

    @property
    def warnings(self) -> list[str]:
        """The warnings, each once: its first line, and how many lines have it."""
        return [
            f"{name}:{line}: {message}" + (f" (and {count - 1:,} more)" if count > 1 else "")
            for (name, message), (line, count) in self._warnings.items()
        ]

    def require_none(self) -> None:
        """Raise DataError with all errors (the first twenty, and how many more)."""
        if self.errors:
            more = len(self.errors) + self.more_errors - SHOWN_FINDINGS
            tail = [f"... and {more:,} more errors"] if more > 0 else []
            raise DataError("\n".join([*self.errors[:SHOWN_FINDINGS], *tail]))


class Source:
    """A file (or folder, or text from standard input) to be read, and where its findings go.

    `name` is how messages call it, and what the paradigm is called where the file does not say.  `text` is given where
    it does not come from a file.
    """

    def __init__(self, name: str, path: Path | None = None, text: str | None = None) -> None:
        self.name = name
        self.path = path
        self.findings = Findings()
        self._text = text

    @cached_property
    def text(self) -> str:
        """The whole text: UTF-8, a BOM taken off, line ends as `\\n`.  Raises DataError."""
        if self._text is not None:
            raw = self._text
        else:
            assert self.path is not None
            raw = _decoded(self.path, self.name)
        if raw.startswith("\ufeff"):
            raw = raw[1:]
        if "\r" in raw:
            self.warn(1, WINDOWS)
            raw = raw.replace("\r\n", "\n").replace("\r", "\n")
        return raw

    @property
    def stem(self) -> str:
        """The file's name without folder and ending; `input` for standard input."""
        return "input" if self.name in ("-", "<stdin>") else Path(self.name).stem

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders that the file lies in, the nearest first."""
        if self.name in ("-", "<stdin>"):
            return ()
        place = Path(self.name) if self.path is None else self.path.absolute()
        return tuple(folder.name for folder in place.parents if folder.name)

    def lines(self) -> Iterator[tuple[int, str]]:
        """(line number from 1, line without its end), as the file is read: no more than a line is in memory."""
        if self._text is not None or self.path is None:
            stream: IO[str] = io.StringIO(self.text)
            yield from _numbered(stream)
            return
        try:
            with open(self.path, encoding="utf-8-sig") as stream:
                yield from _numbered(stream)
                if stream.newlines not in (None, "\n"):
                    self.warn(1, WINDOWS)
        except UnicodeDecodeError:
            _decoded(self.path, self.name)  # which says where
            raise
        except OSError as error:
            raise DataError(f"{self.name}: cannot be read: {(error.strerror or str(error)).lower()}") from error

    @cached_property
    def head(self) -> tuple[str, ...]:
        """The first lines that are not blank (at most 20), for telling formats apart; none of a folder."""
        if self.path is not None and self.path.is_dir():
            return ()
        return tuple(itertools.islice((line for _, line in self.lines() if line.strip()), HEAD_LINES))

    def error(self, line: int, message: str) -> None:
        """A row that cannot be read; reading goes on."""
        self.findings.error(f"{self.name}:{line}: {message}")

    def warn(self, line: int, message: str) -> None:
        """A quirk that is accepted.  The same message of many lines becomes one warning that counts them."""
        self.findings.warn(self.name, line, message)


HEAD_LINES = 20
WINDOWS = "line ends of Windows: read as \\n"


def _numbered(stream: IO[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(stream, start=1):
        yield number, line[:-1] if line.endswith("\n") else line


def _decoded(path: Path, name: str) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise DataError(f"{name}:{line}: not UTF-8 (byte 0x{error.object[error.start]:02x})") from error
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {(error.strerror or str(error)).lower()}") from error


@dataclass(frozen=True)
class Reader:
    """A format that can be read.

    `read` yields the items of a source, in order; it reports what it cannot read to the source and goes on.  `detect`
    says whether a source looks like the format; readers are asked in the order of their table.  `is_folder`: the
    format is a folder of files.
    """

    name: str
    about: str
    read: Callable[[Source], Iterator[Item]]
    detect: Callable[[Source], bool]
    is_folder: bool = False


def plain_sentence(text: str, regions: tuple[Region, ...] = ()) -> Sentence:
    """A sentence as a file has it; its tokens are what spaces part.  A final `<eos>` is taken off."""
    bare = text.strip()
    if bare.endswith("<eos>"):
        bare = bare[: -len("<eos>")].rstrip()
    return Sentence(bare, tuple(bare.split()), regions)


def member(text: str, acceptable: bool | None, name: str = "", rank: int = 0) -> Condition:
    """A condition that is just a sentence."""
    given = name or {True: "acceptable", False: "starred", None: "unknown"}[acceptable]
    return Condition(given, acceptable, plain_sentence(text), rank)


def is_sentence(source: Source, line: int, text: str, what: str = "sentence") -> bool:
    """Whether a text is a sentence: an error where it is empty, a warning where its spaces are untidy."""
    bare = text.strip()
    if not bare or bare == "<eos>":
        source.error(line, f"the {what} is empty")
        return False
    if bare != text:
        source.warn(line, f"spaces around the {what}: taken off")
    if _UNTIDY.search(bare):
        source.warn(line, f"the {what} holds spaces side by side or other white space than spaces: kept")
    return True


_UNTIDY = re.compile(r"[^\S ]|  ")
