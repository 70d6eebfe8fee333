"""What items that differ in words only have in common."""

from __future__ import annotations

from dataclasses import dataclass

from generator.items import Item


@dataclass(frozen=True, eq=False)
class Shape:
    """Everything about an item but its words and its number.

    `stem`: its id without the number.  `pairs`: the places of the acceptable and the starred member of each pair among
    the members, whose names and acceptability are `names` and `acceptable`.  `mask`: the mask's word, or ''.
    """

    template: str
    crossed: tuple[tuple[str, str], ...]
    stem: str
    names: tuple[str, ...]
    acceptable: tuple[bool | None, ...]
    pairs: tuple[tuple[int, int], ...]
    mask: str = ""


def shape_of(item: Item) -> Shape:
    """The shape of an item."""
    places = {id(condition): place for place, condition in enumerate(item.conditions)}
    return Shape(
        item.template,
        item.crossed,
        item.id.removesuffix(str(item.number)),
        tuple([condition.name for condition in item.conditions]),
        tuple([condition.acceptable for condition in item.conditions]),
        tuple([(places[id(good)], places[id(bad)]) for _, good, bad in item.pairs]),
        item.mask.token if item.mask is not None else "",
    )
