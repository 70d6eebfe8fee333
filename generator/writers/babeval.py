"""Babeval: `forced_choice/TASK.txt` (two lines a pair, singular first), `open_ended/TASK.txt`."""

from __future__ import annotations

from generator import facts
from generator.items import Condition, Item
from generator.writers.base import Format, FormatError, one_line, require_pairs


def _lines(item: Item) -> list[str]:
    if item.mask is not None:
        return [one_line(item, item.good.text, "babeval")]
    pairs: list[tuple[Condition, ...]]
    if any(condition.acceptable is None for condition in item.conditions):
        if len(item.conditions) != 2:
            raise FormatError(f"{item.id}: the format 'babeval' holds pairs, and this item is none")
        pairs = [item.conditions]
    else:
        require_pairs(item, "babeval")
        pairs = [(good, bad) for _, good, bad in item.pairs]
    ordered = (condition for pair in pairs for condition in sorted(pair, key=lambda member: member.rank))
    return [one_line(item, condition.text, "babeval") for condition in ordered]


FORMAT = Format(
    "babeval",
    "Babeval text: two lines a pair (forced choice), a line with the mask (open-ended)",
    ".txt",
    "tokens",
    ("forced", "open"),
    _lines,
    flavour_folders=True,
    needs_sidecar=True,
    holds=frozenset({facts.UNSAID, facts.MASK, facts.ANSWERS, facts.MANY, facts.UNEQUAL}),
    is_textual=True,
)
