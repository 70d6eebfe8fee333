"""Canonical spacing inside one logical line: one space where a space may stand, none where it would mean something.

Works on the tokens that the parser reads, so nothing is known here about which lines are right.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from generator.lexing import LogicalLine, Tokenizer
from generator.line_parsing import tokenize

_TEXT_KINDS = ("text", "rules", "cells", "family")
_COMPARING_KINDS = ("condition", "formula")
DEFINING_KINDS = ("slot", "answer", "var_definition", "factor")
"""Kinds of lines that begin with a name and '='."""

_TIGHT_AFTER = frozenset({"LBRACE", "LPAR", "BANG", "DOT", "AT"})
_TIGHT_BEFORE = frozenset({"RBRACE", "RPAR", "COMMA", "COLON", "DOT"})
_PREFIXES = frozenset({"STAR", "PLUS", "MINUS"})


@dataclass(frozen=True)
class Sign:
    """A token as it is written: its kind, the source line, the gap before it, and the depth of braces around it."""

    kind: str
    text: str
    line: int
    gap: str
    depth: int

    @property
    def is_bar(self) -> bool:
        """Whether it separates alternatives, rules, columns or cells of the line itself."""
        return self.kind == "BAR" and self.depth == 0


def signs(tokenizer: Tokenizer, kind: str, line: LogicalLine) -> list[Sign]:
    """The tokens of a line of this kind (a start symbol of the grammar), with canonical gaps.

    The line has been parsed before: a LexError of it is passed on.
    """
    found: list[Sign] = []
    depth = 0
    end = 0  # the column behind the token before
    for token in tokenize(tokenizer, kind, line):
        start, number = token.column or 1, token.line or 1
        text = tokenizer.source.line(number)[start - 1 : (token.end_column or start) - 1]
        before = found[-1] if found else None
        if before is None:
            gap = ""
        elif depth == 0 and kind in _TEXT_KINDS:
            gap = _gap_in_text(before.kind, token.type, before.line != number or end < start)
        else:
            gap = _gap_in_expression(found, token.type, kind)
        depth -= token.type == "RBRACE"
        found.append(Sign(token.type, text, number, spaced(gap, text), depth))
        depth += token.type == "LBRACE"
        end = token.end_column or start
    return found


def _gap_in_text(before: str, after: str, is_apart: bool) -> str:
    if after == "RBRACK":
        return ""
    if before in ("REGION", "BAR") or after in ("BAR", "WEIGHT"):
        return " "
    return " " if is_apart else ""


def _gap_in_expression(found: list[Sign], after: str, kind: str) -> str:
    before = found[-1].kind
    if before in _TIGHT_AFTER or after in _TIGHT_BEFORE:
        return ""
    if before in _PREFIXES and kind != "formula":
        return ""
    if after == "LPAR" and before == "NAME" and kind == "condition":
        return ""  # V(subj, obj)
    if "EQ" in (before, after) and kind not in _COMPARING_KINDS:
        # 'slot Near = ...' has its sign behind the name; all others stand in features and labels.
        place = len(found) - (before == "EQ")
        return " " if kind in DEFINING_KINDS and place == 1 else ""
    return " "


def spaced(gap: str, text: str) -> str:
    """The gap before a text; none before '#', which would begin a comment there."""
    return "" if text.startswith("#") else gap


def joined(row: list[Sign]) -> str:
    """The text of signs that stand on one line; the gap before the first is left out."""
    return "".join(sign.text if number == 0 else sign.gap + sign.text for number, sign in enumerate(row))


def by_line(row: list[Sign], line: LogicalLine) -> list[list[Sign]]:
    """The signs of each physical line of a logical one, in its order."""
    found: dict[int, list[Sign]] = {segment.line: [] for segment in line.segments}
    for sign in row:
        found[sign.line].append(sign)
    return list(found.values())


def split_at_bars(row: list[Sign]) -> list[list[Sign]]:
    """The signs between the bars of the line itself; an empty list where nothing stands."""
    parts: list[list[Sign]] = [[]]
    for sign in row:
        if sign.is_bar:
            parts.append([])
        else:
            parts[-1].append(sign)
    return parts


def plain(text: str) -> str:
    """Words of an example or an option, one space apart.  Other white space may be part of a word's line: it stays."""
    return re.sub(r"[ \t]+", " ", text).strip(" ")


def width(text: str) -> int:
    """How many columns of a screen a text takes: wide letters two, combining accents none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def padded(text: str, columns: int) -> str:
    """The text with spaces behind it, so that it takes so many columns."""
    return text + " " * (columns - width(text))
