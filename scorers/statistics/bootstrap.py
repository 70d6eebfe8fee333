"""The bootstrap of a mean: over items, over clusters of items, and over strata of equal weight.

Means of points have few distinct values, so a resample is drawn as counts of these values (a multinomial draw), which
gives the same distribution as drawing items one by one and takes a fraction of the time.
"""

from __future__ import annotations

import bisect
import math
import random
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Literal

from scorers.statistics.base import DEFAULT_LEVEL, DEFAULT_RESAMPLES, Result, require_level, seeded
from scorers.statistics.distributions import draw_binomial, normal_cdf, normal_quantile

Method = Literal["bca", "percentile"]

# A draw of a count costs about as much as that of twenty items.
_ITEMS_FOR_A_COUNT = 20


@dataclass(frozen=True)
class BootstrapInterval(Result):
    """A mean with its bootstrap interval and standard error.

    `clusters` were resampled (0: items were), in `strata` whose means have equal weight (1: all together).
    """

    settings = ("statistic", "level", "resamples", "seed", "cluster")

    estimate: float
    low: float
    high: float
    standard_error: float
    items: int
    clusters: int = 0
    strata: int = 1
    level: float = DEFAULT_LEVEL
    resamples: int = DEFAULT_RESAMPLES
    seed: int = 0
    statistic: str = "bootstrap-bca"
    cluster: str = ""


@dataclass(frozen=True)
class _Unit:
    """What is resampled as a whole: the sum of its values and their number; `count` units are alike."""

    total: float
    size: int
    count: int


def bootstrap_mean(
    values: Sequence[float],
    *,
    clusters: Sequence[Hashable] = (),
    cluster: str = "",
    level: float = DEFAULT_LEVEL,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    method: Method = "bca",
) -> BootstrapInterval:
    """The mean of values with its bootstrap interval.

    `clusters` gives the cluster of each value (its lexeme): whole clusters are then drawn, as many as there are, and
    the mean is the sum of what was drawn over its number (a ratio).  `cluster` names the key, for the signature.
    See `bootstrap_macro` for the method.  ValueError for no values, a value that is not finite, or other lengths.
    """
    return bootstrap_macro(
        {"": values},
        clusters={"": clusters} if clusters else {},
        cluster=cluster,
        level=level,
        resamples=resamples,
        seed=seed,
        method=method,
    )


def bootstrap_macro(
    strata: Mapping[str, Sequence[float]],
    *,
    clusters: Mapping[str, Sequence[Hashable]] | None = None,
    cluster: str = "",
    level: float = DEFAULT_LEVEL,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    method: Method = "bca",
) -> BootstrapInterval:
    """The mean of the means of some strata (paradigms), each resampled by itself, with its interval.

    `percentile` takes the (1 +- level) / 2 quantiles of the resampled means; `bca` shifts them for bias and skewness
    (Efron 1987, JASA 82: 171-185; Efron and Tibshirani 1993, chapter 14; strata as in Davison and Hinkley 1997,
    section 5.3.2).  The order of items makes no difference.  Equal values give an interval without width.
    """
    require_level(level)
    if not strata or any(not values for values in strata.values()) or resamples < 1:
        raise ValueError("a bootstrap needs values in every stratum and at least one resample")
    keys = clusters or {}
    groups = [_units(values, keys.get(name, ())) for name, values in sorted(strata.items())]
    weight = 1 / len(groups)
    estimate = math.fsum(_ratio(units) for units in groups) * weight
    drawn: list[list[float]] = []
    for number, units in enumerate(groups):
        drawn.append(_resampled_ratios(units, resamples, seeded(seed, "bootstrap", str(number))))
    means = drawn[0] if len(drawn) == 1 else [math.fsum(column) * weight for column in zip(*drawn, strict=True)]
    means.sort()
    ends = (1 - level) / 2, (1 + level) / 2
    if method == "bca":
        ends = _bca_ends(means, estimate, _acceleration(groups), ends)
    center = math.fsum(means) / resamples
    variance = math.fsum((mean - center) ** 2 for mean in means) / max(1, resamples - 1)
    return BootstrapInterval(
        estimate,
        quantile(means, ends[0]),
        quantile(means, ends[1]),
        math.sqrt(variance),
        items=sum(len(values) for values in strata.values()),
        clusters=sum(map(_number, groups)) if keys else 0,
        strata=len(groups),
        level=level,
        resamples=resamples,
        seed=seed,
        statistic=f"bootstrap-{method}",
        cluster=cluster,
    )


def _units(values: Sequence[float], clusters: Sequence[Hashable]) -> list[_Unit]:
    if clusters:
        together: dict[Hashable, list[float]] = {}
        for value, key in zip(values, clusters, strict=True):
            together.setdefault(key, []).append(value)
        counts = Counter((math.fsum(members), len(members)) for members in together.values())
    else:
        counts = Counter({(value, 1): count for value, count in Counter(values).items()})
    if not all(math.isfinite(total) for total, _ in counts):
        raise ValueError("a bootstrap needs finite values")
    # In order of size: the order of items must not choose which of them a random number draws.
    return [_Unit(total, size, count) for (total, size), count in sorted(counts.items())]


def _number(units: Sequence[_Unit]) -> int:
    return sum(unit.count for unit in units)


def _ratio(units: Sequence[_Unit]) -> float:
    return math.fsum(unit.total * unit.count for unit in units) / sum(unit.size * unit.count for unit in units)


def _resampled_ratios(units: Sequence[_Unit], resamples: int, generator: random.Random) -> list[float]:
    number = _number(units)
    if len(units) == 1 or len(units) * _ITEMS_FOR_A_COUNT <= number:
        return [_counted_ratio(units, number, generator) for _ in range(resamples)]
    totals = [unit.total for unit in units for _ in range(unit.count)]
    sizes = [unit.size for unit in units for _ in range(unit.count)]
    scale, uniform, floor = float(number), generator.random, math.floor
    is_of_ones, ratios = max(sizes) == 1, []
    for _ in range(resamples):
        if is_of_ones:
            ratios.append(math.fsum([totals[floor(uniform() * scale)] for _ in repeat(None, number)]) / number)
        else:
            places = [floor(uniform() * scale) for _ in repeat(None, number)]
            ratios.append(math.fsum(map(totals.__getitem__, places)) / sum(map(sizes.__getitem__, places)))
    return ratios


def _counted_ratio(units: Sequence[_Unit], number: int, generator: random.Random) -> float:
    """The mean of one resample, from a multinomial draw: one binomial draw for each distinct unit but the last."""
    left, left_units = number, number
    total, size = 0.0, 0
    for unit in units:
        drawn = draw_binomial(generator, left, unit.count / left_units) if unit.count < left_units else left
        left -= drawn
        left_units -= unit.count
        total += drawn * unit.total
        size += drawn * unit.size
        if not left:
            break
    return total / size


def _acceleration(groups: Sequence[Sequence[_Unit]]) -> float:
    """Skewness from the jackknife over units; in several strata from the jackknife of each.

    With l = (k - 1) (theta - theta without the unit), k units in a stratum:
    a = sum(l^3 / k^3) / (6 sum(l^2 / k^2)^1.5), which for one stratum is Efron's formula.
    """
    squares, cubes = [], []
    for units in groups:
        number = _number(units)
        if number < 2:
            continue
        total = math.fsum(unit.total * unit.count for unit in units)
        size = sum(unit.size * unit.count for unit in units)
        without = [((total - unit.total) / (size - unit.size), unit.count) for unit in units]
        center = math.fsum(value * count for value, count in without) / number
        influences = [((number - 1) * (center - value) / number, count) for value, count in without]
        squares.append(math.fsum(value**2 * count for value, count in influences))
        cubes.append(math.fsum(value**3 * count for value, count in influences))
    spread = math.fsum(squares) ** 1.5
    return math.fsum(cubes) / (6 * spread) if spread else 0.0


def _bca_ends(
    means: Sequence[float], estimate: float, acceleration: float, ends: tuple[float, float]
) -> tuple[float, float]:
    # Sums of the same points in another order differ by rounding; they count as equal.
    slack = 1e-12 * max(1.0, abs(estimate))
    below, at_most = bisect.bisect_left(means, estimate - slack), bisect.bisect_right(means, estimate + slack)
    share = (below + at_most) / (2 * len(means))
    if not 0 < share < 1:
        return ends
    bias = normal_quantile(share)

    def moved(end: float) -> float:
        z = bias + normal_quantile(end)
        # |a| is at most 1/6, so that only levels beyond 1 - 1e-9 come near the pole.
        return normal_cdf(bias + z / max(1e-9, 1 - acceleration * z))

    return moved(ends[0]), moved(ends[1])


def quantile(ordered: Sequence[float], probability: float) -> float:
    """The quantile by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996)."""
    place = probability * (len(ordered) - 1)
    before = min(int(place), len(ordered) - 2) if len(ordered) > 1 else 0
    after = min(before + 1, len(ordered) - 1)
    return ordered[before] + (place - before) * (ordered[after] - ordered[before])
