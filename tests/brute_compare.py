"""Compares the engine with the second oracle, number by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from brute_derivations import Derivation
from brute_oracle import Oracle
from brute_words import BARE, BUNDLE

from generator.item_making import ItemMaker
from generator.items import Item
from generator.loading import grammar_from_text
from generator.planning import Flavour, Plan, plan

Signature = tuple[Any, ...]


def planned(text: str, words: Path, flavour: Flavour = "forced") -> Plan:
    return plan(grammar_from_text(text, words=words), flavour)


def numbered(found: Plan) -> list[list[Item]]:
    """The items of each template, by their numbers."""
    maker = ItemMaker(found)
    return [[maker.item(template, index) for index in range(template.items)] for template in found.templates]


def oracle_items(text: str) -> list[Derivation]:
    oracle = Oracle(text)
    return [item for number in range(len(oracle.templates)) for item in oracle.items(number)]


def shown_items(found: Sequence[Derivation]) -> list[str]:
    shown = []
    for item in found:
        parts = [] if item.versions and item.versions[0].name else [item.text]
        for version in item.versions:
            mark = (["+"] if not version.name else []) if version.acceptable else ["*"]
            parts.append(" ".join([*([version.name] if version.name else []), *mark, version.text]))
        shown.append(" / ".join(parts))
    return shown


def items_of(found: Sequence[Item], is_design: bool | None = None) -> list[str]:
    """Items of the engine in the notation of the cases."""
    shown = []
    for item in found:
        first = item.conditions[0]
        parts = []
        for condition in item.conditions:
            if first.name == "acceptable":
                mark = [] if condition is first else ["+" if condition.acceptable else "*"]
                parts.append(" ".join([*mark, condition.text]))
            else:
                parts.append(" ".join([condition.name, *([] if condition.acceptable else ["*"]), condition.text]))
        shown.append(" / ".join(parts))
    return shown


def _features(found: Sequence[Item]) -> dict[str, tuple[str, ...]]:
    """The features by which each crossed value is shown (`sg.masc`: number and gender)."""
    if not found:
        return {}
    return {name: tuple(BARE[part] for part in value.split("/")[0].split(".")) for name, value in found[0].crossed}


def _crossed(item: Derivation, features: dict[str, tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    shown = []
    for name, used in features.items():
        value = item.cells[(), f"${name}"]
        shown.append((name, value if isinstance(value, str) else ".".join(value[f] for f in used)))
    return tuple(shown)


def _lemmas(item: Item) -> tuple[str, ...]:
    return tuple(sorted(binding.lemma for binding in item.bindings))


def _of_engine(item: Item) -> Signature:
    design = item.conditions[0].name != "acceptable"
    members = tuple((c.name if design else "", c.acceptable, c.text) for c in item.conditions)
    return item.crossed, members, _lemmas(item)


def _of_oracle(item: Derivation, features: dict[str, tuple[str, ...]]) -> Signature:
    members = tuple((version.name, version.acceptable, version.text) for version in item.versions)
    if not (members and members[0][0]):
        members = (("", True, item.text), *members)
    return _crossed(item, features), members, item.lemmas


def check_forced(text: str, words: Path, wanted: list[list[Derivation]] | None = None) -> list[Item]:
    """Everything that the forced-choice flavour promises."""
    if wanted is None:
        oracle = Oracle(text)
        wanted = [oracle.items(number) for number in range(len(oracle.templates))]
    found = planned(text, words)
    everything = [item for template in wanted for item in template]
    assert found.items == len(everything), (text, found.items, shown_items(everything))
    templates = numbered(found)
    flat = [item for items in templates for item in items]
    assert len({item.id for item in flat}) == len(flat), text
    for items, derivations in zip(templates, [items for items in wanted if items], strict=True):
        features = _features(items)
        assert set(features) >= {n.removeprefix("$") for n in _cross_of(text)}, text
        here = Counter(_of_engine(item) for item in items)
        there = Counter(_of_oracle(item, features) for item in derivations)
        assert here == there, (text, "only engine", here - there, "only oracle", there - here)
        # Shallower recursion comes first.
        start = 0
        for level in sorted({item.level for item in derivations}):
            wanted_here = Counter(_of_oracle(item, features) for item in derivations if item.level == level)
            found_here = Counter(_of_engine(item) for item in items[start : start + wanted_here.total()])
            assert found_here == wanted_here, (text, f"level {level}", found_here - wanted_here)
            start += wanted_here.total()
        for number, item in enumerate(items, start=1):
            assert item.number == number
            stars = [condition for condition in item.conditions if not condition.acceptable]
            assert [pair[2] for pair in item.pairs] == stars, text
    if not everything or not everything[0].versions[0].name:
        assert found.versions == sum(len(item.stars) for item in everything), text
    return flat


def _cross_of(text: str) -> list[str]:
    rows = [row.removeprefix("cross ") for row in text.splitlines() if row.startswith("cross ")]
    return [name.strip() for row in rows for name in row.split(",")]


def check_one_star(text: str, words: Path) -> None:
    """One of the starred versions of each item is left."""
    oracle = Oracle(text)
    wanted = [item for number in range(len(oracle.templates)) for item in oracle.items(number)]
    found = planned(text, words)
    assert found.items == found.versions == len(wanted), text
    flat = [item for items in numbered(found) for item in items]
    features = _features(flat)
    options: dict[Any, list[set[str]]] = {}
    for item in wanted:
        options.setdefault((_crossed(item, features), item.text, item.lemmas), []).append(set(item.stars))
    for each in flat:
        stars = [condition.text for condition in each.conditions if not condition.acceptable]
        fitting = options[each.crossed, each.good.text, _lemmas(each)]
        assert len(stars) == len(each.pairs) == 1, (text, each)
        assert any(stars[0] in known for known in fitting), (text, stars, fitting)
    counted = Counter((each.crossed, each.good.text, _lemmas(each)) for each in flat)
    assert counted == Counter({key: len(found) for key, found in options.items()}), text


def check_open(text: str, words: Path, wanted: list[dict[str, list[Derivation]]] | None = None) -> list[Item]:
    """Everything that the open-ended flavour promises."""
    if wanted is None:
        oracle = Oracle(text)
        wanted = [oracle.projections(number) for number in range(len(oracle.templates))]
    found = planned(text, words, "open")
    templates = numbered(found)
    assert found.items == found.versions == sum(map(len, wanted)), (text, found.items, wanted)
    for items, projections in zip(templates, [each for each in wanted if each], strict=True):
        read = Counter(item.good.text for item in items)
        assert read == Counter(list(projections)), (
            text,
            read - Counter(list(projections)),
            set(projections) - set(read),
        )
        features = _features(items)
        for item in items:
            values: dict[str, set[str]] = {}
            for derivation in projections[item.good.text]:
                for name, value in _crossed(derivation, features):
                    values.setdefault(name, set()).add(value)
            assert {name: set(value.split("/")) for name, value in item.crossed} == values, (text, item)
    return [item for items in templates for item in items]


__all__ = ["BUNDLE", "check_forced", "check_one_star", "check_open", "items_of", "numbered", "oracle_items", "planned",
           "shown_items"]  # fmt: skip
