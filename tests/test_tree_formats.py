"""Penn bracketing and CoNLL-U as formats: written by `gen make`, read back, converted where that can be."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_published import REFERENCE, needs_reference

from generator.cli.main import main
from generator.identifying import Identifier
from generator.items import Item
from generator.loading import load_grammar
from generator.readers import detect, find_reader
from generator.readers.base import Source

ROOT = Path(__file__).parents[1]
RC = ROOT / "grammars" / "en" / "babeval" / "agreement_across_RC.grammar"


def _read(path: Path) -> list[Item]:
    source = Source(str(path), path)
    reader = detect(source)
    assert reader is not None
    assert reader.name == {".mrg": "penn", ".conllu": "conllu"}[path.suffix]
    found = list(reader.read(source))
    source.findings.require_none()
    return found


@pytest.mark.parametrize("suffix", [".mrg", ".conllu"])
@pytest.mark.parametrize("name", ["en/blimp/wh_island", "en/tense", "de/agreement/case_after_preposition"])
def test_trees_come_back(name: str, suffix: str, tmp_path: Path) -> None:
    form = {".mrg": "penn", ".conllu": "conllu"}[suffix]
    trees, sentences = tmp_path / f"x{suffix}", tmp_path / "x.jsonl"
    style = {"penn": "ptb", "conllu": "prose"}[form]
    assert main(["make", name, "-n", "20", "--format", form, "-o", str(trees), "--quiet"]) == 0
    assert main(["make", name, "-n", "20", "--style", style, "-o", str(sentences), "--quiet"]) == 0
    made = list(find_reader("items").read(Source(str(sentences), sentences)))
    read = _read(trees)
    ours = [condition.text for item in made for condition in item.conditions]
    assert [condition.text for item in read for condition in item.conditions] == ours
    if form == "conllu":
        assert [(i.id, i.number, [(c.name, c.acceptable) for c in i.conditions]) for i in read] == [
            (i.id, i.number, [(c.name, c.acceptable) for c in i.conditions]) for i in made
        ]
    again = tmp_path / f"again{suffix}"
    assert main(["convert", str(trees), str(again), "--to", form, "--quiet"]) == 0
    assert again.read_bytes() == trees.read_bytes()


@pytest.mark.parametrize(("suffix", "other", "lacking"), [(".mrg", "conllu", "has none"), (".conllu", "penn", "only")])
def test_what_a_file_lacks_is_not_made_up(
    suffix: str, other: str, lacking: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trees = tmp_path / f"x{suffix}"
    form = {".mrg": "penn", ".conllu": "conllu"}[suffix]
    assert main(["make", str(RC), "-n", "2", "--format", form, "-o", str(trees), "--quiet"]) == 0
    assert main(["convert", str(trees), str(tmp_path / "y"), "--to", other]) == 3
    assert lacking in capsys.readouterr().err


def test_trees_are_recognised(tmp_path: Path) -> None:
    trees = tmp_path / "x.mrg"
    assert main(["make", str(RC), "-n", "10", "--format", "penn", "-o", str(trees), "--quiet"]) == 0
    identifier = Identifier([load_grammar(RC)])
    found = [identifier.identify(item) for item in _read(trees)]
    assert [bool(each.recognitions) for each in found] == [True] * 20


@pytest.mark.parametrize("name", ["en_ewt-ud-dev", "cs_cac-ud-dev", "cs_fictree-ud-dev"])
@needs_reference[0]
@needs_reference[1]
def test_published_treebanks_are_read(name: str) -> None:
    path = REFERENCE / "ud" / f"{name}.conllu"
    read = _read(path)
    # grep -c '^# sent_id' FILE
    assert len(read) == path.read_text("utf-8").count("# sent_id")
    texts = [line[9:] for line in path.read_text("utf-8").split("\n") if line.startswith("# text = ")]
    assert [item.conditions[0].text for item in read] == [text.strip() for text in texts]
