"""The text of a leaf's items, from frames: for formats that are text."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from generator.compiling import Compiler, Frame, Made
from generator.counting import Component
from generator.item_making import one_starred, starred_of
from generator.sample_cells import Place
from generator.shapes import Shape
from generator.strata import Entry

LEAST = 3
"""So many items of a combination of kinds are made one by one before a frame is made for it."""

_MOST_LISTED = 100_000  # a component with more items is not listed
_MOST_ROWS = 500_000  # listed for a plan
_MOST_FRAMES = 5_000  # of a leaf
CUT = "\x00"  # stands in no line: between the items of a block

_Key = tuple[tuple[int, ...], tuple[int, ...]]
"""Kinds, and the versions that are chosen for an item (none where nothing is)."""

Row = tuple[int, tuple[str, ...]]
"""Words of some draws of a leaf: the number of their kinds, and the plain words in them."""


@dataclass(frozen=True)
class Hole:
    """What stands between two constants: a word of a group of draws, or (with `group` -1) the number."""

    group: int
    place: int = 0
    capital: bool = False


@dataclass(frozen=True)
class Cut:
    """A frame whose slots are places in the words of groups of draws."""

    constants: tuple[str, ...]
    holes: tuple[Hole, ...]
    shape: Shape


@dataclass(frozen=True)
class _Group:
    """Kinds of the words of some draws: where the plain words of each begin, and an example."""

    draws: tuple[int, ...]
    kinds: tuple[int, ...]
    offsets: dict[int, int]
    entries: tuple[Entry, ...]


def woven(constants: Sequence[str], columns: Sequence[Sequence[str]], count: int) -> str:
    """`count` times the constants, with an entry of each column between them."""
    width = 2 * len(columns) + 1
    parts: list[str] = [""] * (width * count)
    for place, constant in enumerate(constants):
        parts[2 * place :: width] = [constant] * count
    for place, column in enumerate(columns):
        parts[2 * place + 1 :: width] = column
    return "".join(parts)


class Part:
    """A component of a leaf, as rows."""

    def __init__(self, owner: LeafText, component: Component, label: Hashable) -> None:
        self.component = component
        self.label = label
        self.draws = component.draws
        self.size = component.counts[label][0]
        self.owner = owner
        self._asked = 0
        self._list: list[Row] = []

    def list_for(self, items: int) -> bool:
        """List the rows where it pays for so many items; whether they are listed."""
        if not self._list and self.size <= min(_MOST_LISTED, items, _MOST_ROWS - self.owner.compiler.listed):
            self.all()
        return bool(self._list)

    def all(self) -> list[Row]:
        """The row of each item, in order; kept."""
        if not self._list:
            row, draws = self.owner.row, self.draws
            self._list = [row(draws, (*run.before, e)) for run in self.component.walk(self.label) for e in run.last]
            self.owner.compiler.listed += self.size
        return self._list

    def row(self, digit: int) -> Row:
        """The row of an item."""
        if self._list:
            return self._list[digit]
        return self.owner.row(self.draws, self.component.words(digit, self.label))

    def rows(self, digits: Sequence[int]) -> list[Row]:
        """The rows of some items."""
        self._asked += len(digits)
        if self.list_for(self._asked):
            return list(map(self._list.__getitem__, digits))
        return [self.row(digit) for digit in digits]


class LeafText:
    """Writes the items of one leaf."""

    def __init__(self, compiler: Compiler, place: Place) -> None:
        self.template, self.start, self.leaf = place
        self.compiler = compiler
        self.parts = [
            Part(self, component, label)
            for component, label in zip(self.leaf.parts, self.leaf.labels, strict=True)
            if component.draws
        ]
        self.is_compiled = compiler.can_compile(self.leaf)
        # Of items with words of the same kinds each may then have another starred member.
        self.is_chosen = self.leaf.scope.has_option("one star") and compiler.plan.flavour == "forced"
        self._versions: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._entries: dict[int, dict[int, tuple[int, tuple[str, ...]]]] = {}  # by draw and identity
        self._kind_numbers: dict[Hashable, int] = {}
        self._groups: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        self._group_list: list[_Group] = []
        self._frames: dict[Hashable, Frame | None] = {}
        self._cuts: dict[_Key, Cut | None] = {}
        self._asked: dict[_Key, int] = {}

    # --- rows and frames ----------------------------------------------------------------------------------------

    def row(self, draws: tuple[int, ...], entries: Sequence[Entry]) -> Row:
        """The row of some entries, one for each of some draws."""
        known = self._entries
        try:
            found = [known[draw][id(entry)] for draw, entry in zip(draws, entries, strict=True)]
        except KeyError:
            found = [self._entry(draw, entry) for draw, entry in zip(draws, entries, strict=True)]
        kinds = tuple([kind for kind, _ in found])
        words = found[0][1] if len(found) == 1 else tuple([word for _, own in found for word in own])
        group = self._groups.get((draws, kinds))
        if group is None:
            group = self._groups[draws, kinds] = len(self._group_list)
            offsets = itertools.accumulate((len(own) for _, own in found), initial=0)
            self._group_list.append(_Group(draws, kinds, dict(zip(draws, offsets, strict=False)), tuple(entries)))
        return group, words

    def _entry(self, draw: int, entry: Entry) -> tuple[int, tuple[str, ...]]:
        """The number of an entry's kind, and its plain words; kept."""
        own = self._entries.setdefault(draw, {})
        if id(entry) not in own:
            kind = self.compiler.kind(self.leaf, draw, entry)
            number = self._kind_numbers.setdefault((draw, kind.key), len(self._kind_numbers))
            own[id(entry)] = (number, kind.words)
        return own[id(entry)]

    @property
    def is_alike(self) -> bool:
        """Whether items with words of the same kinds are all alike."""
        return self.is_compiled and not self.is_chosen

    def cut(self, kinds: tuple[int, ...], chosen: tuple[int, ...] = (), number: int = 0) -> Cut | None:
        """The frame for groups of kinds that make items together.  None: such items must be made one by one.

        `chosen` versions, where such are chosen, are those of item `number` (from 0) of the leaf.
        """
        key = (kinds, chosen)
        if key not in self._cuts:
            self._cuts[key] = self._cut(kinds, chosen, number)
        return self._cuts[key]

    def _example(self, key: tuple[int, ...]) -> dict[int, Entry]:
        """Words of groups of kinds, even such that do not go together."""
        groups = [self._group_list[number] for number in key]
        return {d: e for group in groups for d, e in zip(group.draws, group.entries, strict=True)}

    def _cut(self, key: tuple[int, ...], chosen: tuple[int, ...], number: int) -> Cut | None:
        groups = [self._group_list[number] for number in key]
        kinds = tuple(sorted(pair for group in groups for pair in zip(group.draws, group.kinds, strict=True)))
        if (kinds, chosen) not in self._frames:
            if len(self._frames) >= _MOST_FRAMES:
                return None
            made = self.compiler.frame(self.leaf, self.template, self.start + number, self._example(key))
            self._frames[kinds, chosen] = made
        frame = self._frames[kinds, chosen]
        if frame is None:
            return None
        places = {draw: (n, offset) for n, group in enumerate(groups) for draw, offset in group.offsets.items()}
        holes = []
        for slot in frame.slots:
            if slot is None:
                holes.append(Hole(-1))
            else:
                group, offset = places[slot.draw]
                holes.append(Hole(group, offset + slot.place, slot.capital))
        return Cut(frame.constants, tuple(holes), frame.shape)

    # --- items by number ----------------------------------------------------------------------------------------

    def alone(self, index: int) -> Made:
        """One item by the format itself."""
        if not self.leaf.exists(index):
            return "", None, self.start + index + 1
        return self.compiler.alone(self.leaf, self.template, self.start + index, self.leaf.words(index))

    def items(self, numbers: Sequence[int]) -> list[Made]:
        """The items of some numbers."""
        if not self.is_compiled:
            return [self.alone(number) for number in numbers]
        columns: list[Sequence[Row]] = []
        rest = numbers
        for part in reversed(self.parts):
            size = part.size
            if size == 1:
                columns.append([part.row(0)] * len(numbers))
                continue
            columns.append(part.rows([number % size for number in rest]))
            rest = [number // size for number in rest]
        columns.reverse()
        groups: dict[tuple[int, ...], list[int]] = {}
        for place, key in enumerate(zip(*([row[0] for row in column] for column in columns), strict=True)):
            groups.setdefault(key, []).append(place)
        if not columns:
            groups = {(): list(range(len(numbers)))}
        result: list[Made] = [("", None, 0)] * len(numbers)
        for (kinds, chosen), places in self._chosen(groups, numbers).items():
            key = (kinds, chosen)
            asked = self._asked[key] = self._asked.get(key, 0) + len(places)
            cut = self.cut(kinds, chosen, numbers[places[0]]) if asked >= LEAST else None
            if cut is None:
                for place in places:
                    result[place] = self.alone(numbers[place])
            else:
                self._fill(cut, columns, numbers, places, result)
        return result

    def _chosen(self, groups: dict[tuple[int, ...], list[int]], numbers: Sequence[int]) -> dict[_Key, list[int]]:
        """Groups of places by kinds, and by the versions that are chosen for their items."""
        result: dict[_Key, list[int]] = {}
        for kinds, places in groups.items():
            if not self.is_chosen:
                result[kinds, ()] = places
                continue
            versions = self._versions.get(kinds)
            if versions is None:
                versions = self._versions[kinds] = self.compiler.versions(self.leaf, self._example(kinds))
            starred = starred_of(self.leaf, versions)
            ways = [(kinds, one_starred(versions, starred, kept)) for kept in range(len(starred))] or [
                (kinds, versions)
            ]
            star, name, start, amount = self.compiler.maker.star, self.template.name, self.start, len(ways)
            for place in places:
                way = ways[star(name, start + numbers[place], amount)] if amount > 1 else ways[0]
                result.setdefault(way, []).append(place)
        return result

    def _fill(
        self,
        cut: Cut,
        columns: Sequence[Sequence[Row]],
        numbers: Sequence[int],
        places: list[int],
        result: list[Made],
    ) -> None:
        """Write the items at some places from their frame."""
        start, shape = self.start + 1, cut.shape
        own = [start + numbers[place] for place in places]
        known: dict[Hole, Sequence[str]] = {}
        for hole in cut.holes:
            if hole in known:
                continue
            if hole.group < 0:
                known[hole] = list(map(str, own))
            else:
                column, at = columns[hole.group], hole.place
                words = [column[place][1][at] for place in places]
                known[hole] = list(map(self.compiler.capitals.__getitem__, words)) if hole.capital else words
        shown = [known[hole] for hole in cut.holes]
        joined = woven([*cut.constants[:-1], cut.constants[-1] + CUT], shown, len(places))
        for place, text, number in zip(places, joined.split(CUT), own, strict=False):
            result[place] = (text, shape, number)
