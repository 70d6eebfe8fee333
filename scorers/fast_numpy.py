"""The pairs of a block counted with numpy (the extra `fast`): line ends are found, and digits read, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scorers.fast_pairs import Counts

_MOST_DIGITS = 15
"""Digits of a number that is read here: below 2**53 a whole number, divided by a power of ten up to 10**22, is the
nearest double, as float() has it."""


def count_block(block: bytes, counts: Counts, sentences: bytes | None = None) -> None:
    """Count a block of whole lines; raises ValueError at whatever is unusual."""
    codes = np.frombuffer(block, np.uint8)
    is_break = codes <= 32
    is_end = codes == 10
    ends = np.flatnonzero(is_end)
    if is_break[0] or (is_break[1:] & is_break[:-1]).any() or np.count_nonzero(codes < 32) != len(ends):
        raise ValueError("white space that is no single space")
    starts = np.empty_like(ends)
    starts[0], starts[1:] = 0, ends[:-1] + 1
    # White space of each line: as many words, the number among them.  In lines of less than 256 bytes a byte holds it.
    is_short = int((ends - starts).max()) < 255
    words = np.add.reduceat(is_break.view(np.uint8), starts, dtype=np.uint8 if is_short else np.int32)
    if (words < 2).any():
        raise ValueError("a line without a sentence")
    values, sizes = read_numbers(codes, ends)
    if sentences is not None and _heads(codes, ends, sizes) != sentences.removesuffix(b"\n"):
        raise ValueError("other sentences")
    bad, good = values[0::2], values[1::2]
    wins, ties = bad > good, bad == good
    unequal = words[0::2] != words[1::2]
    counts.pairs += len(bad)
    counts.wins += int(np.count_nonzero(wins))
    counts.ties += int(np.count_nonzero(ties))
    counts.unequal += int(np.count_nonzero(unequal))
    counts.unequal_wins += int(np.count_nonzero(wins & unequal))
    counts.unequal_ties += int(np.count_nonzero(ties & unequal))


def read_numbers(codes: Any, ends: Any) -> tuple[Any, Any]:
    """The decimal numbers in front of line ends as doubles, each as float() reads it; and their lengths.

    Raises ValueError where something else stands there.
    """
    values = np.empty(len(ends))
    sizes = np.zeros(len(ends), np.int64)
    left = np.arange(len(ends))
    first = bytes(codes[: ends[0]]).rpartition(b" ")[2]
    for size in sorted(range(1, _MOST_DIGITS + 2), key=lambda size: abs(size - len(first))):
        at = ends[left]
        is_here = (at > size) & (codes[at - size - 1] == 32)
        if not is_here.any():
            continue
        here, left = left[is_here], left[~is_here]
        windows = np.lib.stride_tricks.sliding_window_view(codes, size)
        values[here] = _read_columns(windows[ends[here] - size])
        sizes[here] = size
        if not len(left):
            return values, sizes
    raise ValueError("longer numbers")


def _read_columns(rows: Any) -> Any:
    """Numbers of one length, a row of characters each."""
    digits = rows - np.uint8(48)
    is_digit = digits < 10
    if is_digit.all():
        raise ValueError("numbers without a point")  # rare: read slowly
    points = np.flatnonzero(~is_digit[0])
    # All rows have their point (and sign) where the first one has it, else they are read one by one.
    if (
        len(points) != 1
        or not (rows[:, points[0]] == 46).all()
        or np.count_nonzero(is_digit) != is_digit.size - len(rows)
    ):
        return _read_slowly(rows)
    point, size = int(points[0]), rows.shape[1]
    weights = [0.0 if c == point else 10.0 ** (size - 1 - c - (c < point)) for c in range(size)]
    return digits.astype(np.float64) @ np.array(weights) / 10.0 ** (size - 1 - point)


def _read_slowly(rows: Any) -> Any:
    pieces = [row.tobytes() for row in rows]
    if any(b"_" in piece for piece in pieces):
        raise ValueError("float() would read 1_0")
    values = np.array([float(piece) for piece in pieces])
    if not np.isfinite(values).all():
        raise ValueError("a number is not finite")
    return values


def _heads(codes: Any, ends: Any, sizes: Any) -> bytes:
    """The lines without their numbers, and without the last line end."""
    change = np.zeros(len(codes) + 1, np.int8)
    change[ends - sizes - 1] = 1
    change[ends] = -1
    kept: bytes = codes[np.cumsum(change[:-1], dtype=np.int8) == 0].tobytes()
    return kept.removesuffix(b"\n")
