"""CoNLL-U: a sentence's words, tags and dependencies (docs/item-format.md, 'Trees')."""

from __future__ import annotations

from generator import facts
from generator.conllu import conllu_lines
from generator.items import Condition, Item
from generator.writers.base import Format, FormatError, tree_of


def _lines(item: Item) -> list[str]:
    return [line for condition in item.conditions for line in _sentence(item, condition)]


def _sentence(item: Item, condition: Condition) -> list[str]:
    tree = tree_of(item, condition, "conllu")
    if len(tree.heads) != len(tree.tokens):
        raise FormatError(f"{item.id}: the format 'conllu' holds dependencies, and this sentence has none")
    comments = [("sent_id", f"{item.id}.{condition.name}"), ("text", tree.text)]
    if condition.acceptable is not None:
        comments.append(("acceptable", "yes" if condition.acceptable else "no"))
    comments += [("paradigm", item.paradigm), ("template", item.template)]
    return [*conllu_lines(tree, comments), ""]


FORMAT = Format(
    "conllu",
    "CoNLL-U: words, tags, features and dependencies, a sentence for each member of an item",
    ".conllu",
    "prose",
    ("forced",),
    _lines,
    needs_trees=True,
    holds=frozenset(
        {
            facts.IDS,
            facts.PARADIGM,
            facts.TEMPLATE,
            facts.DEPENDENCIES,
            facts.GOOD,
            facts.UNSAID,
            facts.ALONE,
            facts.STARRED,
            facts.FURTHER,
            facts.MANY,
            facts.UNEQUAL,
        }
    ),
)
