"""Criteria, forced choice, open-ended answers, signatures, pairs in blocks: on small cases and the published files."""

from __future__ import annotations

import csv
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scorers import fast_pairs
from scorers._version import __version__
from scorers.aligning import align
from scorers.criteria import Criterion, choices
from scorers.errors import InputError
from scorers.items import Condition, Item, Mask, Pair
from scorers.metrics.forced_choice import break_down, default_breakdowns, forced_choice
from scorers.metrics.open_ended import categorise, open_ended
from scorers.predictions import PredictionFile, SentencePrediction, Unit
from scorers.readers.files import read_items, read_predictions
from scorers.results import AlignedResult, Alignment
from scorers.signature import digest_items, digest_predictions, make_signature

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def needs_reference(test: Callable[..., None]) -> Callable[..., None]:
    skip = pytest.mark.skipif(not REFERENCE.is_dir(), reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")
    marked: Callable[..., None] = pytest.mark.reference(skip(test))
    return marked


def item(name: str, good: str = "the dog is here", *bad: str, **more: str) -> Item:
    starred = bad or ("the dogs is here",)
    members = (Condition("good", good, True), *(Condition(f"bad{n}", text, False) for n, text in enumerate(starred)))
    pairs = tuple(Pair(0, place) for place in range(1, len(members)))
    return Item(name, more.pop("paradigm", "p"), members, pairs, more.pop("template", ""), more.pop("phenomenon", ""),
                attributes=more)  # fmt: skip


def scored(*rows: tuple[Item, tuple[float | None, ...]], unit: str = "log_probability") -> Alignment:
    results = tuple(AlignedResult(each, values, tuple(3 for _ in values)) for each, values in rows)
    return Alignment("model", Unit(unit), results)  # type: ignore[arg-type]


def accuracy(alignment: Alignment, **criterion: str) -> float | None:
    return forced_choice(alignment, Criterion(**criterion)).overall.accuracy  # type: ignore[arg-type]


# --- criteria ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ties", "points"), [("half", 0.5), ("right", 1.0), ("wrong", 0.0)])
def test_ties(ties: str, points: float) -> None:
    alignment = scored((item("a"), (-1.0, -1.0)))
    assert accuracy(alignment, ties=ties) == points
    assert forced_choice(alignment, Criterion()).overall.ties == 1


@pytest.mark.parametrize("unit", ["surprisal", "cross_entropy", "perplexity"])
def test_less_is_better_of_surprisals(unit: str) -> None:
    assert accuracy(scored((item("a"), (1.0, 2.0)), unit=unit)) == 1
    assert accuracy(scored((item("a"), (1.0, 2.0)), unit="score")) == 0


def test_sums_per_token_and_per_character() -> None:
    long = item("a", "a very long sentence", "a b")
    result = AlignedResult(long, (-10.0, -9.0), (10, 3))
    alignment = Alignment("m", Unit("log_probability"), (result,))
    found = forced_choice(alignment, Criterion())
    # -10 < -9; -10/10 > -9/3; -10/20 > -9/3.
    accuracies = {name: [c.points for c in of or ()] for name, of in found.by_normalisation.items()}
    assert accuracies == {"sum": [0.0], "per_token": [1.0], "per_character": [1.0]}
    assert (found.overall.unequal, found.overall.equal_accuracy) == (1, None)
    unknown = Alignment("m", Unit("log_probability"), (replace(result, token_counts=(0, 0)),))
    assert forced_choice(unknown, Criterion()).by_normalisation["per_token"] is None


def test_items_of_several_starred_sentences() -> None:
    three = item("a", "g", "b1", "b2")
    lost = scored((three, (-1.0, -2.0, -0.5)))
    assert accuracy(lost) == 0.5
    assert accuracy(lost, counting="item") == 0
    tied = forced_choice(scored((three, (-1.0, -1.0, -1.0))), Criterion(counting="item")).overall
    assert (tied.right, tied.chance, tied.ties) == (pytest.approx(1 / 3), pytest.approx(1 / 3), 1)
    assert accuracy(scored((three, (-1.0, -1.0, -2.0))), counting="item") == 0.5
    assert choices(AlignedResult(three, (-1.0, None, -2.0)), Unit("score"), Criterion(counting="item")) == []


# --- forced choice ----------------------------------------------------------------------------------------------------


def _predictor(name: str, count: int = 400) -> Alignment:
    draw = random.Random(7)
    values = {
        "perfect": lambda: (-1.0, -2.0),
        "inverted": lambda: (-2.0, -1.0),
        "constant": lambda: (-1.0, -1.0),
        "random": lambda: (-draw.random(), -draw.random()),
    }[name]
    return scored(*((item(str(n)), values()) for n in range(count)))


def test_perfect_inverted_constant_and_random_predictors() -> None:
    assert accuracy(_predictor("perfect")) == 1
    assert accuracy(_predictor("inverted")) == 0
    constant = forced_choice(_predictor("constant"), Criterion())
    assert (constant.overall.accuracy, constant.overall.ties) == (0.5, 400)
    assert any("all 400 pairs are ties" in warning for warning in constant.warnings)
    # Three standard errors of 400 fair coins are 0.075.
    assert accuracy(_predictor("random")) == pytest.approx(0.5, abs=0.075)


def test_scores_of_the_wrong_sign_are_doubted() -> None:
    assert any("wrong sign" in warning for warning in forced_choice(_predictor("inverted"), Criterion()).warnings)
    assert not forced_choice(_predictor("inverted", 10), Criterion()).warnings
    assert not forced_choice(_predictor("random"), Criterion()).warnings


def test_breakdowns_macro_and_micro() -> None:
    rows = [
        (item("1", paradigm="p", phenomenon="x", number="sg"), (-1.0, -2.0)),
        (item("2", paradigm="p", phenomenon="x", number="pl"), (-1.0, -2.0)),
        (item("3", paradigm="p", phenomenon="x", number="pl"), (-3.0, -2.0)),
        (item("4", paradigm="q", phenomenon="y"), (-3.0, -2.0)),
        (item("5", paradigm="q", phenomenon="y"), (None, -2.0)),
    ]
    found = forced_choice(scored(*rows), Criterion(), ["paradigm", "number"])
    cells = {cell.label: (cell.scored, cell.right) for name in found.breakdowns for cell in found.breakdowns[name]}
    assert cells == {"p": (3, 2), "q": (1, 0), "sg": (1, 1), "pl": (2, 1), "-": (1, 0)}
    assert found.overall.accuracy == 0.5
    assert found.macro["paradigm"] == pytest.approx((2 / 3 + 0) / 2)
    assert found.unscored == 1
    assert default_breakdowns([row[0] for row in rows]) == ["paradigm"]  # phenomena cut them alike


def test_paradigms_of_one_name_stay_apart() -> None:
    rows = [(item(p, paradigm="q", phenomenon=p), (-1.0, -2.0)) for p in ("x", "y")]
    found = forced_choice(scored(*rows), Criterion())
    assert [cell.label for cell in break_down(found.choices, "paradigm")] == ["x-q", "y-q"]


def test_templates_are_their_paradigm_s() -> None:
    said = [("p", ""), ("q", ""), ("r", "1"), ("r", "2"), ("s", "1"), ("s", "r:1"), ("t", "p")]
    rows = [(item(str(n), paradigm=p, template=t), (-1.0, -2.0)) for n, (p, t) in enumerate(said)]
    cells = break_down(forced_choice(scored(*rows), Criterion()).choices, "template")
    # Nothing is lost where two labels fall together.
    assert {cell.label: cell.scored for cell in cells} == {"p": 2, "q": 1, "r:1": 2, "r:2": 1, "s:1": 1}
    (alone,) = break_down(forced_choice(scored(*rows[:1]), Criterion()).choices, "template")
    assert alone.label == "-"


# --- open-ended -------------------------------------------------------------------------------------------------------

NOUN = Mask("noun", "[MASK]", {"sub_word": frozenset("s"), "correct": frozenset({"dog", "sheep"}),
                              "false": frozenset({"dogs", "sheep"}), "name": frozenset({"Anna"})})  # fmt: skip


@pytest.mark.parametrize(
    ("word", "category"),
    [("dog", "correct"), ("dogs", "false"), ("sheep", "correct"), ("s", "sub_word"), ("##s", "sub_word"), ("", "other"),
     ("Ġdog", "correct"), ("▁dogs", "false"), ("Dog", "correct"), ("anna", "name"), ("Anna", "name"), ("the", "other")],
)  # fmt: skip
def test_categories_in_order_the_first_that_holds(word: str, category: str) -> None:
    assert categorise(word, NOUN) == category


def test_lists_of_a_user_come_first() -> None:
    assert categorise("dog", NOUN, {"animate": frozenset({"dog"})}) == "animate"
    assert categorise("dogs", NOUN, {"animate": frozenset({"dog"})}) == "false"


def test_proportions_counts_and_words() -> None:
    words = ["dog", "dog", "dogs", "xyz", None]
    results = tuple(
        AlignedResult(Item(str(n), "p", (Condition("open", "a [MASK]", None),), template="1", mask=NOUN), fill=word)
        for n, word in enumerate(words)
    )
    found = open_ended(Alignment("m", Unit("score"), results))
    (row,) = found.breakdowns["template"]
    assert (row.label, row.answered, found.unanswered) == ("1", 4, 1)
    shares = {part.name: (part.count, part.share, part.words) for part in row.categories}
    assert shares["correct"] == (2, 0.5, (("dog", 2),))
    assert shares["other"] == (1, 0.25, (("xyz", 1),))
    assert shares["sub_word"] == (0, 0.0, ())
    assert [part.name for part in row.categories][-1] == "other"


# --- signature --------------------------------------------------------------------------------------------------------


def test_digests_are_of_content_not_of_order_or_place() -> None:
    items = [item("a"), item("b", "x y")]
    moved = [replace(each, file="elsewhere", line=9) for each in reversed(items)]
    assert digest_items(items) == digest_items(moved)
    other = replace(items[0], conditions=tuple(replace(c, acceptable=not c.acceptable) for c in items[0].conditions))
    assert digest_items(items) != digest_items([other, items[1]])
    rows = tuple(SentencePrediction(value, text=text) for value, text in ((-1.0, "a"), (-2.0, "b")))
    file = PredictionFile("one", "f", Unit("score"), rows)
    assert digest_predictions([file]) == digest_predictions([replace(file, name="two", predictions=rows[::-1])])
    assert digest_predictions([file]) != digest_predictions([replace(file, unit=Unit("surprisal"))])


def test_a_signature_is_one_line() -> None:
    signature = make_signature("ab" * 9, "cd" * 9, Criterion().signature(), {"interval": "wilson0.95"}, seed=3)
    assert signature.line() == (
        "items:abababab|predictions:cdcdcdcd|criterion:higher|ties:half|norm:sum|per:pair|interval:wilson0.95|seed:3|"
        f"version:{__version__}"
    )
    assert signature.as_json()["seed"] == "3"


def test_the_version_is_the_generator_s() -> None:
    from generator._version import __version__ as other

    assert __version__ == other


# --- pairs in blocks --------------------------------------------------------------------------------------------------


@pytest.fixture(params=["plain", "numpy"])
def counter(request: pytest.FixtureRequest) -> fast_pairs.BlockCounter:
    if request.param == "plain":
        return fast_pairs.PLAIN
    pytest.importorskip("numpy", reason="the extra 'fast' is not installed")
    found = fast_pairs.fastest()
    assert found != fast_pairs.PLAIN
    return found


def _lines(count: int, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    number = [
        lambda: f"{draw.random() * 12:.4f}",
        lambda: f"{draw.randrange(3)}.5",
        lambda: repr(draw.random() * 30),
        lambda: f"{draw.random() * 1e-7:.3e}",
        lambda: str(draw.randrange(120)),
        lambda: f"-{draw.random():.4f}",
    ]
    words = ["the dog", "the cats of a 2nd-hand shop", "é . 12.5 it", "a"]
    weights = [30, 3, 1, 1, 1, 1]
    return [f"{draw.choice(words)} {draw.choices(number, weights)[0]()}" for _ in range(count)]


def _slowly(lines: list[str]) -> fast_pairs.Counts:
    counts = fast_pairs.Counts()
    rows = [(len(line.split()), float(line.rsplit(" ", 1)[1])) for line in lines]
    for (bad_words, bad), (good_words, good) in zip(rows[0::2], rows[1::2], strict=True):
        counts.add([bad], [good], [bad_words != good_words])
    return counts


@pytest.mark.parametrize("end", ["\n", "", "\r\n", "\n\n"])
def test_blocks_count_as_a_slow_loop_does(
    end: str, counter: fast_pairs.BlockCounter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = _lines(600)
    (tmp_path / "p.txt").write_bytes("\n".join(lines).encode() + end.encode())
    (tmp_path / "s.txt").write_text("".join(line.rsplit(" ", 1)[0] + "\n" for line in lines), "utf-8")
    for size in (1 << 18, 700):
        monkeypatch.setattr(fast_pairs, "BLOCK", size)
        for beside in (None, tmp_path / "s.txt"):
            assert fast_pairs.score_pairs(tmp_path / "p.txt", beside, counter).counts == _slowly(lines)


@pytest.mark.parametrize(
    ("line", "message"),
    [("the dog", "'dog' is no number"), ("the dog nan", "the cross-entropy is nan"), ("", "a blank line"),
     ("the dog inf", "the cross-entropy is inf"), ("the dog 1_0", "'1_0' is no number"), ("0.5", "without a sentence")],
)  # fmt: skip
def test_malformed_lines_are_named(
    line: str, message: str, counter: fast_pairs.BlockCounter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_pairs, "BLOCK", 500)
    lines = _lines(100)
    lines[40] = lines[71] = line
    (tmp_path / "p.txt").write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(InputError) as caught:
        fast_pairs.score_pairs(tmp_path / "p.txt", None, counter)
    assert [finding.line for finding in caught.value.findings] == [41, 72]
    assert message in caught.value.findings[0].message


def test_half_a_pair_another_sentence_and_a_truncated_file(counter: fast_pairs.BlockCounter, tmp_path: Path) -> None:
    path, beside = tmp_path / "p.txt", tmp_path / "s.txt"
    path.write_text("the dogs is 0.5\nthe dog is 0.4\nthe cats is 0.5\n", "utf-8")
    with pytest.raises(InputError, match=r"p\.txt:3: an odd number of lines"):
        fast_pairs.score_pairs(path, None, counter)
    path.write_text("the dogs is 0.5\nthe dog is 0.4\n", "utf-8")
    beside.write_text("the dogs is\nthe cat is\n", "utf-8")
    with pytest.raises(InputError, match=r"p\.txt:2: the sentence of this line is to be 'the cat is'"):
        fast_pairs.score_pairs(path, beside, counter)
    beside.write_text("the dogs is\nthe dog is\na\nb\n", "utf-8")
    with pytest.raises(InputError, match="ends before the sentences"):
        fast_pairs.score_pairs(path, beside, counter)
    beside.write_text("the dogs is\n", "utf-8")
    with pytest.raises(InputError, match="more lines than there are sentences"):
        fast_pairs.score_pairs(path, beside, counter)


# --- published --------------------------------------------------------------------------------------------------------


@needs_reference
def test_zorro_cross_entropies_digit_for_digit() -> None:
    folder = REFERENCE / "zorro"
    expected: dict[str, float] = {}
    for path in sorted((folder / "predictions" / "roberta-base").glob("*.txt")):
        values = [float(line.rsplit(" ", 1)[1]) for line in path.read_text("utf-8").splitlines()]
        points = [
            1.0 if good < bad else 0.5 if good == bad else 0.0
            for bad, good in zip(values[::2], values[1::2], strict=True)
        ]
        expected[path.stem] = sum(points) / len(points)
    assert len(expected) == 18
    files = read_predictions([folder / "predictions" / "roberta-base"])
    found = forced_choice(align(read_items([folder / "sentences"]), files), Criterion(), ["paradigm"])
    by_file = {
        f"{c.result.item.phenomenon}-{c.result.item.paradigm}": cell.accuracy
        for cell in found.breakdowns["paradigm"]
        for c in found.choices
        if cell.label in (c.result.item.paradigm, f"{c.result.item.phenomenon}-{c.result.item.paradigm}")
    }
    assert by_file == expected
    assert found.macro["paradigm"] == pytest.approx(sum(expected.values()) / 18, abs=1e-15)
    for path in (folder / "predictions" / "roberta-base").glob("*.txt"):
        fast = fast_pairs.score_pairs(path, folder / "sentences" / path.name).counts.tally("", "half")
        assert fast.accuracy == expected[path.stem]


@needs_reference
def test_gulordava_log_probabilities_digit_for_digit() -> None:
    folder = REFERENCE / "gulordava" / "English"
    with (folder / "best_model.tab").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    column = list(rows[0])[-1]
    expected = {}
    for kind in ("original", "generated"):
        values = [float(row[column]) for row in rows if row["type"] == kind]
        right = [good > bad for good, bad in zip(values[::2], values[1::2], strict=True)]
        assert not any(good == bad for good, bad in zip(values[::2], values[1::2], strict=True))
        expected[kind] = (len(right), sum(right) / len(right))
    alignment = align(read_items([folder / "generated.tab"]), read_predictions([folder / "best_model.tab"]))
    found = forced_choice(alignment, Criterion(), ["type"])
    assert {cell.label: (cell.scored, cell.accuracy) for cell in found.breakdowns["type"]} == expected
    assert alignment.counts == {"joined": 410, "missing": 0, "duplicate": 0, "unknown": 0, "ambiguous": 0}


@needs_reference
def test_the_published_verdicts_of_the_preliminary_set() -> None:
    folder = REFERENCE / "lstm_syntax"
    (results,) = (folder / "results").glob("*.txt")
    published = [line.split("\t")[0] == "True" for line in results.read_text("utf-8").splitlines()]
    alignment = align(read_items([folder / "preliminary_experiments.tab"]), read_predictions([results]))
    found = forced_choice(alignment, Criterion(ties="wrong"))
    assert [choice.points == 1 for choice in found.choices] == published
    assert found.overall.accuracy == sum(published) / 183
    assert not alignment.odd
