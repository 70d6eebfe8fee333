"""Formulas as JSON: `{"<": [{"condition": "match_sing", "region": "verb"}, ...], "within": 0.5}`."""

from __future__ import annotations

import math
from typing import Any, Literal, cast

from scorers.formulas.nodes import Arithmetic, Comparison, Formula, Joined, Measured, Negation, Number, Quantity
from scorers.measures import WHOLE

Tree = dict[str, Any]

_JOINS: dict[str, Literal["&", "|"]] = {"and": "&", "or": "|"}
_NAMES = {sign: name for name, sign in _JOINS.items()}


class TreeError(ValueError):
    """A tree that is no formula; the message says what was found."""


# A deeper tree is a mistake, and working with it would exhaust Python's stack.
_MOST_DEPTH = 200


def from_tree(tree: Any) -> Formula:
    """The formula of a tree, as docs/item-format.md has them under 'Expectations'.  Raises TreeError."""
    return _formula(tree, 0)


def _formula(tree: Any, depth: int) -> Formula:
    _require_depth(depth)
    if not isinstance(tree, dict):
        raise TreeError(f"expected an object that is a formula, found {_shown(tree)}")
    extra = set(tree) - {"within"}
    (name, *others) = sorted(extra) or [""]
    if others or name not in ("and", "or", "not", "<", ">", "="):
        raise TreeError(f"expected one of 'and', 'or', 'not', '<', '>', '=', found {_shown(sorted(tree))}")
    if name == "not" or name in _JOINS:
        if "within" in tree:
            raise TreeError(f"'within' stands beside a comparison, not beside '{name}'")
        if name == "not":
            return Negation(_formula(tree["not"], depth + 1))
        parts = tree[name]
        if not isinstance(parts, list) or len(parts) < 2:
            raise TreeError(f"'{name}' takes two formulas or more, found {_shown(parts)}")
        return Joined(_JOINS[name], tuple(_formula(part, depth + 1) for part in parts))
    within = tree.get("within")
    if within is not None and not (_is_number(within) and within >= 0):
        raise TreeError(f"'within' takes a number, and none below zero, found {_shown(within)}")
    left, right = _sides(name, tree[name], depth)
    return Comparison(cast(Literal["<", ">", "="], name), left, right, None if within is None else float(within))


def _quantity(tree: Any, depth: int) -> Quantity:
    _require_depth(depth)
    if _is_number(tree):
        return Number(float(tree))
    if isinstance(tree, dict) and isinstance(tree.get("condition"), str) and not set(tree) - {"condition", "region"}:
        region = tree.get("region", WHOLE)
        if isinstance(region, str) and region and tree["condition"]:
            return Measured(tree["condition"], region)
    elif isinstance(tree, dict) and len(tree) == 1:
        (name,) = tree
        if name in ("+", "-"):
            left, right = _sides(name, tree[name], depth)
            return Arithmetic(cast(Literal["+", "-"], name), left, right)
    raise TreeError(f"expected a number, a condition with its region, '+' or '-', found {_shown(tree)}")


def _sides(name: str, sides: Any, depth: int) -> tuple[Quantity, Quantity]:
    if not isinstance(sides, list) or len(sides) != 2:
        raise TreeError(f"'{name}' takes two quantities, found {_shown(sides)}")
    return _quantity(sides[0], depth + 1), _quantity(sides[1], depth + 1)


def _require_depth(depth: int) -> None:
    if depth > _MOST_DEPTH:
        raise TreeError(f"nested more than {_MOST_DEPTH} deep")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def to_tree(formula: Formula) -> Tree:
    """The tree of a formula."""
    if isinstance(formula, Joined):
        return {_NAMES[formula.operator]: [to_tree(part) for part in formula.parts]}
    if isinstance(formula, Negation):
        return {"not": to_tree(formula.part)}
    tree: Tree = {formula.operator: [_quantity_tree(formula.left), _quantity_tree(formula.right)]}
    return tree if formula.within is None else tree | {"within": formula.within}


def _quantity_tree(quantity: Quantity) -> Tree | float:
    if isinstance(quantity, Number):
        return quantity.value
    if isinstance(quantity, Arithmetic):
        return {quantity.operator: [_quantity_tree(quantity.left), _quantity_tree(quantity.right)]}
    whole = {"condition": quantity.condition}
    return whole if quantity.region == WHOLE else whole | {"region": quantity.region}
