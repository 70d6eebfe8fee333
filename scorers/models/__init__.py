"""Language models that `score model` runs: one module each, one line each in a table."""

from __future__ import annotations

from collections.abc import Mapping

from scorers.errors import Findings, UsageError, nearest
from scorers.models import causal, embeddings, length, lstm, masked, ngram, seq2seq, unigram
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
    option,
)

_FAMILIES = (
    masked.FAMILY,
    causal.FAMILY,
    seq2seq.FAMILY,
    lstm.FAMILY,
    ngram.FAMILY,
    unigram.FAMILY,
    length.FAMILY,
    embeddings.FAMILY,
)

MODELS: Mapping[str, Family] = {family.name: family for family in _FAMILIES}


def find_model(spec: str, findings: Findings, options: ModelOptions | None = None) -> LanguageModel:
    """The model of a SPEC, `FAMILY` or `FAMILY:ARGUMENT`.

    Raises UsageError with the nearest name of a family, or for an option that means nothing to it; ScoreError and
    InputError where its files cannot be read.
    """
    name, colon, argument = spec.partition(":")
    family = MODELS.get(name)
    if family is None:
        guess = nearest(name, MODELS) or f"; there are {', '.join(MODELS)}"
        raise UsageError(f"--model {spec}: no family of models is called '{name}'{guess}")
    if family.argument and not argument:
        raise UsageError(f"--model {spec}: expected {name}:{family.argument}")
    if colon and not family.argument:
        raise UsageError(f"--model {spec}: nothing stands behind '{name}'")
    options = options or ModelOptions()
    for given in options.given():
        if given not in family.options:
            others = ", ".join(other.name for other in MODELS.values() if given in other.options)
            raise UsageError(f"{option(given)} means nothing to a model of the kind '{name}' (it is for {others})")
    return family.load(argument, options, findings)


__all__ = [
    "MODELS",
    "Family",
    "Fill",
    "LanguageModel",
    "MaskFiller",
    "MaskedSentence",
    "ModelOptions",
    "Refusal",
    "Stretch",
    "TokenScores",
    "find_model",
    "option",
]
