"""Recurrent language models of whole words (Gulordava et al. 2018): an LSTM, GRU or plain RNN from a `.pt` file.

As in training, where the text is one stream with `<eos>` between its sentences, each sentence is read behind an
`<eos>`, but from a state of zeros, so that nothing depends on what was read before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scorers.errors import Findings, ScoreError, UsageError
from scorers.models.base import (
    Family,
    Fill,
    MaskedSentence,
    MaskFiller,
    ModelOptions,
    Refusal,
    Stretch,
    TokenScores,
)
from scorers.models.lstm_vocabulary import EOS, UNK, LstmVocabulary, read_vocabulary
from scorers.readers.source import Source

if TYPE_CHECKING:
    from scorers.models.lstm_network import Network

_BATCH_TOKENS = 8192
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class _Cut:
    """A stretch as the model sees it: its words up to the last scored one, and which of them are scored."""

    words: tuple[str, ...]
    starts: tuple[int, ...]
    ids: tuple[int, ...]
    scored: range
    unknown: tuple[str, ...]


class LstmModel(MaskFiller):
    """Natural-log probabilities of words, each given all words before it.

    Words are what stands between spaces; a final `<eos>` in the text is the sign of the sentence's end.  With `bos`
    an `<eos>` is read first; without it nothing is, and the first word has no number.  With `eos` the end of a sentence
    is scored where a stretch is all of it.  Words outside the vocabulary are scored as `<unk>`, and count as unknown
    together with a `<unk>` in the text.
    """

    def __init__(
        self,
        name: str,
        network: Network,
        vocabulary: LstmVocabulary,
        digest: str,
        bos: bool = True,
        eos: bool = True,
        batch_tokens: int = _BATCH_TOKENS,
    ) -> None:
        self.name = name
        self.network = network
        self.vocabulary = vocabulary
        self._digest = digest
        self._bos, self._eos = bos, eos
        self._most = batch_tokens

    def signature(self) -> Mapping[str, str]:
        """Digests of the weights and the vocabulary, the signs of beginning and end, the precision."""
        import torch

        return {
            "model": "lstm",
            "weights": self._digest[:8],
            "vocab": self.vocabulary.digest[:8],
            "bos": "yes" if self._bos else "no",
            "eos": "yes" if self._eos else "no",
            "dtype": str(self.network.dtype).removeprefix("torch."),
            "device": self.network.device.type,
            "torch": torch.__version__.partition("+")[0],
        }

    def plan(self, stretches: Sequence[Stretch]) -> list[list[int]]:
        """Groups of stretches that begin alike, with no more than `batch_tokens` different prefixes."""
        cuts = [self._cut(stretch) for stretch in stretches]
        return self._groups([() if isinstance(cut, Refusal) else cut.ids for cut in cuts])

    def plan_fills(self, sentences: Sequence[MaskedSentence]) -> list[list[int]]:
        """Groups of sentences that begin alike, as of stretches."""
        cuts = [self._cut_at_mask(sentence) for sentence in sentences]
        return self._groups([() if isinstance(cut, Refusal) else cut.ids for cut in cuts])

    def _groups(self, sentences: Sequence[tuple[int, ...]]) -> list[list[int]]:
        groups: list[list[int]] = []
        before: tuple[int, ...] = ()
        count = 0
        for place in sorted(range(len(sentences)), key=lambda place: sentences[place]):
            ids = sentences[place]
            new = len(ids) - _shared(before, ids)
            if not groups or count + new > self._most:
                groups.append([])
                count, new = 0, len(ids)
            groups[-1].append(place)
            count += new
            before = ids
        return groups

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
        """The words of each stretch; prefixes that stretches share are read once."""
        from scorers.models.lstm_prefixes import PrefixTree

        tree = PrefixTree()
        cuts = [self._cut(stretch) for stretch in stretches]
        nodes = [[] if isinstance(cut, Refusal) else tree.add(cut.ids, cut.scored) for cut in cuts]
        values = tree.log_probabilities(self.network, self._first, self._most)
        return [
            cut if isinstance(cut, Refusal) else _scores(cut, [values[place + 1][path[place]] for place in cut.scored])
            for cut, path in zip(cuts, nodes, strict=True)
        ]

    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> list[tuple[Fill, ...] | Refusal]:
        """The most probable next words at each mask, given what stands before it, with their probabilities.

        `<unk>` and `<eos>` are left out, and the probabilities of the others stay as they are.
        """
        from scorers.models.lstm_prefixes import PrefixTree

        tree = PrefixTree()
        cuts = [self._cut_at_mask(sentence) for sentence in sentences]
        nodes = [0 if isinstance(cut, Refusal) else tree.ask(cut.ids) for cut in cuts]
        best = tree.best(self.network, self._first, top + 2, self._most)
        return [
            cut if isinstance(cut, Refusal) else self._fills(best[len(cut.ids)].get(node, []), top)
            for cut, node in zip(cuts, nodes, strict=True)
        ]

    def _fills(self, best: Sequence[tuple[float, int]], top: int) -> tuple[Fill, ...]:
        fills = [Fill(self.vocabulary.words[word], math.exp(value)) for value, word in best]
        return tuple([fill for fill in fills if fill.word not in (UNK, EOS)][:top])

    @property
    def _first(self) -> int | None:
        """The word that is read before the sentence."""
        return self.vocabulary.ids[EOS] if self._bos else None

    def _cut(self, stretch: Stretch) -> _Cut | Refusal:
        matches = list(_WORD.finditer(stretch.text))
        is_end_written = bool(matches) and matches[-1][0] == EOS
        end_of_words = matches.pop().start() if is_end_written else len(stretch.text)
        matches = [match for match in matches if match.start() < stretch.end]
        words = [match[0] for match in matches]
        starts = [match.start() for match in matches]
        first = sum(start < stretch.start for start in starts)
        reaches_end = stretch.is_whole or (is_end_written and stretch.start <= end_of_words < stretch.end)
        unknown = tuple(word for word in words[first:] if word == UNK or word not in self.vocabulary.ids)
        if self._eos and reaches_end:
            words.append(EOS)
            starts.append(len(stretch.text))
        return self._known(words, starts, range(first, len(words)), unknown)

    def _cut_at_mask(self, sentence: MaskedSentence) -> _Cut | Refusal:
        place = sentence.text.find(sentence.mask)
        if place < 0:
            return Refusal(f"no {sentence.mask} in it")
        if place and not sentence.text[place - 1].isspace():
            return Refusal("the mask is part of a word, and the model knows whole words alone")
        words = sentence.text[:place].split()
        if not words and not self._bos:
            return Refusal("nothing stands before the mask")
        return self._known(words, [0] * len(words), range(0), ())

    def _known(
        self, words: Sequence[str], starts: Sequence[int], scored: range, unknown: tuple[str, ...]
    ) -> _Cut | Refusal:
        known, of_unknown = self.vocabulary.ids, self.vocabulary.ids.get(UNK)
        ids = [known.get(word, of_unknown) for word in words]
        if None in ids:
            word = words[ids.index(None)]
            return Refusal(f"'{word}' is not in the vocabulary, which has no {UNK} for such words")
        return _Cut(tuple(words), tuple(starts), tuple(place for place in ids if place is not None), scored, unknown)


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How many words two sentences share at their beginnings."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


def _scores(cut: _Cut, values: Sequence[float]) -> TokenScores:
    first = cut.scored.start
    return TokenScores(cut.words[first:], cut.starts[first:], tuple(values), cut.unknown)


def _load(argument: str, options: ModelOptions, findings: Findings) -> LstmModel:
    if not options.vocab:
        raise UsageError(f"--model lstm:{argument}: expected --vocab vocab.txt, the words of the model, one a line")
    path = Source.of(argument)
    if Path(argument).is_dir():
        raise ScoreError(f"{argument}: is a folder; expected a .pt file")
    try:
        from scorers.models.hub import find_device, find_dtype
        from scorers.models.lstm_network import Network
        from scorers.models.lstm_weights import read_weights

        device, dtype = find_device(options.device), find_dtype(options)
    except ImportError as error:
        raise ScoreError(
            f"lstm:{argument}: recurrent models need the extra 'models' ({error.name} is missing): "
            "pip install 'starling-gen[models]'"
        ) from None
    bos, eos = options.bos is not False, options.eos is not False
    vocabulary = read_vocabulary(options.vocab, findings, is_end_needed=bos or eos)
    weights = read_weights(argument)
    if weights.words != len(vocabulary.words):
        raise ScoreError(
            f"{options.vocab}: {len(vocabulary.words):,} words, and the model in {argument} knows {weights.words:,}: "
            "expected the vocabulary that it was trained with"
        )
    network = Network(weights, device, dtype)
    batch = options.batch_tokens or _BATCH_TOKENS
    return LstmModel(path.stem, network, vocabulary, path.digest, bos, eos, batch)


FAMILY = Family(
    "lstm",
    "a recurrent model of whole words (LSTM, GRU or RNN, as of Gulordava et al. 2018), with --vocab vocab.txt",
    "FILE.pt",
    _load,
    frozenset({"vocab", "batch_tokens", "device", "dtype", "bos", "eos"}),
)
