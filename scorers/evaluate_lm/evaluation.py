"""Pairs and a model -> what the model says of them, in the way that was asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from scorers.errors import Findings, ScoreError
from scorers.evaluate_lm.keeping_out import KeptOut, lines_of, named
from scorers.evaluate_lm.models import Request
from scorers.evaluate_lm.pairs import SentencePair, with_targets
from scorers.evaluate_lm.scoring import Evaluation, evaluate_sentences, evaluate_targets
from scorers.evaluate_lm.watching import Watch, unwatched
from scorers.models import LanguageModel

_NO_TARGET = "the two sentences do not differ in exactly one word"


def evaluate(
    model: LanguageModel,
    pairs: Sequence[SentencePair],
    request: Request,
    file: str,
    findings: Findings,
    watch: Watch = unwatched,
) -> Evaluation:
    """The outcomes; pairs that have none are kept out, and warned of with their lines.

    Raises ScoreError where no pair is left.
    """
    without: list[SentencePair] = []
    if request.is_target:
        pairs, without = with_targets(pairs)
    found = (_published if request.is_compatible else _right)(model, pairs, request, watch)
    found = replace(found, refused=(*(KeptOut(pair, _NO_TARGET) for pair in without), *found.refused))
    _warn(found, file, findings)
    if not found.outcomes:
        reason = found.refused[0].reason if found.refused else "no form of any pair is in the vocabulary"
        raise ScoreError(f"{file}: nothing is left to evaluate: {reason}")
    return found


def _right(model: LanguageModel, pairs: Sequence[SentencePair], request: Request, watch: Watch) -> Evaluation:
    if request.is_target:
        return evaluate_targets(model, pairs, watch)
    return evaluate_sentences(model, pairs, request.with_words, watch)


def _published(model: LanguageModel, pairs: Sequence[SentencePair], request: Request, watch: Watch) -> Evaluation:
    from scorers.evaluate_lm.published import published_sentences, published_targets
    from scorers.models.lstm import LstmModel

    assert isinstance(model, LstmModel)
    if request.is_target:
        return published_targets(model, pairs, watch)
    return published_sentences(model, pairs, request.with_words, watch)


def _warn(found: Evaluation, file: str, findings: Findings) -> None:
    """One warning for each reason, with the words that it lies in and the lines of its pairs."""
    reasons: dict[str, list[KeptOut]] = {}
    for pair in found.refused:
        reasons.setdefault(pair.reason, []).append(pair)
    for reason, pairs in reasons.items():
        lines = [pair.pair.line for pair in pairs]
        words = Counter(word for pair in pairs for word in pair.words)
        said = f": {named(words)}" if words else ""
        count = f" ({len(lines):,} pairs: {lines_of(lines)})" if len(lines) > 1 else ""
        findings.warning(f"kept out: {reason}{said}{count}", file, lines[0], "kept-out")
