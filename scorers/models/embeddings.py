"""The baseline that knows vectors of words: how well each word of a sentence goes with the others, in any order."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scorers.errors import Findings, ScoreError
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
from scorers.models.vectors import each_row, forms, read_vectors, require_numpy
from scorers.models.words import bare, is_word, placed_words
from scorers.predictions import Unit
from scorers.readers.source import Report, Source

_SENTENCES_OF_FILLS = 4096
_ROWS = 1024
_SLACK = 1e-9


class EmbeddingsModel(MaskFiller):
    """A word's score is the cosine between its vector and the mean of the vectors of the sentence's other words.

    A word without a vector counts for nothing and has no number.  Only the vectors of the words that were asked for are
    kept; the file is read when sentences are planned, and once for each group of masks.
    """

    unit = Unit("score")
    is_left_to_right = False

    def __init__(self, source: Source, findings: Findings) -> None:
        stem = source.stem.removesuffix(".txt").removesuffix(".vec")
        self.name = f"embeddings-{stem}"
        self._source = source
        self._findings = findings
        self._vectors: dict[str, Any] = {}
        self._looked_for: set[str] = set()

    def signature(self) -> Mapping[str, str]:
        """The digest of the file."""
        return {"model": "embeddings", "file": self._source.digest[:8]}

    def plan(self, stretches: Sequence[Stretch]) -> Sequence[Sequence[int]]:
        """Groups as usual; reads the vectors of all words."""
        self._look_for(word for stretch in stretches for word, _ in placed_words(Stretch.whole(stretch.text)))
        return super().plan(stretches)

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores]:
        """The words that begin in each stretch, each beside all others of the sentence."""
        self._look_for(word for stretch in stretches for word, _ in placed_words(Stretch.whole(stretch.text)))
        return [self._scores(stretch) for stretch in stretches]

    def _scores(self, stretch: Stretch) -> TokenScores:
        placed = placed_words(Stretch.whole(stretch.text))
        found = [self._vector(word) for word, _ in placed]
        inside = [at for at, (_, start) in enumerate(placed) if stretch.start <= start < stretch.end]
        values = [math.nan if found[at] is None else _beside(found, at) for at in inside]
        return TokenScores(
            tuple(placed[at][0] for at in inside),
            tuple(placed[at][1] for at in inside),
            tuple(values),
            tuple(bare(placed[at][0]) for at in inside if found[at] is None),
        )

    def plan_fills(self, sentences: Sequence[MaskedSentence]) -> list[range]:
        """Large groups: each goes once through the file."""
        self._look_for(word for sentence in sentences for word in _context(sentence))
        size = _SENTENCES_OF_FILLS
        return [range(first, min(first + size, len(sentences))) for first in range(0, len(sentences), size)]

    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> list[tuple[Fill, ...] | Refusal]:
        """The words whose vectors are nearest to the mean of the other words', on both sides of the mask.

        In the place of a probability stands the cosine, 0 where it is below.
        """
        import numpy

        self._look_for(word for sentence in sentences for word in _context(sentence))
        means: list[Any] = []
        filled: list[tuple[Fill, ...] | Refusal] = []
        places = []
        for sentence in sentences:
            found = [vector for word in _context(sentence) if (vector := self._vector(word)) is not None]
            total = sum(found)
            length = float(numpy.linalg.norm(total))
            if length:
                places.append(len(filled))
                means.append(total / length)
            filled.append(Refusal("no word beside the mask has a vector"))
        if means:
            for place, fills in zip(places, self._nearest(numpy.array(means), top), strict=True):
                filled[place] = fills
        return filled

    def _nearest(self, means: Any, top: int) -> list[tuple[Fill, ...]]:
        """The nearest words of the whole file to each of the means (of length 1)."""
        search = _Search(means, top)
        seen: set[str] = set()
        block: list[tuple[str, list[float]]] = []
        report = Report(self._findings, self._source.name)
        for _, word, numbers in each_row(self._source, report):
            if word in seen or not is_word(word):
                continue
            seen.add(word)
            block.append((word, numbers))
            if len(block) == _ROWS:
                search.add(block)
                block.clear()
        search.add(block)
        self._findings.require_none()
        return [tuple(Fill(word, min(1.0, max(0.0, -minus))) for minus, word in found) for found in search.best]

    def _look_for(self, words: Iterable[str]) -> None:
        """Read the vectors of words that were not asked for before."""
        wanted = {form for word in set(words) for form in forms(word)} - self._looked_for
        if not wanted:
            return
        report = Report(self._findings, self._source.name)
        found = read_vectors(self._source, report, wanted)
        if not self._looked_for:  # the same would be said each time
            report.close()
        self._findings.require_none()
        self._looked_for |= wanted
        self._vectors.update((word, found.matrix[row].astype(float)) for word, row in found.rows.items())

    def _vector(self, word: str) -> Any:
        return next((self._vectors[form] for form in forms(word) if form in self._vectors), None)


class _Search:
    """The nearest words to each of the `means` (rows of length 1), of the words that were added."""

    def __init__(self, means: Any, top: int) -> None:
        import numpy

        self.best: list[list[tuple[float, str]]] = [[] for _ in means]
        self._means = means
        self._top = top
        self._least = numpy.full(len(means), -math.inf)

    def add(self, block: Sequence[tuple[str, list[float]]]) -> None:
        import numpy

        if not block:
            return
        matrix = numpy.array([numbers for _, numbers in block], dtype=numpy.float32).astype(float)
        lengths = numpy.linalg.norm(matrix, axis=1, keepdims=True)
        matrix = numpy.divide(matrix, lengths, out=numpy.zeros_like(matrix), where=lengths > 0)
        # The product finds the candidates.  Its last digits depend on how many rows it has, so that the numbers that
        # are kept are computed each by itself.
        cosines = self._means @ matrix.T
        if len(block) > self._top:
            self._least = numpy.maximum(
                self._least, -numpy.partition(-cosines, self._top - 1, axis=1)[:, self._top - 1]
            )
        for place in range(len(self._means)):
            chosen = numpy.flatnonzero(cosines[place] >= self._least[place] - _SLACK).tolist()
            if not chosen:
                continue
            found = [(-float((matrix[at] * self._means[place]).sum()), block[at][0]) for at in chosen]
            self.best[place] = heapq.nsmallest(self._top, [*self.best[place], *found])
            if len(self.best[place]) == self._top:
                self._least[place] = -self.best[place][-1][0]


def _context(sentence: MaskedSentence) -> list[str]:
    before, _, behind = sentence.text.partition(sentence.mask)
    return [word for part in (before, behind) for word, _ in placed_words(Stretch.whole(part))]


def _beside(found: Sequence[Any], at: int) -> float:
    """The cosine between a vector and the sum (which points where the mean does) of the others of a sentence."""
    others = sum(vector for place, vector in enumerate(found) if place != at and vector is not None)
    return _cosine(found[at], others) if isinstance(others, type(found[at])) else math.nan


def _cosine(one: Any, other: Any) -> float:
    """The cosine of two vectors; nan where one is none or has no direction."""
    length = math.sqrt(float((one * one).sum())) * math.sqrt(float((other * other).sum()))
    return float((one * other).sum()) / length if length else math.nan


def _load(argument: str, options: ModelOptions, findings: Findings) -> LanguageModel:
    require_numpy()
    source = Source.of(argument)
    report = Report(findings, source.name)
    first = next(each_row(source, report), None)
    report.close()
    findings.require_none()
    if first is None:
        raise ScoreError(f"{source.name}: no words with vectors")
    return EmbeddingsModel(source, findings)


FAMILY = Family(
    "embeddings",
    "how well the words of a sentence go together by their vectors, from a text file of GloVe's or word2vec's "
    "(perhaps with .gz)",
    "FILE",
    _load,
)
