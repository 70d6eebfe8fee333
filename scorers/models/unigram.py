"""The baseline that knows how frequent each word is, and nothing else."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from scorers.errors import Findings, ScoreError
from scorers.models.base import Family, Fill, MaskedSentence, MaskFiller, ModelOptions, Stretch, TokenScores
from scorers.models.word_counts import read_log_probabilities
from scorers.models.words import bare, placed_words
from scorers.readers.source import Report, Source


class UnigramModel(MaskFiller):
    """The natural-log probabilities of the words, whatever their order.

    Words are looked up as they are written, then in small letters, then both ways without punctuation that hangs on
    them.  A word that is not listed has half the probability of the rarest that is.
    """

    def __init__(self, name: str, log_probabilities: Mapping[str, float], digest: str) -> None:
        self.name = name
        self._digest = digest
        self._known = log_probabilities
        self._of_unknown = min(log_probabilities.values()) - math.log(2)

    def signature(self) -> Mapping[str, str]:
        """The digest of the list."""
        return {"model": "unigram", "list": self._digest[:8]}

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores]:
        """The words of each stretch, each by itself."""
        return [self._scores(stretch) for stretch in stretches]

    def _scores(self, stretch: Stretch) -> TokenScores:
        words = placed_words(stretch)
        found = [self.log_probability(word) for word, _ in words]
        unknown = tuple(bare(word) for (word, _), value in zip(words, found, strict=True) if value is None)
        values = tuple(self._of_unknown if value is None else value for value in found)
        return TokenScores(tuple(word for word, _ in words), tuple(start for _, start in words), values, unknown)

    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> list[tuple[Fill, ...]]:
        """The most probable words of all, everywhere; of equally probable ones the first by code points."""
        ranked = heapq.nsmallest(top, self._known, key=lambda word: (-self._known[word], word))
        return [tuple(Fill(word, math.exp(self._known[word])) for word in ranked)] * len(sentences)

    def log_probability(self, word: str) -> float | None:
        """The natural-log probability of a word; None for one that is not listed."""
        inner = bare(word)
        for form in (word, word.lower(), inner, inner.lower()):
            found = self._known.get(form)
            if found is not None:
                return found
        return None


def shipped_lists() -> dict[str, Path]:
    """The shipped frequencies, by language."""
    folders = sorted(Path(str(files("wordlists"))).iterdir())
    return {folder.name: path for folder in folders if (path := folder / "frequency.csv").is_file()}


def _load(argument: str, options: ModelOptions, findings: Findings) -> UnigramModel:
    path, shipped = Path(argument), shipped_lists()
    if not path.exists() and argument in shipped:
        source = Source(shipped[argument], name=f"wordlists/{argument}/frequency.csv")
        name = f"unigram-{argument}"
    elif path.is_dir() or not path.exists():
        what = "is a folder" if path.is_dir() else "there is no such file"
        raise ScoreError(f"{argument}: {what}; expected a list of words, or a language of {', '.join(shipped)}")
    else:
        source = Source.of(argument)
        name = f"unigram-{source.stem}"
    report = Report(findings, source.name)
    found = read_log_probabilities(source, report)
    report.close()
    findings.require_none()
    return UnigramModel(name, found, source.digest)


FAMILY = Family(
    "unigram",
    "the sum of the words' log-probabilities, from a file (word,frequency on the Zipf scale, or word,count) or "
    "the shipped list of a language",
    "FILE|LANGUAGE",
    _load,
)
