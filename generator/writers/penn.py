"""Penn bracketing: a sentence's constituents on a line (docs/item-format.md, 'Trees')."""

from __future__ import annotations

from generator.bracketing import bracketed
from generator.items import Item
from generator.writers.base import Format, tree_of


def _lines(item: Item) -> list[str]:
    return [bracketed(tree_of(item, condition, "penn").root) for condition in item.conditions]


FORMAT = Format(
    "penn",
    "Penn bracketing: a tree a line, all members of an item, the acceptable one first",
    ".mrg",
    "ptb",
    ("forced",),
    _lines,
    needs_trees=True,
)
