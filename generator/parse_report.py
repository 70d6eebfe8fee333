"""What `gen parse` says of each item that it read, and of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from generator.identifying import Identified, Identifier
from generator.items import Condition, Item
from generator.recognizing import Recognition


def shown(item: Item) -> str:
    """The sentences of an item on one line, as an `example` line of a grammar has them."""
    parts = []
    for condition in item.conditions:
        mark = "* " if condition.acceptable is False and len(item.conditions) > 1 else ""
        parts.append(mark + condition.text)
    return " / ".join(parts)


def lines_of(identified: Identified, identifier: Identifier) -> Iterator[str]:
    """What is known of an item: its analyses, or where it leaves the grammars."""
    yield shown(identified.item)
    for recognition in identified.recognitions:
        yield from _analysis(identified, recognition, identifier)
    if not identified.recognitions:
        yield from _misses(identified)


def _analysis(identified: Identified, recognition: Recognition, identifier: Identifier) -> Iterator[str]:
    item = identifier.made(identified, recognition)
    style = identifier.style(identified.item, recognition)
    facts = [f"template {item.template}", *(f"{name}={value}" for name, value in item.crossed)]
    facts.append(f"written as {style}" if style else "in no text style")
    yield f"  {item.id}  {_judgement(item)}  ({', '.join(facts)})"
    if identified.is_reversed:
        yield "    the file judges otherwise"
    if style is None:
        yield f"    the grammar writes: {shown(item)}"
    width = max((len(binding.slot) for binding in item.bindings), default=0)
    for binding in item.bindings:
        features = " ".join(f"{name}={value}" for name, value in binding.features.items())
        lemma = "" if binding.lemma == binding.form else f" of '{binding.lemma}'"
        kind = binding.category or "quoted word"
        yield f"    {binding.slot:{width}}  {binding.form}{lemma}, {kind}" + (f": {features}" if features else "")


def _judgement(item: Item) -> str:
    def one(condition: Condition) -> str:
        if item.mask is not None:
            return f"open-ended, masks '{item.mask.slot}'"
        said = "acceptable" if condition.acceptable else "starred"
        return said if condition.name == said else f"{said} ('{condition.name}')"

    return " / ".join(one(condition) for condition in item.conditions)


def _misses(identified: Identified) -> Iterator[str]:
    several = len(identified.item.conditions) > 1
    if all(miss is None for miss in identified.misses):
        yield "  not recognised: each sentence is known, but no one item has them all"
        return
    for number, miss in enumerate(identified.misses, start=1):
        which = f"sentence {number}: " if several else ""
        if miss is None:
            yield f"  {which}known by itself"
            continue
        names = ", ".join(miss.paradigms[:3]) + (" ..." if len(miss.paradigms) > 3 else "")
        yield f"  {which}not recognised: {miss.text}" + (f"  [{names}]" if names else "")


@dataclass
class Tally:
    """Counts over all items that were read."""

    items: int = 0
    recognised: int = 0
    ambiguous: int = 0
    reversed: int = 0
    by_template: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, identified: Identified) -> None:
        """Count one."""
        self.items += 1
        if not identified.recognitions:
            return
        self.recognised += 1
        self.reversed += identified.is_reversed
        templates = dict.fromkeys((r.plan.grammar.paradigm, r.template.name) for r in identified.recognitions)
        self.ambiguous += len(identified.recognitions) > 1
        self.by_template.update(templates.keys())

    @property
    def is_clean(self) -> bool:
        """Whether every item is recognised and judged alike."""
        return self.recognised == self.items and not self.reversed

    def lines(self) -> Iterator[str]:
        """The summary: a line, then one for each template."""
        share = 100 * self.recognised / self.items if self.items else 100.0
        notes = [f"{self.recognised:,} of {self.items:,} recognised ({share:.2f}%)"]
        if self.ambiguous:
            notes.append(f"{self.ambiguous:,} in several ways")
        if self.reversed:
            notes.append(f"{self.reversed:,} judged otherwise by the file")
        yield "; ".join(notes)
        for (paradigm, template), count in self.by_template.items():
            yield f"  {count:>9,}  {paradigm}:{template}"

    def as_json(self) -> dict[str, Any]:
        """The summary as JSON."""
        return {
            "items": self.items,
            "recognised": self.recognised,
            "ambiguous": self.ambiguous,
            "judged_otherwise": self.reversed,
            "templates": [
                {"paradigm": paradigm, "template": template, "items": count}
                for (paradigm, template), count in self.by_template.items()
            ],
        }
