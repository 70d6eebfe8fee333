"""SyntaxGym suites (Hu et al. 2020): conditions, regions side by side, and the expectations as formulas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from generator import facts
from generator.errors import listed
from generator.formulas import FormulaTree
from generator.items import Condition, Item
from generator.readers.suite_formulas import CONDITION_NAME, FormulaError, print_formula
from generator.writers.base import Format, FormatError, require_pairs
from generator.writers.spool import Spool
from generator.writers.suite_regions import Layout, Slot, layouts, measured_regions, shown

MOST_OWN_NUMBERS = 1_000_000  # a suite with more items is numbered anew, so that no set of numbers fills the memory


def _document(items: Iterable[Item]) -> Iterator[str]:
    with Spool() as spool:
        suite = _Suite(spool)
        for item in items:
            suite.add(item)
        if suite.first is None:
            raise FormatError("the format 'syntaxgym' cannot hold a suite without items")
        yield from suite.text()


class _Suite:
    """What is known of a suite while its items are read, and its text afterwards."""

    def __init__(self, spool: Spool) -> None:
        self.spool = spool
        self.first: Item | None = None
        self.names: tuple[str, ...] = ()
        self.slots: tuple[Slot, ...] = ()
        self.is_used: list[bool] = []
        self.is_whole = False  # each sentence is one region
        self.numbers: set[int] | None = set()  # None: items are numbered anew

    def add(self, item: Item) -> None:
        """Set an item aside: one of the suite, or one for each of its pairs."""
        groups = _groups(item)
        if self.first is None:
            self.first = item
            self.names = tuple(sorted(condition.name for condition in groups[0]))
        elif item.expectations != self.first.expectations:
            raise FormatError(
                f"{item.id}: the format 'syntaxgym' has one list of predictions, and the expectations of this item are "
                f"not those of {self.first.id}"
            )
        number = _own_number(item, len(groups) == 1 and item.template == self.first.template)
        if self.numbers is not None:
            is_new = number > 0 and number not in self.numbers and len(self.numbers) < MOST_OWN_NUMBERS
            self.numbers.add(number)
            self.numbers = self.numbers if is_new else None
        for group in groups:
            self._add_group(item, group, number)

    def _add_group(self, item: Item, group: Sequence[Condition], number: int) -> None:
        assert self.first is not None
        names = tuple(sorted(condition.name for condition in group))
        if names != self.names:
            raise FormatError(
                f"{item.id}: the format 'syntaxgym' needs the same conditions in all items: found {listed(names)}, "
                f"expected {listed(self.names)} as in {self.first.id}"
            )
        made = layouts(item, group)
        self.slots = self.slots or made[0].slots
        for condition, layout in zip(group, made, strict=True):
            if layout.slots != self.slots:
                self._differs(item, condition, layout)
        if not self.is_whole:
            self.is_used = self.is_used or [bool(slot.name) for slot in self.slots]
            for layout in made:
                self.is_used = [old or bool(text) for old, text in zip(self.is_used, layout.texts, strict=True)]
        members = [[c.name, list(layout.texts)] for c, layout in zip(group, made, strict=True)]
        self.spool.add([number, members])

    def _differs(self, item: Item, condition: Condition, layout: Layout) -> None:
        """Regions unlike those of the first sentence: plain pairs go without regions, designs cannot."""
        assert self.first is not None
        if not self.first.expectations and not any(c.levels or c.acceptable is None for c in self.first.conditions):
            self.is_whole = True
            return
        raise FormatError(
            f"{item.id}: the format 'syntaxgym' has one list of regions: found {shown(layout.slots)} in the condition "
            f"'{condition.name}', expected {shown(self.slots)} as in {self.first.id}. Name the same stretches "
            "[name: ...] in all conditions and templates, or write a grammar for each template"
        )

    # --- the text -----------------------------------------------------------------------------------------------

    def text(self) -> Iterator[str]:
        """The suite: its head, then an item a line."""
        assert self.first is not None
        kept = [0] if self.is_whole else [place for place, is_used in enumerate(self.is_used) if is_used]
        names = self._region_names(kept)
        given = self.first.extra.get("suite")
        own = given if isinstance(given, Mapping) else {}
        meta = {"name": self.first.paradigm, "metric": "sum", "author": "", "reference": "", "comment": "", **own}
        formulas = self._formulas(kept, str(meta["metric"]))
        yield f'{{"meta": {_json(meta)},\n'
        yield f' "region_meta": {_json({str(n): name for n, name in enumerate(names, start=1)})},\n'
        rows = ",\n".join(f"  {_json({'type': 'formula', 'formula': formula})}" for formula in formulas)
        yield (f' "predictions": [\n{rows}\n ],\n' if rows else ' "predictions": [],\n') + ' "items": [\n'
        for place, (number, members) in enumerate(self.spool, start=1):
            if self.is_whole:
                members = [[name, [" ".join(text for text in texts if text)]] for name, texts in members]
            conditions = [
                {
                    "condition_name": name,
                    "regions": [{"region_number": n, "content": texts[slot]} for n, slot in enumerate(kept, start=1)],
                }
                for name, texts in members
            ]
            record = {"item_number": place if self.numbers is None else number, "conditions": conditions}
            yield f"  {_json(record)}" + (",\n" if place < self.spool.count else "\n")
        yield " ]}\n"

    def _region_names(self, kept: Sequence[int]) -> list[str]:
        """The slots' names, each once; an unnamed one is called by its number (`r3`)."""
        if self.is_whole or (len(kept) == 1 and not self.slots[kept[0]].name):
            return ["sentence"]
        taken = {self.slots[slot].name for slot in kept}
        names: list[str] = []
        for number, slot in enumerate(kept, start=1):
            name = self.slots[slot].name
            if not name:
                name = f"r{number}"
                while name in taken:
                    name += "_"
            elif name in names:
                count = 1
                while f"{name}.{count}" in taken:
                    count += 1
                name = f"{name}.{count}"
            taken.add(name)
            names.append(name)
        return names

    def _formulas(self, kept: Sequence[int], metric: str) -> list[str]:
        assert self.first is not None
        trees: Mapping[str, FormulaTree] = self.first.expectations
        if not trees:
            return _usual_predictions(self.first, _groups(self.first)[0])
        for tree in trees.values():
            for name in measured_regions(tree):
                places = [n for n, slot in enumerate(self.slots) if slot.name == name]
                if len(places) > 1:
                    raise FormatError(f"{self.first.id}: an expectation measures '{name}', which stands there twice")

        def numbers_of(name: str) -> list[int]:
            found = [n for n, slot in enumerate(kept, start=1) if name in self.slots[slot].within]
            if not found:
                raise FormulaError(f"there is no region '{name}' in {shown(self.slots)}")
            if len(found) > 1 and metric != "sum":
                raise FormulaError(f"'{name}' is parted by a region in it, which the metric '{metric}' cannot add up")
            return found

        formulas = []
        for name, tree in trees.items():
            try:
                formulas.append(print_formula(tree, numbers_of))
            except FormulaError as error:
                raise FormatError(f"{self.first.paradigm}: expectation '{name}': {error}") from error
        return formulas


def _groups(item: Item) -> list[tuple[Condition, ...]]:
    """The items of the suite that an item becomes: one with all its conditions, or one for each minimal pair."""
    wrong = [c.name for c in item.conditions if not CONDITION_NAME.fullmatch(c.name)]
    if wrong:
        raise FormatError(
            f"{item.id}: the format 'syntaxgym' has condition names of the letters A to Z, digits, '_' and '-': found "
            f"'{wrong[0]}'"
        )
    if item.expectations or any(c.levels or c.acceptable is None for c in item.conditions):
        return [item.conditions]
    require_pairs(item, "syntaxgym")
    return [(_called(good, "acceptable"), _called(bad, "starred")) for _, good, bad in item.pairs]


def _called(condition: Condition, name: str) -> Condition:
    return Condition(name, condition.acceptable, condition.sentence, condition.rank)


def _own_number(item: Item, is_plain: bool) -> int:
    """The number that an item brings: of a suite that was read, or of its only template; 0 for none."""
    given = item.extra.get("item_number")
    if type(given) is int:
        return given
    return item.number if is_plain else 0


def _usual_predictions(item: Item, conditions: Sequence[Condition]) -> list[str]:
    """Where nothing is expected: each starred sentence as a whole is more surprising than its acceptable partner.

    The whole, because what is wrong may show only behind the contrast (*the cats is*).
    """
    if any(condition.levels for condition in conditions):
        pairs = [(good.name, bad.name) for _, good, bad in item.pairs]
    else:
        pairs = [("acceptable", "starred")] if {c.name for c in conditions} == {"acceptable", "starred"} else []
    return [f"(*;%{bad}%) > (*;%{good}%)" for good, bad in pairs]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


FORMAT = Format(
    "syntaxgym",
    "SyntaxGym suite: conditions, regions side by side, expectations as formulas",
    ".json",
    "ptb",
    ("forced",),
    document=_document,
    holds=frozenset(
        {
            facts.PARADIGM,
            facts.GOOD,
            facts.UNSAID,
            facts.EXPECTATIONS,
            facts.ALONE,
            facts.MANY,
            facts.UNEQUAL,
            facts.REGIONS,
        }
    ),
    columns=frozenset({"item_number", "suite"}),
)
