"""Our own format: one item a line, all its members, words and regions (docs/item-format.md)."""

from __future__ import annotations

from typing import Any

from generator import facts
from generator.items import Condition, Item
from generator.writers.base import Format, as_json


def item_record(item: Item) -> dict[str, Any]:
    """An item as the JSON object that `item_schema.json` describes."""
    record: dict[str, Any] = {"id": item.id, "paradigm": item.paradigm}
    for key in ("phenomenon", "field"):
        if getattr(item, key):
            record[key] = getattr(item, key)
    ranked = _order_by_rank(item) != list(range(len(item.conditions)))
    record |= {
        "language": item.language,
        "flavour": item.flavour,
        "template": item.template,
        "number": item.number,
        "crossed": dict(item.crossed),
        "conditions": [_condition(condition, ranked) for condition in item.conditions],
        "bindings": [
            {
                "slot": binding.slot,
                "category": binding.category,
                "lemma": binding.lemma,
                "form": binding.form,
                "features": dict(binding.features),
                **({"guessed": True} if binding.guessed else {}),
            }
            for binding in item.bindings
        ],
    }
    if item.expectations:
        record["expectations"] = dict(item.expectations)
    if item.extra:
        record["extra"] = dict(item.extra)
    if item.mask is not None:
        record["mask"] = {"slot": item.mask.slot, "token": item.mask.token, "answers": item.mask.answers}
    return record


def _order_by_rank(item: Item) -> list[int]:
    """The places of the members, ordered by rank: said only where it is not the order of the members themselves."""
    return sorted(range(len(item.conditions)), key=lambda place: item.conditions[place].rank)


def _condition(condition: Condition, ranked: bool) -> dict[str, Any]:
    return {
        "name": condition.name,
        "acceptable": condition.acceptable,
        **({"levels": dict(condition.levels)} if condition.levels else {}),
        **({"rank": condition.rank} if ranked else {}),
        "text": condition.text,
        "tokens": list(condition.sentence.tokens),
        "regions": [
            {
                "name": region.name,
                "start": region.start,
                "end": region.end,
                **({"contrast": True} if region.is_contrast else {}),
            }
            for region in condition.sentence.regions
        ],
    }


def _lines(item: Item) -> list[str]:
    return [as_json(item_record(item))]


FORMAT = Format(
    "items",
    "Starling items: JSON lines with conditions, regions, words and features",
    ".jsonl",
    "tokens",
    ("forced", "open"),
    _lines,
    needs_sidecar=True,
    holds=frozenset(facts.FACTS) - {facts.CONSTITUENTS, facts.DEPENDENCIES},
)
