"""What a language model is: something that scores sentences, and perhaps fills masks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from scorers.errors import Findings
from scorers.items import Condition
from scorers.predictions import Unit


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """The score of a sentence in the model's unit; `token_count`: of the tokens that it is the sum over."""

    value: float
    token_count: int


@dataclass(frozen=True, slots=True)
class MaskedSentence:
    """A sentence with a mask in it: `text` with the `mask` as it is written there."""

    text: str
    mask: str


@dataclass(frozen=True, slots=True)
class Fill:
    """The word that a model puts in the place of a mask, and its probability there."""

    word: str
    probability: float


class LanguageModel(ABC):
    """A model under one name.  Results come in the order of what is given, one each, so that a model may work on many
    sentences at once.
    """

    name: str
    unit: Unit

    @abstractmethod
    def score(self, conditions: Iterable[Condition]) -> Iterator[SentenceScore]:
        """The score of each sentence; of its target word alone where the condition has one and the model can."""

    def notes(self) -> Iterator[str]:
        """What the user is to know of what has been scored so far: a line each."""
        return iter(())


class MaskFiller(LanguageModel):
    """A model that also says which word stands in the place of a mask."""

    @abstractmethod
    def fill(self, sentences: Iterable[MaskedSentence]) -> Iterator[Fill]:
        """The most probable word for each mask."""


@dataclass(frozen=True)
class Family:
    """A kind of models, which the part of a SPEC before the colon names.

    `argument` says what stands behind the colon, '' where nothing does.  `load` makes the model of that argument, and
    reports what is wrong with its files; it raises ScoreError where there are none.
    """

    name: str
    about: str
    argument: str
    load: Callable[[str, Findings], LanguageModel]
