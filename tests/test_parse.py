"""Generate, parse, and the words come back, for every shipped grammar, format and style; and `gen parse` itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from shipped import shipped_grammar, shipped_plan

from generator.cli.common import shipped_folder, shipped_grammars
from generator.cli.main import main
from generator.errors import UsageError
from generator.identifying import Identifier
from generator.item_making import items
from generator.items import Flavour, Item
from generator.loading import Grammar
from generator.planning import Plan
from generator.readers import find_reader
from generator.readers.base import Source
from generator.realizing import STYLES, Style
from generator.sampling import Run
from generator.writers import FORMATS
from generator.writers.base import Format, FormatError

ITEMS = 2
LINE_FORMATS = [form for form in FORMATS if form.lines is not None and not form.needs_trees]


@lru_cache(maxsize=4)
def _identifier(path: Path) -> Identifier:
    def planner(_grammar: Grammar, flavour: Flavour) -> Plan:
        found = shipped_plan(path, flavour)
        if found is None:
            raise UsageError("no such flavour")
        return found

    return Identifier([shipped_grammar(path)], planner=planner)


def _made(path: Path, flavour: Flavour, style: Style, count: int) -> list[Item]:
    found = shipped_plan(path, flavour)
    if found is None:
        return []
    return list(items(found, min(count, Run(found, 0, 0).capacity), 7, style))


def _written(form: Format, made: list[Item]) -> Iterator[tuple[Item, list[str]]]:
    assert form.lines is not None
    for item in made:
        try:
            yield item, form.lines(item)
        except FormatError:
            continue


def _bindings(item: Item) -> set[tuple[str, str, str]]:
    return {(binding.slot, binding.category, binding.lemma) for binding in item.bindings}


def come_back(path: Path, form: Format, flavour: Flavour, style: Style, count: int) -> tuple[int, list[str]]:
    """How many items a format held, and those that did not come back."""
    identifier = _identifier(path)
    lost, held = [], 0
    for item, lines in _written(form, _made(path, flavour, style, count)):
        held += 1
        text = "\n".join([form.header, *lines] if form.header else lines) + "\n"
        name = f"open_ended/{item.paradigm}.txt" if flavour == "open" else f"{item.paradigm}{form.suffix}"
        source = Source(name, text=text)
        read = list(find_reader(form.name).read(source))
        source.findings.require_none()
        for each in read:
            found = identifier.identify(each)
            texts = {condition.text for condition in each.conditions}
            assert texts <= {condition.text for condition in item.conditions}, (form.name, texts)
            # What the sentences do not show may be another word.
            shown = [condition for condition in item.conditions if condition.text in texts]
            regions = {region.name for condition in shown for region in condition.sentence.regions}
            wanted = {binding for binding in _bindings(item) if binding[0] in regions}
            same = [r for r in found.recognitions if wanted <= _bindings(identifier.made(found, r))]
            if not same or found.is_reversed:
                lost.append(f"{item.id}: {sorted(texts)}")
    return held, lost


@pytest.mark.parametrize("path", shipped_grammars(), ids=lambda p: p.stem)
def test_words_come_back(path: Path) -> None:
    # An item of this grammar has some twenty pairs.
    count = 1 if path.stem == "past_agreement" else ITEMS
    for form in LINE_FORMATS:
        for flavour in form.flavours:
            # Each format in its own style, and one of them in all.
            for style in STYLES if form.name == "tsv" else (form.style,):
                _, lost = come_back(path, form, flavour, style, count)
                assert not lost, (form.name, flavour, style, lost[:5])


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


if __name__ == "__main__":  # python tests/test_parse.py 1000: all formats, styles and grammars, that many items each
    total = 0
    for each in shipped_grammars():
        print(each.stem, flush=True)
        for written_as in LINE_FORMATS:
            for kind in written_as.flavours:
                for written_in in STYLES:
                    number, missing = come_back(each, written_as, kind, written_in, int(sys.argv[1]))
                    total += number
                    if missing:
                        print(each.stem, written_as.name, kind, written_in, len(missing), missing[:2])
    print(f"{total:,} items written, read and found in {shipped_folder().name}")
