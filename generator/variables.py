"""Agreement variables of a template: what they range over, and where they are used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.source import Span


@dataclass(frozen=True)
class Variable:
    """A variable: the values it can take (`cells`, one for each it distinguishes) and their labels.

    `carries` are the bundle features that its mentions carry; values that differ in no such feature are one.
    """

    name: str
    cells: tuple[int, ...]
    all_cells: tuple[int, ...]
    carries: frozenset[str]
    labels: Mapping[int, str]


@dataclass(frozen=True)
class VariableUse:
    """A mention of a variable: in whose scope ('' is the template), what it carries, which cells it allows."""

    owner: str
    name: str
    carries: frozenset[str]
    support: int
    mandatory: bool
    broken: bool
    span: Span
