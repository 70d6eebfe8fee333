"""Sentences that stand more than once: found exactly in bounded memory, for runs of any length.

A sentence is kept as a digest of 16 bytes with the number of its item.  Two sentences with one digest are taken as
equal: with 10^9 different sentences the chance that any two share a digest is below 10^-20.  Digests are dealt out to
buckets by their first byte; what memory does not hold goes to one temporary file, and the buckets are compared one by
one at the end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import IO

BUCKETS = 256
HELD = 24 << 20
"""Bytes of digests that are held in memory, of each side."""

_DIGEST = 16
_RECORD = _DIGEST + 6  # the item's number has six bytes: 2.8 * 10^14 items


@dataclass(frozen=True)
class Repeat:
    """`count` sentences that should not be there; the first stands in item `item`, as before in item `earlier`."""

    count: int = 0
    item: int = -1
    earlier: int = -1

    def joined(self, other: Repeat) -> Repeat:
        """Both together."""
        if not self.count or not other.count:
            return self if self.count else other
        first = min(self, other, key=lambda repeat: (repeat.item, repeat.earlier))
        return Repeat(self.count + other.count, first.item, first.earlier)


class Side:
    """The sentences of one side (acceptable, starred) of a run."""

    def __init__(self, held: int = HELD) -> None:
        self._held = held
        self._buckets = [bytearray() for _ in range(BUCKETS)]
        self._size = 0
        self._spilled: IO[bytes] | None = None
        self._segments: list[list[tuple[int, int]]] = [[] for _ in range(BUCKETS)]

    def add(self, text: str, item: int) -> None:
        """Take in a sentence (in small letters) of item number `item`."""
        digest = blake2b(text.encode(), digest_size=_DIGEST).digest()
        self._buckets[digest[0]] += digest + item.to_bytes(6, "big")
        self._size += _RECORD
        if self._size > self._held:
            self._spill()

    def _spill(self) -> None:
        if self._spilled is None:
            self._spilled = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the side
        for bucket, segments in zip(self._buckets, self._segments, strict=True):
            segments.append((self._spilled.tell(), len(bucket)))
            self._spilled.write(bucket)
            bucket.clear()
        self._size = 0

    def bucket(self, number: int) -> tuple[list[bytes], list[bytes]]:
        """The digests of a bucket, in the order of the run, and the numbers of their items."""
        parts = []
        if self._spilled is not None:
            for start, length in self._segments[number]:
                self._spilled.seek(start)
                parts.append(self._spilled.read(length))
            self._spilled.seek(0, 2)
        data = b"".join([*parts, self._buckets[number]])
        starts = range(0, len(data), _RECORD)
        return [data[i : i + _DIGEST] for i in starts], [data[i + _DIGEST : i + _RECORD] for i in starts]

    def close(self) -> None:
        """Give the temporary file back."""
        if self._spilled is not None:
            self._spilled.close()


@dataclass(frozen=True)
class Repeats:
    """What is repeated: within the acceptable sentences, within the starred ones, and between the two sides."""

    acceptable: Repeat = Repeat()
    starred: Repeat = Repeat()
    both: Repeat = Repeat()


def find_repeats(acceptable: Side, starred: Side) -> Repeats:
    """Compare the sides.  Within one, every sentence after the first of its kind counts; between both, each kind."""
    found = Repeats()
    for number in range(BUCKETS):
        good, good_items = acceptable.bucket(number)
        bad, bad_items = starred.bucket(number)
        good_set, bad_set = set(good), set(bad)
        shared = good_set & bad_set
        found = Repeats(
            found.acceptable.joined(_within(good, good_items, len(good_set))),
            found.starred.joined(_within(bad, bad_items, len(bad_set))),
            found.both.joined(_between(shared, good, good_items, bad, bad_items)),
        )
    return found


def _number(packed: bytes) -> int:
    return int.from_bytes(packed, "big")


def _within(digests: list[bytes], items: list[bytes], kinds: int) -> Repeat:
    if kinds == len(digests):
        return Repeat()
    seen: dict[bytes, bytes] = {}
    for digest, item in zip(digests, items, strict=True):
        earlier = seen.setdefault(digest, item)
        if earlier is not item:
            return Repeat(len(digests) - kinds, _number(item), _number(earlier))
    raise AssertionError("a repeated digest is found again")


def _between(
    shared: set[bytes], good: list[bytes], good_items: list[bytes], bad: list[bytes], bad_items: list[bytes]
) -> Repeat:
    if not shared:
        return Repeat()

    def firsts(digests: list[bytes], items: list[bytes]) -> Iterator[tuple[bytes, int]]:
        for digest, item in zip(reversed(digests), reversed(items), strict=True):
            if digest in shared:
                yield digest, _number(item)

    ours, theirs = dict(firsts(good, good_items)), dict(firsts(bad, bad_items))
    places = ((max(ours[digest], theirs[digest]), min(ours[digest], theirs[digest])) for digest in shared)
    item, earlier = min(places)
    return Repeat(len(shared), item, earlier)
