"""Distributions: normal, Student's t, binomial; tails that stay exact where they are tiny."""

from __future__ import annotations

import math
import random
from statistics import NormalDist

_NORMAL = NormalDist()


def normal_cdf(z: float) -> float:
    """P(Z <= z) of the standard normal distribution; relatively exact in the lower tail too."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def normal_quantile(probability: float) -> float:
    """The z with P(Z <= z) = probability.  ValueError outside (0, 1)."""
    if not 0 < probability < 1:
        raise ValueError(f"a quantile's probability is between 0 and 1, not {probability}")
    return _NORMAL.inv_cdf(probability)


def two_sided_z(level: float) -> float:
    """The z that leaves (1 - level) / 2 on either side: 1.96 for 0.95."""
    return normal_quantile(0.5 + level / 2)


def two_sided_normal(z: float) -> float:
    """P(|Z| >= |z|)."""
    return math.erfc(abs(z) / math.sqrt(2))


def log_choose(n: int, k: int) -> float:
    """The natural logarithm of the binomial coefficient, to about 1e-16 of log n!."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def log_binomial(k: int, n: int, probability: float) -> float:
    """The natural logarithm of P(X = k), X ~ Binomial(n, probability); minus infinity for what cannot be."""
    if not 0 <= k <= n:
        return -math.inf
    if probability in (0.0, 1.0):
        return 0.0 if k == n * probability else -math.inf
    return log_choose(n, k) + k * math.log(probability) + (n - k) * math.log1p(-probability)


def log_binomial_lower(k: int, n: int, probability: float) -> float:
    """The natural logarithm of P(X <= k), X ~ Binomial(n, probability).

    Terms are added from the largest on, relative to it, so that a tail of 1e-400 is as exact as one of 0.1.
    """
    if k < 0:
        return -math.inf
    if k >= n or probability == 0:
        return 0.0
    if probability == 1:
        return -math.inf
    mode = min(k, math.floor((n + 1) * probability))
    odds = probability / (1 - probability)
    total = term = 1.0
    for i in range(mode, 0, -1):
        term *= i / ((n - i + 1) * odds)
        total += term
        if term < 1e-18 * total:
            break
    term = 1.0
    for i in range(mode, k):
        term *= (n - i) * odds / (i + 1)
        total += term
        if term < 1e-18 * total:
            break
    return min(0.0, log_binomial(mode, n, probability) + math.log(total))


def binomial_lower(k: int, n: int, probability: float) -> float:
    """P(X <= k), X ~ Binomial(n, probability)."""
    return math.exp(log_binomial_lower(k, n, probability))


def binomial_upper(k: int, n: int, probability: float) -> float:
    """P(X >= k), X ~ Binomial(n, probability)."""
    return math.exp(log_binomial_lower(n - k, n, 1 - probability))


def draw_binomial(generator: random.Random, n: int, probability: float) -> int:
    """One draw from Binomial(n, probability): by inversion where few are expected, else by rejection."""
    if probability > 0.5:
        return n - draw_binomial(generator, n, 1 - probability)
    if n == 0 or probability <= 0:
        return 0
    return (_draw_few if n * probability < 10 else _draw_many)(generator, n, probability)


def _draw_few(generator: random.Random, n: int, probability: float) -> int:
    """By inversion: probabilities are taken off a random number until nothing of it is left."""
    odds = probability / (1 - probability)
    term = math.exp(n * math.log1p(-probability))
    left = generator.random() - term
    drawn = 0
    while left > 0 and drawn < n and term > 0:
        term *= (n - drawn) * odds / (drawn + 1)
        drawn += 1
        left -= term
    return drawn


def _draw_many(generator: random.Random, n: int, probability: float) -> int:
    """By transformed rejection: BTRS of Hörmann 1993, Journal of Statistical Computation and Simulation 46."""
    uniform = generator.random
    spread = math.sqrt(n * probability * (1 - probability))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * probability
    alpha = (2.83 + 5.1 / b) * spread
    box = 0.92 - 4.2 / b
    mode = math.floor((n + 1) * probability)
    log_odds = math.log(probability / (1 - probability))
    top = math.lgamma(mode + 1) + math.lgamma(n - mode + 1)
    while True:
        u = uniform() - 0.5
        v = 1 - uniform()
        edge = 0.5 - abs(u)
        if edge <= 0:
            continue
        drawn = math.floor((2 * a / edge + b) * u + n * probability + 0.5)
        if not 0 <= drawn <= n:
            continue
        if edge >= 0.07 and v <= box:
            return drawn
        v *= alpha / (a / edge**2 + b)
        if math.log(v) <= top - math.lgamma(drawn + 1) - math.lgamma(n - drawn + 1) + (drawn - mode) * log_odds:
            return drawn


def student_two_sided(t: float, degrees: float) -> float:
    """P(|T| >= |t|) of Student's distribution with so many degrees of freedom."""
    if math.isinf(t):
        return 0.0
    return regularized_beta(degrees / (degrees + t * t), degrees / 2, 0.5)


def student_quantile(probability: float, degrees: float) -> float:
    """The t with P(T <= t) = probability, by bisection to the last digits.  ValueError outside (0, 1)."""
    if not 0 < probability < 1:
        raise ValueError(f"a quantile's probability is between 0 and 1, not {probability}")
    if probability < 0.5:
        return -student_quantile(1 - probability, degrees)
    outside = 2 * (1 - probability)
    low, high = 0.0, 1.0
    while student_two_sided(high, degrees) > outside:
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if student_two_sided(middle, degrees) > outside else (low, middle)
    return high if outside < 1 else 0.0


def regularized_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction.

    DLMF 8.17.22 (https://dlmf.nist.gov/8.17), evaluated by the modified method of Lentz.
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - regularized_beta(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) * _beta_fraction(x, a, b) / a


def _beta_fraction(x: float, a: float, b: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1), tiny)
    fraction = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for factor in (even, odd):
            d = 1 / _nonzero(1 + factor * d, tiny)
            c = _nonzero(1 + factor / c, tiny)
            change = c * d
            fraction *= change
        if abs(change - 1) < 1e-15:
            break
    return fraction


def _nonzero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
