"""Samples woven of columns: byte for byte what the formats write item by item, from the first block on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from brute_force import write_words
from brute_random import grammar_of
from brute_words import write_words as write_tiny_words
from test_bulk import ODD, SWAPPED, TEXTUAL, TIED, plans, same

from generator import bulk, leaf_columns, part_runs, sampling
from generator.column_choice import Choice
from generator.compiling import Compiler
from generator.leaf_columns import LeafColumns, Woven
from generator.leaf_text import LeafText
from generator.loading import grammar_from_text
from generator.part_runs import PartRuns
from generator.planning import plan
from generator.realizing import STYLES, Style
from generator.sampling import Run
from generator.writers import find_format
from generator.writers.base import Format

ARTICLES = """
paradigm articles
slot Noun = noun
slot Adjective = adjective
slot Part = particle
+ a {Noun sg} {"near" | "behind"} an {Adjective} {Noun sg} {"is" | *"are"} {Part} .
"""

CROSSED = """
paradigm crossed
slot Noun = noun
slot Be = auxiliary "be" pres
+ the {Noun $n} near {Noun $m} {Be $n | *Be !$n} {"here" | "in it"} .
cross $n, $m
target Be
"""

ONE_STAR = """
paradigm one_star
slot Noun = noun
+ the {x=Noun sg} {"is" | *{"are" | "be" | "am"}} by {y=Noun} near {z=Noun} .
one star
"""

TEXTS = {
    "tied": TIED, "swapped": SWAPPED, "odd": ODD, "articles": ARTICLES, "crossed": CROSSED, "one_star": ONE_STAR,
}  # fmt: skip


@pytest.fixture(scope="session")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_words(tmp_path_factory.mktemp("words"))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_words(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def woven(monkeypatch: pytest.MonkeyPatch) -> list[Woven]:
    """Columns are used as soon as they can be; what is woven of them."""
    found: list[Woven] = []
    real = LeafColumns._woven

    def spied(self: LeafColumns, *given: Any) -> Woven:
        found.append(real(self, *given))
        return found[-1]

    monkeypatch.setattr(LeafColumns, "_woven", spied)
    monkeypatch.setattr(leaf_columns, "_PER_RUN", 0)
    monkeypatch.setattr(leaf_columns, "_PER_FRAME", 0)
    monkeypatch.setattr(sampling, "BLOCK", 16)
    return found


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("form", TEXTUAL, ids=lambda form: form.name)
@pytest.mark.parametrize("name", TEXTS)
def test_woven_samples(name: str, form: Format, style: Style, words: Path, woven: list[Woven]) -> None:
    for flavour, found in plans(TEXTS[name], name, words).items():
        if flavour in form.flavours:
            capacity = Run(found, 0, 3).capacity
            same(found, capacity, (1, 1), form, style, 120)
            same(found, capacity, (2, 3), form, style, 120)
    if form.name == "zorro" and name == "articles":
        assert woven


def test_words_that_stand_at_different_places(words: Path, woven: list[Woven], monkeypatch: pytest.MonkeyPatch) -> None:
    """Some words are constants of their lines, others are not: each such line has columns of its own."""
    asked: list[int] = []
    real = Choice.patterns

    def spied(self: Choice, digits: Any) -> list[int]:
        asked.extend(real(self, digits))
        return real(self, digits)

    monkeypatch.setattr(Choice, "patterns", spied)
    found = plan(grammar_from_text(ODD, "odd", words))
    form = find_format("blimp")
    assert same(found, Run(found, 0, 3).capacity, (1, 1), form, form.style, 400)
    assert len(set(asked)) > 1


def test_items_of_one_star_are_written_from_frames(words: Path) -> None:
    found = plan(grammar_from_text(ONE_STAR, "one_star", words))
    form = find_format("blimp")
    assert form.lines is not None
    compiler = Compiler(found, form.lines, form.compares, form.style)
    alone: list[int] = []
    real = compiler.alone

    def spied(leaf: Any, template: Any, number: int, own: Any) -> Any:
        alone.append(number)
        return real(leaf, template, number, own)

    compiler.alone = spied  # type: ignore[method-assign]
    made = [each for block in bulk.made_blocks(compiler, Run(found, 600, 3), (1, 1)) for each in block]
    assert len(made) == 600
    assert len(alone) < 200
    assert {word for word in ("are", "be", "am") if any(f" {word} by " in text for text, _, _ in made)} == {
        "are", "be", "am",
    }  # fmt: skip


@pytest.mark.parametrize("limit", [0, 10**6])
def test_runs_of_a_large_component(
    limit: int, words: Path, woven: list[Woven], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many runs: items are made from rows."""
    monkeypatch.setattr(part_runs, "_MOST_RUNS", limit)
    found = plan(grammar_from_text(ARTICLES, "articles", words))
    for form in (find_format("zorro"), find_format("blimp")):
        assert same(found, Run(found, 0, 3).capacity, (1, 1), form, form.style, 300)
    assert woven or not limit


def test_far_too_many_runs_are_not_read(words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = plan(grammar_from_text(ARTICLES, "articles", words))
    form = find_format("zorro")
    assert form.lines is not None
    compiler = Compiler(found, form.lines, form.compares, form.style)
    place = Run(found, 1, 1).block(0, 1, lambda place, numbers: [place])[0]
    part = max(LeafText(compiler, place).parts, key=lambda part: part.size)
    every = PartRuns(part, part.size)
    assert every.is_complete
    monkeypatch.setattr(part_runs, "_FIRST_RUNS", 2)
    few = PartRuns(part, len(every.before) // 4)
    assert not few.is_complete
    assert len(few.before) < len(every.before) // 4


@pytest.mark.parametrize("part", range(2))
def test_random_grammars_are_woven(part: int, tiny: Path, woven: list[Woven]) -> None:
    for number in range(part, 80, 4):
        for flavour, found in plans(grammar_of(number).text, "random", tiny).items():
            if not 0 < found.items < 5000:
                continue
            forms = [form for form in TEXTUAL if flavour in form.flavours]
            form = forms[number // 4 % len(forms)]
            same(found, Run(found, 0, 3).capacity, (1, 1), form, STYLES[number % 3], 150)
    assert woven


def test_texts_are_taken_apart_where_leaves_take_turns() -> None:
    made = Woven([["a", "b"], ["c", "d"]], 2)
    assert made.text() == "acbd"
    assert list(made) == ["ac", "bd"]
    assert made[1] == "bd"
    assert len(made) == 2
