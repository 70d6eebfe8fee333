"""CLAMS and LM_syneval: `True<TAB>sentence`, then a `False<TAB>sentence` line for each starred version."""

from __future__ import annotations

from generator import facts
from generator.items import Item
from generator.writers.base import Format, one_line, require_pairs


def _lines(item: Item) -> list[str]:
    require_pairs(item, "clams")
    lines: list[str] = []
    before = ""
    for _, good, bad in item.pairs:
        if good.name != before:
            lines.append(f"True\t{one_line(item, good.text, 'clams')}")
            before = good.name
        lines.append(f"False\t{one_line(item, bad.text, 'clams')}")
    return lines


FORMAT = Format(
    "clams",
    "CLAMS text: True, tab, sentence, then its False lines",
    ".txt",
    "tokens",
    ("forced",),
    _lines,
    holds=frozenset({facts.GOOD, facts.STARRED, facts.MANY, facts.UNEQUAL}),
    is_textual=True,
)
