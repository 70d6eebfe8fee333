"""Comparison one by one: exact, for spaces that can be listed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from itertools import zip_longest

from generator.differing_sides import HALF, Side
from generator.differing_types import Kind, Tally
from generator.planning import PlanTemplate

FEW = 20_000
"""Sides of up to so many items are listed at once: it takes no longer than anything else."""

MOST = 500_000
"""Sides of up to so many items are listed where they cannot be counted, unless the user says otherwise."""

_BLOCK = 1_000  # items between two steps of the progress bar

Advance = Callable[[int], object]

_Items = dict[bytes, int]
"""Digest of an item -> its number (from 0) in the whole plan; of items that read alike, the first's."""


class Listing:
    """Both sides, listed.  Items that read alike count once."""

    def __init__(self, old: Side, new: Side, advance: Advance = lambda _count: None) -> None:
        self.old, self.new = old, new
        self._old = _listed(old, advance)
        self._new = _listed(new, advance)
        self._old_goods = {key[:HALF] for key in self._old}
        self._new_goods = {key[:HALF] for key in self._new}

    @cached_property
    def rows(self) -> tuple[tuple[str, Tally], ...]:
        """The numbers of each template, OLD's templates first; an item counts for the first that has it."""
        rows: dict[str, Tally] = {template.name: Tally() for template in self.old.plan.templates}
        rows |= {template.name: Tally() for template in self.new.plan.templates if template.name not in rows}
        for name, (count, removed, changed) in _by_template(self.old, self._old, self._new, self._new_goods).items():
            rows[name] += Tally(old=count, removed=removed, changed_old=changed)
        for name, (count, added, changed) in _by_template(self.new, self._new, self._old, self._old_goods).items():
            rows[name] += Tally(new=count, added=added, changed_new=changed)
        return tuple(rows.items())

    def samples(self, kind: Kind, is_new: bool, count: int, seed: int) -> list[tuple[PlanTemplate, int]]:
        """Items of a kind of NEW (or of OLD), balanced over templates, in a keyed order of what they read as."""
        ours, theirs = (self._new, self._old) if is_new else (self._old, self._new)
        goods = self._old_goods if is_new else self._new_goods
        keys = self._changed(ours, theirs, goods) if kind == "changed" else self._absent(ours, goods)
        return _chosen(self.new if is_new else self.old, keys, ours, count, seed)

    @staticmethod
    def _absent(ours: _Items, goods: set[bytes]) -> Iterator[bytes]:
        return (key for key in ours if key[:HALF] not in goods)

    @staticmethod
    def _changed(ours: _Items, theirs: _Items, goods: set[bytes]) -> Iterator[bytes]:
        return (key for key in ours if key not in theirs and key[:HALF] in goods)


def _listed(side: Side, advance: Advance) -> _Items:
    found: _Items = {}
    starts, start = {}, 0
    for template in side.plan.templates:
        starts[template.name] = start
        start += template.items
    done = 0
    for template, index, reading in side.readings():
        found.setdefault(reading.key, starts[template.name] + index)
        done += 1
        if done % _BLOCK == 0:
            advance(_BLOCK)
    advance(done % _BLOCK)
    return found


def _by_template(side: Side, ours: _Items, theirs: _Items, goods: set[bytes]) -> Mapping[str, list[int]]:
    """Template -> how many items it has, how many of them the other side has not, and how many otherwise."""
    starts, start = [], 0
    for template in side.plan.templates:
        starts.append(start)
        start += template.items
    rows = [[0, 0, 0] for _ in starts]
    for key, number in ours.items():
        row = rows[bisect_right(starts, number) - 1]
        row[0] += 1
        if key not in theirs:
            row[2 if key[:HALF] in goods else 1] += 1
    return {template.name: row for template, row in zip(side.plan.templates, rows, strict=True)}


def _chosen(side: Side, keys: Iterable[bytes], items: _Items, count: int, seed: int) -> list[tuple[PlanTemplate, int]]:
    ordered: dict[str, list[tuple[bytes, PlanTemplate, int]]] = {}
    for key in keys:
        template, index = side.plan.locate(items[key])
        order = blake2b(key, digest_size=8, key=str(seed).encode()[:64]).digest()
        ordered.setdefault(template.name, []).append((order, template, index))
    by_template = [
        [(template, index) for _, template, index in sorted(ordered[template.name], key=lambda each: each[0])[:count]]
        for template in side.plan.templates
        if template.name in ordered
    ]
    return balanced(by_template, count)


def balanced(by_template: Iterable[list[tuple[PlanTemplate, int]]], count: int) -> list[tuple[PlanTemplate, int]]:
    """Items of several templates in turn, up to a number."""
    turns = zip_longest(*by_template)
    return [each for turn in turns for each in turn if each is not None][:count]
