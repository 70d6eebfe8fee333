"""Expectations of a model: what `expect` lines compare, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator.source import Node

FormulaTree = dict[str, Any] | float
"""A formula as data: `{"<": [{"condition": "match_sing", "region": "verb"}, ...]}`, see docs/item-format.md."""


@dataclass(frozen=True)
class Measured(Node):
    """`(match,sing).verb`: what a model gives a region (the whole sentence without one) in a condition."""

    levels: tuple[str, ...]
    region: str = ""


@dataclass(frozen=True)
class Number(Node):
    """A number in a formula."""

    text: str


@dataclass(frozen=True)
class Arithmetic(Node):
    """A sum or a difference."""

    operator: str  # '+' or '-'
    left: Quantity
    right: Quantity


Quantity = Measured | Number | Arithmetic


@dataclass(frozen=True)
class Prediction(Node):
    """`a < b within 0.5`: a comparison of quantities.  `within` is a margin, as written; '' for none."""

    operator: str  # '<', '>' or '='
    left: Quantity
    right: Quantity
    within: str = ""


@dataclass(frozen=True)
class JoinedFormula(Node):
    """`not`, `and`, `or` over formulas."""

    operator: str
    parts: tuple[Formula, ...]


Formula = Prediction | JoinedFormula
