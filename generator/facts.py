"""What an item can hold, by name: which of it a given item has, so that a format can be asked what it would lose."""

from __future__ import annotations

from generator.items import Item

IDS = "item ids"
PARADIGM = "paradigm"
PHENOMENON = "phenomenon"
FIELD = "field"
LANGUAGE = "language"
TEMPLATE = "template"
CROSSED = "crossed values"
GOOD = "which member is acceptable"
UNSAID = "members that nothing says to be acceptable or not"
STARRED = "several starred versions of an item"
FURTHER = "further acceptable versions"
DESIGN = "factor designs"
EXPECTATIONS = "expectations"
MASK = "masks"
ANSWERS = "answers of masks"
ALONE = "sentences without a pair"
MANY = "pairs that differ in more than one word"
UNEQUAL = "pairs of unequal length"
REGIONS = "regions"
WORDS = "words and features"
TOKENS = "words that no space parts"
OWN = "own columns"

FACTS: tuple[str, ...] = (
    IDS, PARADIGM, PHENOMENON, FIELD, LANGUAGE, TEMPLATE, CROSSED, GOOD, UNSAID, STARRED, FURTHER, DESIGN, EXPECTATIONS,
    MASK, ANSWERS, ALONE, MANY, UNEQUAL, REGIONS, WORDS, TOKENS, OWN,
)  # fmt: skip
"""All facts, in the order in which they are told."""

REQUIRED = (UNSAID, MASK)
"""Facts without which an item is none any more: a format that does not keep them cannot hold the item."""

PAIR_ID = "pairID"
"""The key of `Item.extra` that has a file's own id of an item's one pair, where that is not `ID.1`."""


def facts_of(item: Item) -> frozenset[str]:
    """The facts that an item really has.  An id as readers make it, of a file's name and line, is none of its own."""
    found = {
        IDS: item.number > 0 or PAIR_ID in item.extra or not _is_place(item.id),
        PARADIGM: bool(item.paradigm),
        PHENOMENON: bool(item.phenomenon),
        FIELD: bool(item.field),
        LANGUAGE: bool(item.language),
        TEMPLATE: bool(item.template),
        CROSSED: bool(item.crossed),
        EXPECTATIONS: bool(item.expectations),
        MASK: item.mask is not None,
        ANSWERS: item.mask is not None and bool(item.mask.answers),
        REGIONS: any(condition.sentence.regions for condition in item.conditions),
        WORDS: bool(item.bindings),
        TOKENS: any(len(c.sentence.tokens) != c.text.count(" ") + 1 for c in item.conditions),
        OWN: any(name != PAIR_ID for name in item.extra),
    }
    return frozenset(name for name, has in found.items() if has) | _facts_of_members(item)


def _is_place(name: str) -> bool:
    return name.rpartition(":")[2].isdigit()


def _facts_of_members(item: Item) -> frozenset[str]:
    if item.mask is not None:
        return frozenset()
    pairs = item.pairs
    is_design = any(condition.levels for condition in item.conditions)
    cut = [(good.text.split(" "), bad.text.split(" ")) for _, good, bad in pairs]
    found = {
        GOOD: all(condition.acceptable is not None for condition in item.conditions),
        UNSAID: any(condition.acceptable is None for condition in item.conditions),
        DESIGN: is_design,
        STARRED: len(pairs) > 1 and not is_design,
        FURTHER: sum(c.acceptable is True for c in item.conditions) > 1 and not is_design,
        ALONE: len(item.conditions) == 1,
        MANY: any(len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) > 1 for a, b in cut),
        UNEQUAL: any(len(a) != len(b) for a, b in cut),
    }
    return frozenset(name for name, has in found.items() if has)
