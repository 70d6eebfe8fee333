"""Zorro text: `PHENOMENON-PARADIGM.txt`, space-tokenised, the starred line first, then the acceptable one."""

from __future__ import annotations

from generator import facts
from generator.items import Item
from generator.writers.base import Format, one_line, require_pairs


def _lines(item: Item) -> list[str]:
    require_pairs(item, "zorro")
    return [one_line(item, member.text, "zorro") for _, good, bad in item.pairs for member in (bad, good)]


FORMAT = Format(
    "zorro",
    "Zorro text: the starred line, then the acceptable one",
    ".txt",
    "tokens",
    ("forced",),
    _lines,
    holds=frozenset({facts.GOOD, facts.MANY, facts.UNEQUAL}),
    is_textual=True,
)
