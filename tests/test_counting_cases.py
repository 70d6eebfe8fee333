"""Cases written by hand: the second oracle, and the engine, against full lists of sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from brute_cases import CASES, ONE_STAR, OPEN
from brute_compare import check_forced, check_one_star, check_open, items_of, oracle_items, shown_items
from brute_oracle import Oracle
from brute_words import write_words


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_words(tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("name", [*CASES, *ONE_STAR])
def test_the_oracle_finds_the_items(name: str) -> None:
    text, wanted = {**CASES, **ONE_STAR}[name]
    found = oracle_items(text)
    assert sorted(shown_items(found)) == sorted(wanted)
    assert [d.level for d in found] or not wanted


@pytest.mark.parametrize("name", OPEN)
def test_the_oracle_finds_the_projections(name: str) -> None:
    text, wanted = OPEN[name]
    oracle = Oracle(text)
    crossed = [variable.removeprefix("$") for variable in oracle.grammar.cross]
    found = []
    for masked, derivations in oracle.projections().items():
        values = [dict.fromkeys(_value(d.cells[(), f"${name}"]) for d in derivations) for name in crossed]
        found.append(" ".join([masked, *("/".join(value) for value in values)]))
    assert sorted(found) == sorted(wanted)


def _value(cell: object) -> str:
    return ".".join(cell.values()) if isinstance(cell, dict) else str(cell)


@pytest.mark.parametrize("name", CASES)
def test_the_engine_finds_the_items(name: str, tiny: Path) -> None:
    text, wanted = CASES[name]
    found = check_forced(text, tiny)
    assert sorted(items_of(found)) == sorted(wanted)


@pytest.mark.parametrize("name", ONE_STAR)
def test_the_engine_keeps_one_star(name: str, tiny: Path) -> None:
    check_one_star(ONE_STAR[name][0], tiny)


@pytest.mark.parametrize("name", OPEN)
def test_the_engine_finds_the_projections(name: str, tiny: Path) -> None:
    text, wanted = OPEN[name]
    found = check_open(text, tiny)
    shown = [" ".join([item.good.text, *(value for _, value in item.crossed)]) for item in found]
    assert sorted(shown) == sorted(wanted)
