"""The `.tab` of Gulordava et al. (2018), 'Colorless green recurrent networks dream hierarchically', section 4.

Two rows a pair, the correct form and the wrong one, otherwise alike.  What the item does not say stays empty:

- `correct_number` (sing, plur): the number of the right form, as its binding has it.
- `len_context`: how many words lie from the cue (the word that the target agrees with) to the target, the cue counted.
  The cue is the region called `cue`; without one the noun, name or pronoun before the target that has the number of the
  right form, where there is just one.
- `n_attr`: the nouns, names and pronouns between cue and target that have another number; 0 too where no such word
  before the target has another number, whichever is the cue.
- `punct`: whether a punctuation mark stands before the target, which is what it says in the published file.
- `freq` (the form's frequency in a training corpus) is no fact of an item.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator import facts
from generator.items import Condition, Item
from generator.writers.base import Format, differing_word, named_pairs, one_line, pattern, require_pairs

EOS = "<eos>"
COLUMNS = (
    "pattern", "constr_id", "sent_id", "correct_number", "form", "class", "type", "prefix", "n_attr", "punct", "freq",
    "len_context", "len_prefix", "sent",
)  # fmt: skip
KEPT = frozenset(COLUMNS) | {facts.PAIR_ID}
NUMBERS = {"sg": "sing", "pl": "plur"}
NOMINAL = ("noun", "name", "pronoun")


@dataclass(frozen=True)
class _Word:
    """A numbered word of a sentence: the index of its first word, its number, its region's name."""

    place: int
    number: str
    region: str


def _lines(item: Item) -> list[str]:
    require_pairs(item, "original")
    lines = []
    pairs = list(named_pairs(item))
    for position, (pair_id, good, bad) in enumerate(pairs, start=1):
        place, *forms = differing_word(pair_id, good.text, bad.text, "original")
        words = good.text.split(" ")
        computed = {
            "pattern": pattern(item),
            "constr_id": item.template or item.paradigm,
            "sent_id": _sent_id(item) + (f".{position}" if len(pairs) > 1 else ""),
            "type": "generated",
            "prefix": " ".join(words[:place]),
            "punct": str(any(_is_mark(word) for word in words[:place])),
            "freq": "",
            "len_prefix": str(place),
            **_numbers(item, good, place, forms[0]),
        }
        sent = _said(item, "sent", 0) or good.text
        for row, (form, kind) in enumerate(zip(forms, ("correct", "wrong"), strict=True)):
            fields = {name: _said(item, name, row) for name in COLUMNS}
            values = {name: value if (said := fields[name]) is None else said for name, value in computed.items()}
            values |= {"form": form, "class": kind, "sent": f"{sent} {EOS}"}
            lines.append(_row([one_line(item, values[name], "original") for name in COLUMNS]))
    return lines


def _sent_id(item: Item) -> str:
    return str(item.number) if item.number else item.id.rpartition(":")[2]


def _said(item: Item, name: str, row: int) -> str | None:
    """What the file said that the item was read from: one value, or one for each of the two rows."""
    value = item.extra.get(name)
    if isinstance(value, (list, tuple)):
        return str(value[row]) if row < len(value) else None
    return None if value is None else str(value)


def _is_mark(word: str) -> bool:
    return not any(character.isalnum() for character in word) and not word.startswith("<")


def _numbers(item: Item, good: Condition, place: int, form: str) -> Mapping[str, str]:
    """`correct_number`, `n_attr` and `len_context`, each empty where the item does not tell it."""
    words = list(_numbered(item, good))
    target = [w.number for w in words if w.place == place and _has_form(item, w.region, form)]
    number = target[0] if target else ""
    before = [w for w in words if w.place < place and w.region in _nominal(item)]
    cues = [w for w in before if w.number == number]
    marked = [_place(good.text, region.start) for region in good.sentence.regions if region.name == "cue"]
    cue = marked[0] if len(marked) == 1 and marked[0] < place else cues[0].place if len(cues) == 1 else None
    attractors = [w for w in before if w.number != number and (cue is None or w.place > cue)]
    is_told = bool(number) and (cue is not None or (bool(before) and not attractors))
    return {
        "correct_number": NUMBERS.get(number, ""),
        "n_attr": str(len(attractors)) if is_told else "",
        "len_context": str(place - cue) if cue is not None else "",
    }


def _numbered(item: Item, good: Condition) -> Iterator[_Word]:
    """The words whose number is known.  A name that several regions or words have tells nothing."""
    names = [region.name for region in good.sentence.regions]
    slots = [binding.slot for binding in item.bindings]
    numbers = {b.slot: b.features["number"] for b in item.bindings if "number" in b.features}
    for region in good.sentence.regions:
        if region.name in numbers and slots.count(region.name) == 1 and names.count(region.name) == 1:
            yield _Word(_place(good.text, region.start), numbers[region.name], region.name)


def _nominal(item: Item) -> Sequence[str]:
    return [binding.slot for binding in item.bindings if binding.category in NOMINAL]


def _has_form(item: Item, slot: str, form: str) -> bool:
    return any(binding.slot == slot and binding.form.lower() == form.lower() for binding in item.bindings)


def _place(text: str, offset: int) -> int:
    return text[:offset].count(" ")


def _row(fields: Sequence[str]) -> str:
    """A row in the published file's quoting: a field that holds quotes stands in quotes, and they double."""
    stream = io.StringIO()
    csv.writer(stream, delimiter="\t", lineterminator="").writerow(fields)
    return stream.getvalue()


FORMAT = Format(
    "original",
    "Gulordava et al. .tab: two rows an item, correct and wrong",
    ".tab",
    "ptb",
    ("forced",),
    _lines,
    header="\t".join(COLUMNS),
    holds=frozenset({facts.IDS, facts.TEMPLATE, facts.GOOD}),
    columns=KEPT,
)
