"""A component of too many items to list, as runs: the words before the last draw, and a stretch of the last draw's."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import add

from generator.atoms import WordRun
from generator.leaf_text import Part, Row

_MOST_RUNS = 20_000
_MOST_LAST = 100_000
_FIRST_RUNS = 100


class PartRuns:
    """The items of a part: each is an entry of `before`, its run's row, with one of `last`.

    Of a part of more than `most` runs it is not complete.
    """

    def __init__(self, part: Part, most: int) -> None:
        self._most = min(most, _MOST_RUNS)
        self.before: list[Row] = []
        self.last: list[Row] = []
        self._starts: list[int] = []  # the number of the first item of each run
        self._shifts: list[int] = []  # from an item's number to the place of its last word
        self.is_complete = self._read(part)

    def _read(self, part: Part) -> bool:
        """Whether the runs are few enough."""
        text, (*early, draw) = part.owner, part.draws
        places: dict[int, int] = {}
        kept = []  # so that no other list gets the identity of one of these
        number = 0
        for run in part.component.walk(part.label):
            if id(run.entries) not in places:
                if len(self.last) + len(run.entries) > _MOST_LAST:
                    return False
                places[id(run.entries)] = len(self.last)
                kept.append(run.entries)
                self.last += [text.row((draw,), (entry,)) for entry in run.entries]
            row = text.row(tuple(early), run.before)
            for low, high in stretches(run):
                self.before.append(row)
                self._starts.append(number)
                self._shifts.append(places[id(run.entries)] + low - number)
                number += high - low
            # The first runs tell whether there are far too many: then the others are not read.
            seen = len(self.before)
            if seen > self._most or (seen >= _FIRST_RUNS and part.size * seen > 2 * self._most * number):
                return False
        return True

    def digits(self, numbers: Sequence[int]) -> tuple[list[int], list[int]]:
        """For each number of an item its places in `before` and in `last`."""
        starts = self._starts
        runs = [bisect_right(starts, number) - 1 for number in numbers]
        return runs, list(map(add, numbers, map(self._shifts.__getitem__, runs)))


def stretches(run: WordRun) -> list[tuple[int, int]]:
    """The stretches of a run's entries that are left, from its first on."""
    found = []
    start, skipped = 0, run.first
    for low, high in [*reversed(run.gone), (len(run.entries), len(run.entries))]:
        taken = min(skipped, low - start)
        if start + taken < low:
            found.append((start + taken, low))
        skipped -= taken
        start = high
    return found
