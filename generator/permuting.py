"""Keyed permutations of range(n): a bijection for every n, cheap per number.

Small ranges are shuffled as a list.  Larger ones go through a generalised Feistel network over a x b >= n numbers with
a and b near the square root of n (Black and Rogaway 2002, "Ciphers with arbitrary finite domains", their method with
cycle walking): rounds add, modulo a and b in turn, what a round function makes of the other half.  The round functions
are tables of random numbers, made once from the key of a run (tabulation hashing); each permutation looks into them
under masks of its own.  All this shuffles well and fast; it is no encryption.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from functools import cached_property
from math import isqrt

ROUNDS = 6
FEW_ROUNDS = 4  # from 2^24 numbers on, where what four rounds leave of the order is no longer seen
MOST_LISTED = 256
"""Ranges up to this size are shuffled as a list."""

_BITS = 12  # tables of 4096 entries stay in the processor's cache; the inner loops below say 12 and 4095
_TABLE = 1 << _BITS
_LOW = _TABLE - 1
_SMALL = 28  # sums of such numbers have one digit inside Python, which is fast


def derived_key(*parts: object) -> bytes:
    """A key of 32 bytes from printable parts."""
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=32).digest()


def random_words(key: bytes, count: int) -> tuple[int, ...]:
    """`count` numbers of 64 bits that a key decides, the same on any machine."""
    return struct.unpack(f"<{count}Q", hashlib.shake_256(key).digest(8 * count))


def listed(size: int, key: bytes) -> list[int]:
    """range(size) in an order that a key decides, every order as likely as any other."""
    return sorted(range(size), key=random_words(key, size).__getitem__)


class Permutation:
    """A permutation of range(size): `span` gives where it sends consecutive numbers, calling it a single one."""

    size: int

    def __call__(self, index: int) -> int:
        """Where it sends `index`."""
        return self.span(index, index + 1)[0]

    def span(self, first: int, last: int) -> list[int]:
        """Where it sends range(first, last)."""
        raise NotImplementedError


class _Listed(Permutation):
    """A small range."""

    def __init__(self, size: int, key: bytes) -> None:
        self.size = size
        self._order = listed(size, key)

    def span(self, first: int, last: int) -> list[int]:
        return self._order[first:last]


class _Network(Permutation):
    """A Feistel network over a x b; what leaves the range goes through it again."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._b = isqrt(size - 1) + 1
        self._a = -(-size // self._b)

    def span(self, first: int, last: int) -> list[int]:
        size = self.size
        found = self._passed(range(first, last))
        for place, value in enumerate(found):
            while value >= size:
                value = self._passed((value,))[0]
            found[place] = value
        return found

    def _passed(self, values: Sequence[int]) -> list[int]:
        """Each value after one pass of the network."""
        raise NotImplementedError


class _Narrow(_Network):
    """Up to 2^24 numbers: one look into a table a round."""

    def __init__(self, size: int, key: bytes, tables: Sequence[Sequence[int]]) -> None:
        super().__init__(size)
        self._masks = [word & _LOW for word in random_words(key, ROUNDS)]
        self._tables = tables

    def _passed(self, values: Sequence[int]) -> list[int]:
        a, b = self._a, self._b
        one, two, three, four, five, six = self._masks
        left_table, right_table = self._tables
        found = []
        for value in values:
            left, right = divmod(value, b)
            left = (left + left_table[right ^ one]) % a
            right = (right + right_table[left ^ two]) % b
            left = (left + left_table[right ^ three]) % a
            right = (right + right_table[left ^ four]) % b
            left = (left + left_table[right ^ five]) % a
            found.append(left * b + (right + right_table[left ^ six]) % b)
        return found


class _Middle(_Network):
    """Up to 2^48 numbers: two looks a round."""

    def __init__(self, size: int, key: bytes, tables: Sequence[Sequence[int]]) -> None:
        super().__init__(size)
        words = random_words(key, FEW_ROUNDS)
        masks = [(word & _LOW, word >> _BITS & _LOW) for word in words]
        self._rounds = list(zip(masks[::2], masks[1::2], strict=True))
        self._tables = tables

    def _passed(self, values: Sequence[int]) -> list[int]:
        a, b, rounds = self._a, self._b, self._rounds
        left_low, left_high, right_low, right_high = self._tables
        found = []
        for value in values:
            left, right = divmod(value, b)
            for (one, two), (three, four) in rounds:
                left = (left + left_low[right & 4095 ^ one] + left_high[right >> 12 ^ two]) % a
                right = (right + right_low[left & 4095 ^ three] + right_high[left >> 12 ^ four]) % b
            found.append(left * b + right)
        return found


class _Wide(_Network):
    """Up to 2^72 numbers: three looks a round."""

    def __init__(self, size: int, key: bytes, tables: Sequence[Sequence[int]]) -> None:
        super().__init__(size)
        masks = [(w & _LOW, w >> _BITS & _LOW, w >> 2 * _BITS & _LOW) for w in random_words(key, FEW_ROUNDS)]
        self._rounds = [(n % 2, *mask) for n, mask in enumerate(masks)]
        self._tables = tables

    def _passed(self, values: Sequence[int]) -> list[int]:
        b, rounds = self._b, self._rounds
        sides = ((self._a, self._tables[:3]), (b, self._tables[3:]))
        found = []
        for value in values:
            left, right = divmod(value, b)
            for side, one, two, three in rounds:
                modulus, (low, middle, high) = sides[side]
                made = low[right & 4095 ^ one] ^ middle[right >> 12 & 4095 ^ two] ^ high[right >> 24 ^ three]
                left, right = right, (left + made) % modulus
            found.append(left * b + right)
        return found


class _Huge(_Network):
    """More numbers than that: a digest a round."""

    def __init__(self, size: int, key: bytes) -> None:
        super().__init__(size)
        self._key = key
        self._width = (self._b.bit_length() + 7) // 8

    def _passed(self, values: Sequence[int]) -> list[int]:
        moduli = (self._a, self._b) * (ROUNDS // 2)
        width = self._width
        started = [hashlib.shake_256(self._key + bytes([number])) for number in range(ROUNDS)]
        found = []
        for value in values:
            left, right = divmod(value, self._b)
            for modulus, start in zip(moduli, started, strict=True):
                digest = start.copy()
                digest.update(right.to_bytes(width, "little"))
                # Eight bytes more than needed, so that the remainder favours no number.
                left, right = right, (left + int.from_bytes(digest.digest(width + 8), "little")) % modulus
            found.append(left * self._b + right)
        return found


class Permutations:
    """The permutations of one run, which share the tables made from its key."""

    def __init__(self, key: bytes) -> None:
        self.key = key

    def of(self, size: int, key: bytes) -> Permutation:
        """A permutation of range(size); `key` tells it from others of this run."""
        key = self.key + key
        if size <= MOST_LISTED:
            return _Listed(size, key)
        if size <= 1 << 2 * _BITS:
            return _Narrow(size, key, self._small[::2])
        if size <= 1 << 4 * _BITS:
            return _Middle(size, key, self._small)
        if size <= 1 << 6 * _BITS:
            return _Wide(size, key, self._large)
        return _Huge(size, key)

    @cached_property
    def _small(self) -> list[list[int]]:
        words = [word >> 64 - _SMALL for word in random_words(self.key + b"small", 4 * _TABLE)]
        return [words[start : start + _TABLE] for start in range(0, len(words), _TABLE)]

    @cached_property
    def _large(self) -> list[tuple[int, ...]]:
        words = random_words(self.key + b"large", 6 * _TABLE)
        return [words[start : start + _TABLE] for start in range(0, len(words), _TABLE)]
