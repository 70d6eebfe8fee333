"""Zorro's 23 paradigms: short files, sound samples; the published pairs of 18 of them come from their grammars."""

from __future__ import annotations

import csv
import os
import random
import re
import shutil
import statistics
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from generator.cli.common import shipped_folder
from generator.item_making import items
from generator.items import Item
from generator.loading import load_grammar
from generator.planning import plan
from generator.recognizing import Recognizer

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
ZORRO = REFERENCE / "zorro"
PROGRAM_WORDS = Path(__file__).parent / "zorro_words"
"""Words that the published programs hold in their code, not in their lists: a file a slot."""

FOLDER = shipped_folder() / "en" / "zorro"
LIBRARY = shipped_folder() / "en" / "lib" / "zorro.grammar"
PATHS = {f"{path.parent.name}-{path.stem}": path for path in sorted(FOLDER.rglob("*.grammar"))}
DESCRIBED = (
    "case-subjective_pronoun",
    "ellipsis-n_bar",
    "irregular-verb",
    "island-effects-adjunct_island",
    "quantifiers-superlative",
)
"""Paradigms of which no published pairs are at hand."""

PUBLISHED = tuple(name for name in PATHS if name not in DESCRIBED)


# --- the files ------------------------------------------------------------------------------------------------------


def _statements(path: Path) -> list[str]:
    """The lines of a file without comments, empty ones left out."""
    lines = (re.sub(r"(^| )#.*", "", line).rstrip() for line in path.read_text("utf-8").splitlines())
    return [line for line in lines if line]


def _library() -> dict[str, list[str]]:
    """Name of a shared definition -> its lines."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in _statements(LIBRARY):
        begins = re.match(r"(?:slot|phrase|table) (\w+)", line)
        name = begins.group(1) if begins else name
        if name:
            found.setdefault(name, []).append(line)
    return found


def _users() -> dict[str, set[str]]:
    """Name of a shared definition -> the paradigms that use it, directly or through another."""
    library = _library()
    users: dict[str, set[str]] = {name: set() for name in library}
    for paradigm, path in PATHS.items():
        own = _statements(path)
        seen: set[str] = set()
        texts = [" ".join(line for line in own if not line.startswith(("paradigm", "phenomenon", "example", "import")))]
        while texts:
            text = texts.pop()
            for name in library:
                if name not in seen and re.search(rf"\b{name}\d*\b", text):
                    seen.add(name)
                    users[name].add(paradigm)
                    texts.append(" ".join(library[name]))
    return users


def test_there_are_23_paradigms_and_each_is_short() -> None:
    assert len(PATHS) == 23
    assert len(PUBLISHED) == 18
    users, library = _users(), _library()
    lengths = {}
    for name, path in PATHS.items():
        alone = sum(len(library[shared]) for shared, by in users.items() if by == {name})
        lengths[name] = len(_statements(path)) + alone
        assert sum(line.startswith("example ") for line in _statements(path)) >= 3, name
    assert max(lengths.values()) <= 25, lengths
    assert statistics.median(lengths.values()) <= 15, lengths


def test_the_library_holds_definitions_that_paradigms_use() -> None:
    assert not [line for line in _statements(LIBRARY) if line.startswith(("+", "*"))]
    assert not [name for name, by in _users().items() if not by]


# --- samples --------------------------------------------------------------------------------------------------------

UNEQUAL: frozenset[str] = frozenset()
"""Paradigms whose pairs are of unequal length by their nature."""


@cache
def _sample(name: str) -> tuple[Item, ...]:
    return tuple(items(plan(load_grammar(PATHS[name])), count=2000, style="tokens"))


@pytest.mark.parametrize("name", PATHS)
def test_samples_are_balanced_and_repeat_nothing(name: str) -> None:
    sample = _sample(name)
    cells = Counter((item.template, item.crossed) for item in sample)
    leaves = [
        (template.name, leaf) for template in plan(load_grammar(PATHS[name])).templates for leaf in template.leaves
    ]
    shares = [cells[template, leaf.cell] / leaf.weight for template, leaf in leaves]
    assert max(shares) - min(shares) <= 1, cells
    pairs = [(good.text, bad.text) for item in sample for _, good, bad in item.pairs]
    assert len({item.good.text for item in sample}) == len(sample)
    assert len({bad for _, bad in pairs}) == len(pairs)
    unequal = [pair for pair in pairs if len(pair[0].split()) != len(pair[1].split())]
    assert bool(unequal) == (name in UNEQUAL), unequal[:3]


# --- the published pairs --------------------------------------------------------------------------------------------

DEFECTS = {
    # In 261 pairs the starred member has another verb, in the base form behind *were*.
    "island-effects-coordinate_structure_constraint": 0.739,
    # 31 pairs with *how the the* or *how the you works*, 14 with a noun twice, 2 with *give the ... you*, 3 with
    # *me about it*.
    "local_attractor-in_question_with_aux": 0.95,
}
"""Paradigms of which fewer than 98% are recognised, and the share: the rest are published defects (docs/zorro.md)."""

TAGS = ("NN", "JJ", "VB", "VBD", "VBG", "VBZ")


def published_pairs(name: str) -> list[tuple[str, str]]:
    """(acceptable, starred) of each published pair."""
    lines = (ZORRO / "sentences" / f"{name}.txt").read_text("utf-8").splitlines()
    return list(zip(lines[1::2], lines[::2], strict=True))


def _words(folder: Path, *, with_programs: bool) -> Path:
    """A folder of the published lists, and of the programs' own words."""
    for source in (ZORRO / "legal_words", *([PROGRAM_WORDS] if with_programs else [])):
        for path in source.iterdir():
            shutil.copyfile(path, folder / path.name)
    return folder


def _recognizer(name: str, words: Path) -> Recognizer:
    return Recognizer([plan(load_grammar(PATHS[name], words), "forced")])


def _is_known(recognizer: Recognizer, good: str, bad: str) -> bool:
    sentences = [recognizer.normalizer.sentence(text) for text in (good, bad)]
    return next(recognizer.pair(*sentences), None) is not None


def recognised(name: str, *, with_programs: bool) -> int:
    """How many published pairs are recognised, the right member starred."""
    with tempfile.TemporaryDirectory() as folder:
        recognizer = _recognizer(name, _words(Path(folder), with_programs=with_programs))
    return sum(_is_known(recognizer, *pair) for pair in published_pairs(name))


@pytest.mark.reference
@pytest.mark.skipif(not ZORRO.is_dir(), reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_pairs_are_recognised(name: str) -> None:
    assert len(published_pairs(name)) == 1000
    assert recognised(name, with_programs=True) >= 1000 * DEFECTS.get(name, 0.98)


def _legal() -> dict[str, frozenset[str]]:
    """Tag -> the words that the published lists find fit."""
    found = {}
    for tag in TAGS:
        with (ZORRO / "legal_words" / f"{tag}.csv").open(encoding="utf-8", newline="") as stream:
            found[tag] = frozenset(row["word"] for row in csv.DictReader(stream) if row["is_legal"] == "1")
    return found


def _corrupted(
    rng: random.Random, good: str, bad: str, legal: dict[str, frozenset[str]], *, is_swapped: bool
) -> tuple[str, str]:
    """A pair with its members swapped, or with a word that both have replaced by one that only other tags have."""
    shared = [word for word in good.split() if word in bad.split() and any(word in words for words in legal.values())]
    if is_swapped or not shared:
        return bad, good
    word = rng.choice(shared)
    own = frozenset().union(*(words for words in legal.values() if word in words))
    other = rng.choice(sorted(frozenset().union(*legal.values()) - own))
    replaced = [" ".join(other if each == word else each for each in text.split()) for text in (good, bad)]
    return replaced[0], replaced[1]


@pytest.mark.reference
@pytest.mark.skipif(not ZORRO.is_dir(), reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")
def test_corrupted_pairs_are_refused(tmp_path: Path) -> None:
    """Of 1,000 corrupted pairs of all paradigms at most 2% are recognised."""
    rng = random.Random(5)
    legal = _legal()
    words = _words(tmp_path, with_programs=True)
    passed, tried = [], 0
    for number, name in enumerate(PUBLISHED):
        recognizer = _recognizer(name, words)
        chosen = rng.sample(published_pairs(name), 1000 // len(PUBLISHED) + (number < 1000 % len(PUBLISHED)))
        for turn, (good, bad) in enumerate(chosen):
            pair = _corrupted(rng, good, bad, legal, is_swapped=bool(turn % 2))
            tried += 1
            if _is_known(recognizer, *pair):
                passed.append((name, *pair))
    assert tried == 1000
    assert len(passed) <= 20, passed
