"""Statements -> laid out lines: runs of like statements in columns, blocks indented, tables in columns.

Each source line keeps a line of its own, in its order, so that comments can be put back where they stood; only lines
of alternatives that are too long are broken further.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from generator.formatting_spacing import (
    DEFINING_KINDS,
    Sign,
    by_line,
    joined,
    padded,
    plain,
    signs,
    spaced,
    split_at_bars,
    width,
)
from generator.lexing import (
    LogicalLine,
    Tokenizer,
    logical_lines,
    spaces,
    split_at_colon,
    strip_comment,
    without_leading_bar,
)
from generator.parsing import META_KEYWORDS
from generator.source import SourceFile

LONGEST = 120
"""Columns after which a line of alternatives is broken."""

_INDENT = 2
_HEADER_COLUMN = 12  # two spaces behind the longest keyword of a header
_HEADER, _CLASSES, _FACTORS, _CONDITIONS, _TESTED = "header", "classes", "factors", "conditions", "tested"
_GROUPS = {  # statements of one group that follow each other stand in columns
    **dict.fromkeys((*META_KEYWORDS, "import"), _HEADER),
    **dict.fromkeys(("slot", "var"), _CLASSES),
    "factor": _FACTORS,
    **dict.fromkeys(("where", "repeat", "distinct"), _CONDITIONS),
    **dict.fromkeys(("cross", "balance", "target", "answer", "example"), _TESTED),
}
_KINDS = {  # what the parser reads behind a keyword; the others are plain words
    "+": "text",
    "*": "text",
    "slot": "slot",
    "var": "var_definition",
    "factor": "factor",
    "where": "condition",
    "repeat": "operands",
    "distinct": "operands",
    "cross": "cross",
    "balance": "balance",
    "target": "target",
    "answer": "answer",
    "expect": "formula",
}


@dataclass(frozen=True)
class Part:
    """What one physical line has of a statement: its signs where it is parsed, else its text."""

    line: int
    text: str
    signs: tuple[Sign, ...] = ()

    @property
    def begins_with_bar(self) -> bool:
        """Whether it goes on with the next alternative."""
        return bool(self.signs) and self.signs[0].is_bar

    def pieces(self) -> list[str]:
        """The text cut before each bar that separates alternatives."""
        cuts = [number for number, sign in enumerate(self.signs) if number and sign.is_bar]
        if cuts and cuts[-1] == len(self.signs) - 1:
            del cuts[-1]  # a bar at the end of a line stays there
        return [joined(list(self.signs[a:b])) for a, b in zip([0, *cuts], [*cuts, None], strict=True)]


@dataclass(frozen=True)
class Entry:
    """A statement that may stand in a run: `name` is what stands before its '=', empty where it has none."""

    keyword: str
    name: str
    parts: tuple[Part, ...]
    is_apart: bool
    """Whether an empty line stands before it."""

    @property
    def group(self) -> str:
        """Which statements it stands in columns with; empty for none."""
        return _GROUPS.get(self.keyword, "")


@dataclass(frozen=True)
class Layout:
    """The laid out lines of a source: `rows[n]` are those of its line *n*, without comments.

    A line whose words have moved to a later line has none.  `statement_of` numbers the statements that lines belong to.
    """

    rows: Mapping[int, Sequence[str]]
    statement_of: Mapping[int, int]


def laid_out(source: SourceFile) -> Layout:
    """The layout of a source without syntax errors."""
    builder = _Builder(source)
    builder.build()
    return Layout(builder.rows, builder.statement_of)


class _Builder:
    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.rows: dict[int, list[str]] = {}
        self.statement_of: dict[int, int] = {}
        self._tokenizer = Tokenizer(source)

    def build(self) -> None:
        run: list[Entry] = []
        last = 0
        for number, line in enumerate(logical_lines(self.source)):
            keyword = _keyword(line)
            block = {"template": self._template, "phrase": self._phrase, "table": self._table}.get(keyword)
            if block is not None:
                self._flush(run)
                block(_rest(keyword, line))
            else:
                entry = self._entry(keyword, line, self._has_empty_line(last, line.first.line))
                goes_on = run and entry.group and entry.group == run[-1].group
                if not goes_on or (entry.is_apart and entry.group != _TESTED):
                    self._flush(run)
                run.append(entry)
            every = [segment.line for part in (line, *line.block) for segment in part.segments]
            self.statement_of.update(dict.fromkeys(every, number))
            last = every[-1]
        self._flush(run)

    def _has_empty_line(self, after: int, before: int) -> bool:
        return any(not self.source.line(number).strip() for number in range(after + 1, before))

    # --- lines ------------------------------------------------------------------------------------------------------

    def _entry(self, keyword: str, line: LogicalLine, is_apart: bool = False) -> Entry:
        rest = _rest(keyword, line)
        kind = _KINDS.get(keyword)
        if kind is None:
            is_raw = keyword in META_KEYWORDS or keyword == "import"
            texts = [segment.text.strip() if is_raw else plain(segment.text) for segment in rest.segments]
            parts = [Part(segment.line, text) for segment, text in zip(rest.segments, texts, strict=True)]
            return Entry(keyword, "", tuple(parts), is_apart)
        name = ""
        if kind == "formula" and (split := split_at_colon(rest)) is not None:
            name, rest = f"{split[0].first.text.strip()}:", split[1]
        found = by_line(signs(self._tokenizer, kind, rest), rest)
        if name:
            first = Part(rest.first.line, f"{name} {joined(found[0])}".strip())
            return Entry(keyword, "", (first, *self._parts(rest, found)[1:]), is_apart)
        if [sign.kind for sign in found[0][1:2]] == ["EQ"] and kind in DEFINING_KINDS:
            name, found[0] = found[0][0].text, found[0][2:]
        return Entry(keyword, name, self._parts(rest, found), is_apart)

    def _parts(self, line: LogicalLine, found: Sequence[list[Sign]]) -> tuple[Part, ...]:
        return tuple(
            Part(segment.line, joined(row), tuple(row)) for segment, row in zip(line.segments, found, strict=True)
        )

    def _flush(self, run: list[Entry]) -> None:
        keywords = max((width(entry.keyword) for entry in run), default=0)
        names = max((width(entry.name) for entry in run), default=0)
        column = keywords + 1
        if run and run[0].group == _HEADER and len({entry.keyword for entry in run}) > 1:
            column = _HEADER_COLUMN
        for entry in run:
            self._write(entry, column, names)
        run.clear()

    def _write(self, entry: Entry, column: int, names: int, indent: int = 0) -> None:
        """A statement whose values stand in a column (behind the indent), its names padded to so many columns."""
        first, *others = entry.parts
        head = " " * indent + padded(entry.keyword, column)
        if not entry.name:
            if first.text.startswith("#"):
                head = head.rstrip()  # a space would make it a comment
            self.rows[first.line] = [(head + first.text).rstrip()]
            for part in others:
                self.rows[part.line] = [" " * (indent + column) + part.text]
            return
        head += padded(entry.name, names) + " ="
        rows = [(head + " ", first), *((self._margin(head, part), part) for part in others)]
        if any(_is_too_long(margin, part) for margin, part in rows) and self._can_be_filled(entry):
            pieces = [piece for part in entry.parts for piece in part.pieces()]
            for part in entry.parts:
                self.rows[part.line] = []
            self.rows[entry.parts[-1].line] = _filled(head + " ", pieces, width(head) - 1)
            return
        for margin, part in rows:
            if _is_too_long(margin, part):
                self.rows[part.line] = _filled(margin, part.pieces(), width(head) - 1)
            else:
                self.rows[part.line] = [(margin + part.text).rstrip()]

    def _margin(self, head: str, part: Part) -> str:
        """What a further line of a definition begins with: its bar stands below '=', its words behind that."""
        return " " * (width(head) - 1 if part.begins_with_bar else width(head) + 1)

    def _can_be_filled(self, entry: Entry) -> bool:
        """Whether only line ends before bars, no comments and no empty lines, would be moved."""
        first, last = entry.parts[0].line, entry.parts[-1].line
        raw = [self.source.line(number) for number in range(first, last)]
        return (
            bool(entry.parts[0].text)
            and all(part.begins_with_bar for part in entry.parts[1:])
            and all(line.strip() and strip_comment(line) == line for line in raw)
        )

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _template(self, rest: LogicalLine) -> None:
        split = split_at_colon(rest)
        assert split is not None
        head, weight = split[0].first, ""
        weighed = re.fullmatch(r"(.*\S)\s+(@\d+)", head.text)
        if weighed:
            head, weight = replace(head, text=weighed.group(1)), f" {weighed.group(2)}"
        name = joined(signs(self._tokenizer, "family", LogicalLine((head,))))
        self.rows[rest.first.line] = [f"template {name}{weight}:"]
        for line in rest.block:
            self._inner(_keyword(line), line)

    def _phrase(self, rest: LogicalLine) -> None:
        split = split_at_colon(rest)
        assert split is not None
        header, body = split
        text = joined(signs(self._tokenizer, "rules", LogicalLine(body.segments)))
        name = joined(signs(self._tokenizer, "phrase_header", header))
        self.rows[rest.first.line] = [f"phrase {name}:{spaced(' ', text)}{text}".rstrip()]
        for line in rest.block:
            if re.match(r"where\b", line.first.text):
                self._inner("where", line)
            else:
                self._rule(line)

    def _inner(self, keyword: str, line: LogicalLine) -> None:
        """A sentence or a condition in a block."""
        self._write(self._entry(keyword, line), width(keyword) + 1, 0, _INDENT)

    def _rule(self, line: LogicalLine) -> None:
        bare = without_leading_bar(line)
        first, *others = self._parts(bare, by_line(signs(self._tokenizer, "rules", bare), bare))
        bar = "" if bare is line else f"|{spaced(' ', first.text)}"
        self.rows[first.line] = [(" " * _INDENT + bar + first.text).rstrip()]
        for part in others:
            self.rows[part.line] = [" " * 2 * _INDENT + part.text]

    def _table(self, rest: LogicalLine) -> None:
        header = signs(self._tokenizer, "table_header", LogicalLine(rest.segments))
        head = f"table {header[0].text}: "
        columns = [joined(column) for column in split_at_bars(header[2:])]
        cells: dict[int, list[str]] = {}
        for row in rest.block:
            found = signs(self._tokenizer, "cells", row)
            if len(row.segments) == 1:
                cells[row.first.line] = [joined(cell) for cell in split_at_bars(found)]
                continue
            for number, part in enumerate(self._parts(row, by_line(found, row))):
                self.rows[part.line] = [" " * (width(head) + (_INDENT if number else 0)) + part.text]
        widths = [max(width(cell) for cell in column) for column in zip(columns, *cells.values(), strict=True)]
        self.rows[rest.first.line] = [head + _row(columns, widths)]
        for number, row_cells in cells.items():
            self.rows[number] = [" " * width(head) + _row(row_cells, widths)]


def _keyword(line: LogicalLine) -> str:
    text = line.first.text
    if text[0] in "+*":
        return text[0]
    found = re.match(r"[^\s:={\[(]*", text)
    return found.group() if found else ""


def _rest(keyword: str, line: LogicalLine) -> LogicalLine:
    return line.after(len(keyword) + spaces(line.first.text[len(keyword) :]))


def _is_too_long(margin: str, part: Part) -> bool:
    return width(margin) + width(part.text) > LONGEST and len(part.pieces()) > 1


def _filled(margin: str, pieces: Sequence[str], column: int) -> list[str]:
    """Lines with as many pieces as they hold; the first begins with the margin, the others' bars stand in a column."""
    rows = [margin + pieces[0]]
    for piece in pieces[1:]:
        if width(rows[-1]) + 1 + width(piece) <= LONGEST:
            rows[-1] += f" {piece}"
        else:
            rows.append(" " * column + piece)
    return rows


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """A row of a table.  A bar in the place of an empty first cell: a space there would make it a further line."""
    text, column = cells[0], 0
    for number, cell in enumerate(cells[1:]):
        column += widths[number] + 1
        text = padded(text, column if text else 0) + "|"
        column += 2
        if not cell.startswith("#"):  # a space before it would make it a comment
            text = padded(text, column if cell else 0)
        text += cell
    return text.rstrip()
