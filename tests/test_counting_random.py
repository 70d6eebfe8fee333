"""A thousand random small grammars over all constructs: the engine and the second oracle agree, number by number."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from brute_compare import check_forced, check_one_star, check_open
from brute_pieces import CONSTRUCTS
from brute_random import constructs_of, grammar_of
from brute_words import write_words

GRAMMARS = 1_000
PARTS = 10
EACH = 50


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_words(tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("part", range(PARTS))
def test_random_grammars(part: int, tiny: Path) -> None:
    for number in range(part, GRAMMARS, PARTS):
        grammar = grammar_of(number)
        try:
            if grammar.one_star:
                check_one_star(grammar.text, tiny)
            else:
                check_forced(grammar.text, tiny, [grammar.items])
            if grammar.projections is not None:
                check_open(grammar.text, tiny, [grammar.projections])
        except Exception as error:
            error.add_note(f"random grammar {number}:\n{grammar.text}")
            raise


def test_each_construct_stands_in_fifty_grammars() -> None:
    """None of them is empty: the parts above have listed their items."""
    counted = Counter(name for number in range(GRAMMARS) for name in constructs_of(number))
    assert not {name: counted[name] for name in CONSTRUCTS if counted[name] < EACH}


def test_the_oracle_shares_no_code_with_the_engine() -> None:
    for path in Path(__file__).parent.glob("brute_*.py"):
        imported = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module).partition(".")[0])
        assert "generator" not in imported or path.stem == "brute_compare", path
