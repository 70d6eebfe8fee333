"""`gen diff`: what it prints, in text and JSON, and how it ends."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main as main_module
from generator.cli.main import main
from generator.differing_counting import counted
from generator.differing_listing import Listing
from generator.differing_sides import Side
from generator.loading import grammar_from_text
from generator.planning import plan

OLD = """\
paradigm pets
slot Pet = noun "dog" | noun "cat" | noun "cow"
template here:
  + the {subj=Pet $n} {Be $n | *Be !$n} here .
template there:
  + {subj=Pet $n} {Be $n | *Be !$n} there .
slot Be = auxiliary "be"
"""
NEW = OLD.replace('| noun "cow"', '| noun "horse"')


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.grammar").write_text(OLD, "utf-8")
    (tmp_path / "new.grammar").write_text(NEW, "utf-8")
    return tmp_path


def _diff(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[Any]]:
    capsys.readouterr()
    code = main(["diff", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def _edited(here: Path, *edits: tuple[str, str], name: str = "edited.grammar") -> str:
    text = OLD
    for before, after in edits:
        assert before in text
        text = text.replace(before, after)
    (here / name).write_text(text, "utf-8")
    return name


def test_a_word_for_another(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, [found] = _diff("old.grammar", "new.grammar", capsys=capsys)
    assert code == 1
    assert (found["paradigm"], found["flavour"], found["method"], found["is_different"]) == (
        "pets", "forced", "listed", True,
    )  # fmt: skip
    # Three words in two numbers with present and past of 'be', in two templates; one word of three is another.
    assert found["items"] == {
        "old": 24, "new": 24, "removed": 8, "added": 8, "changed_old": 0, "changed_new": 0, "kept_old": 16,
        "kept_new": 16,
    }  # fmt: skip
    assert [(row["template"], row["removed"], row["added"]) for row in found["templates"]] == [
        ("here", 4, 4),
        ("there", 4, 4),
    ]
    assert found["causes"]["words"] == [{"slot": "subj", "added": ["horse"], "removed": ["cow"]}]
    (before,), (after,) = found["causes"]["statements"]["removed"], found["causes"]["statements"]["added"]
    assert (before["file"], before["line"], after["file"], after["line"]) == ("old.grammar", 2, "new.grammar", 2)
    assert '"cow"' in before["text"]
    assert '"horse"' in after["text"]
    kinds = [(sample["change"], sample["old"] is None, sample["new"] is None) for sample in found["samples"]]
    assert kinds == [("removed", False, True)] * 5 + [("added", True, False)] * 5
    templates = [sample["new"]["template"] for sample in found["samples"] if sample["new"]]
    assert templates == ["here", "there"] * 2 + ["here"]


def test_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "old.grammar", "new.grammar", "-n", "1"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("pets: 24 items in OLD, 24 in NEW (exact: every item was compared)\n")
    assert "words of subj: 1 removed: 'cow'; 1 added: 'horse'" in out
    assert "- old.grammar:2: slot Pet" in out
    assert "+ new.grammar:2: slot Pet" in out
    total = next(line for line in out.splitlines() if "total" in line)
    assert [cell.strip() for cell in total.strip("│").split("│")] == ["total", "24", "24", "8", "8", "0", "16"]


def test_another_star_is_a_change(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = _edited(here, ("the {subj=Pet $n} {Be $n | *Be !$n}", 'the {subj=Pet $n} {Be $n | *"be"}'))
    code, [found] = _diff("old.grammar", name, capsys=capsys)
    assert code == 1
    assert [row["line"] for row in found["causes"]["statements"]["added"]] == [4]  # of the block only this line
    assert found["items"] == {
        "old": 24, "new": 24, "removed": 0, "added": 0, "changed_old": 12, "changed_new": 12, "kept_old": 12,
        "kept_new": 12,
    }  # fmt: skip
    for sample in found["samples"]:
        (good, star), (same, other) = (sample[side]["conditions"] for side in ("old", "new"))
        assert good["text"] == same["text"]
        assert star["text"] != other["text"]
        assert " be " in other["text"]
    assert main(["diff", "old.grammar", name, "-n", "1"]) == 1
    assert "starred in OLD" in capsys.readouterr().out


def test_no_difference(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "old.grammar", "old.grammar"]) == 0
    assert capsys.readouterr().out == "pets: no difference, 24 items (the inputs say the same)\n"
    name = _edited(here, ("paradigm pets", "# pets\nparadigm animals\nabout our pets"))
    code, [found] = _diff("old.grammar", name, capsys=capsys)
    assert (code, found["is_different"], found["method"], found["items"]["kept_new"]) == (0, False, "same", 24)
    name = _edited(here, ('noun "cat" | noun "cow"', 'noun "cow" | noun "cat"'))
    code, [found] = _diff("old.grammar", name, capsys=capsys)
    assert (code, found["is_different"], found["method"], found["samples"]) == (0, False, "listed", [])
    assert [row["line"] for row in found["causes"]["statements"]["added"]] == [2]


def test_templates_come_and_go(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = _edited(here, ("template there:", "template yonder:"), (" there .", " yonder ."))
    _, [found] = _diff("old.grammar", name, "-n", "0", capsys=capsys)
    assert found["causes"]["templates"] == {"added": ["yonder"], "removed": ["there"]}
    assert [row["text"] for row in found["causes"]["statements"]["added"]] == [
        "template yonder:",
        "+ {subj=Pet $n} {Be $n | *Be !$n} yonder .",
    ]
    rows = {row["template"]: (row["old"], row["new"], row["removed"], row["added"]) for row in found["templates"]}
    assert rows == {"here": (12, 12, 0, 0), "there": (12, 0, 12, 0), "yonder": (0, 12, 0, 12)}
    assert found["samples"] == []


def test_words_of_one_side(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "words").mkdir()
    (here / "words" / "Pet.txt").write_text("dog\ncat\nhamster\n", "utf-8")
    code, [found] = _diff("old.grammar", "old.grammar", "--words-new", "words", capsys=capsys)
    assert (code, found["items"]["removed"], found["items"]["added"]) == (1, 8, 8)
    assert found["causes"]["words"] == [{"slot": "subj", "added": ["hamster"], "removed": ["cow"]}]
    assert found["causes"]["inputs"] == ["Pet.txt"]
    code, [found] = _diff("old.grammar", "new.grammar", "--words", "words", capsys=capsys)
    assert (code, found["is_different"]) == (0, False)


def test_folders_are_matched_by_paradigm(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder, names in (("one", ("a", "b")), ("two", ("b", "c"))):
        (here / folder).mkdir()
        for name in names:
            text = OLD.replace("paradigm pets", f"paradigm {name}")
            (here / folder / f"{folder}_{name}.grammar").write_text(text, "utf-8")
    code, found = _diff("one", "two", "-n", "2", capsys=capsys)
    assert code == 1
    assert [(each["paradigm"], each["is_different"]) for each in found] == [("a", True), ("b", False), ("c", True)]
    assert (found[0]["new"], found[0]["items"]["removed"], len(found[0]["samples"])) == (None, 24, 2)
    assert (found[2]["old"], found[2]["items"]["added"], len(found[2]["samples"])) == (None, 24, 2)
    assert main(["diff", "one", "two"]) == 1
    out = capsys.readouterr().out
    assert "a: 24 items in OLD, none in NEW: all are removed" in out
    assert "c: no items in OLD, 24 in NEW: all are added" in out


def test_standard_input(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(NEW))
    code, [found] = _diff("old.grammar", "-", capsys=capsys)
    assert (code, found["items"]["added"], found["new"]["file"]) == (1, 8, "<stdin>")


def test_the_open_ended_flavour(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, [found] = _diff("old.grammar", "new.grammar", "--flavour", "open", capsys=capsys)
    assert (code, found["flavour"]) == (1, "open")
    # Where 'be' is masked, present and past are one.
    assert (found["items"]["old"], found["items"]["removed"], found["items"]["added"]) == (12, 4, 4)
    assert all("[MASK]" in (s["old"] or s["new"])["conditions"][0]["text"] for s in found["samples"])


# Large ones: numbers are counted; each item shown is in one side, by `gen parse`, and not in the other.

LARGE = (
    ("animate countable", "human countable", "removed"),
    ("animate countable", "animate countable -\"dog\"", "removed"),
    ("verb intransitive", "verb motion intransitive", "removed"),
    ('{Action pres $n | *Action pres !$n}', '{Action pres $n | *"be"}', "changed"),
)  # fmt: skip


@pytest.mark.parametrize(("before", "after", "kind"), LARGE)
def test_samples_are_what_they_are_said_to_be(
    here: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, kind: str
) -> None:
    main(["new", "agreement"])
    text = (here / "agreement.grammar").read_text("utf-8")
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("example"))
    (here / "agreement.grammar").write_text(text, "utf-8")
    assert before in text
    (here / "changed.grammar").write_text(text.replace(before, after), "utf-8")
    code, [found] = _diff("agreement.grammar", "changed.grammar", "-n", "3", capsys=capsys)
    assert (code, found["method"]) == (1, "counted")
    _, [back] = _diff("changed.grammar", "agreement.grammar", "-n", "0", capsys=capsys)
    swap = {"old": "new", "new": "old", "removed": "added", "added": "removed", "changed_old": "changed_new",
            "changed_new": "changed_old", "kept_old": "kept_new", "kept_new": "kept_old"}  # fmt: skip
    assert {swap[name]: number for name, number in back["items"].items()} == found["items"]
    assert [sample["change"] for sample in found["samples"]] == [kind] * 3
    for sample in found["samples"]:
        for side, grammar in (("old", "agreement.grammar"), ("new", "changed.grammar")):
            if sample[side] is not None:
                assert _parses(grammar, sample[side])
        if kind == "changed":
            assert not _parses("agreement.grammar", sample["new"])
            assert not _parses("changed.grammar", sample["old"])
        else:
            assert not _parses("changed.grammar", sample["old"])


REAL = """\
slot Pet = noun animate countable -human
slot Other = noun "dog" | noun "queen" | noun "cow"
slot Act = verb intransitive motion -particle -prep
slot Be = auxiliary "be"
template here:
  + the {subj=Pet pl} {"never" | ""} {Act pres pl | *Act ing} here .
  where Act(subj)
template there:
  + {subj=Pet $n} and {other=Other $n} {Be $n | *Be !$n} there .
"""


def test_counts_are_those_of_the_lists() -> None:
    """With words of the shipped lists, a condition, words of two tokens and none, and words that must differ."""
    changed = REAL.replace("-human", '-human -"dog" | noun "king"').replace('| ""', '| "" | "hardly ever"')
    sides = [Side(plan(grammar_from_text(text))) for text in (REAL, changed)]
    rows = counted(sides[0], sides[1])
    assert rows == Listing(sides[0], sides[1]).rows
    assert [(tally.removed > 0, tally.added > 0, tally.kept_old > 0) for _, tally in rows] == [(True, True, True)] * 2


def _parses(grammar: str, item: Any) -> bool:
    good, *others = item["conditions"]
    return main(["parse", grammar, " / * ".join([good["text"], *(each["text"] for each in others)])]) == 0


def test_what_cannot_be_counted_is_estimated(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The verb of a starred passive stands in no acceptable sentence: so many items share one."""
    (here / "wider.grammar").write_text(
        "paradigm wider\nimport en/lib/clauses\nslot Yawn = Smile -\"jog\" -\"panic\" -\"volunteer\"\n"
        "+ {NP $n} {Be past $n} {Treat participle | *Yawn participle} by {NP} .\n",
        "utf-8",
    )  # fmt: skip
    code, [found] = _diff("passive_1", "wider.grammar", "--sample", "400", "-n", "2", capsys=capsys)
    assert (code, found["method"], found["items"]) == (1, "estimated", None)
    (row,) = found["templates"]
    assert (row["template"], row["old"], row["new"]) == ("1", found["old"]["items"], found["new"]["items"])
    assert row["estimates"] == found["estimates"]
    assert "'Yawn'" in found["reason"]
    shares = found["estimates"]
    assert [shares[name]["seen"] for name in ("removed", "added", "changed_old")] == [0, 0, 0]
    # One verb more: what NEW has more than OLD are the items with it.
    truth = 1 - found["old"]["items"] / found["new"]["items"]
    low, high = shares["changed_new"]["interval"]
    assert low < truth < high
    assert shares["changed_new"]["sample"] == 400
    assert found["causes"]["words"] == [{"slot": "Yawn", "added": ["dance"], "removed": []}]
    assert all("danced" in sample["new"]["conditions"][1]["text"] for sample in found["samples"])
    assert main(["diff", "passive_1", "wider.grammar", "--sample", "400", "-n", "2"]) == 1
    out = capsys.readouterr().out
    assert "(estimated from samples, since words of 'Yawn' in OLD" in out
    assert "changed in new" in out


def test_no_difference_in_a_sample_is_no_proof(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = Path(main_module.__file__).parents[2] / "grammars/en/blimp/passive_1.grammar"
    text = shipped.read_text("utf-8")
    assert '-"dance" -"jog"' in text
    (here / "same.grammar").write_text(text.replace('-"dance" -"jog"', '-"jog" -"dance"'), "utf-8")
    assert main(["diff", "passive_1", "same.grammar", "--sample", "100"]) == 0
    assert "no difference among 100 and 100 of them, so that up to 3.70% may differ" in capsys.readouterr().out


def test_other_numbers_are_a_difference_even_where_the_sample_shows_none(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One item of thousands more, of which a sample of one is not likely to be."""
    text = 'slot Pet = noun countable -number_ambiguous\ntemplate a:\n  + {Pet sg} {"is" | *"are" | *Pet pl} here .\n'
    (here / "few.grammar").write_text(text, "utf-8")
    (here / "more.grammar").write_text(text + 'template b:\n  + {"it" | *"them"} rains .\n', "utf-8")
    code, [found] = _diff("few.grammar", "more.grammar", "--most", "0", "--sample", "1", "-n", "0", capsys=capsys)
    shares = found["estimates"] or {}
    assert found["method"] == "estimated"
    assert not any(shares[name]["seen"] for name in shares)
    assert (code, found["is_different"]) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-", "-"], 2, "only one of OLD and NEW can be '-'"),
        (["old.grammar"], 2, "required"),
        (["old.grammar", "new.grammar", "-n", "-1"], 2, "-n must not be less than 0"),
        (["old.grammar", "new.grammar", "--sample", "0"], 2, "--sample must not be less than 1"),
        (["old.grammar", "folder"], 2, "'folder' is a folder and 'old.grammar' is not"),
        (["old.grammar", "broken.grammar"], 3, "broken.grammar:2:8"),
        (["old.grammar", "nothing.grammar"], 3, "no grammar 'nothing.grammar'"),
        (["folder", "twice"], 3, "'twice' has two grammars of the paradigm 'pets'"),
        (["old.grammar", "new.grammar", "--words-old", "nowhere"], 3, "no folder of words 'nowhere'"),
        (["wh_vs_that_no_gap", "sentential_negation_npi_scope", "--flavour", "open", "-n", "0"], 1, ""),
    ],
)
def test_errors(here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str) -> None:
    (here / "broken.grammar").write_text("paradigm broken\n+ the {Nothing} .\n", "utf-8")
    for folder, names in (("folder", ("a",)), ("twice", ("a", "b"))):
        (here / folder).mkdir()
        for name in names:
            (here / folder / f"{name}.grammar").write_text(OLD, "utf-8")
    try:
        ended = main(["diff", *arguments])
    except SystemExit as stopped:
        ended = int(stopped.code or 0)
    captured = capsys.readouterr()
    assert ended == code
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_interrupted(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("generator.differing_sides.Side.reading", stop)
    assert main(["diff", "old.grammar", "new.grammar"]) == 130
    assert capsys.readouterr().out == ""
