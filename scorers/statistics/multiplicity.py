"""Correction of p-values where several tests are made at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scorers.statistics.base import Result


@dataclass(frozen=True)
class Adjusted(Result):
    """One of several tests: its own p-value, the adjusted one, and whether that is at most `alpha`."""

    settings = ("statistic", "tests", "alpha")

    name: str
    p: float
    adjusted_p: float
    is_significant: bool
    tests: int
    alpha: float = 0.05
    statistic: str = "holm"


def holm(p_values: Mapping[str, float], alpha: float = 0.05) -> tuple[Adjusted, ...]:
    """Holm's step-down correction, in the order of the tests given.

    Of m p-values the i-th smallest is multiplied by m - i + 1; an adjusted value is never less than that of a smaller
    p, nor more than 1.  It holds the chance of any false finding at `alpha` whatever depends on what (Holm 1979,
    Scandinavian Journal of Statistics 6: 65-70).  ValueError for a p-value outside 0 to 1.
    """
    for name, p in p_values.items():
        if not 0 <= p <= 1:
            raise ValueError(f"the p-value of '{name}' is {p}")
    adjusted: dict[str, float] = {}
    largest = 0.0
    tests = len(p_values)
    for rank, (name, p) in enumerate(sorted(p_values.items(), key=lambda pair: (pair[1], pair[0]))):
        largest = max(largest, min(1.0, p * (tests - rank)))
        adjusted[name] = largest
    return tuple(
        Adjusted(name, p, adjusted[name], adjusted[name] <= alpha, tests, alpha) for name, p in p_values.items()
    )
