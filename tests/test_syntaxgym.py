"""SyntaxGym suites: the published ones read completely, ours written so that they read back the same."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import forced_plan

from generator.cli.common import shipped_folder
from generator.errors import DataError
from generator.item_making import items
from generator.items import Item
from generator.loading import grammar_from_text
from generator.planning import plan
from generator.readers.base import Source
from generator.readers.suite_formulas import FormulaError, parse_formula, print_formula
from generator.readers.syntaxgym import READER
from generator.realizing import STYLES
from generator.writers.base import FormatError
from generator.writers.syntaxgym import FORMAT

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
SUITES = sorted((REFERENCE / "syntaxgym").glob("*.json"))

DESIGN = """\
paradigm design
slot Head = noun "author" | noun "pilot"
slot Be   = auxiliary "be" past
factor match  = match | *mismatch
factor number = sing $n sg | plural $n pl
+ the {Head $n} [verb: {match: match Be $n | mismatch Be !$n}] good .
"""


def _document(made: list[Item]) -> Iterator[str]:
    assert FORMAT.document is not None
    return FORMAT.document(made)


def _made(text: str, style: Any = "ptb") -> list[Item]:
    return list(items(plan(grammar_from_text(text)), style=style))


def _suite(text: str, style: Any = "ptb") -> dict[str, Any]:
    suite: dict[str, Any] = json.loads("".join(_document(_made(text, style))))
    return suite


def _read(text: str) -> tuple[list[Item], list[str]]:
    source = Source("suite.json", text=text)
    found = list(READER.read(source))
    source.findings.require_none()
    return found, source.findings.warnings


def _formulas(suite: dict[str, Any]) -> list[str]:
    return [prediction["formula"] for prediction in suite["predictions"]]


def _contents(suite: dict[str, Any], item: int = 0, condition: int = 0) -> list[str]:
    return [region["content"] for region in suite["items"][item]["conditions"][condition]["regions"]]


# --- published suites -------------------------------------------------------------------------------------------

# grep -c item_number FILE; grep -c condition_name FILE; contents with spaces around them counted by
# grep -cE '"content": "( [^"]*|[^"]* )"' FILE
PUBLISHED = {
    "center_embed": (28, 56, 0),
    "cleft": (40, 160, 0),
    "fgd_subject": (24, 96, 0),
    "mvrr": (28, 112, 0),
    "npi_src_any": (38, 152, 0),
    "npz_ambig": (24, 96, 256),
    "number_prep": (19, 76, 0),
    "reflexive_orc_fem": (19, 76, 0),
    "subordination": (23, 92, 0),
}


@pytest.mark.reference
@pytest.mark.skipif(not REFERENCE.is_dir(), reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_suites_are_read_whole_and_written_the_same(name: str) -> None:
    path = REFERENCE / "syntaxgym" / f"{name}.json"
    source = Source(path.name, path)
    assert READER.detect(source)
    found = list(READER.read(source))
    source.findings.require_none()
    count, conditions, edges = PUBLISHED[name]
    assert len(found) == count
    assert sum(len(item.conditions) for item in found) == conditions
    (brackets,) = [warning for warning in source.findings.warnings if "[ ]" in warning]
    assert brackets.startswith(f"{path.name}:")
    assert [w for w in source.findings.warnings if "spaces around" in w and f"{edges - 1} more" in w] or not edges

    raw = json.loads(path.read_text("utf-8"))
    for item, record in zip(found, raw["items"], strict=True):
        for made, given_condition in zip(item.conditions, record["conditions"], strict=True):
            contents = [region["content"].strip() for region in given_condition["regions"]]
            assert made.text == " ".join(content for content in contents if content)
            assert [made.text[r.start : r.end] for r in made.sentence.regions] == contents
            assert [r.name for r in made.sentence.regions] == list(raw["region_meta"].values())
            assert made.acceptable is None
    lines = path.read_text("utf-8").splitlines()
    assert all('"item_number"' in lines[item.line - 1] for item in found)

    written = "".join(_document(found))
    again, _ = _read(written)
    assert [dataclasses.replace(item, line=0) for item in again] == [dataclasses.replace(i, line=0) for i in found]
    suite = json.loads(written)
    assert suite["meta"] == raw["meta"]
    assert suite["region_meta"] == raw["region_meta"]
    assert len(suite["predictions"]) == len(raw["predictions"])
    assert not any(set("[]") & set(formula) for formula in _formulas(suite))


# --- written suites ---------------------------------------------------------------------------------------------


def test_a_design_has_its_regions_and_expectations() -> None:
    text = (
        DESIGN
        + "expect sing: (match, sing).verb < (mismatch, sing).verb\nexpect whole: (match,sing) < (mismatch,sing)\n"
    )
    suite = _suite(text)
    assert suite["meta"]["name"] == "design"
    assert suite["meta"]["metric"] == "sum"
    assert suite["region_meta"] == {"1": "r1", "2": "verb", "3": "r3"}
    assert _contents(suite) == ["The author", "was", "good ."]
    assert _formulas(suite) == [
        "(2;%match_sing%) < (2;%mismatch_sing%)",
        "(*;%match_sing%) < (*;%mismatch_sing%)",
    ]
    names = [condition["condition_name"] for condition in suite["items"][0]["conditions"]]
    assert names == ["match_sing", "match_plural", "mismatch_sing", "mismatch_plural"]
    assert [item["item_number"] for item in suite["items"]] == [1, 2]


def test_without_expectations_each_starred_sentence_is_more_surprising() -> None:
    assert _formulas(_suite(DESIGN)) == [
        "(*;%mismatch_sing%) > (*;%match_sing%)",
        "(*;%mismatch_plural%) > (*;%match_plural%)",
    ]


@pytest.mark.parametrize(
    ("expect", "formula"),
    [
        ("(match,sing).verb < (mismatch,sing).verb within 0.5", "(2;%match_sing%) < ((2;%mismatch_sing%) + 0.5)"),
        ("(match,sing).verb > (mismatch,sing).verb within 2", "(2;%match_sing%) > ((2;%mismatch_sing%) - 2)"),
        ("(match,sing).verb = (mismatch,sing).verb", "(2;%match_sing%) = (2;%mismatch_sing%)"),
        (
            "(match,sing).verb = (mismatch,sing).verb within 0.5",
            "(((2;%match_sing%) - (2;%mismatch_sing%)) < 0.5) & (((2;%mismatch_sing%) - (2;%match_sing%)) < 0.5)",
        ),
        (
            "not (match,sing).verb = (mismatch,sing).verb within 0.5",
            "(((2;%match_sing%) - (2;%mismatch_sing%)) > 0.5) | (((2;%mismatch_sing%) - (2;%match_sing%)) > 0.5)",
        ),
        (
            "((match,sing).verb > 1 or (match,sing) > 2) and (match,plural) > 3",
            "(((2;%match_sing%) > 1) | ((*;%match_sing%) > 2)) & ((*;%match_plural%) > 3)",
        ),
    ],
)
def test_formulas_say_what_expectations_say(expect: str, formula: str) -> None:
    assert _formulas(_suite(f"{DESIGN}expect one: {expect}\n")) == [formula]


def test_a_negation_is_refused_by_name() -> None:
    with pytest.raises(FormatError, match=r"expectation 'one'.*cannot say 'not'"):
        _suite(f"{DESIGN}expect one: not (match,sing).verb < (mismatch,sing).verb\n")


def test_a_measured_region_in_another_cuts_it() -> None:
    text = DESIGN.replace("[verb: {match:", "[vp: truly [verb: {match:").replace("good .", "good] .")
    text += "expect inner: (match, sing).verb < (mismatch, sing).verb\n"
    text += "expect outer: (match, sing).vp < (mismatch, sing).vp\n"
    suite = _suite(text)
    assert list(suite["region_meta"].values()) == ["r1", "r2", "verb", "r4", "r5"]
    assert _contents(suite) == ["The author", "truly", "was", "good", "."]
    inner, outer = _formulas(suite)
    assert inner == "(3;%match_sing%) < (3;%mismatch_sing%)"
    assert outer.split(" < ")[0] == "((2;%match_sing%) + (3;%match_sing%) + (4;%match_sing%))"


def test_empty_regions_stay_and_text_between_regions_gets_one() -> None:
    text = """\
paradigm gaps
slot N = "Ann" | "Bo"
factor comma = comma | none
+ {N} [mark: {comma: comma "," | none ""}] left {comma: comma "soon" | none ""} .
"""
    suite = _suite(text)
    assert list(suite["region_meta"].values()) == ["r1", "mark", "r3"]
    assert _contents(suite, 0, 0) == ["Ann", ",", "left soon ."]
    assert _contents(suite, 0, 1) == ["Ann", "", "left ."]


def test_marks_of_prose_cling_to_the_region_before_them() -> None:
    text = 'paradigm p\nslot N = "Ann"\n+ {N} [verb: {"sleeps" | *"sleep"}] .\n'
    suite = _suite(text, "prose")
    assert list(suite["region_meta"].values()) == ["r1", "verb"]
    assert _contents(suite) == ["Ann", "sleeps."]


def test_regions_that_meet_in_a_word_are_refused() -> None:
    text = 'paradigm p\nslot N = "Ann" | "Bo"\n+ [a: {N}][b: {"\'s" | *"s"}] here .\n'
    with pytest.raises(FormatError, match="meet in a word"):
        _suite(text, "tokens")
    assert _contents(_suite(text.replace("][", "] ["), "tokens"))[:2] == ["Ann", "'s"]


def test_every_pair_is_an_item() -> None:
    suite = _suite('paradigm p\nslot N = "Ann" | "Bo"\n+ {N} {"is" | *"are" | *"am"} here .\n')
    assert [item["item_number"] for item in suite["items"]] == [1, 2, 3, 4]
    assert {c["condition_name"] for item in suite["items"] for c in item["conditions"]} == {"acceptable", "starred"}
    assert [_contents(suite, n, 1)[1] for n in range(4)] == ["are", "am", "are", "am"]


def test_pairs_of_templates_with_other_regions_are_one_region() -> None:
    suite = _suite(
        'paradigm p\nslot N = "Ann"\nslot M = "Bo"\n+ {N} {"is" | *"are"} here .\n+ so {M} {"is" | *"are"} .\n'
    )
    assert suite["region_meta"] == {"1": "sentence"}
    assert [_contents(suite, n) for n in range(2)] == [["Ann is here ."], ["So Bo is ."]]


def test_designs_of_templates_with_other_regions_are_refused() -> None:
    text = DESIGN + "+ the {Head $n} [be: {match: match Be $n | mismatch Be !$n}] bad .\n"
    with pytest.raises(FormatError, match=r"found \[be\].*expected \[verb\]"):
        _suite(text)


def test_condition_names_of_other_letters_are_refused() -> None:
    with pytest.raises(FormatError, match="größe_sing"):
        _suite(DESIGN.replace("= match |", "= größe |").replace(": match Be", ": größe Be"))


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(shipped_folder().glob("*/*/*.grammar")) if path.parent.name != "lib"],
    ids=lambda path: path.stem,
)
def test_shipped_grammars_read_back(path: Path) -> None:
    # The styles take turns.
    style: Any = STYLES[len(path.stem) % 3]
    made = list(items(forced_plan(path), count=12, style=style))
    written = "".join(_document(made))
    again, warnings = _read(written)
    assert not warnings
    if made[0].conditions[0].levels:
        assert [[c.text for c in item.conditions] for item in again] == [[c.text for c in i.conditions] for i in made]
        assert again[0].expectations == dict(zip(again[0].expectations, made[0].expectations.values(), strict=True))
    else:
        pairs = [pair for item in made for pair in item.pairs]
        assert [(item.good.text, item.pairs[0][2].text) for item in again] == [(g.text, b.text) for _, g, b in pairs]
    assert "".join(_document(again)) == written


# --- what is wrong with a suite ---------------------------------------------------------------------------------


def _broken(**changes: Any) -> str:
    suite = _suite(DESIGN)
    suite.update(changes)
    return json.dumps(suite, indent=1)


def _errors(text: str) -> str:
    with pytest.raises(DataError) as caught:
        _read(text)
    return str(caught.value)


def test_all_problems_are_reported_with_their_lines() -> None:
    suite = _suite(DESIGN)
    suite["predictions"] += [{"type": "formula", "formula": "(1;%match_sing%) < (1;%match_plural%) < 3"}]
    suite["predictions"].append({"type": "other", "formula": ""})
    suite["items"][0]["conditions"][1]["regions"].pop()
    suite["items"][1]["conditions"][2]["regions"][0]["content"] = 5
    text = json.dumps(suite, indent=1)
    message = _errors(text)
    assert message.count("\n") == 3
    assert "chained comparison 'a < b < c': write (a < b) & (b < c)" in message
    assert "found the regions 1, 2, expected 1 to 3" in message
    lines = text.splitlines()
    for line, problem in re.findall(r"suite\.json:(\d+): item (\d)", message):
        assert f'"item_number": {problem}' in lines[int(line) - 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "suite.json:1: no JSON"),
        ("[]", "expected an object with 'meta'"),
        (_broken(items=3), "'items': found 3, expected a list"),
        (_broken(items=[]), "'items' is empty"),
        (_broken(meta={"name": "x", "metric": "summ"}), "unknown metric \"summ\": did you mean 'sum'?"),
        (_broken(region_meta={"1": "a", "3": "b"}), "found the numbers [1, 3], expected 1, 2, 3"),
        (_broken(items=[{"item_number": 1, "conditions": [{"condition_name": "a b", "regions": []}]}]), '"a b"'),
    ],
)
def test_malformed_suites(text: str, expected: str) -> None:
    assert expected in _errors(text)


def test_a_condition_that_an_item_lacks() -> None:
    suite = _suite(DESIGN)
    suite["items"][1]["conditions"].pop()
    assert "found the conditions 'match_sing', 'match_plural', 'mismatch_sing', expected" in _errors(json.dumps(suite))


# --- formulas ---------------------------------------------------------------------------------------------------

REGIONS = {1: "a", 2: "b"}
NAMES = ("x", "y-1")

_measures = st.builds(
    lambda condition, region: {"condition": condition, **({"region": region} if region else {})},
    st.sampled_from(NAMES),
    st.sampled_from(["", "a", "b"]),
)
_numbers = st.integers(0, 10**6).map(lambda n: n / 1000)
_quantities: Any = st.recursive(
    _measures | _numbers,
    lambda inner: st.builds(lambda sign, a, b: {sign: [a, b]}, st.sampled_from("+-"), inner, inner),
    max_leaves=5,
)
_formula_trees: Any = st.recursive(
    st.builds(lambda sign, a, b: {sign: [a, b]}, st.sampled_from("<>="), _quantities, _quantities),
    lambda inner: st.builds(
        lambda name, parts: {name: parts}, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3)
    ),
    max_leaves=6,
)


@given(_formula_trees)
def test_formulas_read_back(tree: Any) -> None:
    text = print_formula(tree, lambda name: [number for number, known in REGIONS.items() if known == name])
    parsed = parse_formula(text, REGIONS, NAMES)
    assert parsed.tree == tree
    assert not parsed.has_brackets
    assert not parsed.is_mixed


def test_operators_bind_as_in_syntaxgym() -> None:
    parsed = parse_formula("(1;%x%) - 1 + (2;%x%) < 3 & (*;%x%) > -2 | 1 < 2", REGIONS, NAMES)
    first = {"<": [{"+": [{"-": [{"condition": "x", "region": "a"}, 1]}, {"condition": "x", "region": "b"}]}, 3]}
    assert parsed.tree == {"or": [{"and": [first, {">": [{"condition": "x"}, -2]}]}, {"<": [1, 2]}]}
    assert parsed.is_mixed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "found the end"),
        ("(1;%x%)", "compares nothing"),
        ("(1;%x%) < ", "found the end, expected a region"),
        ("(1;%z%) < 1", "no condition 'z'"),
        ("(7;%x%) < 1", "no region 7"),
        ("((1;%x%) < 1", "a closing ')'"),
        ("(1;%x%) < 1 & 2", "joins comparisons"),
        ("(1 < 2) < 3", "takes quantities"),
        ("(1 < 2) + 3 < 1", "takes quantities"),
        ("1e999 < 1", "too large"),
        ("(" * 5000 + "1" + ")" * 5000 + " < 1", "nested too deeply"),
    ],
)
def test_malformed_formulas(text: str, expected: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(expected)):
        parse_formula(text, REGIONS, NAMES)
