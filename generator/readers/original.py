"""The `.tab` of Gulordava et al. (2018), 'Colorless green recurrent networks dream hierarchically'.

Two rows an item, the correct form and the wrong one.  `sent` is the sentence, in which `form` is to be put at the word
`len_prefix`.  Columns after `sent` are what models gave; they and the columns that no field of an item holds are kept
in `Item.extra`, a pair of values where the two rows differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.facts import PAIR_ID
from generator.items import Item
from generator.readers.base import Reader, Source, member, plain_sentence
from generator.readers.pairing import number_of
from generator.readers.tables import Row, has_header, own_template, quoted, rows, whole_number
from generator.readers.words import with_word

COLUMNS = (
    "pattern",
    "constr_id",
    "sent_id",
    "correct_number",
    "form",
    "class",
    "type",
    "prefix",
    "n_attr",
    "punct",
    "freq",
    "len_context",
    "len_prefix",
    "sent",
)
SAME = ("pattern", "constr_id", "sent_id", "len_prefix", "sent")
KEPT = ("constr_id", "sent_id", "correct_number", "type", "prefix", "n_attr", "punct", "freq", "len_context")


def _couples(source: Source) -> Iterator[tuple[Row, Row]]:
    """The rows by two: the correct one, the wrong one."""
    waiting: Row | None = None
    for row in rows(source, COLUMNS, quoted):
        if row.known["class"] not in ("correct", "wrong"):
            source.error(row.line, f"class is {row.known['class']!r}; it is correct or wrong")
            continue
        if waiting is None:
            waiting = row
            continue
        differing = [name for name in SAME if row.known[name] != waiting.known[name]]
        if differing or {row.known["class"], waiting.known["class"]} != {"correct", "wrong"}:
            why = f"the next row differs in {', '.join(differing)}" if differing else "the next one is of its class"
            source.error(waiting.line, f"a row without its partner: {why}")
            waiting = row
            continue
        if waiting.known["class"] == "wrong":
            source.warn(waiting.line, "the wrong form stands before the correct one")
            waiting, row = row, waiting
        yield waiting, row
        waiting = None
    if waiting is not None:
        source.error(waiting.line, "a row without its partner: the file ends")


def _read(source: Source) -> Iterator[Item]:
    for good, bad in _couples(source):
        line = min(good.line, bad.line)
        place = whole_number(source, line, "len_prefix", good.known["len_prefix"])
        forms = (good.known["form"].strip(), bad.known["form"].strip())
        if not all(forms):
            source.error(line, "form is empty")
            continue
        if place is None:
            continue
        sentence = plain_sentence(good.known["sent"]).text
        pair = with_word(source, line, sentence, place, *forms)
        if not pair:
            continue
        if forms[0] == forms[1]:
            source.warn(line, "the two sentences of the pair are identical")
        template = own_template(good.known["pattern"], source.stem)
        name, own_pair = _name(source, good.known, template)
        extra = _extra(good, bad, " ".join(sentence.split(" ")[:place]))
        if sentence != pair[0]:
            extra["sent"] = sentence
        if own_pair:
            extra = {PAIR_ID: own_pair, **extra}
        yield Item(
            name,
            source.stem,
            template,
            number_of(name, source.stem, template),
            (member(pair[0], True), member(pair[1], False, rank=1)),
            extra=extra,
            line=line,
        )


def _name(source: Source, known: Mapping[str, str], template: str) -> tuple[str, str]:
    """The id, and the pair's own one where it has one: as Starling writes them, else from the columns that name a
    published item.
    """
    if known["constr_id"] != template:
        return f"{source.stem}:{known['pattern']}:{known['constr_id']}-{known['sent_id']}", ""
    middle = "" if known["pattern"] == source.stem else f"{template}:"
    whole = f"{source.stem}:{middle}{known['sent_id']}"
    return whole, whole if "." in known["sent_id"] else ""


def _extra(good: Row, bad: Row, prefix: str) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    for name in KEPT:
        ours, theirs = good.known[name], bad.known[name]
        if name != "prefix" or (ours, theirs) != (prefix, prefix):
            extra[name] = ours if ours == theirs else [ours, theirs]
    for name, ours in good.own.items():
        theirs = bad.own.get(name, "")
        extra[name] = ours if ours == theirs else [ours, theirs]
    return extra


READER = Reader(
    "original",
    "Gulordava et al. .tab: two rows an item, correct and wrong",
    _read,
    lambda source: has_header(source, COLUMNS[:5]),
)
