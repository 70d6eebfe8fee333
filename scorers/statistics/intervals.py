"""Intervals in closed form: Wilson's for accuracies, with half points for ties; Student's for means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scorers.statistics.base import DEFAULT_LEVEL, Result, require_level
from scorers.statistics.distributions import student_quantile, two_sided_z


@dataclass(frozen=True)
class Interval(Result):
    """An accuracy (0 to 1) with its interval.  `items` it is over; `points` of them, ties at a half, were right."""

    settings = ("statistic", "level")

    estimate: float
    low: float
    high: float
    points: float
    items: int
    level: float = DEFAULT_LEVEL
    statistic: str = "wilson"


def wilson(points: float, items: int, level: float = DEFAULT_LEVEL) -> Interval:
    """The Wilson score interval of `points` right out of `items`.

    With p = points / items and z the normal quantile it is

        (p + z^2/2n +- z sqrt(p (1 - p) / n + z^2/4n^2)) / (1 + z^2/n)

    (Wilson 1927, JASA 22: 209-212; method 3 of Newcombe 1998, Statistics in Medicine 17: 857-872).  Half points for
    ties are allowed; the interval is then on the safe side, since points of 0, 1/2 and 1 vary less than p (1 - p)
    says.  No items give an estimate of nan and the interval 0 to 1.  ValueError for points that cannot be.
    """
    return _score_interval(points, items, 0, level, "wilson")


def wilson_ties(points: float, items: int, ties: int, level: float = DEFAULT_LEVEL) -> Interval:
    """The score interval of points 0, 1/2 (of `ties` items) and 1: never wider than `wilson`.

    A point has the variance p (1 - p) - t/4, where t is the share of ties.  The score test with this variance, t as
    observed, is inverted as Wilson's: its limits solve (p' - p)^2 = z^2/n (p' (1 - p') - t/4).  Without ties it is
    `wilson`; with ties only it has no width.  Say that it was used: it takes the share of ties as known.
    """
    return _score_interval(points, items, ties, level, "wilson-ties")


def _score_interval(points: float, items: int, ties: int, level: float, statistic: str) -> Interval:
    require_level(level)
    if not ties / 2 <= points <= items - ties / 2:
        raise ValueError(f"{points} points out of {items} items, {ties} of them ties")
    if items == 0:
        return Interval(math.nan, 0.0, 1.0, points, 0, level, statistic)
    estimate = points / items
    share = ties / items
    # With c = z^2/n: (1 + c) p'^2 - (2 p + c) p' + p^2 + c t/4 = 0.
    c = two_sided_z(level) ** 2 / items
    middle = (estimate + c / 2) / (1 + c)
    spread = c * max(0.0, 4 * estimate * (1 - estimate) + c - share * (1 + c))
    half = math.sqrt(spread) / (2 * (1 + c))
    # Rounding may put a limit beyond the estimate where they are equal (none or all right).
    low, high = min(estimate, max(0.0, middle - half)), max(estimate, min(1.0, middle + half))
    return Interval(estimate, low, high, points, items, level, statistic)


@dataclass(frozen=True)
class MeanInterval(Result):
    """A mean of numbers in their own unit with its interval; `low` and `high` are nan for fewer than two."""

    settings = ("statistic", "level")

    mean: float
    low: float
    high: float
    standard_error: float
    items: int
    level: float = DEFAULT_LEVEL
    statistic: str = "student"


def mean_interval(values: Sequence[float], level: float = DEFAULT_LEVEL) -> MeanInterval:
    """The mean +- t standard errors, t the quantile of Student's distribution with n - 1 degrees of freedom.

    Student 1908, Biometrika 6: 1-25.  ValueError for no values, or one that is not finite.
    """
    require_level(level)
    if not values or not all(map(math.isfinite, values)):
        raise ValueError("a mean needs numbers, and finite ones")
    items = len(values)
    mean = math.fsum(values) / items
    if items < 2:
        return MeanInterval(mean, math.nan, math.nan, math.nan, items, level)
    error = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (items - 1) / items)
    reach = student_quantile(0.5 + level / 2, items - 1) * error
    return MeanInterval(mean, mean - reach, mean + reach, error, items, level)
