"""`gen convert`: what is read is written, what is lost is said, and nothing is written of what is wrong."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from generator.cli.main import main
from generator.facts import FACTS, facts_of
from generator.item_making import items
from generator.loading import grammar_from_text
from generator.planning import plan
from generator.writers import FORMATS, find_format

GRAMMAR = """\
paradigm tiny
phenomenon agreement
field syntax
slot N = noun "dog" | noun "apple"
slot Be = auxiliary "be" pres
+ the {subj=N $n | *subj !$n} {Be $n} here .
cross $n
target Be
answer right = Be $n
answer wrong = Be !$n
"""
LINE_FORMATS = [form for form in FORMATS if form.lines is not None and not form.needs_trees]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.grammar").write_text(GRAMMAR, "utf-8")
    return tmp_path


def _make(*options: str) -> None:
    assert main(["make", "tiny.grammar", "--all", "--quiet", "--no-manifest", *options]) == 0


@pytest.mark.parametrize("form", LINE_FORMATS, ids=lambda form: form.name)
@pytest.mark.parametrize("style", ["tokens", "ptb", "prose"])
def test_items_convert_to_what_would_have_been_made(here: Path, form: object, style: str) -> None:
    name, suffix = form.name, form.suffix  # type: ignore[attr-defined]
    _make("--style", style, "-o", "items.jsonl")
    _make("--style", style, "--format", name, "-o", f"made{suffix}")
    assert main(["convert", "items.jsonl", f"converted{suffix}", "--to", name]) == 0
    assert (here / f"converted{suffix}").read_bytes() == (here / f"made{suffix}").read_bytes()


@pytest.mark.parametrize("flavour", ["forced", "open"])
def test_babeval_folders_and_answers(here: Path, flavour: str) -> None:
    _make("--flavour", "both", "-o", "items")
    _make("--flavour", "both", "--format", "babeval", "-o", "made")
    assert main(["convert", "items", "converted", "--to", "babeval"]) == 0
    made = {path.relative_to(here / "made"): path.read_bytes() for path in (here / "made").rglob("*.*")}
    found = {path.relative_to(here / "converted"): path.read_bytes() for path in (here / "converted").rglob("*.*")}
    assert found == made
    assert main(["convert", "converted", "again", "--to", "items"]) == 0
    folder = {"forced": "forced_choice", "open": "open_ended"}[flavour]
    again = [json.loads(line) for line in (here / "again" / folder / "tiny.jsonl").read_text("utf-8").splitlines()]
    assert {record["flavour"] for record in again} == {flavour}


def test_what_is_lost_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _make("-o", "items.jsonl")
    assert main(["convert", "items.jsonl", "tiny.txt", "--to", "zorro"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "gen: read 4 items: items.jsonl (looks like 'items')"
    assert said[1] == "gen: wrote 4 items: tiny.txt ('zorro')"
    assert said[2].startswith("gen: lost: item ids (4), phenomenon (4), field (4), ")
    assert "regions (4), words and features (4)" in said[2]
    assert "paradigm (" not in said[2]  # the file's name can tell it
    assert main(["convert", "items.jsonl", "same.jsonl", "--to", "items"]) == 0
    assert "lost" not in capsys.readouterr().err
    assert (here / "same.jsonl").read_bytes() == (here / "items.jsonl").read_bytes()


def test_several_paradigms_in_a_file_lose_their_names(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a-b.txt").write_text("he are .\nhe is .\n", "utf-8")
    (here / "a-c.txt").write_text("she are .\nshe is .\n", "utf-8")
    assert main(["convert", "a-b.txt", "a-c.txt", "both.tsv"]) == 0
    assert main(["convert", "both.tsv", "both.txt", "--to", "clams"]) == 0
    assert "lost: paradigm (2), phenomenon (2)" in capsys.readouterr().err
    assert (here / "both.txt").read_text(
        "utf-8"
    ) == "True\the is .\nFalse\the are .\nTrue\tshe is .\nFalse\tshe are .\n"


def test_zorro_names_keep_the_phenomenon(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _make("--format", "blimp", "-o", "blimp")
    assert main(["convert", "blimp", "zorro", "--to", "zorro"]) == 0
    assert [path.name for path in (here / "zorro").iterdir()] == ["agreement-tiny.txt"]
    assert "phenomenon" not in capsys.readouterr().err.split("lost:")[1]


def test_own_columns_are_kept_where_there_is_a_place(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = find_format("tsv").header
    (here / "x.tsv").write_text(f"{header}\tnote\nx:1\tx\t\t\t\t1\t\ta b\ta c\tmine\n", "utf-8")
    assert main(["convert", "x.tsv", "x.jsonl", "--to", "blimp"]) == 0
    assert json.loads((here / "x.jsonl").read_text("utf-8"))["note"] == "mine"
    assert "lost" not in capsys.readouterr().err
    assert main(["convert", "x.jsonl", "y.tsv"]) == 0
    assert "lost: own columns (1)" in capsys.readouterr().err


def test_pairs_of_unknown_acceptability_stay_unknown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "forced_choice").mkdir()
    (here / "forced_choice" / "t.txt").write_text("the dog is .\nthe dogs is .\n" * 2, "utf-8")
    assert main(["convert", "forced_choice/t.txt", "t.jsonl", "--to", "items"]) == 0
    record = json.loads((here / "t.jsonl").read_text("utf-8").splitlines()[0])
    assert [condition["acceptable"] for condition in record["conditions"]] == [None, None]
    capsys.readouterr()
    assert main(["convert", "t.jsonl", "zorro.txt", "--to", "zorro"]) == 3
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("gen: t.jsonl: nothing says of 2 items which member is acceptable")
    assert "gen parse GRAMMAR --input FILE --json" in said
    assert not (here / "zorro.txt").exists()
    assert main(["convert", "t.jsonl", "back.txt", "--to", "babeval"]) == 0
    assert (here / "back.txt").read_text("utf-8") == "the dog is .\nthe dogs is .\n" * 2


def test_masks_are_refused_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _make("--flavour", "open", "-o", "open.jsonl")
    assert main(["convert", "open.jsonl", "x.tsv"]) == 3
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("gen: open.jsonl: 4 items with a mask, which the format 'tsv' cannot hold")
    assert "'items', 'babeval'" in said


def test_all_errors_at_once_and_nothing_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "in").mkdir()
    (here / "in" / "a.txt").write_text("True\ta b\nFalse\ta c\nfalse\tx\n", "utf-8")
    (here / "in" / "b.txt").write_text("True\ta b c\nFalse\ta c\nTrue\ta\tb\nFalse\tc\td\n", "utf-8")
    assert main(["convert", "in", "out", "--to", "words"]) == 3
    said = capsys.readouterr().err.splitlines()
    assert [line.removeprefix("gen: ").split(": ", 1)[0] for line in said] == [
        "in/b.txt:1", "in/b.txt:3", "in/a.txt:3",
    ]  # fmt: skip
    assert "The format 'sentences' holds them" in said[0]
    assert "cannot hold a tab" in said[1]
    assert not (here / "out").exists()
    assert main(["convert", "in/a.txt", "-", "--to", "tsv"]) == 3
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["a.txt", "x.txt"], 2, "'.txt' is the ending of several formats: give --to, one of babeval, zorro, clams"),
        (["a.txt", "out"], 2, "'out' does not say which format: give --to"),
        (["a.txt", "a.txt", "--to", "zorro"], 2, "would be written over what it is made from"),
        (
            ["a.txt", "sub/a.txt", "out", "--to", "tsv"],
            2,
            "'a.txt' and 'sub/a.txt' would both be written to 'out/a.tsv'",
        ),
        (["a.txt", "x.tsv", "--from", "clam"], 2, "unknown format 'clam': did you mean 'clams'?"),
        (["a.txt", "x.tsv", "--to", "tsw"], 2, "unknown format 'tsw': did you mean 'tsv'?"),
        (["a.txt", "-", "--to", "tsv", "--json"], 2, "cannot both go to standard output"),
        (["none.txt", "x.tsv"], 3, "none.txt: cannot be read: no such file or directory"),
        (["empty", "x.tsv"], 3, "empty: a folder without files to read"),
        (["blank.txt", "x.tsv"], 3, "blank.txt: empty"),
        (["blank.txt", "x.tsv", "--from", "clams"], 3, "blank.txt: nothing in it that 'clams' reads"),
        (["odd.csv", "x.tsv"], 3, "odd.csv:1: looks like no format that can be read: 'a,b'"),
    ],
)
def test_what_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    for folder in ("sub", "empty"):
        (here / folder).mkdir()
    for name in ("a.txt", "sub/a.txt"):
        (here / name).write_text("True\ta b\nFalse\ta c\n", "utf-8")
    (here / "blank.txt").write_text("\n", "utf-8")
    (here / "odd.csv").write_text("a,b\n", "utf-8")
    before = sorted(path for path in here.rglob("*"))
    assert main(["convert", *arguments]) == code
    assert message in capsys.readouterr().err
    assert sorted(path for path in here.rglob("*")) == before


def test_standard_input_and_output(
    here: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"True\the is\nFalse\the are\n")))
    assert main(["convert", "-", "-", "--to", "sentences"]) == 0
    done = capfd.readouterr()
    assert done.out == "pattern\tsent\tsent_alt\ninput\the is <eos>\the are <eos>\n"
    assert done.err.startswith("gen: read 1 item: <stdin> (looks like 'clams')")


def test_json_report(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.txt").write_text("True\ta  b\nFalse\ta c\n", "utf-8")
    assert main(["convert", "a.txt", "x.tsv", "--json", "--quiet"]) == 0
    done = capsys.readouterr()
    assert done.err == ""
    report = json.loads(done.out)
    assert report["read"][0] | {"warnings": 1} == {
        "file": "a.txt", "format": "clams", "detected": True, "items": 1, "warnings": 1,
    }  # fmt: skip
    assert len(report["read"][0]["warnings"]) == 1
    assert (report["written"][0]["file"], report["written"][0]["lines"]) == ("x.tsv", 2)
    assert report["lost"] == {}


def test_the_files_beside_items_are_no_input(here: Path) -> None:
    assert main(["make", "tiny.grammar", "--all", "--flavour", "both", "-o", "made", "--quiet"]) == 0
    beside = {path.name for path in (here / "made").rglob("*.json")}
    assert beside == {"manifest.json", "tiny.answers.json"}
    assert main(["convert", "made", "out", "--to", "babeval", "--quiet"]) == 0


# --- facts ----------------------------------------------------------------------------------------------------------


def test_facts_of_a_made_item() -> None:
    (item, *_) = items(plan(grammar_from_text(GRAMMAR)))
    assert facts_of(item) == {
        "item ids", "paradigm", "phenomenon", "field", "language", "template", "crossed values",
        "which member is acceptable", "regions", "words and features",
    }  # fmt: skip


def test_facts_of_versions() -> None:
    (item,) = items(plan(grammar_from_text('slot A = "is"\n+ he {A | +"was" | *"are" | *"am"} here .\n')), None)
    assert {"several starred versions of an item", "further acceptable versions"} <= facts_of(item)
    (longer,) = items(plan(grammar_from_text('slot A = "is"\n+ he {A | *"are there"} here .\n')))
    assert "pairs of unequal length" in facts_of(longer)


def test_formats_hold_known_facts_only() -> None:
    for form in FORMATS:
        assert form.holds <= set(FACTS), form.name
    assert find_format("items").holds == set(FACTS) - {"constituents", "dependencies"}


def test_the_documented_table_is_what_formats_hold() -> None:
    text = (Path(__file__).parents[1] / "docs" / "item-format.md").read_text("utf-8")
    section = text.split("### What each format holds\n", 1)[1].split("\n#", 1)[0]
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if "|" in line]
    assert [name.strip("`") for name in head[1:]] == [form.name for form in FORMATS]
    for place, name in enumerate(head[1:], start=1):
        held = {row[0] for row in rows if row[place] == "yes"}
        assert held == find_format(name.strip("`")).holds, name
    assert [row[0] for row in rows] == list(FACTS)
