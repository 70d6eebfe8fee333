"""Whether a formula holds of surprisals in bits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorers.formulas.nodes import (
    Comparison,
    Formula,
    Joined,
    Measured,
    Negation,
    Number,
    Quantity,
    comparisons,
    measures,
)
from scorers.measures import WHOLE, Metric, region_bits

RELATIVE_TOLERANCE = 1e-5
ABSOLUTE_TOLERANCE_BITS = 1e-3

Surprisals = Mapping[str, Mapping[str, float | Sequence[float]]]
"""Condition -> region (name, number, or `*`) -> its surprisal in bits, or those of its tokens."""


@dataclass(frozen=True)
class Outcome:
    """Whether a formula holds; None where that cannot be said, and the reason.

    `differences` has for each comparison, from left to right, by how many bits it is so: b - a for `a < b`, a - b for
    `a > b`, and a - b, of either sign, for `a = b`; None where a number is missing.  Margins (`within`) and negations
    do not change it.
    """

    holds: bool | None
    differences: tuple[float | None, ...]
    reason: str = ""


def evaluate(formula: Formula, values: Surprisals, metric: Metric = "sum") -> Outcome:
    """Whether a formula holds of one item's surprisals.

    `metric` makes one number of a region whose tokens are given one by one.  `a = b` holds where the sides differ by
    at most 0.001 bits + 0.00001 |b|, `a = b within t` where they differ by at most t; `a < b within t` where
    a < b + t, `a > b within t` where a > b - t.  Where any number that the formula names is missing, the outcome is
    None, even if the other numbers would decide: an item counts with all its conditions or not at all.
    """
    numbers: dict[Measured, float] = {}
    missing: list[str] = []
    for measured in measures(formula):
        number = _number(measured, values, metric)
        if number is None or math.isnan(number):
            missing.append(_missing(measured, values))
        else:
            numbers[measured] = number
    differences = tuple(_difference(comparison, numbers) for comparison in comparisons(formula))
    if missing:
        return Outcome(None, differences, "; ".join(dict.fromkeys(missing)))
    if any(difference is None for difference in differences):
        return Outcome(None, differences, "infinite surprisals on both sides cannot be compared")
    return Outcome(_holds(formula, numbers), differences)


def _number(measured: Measured, values: Surprisals, metric: Metric) -> float | None:
    number = values.get(measured.condition, {}).get(measured.region)
    return number if isinstance(number, int | float | None) else region_bits(number, metric)


def _missing(measured: Measured, values: Surprisals) -> str:
    if not values.get(measured.condition):
        return f"no numbers for the condition '{measured.condition}'"
    region = "the whole sentence" if measured.region == WHOLE else f"the region '{measured.region}'"
    return f"no number for {region} of the condition '{measured.condition}'"


def _value(quantity: Quantity, numbers: Mapping[Measured, float]) -> float:
    """The value of a quantity; nan where a number is missing."""
    if isinstance(quantity, Number):
        return quantity.value
    if isinstance(quantity, Measured):
        return numbers.get(quantity, math.nan)
    left, right = _value(quantity.left, numbers), _value(quantity.right, numbers)
    return left + right if quantity.operator == "+" else left - right


def _difference(comparison: Comparison, numbers: Mapping[Measured, float]) -> float | None:
    left, right = _value(comparison.left, numbers), _value(comparison.right, numbers)
    difference = right - left if comparison.operator == "<" else left - right
    return None if math.isnan(difference) else difference


def _holds(formula: Formula, numbers: Mapping[Measured, float]) -> bool:
    if isinstance(formula, Joined):
        join = all if formula.operator == "&" else any
        return join(_holds(part, numbers) for part in formula.parts)
    if isinstance(formula, Negation):
        return not _holds(formula.part, numbers)
    left, right = _value(formula.left, numbers), _value(formula.right, numbers)
    if formula.operator == "=":
        if formula.within is not None:
            return abs(left - right) <= formula.within
        return abs(left - right) <= ABSOLUTE_TOLERANCE_BITS + RELATIVE_TOLERANCE * abs(right)
    within = formula.within or 0.0
    return left < right + within if formula.operator == "<" else left > right - within
