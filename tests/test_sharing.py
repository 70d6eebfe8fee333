"""Files made by several processes: the same bytes, counts and findings as by one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from generator import sharing
from generator.cli.main import main

GRAMMARS = ("en/zorro/case", "en/zorro/quantifiers", "en/blimp/existential_there_quantifiers_1")


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every run is worth a process; the processes that were there."""
    started: list[int] = []
    monkeypatch.setattr(sharing, "LEAST", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    plain = sharing.ProcessPoolExecutor

    def pool(amount: int, *rest: object) -> object:
        started.append(amount)
        return plain(amount, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(sharing, "ProcessPoolExecutor", pool)
    return started


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _run(folder: Path, *options: str) -> tuple[int, dict[str, bytes]]:
    folder.mkdir()
    grammars = ("en/babeval",) if "both" in options else GRAMMARS
    code = main(["make", *grammars, "-n", "1" if "both" in options else "500", "-o", f"{folder}/out", *options])
    return code, _files(folder)


@pytest.mark.parametrize("options", [[], ["--format", "zorro"], ["--flavour", "both"], ["--format", "tsv"]], ids=str)
def test_the_bytes_are_the_same(
    options: list[str],
    tmp_path: Path,
    shared: list[int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    several = _run(Path("a"), *options)
    said = capsys.readouterr().err
    assert shared == [2]
    monkeypatch.setattr(sharing, "LEAST", 10**9)
    os.rename("a", "b")
    alone = _run(Path("a"), *options)
    assert shared == [2]
    assert several == alone
    assert several[0] == 0
    assert len(several[1]) > 3
    # What the processes found is told: the grammar of BLiMP repeats sentences.
    assert capsys.readouterr().err == said
    assert "an earlier one" in said or "both" in options


def test_an_error_in_a_process_leaves_nothing(
    tmp_path: Path, shared: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["make", "en/zorro/argument_structure", "-n", "60", "--format", "words", "-o", str(tmp_path / "out")])
    assert code == 3
    assert "the format 'words' holds pairs that differ in one word" in capsys.readouterr().err
    assert shared == [2]
    assert _files(tmp_path) == {}


def test_one_file_and_small_runs_are_made_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sharing._shared is None
    assert main(["make", *GRAMMARS, "-n", "5", "-o", str(tmp_path / "out"), "--quiet"]) == 0
    assert capsys.readouterr().err == ""
