"""The canonical layout of a grammar file: the same statements and comments in the same order, spaced one way.

Guarantees, checked of every text before it is handed out: it reads as the same syntax tree, and has the same comments.
"""

from __future__ import annotations

from dataclasses import dataclass

from generator.errors import DataError, GrammarError
from generator.formatting_spacing import padded, width
from generator.formatting_statements import Layout, laid_out
from generator.lexing import strip_comment
from generator.parsing import parse
from generator.source import SourceFile

COMMENT_STOPS = (37, 24)
"""Columns (from 0) of comments behind a line: the first, and how far the next ones are apart."""


@dataclass(frozen=True)
class _Line:
    """A line of the result: code and comment, either of which may be empty."""

    code: str
    comment: str = ""


def formatted(source: SourceFile) -> str:
    """The text in canonical layout.  Raises GrammarError with the syntax errors of a source that has any."""
    tree, findings = parse(source)
    if findings:
        raise GrammarError(findings)
    text = _text(_woven(source))
    result = SourceFile(source.name, text)
    again, wrong = parse(result)
    if wrong or again.statements != tree.statements or comments(result) != comments(source):
        raise DataError(f"'{source.name}' was left as it is: laid out, it would not read the same. Please report this")
    return text


def comments(source: SourceFile) -> list[str]:
    """The comments of a source in order, from their '#' on."""
    found = (_comment(line) for line in source.lines)
    return [comment for comment in found if comment]


def _comment(line: str) -> str:
    return line[len(strip_comment(line)) :].rstrip()


def _woven(source: SourceFile) -> list[_Line]:
    """The laid out lines with the comments, and one empty line where some stood."""
    layout = laid_out(source)
    lines: list[_Line] = []
    for number, raw in enumerate(source.lines, start=1):
        comment = _comment(raw)
        if number in layout.rows:
            *before, last = layout.rows[number] or [""]
            lines += (_Line(code) for code in before)
            if last:
                lines.append(_Line(last, comment))
        elif comment:
            lines.append(_Line("", " " * _comment_indent(source, layout, number) + comment))
        elif lines and lines[-1] != _Line(""):
            lines.append(_Line(""))
    while lines and lines[-1] == _Line(""):
        del lines[-1]
    return lines


def _comment_indent(source: SourceFile, layout: Layout, number: int) -> int:
    """Where a comment on a line of its own begins: at the margin or, if it was indented, as the lines around it do."""
    if not source.line(number)[:1].isspace():
        return 0
    before = max((line for line in layout.rows if line < number), default=0)
    after = min((line for line in layout.rows if line > number), default=0)
    if after and layout.statement_of[after] == layout.statement_of.get(before):
        return _indent(layout.rows[after][0])
    return _indent(layout.rows[before][-1]) if before and layout.rows[before] else 0


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _text(lines: list[_Line]) -> str:
    """The lines as a text; comments behind lines that follow each other begin in one column."""
    result: list[str] = []
    run: list[_Line] = []
    for line in [*lines, _Line("")]:
        if line.code and line.comment:
            run.append(line)
            continue
        if run:
            column = _comment_column(max(width(each.code) for each in run))
            result += (padded(each.code, column) + each.comment for each in run)
            run.clear()
        result.append(line.code or line.comment)
    return "\n".join(result)


def _comment_column(longest: int) -> int:
    """The first stop two spaces or more behind the longest line."""
    first, step = COMMENT_STOPS
    return first + max(0, -((first - longest - 2) // step)) * step
