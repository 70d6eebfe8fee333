"""What a language model is: something that scores the tokens of sentences, and perhaps fills masks."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from scorers.errors import Findings
from scorers.predictions import Unit

Pll = Literal["within_word", "original"]
"""Pseudo-log-likelihoods: `original` masks each token alone (Salazar et al. 2020); `within_word` masks the rest of its
word too (Kauf and Ivanova 2023).
"""

GROUP = 256
"""Sentences that a model works on at once where it says nothing else."""


@dataclass(frozen=True, slots=True, order=True)
class Stretch:
    """Characters `start` to before `end` of a sentence, whose tokens are to be scored.

    A model that reads from left to right sees only what stands before; a masked one all of the sentence.
    """

    text: str
    start: int
    end: int

    @classmethod
    def whole(cls, text: str) -> Stretch:
        """All of a sentence."""
        return cls(text, 0, len(text))

    @property
    def is_whole(self) -> bool:
        """Whether it is all of the sentence: the end of the sentence is scored too then, by models that score it."""
        return self.start == 0 and self.end == len(self.text)


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The scores of a stretch's tokens in the model's unit: natural-log probabilities, as a rule.

    `tokens` as the model writes them; `starts` are the places of their first characters in the text (from 0, spaces
    that a token begins with passed over), `len(text)` for the sign of a sentence's end.  A token without a number, such
    as the first one where nothing stands before it, is nan.  `unknown` are words (or tokens) of the stretch that the
    model does not know, and scores as such.
    """

    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    values: tuple[float, ...]
    unknown: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """The sum, in double precision, of those that are numbers; nan where none is, or there is none."""
        numbers = [value for value in self.values if not math.isnan(value)]
        return math.fsum(numbers) if numbers else math.nan

    @property
    def count(self) -> int:
        """How many of the tokens have a number."""
        return sum(not math.isnan(value) for value in self.values)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a model gives nothing for a sentence: `41 tokens, and the model's window has 32`."""

    reason: str


@dataclass(frozen=True, slots=True, order=True)
class MaskedSentence:
    """A sentence with a mask in it: `text` with the `mask` as it is written there."""

    text: str
    mask: str


@dataclass(frozen=True, slots=True)
class Fill:
    """A word that a model puts in the place of a mask, and its probability there.

    A piece that continues the word before it is written with `##` before it, whatever the model's own sign is.
    """

    word: str
    probability: float


class LanguageModel(ABC):
    """A model under one name.

    `plan` cuts what is to be scored into groups, `score` works on one of them.  What `score` says of a group depends on
    that group alone, to the last digit, so that a run can be stopped, taken up again and cut in parts.
    """

    name: str
    unit: Unit = Unit("log_probability", "nats")
    is_left_to_right: bool = True
    """Whether a stretch's score depends on nothing that stands behind it."""

    @abstractmethod
    def signature(self) -> Mapping[str, str]:
        """What the scores depend on beside the sentence: weights, options, precision; not the measure."""

    def plan(self, stretches: Sequence[Stretch]) -> Sequence[Sequence[int]]:
        """The places of the stretches (distinct, in their order), each in one group."""
        return [range(first, min(first + GROUP, len(stretches))) for first in range(0, len(stretches), GROUP)]

    @abstractmethod
    def score(self, stretches: Sequence[Stretch]) -> Sequence[TokenScores | Refusal]:
        """What the model says of each stretch of a group, in order."""


class MaskFiller(LanguageModel):
    """A model that also says which word stands in the place of a mask."""

    def plan_fills(self, sentences: Sequence[MaskedSentence]) -> Sequence[Sequence[int]]:
        """The places of the sentences (distinct, in their order), each in one group."""
        return [range(first, min(first + GROUP, len(sentences))) for first in range(0, len(sentences), GROUP)]

    @abstractmethod
    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> Sequence[tuple[Fill, ...] | Refusal]:
        """The `top` most probable words for the mask of each sentence of a group, the most probable first.

        A model that reads from left to right goes by what stands before the mask.
        """


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How a model is to be run.  None, '' and 0: as its family does by default.

    `batch_tokens`: how many token positions are computed at once, which bounds the memory.  `bos`: whether the model is
    given a sign of the beginning; `eos`: whether the end of the sentence is scored; `leading_space`: whether a sentence
    begins with a space; `bow`: the beginning-of-word correction (Pimentel and Meister 2024; Oh and Schuler 2024).
    """

    batch_tokens: int = 0
    device: str = ""
    dtype: str = ""
    vocab: str = ""
    bos: bool | None = None
    eos: bool | None = None
    leading_space: bool | None = None
    bow: bool = False
    pll: Pll | None = None

    def given(self) -> list[str]:
        """The names of those that were given."""
        default = ModelOptions()
        return [name.name for name in fields(self) if getattr(self, name.name) != getattr(default, name.name)]


@dataclass(frozen=True)
class Family:
    """A kind of models, which the part of a SPEC before the colon names.

    `argument` says what stands behind the colon, '' where nothing does.  `load` makes the model of that argument, and
    reports what is wrong with its files; it raises ScoreError where there are none.  `options` are the names of those
    of `ModelOptions` that mean something to the family.
    """

    name: str
    about: str
    argument: str
    load: Callable[[str, ModelOptions, Findings], LanguageModel]
    options: frozenset[str] = field(default_factory=frozenset)


def option(name: str) -> str:
    """An option of `ModelOptions` as it is written on the command line."""
    return "--" + {"bow": "bow-correction"}.get(name, name.replace("_", "-"))
