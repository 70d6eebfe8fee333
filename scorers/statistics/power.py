"""Power: which difference a number of items would show, planned or at hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scorers.statistics.base import DEFAULT_LEVEL, Result, require_level
from scorers.statistics.distributions import normal_cdf, normal_quantile, two_sided_z

DEFAULT_POWER = 0.8


@dataclass(frozen=True)
class Detectable(Result):
    """The smallest difference (0 to 1) that a two-sided test would find with probability `power`.

    None where even the largest one that can be would be missed.  `given` is what it was computed from: the chance
    level, the share of discordant items, or the accuracy of the first model.
    """

    settings = ("statistic", "level", "power", "given")

    difference: float | None
    items: int
    given: float
    power: float = DEFAULT_POWER
    level: float = DEFAULT_LEVEL
    statistic: str = "power-paired"

    @property
    def line(self) -> str:
        """The power as a sentence for a report."""
        asked = _ASKED[self.statistic].format(given=100 * self.given)
        test = f"two-sided test at {100 * (1 - self.level):g}%, {asked}"
        items = f"{self.items:,} item{'' if self.items == 1 else 's'}"
        if self.difference is None:
            return f"with {items} no difference would be seen with {100 * self.power:g}% ({test})"
        seen = f"a difference of {100 * self.difference:.1f} points would be seen with {100 * self.power:g}%"
        return f"with {items} {seen} ({test})"

    def as_json(self) -> dict[str, object]:
        """The result as a JSON object."""
        return super().as_json() | {"line": self.line}


_ASKED = {
    "power-chance": "against a chance level of {given:g}%",
    "power-paired": "the same items, {given:.1f}% of them right in one model only",
    "power-unpaired": "as many other items for the second model, the first at {given:.1f}%",
}


def power_chance(items: int, accuracy: float, chance: float = 0.5, level: float = DEFAULT_LEVEL) -> float:
    """The power to tell an accuracy from chance: Phi((|p - p0| sqrt(n) - z sqrt(p0 q0)) / sqrt(p q)).

    One proportion against a fixed one, normal approximation (Fleiss, Levin and Paik 2003, 'Statistical methods for
    rates and proportions', section 2.5, without continuity correction).
    """
    return _power(items, abs(accuracy - chance), chance * (1 - chance), accuracy * (1 - accuracy), level)


def power_paired(items: int, difference: float, discordant: float, level: float = DEFAULT_LEVEL) -> float:
    """The power of McNemar's test: Phi((|d| sqrt(n) - z sqrt(psi)) / sqrt(psi - d^2)).

    `discordant` is psi, the share of items that just one model gets right; the difference d of two accuracies cannot
    be more (Miettinen 1968, Biometrics 24: 339-352; Connor 1987, Biometrics 43: 207-211).
    """
    if abs(difference) > discordant:
        raise ValueError(f"a difference of {difference} with {discordant} discordant items")
    return _power(items, abs(difference), discordant, discordant - difference**2, level)


def power_unpaired(items: int, first: float, second: float, level: float = DEFAULT_LEVEL) -> float:
    """The power to tell two accuracies on different items, `items` for each model.

    Phi((|p1 - p2| sqrt(n) - z sqrt(2 m (1 - m))) / sqrt(p1 q1 + p2 q2)), m the mean of both (Fleiss, Levin and Paik
    2003, section 4.2, without continuity correction).
    """
    mean = (first + second) / 2
    return _power(items, abs(first - second), 2 * mean * (1 - mean), first * (1 - first) + second * (1 - second), level)


def detectable_against_chance(
    items: int, chance: float = 0.5, power: float = DEFAULT_POWER, level: float = DEFAULT_LEVEL
) -> Detectable:
    """The accuracy above chance that so many items would show, as its difference from chance."""
    found = _least(lambda d: power_chance(items, chance + d, chance, level), 1 - chance, power, level)
    return Detectable(found, items, chance, power, level, "power-chance")


def detectable_paired(
    items: int, discordant: float, power: float = DEFAULT_POWER, level: float = DEFAULT_LEVEL
) -> Detectable:
    """The difference of two models on the same items that so many items would show."""
    found = _least(lambda d: power_paired(items, d, discordant, level), discordant, power, level)
    return Detectable(found, items, discordant, power, level, "power-paired")


def detectable_unpaired(
    items: int, first: float, power: float = DEFAULT_POWER, level: float = DEFAULT_LEVEL
) -> Detectable:
    """The difference of two models on different items, the first at accuracy `first`, that so many items would show.

    The difference is taken towards a half, where there is room and the test is least powerful.
    """
    sign = 1 if first <= 0.5 else -1
    most = 1 - first if sign > 0 else first
    found = _least(lambda d: power_unpaired(items, first, first + sign * d, level), most, power, level)
    return Detectable(found, items, first, power, level, "power-unpaired")


def _power(items: int, difference: float, null_variance: float, variance: float, level: float) -> float:
    require_level(level)
    reach = difference * math.sqrt(items) - two_sided_z(level) * math.sqrt(max(0.0, null_variance))
    spread = math.sqrt(max(0.0, variance))
    if spread < 1e-12:
        return float(reach > 0)
    return normal_cdf(reach / spread)


def _least(power_of: Callable[[float], float], most: float, power: float, level: float) -> float | None:
    """The least difference up to `most` with this power: the power grows with the difference."""
    require_level(level)
    normal_quantile(power)
    if most <= 0 or power_of(most) < power:
        return None
    low, high = 0.0, most
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high
