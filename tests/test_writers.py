"""Each format against its published layout."""

from __future__ import annotations

import json

import pytest

from generator.item_making import items
from generator.items import Item
from generator.loading import grammar_from_text
from generator.planning import Plan, plan
from generator.writers import FORMATS, find_format
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
    for form in (form for form in FORMATS if form.lines is not None):
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
