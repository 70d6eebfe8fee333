"""Thirty to sixty pairs of each shipped paradigm were read one by one as a native speaker would: the verdicts.

A reader saw the two sentences in random order, without the grammar, and said which one a speaker would star.  A change
of grammars or word lists that moves an item fails here and asks for a new reading.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from shipped import forced_plan

from generator.cli.common import shipped_grammars
from generator.item_making import ItemMaker
from generator.recognizing import Recognizer

READINGS = Path(__file__).parent / "readings"


@pytest.mark.parametrize("path", shipped_grammars(), ids=lambda p: p.stem)
def test_read_pairs_are_what_is_generated(path: Path) -> None:
    found = forced_plan(path)
    maker = ItemMaker(found, "prose")
    templates = {template.name: template for template in found.templates}
    with (READINGS / f"{found.grammar.paradigm}.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    clean = [row for row in rows if row["verdict"] == "clean"]
    assert len(clean) >= 30
    assert len({row["id"] for row in clean}) == len(clean)
    recognizer = Recognizer([found])
    for row in rows:
        if row["verdict"] != "clean":  # found at fault, and mended since
            pair = [recognizer.normalizer.sentence(row[side]) for side in ("acceptable", "starred")]
            assert row["id"] == "mended"
            assert next(recognizer.pair(*pair), None) is None, row["comment"]
            continue
        _, template, number = row["id"].split(":")
        index = int(number.split(".")[0]) - 1
        leaf, place = templates[template].locate(index)
        # With `one star` the seed says which starred version an item shows: the pair read is one of them.
        every = range(-1, len(leaf.stratum.versions))
        item = maker.item_of(templates[template], index, leaf, leaf.words(place), every)
        pairs = {(good.text, bad.text): pair_id for pair_id, good, bad in item.pairs}
        assert (row["acceptable"], row["starred"]) in pairs
        if not leaf.scope.has_option("one star"):
            assert pairs[row["acceptable"], row["starred"]] == row["id"]
