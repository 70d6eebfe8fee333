"""When an item counts as right: the model prefers the acceptable sentence to the starred one.

A sentence's score is the number as it was given (`sum`), or that number per token of the model or per character of
the sentence: a sum favours the shorter of two sentences.  Numbers are compared as given, never rounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from scorers.items import Pair, is_unequal
from scorers.predictions import Unit
from scorers.results import AlignedResult

Ties = Literal["half", "right", "wrong"]
Normalisation = Literal["sum", "per_token", "per_character"]
Counting = Literal["pair", "item"]

TIES: tuple[Ties, ...] = get_args(Ties)
NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)
COUNTINGS: tuple[Counting, ...] = get_args(Counting)

TIE_POINTS: Mapping[Ties, float] = {"half": 0.5, "right": 1.0, "wrong": 0.0}


@dataclass(frozen=True, slots=True)
class Criterion:
    """What counts as right.

    `counting` is `pair` (each pair by itself; chance is 1/2) or `item` (right only where every acceptable sentence
    beats all its starred ones; with k - 1 of them chance is 1/k).
    """

    ties: Ties = "half"
    normalisation: Normalisation = "sum"
    counting: Counting = "pair"

    def signature(self) -> dict[str, str]:
        """Its part of the signature."""
        return {"criterion": "higher", "ties": self.ties, "norm": self.normalisation, "per": self.counting}


@dataclass(frozen=True, slots=True)
class Choice:
    """How one pair (or item) came out.

    `points` are 1, 0 or, for a tie, what the criterion gives.  `is_unequal`: the members differ in their number of
    words.  `margin` is the preference for the acceptable sentence over its strongest starred one, in the file's unit.
    """

    result: AlignedResult
    points: float
    is_tie: bool
    is_unequal: bool
    chance: float
    margin: float
    pair: Pair | None = None


def preference(result: AlignedResult, place: int, unit: Unit, normalisation: Normalisation) -> float | None:
    """The score of a member, of which more is better; None where it, or what it is divided by, is not known."""
    value = result.values[place] if result.values else None
    if value is None:
        return None
    score = unit.preference(value)
    if normalisation == "sum":
        return score
    if unit.quantity == "perplexity":
        return None  # a mean by itself
    if normalisation == "per_token":
        count = result.token_counts[place] if result.token_counts else 0
    else:
        count = len(result.item.conditions[place].text)
    return score / count if count else None


def choices(result: AlignedResult, unit: Unit, criterion: Criterion) -> list[Choice]:
    """How the pairs of an item came out, or the item as a whole; nothing where a number is missing."""
    item = result.item
    scores: dict[int, float] = {}
    for pair in item.pairs:
        for place in (pair.good, pair.bad):
            score = preference(result, place, unit, criterion.normalisation)
            if score is None:
                if criterion.counting == "item":
                    return []
                continue
            scores[place] = score
    scored = [pair for pair in item.pairs if pair.good in scores and pair.bad in scores]
    if criterion.counting == "item":
        return [_whole(result, scored, scores, criterion.ties)] if scored else []
    found: list[Choice] = []
    for pair in scored:
        good, bad = scores[pair.good], scores[pair.bad]
        points = 1.0 if good > bad else 0.0 if good < bad else TIE_POINTS[criterion.ties]
        unequal = is_unequal(item.conditions[pair.good], item.conditions[pair.bad])
        found.append(Choice(result, points, good == bad, unequal, 0.5, good - bad, pair))
    return found


def _whole(result: AlignedResult, pairs: Sequence[Pair], scores: dict[int, float], ties: Ties) -> Choice:
    """The item as a whole: each acceptable sentence against all its starred ones.

    Where it shares the first place with t of them, a tie `half` is worth 1/(t + 1): what drawing among them gives.
    """
    points, chance, is_tie = 1.0, 1.0, False
    margin = min(scores[pair.good] - scores[pair.bad] for pair in pairs)
    for good in dict.fromkeys(pair.good for pair in pairs):
        rivals = [scores[pair.bad] for pair in pairs if pair.good == good]
        chance /= len(rivals) + 1
        if any(rival > scores[good] for rival in rivals):
            points = 0.0
        elif equal := sum(rival == scores[good] for rival in rivals):
            is_tie = True
            points *= 1 / (equal + 1) if ties == "half" else TIE_POINTS[ties]
    conditions = result.item.conditions
    unequal = any(is_unequal(conditions[pair.good], conditions[pair.bad]) for pair in pairs)
    return Choice(result, points, is_tie and margin == 0, unequal, chance, margin)
