"""A recurrent language model that computes: words in, states and log-probabilities out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from scorers.models.lstm_weights import LstmWeights

State = tuple[torch.Tensor, ...]
"""The hidden state of some sentences, and in an LSTM its cells beside it: each layers x sentences x hidden."""

_MOST_LOGITS = 1 << 24
"""Numbers that a projection to the vocabulary makes at once: 64 MiB in single precision."""


@dataclass(frozen=True)
class Step:
    """A word that a state has read: `outputs` (sentences x hidden) say what comes next."""

    outputs: torch.Tensor
    state: State


class Network:
    """The network of a model's weights: `encoder`, `rnn` and `decoder`, without dropout.

    `dtype` is the precision of all but the log-probabilities, which are single precision at least.
    """

    def __init__(self, weights: LstmWeights, device: str, dtype: str) -> None:
        self.words = weights.words
        self.device = torch.device(device)
        self._is_lstm = weights.mode == "LSTM"
        self._shape = weights.layers, weights.hidden
        self.dtype: torch.dtype = getattr(torch, dtype)
        parts = _parts(weights)
        parts.load_state_dict(dict(weights.tensors), assign=True)
        parts = parts.to(device=self.device, dtype=self.dtype).eval().requires_grad_(False)
        self._encoder, self._decoder = parts["encoder"], parts["decoder"]
        rnn: Any = parts["rnn"]
        rnn.flatten_parameters()
        self._rnn = rnn

    def zero(self, sentences: int = 1) -> State:
        """The state before anything is read."""
        layers, hidden = self._shape
        zeros = torch.zeros((layers, sentences, hidden), dtype=self.dtype, device=self.device)
        return (zeros, zeros) if self._is_lstm else (zeros,)

    @torch.inference_mode()
    def step(self, words: Sequence[int], state: State) -> Step:
        """One word for each sentence."""
        ids = torch.tensor(words, dtype=torch.long, device=self.device)
        outputs, after = self._rnn(self._encoder(ids).unsqueeze(0), state if self._is_lstm else state[0])
        return Step(outputs[0], tuple(after) if self._is_lstm else (after,))

    @torch.inference_mode()
    def read(self, words: Sequence[int], state: State) -> Step:
        """All words of one sentence; `outputs` has a row for each word: what it says of the next one."""
        ids = torch.tensor(words, dtype=torch.long, device=self.device)
        outputs, after = self._rnn(self._encoder(ids).unsqueeze(1), state if self._is_lstm else state[0])
        return Step(outputs[:, 0], tuple(after) if self._is_lstm else (after,))

    @torch.inference_mode()
    def log_probabilities(self, outputs: torch.Tensor) -> torch.Tensor:
        """Natural-log probabilities of all words after each of some outputs (rows x words)."""
        return torch.log_softmax(self._logits(outputs).to(self._wide), dim=-1)

    @torch.inference_mode()
    def of_words(self, outputs: torch.Tensor, rows: Sequence[int], words: Sequence[int], most: int) -> list[float]:
        """The natural-log probability of each word after the output of its row.

        The rows are in order.  The vocabulary is projected for `most` rows at once, or fewer where it is large.
        """
        found: list[float] = []
        place = 0
        for chunk, logits in self._chunks(outputs, sorted(set(rows)), most):
            numbers = {row: number for number, row in enumerate(chunk)}
            end = place
            while end < len(rows) and rows[end] in numbers:
                end += 1
            at = torch.tensor([numbers[row] for row in rows[place:end]], device=self.device)
            targets = torch.tensor(words[place:end], device=self.device)
            found += (logits[at, targets].to(self._wide) - self._normalisers(logits)[at]).tolist()
            place = end
        return found

    @torch.inference_mode()
    def best_words(
        self, outputs: torch.Tensor, rows: Sequence[int], top: int, most: int
    ) -> list[list[tuple[float, int]]]:
        """The `top` most probable words after the output of each row, with their natural-log probabilities."""
        found: list[list[tuple[float, int]]] = []
        for _, logits in self._chunks(outputs, rows, most):
            values, words = logits.topk(min(top, self.words))
            values = values.to(self._wide) - self._normalisers(logits)[:, None]
            for some, numbers in zip(values.tolist(), words.tolist(), strict=True):
                found.append(sorted(zip(some, numbers, strict=True), key=lambda entry: (-entry[0], entry[1])))
        return found

    def _chunks(
        self, outputs: torch.Tensor, rows: Sequence[int], most: int
    ) -> Iterator[tuple[Sequence[int], torch.Tensor]]:
        """Rows of outputs, some at once, and their logits."""
        some = max(1, min(most, _MOST_LOGITS // self.words))
        for first in range(0, len(rows), some):
            chunk = rows[first : first + some]
            yield chunk, self._logits(outputs[torch.tensor(chunk, device=self.device)])

    def _normalisers(self, logits: torch.Tensor) -> torch.Tensor:
        return torch.logsumexp(logits, dim=-1).to(self._wide)

    @property
    def _wide(self) -> torch.dtype:
        return torch.float32 if self.device.type == "mps" else torch.float64

    def _logits(self, outputs: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self._decoder(outputs)
        return logits if logits.dtype == torch.float64 else logits.float()


def _parts(weights: LstmWeights) -> torch.nn.ModuleDict:
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "LSTM": (torch.nn.LSTM, {}),
        "GRU": (torch.nn.GRU, {}),
        "RNN_TANH": (torch.nn.RNN, {"nonlinearity": "tanh"}),
        "RNN_RELU": (torch.nn.RNN, {"nonlinearity": "relu"}),
    }
    kind, options = kinds[weights.mode]
    # Nothing is drawn at random for weights that are put in at once.
    with torch.device("meta"):
        rnn = kind(weights.embedding, weights.hidden, weights.layers, bias=weights.has_bias, **options)
        return torch.nn.ModuleDict(
            {
                "encoder": torch.nn.Embedding(weights.words, weights.embedding),
                "rnn": rnn,
                "decoder": torch.nn.Linear(weights.hidden, weights.words, bias="decoder.bias" in weights.tensors),
            }
        )
