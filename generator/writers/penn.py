"""Penn bracketing: a sentence's constituents on a line (docs/item-format.md, 'Trees')."""

from __future__ import annotations

from generator import facts
from generator.bracketing import bracketed
from generator.items import Condition, Item
from generator.writers.base import Format, FormatError, tree_of


def _lines(item: Item) -> list[str]:
    return [_line(item, condition) for condition in item.conditions]


def _line(item: Item, condition: Condition) -> str:
    root = tree_of(item, condition, "penn").root
    if not root.children:
        raise FormatError(f"{item.id}: the format 'penn' holds constituents, and this sentence has dependencies only")
    return bracketed(root)


FORMAT = Format(
    "penn",
    "Penn bracketing: a tree a line, all members of an item, the acceptable one first",
    ".mrg",
    "ptb",
    ("forced",),
    _lines,
    needs_trees=True,
    holds=frozenset({facts.CONSTITUENTS, facts.ALONE, facts.UNSAID, facts.MANY, facts.UNEQUAL}),
)
