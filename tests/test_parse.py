"""Generate, parse, and the words come back, for every shipped grammar, format and style; and `gen parse` itself.

The tests take a few items.  `python tests/test_parse.py 1000` takes a thousand of each grammar, in every format,
flavour and style, and says what was written, found, refused (by formats that cannot hold an item) and lost; names of
grammars behind the number choose some (`python tests/test_parse.py 1000 wh_island tense`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest
from coming_back import READ_FORMATS, Tally, come_back

from generator.cli.common import shipped_grammars
from generator.cli.main import main
from generator.items import Condition, Flavour, Item
from generator.realizing import STYLES
from generator.writers import find_format
from generator.writers.base import Format, FormatError

FLAVOURS: tuple[Flavour, ...] = ("forced", "open")
ITEMS = 2


@pytest.mark.parametrize("path", shipped_grammars(), ids=lambda p: p.stem)
def test_words_come_back(path: Path) -> None:
    # Each format in its own style, and one of them in all.
    jobs = [(form, style) for form in READ_FORMATS for style in (STYLES if form.name == "tsv" else (form.style,))]
    for flavour in FLAVOURS:
        own = [(form, style) for form, style in jobs if flavour in form.flavours]
        for (name, style), tally in come_back(path, flavour, own, ITEMS).items():
            assert not tally.lost, (name, flavour, style, tally.lost)


def _spoiled(form: Format, spoil: Callable[[Item], Item]) -> Tally:
    """What comes back where a format writes something else than it was given."""

    def lines(item: Item) -> list[str]:
        assert form.lines is not None
        return form.lines(spoil(item))

    path = next(path for path in shipped_grammars() if path.stem == "agreement_across_RC")
    (tally,) = come_back(path, "forced", [(replace(form, lines=lines), "tokens")], ITEMS).values()
    return tally


def _longer(condition: Condition) -> Condition:
    return replace(condition, sentence=replace(condition.sentence, text=f"so {condition.text}"))


def test_what_does_not_come_back_is_lost() -> None:
    def refused(item: Item) -> Item:
        raise FormatError(item.id)

    def reversed_(item: Item) -> Item:
        return replace(item, conditions=tuple(replace(c, acceptable=not c.acceptable) for c in item.conditions))

    form = find_format("blimp")
    assert (_spoiled(form, lambda item: item).found, _spoiled(form, refused).refused) == (ITEMS, ITEMS)
    judged = _spoiled(form, reversed_)
    assert judged.found == 0
    assert "judged otherwise" in judged.lost[0]
    other = _spoiled(form, lambda item: replace(item, conditions=tuple(map(_longer, item.conditions))))
    assert other.found == 0
    assert "other texts" in other.lost[0]


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["parse", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


RC = "en/babeval/agreement_across_RC"


def test_a_sentence_is_found_with_its_words(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capfd, RC, "The crowns that he likes are intact.")
    assert code == 0
    assert "  acceptable  (template object_relative, n=pl, written as prose)" in out
    assert "crowns of 'crown', noun: number=pl person=3" in out


def test_a_starred_sentence_is_starred(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capfd, RC, "the crown that he likes are intact .")
    assert code == 0
    assert "  starred  (template object_relative, n=pl, written as tokens)" in out


def test_a_pair_judged_otherwise_is_a_finding(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capfd, RC, "the crown that he likes are intact . / * the crowns that he likes are intact .")
    assert code == 1
    assert "the file judges otherwise" in out


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("the crown that theys like is intact .", "after *the crown that*: expected "),
        ("the crown that theys like is intact .", "*theys* is not one of these"),
        (
            "the crowns that he likes",
            "after *the crowns that he likes*: expected 'is' or 'are'; the sentence ends there",
        ),
        ("the crowns that he likes are intact . yes", "*: expected the end, found *yes*"),
        ("zebra", "at the start: expected 'the'; *zebra* is not it (it is a noun)"),
        ("the crown that he likes is intakt .", "*intakt* is not one (near to 'intact')"),
    ],
)
def test_near_misses(sentence: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capfd, RC, sentence)
    assert code == 1
    assert message in out


def test_json_is_items_with_the_texts_that_were_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.txt"
    file.write_text("The crown that he likes is intact .\nThe crowns that he likes is intact .\n", "utf-8")
    code, out, err = _run(capfd, RC, "--input", str(file), "--format", "babeval", "--json")
    assert code == 0
    record = json.loads(out)
    assert record["id"].startswith("agreement_across_RC:object_relative:")
    assert [(c["name"], c["acceptable"], c["text"]) for c in record["conditions"]] == [
        ("acceptable", True, "The crown that he likes is intact ."),
        ("starred", False, "The crowns that he likes is intact ."),
    ]
    region = record["conditions"][0]["regions"][0]
    assert record["conditions"][0]["text"][region["start"] : region["end"]] == "crown"
    assert "1 of 1 recognised" in err


def test_standard_input_and_several_ways(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    grammar = tmp_path / "two.grammar"
    grammar.write_text(
        'language en\nslot N = noun "dog"\n+ the {N sg} {"is"|*"are"} here .\n'
        '+ the {noun "dog" sg} {"is"|*"are"} {adverb "here"} .\n',
        "utf-8",
    )
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the dog is here .\nthe cat is here .\n")))
    code, out, err = _run(capfd, str(grammar), "-")
    assert code == 1
    assert "two:1:1  acceptable" in out
    assert "two:2:1  acceptable" in out
    assert "1 of 2 recognised (50.00%); 1 in several ways" in err


def test_open_items_are_found(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capfd, RC, "the crowns that he likes <mask> intact .")
    assert code == 0
    assert "open-ended, masks 'verb'" in out


def test_usage(capfd: pytest.CaptureFixture[str]) -> None:
    assert _run(capfd, "only one thing")[0] == 2
    assert _run(capfd, RC, "the", "--format", "blimp")[0] == 2
    assert _run(capfd, RC, "--input", "nowhere.txt")[0] == 3


# --- the whole: python tests/test_parse.py 1000 [GRAMMAR ...] -------------------------------------------------------


def _print_what_comes_back(count: int, stems: Sequence[str]) -> int:
    """Round trips of `count` items of each grammar, in every format, flavour and style; how many items were lost.

    `stems` are the file names of grammars, without ending: so several processes share the work.
    """
    unknown = sorted(set(stems) - {path.stem for path in shipped_grammars()})
    assert not unknown, unknown
    total = Tally()
    for path in shipped_grammars():
        if stems and path.stem not in stems:
            continue
        started, own = process_time(), Tally()
        refusing: dict[str, None] = {}
        for flavour in FLAVOURS:
            jobs = [(form, style) for form in READ_FORMATS if flavour in form.flavours for style in STYLES]
            for (name, style), tally in come_back(path, flavour, jobs, count).items():
                own.add(tally)
                if tally.refused:
                    refusing[name] = None
                if tally.lost:
                    print(f"  {path.stem} {name} {flavour} {style}: {len(tally.lost)} lost: {tally.lost[:2]}")
        total.add(own)
        by = f" (by {', '.join(refusing)})" if refusing else ""
        print(f"{path.stem}: {own.shown}{by}, {process_time() - started:.0f} s", flush=True)
    print(f"together: {total.shown}, {process_time():.0f} s of processor time")
    return len(total.lost)


if __name__ == "__main__":
    sys.exit(_print_what_comes_back(int(sys.argv[1]), sys.argv[2:]) > 0)
