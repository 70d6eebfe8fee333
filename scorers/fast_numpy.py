"""The pairs of a block counted with numpy (the extra `fast`): separators are found, and digits read, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scorers.fast_pairs import Counts

_MOST_DIGITS = 15
"""Digits of a number that is read here: below 2**53 a whole number, divided by a power of ten up to 10**22, is the
nearest double, as float() has it."""

_TENS = 10.0 ** np.arange(_MOST_DIGITS + 1)


def count_block(block: bytes, counts: Counts) -> None:
    """Count a block of whole lines; raises ValueError at whatever is unusual."""
    codes = np.frombuffer(block, np.uint8)
    breaks = np.flatnonzero(codes <= 32)
    kinds = codes[breaks]
    at = np.flatnonzero(kinds == 10)
    if len(at) + np.count_nonzero(kinds == 32) != len(breaks):
        raise ValueError("white space of another kind")
    ends = breaks[at]
    starts = breaks[at - 1] + 1
    words = np.diff(at, prepend=-1) - 1  # of the sentence: breaks before the one in front of the number, and one more
    if (np.diff(breaks) == 1).any() or codes[0] <= 32 or (words < 1).any():
        raise ValueError("an empty line, two spaces, or no sentence")
    values = read_numbers(codes, starts, ends)
    bad, good = values[0::2], values[1::2]
    wins, ties = bad > good, bad == good
    unequal = words[0::2] != words[1::2]
    counts.pairs += len(bad)
    counts.wins += int(np.count_nonzero(wins))
    counts.ties += int(np.count_nonzero(ties))
    counts.unequal += int(np.count_nonzero(unequal))
    counts.unequal_wins += int(np.count_nonzero(wins & unequal))
    counts.unequal_ties += int(np.count_nonzero(ties & unequal))


def read_numbers(codes: Any, starts: Any, ends: Any) -> Any:
    """The decimal numbers at these places as doubles, each as float() reads it.  Raises ValueError."""
    sizes = ends - starts
    longest = int(sizes.max())
    if longest > _MOST_DIGITS:
        return _read_slowly(codes, starts, ends)
    padded = np.concatenate([codes, np.zeros(longest, np.uint8)])
    whole = np.zeros(len(starts), np.int64)
    places = np.zeros(len(starts), np.int64)
    has_point = np.zeros(len(starts), bool)
    first = codes[starts]
    is_minus = first == 45
    for column in range(longest):
        code = padded[starts + column]
        is_inside = sizes > column
        digit = code - np.uint8(48)
        is_digit = (digit < 10) & is_inside
        is_point = (code == 46) & is_inside
        odd = is_inside & ~is_digit & ~is_point
        if odd.any() and not (column == 0 and (odd == is_minus).all()):
            return _read_slowly(codes, starts, ends)
        if (is_point & has_point).any():
            return _read_slowly(codes, starts, ends)
        whole = np.where(is_digit, whole * 10 + digit, whole)
        places += is_digit & has_point
        has_point |= is_point
    if (sizes - has_point - is_minus < 1).any():
        return _read_slowly(codes, starts, ends)
    values = whole / _TENS[places]
    return np.where(is_minus, -values, values)


def _read_slowly(codes: Any, starts: Any, ends: Any) -> Any:
    """Numbers with exponents or many digits."""
    data = codes.tobytes()
    pieces = [data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    if any(b"_" in piece for piece in pieces):
        raise ValueError("float() would read 1_0")
    values = np.array([float(piece) for piece in pieces])
    if not np.isfinite(values).all():
        raise ValueError("a number is not finite")
    return values
