"""The word-focused `.tab` of 'Evaluate LSTMs for syntax': pattern, form, form_alt, len_prefix, sent."""

from __future__ import annotations

from generator import facts
from generator.items import Item
from generator.writers.base import Format, differing_word, one_line, pattern, require_pairs

EOS = "<eos>"


def _lines(item: Item) -> list[str]:
    require_pairs(item, "words")
    result = []
    for pair_id, good, bad in item.pairs:
        place, form, form_alt = differing_word(pair_id, good.text, bad.text, "words")
        row = (pattern(item), form, form_alt, str(place), f"{good.text} {EOS}")
        result.append("\t".join(one_line(item, field, "words") for field in row))
    return result


FORMAT = Format(
    "words",
    "word-focused .tab: pattern, form, form_alt, len_prefix, sent",
    ".tab",
    "ptb",
    ("forced",),
    _lines,
    header="pattern\tform\tform_alt\tlen_prefix\tsent",
    holds=frozenset({facts.TEMPLATE, facts.GOOD}),
    is_textual=True,
    compares=True,
)
