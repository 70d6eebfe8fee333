"""Each format against its published layout."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

from generator.item_making import items
from generator.items import Condition, Item
from generator.loading import grammar_from_text
from generator.planning import Plan, plan
from generator.realizing import Sentence
from generator.writers import FORMATS, find_format
from generator.writers.base import FormatError
from generator.writers.blimp import prefix_fields

GRAMMAR = """\
paradigm tiny
phenomenon agreement
field syntax
slot N = noun "dog" | noun "apple"
slot Be = auxiliary "be" pres
+ the {subj=N $n | *subj !$n} {Be $n} here .
cross $n
target Be
answer right = Be $n
answer wrong = Be !$n
"""


def _made(name: str, flavour: str = "forced", text: str = GRAMMAR) -> list[str]:
    found: Plan = plan(grammar_from_text(text), flavour)  # type: ignore[arg-type]
    form = find_format(name)
    assert form.lines is not None
    return [line for item in items(found, style=form.style) for line in form.lines(item)]


def test_zorro_bad_line_first() -> None:
    assert _made("zorro")[:4] == [
        "the dogs is here .",
        "the dog is here .",
        "the apples is here .",
        "the apple is here .",
    ]


def test_babeval_singular_first_whichever_is_right() -> None:
    lines = _made("babeval")
    assert lines[:2] == ["the dog is here .", "the dogs is here ."]
    assert lines[4:6] == ["the dog are here .", "the dogs are here ."]


def test_babeval_open() -> None:
    assert _made("babeval", "open") == [
        "the dog [MASK] here .",
        "the apple [MASK] here .",
        "the dogs [MASK] here .",
        "the apples [MASK] here .",
    ]


def test_sentences_and_words() -> None:
    assert _made("sentences")[0] == "tiny_1\tThe dog is here . <eos>\tThe dogs is here . <eos>"
    pattern, form, form_alt, len_prefix, sent = _made("words")[0].split("\t")
    assert (pattern, form, form_alt, len_prefix, sent) == ("tiny_1", "dog", "dogs", "1", "The dog is here . <eos>")
    assert sent.split()[int(len_prefix)] == form


def test_blimp_keys_in_their_order() -> None:
    record = json.loads(_made("blimp")[0])
    assert list(record)[:10] == [
        "sentence_good",
        "sentence_bad",
        "field",
        "linguistics_term",
        "UID",
        "simple_LM_method",
        "one_prefix_method",
        "two_prefix_method",
        "lexically_identical",
        "pairID",
    ]
    assert record["sentence_good"] == "The dog is here."
    assert record["pairID"] == "tiny:1:1.1"
    assert record["one_prefix_prefix"] == "The"
    assert record["two_prefix_word"] == "is"


@pytest.mark.parametrize(
    ("good", "bad", "one", "two", "same"),
    [
        ("the dog is here .", "the dogs is here .", True, True, False),
        ("dog is here .", "dogs is here .", False, True, False),
        ("he sees us .", "he sees we .", True, False, False),
        ("who did he see ?", "he did see who ?", False, False, True),
        ("a b c", "a b c d", False, False, False),
        ("He sees us.", "He sees we.", True, False, False),
        ("He isn't here.", "He aren't here.", True, True, False),
    ],
)
def test_blimp_flags_are_computed(good: str, bad: str, one: bool, two: bool, same: bool) -> None:
    fields = prefix_fields(good, bad)
    assert (fields["one_prefix_method"], fields["two_prefix_method"], fields["lexically_identical"]) == (one, two, same)
    assert ("one_prefix_prefix" in fields) == one
    assert ("two_prefix_word" in fields) == two


def test_items_hold_everything() -> None:
    record = json.loads(_made("items")[0])
    assert record["id"] == "tiny:1:1"
    assert [c["acceptable"] for c in record["conditions"]] == [True, False]
    region = record["conditions"][1]["regions"][0]
    assert (region["name"], region["contrast"]) == ("subj", True)
    assert record["conditions"][1]["text"][region["start"] : region["end"]] == "dogs"
    assert record["bindings"][0] == {
        "slot": "subj",
        "category": "noun",
        "lemma": "dog",
        "form": "dog",
        "features": {"number": "sg", "person": "3"},
    }


def test_every_format_is_deterministic_and_line_based() -> None:
    for form in (form for form in FORMATS if form.lines is not None and not form.needs_trees):
        for flavour in form.flavours:
            first = _made(form.name, flavour)
            assert first == _made(form.name, flavour)
            assert all("\n" not in line for line in first)


def test_several_versions_are_several_pairs() -> None:
    text = 'slot A = "is"\n+ he {A | *"are" | *"am"} here .\n'
    found = plan(grammar_from_text(text))
    (item,) = list(items(found))
    assert isinstance(item, Item)
    assert [(pair_id.rsplit(".")[-1], bad.text) for pair_id, _, bad in item.pairs] == [
        ("1", "he are here ."),
        ("2", "he am here ."),
    ]
    assert [c.name for c in item.conditions] == ["acceptable", "starred_1", "starred_2"]


def test_blimp_prefixes_are_beginnings_of_the_sentences() -> None:
    good, bad = "Laura's dog, it seems, isn't here.", "Laura's dog, it seems, aren't here."
    fields = prefix_fields(good, bad)
    assert fields["one_prefix_prefix"] == "Laura's dog, it seems,"
    assert (fields["one_prefix_word_good"], fields["one_prefix_word_bad"]) == ("isn't", "aren't")
    assert good.startswith(fields["two_prefix_prefix_good"])
    assert fields["two_prefix_prefix_bad"] == "Laura's dog, it seems, aren't"
    assert fields["two_prefix_word"] == "here"


def test_clams_false_lines_follow_their_true_line() -> None:
    text = 'slot A = "is"\n+ he {A | +"was" | *"are" | *"am"} here .\n'
    assert _made("clams", text=text) == [
        "True\the is here .",
        "False\the are here .",
        "False\the am here .",
    ]


DESIGN = """\
paradigm two
slot N = noun "dog"
factor number = sing $n sg | plural $n pl
factor match = match | *mismatch
+ the {N $n} {match: match auxiliary "be" pres $n | mismatch auxiliary "be" pres !$n} .
"""


def test_a_factor_design_has_a_true_line_for_each_acceptable_condition() -> None:
    assert _made("clams", text=DESIGN) == [
        "True\tthe dog is .",
        "False\tthe dog are .",
        "True\tthe dogs are .",
        "False\tthe dogs is .",
    ]
    rows = [row.split("\t") for row in _made("tsv", text=DESIGN)]
    assert [(row[0], row[5]) for row in rows] == [("two:1:1", "1"), ("two:1:1", "2")]


def test_tsv_is_one_row_a_pair() -> None:
    form = find_format("tsv")
    row = dict(zip(form.header.split("\t"), _made("tsv")[0].split("\t"), strict=True))
    assert row == {
        "id": "tiny:1:1",
        "paradigm": "tiny",
        "phenomenon": "agreement",
        "field": "syntax",
        "template": "1",
        "pair": "1",
        "crossed": "n=sg",
        "sentence_good": "the dog is here .",
        "sentence_bad": "the dogs is here .",
    }


ATTRACTORS = """\
slot N = noun "dog" | noun "apple"
slot Be = auxiliary "be" pres
template near:
  + the " {head=N $n} " by the {other=N $m} {Be $n | *Be !$n} here .
cross $n, $m
"""


def _original(text: str) -> list[dict[str, str]]:
    header = find_format("original").header.split("\t")
    lines = _made("original", text=text)
    return [dict(zip(header, row, strict=True)) for row in csv.reader(lines, delimiter="\t")]


def test_original_has_two_rows_a_pair() -> None:
    lines = _made("original", text=ATTRACTORS)
    assert '"The "" dog "" by the apple is here . <eos>"' in lines[0]  # quoted as the published file is
    right, wrong, *_ = _original(ATTRACTORS)
    assert (right["class"], right["form"], wrong["class"], wrong["form"]) == ("correct", "is", "wrong", "are")
    assert {name for name in right if right[name] != wrong[name]} == {"form", "class"}
    assert (right["pattern"], right["constr_id"], right["sent_id"]) == ("near", "near", "1")
    assert (right["len_prefix"], right["prefix"], right["type"]) == ("7", 'The " dog " by the apple', "generated")
    assert (right["correct_number"], right["punct"], right["freq"]) == ("sing", "True", "")
    assert right["sent"].split()[int(right["len_prefix"])] == right["form"]


def test_original_counts_attractors_where_the_cue_is_told() -> None:
    rows = _original(ATTRACTORS)[::2]
    told = {(row["correct_number"], row["prefix"].split()[-1][-1] == "s"): row for row in rows}
    # One noun has the number of the form: it is the cue.
    assert (told["sing", True]["n_attr"], told["sing", True]["len_context"]) == ("1", "5")
    assert (told["plur", False]["n_attr"], told["plur", False]["len_context"]) == ("1", "5")
    # Both have it: whichever is the cue, nothing attracts; how far it is away is not told.
    assert (told["sing", False]["n_attr"], told["sing", False]["len_context"]) == ("0", "")
    named = _original(ATTRACTORS.replace("{head=N $n}", "[cue: {head=N $n}]"))[::2]
    assert {row["len_context"] for row in named} == {"5"}
    assert sorted(row["n_attr"] for row in named) == ["0"] * 4 + ["1"] * 4


def test_a_word_before_the_cue_attracts_nothing() -> None:
    text = ATTRACTORS.replace("head=N $n", "other=N $m").replace("by the {other=N $m}", "by the {head=N $n}")
    rows = _original(text)[::2]  # the form agrees with the second noun
    unlike = [row for row in rows if row["len_context"]]
    assert len(unlike) == 4
    assert {(row["n_attr"], row["len_context"]) for row in unlike} == {("0", "1")}


def test_original_keeps_the_columns_that_it_reads() -> None:
    (item, *_) = items(plan(grammar_from_text(GRAMMAR)))
    form = find_format("original")
    assert "own columns" not in form.lost(replace(item, extra={"freq": ["9", "8"], "type": "original"}))
    assert "own columns" in form.lost(replace(item, extra={"freq": "9", "lstm": "-1"}))
    assert form.lines is not None
    right, wrong = (line.split("\t") for line in form.lines(replace(item, extra={"freq": ["9", "8"]})))
    assert (right[10], wrong[10]) == ("9", "8")


def test_original_and_words_hold_pairs_of_one_differing_word() -> None:
    text = 'slot A = "is"\n+ he {A | *"are there"} here .\n'
    for name in ("original", "words"):
        with pytest.raises(FormatError, match=f"'{name}' holds pairs that differ in one word.*'sentences' holds them"):
            _made(name, text=text)


@pytest.mark.parametrize("name", ["babeval", "zorro", "sentences", "words", "original", "clams", "tsv"])
def test_tabs_are_refused(name: str) -> None:
    conditions = tuple(Condition(n, n == "a", Sentence(f"x\ty {n}", (), ())) for n in ("a", "b"))
    form = find_format(name)
    assert form.lines is not None
    with pytest.raises(FormatError, match="cannot hold a tab"):
        form.lines(Item("i:1", "i", "t", 0, conditions))


def test_ranks_are_said_where_they_are_not_the_order() -> None:
    singular, *_, plural = (json.loads(line) for line in _made("items"))
    assert all("rank" not in condition for condition in singular["conditions"])
    good, bad = plural["conditions"]
    assert good["rank"] > bad["rank"]
