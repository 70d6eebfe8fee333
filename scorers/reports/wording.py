"""How numbers are written where people read them: percentages with one decimal, intervals as [low, high]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

NOTHING = "–"
"""What stands where a number is not known."""

_WORDS_SHOWN = 5


def percent(share: float | None) -> str:
    """A share as a percentage with one decimal, without its sign: 0.8345 is '83.5'."""
    return NOTHING if share is None else str(_percentage(share))


def _percentage(share: float) -> Decimal:
    """A share in per cent with one decimal, halves rounded up: 0.8845 is 88.5, whose binary neighbour is below it."""
    return (Decimal(repr(share)) * 100).quantize(Decimal("0.1"), ROUND_HALF_UP)


def interval(low: float | None, high: float | None) -> str:
    """An interval of shares in per cent: '[80.1, 86.3]'; '' where there is none."""
    return "" if low is None or high is None else f"[{percent(low)}, {percent(high)}]"


def points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign (a true minus sign)."""
    return f"{_percentage(difference):+}".replace("-", "−")


def points_interval(low: float | None, high: float | None) -> str:
    """An interval of differences in percentage points."""
    return "" if low is None or high is None else f"[{points(low)}, {points(high)}]"


def p_value(p: float | None) -> str:
    """A p-value with three decimals; below 0.001 only that it is."""
    if p is None:
        return NOTHING
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0") if p < 0.9995 else "1.000"


def count(number: float) -> str:
    """A count with commas between thousands; half a point is shown where there is one."""
    return f"{number:,.1f}" if not float(number).is_integer() else f"{int(number):,}"


def compact(number: int) -> str:
    """A round number in few signs, for an axis: 500, 2k, 1.5M."""
    for size, sign in ((10**9, "B"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.4g}{sign}"
    return str(number)


def figure(value: float | None, digits: int = 3) -> str:
    """Any other number, to `digits` decimals."""
    return NOTHING if value is None else f"{value:.{digits}f}".replace("-", "−")


def figure_interval(low: float | None, high: float | None) -> str:
    """An interval of such numbers: '[0.412, 0.537]'; '' where there is none."""
    return "" if low is None or high is None else f"[{figure(low)}, {figure(high)}]"


def words(counted: Sequence[tuple[str, int]], shown: int = _WORDS_SHOWN) -> str:
    """The commonest words with how often they came: 'dog 12, cat 3, ... 5 more'."""
    listed = [f"{word or '(nothing)'} {count(times)}" for word, times in counted[:shown]]
    if len(counted) > shown:
        listed.append(f"... {count(len(counted) - shown)} more")
    return ", ".join(listed)


def finite(value: float | None) -> float | None:
    """The number, or None where it is infinite or no number, which JSON cannot hold."""
    return value if value is not None and math.isfinite(value) else None
