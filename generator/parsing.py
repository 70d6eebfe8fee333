"""Text -> frozen syntax tree with spans; every syntax error of the file in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from lark.exceptions import UnexpectedToken

from generator import nodes
from generator.errors import Diagnostic, nearest
from generator.lexing import (
    LexError,
    LogicalLine,
    Tokenizer,
    logical_lines,
    spaces,
    split_at_colon,
    without_leading_bar,
)
from generator.line_parsing import known_states, line_parser, tokenize
from generator.source import SourceFile, Span
from generator.syntax_errors import TOKEN_NAMES
from generator.tree_building import TreeBuilder

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
    "one",
    "versions",
    "factor",
    "expect",
)


class _FileParser:
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
        path = rest.first.text.strip()
        place = Span(self.source, rest.first.line, rest.first.column, max(1, len(path)))
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


def parse(source: SourceFile) -> tuple[nodes.GrammarFile, list[Diagnostic]]:
    """Parse a grammar file.  What could be parsed is returned beside every syntax error."""
    parser = _FileParser(source)
    statements = tuple(parser.statements())
    if not statements and not parser.diagnostics:
        parser.diagnostics.append(
            Diagnostic("empty", "the grammar is empty", Span(source, 1, 1), "write a '+' line; `gen new` shows how")
        )
    return nodes.GrammarFile(source, statements, frozenset(parser.failed)), parser.diagnostics
