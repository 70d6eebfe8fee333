"""Keyed permutations of range(n): a bijection for every n, cheap per number.

Small ranges are shuffled as a list.  Larger ones go through a generalised Feistel network over a x b >= n numbers with
a and b near the square root of n (Black and Rogaway 2002, "Ciphers with arbitrary finite domains", their method with
cycle walking): rounds add, modulo a and b in turn, what a round function makes of the other half.  Many numbers go
through it at a time, as lanes of one long integer, whose arithmetic is much faster than a loop.  The round function
multiplies by a keyed number and joins, by exclusive or, the upper half of the product to the lower one, twice.  All
this shuffles well and fast; it is no encryption.
"""

from __future__ import annotations

import hashlib
import struct
from abc import ABC, abstractmethod
from functools import lru_cache
from math import isqrt

ROUNDS = 6
FEW_ROUNDS = 4  # of larger networks, where what four rounds leave of the order is not seen
MOST_LISTED = 256
"""Ranges up to this size are shuffled as a list."""

_LANES = 1024  # such integers stay in the processor's cache
_SPARE = 2  # bits of half a lane that no half of a number needs, so that what is added up stays in it


def derived_key(*parts: object) -> bytes:
    """A key of 32 bytes from printable parts."""
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=32).digest()


def random_words(key: bytes, count: int) -> tuple[int, ...]:
    """`count` numbers of 64 bits that a key decides, the same on any machine."""
    return struct.unpack(f"<{count}Q", hashlib.shake_256(key).digest(8 * count))


def listed(size: int, key: bytes) -> list[int]:
    """range(size) in an order that a key decides, every order as likely as any other."""
    return sorted(range(size), key=random_words(key, size).__getitem__)


class Permutation(ABC):
    """A permutation of range(size): `span` gives where it sends consecutive numbers, calling it a single one."""

    size: int

    def __call__(self, index: int) -> int:
        """Where it sends `index`."""
        return self.span(index, index + 1)[0]

    @abstractmethod
    def span(self, first: int, last: int) -> list[int]:
        """Where it sends range(first, last)."""


class _Listed(Permutation):
    """A small range."""

    def __init__(self, size: int, key: bytes) -> None:
        self.size = size
        self._order = listed(size, key)

    def span(self, first: int, last: int) -> list[int]:
        return self._order[first:last]


@lru_cache(maxsize=4)
def _lanes(half: int) -> tuple[int, int]:
    """Lanes of twice `half` bits, the first one lowest: a 1 in each; and 0, 1, 2 ... in them."""
    width = half // 4
    ones = int.from_bytes((1).to_bytes(width, "little") * _LANES, "little")
    counted = b"".join([number.to_bytes(width, "little") for number in range(_LANES)])
    return ones, int.from_bytes(counted, "little")


class _Network(Permutation):
    """A Feistel network over a x b; what leaves the range goes through it again."""

    def __init__(self, size: int, key: bytes) -> None:
        self.size = size
        self._b = isqrt(size - 1) + 1
        self._a = -(-size // self._b)
        needed = (self._b - 1).bit_length() + _SPARE
        self._half = 16 if needed <= 16 else -(-needed // 32) * 32
        width = self._half // 8
        rounds = ROUNDS if self._half == 16 else FEW_ROUNDS
        random = hashlib.shake_256(key).digest(3 * rounds * width)
        words = [int.from_bytes(random[n : n + width], "little") for n in range(0, len(random), width)]
        # A mask, and two odd numbers short enough for products to stay in a lane.
        keys = [(mask, one >> _SPARE | 1, two >> _SPARE | 1) for mask, one, two in zip(*[iter(words)] * 3, strict=True)]
        self._rounds = list(zip(keys[::2], keys[1::2], strict=True))

    def span(self, first: int, last: int) -> list[int]:
        found: list[int] = []
        for start in range(first, last, _LANES):
            found += self._passed(start, min(start + _LANES, last))
        if found and max(found) >= self.size:
            for place, value in enumerate(found):
                while value >= self.size:
                    (value,) = self._passed(value, value + 1)
                found[place] = value
        return found

    def _passed(self, first: int, last: int) -> list[int]:
        """range(first, last), at most `_LANES` numbers, after one pass of the network."""
        a, b, half = self._a, self._b, self._half
        count, lane = last - first, 2 * half
        ones, counted = (_first(lanes, count * lane) for lanes in _lanes(half))
        left, right = self._halves(first, last, ones, counted)
        low = ones * ((1 << half) - 1)  # the lower half of each lane
        # A sum reaches this bit, once this is added to it, where it is a (or b) or more.
        reached = half + 1
        to_a, to_b = ones * ((1 << reached) - a), ones * ((1 << reached) - b)
        for (mask, one, two), (other_mask, three, four) in self._rounds:
            made = (right ^ ones * mask) * one
            made = ((made >> half ^ made) & low) * two
            left += ((made >> half ^ made) & low) * a >> half & low
            left -= (left + to_a >> reached & ones) * a
            made = (left ^ ones * other_mask) * three
            made = ((made >> half ^ made) & low) * four
            right += ((made >> half ^ made) & low) * b >> half & low
            right -= (right + to_b >> reached & ones) * b
        width = lane // 8
        found = (left * b + right).to_bytes(count * width, "little")
        if width <= 8:
            return list(struct.unpack(f"<{count}{'I' if width == 4 else 'Q'}", found))
        return [int.from_bytes(found[n : n + width], "little") for n in range(0, len(found), width)]

    def _halves(self, first: int, last: int, ones: int, counted: int) -> tuple[int, int]:
        """The halves of range(first, last) in lanes: what b goes into each, and what is left over."""
        b, lane = self._b, 2 * self._half
        left = right = start = 0
        while first < last:
            row, column = divmod(first, b)
            amount = min(b - column, last - first)
            here = _first(ones, amount * lane)
            left |= here * row << start
            right |= _first(counted, amount * lane) + here * column << start
            first += amount
            start += amount * lane
        return left, right


def _first(lanes: int, bits: int) -> int:
    """The lowest bits of lanes."""
    return lanes if lanes.bit_length() <= bits else lanes & (1 << bits) - 1


class Permutations:
    """The permutations of one run, which share its key."""

    def __init__(self, key: bytes) -> None:
        self.key = key

    def of(self, size: int, key: bytes) -> Permutation:
        """A permutation of range(size); `key` tells it from others of this run."""
        key = self.key + key
        return _Listed(size, key) if size <= MOST_LISTED else _Network(size, key)
