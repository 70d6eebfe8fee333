"""Which of several patterns an item of a leaf is written in: decided by the kinds of its words, read from tables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import add, itemgetter


@dataclass(frozen=True)
class Choice:
    """`codes`: for each source that decides, a number for each of its digits; their sum gives a pattern."""

    codes: list[tuple[int, list[int]]]
    pattern_of: dict[int, int]

    def patterns(self, digits: Sequence[Sequence[int]]) -> list[int]:
        """The pattern of each item, by its digits in the sources."""
        count = len(digits[0])
        sums: Sequence[int] = [0] * count
        for source, codes in self.codes:
            places = digits[source]
            sums = list(map(add, sums, itemgetter(*places, places[0])(codes)))
        return list(map(self.pattern_of.__getitem__, sums))


def choice_of(
    pattern_of: Mapping[tuple[int, ...], int],
    kinds: Sequence[Sequence[int]],
    rows: Sequence[Sequence[tuple[int, object]]],
    sources: Sequence[int],
) -> Choice:
    """What decides the pattern of each combination of kinds, one kind for each group of rows.

    Kinds of a group that give the same patterns beside whatever others are of one class.
    """
    codes: list[tuple[int, list[int]]] = []
    code_of: list[dict[int, int]] = []
    width = 1
    for place, own in enumerate(kinds):
        others = list(itertools.product(*kinds[:place], *kinds[place + 1 :]))
        classes: dict[tuple[int, ...], int] = {}
        known = {}
        for kind in own:
            met = tuple(pattern_of[(*other[:place], kind, *other[place:])] for other in others)
            known[kind] = width * classes.setdefault(met, len(classes))
        code_of.append(known)
        if len(classes) > 1:
            codes.append((sources[place], [known[kind] for kind, _ in rows[place]]))
        width *= len(classes)
    sums = {
        sum(known[kind] for known, kind in zip(code_of, key, strict=True)): pattern
        for key, pattern in pattern_of.items()
    }
    return Choice(codes, sums)
