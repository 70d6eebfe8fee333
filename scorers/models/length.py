"""The baseline that prefers the shorter sentence: its score is minus the number of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scorers.errors import Findings
from scorers.models.base import Family, LanguageModel, ModelOptions, Stretch, TokenScores
from scorers.models.words import placed_words
from scorers.predictions import Unit


class LengthModel(LanguageModel):
    """What a sum of log-probabilities would say if all words were alike."""

    name = "length"
    unit = Unit("score")

    def signature(self) -> Mapping[str, str]:
        """Nothing beside the sentence."""
        return {"model": "length"}

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores]:
        """Minus one for each word; punctuation is none."""
        return [self._scores(stretch) for stretch in stretches]

    def _scores(self, stretch: Stretch) -> TokenScores:
        words = placed_words(stretch)
        return TokenScores(tuple(word for word, _ in words), tuple(start for _, start in words), (-1.0,) * len(words))


def _load(argument: str, options: ModelOptions, findings: Findings) -> LanguageModel:
    return LengthModel()


FAMILY = Family("length", "minus the number of words: the shorter sentence wins", "", _load)
