"""Items joined with predictions: by id, in order, by text; and what cannot be joined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scorers.aligning import align
from scorers.aligning_index import MaskIndex, normalise
from scorers.errors import InputError
from scorers.items import Condition, Item, Mask, Pair, Region
from scorers.predictions import (
    FillPrediction,
    Prediction,
    PredictionFile,
    RegionPrediction,
    SentencePrediction,
    TokenPrediction,
    Unit,
)
from scorers.results import Alignment

NATS = Unit("log_probability")


def pair(name: str, good: str, bad: str, target: int = -1) -> Item:
    conditions = (Condition("acceptable", good, True, target=target), Condition("starred", bad, False, target=target))
    return Item(name, "pets", conditions, (Pair(0, 1),), file="pets.txt", line=1)


def masked(name: str, text: str, **answers: set[str]) -> Item:
    mask = Mask("noun", "[MASK]", {key: frozenset(words) for key, words in answers.items()})
    return Item(name, "pets", (Condition("open", text, None),), mask=mask, file="open.txt", line=1)


def said(*rows: Prediction, unit: Unit = NATS) -> PredictionFile:
    return PredictionFile("model.txt", "test", unit, rows, "model")


def of_texts(*rows: tuple[str, float]) -> list[SentencePrediction]:
    found = enumerate(rows, 1)
    return [SentencePrediction(value, text=text, file="model.txt", line=line) for line, (text, value) in found]


def joined(items: list[Item], *rows: Prediction) -> Alignment:
    return align(items, [said(*rows)])


DOG = pair("a", "the dog is here .", "the dogs is here .")
CAT = pair("b", "the cat is here .", "the cats is here .")


def test_an_id_with_another_sentence_is_not_believed() -> None:
    """Numbers such as BLiMP's pairs are in every suite: what the row says of its sentence goes before."""
    short = [replace(DOG, id="pets:0"), replace(CAT, id="pets:1")]
    rows = [
        SentencePrediction(-1.0, "0", "good", "the cat is here ."),  # an item's, by its text
        SentencePrediction(-2.0, "0", "bad", "no cat has been there"),  # nobody's
        SentencePrediction(-3.0, "0", "good", "the dog 's here"),  # written in another way
        SentencePrediction(-4.0, "1", "bad", "The cats isn't here ."),
    ]
    found = joined(short, *rows)
    assert [result.values for result in found.results] == [(-3.0, None), (-1.0, -4.0)]
    (unknown,) = found.unknown
    assert unknown.message == "'pets:0' starred is 'the dogs is here .', and here it is 'no cat has been there'"
    assert found.counts["joined"] == 1
    tokens = TokenPrediction(("no", "cat"), (1.0, 2.0), "0", "bad", "no cat has been there")
    (unknown,) = joined(short, SentencePrediction(-1.0, "0", "good"), tokens).unknown
    assert "no cat" in unknown.message


def test_a_number_alone_is_of_the_suite_that_the_file_is_called_after() -> None:
    items = [replace(DOG, id="pets:1"), replace(CAT, id="more:1")]
    rows = [
        SentencePrediction(-1.0, "1", "good", file="m/pets.tsv"),
        SentencePrediction(-2.0, "1", "good", file="m/x.tsv"),
    ]
    found = joined(items, *rows)
    assert [result.values for result in found.results] == [(-1.0, None), (None, None)]
    assert [finding.file for finding in found.unknown] == ["m/x.tsv"]


def test_a_suite_before_an_id_is_tried_without() -> None:
    """A column `paradigm` beside ids that are whole by themselves."""
    found = joined([DOG, CAT], SentencePrediction(-1.0, "pets:a", "good"), SentencePrediction(-2.0, "pets:a", "bad"))
    assert found.results[0].values == (-1.0, -2.0)
    assert found.counts == {"joined": 1, "missing": 1, "duplicate": 0, "unknown": 0, "ambiguous": 0}


def test_by_id_and_condition_in_any_order() -> None:
    rows = [
        SentencePrediction(-4.0, "b", "starred"),
        SentencePrediction(-1.0, "a", "acceptable", token_count=6),
        SentencePrediction(-3.0, "b", "good"),
        SentencePrediction(-2.0, "a", text="The dogs  is here . <eos>"),
    ]
    found = joined([DOG, CAT], *rows)
    assert [result.values for result in found.results] == [(-1.0, -2.0), (-3.0, -4.0)]
    assert found.results[0].token_counts == (6, 0)
    assert found.counts == {"joined": 2, "missing": 0, "duplicate": 0, "unknown": 0, "ambiguous": 0}


def test_a_pair_is_named_by_its_number() -> None:
    three = Item(
        "a", "p", tuple(Condition(f"c{n}", f"sentence {n}", n == 0) for n in range(3)), (Pair(0, 1), Pair(0, 2))
    )
    rows = [SentencePrediction(-1.0, "a.1", "good"), *(SentencePrediction(-n, f"a.{n}", "bad") for n in (1, 2))]
    assert joined([three], *rows).results[0].values == (-1.0, -1, -2)


def test_by_text_exactly_then_normalised() -> None:
    found = joined(
        [DOG, CAT], *of_texts(("The cat is here . <eos>", -1), ("the cats is  here .", -2), ("the dog is here .", -3))
    )
    assert [result.values for result in found.results] == [(-3, None), (-1, -2)]
    assert [gap.message for gap in found.missing] == ["no prediction for 'a' (starred)"]
    assert found.missing[0].render().startswith("pets.txt:1: warning:")
    assert normalise("The  dog <eos>") == "the dog"


def test_exact_text_goes_before_normalised() -> None:
    items = [pair("small", "the dog .", "x ."), pair("large", "The dog .", "y .")]
    found = joined(items, *of_texts(("The dog .", -1), ("x .", -2)))
    assert [result.values for result in found.results] == [(None, -2), (-1, None)]


def test_lines_in_the_order_of_the_items_keep_their_own_numbers() -> None:
    # Twice the same pair with other numbers: only their order tells them apart.
    twin = pair("twin", "the dog is here .", "the dogs is here .")
    rows = of_texts(
        ("the dogs is here .", -1), ("the dog is here .", -2), ("the dogs is here .", -3), ("the dog is here .", -4)
    )
    found = joined([CAT, DOG, twin], *rows)
    assert [result.values for result in found.results] == [(None, None), (-2, -1), (-4, -3)]
    assert not found.duplicate


def test_a_sentence_of_several_items_has_one_score() -> None:
    other = pair("c", "the dog is here .", "the dog are here .")
    found = joined([DOG, other, CAT], *of_texts(("the cat is here .", -9), ("the dog is here .", -1)))
    assert [result.values[0] for result in found.results] == [-1, -1, -9]
    assert not found.ambiguous


def test_two_scores_of_a_sentence_of_unlike_items_are_ambiguous() -> None:
    other = pair("c", "the dog is here .", "the dog are here .")
    rows = of_texts(("the cat is here .", -9), ("the dog is here .", -1), ("the dog is here .", -2))
    found = joined([DOG, other, CAT], *rows)
    assert [finding.line for finding in found.ambiguous] == [2, 3]
    assert "(a, c)" in found.ambiguous[0].message
    assert found.results[0].values == (None, None)


def test_the_score_of_a_target_word_needs_an_id_where_items_share_a_sentence() -> None:
    items = [pair("a", "dogs bark .", "dogs barks .", target=1), pair("b", "dogs bark .", "dog bark .", target=0)]
    found = joined(items, *of_texts(("dog bark .", -3), ("dogs barks .", -2), ("dogs bark .", -1)))
    assert len(found.ambiguous) == 1
    assert found.results[0].values == (None, -2)


def test_duplicates_and_unknown_predictions_are_listed() -> None:
    rows = [
        SentencePrediction(-1.0, "a", "acceptable", file="f", line=1),
        SentencePrediction(-7.0, "a", "acceptable", file="f", line=2),
        SentencePrediction(-1.0, "z", "acceptable", file="f", line=3),
        SentencePrediction(-1.0, "a", "nominative", file="f", line=4),
    ]
    found = joined([DOG], *rows)
    assert found.results[0].values == (-1.0, None)
    assert [finding.line for finding in found.duplicate] == [2]
    assert "f:1" in found.duplicate[0].message
    assert [finding.line for finding in found.unknown] == [3, 4]
    assert "acceptable, starred" in found.unknown[1].message
    by_text = joined([DOG], *of_texts(("the dog is here .", -1), ("the dog is here .", -2)))
    assert (by_text.results[0].values[0], len(by_text.duplicate)) == (-1, 1)


def test_predictions_of_another_suite_are_one_clear_message() -> None:
    file = PredictionFile("out/pet.txt", "test", NATS, tuple(of_texts(("who knows", -1), ("nobody", -2))), "model")
    with pytest.raises(InputError) as caught:
        align([DOG, CAT], [file])
    assert str(caught.value) == (
        "out/pet.txt: none of its 2 predictions is of these 2 items\n   the item file with the nearest name is pets.txt"
    )


def test_files_of_one_model_have_one_unit() -> None:
    rows = of_texts(("the dog is here .", -1))
    with pytest.raises(InputError, match="differ in what their numbers are"):
        align([DOG], [said(*rows), said(*rows, unit=Unit("surprisal", "bits"))])


def test_words_for_masks_have_no_unit_that_could_differ() -> None:
    items = [pair("p", "a dog", "a dogs"), masked("m", "see the [MASK] .", right={"dog"})]
    fills = said(FillPrediction("see the dog ."), unit=Unit("score"))
    scores = said(*of_texts(("a dog", -1.0), ("a dogs", -2.0)))
    for files in ([fills, scores], [scores, fills]):
        found = align(items, files)
        assert found.unit == NATS
        assert [result.fill for result in found.results] == [None, "dog"]
        assert found.results[0].values == (-1.0, -2.0)


def test_babeval_pairs_need_a_grammar() -> None:
    silent = Item("x", "p", (Condition("first", "a b", None), Condition("second", "a c", None)), file="f.txt", line=3)
    with pytest.raises(InputError, match=r"f\.txt:3: nothing says .*\n.*gen parse GRAMMAR .*--json"):
        joined([silent], *of_texts(("a b", -1), ("a c", -2)))


def test_the_own_verdict_of_a_file_is_checked() -> None:
    rows = [
        SentencePrediction(-1.0, "a", "acceptable", verdict=False, file="f", line=1),
        SentencePrediction(-2.0, "a", "starred", verdict=False, file="f", line=1),
    ]
    assert [finding.code for finding in joined([DOG], *rows).odd] == ["verdict"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("look at the dogs here .", "dogs"),
        ("Look at the  dogs here . <eos>", "dogs"),
        ("look at the hot dogs here .", "hot dogs"),
        ("look at the here .", ""),
    ],
)
def test_the_word_in_the_place_of_the_mask(text: str, word: str) -> None:
    item = masked("m", "look at the [MASK] here .")
    assert MaskIndex([item]).word(0, text) == word
    for row in (FillPrediction(text=text), FillPrediction(text=text, item_id="m")):
        assert joined([item], row).results[0].fill == word


def test_fills_in_order_by_text_and_by_id() -> None:
    items = [masked("1", "the [MASK] is here ."), masked("2", "the [MASK] is here ."), masked("3", "a [MASK] .")]
    texts = ["the dog is here .", "the cat is here .", "a bird ."]
    found = joined(items, *(FillPrediction(text=text) for text in texts))
    assert [result.fill for result in found.results] == ["dog", "cat", "bird"]
    found = joined(items, FillPrediction(text="a fish ."), FillPrediction(text="the dog is here ."))
    assert [result.fill for result in found.results] == ["dog", "dog", "fish"]
    found = joined(items, FillPrediction(word="x", item_id="2"), FillPrediction(text="no such thing"))
    assert [result.fill for result in found.results] == [None, "x", None]
    assert (len(found.missing), len(found.unknown)) == (2, 1)


def test_fills_of_one_frame_with_other_answers_are_ambiguous() -> None:
    items = [masked("1", "the [MASK] .", correct={"dog"}), masked("2", "the [MASK] .", correct={"dogs"})]
    found = joined([*items, masked("3", "a [MASK] .")], FillPrediction(text="a b ."), FillPrediction(text="the dog ."))
    assert [result.fill for result in found.results] == [None, None, "b"]
    assert len(found.ambiguous) == 1


REGIONS = (Region("subject", 0, 7, "1"), Region("verb", 8, 10, "2"))
DESIGN = Item(
    "suite:1",
    "suite",
    (Condition("match", "the dog is", None, REGIONS), Condition("other", "the dog be", None, REGIONS)),
    expectations={"1": "(2;%match%) < (2;%other%)"},
)


def test_regions_are_known_by_name_and_number() -> None:
    rows = [
        RegionPrediction({"1": 3.0, "2": 1.0}, "suite:1", "match"),
        RegionPrediction({"subject": 3.0, "verb": 5.0}, "1", "other"),
    ]
    found = align([DESIGN], [said(*rows, unit=Unit("surprisal", "bits"))])
    assert found.results[0].regions[0] == {"1": 3.0, "2": 1.0, "subject": 3.0, "verb": 1.0}
    assert found.results[0].regions[1]["2"] == 5.0
    assert not found.missing
    partly = align([DESIGN], [said(rows[0], RegionPrediction({"x": 1.0}, "suite:1", "other"))])
    assert "no region 'x'" in partly.unknown[0].message


def test_tokens_give_the_sentence_and_its_regions() -> None:
    rows = [
        TokenPrediction(("the", "dog", "is"), (1.0, 2.0, 4.0), text="the dog is"),
        TokenPrediction(("the", "dog", "be"), (1.0, 2.0, 8.0), "suite:1", "other"),
    ]
    found = align([DESIGN], [said(*rows, unit=Unit("surprisal", "bits"))]).results[0]
    assert found.values == (7.0, 11.0)
    assert found.token_counts == (3, 3)
    assert found.regions[0]["subject"] == pytest.approx(3.0)
    assert found.regions[1]["2"] == pytest.approx(8.0)
