"""What a change does to items: the engine's three ways of comparing agree with brute force and with each other."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from brute_compare import oracle_items, planned
from brute_derivations import TooMany
from brute_random import grammar_of
from brute_words import write_words
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from generator.differing import Asked, differ
from generator.differing_alignment import Aligner, AskewError, Place, Texts
from generator.differing_counting import NotCountableError, counted
from generator.differing_listing import Listing
from generator.differing_sampling import looked_up
from generator.differing_sides import Side, Standing
from generator.differing_types import Share, Tally
from generator.errors import StarlingError
from generator.loading import grammar_from_text
from generator.planning import Plan, plan

EDITS = (
    (r"\banimate\b", "heavy"),
    (r"\bhuman\b", "animate"),
    (r"\bround\b", "flat"),
    (r"\bpres\b", "past"),
    (r'\*"are"', '*"be"'),
    (r"^\+ ", "+ so "),
    (r" \.$", ""),
    (r"^one star\n", ""),
    (r"^where .*\n", ""),
    (r"^distinct ", "repeat "),
    (r"^(slot \w+ = noun.*)$", r'\1 -"dog"'),
    (r"^(slot \w+ = name.*)$", r'\1 -"olga"'),
)
"""Changes of a grammar's text: of the first place that fits."""

_Shown = tuple[str, frozenset[tuple[bool, str]]]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_words(tmp_path_factory.mktemp("tiny"))


def _edited(text: str, edits: list[int]) -> str:
    for number in edits:
        pattern, replacement = EDITS[number]
        text = re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE)
    return text


def _plan(text: str, tiny: Path) -> Plan | None:
    try:
        return planned(text, tiny)
    except StarlingError:
        return None


@cache
def _oracle(text: str) -> frozenset[_Shown]:
    """The items as brute force lists them from the grammar's text: (acceptable sentence, what stands against it)."""
    found = set()
    for item in oracle_items(text):
        if item.versions and item.versions[0].name:  # a design's conditions, all of them
            good = next(version for version in item.versions if version.acceptable)
            others = [version for version in item.versions if version is not good]
            text_of_good = good.text
        else:
            others, text_of_good = item.versions, item.text
        found.add((text_of_good, frozenset((version.acceptable, version.text) for version in others)))
    return frozenset(found)


def _by_hand(old: frozenset[_Shown], new: frozenset[_Shown]) -> Tally:
    old_goods, new_goods = ({good for good, _ in side} for side in (old, new))
    return Tally(
        len(old),
        len(new),
        sum(good not in new_goods for good, _ in old),
        sum(good not in old_goods for good, _ in new),
        sum(good in new_goods for good, _ in old - new),
        sum(good in old_goods for good, _ in new - old),
    )


def _swapped(tally: Tally) -> Tally:
    return Tally(tally.new, tally.old, tally.added, tally.removed, tally.changed_new, tally.changed_old)


numbers = st.integers(0, 999)
edits = st.lists(st.integers(0, len(EDITS) - 1), min_size=1, max_size=3, unique=True)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(number=numbers, chosen=edits)
def test_listed_is_the_difference_of_sets(tiny: Path, number: int, chosen: list[int]) -> None:
    before = grammar_of(number).text
    after = _edited(before, chosen)
    old, new = _plan(before, tiny), _plan(after, tiny)
    assume(before != after and old is not None and new is not None)
    assert old is not None
    assert new is not None
    try:
        expected = _by_hand(_oracle(before), _oracle(after))
    except TooMany:
        assume(False)
    found = differ(old, new, Asked(samples=3))
    assert (found.method, found.tally) == ("listed", expected)
    back = differ(new, old)
    assert back.tally == _swapped(expected)
    kinds = Counter(sample.kind for sample in found.samples)
    assert kinds == Counter(
        {
            "removed": min(3, expected.removed),
            "added": min(3, expected.added),
            "changed": min(3, expected.changed_old or expected.changed_new),
        }
    )
    goods = [{_bare(good) for good, _ in _oracle(text)} for text in (before, after)]
    for sample in found.samples:
        for item, known in zip((sample.old, sample.new), goods, strict=True):
            # A sentence is where its sample says it is, and nowhere else.
            assert (_bare(sample.item.good.text) in known) == (item is not None)


def _bare(text: str) -> str:
    return re.sub(r"\s", "", text.casefold())


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(number=numbers)
def test_a_comment_changes_nothing(tiny: Path, number: int) -> None:
    text = grammar_of(number).text
    old, new = planned(text, tiny), planned(f"# a comment\n{text}", tiny)
    found = differ(old, new)
    assert (found.method, found.is_empty, found.samples) == ("same", True, ())
    listing = Listing(Side(old), Side(new))
    assert all(tally.is_empty for _, tally in listing.rows)
    looked = looked_up(Side(old), Side(new), 50, 0)
    assert {standing for _, _, standing in looked.items} == {Standing.KEPT}


def _pairs(tiny: Path, start: int) -> list[tuple[Plan, Plan]]:
    """Random grammars and what single edits make of them."""
    found = []
    for number in range(start, 1_000, 40):
        text = grammar_of(number).text
        old = planned(text, tiny)
        for edit in range(len(EDITS)):
            after = _edited(text, [edit])
            new = _plan(after, tiny) if after != text else None
            if new is not None:
                found.append((old, new))
    return found


def test_counted_is_listed(tiny: Path) -> None:
    """Where items are counted on the graphs, template by template, the numbers are those of the lists."""
    seen: Counter[str] = Counter()
    for old, new in _pairs(tiny, 0):
        sides = Side(old), Side(new)
        try:
            rows = counted(*sides)
        except NotCountableError:
            seen["not counted"] += 1
            continue
        assert rows == Listing(*sides).rows, (old.grammar.source.text, new.grammar.source.text)
        assert {name: _swapped(tally) for name, tally in counted(sides[1], sides[0])} == dict(rows)
        seen["counted"] += 1
        total = sum((tally for _, tally in rows), Tally())
        seen["removed"] += total.removed > 0
        seen["changed"] += total.changed_old > 0
    assert min(seen["counted"], seen["removed"], seen["changed"]) >= 3, seen


def test_looking_up_is_listing(tiny: Path) -> None:
    """What an estimate says of each item it looks up is what the lists say."""
    seen: Counter[Standing] = Counter()
    for old, new in _pairs(tiny, 20):
        side, other = Side(old), Side(new)
        there = {reading.key for _, _, reading in other.readings()}
        goods = {reading.good for _, _, reading in other.readings()}
        for _, _, reading in list(side.readings())[:40]:
            expected = Standing.ABSENT if reading.good not in goods else Standing.CHANGED
            expected = Standing.KEPT if reading.key in there else expected
            assert other.standing(reading) == expected, (old.grammar.source.text, new.grammar.source.text, reading)
            seen[expected] += 1
    assert all(seen[standing] > 50 for standing in Standing), seen


def test_words_that_only_a_starred_sentence_shows(tmp_path: Path) -> None:
    """More of them than are tried one by one."""
    text = (
        'slot Pet = noun countable\nslot Act = verb intransitive\n+ the {"dog" | *Pet pl} {"barks" | *Act pres pl} .\n'
    )
    side = Side(plan(grammar_from_text(text)))
    other = Side(plan(grammar_from_text(text.replace("countable", 'countable -"cat"'))))
    assert len(side.plan.templates[0].leaves[0].domains[0]) > 100
    words = re.compile(r"\bcats\b")
    seen = set()
    for _, _, reading in itertools.islice(side.readings(), 0, 100_000, 997):
        expected = any(words.search(" ".join(tokens)) for _, tokens in reading.others)
        assert other.standing(reading) == (Standing.CHANGED if expected else Standing.KEPT)
        seen.add(expected)
    assert False in seen


texts = st.frozensets(st.lists(st.sampled_from("ab"), max_size=2).map(tuple), min_size=1, max_size=3).map(Texts)
rows = st.lists(texts.map(lambda each: Place(each, None)), max_size=4)


@settings(max_examples=500, deadline=None)
@given(first=rows, second=rows)
def test_rows_that_read_alike_askew(first: list[Place], second: list[Place]) -> None:
    """Against all combinations of texts, spelled out."""
    same = askew = False
    for one in itertools.product(*(place.texts.all for place in first)):
        for two in itertools.product(*(place.texts.all for place in second)):
            if sum(one, ()) == sum(two, ()):
                same = same or one == two
                askew = askew or one != two
    try:
        found = Aligner().align(first, second)
    except AskewError:
        assert askew
    else:
        assert (found, askew) == (same, False)


# Newcombe (1998), 'Two-sided confidence intervals for the single proportion', Statistics in Medicine 17, table I,
# method 3 (score, without continuity correction).
@pytest.mark.parametrize(
    ("seen", "sample", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_wilsons(seen: int, sample: int, low: float, high: float) -> None:
    assert Share(seen, sample).interval == pytest.approx((low, high), abs=5e-5)


def test_an_empty_sample_says_nothing() -> None:
    assert Share(0, 0).interval == (0.0, 1.0)
