"""Manifests and `gen verify`: what a run wrote, from what; and whether it still comes out the same."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from generator import output, writers
from generator.cli.main import main
from generator.items import Item
from generator.manifest import digest_of
from generator.writers import blimp
from generator.writers.base import Format, FormatError, Origin

GRAMMAR = """\
import words
template first:
  + the {subj=N $n | *subj !$n} {Be $n pres} here .
template second:
  + {Det $n | *Det !$n} {N $n} {Be $n past} there .
cross $n
"""
WORDS = """\
slot N = noun "dog" | noun "cat" | noun "cow" | noun "horse" | noun "rabbit"
slot Be = auxiliary "be"
slot Det = determiner "this" | determiner "that"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "pets.grammar").write_text(GRAMMAR, "utf-8")
    (folder / "words.grammar").write_text(WORDS, "utf-8")
    monkeypatch.chdir(folder)
    return folder


def _manifest(path: str | Path) -> Any:
    content = json.loads(Path(path).read_text("utf-8"))
    schema = json.loads(files("generator").joinpath("manifest_schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(content)
    return content


def _verified(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[Any]]:
    capsys.readouterr()
    code = main(["verify", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def _kinds(report: Any) -> list[str]:
    return [difference["kind"] for difference in report["differences"]]


# --- what stands in a manifest --------------------------------------------------------------------------------------


def test_counts_and_digests_are_those_of_the_files(here: Path) -> None:
    assert main(["make", "pets.grammar", "-n", "16", "--seed", "3", "-o", "out.jsonl", "--quiet"]) == 0
    content = _manifest("out.jsonl.manifest.json")
    data = (here / "out.jsonl").read_bytes()
    assert content["files"] == [
        {"path": "out.jsonl", "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "lines": 16}
    ]
    records = [json.loads(line) for line in data.decode().splitlines()]
    cells = Counter((r["template"], tuple(r["crossed"].items())) for r in records)
    pairs: Counter[tuple[str, Any]] = Counter()
    for r in records:
        pairs[r["template"], tuple(r["crossed"].items())] += sum(not c["acceptable"] for c in r["conditions"])
    (made,) = content["made"]
    assert {(c["template"], tuple(c["crossed"].items())): c["items"] for c in made["cells"]} == cells
    assert {(c["template"], tuple(c["crossed"].items())): c["pairs"] for c in made["cells"]} == pairs
    assert made["conditions"] == Counter(c["name"] for r in records for c in r["conditions"])
    assert (made["items"], made["pairs"]) == (16, sum(pairs.values()))
    assert len(cells) == 4
    (grammar,) = content["grammars"]
    assert grammar["files"] == [
        {"name": name, "sha256": hashlib.sha256((here / name).read_bytes()).hexdigest()}
        for name in ("pets.grammar", "words.grammar")
    ]
    lists = files("wordlists").joinpath("en")
    assert {row["name"]: row["sha256"] for row in content["word_lists"]["en"]} == {
        entry.name: hashlib.sha256(entry.read_bytes()).hexdigest()
        for entry in lists.iterdir()
        if entry.name.endswith((".tsv", ".json"))
    }
    assert content["digest"] == digest_of(content)


def test_the_same_run_writes_the_same_manifest(here: Path) -> None:
    """Wherever it runs: there is no clock, no absolute path and nothing of the machine in it."""
    other = here.parent / "elsewhere"
    shutil.copytree(here, other)
    for folder in (here, other):
        command = ["make", f"{folder}/pets.grammar", "--all", "-o", f"{folder}/out/made.txt", "--format", "zorro"]
        assert main([*command, "--quiet"]) == 0
    first, second = ((folder / "out" / "made.txt.manifest.json").read_bytes() for folder in (here, other))
    assert first == second
    assert str(here.parent).encode() not in first
    content = json.loads(first)
    assert content["command"] == "gen make ../pets.grammar --all --format zorro --flavour forced -o made.txt"


def test_a_folder_has_one_manifest(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "pets.grammar").write_text(GRAMMAR + "target Be\n", "utf-8")
    assert main(["make", "pets.grammar", "-n", "8", "--flavour", "both", "-o", "out"]) == 0
    content = _manifest("out/manifest.json")
    assert [file["path"] for file in content["files"]] == [
        "forced_choice/pets.jsonl", "open_ended/pets.jsonl", "open_ended/pets.answers.json",
    ]  # fmt: skip
    assert [(made["flavour"], made["file"]) for made in content["made"]] == [
        ("forced", "forced_choice/pets.jsonl"), ("open", "open_ended/pets.jsonl"),
    ]  # fmt: skip
    for file in content["files"]:
        assert hashlib.sha256((here / "out" / file["path"]).read_bytes()).hexdigest() == file["sha256"]
    assert _verified("out", capsys=capsys)[0] == 0
    assert main(["make", "pets.grammar", "-n", "8", "--format", "zorro", "-o", "out"]) == 0
    assert "'out/manifest.json' was the manifest of other files (forced_choice/pets.jsonl, " in capsys.readouterr().err


def test_no_manifest_and_another_place(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "pets.grammar", "--all", "-o", "out.jsonl", "--no-manifest", "--quiet"]) == 0
    assert sorted(p.name for p in here.iterdir()) == ["out.jsonl", "pets.grammar", "words.grammar"]
    assert main(["make", "pets.grammar", "--all", "-o", "out.jsonl", "--manifest", "facts/m.json", "--quiet"]) == 0
    assert _manifest("facts/m.json")["files"][0]["path"] == "../out.jsonl"
    assert main(["verify", "facts/m.json"]) == 0
    capfd.readouterr()
    assert main(["make", "pets.grammar", "--all", "--manifest", "m.json", "--quiet"]) == 0
    text = capfd.readouterr().out
    assert _manifest("m.json")["files"][0]["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert main(["verify", "m.json"]) == 0
    (here / "words.grammar").write_text(WORDS.replace("cow", "goat"), "utf-8")
    assert main(["verify", "m.json"]) == 1
    assert "standard output: what is made now has another digest than the manifest says" in capfd.readouterr().out


def test_a_device_has_no_manifest(here: Path) -> None:
    assert main(["make", "pets.grammar", "--all", "-o", "/dev/null", "--quiet"]) == 0
    assert Path("/dev/null").is_char_device()
    assert not Path("/dev/null.manifest.json").exists()


def test_large_files_are_digested_beside_the_writing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "ALONE", 10)
    monkeypatch.setattr(output, "BLOCK", 100)
    assert main(["make", "pets.grammar", "--all", "-o", "out.jsonl", "--quiet"]) == 0
    expected = hashlib.sha256((here / "out.jsonl").read_bytes()).hexdigest()
    assert _manifest("out.jsonl.manifest.json")["files"][0]["sha256"] == expected


# --- what verify finds ----------------------------------------------------------------------------------------------


def test_the_same_from_anywhere(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["make", "pets.grammar", "--all", "-o", "out.jsonl", "--quiet"]) == 0
    moved = here.parent / "moved"
    here.rename(moved)
    monkeypatch.chdir(moved.parent)
    code, (report,) = _verified("moved/out.jsonl.manifest.json", capsys=capsys)
    assert (code, report["same"], report["files"], report["differences"]) == (0, True, 1, [])
    assert main(["verify", "moved"]) == 0
    items = len((moved / "out.jsonl").read_text("utf-8").splitlines())
    assert capsys.readouterr().out == f"moved/out.jsonl.manifest.json: same: 1 file, {items} items made again\n"
    # A grammar of that name in the current folder that is another one does not come in its place.
    (moved.parent / "pets.grammar").write_text(GRAMMAR.replace("here", "away"), "utf-8")
    (moved.parent / "words.grammar").write_text(WORDS, "utf-8")
    assert main(["verify", "moved"]) == 0


def _edit(path: Path, line: int, old: str, new: str) -> None:
    lines = path.read_text("utf-8").split("\n")
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new)
    path.write_text("\n".join(lines), "utf-8")


@pytest.mark.parametrize("block", [64, 1 << 18])
def test_a_changed_line(
    here: Path, block: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "BLOCK", block)
    monkeypatch.setattr("generator.making._LINES", 4)
    assert main(["make", "pets.grammar", "--all", "--format", "zorro", "-o", "out.txt", "--quiet"]) == 0
    line = (here / "out.txt").read_text("utf-8").split("\n")[22]
    _edit(here / "out.txt", 23, "there", "three")
    code, (report,) = _verified(".", capsys=capsys)
    assert (code, _kinds(report)) == (1, ["changed", "differs"])
    found = report["differences"][1]
    assert (found["file"], found["line"], found["there"], found["again"]) == (
        "out.txt", 23, line.replace("there", "three"), line,
    )  # fmt: skip
    assert main(["verify", "."]) == 1
    shown = capsys.readouterr().out
    assert (
        f"  out.txt:23: the line differs from what is made now\n    there: {found['there']}\n    again: {line}" in shown
    )


def test_a_file_that_ends_early_goes_on_or_is_gone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "pets.grammar", "--all", "--format", "zorro", "-o", "out.txt", "--quiet"]) == 0
    whole = (here / "out.txt").read_text("utf-8")
    lines = whole.splitlines()
    (here / "out.txt").write_text("\n".join(lines[:-1]) + "\n", "utf-8")
    _, (report,) = _verified(".", capsys=capsys)
    found = report["differences"][1]
    assert (found["line"], found["there"], found["again"]) == (len(lines), None, lines[-1])
    (here / "out.txt").write_text(whole + "one more\n", "utf-8")
    _, (report,) = _verified(".", capsys=capsys)
    found = report["differences"][1]
    assert (found["line"], found["there"], found["again"]) == (len(lines) + 1, "one more", None)
    (here / "out.txt").unlink()
    code, (report,) = _verified(".", capsys=capsys)
    assert (code, _kinds(report)) == (1, ["missing"])


def test_changed_inputs_are_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "own").mkdir()
    (here / "own" / "N.txt").write_text("dog\ncat\nbird\n", "utf-8")
    command = ["make", "pets.grammar", "--all", "--words", "own", "--format", "zorro", "-o", "out.txt", "--quiet"]
    assert main(command) == 0
    assert _manifest("out.txt.manifest.json")["words"] == {
        "path": "own",
        "files": [{"name": "N.txt", "sha256": hashlib.sha256(b"dog\ncat\nbird\n").hexdigest()}],
    }
    assert _verified(".", capsys=capsys)[0] == 0
    (here / "own" / "N.txt").write_text("dog\ncat\nfish\n", "utf-8")
    (here / "own" / "Be.tsv").write_text("lemma\nbe\n", "utf-8")
    (here / "words.grammar").write_text("# the words\n" + WORDS, "utf-8")
    code, (report,) = _verified(".", capsys=capsys)
    inputs = [(row["file"], row["message"]) for row in report["differences"] if row["kind"] == "input"]
    assert code == 1
    assert inputs[:2] == [
        ("N.txt", "has changed (words 'own')"),
        ("Be.tsv", "was not read then (words 'own')"),
    ]
    (here / "own" / "Be.tsv").unlink()
    code, (report,) = _verified(".", capsys=capsys)
    assert ("words.grammar", "has changed (grammar 'pets.grammar')") in [
        (row["file"], row["message"]) for row in report["differences"]
    ]
    assert "differs" in _kinds(report)
    shutil.rmtree(here / "own")
    code, (report,) = _verified(".", capsys=capsys)
    assert (code, _kinds(report)) == (1, ["cannot"])
    assert "no folder of words 'own'" in report["differences"][0]["message"]


def test_line_ends_of_a_grammar_decide_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "pets.grammar", "-n", "8", "-o", "out.jsonl", "--quiet"]) == 0
    for name in ("pets.grammar", "words.grammar"):
        text = (here / name).read_text("utf-8")
        (here / name).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert _verified(".", capsys=capsys)[0] == 0


def test_standard_input_cannot_be_made_again(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('+ the dog {"is" | *"are"} here .\n'))
    assert main(["make", "-", "--all", "-o", "out.jsonl", "--quiet"]) == 0
    assert _manifest("out.jsonl.manifest.json")["grammars"][0]["path"] == "-"
    code, (report,) = _verified(".", capsys=capsys)
    assert (code, _kinds(report)) == (1, ["cannot"])
    assert "standard input" in report["differences"][0]["message"]


def test_shards_and_shipped_grammars(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["make", "agreement_across_PP", "-n", "64", "--format", "babeval", "--style", "prose", "--seed", "5"]
    for part in "12":
        assert main([*command, "--shard", f"{part}/2", "-o", f"part.{part}.txt", "--quiet"]) == 0
    content = _manifest("part.2.txt.manifest.json")
    assert content["grammars"][0]["shipped"] == "en/babeval/agreement_across_PP"
    assert {row["name"] for row in content["grammars"][0]["files"]} >= {
        "agreement_across_PP.grammar", "grammars/en/lib/basics.grammar",
    }  # fmt: skip
    assert content["made"][0]["items"] == 32
    code, reports = _verified(".", capsys=capsys)
    assert (code, [report["items"] for report in reports]) == (0, [32, 32])


@pytest.mark.parametrize(
    ("key", "value", "kinds"),
    [
        ("starling", "0.0.1", []),
        ("environment", {"python": "3.0.0"}, []),
        ("made", "one more", ["counts"]),
    ],
)
def test_other_versions_and_counts(
    here: Path, key: str, value: Any, kinds: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["make", "pets.grammar", "--all", "-o", "out.jsonl", "--quiet"]) == 0
    path = here / "out.jsonl.manifest.json"
    content = _manifest(path)
    if key == "made":
        content["made"][0]["items"] += 1
    else:
        content[key] = value
    path.write_text(json.dumps({**content, "digest": digest_of(content)}), "utf-8")
    code, (report,) = _verified(str(path), capsys=capsys)
    assert (code, _kinds(report)) == (int(bool(kinds)), kinds)
    assert report["notes"] == (["made by starling 0.0.1, this is 0.1.0"] if key == "starling" else [])


def test_an_edited_manifest_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "pets.grammar", "--all", "-o", "out.jsonl", "--quiet"]) == 0
    path = here / "out.jsonl.manifest.json"
    path.write_text(path.read_text("utf-8").replace("--all", "--All"), "utf-8")
    code, (report,) = _verified(str(path), capsys=capsys)
    assert (code, _kinds(report)) == (1, ["edited"])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[]", '\'m.json\' is no manifest: expected an object with "format": "starling-manifest-1"'),
        ('{"format": "starling-manifest-9"}', "has the format 'starling-manifest-9', which this version does not know"),
        ('{"format": "starling-manifest-1"}', "the manifest: 'asked' is a required property"),
        ('{"format": ', "m.json:1:12: not a manifest: not JSON"),
        (None, "cannot read the manifest 'm.json': no such file"),
    ],
)
def test_bad_manifests(here: Path, content: str | None, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    if content is not None:
        (here / "m.json").write_text(content, "utf-8")
    assert main(["verify", "m.json"]) == 3
    assert says in capsys.readouterr().err


def test_manifests_that_are_not_named_right(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "."]) == 3
    assert "no manifest in '.'" in capsys.readouterr().err
    assert main(["make", "pets.grammar", "--all", "--format", "zorro", "-o", "out.txt", "--quiet"]) == 0
    assert main(["verify", "out.txt"]) == 3
    assert "did you mean 'out.txt.manifest.json'?" in capsys.readouterr().err
    path = here / "out.txt.manifest.json"
    content = json.loads(path.read_text("utf-8"))
    content["asked"]["seed"] = "x"
    content["files"][0]["sha256"] = "x"
    path.write_text(json.dumps(content), "utf-8")
    assert main(["verify", "out.txt.manifest.json"]) == 3
    err = capsys.readouterr().err
    assert "asked.seed: 'x' is not of type 'integer'" in err
    assert "files[0].sha256: 'x' does not match" in err


# --- documents and folders ------------------------------------------------------------------------------------------


def _document(made: Iterable[Item]) -> Iterator[str]:
    yield "["
    for item in made:
        if item.good.text.startswith("bad"):
            raise FormatError(f"{item.id}: cannot be held")
        yield f'"{item.good.text}", '
    yield "]"


def _folder(paradigms: Iterable[tuple[str, Iterable[Item]]], origin: Origin) -> Iterator[tuple[str, Iterable[bytes]]]:
    names = []
    for stem, made in paradigms:
        names.append(stem)
        yield f"data/{stem}.bin", (b"\0" + item.good.text.encode() for item in made)
    about = [origin.name, *names, *(origin.signatures[name] for name in names), *origin.licences]
    yield "README.md", ["\n".join(about).encode()]


@pytest.fixture
def _formats(monkeypatch: pytest.MonkeyPatch) -> None:
    made = (
        blimp.FORMAT,
        Format("document", "", ".json", "tokens", ("forced",), document=_document),
        Format("folder", "", "", "tokens", ("forced",), folder=_folder),
    )
    monkeypatch.setattr(writers, "FORMATS", made)


@pytest.mark.usefixtures("_formats")
def test_documents(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("pets.grammar", "other.grammar")
    both = ["make", "pets.grammar", "other.grammar", "--all", "--format", "document", "--quiet"]
    assert main([*both, "-o", "out.json"]) == 2
    assert main(both) == 2
    assert "'document' is one document for each grammar: give a folder, with -o DIR" in capsys.readouterr().err
    assert main([*both, "-o", "out", "--shard", "1/2"]) == 2
    assert "--shard cuts files of lines" in capsys.readouterr().err
    assert main([*both, "-o", "out"]) == 0
    assert sorted(p.name for p in (here / "out").iterdir()) == ["manifest.json", "other.json", "pets.json"]
    text = (here / "out" / "pets.json").read_text("utf-8")
    assert text.startswith('["the dog is here .", ')
    assert text.endswith('", ]')
    assert _verified("out", capsys=capsys)[0] == 0
    (here / "out" / "other.json").write_text(text[:300] + "X" + text[301:], "utf-8")
    _, (report,) = _verified("out", capsys=capsys)
    (found,) = [row for row in report["differences"] if row["kind"] == "differs"]
    assert (found["line"], found["byte"]) == (1, 300)
    assert text[290:310] in found["again"]


@pytest.mark.usefixtures("_formats")
def test_folders(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["make", "pets.grammar", "-n", "8", "--format", "folder", "--quiet"]
    assert main(command) == 2
    assert "the format 'folder' is a folder: say which, with -o DIR" in capsys.readouterr().err
    assert main([*command, "-o", "blimp.v2"]) == 0
    made = {p.relative_to(here / "blimp.v2").as_posix() for p in (here / "blimp.v2").rglob("*") if p.is_file()}
    assert made == {"data/pets.bin", "README.md", "manifest.json"}
    content = _manifest("blimp.v2/manifest.json")
    assert [(row["path"], row["lines"]) for row in content["files"]] == [("data/pets.bin", None), ("README.md", None)]
    readme = (here / "blimp.v2" / "README.md").read_text("utf-8").split("\n")
    assert readme == ["blimp.v2", "pets", content["made"][0]["signature"], "MIT"]
    assert _verified("blimp.v2", capsys=capsys)[0] == 0
    data = here / "blimp.v2" / "data" / "pets.bin"
    data.write_bytes(data.read_bytes()[:5] + b"X" + data.read_bytes()[6:])
    _, (report,) = _verified("blimp.v2", capsys=capsys)
    (found,) = [row for row in report["differences"] if row["kind"] == "differs"]
    assert (found["line"], found["byte"]) == (None, 5)


@pytest.mark.usefixtures("_formats")
def test_a_run_that_fails_leaves_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither the files of grammars that went well, nor folders, nor a manifest."""
    (here / "bad.grammar").write_text('+ bad dogs {"are" | *"is"} here .\n', "utf-8")
    before = sorted(here.rglob("*"))
    assert main(["make", "pets.grammar", "bad.grammar", "--all", "--format", "document", "-o", "a/b/c"]) == 3
    assert "bad:1:1: cannot be held" in capsys.readouterr().err
    assert sorted(here.rglob("*")) == before
