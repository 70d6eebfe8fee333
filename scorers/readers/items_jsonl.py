"""Starling items: JSON lines with conditions, regions, words and features (docs/item-format.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scorers.items import Condition, Item, Mask, Pair, Region
from scorers.readers.answers import Answers, read_answers
from scorers.readers.base import ItemReader
from scorers.readers.expectations import FormulaTreeError, formula_text
from scorers.readers.fields import shown
from scorers.readers.records import json_records, some_record
from scorers.readers.source import Report, Source

SLOT = "slot:"
"""Before the name of a slot: the attribute that holds its lemma."""

_TEXTS = ("paradigm", "template", "phenomenon", "field", "language", "flavour")


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
        _cluster(members, bindings),
        _mask(report, line, record, paradigm, answers),
        _expectations(record, members),
        source.name,
        line,
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


def _bindings(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(slot, lemma) of every word, in order."""
    found = []
    for entry in _expected(record, "bindings", list, []):
        if not isinstance(entry, dict):
            raise _ItemError(f"a binding is {shown(entry)}: expected an object")
        found.append((_expected(entry, "slot", str), _expected(entry, "lemma", str, "")))
    return found


def _attributes(record: Mapping[str, Any], flavour: str, bindings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Crossed values, the file's own fields and the words of slots.  Of slots of one name the later ones are called
    `slot:NAME.2`, `slot:NAME.3`.
    """
    attributes = {"flavour": flavour} if flavour else {}
    extra = _expected(record, "extra", dict, {})
    attributes |= {str(name): _as_text(value) for name, value in extra.items() if isinstance(value, str | int | float)}
    attributes |= {str(name): _as_text(value) for name, value in _expected(record, "crossed", dict, {}).items()}
    counts: dict[str, int] = {}
    for slot, lemma in bindings:
        counts[slot] = counts.get(slot, 0) + 1
        ending = f".{counts[slot]}" if counts[slot] > 1 else ""
        attributes[f"{SLOT}{slot}{ending}"] = lemma
    return attributes


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cluster(conditions: Sequence[Condition], bindings: Sequence[tuple[str, str]]) -> str:
    """The lemma of the first contrasted slot; else of the first word."""
    lemmas: dict[str, str] = {}
    for slot, lemma in bindings:
        lemmas.setdefault(slot, lemma)
    contrasts = (region.name for member in conditions for region in member.regions if region.is_contrast)
    contrasted = next((lemmas[name] for name in contrasts if lemmas.get(name)), "")
    return contrasted or next((lemma for _, lemma in bindings if lemma), "")


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
    levels = {condition.name: tuple(condition.levels.values()) for condition in conditions}
    try:
        return {str(name): formula_text(tree, levels) for name, tree in trees.items()}
    except FormulaTreeError as error:
        raise _ItemError(f"'expectations': {error}") from error


READER = ItemReader(
    "items",
    "Starling items: JSON lines with conditions, regions and words",
    _read,
    lambda source: "conditions" in (record := some_record(source)) and not {"items", "item_number"} & set(record),
    fields=("id", "conditions"),
)
