"""Statistics: values of other tools and of hand derivations, and what must hold of any numbers.

Values marked `oracle` were computed with scipy 1.17.1, statsmodels 0.15.0 and krippendorff 0.8 by the line above them,
after `import numpy as np, scipy.stats as st`.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.statistics.agreement import cohen_kappa, correlation, krippendorff_alpha, ranks
from scorers.statistics.base import Result, seeded
from scorers.statistics.bootstrap import bootstrap_macro, bootstrap_mean
from scorers.statistics.distributions import (
    binomial_lower,
    binomial_upper,
    draw_binomial,
    log_binomial_lower,
    normal_cdf,
    normal_quantile,
    regularized_beta,
    student_quantile,
    student_two_sided,
)
from scorers.statistics.intervals import mean_interval, wilson, wilson_ties
from scorers.statistics.multiplicity import holm
from scorers.statistics.paired import discordant, mcnemar, randomisation
from scorers.statistics.power import (
    detectable_against_chance,
    detectable_paired,
    detectable_unpaired,
    power_chance,
    power_paired,
    power_unpaired,
)

POINTS = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=60)


# Distributions


def test_normal() -> None:
    # oracle: st.norm.cdf([0, 1.96, -8]), st.norm.ppf(.975)
    assert [normal_cdf(z) for z in (0, 1.96, -8)] == pytest.approx([0.5, 0.9750021048517795, 6.220960574271785e-16])
    assert normal_quantile(0.975) == pytest.approx(1.959963984540054)
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal_quantile(1)


def test_student_and_beta() -> None:
    # oracle: [2 * st.t.sf(t, d) for t, d in ((1.5, 3), (.01, 10), (12, 40), (2.2, 1))]
    expected = [0.23058386524482294, 0.9922179749909714, 7.82417130425598e-15, 0.27159949756018376]
    found = [student_two_sided(t, d) for t, d in ((1.5, 3), (0.01, 10), (12, 40), (2.2, 1))]
    assert found == pytest.approx(expected, rel=1e-10)
    # oracle: [st.beta.cdf(x, a, b) for x, a, b in ((.2, 2, 3), (.9, .5, .5), (.999, 50, 2))]
    found = [regularized_beta(x, a, b) for x, a, b in ((0.2, 2, 3), (0.9, 0.5, 0.5), (0.999, 50, 2))]
    assert found == pytest.approx([0.1808, 0.7951672353008665, 0.9987659096068829], rel=1e-10)


def test_binomial_tails_are_exact_where_they_are_tiny() -> None:
    # By integers: P(X <= 100), X ~ Binomial(2000, 1/2), is about 1e-431, below what a float holds.
    exact = sum(math.comb(2000, k) for k in range(101))
    assert log_binomial_lower(100, 2000, 0.5) == pytest.approx(math.log(exact) - 2000 * math.log(2), rel=1e-13)


@given(st.integers(0, 40), st.integers(0, 40), st.fractions(0, 1, max_denominator=50))
def test_binomial_tails_equal_sums_of_fractions(k: int, n: int, p: Fraction) -> None:
    exact = sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(min(k, n) + 1))
    assert binomial_lower(k, n, float(p)) == pytest.approx(float(exact), rel=1e-9)
    assert binomial_upper(k + 1, n, float(p)) == pytest.approx(float(1 - exact), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("n", "p"), [(7, 0.5), (40, 0.1), (60, 0.45), (60, 0.8), (3000, 0.004)])
def test_binomial_draws_have_their_distribution(n: int, p: float) -> None:
    draws = 20_000
    generator = seeded(3, "draws")
    counts = Counter(draw_binomial(generator, n, p) for _ in range(draws))
    cells = [(counts[k], draws * (binomial_lower(k, n, p) - binomial_lower(k - 1, n, p))) for k in range(n + 1)]
    kept = [(found, expected) for found, expected in cells if expected >= 5]
    chi_square = sum((found - expected) ** 2 / expected for found, expected in kept)
    # The 0.9999 quantile of chi-square is below 2.6 n + 13 for these degrees of freedom.
    assert chi_square < 2.6 * len(kept) + 13
    assert sum(found for found, _ in kept) > 0.98 * draws


def test_binomial_draws_at_the_edges() -> None:
    generator = seeded(0)
    assert [draw_binomial(generator, 0, 0.5), draw_binomial(generator, 9, 0), draw_binomial(generator, 9, 1)] == [
        0,
        0,
        9,
    ]


# Wilson


# oracle: statsmodels.stats.proportion.proportion_confint(c, n, a, 'wilson')
@pytest.mark.parametrize(
    ("points", "items", "level", "low", "high"),
    [
        (7, 10, 0.95, 0.39677814746114537, 0.8922087325936989),
        (0, 20, 0.95, 0.0, 0.1611251580528194),
        (20, 20, 0.95, 0.8388748419471804, 1.0),
        (1234, 2000, 0.99, 0.5886576939518241, 0.644568589909147),
    ],
)
def test_wilson(points: int, items: int, level: float, low: float, high: float) -> None:
    found = wilson(points, items, level)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-13)
    assert found.estimate == points / items
    assert found.signature == f"statistic:wilson|level:{level}"


def test_wilson_of_nothing_and_of_what_cannot_be() -> None:
    nothing = wilson(0, 0)
    assert math.isnan(nothing.estimate)
    assert (nothing.low, nothing.high) == (0, 1)
    assert nothing.as_json()["estimate"] is None
    for points, items, ties in ((3, 2, 0), (-1, 2, 0), (0, 4, 1), (4, 4, 1)):
        with pytest.raises(ValueError, match="points out of"):
            wilson_ties(points, items, ties)
    with pytest.raises(ValueError, match="level"):
        wilson(1, 2, 1.0)


def test_wilson_with_ties_inverts_its_test() -> None:
    # At the limits the score statistic is z: (p' - p)^2 = z^2 / n (p' (1 - p') - t / 4).
    points, items, ties = 6.5, 12, 3
    found = wilson_ties(points, items, ties)
    for limit in (found.low, found.high):
        statistic = (limit - points / items) / math.sqrt((limit * (1 - limit) - ties / items / 4) / items)
        assert abs(statistic) == pytest.approx(1.959963984540054)
    assert wilson_ties(6, 12, 0).low == wilson(6, 12).low
    only_ties = wilson_ties(6, 12, 12)
    assert (only_ties.low, only_ties.high) == pytest.approx((0.5, 0.5))


@given(POINTS, st.floats(0.5, 0.999))
def test_wilson_holds_the_estimate_and_ties_narrow_it(points: list[float], level: float) -> None:
    wide = wilson(sum(points), len(points), level)
    narrow = wilson_ties(sum(points), len(points), points.count(0.5), level)
    assert 0 <= wide.low <= wide.estimate <= wide.high <= 1
    assert wide.low - 1e-12 <= narrow.low <= narrow.estimate <= narrow.high <= wide.high + 1e-12


@given(st.integers(0, 30), st.integers(1, 30), st.integers(2, 50))
def test_wilson_narrows_with_items(right: int, items: int, times: int) -> None:
    right = min(right, items)
    few, many = wilson(right, items), wilson(right * times, items * times)
    assert many.high - many.low < few.high - few.low


@given(st.integers(1, 40))
def test_wilson_grows_with_points_and_is_symmetric(items: int) -> None:
    found = [wilson(right, items) for right in range(items + 1)]
    assert all(a.low <= b.low and a.high <= b.high for a, b in itertools.pairwise(found))
    assert all(a.low == pytest.approx(1 - b.high) for a, b in zip(found, reversed(found), strict=True))


# Bootstrap

TIED = [0.0] * 6 + [0.5] * 3 + [1.0] * 21
SKEWED = [0.3, 2.9, 0.1, 0.8, 5.5, 0.4, 1.2, 0.2, 9.1, 0.6, 0.7, 1.9]
CLUSTERS = [(3, 4), (1, 2), (5, 5), (0, 3), (2, 2), (4, 6), (1, 1), (2, 5)]


# oracle: st.bootstrap((np.array(v),), np.mean, n_resamples=200000, method=m, rng=1)
@pytest.mark.parametrize(
    ("values", "method", "low", "high", "error"),
    [
        (TIED, "percentile", 0.6, 0.8833333333333333, 0.07372203811917115),
        (TIED, "bca", 0.5833333333333334, 0.8666666666666667, 0.07372203811917115),
        (SKEWED, "percentile", 0.7166666666666667, 3.6166666666666667, 0.7520784231661276),
        (SKEWED, "bca", 0.9083333333333333, 4.225, 0.7520784231661276),
    ],
)
def test_bootstrap_of_items(values: list[float], method: str, low: float, high: float, error: float) -> None:
    found = bootstrap_mean(values, method=method, resamples=20_000, seed=1)  # type: ignore[arg-type]
    assert found.low == pytest.approx(low, rel=0.03)
    assert found.high == pytest.approx(high, rel=0.03)
    assert found.standard_error == pytest.approx(error, rel=0.02)


# oracle: st.bootstrap((sums, sizes), lambda a, b, axis: a.sum(axis) / b.sum(axis), paired=True, n_resamples=200000,
#                      method=m, rng=1)
@pytest.mark.parametrize(
    ("method", "low", "high"),
    [("percentile", 0.41379310344827586, 0.8529411764705882), ("bca", 0.40625, 0.8461538461538461)],
)
def test_bootstrap_of_clusters(method: str, low: float, high: float) -> None:
    values = [value for right, size in CLUSTERS for value in [1.0] * right + [0.0] * (size - right)]
    keys = [key for key, (_, size) in enumerate(CLUSTERS) for _ in range(size)]
    found = bootstrap_mean(values, clusters=keys, cluster="lexeme", method=method, resamples=20_000)  # type: ignore[arg-type]
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.015)
    # oracle: the same object's standard_error
    assert found.standard_error == pytest.approx(0.11195610359277476, rel=0.03)
    assert found.estimate == 18 / 28
    assert (found.items, found.clusters) == (28, 8)
    assert found.signature.endswith("|resamples:20000|seed:0|cluster:lexeme")


def test_bootstrap_equals_the_exact_distribution() -> None:
    # Hand derivation: all 4^4 resamples of four values.
    values = [0.0, 1.0, 1.0, 5.0]
    exact = Counter(sum(drawn) / 4 for drawn in itertools.product(values, repeat=4))
    mean = sum(value * count for value, count in exact.items()) / 256
    error = math.sqrt(sum((value - mean) ** 2 * count for value, count in exact.items()) / 256)
    found = bootstrap_mean(values, resamples=40_000, method="percentile", level=0.8)
    assert found.standard_error == pytest.approx(error, rel=0.02)
    ordered = sorted(exact.elements())
    assert found.low == pytest.approx(ordered[25], abs=0.01)
    assert found.high == pytest.approx(ordered[230], abs=0.01)


@settings(deadline=None)
@given(POINTS, st.randoms(use_true_random=False), st.sampled_from(["bca", "percentile"]))
def test_bootstrap_does_not_depend_on_the_order_of_items(
    points: list[float], order: random.Random, method: str
) -> None:
    mixed = points[:]
    order.shuffle(mixed)
    first = bootstrap_mean(points, resamples=50, method=method)  # type: ignore[arg-type]
    assert first == bootstrap_mean(mixed, resamples=50, method=method)  # type: ignore[arg-type]
    assert min(points) <= first.low <= first.high <= max(points)


@settings(deadline=None)
@given(POINTS)
def test_bootstrap_of_singleton_clusters_is_that_of_items(points: list[float]) -> None:
    items = bootstrap_mean(points, resamples=50)
    clusters = bootstrap_mean(points, clusters=range(len(points)), resamples=50)
    assert (items.low, items.high, items.standard_error) == (clusters.low, clusters.high, clusters.standard_error)


def test_bootstrap_of_counts_is_that_of_items() -> None:
    # Two values a thousand times are drawn as counts; with tiny distinct parts item by item: one distribution.
    counted = bootstrap_mean([0.0, 1.0, 1.0, 1.0] * 50, resamples=4_000)
    one_by_one = bootstrap_mean([(i % 4 > 0) + i * 1e-12 for i in range(200)], resamples=4_000)
    assert counted.standard_error == pytest.approx(one_by_one.standard_error, rel=0.05)
    assert counted.standard_error == pytest.approx(math.sqrt(0.75 * 0.25 / 200), rel=0.05)
    assert (counted.low, counted.high) == pytest.approx((one_by_one.low, one_by_one.high), abs=0.01)


def test_bootstrap_of_whole_clusters_is_wider() -> None:
    points = [0.0] * 50 + [1.0] * 50
    alone = bootstrap_mean(points, resamples=2_000)
    together = bootstrap_mean(points, clusters=[i // 10 for i in range(100)], resamples=2_000)
    assert together.standard_error > 2 * alone.standard_error


def test_bootstrap_of_strata_has_the_mean_of_means() -> None:
    strata = {"few": [0.0, 1.0], "many": [1.0] * 30 + [0.0] * 10}
    found = bootstrap_macro(strata, resamples=20_000)
    assert found.estimate == pytest.approx((0.5 + 0.75) / 2)
    # Hand derivation: the variance of a resampled mean is p (1 - p) / n; a half of each mean adds a quarter of it.
    assert found.standard_error == pytest.approx(math.sqrt((0.25 / 2 + 0.1875 / 40) / 4), rel=0.02)
    assert (found.strata, found.items) == (2, 42)
    assert found == bootstrap_macro(dict(reversed(strata.items())), resamples=20_000)


def test_bootstrap_of_what_does_not_vary() -> None:
    found = bootstrap_mean([0.1] * 7, resamples=100)
    assert (found.low, found.high, found.standard_error) == pytest.approx((0.1, 0.1, 0))
    assert bootstrap_mean([3.0], resamples=10).high == 3


def test_bootstrap_seeds_and_refusals() -> None:
    assert bootstrap_mean(SKEWED, resamples=99, seed=1) == bootstrap_mean(SKEWED, resamples=99, seed=1)
    assert bootstrap_mean(SKEWED, resamples=99, seed=1).low != bootstrap_mean(SKEWED, resamples=99, seed=2).low
    for values in ([], [math.nan, 1.0], [math.inf]):
        with pytest.raises(ValueError, match="a bootstrap needs"):
            bootstrap_mean(values)
    with pytest.raises(ValueError, match="zip"):
        bootstrap_mean([1.0, 0.0], clusters=["a"])


def test_seeds_are_the_same_everywhere() -> None:
    # printf '7|a' | sha256sum | head -c 32; then random.Random(int(_, 16)).random()
    assert seeded(7, "a").random() == random.Random(int("8e3216a8b81a0adc66901f8b30531f60", 16)).random()


# Paired tests


# oracle: statsmodels.stats.contingency_tables.mcnemar([[0, b], [c, 0]], exact=True).pvalue
@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        (10, 25, 0.016673847800120715),
        (0, 6, 0.03125),
        (7, 7, 1.0),
        (120, 171, 0.0033087986331269033),
        (3000, 3200, 0.011488253770871584),
        (0, 0, 1.0),
    ],
)
def test_mcnemar(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second).p == pytest.approx(p, rel=1e-10)
    assert mcnemar(second, first).p == mcnemar(first, second).p


def test_mcnemar_mid_p() -> None:
    # oracle: 2 * st.binom.cdf(k, n, .5) - st.binom.pmf(k, n, .5), k = min(b, c), n = b + c
    cases = {(10, 25): 0.011330984183587134, (0, 6): 0.015624999999999879, (120, 171): 0.00277739359513802}
    assert [mcnemar(*case, mid_p=True).p for case in cases] == pytest.approx(list(cases.values()), rel=1e-10)
    # Hand derivation, b = c = 1: P(0 or 2) + P(1) / 2 = 1/2 + 1/4.
    assert mcnemar(1, 1, mid_p=True).p == pytest.approx(0.75)
    # Hand derivation, b = c: both tails and the middle's half, 1 - P(X = b) / 2, b = 2: 1 - 6/16/2.
    assert mcnemar(2, 2, mid_p=True).p == pytest.approx(1 - 6 / 16 / 2)
    assert mcnemar(0, 0, mid_p=True).p == 1
    with pytest.raises(ValueError, match="counts"):
        mcnemar(-1, 2)


def test_discordant() -> None:
    assert discordant([1, 0.5, 0, 1], [0, 0, 1, 1]) == (2, 1)


# oracle: st.permutation_test((np.array(d),), np.sum, permutation_type='samples', n_resamples=np.inf).pvalue
@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0.5, 1, -0.5, 1, 1, 0, 0.5, -1, 1, 1, 0.5], 0.087890625),
        ([0.31, -0.12, 0.77, 0.45, -0.2, 0.05, 0.91, 0.33], 0.0625),
    ],
)
def test_exact_randomisation(differences: list[float], p: float) -> None:
    found = randomisation(differences)
    assert found.p == pytest.approx(p, rel=1e-12)
    assert found.signature == "statistic:randomisation-exact|resamples:0"
    assert found.difference == pytest.approx(sum(differences) / len(differences))


@settings(deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), max_size=9), st.randoms(use_true_random=False))
def test_exact_randomisation_equals_all_sign_choices(differences: list[float], order: random.Random) -> None:
    sums = [
        abs(sum(map(float.__mul__, differences, signs)))
        for signs in itertools.product((-1.0, 1.0), repeat=len(differences))
    ]
    expected = sum(total >= abs(sum(differences)) for total in sums) / len(sums)
    assert randomisation(differences).p == pytest.approx(expected)
    mixed = differences[:]
    order.shuffle(mixed)
    assert randomisation(mixed) == randomisation(differences)


@given(st.integers(0, 300), st.integers(0, 300))
def test_randomisation_of_right_and_wrong_is_mcnemar(first: int, second: int) -> None:
    found = randomisation([1.0] * first + [-1.0] * second + [0.0] * 5)
    assert found.p == pytest.approx(mcnemar(first, second).p, rel=1e-9)
    assert (found.items, found.discordant) == (first + second + 5, first + second)


@pytest.mark.parametrize("step", [0.0, 1e-7])
def test_simulated_randomisation(step: float) -> None:
    # Many sizes, so that it is simulated: by tables of signs (all sizes differ) or by counts (a few sizes).
    sizes = [1 + (i * step if step else math.sqrt(i % 40)) for i in range(1600)]
    differences = [size if i % 40 < 21 else -size for i, size in enumerate(sizes)]
    found = randomisation(differences, resamples=20_000, seed=5)
    assert found.resamples == 20_000
    # Hand derivation: the sum is about normal with the variance of the squares.
    z = abs(sum(differences)) / math.sqrt(sum(size**2 for size in sizes))
    assert found.p == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.02)


def test_simulated_randomisation_is_never_zero_and_is_seeded() -> None:
    differences = [1 + math.sqrt(i) for i in range(60)]
    found = randomisation(differences, resamples=99, seed=4)
    assert found.p == 1 / 100
    assert found.signature == "statistic:randomisation|resamples:99|seed:4"
    noisy = [math.sin(i) for i in range(60)]
    assert randomisation(noisy, seed=1) == randomisation(noisy[::-1], seed=1)
    assert randomisation(noisy, seed=1).p != randomisation(noisy, seed=2).p


def test_randomisation_of_clusters() -> None:
    # Two clusters of equal sign: of four sign choices two are as far from zero.
    found = randomisation([1, 1, 1, 1], clusters=["a", "a", "b", "b"], cluster="lexeme")
    assert found.p == 0.5
    assert found.signature.endswith("cluster:lexeme")
    assert randomisation([1, 1, 1, 1]).p == 0.125
    with pytest.raises(ValueError, match="finite"):
        randomisation([math.nan])


def test_randomisation_of_nothing() -> None:
    assert randomisation([]).p == 1
    assert randomisation([0.0, 0.0]).p == 1


# Holm


def test_holm() -> None:
    # oracle: statsmodels.stats.multitest.multipletests([.01, .04, .03, .005, .9], method='holm')[1]
    found = holm(dict(zip("abcde", [0.01, 0.04, 0.03, 0.005, 0.9], strict=True)))
    assert [test.adjusted_p for test in found] == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.9])
    assert [test.is_significant for test in found] == [True, False, False, True, False]
    assert found[0].signature == "statistic:holm|tests:5|alpha:0.05"
    assert holm({}) == ()
    with pytest.raises(ValueError, match="p-value of 'x'"):
        holm({"x": 1.2})


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=8))
def test_holm_keeps_the_order_and_never_helps(p_values: dict[str, float]) -> None:
    found = holm(p_values)
    assert [test.name for test in found] == list(p_values)
    ordered = sorted(found, key=lambda test: test.p)
    assert all(a.adjusted_p <= b.adjusted_p for a, b in itertools.pairwise(ordered))
    assert all(test.p <= test.adjusted_p <= min(1, test.p * len(found)) for test in found)


# Agreement


def _raters(table: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in cells], [j for _, j in cells]


# oracle: r = statsmodels.stats.inter_rater.cohens_kappa(np.array(table)); r.kappa, r.std_kappa
@pytest.mark.parametrize(
    ("table", "kappa", "error"),
    [
        ([[35, 10], [15, 40]], 0.5, 0.08616843969807042),
        ([[20, 5, 2], [3, 18, 4], [1, 6, 11]], 0.5436199937907481, 0.0827300060609923),
    ],
)
def test_kappa(table: list[list[int]], kappa: float, error: float) -> None:
    found = cohen_kappa(*_raters(table))
    assert (found.kappa, found.standard_error) == pytest.approx((kappa, error))
    assert found.low == pytest.approx(kappa - 1.959963984540054 * error)


def test_kappa_at_the_edges() -> None:
    assert cohen_kappa("abab", "abab").kappa == 1
    assert cohen_kappa("abab", "baba").kappa == -1
    assert math.isnan(cohen_kappa("aaa", "aaa").kappa)
    assert cohen_kappa("aaa", "bbb").kappa == 0
    with pytest.raises(ValueError, match="items"):
        cohen_kappa("", "")


def test_alpha() -> None:
    # The example of Krippendorff 2011, section C (four raters, twelve units): alpha 0.743.
    # oracle: krippendorff.alpha(rows with np.nan for '.', level_of_measurement='nominal')
    raters = ["123321412...", "1233224125.3", ".3332342251.", "1233244125 1."[:9] + "51."]
    assert [len(rater) for rater in raters] == [12] * 4
    units = [[None if label == "." else label for label in unit] for unit in zip(*raters, strict=True)]
    found = krippendorff_alpha(units)
    assert found.alpha == pytest.approx(0.743421052631579)
    assert (found.units, found.values) == (11, 40)
    assert math.isnan(krippendorff_alpha([["a", "a"], ["a", None]]).alpha)


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=8))
def test_alpha_equals_its_coincidences(units: list[list[str]]) -> None:
    # Definition: disagreements among ordered pairs within units, each weighted 1 / (number - 1).
    kept = [unit for unit in units if len(unit) > 1]
    everything = [label for unit in kept for label in unit]
    total = len(everything)
    observed = sum((a != b) / (len(unit) - 1) for unit in kept for a, b in itertools.permutations(unit, 2))
    expected = sum(a != b for a, b in itertools.permutations(everything, 2))
    found = krippendorff_alpha(units).alpha
    if not expected:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(1 - observed * (total - 1) / expected)


X = [0.61, 0.72, 0.55, 0.94, 0.83, 0.77, 0.99, 0.52, 0.68]
Y = [0.7, 0.69, 0.51, 0.9, 0.97, 0.8, 0.95, 0.66, 0.6]
TIED_X = [1.0, 2, 2, 3, 4, 4, 4, 5, 6, 7]
TIED_Y = [2.0, 1, 3, 3, 3, 5, 4, 4, 6, 6]


# oracle: st.pearsonr(x, y), st.spearmanr(x, y), st.kendalltau(x, y)
@pytest.mark.parametrize(
    ("x", "y", "kind", "coefficient", "p"),
    [
        (X, Y, "pearson", 0.865622713951021, 0.0025617216251215486),
        (X, Y, "spearman", 0.8333333333333333, 0.005265691029161747),
        (X, Y, "kendall", 0.6666666666666666, 0.012665343915343916),
        (TIED_X, TIED_Y, "pearson", 0.8841740485311776, 0.0006831624005724375),
        (TIED_X, TIED_Y, "spearman", 0.8965561293537404, 0.0004414091564298569),
        (TIED_X, TIED_Y, "kendall", 0.7901836773196717, 0.002859019341255607),
    ],
)
def test_correlation(x: list[float], y: list[float], kind: str, coefficient: float, p: float) -> None:
    found = correlation(x, y, kind)  # type: ignore[arg-type]
    assert (found.coefficient, found.p) == pytest.approx((coefficient, p))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_tau_equals_its_definition(pairs: list[tuple[int, int]]) -> None:
    def sign(value: int) -> int:
        return (value > 0) - (value < 0)

    couples = list(itertools.combinations(pairs, 2))
    products = sum(sign(a[0] - b[0]) * sign(a[1] - b[1]) for a, b in couples)
    scale = math.prod(sum(a[side] != b[side] for a, b in couples) for side in (0, 1))
    found = correlation([float(x) for x, _ in pairs], [float(y) for _, y in pairs], "kendall").coefficient
    if scale:
        assert found == pytest.approx(products / math.sqrt(scale))
    else:
        assert math.isnan(found)


@given(st.permutations(range(6)))
def test_kendalls_p_is_a_share_of_permutations(order: list[int]) -> None:
    def inversions(values: Sequence[int]) -> int:
        return sum(a > b for a, b in itertools.combinations(values, 2))

    fewer = min(inversions(order), 15 - inversions(order))
    expected = min(1.0, 2 * sum(inversions(other) <= fewer for other in itertools.permutations(range(6))) / 720)
    assert correlation(range(6), order, "kendall").p == pytest.approx(expected)


def test_correlation_at_the_edges() -> None:
    assert correlation([1, 2, 3], [2, 4, 6]).coefficient == 1
    assert correlation([1, 2, 3], [2, 4, 6]).p == 0
    assert math.isnan(correlation([1, 1, 1], [1, 2, 3]).coefficient)
    assert ranks([3, 1, 3]) == [2.5, 1, 2.5]
    with pytest.raises(ValueError, match="finite"):
        correlation([1, math.inf], [1, 2])
    with pytest.raises(ValueError, match="correlated"):
        correlation([1], [1, 2])


# Power


def test_detectable_differences() -> None:
    # Sample sizes of the textbook formulas, computed the other way round with st.norm.ppf:
    # ((z(.975) sqrt(.25) + z(.8) sqrt(.6 .4)) / .1)^2 = 193.85
    assert detectable_against_chance(194).difference == pytest.approx(0.1, abs=1e-4)
    # ((z(.975) sqrt(.12) + z(.8) sqrt(.12 - .03^2)) / .03)^2 = 1044.16
    assert detectable_paired(1044, 0.12).difference == pytest.approx(0.03, abs=1e-5)
    # oracle: statsmodels.stats.proportion.samplesize_proportions_2indep_onetail(-.05, .8, .8, alpha=.05,
    #         alternative='two-sided') = 1093.74
    assert detectable_unpaired(1094, 0.8).difference == pytest.approx(0.05, abs=1e-4)


def test_power_lines() -> None:
    line = "with 1,044 items a difference of 3.0 points would be seen with 80% (two-sided test at 5%, "
    assert detectable_paired(1044, 0.12).line == line + "the same items, 12.0% of them right in one model only)"
    few = detectable_against_chance(3)
    assert few.difference is None
    assert few.line.startswith("with 3 items no difference would be seen with 80%")
    assert few.as_json()["line"] == few.line
    assert few.signature == "statistic:power-chance|level:0.95|power:0.8|given:0.5"
    with pytest.raises(ValueError, match="discordant"):
        power_paired(100, 0.2, 0.1)


@pytest.mark.parametrize("design", ["chance", "paired", "unpaired"])
def test_power_is_what_simulated_experiments_find(design: str) -> None:
    generator, found, trials = seeded(1, design), 0, 3_000
    z = 1.959963984540054
    for _ in range(trials):
        if design == "chance":
            right = draw_binomial(generator, 194, 0.6)
            found += abs(right - 97) > z * math.sqrt(194 * 0.25)
        elif design == "paired":
            first = draw_binomial(generator, 1044, 0.075)
            second = draw_binomial(generator, 1044 - first, 0.045 / 0.925)
            found += abs(first - second) > z * math.sqrt(first + second)
        else:
            first, second = draw_binomial(generator, 1094, 0.8), draw_binomial(generator, 1094, 0.75)
            mean = (first + second) / 2188
            found += abs(first - second) / 1094 > z * math.sqrt(2 * mean * (1 - mean) / 1094)
    assert found / trials == pytest.approx(0.8, abs=0.03)


@given(st.integers(5, 5000), st.floats(0.05, 0.9))
def test_power_grows_with_items(items: int, share: float) -> None:
    for of in (
        lambda n: detectable_paired(n, share),
        lambda n: detectable_unpaired(n, share),
        lambda n: detectable_against_chance(n, share),
    ):
        few, many = of(items).difference, of(2 * items).difference
        assert few is None or (many is not None and many < few)
    assert power_chance(items, share + 0.05, share) <= power_chance(2 * items, share + 0.05, share)
    assert power_unpaired(items, share, share) <= 0.5


# Results


@pytest.mark.parametrize(
    "result",
    [
        wilson(0, 0),
        bootstrap_mean([0, 1], resamples=10),
        mcnemar(1, 2),
        randomisation([1, -1]),
        holm({"a": 0.1})[0],
        cohen_kappa("aa", "aa"),
        krippendorff_alpha([]),
        correlation([1, 2], [2, 1]),
        detectable_paired(10, 0.2),
    ],
    ids=lambda result: type(result).__name__,
)
def test_results_are_json_with_a_signature(result: Result) -> None:
    record = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert record["signature"] == result.signature
    assert record["statistic"] in result.signature


# Means

# oracle: [float(st.t.ppf(p, d)) for p, d in ...]
T_QUANTILES = {
    (0.975, 1): 12.706204736174694,
    (0.975, 30): 2.0422724563012378,
    (0.995, 4): 4.604094871349992,
    (0.6, 2.5): 0.2814595127485477,
    (0.01, 7): -2.9979515668685286,
    (0.9999, 3): 22.203742273205,
    (0.5, 6): 0.0,
}


@pytest.mark.parametrize(("at", "expected"), T_QUANTILES.items())
def test_quantiles_of_student(at: tuple[float, float], expected: float) -> None:
    assert student_quantile(*at) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_a_mean_and_its_interval() -> None:
    # oracle: x = [3.1, 4.7, 2.2, 9.8, 5.5, 4.4]; st.t.interval(0.95, 5, loc=np.mean(x), scale=st.sem(x)); st.sem(x)
    values = [3.1, 4.7, 2.2, 9.8, 5.5, 4.4]
    found = mean_interval(values)
    assert (found.low, found.high) == pytest.approx((2.166521570648122, 7.733478429351878))
    assert (found.mean, found.standard_error) == pytest.approx((4.95, 1.082820391385386))
    wide = mean_interval(values, 0.99)
    assert (wide.low, wide.high) == pytest.approx((0.5839133564248904, 9.31608664357511))
    assert found.signature == "statistic:student|level:0.95"
    assert mean_interval([2.0]).as_json()["low"] is None
    for wrong in ([], [1.0, math.inf]):
        with pytest.raises(ValueError, match="finite"):
            mean_interval(wrong)
