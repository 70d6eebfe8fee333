"""What a model says of items, as lines of the format `jsonl`: scores of sentences and words for masks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scorers.items import Condition, Item, Mask
from scorers.models.base import LanguageModel, MaskedSentence, MaskFiller
from scorers.predictions import Unit


def field_of(unit: Unit) -> str:
    """The name of the field that holds numbers of a unit, with the base where the quantity has one."""
    return unit.quantity if unit.quantity in ("score", "perplexity") else f"{unit.quantity}_{unit.base}"


def predict(model: LanguageModel, items: Sequence[Item], name: str = "") -> Iterator[str]:
    """A JSON line for each condition of the items without a mask, and for each mask if the model fills them.

    Lines come in the order of the items.  `name` is what the lines call the model, by default its own name.
    """
    scores = model.score(_conditions(items))
    fills = model.fill(_masked(items)) if isinstance(model, MaskFiller) else None
    field, said = field_of(model.unit), {"model": name or model.name}
    for item in items:
        if item.mask is None:
            for condition in item.conditions:
                score = next(scores)
                place = {"id": item.id, "condition": condition.name, "text": condition.text}
                yield _line(place | {field: score.value, "token_count": score.token_count} | said)
        elif fills is not None:
            fill = next(fills)
            text = item.conditions[0].text.replace(item.mask.token, fill.word, 1)
            yield _line({"id": item.id, "text": text, "fill": fill.word, "probability": fill.probability} | said)


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def _conditions(items: Iterable[Item]) -> Iterator[Condition]:
    for item in items:
        if item.mask is None:
            yield from item.conditions


def _masked(items: Iterable[Item]) -> Iterator[MaskedSentence]:
    for item in items:
        mask: Mask | None = item.mask
        if mask is not None:
            yield MaskedSentence(item.conditions[0].text, mask.token)
