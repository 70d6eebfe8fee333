"""Formulas: what is read, what is refused and where, and when one holds."""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.errors import Findings, InputError
from scorers.formulas.evaluation import evaluate
from scorers.formulas.nodes import Arithmetic, Comparison, Formula, Joined, Measured, Negation, Number, measures
from scorers.formulas.syntax import parse_formula, print_formula, read_formula
from scorers.formulas.trees import TreeError, from_tree, to_tree

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
SUITES = sorted((REFERENCE / "syntaxgym").glob("*.json"))

A, B, C = Measured("a"), Measured("b"), Measured("c")


def holds(text: str, **bits: float) -> bool | None:
    """Whether a formula over whole sentences holds; a keyword is a condition."""
    return evaluate(parse_formula(text), {name: {"*": value} for name, value in bits.items()}).holds


# Reading


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("(6;%match_sing%) < (06;%x-y%)", Comparison("<", Measured("match_sing", "6"), Measured("x-y", "6"))),
        ("( * ; % a % )>(*;%b%)", Comparison(">", A, B)),
        ("(Ambiguous verb;%a%) < 3", Comparison("<", Measured("a", "Ambiguous verb"), Number(3))),
        ("(match, sing).verb < match_sing", Comparison("<", Measured("match_sing", "verb"), Measured("match_sing"))),
        ("(match).verb < (match)", Comparison("<", Measured("match", "verb"), Measured("match"))),
        ("a.* = b within 0.5", Comparison("=", A, B, 0.5)),
        ("a < b within 0", Comparison("<", A, B, 0)),
        ("a - b + c > -1.5e1", Comparison(">", Arithmetic("+", Arithmetic("-", A, B), C), Number(-15))),
        ("a - (b + c) > +2", Comparison(">", Arithmetic("-", A, Arithmetic("+", B, C)), Number(2))),
        ("[a-3]<[(b)]", Comparison("<", Arithmetic("-", A, Number(3)), B)),
        ("not a < b", Negation(Comparison("<", A, B))),
        ("not not [a < b]", Negation(Negation(Comparison("<", A, B)))),
        ("not a < b & b < c", Joined("&", (Negation(Comparison("<", A, B)), Comparison("<", B, C)))),
        ("a<b and b<c & a<c", Joined("&", (Comparison("<", A, B), Comparison("<", B, C), Comparison("<", A, C)))),
        (
            "a < b or (b < c & a = c)",
            Joined("|", (Comparison("<", A, B), Joined("&", (Comparison("<", B, C), Comparison("=", A, C))))),
        ),
        ("android < not_x", Comparison("<", Measured("android"), Measured("not_x"))),
        ("příčina.č < a\n", Comparison("<", Measured("příčina", "č"), A)),
        ('{"<": [{"condition": "a"}, {"condition": "b"}]}', Comparison("<", A, B)),
    ],
)
def test_reading(text: str, formula: Formula) -> None:
    assert parse_formula(text) == formula
    assert parse_formula(print_formula(formula)) == formula
    assert from_tree(json.loads(json.dumps(to_tree(formula)))) == formula


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a < b < c", 7, "a chained comparison: a < b < c"),
        ("(6;%a%) = (6;%b%) > (6;%c%)", 19, "a chained comparison: a = b > c"),
        ("a<b & b<c | a<c", 11, "& and | are mixed"),
        ("a<b or b<c and a<c or a<b", 12, "& and | are mixed"),
        ("[a<b | b<c & a<c] & a<b", 12, "& and | are mixed"),
        ("a", 1, "compares nothing"),
        ("(a - b)", 1, "compares nothing"),
        ("not a", 5, "'not' takes a comparison"),
        ("a < b & c", 9, "'&' joins comparisons"),
        ("a + (b < c) < 3", 5, "'+' takes quantities"),
        ("(a < b) < c", 1, "'<' takes quantities"),
        ("a within 2 < b", 12, "found '<', expected an operator"),
        ("a within 2", 3, "'within' without a comparison"),
        ("a = b within -1", 14, "none below zero"),
        ("a = b within c", 14, "'within' takes a number"),
        ("a <", 4, "found the end of the formula, expected a region"),
        ("", 1, "found the end of the formula, expected a region"),
        ("a < b)", 6, "found ')'"),
        ("[a < b)", 7, "found ')', expected ']'"),
        ("(a, b < c", 7, "expected ',' or ')'"),
        ("a. < b", 4, "expected a name"),
        ("(a < b).x < 2", 8, "'.' follows a condition"),
        ("a - - < b", 7, "expected"),
        ("a ! b", 3, "found '!'"),
        ("(6;%a%) (6;%b%)", 9, "expected an operator"),
        ("1 < 1e999", 5, "too large"),
        ("a <\n b < c", 8, "chained"),
        ('{"<": [1]}', 1, "'<' takes two quantities"),
        ('{"<": [1,', 10, "as JSON"),
        ("(" * 200 + "a < b" + ")" * 200, 1, "nested more than"),
        ("a" + " + a" * 300 + " < b", 1, "more than 200 signs"),
        ("not " * 200 + "a < b", 1, "nested more than"),
        ('{"not": ' * 300 + '{"<": [1, 2]}' + "}" * 300, 1, "nested more than"),
        ('{"not": ' * 9000 + '{"<": [1, 2]}' + "}" * 9000, 1, "nested"),
        (f"({'9' * 5000};%a%) < ", 5009, "the end"),
    ],
)
def test_refusals_have_a_caret(text: str, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_formula(text, "suite.json", 12)
    (finding, *others) = caught.value.findings
    assert not others
    assert message in finding.message
    assert (finding.file, finding.line, finding.column) == ("suite.json", 12, column)
    if text:
        shown = finding.render().splitlines()
        assert shown[2].index("^") == 3 + column - 1
        assert "\n" not in finding.text


def test_several_errors_of_a_formula_are_found_together() -> None:
    with pytest.raises(InputError) as caught:
        parse_formula("(a < b < c) & not a & (a = b within c)")
    assert [finding.column for finding in caught.value.findings] == [8, 19, 37]


def test_the_hint_shows_both_groupings() -> None:
    with pytest.raises(InputError) as caught:
        parse_formula("a<b | b<c & a<c")
    assert caught.value.findings[0].hint == "write [A | B] & C or A | [B & C]"


@pytest.mark.parametrize(
    "tree",
    [
        3,
        {},
        {"<": [1, 2], ">": [1, 2]},
        {"and": [{"<": [1, 2]}]},
        {"not": 1},
        {"not": {"<": [1, 2]}, "within": 1},
        {"<": [1, True]},
        {"<": [1, math.inf]},
        {"<": [1, {"condition": ""}]},
        {"<": [1, {"condition": "a", "region": ""}]},
        {"<": [1, {"condition": "a", "regions": "b"}]},
        {"<": [1, {"*": [1, 2]}]},
        {"<": [1, {"+": [1]}]},
        {"<": [1, 2], "within": -1},
        {"<": [1, 2], "within": "1"},
    ],
)
def test_trees_that_are_no_formulas(tree: Any) -> None:
    with pytest.raises(TreeError, match=r"expected|takes|stands"):
        from_tree(tree)


NAMES = st.sampled_from(["a", "match_sing", "x-y", "and", "no-sub_no-matrix", "č"])
REGIONS = st.sampled_from(["*", "6", "verb", "Ambiguous verb", "not", "r.1"])
NUMBERS = st.floats(-1e6, 1e6).map(Number)
QUANTITIES = st.recursive(
    st.builds(Measured, NAMES, REGIONS) | NUMBERS,
    lambda inner: st.builds(Arithmetic, st.sampled_from(["+", "-"]), inner, inner),
    max_leaves=6,
)
COMPARISONS = st.builds(
    Comparison, st.sampled_from(["<", ">", "="]), QUANTITIES, QUANTITIES, st.none() | st.floats(0, 100)
)
FORMULAS = st.recursive(
    COMPARISONS,
    lambda inner: (
        st.builds(Negation, inner)
        | st.builds(Joined, st.sampled_from(["&", "|"]), st.lists(inner, min_size=2, max_size=3).map(tuple))
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(FORMULAS)
def test_printed_formulas_are_read_as_the_same(formula: Formula) -> None:
    text = print_formula(formula)
    assert parse_formula(text) == formula
    assert from_tree(to_tree(formula)) == formula
    assert parse_formula(json.dumps(to_tree(formula))) == formula
    swapped = text.translate(str.maketrans("()", "[]"))
    if "%" not in text:
        assert parse_formula(swapped) == formula


@settings(deadline=None)
@given(st.text(alphabet="ab.()[];%6*<>=&|+- notwithin,", max_size=25))
def test_any_text_is_read_or_refused(text: str) -> None:
    findings = Findings()
    formula = read_formula(text, findings)
    if formula is None:
        assert findings.errors
    else:
        assert not len(findings)
        assert parse_formula(print_formula(formula)) == formula


def test_words_of_the_grammar_are_printed_as_conditions() -> None:
    formula = Comparison("<", Measured("not"), Measured("not", "and"))
    assert print_formula(formula) == "(*;%not%) < (and;%not%)"
    assert parse_formula(print_formula(formula)) == formula


def test_what_no_formula_can_name() -> None:
    with pytest.raises(ValueError, match="no formula can name"):
        print_formula(Comparison("<", Measured("a", "%"), Number(1)))


def test_measures_are_listed_once_in_order() -> None:
    formula = parse_formula("c.x - a.x < b.x & not (a.x + b.y > c.x)")
    assert [(found.condition, found.region) for found in measures(formula)] == [
        ("c", "x"),
        ("a", "x"),
        ("b", "x"),
        ("b", "y"),
    ]


# Truth tables


@pytest.mark.parametrize(
    ("text", "table"),
    [
        # p is a < 0, q is b < 0, r is c < 0; rows from (true, true, true), the last fastest, to (false, false, false).
        ("a<0 & b<0", "11000000"),
        ("a<0 | b<0", "11111100"),
        ("not a<0", "00001111"),
        ("not a<0 & b<0", "00001100"),
        ("not (a<0 & b<0)", "00111111"),
        ("not a<0 | b<0", "11001111"),
        ("a<0 & b<0 & c<0", "10000000"),
        ("a<0 | b<0 | c<0", "11111110"),
        ("[a<0 & b<0] | c<0", "11101010"),
        ("a<0 & [b<0 | c<0]", "11100000"),
        ("(a<0 | b<0) & c<0", "10101000"),
        ("a<0 | (b<0 & c<0)", "11111000"),
        ("not [a<0 | (not b<0 & c<0)]", "00001101"),
    ],
)
def test_truth_tables(text: str, table: str) -> None:
    rows = itertools.product((-1.0, 1.0), repeat=3)
    assert table == "".join(str(int(bool(holds(text, a=a, b=b, c=c)))) for a, b, c in rows)


@pytest.mark.parametrize(
    ("text", "a", "b", "expected"),
    [
        ("a < b", 1, 2, True),
        ("a < b", 2, 2, False),
        ("a < b", 3, 2, False),
        ("a > b", 3, 2, True),
        ("a > b", 2, 2, False),
        ("a = b", 2, 2, True),
        # |a - b| <= 0.001 + 0.00001 |b|
        ("a = b", 2.0010, 2, True),
        ("a = b", 2.0011, 2, False),
        ("a = b", 1000.0105, 1000, True),
        ("a = b", 1000.0115, 1000, False),
        ("a = b within 0.5", 2.5, 2, True),
        ("a = b within 0.5", 1.5, 2, True),
        ("a = b within 0.5", 2.51, 2, False),
        ("a = b within 0", 2.0001, 2, False),
        ("a < b within 0.5", 2.49, 2, True),
        ("a < b within 0.5", 2.5, 2, False),
        ("a > b within 0.5", 1.51, 2, True),
        ("a > b within 0.5", 1.5, 2, False),
        ("a - b > 1", 3.5, 2, True),
        ("1 < a - b", 3, 2, False),
        ("a - b - b = 0", 4, 2, True),
        ("a - (b - b) = 4", 4, 2, True),
        ("a + b - 1 = 5", 4, 2, True),
        ("a < b", math.inf, 2, False),
        ("a > b", math.inf, 2, True),
    ],
)
def test_comparisons(text: str, a: float, b: float, expected: bool) -> None:
    assert holds(text, a=a, b=b) is expected


def test_differences_point_where_the_formula_does() -> None:
    values = {"a": {"x": 1.0}, "b": {"x": 4.0}}
    outcome = evaluate(parse_formula("a.x < b.x & b.x > a.x & [a.x = b.x | not a.x > b.x]"), values)
    assert outcome.differences == (3, 3, -3, -3)
    assert outcome.holds


def test_missing_numbers_give_no_verdict() -> None:
    values = {"a": {"x": 1.0, "*": 5.0}, "b": {"x": math.nan}}
    outcome = evaluate(parse_formula("a.x < b.x & a.x < c.x & a.y < 1 & a > 1 & b > 1"), values)
    assert outcome.holds is None
    assert outcome.differences == (None, None, None, 4, None)
    assert outcome.reason.split("; ") == [
        "no number for the region 'x' of the condition 'b'",
        "no numbers for the condition 'c'",
        "no number for the region 'y' of the condition 'a'",
        "no number for the whole sentence of the condition 'b'",
    ]
    # A side that would decide alone does not: the item counts as a whole.
    assert evaluate(parse_formula("a.x < 2 | c.x < 2"), values).holds is None
    both = evaluate(parse_formula("a < b"), {"a": {"*": math.inf}, "b": {"*": math.inf}})
    assert both.holds is None
    assert "infinite" in both.reason


@pytest.mark.parametrize(
    ("metric", "bits"), [("sum", 13.0), ("mean", 3.25), ("median", 2.5), ("range", 6.0), ("max", 7.0), ("min", 1.0)]
)
def test_metrics_of_several_tokens(metric: Any, bits: float) -> None:
    outcome = evaluate(parse_formula("(2;%a%) > 0"), {"a": {"2": [1.0, 3.0, 2.0, 7.0]}}, metric)
    assert outcome.differences == (bits,)


def test_a_region_without_tokens_has_a_sum_only() -> None:
    values: dict[str, dict[str, list[float]]] = {"a": {"2": []}}
    assert evaluate(parse_formula("(2;%a%) = 0"), values).holds
    assert evaluate(parse_formula("(2;%a%) = 0"), values, "mean").holds is None


# Published suites


@pytest.mark.reference
@pytest.mark.skipif(not SUITES, reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")
@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_published_formulas(path: Path) -> None:
    suite = json.loads(path.read_text(encoding="utf-8"))
    names = [condition["condition_name"] for condition in suite["items"][0]["conditions"]]
    generator = random.Random(path.stem)
    for prediction in suite["predictions"]:
        published = prediction["formula"]
        rewritten = published.replace("[", "(").replace("]", ")")
        first, second = parse_formula(published), parse_formula(rewritten)
        assert first == second
        assert {found.condition for found in measures(first)} <= set(names)
        # An independent reading: Python's own, with `and` for &, which binds as the groups of these formulas say.
        python = re.sub(r"\((\d+);%([^%]+)%\)", r"v['\2']['\1']", rewritten).replace("&", " and ").strip()
        verdicts = set()
        for _ in range(300):
            v = {name: {number: generator.uniform(0, 20) for number in suite["region_meta"]} for name in names}
            expected = eval(python, {"v": v})
            assert evaluate(first, v).holds is expected
            assert evaluate(second, v).holds is expected
            verdicts.add(expected)
        assert verdicts == {True, False}


@pytest.mark.reference
@pytest.mark.skipif(not SUITES, reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")
def test_there_are_nine_suites() -> None:
    assert len(SUITES) == 9
