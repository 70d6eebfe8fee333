"""The formulas of SyntaxGym suites (Hu et al. 2020): text <-> the trees of `generator.formulas`.

A formula compares surprisals: `((6;%match%) < (6;%mismatch%)) & ((*;%a%) > (*;%b%))`.  Operators bind in the order
`+ -`, `< > =`, `& |`, equal ones from left to right; groups stand in `( )`, in published suites mostly in `[ ]`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from generator.errors import DataError, listed, nearest
from generator.formulas import FormulaTree

if TYPE_CHECKING:
    from lark import Lark

CONDITION_NAME = re.compile(r"[A-Za-z0-9_-]+")

_GRAMMAR = r"""
formula: joined
joined: compared (JOIN compared)*
compared: sum (COMPARE sum)*
sum: atom (SIGN atom)*
atom: REGION | SIGN? NUMBER | "(" joined ")" -> group | "[" joined "]" -> bracketed

REGION.2: /\(\s*(\d{1,6}|\*)\s*;\s*%\s*[^%()\s]+\s*%\s*\)/
NUMBER: /\d+(\.\d*)?([eE][+-]?\d+)?/
JOIN: "&" | "|"
COMPARE: "<" | ">" | "="
SIGN: "+" | "-"
%ignore /\s+/
"""

_JOINED = {"&": "and", "|": "or"}
_SIGNS = {name: sign for sign, name in _JOINED.items()}


class FormulaError(DataError):
    """A formula that cannot be read, or a tree that no formula of a suite says."""


@dataclass(frozen=True)
class ParsedFormula:
    """A formula as a tree, and what was accepted in it: `has_brackets`, `is_mixed` (& and | without parentheses)."""

    tree: FormulaTree
    has_brackets: bool = False
    is_mixed: bool = False


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(_GRAMMAR, parser="lalr", start="formula", propagate_positions=True)


def parse_formula(text: str, regions: Mapping[int, str], conditions: Collection[str]) -> ParsedFormula:
    """A formula of a suite with these regions (number -> name) and conditions.  Raises FormulaError."""
    from lark.exceptions import UnexpectedInput

    try:
        parsed = _parser().parse(text)
    except UnexpectedInput as error:
        raise FormulaError(_syntax_message(text, error)) from error
    build = _Builder(text, regions, conditions)
    try:
        tree = build.joined(parsed.children[0])
    except RecursionError as error:
        raise FormulaError(f"'{text[:60]}...': parentheses nested too deeply") from error
    if not _is_formula(tree):
        raise FormulaError(f"'{text}' compares nothing: expected '<', '>' or '='")
    return ParsedFormula(tree, build.has_brackets, build.is_mixed)


def _syntax_message(text: str, error: Any) -> str:
    place = getattr(error, "pos_in_stream", None)
    token = getattr(error, "token", None)
    at_end = token is not None and token.type == "$END"
    if at_end or place is None or place >= len(text):
        found = "the end"
    else:
        found = f"'{text[place : place + 12].split()[0]}' at character {place + 1}"
    known = (getattr(error, name, None) for name in ("accepts", "expected", "allowed"))
    wanted = set(next((names for names in known if names), ()))
    if "REGION" in wanted:
        expected = "a region such as (6;%condition%), a number or '('"
    else:
        expected = "an operator (+ - < > = & |)" + (" or a closing ')'" if wanted & {"RPAR", "RSQB"} else "")
    return f"'{text}': found {found}, expected {expected}"


class _Builder:
    """Turns a parsed formula into a tree."""

    def __init__(self, text: str, regions: Mapping[int, str], conditions: Collection[str]) -> None:
        self.text = text
        self.regions = regions
        self.conditions = conditions
        self.has_brackets = False
        self.is_mixed = False

    def joined(self, node: Any) -> Any:
        """`A & B | C`: equal operators make one tree, others bind from left to right."""
        parts, signs = [self.compared(part) for part in node.children[::2]], [str(s) for s in node.children[1::2]]
        if not signs:
            return parts[0]
        for part in parts:
            if not _is_formula(part):
                raise FormulaError(f"'{self.text}': '{signs[0]}' joins comparisons, and one side of it is a quantity")
        self.is_mixed |= len(set(signs)) > 1
        operator, group = _JOINED[signs[0]], [parts[0]]
        for sign, part in zip(signs, parts[1:], strict=True):
            if _JOINED[sign] != operator:
                operator, group = _JOINED[sign], [{operator: group}]
            group.append(part)
        return {operator: group}

    def compared(self, node: Any) -> Any:
        """`a < b`; a chain `a < b < c` is refused, since SyntaxGym itself reads only `a < b` of it."""
        sides, signs = [self.sum(side) for side in node.children[::2]], [str(s) for s in node.children[1::2]]
        if not signs:
            return sides[0]
        if len(signs) > 1:
            chain = f"a {signs[0]} b {signs[1]} c"
            parts = f"(a {signs[0]} b) & (b {signs[1]} c)"
            raise FormulaError(f"'{self.text}': a chained comparison '{chain}': write {parts}")
        self._require_quantities(sides, signs[0])
        return {signs[0]: sides}

    def sum(self, node: Any) -> Any:
        """`a - b + c`, from left to right."""
        parts, signs = [self.atom(part) for part in node.children[::2]], [str(s) for s in node.children[1::2]]
        if signs:
            self._require_quantities(parts, signs[0])
        result = parts[0]
        for sign, part in zip(signs, parts[1:], strict=True):
            result = {sign: [result, part]}
        return result

    def atom(self, node: Any) -> Any:
        """A region, a number or a group."""
        if node.data in ("group", "bracketed"):
            self.has_brackets |= node.data == "bracketed"
            return self.joined(node.children[0])
        *signs, last = node.children
        if last.type == "NUMBER":
            value = float("".join(map(str, signs)) + last)
            if not math.isfinite(value):
                raise FormulaError(f"'{self.text}': the number {last} is too large")
            return value
        number, condition = (part.strip(" \t\r\n()%") for part in str(last).split(";", 1))
        if condition not in self.conditions:
            hint = nearest(condition, self.conditions) or f"there are {listed(sorted(self.conditions))}"
            raise FormulaError(f"'{self.text}': the items have no condition '{condition}': {hint}")
        if number == "*":
            return {"condition": condition}
        if int(number) not in self.regions:
            raise FormulaError(f"'{self.text}': there is no region {number}: region_meta goes to {len(self.regions)}")
        return {"condition": condition, "region": self.regions[int(number)]}

    def _require_quantities(self, sides: Sequence[Any], sign: str) -> None:
        if any(_is_formula(side) for side in sides):
            raise FormulaError(f"'{self.text}': '{sign}' takes quantities, and one side of it is a comparison")


def _is_formula(tree: Any) -> bool:
    return isinstance(tree, dict) and not {"condition", "+", "-"} & set(tree)


def print_formula(tree: FormulaTree, numbers_of: Callable[[str], Sequence[int]]) -> str:
    """A tree as a formula of a suite; every group that could be read in two ways stands in parentheses.

    `numbers_of` gives the numbers of the regions that together are a region of the tree.  `within` becomes a sum
    (`a < b within 0.5`: a < (b + 0.5)) or, beside `=`, two comparisons of the difference.  Raises FormulaError for
    what suites cannot say: a negation, and equality `within 0`.
    """
    return _Printer(numbers_of).formula(tree)


class _Printer:
    def __init__(self, numbers_of: Callable[[str], Sequence[int]]) -> None:
        self.numbers_of = numbers_of

    def formula(self, tree: Any, negated: bool = False) -> str:
        if "not" in tree:
            return self.formula(tree["not"], not negated)
        for name, sign in _SIGNS.items():
            if name in tree:
                shown = {"&": "|", "|": "&"}[sign] if negated else sign
                return f" {shown} ".join(f"({self.formula(part, negated)})" for part in tree[name])
        operator = next(sign for sign in "<>=" if sign in tree)
        left, right = tree[operator]
        within = float(tree.get("within", 0))
        if operator == "=" and "within" in tree:
            return self._near(left, right, within, negated)
        if negated:
            raise FormulaError(
                f"SyntaxGym's formulas cannot say 'not' ({self.formula(tree)}): write the comparison that you expect"
            )
        if within:
            # a > b within t holds where a > b - t.
            right = {"+" if operator == "<" else "-": [right, within]}
        return f"{self.quantity(left)} {operator} {self.quantity(right)}"

    def _near(self, left: Any, right: Any, within: float, negated: bool) -> str:
        if not within:
            raise FormulaError("SyntaxGym's formulas cannot say '= ... within 0': '=' alone allows 0.001 + 0.00001 b")
        one, other = self.quantity({"-": [left, right]}), self.quantity({"-": [right, left]})
        sign, join = (">", "|") if negated else ("<", "&")
        return f"({one} {sign} {_number(within)}) {join} ({other} {sign} {_number(within)})"

    def quantity(self, tree: Any) -> str:
        if not isinstance(tree, dict):
            return _number(float(tree))
        for sign in "+-":
            if sign in tree:
                left, right = tree[sign]
                return f"({self.quantity(left)} {sign} {self.quantity(right)})"
        if "region" not in tree:
            return f"(*;%{tree['condition']}%)"
        parts = [f"({number};%{tree['condition']}%)" for number in self.numbers_of(tree["region"])]
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"


def _number(value: float) -> str:
    """A number without an exponent; a negative one as a difference, which every parser reads."""
    shown = f"{Decimal(repr(abs(value))):f}"
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    return f"(0 - {shown})" if value < 0 else shown
