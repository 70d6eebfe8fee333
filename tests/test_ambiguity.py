"""Sentences with two derivations: found where there are any, and nowhere else."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest

from generator.ambiguity import ambiguous, shared_sentence
from generator.item_making import items
from generator.loading import grammar_from_text
from generator.planning import plan

# *deal with* and *cope with* share the preposition, no two of the verbs share the verb and the preposition.
CLEAR = """
slot Cope = verb "deal" | verb "cope" | verb "agree" | verb "listen"
+ she {V=Cope past} {V prep} it {"now" | *"nowly"} .
"""


def _texts(text: str, words: Path | None = None) -> Counter[str]:
    return Counter(item.good.text for item in items(plan(grammar_from_text(text, words=words))))


def test_a_word_shown_in_two_places_is_told_apart_by_both() -> None:
    assert ambiguous(plan(grammar_from_text(CLEAR))) is None
    assert max(_texts(CLEAR).values()) == 1


@pytest.mark.parametrize(
    ("row", "is_double"),
    [("cope_2\tcope\tcopes\tcoped\tcoped\tcoping\tintransitive\thuman\t\t\twith\thuman", True),
     ("cope_2\tcope\tcopes\tcoped\tcoped\tcoping\tintransitive\thuman\t\t\ton\thuman", False)],
)  # fmt: skip
def test_two_words_that_share_all_their_places_are_found(row: str, is_double: bool, tmp_path: Path) -> None:
    header = "lemma\tbase\ts\tpast\tparticiple\ting\tfeatures\tsubject\tobject\tparticle\tprep\tcomplement"
    (tmp_path / "verbs.tsv").write_text(f"{header}\n{row}\n", "utf-8")
    text = (
        'slot Cope = verb "cope" | verb "cope_2" | verb "deal"\n+ she {V=Cope past} {V prep} it {"now" | *"nowly"} .\n'
    )
    found = ambiguous(plan(grammar_from_text(text, words=tmp_path)))
    assert (found is not None) == is_double
    assert (max(_texts(text, tmp_path).values()) > 1) == is_double
    if found is not None:
        assert shared_sentence(*found) == "she coped with it now ."


def test_a_particle_and_a_preposition_that_read_alike_are_of_other_verbs() -> None:
    # *set up*, *took away* and *took up*: in each place the two expansions have a word in common, and no verb in both.
    text = """
slot Turn = verb "set_up" | verb "pick_up" | verb "take_away"
slot Wait = verb "look" | verb "listen" | verb "%s"
phrase Deed: {head=Turn past} {head particle} him | {head=Wait past} {head prep} him
+ she {Deed} {"now" | *"nowly"} .
"""
    header = "lemma\tbase\ts\tpast\tparticiple\ting\tfeatures\tsubject\tobject\tparticle\tprep\tcomplement"
    for lemma, prep, is_double in (("take_3", "up", False), ("take_3", "away", True)):
        with tempfile.TemporaryDirectory() as folder:
            row = f"{lemma}\ttake\ttakes\ttook\ttaken\ttaking\tintransitive\thuman\t\t\t{prep}\thuman"
            (Path(folder) / "verbs.tsv").write_text(f"{header}\n{row}\n", "utf-8")
            grammar = grammar_from_text(text % lemma, words=folder)
        assert (ambiguous(plan(grammar)) is not None) == is_double
        assert (max(Counter(item.good.text for item in items(plan(grammar))).values()) > 1) == is_double
