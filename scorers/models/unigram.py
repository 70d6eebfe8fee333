"""The baseline that knows how frequent each word is, and nothing else."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path

from scorers.errors import Findings, ScoreError
from scorers.items import Condition
from scorers.models.base import Family, Fill, MaskedSentence, MaskFiller, SentenceScore
from scorers.models.word_counts import read_log_probabilities
from scorers.models.words import bare, words_of
from scorers.predictions import Unit
from scorers.readers.source import Report, Source

MOST_SHOWN = 10
"""How many unknown words are named."""


class UnigramModel(MaskFiller):
    """The sum of the natural-log probabilities of the words, whatever their order.

    Words are looked up as they are written, then in small letters, then both ways without punctuation that hangs on
    them.  A word that is not listed has half the probability of the rarest that is.
    """

    unit = Unit("log_probability", "nats")

    def __init__(self, name: str, log_probabilities: Mapping[str, float]) -> None:
        self.name = name
        self.unknown: Counter[str] = Counter()
        self._known = log_probabilities
        self._of_unknown = min(log_probabilities.values()) - math.log(2)
        # Of equally probable words the first in the order of code points.
        word = min(log_probabilities, key=lambda word: (-log_probabilities[word], word))
        self._fill = Fill(word, math.exp(log_probabilities[word]))

    def score(self, conditions: Iterable[Condition]) -> Iterator[SentenceScore]:
        """The sum over the words of each sentence; a target word does not depend on the others, which are the same."""
        for condition in conditions:
            words = words_of(condition.text)
            yield SentenceScore(math.fsum(self.log_probability(word) for word in words), len(words))

    def fill(self, sentences: Iterable[MaskedSentence]) -> Iterator[Fill]:
        """The most probable word of all, everywhere."""
        return (self._fill for _ in sentences)

    def log_probability(self, word: str) -> float:
        """The natural-log probability of a word; unknown ones are counted."""
        inner = bare(word)
        for form in (word, word.lower(), inner, inner.lower()):
            found = self._known.get(form)
            if found is not None:
                return found
        self.unknown[inner] += 1
        return self._of_unknown

    def notes(self) -> Iterator[str]:
        """How many words were unknown, and the most frequent of them."""
        if not self.unknown:
            return
        ranked = sorted(self.unknown.items(), key=lambda entry: (-entry[1], entry[0]))
        shown = ", ".join(f"{word} ({count:,})" for word, count in ranked[:MOST_SHOWN])
        more = f" and {len(ranked) - MOST_SHOWN:,} more" if len(ranked) > MOST_SHOWN else ""
        total = self.unknown.total()
        yield f"{self.name}: {total:,} tokens of {len(ranked):,} types are not listed: {shown}{more}"


def shipped_lists() -> dict[str, Path]:
    """The shipped frequencies, by language."""
    folders = sorted(Path(str(files("wordlists"))).iterdir())
    return {folder.name: path for folder in folders if (path := folder / "frequency.csv").is_file()}


def _load(argument: str, findings: Findings) -> UnigramModel:
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
    return UnigramModel(name, found)


FAMILY = Family(
    "unigram",
    "the sum of the words' log-probabilities, from a file (word,frequency on the Zipf scale, or word,count) or "
    "the shipped list of a language",
    "FILE|LANGUAGE",
    _load,
)
