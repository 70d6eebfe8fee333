"""Starling items: JSON lines with conditions, regions, words and features (docs/item-format.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scorers.items import Condition, Item, Mask, Pair, Region
from scorers.readers.answers import Answers, read_answers
from scorers.readers.base import ItemReader
from scorers.readers.expectations import ExpectationError, formula_text
from scorers.readers.fields import shown
from scorers.readers.pair_rows import as_text
from scorers.readers.records import json_records, some_record
from scorers.readers.source import Report, Source

SLOT = "slot:"
"""Before the name of a slot: the attribute that holds its lemma."""

_TEXTS = ("paradigm", "template", "phenomenon", "field", "language", "flavour")


_OPEN_CLASSES = ("noun", "verb", "adjective", "adverb", "name")


class _Binding(NamedTuple):
    """A word: its slot, which no other word of the item has, and that slot's name in the grammar."""

    slot: str
    name: str
    lemma: str
    category: str


class _ItemError(Exception):
    """A record that is no item: what was found, and what was expected."""


def pairs_of(conditions: Sequence[Condition]) -> tuple[Pair, ...]:
    """Each starred condition with an acceptable one: the first, or in a factor design the one that differs from it in
    the fewest factors (of several, the first).  None where nothing says what is acceptable.
    """
    good = [place for place, condition in enumerate(conditions) if condition.acceptable is True]
    bad = [place for place, condition in enumerate(conditions) if condition.acceptable is False]
    if not good:
        return ()
    return tuple(
        Pair(min(good, key=lambda place: _distance(conditions[place], conditions[other])), other) for other in bad
    )


def _distance(one: Condition, other: Condition) -> int:
    return sum(other.levels.get(factor) != level for factor, level in one.levels.items())


def _read(source: Source, report: Report) -> Iterator[Item]:
    answers = read_answers(source, report)
    for line, record in json_records(source, report):
        try:
            yield _item(source, report, line, record, answers)
        except _ItemError as error:
            report.error(line, str(error), "item")


def _item(source: Source, report: Report, line: int, record: Mapping[str, Any], answers: Answers) -> Item:
    texts = {name: _expected(record, name, str, "") for name in _TEXTS}
    name = _expected(record, "id", str)
    if not name:
        raise _ItemError("'id' is empty")
    members = tuple(_condition(entry) for entry in _expected(record, "conditions", list))
    if not members:
        raise _ItemError("'conditions' is empty: expected at least one")
    names = [member.name for member in members]
    if len(set(names)) < len(names):
        raise _ItemError(f"two conditions have one name: {', '.join(names)}")
    bindings = _bindings(record)
    attributes = _attributes(record, texts["flavour"], bindings)
    paradigm = texts["paradigm"] or source.label
    return Item(
        name,
        paradigm,
        members,
        pairs_of(members),
        texts["template"],
        texts["phenomenon"],
        texts["field"],
        texts["language"],
        attributes,
        mask=_mask(report, line, record, paradigm, answers),
        expectations=_expectations(record, members),
        file=source.name,
        line=line,
        lexemes=_lexemes(members, bindings),
    )


def _expected(record: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    value = record.get(name, default)
    if not isinstance(value, kind):
        kinds = {str: "a text", list: "a list", dict: "an object", int: "a whole number"}
        raise _ItemError(f"'{name}' is {shown(value)}: expected {kinds[kind]}")
    return value


def _condition(entry: Any) -> Condition:
    if not isinstance(entry, dict):
        raise _ItemError(f"a condition is {shown(entry)}: expected an object")
    text, acceptable = _expected(entry, "text", str), entry.get("acceptable")
    if acceptable is not None and not isinstance(acceptable, bool):
        raise _ItemError(f"'acceptable' is {shown(acceptable)}: expected true, false or null")
    if not text.strip():
        raise _ItemError(f"the text of the condition '{entry.get('name')}' is empty")
    levels = _expected(entry, "levels", dict, {})
    regions = tuple(_region(region, len(text)) for region in _expected(entry, "regions", list, []))
    level_texts = {str(factor): str(level) for factor, level in levels.items()}
    return Condition(_expected(entry, "name", str), text, acceptable, regions, level_texts)


def _region(entry: Any, length: int) -> Region:
    if not isinstance(entry, dict):
        raise _ItemError(f"a region is {shown(entry)}: expected an object")
    name, start, end = _expected(entry, "name", str), _expected(entry, "start", int), _expected(entry, "end", int)
    if not 0 <= start <= end <= length:
        raise _ItemError(f"the region '{name}' goes from {start} to {end}, and the text has {length} characters")
    return Region(name, start, end, is_contrast=entry.get("contrast") is True)


def _bindings(record: Mapping[str, Any]) -> list[_Binding]:
    """Every word that was drawn, in order.  Of slots of one name the later ones are called NAME.2, NAME.3."""
    found: list[_Binding] = []
    counts: dict[str, int] = {}
    for entry in _expected(record, "bindings", list, []):
        if not isinstance(entry, dict):
            raise _ItemError(f"a binding is {shown(entry)}: expected an object")
        name = _expected(entry, "slot", str)
        counts[name] = counts.get(name, 0) + 1
        slot = f"{name}.{counts[name]}" if counts[name] > 1 else name
        found.append(_Binding(slot, name, _expected(entry, "lemma", str, ""), _expected(entry, "category", str, "")))
    return found


def _attributes(record: Mapping[str, Any], flavour: str, bindings: Sequence[_Binding]) -> dict[str, str]:
    """Crossed values, the file's own fields and the words of slots."""
    attributes = {"flavour": flavour} if flavour else {}
    extra = _expected(record, "extra", dict, {})
    attributes |= {str(name): as_text(value) for name, value in extra.items() if isinstance(value, str | int | float)}
    attributes |= {str(name): as_text(value) for name, value in _expected(record, "crossed", dict, {}).items()}
    return attributes | {f"{SLOT}{binding.slot}": binding.lemma for binding in bindings}


def _lexemes(conditions: Sequence[Condition], bindings: Sequence[_Binding]) -> tuple[tuple[str, str], ...]:
    """(slot, lemma) of every word, words of open classes before others and contrasted ones before the rest."""
    contrasts = {region.name for member in conditions for region in member.regions if region.is_contrast}
    words = [binding for binding in bindings if binding.lemma]
    words.sort(key=lambda word: (word.category not in _OPEN_CLASSES, word.name not in contrasts))
    return tuple((word.slot, word.lemma) for word in words)


def _mask(report: Report, line: int, record: Mapping[str, Any], paradigm: str, answers: Answers) -> Mask | None:
    if "mask" not in record:
        return None
    mask = _expected(record, "mask", dict)
    slot, key = _expected(mask, "slot", str, ""), _expected(mask, "answers", str, "")
    found = answers.of(paradigm, key)
    if not found:
        why = f"the answers beside the file say nothing of them ('{key}')" if answers.paradigms else answers.absence
        report.warn(line, f"an open-ended item without classes of answers: {why}", "no-answers")
    return Mask(slot, _expected(mask, "token", str), found)


def _expectations(record: Mapping[str, Any], conditions: Sequence[Condition]) -> dict[str, str]:
    trees = _expected(record, "expectations", dict, {})
    names = [condition.name for condition in conditions]
    try:
        return {str(name): formula_text(tree, names) for name, tree in trees.items()}
    except ExpectationError as error:
        raise _ItemError(f"'expectations': {error}") from error


READER = ItemReader(
    "items",
    "Starling items: JSON lines with conditions, regions and words",
    _read,
    lambda source: "conditions" in (record := some_record(source)) and not {"items", "item_number"} & set(record),
    fields=("id", "conditions"),
)
