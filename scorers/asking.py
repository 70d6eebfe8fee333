"""What a model is asked about items: which stretches of which sentences, and which masks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from scorers.critical_words import Method, NoWord, critical_spans
from scorers.errors import Finding, UsageError, nearest
from scorers.items import Condition, Item
from scorers.models import LanguageModel, MaskedSentence, MaskFiller, Stretch

Measure = Literal["sum", "mean", "per_character", "tokens", "regions", "target", "one_prefix", "two_prefix"]
"""What of a model's scores is written down."""

MEASURES: Mapping[Measure, str] = {
    "sum": "the sum over the tokens of a sentence",
    "mean": "the sum over the number of tokens",
    "per_character": "the sum over the number of characters",
    "tokens": "the surprisal of each token, in bits",
    "regions": "the surprisal of each region of a sentence, in bits",
    "target": "the word that differs between the members of a pair, in its place",
    "one_prefix": "BLiMP's one-prefix method: two words behind the same prefix",
    "two_prefix": "BLiMP's two-prefix method: the same word behind two prefixes",
}
assert set(MEASURES) == set(get_args(Measure))

_WORDS: Mapping[Measure, Method] = {"target": "target", "one_prefix": "one_prefix", "two_prefix": "two_prefix"}


@dataclass(frozen=True, slots=True)
class Question:
    """What one row of predictions answers: a stretch of a condition's sentence, or an item's mask."""

    item: Item
    condition: Condition
    asked: Stretch | MaskedSentence


@dataclass(frozen=True)
class Asked:
    """The questions in the order of the items, and what of the items is not asked, with the reason."""

    questions: Sequence[Question]
    left_out: Sequence[Finding]


def find_measure(name: str) -> Measure:
    """The measure of this name.  Raises UsageError."""
    for measure in MEASURES:
        if measure == name:
            return measure
    guess = nearest(name, MEASURES) or f"; there are {', '.join(MEASURES)}"
    raise UsageError(f"--measure {name}: no such measure{guess}")


def default_measure(items: Sequence[Item], model: LanguageModel) -> Measure:
    """Tokens where the items have formulas, which are about regions; else the sum."""
    has_formulas = any(item.expectations for item in items)
    return "tokens" if has_formulas and model.unit.quantity == "log_probability" else "sum"


def require_measure(model: LanguageModel, measure: Measure, spec: str) -> None:
    """Raise UsageError where a measure means nothing to a model."""
    if measure in ("one_prefix", "two_prefix") and not model.is_left_to_right:
        raise UsageError(
            f"--measure {measure}: '{spec}' sees what stands behind a word too; --measure target scores it"
        )
    if measure in ("tokens", "regions") and model.unit.quantity != "log_probability":
        raise UsageError(f"--measure {measure}: the scores of '{spec}' are no log-probabilities, and give no surprisal")


def fills_masks(model: LanguageModel, measure: Measure) -> bool:
    """Whether masks are asked about: the rows of a file are either scores and words, or arrays of one kind."""
    return isinstance(model, MaskFiller) and measure not in ("tokens", "regions")


def ask(items: Sequence[Item], measure: Measure, fills: bool) -> Asked:
    """The questions of a measure; masks are asked about where the model `fills` them."""
    questions: list[Question] = []
    left_out: list[Finding] = []
    for item in items:
        if item.mask is not None:
            if fills:
                condition = item.conditions[0]
                questions.append(Question(item, condition, MaskedSentence(condition.text, item.mask.token)))
            continue
        found = list(_questions(item, measure))
        if found and isinstance(found[0], NoWord):
            message = f"'{item.id}' is left out by the measure '{measure}': {found[0].reason}"
            left_out.append(Finding("no-word", message, item.file, item.line, severity="warning"))
            continue
        questions += [question for question in found if isinstance(question, Question)]
    return Asked(questions, left_out)


def _questions(item: Item, measure: Measure) -> Iterator[Question | NoWord]:
    if measure not in _WORDS:
        for condition in item.conditions:
            yield Question(item, condition, Stretch.whole(condition.text))
        return
    spans = critical_spans(item, _WORDS[measure])
    if isinstance(spans, NoWord):
        yield spans
        return
    for place in sorted(spans):
        condition = item.conditions[place]
        yield Question(item, condition, Stretch(condition.text, *spans[place]))
