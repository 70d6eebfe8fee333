"""BLiMP JSONL, `UID.jsonl`.  The method flags are computed from the pair; a true flag comes with its fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from generator.items import Item
from generator.writers.base import Format, as_json, require_pairs


def prefix_fields(good: Sequence[str], bad: Sequence[str]) -> dict[str, Any]:
    """BLiMP's method flags and their fields (Warstadt et al. 2020, section 4).

    One-prefix: the members share everything up to a critical word, and all that follows it.  Two-prefix: the
    members differ in one word only, and share the word that directly follows it.
    """
    start = 0
    while start < min(len(good), len(bad)) and good[start] == bad[start]:
        start += 1
    one_word = len(good) == len(bad) and start < len(good) and list(good[start + 1 :]) == list(bad[start + 1 :])
    has_prefix = start > 0
    has_next = one_word and start + 1 < len(good) and any(c.isalnum() for c in good[start + 1])
    fields: dict[str, Any] = {
        "one_prefix_method": one_word and has_prefix,
        "two_prefix_method": has_next,
        "lexically_identical": sorted(w.lower() for w in good) == sorted(w.lower() for w in bad),
    }
    if fields["one_prefix_method"]:
        fields |= {
            "one_prefix_prefix": " ".join(good[:start]),
            "one_prefix_word_good": good[start],
            "one_prefix_word_bad": bad[start],
        }
    if has_next:
        fields |= {
            "two_prefix_prefix_good": " ".join(good[: start + 1]),
            "two_prefix_prefix_bad": " ".join(bad[: start + 1]),
            "two_prefix_word": good[start + 1],
        }
    return fields


def _lines(item: Item) -> list[str]:
    require_pairs(item, "blimp")
    result = []
    for pair_id, good, bad in item.pairs:
        fields = prefix_fields(good.sentence.tokens, bad.sentence.tokens)
        record: dict[str, Any] = {
            "sentence_good": good.text,
            "sentence_bad": bad.text,
            "field": item.field,
            "linguistics_term": item.phenomenon,
            "UID": item.paradigm,
            "simple_LM_method": True,
            "one_prefix_method": fields.pop("one_prefix_method"),
            "two_prefix_method": fields.pop("two_prefix_method"),
            "lexically_identical": fields.pop("lexically_identical"),
            "pairID": pair_id,
            **fields,
            "template": item.template,
            **dict(item.crossed),
        }
        result.append(as_json(record))
    return result


FORMAT = Format("blimp", "BLiMP JSON lines, flags computed per pair", ".jsonl", "prose", ("forced",), _lines)
