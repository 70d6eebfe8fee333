"""Pairs and a model -> what the model says of them, in the way that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scorers.errors import Findings, ScoreError
from scorers.evaluate_lm.models import Request
from scorers.evaluate_lm.pairs import SentencePair, with_targets
from scorers.evaluate_lm.scoring import Evaluation, evaluate_sentences, evaluate_targets
from scorers.models import LanguageModel

_NO_TARGET = "kept out: the two sentences do not differ in exactly one word"


def evaluate(
    model: LanguageModel, pairs: Sequence[SentencePair], request: Request, file: str, findings: Findings
) -> Evaluation:
    """The outcomes; pairs that have none are kept out, and warned of with their lines.

    Raises ScoreError where no pair is left.
    """
    without: list[SentencePair] = []
    if request.is_target:
        pairs, without = with_targets(pairs)
    found = _published(model, pairs, request) if request.is_compatible else _right(model, pairs, request)
    found = replace(found, refused=(*((pair, _NO_TARGET) for pair in without), *found.refused))
    _warn(found, file, findings)
    if not found.outcomes:
        reason = found.refused[0][1] if found.refused else "no form of any pair is in the vocabulary"
        raise ScoreError(f"{file}: nothing is left to evaluate: {reason.removeprefix('kept out: ')}")
    return found


def _right(model: LanguageModel, pairs: Sequence[SentencePair], request: Request) -> Evaluation:
    if request.is_target:
        return evaluate_targets(model, pairs)
    return evaluate_sentences(model, pairs, request.with_words)


def _published(model: LanguageModel, pairs: Sequence[SentencePair], request: Request) -> Evaluation:
    from scorers.evaluate_lm.published import published_sentences, published_targets
    from scorers.models.lstm import LstmModel

    assert isinstance(model, LstmModel)
    if request.is_target:
        return published_targets(model, pairs)
    return published_sentences(model, pairs, request.with_words)


def _warn(found: Evaluation, file: str, findings: Findings) -> None:
    """One warning for each reason, with the lines of its pairs."""
    from scorers.evaluate_lm.results import lines_of

    reasons: dict[str, list[int]] = {}
    for pair, reason in found.refused:
        reasons.setdefault(reason, []).append(pair.line)
    for reason, lines in reasons.items():
        shown = reason if reason.startswith("kept out: ") else f"kept out: {reason}"
        count = f" ({len(lines):,} pairs: {lines_of(lines)})" if len(lines) > 1 else ""
        findings.warning(shown + count, file, lines[0], "kept-out")
