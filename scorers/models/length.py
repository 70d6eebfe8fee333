"""The baseline that prefers the shorter sentence: its score is minus the number of words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scorers.errors import Findings
from scorers.items import Condition
from scorers.models.base import Family, LanguageModel, SentenceScore
from scorers.models.words import words_of
from scorers.predictions import Unit


class LengthModel(LanguageModel):
    """What a sum of log-probabilities would say if all words were alike."""

    name = "length"
    unit = Unit("score")

    def score(self, conditions: Iterable[Condition]) -> Iterator[SentenceScore]:
        """Minus the number of words; punctuation is none."""
        for condition in conditions:
            count = len(words_of(condition.text))
            yield SentenceScore(-float(count), count)


def _load(argument: str, findings: Findings) -> LanguageModel:
    return LengthModel()


FAMILY = Family("length", "minus the number of words: the shorter sentence wins", "", _load)
