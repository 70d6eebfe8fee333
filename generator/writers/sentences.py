"""The sentence-focused `.tab` of 'Evaluate LSTMs for syntax': pattern, sent, sent_alt."""

from __future__ import annotations

from generator import facts
from generator.items import Item
from generator.writers.base import Format, one_line, pattern, require_pairs

EOS = "<eos>"


def _lines(item: Item) -> list[str]:
    require_pairs(item, "sentences")
    fields = ((pattern(item), f"{good.text} {EOS}", f"{bad.text} {EOS}") for _, good, bad in item.pairs)
    return ["\t".join(one_line(item, field, "sentences") for field in row) for row in fields]


FORMAT = Format(
    "sentences",
    "sentence-focused .tab: pattern, sent, sent_alt",
    ".tab",
    "ptb",
    ("forced",),
    _lines,
    header="pattern\tsent\tsent_alt",
    holds=frozenset({facts.TEMPLATE, facts.GOOD, facts.MANY, facts.UNEQUAL}),
    is_textual=True,
)
