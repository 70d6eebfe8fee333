"""Samples: reproducible, balanced, without replacement, in shards that join; any item can be made alone."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from brute_force import write_words

from generator.cli.main import main
from generator.errors import UsageError
from generator.item_making import ItemMaker, items
from generator.items import Item
from generator.loading import grammar_from_text
from generator.planning import Flavour, Leaf, Plan, PlanTemplate, plan
from generator.sampling import Run

AGREEMENT = """
paradigm agreement
slot Noun = noun "dog" | noun "cat" | noun "sheep" | noun "axe"
slot Be = auxiliary "be" pres
slot Prep = "on" | "by"
+ the {subj=Noun $n | *subj !$n} {Prep} the {obj=Noun $m} {Be $n} {"so" @2 | "very" | "" @3} big .
cross $n, $m
target Be
answer right = Be $n
answer wrong = Be !$n
"""

PHRASES = """
paradigm phrases
slot Noun = noun "dog" | noun "cat" | noun "axe"
slot Other = noun "axis" | noun "queen"
slot Be = auxiliary "be" pres
slot Prep = particle
phrase NP $p:
  the {Noun $p} @2 | a small {Noun $p} {Prep} the {Other} | {"one" | "many" | "some"} {Noun $p}
template short:
  + {NP $n} {Be $n | *Be !$n} {"here" | "there"} .
template long:
  + {Prep} it {NP $n} {Be $n | *Be !$n} {"so" @2 | "very" | "quite"} {"big" @3 | "small"} .
cross $n
target Be
"""

UNEVEN = """
paradigm uneven
slot Noun = noun "dog" | noun "cat" | noun "axe" | noun "axis"
slot Few = noun "king"
slot Be = auxiliary "be" pres
template first:
  + the {Noun $n} {Be $n | *Be !$n} .
template second:
  + this {Few $n} {Be $n | *Be !$n} .
template third:
  + the {Noun $n} by the {Few} {Be $n | *Be !$n} .
cross $n
target Be
"""

PLAIN = """
paradigm plain
slot Noun = noun "dog" | noun "cat" | noun "sheep" | noun "axe" | noun "king"
slot Part = particle
+ {x=Noun} {Part} {y=Noun} {"is" | *"be"} .
target Part
"""

GRAMMARS = {"agreement": AGREEMENT, "phrases": PHRASES, "uneven": UNEVEN, "plain": PLAIN}
FLAVOURS: tuple[Flavour, ...] = ("forced", "open")
PLANS = list(itertools.product(GRAMMARS, FLAVOURS))


@pytest.fixture(scope="session")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_words(tmp_path_factory.mktemp("words"))


@pytest.fixture(scope="session")
def plans(words: Path) -> dict[tuple[str, Flavour], Plan]:
    return {(n, f): plan(grammar_from_text(GRAMMARS[n], n, words), f) for n, f in PLANS}


@pytest.fixture(params=PLANS, ids=["-".join(pair) for pair in PLANS])
def any_plan(request: pytest.FixtureRequest, plans: dict[tuple[str, Flavour], Plan]) -> Plan:
    return plans[request.param]


def cell_of(item: Item) -> tuple[str, tuple[tuple[str, str], ...]]:
    return item.template, item.crossed


def leaf_of(located: tuple[PlanTemplate, int]) -> Leaf:
    template, index = located
    return template.locate(index)[0]


# --- an item alone ----------------------------------------------------------------------------------------------------


def test_an_item_alone_is_that_of_the_run(any_plan: Plan) -> None:
    everything = list(items(any_plan))
    assert len(everything) == any_plan.items
    for index in reversed(range(any_plan.items)):
        fresh = ItemMaker(any_plan)
        assert fresh.item(*any_plan.locate(index)) == everything[index]
    numbers: dict[str, list[int]] = {}
    for item in everything:
        numbers.setdefault(item.template, []).append(item.number)
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())
    with pytest.raises(IndexError):
        any_plan.locate(any_plan.items)


def test_a_sampled_item_is_the_numbered_one(any_plan: Plan) -> None:
    everything = {item.id: item for item in items(any_plan)}
    for item in items(any_plan, Run(any_plan, 0, 0).capacity, seed=3):
        assert item == everything[item.id]


def test_a_rank_alone_is_that_of_the_sample(any_plan: Plan) -> None:
    count = Run(any_plan, 0, 0).capacity
    whole = list(Run(any_plan, count, 5).shard())
    run = Run(any_plan, count, 5)
    assert [run.locate(rank) for rank in reversed(range(count))] == whole[::-1]
    assert Run(any_plan, count, 5).locate(count // 2) == whole[count // 2]
    with pytest.raises(IndexError):
        run.locate(count)


# --- without replacement, prefixes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2, 12345, -7, 2**70])
def test_a_sample_never_repeats(any_plan: Plan, seed: int) -> None:
    run = Run(any_plan, Run(any_plan, 0, seed).capacity, seed)
    found = [item.id for item in items(any_plan, run.count, seed)]
    assert len(found) == len(set(found)) == run.count


def test_a_shorter_sample_begins_a_longer_one(any_plan: Plan) -> None:
    longest = list(items(any_plan, Run(any_plan, 0, 0).capacity, seed=4))
    for count in {0, 1, 2, 7, len(longest) // 2, len(longest) - 1}:
        assert list(items(any_plan, count, seed=4)) == longest[:count]


@pytest.mark.parametrize("seed", range(4))
def test_every_prefix_is_balanced_over_the_cells(any_plan: Plan, seed: int) -> None:
    cells = {cell_of(item) for item in items(any_plan)}
    count: Counter[object] = Counter(dict.fromkeys(cells, 0))
    for item in items(any_plan, Run(any_plan, 0, seed).capacity, seed):
        count[cell_of(item)] += 1
        assert max(count.values()) - min(count.values()) <= 1


# --- quotas -----------------------------------------------------------------------------------------------------------


def branches(leaves: list[Leaf]) -> Iterator[tuple[list[list[Leaf]], list[int]]]:
    """At each choice point: the leaves of each alternative, and the alternatives' weights."""

    def below(group: list[Leaf], depth: int) -> Iterator[tuple[list[list[Leaf]], list[int]]]:
        if len(group) < 2 or all(depth >= len(leaf.choice_points) for leaf in group):
            return
        split: dict[object, list[Leaf]] = {}
        weights: dict[object, int] = {}
        for leaf in group:
            key, index, weight = leaf.choice_points[depth]
            split.setdefault((key, index), []).append(leaf)
            weights[key, index] = weight[index]
        if len(split) > 1:
            yield list(split.values()), list(weights.values())
        for inside in split.values():
            yield from below(inside, depth + 1)

    yield from below(leaves, 0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", GRAMMARS)
def test_the_other_choice_points_are_balanced_by_quotas(
    name: str, seed: int, plans: dict[tuple[str, Flavour], Plan]
) -> None:
    found = plans[name, "forced"]
    capacity = Run(found, 0, seed).capacity
    located = list(Run(found, capacity, seed).shard())
    cells: dict[object, list[Leaf]] = {}
    for template in found.templates:
        for leaf in template.leaves:
            cells.setdefault((template.name, leaf.cell), []).append(leaf)
    for leaves in cells.values():
        for alternatives, weights in branches(leaves):
            where = {id(leaf): number for number, group in enumerate(alternatives) for leaf in group}
            sizes = [sum(leaf.items for leaf in group) for group in alternatives]
            counts = [0] * len(alternatives)
            for each in located:
                number = where.get(id(leaf_of(each)))
                if number is None:
                    continue
                counts[number] += 1
                if any(count == size for count, size in zip(counts, sizes, strict=True)):
                    break
                # Whole rounds are the same for all; inside a round nobody is more than its weight ahead.
                rounds = [(count // weight, -(-count // weight)) for count, weight in zip(counts, weights, strict=True)]
                assert max(low for low, _ in rounds) <= min(high for _, high in rounds) + (
                    0 if set(weights) == {1} else 1
                ), (counts, weights)
                if set(weights) == {1}:
                    assert max(counts) - min(counts) <= 1


def test_alternatives_follow_their_weights(plans: dict[tuple[str, Flavour], Plan]) -> None:
    found = list(items(plans["agreement", "forced"], 48, seed=1))
    for cell in {cell_of(item) for item in found}:
        inside = [item.good.text for item in found if cell_of(item) == cell]
        counts = [sum(f" {word} big" in text for text in inside) for word in ("so", "very")]
        assert [*counts, len(inside) - sum(counts)] == [4, 2, 6]


def test_a_short_rule_is_not_starved_by_long_word_lists(words: Path) -> None:
    text = """
        slot Noun = noun
        phrase NP:
          it | the {Noun} by the {Noun}
        + {NP} {"is" | *"be"} .
    """
    text = "\n".join(line[8:] for line in text.splitlines())
    found = list(items(plan(grammar_from_text(text, words=words)), 101, seed=9))
    assert len({item.id for item in found}) == 101
    # The short rule has one item, which comes in the first round.
    assert sum(item.good.text.startswith("it ") for item in found[:2]) == 1


# --- how much can be asked for ----------------------------------------------------------------------------------------


def test_the_largest_sample_works_and_one_more_is_an_error(any_plan: Plan) -> None:
    sizes = Counter(cell_of(item) for item in items(any_plan))
    order = list(dict.fromkeys(cell_of(item) for item in items(any_plan, len(sizes), seed=0)))
    assert len(order) == len(sizes)
    # Rank j goes to cell j mod C: a sample of n takes ceil((n - k) / C) items of the k-th cell.
    largest = max(
        n for n in range(any_plan.items + 1)
        if all(-(-(n - k) // len(order)) <= sizes[cell] for k, cell in enumerate(order))
    )  # fmt: skip
    assert Run(any_plan, 0, 0).capacity == largest
    found = list(items(any_plan, largest, seed=8))
    assert len({item.id for item in found}) == largest
    with pytest.raises(UsageError) as caught:
        list(items(any_plan, largest + 1, seed=8))
    message = str(caught.value)
    assert f"{largest + 1:,}" in message
    assert f"{largest:,}" in message
    assert f"{any_plan.items:,}" in message
    if len(sizes) > 1:
        assert f"{min(sizes.values()):,}" in message


def test_no_items_are_no_error(any_plan: Plan) -> None:
    assert list(items(any_plan, 0)) == []


def test_a_file_of_no_items(words: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "agreement.grammar", tmp_path / "none.jsonl"
    source.write_text(AGREEMENT, "utf-8")
    arguments = ["make", str(source), "--words", str(words), "-n", "0", "--format", "items", "-o", str(target)]
    assert main([*arguments, "--quiet"]) == 0
    assert target.read_text("utf-8") == ""


def test_a_negative_count_is_an_error(any_plan: Plan) -> None:
    with pytest.raises(UsageError):
        Run(any_plan, -1, 0)


# --- seeds ------------------------------------------------------------------------------------------------------------


def test_different_seeds_differ(any_plan: Plan) -> None:
    count = min(20, Run(any_plan, 0, 0).capacity)
    samples = {tuple(item.id for item in items(any_plan, count, seed)) for seed in range(10)}
    assert len(samples) == 10


def test_the_same_seed_is_the_same_sample(any_plan: Plan, words: Path) -> None:
    name = any_plan.grammar.paradigm
    again = plan(grammar_from_text(GRAMMARS[name], name, words), any_plan.flavour)
    count = min(12, Run(any_plan, 0, 0).capacity)
    assert list(items(again, count, seed=6)) == list(items(any_plan, count, seed=6))


@pytest.mark.parametrize("name", ["agreement", "phrases"])
@pytest.mark.parametrize("amount", [["-n", "40", "--seed", "11"], ["--all"]], ids=["sample", "all"])
def test_hash_seeds_change_nothing(name: str, amount: list[str], words: Path, tmp_path: Path) -> None:
    source = tmp_path / f"{name}.grammar"
    source.write_text(GRAMMARS[name], "utf-8")
    command = [sys.executable, "-m", "generator", "make", str(source), "--words", str(words), "--flavour", "both"]
    outputs = set()
    for seed in ("0", "1", "random"):
        folder = tmp_path / f"out_{seed}"
        made = subprocess.run(
            [*command, *amount, "--format", "babeval", "-o", str(folder), "--quiet"],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        assert files
        outputs.add(b"\0".join(str(path.relative_to(folder)).encode() + b"\n" + path.read_bytes() for path in files))
    assert len(outputs) == 1


# --- shards -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", [1, 2, 3, 16, 1000])
def test_shards_join_to_the_whole(any_plan: Plan, of: int) -> None:
    for count in (None, 0, 1, 17, Run(any_plan, 0, 0).capacity):
        if count is not None and count > Run(any_plan, 0, 0).capacity:
            continue
        run = Run(any_plan, count, 2)
        parts = [list(run.shard(part, of)) for part in range(1, of + 1)]
        assert [each for part in parts for each in part] == list(run.shard())
        sizes = [len(part) for part in parts]
        assert sum(sizes) == run.count
        assert max(sizes) - min(sizes) <= 1


def test_item_shards_join_to_the_whole(any_plan: Plan) -> None:
    whole = list(items(any_plan, min(30, Run(any_plan, 0, 0).capacity), seed=1))
    parts = [list(items(any_plan, len(whole), seed=1, shard=(part, 16))) for part in range(1, 17)]
    assert [item for part in parts for item in part] == whole


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("form", ["items", "sentences", "babeval"])
@pytest.mark.parametrize("amount", [["-n", "50", "--seed", "3"], ["--all"]], ids=["sample", "all"])
def test_written_shards_join_to_the_whole(
    form: str, amount: list[str], flavour: str, words: Path, tmp_path: Path
) -> None:
    if (form, flavour) == ("sentences", "open"):
        pytest.skip("the format holds minimal pairs only")
    source = tmp_path / "agreement.grammar"
    source.write_text(AGREEMENT, "utf-8")
    arguments = ["make", str(source), "--words", str(words), "--format", form, "--flavour", flavour, "--quiet", *amount]
    assert main([*arguments, "-o", str(tmp_path / "whole.txt")]) == 0
    joined = b""
    for part in range(1, 17):
        target = tmp_path / f"part{part}.txt"
        assert main([*arguments, "--shard", f"{part}/16", "-o", str(target)]) == 0
        joined += target.read_bytes()
    assert joined == (tmp_path / "whole.txt").read_bytes() != b""


@pytest.mark.parametrize("shard", ["0/16", "17/16", "1", "a/b", "1/0", "-1/2"])
def test_a_shard_that_is_none_is_an_error(
    shard: str, words: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "agreement.grammar"
    source.write_text(AGREEMENT, "utf-8")
    made = main(["make", str(source), "--words", str(words), "-n", "4", f"--shard={shard}"])
    assert made == 2
    assert "--shard" in capsys.readouterr().err
