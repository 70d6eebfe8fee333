"""Human judgements: reading, joining, and agreement with models, on the command line.

Values marked `oracle` were computed with krippendorff 0.8, scikit-learn and scipy by the line above them, where
RATINGS, VOTES and SCORES are the tables below as numpy arrays (nan for None):

    m = nanmean(RATINGS, axis=1); people = round(m[0::2] - m[1::2], 12); model = SCORES[0::2] - SCORES[1::2]

Differences of means are rounded: 7/3 - 1 and 4/3 - 0 are one number, and no two ranks.
"""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pytest

from scorers.aligning_judgements import join_judgements
from scorers.cli.main import main
from scorers.errors import Findings, InputError, ScoreError
from scorers.items import Condition, Item, Pair
from scorers.judgements import Judged, Judgement, JudgementFile
from scorers.readers.judgements import read_judgements
from scorers.statistics.agreement import krippendorff_alpha
from scorers.statistics.reliability import interval_alpha

# A row a sentence (of each pair the acceptable one first), a column an annotator.
RATINGS = [
    [5, 4, 6], [2, 3, 2], [6, 7, 5], [6, 5, 6], [4, None, 4], [1, 2, 1], [3, 4, 4], [4, 5, 3],
    [7, 6, 7], [3, 2, None], [5, 5, 6], [3, 5, 1], [2, 2, 3], [4, 3, 4], [6, 6, 7], [2, 1, 2],
]  # fmt: skip
SCORES = [-10.5, -12.25, -9, -9.5, -11, -10.75, -12, -12.5, -8.5, -12.5, -10, -11.5, -13, -10.75, -9.25, -14]
# A row a pair: 1 for the acceptable member, 0 for the starred one.
VOTES = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, None, 0], [0, 0, 1], [1, 1, 1], [0, 1, None], [1, 1, 0]]
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight")

Rows = dict[tuple[str, str, str], dict[str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight items of one paradigm, a model's scores, ratings by text, and choices by id."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    pairs = [(f"the {word} is here .", f"the {word} are here .") for word in WORDS]
    texts = [text for pair in pairs for text in pair]
    (tmp_path / "agreement-number.txt").write_text("".join(f"{bad}\n{good}\n" for good, bad in pairs))
    scored = (f"{text}\t{score}\n" for text, score in zip(texts, SCORES, strict=True))
    (tmp_path / "model.tsv").write_text("text\tscore\n" + "".join(scored))
    rated = [(text, who, rating) for text, row in zip(texts, RATINGS, strict=True) for who, rating in enumerate(row)]
    records = [{"text": text, "annotator": who, "rating": rating} for text, who, rating in rated if rating is not None]
    (tmp_path / "ratings.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    chosen = [
        f"agreement-number:{2 * number + 1}\t{'good' if vote else 'bad'}\tw{who}\n"
        for number, row in enumerate(VOTES)
        for who, vote in enumerate(row)
        if vote is not None
    ]
    (tmp_path / "choices.tsv").write_text("id\tchoice\tannotator\n" + "".join(chosen))
    return tmp_path


def agreement(capsys: pytest.CaptureFixture[str], *options: str, code: int = 0, command: str = "predictions") -> Rows:
    """The table `agreement`: rows by label, model and measure."""
    capsys.readouterr()
    files = [] if command == "none" else ["agreement-number.txt", "model.tsv"]
    assert main([command, *files, *options, "--csv", "agreement"]) == code
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    return {(row["label"], row["model"], row["measure"]): row for row in rows}


def value(rows: Rows, measure: str, model: str = "model", column: str = "value") -> float:
    return float(rows["all", model, measure][column])


# ---- the statistics


def test_alpha_of_numbers() -> None:
    units = [[number for number in row if number is not None] for row in RATINGS]
    # oracle: krippendorff.alpha(reliability_data=RATINGS.T, level_of_measurement='interval')
    found = interval_alpha(units, resamples=4000)
    assert found.alpha == pytest.approx(0.7913043478260869, rel=1e-12)
    assert (found.units, found.values) == (16, 46)
    # oracle: nanquantile([krippendorff.alpha(RATINGS[rng.integers(0, 16, 16)].T, ...) for _ in range(4000)],
    # [.025, .975]) with rng = default_rng(0): 0.5605, 0.8993
    assert (found.low, found.high) == pytest.approx((0.5605, 0.8993), abs=0.02)


def test_alpha_of_zeros_and_ones_is_the_nominal_one() -> None:
    units = [[number for number in row if number is not None] for row in VOTES]
    # oracle: krippendorff.alpha(reliability_data=VOTES.T, level_of_measurement='nominal')
    found = interval_alpha(units, resamples=4000)
    assert found.alpha == pytest.approx(-0.125, rel=1e-12) == krippendorff_alpha(units).alpha
    # oracle: as above, nominal: -0.52, 0.148
    assert (found.low, found.high) == pytest.approx((-0.52, 0.148), abs=0.03)


def test_alpha_depends_on_no_order_and_no_origin() -> None:
    generator = random.Random(3)
    units = [[generator.choice([1, 2, 5]) for _ in range(3)] for _ in range(200)]
    found = interval_alpha(units, resamples=200, seed=4)
    mixed = [generator.sample(unit, 3) for unit in generator.sample(units, len(units))]
    assert interval_alpha(mixed, resamples=200, seed=4) == found
    assert interval_alpha(units, resamples=200, seed=5).low != found.low
    moved = interval_alpha([[value + 1e6 for value in unit] for unit in units], resamples=200, seed=4)
    assert (moved.alpha, moved.low) == pytest.approx((found.alpha, found.low), abs=1e-6)


def test_draws_of_counts_and_of_units_have_one_distribution() -> None:
    few = [[0, 0], [0, 1], [1, 1], [1, 1]] * 30
    # The same units, told apart by what does not matter: they are then drawn one by one.
    many = [[value * (1 + 1e-9 * place) for value in unit] for place, unit in enumerate(few)]
    first, second = interval_alpha(few, resamples=4000), interval_alpha(many, resamples=4000)
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=0.02)


@pytest.mark.parametrize("units", [[], [[1]], [[1, 1], [1, 1, 1]], [[1], [2]]])
def test_alpha_that_cannot_be(units: list[list[float]]) -> None:
    assert interval_alpha(units, resamples=10).as_json()["alpha"] is None


# ---- agreement, from files


def test_ratings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = agreement(capsys, "--human", "ratings.jsonl")
    assert value(rows, "rating_alpha", "") == pytest.approx(0.7913043478260869)
    # oracle: mean(people > 0) + mean(people == 0) / 2; mean(sign(people) == sign(model))
    assert value(rows, "human_accuracy", "") == 0.75
    assert value(rows, "verdict_agreement") == 0.75
    # oracle: sklearn.metrics.cohen_kappa_score(sign(people), sign(model))
    assert value(rows, "verdict_kappa") == pytest.approx(0.33333333333333337)
    expected = {
        # oracle: pearsonr(SCORES, m), spearmanr(SCORES, m), kendalltau(SCORES, m)
        "sentence_pearson": (0.8387055766680993, 4.9157467168153565e-05),
        "sentence_spearman": (0.8118083391589028, 0.0001341211786153747),
        "sentence_kendall": (0.7063893743102952, 0.00017281718303768594),
        # oracle: pearsonr(model, people), spearmanr(model, people), kendalltau(model, people)
        "margin_pearson": (0.8697029866197015, 0.005003886209392918),
        "margin_spearman": (0.8072289156626505, 0.015419372762232257),
        "margin_kendall": (0.7407407407407407, 0.011990793224189214),
    }
    for measure, numbers in expected.items():
        assert (value(rows, measure), value(rows, measure, column="p")) == pytest.approx(numbers, rel=1e-9), measure
    assert {(row["measure"].split("_")[0], row["n"], row["of"]) for row in rows.values()} == {
        ("human", "8", "pairs"), ("rating", "16", "sentences"), ("verdict", "8", "pairs"),
        ("sentence", "16", "sentences"), ("margin", "8", "pairs"),
    }  # fmt: skip
    assert all(row["about"] for row in rows.values())


def test_choices(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = agreement(capsys, "--human", "choices.tsv")
    assert value(rows, "choice_alpha", "") == pytest.approx(-0.125)
    # oracle: votes = nanmean(VOTES, axis=1); mean((sign(votes - .5) + 1) / 2); two pairs are split
    assert value(rows, "human_accuracy", "") == 0.625
    assert (value(rows, "verdict_agreement"), value(rows, "verdict_agreement", column="n")) == (0.5, 6)
    # oracle: cohen_kappa_score(sign(votes - .5)[split], sign(model)[split]), split = votes != .5
    assert value(rows, "verdict_kappa") == pytest.approx(-0.2857142857142856)
    assert not any(measure.startswith(("sentence", "margin", "rating")) for _, _, measure in rows)


def test_accuracies_of_paradigms(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items, scores, choices = [], ["id\tcondition\tscore"], ["id\tchoice"]
    for paradigm, (model, people) in enumerate(zip((1, 2, 2, 3, 4), (0, 2, 3, 3, 4), strict=True)):
        for number in range(4):
            name = f"p{paradigm}:{number}"
            good, bad = f"a {name} b", f"b {name} a"
            items.append({"sentence_good": good, "sentence_bad": bad, "UID": f"p{paradigm}", "pairID": number})
            scores += [f"{name}\tgood\t{int(number < model)}", f"{name}\tbad\t0.5"]
            choices.append(f"{name}\t{good if number < people else bad}")
    (folder / "blimp.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    (folder / "scores.tsv").write_text("\n".join(scores) + "\n")
    (folder / "people.tsv").write_text("\n".join(choices) + "\n")
    files = ("blimp.jsonl", "scores.tsv", "--human", "people.tsv")
    assert main(["predictions", *files, "--csv", "agreement"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    found = {row["measure"]: row for row in rows if row["measure"].startswith("group_")}
    assert {row["n"] for row in found.values()} == {"5"}
    x = {name: (float(row["value"]), float(row["p"])) for name, row in found.items()}
    # oracle: pearsonr((.25, .5, .5, .75, 1), (0, .5, .75, .75, 1)), and spearmanr, kendalltau
    assert x["group_pearson"] == pytest.approx((0.8963881445476723, 0.0394076537725269))
    assert x["group_spearman"] == pytest.approx((0.9210526315789475, 0.026310519685577904))
    assert x["group_kendall"] == pytest.approx((0.8888888888888888, 0.03735647244558174))
    # One annotator has no alpha, and people who always take the same member no kappa.
    blank = {(row["label"], row["measure"]) for row in rows if not row["value"]}
    assert {("all", "choice_alpha"), ("p0", "verdict_kappa"), ("p4", "verdict_kappa")} <= blank
    assert ("all", "verdict_kappa") not in blank
    assert {row["label"]: row["value"] for row in rows if row["measure"] == "human_accuracy"}["p2"] == "0.75"
    (folder / "four.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items[:16]))
    assert main(["predictions", "four.jsonl", *files[1:], "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert not any(row["measure"].startswith("group_") for row in report["agreement"])
    assert [(row["file"], row["line"]) for row in report["findings"] if row["code"] == "unknown-judgement"] == [
        ("people.tsv", line) for line in (18, 19, 20, 21)
    ]


def test_every_output_shows_agreement(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = {}
    for option in ("--json", "--markdown", "--title=T"):
        command = ["predictions", "agreement-number.txt", "model.tsv", "--human", "ratings.jsonl"]
        assert main([*command, option, "--report", "out.html"]) == 0
        shown[option] = capsys.readouterr().out
    report = json.loads(shown["--json"])
    assert len(report["agreement"]) == 10
    assert report["alignment"][1] == {
        "model": "people (ratings.jsonl)", "joined": 8, "missing": 0, "duplicate": 0, "unknown": 0, "ambiguous": 0
    }  # fmt: skip
    assert report["items"][0]["attributes"]["people"] == "acceptable"
    assert report["items"][0]["attributes"]["people:ratings"] == "5.00 : 2.33"
    assert "| model | 8 | 75.0 | [40.9, 92.9] | 0.333 |" in shown["--markdown"]
    for text in (shown["--title=T"], shown["--markdown"], (folder / "out.html").read_text("utf-8")):
        for heading in ("Human judgements", "Agreement with people", "Correlations with people"):
            assert heading in text
        assert "0.791" in text


def test_compare_has_a_row_for_each_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.tsv").write_text((folder / "model.tsv").read_text().replace("-10.75", "-11.25"))
    rows = agreement(capsys, "other.tsv", "--human", "choices.tsv", command="compare")
    assert {(model, measure) for _, model, measure in rows} == {
        ("", "human_accuracy"), ("", "choice_alpha"),
        *((model, measure) for model in ("model", "other") for measure in ("verdict_agreement", "verdict_kappa")),
    }  # fmt: skip
    assert value(rows, "verdict_agreement", "other") != value(rows, "verdict_agreement")


def signature(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["predictions", "agreement-number.txt", "model.tsv", *options, "--json"]) == 0
    found: str = json.loads(capsys.readouterr().out)["signature"][0]
    return found


def test_the_signature_names_judgements_and_statistics(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = signature(capsys, "--human", "choices.tsv")
    assert "|agreement:cohen-kappa,krippendorff-alpha-nominal|alpha:percentile0.95|resamples:10000|version:" in first
    assert "pearson,spearman,kendall-tau-b" in signature(capsys, "--human", "ratings.jsonl")
    header, *lines = (folder / "choices.tsv").read_text().splitlines()
    (folder / "mixed.tsv").write_text("\n".join([header, *reversed(lines)]) + "\n")
    assert signature(capsys, "--human", "mixed.tsv") == first
    (folder / "other.tsv").write_text("\n".join([header, *lines[:-1], lines[-1].replace("w2", "w3")]) + "\n")
    assert signature(capsys, "--human", "other.tsv") != first
    assert "judgements" not in signature(capsys)


def test_intervals_are_seeded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--human", "ratings.jsonl", "--resamples", "200", "--seed")
    lows = [value(agreement(capsys, *options, seed), "rating_alpha", "", "low") for seed in ("1", "1", "2")]
    assert lows[0] == lows[1] != lows[2]


def test_a_tie_of_the_model_agrees_with_nobody(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "model.tsv").write_text((folder / "model.tsv").read_text().replace("-12.25", "-10.5"))
    assert value(agreement(capsys, "--human", "ratings.jsonl", "--ties", "right"), "verdict_agreement") == 0.625


# ---- joining


def item(name: str, *starred: str, good: str = "she is here .") -> Item:
    conditions = (Condition("good", good, True), *(Condition(f"bad{n}", text, False) for n, text in enumerate(starred)))
    pairs = tuple(Pair(0, number) for number in range(1, len(conditions)))
    return Item(name, "p", conditions, pairs, file="items.txt", line=1)


def join(items: list[Item], *rows: Judgement) -> Judged:
    return join_judgements(items, JudgementFile("people.tsv", rows))


SHE, HE = item("a", "she are here ."), item("b", "he are here .", good="he is here .")


def test_choices_name_members_in_several_ways() -> None:
    ways = ["good", "bad0", "bad", "she is here .", "She are here . <eos>", "starred", "acceptable"]
    rows = [Judgement(choice=way, item_id="a", annotator=str(n)) for n, way in enumerate(ways)]
    assert join([SHE, HE], *rows).votes == {(0, 0): (1, 0, 0, 1, 0, 0, 1)}


def test_choices_by_text() -> None:
    rows = [
        Judgement(choice="he are here .", text="he is here .", annotator="x"),
        Judgement(choice="good", text="He are here", annotator="x"),
        Judgement(choice="good", text="He are here .", annotator="y"),
    ]
    found = join([SHE, HE], *rows)
    assert found.votes == {(1, 0): (0, 1)}
    assert [finding.message for finding in found.unknown] == ["no item has 'He are here'"]


def test_a_choice_of_several_members() -> None:
    three = item("c", "she are here .", "she am here .")
    rows = [
        Judgement(choice="good", item_id="c", annotator="x"),
        Judgement(choice="bad1", item_id="c", annotator="y"),
        Judgement(choice="bad", item_id="c.2", annotator="z"),
        Judgement(choice="bad", item_id="c", annotator="u"),
    ]
    found = join([three], *rows)
    assert found.votes == {(0, 0): (1,), (0, 1): (1, 0, 0)}
    assert [found.verdict(three, 0, number) for number in (0, 1)] == [1, 0]
    (unknown,) = found.unknown
    assert unknown.message.startswith("the choice 'bad' is no member of a pair of 'c' (it has good, bad0, bad1;")


def test_one_rating_holds_wherever_the_sentence_stands() -> None:
    other = item("c", "she am here .")
    rows = [
        Judgement(5, text="she is here .", line=1),
        Judgement(2, text="she are here .", line=2),
        Judgement(1, item_id="c", condition="bad", line=3),
        Judgement(4, text="she is here .", line=4),
    ]
    found = join([SHE, other], *rows[:3])
    assert found.ratings == {(0, 0): (5,), (1, 0): (5,), (0, 1): (2,), (1, 1): (1,)}
    assert found.sentences == ((1, 1), (0, 0), (0, 1))
    assert (found.joined, found.missing) == (2, [])
    # Said twice, and differently, of items that differ: nothing says which is which.
    again = join([SHE, other], *rows)
    assert [finding.line for finding in again.ambiguous] == [1, 4]
    assert again.joined == 0


def test_a_second_judgement_is_a_duplicate() -> None:
    rows = [
        Judgement(choice="good", item_id="a", file="f", line=1),
        Judgement(choice="bad", item_id="a", file="f", line=2),
        Judgement(choice="bad", item_id="a", annotator="x", file="f", line=3),
        Judgement(choice="bad", item_id="a", annotator="x", file="f", line=4),
    ]
    found = join([SHE, HE], *rows)
    assert found.votes == {(0, 0): (1, 0)}
    assert [(finding.line, finding.hint) for finding in found.duplicate] == [
        (2, "several people's judgements need a field 'annotator'"), (4, "")
    ]  # fmt: skip
    assert found.duplicate[1].message == "a second judgement of 'a' by 'x' (the first, in f:3, is kept)"
    assert [finding.message for finding in found.missing] == ["no judgement of 'b'"]


def test_half_a_rated_pair_has_no_verdict() -> None:
    found = join([SHE], Judgement(5, item_id="a", condition="good"))
    assert found.verdict(SHE, 0, 0) is None
    assert [finding.message for finding in found.missing] == ["no judgement of 'a' (bad0)"]


def test_equal_means_are_split() -> None:
    rows = [
        Judgement(rating, item_id="a", condition=name, annotator=who)
        for name, ratings in (("good", (0.1, 0.2)), ("bad", (0.15, 0.15)))
        for who, rating in zip("xy", ratings, strict=True)
    ]
    assert join([SHE], *rows).verdict(SHE, 0, 0) == 0.5


def test_judgements_of_other_items() -> None:
    with pytest.raises(InputError, match=r"none of its 1 judgements is of these 2 items\n.*no item has 'z'"):
        join([SHE, HE], Judgement(5, item_id="z", condition="good"))
    with pytest.raises(ScoreError, match="no pairs of sentences that people could judge"):
        join([Item("m", "p", (Condition("open", "x", None),))], Judgement(5, item_id="m"))


# ---- reading


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id\tratnig\n1\t2\n", ":1: no field for what people said (rating or choice); the fields are: id, ratnig; did "
         "you mean 'rating'?"),
        ("text,rating\nx,2\n", "(columns are set apart by tabs, not by commas)"),
        ("id\trating\n1\tx\n", ":2: 'rating' is 'x': no number"),
        ("id\trating\n1\tnan\n", ":2: 'rating' is 'nan': no finite number"),
        ("id\trating\n1\t\n", ":2: neither a rating nor a choice: what did people say?"),
        ("id\ttext\tchoice\n\t\tgood\n", ":2: neither an id nor a text: which sentence or item is it?"),
        ('{"id": 1, "choice": true}\n', ":1: 'choice' is True: expected a text"),
        ("id\trating\n", ": no judgements: there is no row under the header"),
        ("", ": no judgements: the file is empty"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "j.tsv").write_text(text)
    with pytest.raises(InputError) as raised:
        read_judgements(str(tmp_path / "j.tsv"))
    assert message in str(raised.value)


def test_fields_have_several_names(tmp_path: Path) -> None:
    (tmp_path / "j.tsv").write_text("suite\titem_id\tcondition\tmean_rating\tworker_id\nS\t1\tgood\t4.5\tw\n")
    findings = Findings()
    (row,) = read_judgements(str(tmp_path / "j.tsv"), findings).judgements
    assert (row.item_id, row.condition, row.rating, row.annotator, row.line) == ("S:1", "good", 4.5, "w", 2)
    (tmp_path / "j.jsonl").write_text('{"sentence": "x . <eos>", "chosen": "good", "annotator": 3, "rating": null}\n')
    (row,) = read_judgements(str(tmp_path / "j.jsonl"), findings).judgements
    assert (row.text, row.choice, row.annotator, row.rating) == ("x .", "good", "3", None)
    assert not findings.warnings


def test_what_does_not_go_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["agreement-number.txt", "model.tsv", "--human"]
    assert main(["predictions", *files, "choices.tsv", "--pairs"]) == 2
    assert main(["predictions", "agreement-number.txt", "-", "--human", "-", "--format", "tsv"]) == 2
    assert main(["predictions", *files, "no.tsv"]) == 3
    assert "no.tsv: there is no such file" in capsys.readouterr().err
