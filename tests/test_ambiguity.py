"""Sentences with two derivations: found where there are any, and nowhere else."""

from __future__ import annotations

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
