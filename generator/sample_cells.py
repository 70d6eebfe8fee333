"""The cells of a sample: the items of each in an order of their own, of which some may be left out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from generator.leaves import Leaf
from generator.planning import PlanTemplate

T = TypeVar("T")

Place = tuple[PlanTemplate, int, Leaf]
"""A leaf, with its template and the number (from 0) of its first item there."""

Make = Callable[[Place, list[int]], Sequence[T]]
"""What becomes of items of one leaf, given by their numbers in it."""

_AHEAD = 256  # items of a cell that are located at a time where some may be left out


@dataclass(frozen=True, eq=False)
class Cell:
    """Templates times crossed values: a cell of a balanced sample (of a uniform one: all there is).

    The ranks in `gone` (ascending) are left out.
    """

    label: str
    size: int
    whole: Callable[[int, int, Make[Any]], Sequence[Any]]
    weight: int = 1
    gone: list[int] = field(default_factory=list)

    def block(self, first: int, last: int, make: Make[T]) -> Sequence[T]:
        """What `make` makes of the items from `first` to before `last`, those left out not counted."""
        if not self.gone or last <= first:
            return self.whole(first, last, make)
        start, end = self._rank(first), self._rank(last - 1) + 1
        gone = set(self.gone[bisect_left(self.gone, start) : bisect_left(self.gone, end)])
        found = self.whole(start, end, make)
        return [each for rank, each in enumerate(found, start) if rank not in gone] if gone else found

    def _rank(self, number: int) -> int:
        """The rank of an item by its number among those that are not left out."""
        return number + bisect_right(range(len(self.gone)), number, key=lambda i: self.gone[i] - i)


def ranked(cell: Cell) -> Iterator[tuple[int, tuple[PlanTemplate, int] | None]]:
    """The items of a cell in order, with their ranks."""
    for start in range(0, cell.size, _AHEAD):
        yield from enumerate(cell.whole(start, min(start + _AHEAD, cell.size), existing), start)


def located(place: Place, numbers: list[int]) -> list[tuple[PlanTemplate, int]]:
    """The template and index in it (from 0) of items of a leaf."""
    template, start, _ = place
    return [(template, start + number) for number in numbers]


def existing(place: Place, numbers: list[int]) -> list[tuple[PlanTemplate, int] | None]:
    """As `located`; None for a number that a filter leaves empty."""
    template, start, leaf = place
    if not leaf.filters:
        return [(template, start + number) for number in numbers]
    return [(template, start + number) if leaf.exists(number) else None for number in numbers]
