"""Models of transformers that read from left to right: GPT-2, LLaMA, Mistral, BLOOM ..."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scorers.errors import Findings, ScoreError, UsageError
from scorers.models import hub
from scorers.models.base import (
    Family,
    Fill,
    LanguageModel,
    MaskedSentence,
    MaskFiller,
    ModelOptions,
    Refusal,
    Stretch,
    TokenScores,
)
from scorers.models.next_words import Behind, NextWords
from scorers.models.prefix_tree import Ids, PrefixTree, groups_of

if TYPE_CHECKING:
    from scorers.models.causal_forward import CausalForward

_POSITIONS = 2048
"""Positions at once on a CPU where nothing is said: what stays in its cache."""

_PROBED = 256
"""Texts whose tokens are counted to know how many characters a token has."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a stretch asks for: `ids` as far as the model has to be told, of which `scored` get numbers.

    `first` and `last` are those of the scored that begin a word, and those that end one.
    """

    ids: Ids
    scored: range
    reads_last: bool
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()


class CausalModel(MaskFiller):
    """Natural-log probabilities of the tokens, each given those before it.

    The beginning: the tokeniser's sign of one stands before the sentence, else its sign of the end (so does
    lm-evaluation-harness with an empty context), else nothing, and the first token has no number.  The end is scored
    where `eos` asks for it: the sign of the end behind the whole sentence.

    Beginning-of-word correction (`bow`; Pimentel and Meister 2024; Oh and Schuler 2024).  Where a token's mark says
    that a word begins with it, the tokens of `the dog` do not say yet that the word is `dog` and not `dogs`: that is
    said by the next token, which begins a word or ends the text.  With B(c) = the probability that the token behind c
    does so, c = the tokens before the word and w = those of the word,

        P(word | c) = P(w | c) B(c w) / B(c)

    since the words before are complete only if a word begins behind c.  Over all words and the end of the text that
    sums to 1.  log B(c w) is added to the word's last token and log B(c) taken from its first.  A word in whose place
    none need begin, the first one if its token has no mark, has no denominator.  What is summed over a sentence is then
    log P(tokens) + log B(tokens): the corrections between words cancel.  Words are what the tokeniser's marks say, so
    they are cut at spaces where its marks stand for spaces, and before punctuation too in WordPiece.
    """

    def __init__(self, loaded: hub.Loaded, forward: CausalForward, options: ModelOptions) -> None:
        self.name = loaded.name
        self._loaded = loaded
        self._tokenizer = loaded.tokenizer
        self._forward = forward
        self._options = options
        self._positions = loaded.positions(options, _POSITIONS)
        hub.require_space(self._tokenizer, options.leading_space)
        self._before: Ids = _beginning(self._tokenizer, options.bos)
        self._after: Ids = _end(self._tokenizer, options.eos)
        self._begins: list[bool] = _beginnings(self._tokenizer)[: loaded.rows] if options.bow else []

    def signature(self) -> Mapping[str, str]:
        """Weights, precision, device, libraries, and how the sentence's beginning, its end and words are taken."""
        return {
            "model": "causal",
            **self._loaded.signature(),
            "bos": "".join(self._tokenizer.convert_ids_to_tokens(list(self._before))) or "none",
            "eos": "scored" if self._after else "not-scored",
            "leading-space": hub.shown_space(self._options.leading_space),
            "bow": "corrected" if self._begins else "plain",
        }

    def plan(self, stretches: Sequence[Stretch]) -> list[list[int]]:
        """Groups of stretches that share their beginnings, each of about as many nodes as one forward takes."""
        return self._groups([stretch.text[: stretch.end] for stretch in stretches])

    def plan_fills(self, sentences: Sequence[MaskedSentence]) -> list[list[int]]:
        """As the stretches before the masks."""
        return self._groups([_before_mask(sentence) for sentence in sentences])

    def _groups(self, texts: Sequence[str]) -> list[list[int]]:
        """Texts in groups of about as many nodes as one forward takes, going by characters and not by tokens."""
        if not texts:
            return []
        some = texts[:: max(1, len(texts) // _PROBED)]
        tokens = sum(map(len, hub.encode_ids(self._tokenizer, some, self._options.leading_space)))
        # The ancestors that are repeated at the beginnings of rows take some of the places.
        nodes = self._positions * 7 // 8
        return groups_of(texts, max(1, nodes * sum(map(len, some)) // max(1, tokens)))

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
        """The log-probabilities of the tokens of each stretch."""
        texts = [stretch.text for stretch in stretches]
        encoded = hub.encode(self._tokenizer, texts, self._options.leading_space, with_words=False)
        asked = [self._ask_one(stretch, one) for stretch, one in zip(stretches, encoded, strict=True)]
        there = [one for one in asked if isinstance(one, _Asked)]
        values = iter(self._values(there))
        return [
            one if isinstance(one, Refusal) else self._scores(stretch, tokens, one, next(values))
            for stretch, tokens, one in zip(stretches, encoded, asked, strict=True)
        ]

    def _ask_one(self, stretch: Stretch, encoded: hub.Encoded) -> _Asked | Refusal:
        if not encoded.ids:
            return Refusal("the sentence is empty")
        places = range(len(encoded.ids)) if stretch.is_whole else encoded.places(stretch)
        if not places:
            return Refusal(f"no token of the model begins in '{stretch.text[stretch.start : stretch.end]}'")
        shift = len(self._before)
        ids = self._before + encoded.ids[: places.stop]
        scored = range(places.start + shift, places.stop + shift)
        if self._after and stretch.is_whole:
            ids += self._after
            scored = range(scored.start, scored.stop + 1)
        if refusal := self._loaded.unfit(ids):
            return refusal
        if not self._begins:
            return _Asked(ids, scored, reads_last=False)
        whole = self._before + encoded.ids + (self._after if stretch.is_whole else ())
        begins = self._begins
        # Behind the last token of all the text ends; the sign of the end is no word, and ends none.
        signs = len(whole) - len(self._after if stretch.is_whole else ())
        first = frozenset(place for place in scored if place and begins[whole[place]])
        last = frozenset(
            place for place in scored if place < signs and (place + 1 == len(whole) or begins[whole[place + 1]])
        )
        return _Asked(ids, scored, scored[-1] in last, first, last)

    def _values(self, asked: Sequence[_Asked]) -> list[list[float]]:
        tree = PrefixTree.of([one.ids for one in asked], [place for place, one in enumerate(asked) if one.reads_last])
        scored: set[int] = set()
        at_ends: set[int] = set()
        for one, path in zip(asked, tree.paths, strict=True):
            scored.update(path[one.scored.start : one.scored.stop])
            at_ends.update(path[place] for place in one.last)
            at_ends.update(path[place - 1] for place in one.first)
        values, ends = self._compute(tree, scored, at_ends)
        found = []
        for one, path in zip(asked, tree.paths, strict=True):
            row = [values[node] for node in path[one.scored.start : one.scored.stop]]
            for place in one.first:
                row[place - one.scored.start] -= ends[path[place - 1]]
            for place in one.last:
                row[place - one.scored.start] += ends[path[place]]
            found.append(row)
        return found

    def _compute(self, tree: PrefixTree, scored: set[int], at_ends: set[int]) -> tuple[list[float], dict[int, float]]:
        """By node the log-probability of its token (nan where none was asked for), and that a word begins behind it."""
        import torch

        values = [math.nan] * len(tree.tokens)
        ends: dict[int, float] = {}
        behind: dict[int, list[int]] = {node: [] for node in at_ends}
        for node in scored:
            if tree.parents[node] >= 0:
                behind.setdefault(tree.parents[node], []).append(node)
        device = self._loaded.device
        continuing = torch.tensor([not begins for begins in self._begins], device=device)
        for said in self._forward.run(tree, behind.keys(), self._positions):
            nodes = [(row, target) for row, node in enumerate(said.nodes) for target in behind[node]]
            rows = torch.tensor([row for row, _ in nodes], dtype=torch.long, device=device)
            ids = torch.tensor([tree.tokens[target] for _, target in nodes], dtype=torch.long, device=device)
            picked = said.logits[rows, ids] - said.normalisers[rows]
            for (_, target), value in zip(nodes, picked.tolist(), strict=True):
                values[target] = value
            if at_ends:
                known = said.logits[:, : len(continuing)].masked_fill(continuing, -math.inf)
                begun = known.logsumexp(-1) - said.normalisers
                ends.update(zip(said.nodes, begun.tolist(), strict=True))
        return values, ends

    def _scores(self, stretch: Stretch, encoded: hub.Encoded, asked: _Asked, values: Sequence[float]) -> TokenScores:
        shift = len(self._before)
        first, last = asked.scored.start - shift, min(asked.scored.stop - shift, len(encoded.ids))
        tokens, starts = encoded.tokens[first:last], encoded.starts[first:last]
        if len(values) > len(tokens):
            tokens += tuple(self._tokenizer.convert_ids_to_tokens(list(self._after)))
            starts += (len(stretch.text),)
        return TokenScores(tokens, starts, tuple(values), encoded.unknown_among(range(first, last)))

    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> list[tuple[Fill, ...] | Refusal]:
        """The most probable next tokens behind what stands before the mask, of those that can be a word there.

        Probabilities are over the whole vocabulary.  A word of several tokens is known by its first one only.
        """
        import torch

        contexts = self._contexts(sentences)
        fitting = [place for place, ids in enumerate(contexts) if ids and not self._loaded.unfit(ids)]
        tree = PrefixTree.of([contexts[place] for place in fitting], range(len(fitting)))
        words = self._next_words
        asked: dict[int, dict[Behind, list[int]]] = {}
        for place, path in zip(fitting, tree.paths, strict=True):
            behind = words.behind(_before_mask(sentences[place]))
            asked.setdefault(path[-1], {}).setdefault(behind, []).append(place)
        found: dict[int, tuple[Fill, ...]] = {}
        for said in self._forward.run(tree, set(asked), self._positions):
            for node, logits, normaliser in zip(said.nodes, said.logits, said.normalisers, strict=True):
                for behind, places in asked[node].items():
                    allowed = words.allowed(behind)
                    values, ranks = logits[torch.tensor(allowed, device=logits.device)].topk(min(top, len(allowed)))
                    best = zip((values - normaliser).exp().tolist(), ranks.tolist(), strict=True)
                    ordered = sorted((-value, allowed[rank]) for value, rank in best)
                    fills = tuple(Fill(words.written(token, behind), -value) for value, token in ordered)
                    found.update(dict.fromkeys(places, fills))
        return [found[place] if place in found else self._unfilled(ids) for place, ids in enumerate(contexts)]

    @cached_property
    def _next_words(self) -> NextWords:
        return NextWords(self._tokenizer, self._options.leading_space, self._loaded.rows)

    def _contexts(self, sentences: Sequence[MaskedSentence]) -> list[Ids]:
        """The tokens before the masks, without spaces behind the last: the next token begins with them."""
        texts = [_before_mask(sentence).rstrip() for sentence in sentences]
        return [self._before + ids for ids in hub.encode_ids(self._tokenizer, texts, self._options.leading_space)]

    def _unfilled(self, ids: Ids) -> Refusal:
        nothing = Refusal("nothing stands before the mask, not even a sign of the beginning")
        return self._loaded.unfit(ids) or nothing


def _before_mask(sentence: MaskedSentence) -> str:
    return sentence.text.partition(sentence.mask)[0]


def _beginning(tokenizer: Any, asked: bool | None) -> Ids:
    found = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    if asked is False or (found is None and asked is None):
        return ()
    if found is None:
        raise UsageError("--bos yes: the tokeniser has neither a sign of the beginning nor of the end")
    return (found,)


def _end(tokenizer: Any, asked: bool | None) -> Ids:
    if not asked:
        return ()
    if tokenizer.eos_token_id is None:
        raise UsageError("--eos yes: the tokeniser has no sign of the end")
    return (tokenizer.eos_token_id,)


def _beginnings(tokenizer: Any) -> list[bool]:
    """For each token of the vocabulary whether it begins a word or ends the text."""
    if any(token.endswith("</w>") for token in tokenizer.get_vocab()):
        raise ScoreError(
            "--bow-correction: the tokeniser marks where words end (</w>), not where they begin; its probabilities of "
            "words need no such correction"
        )
    try:
        return [not continues for continues in hub.continues_word(tokenizer)]
    except ScoreError as error:
        raise ScoreError(f"--bow-correction: {error}, so it does not say where words begin") from None


def _load(argument: str, options: ModelOptions, findings: Findings) -> LanguageModel:
    loaded = hub.load(argument, "causal", options)
    from scorers.models.causal_forward import CausalForward

    return CausalModel(loaded, CausalForward(loaded), options)


FAMILY = Family(
    "causal",
    "a model of transformers that reads from left to right, from a folder or by its name on the hub",
    "NAME_OR_PATH",
    _load,
    frozenset({"batch_tokens", "device", "dtype", "bos", "eos", "leading_space", "bow"}),
)
