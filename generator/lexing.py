"""Statement splitting and tokens: text mode outside braces, expression mode inside.

A file is cut into logical lines first; each is turned into tokens and parsed by itself, so that one
mistake hides no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lark import Token

from generator.errors import Diagnostic
from generator.source import SourceFile, Span

_PUNCTUATION = {
    "{": "LBRACE",
    "}": "RBRACE",
    "]": "RBRACK",
    "|": "BAR",
    "*": "STAR",
    "+": "PLUS",
    "-": "MINUS",
    "@": "AT",
    "=": "EQ",
    "!": "BANG",
    ".": "DOT",
    ",": "COMMA",
    ":": "COLON",
    "(": "LPAR",
    ")": "RPAR",
}
_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"\d+")
_VARIABLE = re.compile(r"\$[^\W\d]\w*")
_STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
_REGION = re.compile(r"\[([^\W\d][\w-]*):")
_WORD = re.compile(r"[^\s{}\[\]|]+")
_FAMILY_WORD = re.compile(r"[\w.-]+")
_KEYWORDS = {  # words that are no names, by kind of line
    "expression": {"after": "AFTER"},
    "condition": {"not": "NOT", "and": "AND", "or": "OR", "in": "IN", "fits": "FITS"},
    "formula": {"not": "NOT", "and": "AND", "or": "OR", "within": "WITHIN"},
    "phrase_header": {"depth": "DEPTH"},
    "balance": {"by": "BY"},
}
_FORMULA_SIGNS = {"<": "LT", ">": "GT", "&": "AND", "|": "OR", "[": "LPAR", "]": "RPAR"}
_DECIMAL = re.compile(r"\d+\.\d+")

MAX_NESTING = 30
"""How deep brackets may lie in each other."""
MAX_DIGITS = 9
"""How long a number may be."""


@dataclass(frozen=True)
class Segment:
    """A piece of one physical line: its number, 1-based start column, and text (comment removed)."""

    line: int
    column: int
    text: str

    def after(self, count: int) -> Segment:
        """Without its first `count` characters."""
        return replace(self, column=self.column + count, text=self.text[count:])


@dataclass(frozen=True)
class LogicalLine:
    """A line with its continuations; `block` holds the logical lines indented below it."""

    segments: tuple[Segment, ...]
    block: tuple[LogicalLine, ...] = ()

    @property
    def first(self) -> Segment:
        """The first physical piece."""
        return self.segments[0]

    def after(self, count: int) -> LogicalLine:
        """Without the first `count` characters."""
        return replace(self, segments=(self.first.after(count), *self.segments[1:]))


class LexError(Exception):
    """A character or bracket that cannot be; carries its diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


def strip_comment(text: str) -> str:
    """Without `#...` at the start of the line or after a space (not inside quotes)."""
    quoted = escaped = False
    for position, character in enumerate(text):
        if escaped:  # what a backslash in quotation marks stands before is a sign like any other
            escaped = False
        elif character == "\\" and (quoted or text[position + 1 : position + 2] == '"'):
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character == "#" and (position == 0 or text[position - 1] in " \t"):
            # A quotation mark in plain text is a word like any other: an odd one must not hide a comment.
            if quoted and '"' in text[position:]:
                continue
            return text[:position]
    return text


def spaces(text: str) -> int:
    """How many spaces a text begins with."""
    return len(text) - len(text.lstrip())


def without_leading_bar(line: LogicalLine) -> LogicalLine:
    """A rule line may begin with '|', as grammars are often written."""
    text = line.first.text
    return line.after(1 + spaces(text[1:])) if text.startswith("|") else line


def split_at_colon(line: LogicalLine) -> tuple[LogicalLine, LogicalLine] | None:
    """What stands before and after the first ':' outside braces of the first piece; None without one."""
    depth = 0
    for position, character in enumerate(line.first.text):
        depth += (character == "{") - (character == "}")
        if character == ":" and depth == 0:
            head = replace(line.first, text=line.first.text[:position].rstrip())
            body = line.first.after(position + 1)
            body = body.after(spaces(body.text))
            return LogicalLine((head,)), LogicalLine((body, *line.segments[1:]))
    return None


_BLOCK_KEYWORDS = ("template", "phrase", "table")


def logical_lines(source: SourceFile) -> list[LogicalLine]:
    """The file's statements, each with its continuation lines or block."""
    statements: list[list[Segment]] = []
    for number, raw in enumerate(source.lines, start=1):
        text = strip_comment(raw).rstrip()
        if not text.strip():
            continue
        indent = len(text) - len(text.lstrip())
        segment = Segment(number, indent + 1, text[indent:])
        if indent == 0 or not statements:
            statements.append([segment])
        else:
            statements[-1].append(segment)
    return [_with_block(segments) for segments in statements]


def _with_block(segments: list[Segment]) -> LogicalLine:
    head, rest = segments[0], segments[1:]
    if head.text.split(maxsplit=1)[0] not in _BLOCK_KEYWORDS or not rest:
        return LogicalLine(tuple(segments))
    indent = rest[0].column
    block: list[list[Segment]] = []
    for segment in rest:
        if segment.column <= indent or not block:
            block.append([segment])
        else:
            block[-1].append(segment)
    return LogicalLine((head,), tuple(LogicalLine(tuple(lines)) for lines in block))


class Tokenizer:
    """Turns one logical line into Lark tokens."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source

    def text(self, line: LogicalLine, bars: bool = False) -> list[Token]:
        """Text mode: words, braces, regions.  `bars`: `|` separates and a final `@2` weighs (rules and cells)."""
        return list(self._scan(line, "text", bars))

    def expression(self, line: LogicalLine, kind: str = "expression") -> list[Token]:
        """Expression mode, as inside braces; `kind` of line decides which words are keywords."""
        return list(self._scan(line, kind, False))

    def family(self, line: LogicalLine) -> list[Token]:
        """A template's name: pieces of a word, and braces."""
        return list(self._scan(line, "family", False))

    def _scan(self, line: LogicalLine, mode: str, bars: bool) -> Iterator[Token]:
        open_brackets: list[tuple[str, Span]] = []
        depth = 0  # of braces
        negations = 0  # that follow each other
        for segment in line.segments:
            position = 0
            while position < len(segment.text):
                if segment.text[position] in " \t":
                    if mode == "family" and not depth:
                        gap = Span(self.source, segment.line, segment.column + position)
                        hint = "use letters, digits, '_', '-' and braces"
                        raise self._fail("name", "' ' cannot stand in a template's name", gap, hint)
                    position += 1
                    continue
                place = Span(self.source, segment.line, segment.column + position)
                inside = depth > 0 or mode in _KEYWORDS
                kind, value, length = (
                    self._in_expression(segment.text, position, place, mode if mode in _KEYWORDS else "expression")
                    if inside
                    else self._in_text(segment.text, position, place, mode, bars)
                )
                negations = negations + 1 if kind == "NOT" else 0
                if kind in ("LBRACE", "LPAR", "REGION", "NOT") and len(open_brackets) + negations >= MAX_NESTING:
                    raise self._too_deep(kind, place)
                if kind == "LBRACE":
                    depth += 1
                    open_brackets.append(("{", place))
                elif kind == "LPAR":
                    open_brackets.append((value, place))
                elif kind == "RPAR":
                    if open_brackets and open_brackets[-1][0] == {")": "(", "]": "["}[value]:
                        open_brackets.pop()
                elif kind == "REGION":
                    open_brackets.append(("[", place))
                elif kind in ("RBRACE", "RBRACK"):
                    wanted = "{" if kind == "RBRACE" else "["
                    if not open_brackets or open_brackets[-1][0] != wanted:
                        raise self._fail("bracket", f"'{value}' closes nothing", place, f'quote it: {{"{value}"}}')
                    open_brackets.pop()
                    depth -= kind == "RBRACE"
                yield _token(kind, value, segment, position, length)
                position += length
        if open_brackets:
            bracket, place = open_brackets[-1]
            closing = {"{": "}", "[": "]", "(": ")"}[bracket]
            raise self._fail("bracket", f"'{bracket}' is never closed", place, f"expected '{closing}' before the end")

    def _in_text(self, text: str, at: int, place: Span, mode: str, bars: bool) -> tuple[str, str, int]:
        character = text[at]
        if character in "{}]":
            return _PUNCTUATION[character], character, 1
        if character == "|":
            if bars:
                return "BAR", "|", 1
            raise self._fail("bar", "'|' outside braces", place, 'write a choice as {"a" | "b"}, the sign as {"|"}')
        if character == "[":
            region = _REGION.match(text, at)
            if region:
                return "REGION", region.group(1), len(region.group())
            raise self._fail(
                "bracket", "'[' without a region's name", place, 'write [name: words], or quote the sign: {"["}'
            )
        word = (_FAMILY_WORD if mode == "family" else _WORD).match(text, at)
        if not word:
            raise self._fail(
                "name",
                f"'{character}' cannot stand in a template's name",
                place,
                "use letters, digits, '_', '-' and braces",
            )
        if bars and re.fullmatch(r"@\d+", word.group()):
            self._require_short(word.group()[1:], place)
            return "WEIGHT", word.group(), len(word.group())
        return "WORD", word.group(), len(word.group())

    def _in_expression(self, text: str, at: int, place: Span, kind: str) -> tuple[str, str, int]:
        character = text[at]
        if kind == "formula" and character in _FORMULA_SIGNS:
            return _FORMULA_SIGNS[character], character, 1
        decimal = _DECIMAL.match(text, at) if kind == "formula" else None
        if decimal:
            return "DECIMAL", decimal.group(), len(decimal.group())
        if character == '"':
            string = _STRING.match(text, at)
            if not string:
                raise self._fail("quote", "this quotation mark is never closed", place, "expected '\"' on this line")
            return "STRING", re.sub(r"\\(.)", r"\1", string.group(1)), len(string.group())
        name = _NAME.match(text, at)
        if name:
            word = name.group()
            return _KEYWORDS[kind].get(word, "NAME"), word, len(word)
        number = _NUMBER.match(text, at)
        if number:
            self._require_short(number.group(), place)
            return "INT", number.group(), len(number.group())
        if character == "$":
            variable = _VARIABLE.match(text, at)
            if not variable:
                raise self._fail("variable", "'$' without a variable's name", place, "write $n")
            return "VAR", variable.group(), len(variable.group())
        if text.startswith("!=", at):
            return "NE", "!=", 2
        if character in _PUNCTUATION:
            return _PUNCTUATION[character], character, 1
        hint = 'quote words: {"' + character + '"}'
        if character in "“”„‘’":
            hint = 'write straight quotation marks: "'
        elif kind == "condition" and character in "&<>":
            hint = "write 'and'" if character == "&" else "a condition compares with '=', '!=', 'in' and 'fits'"
        elif character in ";/":
            hint = f"separate alternatives with '|'; a sign is quoted: {{\"{character}\"}}"
        raise self._fail("character", f"unexpected character '{character}'", place, hint)

    def _too_deep(self, kind: str, place: Span) -> LexError:
        if kind == "NOT":
            return self._fail("syntax", f"more than {MAX_NESTING} times 'not'", place, "write it once, or leave it out")
        hint = "define the inner parts as slots or phrases"
        return self._fail("bracket", f"more than {MAX_NESTING} brackets in each other", place, hint)

    def _require_short(self, digits: str, place: Span) -> None:
        if len(digits) > MAX_DIGITS:
            raise self._fail(
                "syntax", f"a number of {len(digits)} digits", place, f"numbers have at most {MAX_DIGITS} digits"
            )

    def _fail(self, code: str, message: str, place: Span, hint: str) -> LexError:
        return LexError(Diagnostic(code, message, place, hint))


def _token(kind: str, value: str, segment: Segment, position: int, length: int) -> Token:
    column = segment.column + position
    return Token(kind, value, line=segment.line, column=column, end_line=segment.line, end_column=column + length)
