"""Expectations as items hold them (trees) -> formulas as text, as in `match_sing.verb < mismatch_sing.verb`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from scorers.errors import nearest
from scorers.formulas.nodes import measures
from scorers.formulas.syntax import print_formula
from scorers.formulas.trees import from_tree


class ExpectationError(ValueError):
    """A tree that is no formula over the conditions of its item."""


def formula_text(tree: Any, conditions: Collection[str]) -> str:
    """A formula (docs/item-format.md, 'Expectations') as `parse_formula` reads it, whatever its conditions and regions
    are called.  `conditions` are the names that the item has.  Raises ExpectationError.
    """
    try:
        formula = from_tree(tree)
        text = print_formula(formula)
    except ValueError as error:  # no formula, or a name that no formula can write
        raise ExpectationError(str(error)) from error
    for measured in measures(formula):
        if measured.condition not in conditions:
            guess = nearest(measured.condition, conditions)
            raise ExpectationError(f"the item has no condition '{measured.condition}'{guess}")
    return text
