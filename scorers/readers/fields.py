"""Numbers, and what the name of a field says of them: quantity and base."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from scorers.predictions import Base, Quantity, Unit
from scorers.readers.source import Report

_QUANTITIES: dict[str, Quantity] = {
    "log_probability": "log_probability",
    "log_prob": "log_probability",
    "logprob": "log_probability",
    "log_likelihood": "log_probability",
    "loglikelihood": "log_probability",
    "nll": "surprisal",
    "negative_log_likelihood": "surprisal",
    "surprisal": "surprisal",
    "cross_entropy": "cross_entropy",
    "perplexity": "perplexity",
    "ppl": "perplexity",
    "score": "score",
}
SCORE_NAMES = tuple(_QUANTITIES)
_PLURALS = {
    **{f"{name}s": quantity for name, quantity in _QUANTITIES.items()},
    "log_probabilities": _QUANTITIES["log_probability"],
    "cross_entropies": _QUANTITIES["cross_entropy"],
    "surprisal": _QUANTITIES["surprisal"],
}
_BASES: dict[str, Base] = {"nats": "nats", "bits": "bits", "bans": "bans", "log2": "bits", "log10": "bans"}
_DEFAULTS: dict[Quantity, Base] = {"surprisal": "bits"}  # as SyntaxGym and psycholinguistics have it; else nats
_IN_NATS = ("nll", "negative_log_likelihood")  # as the libraries of models have it
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def unit_of(field: str, is_plural: bool = False) -> Unit | None:
    """The unit that a field's name says: quantity, and base as an ending (`surprisal_nats`, `log_prob_bits`).

    Without an ending surprisals are bits and everything else is nats.  None for any other name.
    """
    name = field.strip().lower().replace("-", "_").replace(" ", "_")
    stem, _, ending = name.rpartition("_")
    base = _BASES.get(ending)
    quantity = (_PLURALS if is_plural else _QUANTITIES).get(stem if base else name)
    if quantity is None:
        return None
    default: Base = "nats" if name.removesuffix("s") in _IN_NATS else _DEFAULTS.get(quantity, "nats")
    return Unit(quantity, base or default)


def unit_field(fields: Iterable[str], wanted: Unit | None = None, is_plural: bool = False) -> tuple[str, Unit] | None:
    """The first field whose name says a unit (the `wanted` one, where one has it), and the unit: None for none."""
    found = [(name, unit) for name in fields if (unit := unit_of(name, is_plural)) is not None]
    return next((entry for entry in found if entry[1] == wanted), found[0] if found else None)


def unit_fields(fields: Iterable[str], is_plural: bool = False) -> list[str]:
    """All fields whose names say a unit."""
    return [name for name in fields if unit_of(name, is_plural) is not None]


def is_decimal(text: str) -> bool:
    """Whether a text is written as a decimal number, however large."""
    return _NUMBER.fullmatch(text) is not None


def number(text: str) -> float | None:
    """A finite number as a text; None for anything else (`nan`, `1_000`, `0x1`)."""
    try:
        value = float(text)
    except ValueError:
        return None
    # Python also reads 1_000, other digits than ASCII's, nan and inf, which no other tool would take for a score.
    return value if value - value == 0.0 and text.isascii() and "_" not in text else None


def checked_number(report: Report, line: int, value: Any, what: str, unit: Unit | None = None) -> float | None:
    """A number of a file, given as a text or as JSON reads it; None, and an error, where it is none or not finite."""
    found: float | None = None
    if type(value) is float and value - value == 0.0:
        is_infinite, found = False, value
    elif isinstance(value, str):
        found = number(value)
        is_infinite = found is None and (
            value.strip().lower().lstrip("+-") in ("nan", "inf", "infinity") or bool(_NUMBER.fullmatch(value.strip()))
        )
    else:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_infinite = is_number and not _is_finite(value)
        found = float(value) if is_number and not is_infinite else None
    if is_infinite:
        report.error(line, f"{what} is {shown(value)}: no finite number", "not-finite")
        return None
    if found is None:
        report.error(line, f"{what} is {shown(value)}: no number", "not-a-number")
        return None
    if unit is not None and unit.quantity == "perplexity" and found <= 0:
        report.error(line, f"{what} is {shown(value)}: a perplexity is above 0", "out-of-range")
        return None
    return found


def warn_of_sign(report: Report, line: int, value: float, unit: Unit) -> None:
    """A warning where a number has a sign that its quantity cannot have."""
    if value > 0:
        if unit.quantity == "log_probability":
            report.warn(line, "a log-probability above 0: is it a surprisal?", "sign")
    elif value < 0 and unit.quantity in ("surprisal", "cross_entropy"):
        named = unit.quantity.replace("_", "-")
        report.warn(line, f"a {named} below 0: is it a log-probability?", "sign")


def shown(value: Any) -> str:
    """A value for a message, cut where it is long."""
    text = "missing" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False
