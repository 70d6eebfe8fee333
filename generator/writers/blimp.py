"""BLiMP JSONL, `UID.jsonl`.  The method flags are computed from the pair; a true flag comes with its fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from generator import facts
from generator.facts import PAIR_ID
from generator.items import Item
from generator.writers.base import Format, as_json, named_pairs, require_pairs

MARKS = ".,?!;:"


def _units(sentence: str) -> list[str]:
    """The words of a sentence, punctuation marks behind a word apart.  Clitics stay with their word: *isn't*."""
    units: list[str] = []
    for word in sentence.split():
        bare = word.rstrip(MARKS) if word[-1] in MARKS else ""
        units += (bare, word[len(bare) :]) if bare else (word,)
    return units


def _until(sentence: str, units: Sequence[str]) -> str:
    """The beginning of a sentence that ends with the last of its first units."""
    end = 0
    for unit in units:
        end = sentence.index(unit, end) + len(unit)
    return sentence[:end]


def prefix_fields(good: str, bad: str) -> dict[str, Any]:
    """BLiMP's method flags and their fields (Warstadt et al. 2020, section 4).

    One-prefix: the members share everything up to a critical word, and all that follows it.  Two-prefix: the
    members differ in one word only, and share the word that directly follows it.  Prefixes are the beginnings of the
    sentences as they are printed.
    """
    ours, theirs = _units(good), _units(bad)
    start = 0
    while start < min(len(ours), len(theirs)) and ours[start] == theirs[start]:
        start += 1
    rest = ours[start + 1 :]
    one_word = len(ours) == len(theirs) and start < len(ours) and rest == theirs[start + 1 :]
    has_prefix = start > 0
    has_next = one_word and bool(rest) and any(c.isalnum() for c in rest[0])
    fields: dict[str, Any] = {
        "one_prefix_method": one_word and has_prefix,
        "two_prefix_method": has_next,
        "lexically_identical": sorted(w.lower() for w in ours) == sorted(w.lower() for w in theirs),
    }
    if fields["one_prefix_method"]:
        fields |= {
            "one_prefix_prefix": _until(good, ours[:start]),
            "one_prefix_word_good": ours[start],
            "one_prefix_word_bad": theirs[start],
        }
    if has_next:
        fields |= {
            "two_prefix_prefix_good": _until(good, ours[: start + 1]),
            "two_prefix_prefix_bad": _until(bad, theirs[: start + 1]),
            "two_prefix_word": rest[0],
        }
    return fields


def _lines(item: Item) -> list[str]:
    require_pairs(item, "blimp")
    result = []
    for pair_id, good, bad in named_pairs(item):
        fields = prefix_fields(good.text, bad.text)
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
        }
        own = {"template": item.template} if item.template else {}
        record |= {**own, **dict(item.crossed)}
        record |= {name: value for name, value in item.extra.items() if name not in (*record, PAIR_ID)}
        result.append(as_json(record))
    return result


FORMAT = Format(
    "blimp",
    "BLiMP JSON lines, flags computed per pair",
    ".jsonl",
    "prose",
    ("forced",),
    _lines,
    holds=frozenset(
        {
            facts.IDS,
            facts.PARADIGM,
            facts.PHENOMENON,
            facts.FIELD,
            facts.TEMPLATE,
            facts.CROSSED,
            facts.GOOD,
            facts.STARRED,
            facts.MANY,
            facts.UNEQUAL,
            facts.OWN,
        }
    ),
    is_textual=True,
    compares=True,
)
