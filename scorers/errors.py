"""What is wrong with files that are scored: findings with file and line, collected and shown together."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning"]

EXIT_FINE, EXIT_FINDINGS, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 1, 2, 3, 130

_MOST_SHOWN = 50


class ScoreError(Exception):
    """An error of one line for the user, without a traceback."""

    exit_code = EXIT_BAD_INPUT


class UsageError(ScoreError):
    """A command that cannot be: a wrong option, two things that do not go together."""

    exit_code = EXIT_USAGE


@dataclass(frozen=True)
class Finding:
    """One finding.  `line` counts from 1, 0 is the whole file; `column` from 1, 0 is the whole line; `text` is shown
    with a caret where there is a column; `hint` says what to do.
    """

    code: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    text: str = ""
    hint: str = ""
    severity: Severity = "error"

    @property
    def is_error(self) -> bool:
        """Whether nothing can be scored."""
        return self.severity == "error"

    def render(self) -> str:
        """The finding as text: place, message, the line with a caret, the hint."""
        place = ":".join([self.file, *(str(number) for number in (self.line, self.column) if number)])
        kind = "" if self.is_error else "warning: "
        lines = [f"{place}: {kind}{self.message}" if self.file else f"{kind}{self.message}"]
        if self.text and self.column:
            lines += [f"   {self.text}", "   " + " " * (self.column - 1) + "^"]
        if self.hint:
            lines.append(f"   {self.hint}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The finding as a JSON object."""
        record: dict[str, Any] = {"severity": self.severity, "code": self.code, "message": self.message}
        record |= {"file": self.file, "line": self.line, "column": self.column, "text": self.text, "hint": self.hint}
        return {name: value for name, value in record.items() if value not in ("", 0)}


class InputError(ScoreError):
    """Files that cannot be scored, with all that was found."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(finding.render() for finding in self.findings[:_MOST_SHOWN]))

    def __str__(self) -> str:
        shown = super().__str__()
        left = len(self.findings) - _MOST_SHOWN
        return f"{shown}\n... and {left:,} more" if left > 0 else shown


class Findings:
    """Collects findings of several files."""

    def __init__(self) -> None:
        self._found: list[Finding] = []

    def add(self, finding: Finding) -> None:
        """Keep a finding."""
        self._found.append(finding)

    def error(self, message: str, file: str, line: int = 0, code: str = "bad-row", **place: Any) -> None:
        """Keep an error."""
        self.add(Finding(code, message, file, line, **place))

    def warning(self, message: str, file: str, line: int = 0, code: str = "odd-row", **place: Any) -> None:
        """Keep a warning."""
        self.add(Finding(code, message, file, line, severity="warning", **place))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def errors(self) -> list[Finding]:
        """Those that are errors."""
        return [finding for finding in self._found if finding.is_error]

    @property
    def warnings(self) -> list[Finding]:
        """Those that are warnings."""
        return [finding for finding in self._found if not finding.is_error]

    def require_none(self) -> None:
        """Raise InputError where there is an error: with all errors."""
        if self.errors:
            raise InputError(self.errors)


def nearest(name: str, names: Iterable[str]) -> str:
    """`; did you mean 'X'?` for the nearest of the names, or nothing."""
    found = difflib.get_close_matches(name, list(names), n=1)
    return f"; did you mean '{found[0]}'?" if found else ""


FEW = 5
"""Findings that are shown beside a result; of more their number is."""


def say_few(findings: Sequence[Finding], more: str) -> None:
    """Show the first findings, and how many more there are: `more` says of what."""
    for finding in findings[:FEW]:
        say(finding.render())
    if len(findings) > FEW:
        say(f"score: and {len(findings) - FEW:,} more {more}")


def say(text: str) -> None:
    """Talk to the user, aside from results."""
    sys.stderr.write(text + "\n")
