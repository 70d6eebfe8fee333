"""Items by one of their fields or attributes: the labels that tables have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from scorers.items import Item

Found = TypeVar("Found")

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
    """
    owner, mark = _OWNERS.get(name, ("", ""))
    groups: dict[tuple[str, str], list[Found]] = {}
    for item, one in found:
        key = item.attribute(name), item.attribute(owner) if owner else ""
        groups.setdefault(key, []).append(one)
    times = Counter(value for value, _ in groups)
    has_owners = name == "template" and len({above for _, above in groups}) > 1
    labelled: dict[str, list[Found]] = {}
    for (value, above), group in groups.items():
        label = value or "-"
        if above and (times[value] > 1 or (has_owners and (not value or value.isdigit()))):
            label = f"{above}{mark}{value}" if value else above
        labelled.setdefault(label, []).extend(group)
    return labelled
