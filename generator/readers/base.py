"""What a reader is: a file of the field -> items, with every quirk warned of and every malformed row reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from generator.errors import DataError
from generator.items import Condition, Item
from generator.realizing import Region, Sentence

SHOWN_FINDINGS = 20


@dataclass
class Findings:
    """What a reader has to say of a file: errors (rows that it cannot read) and warnings (quirks that it accepts)."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def require_none(self) -> None:
        """Raise DataError with all errors (the first twenty, and how many more)."""
        if self.errors:
            more = len(self.errors) - SHOWN_FINDINGS
            tail = [f"... and {more:,} more errors"] if more > 0 else []
            raise DataError("\n".join([*self.errors[:SHOWN_FINDINGS], *tail]))


class Source:
    """A file (or folder, or text from standard input) to be read, and where its findings go.

    `name` is how messages call it.  `text` is given where it does not come from a file.
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
            self.warn(1, "line ends of Windows: read as \\n")
            raw = raw.replace("\r\n", "\n").replace("\r", "\n")
        return raw

    def lines(self) -> Iterator[tuple[int, str]]:
        """(line number from 1, line without its end)."""
        start, number, text = 0, 1, self.text
        while start < len(text):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            yield number, text[start:end]
            start, number = end + 1, number + 1

    def error(self, line: int, message: str) -> None:
        """A row that cannot be read; reading goes on."""
        self.findings.errors.append(f"{self.name}:{line}: {message}")

    def warn(self, line: int, message: str) -> None:
        """A quirk that is accepted."""
        self.findings.warnings.append(f"{self.name}:{line}: {message}")


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


def member(text: str, acceptable: bool | None, name: str = "") -> Condition:
    """A condition that is just a sentence."""
    given = name or {True: "acceptable", False: "starred", None: "unknown"}[acceptable]
    return Condition(given, acceptable, plain_sentence(text))
