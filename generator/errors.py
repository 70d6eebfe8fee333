"""Diagnostics: what was found, where, what was expected, the nearest right name.

Problems in input are values that are collected and shown together; `GrammarError` carries them where a
stage cannot go on.  `UsageError` and `DataError` are one-line errors without a place in a grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from generator.source import Span

Severity = Literal["error", "warning", "note"]

LONGEST_LINE = 200
"""How many characters of a line a finding shows."""


@dataclass(frozen=True)
class Diagnostic:
    """One finding.  `code` is stable and documented; `hint` stands under the caret."""

    code: str
    message: str
    span: Span | None = None
    hint: str = ""
    severity: Severity = "error"

    @property
    def is_error(self) -> bool:
        """Whether the grammar cannot be used as it is."""
        return self.severity == "error"

    def render(self) -> str:
        """The finding as text: place, message, the line, a caret, the hint."""
        kind = "" if self.is_error else f"{self.severity}: "
        if self.span is None:
            return f"{kind}{self.message}" + (f"\n   {self.hint}" if self.hint else "")
        line, column = _excerpt(self.span.source.line(self.span.line).replace("\t", " "), self.span.column)
        number = str(self.span.line)
        gutter = " " * (len(number) + 4)
        caret = " " * (column - 1) + "^" * max(1, min(self.span.length, len(line) - column + 1))
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.span}: {kind}{self.message}\n   {number} | {line}\n{gutter}| {caret}{hint}"

    def as_json(self) -> dict[str, Any]:
        """The finding as a JSON object."""
        place: dict[str, Any] = {}
        if self.span is not None:
            place = {
                "file": self.span.source.name,
                "line": self.span.line,
                "column": self.span.column,
                "length": self.span.length,
            }
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            **place,
        }


def _excerpt(line: str, column: int) -> tuple[str, int]:
    """A line as it is shown, and the column there: of a very long line, what stands around the column."""
    if len(line) <= LONGEST_LINE:
        return line, column
    start = max(0, min(column - LONGEST_LINE // 2, len(line) - LONGEST_LINE))
    before = "… " if start else ""
    after = " …" if start + LONGEST_LINE < len(line) else ""
    return before + line[start : start + LONGEST_LINE] + after, column - start + len(before)


class StarlingError(Exception):
    """Anything the user is told without a traceback.  `exit_code` is the process's."""

    exit_code = 3


class UsageError(StarlingError):
    """The command line asks for something that cannot be."""

    exit_code = 2


class DataError(StarlingError):
    """Bad input, with the place in the message."""


class GrammarError(StarlingError):
    """A grammar or word list that cannot be used; carries every finding."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(d.render() for d in self.diagnostics))


def nearest(word: str, known: Iterable[str]) -> str:
    """The hint `did you mean 'X'?` for the nearest known name, or an empty string."""
    import difflib

    names = sorted(set(known))
    lowered = {name.lower(): name for name in reversed(names)}
    typed = word.lower()
    # A name written out ('plural' for 'pl', 'nominative' for 'nom') is nearer than what it looks like.
    short = [name for name in lowered if 1 < len(name) <= len(typed) - 3 and typed.startswith(name)]
    if short:
        return f"did you mean '{lowered[max(short, key=len)]}'?"
    close = difflib.get_close_matches(typed, list(lowered), n=4, cutoff=0.6)
    if not close:
        return ""

    def likeness(name: str) -> tuple[float, bool]:
        # Of two equally like ones, the one with the letters typed: 'dgo' is 'dog', not 'duo'.
        return difflib.SequenceMatcher(None, name, typed).ratio(), sorted(name) == sorted(typed)

    return f"did you mean '{lowered[max(close, key=likeness)]}'?"


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names for a message: quoted, in order, cut after `most`."""
    every = list(names)
    shown = ", ".join(f"'{name}'" for name in every[:most])
    return shown + (f" and {len(every) - most} more" if len(every) > most else "")


def by_place(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """In the order of the files' lines, each finding once."""
    unique = {(d.code, d.message, str(d.span)): d for d in diagnostics}
    return sorted(
        unique.values(),
        key=lambda d: (d.span.source.name, d.span.line, d.span.column) if d.span else ("", 0, 0),
    )
