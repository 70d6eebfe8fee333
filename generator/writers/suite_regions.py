"""A sentence with regions -> consecutive stretches that hold all of its text, as SyntaxGym suites need them.

The regions of an item may lie in one another and leave text out; those of a suite stand side by side.  So: the
outermost regions that the author named `[name: ...]` (of an item without any: the outermost of all) become regions of
the suite, what lies between them unnamed ones.  A region in another one that an expectation measures cuts it in parts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.formulas import FormulaTree
from generator.items import Condition, Item
from generator.realizing import Region
from generator.writers.base import FormatError

Key = tuple[str, int]
"""A region's name, and which of the regions of that name it is."""


@dataclass(frozen=True)
class Slot:
    """A place of the layout: `name` is '' for text between named regions; `within` are the regions that it lies in."""

    name: str
    within: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """The places of a sentence, in order, and the text of each."""

    slots: tuple[Slot, ...]
    texts: tuple[str, ...]


def measured_regions(tree: FormulaTree) -> Iterator[str]:
    """The names of the regions that a formula speaks of."""
    if isinstance(tree, dict):
        if "condition" in tree:
            yield from ([tree["region"]] if "region" in tree else [])
            return
        for value in tree.values():
            for part in value if isinstance(value, list) else [value]:
                yield from measured_regions(part)


def layouts(item: Item, conditions: Sequence[Condition]) -> list[Layout]:
    """The layout of each condition.  Raises FormatError where regions overlap or meet in a word."""
    measured = {name for tree in item.expectations.values() for name in measured_regions(tree)}
    mentions = {binding.slot for binding in item.bindings}
    named = measured | {
        region.name
        for condition in item.conditions
        for region in condition.sentence.regions
        if not region.is_contrast and region.name not in mentions
    }
    keyed = [_keyed(condition, named) for condition in conditions]
    inside = _nesting(keyed)
    return [
        _Cutter(item, condition, regions, inside, measured).layout()
        for condition, regions in zip(conditions, keyed, strict=True)
    ]


def shown(slots: Sequence[Slot]) -> str:
    """A layout for a message: its named regions, in order."""
    return " ".join(f"[{slot.name}]" for slot in slots if slot.name) or "no region"


def _keyed(condition: Condition, named: Collection[str]) -> dict[Key, Region]:
    """The regions that count, by name and number, in the order of the text."""
    regions = condition.sentence.regions
    chosen = [region for region in regions if region.name in named] if named else list(regions)
    chosen.sort(key=lambda region: (region.start, region.end))
    counts: dict[str, int] = {}
    found: dict[Key, Region] = {}
    places: set[tuple[str, int, int]] = set()
    for region in chosen:
        # A contrast and the stretch that the author named like it, at one place, are one region.
        place = (region.name, region.start, region.end)
        if place in places and region.start < region.end:
            continue
        places.add(place)
        number = counts.get(region.name, 0)
        counts[region.name] = number + 1
        found[region.name, number] = region
    return found


def _nesting(keyed: Sequence[Mapping[Key, Region]]) -> dict[Key, Key]:
    """Which region directly surrounds which.

    An empty region at the edge of another may lie in it or beside it, which its place does not show: the conditions in
    which it has words decide.
    """
    inside: dict[Key, Key] = {}
    for regions in keyed:
        places = {key: place for place, key in enumerate(regions)}
        for key, inner in regions.items():
            around = [
                (outer.end - outer.start, places[other], other)
                for other, outer in regions.items()
                if other != key and _holds(outer, inner, places[other] > places[key])
            ]
            if around and key not in inside:
                inside[key] = min(around)[2]
    return inside


def _holds(outer: Region, inner: Region, stands_later: bool) -> bool:
    """Whether a region lies in another one; of two with the same text, the later one is the outer one."""
    if inner.start == inner.end:
        return outer.start < inner.start < outer.end
    if (outer.start, outer.end) == (inner.start, inner.end):
        return stands_later
    return outer.start <= inner.start and inner.end <= outer.end


class _Cutter:
    """Cuts one sentence."""

    def __init__(
        self,
        item: Item,
        condition: Condition,
        regions: Mapping[Key, Region],
        inside: Mapping[Key, Key],
        measured: Collection[str],
    ) -> None:
        self.item = item
        self.condition = condition
        self.regions = regions
        self.inside = inside
        self.measured = measured
        self.text = condition.text
        self.slots: list[Slot] = []
        self.spans: list[tuple[int, int]] = []

    def layout(self) -> Layout:
        """The sentence's slots with their texts."""
        roots = [key for key in self.regions if key not in self.inside]
        self._cut(0, len(self.text), roots, ())
        return Layout(tuple(self.slots), tuple(self._texts()))

    def _cut(self, start: int, end: int, keys: Sequence[Key], within: tuple[str, ...]) -> None:
        """Slots for a stretch: what is before, in and behind each region."""
        place = start
        for key in keys:
            region = self.regions[key]
            # An empty region stands behind the word before it, which may be outside of what surrounds it.
            first, last = max(region.start, place), max(region.end, place)
            if last > end or (region.start < place and region.start != region.end):
                raise FormatError(
                    f"{self.item.id}: the format 'syntaxgym' needs regions side by side, and '{key[0]}' overlaps "
                    f"another one in the condition '{self.condition.name}'"
                )
            self._add(Slot("", within), place, first)
            children = self._children(key)
            if children:
                self._cut(first, last, children, (*within, key[0]))
            else:
                self._add(Slot(key[0], (*within, key[0])), first, last)
            place = last
        self._add(Slot("", within), place, end)

    def _children(self, key: Key) -> list[Key]:
        """The measured regions in a region, in order; others in it are left out."""
        found = []
        for other in self.regions:
            if other[0] in self.measured and other != key:
                around = self.inside.get(other)
                while around is not None and around != key and around[0] not in self.measured:
                    around = self.inside.get(around)
                if around == key:
                    found.append(other)
        return found

    def _add(self, slot: Slot, start: int, end: int) -> None:
        self.slots.append(slot)
        self.spans.append((start, end))

    def _texts(self) -> list[str]:
        """The slots' texts without the spaces between them; a mark that clings to a region's word goes to it."""
        spans = list(self.spans)
        for place, slot in enumerate(self.slots):
            start, end = spans[place]
            if slot.name or start == end:
                continue
            before = max((n for n in range(place) if spans[n][0] < spans[n][1]), default=None)
            if before is not None and not self.text[start].isspace() and not self.text[start - 1].isspace():
                cut = start
                while cut < end and not self.text[cut].isspace():
                    cut += 1
                spans[before] = (spans[before][0], cut)
                start = cut
            after = min((n for n in range(place + 1, len(spans)) if spans[n][0] < spans[n][1]), default=None)
            if after is not None and start < end and not self.text[end - 1].isspace() and not self.text[end].isspace():
                cut = end
                while cut > start and not self.text[cut - 1].isspace():
                    cut -= 1
                spans[after] = (cut, spans[after][1])
                end = cut
            spans[place] = (start, end)
        texts = [" ".join(self.text[start:end].split()) for start, end in spans]
        joined = " ".join(text for text in texts if text)
        if joined != " ".join(self.text.split()):
            raise FormatError(
                f"{self.item.id}: the format 'syntaxgym' parts regions by spaces, and two of them meet in a word in "
                f"the condition '{self.condition.name}': '{joined}' for '{self.text}'. The style 'ptb' keeps clitics "
                "apart"
            )
        return texts
