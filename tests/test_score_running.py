"""Runs of models: groups, work files, parts, and what is left after a crash."""

from __future__ import annotations

import fcntl
import json
import math
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorers import models
from scorers.asking import MEASURES
from scorers.cli.main import main
from scorers.errors import Findings
from scorers.models import (
    Family,
    Fill,
    LanguageModel,
    MaskedSentence,
    MaskFiller,
    ModelOptions,
    Refusal,
    Stretch,
    TokenScores,
)
from scorers.models.words import placed_words
from scorers.running import Run, WorkFile

ROOT = Path(__file__).resolve().parents[1]


class Letters(MaskFiller):
    """Minus the number of letters of each word, times a place of the group, so that groups matter.

    `asked` is everything that it was asked, in order; it stops at `most` groups; words with `z` are unknown, sentences
    with `!` too long.
    """

    name = "letters"
    asked: list[Any]

    def __init__(self, most: int = 10**9, size: int = 3) -> None:
        self.asked, self.most, self.size = [], most, size

    def signature(self) -> Mapping[str, str]:
        return {"model": "letters"}

    def plan(self, stretches: Sequence[Stretch]) -> Sequence[Sequence[int]]:
        return [range(at, min(at + self.size, len(stretches))) for at in range(0, len(stretches), self.size)]

    plan_fills: Any = plan

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
        self._count(stretches)
        return [self._scores(stretch, place) for place, stretch in enumerate(stretches)]

    def _scores(self, stretch: Stretch, place: int) -> TokenScores | Refusal:
        if "!" in stretch.text:
            return Refusal("9 tokens, and the model's window has 8")
        words = placed_words(stretch)
        values = tuple(-len(word) / 3 - place / 7 if start else math.nan for word, start in words)
        unknown = tuple(word for word, _ in words if "z" in word)
        return TokenScores(tuple(word for word, _ in words), tuple(start for _, start in words), values, unknown)

    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> list[tuple[Fill, ...] | Refusal]:
        self._count(sentences)
        return [tuple(Fill(f"w{n}", 1 / (n + len(entry.text))) for n in range(1, top + 1)) for entry in sentences]

    def _count(self, group: Sequence[Any]) -> None:
        if self.most == 0:
            raise KeyboardInterrupt
        self.most -= 1
        self.asked += group


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Letters:
    model = Letters()

    def load(argument: str, options: ModelOptions, findings: Findings) -> LanguageModel:
        return model

    monkeypatch.setattr(models, "MODELS", {**models.MODELS, "letters": Family("letters", "", "", load)})
    return model


def zorro(count: int) -> str:
    rows = (f"the dogs{'s' * n} is here .\nthe dog{'s' * n} is here ." for n in range(count))
    return "\n".join(rows) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pairs that share sentences, and masks."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "agreement-number.txt").write_text(zorro(20))
    (tmp_path / "items" / "masks.txt").write_text("the [MASK] is here .\nthe [MASK] are here .\n")
    return tmp_path


COMMAND = ["model", "items", "--model", "letters", "-o", "out.jsonl"]


def test_everything_is_asked_once(folder: Path, letters: Letters) -> None:
    assert main(COMMAND) == 0
    # 20 pairs of 21 sentences, and two masks.
    assert len(letters.asked) == len(set(letters.asked)) == 21 + 2
    assert len((folder / "out.jsonl").read_text().splitlines()) == 40 + 2
    assert sorted(path.name for path in folder.iterdir()) == ["items", "out.jsonl"]


def test_the_order_of_the_items_changes_nothing(folder: Path, letters: Letters) -> None:
    assert main(COMMAND) == 0
    rows = zorro(20).splitlines()
    pairs = [f"{rows[at]}\n{rows[at + 1]}\n" for at in range(0, len(rows), 2)]
    random.Random(1).shuffle(pairs)
    (folder / "items" / "agreement-number.txt").write_text("".join(pairs))
    assert main([*COMMAND[:-1], "again.jsonl"]) == 0

    def said(name: str) -> dict[str, Any]:
        rows = map(json.loads, (folder / name).read_text().splitlines())
        return {row["text"]: row.get("log_probability_nats", row.get("probability")) for row in rows}

    assert said("out.jsonl") == said("again.jsonl")


@pytest.mark.parametrize("groups", range(0, 9, 2))
def test_a_stopped_run_goes_on(groups: int, folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND) == 0
    whole, everything = (folder / "out.jsonl").read_bytes(), letters.asked
    (folder / "out.jsonl").unlink()
    letters.asked, letters.most = [], groups
    assert main(COMMAND) == (130 if groups < 8 else 0)
    if groups == 8:
        return
    assert not (folder / "out.jsonl").exists()
    said = capsys.readouterr().err
    assert ("what is done is in out.jsonl.partial, --resume goes on" in said) is (groups > 0)
    if groups:
        assert main(COMMAND) == 2
        assert "out.jsonl.partial is left of a run that was stopped" in capsys.readouterr().err
    letters.most = 10**9
    assert main([*COMMAND, "--resume"]) == 0
    assert (folder / "out.jsonl").read_bytes() == whole
    assert letters.asked == everything  # each thing once, over both runs
    assert not (folder / "out.jsonl.partial").exists()


@pytest.mark.parametrize("damage", ["cut", "zeros", "garbage", "short"])
def test_damaged_lines_are_asked_again(damage: str, folder: Path, letters: Letters) -> None:
    assert main(COMMAND) == 0
    whole = (folder / "out.jsonl").read_bytes()
    letters.most = 4
    assert main(COMMAND) == 130
    work = folder / "out.jsonl.partial"
    lines = work.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 4
    bad = {
        "cut": lines[-1][:-9],
        "zeros": b"\0" * 50,
        "garbage": b"\xff\xfe{}\n",
        "short": b'{"group":3,"answers":[]}\n',
    }[damage]
    work.write_bytes(b"".join(lines[:-1]) + bad)
    letters.asked, letters.most = [], 10**9
    assert main([*COMMAND, "--resume"]) == 0
    assert len(letters.asked) == 21 + 2 - 3 * 3
    assert (folder / "out.jsonl").read_bytes() == whole


def test_what_another_run_has_left_is_not_believed(
    folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]
) -> None:
    letters.most = 2
    assert main(COMMAND) == 130
    letters.most = 10**9
    (folder / "items" / "agreement-number.txt").write_text(zorro(19))
    assert main([*COMMAND, "--resume"]) == 3
    assert "what is there is of another run" in capsys.readouterr().err
    assert (folder / "out.jsonl.partial").exists()


@pytest.mark.parametrize("left", [b"my notes\n", b"\0" * 40, b'{"run": "x"}\n'])
def test_a_strange_file_in_the_place_of_the_work_file_stays(
    left: bytes, folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "out.jsonl.partial").write_bytes(left)
    assert main([*COMMAND, "--resume"]) == 3
    assert "is of another run" in capsys.readouterr().err
    assert main(COMMAND) == 2
    assert (folder / "out.jsonl.partial").read_bytes() == left


def test_an_empty_work_file_is_a_beginning(folder: Path, letters: Letters) -> None:
    (folder / "out.jsonl.partial").touch()
    assert main([*COMMAND, "--resume"]) == 0
    assert len(letters.asked) == 23


def test_two_processes_do_not_share_a_work_file(
    folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]
) -> None:
    letters.most = 2
    assert main(COMMAND) == 130
    with (folder / "out.jsonl.partial").open("r+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        for command in (COMMAND, [*COMMAND, "--resume"]):
            assert main(command) == 2
            assert "out.jsonl.partial: another process is at work on it" in capsys.readouterr().err
    letters.most = 99
    assert main([*COMMAND, "--resume"]) == 0


def test_a_run_that_came_to_its_end_is_not_made_again(
    folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*COMMAND, "--top", "2"]) == 0
    letters.asked = []
    assert main([*COMMAND, "--top", "2", "--resume"]) == 0
    assert "out.jsonl is there already, and answers all of it" in capsys.readouterr().err
    assert not letters.asked
    for other in (["--top", "3"], ["--name", "other"]):
        letters.asked = []
        assert main([*COMMAND, *other, "--resume"]) == 0
        assert letters.asked
    before = Path("out.jsonl").read_bytes()
    assert main([*COMMAND, "--measure", "mean", "--resume"]) == 3
    assert "out.jsonl: what is there was made in another way (measure is sum, not mean)" in capsys.readouterr().err
    Path("notes.jsonl").write_text("mine\n")
    assert main([*COMMAND[:-1], "notes.jsonl", "--resume"]) == 3
    assert "what is there are no predictions of score model" in capsys.readouterr().err
    assert Path("out.jsonl").read_bytes() == before


def test_what_is_read_is_not_written(folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]) -> None:
    items = folder / "items" / "agreement-number.txt"
    before = items.read_bytes()
    Path("link.txt").symlink_to(items)
    for output in ("items/agreement-number.txt", "./items/../items/agreement-number.txt", "link.txt"):
        assert main([*COMMAND[:-1], output]) == 2
        assert "that is read as well, and would be lost" in capsys.readouterr().err
    Path("counts.csv").write_text("word,count\nthe,3\n")
    assert main(["model", "items", "--model", "unigram:counts.csv", "-o", "counts.csv"]) == 2
    assert items.read_bytes() == before


def test_a_link_stays_a_link(folder: Path, letters: Letters) -> None:
    Path("far").mkdir()
    Path("link.jsonl").symlink_to("far/out.jsonl")
    assert main([*COMMAND[:-1], "link.jsonl"]) == 0
    assert Path("link.jsonl").is_symlink()
    assert Path("far/out.jsonl").read_text().count("\n") == 42


def test_resume_without_anything_is_a_run(folder: Path, letters: Letters) -> None:
    assert main([*COMMAND, "--resume"]) == 0
    assert len(letters.asked) == 23


@pytest.mark.parametrize("count", [1, 2, 3, 7, 12])
def test_parts_put_together_are_the_whole(count: int, folder: Path, letters: Letters) -> None:
    assert main(COMMAND) == 0
    everything, letters.asked = letters.asked, []
    parts = [f"{number}-of-{count}.jsonl" for number in range(1, count + 1)]
    for number, part in enumerate(parts, start=1):
        assert main([*COMMAND[:-1], part, "--shard", f"{number}/{count}"]) == 0
    assert sorted(map(str, letters.asked)) == sorted(map(str, everything))
    if count == 1:
        assert Path(parts[0]).read_bytes() == Path("out.jsonl").read_bytes()
        return
    random.Random(count).shuffle(parts)
    assert main(["merge", *parts, "-o", "merged.jsonl"]) == 0
    assert Path("merged.jsonl").read_bytes() == Path("out.jsonl").read_bytes()


def test_parts_that_do_not_fit(folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2, 3):
        assert main([*COMMAND[:-1], f"{number}.jsonl", "--shard", f"{number}/3"]) == 0
    assert main([*COMMAND[:-1], "mean.jsonl", "--shard", "3/3", "--measure", "mean"]) == 0
    assert main([*COMMAND[:-1], "half.jsonl", "--shard", "2/2"]) == 0
    (folder / "items" / "agreement-number.txt").write_text(zorro(19))
    assert main([*COMMAND[:-1], "fewer.jsonl", "--shard", "3/3"]) == 0
    (folder / "items" / "agreement-number.txt").write_text(zorro(20))
    assert main(COMMAND) == 0
    Path("none.jsonl").write_text("")
    capsys.readouterr()
    for name, rows in (("cut", slice(0, -2)), ("twice", [0, 0, 1])):
        lines = Path("2.jsonl").read_text().splitlines(keepends=True)
        Path(f"{name}.jsonl").write_text("".join(lines[rows] if isinstance(rows, slice) else [lines[n] for n in rows]))
    for parts, message in (
        (["1.jsonl", "3.jsonl"], "not all parts are there: missing, or without rows: 2/3"),
        (["1.jsonl", "none.jsonl", "3.jsonl"], "not all parts are there: missing, or without rows: 2/3"),
        (["1.jsonl", "cut.jsonl", "3.jsonl"], "12 of 14 rows are there: it was cut off"),
        (["1.jsonl", "twice.jsonl", "3.jsonl"], "twice.jsonl:2: a row that stands twice"),
        (["1.jsonl", "1.jsonl", "2.jsonl", "3.jsonl"], "the part 1/3 is given twice: 1.jsonl and 1.jsonl"),
        (["1.jsonl", "2.jsonl", "mean.jsonl"], "mean.jsonl: not of the run of 1.jsonl: measure is mean, not sum"),
        (["1.jsonl", "2.jsonl", "fewer.jsonl"], "fewer.jsonl: not of the run of 1.jsonl: the items, --top or"),
        (["1.jsonl", "half.jsonl"], "half.jsonl: not of the run of 1.jsonl: it is part 2/2, and that is 1/3"),
        (["1.jsonl", "out.jsonl"], "out.jsonl:1: no row of a part of a run"),
        (["none.jsonl"], "no rows in none.jsonl"),
        (["gone.jsonl"], "gone.jsonl: cannot be read: No such file"),
    ):
        assert main(["merge", *parts, "-o", "merged.jsonl"]) == 3, parts
        captured = capsys.readouterr()
        assert message in captured.err
        assert len(captured.err.splitlines()) == 1
        assert not Path("merged.jsonl").exists()
    assert main(["merge", "1.jsonl", "-"]) == 2
    assert main(["merge", "1.jsonl", "2.jsonl", "3.jsonl", "-o", "2.jsonl"]) == 2
    assert "-o 2.jsonl: that is read as well" in capsys.readouterr().err
    # Parts behind the last group have no rows, and are not missed (the test above).
    assert main(["merge", "1.jsonl", "2.jsonl", "3.jsonl"]) == 0
    assert capsys.readouterr().out == Path("out.jsonl").read_text()


def test_refused_sentences_are_named_and_the_others_kept(
    folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "items" / "agreement-number.txt").write_text(zorro(3) + "the dog! is here .\nthe dog is here .\n")
    assert main(COMMAND) == 1
    said = capsys.readouterr().err
    assert "items/agreement-number.txt:7: warning: 'agreement-number:7' starred has no prediction: 9 tokens" in said
    assert len((folder / "out.jsonl").read_text().splitlines()) == 7 + 2


def test_unknown_words_are_counted_and_stay_in_the_rows(
    folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "items" / "masks.txt").unlink()
    (folder / "items" / "agreement-number.txt").write_text("the zogs is here .\nthe zog is here .\n")
    assert main([*COMMAND, "--measure", "target"]) == 0
    note = "letters: 2 tokens of 2 types are not known, in 2 of 2 scored words: zog (1), zogs (1)"
    assert note in capsys.readouterr().err
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [row["unknown_words"] for row in rows] == [["zog"], ["zogs"]]


def test_words_for_masks_with_runners_up(folder: Path, letters: Letters) -> None:
    assert main([*COMMAND, "--top", "3"]) == 0
    row = json.loads((folder / "out.jsonl").read_text().splitlines()[-1])
    assert row["fill"] == "w1"
    assert [entry["word"] for entry in row["top"]] == ["w1", "w2", "w3"]
    assert row["top"][0]["probability"] == row["probability"]


# --- measures ---------------------------------------------------------------------------------------------------------


def measured(folder: Path, measure: str, file: str = "items/agreement-number.txt") -> list[Any]:
    command = ["model", file, "--model", "letters", "--measure", measure, "-o", "out.jsonl"]
    assert main(command) in (0, 1)
    return [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]


@pytest.fixture
def pair(folder: Path, letters: Letters) -> Path:
    letters.size = 1  # every stretch is the first of its group: minus a third of the letters
    (folder / "items" / "agreement-number.txt").write_text("the dogs is here now\nthe dog is here now\n")
    return folder


def test_sums_means_and_characters(pair: Path) -> None:
    # Letters of the words behind the first one, which has no number: 12 and 13; the acceptable sentence is first.
    assert [(row["log_probability_nats"], row["token_count"]) for row in measured(pair, "sum")] == [
        (pytest.approx(-12 / 3), 4),
        (pytest.approx(-13 / 3), 4),
    ]
    assert [row["score"] for row in measured(pair, "mean")] == pytest.approx([-12 / 12, -13 / 12])
    assert [row["score"] for row in measured(pair, "per_character")] == pytest.approx([-12 / 57, -13 / 60])


def test_tokens_in_bits(pair: Path) -> None:
    _, row = measured(pair, "tokens")
    assert row["tokens"] == ["the", "dogs", "is", "here", "now"]
    assert row["starts"] == [0, 4, 9, 12, 17]
    bits = [None, *(letters / 3 / math.log(2) for letters in (4, 2, 4, 3))]
    assert row["surprisals"] == pytest.approx(bits)


def test_words_of_pairs(pair: Path) -> None:
    assert [row["log_probability_nats"] for row in measured(pair, "target")] == pytest.approx([-1, -4 / 3])
    assert [row["log_probability_nats"] for row in measured(pair, "one_prefix")] == pytest.approx([-1, -4 / 3])
    assert [row["log_probability_nats"] for row in measured(pair, "two_prefix")] == pytest.approx([-2 / 3, -2 / 3])


@pytest.mark.parametrize(
    ("bad", "good", "measure", "reason"),
    [
        ("the dogs are here .", "the dog is here .", "target", "its sentences differ in more than one word"),
        ("dogs is here .", "dog is here .", "one_prefix", "its sentences have no prefix in common"),
        ("here the dogs .", "here the dog .", "two_prefix", "no word stands behind the one that differs"),
        ("the big dogs is", "the dog is big", "two_prefix", "its sentences differ in more than one word"),
    ],
)
def test_pairs_that_a_method_says_nothing_of(
    bad: str, good: str, measure: str, reason: str, pair: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = f"{bad}\n{good}\nthe dogs is here .\nthe dog is here .\n"
    (pair / "items" / "agreement-number.txt").write_text(rows)
    assert len(measured(pair, measure)) == 2
    assert (
        f"agreement-number.txt:1: warning: 'agreement-number:1' is left out by the measure '{measure}': {reason}"
        in (capsys.readouterr().err)
    )


def test_words_that_blimp_names(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"sentence_good": "Who's here?", "sentence_bad": "Whose here?", "UID": "u", "pairID": "0",
              "one_prefix_method": False, "two_prefix_method": True, "two_prefix_prefix_good": "Who's",
              "two_prefix_prefix_bad": "Whose", "two_prefix_word": "here"}  # fmt: skip
    (pair / "u.jsonl").write_text(json.dumps(record) + "\n")
    assert [row["log_probability_nats"] for row in measured(pair, "two_prefix", "u.jsonl")] == pytest.approx(
        [-5 / 3] * 2
    )
    assert main(["model", "u.jsonl", "--model", "letters", "--measure", "one_prefix"]) == 3
    assert "its file says that the method 'one_prefix' does not apply" in capsys.readouterr().err
    (pair / "u.jsonl").write_text(json.dumps(record | {"two_prefix_word": "there"}) + "\n")
    measured(pair, "two_prefix", "u.jsonl")
    assert "does not go on with its word behind its 'two_prefix_prefix_good'" in capsys.readouterr().err


SUITE = {
    "meta": {"name": "s", "metric": "sum"},
    "region_meta": {"1": "subject", "2": "verb"},
    "predictions": [{"type": "formula", "formula": "(2;%a%) < (2;%b%)"}],
    "items": [
        {
            "item_number": 1,
            "conditions": [
                {
                    "condition_name": name,
                    "regions": [
                        {"region_number": 1, "content": "the dog"},
                        {"region_number": 2, "content": verb},
                    ],
                }
                for name, verb in (("a", "is here"), ("b", "are here"))
            ],
        }
    ],
}


def test_regions_and_formulas(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (pair / "s.json").write_text(json.dumps(SUITE))
    first, second = measured(pair, "regions", "s.json")
    bits = [letters / 3 / math.log(2) for letters in (6, 7)]
    assert [row["regions"]["verb"] for row in (first, second)] == pytest.approx(bits)
    for command in (["--measure", "regions"], []):
        assert main(["model", "s.json", "--model", "letters", *command, "-o", "out.jsonl"]) == 0
        assert main(["formulas", "s.json", "out.jsonl", "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert [row["share"] for row in report["designs"]] == [1.0], report["designs"]


def test_the_default_measure_of_formulas_is_tokens(pair: Path) -> None:
    (pair / "s.json").write_text(json.dumps(SUITE))
    assert main(["model", "s.json", "--model", "letters", "-o", "out.jsonl"]) == 0
    assert "surprisals" in json.loads((pair / "out.jsonl").read_text().splitlines()[0])
    assert main(["model", "s.json", "--model", "length", "-o", "out.jsonl"]) == 0
    assert "score" in json.loads((pair / "out.jsonl").read_text().splitlines()[0])


def test_every_measure_is_read_again(folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "items" / "masks.txt").unlink()
    for measure in MEASURES:
        if measure == "regions":
            continue  # these items have none
        assert main([*COMMAND, "--measure", measure]) == 0
        assert main(["predictions", "items", "out.jsonl", "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["alignment"][0]["joined"] == 20
        assert f"measure={measure}" in report["signature"][0]


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--measure", "summ"], 2, "no such measure; did you mean 'sum'?"),
        (["--shard", "3/2"], 2, "--shard 3/2: expected PART/PARTS"),
        (["--shard", "0/2"], 2, "--shard 0/2: expected PART/PARTS"),
        (["--shard", "1"], 2, "--shard 1: expected PART/PARTS"),
        (["--top", "0"], 2, "--top 0: expected 1 or more"),
        (["--batch-tokens", "0"], 2, "expected a whole number from 1"),
        (["--bos", "perhaps"], 2, "invalid choice: 'perhaps'"),
        (["--vocab", "v.txt"], 2, "--vocab means nothing to a model of the kind 'letters'"),
        (["--bow-correction"], 2, "--bow-correction means nothing"),
        (["--measure", "tokens", "--model", "length"], 2, "are no log-probabilities"),
        (["-o", "-", "--resume"], 2, "--resume goes on with what was left beside a file"),
        (["-o", "no/such.jsonl"], 3, "no/such.jsonl: cannot be written: No such file or directory"),
    ],
)
def test_mistakes(
    options: list[str], code: int, message: str, folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.rglob("*"))
    try:
        found = main([*COMMAND, *options])
    except SystemExit as error:
        found = int(error.code or 0)
    assert (found, message in capsys.readouterr().err) == (code, True)
    assert sorted(folder.rglob("*")) == before
    assert not letters.asked


def test_a_model_that_sees_both_sides_has_no_prefixes(
    folder: Path, letters: Letters, capsys: pytest.CaptureFixture[str]
) -> None:
    letters.is_left_to_right = False
    assert main([*COMMAND, "--measure", "one_prefix"]) == 2
    assert "'letters' sees what stands behind a word too" in capsys.readouterr().err


def test_the_digest_is_of_all_that_the_answers_depend_on(folder: Path, letters: Letters) -> None:
    asked = [Stretch.whole(text) for text in ("a b", "c d", "e f", "g h")]
    known = Run(letters, asked).digest
    assert Run(letters, reversed(asked)).digest == known
    assert Run(letters, asked[1:]).digest != known
    assert Run(letters, [replace(asked[0], end=1), *asked[1:]]).digest != known
    assert Run(letters, asked, top=2).digest != known
    letters.size = 2
    assert Run(letters, asked).digest != known


def test_answers_come_back_from_the_work_file_as_they_were(tmp_path: Path, letters: Letters) -> None:
    asked = [Stretch.whole(text) for text in ("zat é", "b!", "wug zup")]
    masks = [MaskedSentence("a [MASK]", "[MASK]")]
    run = Run(letters, [*asked, *masks], top=2)
    work = WorkFile(tmp_path / "w", run)
    assert work.open(resume=False) == 0
    first = run.answers(work, lambda count: None)
    work.close()
    again = WorkFile(tmp_path / "w", run)
    assert again.open(resume=True) == 4
    letters.most = 0
    assert repr(run.answers(again, lambda count: None)) == repr(first)
    again.close()


SLOW = """
import time, sys
from scorers import models
from scorers.models import unigram
from scorers.cli.main import main
score = unigram.UnigramModel.score
def slow(self, stretches):
    time.sleep(0.05)
    return score(self, stretches)
unigram.UnigramModel.score = slow
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(("output", "said"), [(">/dev/full", "No space left"), (">&-", "Bad file descriptor")])
@pytest.mark.parametrize("command", ["model items --model length", "formats --json", "predictions items l.jsonl"])
def test_standard_output_that_cannot_be_written(output: str, said: str, command: str, folder: Path) -> None:
    assert main(["model", "items", "--model", "length", "-o", "l.jsonl"]) == 0
    call = f"{shlex.quote(sys.executable)} -m scorers {command} {output}"
    done = subprocess.run(call, shell=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 3
    assert f"score: standard output: cannot be written: {said}" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_process_that_is_asked_to_end_keeps_what_it_has(folder: Path) -> None:
    (folder / "items" / "agreement-number.txt").write_text(zorro(4000))
    command = ["model", "items", "--model", "unigram:en", "-o", "u.jsonl"]
    process = subprocess.Popen([sys.executable, "-c", SLOW, *command], stderr=subprocess.PIPE, text=True)
    wait_for_rows(Path("u.jsonl.partial"), 4)
    process.terminate()
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "score: terminated; what is done is in u.jsonl.partial, --resume goes on" in said


def wait_for_rows(work: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while (not work.exists() or work.read_bytes().count(b"\n") < count) and time.monotonic() < deadline:
        time.sleep(0.005)


def test_kill_and_resume_end_in_the_same_bytes(folder: Path) -> None:
    (folder / "items" / "agreement-number.txt").write_text(zorro(4000))
    command = ["model", "items", "--model", "unigram:en", "-o", "u.jsonl"]
    assert main(command) == 0
    whole = Path("u.jsonl").read_bytes()
    Path("u.jsonl").unlink()
    process = subprocess.Popen([sys.executable, "-c", SLOW, *command], stderr=subprocess.DEVNULL)
    work = Path("u.jsonl.partial")
    wait_for_rows(work, 4)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert work.exists()
    assert not Path("u.jsonl").exists()
    assert main([*command, "--resume"]) == 0
    assert Path("u.jsonl").read_bytes() == whole
