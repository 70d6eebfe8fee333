"""Formulas as text: one grammar for SyntaxGym's predictions and for the expectations of our designs.

    [(6;%match_sing%) < (6;%mismatch_sing%)] & [(*;%a%) > (*;%b%)]
    (match, sing).verb < (mismatch, sing).verb and not match_plural = mismatch_plural within 0.5

Operators, tightest first: `+ -`, then `< > =` (with `within`), then `not`, then `& |` (`and`, `or`).  Groups stand in
`( )` or `[ ]`.  A chain of comparisons and `&` beside `|` without a group are refused: readers of SyntaxGym's files
disagree on what they mean.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from scorers.errors import Findings
from scorers.formulas.nodes import (
    Arithmetic,
    Comparison,
    Formula,
    Joined,
    Measured,
    Negation,
    Number,
    Quantity,
)
from scorers.formulas.trees import TreeError, from_tree
from scorers.measures import WHOLE

if TYPE_CHECKING:
    from lark import Lark

_GRAMMAR = r"""
start: joined
joined: denied (_join denied)*
_join: AND | OR
denied: NOT denied | compared
compared: sum (_compare sum)* margin?
_compare: LESS | MORE | EQUAL
margin: WITHIN sum
sum: atom (_sign atom)*
_sign: PLUS | MINUS
atom: REGION -> region
    | NUMBER -> number
    | MINUS NUMBER -> negative
    | PLUS NUMBER -> positive
    | levels ("." (NAME | STAR))? -> measured
    | "(" joined ")" -> group
    | "(" joined ")" "." (NAME | STAR) -> group_region
    | "[" joined "]" -> group
levels: NAME | "(" NAME ("," NAME)+ ")"

REGION.2: /\(\s*[^;%()\[\]]*[^;%()\[\]\s]\s*;\s*%\s*[^%()\s]+\s*%\s*\)/
NUMBER: /\d+(\.\d+)?([eE][+-]?\d+)?/
NAME: /[^\W\d]\w*/
AND: "&" | "and"
OR: "|" | "or"
NOT: "not"
WITHIN: "within"
STAR: "*"
LESS: "<"
MORE: ">"
EQUAL: "="
PLUS: "+"
MINUS: "-"
%ignore /\s+/
"""

_NAME = re.compile(r"[^\W\d]\w*")
_WORDS = ("and", "or", "not", "within")
_REGION = re.compile(r"[^;%()\[\]]+")
_CONDITION = re.compile(r"[^%()\s]+")

_EXPECTED = (
    ({"PLUS", "MINUS", "LESS", "MORE", "EQUAL", "AND", "OR"}, "an operator (+ - < > = & |)"),
    ({"NAME"}, "a name"),
    ({"NUMBER"}, "a number"),
    ({"COMMA"}, "','"),
    ({"RPAR"}, "')'"),
    ({"RSQB"}, "']'"),
)

# Groups within groups; a deeper formula is a mistake, and reading it would exhaust Python's stack.
_MOST_DEPTH = 100

# The same holds for sums, which are read as `((a + b) + c) + d`.
_MOST_SIGNS = 200


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(_GRAMMAR, parser="lalr", propagate_positions=True)


def parse_formula(text: str, file: str = "", line: int = 0) -> Formula:
    """A formula, from either notation or from the JSON of its tree (docs/item-format.md, 'Expectations').

    `file` and `line` say where it stands.  Raises InputError with all findings; their columns count in the formula.
    """
    findings = Findings()
    formula = read_formula(text, findings, file, line)
    findings.require_none()
    assert formula is not None, "a formula without a finding is read"
    return formula


def read_formula(text: str, findings: Findings, file: str = "", line: int = 0) -> Formula | None:
    """A formula as `parse_formula` reads it; what is wrong goes to `findings`, and the result is None."""
    build = _Builder(text, findings, file, line)
    if text.lstrip().startswith("{"):
        return build.of_json()
    from lark.exceptions import UnexpectedInput

    if _depth(text) > _MOST_DEPTH:
        build.error(f"groups are nested more than {_MOST_DEPTH} deep", 0)
        return None
    if text.count("+") + text.count("-") > _MOST_SIGNS:
        build.error(f"a formula with more than {_MOST_SIGNS} signs", 0)
        return None
    try:
        parsed = _parser().parse(text)
    except UnexpectedInput as error:
        build.syntax_error(error)
        return None
    built = build.joined(parsed.children[0])
    if built is not None and not isinstance(built, Formula):
        build.error("the formula compares nothing: expected '<', '>' or '='", 0)
    return built if isinstance(built, Formula) and not build.has_errors else None


def _depth(text: str) -> int:
    depth = deepest = 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        deepest = max(deepest, depth)
    return max(deepest, text.count("not"))


class _Builder:
    """Turns what the parser gives into a formula, and collects what is wrong with it."""

    def __init__(self, text: str, findings: Findings, file: str, line: int) -> None:
        # A formula is shown in one line.
        self.text = re.sub(r"\s", " ", text)
        self.findings, self.file, self.line = findings, file, line
        self.has_errors = False

    def error(self, message: str, at: int, hint: str = "") -> None:
        """Keep an error at this character of the formula, from 0."""
        self.has_errors = True
        self.findings.error(message, self.file, self.line, "bad-formula", column=at + 1, text=self.text, hint=hint)

    def of_json(self) -> Formula | None:
        """A formula that is written as the JSON of its tree."""
        try:
            return from_tree(json.loads(self.text))
        except json.JSONDecodeError as error:
            self.error(f"a formula as JSON: {error.msg}", error.pos)
        except TreeError as error:
            self.error(f"a formula as JSON: {error}", 0)
        except RecursionError:
            self.error("a formula as JSON is nested too deeply", 0)
        return None

    def syntax_error(self, error: Any) -> None:
        """What the parser met, and what may stand there."""
        token = getattr(error, "token", None)
        at = getattr(error, "pos_in_stream", None)
        if at is None or at < 0 or (token is not None and token.type == "$END"):
            at = len(self.text.rstrip())
        found = f"'{self.text[at : at + 20].split()[0]}'" if self.text[at:].strip() else "the end of the formula"
        known = (getattr(error, name, None) for name in ("accepts", "expected", "allowed"))
        wanted = set(next((names for names in known if names), ()))
        if "REGION" in wanted:
            expected = "a region such as (6;%condition%) or (level, level).region, a number or a group"
        else:
            may_stand = [name for kinds, name in _EXPECTED if wanted & kinds]
            expected = " or ".join(may_stand) or "an operator"
        self.error(f"found {found}, expected {expected}", at)

    def joined(self, node: Any) -> Formula | Quantity | None:
        """`A & B & C`; `A & B | C` is refused."""
        if len(node.children) == 1:
            return self.denied(node.children[0])
        signs = node.children[1::2]
        kinds = [sign.type for sign in signs]
        for sign, kind in zip(signs, kinds, strict=True):
            if kind != kinds[0]:
                first = "[A & B] | C" if kinds[0] == "AND" else "[A | B] & C"
                second = "A & [B | C]" if kinds[0] == "AND" else "A | [B & C]"
                self.error("& and | are mixed without a group", sign.start_pos, f"write {first} or {second}")
                break
        parts = [self.denied(part) for part in node.children[::2]]
        formulas = [part for part in parts if isinstance(part, Formula)]
        for child, part in zip(node.children[::2], parts, strict=True):
            if part is not None and not isinstance(part, Formula):
                self.error(f"'{signs[0]}' joins comparisons, and this is a quantity", child.meta.start_pos)
        if len(formulas) < len(parts):
            return None
        return Joined("&" if kinds[0] == "AND" else "|", tuple(formulas))

    def denied(self, node: Any) -> Formula | Quantity | None:
        """`not A`, or a comparison."""
        if len(node.children) == 1:
            return self.compared(node.children[0])
        part = self.denied(node.children[1])
        if part is not None and not isinstance(part, Formula):
            self.error("'not' takes a comparison, and this is a quantity", node.children[1].meta.start_pos)
        return Negation(part) if isinstance(part, Formula) else None

    def compared(self, node: Any) -> Formula | Quantity | None:
        """`a < b within 0.5`; a chain `a < b < c` is refused."""
        children = list(node.children)
        margin = children.pop() if getattr(children[-1], "data", "") == "margin" else None
        within = self.margin(margin) if margin is not None else None
        signs, sides = children[1::2], children[::2]
        if not signs:
            if margin is not None:
                self.error("'within' without a comparison", margin.children[0].start_pos, "write a = b within 0.5")
                return None
            return self.sum(sides[0])
        if len(signs) > 1:
            hint = f"write (a {signs[0]} b) & (b {signs[1]} c)"
            self.error(f"a chained comparison: a {signs[0]} b {signs[1]} c", signs[1].start_pos, hint)
            return None
        left, right = (self.quantity(self.sum(side), side, str(signs[0])) for side in sides)
        if left is None or right is None:
            return None
        return Comparison(signs[0].value, left, right, within)

    def margin(self, node: Any) -> float | None:
        """The number behind `within`."""
        value = self.sum(node.children[1])
        if isinstance(value, Number) and value.value >= 0:
            return value.value
        self.error("'within' takes a number, and none below zero", node.children[1].meta.start_pos)
        return None

    def sum(self, node: Any) -> Formula | Quantity | None:
        """`a - b + c`, from left to right."""
        result = self.atom(node.children[0])
        for sign, child in zip(node.children[1::2], node.children[2::2], strict=True):
            left = self.quantity(result, node, str(sign))
            right = self.quantity(self.atom(child), child, str(sign))
            if left is None or right is None:
                return None
            result = Arithmetic(sign.value, left, right)
        return result

    def quantity(self, built: Formula | Quantity | None, node: Any, sign: str) -> Quantity | None:
        """What is built, if it is a quantity."""
        if isinstance(built, Formula):
            self.error(f"'{sign}' takes quantities, and this is a comparison", node.meta.start_pos)
            return None
        return built

    def atom(self, node: Any) -> Formula | Quantity | None:
        """A region, a number or a group."""
        last = node.children[-1]
        if node.data == "group":
            return self.joined(last)
        if node.data == "group_region":
            # `(match).verb`: one level in parentheses is read as a group of it.
            inner = self.joined(node.children[0])
            if isinstance(inner, Measured) and inner.region == WHOLE:
                return Measured(inner.condition, str(last))
            if inner is not None:
                self.error("'.' follows a condition, and this is a group", last.start_pos - 1, "write match.verb")
            return None
        if node.data == "measured":
            levels = "_".join(str(name) for name in node.children[0].children)
            return Measured(levels, str(last) if len(node.children) > 1 else WHOLE)
        if node.data == "region":
            region, condition = (part.strip().strip("%").strip() for part in str(last)[1:-1].split(";"))
            # `06` is region 6.
            return Measured(condition, (region.lstrip("0") or "0") if region.isdecimal() else region)
        value = float(last)
        if not math.isfinite(value):
            self.error(f"the number {last} is too large", last.start_pos)
            return None
        return Number(-value if node.data == "negative" else value)


def print_formula(formula: Formula) -> str:
    """A formula as text that `parse_formula` reads as the same: `match_sing.verb`, or `(6;%match_sing%)` for regions
    that are no names.
    """
    if isinstance(formula, Joined):
        return f" {formula.operator} ".join(
            f"({print_formula(part)})" if isinstance(part, Joined) else print_formula(part) for part in formula.parts
        )
    if isinstance(formula, Negation):
        inner = print_formula(formula.part)
        return f"not ({inner})" if isinstance(formula.part, Joined) else f"not {inner}"
    margin = "" if formula.within is None else f" within {_number(formula.within)}"
    return f"{print_quantity(formula.left)} {formula.operator} {print_quantity(formula.right)}{margin}"


def print_quantity(quantity: Quantity) -> str:
    """A quantity as text."""
    if isinstance(quantity, Number):
        return _number(quantity.value)
    if isinstance(quantity, Arithmetic):
        right = print_quantity(quantity.right)
        right = f"({right})" if isinstance(quantity.right, Arithmetic) else right
        return f"{print_quantity(quantity.left)} {quantity.operator} {right}"
    condition, region = quantity.condition, quantity.region
    if _is_name(condition) and (region == WHOLE or _is_name(region)):
        return condition if region == WHOLE else f"{condition}.{region}"
    if not _CONDITION.fullmatch(condition) or not _REGION.fullmatch(region) or region != region.strip():
        raise ValueError(f"no formula can name the region '{region}' of the condition '{condition}'")
    return f"({region};%{condition}%)"


def _is_name(text: str) -> bool:
    return bool(_NAME.fullmatch(text)) and text not in _WORDS


def _number(value: float) -> str:
    shown = f"{Decimal(repr(value)):f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown
