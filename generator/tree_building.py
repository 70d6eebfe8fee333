"""From Lark's parse of one line to the records of `nodes`."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer

from generator import formulas, nodes
from generator.source import SourceFile, Span

_MARKS = {"STAR": "*", "PLUS": "+"}


class TreeBuilder(Transformer[Token, Any]):
    """Builds nodes bottom-up; each method is named after a rule of `grammar.lark`."""

    def __init__(self, source: SourceFile) -> None:
        super().__init__(visit_tokens=False)
        self.source = source

    def _span(self, token: Token) -> Span:
        return Span(
            self.source, token.line or 1, token.column or 1, max(1, (token.end_column or 0) - (token.column or 0))
        )

    def _cover(self, children: list[Any]) -> Span:
        spans = [self._span(c) if isinstance(c, Token) else c.span for c in children]
        return spans[0].to(spans[-1])

    # --- text ---------------------------------------------------------------------------------------------------

    def word(self, children: list[Token]) -> nodes.Word:
        return nodes.Word(self._span(children[0]), str(children[0]))

    def brace(self, children: list[Any]) -> nodes.Brace:
        return nodes.Brace(self._cover(children), children[1])

    def region(self, children: list[Any]) -> nodes.RegionText:
        return nodes.RegionText(self._cover(children), str(children[0]), children[1])

    def text(self, children: list[Any]) -> nodes.Text:
        items: list[nodes.TextItem] = []
        for child in children:
            previous = items[-1].span if items else None
            glued = (
                previous is not None
                and previous.line == child.span.line
                and previous.column + previous.length == child.span.column
            )
            items.append(_glue(child) if glued else child)
        return nodes.Text(self._cover(children), tuple(items))

    def cell(self, children: list[Any]) -> nodes.Text | None:
        return self.text(children) if children else None

    def cells(self, children: list[Any]) -> list[nodes.Text]:
        """The cells of a row; an empty one keeps the place of its bar."""
        result: list[nodes.Text] = []
        place = Span(self.source, 1, 1)
        for child in children:
            if isinstance(child, Token):
                place = self._span(child)
            else:
                result.append(child if child is not None else nodes.Text(place, ()))
        return result

    def rule(self, children: list[Any]) -> nodes.PhraseRule:
        weight = int(str(children[1])[1:]) if len(children) > 1 else 1
        return nodes.PhraseRule(self._cover(children), children[0], weight)

    def rules(self, children: list[Any]) -> list[nodes.PhraseRule]:
        return [child for child in children if not isinstance(child, Token)]

    # --- braces ---------------------------------------------------------------------------------------------------

    def choice(self, children: list[Any]) -> nodes.Choice:
        alternatives = tuple(child for child in children if not isinstance(child, Token))
        return nodes.Choice(self._cover(children), alternatives)

    def level_tuple(self, children: list[Token]) -> tuple[str, ...]:
        return tuple(str(child) for child in children if child.type == "NAME")

    def arm(self, children: list[Any]) -> tuple[tuple[tuple[str, ...], ...], nodes.Alternative]:
        *levels, alternative = children
        tuples = tuple((str(level),) if isinstance(level, Token) else level for level in levels)
        return tuples, alternative

    def arms(self, children: list[Any]) -> nodes.Choice:
        names = tuple(str(child) for child in children if isinstance(child, Token) and child.type == "NAME")
        found = [child for child in children if not isinstance(child, Token)]
        span = self._span(children[0]).to(found[-1][1].span)
        return nodes.Choice(span, tuple(arm for _, arm in found), names, tuple(tuples for tuples, _ in found))

    def mark(self, children: list[Token]) -> Token:
        return children[0]

    def weight(self, children: list[Token]) -> Token:
        return children[1]

    def row(self, children: list[Any]) -> tuple[Any, ...]:
        return tuple(children)

    def alternative(self, children: list[Any]) -> nodes.Alternative:
        mark, weight, body = "", 1, None
        flat: list[Any] = []
        for child in children:
            if isinstance(child, Token) and child.type in _MARKS:
                mark = _MARKS[child.type]
                flat.append(child)
            elif isinstance(child, Token):
                weight = int(child)
                flat.append(child)
            else:
                body = child
                flat.extend(child if isinstance(child, tuple) else (child,))
        assert body is not None
        return nodes.Alternative(self._cover(flat), body, mark, weight)

    def quoted(self, children: list[Any]) -> nodes.Quoted:
        return nodes.Quoted(self._cover(children), str(children[0]), tuple(children[1:]))

    def mention(self, children: list[Any]) -> nodes.Mention:
        return nodes.Mention(self._cover(children), str(children[0]), tuple(children[1:]), "", self._span(children[0]))

    def labelled_mention(self, children: list[Any]) -> nodes.Mention:
        label, _, name, *features = children
        return nodes.Mention(self._cover(children), str(name), tuple(features), str(label), self._span(name))

    # --- features ---------------------------------------------------------------------------------------------------

    def atom(self, children: list[Token]) -> Token:
        return children[0]

    def feature(self, children: list[Token]) -> nodes.Feature:
        return nodes.Feature(self._span(children[0]), str(children[0]))

    def negative_feature(self, children: list[Token]) -> nodes.Feature:
        return nodes.Feature(self._cover(children), str(children[1]), negative=True)

    def feature_value(self, children: list[Token]) -> nodes.FeatureValue:
        return nodes.FeatureValue(self._cover(children), str(children[0]), str(children[2]))

    def negative_value(self, children: list[Token]) -> nodes.FeatureValue:
        return nodes.FeatureValue(self._cover(children), str(children[0]), str(children[3]), negative=True)

    def feature_of(self, children: list[Token]) -> nodes.FeatureValue:
        return nodes.FeatureValue(self._cover(children), str(children[0]), str(children[4]), of=str(children[2]))

    def negative_feature_of(self, children: list[Token]) -> nodes.FeatureValue:
        return nodes.FeatureValue(
            self._cover(children), str(children[0]), str(children[5]), of=str(children[3]), negative=True
        )

    def variable(self, children: list[Token]) -> nodes.VariableFeature:
        return nodes.VariableFeature(self._span(children[0]), str(children[0]))

    def variable_part(self, children: list[Token]) -> nodes.VariableFeature:
        return nodes.VariableFeature(self._cover(children), str(children[0]), str(children[2]))

    def broken(self, children: list[Token]) -> nodes.VariableFeature:
        return nodes.VariableFeature(self._cover(children), str(children[1]), broken=True)

    def broken_part(self, children: list[Token]) -> nodes.VariableFeature:
        return nodes.VariableFeature(self._cover(children), str(children[1]), str(children[3]), broken=True)

    def after(self, children: list[Token]) -> nodes.After:
        return nodes.After(self._cover(children), str(children[1]))

    def word_feature(self, children: list[Token]) -> nodes.WordFeature:
        return nodes.WordFeature(self._span(children[0]), str(children[0]))

    def negative_word(self, children: list[Token]) -> nodes.WordFeature:
        return nodes.WordFeature(self._cover(children), str(children[1]), negative=True)

    # --- statements -------------------------------------------------------------------------------------------------

    def slot(self, children: list[Any]) -> nodes.SlotDefinition:
        return nodes.SlotDefinition(self._span(children[0]), str(children[0]), children[2])

    def answer(self, children: list[Any]) -> nodes.Answer:
        return nodes.Answer(self._span(children[0]), str(children[0]), children[2])

    def target(self, children: list[Token]) -> nodes.Target:
        return nodes.Target(self._span(children[0]), str(children[0]))

    def operands(self, children: list[Any]) -> tuple[nodes.Operand, ...]:
        return tuple(child for child in children if not isinstance(child, Token))

    def column(self, children: list[Token]) -> nodes.Column:
        return nodes.Column(self._cover(children), tuple(str(child) for child in children))

    def table_header(self, children: list[Any]) -> tuple[Token, tuple[nodes.Column, ...]]:
        return children[0], tuple(child for child in children if isinstance(child, nodes.Column))

    def phrase_header(self, children: list[Any]) -> tuple[Token, list[nodes.AnyFeature], int | None]:
        depth = next((int(c) for c in children if isinstance(c, Token) and c.type == "INT"), None)
        return children[0], [child for child in children if not isinstance(child, Token)], depth

    def var_definition(self, children: list[Token]) -> nodes.VariableDefinition:
        place = self._span(children[2])
        return nodes.VariableDefinition(self._span(children[0]), str(children[0]), str(children[2]), place)

    def weighted(self, children: list[Token]) -> tuple[str, int]:
        return str(children[0]), int(children[1]) if len(children) > 1 else 1

    def path(self, children: list[Any]) -> tuple[nodes.Operand, tuple[tuple[str, int], ...]]:
        return children[0], tuple(child for child in children[1:] if not isinstance(child, Token))

    def cross(self, children: list[Any]) -> tuple[tuple[nodes.Operand, tuple[tuple[str, int], ...]], ...]:
        return tuple(child for child in children if not isinstance(child, Token))

    def balance(self, children: list[Any]) -> tuple[nodes.Operand, ...]:
        return tuple(child for child in children if not isinstance(child, Token))

    def fixed(self, children: list[Token]) -> tuple[Token, Token]:
        return children[0], children[1]

    def level(self, children: list[Any]) -> nodes.Level:
        tokens = [part for child in children for part in (child if isinstance(child, tuple) else (child,))]
        name = next(token for token in tokens if token.type == "NAME")
        fixes = tuple((str(child[0]), str(child[1])) for child in children if isinstance(child, tuple))
        return nodes.Level(self._cover(tokens), str(name), tokens[0].type == "STAR", fixes)

    def factor(self, children: list[Any]) -> nodes.FactorDefinition:
        levels = tuple(child for child in children if isinstance(child, nodes.Level))
        return nodes.FactorDefinition(self._span(children[0]), str(children[0]), levels)

    def variable_value(self, children: list[Token]) -> nodes.VariableFeature:
        part = str(children[2]) if len(children) > 1 else ""
        return nodes.VariableFeature(self._cover(children), str(children[0]), part)

    def family_brace(self, children: list[Any]) -> nodes.Mention | nodes.VariableFeature:
        inner: nodes.Mention | nodes.VariableFeature = children[1]
        return inner

    def family(self, children: list[Any]) -> tuple[str | nodes.Mention | nodes.VariableFeature, ...]:
        return tuple(child.text if isinstance(child, nodes.Word) else child for child in children)

    # --- conditions ---------------------------------------------------------------------------------------------------

    def name(self, children: list[Token]) -> nodes.Operand:
        return nodes.Operand(self._span(children[0]), str(children[0]))

    def name_part(self, children: list[Token]) -> nodes.Operand:
        return nodes.Operand(self._cover(children), str(children[0]), str(children[2]))

    def variable_name(self, children: list[Token]) -> nodes.Operand:
        return nodes.Operand(self._span(children[0]), str(children[0]), "", "variable")

    def variable_name_part(self, children: list[Token]) -> nodes.Operand:
        return nodes.Operand(self._cover(children), str(children[0]), str(children[2]), "variable")

    def string_operand(self, children: list[Token]) -> nodes.Operand:
        return nodes.Operand(self._span(children[0]), str(children[0]), "", "word")

    def comparison(self, children: list[Any]) -> nodes.Comparison:
        operands = [child for child in children if isinstance(child, nodes.Operand)]
        signs = {"EQ": "=", "NE": "!=", "IN": "in", "FITS": "fits"}
        operator = signs[children[1].type] if len(children) > 1 else ""
        return nodes.Comparison(self._cover(children), operands[0], operator, tuple(operands[1:]))

    def predicate(self, children: list[Any]) -> nodes.Predicate:
        verb = nodes.Operand(self._span(children[0]), str(children[0]))
        arguments = tuple(child for child in children if isinstance(child, nodes.Operand))
        return nodes.Predicate(self._cover(children), verb, arguments)

    def group(self, children: list[Any]) -> nodes.Condition:
        inner: nodes.Condition = children[1]
        return inner

    def negation(self, children: list[Any]) -> nodes.Logical:
        return nodes.Logical(self._cover(children), "not", (children[1],))

    def both(self, children: list[Any]) -> nodes.Condition:
        return self._joined("and", children)

    def either(self, children: list[Any]) -> nodes.Condition:
        return self._joined("or", children)

    def _joined(self, operator: str, children: list[Any]) -> nodes.Condition:
        parts = tuple(child for child in children if not isinstance(child, Token))
        return parts[0] if len(parts) == 1 else nodes.Logical(self._cover(children), operator, parts)

    # --- expectations -------------------------------------------------------------------------------------------------

    def levels(self, children: list[Token]) -> tuple[Span, tuple[str, ...]]:
        return self._cover(children), tuple(str(child) for child in children if child.type == "NAME")

    def number_text(self, children: list[Token]) -> Token:
        return children[0]

    def margin(self, children: list[Token]) -> Token:
        return children[1]

    def measured_level(self, children: list[Token]) -> formulas.Measured:
        return formulas.Measured(self._span(children[0]), (str(children[0]),))

    def measured_region(self, children: list[Token]) -> formulas.Measured:
        return formulas.Measured(self._cover(children), (str(children[0]),), str(children[2]))

    def measured_levels(self, children: list[Any]) -> formulas.Measured:
        span, names = children[0]
        return formulas.Measured(span, names)

    def measured_levels_region(self, children: list[Any]) -> formulas.Measured:
        span, names = children[0]
        return formulas.Measured(span.to(self._span(children[2])), names, str(children[2]))

    def number(self, children: list[Token]) -> formulas.Number:
        return formulas.Number(self._span(children[0]), str(children[0]))

    def quantity_group(self, children: list[Any]) -> formulas.Quantity:
        inner: formulas.Quantity = children[1]
        return inner

    def arithmetic(self, children: list[Any]) -> formulas.Arithmetic:
        left, sign, right = children
        return formulas.Arithmetic(left.span.to(right.span), str(sign), left, right)

    def prediction(self, children: list[Any]) -> formulas.Prediction:
        left, sign, right, *margin = children
        span = left.span.to(self._span(margin[0]) if margin else right.span)
        return formulas.Prediction(span, str(sign), left, right, str(margin[0]) if margin else "")

    def formula_group(self, children: list[Any]) -> formulas.Formula:
        inner: formulas.Formula = children[1]
        # Kept apart, so that 'and' and 'or' side by side are told from those in parentheses.
        return formulas.JoinedFormula(self._cover(children), "group", (inner,))

    def formula_negation(self, children: list[Any]) -> formulas.JoinedFormula:
        return formulas.JoinedFormula(self._cover(children), "not", (children[1],))

    def all_parts(self, children: list[Any]) -> formulas.Formula:
        return self._all("and", children)

    def any_of(self, children: list[Any]) -> formulas.Formula:
        return self._all("or", children)

    def _all(self, operator: str, children: list[Any]) -> formulas.Formula:
        parts = tuple(child for child in children if not isinstance(child, Token))
        return parts[0] if len(parts) == 1 else formulas.JoinedFormula(self._cover(children), operator, parts)


def _glue(item: nodes.TextItem) -> nodes.TextItem:
    match item:
        case nodes.Word():
            return nodes.Word(item.span, item.text, True)
        case nodes.Brace():
            return nodes.Brace(item.span, item.choice, True)
        case nodes.RegionText():
            return nodes.RegionText(item.span, item.name, item.text, True)
