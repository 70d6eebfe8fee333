"""`gen fmt`: which files are written anew, what is said, how it ends."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generator import formatting_files
from generator.cli.main import main

LOOSE = '# a comment\nslot   Near="near"|"by"\n\n\n+ the {N  $n}  {Near} it .   # why\n'
TIDY = '# a comment\nslot Near = "near" | "by"\n\n+ the {N $n} {Near} it .' + " " * 13 + "# why\n"
WRONG = 'slot Near "near"\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("loose.grammar").write_text(LOOSE, "utf-8")
    Path("tidy.grammar").write_text(TIDY, "utf-8")
    return tmp_path


def test_files_are_written_in_place(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("tidy.grammar").stat()
    assert main(["fmt", "."]) == 0
    assert Path("loose.grammar").read_bytes() == TIDY.encode()
    after = Path("tidy.grammar").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns), "a tidy file was written"
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "gen: formatted loose.grammar\ngen: 2 grammars: 1 formatted, 1 as before\n"
    assert main(["fmt", "."]) == 0
    assert capsys.readouterr().err == "gen: 2 grammars: 2 as before\n"
    assert sorted(path.name for path in here.iterdir()) == ["loose.grammar", "tidy.grammar"]


def test_mode_and_links_stay(here: Path) -> None:
    Path("real").mkdir()
    Path("loose.grammar").rename("real/it.grammar")
    Path("real/it.grammar").chmod(0o640)
    Path("link.grammar").symlink_to("real/it.grammar")
    assert main(["fmt", "link.grammar"]) == 0
    assert Path("link.grammar").is_symlink()
    assert Path("real/it.grammar").read_text("utf-8") == TIDY
    assert Path("real/it.grammar").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in Path("real").iterdir()] == ["it.grammar"]


def test_a_file_named_twice_is_done_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("link.grammar").symlink_to("loose.grammar")
    assert main(["fmt", "--check", "loose.grammar", "link.grammar", "./loose.grammar"]) == 1
    assert capsys.readouterr().out == "loose.grammar\n"


def test_check_lists_and_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--check", "."]) == 1
    out, err = capsys.readouterr()
    assert out == "loose.grammar\n"
    assert err == "gen: 2 grammars: 1 to format, 1 in canonical layout\n"
    assert Path("loose.grammar").read_text("utf-8") == LOOSE
    assert main(["fmt", "--check", "tidy.grammar"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(not shutil.which("patch"), reason="needs the program patch")
@pytest.mark.parametrize("text", [LOOSE, LOOSE.rstrip("\n"), LOOSE.replace("\n\n", "\n \n"), TIDY + "\n"])
def test_diff_is_a_patch(here: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    Path("loose.grammar").write_text(text, "utf-8")
    assert main(["fmt", "--diff", "loose.grammar", "tidy.grammar"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("--- loose.grammar\n+++ loose.grammar\n@@ ")
    assert Path("loose.grammar").read_text("utf-8") == text
    subprocess.run(["patch", "-p0", "--quiet"], input=out, text=True, check=True, encoding="utf-8")
    assert Path("loose.grammar").read_text("utf-8") == TIDY
    assert main(["fmt", "--diff", "."]) == 0
    assert capsys.readouterr().out == ""


def test_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("wrong.grammar").write_text(WRONG, "utf-8")
    assert main(["fmt", "--check", "--json", ".", "absent.grammar"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert [(row["file"], row["changed"]) for row in found] == [
        ("loose.grammar", True),
        ("tidy.grammar", False),
        ("wrong.grammar", False),
        ("absent.grammar", False),
    ]
    assert [[(f["code"], f.get("line"), f.get("column")) for f in row["findings"]] for row in found] == [
        [],
        [],
        [("syntax", 1, 11)],
        [("file", None, None)],
    ]
    assert main(["fmt", "--diff", "--json", "loose.grammar"]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert row["diff"].count("\n@@ ") == 1
    assert main(["fmt", "--json", "."]) == 3
    assert [row["changed"] for row in json.loads(capsys.readouterr().out)] == [True, False, False]
    assert Path("loose.grammar").read_text("utf-8") == TIDY


def test_standard_input(here: Path) -> None:
    def run(*arguments: str, given: bytes) -> tuple[int, bytes, bytes]:
        command = [sys.executable, "-m", "generator", "fmt", *arguments]
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    code, out, err = run("-", given=b"\xef\xbb\xbf" + LOOSE.replace("\n", "\r\n").encode())
    assert (code, out, err) == (0, TIDY.encode(), b"gen: 1 grammar: 1 formatted\n")
    assert run("--check", "-", given=LOOSE.encode())[:2] == (1, b"<stdin>\n")
    assert run("--check", "-", given=TIDY.encode())[:2] == (0, b"")
    code, out, err = run("-", given=WRONG.encode())
    assert (code, out) == (3, b"")
    assert err.startswith(b"<stdin>:1:11: ")
    code, out, err = run("-", "--json", given=b"")
    assert (code, out) == (2, b"")
    assert err.startswith(b"gen: with '-' the laid out text is what is printed")


def test_line_ends_and_byte_order_mark(here: Path) -> None:
    Path("tidy.grammar").write_bytes(b"\xef\xbb\xbf" + TIDY.replace("\n", "\r\n").encode())
    assert main(["fmt", "--check", "tidy.grammar"]) == 1
    assert main(["fmt", "tidy.grammar"]) == 0
    assert Path("tidy.grammar").read_bytes() == TIDY.encode()


def test_a_file_with_syntax_errors_stays(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a_wrong.grammar").write_text(WRONG + "+ {\n", "utf-8")
    main(["check", "a_wrong.grammar"])
    said = capsys.readouterr().out
    assert main(["fmt", "."]) == 3
    assert capsys.readouterr().err == (
        f"{said}gen: formatted loose.grammar\ngen: 3 grammars: 1 formatted, 1 as before, 1 left alone\n"
    )
    assert Path("a_wrong.grammar").read_text("utf-8") == WRONG + "+ {\n"
    assert Path("loose.grammar").read_text("utf-8") == TIDY


def test_what_cannot_be_read_is_said_in_a_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    Path("latin.grammar").write_bytes(b"+ the \xe9t\xe9 .\n")
    assert main(["fmt", "lose.grammar", "empty", "latin.grammar", "x\0y", "tidy.grammar"]) == 3
    lines = capsys.readouterr().err.split("\n")
    assert lines[0] == ("gen: no file or folder 'lose.grammar'. did you mean 'loose.grammar'?")
    assert lines[1] == "gen: no .grammar file in 'empty'"
    assert lines[2] == "latin.grammar:1:7: not UTF-8: byte 0xe9"
    assert any("x\0y" in line for line in lines[3:])
    assert lines[-2] == "gen: 5 grammars: 1 as before, 4 left alone"
    assert main(["fmt", os.devnull]) == 3
    assert "is neither a file nor a folder" in capsys.readouterr().err


def test_shipped_names_are_no_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is installed is not rewritten by its name."""
    assert main(["fmt", "agreement_across_PP"]) == 3
    assert capsys.readouterr().err.startswith("gen: no file or folder 'agreement_across_PP'. ")


def test_a_folder_that_takes_no_files(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")  # as of a folder without the right to write

    monkeypatch.setattr(formatting_files.tempfile, "mkstemp", refuse)
    assert main(["fmt", "loose.grammar", "tidy.grammar"]) == 3
    assert capsys.readouterr().err == (
        "gen: cannot write 'loose.grammar': permission denied; it is as it was\n"
        "gen: 2 grammars: 1 as before, 1 left alone\n"
    )
    assert Path("loose.grammar").read_text("utf-8") == LOOSE


def test_a_file_that_is_read_only(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formatting_files.os, "access", lambda *_: False)  # the superuser may write everything
    assert main(["fmt", "loose.grammar"]) == 3
    assert "gen: cannot write 'loose.grammar': it is read-only\n" in capsys.readouterr().err
    assert Path("loose.grammar").read_text("utf-8") == LOOSE


def test_a_full_disk_leaves_nothing_behind(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(formatting_files.os, "fsync", full)
    assert main(["fmt", "loose.grammar"]) == 3
    assert "cannot write 'loose.grammar': no space left on device; it is as it was" in capsys.readouterr().err
    assert sorted(path.name for path in here.iterdir()) == ["loose.grammar", "tidy.grammar"]
    assert Path("loose.grammar").read_text("utf-8") == LOOSE


def test_interrupted(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(formatting_files.os, "fsync", stop)
    assert main(["fmt", "loose.grammar"]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert sorted(path.name for path in here.iterdir()) == ["loose.grammar", "tidy.grammar"]


def test_new_grammars_need_no_formatting(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "mine"]) == 0
    assert main(["fmt", "--check", "mine.grammar"]) == 0


def test_text_stream_for_standard_input(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(LOOSE))
    assert main(["fmt", "-"]) == 0
    assert capsys.readouterr().out == TIDY
