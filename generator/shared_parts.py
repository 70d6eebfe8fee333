"""What the leaves of a plan share of a component that several of them have: the words of its items, listed once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from generator.counting import Component
from generator.strata import Entry

_MOST_LISTED = 100_000  # a component with more items is not listed
_MOST_WORDS = 1_000_000  # listed for a plan


class SharedParts:
    """Knows components by identity, which views of one share, and holds on to them."""

    def __init__(self) -> None:
        self._asked: dict[tuple[int, Hashable], int] = {}
        self._listed: dict[tuple[int, Hashable], list[tuple[Entry, ...]]] = {}
        self._runs: dict[tuple[int, Hashable], int] = {}
        self._kept: dict[int, Component] = {}
        self._left = _MOST_WORDS

    def _key(self, component: Component, label: Hashable) -> tuple[int, Hashable]:
        own = component.counted
        self._kept[id(own)] = own
        return (id(own), label)

    def words(self, component: Component, label: Hashable, digits: Sequence[int]) -> list[Sequence[Entry]]:
        """The words of some items, in the order of the draws.

        All are listed once half as many have been asked for.
        """
        key = self._key(component, label)
        size = component.counts[label][0]
        asked = self._asked[key] = self._asked.get(key, 0) + len(digits)
        amount = size * len(component.draws)
        if key not in self._listed and size <= min(_MOST_LISTED, 2 * asked) and amount <= self._left:
            self._left -= amount
            self._listed[key] = [(*run.before, entry) for run in component.walk(label) for entry in run.last]
        if key in self._listed:
            return list(map(self._listed[key].__getitem__, digits))
        return [component.words(digit, label) for digit in digits]

    def has_more_runs(self, component: Component, label: Hashable, most: int) -> bool:
        """Whether it is known that a component has more than so many runs."""
        return self._runs.get(self._key(component, label), -1) >= most

    def note_runs(self, component: Component, label: Hashable, most: int) -> None:
        """It has more than so many runs."""
        self._runs[self._key(component, label)] = most
