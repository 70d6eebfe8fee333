"""The parser of one logical line: Lark's LALR(1) over the tokens of `lexing`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import lark.lexer
from lark import Lark, Token
from lark.exceptions import UnexpectedToken
from lark.lexer import Lexer

from generator.lexing import LogicalLine, Segment, Tokenizer
from generator.parser_tables import restored, tables_of
from generator.source import SourceFile

STARTS = (
    "text",
    "slot",
    "answer",
    "target",
    "operands",
    "table_header",
    "cells",
    "phrase_header",
    "rules",
    "family",
    "condition",
    "var_definition",
    "cross",
    "balance",
    "factor",
    "formula",
)


class _Tokens(Lexer):
    """Hands on tokens that `lexing` has made."""

    def __init__(self, _conf: Any) -> None:
        pass

    def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override]
        """The tokens as they are."""
        yield from data


def build_parser(strict: bool = False) -> Lark:
    """The line parser; `strict` makes Lark refuse any conflict (needs the package interegular)."""
    checks_collisions = lark.lexer.has_interegular
    try:
        # Where interegular is installed, Lark compares its own terminals first, which takes longer than all the rest.
        lark.lexer.has_interegular = strict and checks_collisions
        return Lark(line_grammar(), parser="lalr", lexer=_Tokens, start=list(STARTS), strict=strict)
    finally:
        lark.lexer.has_interegular = checks_collisions


@cache
def line_parser() -> Lark:
    """The parser, made once."""
    return restored(line_grammar(), STARTS, _Tokens) or build_parser()


def fresh_tables() -> str:
    """What `parser_tables.json` should hold."""
    return tables_of(build_parser(), line_grammar(), STARTS)


def line_grammar() -> str:
    """The text of the line grammar."""
    return files("generator").joinpath("grammar.lark").read_text("utf-8")


def tokenize(tokenizer: Tokenizer, kind: str, line: LogicalLine) -> list[Token]:
    """The tokens of a line of this kind.  Raises LexError."""
    match kind:
        case "text":
            return tokenizer.text(line)
        case "rules" | "cells":
            return tokenizer.text(line, bars=True)
        case "family":
            return tokenizer.family(line)
        case "condition" | "formula" | "phrase_header" | "balance":
            return tokenizer.expression(line, kind)
        case _:
            return tokenizer.expression(line)


@cache
def known_states() -> dict[tuple[str, Any, str], tuple[str, str]]:
    """(kind, parser state, token type) of each malformed example -> its message and hint."""
    from generator.syntax_errors import SYNTAX_MESSAGES

    known: dict[tuple[str, Any, str], tuple[str, str]] = {}
    for entry in SYNTAX_MESSAGES:
        for kind, example in entry.examples:
            tokenizer = Tokenizer(SourceFile("<example>", example))
            try:
                line_parser().parse(tokenize(tokenizer, kind, LogicalLine((Segment(1, 1, example),))), start=kind)
            except UnexpectedToken as error:
                known.setdefault((kind, error.state.position, error.token.type), (entry.message, entry.hint))
    return known
