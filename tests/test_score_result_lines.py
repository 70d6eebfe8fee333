"""Result lines of target words joined with items: where a form stands twice, and where items share a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorers.aligning import align
from scorers.items import Condition, Item, Pair
from scorers.predictions import SentencePrediction
from scorers.readers.files import read_predictions
from scorers.results import Alignment


def item(
    name: str, sentence: str, form: str, other: str, place: int, template: str = "", has_target: bool = True
) -> Item:
    words = sentence.split(" ")
    starred = " ".join((*words[:place], other, *words[place + 1 :]))
    target = place if has_target else -1
    conditions = (
        Condition("acceptable", " ".join((*words[:place], form, *words[place + 1 :])), True, target=target),
        Condition("starred", starred, False, target=target),
    )
    return Item(name, "pets", conditions, (Pair(0, 1),), template, file="data/pets.tab", line=1)


def joined(folder: Path, items: list[Item], *rows: tuple[str, str, float, str, float, str]) -> Alignment:
    lines = [
        f"{good > bad}\t{pattern}\t{form}\t{good}\t{other}\t{bad}\tmax_pred=x\t{sentence} <eos>\n"
        for pattern, form, good, other, bad, sentence in rows
    ]
    (folder / "results.txt").write_text("".join(lines))
    return align(items, read_predictions([folder / "results.txt"]))


def values(found: Alignment) -> list[tuple[float | None, ...]]:
    return [result.values for result in found.results]


DOGS = "it is said that it is so and is it"
BIRD = "the bird that is here is here"


@pytest.mark.parametrize("has_target", [True, False])
def test_the_items_say_at_which_place_a_form_stands(tmp_path: Path, has_target: bool) -> None:
    items = [
        item("a", DOGS, "is", "are", 5, has_target=has_target),
        item("b", BIRD, "is", "are", 3, has_target=has_target),
    ]
    rows = [("p", "is", -1.0, "are", -2.0, DOGS), ("p", "is", -3.0, "are", -4.0, BIRD)]
    for order in (rows, rows[::-1]):  # the second time the lines are not in the items' order
        found = joined(tmp_path, items, *order)
        assert values(found) == [(-1.0, -2.0), (-3.0, -4.0)]
        assert (found.unknown, found.ambiguous, found.missing) == ([], [], [])


def test_lines_in_order_say_which_of_two_places_is_meant(tmp_path: Path) -> None:
    items = [item("a", BIRD, "is", "are", 3, "1"), item("b", BIRD, "is", "are", 5, "1")]
    rows = [("1", "is", -1.0, "are", -2.0, BIRD), ("1", "is", -3.0, "are", -4.0, BIRD)]
    assert values(joined(tmp_path, items, *rows)) == [(-1.0, -2.0), (-3.0, -4.0)]


@pytest.mark.parametrize("has_target", [True, False])
def test_one_line_for_two_places_is_ambiguous(tmp_path: Path, has_target: bool) -> None:
    """A number is never given to two sentences."""
    items = [
        item("x", "so it is", "is", "are", 2, "1", has_target),
        item("a", BIRD, "is", "are", 3, "1", has_target),
        item("b", BIRD, "is", "are", 5, "1", has_target),
    ]
    found = joined(tmp_path, items, ("1", "is", -3.0, "are", -4.0, BIRD), ("1", "is", -1.0, "are", -2.0, "so it is"))
    assert [result.values[1] for result in found.results] == [-2.0, None, None]
    assert "2 members of items have" in found.ambiguous[-1].message


@pytest.mark.parametrize("pattern", ["2", "pets_2"])
def test_the_pattern_says_which_item_a_line_is_of(tmp_path: Path, pattern: str) -> None:
    items = [
        item("a", BIRD, "is", "are", 3, "1"),
        item("b", BIRD, "is", "are", 5, "2"),
        item("c", DOGS, "is", "are", 1),
    ]
    # There is no line of the first item, and those of the others are in another order.
    rows = [("q", "is", -3.0, "are", -4.0, DOGS), (pattern, "is", -1.0, "are", -2.0, BIRD)]
    found = joined(tmp_path, items, *rows)
    assert values(found) == [(None, None), (-1.0, -2.0), (-3.0, -4.0)]
    assert (found.unknown, found.ambiguous) == ([], [])


def test_the_other_form_says_which_item_a_line_is_of(tmp_path: Path) -> None:
    items = [item("a", BIRD, "is", "are", 3), item("b", BIRD, "here", "there", 4), item("c", DOGS, "is", "are", 1)]
    rows = [("q", "is", -3.0, "are", -4.0, DOGS), ("q", "here", -1.0, "there", -2.0, BIRD)]
    assert values(joined(tmp_path, items, *rows)) == [(None, None), (-1.0, -2.0), (-3.0, -4.0)]


def test_predictions_of_other_formats_have_no_further_texts() -> None:
    assert SentencePrediction(-1.0, text="a").texts == ("a",)
    assert SentencePrediction(-1.0, "id").texts == ()
