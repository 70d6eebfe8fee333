"""The pairs of a block counted with numpy (the extra `fast`): line ends are found, and digits read, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scorers.fast_pairs import Counts, IsNext

_MOST_DIGITS = 15
"""Digits of a number that is read here: below 2**53 a whole number, divided by a power of ten up to 10**22, is the
nearest double, as float() has it."""


def count_lines(block: bytes) -> int:
    """How many line ends there are."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == 10))


def count_block(block: bytes, counts: Counts, is_next: IsNext | None = None) -> None:
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
    values, by_size = read_numbers(codes, ends)
    if is_next is not None and not is_next(_heads(codes, by_size)):
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


def read_numbers(codes: Any, ends: Any) -> tuple[Any, list[tuple[int, Any]]]:
    """The decimal numbers in front of line ends as doubles, each as float() reads it; and line ends by their length.

    Raises ValueError where something else stands there.
    """
    values = np.empty(len(ends))
    by_size: list[tuple[int, Any]] = []
    left = np.arange(len(ends))
    first = bytes(codes[: ends[0]]).rpartition(b" ")[2]
    for size in sorted(range(1, _MOST_DIGITS + 2), key=lambda size: abs(size - len(first))):
        at = ends[left] if by_size else ends
        is_here = (at > size) & (codes[at - size - 1] == 32)
        if not is_here.any():
            continue
        here, left = left[is_here], left[~is_here]
        windows = np.lib.stride_tricks.sliding_window_view(codes, size)
        by_size.append((size, at[is_here]))
        values[here] = _read_columns(windows[by_size[-1][1] - size])
        if not len(left):
            return values, by_size
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


def _heads(codes: Any, by_size: list[tuple[int, Any]]) -> bytes:
    """The lines without their numbers, and the spaces before these."""
    is_kept = np.ones(len(codes), np.bool_)
    for size, ends in by_size:
        for back in range(1, size + 2):
            is_kept[ends - back] = False
    kept: bytes = codes[is_kept].tobytes()
    return kept
