"""Text -> frozen syntax tree with spans; every syntax error of the file in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from generator import nodes
from generator.block_parsing import BlockParser
from generator.errors import Diagnostic, nearest
from generator.lexing import (
    LogicalLine,
    logical_lines,
    spaces,
    split_at_colon,
)
from generator.source import SourceFile, Span

META_KEYWORDS = ("paradigm", "phenomenon", "field", "language", "about", "source")
KEYWORDS = (
    *META_KEYWORDS,
    "import",
    "slot",
    "table",
    "phrase",
    "template",
    "where",
    "repeat",
    "distinct",
    "cross",
    "target",
    "answer",
    "example",
    "var",
    "balance",
    "uniform",
    "unrepeated",
    "one",
    "versions",
    "factor",
    "expect",
)


class _FileParser(BlockParser):
    """Parses the statements of a file."""

    # --- statements ---------------------------------------------------------------------------------------------

    def statements(self) -> Iterator[nodes.Statement]:
        for line in logical_lines(self.source):
            statement = self._statement(line)
            if statement is not None:
                yield statement
            elif name := re.match(r"\w+\s+([^\W\d]\w*)", line.first.text):
                self.failed.add(name.group(1))  # it counts as defined, so that its uses are not reported too

    def _statement(self, line: LogicalLine) -> nodes.Statement | None:
        text = line.first.text
        if line.first.column > 1:
            self._fail(line, "an indented line that continues nothing", "begin statements at the margin")
            return None
        if text[0] in "+*":
            for segment in line.segments[1:]:
                if re.match(r"[+*](\s|$)", segment.text):
                    self.diagnostics.append(
                        Diagnostic(
                            "syntax",
                            f"an indented line that begins with '{segment.text[0]}' continues the sentence above",
                            Span(self.source, segment.line, segment.column),
                            "begin sentences at the margin",
                        )
                    )
                    return None
            sentence = self._sentence(line)
            return nodes.TemplateDefinition(sentence.span, (), (sentence,)) if sentence else None
        word = re.match(r"[^\s:={\[(]*", text)
        keyword = word.group() if word else ""
        span = Span(self.source, line.first.line, line.first.column, max(1, len(keyword)))
        rest = line.after(len(keyword) + spaces(text[len(keyword) :]))
        if keyword in META_KEYWORDS:
            return self._meta(keyword, span, line)
        if keyword not in KEYWORDS:
            hint = nearest(keyword, KEYWORDS)
            self._fail(
                line,
                f"unknown statement '{keyword or text[0]}'",
                hint or "a sentence line begins with '+' or '*'",
                max(1, len(keyword)),
            )
            return None
        parse: Callable[[Span, LogicalLine], nodes.Statement | None] = getattr(self, f"_{keyword}")
        return parse(span, rest)

    def _meta(self, keyword: str, span: Span, line: LogicalLine) -> nodes.Meta | None:
        value = " ".join(segment.text for segment in line.segments)[len(keyword) :].strip()
        if not value:
            self._fail(line, f"'{keyword}' without a value", f"write {keyword} and what it is")
            return None
        column = line.first.column + len(keyword) + spaces(line.first.text[len(keyword) :])
        place = Span(self.source, line.first.line, column, max(1, len(line.first.text) - column + line.first.column))
        return nodes.Meta(span, keyword, value, place)

    def _import(self, span: Span, rest: LogicalLine) -> nodes.Import | None:
        path = " ".join(segment.text.strip() for segment in rest.segments)
        place = Span(self.source, rest.first.line, rest.first.column, max(1, len(rest.first.text.strip())))
        if not path:
            self.diagnostics.append(
                Diagnostic("syntax", "an import without a file", place, "write import en/lib/basics")
            )
            return None
        if not re.fullmatch(r"[\w./-]+", path):
            self.diagnostics.append(
                Diagnostic("syntax", f"'{path}' is not a file to import", place, "write import en/lib/basics")
            )
            return None
        return nodes.Import(place, path)

    def _slot(self, span: Span, rest: LogicalLine) -> nodes.SlotDefinition | None:
        slot: nodes.SlotDefinition | None = self.parse("slot", rest)
        return slot

    def _answer(self, span: Span, rest: LogicalLine) -> nodes.Answer | None:
        answer: nodes.Answer | None = self.parse("answer", rest)
        return answer

    def _target(self, span: Span, rest: LogicalLine) -> nodes.Target | None:
        target: nodes.Target | None = self.parse("target", rest)
        return target

    def _cross(self, span: Span, rest: LogicalLine) -> nodes.Cross | None:
        paths = self.parse("cross", rest)
        return nodes.Cross(span, tuple(p for p, _ in paths), tuple(w for _, w in paths)) if paths else None

    def _var(self, span: Span, rest: LogicalLine) -> nodes.VariableDefinition | None:
        variable: nodes.VariableDefinition | None = self.parse("var_definition", rest)
        return variable

    def _factor(self, span: Span, rest: LogicalLine) -> nodes.FactorDefinition | None:
        factor: nodes.FactorDefinition | None = self.parse("factor", rest)
        return factor

    def _balance(self, span: Span, rest: LogicalLine) -> nodes.Balance | None:
        operands: tuple[nodes.Operand, ...] | None = self.parse("balance", rest)
        if operands is None or not self._are_names("balance", operands, "write balance A, B by frequency"):
            return None
        return nodes.Balance(span, operands[:-1], operands[-1])

    def _uniform(self, span: Span, rest: LogicalLine) -> nodes.Option | None:
        return self._option("uniform", span, rest)

    def _unrepeated(self, span: Span, rest: LogicalLine) -> nodes.Option | None:
        return self._option("unrepeated", span, rest)

    def _one(self, span: Span, rest: LogicalLine) -> nodes.Option | None:
        return self._option("one star", span, rest)

    def _versions(self, span: Span, rest: LogicalLine) -> nodes.Option | None:
        return self._option("versions product", span, rest)

    def _option(self, words: str, span: Span, rest: LogicalLine) -> nodes.Option | None:
        wanted = words.split()[1:]
        found = " ".join(segment.text for segment in rest.segments).split()
        if found != wanted:
            shown = f"found '{' '.join(found)}' after '{words.split()[0]}'" if found else f"'{words.split()[0]}' alone"
            self.diagnostics.append(Diagnostic("syntax", shown, span, f"write {words}"))
            return None
        return nodes.Option(span, words)

    def _expect(self, span: Span, rest: LogicalLine) -> nodes.Expect | None:
        split = split_at_colon(rest)
        name = ""
        if split is not None:
            name = split[0].first.text.strip()
            rest = split[1]
            if not re.fullmatch(r"[^\W\d]\w*", name):
                self._fail(split[0], f"'{name}' is not a name", "write expect NAME: formula")
                return None
        formula = self.parse("formula", rest)
        return nodes.Expect(span, name, formula) if formula else None

    def _repeat(self, span: Span, rest: LogicalLine) -> nodes.NamesStatement | None:
        return self._names("repeat", span, rest)

    def _distinct(self, span: Span, rest: LogicalLine) -> nodes.NamesStatement | None:
        return self._names("distinct", span, rest)

    def _names(self, keyword: str, span: Span, rest: LogicalLine) -> nodes.NamesStatement | None:
        operands: tuple[nodes.Operand, ...] | None = self.parse("operands", rest)
        if operands is None:
            return None
        if not self._are_names(keyword, operands, f"write {keyword} a, b"):
            return None
        if len(operands) < 2:
            self.diagnostics.append(
                Diagnostic("syntax", f"'{keyword}' needs two names or more", operands[0].span, f"write {keyword} a, b")
            )
            return None
        return nodes.NamesStatement(span, keyword, operands)

    def _are_names(self, keyword: str, operands: tuple[nodes.Operand, ...], hint: str) -> bool:
        for operand in operands:
            if operand.kind != "name" or operand.part:
                self.diagnostics.append(
                    Diagnostic("syntax", f"'{operand.span.text}' is not a slot", operand.span, hint)
                )
                return False
        return True


def parse(source: SourceFile) -> tuple[nodes.GrammarFile, list[Diagnostic]]:
    """Parse a grammar file.  What could be parsed is returned beside every syntax error."""
    parser = _FileParser(source)
    statements = tuple(parser.statements())
    if not statements and not parser.diagnostics:
        parser.diagnostics.append(
            Diagnostic("empty", "the grammar is empty", Span(source, 1, 1), "write a '+' line; `gen new` shows how")
        )
    return nodes.GrammarFile(source, statements, frozenset(parser.failed)), parser.diagnostics
