"""hf: data set folders, read back, and loaded by `datasets` where it is installed."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from shipped import forced_plan

from generator.cli.common import shipped_folder
from generator.errors import DataError, UsageError
from generator.item_making import items
from generator.items import Item
from generator.loading import grammar_from_text
from generator.planning import plan
from generator.readers import detect
from generator.readers.base import Source, member
from generator.readers.hf import READER
from generator.realizing import Sentence
from generator.writers.base import Format, FormatError, Origin
from generator.writers.hf import FORMAT, PARQUET

GRAMMARS = [path for path in sorted(shipped_folder().glob("*/*/*.grammar")) if path.parent.name != "lib"]
DESIGN = shipped_folder() / "en" / "blimp" / "wh_vs_that_no_gap.grammar"
HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None
FILE = "test-00000-of-00001"


def _made(path: Path, count: int) -> list[Item]:
    return list(items(forced_plan(path), count=count, style="prose"))


def _write(
    paradigms: Iterable[tuple[str, Iterable[Item]]], folder: Path, form: Format = FORMAT, origin: Origin | None = None
) -> Path:
    for name, pieces in form.folder(paradigms, origin or Origin(folder.name)):  # type: ignore[misc]
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(p.encode() if isinstance(p, str) else p for p in pieces))
    return folder


def _read(path: Path) -> list[Item]:
    source = Source(str(path), path)
    assert detect(source) is READER
    found = list(READER.read(source))
    source.findings.require_none()
    assert not source.findings.warnings
    return found


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _bare(item: Item) -> Item:
    """A design without what the columns do not hold: regions, words, expectations."""
    conditions = tuple(
        dataclasses.replace(c, sentence=Sentence(c.text, tuple(c.text.split()), ()), levels=dict(c.levels))
        for c in item.conditions
    )
    return dataclasses.replace(item, conditions=conditions, bindings=(), expectations={}, line=0)


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_shipped_grammars_read_back(path: Path, tmp_path: Path) -> None:
    made = _made(path, 25)
    found = [dataclasses.replace(item, line=0) for item in _read(_write([("a", made)], tmp_path / "set"))]
    if made[0].conditions[0].levels:
        assert found == [_bare(item) for item in made]
        return
    assert [(i.id, i.template, i.number, i.crossed, i.phenomenon, i.language) for i in found] == [
        (i.id, i.template, i.number, i.crossed, i.phenomenon, i.language) for i in made
    ]
    assert [(name, good.text, bad.text) for i in found for name, good, bad in i.pairs] == [
        (name, good.text, bad.text) for i in made for name, good, bad in i.pairs
    ]


def test_rows_have_the_same_columns_throughout(tmp_path: Path) -> None:
    text = """\
paradigm p
slot N = noun "dog" | noun "cat"
slot Be = auxiliary "be" pres
+ the {N $n} {Be $n | *Be !$n} here .
+ the {N sg} {"sleeps" | *"sleep"} .
cross $n
"""
    made = list(items(plan(grammar_from_text(text))))
    rows = _rows(_write([("p", made)], tmp_path / "set") / "data" / "p" / f"{FILE}.jsonl")
    assert len({tuple(row) for row in rows}) == 1
    assert {row["crossed_n"] for row in rows if row["template"] == "2"} == {""}
    assert {row["crossed_n"] for row in rows if row["template"] == "1"} == {"sg", "pl"}


def test_a_design_has_a_row_a_condition(tmp_path: Path) -> None:
    rows = _rows(_write([("wh", _made(DESIGN, 3))], tmp_path / "set") / "data" / "wh" / f"{FILE}.jsonl")
    assert len(rows) == 12
    assert [row["condition"] for row in rows[:4]] == ["that_full", "that_gap", "wh_full", "wh_gap"]
    assert [row["acceptable"] for row in rows[:4]] == [True, False, False, True]
    assert (rows[1]["factor_comp"], rows[1]["factor_gap"]) == ("that", "gap")


def test_what_nothing_says_stays_unsaid(tmp_path: Path) -> None:
    made = [Item("p:1", "p", "", 0, (member("a b", None, "first"), member("a c", None, "second", 1)))]
    folder = _write([("p", made)], tmp_path / "set")
    assert [row["acceptable"] for row in _rows(folder / "data" / "p" / f"{FILE}.jsonl")] == [None, None]
    assert [dataclasses.replace(item, line=0) for item in _read(folder)] == made


def test_the_card(tmp_path: Path) -> None:
    origin = Origin("my set", {"passive": "passive|all", "wh": "wh|n3"}, ("MIT", "CC-BY-4.0"))
    made = [
        ("passive", _made(GRAMMARS[0].parents[2] / "en" / "blimp" / "passive_1.grammar", 7)),
        ("wh", _made(DESIGN, 3)),
    ]
    card = (_write(made, tmp_path / "set", origin=origin) / "README.md").read_text("utf-8")
    head, body = card.removeprefix("---\n").split("\n---\n", 1)
    assert head.splitlines()[:9] == [
        "license:", "- mit", "- cc-by-4.0", "language:", '- "en"', 'pretty_name: "my set"', "size_categories:",
        "- n<1K", "task_categories:",
    ]  # fmt: skip
    assert re.findall(r'config_name: "(\w+)"', head) == ["passive", "wh"]
    assert re.findall(r'path: "(.+)"', head) == [f"data/passive/{FILE}.jsonl", f"data/wh/{FILE}.jsonl"]
    assert "| `passive` | argument_structure | 7 | 7 |" in body
    assert "| `wh` | filler_gap_dependency | 3 | 6 |" in body
    assert "passive|all\nwh|n3" in body
    assert "MIT, CC-BY-4.0" in body


@pytest.mark.parametrize(
    ("licences", "expected"),
    [((), "license: unknown"), (("MIT",), "license:\n- mit"), (("My own",), 'license: other\nlicense_name: "My own"')],
)
def test_licences_that_the_hub_does_not_know(licences: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    made = _made(DESIGN, 1)
    card = (_write([("wh", made)], tmp_path / "s", origin=Origin("s", {}, licences)) / "README.md").read_text("utf-8")
    assert card.startswith(f"---\n{expected}\n")


def test_data_of_others_are_read(tmp_path: Path) -> None:
    """The layout of BLiMP on the Hub: no folder `data`, the configuration a folder, numbers for ids."""
    folder = tmp_path / "theirs" / "passive"
    folder.mkdir(parents=True)
    (tmp_path / "theirs" / "README.md").write_text("a card\n", "utf-8")
    row = {"sentence_good": "A b.", "sentence_bad": "B a.", "UID": "passive", "linguistics_term": "voice", "pair_id": 7}
    (folder / "train-00000-of-00001.jsonl").write_text(json.dumps({**row, "own": 5}) + "\n", "utf-8")
    (item,) = _read(tmp_path / "theirs")
    assert (item.paradigm, item.phenomenon, item.id) == ("passive", "voice", "passive:7")
    assert item.extra["own"] == 5


def test_nothing_to_write_or_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="without items"):
        _write([("p", [])], tmp_path / "s")
    with pytest.raises(FormatError, match="without paradigms"):
        _write([], tmp_path / "s")
    empty = tmp_path / "empty"
    empty.mkdir()
    source = Source("empty", empty)
    assert not list(READER.read(source))
    with pytest.raises(DataError, match="no data: expected"):
        source.findings.require_none()


def test_malformed_rows_are_reported_together(tmp_path: Path) -> None:
    folder = _write([("wh", _made(DESIGN, 3))], tmp_path / "set")
    path = folder / "data" / "wh" / f"{FILE}.jsonl"
    rows = _rows(path)
    rows[1]["acceptable"] = "no"
    rows[6]["sentence"] = ""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    source = Source("set", folder)
    assert [item.id for item in READER.read(source)] == [rows[8]["id"]]
    with pytest.raises(DataError) as caught:
        source.findings.require_none()
    assert f"set/data/wh/{FILE}.jsonl:2: 'acceptable': found 'no', expected true, false or null" in str(caught.value)
    assert f"set/data/wh/{FILE}.jsonl:7: the sentence is empty" in str(caught.value)


def test_rows_of_another_kind_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a", "label": 1}\n', "utf-8")
    source = Source("x.jsonl", path)
    assert not list(READER.read(source))
    with pytest.raises(DataError, match=r"x\.jsonl:1: found the columns 'text', 'label', expected 'sentence_good'"):
        source.findings.require_none()


@pytest.mark.skipif(HAS_PYARROW, reason="pyarrow is installed")
def test_parquet_without_its_extra_names_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"pip install 'starling-gen\[hf\]'"):
        _write([("wh", _made(DESIGN, 1))], tmp_path / "set", PARQUET)
    path = tmp_path / "theirs" / "data" / "x.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PAR1")
    with pytest.raises(UsageError, match=r"theirs/data/x\.parquet: .*starling-gen\[hf\]"):
        list(READER.read(Source("theirs", tmp_path / "theirs")))


@pytest.mark.external
@pytest.mark.skipif(not HAS_PYARROW, reason="pyarrow is not installed")
def test_parquet_holds_what_json_lines_hold(tmp_path: Path) -> None:
    made = {path.stem: _made(path, 25) for path in GRAMMARS[:4]} | {"wh": _made(DESIGN, 25)}
    lines, parquet = _write(made.items(), tmp_path / "a"), _write(made.items(), tmp_path / "b", PARQUET)
    assert [dataclasses.replace(i, line=0) for i in _read(parquet)] == [
        dataclasses.replace(i, line=0) for i in _read(lines)
    ]
    broken = parquet / "data" / "wh" / f"{FILE}.parquet"
    broken.write_bytes(broken.read_bytes()[:-3])
    with pytest.raises(DataError, match=rf"data/wh/{FILE}\.parquet: no parquet file that can be read"):
        list(READER.read(Source("b", parquet)))


LOAD = """\
import json, sys
import yaml
from datasets import get_dataset_config_names, load_dataset
folder = sys.argv[1]
yaml.safe_load(open(folder + "/README.md", encoding="utf-8").read().split("---")[1])
found = {}
for name in get_dataset_config_names(folder):
    split = load_dataset(folder, name)
    assert list(split) == ["test"], split
    found[name] = split["test"].to_list()
json.dump(found, open(sys.argv[2], "w"))
"""


@pytest.mark.external
@pytest.mark.skipif(importlib.util.find_spec("datasets") is None, reason="datasets is not installed")
@pytest.mark.parametrize("form", [FORMAT, PARQUET], ids=lambda form: form.name)
def test_datasets_loads_every_configuration(form: Format, tmp_path: Path) -> None:
    """Run with datasets 5.2.0 and pyarrow 26.0.1."""
    made = {path.stem: _made(path, 15) for path in [*GRAMMARS[::8], DESIGN]}
    plain = _write(made.items(), tmp_path / "plain")
    folder = plain if form is FORMAT else _write(made.items(), tmp_path / "set", form)
    report = tmp_path / "report.json"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", LOAD, str(folder), str(report)]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=500)
    found = json.loads(report.read_text("utf-8"))
    assert list(found) == list(made)
    for name, rows in found.items():
        assert rows == _rows(plain / "data" / name / f"{FILE}.jsonl")
