"""Starling items: JSON lines as `item_schema.json` describes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from generator.errors import nearest
from generator.items import Binding, Condition, Item, Mask
from generator.readers.base import Reader, Source
from generator.readers.blimp import first_record, records
from generator.realizing import Region, Sentence

SHOWN = 3
_NUMBERED = re.compile(r"[^:]+:[^:]+:(open:)?[1-9][0-9]*")


class _NoItemError(Exception):
    """A record that is no item."""


def _read(source: Source) -> Iterator[Item]:
    """Each record is looked at by the code below, which is fast; the schema looks at the first one, and says what is
    wrong with any that this code cannot take."""
    for count, (line, record) in enumerate(records(source)):
        try:
            item = _item(record, line)
        except (_NoItemError, KeyError, TypeError, AttributeError, ValueError) as error:
            problems = _problems(record) or [str(error)]
            source.error(line, "; ".join(problems))
            continue
        if count == 0 and (problems := _problems(record)):
            source.error(line, "; ".join(problems))
            continue
        yield item


def _item(record: Mapping[str, Any], line: int) -> Item:
    if not record.keys() <= _known():
        raise _NoItemError
    mask = record.get("mask")
    item = Item(
        _text(record["id"]),
        _text(record["paradigm"]),
        _text(record["template"]),
        _whole(record["number"]),
        tuple(_condition(condition, place) for place, condition in enumerate(record["conditions"])),
        tuple(_binding(binding) for binding in record["bindings"]),
        tuple((name, _text(value)) for name, value in record["crossed"].items()),
        None if mask is None else Mask(_text(mask["slot"]), _text(mask["token"]), _text(mask["answers"])),
        _expectations(record.get("expectations", {})),
        _text(record.get("phenomenon", "")),
        _text(record.get("field", "")),
        _text(record["language"]),
        _object(record.get("extra", {})),
        line,
    )
    if not item.id or (item.number and not _NUMBERED.fullmatch(item.id)):
        raise _NoItemError(f"'{item.id}' is no id")
    if not item.conditions:
        raise _NoItemError("an item without conditions")
    if record["flavour"] != item.flavour:
        raise _NoItemError("'flavour' is open exactly where there is a 'mask'")
    names = [condition.name for condition in item.conditions]
    if len(set(names)) < len(names):
        raise _NoItemError(f"two conditions are called '{next(n for n in names if names.count(n) > 1)}'")
    return item


def _condition(record: Mapping[str, Any], place: int) -> Condition:
    if not record.keys() <= _known("conditions") or any(not r.keys() <= _known("regions") for r in record["regions"]):
        raise _NoItemError("a key that is none")
    text = _text(record["text"])
    regions = tuple(
        Region(_text(r["name"]), _whole(r["start"]), _whole(r["end"]), _flag(r.get("contrast", False)))
        for r in record["regions"]
    )
    for region in regions:
        if not region.start <= region.end <= len(text):
            raise _NoItemError(
                f"region '{region.name}' of '{record['name']}' is {region.start}-{region.end}; "
                f"its text has {len(text)} characters"
            )
    acceptable = record["acceptable"]
    if acceptable is not None and not isinstance(acceptable, bool):
        raise _NoItemError
    return Condition(
        _text(record["name"]),
        acceptable,
        Sentence(text, tuple(_text(token) for token in record["tokens"]), regions),
        _whole(record.get("rank", place)),
        {name: _text(level) for name, level in record.get("levels", {}).items()},
    )


def _binding(record: Mapping[str, Any]) -> Binding:
    if not record.keys() <= _known("bindings"):
        raise _NoItemError("a key that is none")
    return Binding(
        _text(record["slot"]),
        _text(record["category"]),
        _text(record["lemma"]),
        _text(record["form"]),
        {name: _text(value) for name, value in record["features"].items()},
        _flag(record.get("guessed", False)),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _NoItemError(f"{value!r} is no text")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _NoItemError(f"{value!r} is no whole number from 0")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _NoItemError(f"{value!r} is neither true nor false")
    return value


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _NoItemError(f"{value!r} is no object")
    return dict(value)


def _expectations(value: object) -> dict[str, Any]:
    found = _object(value)
    if found and not _are_formulas(json.dumps(found)):
        raise _NoItemError("the expectations are no formulas")
    return found


@lru_cache(maxsize=256)
def _are_formulas(text: str) -> bool:
    """Whether expectations are what the schema says.  The items of a design have the same ones."""
    import jsonschema

    schema = {"$defs": _schema()["$defs"], **_schema()["properties"]["expectations"]}
    return bool(jsonschema.Draft202012Validator(schema).is_valid(json.loads(text)))


@cache
def _schema() -> Mapping[str, Any]:
    schema: Mapping[str, Any] = json.loads((files("generator") / "item_schema.json").read_text("utf-8"))
    return schema


@cache
def _known(part: str = "") -> frozenset[str]:
    """The keys of an item, or of one of its parts."""
    whole = _schema()["properties"]
    conditions = whole["conditions"]["items"]["properties"]
    parts = {"": whole, "conditions": conditions, "regions": conditions["regions"]["items"]["properties"]}
    parts["bindings"] = whole["bindings"]["items"]["properties"]
    return frozenset(parts[part])


@cache
def _validator() -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(_schema())


def _problems(record: Mapping[str, Any]) -> list[str]:
    """What the schema says against a record, the first few."""
    unknown = [key for key in record if key not in _known()]
    found = [f"unknown key '{key}'; {nearest(key, _known()) or 'what is your own goes into extra'}" for key in unknown]
    kept = {key: value for key, value in record.items() if key not in unknown}
    errors = sorted(_validator().iter_errors(kept), key=lambda error: [str(part) for part in error.absolute_path])
    for error in errors:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
        found.append(f"{where.lstrip('.')}: {_cut(error.message)}" if where else _cut(error.message))
    more = len(found) - SHOWN
    return [*found[:SHOWN], *([f"and {more} more"] if more > 0 else [])]


def _cut(message: str) -> str:
    return message if len(message) <= 200 else f"{message[:120]} ... {message[-70:]}"


def _detect(source: Source) -> bool:
    return "conditions" in first_record(source)


READER = Reader("items", "Starling items: JSON lines with conditions, regions, words and features", _read, _detect)
