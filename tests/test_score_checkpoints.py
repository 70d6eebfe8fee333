"""Training steps: models that are checkpoints, by the names of files and folders, and their axis."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from scorers.checkpoints import checkpoint_of, in_order, name_checkpoints
from scorers.cli.main import main
from scorers.predictions import PredictionFile, Unit
from scorers.reports import charts, series
from scorers.reports.model import Step
from scorers.reports.wording import compact


@pytest.mark.parametrize(
    ("name", "run", "step"),
    [
        ("checkpoint-500", "", 500), ("step_2000", "", 2000), ("step143000", "", 143_000), ("ckpt_000100", "", 100),
        ("run1/checkpoint-3", "run1", 3), ("gpt-seed1-step-20", "gpt-seed1", 20), ("chck_100M", "", 100_000_000),
        ("step1k", "", 1000), ("epoch=3-step=2000", "", 2000), ("lm.epoch=3-step=2000", "lm", 2000),
        ("global_step7", "", 7), ("500", "", 500),
    ],
)  # fmt: skip
def test_names_of_checkpoints(name: str, run: str, step: int) -> None:
    found = checkpoint_of(name)
    assert found is not None
    assert (found.run, found.step, found.is_named) == (run, step, name != "500")


@pytest.mark.parametrize("name", ["gpt2", "opt-125m", "roberta-base", "lstm_650", "500M", "step", "checkpoint-5-final"])
def test_names_of_other_models(name: str) -> None:
    assert checkpoint_of(name) is None


def files(*paths: str, model: str = "") -> list[PredictionFile]:
    """Files as the readers name their models: after the folder, or as said."""
    return [PredictionFile(path, "t", Unit("score"), (), model or Path(path).parent.name) for path in paths]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (files("a/checkpoint-1/x.txt", "a/checkpoint-2/x.txt"), ["checkpoint-1", "checkpoint-2"]),
        (files("a/checkpoint-1/x.txt", "b/checkpoint-1/x.txt"), ["a/checkpoint-1", "b/checkpoint-1"]),
        (files("a/checkpoint-1/x.txt", "b/checkpoint-2/x.txt"), ["a/checkpoint-1", "b/checkpoint-2"]),
        (files("a/r/step1/x.txt", "b/r/step1/x.txt"), ["a/r/step1", "b/r/step1"]),
        (files("d/step-1.tsv", "d/step-2.tsv"), ["step-1", "step-2"]),
        (files("d/checkpoint-1/s.tsv", "d/checkpoint-2/s.tsv", model="s"), ["checkpoint-1", "checkpoint-2"]),
        (
            files("a/checkpoint-1/s.tsv", "b/checkpoint-1/s.tsv", "gpt2/s.tsv", model="s"),
            ["a/checkpoint-1", "b/checkpoint-1", "gpt2"],
        ),
        (files("gpt2/s.tsv", "lstm/s.tsv", model="s"), ["s", "s"]),
        # Files of one model in several folders, and parts that are numbered, stay one model.
        (files("syntax/gpt2/x.txt", "words/gpt2/y.txt"), ["gpt2", "gpt2"]),
        (files("d/1.tsv", "d/2.tsv"), ["d", "d"]),
    ],
)
def test_models_of_files(given: list[PredictionFile], names: list[str]) -> None:
    assert [file.model for file in name_checkpoints(given)] == names


def test_checkpoints_stand_in_the_order_of_training() -> None:
    names = ["b/step10", "gpt2", "b/step9", "a/step10", "a/step2"]
    given = [file for name in names for file in files("x", model=name)]
    assert [file.model for file in in_order(given)] == ["b/step9", "gpt2", "b/step10", "a/step2", "a/step10"]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs with two steps each, in folders of equal names."""
    monkeypatch.chdir(tmp_path)
    pairs = [("the dogs is here .", "the dog is here ."), ("the cats is here .", "the cat is here .")]
    (tmp_path / "agreement-number.txt").write_text("".join(f"{bad}\n{good}\n" for bad, good in pairs))
    for run, right in (("seed1", (0, 1)), ("seed2", (1, 2))):
        for step, points in zip((100, 20000), right, strict=True):
            folder = tmp_path / "runs" / run / f"checkpoint-{step}"
            folder.mkdir(parents=True)
            lines = (f"{bad} 1.5\n{good} {1.25 if n < points else 2.25}\n" for n, (bad, good) in enumerate(pairs))
            (folder / "agreement-number.txt").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize("paths", [["runs"], ["runs/seed2", "runs/seed1"]])
def test_runs_stay_apart(paths: list[str], runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predictions", "agreement-number.txt", *paths, "--csv", "steps"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    found = {(row["model"], row["step"], row["label"]): float(row["accuracy"]) for row in rows}
    assert found == {
        ("seed1", "100", "all"): 0, ("seed1", "20000", "all"): 0.5,
        ("seed2", "100", "all"): 0.5, ("seed2", "20000", "all"): 1,
    }  # fmt: skip


def test_runs_are_compared(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = [f"runs/seed{seed}/checkpoint-100" for seed in (1, 2)]
    assert main(["compare", "agreement-number.txt", *models, "--csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["first"], row["second"], row["difference"]) == ("seed1/checkpoint-100", "seed2/checkpoint-100", "-0.5")


# ---- charts


def steps(*numbers: int, labels: str = "a", models: str = "m") -> list[Step]:
    return [Step(step, label, model, 9, 0.5, 0.4, 0.6) for step in numbers for label in labels for model in models]


def test_steps_are_in_proportion_or_logarithmic() -> None:
    even = series.StepAxis(steps(0, 50, 200))
    assert (even.is_logarithmic, even.ticks) == (False, (0, 50, 100, 150, 200))
    assert [even.across(step) for step in (0, 50, 200)] == [0, 0.25, 1]
    assert not series.StepAxis(steps(10, 1000)).is_logarithmic
    wide = series.StepAxis(steps(10, 100, 10_000, 10_001))
    assert (wide.is_logarithmic, wide.ticks) == (True, (10, 100, 1000, 10_000))
    assert wide.across(10) == 0
    assert wide.across(10_001) == 1
    assert wide.across(100) == pytest.approx(1 / 3, abs=1e-4)
    from_zero = series.StepAxis(steps(0, 1, 1000))
    assert from_zero.ticks == (0, 1, 10, 100, 1000)
    assert 0 == from_zero.across(0) < from_zero.across(1) < from_zero.across(1000) == 1
    assert len(series.StepAxis(steps(1, 10**12)).ticks) <= 7


def test_many_lines_have_fields_of_their_own() -> None:
    (one,) = series.panels(steps(1, 2, labels="abcde"))
    assert [line.name for line in one.lines] == list("abcde")
    (runs_only,) = series.panels(steps(1, 2, models="mn"))
    assert [line.name for line in runs_only.lines] == ["m", "n"]
    several = series.panels(steps(2, 1, labels="ab", models="mn"))
    assert [(panel.title, [line.name for line in panel.lines]) for panel in several] == [
        ("a", ["m", "n"]), ("b", ["m", "n"])
    ]  # fmt: skip
    assert [point.step for point in several[0].lines[0].points] == [1, 2]
    assert len(series.panels(steps(1, 2, labels="abcdef"))) == 6


def test_the_page_has_a_field_for_each_label() -> None:
    chart = charts.step_chart(steps(1, 1000, labels="ab", models="mn"))
    root = ET.fromstring(f"<div>{chart}</div>")
    assert [part.text for part in root.iter("p")] == ["a", "b"]
    assert len(list(root.iter("polygon"))) == 4
    assert [part.text for part in root.iter("li")] == [None, None, None]
    assert "1k" in [part.text for part in root.iter("text")]


def test_axes_are_written_in_few_signs() -> None:
    assert [compact(n) for n in (0, 500, 1000, 1500, 143_000, 2_000_000, 10**10)] == [
        "0", "500", "1k", "1.5k", "143k", "2M", "10B"
    ]  # fmt: skip
