"""What people said of items: ratings of sentences, and choices between the members of a pair."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scorers.errors import Finding
from scorers.items import Item, Pair

PairKey = tuple[int, int]
"""A pair: its item's place, and its own place among the pairs of the item."""

Member = tuple[int, int]
"""A sentence of an item: the item's place, and the condition's."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One row of a file: a rating of a sentence (on any scale, more is better), or the member of a pair that was taken.

    It names its sentence or item by `item_id` (and `condition`), by `text`, or both.  `choice` is the name of a
    condition, `good` or `bad`, or the sentence itself.  `annotator` is '' where the file does not say who it was.
    """

    rating: float | None = None
    choice: str = ""
    item_id: str = ""
    condition: str = ""
    text: str = ""
    annotator: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class JudgementFile:
    """What one file says, row by row."""

    name: str
    judgements: tuple[Judgement, ...]


@dataclass(frozen=True)
class Judged:
    """Items joined with judgements, and what could not be joined (as in `results.Alignment`).

    `votes` are, for each pair, 1 for everyone who took the acceptable member and 0 for the starred one; `ratings` those
    of each sentence.  `sentences` are the rated ones, each once, even where several items have it.  `joined` counts
    the items with a verdict.
    """

    name: str
    votes: Mapping[PairKey, tuple[float, ...]] = field(default_factory=dict)
    ratings: Mapping[Member, tuple[float, ...]] = field(default_factory=dict)
    sentences: tuple[Member, ...] = ()
    annotators: int = 0
    joined: int = 0
    missing: Sequence[Finding] = ()
    duplicate: Sequence[Finding] = ()
    unknown: Sequence[Finding] = ()
    ambiguous: Sequence[Finding] = ()

    def rating(self, member: Member) -> float | None:
        """The mean rating of a sentence; None without any."""
        found = self.ratings.get(member)
        return math.fsum(found) / len(found) if found else None

    def margin(self, place: int, pair: Pair) -> float | None:
        """The mean rating of the acceptable member less that of the starred one; None where one has none."""
        good, bad = self.rating((place, pair.good)), self.rating((place, pair.bad))
        return None if good is None or bad is None else good - bad

    def verdict(self, item: Item, place: int, number: int) -> float | None:
        """What people take in a pair: 1 the acceptable member, 0 the starred one, 1/2 as many (as much) for each.

        Choices decide where there are any, else mean ratings; None where nobody judged the pair.
        """
        votes = self.votes.get((place, number))
        if votes:
            difference = 2 * math.fsum(votes) / len(votes) - 1
        else:
            found = self.margin(place, item.pairs[number])
            if found is None:
                return None
            difference = found
        # Means of the same ratings may differ by rounding.
        return 0.5 if abs(difference) < 1e-12 else float(difference > 0)
