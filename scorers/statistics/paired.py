"""Two models on the same items: McNemar's exact test and the paired randomisation test."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from scorers.statistics.base import DEFAULT_RESAMPLES, Result, seeded
from scorers.statistics.distributions import binomial_lower, draw_binomial, log_binomial

# Steps of the exact computation; above them the test is a simulation.
_MOST_STEPS = 1_000_000

# Differences that are drawn in one step from a table.
_BITS = 8


@dataclass(frozen=True)
class McNemar(Result):
    """McNemar's test: on how many items only the first, only the second model was better; two-sided `p`."""

    settings = ("statistic",)

    only_first: int
    only_second: int
    p: float
    statistic: str = "mcnemar-exact"


@dataclass(frozen=True)
class Randomisation(Result):
    """The paired randomisation test of a mean difference; `p` is two-sided.  `resamples` is 0 where it is exact."""

    settings = ("statistic", "resamples", "seed", "cluster")

    difference: float
    items: int
    discordant: int
    p: float
    resamples: int = 0
    seed: int | None = None
    statistic: str = "randomisation-exact"
    cluster: str = ""


def discordant(first: Sequence[float], second: Sequence[float]) -> tuple[int, int]:
    """On how many items the first model has more points, and the second; both in the order of the items."""
    pairs = list(zip(first, second, strict=True))
    return sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)


def mcnemar(only_first: int, only_second: int, mid_p: bool = False) -> McNemar:
    """The exact test that two models are right equally often, from the items on which just one of them is.

    p = min(1, 2 P(X <= min(b, c))), X ~ Binomial(b + c, 1/2) (McNemar 1947, Psychometrika 12: 153-157, with the
    binomial distribution for the chi-square); with `mid_p` half of the probability of what was observed is taken off,
    on either side, which makes the test less cautious (Fagerland, Lydersen and Laake 2013, BMC Medical Research
    Methodology 13: 91).  Items with half points make it the sign test: count who has more.  ValueError below zero.
    """
    if min(only_first, only_second) < 0:
        raise ValueError(f"counts of items: {only_first} and {only_second}")
    number, fewer = only_first + only_second, min(only_first, only_second)
    p = min(1.0, 2 * binomial_lower(fewer, number, 0.5))
    if mid_p and number:
        # What was observed lies on both sides, except for b = c, which is one outcome.
        observed = math.exp(log_binomial(fewer, number, 0.5))
        p -= observed / 2 if only_first == only_second else observed
    return McNemar(only_first, only_second, p, "mcnemar-mid-p" if mid_p else "mcnemar-exact")


def randomisation(
    differences: Sequence[float],
    *,
    clusters: Sequence[Hashable] = (),
    cluster: str = "",
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Randomisation:
    """Whether the mean of paired differences (points of one model minus those of the other) is zero.

    If the models are alike, each difference may as well have the other sign: p is the share of all 2^n choices of
    signs whose sum is at least as far from zero (Fisher 1935; Noreen 1989).  Where few sums are possible (few
    discordant items, or points of 0, 1/2 and 1) this is computed exactly; else from `resamples` choices, with one
    added above and below, so that p is never 0 and the test holds its level (Phipson and Smyth 2010, Statistical
    Applications in Genetics and Molecular Biology 9: 39).  With `clusters` whole clusters change sign.
    """
    sums = list(differences)
    if not all(map(math.isfinite, sums)):
        raise ValueError("a randomisation test needs finite differences")
    items, found = len(sums), sum(value != 0 for value in sums)
    difference = math.fsum(sums) / items if items else 0.0
    if clusters:
        together: dict[Hashable, list[float]] = {}
        for value, key in zip(differences, clusters, strict=True):
            together.setdefault(key, []).append(value)
        sums = [math.fsum(members) for members in together.values()]
    # In order of size, so that the order of items does not matter.
    sizes = Counter(sorted(abs(value) for value in sums if value))
    # Sums that are equal but for rounding are equal.
    least = abs(math.fsum(sums)) - 1e-9 * math.fsum(size * count for size, count in sizes.items())
    exact = _exact(sizes, least)
    if exact is not None:
        return Randomisation(difference, items, found, exact, cluster=cluster)
    far = _simulated(sizes, least, resamples, seeded(seed, "randomisation"))
    p = (far + 1) / (resamples + 1)
    return Randomisation(difference, items, found, p, resamples, seed, "randomisation", cluster)


def _exact(sizes: Counter[float], least: float) -> float | None:
    """The share of sign choices that give a sum of at least `least`, or None where that is too much work."""
    if len(sizes) == 1:
        # One size: the number of plus signs is binomial, whatever its size.
        ((size, count),) = sizes.items()
        fewest = math.ceil(round((count + least / size) / 2, 6))
        return 1.0 if 2 * fewest <= count else min(1.0, 2 * binomial_lower(count - fewest, count, 0.5))
    shares, steps = {0.0: 1.0}, 0
    for size, count in sizes.items():
        steps += len(shares) * (count + 1)
        if steps > _MOST_STEPS:
            return None
        signs = [(size * (2 * plus - count), math.exp(log_binomial(plus, count, 0.5))) for plus in range(count + 1)]
        longer: dict[float, float] = {}
        for total, share in shares.items():
            for added, part in signs:
                longer[total + added] = longer.get(total + added, 0.0) + share * part
        shares = longer
    return min(1.0, math.fsum(share for total, share in shares.items() if abs(total) >= least))


def _simulated(sizes: Counter[float], least: float, resamples: int, generator: random.Random) -> int:
    """In how many of so many random choices of signs the sum is at least `least` from zero."""
    if len(sizes) * _BITS * 2 <= sizes.total():
        whole = math.fsum(size * count for size, count in sizes.items())
        counted = list(sizes.items())
        sums = (
            2 * math.fsum(size * draw_binomial(generator, count, 0.5) for size, count in counted) - whole
            for _ in range(resamples)
        )
        return sum(abs(total) >= least for total in sums)
    # Signs of eight differences at a time: a table holds the sums of all their choices.
    values = list(sizes.elements())
    tables = [_signed_sums(values[start : start + _BITS]) for start in range(0, len(values), _BITS)]
    uniform, far = generator.random, 0
    for _ in range(resamples):
        # `len(table)` is a power of two, so each entry is equally likely.
        far += abs(math.fsum([table[int(uniform() * len(table))] for table in tables])) >= least
    return far


def _signed_sums(values: Sequence[float]) -> list[float]:
    sums = [0.0]
    for value in values:
        sums = [total + sign * value for total in sums for sign in (-1, 1)]
    return sums
