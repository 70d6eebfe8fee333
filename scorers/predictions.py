"""What a model returned, with units in the names.

Scores of sentences are kept as they were given and as natural-log probabilities (higher is better), so that any two
can be compared: see `log_probability_nats`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Quantity = Literal["log_probability", "surprisal", "cross_entropy", "perplexity", "score"]
"""What a number is.  `score` is anything of which more is better."""

QUANTITIES: tuple[Quantity, ...] = ("log_probability", "surprisal", "cross_entropy", "perplexity", "score")

Base = Literal["nats", "bits", "bans"]

NATS: Mapping[Base, float] = {"nats": 1.0, "bits": math.log(2), "bans": math.log(10)}
"""Nats in one unit of each base."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a file's numbers are, and to which base."""

    quantity: Quantity
    base: Base = "nats"

    @property
    def is_higher_better(self) -> bool:
        """Whether the larger of two numbers is of the sentence that the model prefers."""
        return self.quantity in ("log_probability", "score")

    def preference(self, value: float) -> float:
        """The number as one of which more is better; equal numbers stay equal, and none is rounded."""
        return value if self.is_higher_better else -value

    def nats(self, value: float) -> float:
        """The number as a natural-log probability; a perplexity as minus its logarithm."""
        if self.quantity == "perplexity":
            return -math.log(value)
        if self.quantity == "score":
            return value
        return self.preference(value) * NATS[self.base]


@dataclass(frozen=True, slots=True)
class SentencePrediction:
    """A score of a sentence, or of a target word in it.

    It names its sentence by `item_id` and `condition`, by `text`, or both.  `token_count`: of the model's own tokens,
    0 where it is not said.  LSTM result lines also have a `verdict` on the pair (else None), and a `pattern`, the
    template of its item; `further_texts` are what the sentence may be as well, where the line leaves that open.
    """

    value: float
    item_id: str = ""
    condition: str = ""
    text: str = ""
    token_count: int = 0
    verdict: bool | None = None
    file: str = ""
    line: int = 0
    pattern: str = ""
    further_texts: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All that the sentence may be; none where nothing says it."""
        return (self.text, *self.further_texts) if self.text else ()


@dataclass(frozen=True, slots=True)
class FillPrediction:
    """The word that a model puts in the place of a mask; `text` is the sentence with the word in it, `word` the word
    where the file says it by itself (else '', and the item's sentence says which it is).
    """

    text: str = ""
    word: str = ""
    item_id: str = ""
    probability: float = math.nan
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class TokenPrediction:
    """Scores of a sentence's tokens, in the file's unit.  `starts` are character offsets in the sentence, or empty."""

    tokens: tuple[str, ...]
    values: tuple[float, ...]
    item_id: str = ""
    condition: str = ""
    text: str = ""
    starts: tuple[int, ...] = ()
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class RegionPrediction:
    """Scores of the regions of one condition of an item, in the file's unit, by the region's name or number."""

    values: Mapping[str, float]
    item_id: str
    condition: str
    file: str = ""
    line: int = 0


Prediction = SentencePrediction | FillPrediction | TokenPrediction | RegionPrediction


@dataclass(frozen=True)
class PredictionFile:
    """What one file says: predictions of one model in one unit.  `made`: how, as `score model` signs its rows."""

    name: str
    format: str
    unit: Unit
    predictions: tuple[Prediction, ...]
    model: str = ""
    digest: str = ""
    notes: tuple[str, ...] = field(default_factory=tuple)
    made: str = ""
