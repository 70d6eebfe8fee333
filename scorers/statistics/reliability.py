"""How far several annotators agree: Krippendorff's alpha for numbers, with a bootstrap interval."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scorers.statistics.base import DEFAULT_LEVEL, DEFAULT_RESAMPLES, Result, require_level, seeded
from scorers.statistics.bootstrap import quantile
from scorers.statistics.distributions import draw_binomial

# A draw of a count costs about as much as that of twenty units.
_UNITS_FOR_A_COUNT = 20


@dataclass(frozen=True)
class BootstrapAlpha(Result):
    """Krippendorff's alpha with its percentile interval; nan where nobody differs from anybody, or nothing is paired.

    `values` could be paired, in `units`.
    """

    settings = ("statistic", "level", "resamples", "seed")

    alpha: float
    low: float
    high: float
    units: int
    values: int
    level: float = DEFAULT_LEVEL
    resamples: int = DEFAULT_RESAMPLES
    seed: int = 0
    statistic: str = "krippendorff-alpha-interval"


@dataclass(frozen=True)
class _Sums:
    """What a unit adds: its number of values, their sum, the sum of their squares, and its disagreement."""

    number: float
    total: float
    squares: float
    within: float
    count: int


def interval_alpha(
    units: Sequence[Sequence[float]],
    *,
    level: float = DEFAULT_LEVEL,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> BootstrapAlpha:
    """Agreement of any number of annotators on numbers: 1 - observed / expected disagreement, squared differences.

    `units` gives for each sentence or pair what annotators said, in any order; those with fewer than two values say
    nothing (Krippendorff 2011, 'Computing Krippendorff's alpha-reliability', section D, interval metric).  Of values
    that are 0 or 1 it is the nominal alpha.  The interval has the quantiles of alphas over units drawn with
    replacement; draws in which nobody differs have no alpha and are left out.  The order of units makes no difference.
    """
    require_level(level)
    paired = sorted(tuple(sorted(unit)) for unit in units if len(unit) > 1)
    values = [value for unit in paired for value in unit]
    if not all(map(math.isfinite, values)):
        raise ValueError("alpha needs finite values")
    if len(set(values)) < 2:
        return BootstrapAlpha(math.nan, math.nan, math.nan, len(paired), len(values), level, resamples, seed)
    # Around their mean, so that the differences of large sums keep their digits.
    center = math.fsum(values) / len(values)
    sums = [_sums(unit, center, count) for unit, count in Counter(paired).items()]
    least = 1e-12 * max(abs(value - center) for value in values) ** 2
    alpha = _alpha(sums, [part.count for part in sums], least)
    generator = seeded(seed, "alpha")
    drawn = (_alpha(*_draw(sums, len(paired), generator), least) for _ in range(resamples))
    found = sorted(value for value in drawn if not math.isnan(value))
    low, high = (quantile(found, (1 - level) / 2), quantile(found, (1 + level) / 2)) if found else (math.nan, math.nan)
    return BootstrapAlpha(alpha, low, high, len(paired), len(values), level, resamples, seed)


def _sums(unit: Sequence[float], center: float, count: int) -> _Sums:
    number = len(unit)
    middle = math.fsum(unit) / number
    total = math.fsum(value - center for value in unit)
    squares = math.fsum((value - center) ** 2 for value in unit)
    # The squared differences of all ordered couples, over the couples that each value is in.
    within = 2 * number * math.fsum((value - middle) ** 2 for value in unit) / (number - 1)
    return _Sums(number, total, squares, within, count)


def _draw(sums: Sequence[_Sums], units: int, generator: random.Random) -> tuple[Sequence[_Sums], list[int]]:
    """As many units as there are, with replacement: which, and how often each."""
    if len(sums) * _UNITS_FOR_A_COUNT > units:
        every = [part for part in sums for _ in range(part.count)] if len(sums) < units else list(sums)
        places = Counter(math.floor(generator.random() * units) for _ in range(units))
        return [every[place] for place in places], list(places.values())
    counts, left, left_units = [], units, units
    for part in sums:
        drawn = draw_binomial(generator, left, part.count / left_units) if part.count < left_units else left
        counts.append(drawn)
        left -= drawn
        left_units -= part.count
    return sums, counts


def _alpha(sums: Sequence[_Sums], counts: Sequence[int], least: float) -> float:
    number = total = squares = within = 0.0
    for part, count in zip(sums, counts, strict=True):
        number += count * part.number
        total += count * part.total
        squares += count * part.squares
        within += count * part.within
    apart = 2 * (number * squares - total * total)
    return 1 - (number - 1) * within / apart if apart > least * number * number else math.nan
