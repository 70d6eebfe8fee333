"""BLiMP JSONL, `UID.jsonl`.  The method flags are computed from the pair; a true flag comes with its fields."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from generator import facts
from generator.facts import PAIR_ID
from generator.items import Item
from generator.writers.base import Format, as_json, named_pairs, require_pairs

MARKS = ".,?!;:"


@dataclass(frozen=True)
class _Unit:
    """A word, or a mark behind it; `start` and `end` are its place in the sentence."""

    text: str
    start: int
    end: int


def _units(sentence: str) -> list[_Unit]:
    """The words of a sentence, punctuation marks behind a word apart.  Clitics stay with their word: *isn't*."""
    units = []
    for found in re.finditer(r"\S+", sentence):
        text = found.group()
        bare = text.rstrip(MARKS)
        if bare and bare != text:
            units.append(_Unit(bare, found.start(), found.start() + len(bare)))
            units.append(_Unit(text[len(bare) :], found.start() + len(bare), found.end()))
        else:
            units.append(_Unit(text, found.start(), found.end()))
    return units


def prefix_fields(good: str, bad: str) -> dict[str, Any]:
    """BLiMP's method flags and their fields (Warstadt et al. 2020, section 4).

    One-prefix: the members share everything up to a critical word, and all that follows it.  Two-prefix: the
    members differ in one word only, and share the word that directly follows it.  Prefixes are the beginnings of the
    sentences as they are printed.
    """
    ours, theirs = _units(good), _units(bad)
    start = 0
    while start < min(len(ours), len(theirs)) and ours[start].text == theirs[start].text:
        start += 1
    rests = [[unit.text for unit in units[start + 1 :]] for units in (ours, theirs)]
    one_word = len(ours) == len(theirs) and start < len(ours) and rests[0] == rests[1]
    has_prefix = start > 0
    has_next = one_word and bool(rests[0]) and any(c.isalnum() for c in rests[0][0])
    fields: dict[str, Any] = {
        "one_prefix_method": one_word and has_prefix,
        "two_prefix_method": has_next,
        "lexically_identical": sorted(u.text.lower() for u in ours) == sorted(u.text.lower() for u in theirs),
    }
    if fields["one_prefix_method"]:
        fields |= {
            "one_prefix_prefix": good[: ours[start].start].rstrip(),
            "one_prefix_word_good": ours[start].text,
            "one_prefix_word_bad": theirs[start].text,
        }
    if has_next:
        fields |= {
            "two_prefix_prefix_good": good[: ours[start].end],
            "two_prefix_prefix_bad": bad[: theirs[start].end],
            "two_prefix_word": rests[0][0],
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
