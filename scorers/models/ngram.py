"""N-gram models: files in the ARPA format, read here, and KenLM's binary files, read by KenLM."""

from __future__ import annotations

import heapq
import math
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scorers.errors import Findings, ScoreError
from scorers.models.arpa import BEGIN, END, Arpa, read_arpa
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
from scorers.readers.source import Report, Source

KENLM_MAGIC = b"mmap lm http://kheafield.com/code"
END_SIGNS = ("</s>", "<eos>")
"""How texts write the end of a sentence."""

WORD = re.compile(r"[^ \t\n\r\v\f]+")
"""A word is what stands between spaces, as KenLM has it: a no-break space is part of a word."""

_NATS = math.log(10)
_SENTENCES_OF_FILLS = 4096

Scored = tuple[list[float], list[bool]]
"""The base-10 log-probability of each word of a sentence, and whether the model knows it."""


class BackOffModel(LanguageModel):
    """What both kinds share: words between spaces, the signs of beginning and end, numbers in nats."""

    def __init__(self, name: str, digest: str, order: int, *, bos: bool, eos: bool) -> None:
        self.name = name
        self.order = order
        self._digest = digest
        self._bos = bos
        self._eos = eos

    def signature(self) -> Mapping[str, str]:
        """The digest of the file, its order, and which signs are used."""
        signs = {"bos": "yes" if self._bos else "no", "eos": "yes" if self._eos else "no"}
        return {"model": "ngram", "file": self._digest[:8], "order": str(self.order)} | signs

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
        """The words of each stretch after what stands before them, and the end where a stretch is the whole sentence.

        A final `</s>` or `<eos>` is the sign of the end.
        """
        return [self._scores(stretch) for stretch in stretches]

    def _scores(self, stretch: Stretch) -> TokenScores | Refusal:
        placed = [(found[0], found.start()) for found in WORD.finditer(stretch.text)]
        signed = bool(placed) and placed[-1][0] in END_SIGNS
        end = placed.pop()[1] if signed else len(stretch.text)
        words = [word for word, _ in placed]
        if lost := _sign(words):
            return Refusal(f"'{lost}' is a sign, and stands among the words")
        asked = self._eos and (stretch.is_whole or (signed and stretch.start <= end < stretch.end))
        numbers, known = self._log10(words, asked)
        rows = [
            (word, start, number, is_known)
            for (word, start), number, is_known in zip(
                [*placed, ("</s>", end)] if asked else placed, numbers, known, strict=True
            )
            if (asked and start == end) or stretch.start <= start < stretch.end
        ]
        return TokenScores(
            tuple(word for word, _, _, _ in rows),
            tuple(start for _, start, _, _ in rows),
            tuple(number * _NATS for _, _, number, _ in rows),
            tuple(word for word, _, _, is_known in rows if not is_known),
        )

    @abstractmethod
    def _log10(self, words: Sequence[str], end: bool) -> Scored:
        """The numbers of a sentence's words, and of its end where that is asked for."""


class ArpaModel(BackOffModel, MaskFiller):
    """A model in the ARPA format, in memory; numbers in double precision."""

    def __init__(self, name: str, digest: str, arpa: Arpa, *, bos: bool, eos: bool) -> None:
        super().__init__(name, digest, arpa.order, bos=bos, eos=eos)
        self._arpa = arpa

    def _log10(self, words: Sequence[str], end: bool) -> Scored:
        known, places = self._places(words)
        if end:
            places.append(END)
            known.append(True)
        first, width = len(places) - len(known), self.order
        numbers = [self._arpa.log10(places[max(0, at + 1 - width) : at + 1]) for at in range(first, len(places))]
        return numbers, known

    def _places(self, words: Sequence[str]) -> tuple[list[bool], list[bytes]]:
        """Which words are known, and all as the model writes them, behind the sign of the beginning."""
        arpa, places = self._arpa, [BEGIN] if self._bos else []
        known = []
        for word in words:
            key = word.encode("utf-8", "surrogatepass")
            is_known = key in arpa and key != arpa.unknown
            known.append(is_known)
            places.append(key if is_known else arpa.unknown)
        return known, places

    def plan_fills(self, sentences: Sequence[MaskedSentence]) -> list[range]:
        """Large groups: each goes once through the whole model."""
        size = _SENTENCES_OF_FILLS
        return [range(first, min(first + size, len(sentences))) for first in range(0, len(sentences), size)]

    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> list[tuple[Fill, ...] | Refusal]:
        """The most probable next words after what stands before the mask; of equally probable ones the first by code
        points.  Signs and the unknown word are none.
        """
        before: list[tuple[bytes, ...] | Refusal] = []
        for sentence in sentences:
            words = WORD.findall(sentence.text.partition(sentence.mask)[0])
            if lost := _sign(words):
                before.append(Refusal(f"'{lost}' is a sign, and stands among the words"))
                continue
            _, places = self._places(words)
            before.append(tuple(places[max(0, len(places) - self.order + 1) :]))
        filled = self._fills({context for context in before if not isinstance(context, Refusal)}, top)
        return [context if isinstance(context, Refusal) else filled[context] for context in before]

    def _fills(self, contexts: set[tuple[bytes, ...]], top: int) -> dict[tuple[bytes, ...], tuple[Fill, ...]]:
        ways = {context: self._arpa.backed_off(context) for context in contexts}
        followed = self._followed({key for way in ways.values() for key, _ in way if key})
        left_out = {BEGIN, END, self._arpa.unknown}
        alone = self._arpa.probabilities[0]
        # No word that is not among these can be one of the best: without an n-gram behind the context it has the
        # probability of its 1-gram, times what is the same for all such words.
        most = max((sum(len(followed[key]) for key, _ in way if key) for way in ways.values()), default=0)
        usual = heapq.nsmallest(top + most, (w for w in alone if w not in left_out), key=lambda w: (-alone[w], w))
        return {context: self._best(way, followed, usual, top) for context, way in ways.items()}

    def _followed(self, wanted: set[bytes]) -> dict[bytes, dict[bytes, float]]:
        """The words that n-grams have behind these contexts, and their log-probabilities there."""
        found: dict[bytes, dict[bytes, float]] = {key: {} for key in wanted}
        for of_order in self._arpa.probabilities[1:]:
            for gram, number in of_order.items():
                context, _, word = gram.rpartition(b" ")
                if context in found:
                    found[context][word] = number
        return found

    def _best(
        self,
        way: Sequence[tuple[bytes, float]],
        followed: Mapping[bytes, Mapping[bytes, float]],
        usual: Sequence[bytes],
        top: int,
    ) -> tuple[Fill, ...]:
        arpa = self._arpa
        numbers: dict[bytes, float] = {}
        for key, weight in way[:-1]:
            for word, number in followed[key].items():
                numbers.setdefault(word, number + weight)
        weight, left = way[-1][1], top
        for word in usual:
            if not left:
                break
            if word not in numbers:
                numbers[word] = arpa.probabilities[0][word] + weight
                left -= 1
        for sign in (BEGIN, END, arpa.unknown):
            numbers.pop(sign, None)
        best = heapq.nsmallest(top, numbers, key=lambda word: (-numbers[word], word))
        return tuple(Fill(word.decode(), 10.0 ** numbers[word]) for word in best)


class KenlmModel(BackOffModel):
    """A binary file of KenLM's; numbers in its single precision."""

    def __init__(self, name: str, digest: str, model: Any, *, bos: bool, eos: bool) -> None:
        super().__init__(name, digest, model.order, bos=bos, eos=eos)
        self._model = model

    def signature(self) -> Mapping[str, str]:
        """As other n-gram models', and that KenLM computed the numbers."""
        return {**super().signature(), "by": "kenlm"}

    def _log10(self, words: Sequence[str], end: bool) -> Scored:
        text = " ".join(words).encode("utf-8", "surrogatepass")
        found = list(self._model.full_scores(text, bos=self._bos, eos=end))
        return [number for number, _, _ in found], [not is_unknown for _, _, is_unknown in found]


def _sign(words: Sequence[str]) -> str:
    """A sign of the beginning or the end among the words, or nothing."""
    return next((word for word in words if word == "<s>" or word in END_SIGNS), "")


def _load(argument: str, options: ModelOptions, findings: Findings) -> LanguageModel:
    source = Source.of(argument)
    stem = source.stem.removesuffix(".arpa").removesuffix(".lm")
    name = f"ngram-{stem}"
    bos, eos = options.bos is not False, options.eos is not False
    if source.starts_with(KENLM_MAGIC):
        return KenlmModel(name, source.digest, _kenlm(source), bos=bos, eos=eos)
    report = Report(findings, source.name)
    arpa = read_arpa(source, report)
    for sign, is_used in ((BEGIN, bos), (END, eos)):
        if is_used and sign not in arpa and not report.has_errors:
            which = "bos" if sign == BEGIN else "eos"
            hint = f"--{which} no does without it"
            report.error(0, f"the model has no '{sign.decode()}' among its 1-grams", "no-sign", hint=hint)
    report.close()
    findings.require_none()
    return ArpaModel(name, source.digest, arpa, bos=bos, eos=eos)


def _kenlm(source: Source) -> Any:
    """The model of a binary file, through the package kenlm.  Raises ScoreError."""
    try:
        import kenlm
    except ImportError as error:
        raise ScoreError(
            f"{source.name}: KenLM's binary files need the extra 'ngram' (pip install 'starling-gen[ngram]'); "
            "the ARPA file that it was built of needs none"
        ) from error
    if source.path is None:
        raise ScoreError(f"{source.name}: a binary file of KenLM's is to be a file, not a stream")
    try:
        return kenlm.Model(str(Path(source.path).absolute()))
    except (OSError, RuntimeError) as error:
        raise ScoreError(f"{source.name}: KenLM cannot read it: {error}") from error


FAMILY = Family(
    "ngram",
    "an n-gram model: an ARPA file, perhaps with .gz (score ngram train makes one), or KenLM's binary file",
    "FILE",
    _load,
    frozenset({"bos", "eos"}),
)
