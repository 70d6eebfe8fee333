"""Source files and places in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True, eq=False)
class SourceFile:
    """A text that diagnostics can point into.  `name` is what the user is shown (a path, or `<stdin>`)."""

    name: str
    text: str
    path: Path | None = None

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their line ends."""
        return tuple(self.text.split("\n"))

    def line(self, number: int) -> str:
        """Line `number` (1-based); empty past the end."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


@dataclass(frozen=True)
class Span:
    """A stretch of one line: 1-based line and column, length in characters."""

    source: SourceFile
    line: int
    column: int
    length: int = 1

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of `other` (to the line's end if `other` is further down)."""
        if other.line != self.line:
            return Span(self.source, self.line, self.column, max(1, len(self.source.line(self.line)) - self.column + 1))
        return Span(self.source, self.line, self.column, max(1, other.column + other.length - self.column))

    @property
    def text(self) -> str:
        """The characters under the span."""
        return self.source.line(self.line)[self.column - 1 : self.column - 1 + self.length]

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Node:
    """Anything with a place in a file."""

    span: Span = field(compare=False, repr=False)
