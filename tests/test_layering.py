"""Imports run one way: a module imports only from the stages before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# In the order of the stages; modules of one line are peers in that order too.
ORDER = (
    "_version",
    "source",
    "errors",
    "formulas",
    "trees",
    "bracketing",
    "realizing",
    "normalizing",
    "items",
    "facts",
    "nodes",
    "lexing",
    "syntax_message",
    "design_syntax",
    "brace_syntax",
    "syntax_errors",
    "tree_building",
    "parser_tables",
    "line_parsing",
    "block_parsing",
    "parsing",
    "formatting_spacing",
    "formatting_statements",
    "formatting",
    "features",
    "tag_tables",
    "conllu",
    "readers",
    "lexicon",
    "tag_checks",
    "schema_checks",
    "wordlists",
    "overlays",
    "guessing",
    "domains",
    "judged_words",
    "balancing",
    "loading",
    "mentions",
    "classes",
    "walking",
    "resolving",
    "strata",
    "selection",
    "conditions",
    "variables",
    "scopes",
    "paths",
    "agreeing",
    "drawing",
    "rendering",
    "binding",
    "expanding",
    "atoms",
    "automata",
    "licences",
    "versions",
    "counting",
    "components",
    "checking",
    "mention_checks",
    "statement_checks",
    "definition_checks",
    "construct_checks",
    "expectations",
    "design_checks",
    "static_checks",
    "leaves",
    "projecting",
    "planning",
    "ambiguity",
    "permuting",
    "sample_cells",
    "sampling",
    "masking",
    "tagging",
    "tree_making",
    "shapes",
    "item_making",
    "matching",
    "compiling",
    "leaf_text",
    "part_runs",
    "column_choice",
    "leaf_columns",
    "recognizing",
    "near_misses",
    "identifying",
    "parse_report",
    "plan_checks",
    "checks",
    "wording",
    "explaining",
    "output",
    "formatting_files",
    "writers",
    "bulk",
    "answer_files",
    "converting",
    "vocabularies",
    "repeats",
    "self_checks",
    "patterns",
    "proving",
    "inputs",
    "making",
    "sharing",
    "manifest",
    "comparing",
    "verifying",
    "differing_types",
    "differing_sides",
    "differing_listing",
    "differing_sampling",
    "differing_alignment",
    "differing_joining",
    "differing_counting",
    "differing_causes",
    "differing",
    "differing_report",
    "cli",
    "frequencies",
    "demo",
)

# The same of the scorers; `metrics`, `statistics`, `readers`, `reports`, `formulas`, `models`, `evaluate_lm` and `cli`
# are packages.
SCORERS_ORDER = (
    "_version",
    "errors",
    "items",
    "critical_words",
    "predictions",
    "judgements",
    "results",
    "grouping",
    "token_bytes",
    "measures",
    "formulas",
    "readers",
    "statistics",
    "aligning_index",
    "aligning_state",
    "aligning_lines",
    "aligning_sentences",
    "aligning_fills",
    "aligning_judgements",
    "aligning_regions",
    "aligning",
    "criteria",
    "metrics",
    "fast_files",
    "fast_numpy",
    "fast_pairs",
    "signature",
    "writing",
    "models",
    "asking",
    "running",
    "evaluate_lm",
    "predicting",
    "merging",
    "scoring",
    "reports",
    "design_rows",
    "comparing",
    "checkpoints",
    "summarizing",
    "agreeing",
    "cli",
)


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module in ("generator", "scorers"):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("path", _modules("generator"), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_arrows_run_one_way(path: Path) -> None:
    parts = path.relative_to(ROOT / "generator").with_suffix("").parts
    if parts[0] in ("__init__", "__main__"):
        return
    own = ORDER.index(parts[0])
    for name in _imports(path):
        if not name.startswith("generator."):
            assert not name.startswith("scorers"), f"{path} imports {name}"
            continue
        stage = name.split(".")[1]
        stage = {"load_grammar": "loading", "plan": "planning"}.get(stage, stage)
        assert stage in ORDER, f"'{stage}' has no place in the order"
        assert ORDER.index(stage) <= own, f"{path.name} imports '{stage}', a later stage"


def test_every_module_has_its_place() -> None:
    found = {path.relative_to(ROOT / "generator").with_suffix("").parts[0] for path in _modules("generator")}
    assert found - {"__init__", "__main__"} == set(ORDER)


@pytest.mark.parametrize("path", _modules("scorers"), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_arrows_of_the_scorers_run_one_way(path: Path) -> None:
    own = path.relative_to(ROOT / "scorers").with_suffix("").parts[0]
    if own in ("__init__", "__main__"):
        return
    for name in _imports(path):
        if not name.startswith("scorers."):
            continue
        stage = name.split(".")[1]
        if (own, stage) == ("fast_numpy", "fast_pairs"):
            continue  # a type only
        assert stage in SCORERS_ORDER, f"'{stage}' has no place in the order"
        assert SCORERS_ORDER.index(stage) <= SCORERS_ORDER.index(own), f"{path.name} imports '{stage}', a later stage"


def test_every_module_of_the_scorers_has_its_place() -> None:
    found = {path.relative_to(ROOT / "scorers").with_suffix("").parts[0] for path in _modules("scorers")}
    assert found - {"__init__", "__main__"} == set(SCORERS_ORDER)


def test_scorers_know_nothing_of_the_generator() -> None:
    for path in _modules("scorers"):
        assert not any(name.split(".")[0] == "generator" for name in _imports(path))


@pytest.mark.parametrize("path", _modules("generator") + _modules("scorers"), ids=lambda p: p.name)
def test_modules_do_one_thing(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 400
