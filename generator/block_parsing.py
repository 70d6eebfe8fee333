"""Parsing of single lines, and of the statements that hold a block of lines: tables, phrases, templates."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from lark.exceptions import UnexpectedToken

from generator import nodes
from generator.errors import Diagnostic
from generator.lexing import (
    MAX_DIGITS,
    LexError,
    LogicalLine,
    Tokenizer,
    spaces,
    split_at_colon,
    without_leading_bar,
)
from generator.line_parsing import known_states, line_parser, tokenize
from generator.source import SourceFile, Span
from generator.syntax_message import TOKEN_NAMES
from generator.tree_building import TreeBuilder


class BlockParser:
    """Parses lines and blocks; findings collect in `diagnostics`, `failed` has the names of what could not be read."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.tokenizer = Tokenizer(source)
        self.builder = TreeBuilder(source)
        self.diagnostics: list[Diagnostic] = []
        self.failed: set[str] = set()

    # --- one line -----------------------------------------------------------------------------------------------

    def parse(self, kind: str, line: LogicalLine, ending: str = "the end of the line") -> Any:
        """Parse a line as `kind`; None, with a diagnostic, where it cannot be."""
        try:
            tokens = tokenize(self.tokenizer, kind, line)
        except LexError as error:
            self.diagnostics.append(error.diagnostic)
            return None
        try:
            return self.builder.transform(line_parser().parse(tokens, start=kind))
        except UnexpectedToken as error:
            self._syntax_error(kind, line, error, ending)
            return None

    def _syntax_error(self, kind: str, line: LogicalLine, error: UnexpectedToken, ending: str) -> None:
        token = error.token
        if token.type == "$END":
            last = line.segments[-1]
            place = Span(self.source, last.line, max(1, last.column + len(last.text.rstrip())), 1)
            found = ending
        else:
            length = max(1, (token.end_column or 0) - (token.column or 0))
            place = Span(self.source, token.line or 1, token.column or 1, length)
            found = f"'{place.text}'"
        message = known_states().get((kind, error.state.position, token.type))
        if message:
            self.diagnostics.append(Diagnostic("syntax", f"{message[0]}: found {found}", place, message[1]))
            return
        accepts = set(error.accepts or error.expected)
        expected = " or ".join(sorted({TOKEN_NAMES.get(name, name.lower()) for name in accepts}))
        self.diagnostics.append(Diagnostic("syntax", f"found {found}", place, f"expected {expected}"))

    def _fail(self, line: LogicalLine, message: str, hint: str = "", length: int | None = None) -> None:
        first = line.first
        place = Span(self.source, first.line, first.column, length or max(1, len(first.text)))
        self.diagnostics.append(Diagnostic("syntax", message, place, hint))

    # --- blocks -------------------------------------------------------------------------------------------------

    def _where(self, span: Span, rest: LogicalLine) -> nodes.Where | None:
        condition = self.parse("condition", rest)
        return nodes.Where(span, condition) if condition else None

    def _table(self, span: Span, rest: LogicalLine) -> nodes.TableDefinition | None:
        parsed = self.parse("table_header", LogicalLine(rest.segments))
        rows = [(row, self.parse("cells", row)) for row in rest.block]
        if parsed is None:
            return None
        name, columns = parsed
        place = Span(self.source, name.line or 1, name.column or 1, len(name))
        if not rest.block:
            self.diagnostics.append(
                Diagnostic("syntax", f"table '{name}' has no rows", place, "indent its rows below it, a row a line")
            )
            return None
        for row, cells in rows:
            if cells is not None and len(cells) != len(columns):
                if re.match(r"where\b", row.first.text):
                    self._fail(row, "a condition in a table", "write it in the template, or at the margin")
                    continue
                self._fail(
                    row,
                    f"a row of {len(cells)} cell{'' if len(cells) == 1 else 's'} in a table of {len(columns)} columns",
                    f"expected {' | '.join(' '.join(column.labels) for column in columns)}",
                )
        for number, column in enumerate(columns):
            if any(column.labels == earlier.labels for earlier in columns[:number]):
                label = " ".join(column.labels)
                self.diagnostics.append(
                    Diagnostic(
                        "duplicate",
                        f"column '{label}' stands twice in table '{name}'",
                        column.span,
                        "give it another label",
                    )
                )
                return None
        good = tuple(tuple(cells) for _, cells in rows if cells is not None and len(cells) == len(columns))
        return nodes.TableDefinition(place, str(name), columns, good)

    def _phrase(self, span: Span, rest: LogicalLine) -> nodes.PhraseDefinition | None:
        split = split_at_colon(rest)
        if split is None:
            self._fail(rest, "a phrase without ':'", "write phrase NAME: words, or phrase NAME $n: words")
            return None
        header, body = split
        parsed = self.parse("phrase_header", header, "':'")
        rules: list[nodes.PhraseRule] = []
        wheres: list[nodes.Where] = []
        if body.first.text.strip():
            rules.extend(self.parse("rules", body) or ())
        for line in rest.block:
            where = self._inner_where(line)
            if where is not None:
                wheres.extend(where)
            else:
                rules.extend(self.parse("rules", without_leading_bar(line)) or ())
        if parsed is None:
            return None
        name, features, depth = parsed
        variables = tuple(f.variable for f in features if isinstance(f, nodes.VariableFeature))
        whole = tuple(f for f in features if not isinstance(f, nodes.VariableFeature))
        place = Span(self.source, name.line or 1, name.column or 1, len(name))
        if not rules:
            if not body.first.text.strip() and not rest.block:
                self.diagnostics.append(
                    Diagnostic(
                        "syntax", f"phrase '{name}' has no words", place, "write them after ':' or indented below"
                    )
                )
            return None
        return nodes.PhraseDefinition(place, str(name), variables, tuple(rules), tuple(wheres), whole, depth)

    def _template(self, span: Span, rest: LogicalLine) -> nodes.TemplateDefinition | None:
        split = split_at_colon(rest)
        if split is None or split[1].first.text.strip():
            self._fail(
                rest,
                "a template's name is followed by ':' and nothing else",
                "write template NAME: and indent its lines below it",
            )
            return None
        head, weight = split[0], 1
        weighed = re.fullmatch(r"(.*\S)\s+@(\d+)", head.first.text)
        if weighed:
            if len(weighed.group(2)) > MAX_DIGITS:
                message = f"a number of {len(weighed.group(2))} digits"
                self._fail(rest, message, f"numbers have at most {MAX_DIGITS} digits")
                return None
            weight = int(weighed.group(2))
            head = LogicalLine((replace(head.first, text=weighed.group(1)),))
        family = self.parse("family", head, "':'")
        sentences: list[nodes.Sentence] = []
        wheres: list[nodes.Where] = []
        for line in rest.block:
            where = self._inner_where(line)
            if where is not None:
                wheres.extend(where)
            elif line.first.text[0] in "+*":
                sentence = self._sentence(line)
                if sentence:
                    sentences.append(sentence)
            else:
                self._fail(
                    line,
                    "a line in a template that is neither a sentence nor a condition",
                    "begin it with '+', '*' or 'where'",
                )
        if family is None:
            return None
        place = Span(self.source, rest.first.line, rest.first.column, len(split[0].first.text))
        if not rest.block or (wheres and not sentences and len(wheres) == len(rest.block)):
            self.diagnostics.append(
                Diagnostic("syntax", "a template without lines", place, "indent its '+' and '*' lines below it")
            )
        return nodes.TemplateDefinition(place, family, tuple(sentences), tuple(wheres), weight) if sentences else None

    def _inner_where(self, line: LogicalLine) -> list[nodes.Where] | None:
        if not re.match(r"where\b", line.first.text):
            return None
        where = self._where(
            Span(self.source, line.first.line, line.first.column, 5), line.after(5 + spaces(line.first.text[5:]))
        )
        return [where] if where else []

    def _sentence(self, line: LogicalLine) -> nodes.Sentence | None:
        mark = line.first.text[0]
        body = line.after(1 + spaces(line.first.text[1:]))
        text = self.parse("text", body)
        span = Span(self.source, line.first.line, line.first.column, max(1, len(line.first.text)))
        return nodes.Sentence(span, mark, text) if text else None

    def _example(self, span: Span, rest: LogicalLine) -> nodes.Example | None:
        words = " ".join(segment.text for segment in rest.segments).split()
        parts: list[list[str]] = [[]]
        for word in words:
            if word == "/":
                parts.append([])
            else:
                parts[-1].append(word)
        place = Span(self.source, rest.first.line, rest.first.column, max(1, len(rest.first.text)))
        slashes = [m.end() for m in re.finditer(r"(?<=\s)/\s*", rest.first.text)]
        bad = []
        for number, part in enumerate(parts[1:]):
            at = slashes[number] if number < len(slashes) else 0
            length = len(rest.first.text[at:].split(" / ")[0])
            here = Span(self.source, rest.first.line, rest.first.column + at, max(1, length))
            if not part or not part[0].startswith("*"):
                message = "the second part of an example is not starred"
            elif part == ["*"]:
                message = "a starred example without words"
            else:
                starred = tuple(part[1:]) if part[0] == "*" else (part[0][1:], *part[1:])
                bad.append(nodes.StarredExample(here, starred))
                continue
            self.diagnostics.append(Diagnostic("syntax", message, here, "write example good words / * bad words"))
            return None
        if not parts[0]:
            self.diagnostics.append(
                Diagnostic("syntax", "an example without words", place, "write example good words / * bad words")
            )
            return None
        return nodes.Example(place, tuple(parts[0]), tuple(bad))
