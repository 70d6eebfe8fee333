"""Keyed permutations: bijections for every size and key, the same anywhere, well shuffled."""

from __future__ import annotations

from collections import Counter
from math import isqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.permuting import Permutations, derived_key, listed

FIXED = {
    10: [0, 8, 3],
    10**5: [45681, 21086, 87322],
    10**10: [1427190317, 7136987956, 7202102635],
    10**17: [32437329790641925, 40961399628143218, 43682190580405131],
    10**40: [
        9609624092081276730851315283723336240156,
        9714702485699615317068308762165693000630,
        3113836513006155152560821386847650788532,
    ],
}
EDGES = (2**28, 2**60, 2**124)  # where lanes grow wider


def permutation(size: int, *parts: object) -> list[int]:
    return Permutations(derived_key(*parts)).of(size, b"own").span(0, size)


@pytest.mark.parametrize("size", [*range(1, 301), 1000, 1023, 1024, 1025, 4095, 4097, 65536, 100_003])
def test_a_permutation_is_a_bijection(size: int) -> None:
    assert sorted(permutation(size, "key", size)) == list(range(size))


@settings(deadline=None, derandomize=True, max_examples=40)
@given(size=st.integers(1, 1500), key=st.binary(min_size=1, max_size=64))
def test_it_is_a_bijection_for_any_key(size: int, key: bytes) -> None:
    assert sorted(Permutations(key).of(size, key).span(0, size)) == list(range(size))


@settings(deadline=None, derandomize=True, max_examples=80)
@given(
    size=st.integers(2**20, 2**140) | st.sampled_from([edge + n for edge in EDGES for n in (-1, 0, 1)]),
    start=st.integers(0, 2**20 - 200),
)
def test_a_permutation_of_a_huge_range_stays_in_it(size: int, start: int) -> None:
    found = Permutations(b"huge").of(size, b"own").span(start, start + 200)
    assert len(set(found)) == 200
    assert all(0 <= value < size for value in found)


@pytest.mark.parametrize("size", [10**6, 10**12, 10**17, 10**40])
def test_far_apart_numbers_go_to_different_places(size: int) -> None:
    made = Permutations(b"far").of(size, b"own")
    numbers = sorted({size * n // 5000 for n in range(5000)} | set(range(2000)) | set(range(size - 2000, size)))
    assert len({made(number) for number in numbers}) == len(numbers)


@pytest.mark.parametrize("size", [100, 1000, 2**24, 10**10, 10**17, 10**40])
def test_a_number_alone_is_that_of_its_span(size: int) -> None:
    made = Permutations(b"alone").of(size, b"own")
    assert [made(n) for n in range(50, 90)] == made.span(0, 100)[50:90]
    assert Permutations(b"alone").of(size, b"own")(77) == made(77)


def test_a_permutation_is_the_same_on_any_machine() -> None:
    """Worked out once; the bytes of a sample rest on it."""
    found = {size: Permutations(b"fixed").of(size, b"own").span(0, 3) for size in (10, 10**5, 10**10, 10**17, 10**40)}
    assert found == FIXED


def test_other_keys_permute_differently() -> None:
    for size in (100, 1000):
        assert len({tuple(permutation(size, "key", seed)) for seed in range(20)}) == 20
        shared = Permutations(b"run")
        assert len({tuple(shared.of(size, bytes([n])).span(0, size)) for n in range(20)}) == 20


def test_every_order_of_a_small_range_comes_as_often() -> None:
    orders = Counter(tuple(listed(4, bytes([n // 256, n % 256]))) for n in range(4800))
    assert len(orders) == 24
    # Chi-square with 23 degrees of freedom: above 49.7 once in a thousand.
    assert sum((count - 200) ** 2 / 200 for count in orders.values()) < 49.7


@pytest.mark.parametrize("size", [300, 5000, 10**7, 10**10, 10**17, 10**40])
def test_where_numbers_go_is_uniform(size: int) -> None:
    """Consecutive numbers, their distances and those of numbers one row of the network apart, in 20 bins."""
    row = isqrt(size - 1) + 1
    places: Counter[int] = Counter()
    distances: Counter[int] = Counter()
    rows: Counter[int] = Counter()
    for key in range(50):
        made = Permutations(derived_key(key)).of(size, b"own")
        found = made.span(0, 200)
        places.update(value * 20 // size for value in found)
        distances.update((b - a) % size * 20 // size for a, b in zip(found[::2], found[1::2], strict=True))
        if row + 100 < size:
            below = made.span(row, row + 100)
            rows.update((b - a) % size * 20 // size for a, b in zip(found, below, strict=False))
    for counted in (places, distances, rows):
        total = sum(counted.values())
        expected = dict.fromkeys(range(20), total / 20)  # 20 divides every size here
        # Chi-square with 19 degrees of freedom: above 43.8 once in a thousand.
        assert total == 0 or sum((counted[n] - e) ** 2 / e for n, e in expected.items()) < 43.8
