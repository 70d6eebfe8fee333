"""Expectations as items hold them (trees) -> formulas as authors write them, as in `(a, sg).verb < (b, sg).verb`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any


class FormulaTreeError(ValueError):
    """A tree that is no formula of docs/item-format.md."""


def formula_text(tree: Any, levels: Mapping[str, Sequence[str]]) -> str:
    """A formula as `expect` has it.  `levels` gives the levels of every condition by its name; a condition without
    levels is written by its name.  Raises FormulaTreeError.
    """
    try:
        return _formula(tree, levels, False)
    except RecursionError as error:
        raise FormulaTreeError("nested too deeply") from error


def _formula(tree: Any, levels: Mapping[str, Sequence[str]], is_part: bool) -> str:
    if isinstance(tree, dict):
        for operator in ("and", "or"):
            parts = tree.get(operator)
            if isinstance(parts, list) and len(parts) > 1 and len(tree) == 1:
                text = f" {operator} ".join(_formula(part, levels, True) for part in parts)
                return f"({text})" if is_part else text
        if set(tree) == {"not"}:
            return f"not ({_formula(tree['not'], levels, False)})"
        for operator in "<>=":
            sides = tree.get(operator)
            if isinstance(sides, list) and len(sides) == 2 and set(tree) <= {operator, "within"}:
                text = f" {operator} ".join(_quantity(side, levels, True) for side in sides)
                return f"{text} within {_number(tree['within'])}" if "within" in tree else text
    raise FormulaTreeError(f"found {str(tree)[:60]!r}, expected a formula")


def _quantity(tree: Any, levels: Mapping[str, Sequence[str]], is_left: bool) -> str:
    if isinstance(tree, dict):
        for operator in "+-":
            sides = tree.get(operator)
            if isinstance(sides, list) and len(sides) == 2 and len(tree) == 1:
                text = f"{_quantity(sides[0], levels, True)} {operator} {_quantity(sides[1], levels, False)}"
                return text if is_left else f"({text})"
        name, region = tree.get("condition"), tree.get("region")
        if isinstance(name, str) and set(tree) <= {"condition", "region"}:
            if name not in levels:
                raise FormulaTreeError(f"the item has no condition '{name}'")
            place = f"({', '.join(levels[name])})" if levels[name] else f"({name})"
            return f"{place}.{region}" if region is not None else place
    elif isinstance(tree, int | float) and not isinstance(tree, bool):
        return _number(tree)
    raise FormulaTreeError(f"found {str(tree)[:60]!r}, expected a region, a number, a sum or a difference")


def _number(value: Any) -> str:
    """A number without an exponent; a negative one as a difference."""
    try:
        number = Decimal(repr(float(value)))
    except (TypeError, ValueError, OverflowError) as error:
        raise FormulaTreeError(f"found {str(value)[:60]!r}, expected a number") from error
    if not number.is_finite():
        raise FormulaTreeError(f"found {value!r}, expected a finite number")
    text = f"{abs(number):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"(0 - {text})" if number < 0 else text
