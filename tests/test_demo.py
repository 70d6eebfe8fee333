"""`make demo`: the Babeval tasks as items, and the lines of the Makefile that score baselines on them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from generator import demo
from scorers.cli.main import main

MAKEFILE = Path(__file__).resolve().parent.parent / "Makefile"
TASKS = 7


def _score_commands() -> list[list[str]]:
    """What the target `demo` gives to `score`."""
    target = MAKEFILE.read_text("utf-8").split("\ndemo:", 1)[1].split("\n\n", 1)[0]
    return [shlex.split(line.split(">")[0]) for line in re.findall(r"^\t\$\(BIN\)/score (.*)", target, re.MULTILINE)]


def test_baselines_are_scored_on_every_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "SAMPLE", 12)
    assert demo._babeval(Path("out")) == 0
    shown = capsys.readouterr().err
    assert "$ gen make en/babeval/agreement_across_PP -n 12 --flavour open --format items -o out/items/open_" in shown
    texts = {path.relative_to("out/babeval").with_suffix("") for path in Path("out/babeval").rglob("*.txt")}
    assert {path.relative_to("out/items").with_suffix("") for path in Path("out/items").rglob("*.jsonl")} == texts
    assert len(texts) == 2 * TASKS
    *models, predictions = _score_commands()
    for command in models:
        assert main(command) == 0
    assert "open-ended items have no prediction" in capsys.readouterr().err  # of one baseline; no word is unknown
    assert main([*predictions, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [row["items"] for row in report["summary"]] == [12 * TASKS] * 2
    assert report["summary"][0]["ties"] == 12 * TASKS
    paradigms = next(group for group in report["groups"] if group["by"] == "paradigm")
    assert len({row["label"] for row in paradigms["rows"]}) == TASKS
    answers, by_number = report["answers"]
    assert (answers["by"], by_number["by"]) == ("paradigm", "n")
    assert len([row for row in answers["rows"] if row["label"] != "all"]) == TASKS
    page = Path("out/report.html").read_text("utf-8")
    assert "agreement_in_2_verb_question" in page
    assert "unigram-en" in page


def test_the_unigram_baseline_prefers_the_singular(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from generator.cli.main import main as gen

    monkeypatch.chdir(tmp_path)
    assert gen(["make", "agreement_across_PP", "-n", "200", "--quiet", "-o", "items.jsonl"]) == 0
    assert main(["model", "items.jsonl", "--model", "unigram:en", "-o", "unigram.jsonl"]) == 0
    assert capsys.readouterr().err == ""  # every word is listed
    assert main(["predictions", "items.jsonl", "unigram.jsonl", "--by", "n", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (group,) = report["groups"]
    accuracy = {row["label"]: row["accuracy"] for row in group["rows"]}
    assert accuracy["sg"] > 0.8
    assert accuracy["pl"] < 0.2
    assert report["summary"][0]["accuracy"] == pytest.approx(0.5, abs=0.07)
