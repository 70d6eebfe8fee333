"""A formula as frozen records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scorers.measures import WHOLE


@dataclass(frozen=True, slots=True)
class Measured:
    """The surprisal of a region, by its name or number, in a condition; `*` is the whole sentence."""

    condition: str
    region: str = WHOLE


@dataclass(frozen=True, slots=True)
class Number:
    """A number of bits."""

    value: float


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A sum or a difference of two quantities."""

    operator: Literal["+", "-"]
    left: Quantity
    right: Quantity


Quantity = Measured | Number | Arithmetic


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left < right`, `>` or `=`, with the margin `within` in bits where one is written."""

    operator: Literal["<", ">", "="]
    left: Quantity
    right: Quantity
    within: float | None = None


@dataclass(frozen=True, slots=True)
class Negation:
    """The formula does not hold."""

    part: Formula


@dataclass(frozen=True, slots=True)
class Joined:
    """All (`&`) or one (`|`) of two or more formulas."""

    operator: Literal["&", "|"]
    parts: tuple[Formula, ...]


Formula = Comparison | Negation | Joined


def comparisons(formula: Formula) -> Iterator[Comparison]:
    """The comparisons of a formula, from left to right."""
    if isinstance(formula, Comparison):
        yield formula
    elif isinstance(formula, Negation):
        yield from comparisons(formula.part)
    else:
        for part in formula.parts:
            yield from comparisons(part)


def measures(formula: Formula) -> tuple[Measured, ...]:
    """The regions that a formula measures, each once, from left to right."""
    found: dict[Measured, None] = {}
    left: list[Quantity] = []
    for comparison in comparisons(formula):
        left = [comparison.right, comparison.left]
        while left:
            quantity = left.pop()
            if isinstance(quantity, Measured):
                found[quantity] = None
            elif isinstance(quantity, Arithmetic):
                left += [quantity.right, quantity.left]
    return tuple(found)
