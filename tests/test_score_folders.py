"""Folders with other files beside those that are read: what is left out, what is said, and the exit code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from scorers.cli.main import main
from scorers.errors import Findings, InputError, ScoreError
from scorers.readers.files import read_items, read_predictions

ITEMS = "the dogs is here .\nthe dog is here .\n"
SCORED = "the dogs is here . 2.5\nthe dog is here . 1.5\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Items and a model's predictions, each in a folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    for name, text in {"items/agreement-number.txt": ITEMS, "model/agreement-number.txt": SCORED}.items():
        put(tmp_path / name, text)
    return tmp_path


def put(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def warnings(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().err.splitlines() if "left out" in line]


def test_documentation_is_left_out_and_nothing_is_amiss(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("README.md", "LICENSE", "plot.PNG", "make.py", "task.yaml", "_template_yaml"):
        put(folder / "items" / name, b"one line\n")
    for name in (".git/HEAD", ".git/config", ".DS_Store", "__pycache__/make.pyc"):
        put(folder / "items" / name, b"\0\1")
    assert main(["predictions", "items", "model", "--csv"]) == 0
    listed = ".git/, __pycache__/, .DS_Store, LICENSE, README.md, _template_yaml, make.py, plot.PNG, task.yaml"
    assert warnings(capsys) == [
        f"items: warning: {listed} left out: documentation, programs or pictures by their names"
    ]


def test_what_is_starlings_own_goes_without_saying(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder / "items/manifest.json", "{}")
    put(folder / "items/agreement-number.answers.json", "{}")
    put(folder / "model/results_2026-01-01.json", "{}")
    assert main(["predictions", "items", "model", "--csv"]) == 0
    assert warnings(capsys) == []


def test_files_of_the_other_kind_and_of_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder / "items/results/agreement-number.txt", SCORED)
    put(folder / "items/results/more.txt", SCORED)
    put(folder / "items/words.csv", "word,is_legal\nsee,1\n")
    put(folder / "items/README.md", "About.\n")
    put(folder / "model/items.jsonl", json.dumps({"sentence_good": "a b", "sentence_bad": "a c"}) + "\n")
    assert main(["predictions", "items", "model", "--csv"]) == 1
    assert warnings(capsys) == [
        "items: warning: 3 files left out that are no items: results/agreement-number.txt, results/more.txt "
        "(like 'lines', predictions); words.csv (like no format: 'word,is_legal')",
        "model: warning: 1 file left out that is no predictions: items.jsonl (like 'blimp', items)",
        "items: warning: README.md left out: documentation, programs or pictures by their names",
    ]


BROKEN = {
    "cut.jsonl": (b'{"id": "p:1:1", "condition": "acc', "begins like JSON, and no line is a whole object"),
    "empty.txt": (b"", "empty"),
    "wide.txt": (SCORED.encode("utf-16"), "UTF-16"),
    "packed.gz": (b"\x1f\x8b\x08\x00abc", "compressed"),
    "model.bin": (b"abc\0\0\0", "binary"),
    "log.txt": (b"epoch 1 done\nepoch 2 done\n",
                "plain text without numbers, as 'fills' beside other formats stands in open_ended/"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_never_left_out_silently(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content, reason = BROKEN[name]
    put(folder / "model" / name, content)
    assert main(["predictions", "items", "model", "--csv"]) == 1
    said = f"model: warning: 1 file left out that is no predictions: {name} ({reason})"
    assert warnings(capsys) == [said]


@pytest.mark.parametrize("name", [name for name in BROKEN if name != "log.txt"])
def test_a_file_that_is_named_is_an_error(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder / name, BROKEN[name][0])
    assert main(["predictions", "items", "model", name]) == 3
    assert capsys.readouterr().err.startswith(f"{name}:")


def test_bad_rows_of_a_known_format_stay_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder / "model/second.txt", "the dogs is here . 2.5\nthe dog is here . nan\n")
    put(folder / "model/third.jsonl", '{"text": "the dog is here .", "surprisal": 1}\n{"text": "the do')
    assert main(["predictions", "items", "model"]) == 3
    assert capsys.readouterr().err.splitlines() == [
        "model/second.txt:2: the last word is 'nan': no finite number",
        "model/third.jsonl:2: no JSON: unterminated string starting at (column 10)",
        "   the line is cut off: the file may not be whole",
    ]


def test_words_for_masks_are_read_beside_scores_in_their_folder(folder: Path) -> None:
    put(folder / "model/open_ended/agreement.txt", "look at this dog .\n")
    findings = Findings()
    assert [file.format for file in read_predictions(["model"], findings=findings)] == ["lines", "fills"]
    assert not list(findings)


def test_plain_text_alone_is_read(folder: Path) -> None:
    put(folder / "words/agreement.txt", "look at this dog .\n")
    assert [file.format for file in read_predictions(["words"])] == ["fills"]


def test_a_named_format_leaves_out_documentation_only(folder: Path) -> None:
    put(folder / "model/README.md", "About.\n")
    put(folder / "model/words.csv", "word,is_legal\n")
    with pytest.raises(InputError, match=r"model/words\.csv:1: expected a sentence, a space and a number"):
        read_predictions(["model"], "lines")


def test_a_folder_in_which_nothing_can_be_read(folder: Path) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(ScoreError, match=r"^empty: a folder without files to read$"):
        read_items(["empty"])
    put(folder / "empty/README.md", "About.\n")
    with pytest.raises(ScoreError, match=r"^empty: a folder without files to read \(only README\.md\)$"):
        read_items(["empty"])
    put(folder / "empty/a.csv", "a,b\n")
    put(folder / "empty/b.csv", "")
    with pytest.raises(InputError) as raised:
        read_items(["empty"])
    assert [(finding.file, finding.code) for finding in raised.value.findings] == [
        ("empty/a.csv", "unknown-format"),
        ("empty/b.csv", "empty"),
    ]


def test_files_left_out_lend_no_names(folder: Path) -> None:
    """The ids of items do not change because predictions of the same name lie beside them."""
    put(folder / "items/results/agreement-number.txt", SCORED)
    assert [item.id for item in read_items(["items"])] == ["agreement-number:1"]


def test_links_to_nothing_are_errors(folder: Path) -> None:
    os.symlink("nowhere", folder / "model/other.txt")
    with pytest.raises(InputError, match=r"model/other\.txt: cannot be read: no such file or directory"):
        read_predictions(["model"])


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_rights_as_a_user(folder: Path) -> None:
    (folder / "model/inner").mkdir(mode=0o000)
    with pytest.raises(ScoreError, match="model/inner: cannot be read: permission denied"):
        read_predictions(["model"])


def test_a_folder_without_rights(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "model/inner").mkdir()
    scan = os.scandir

    def refuse(path: str) -> object:
        if Path(path).name == "inner":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(ScoreError, match="model/inner: cannot be read: permission denied"):
        read_predictions(["model"])
