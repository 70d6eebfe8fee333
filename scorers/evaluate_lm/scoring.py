"""What a language model says of pairs of sentences: of whole sentences, or of the word in which they differ."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorers.evaluate_lm.keeping_out import KeptOut, kept_out
from scorers.evaluate_lm.pairs import SentencePair
from scorers.evaluate_lm.watching import Watch, ask, unwatched
from scorers.models import LanguageModel, MaskedSentence, Refusal, Stretch, TokenScores
from scorers.running import Answer, Asked

WordScores = tuple[tuple[str, float], ...]
"""The words of a sentence with their natural-log probabilities; nan for a word without one."""

END = "<eos>"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a model says of a pair: natural-log probabilities of both members, or of both forms of the target.

    `max_pred` is the model's most probable word at the target; `unknown` are words in which the two members differ
    and that the model does not know; `words` and `words_alt` those of the sentences, where they were asked for.
    """

    pair: SentencePair
    score: float
    score_alt: float
    max_pred: str = ""
    unknown: tuple[str, ...] = ()
    words: WordScores = ()
    words_alt: WordScores = ()

    @property
    def is_right(self) -> bool:
        """Whether the acceptable member has the higher score; a tie has not."""
        return self.score > self.score_alt

    @property
    def is_tie(self) -> bool:
        """Whether both have the same score."""
        return self.score == self.score_alt


@dataclass(frozen=True)
class Evaluation:
    """The outcomes, in the order of the file; pairs that have none, with the reason; and those that were dropped since
    a form of theirs is not in the vocabulary, as the published program does.
    """

    outcomes: tuple[Outcome, ...]
    refused: tuple[KeptOut, ...] = ()
    dropped: tuple[SentencePair, ...] = ()


def evaluate_sentences(
    model: LanguageModel, pairs: Sequence[SentencePair], with_words: bool = False, watch: Watch = unwatched
) -> Evaluation:
    """Whole sentences: the sums of their words' log-probabilities, and with `with_words` those of each word."""
    asked = [(Stretch.whole(pair.good), Stretch.whole(pair.bad)) for pair in pairs]
    answers = ask(model, (stretch for both in asked for stretch in both), watch)
    outcomes: list[Outcome] = []
    refused: list[KeptOut] = []
    for pair, (good, bad) in zip(pairs, asked, strict=True):
        found = _both(model, pair, good, bad, answers)
        if isinstance(found, KeptOut):
            refused.append(found)
            continue
        one, other = found
        words = (word_scores(good.text, one), word_scores(bad.text, other)) if with_words else ((), ())
        outcomes.append(Outcome(pair, one.total, other.total, "", _differing(pair, found), *words))
    return Evaluation(tuple(outcomes), tuple(refused))


def evaluate_targets(model: LanguageModel, pairs: Sequence[SentencePair], watch: Watch = unwatched) -> Evaluation:
    """Target words: the log-probability of each form at its place, and the model's most probable word there.

    A model that reads from left to right goes by what stands before the target, a masked one by all but the target.
    """
    asked = [(_target(pair.good, pair.start), _target(pair.bad, pair.start)) for pair in pairs]
    masked = [_masked(pair) for pair in pairs]
    answers = ask(model, (*(stretch for both in asked for stretch in both), *masked), watch)
    outcomes: list[Outcome] = []
    refused: list[KeptOut] = []
    for pair, (good, bad), sentence in zip(pairs, asked, masked, strict=True):
        found = _both(model, pair, good, bad, answers)
        if isinstance(found, KeptOut):
            refused.append(found)
            continue
        one, other = found
        unknown = tuple(dict.fromkeys((*one.unknown, *other.unknown)))
        outcomes.append(Outcome(pair, one.total, other.total, _best(answers.get(sentence)), unknown))
    return Evaluation(tuple(outcomes), tuple(refused))


def word_scores(text: str, scores: TokenScores) -> WordScores:
    """The words between spaces, each with the sum of its tokens' scores, and `<eos>` where the end is scored."""
    words = [(found[0], found.start()) for found in re.finditer(r"\S+", text)]
    ends = [start for _, start in words[1:]] + [len(text)]
    if any(start >= len(text) for start in scores.starts):
        words.append((END, len(text)))
        ends.append(len(text) + 1)
    found = []
    for (word, start), end in zip(words, ends, strict=True):
        values = [value for at, value in zip(scores.starts, scores.values, strict=True) if start <= at < end]
        found.append((word, math.fsum(values) if values else math.nan))
    return tuple(found)


def _best(answer: Answer | None) -> str:
    """The most probable word for a mask; '' where the model gives none."""
    return answer[0].word if isinstance(answer, tuple) and answer else ""


def _both(
    model: LanguageModel, pair: SentencePair, good: Stretch, bad: Stretch, answers: Mapping[Asked, Answer]
) -> tuple[TokenScores, TokenScores] | KeptOut:
    """Both scores, or why there are none."""
    one, other = answers[good], answers[bad]
    assert isinstance(one, TokenScores | Refusal)
    assert isinstance(other, TokenScores | Refusal)
    if (found := kept_out(pair, (good, bad), (one, other), model.is_left_to_right)) is not None:
        return found
    assert isinstance(one, TokenScores)
    assert isinstance(other, TokenScores)
    return one, other


def _target(text: str, start: int) -> Stretch:
    end = text.find(" ", start)
    return Stretch(text, start, end if end >= 0 else len(text))


def _masked(pair: SentencePair) -> MaskedSentence:
    mask = "<mask>"
    while mask in pair.good:
        mask = f"<{mask}>"
    words = pair.good.split(" ")
    return MaskedSentence(" ".join((*words[: pair.target], mask, *words[pair.target + 1 :])), mask)


def _differing(pair: SentencePair, scores: Sequence[TokenScores]) -> tuple[str, ...]:
    """The unknown words of which one sentence has more than the other."""
    good, bad = Counter(pair.good.split()), Counter(pair.bad.split())
    differing = (good - bad) + (bad - good)
    return tuple(dict.fromkeys(word for found in scores for word in found.unknown if word in differing))
