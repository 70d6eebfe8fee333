"""Pairs that have no outcome, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scorers.evaluate_lm.pairs import SentencePair
from scorers.models import Refusal, Stretch, TokenScores
from scorers.models.words import is_word

MOST_NAMED = 10
"""Lines and words that a message names."""


@dataclass(frozen=True, slots=True)
class KeptOut:
    """A pair without an outcome, the reason, and the words that it lies in, where it lies in words."""

    pair: SentencePair
    reason: str
    words: tuple[str, ...] = ()


def kept_out(
    pair: SentencePair,
    asked: Sequence[Stretch],
    answers: Sequence[TokenScores | Refusal],
    is_left_to_right: bool,
) -> KeptOut | None:
    """Why a pair has no outcome: the model's reason for one of its members, or what it has no number for; None for a
    pair of which both members have a number.
    """
    whys = [_why(*both, is_left_to_right) for both in zip(asked, answers, strict=True)]
    reason = next((why[0] for why in whys if why is not None), "")
    if not reason:
        return None
    words = (word for why in whys if why is not None and why[0] == reason for word in why[1])
    return KeptOut(pair, reason, tuple(dict.fromkeys(words)))


def _why(stretch: Stretch, answer: TokenScores | Refusal, is_left_to_right: bool) -> tuple[str, tuple[str, ...]] | None:
    """The reason and the words that it is said of; None where there is a number."""
    if isinstance(answer, Refusal):
        return answer.reason, ()
    if not math.isnan(answer.total):
        return None
    words = tuple(stretch.text[stretch.start : stretch.end].split())
    if not any(map(is_word, words)):
        return "the model has no number for punctuation", words
    if answer.unknown and len(answer.unknown) == len(answer.tokens):
        return "the model has no number for words that it does not know", answer.unknown
    if not is_left_to_right:
        return "the model has no number for a word beside which it knows no other", words
    if not stretch.text[: stretch.start].strip():
        return "the model has no number for a word that nothing stands before", words
    return "the model gives no number", words


def named(words: Counter[str]) -> str:
    """Words with their counts for a message: `dogs (3), cat (1) and 5 more`."""
    few = ", ".join(f"{word} ({number:,})" for word, number in words.most_common(MOST_NAMED))
    return few + (f" and {len(words) - MOST_NAMED:,} more" if len(words) > MOST_NAMED else "")


def lines_of(lines: Sequence[int]) -> str:
    """Line numbers for a message: `lines 3, 7 and 12 more`."""
    few = ", ".join(f"{line:,}" for line in lines[:MOST_NAMED])
    more = f" and {len(lines) - MOST_NAMED:,} more" if len(lines) > MOST_NAMED else ""
    return f"line{'s' if len(lines) > 1 else ''} {few}{more}"
