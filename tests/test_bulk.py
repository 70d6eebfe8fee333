"""Bulk output: byte for byte what the formats write item by item, in every format and style, whole and in shards."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from brute_force import write_words
from brute_random import drawn
from brute_random import grammar_of as random_grammar
from brute_words import write_words as write_tiny_words
from shipped import shipped_plan

from generator import bulk, making
from generator.cli.main import main
from generator.compiling import MEMBER, Compiler
from generator.errors import GrammarError, StarlingError, UsageError
from generator.item_making import ItemMaker
from generator.items import Flavour
from generator.loading import grammar_from_text
from generator.planning import Plan, plan
from generator.realizing import STYLES, Style
from generator.sampling import Run
from generator.self_checks import SelfCheck
from generator.shapes import shape_of
from generator.writers import FORMATS
from generator.writers.base import Format

ROOT = Path(__file__).parents[1]
SHIPPED = sorted(p for p in (ROOT / "grammars").rglob("*.grammar") if "lib" not in p.parts)
TEXTUAL = [form for form in FORMATS if form.is_textual]
MOST = 200

TIED = """
paradigm tied
slot Noun = noun
slot Be = auxiliary "be" pres
slot Art = "a"
+ {Art} {x=Noun sg} by the {y=Noun $n} by {Art} {z=Noun sg} {Be $n | *Be !$n} {"here" | "in it" | "" | "n't"} .
"""

PLAIN = """
paradigm plain
slot Noun = noun "dog" | noun "cat" | noun "bird"
slot Place = noun "house" | noun "tree"
+ this {Noun sg} near the {Place sg} {"is" | *"are"} here .
"""

SWAPPED = """
paradigm swapped
slot Noun = noun
slot Part = particle
+ {x=Noun sg} {Part} {y=Noun sg} .
* {y} {Part} {x} .
"""

ODD = """
paradigm odd
slot Noun = noun
+ {Noun sg} {"is" | *"are"} {"a" | "will" | "1 2" | "\\""} {y=Noun} {"!" | "n't"} .
"""


@pytest.fixture(scope="session")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_words(tmp_path_factory.mktemp("words"))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_words(tmp_path_factory.mktemp("tiny"))


def slow(found: Plan, run: Run, shard: tuple[int, int], form: Format, style: Style, most: int) -> tuple[str, int, str]:
    """Lines, items and the error, if any, of a run item by item."""
    assert form.lines is not None
    maker = ItemMaker(found, style, "[MASK]", run.seed)
    text, count = "", 0
    try:
        for template, index in itertools.islice(run.shard(*shard), most):
            text += "".join(line + "\n" for line in form.lines(maker.item(template, index)))
            count += 1
    except StarlingError as error:
        return text, count, str(error)
    return text, count, ""


def same(found: Plan, count: int | None, shard: tuple[int, int], form: Format, style: Style, most: int = MOST) -> int:
    """Compare a run with itself item by item; how many items were compared."""
    assert form.lines is not None
    run = Run(found, count, 3)
    compiler = Compiler(found, form.lines, form.compares, style, "[MASK]", 3)
    expected, items, wrong = slow(found, run, shard, form, style, most)
    text, made, error = "", 0, ""
    try:
        for block in (bulk.sampled if run.is_sample else bulk.in_order)(compiler, run, shard):
            text += block.text
            made += sum(block.shapes.values())
            if made >= most:
                break
    except StarlingError as caught:
        error = str(caught)
    assert compiler.mismatches == []
    assert bool(error) == bool(wrong) or made >= most
    if not wrong and not error:
        assert (text if items < most else text[: len(expected)]) == expected
        assert made == items or items == most
    return items


def plans(text: str, name: str, words: Path) -> dict[Flavour, Plan]:
    result: dict[Flavour, Plan] = {}
    for flavour in ("forced", "open"):
        try:
            result[flavour] = plan(grammar_from_text(text, name, words), flavour)
        except (UsageError, GrammarError):
            continue
    return result


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_grammars(path: Path) -> None:
    flavours: tuple[Flavour, ...] = ("forced", "open")
    for flavour in flavours:
        found = shipped_plan(path, flavour)
        if found is None:
            continue
        capacity = Run(found, 0, 3).capacity
        most = 3 if path.stem == "past_agreement" else 12
        for number, form in enumerate(form for form in TEXTUAL if flavour in form.flavours):
            same(found, None, (1 + number, 11), form, form.style, most)
            same(found, min(most, capacity), (1, 1), form, STYLES[number % 3], most)


@pytest.mark.parametrize("part", range(4))
def test_random_grammars(part: int, tiny: Path) -> None:
    """A hundred small grammars over all constructs; every format and style comes often."""
    compared = 0
    for number in range(part, 400, 16):
        made = drawn(number, 0)
        text = made[1] if made is not None else random_grammar(number).text
        for flavour, found in plans(text, "random", tiny).items():
            if not 0 < found.items < 5000:
                continue
            forms = [form for form in TEXTUAL if flavour in form.flavours]
            for turn, count in enumerate((None, Run(found, 0, 3).capacity)):
                form = forms[(number // 4 + turn) % len(forms)]
                style = STYLES[(number // 16 + turn) % 3]
                compared += same(found, count, (1, 1), form, style, 100)
                same(found, count, (2, 3), form, style, 40)
    assert compared > 200


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("form", TEXTUAL, ids=lambda form: form.name)
@pytest.mark.parametrize("name", ["tied", "swapped", "odd"])
def test_words_that_meet(name: str, form: Format, style: Style, words: Path) -> None:
    """Articles, distinctness, swapped words that can be the same, clitics, quotes: all items, and a shard."""
    text = {"tied": TIED, "swapped": SWAPPED, "odd": ODD}[name]
    for flavour, found in plans(text, name, words).items():
        if flavour in form.flavours:
            most = 20_000 if style == form.style and form.name in ("blimp", "zorro") else MOST
            assert same(found, None, (1, 1), form, style, most) or form.name == "words"
            same(found, Run(found, 0, 3).capacity, (2, 3), form, style)
            same(found, None, (5, 7), form, style)


@pytest.mark.parametrize("size", [1, 40, 1000])
def test_large_components_are_walked(size: int, words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large to list is walked: runs of last words, and short runs joined."""
    monkeypatch.setattr(bulk, "_MOST_INNER", size)
    monkeypatch.setattr(bulk, "_LEAST_INNER", min(size * 2, 256))
    monkeypatch.setattr(bulk, "_LINES", 7)
    for text, name in ((TIED, "tied"), (SWAPPED, "swapped")):
        found = plan(grammar_from_text(text, name, words))
        for form in (form for form in TEXTUAL if form.name in ("blimp", "zorro")):
            for shard in ((1, 1), (2, 5), (5, 5)):
                assert same(found, None, shard, form, form.style, 20_000)


def test_members_come_with_their_shape(words: Path) -> None:
    found = plan(grammar_from_text(TIED, "tied", words))
    form = next(form for form in TEXTUAL if form.name == "blimp")
    run = Run(found, 300, 3)
    maker = ItemMaker(found, "prose")
    made = [each for block in bulk.member_blocks(found, run, (1, 1), form, "prose", "[MASK]") for each in block]
    assert len(made) == 300
    for (text, shape, number), located in zip(made, run.shard(), strict=True):
        item = maker.item(*located)
        expected = shape_of(item)
        assert shape is not None
        assert text.split(MEMBER)[1:] == [condition.text for condition in item.conditions]
        assert (f"{shape.stem}{number}", number) == (item.id, item.number)
        for name in ("template", "crossed", "names", "acceptable", "pairs", "mask"):
            assert getattr(shape, name) == getattr(expected, name)


def test_made_files_are_the_same_looked_at_and_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "plain.grammar"
    source.write_text(PLAIN, "utf-8")
    arguments = ["make", str(source), "--format", "blimp", "--quiet"]
    looked_at = []
    monkeypatch.setattr(SelfCheck, "add_texts", lambda *_: looked_at.append(1))
    for amount in (["--all"], ["-n", "4"]):
        texts = []
        for long in (0, 10**9):
            looked_at.clear()
            monkeypatch.setattr(making, "LONG", long)
            file = tmp_path / f"{long}.jsonl"
            assert main([*arguments, *amount, "-o", str(file)]) == 0
            texts.append(file.read_bytes())
            assert bool(looked_at) == bool(long)
            manifest = json.loads(file.with_name(f"{file.name}.manifest.json").read_text("utf-8"))
            assert all(found == {"count": 0} for found in manifest["made"][0]["self_checks"].values())
        assert texts[0] == texts[1] != b""
