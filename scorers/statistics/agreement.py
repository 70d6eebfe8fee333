"""Agreement of a model with human judgements: kappa and alpha for labels, correlations for numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from scorers.statistics.base import DEFAULT_LEVEL, Result, require_level
from scorers.statistics.distributions import student_two_sided, two_sided_normal, two_sided_z

CorrelationKind = Literal["pearson", "spearman", "kendall"]

# With so many pairs of ranks or fewer Kendall's p-value is counted out.
_MOST_EXACT = 60


@dataclass(frozen=True)
class Kappa(Result):
    """Cohen's kappa; nan where both raters gave one and the same label to everything."""

    settings = ("statistic", "level")

    kappa: float
    low: float
    high: float
    standard_error: float
    observed: float
    expected: float
    items: int
    level: float = DEFAULT_LEVEL
    statistic: str = "cohen-kappa"


@dataclass(frozen=True)
class Alpha(Result):
    """Krippendorff's alpha; nan where only one label was ever given.  `values` could be paired, in `units`."""

    settings = ("statistic",)

    alpha: float
    units: int
    values: int
    statistic: str = "krippendorff-alpha-nominal"


@dataclass(frozen=True)
class Correlation(Result):
    """A correlation and the two-sided p-value of no correlation; nan where one side does not vary."""

    settings = ("statistic",)

    coefficient: float
    p: float
    items: int
    statistic: str = "pearson"


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable], level: float = DEFAULT_LEVEL) -> Kappa:
    """Agreement of two raters beyond chance: (observed - expected) / (1 - expected).

    Expected is the agreement of two raters who give their labels at random, each in his own proportions (Cohen 1960,
    Educational and Psychological Measurement 20: 37-46).  The standard error is that for kappas that are not zero
    (Fleiss, Cohen and Everitt 1969, Psychological Bulletin 72: 323-327); the interval is kappa +- z errors.
    """
    require_level(level)
    pairs = Counter(zip(first, second, strict=True))
    items = pairs.total()
    if not items:
        raise ValueError("kappa needs items")
    rows, columns = Counter(first), Counter(second)
    row = {label: count / items for label, count in rows.items()}
    column = {label: count / items for label, count in columns.items()}
    observed = sum(count for (a, b), count in pairs.items() if a == b) / items
    expected = math.fsum(share * column.get(label, 0.0) for label, share in row.items())
    if expected >= 1:
        return Kappa(math.nan, math.nan, math.nan, math.nan, observed, expected, items, level)
    kappa = (observed - expected) / (1 - expected)
    # p_ij (p_.i + p_j.)^2: the row total of the column's label and the column total of the row's label.
    agreed = math.fsum(
        count / items * (1 - (row[a] + column[a]) * (1 - kappa)) ** 2 for (a, b), count in pairs.items() if a == b
    )
    differed = math.fsum(
        count / items * (column.get(a, 0.0) + row.get(b, 0.0)) ** 2 for (a, b), count in pairs.items() if a != b
    )
    spread = agreed + (1 - kappa) ** 2 * differed - (kappa - expected * (1 - kappa)) ** 2
    error = math.sqrt(max(0.0, spread) / items) / (1 - expected)
    z = two_sided_z(level)
    low, high = max(-1.0, kappa - z * error), min(1.0, kappa + z * error)
    return Kappa(kappa, low, high, error, observed, expected, items, level)


def krippendorff_alpha(units: Sequence[Sequence[Hashable | None]]) -> Alpha:
    """Agreement of any number of raters on nominal labels: 1 - observed / expected disagreement.

    `units` gives for each item the labels that raters gave, None for none; items with fewer than two labels say
    nothing (Krippendorff 2011, 'Computing Krippendorff's alpha-reliability', section C).
    """
    within: list[float] = []
    totals: Counter[Hashable] = Counter()
    kept = 0
    for unit in units:
        labels = Counter(label for label in unit if label is not None)
        number = labels.total()
        if number < 2:
            continue
        kept += 1
        totals.update(labels)
        within.append((number**2 - sum(count**2 for count in labels.values())) / (number - 1))
    values = totals.total()
    apart = values**2 - sum(count**2 for count in totals.values())
    if not apart:
        return Alpha(math.nan, kept, values)
    return Alpha(1 - (values - 1) * math.fsum(within) / apart, kept, values)


def correlation(first: Sequence[float], second: Sequence[float], kind: CorrelationKind = "pearson") -> Correlation:
    """The correlation of two rows of numbers, with a two-sided p-value.

    pearson: r, p by Student's t = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees of freedom.
    spearman: Pearson's r of ranks, ties at their mean rank; p by the same t (an approximation below some 20 items).
    kendall: tau-b (Kendall 1945, Biometrika 33: 239-251); p exact without ties for up to 60 items (from the number of
    permutations with so many inversions), else by the normal approximation with its variance for ties (Kendall 1970,
    'Rank correlation methods', chapter 4).  ValueError for other lengths or values that are not finite.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} numbers cannot be correlated with {len(second)}")
    if not all(map(math.isfinite, (*first, *second))):
        raise ValueError("a correlation needs finite numbers")
    return _CORRELATIONS[kind](first, second)


def _pearson(first: Sequence[float], second: Sequence[float], statistic: str = "pearson") -> Correlation:
    items = len(first)
    if len(set(first)) < 2 or len(set(second)) < 2:
        return Correlation(math.nan, math.nan, items, statistic)
    mean_x, mean_y = math.fsum(first) / items, math.fsum(second) / items
    x, y = [value - mean_x for value in first], [value - mean_y for value in second]
    product = math.fsum(a * b for a, b in zip(x, y, strict=True))
    r = product / math.sqrt(math.fsum(a * a for a in x) * math.fsum(b * b for b in y))
    r = max(-1.0, min(1.0, r))
    if items < 3:
        return Correlation(r, math.nan, items, statistic)
    t = math.inf if abs(r) == 1 else r * math.sqrt((items - 2) / (1 - r * r))
    return Correlation(r, student_two_sided(t, items - 2), items, statistic)


def _spearman(first: Sequence[float], second: Sequence[float]) -> Correlation:
    return _pearson(ranks(first), ranks(second), "spearman")


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1, equal ones at their mean rank."""
    places: dict[float, list[int]] = {}
    for rank, value in enumerate(sorted(values), 1):
        places.setdefault(value, []).append(rank)
    return [(places[value][0] + places[value][-1]) / 2 for value in values]


def _kendall(first: Sequence[float], second: Sequence[float]) -> Correlation:
    items = len(first)
    ties_x, ties_y = _tie_sizes(first), _tie_sizes(second)
    pairs = items * (items - 1) // 2
    score = pairs - _pairs(ties_x) - _pairs(ties_y) + _pairs(_tie_sizes(list(zip(first, second, strict=True))))
    # Sorted by the first, and among its ties by the second, exactly the discordant pairs are inversions.
    ordered = [y for _, y in sorted(zip(first, second, strict=True))]
    discordant = _inversions(ordered)[1]
    difference = score - 2 * discordant
    scale = (pairs - _pairs(ties_x)) * (pairs - _pairs(ties_y))
    if not scale:
        return Correlation(math.nan, math.nan, items, "kendall-tau-b")
    tau = max(-1.0, min(1.0, difference / math.sqrt(scale)))
    if not ties_x and not ties_y and items <= _MOST_EXACT:
        return Correlation(tau, _exact_kendall(items, min(discordant, pairs - discordant)), items, "kendall-tau-b")
    variance = _kendall_variance(items, ties_x, ties_y)
    p = two_sided_normal(difference / math.sqrt(variance)) if variance > 0 else math.nan
    return Correlation(tau, p, items, "kendall-tau-b")


def _tie_sizes(values: Sequence[Hashable]) -> list[int]:
    return [count for count in Counter(values).values() if count > 1]


def _pairs(sizes: Sequence[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


def _inversions(values: Sequence[float]) -> tuple[list[float], int]:
    """The values in order, and how many pairs of them stood the wrong way round: a merge sort."""
    if len(values) < 2:
        return list(values), 0
    middle = len(values) // 2
    (left, left_count), (right, right_count) = _inversions(values[:middle]), _inversions(values[middle:])
    merged: list[float] = []
    count, i = left_count + right_count, 0
    for value in right:
        while i < len(left) and left[i] <= value:
            merged.append(left[i])
            i += 1
        count += len(left) - i
        merged.append(value)
    return merged + left[i:], count


def _exact_kendall(items: int, fewer: int) -> float:
    """Twice the share of permutations with so few inversions or fewer: Mahonian numbers."""
    counts = [1]
    for size in range(2, items + 1):
        longer, window = [], 0
        for inversions in range(min(len(counts) + size - 1, fewer + 1)):
            window += counts[inversions] if inversions < len(counts) else 0
            window -= counts[inversions - size] if inversions >= size else 0
            longer.append(window)
        counts = longer
    return min(1.0, 2 * sum(counts[: fewer + 1]) / math.factorial(items))


def _kendall_variance(items: int, ties_x: Sequence[int], ties_y: Sequence[int]) -> float:
    def total(sizes: Sequence[int], term: Callable[[int], int]) -> int:
        return sum(term(size) for size in sizes)

    def spread(size: int) -> int:
        return size * (size - 1) * (2 * size + 5)

    def triples(size: int) -> int:
        return size * (size - 1) * (size - 2)

    variance = (spread(items) - total(ties_x, spread) - total(ties_y, spread)) / 18
    if items > 1:
        variance += 2 * _pairs(ties_x) * _pairs(ties_y) / (items * (items - 1))
    if items > 2:
        variance += total(ties_x, triples) * total(ties_y, triples) / (9 * items * (items - 1) * (items - 2))
    return variance


_CORRELATIONS: dict[str, Callable[[Sequence[float], Sequence[float]], Correlation]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall,
}
