"""Masked language models of transformers (BERT, RoBERTa, ...): each token scored with a mask in its place."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorers.errors import Findings
from scorers.models import hub
from scorers.models.base import (
    Family,
    Fill,
    LanguageModel,
    MaskedSentence,
    MaskFiller,
    ModelOptions,
    Pll,
    Refusal,
    Stretch,
    TokenScores,
)
from scorers.models.fill_words import FillWords, row_with_sign, without_tokens
from scorers.models.masked_rows import MaskedRows, mask_token

_POSITIONS = 4096
"""Token positions that are computed at once where nothing is said: more bring a CPU nothing."""

_PLANNED = 4096
"""Sentences that are cut into tokens at once while groups are planned."""


@dataclass(frozen=True, slots=True)
class _Context:
    """A row of token numbers with masks in it, and the place of the one that is asked for."""

    row: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True)
class _Job:
    """A stretch as its tokens are scored: `contexts[i]` for the token of the number `targets[i]`."""

    contexts: tuple[_Context, ...]
    targets: tuple[int, ...]
    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    unknown: tuple[str, ...]

    @property
    def length(self) -> int:
        """How long the rows are, special tokens among them."""
        return len(self.contexts[0].row)


class MaskedModel(MaskFiller):
    """Pseudo-log-likelihoods: the log-probability of each token given all others of the sentence.

    `original` masks the token alone (Salazar et al. 2020, https://aclanthology.org/2020.acl-main.240); `within_word`
    masks the tokens of its word behind it too (Kauf and Ivanova 2023, https://aclanthology.org/2023.acl-short.80), so
    that a word of several pieces does not give itself away.  Special tokens stand around the sentence as the tokeniser
    puts them, and are not scored.

    Equal masked contexts of a group are computed once, and rows are never padded: those of one length go together.
    """

    is_left_to_right = False

    def __init__(self, loaded: hub.Loaded, options: ModelOptions) -> None:
        self.name = loaded.name
        self._loaded = loaded
        self._mask = mask_token(loaded)
        self._pll: Pll = options.pll or "within_word"
        self._leading_space = options.leading_space
        hub.require_space(loaded.tokenizer, options.leading_space)
        self._positions = loaded.positions(options, _POSITIONS)
        self._before, self._behind = hub.special_tokens(loaded.tokenizer)
        self._rows = MaskedRows(loaded)
        self._words: FillWords | None = None

    def signature(self) -> Mapping[str, str]:
        """The weights, the kind of pseudo-log-likelihood, the leading space, precision, versions."""
        space = hub.shown_space(self._leading_space)
        return {"model": "masked", **self._loaded.signature(), "pll": self._pll, "leading-space": space}

    def plan(self, stretches: Sequence[Stretch]) -> list[list[int]]:
        """Stretches of like length come together, and among them those that share masked contexts.

        A group has as many positions as are computed at once, and one stretch at least.
        """
        digests: list[list[int]] = []
        by_length: defaultdict[int, list[int]] = defaultdict(list)
        # The contexts of all sentences at once would fill the memory; their digests do not.
        for first in range(0, len(stretches), _PLANNED):
            for job in self._jobs(stretches[first : first + _PLANNED]):
                by_length[job.length if isinstance(job, _Job) else 0].append(len(digests))
                digests.append([_digest(context) for context in job.contexts] if isinstance(job, _Job) else [])
        groups: list[list[int]] = []
        room = 0
        for length in sorted(by_length):
            seen: set[int] = set()
            for number, contexts in _neighbours(by_length[length], digests):
                cost = length * sum(context not in seen for context in contexts)
                if not groups or cost > room:
                    groups.append([])
                    seen = set()
                    cost, room = length * len(set(contexts)), self._positions
                seen.update(contexts)
                groups[-1].append(number)
                room -= cost
        return groups

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
        """The natural-log probability of each token of each stretch in its masked context."""
        jobs = self._jobs(stretches)
        wanted: dict[_Context, dict[int, float]] = {}
        for job in jobs:
            if isinstance(job, _Job):
                for context, target in zip(job.contexts, job.targets, strict=True):
                    wanted.setdefault(context, {})[target] = math.nan
        self._compute(wanted)
        return [self._scores(job, wanted) if isinstance(job, _Job) else job for job in jobs]

    def plan_fills(self, sentences: Sequence[MaskedSentence]) -> list[list[int]]:
        """Sentences of like length come together, as many as are computed at once."""
        contexts = [self._masked_context(sentence) for sentence in sentences]
        lengths = [len(context.row) if isinstance(context, _Context) else 0 for context in contexts]
        groups: list[list[int]] = []
        room = 0
        for number in sorted(range(len(sentences)), key=lambda number: (lengths[number], number)):
            if not groups or lengths[number] > room:
                groups.append([])
                room = self._positions
            groups[-1].append(number)
            room -= lengths[number]
        return groups

    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> list[tuple[Fill, ...] | Refusal]:
        """The most probable tokens for the mask of each sentence, the model's mask in its place."""
        if self._words is None:
            self._words = FillWords(self._loaded.tokenizer, bool(self._leading_space))
        found: list[_Context | Refusal] = [self._masked_context(sentence) for sentence in sentences]
        distinct = list(dict.fromkeys(context for context in found if isinstance(context, _Context)))
        best: dict[_Context, tuple[Fill, ...]] = {}
        for batch in self._batches(distinct):
            logits = self._rows.logits([context.row for context in batch], [context.place for context in batch])
            for context, row in zip(batch, logits, strict=True):
                best[context] = self._words.best(row, top, context.place == len(self._before))
        return [best[context] if isinstance(context, _Context) else context for context in found]

    def _compute(self, wanted: dict[_Context, dict[int, float]]) -> None:
        """Put the log-probabilities of the targets of each context in their places."""
        import torch

        for batch in self._batches(list(wanted)):
            logits = self._rows.logits([context.row for context in batch], [context.place for context in batch])
            if logits.dtype in (torch.float16, torch.bfloat16):
                logits = logits.float()
            asked = [(row, target) for row, context in enumerate(batch) for target in wanted[context]]
            rows, targets = torch.tensor(asked, device=logits.device).T
            values = logits[rows, targets].double() - logits.logsumexp(dim=-1).double()[rows]
            for (row, target), value in zip(asked, values.tolist(), strict=True):
                wanted[batch[row]][target] = value

    def _batches(self, contexts: Sequence[_Context]) -> list[list[_Context]]:
        """Contexts of one length each, as many as are computed at once."""
        by_length: defaultdict[int, list[_Context]] = defaultdict(list)
        for context in contexts:
            by_length[len(context.row)].append(context)
        batches: list[list[_Context]] = []
        for length in sorted(by_length):
            rows, same = self._rows.rows(length, self._positions), by_length[length]
            batches += [same[first : first + rows] for first in range(0, len(same), rows)]
        return batches

    def _scores(self, job: _Job, found: Mapping[_Context, Mapping[int, float]]) -> TokenScores:
        values = tuple(found[context][target] for context, target in zip(job.contexts, job.targets, strict=True))
        return TokenScores(job.tokens, job.starts, values, job.unknown)

    def _jobs(self, stretches: Sequence[Stretch]) -> list[_Job | Refusal]:
        texts = list(dict.fromkeys(stretch.text for stretch in stretches))
        encoded = dict(zip(texts, hub.encode(self._loaded.tokenizer, texts, self._leading_space), strict=True))
        return [self._job(stretch, encoded[stretch.text]) for stretch in stretches]

    def _job(self, stretch: Stretch, encoded: hub.Encoded) -> _Job | Refusal:
        row = (*self._before, *encoded.ids, *self._behind)
        if refusal := self._loaded.unfit(row):
            return refusal
        places = encoded.places(stretch)
        if not places:
            return without_tokens(stretch)
        # A part of a sentence is one word, whatever the tokeniser makes of it: aren't, or a word before a full stop.
        words = encoded.words if stretch.is_whole else tuple(place in places for place in range(len(encoded.ids)))
        return _Job(
            tuple(self._context(row, words, place) for place in places),
            tuple(encoded.ids[place] for place in places),
            tuple(encoded.tokens[place] for place in places),
            tuple(encoded.starts[place] for place in places),
            encoded.unknown_among(places),
        )

    def _context(self, row: tuple[int, ...], words: Sequence[int], place: int) -> _Context:
        """A row in which the token of a place is masked, and what stands behind it in its word."""
        last = place + 1
        while self._pll == "within_word" and last < len(words) and words[last] == words[place]:
            last += 1
        first, behind = place + len(self._before), last + len(self._before)
        return _Context((*row[:first], *(self._mask,) * (last - place), *row[behind:]), first)

    def _masked_context(self, sentence: MaskedSentence) -> _Context | Refusal:
        row = row_with_sign(self._loaded.tokenizer, sentence, self._mask, self._leading_space)
        if isinstance(row, Refusal):
            return row
        return self._loaded.unfit(row) or _Context(row, row.index(self._mask))


def _digest(context: _Context) -> int:
    """A short number for a context, the same on every machine: the contexts of all sentences would fill the memory."""
    numbers = array("i", (context.place, *context.row)).tobytes()
    return int.from_bytes(hashlib.blake2b(numbers, digest_size=8).digest())


def _neighbours(numbers: Sequence[int], digests: Sequence[Sequence[int]]) -> list[tuple[int, Sequence[int]]]:
    """Stretches of one length with the digests of their contexts, those that share many side by side.

    Each goes to the place of the context that it shares with the most others.
    """
    counts = Counter(context for number in numbers for context in set(digests[number]))
    first: dict[int, int] = {}
    for number in numbers:
        for context in digests[number]:
            first.setdefault(context, len(first))

    def key(number: int) -> tuple[int, int]:
        found = digests[number]
        return min((-counts[context], first[context]) for context in found)[1] if found else -1, number

    return [(number, digests[number]) for number in sorted(numbers, key=key)]


def _load(argument: str, options: ModelOptions, findings: Findings) -> LanguageModel:
    return MaskedModel(hub.load(argument, "masked", options), options)


FAMILY = Family(
    "masked",
    "a masked model of transformers (BERT, RoBERTa, ...), from a folder or by its name on the hub",
    "NAME_OR_PATH",
    _load,
    frozenset({"batch_tokens", "device", "dtype", "leading_space", "pll"}),
)
