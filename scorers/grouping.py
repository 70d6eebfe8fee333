"""Items by their fields or attributes: the labels that tables have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import TypeVar

from scorers.items import Item

Found = TypeVar("Found")

CROSS = "*"
"""Joins names that are taken together: `template*n` tells templates apart, and in each of them values of `n`."""

_OWNERS = {"paradigm": ("phenomenon", "-"), "template": ("paradigm", ":")}


def owner_of(name: str) -> str:
    """The field inside which a name tells items apart: a template is one of its paradigm's; '' for most."""
    return _OWNERS.get(name, ("", ""))[0]


def group_by(found: Iterable[tuple[Item, Found]], name: str) -> dict[str, list[Found]]:
    """What was found of items by a field or attribute of theirs, in the order in which its values come; `-` where items
    say nothing.

    Paradigms of one name in several phenomena, and templates of one name in several paradigms, stay apart: they are
    called `PHENOMENON-PARADIGM` and `PARADIGM:TEMPLATE` then.  So is a template that is only numbered, where there are
    several paradigms: a bare number would not say of which it is.  Items without a template are then their paradigm's.
    Names joined by `*` give the values of all of them, with commas between.
    """
    if CROSS in name:
        several = list(found)
        joined: dict[str, list[Found]] = {}
        for label, (_, one) in zip(labels_of((item for item, _ in several), name), several, strict=True):
            joined.setdefault(label, []).append(one)
        return joined
    groups: dict[tuple[str, str], list[Found]] = {}
    for item, one in found:
        groups.setdefault(_key(item, name), []).append(one)
    called = _labels(groups, name)
    labelled: dict[str, list[Found]] = {}
    for key, group in groups.items():
        labelled.setdefault(called[key], []).extend(group)
    return labelled


def labels_of(items: Iterable[Item], name: str) -> Iterator[str]:
    """The label of each item's group, as `group_by` gives them."""
    if CROSS in name:
        every = list(items)
        columns = [labels_of(every, part) for part in name.split(CROSS)]
        return (", ".join(labels) for labels in zip(*columns, strict=True))
    keys = [_key(item, name) for item in items]
    called = _labels(dict.fromkeys(keys), name)
    return (called[key] for key in keys)


def _key(item: Item, name: str) -> tuple[str, str]:
    owner = owner_of(name)
    return item.attribute(name), item.attribute(owner) if owner else ""


def _labels(keys: Collection[tuple[str, str]], name: str) -> dict[tuple[str, str], str]:
    mark = _OWNERS.get(name, ("", ""))[1]
    times = Counter(value for value, _ in keys)
    has_owners = name == "template" and len({above for _, above in keys}) > 1
    found: dict[tuple[str, str], str] = {}
    for value, above in keys:
        found[value, above] = value or "-"
        if above and (times[value] > 1 or (has_owners and (not value or value.isdigit()))):
            found[value, above] = f"{above}{mark}{value}" if value else above
    return found
