"""Measures of regions from tokens, and designs: shares of items that fulfil formulas, mean differences."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.aligning import align
from scorers.errors import Findings, UsageError
from scorers.items import Condition, Item, Region
from scorers.measures import (
    find_metric,
    region_bits,
    region_surprisals,
    sentence_measures,
    surprisal_bits,
    token_spans,
)
from scorers.metrics.designs import item_surprisals, score_designs
from scorers.metrics.regions import region_means
from scorers.predictions import PredictionFile, TokenPrediction, Unit
from scorers.results import AlignedResult
from scorers.statistics.bootstrap import bootstrap_mean
from scorers.statistics.intervals import mean_interval, wilson

BITS = Unit("surprisal", "bits")

# Measures


def test_surprisals_of_all_units() -> None:
    assert surprisal_bits(3.0, BITS) == pytest.approx(3)
    assert surprisal_bits(-math.log(8), Unit("log_probability")) == pytest.approx(3)
    assert surprisal_bits(-math.log10(8), Unit("log_probability", "bans")) == pytest.approx(3)
    assert surprisal_bits(math.log(8), Unit("cross_entropy")) == pytest.approx(3)
    assert surprisal_bits(8.0, Unit("perplexity")) == pytest.approx(3)
    with pytest.raises(UsageError, match="no surprisals"):
        surprisal_bits(3.0, Unit("score"))


def test_sentence_measures() -> None:
    found = sentence_measures(-12.0, 4, 20)
    assert (found.sum_nats, found.per_token_nats, found.per_character_nats) == (-12, -3, -0.6)
    assert sentence_measures(-12.0, 0, 0).per_token_nats is None


def test_metrics() -> None:
    bits = [1.0, 3.0, 2.0, 7.0]
    found = {name: region_bits(bits, find_metric(name)) for name in ("sum", "mean", "median", "range", "max", "min")}
    assert found == {"sum": 13, "mean": 3.25, "median": 2.5, "range": 6, "max": 7, "min": 1}
    assert region_bits([]) == 0
    assert math.isnan(region_bits([], "max"))
    with pytest.raises(UsageError, match="did you mean 'median'"):
        find_metric("medain")


@pytest.mark.parametrize(
    ("text", "tokens", "starts", "words"),
    [
        ("the cats sit .", ["the", "cats", "sit", "."], (), ["the", "cats", "sit", "."]),
        ("The cats sit.", ["the", "Ġcat", "s", "Ġsit", "."], (), ["The", "cat", "s", "sit", "."]),
        ("The cats sit.", ["<s>", "▁the", "▁cats", "▁sit", ".", "</s>"], (), [None, "The", "cats", "sit", ".", None]),
        ("cats sit", ["[CLS]", "cat", "##s", "sit", "[SEP]"], (), [None, "cat", "s", "sit", None]),
        ("cats sit", ["cat", "s</w>", "sit</w>"], (), ["cat", "s", "sit"]),
        ("the wug sits", ["the", "<unk>", "sits", "<eos>"], (), ["the", "wug", "sits", None]),
        ("the big wug sits", ["the", "<unk>", "<unk>", "sits"], (), ["the", None, None, "sits"]),
        ("sits a wug", ["sits", "a", "<unk>"], (), ["sits", "a", "wug"]),
        ("a cat .", ["a", "dog", "cat", "."], (), ["a", None, "cat", "."]),
        ("one two", ["x", "yy"], (0, 3), ["one", "two"]),
        ("one two", ["<s>", "x", "yy", "</s>"], (0, 0, 4, 7), [None, "one", "two", None]),
        ("İki kedi", ["İki", "kedi"], (), ["İki", "kedi"]),
        ("see <eos>", ["see", "<eos>"], (), ["see", "<eos>"]),
        ("a b", ["a", "", "Ġ", "b"], (), ["a", None, None, "b"]),
    ],
)
def test_token_spans(text: str, tokens: list[str], starts: tuple[int, ...], words: list[str | None]) -> None:
    spans = token_spans(text, tokens, starts)
    assert [span and text[slice(*span)] for span in spans] == words


def test_starts_of_another_number_are_refused() -> None:
    with pytest.raises(ValueError, match="2 tokens with 1 starts"):
        token_spans("a b", ["a", "b"], [0])


@given(st.lists(st.text(alphabet="abÄß.", min_size=1, max_size=4), min_size=1, max_size=6))
def test_words_are_found_where_they_are(words: list[str]) -> None:
    text = " ".join(words)
    assert [text[slice(*span)] for span in token_spans(text, words) if span] == words


def _condition(text: str, *regions: tuple[str, str, str]) -> Condition:
    """A condition with regions (name, number, words), found in the text one after the other."""
    found, at = [], 0
    for name, number, words in regions:
        start = text.index(words, at)
        found.append(Region(name, start, start + len(words), number))
        at = start
    return Condition("c", text, True, tuple(found))


def test_regions_from_tokens() -> None:
    text = "the big cats are here ."
    condition = _condition(
        text, ("np", "1", "the big cats"), ("noun", "", "cats"), ("verb", "2", "are"), ("end", "3", "here .")
    )
    tokens = ("<s>", "the", "big", "cat", "s", "are", "here", ".")
    found = region_surprisals(condition, TokenPrediction(tokens, (9.0, 1, 2, 3, 4, 5, 6, 7)), BITS)
    assert found.bits == {"1": 10, "np": 10, "noun": 7, "2": 5, "verb": 5, "3": 13, "end": 13, "*": 28}
    assert found.straddling == ()
    assert found.unplaced == (0,)
    means = region_surprisals(condition, TokenPrediction(tokens, (9.0, 1, 2, 3, 4, 5, 6, 7)), BITS, "mean")
    assert means.bits == {"1": 2.5, "np": 2.5, "noun": 3.5, "2": 5, "verb": 5, "3": 6.5, "end": 6.5, "*": 4}


NP = _condition("the waiter at the bar sang", ("np", "1", "the waiter"), ("pp", "2", "at the bar"), ("v", "3", "sang"))


@pytest.mark.parametrize(
    ("tokens", "starts", "measured"),
    [
        ("ĠThe Ġwaiter Ġat Ġthe Ġbar Ġsang", (), "np pp v *"),
        # The first token, one in the middle, the last: what no token covers has no number.
        ("Ġwaiter Ġat Ġthe Ġbar Ġsang", (), "pp v"),
        ("ĠThe Ġwaiter Ġthe Ġbar Ġsang", (), "np v"),
        ("ĠThe Ġwaiter Ġat Ġthe Ġbar", (), "np pp"),
        ("Ġwaiter Ġat Ġthe Ġbar Ġsang", (4, 11, 14, 18, 22), "pp v"),
        ("ĠThe Ġwaiter Ġthe Ġbar Ġsang", (0, 4, 14, 18, 22), "np v"),
        ("ĠThe <unk> Ġat Ġthe Ġbar Ġsang", (), "np pp v *"),
        ("ĠThe <unk> Ġthe Ġbar Ġsang", (), "v"),
    ],
)
def test_missing_tokens(tokens: str, starts: tuple[int, ...], measured: str) -> None:
    pieces = tuple(tokens.split())
    prediction = TokenPrediction(pieces, tuple(range(1, len(pieces) + 1)), starts=starts)
    found = region_surprisals(NP, prediction, BITS)
    assert [name for name in found.bits if not name.isdigit()] == measured.split()
    assert found.replaced == ()


def test_other_tokens_than_the_sentence_s() -> None:
    tokens = ("The", "waitress", "at", "the", "bar", "sang", "zzz")
    found = region_surprisals(NP, TokenPrediction(tokens, (1.0,) * 7), BITS)
    assert found.replaced == (("waitress", "waiter"),)
    assert found.unplaced == (6,)
    item = Item("s:1", "s", (NP,), expectations={"e": "c.np < 3"})
    (odd,) = align([item], [PredictionFile("m", "t", BITS, (TokenPrediction(tokens, (1.0,) * 7, "s:1"),))]).odd
    said = "tokens of 's:1' are not those of its sentence: 'zzz' stands nowhere in it, 'waitress' stands for 'waiter'"
    assert odd.message == said


def test_a_sentence_whose_tokens_have_no_number_has_none_as_a_whole() -> None:
    item = Item("s:1", "s", (NP,), expectations={"e": "c < 100"})
    tokens = TokenPrediction(tuple(NP.text.split()), (math.nan, 1.0, 1, 1, 1, 1), "s:1")
    found = align([item], [PredictionFile("m", "t", BITS, (tokens,))])
    assert found.results[0].values == (5.0,)
    assert found.results[0].token_counts == (5,)
    (score,) = score_designs(found.results, Findings(), unit=BITS, resamples=0)
    assert score.formulas[0].outcomes[0].outcome.reason == "no number for the whole sentence of the condition 'c'"


def test_units_reach_regions() -> None:
    condition = _condition("a b", ("x", "1", "a"), ("y", "2", "b"))
    prediction = TokenPrediction(("a", "b"), (-math.log(2), -math.log(8)))
    found = region_surprisals(condition, prediction, Unit("log_probability")).bits
    assert (found["x"], found["y"], found["*"]) == pytest.approx((1, 3, 4))


def test_tokens_over_an_edge_are_reported() -> None:
    condition = _condition("the cats' tails", ("np", "1", "the cats"), ("rest", "2", "' tails"))
    found = region_surprisals(condition, TokenPrediction(("the", "cats'", "tails"), (1.0, 2, 3)), BITS)
    assert found.bits == {"1": 3, "np": 3, "2": 3, "rest": 3, "*": 6}
    (straddle,) = found.straddling
    assert (straddle.token, straddle.start, straddle.end, straddle.regions) == ("cats'", 4, 9, ("np", "rest"))
    # A region in which no token starts has no number of its own.
    one = region_surprisals(condition, TokenPrediction(("the", "cats' tails"), (1.0, 2)), BITS)
    assert one.bits == {"1": 3, "np": 3, "*": 3}
    assert one.straddling[0].regions == ("np", "rest")


def test_what_is_not_measured_has_no_number() -> None:
    condition = _condition("the cats are here", ("np", "1", "the cats"), ("verb", "2", "are"), ("end", "3", "here"))
    # A model without a beginning-of-sentence token says nothing of the first word.
    late = region_surprisals(condition, TokenPrediction(("cats", "are", "here"), (2.0, 3, 4), starts=(4, 9, 13)), BITS)
    assert late.bits == {"2": 3, "verb": 3, "3": 4, "end": 4}
    gap = region_surprisals(condition, TokenPrediction(("the", "cats", "are", "here"), (1.0, 2, math.nan, 4)), BITS)
    assert gap.bits == {"1": 3, "np": 3, "3": 4, "end": 4}
    lost = region_surprisals(condition, TokenPrediction(("the", "x", "y", "are", "here"), (1.0, 2, 2, 3, 4)), BITS)
    assert lost.bits == {"2": 3, "verb": 3, "3": 4, "end": 4}
    assert lost.unplaced == (1, 2)


def test_empty_and_repeated_regions() -> None:
    condition = Condition("c", "a b", True, (Region("x", 0, 1, "1"), Region("gap", 1, 1, "2"), Region("x", 2, 3, "3")))
    prediction = TokenPrediction(("a", "b"), (1.0, 2))
    assert region_surprisals(condition, prediction, BITS).bits == {"1": 1, "2": 0, "gap": 0, "3": 2, "*": 3}
    assert region_surprisals(condition, prediction, BITS, "mean").bits == {"1": 1, "3": 2, "*": 1.5}


# Designs


def _item(number: int, **more: object) -> Item:
    conditions = tuple(
        Condition(name, "a b", None, (Region("noun", 0, 1, "1"), Region("verb", 2, 3, "2"))) for name in ("good", "bad")
    )
    formulas = {"verb": "(2;%good%) < (2;%bad%)", "both": "good.verb < bad.verb & good < bad"}
    fields: dict[str, object] = {"id": f"s:{number}", "paradigm": "s", "expectations": formulas} | more
    return Item(conditions=conditions, file="s.json", line=3, **fields)  # type: ignore[arg-type]


def _result(number: int, good: Mapping[str, float], bad: Mapping[str, float], **more: object) -> AlignedResult:
    return AlignedResult(_item(number, **more), regions=(good, bad))


def _both(noun: float, verb: float) -> dict[str, float]:
    return {"1": noun, "noun": noun, "2": verb, "verb": verb}


RESULTS = [
    _result(1, _both(1, 2), _both(1, 5)),
    _result(2, _both(1, 4), _both(1, 3)),
    _result(3, _both(9, 4), _both(1, 5)),
    _result(4, _both(1, 1), _both(1, 3)),
    _result(5, {"noun": 1.0}, _both(1, 3)),
]


def test_designs() -> None:
    findings = Findings()
    (score,) = score_designs(RESULTS, findings, resamples=200)
    verb, both = score.formulas
    assert (verb.name, verb.paradigm, verb.text) == ("verb", "s", "(2;%good%) < (2;%bad%)")
    assert [outcome.outcome.holds for outcome in verb.outcomes] == [True, False, True, True, None]
    assert [outcome.outcome.holds for outcome in both.outcomes] == [True, False, False, True, None]
    assert verb.share == wilson(3, 4)
    assert both.share == wilson(2, 4)
    assert score.mean_share == pytest.approx((3 / 4 + 2 / 4) / 2)
    assert score.all_fulfilled == wilson(2, 4)
    # Means of items 1 to 4: verbs 2.75 and 4; wholes 5.75 and 5, so that the second part of `both` fails.
    assert (verb.on_average, both.on_average) == (True, False)
    (difference,) = verb.comparisons
    assert difference.mean_bits == pytest.approx((3 - 1 + 1 + 2) / 4)
    assert difference.items == 4
    assert difference.interval == bootstrap_mean([3, -1, 1, 2], resamples=200)
    # The whole sentence is the sum of the numbered regions; item 3's is 13 against 6.
    assert [part.text for part in both.comparisons] == ["good.verb < bad.verb", "good < bad"]
    assert both.comparisons[1].mean_bits == pytest.approx((3 - 1 - 7 + 2) / 4)
    assert [item.item for item in verb.unscored] == ["s:5"]
    assert not findings.errors
    messages = [finding.message for finding in findings.warnings]
    assert len(messages) == 2
    assert (
        messages[0]
        == "s: 1 of 5 items have no verdict on 'verb': s:5: no number for the region '2' of the condition 'good'"
    )
    record = json.loads(json.dumps(score.as_json(), allow_nan=False))
    assert record["formulas"][0]["items"][4]["holds"] is None
    assert record["formulas"][0]["share"]["signature"] == "statistic:wilson|level:0.95"


def test_means_of_regions() -> None:
    means = region_means(RESULTS, BITS, 0.9)
    assert [(mean.condition, mean.region, mean.number, mean.interval.items) for mean in means] == [
        ("good", "noun", "1", 5),
        ("good", "verb", "2", 4),
        ("good", "*", "", 4),
        ("bad", "noun", "1", 5),
        ("bad", "verb", "2", 5),
        ("bad", "*", "", 5),
    ]
    assert [mean.interval.mean for mean in means] == pytest.approx([2.6, 2.75, 5.75, 1, 3.8, 4.8])
    assert means[1].interval == mean_interval([2, 4, 4, 1], 0.9)
    assert {mean.paradigm for mean in means} == {"s"}


def test_regions_follow_one_another_whichever_a_condition_has() -> None:
    """As in designs of ours: labels over slots, regions in regions, an object that half of the conditions lack."""
    regions = {
        "gap": [("Subj", 0, 1), ("subj", 0, 1), ("Verb", 2, 3), ("end", 4, 5), ("object", 3, 3)],
        "full": [("Subj", 0, 1), ("subj", 0, 1), ("Verb", 2, 3), ("Subj", 6, 7), ("object", 4, 7), ("end", 8, 9)],
    }
    conditions = tuple(
        Condition(name, "a b c d e"[:length], None, tuple(Region(*region) for region in regions[name]))
        for name, length in (("gap", 5), ("full", 9))
    )
    bits = tuple({name: 1.0 for name, start, end in found if start < end} for found in regions.values())
    means = region_means([AlignedResult(Item("1", "p", conditions), regions=bits)])
    shown = [(mean.condition, mean.region, mean.place) for mean in means if mean.is_outermost]
    assert shown == [("gap", "subj", 2), ("gap", "Verb", 3), ("gap", "end", 5), ("full", "subj", 2),
                     ("full", "Verb", 3), ("full", "object", 4), ("full", "end", 5)]  # fmt: skip
    assert {mean.region for mean in means if not mean.is_outermost} == {"Subj"}


def test_a_mean_of_numbers_without_a_mean_is_none() -> None:
    endless = [_result(8, _both(1, math.inf), _both(1, 3)), _result(9, _both(1, 2), _both(1, 3))]
    (score,) = score_designs(endless, Findings(), resamples=0)
    assert score.formulas[0].on_average is None
    assert [mean.interval.items for mean in region_means(endless)] == [2, 1, 1, 2, 2, 2]


def test_designs_without_resamples_and_with_infinite_differences() -> None:
    endless = _result(9, _both(1, 2), _both(1, math.inf))
    (score,) = score_designs([*RESULTS, endless], Findings(), resamples=0)
    assert score.formulas[0].share.points == 4
    assert score.formulas[0].comparisons[0].mean_bits == math.inf
    assert (
        json.loads(json.dumps(score.as_json(), allow_nan=False))["formulas"][0]["comparisons"][0]["mean_bits"] is None
    )
    (plain,) = score_designs(RESULTS, Findings(), resamples=0)
    assert plain.formulas[0].comparisons[0].interval is None


def test_paradigms_are_apart_and_in_order() -> None:
    other = _result(1, _both(1, 2), _both(1, 5), paradigm="other")
    assert [score.paradigm for score in score_designs([other, *RESULTS], Findings(), resamples=0)] == ["other", "s"]
    assert score_designs([_result(1, {}, {}, expectations={})], Findings()) == ()


def test_nothing_scored_has_no_share() -> None:
    (score,) = score_designs([RESULTS[4]], Findings(), resamples=0)
    assert score.mean_share is None
    assert math.isnan(score.all_fulfilled.estimate)
    assert score.formulas[0].comparisons[0].mean_bits is None


def test_wrong_formulas_are_found_once_and_wrong_conditions_named() -> None:
    findings = Findings()
    wrong = [_result(n, {}, {}, expectations={"x": "good < ", "y": "(2;%god%) < (2;%bad%)"}) for n in (1, 2)]
    assert score_designs(wrong, findings) == ()
    messages = [finding.message for finding in findings.errors]
    assert messages[0].startswith("found the end of the formula")
    assert messages[1] == "item 's:1' has no condition 'god', which its formula 'y' names; did you mean 'good'?"
    assert len(messages) == 3
    assert {(finding.file, finding.line) for finding in findings} == {("s.json", 3)}


def test_whole_sentences() -> None:
    item = _item(1)
    given_whole = AlignedResult(item, regions=({"1": 1.0, "2": 2.0, "*": 7.0}, {"1": 1.0}))
    assert [bits.get("*") for bits in item_surprisals(given_whole).values()] == [7, None]
    by_score = AlignedResult(item, values=(-math.log(4), None))
    found = item_surprisals(by_score, Unit("log_probability"))
    assert found["good"]["*"] == pytest.approx(2)
    assert "*" not in found["bad"]
    assert item_surprisals(by_score)["good"] == {}


def test_empty_regions_may_be_left_out_of_a_sum() -> None:
    condition = Condition("good", "a", None, (Region("noun", 0, 1, "1"), Region("gap", 1, 1, "2")))
    item = Item("i", "p", (condition,))
    assert item_surprisals(AlignedResult(item, regions=({"1": 3.0},)))["good"]["*"] == 3
