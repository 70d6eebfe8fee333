"""`unrepeated`: samples in which no sentence of a side stands twice."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.cli.main import main
from generator.errors import UsageError
from generator.item_making import items, run_of
from generator.items import Item
from generator.loading import grammar_from_text
from generator.planning import Plan, plan

# Each determiner of the one side goes with each of the other: both sides of a sample repeat.
GRAMMAR = """
slot Few   = "a few" | "two" | "some"
slot Most  = "most" | "all the"
slot Thing = noun artefact movable countable -number_ambiguous -collective
slot Place = "here" | "there"
template there @2:
  + there are {Few | *Most} {Thing pl} {Place} {"?" | "."} .
template see:
  + we see {"that" | "how"} there are {Few | *Most} {Thing pl} .
"""


def _plan(extra: str = "unrepeated\n") -> Plan:
    return plan(grammar_from_text(extra + GRAMMAR))


def _sides(sample: list[Item]) -> tuple[list[str], list[str]]:
    good = [c.text for item in sample for c in item.conditions if c.acceptable]
    return good, [c.text for item in sample for c in item.conditions if not c.acceptable]


def _repeats(sample: list[Item]) -> int:
    return sum(len(side) - len(set(side)) for side in _sides(sample))


def test_without_the_statement_sentences_repeat() -> None:
    assert _repeats(list(items(_plan(""), 600))) > 50


@given(st.integers(0, 2**32), st.integers(1, 400), st.sampled_from(["", "uniform\n", "one star\n"]))
@settings(max_examples=25, deadline=None)
def test_no_sentence_stands_twice_and_shares_stay(seed: int, count: int, extra: str) -> None:
    extra = "" if extra == "one star\n" else extra
    found = list(items(_plan("unrepeated\n" + extra), count, seed))
    assert len(found) == count
    assert _repeats(found) == 0
    if not extra:
        templates = Counter(item.template for item in found)
        assert abs(templates["there"] - 2 * templates["see"]) <= 2


@given(st.integers(0, 1000), st.integers(1, 300), st.integers(0, 100))
@settings(max_examples=25, deadline=None)
def test_a_sample_is_what_is_left_of_the_plain_order(seed: int, count: int, more: int) -> None:
    """Cell by cell, the items are those of the plain sample in order, without those that repeat one."""
    own = list(items(_plan(), count, seed))
    for template in ("there", "see"):
        mine = [item.number for item in own if item.template == template]
        plain = [item.number for item in items(_reseeded(), 1500, seed) if item.template == template]
        places = [plain.index(number) for number in mine]
        assert places == sorted(places)
    assert [item.id for item in items(_plan(), count + more, seed)][:count] == [item.id for item in own]


def _reseeded() -> Plan:
    """The plan without the statement, sampled as the one with it: an order depends on the plan's digest."""
    found, other = _plan(""), _plan()
    return replace(found, digest=other.digest)


@pytest.mark.parametrize("of", [2, 3, 7])
def test_parts_are_parts_of_the_whole(of: int) -> None:
    whole = [item.id for item in items(_plan(), 401, 3)]
    parts = [[item.id for item in items(_plan(), 401, 3, shard=(part, of))] for part in range(1, of + 1)]
    assert list(itertools.chain(*parts)) == whole
    assert [len(part) for part in parts] == [401 * k // of - 401 * (k - 1) // of for k in range(1, of + 1)]


def test_any_rank_is_made_alone() -> None:
    run = run_of(_plan(), 300, 5)
    assert [run.locate(rank) for rank in range(300)] == list(run.shard())


def test_more_than_there_are_is_an_error_that_says_how_many() -> None:
    # `there` has 2 x 2 x 2 starred sentences (two of *Most*, two places, two marks), `see` 2 x 2.
    small = GRAMMAR.replace("noun artefact movable countable -number_ambiguous -collective", 'noun "cup"')
    found = plan(grammar_from_text("unrepeated\n" + small))
    assert len(list(items(found, 12))) == 12
    with pytest.raises(
        UsageError, match=r"no sample of 18 items in which no sentence stands twice: all but 8 of its cell there"
    ):
        list(items(found, 18))


def test_the_command_writes_the_same_items_and_verifies_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "there.grammar"
    path.write_text("unrepeated\n" + GRAMMAR, "utf-8")
    out = tmp_path / "there.jsonl"
    assert main(["make", str(path), "-n", "500", "-o", str(out), "--format", "items", "--quiet"]) == 0
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    for acceptable in (True, False):
        side = [c["text"] for row in rows for c in row["conditions"] if c["acceptable"] is acceptable]
        assert len(side) == len(set(side)) == 500
    assert main(["verify", f"{out}.manifest.json"]) == 0
    capsys.readouterr()
