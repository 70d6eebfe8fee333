"""What `gen make` writes is what `score` reads: the two packages meet at files only, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from generator import facts
from generator.cli.main import main as gen
from generator.writers import FORMATS
from scorers.cli.main import main as score
from scorers.errors import Findings, InputError, UsageError
from scorers.items import Item
from scorers.readers import ITEM_READERS
from scorers.readers.files import read_items

PAIRED = [form.name for form in FORMATS if facts.GOOD in form.holds]

DESIGN = """\
slot Head = noun "author" | noun "pilot" | noun "surgeon" | noun "farmer"
slot Be   = auxiliary "be" past
factor match  = match | *mismatch
factor number = sing $n sg | plural $n pl
+ the {Head $n} [verb: {match: match Be $n | mismatch Be !$n}] good .
"""
SEVERAL = """\
slot Head = noun "author" | noun "pilot" | noun "surgeon" | noun "farmer"
+ the {Head $n} {auxiliary "be" pres $n | *auxiliary "be" pres !$n | *"be"} here .
cross $n
"""


def _make(grammar: str, form: str, folder: Path, count: str = "20") -> Path:
    """The folder in which the items of a grammar are, their words parted by spaces where the format leaves a choice."""
    out = folder / f"as-{form}"
    style = [] if form == "conllu" else ["--style", "tokens"]
    assert gen(["make", grammar, "-n", count, "--format", form, "-o", f"{out}/", "--quiet", *style]) == 0
    return out


def _own_texts(folder: Path) -> list[str]:
    """The sentences of items in our own format, by code that knows no reader."""
    (path,) = folder.glob("*.jsonl")
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [condition["text"] for record in records for condition in record["conditions"]]


def _row(text: str) -> dict[str, str]:
    return next(csv.DictReader(io.StringIO(text)))


def test_formats_of_pairs_are_all_but_those_that_say_nothing_of_acceptability() -> None:
    assert set(PAIRED) == {form.name for form in FORMATS} - {"babeval", "penn"}
    assert set(PAIRED) <= ITEM_READERS.keys()


@pytest.mark.parametrize("form", [name for name in PAIRED if name != "items"])
def test_every_format_of_pairs_scores_the_same(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if form == "hf-parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    own, other = _make("agreement_across_PP", "items", tmp_path), _make("agreement_across_PP", form, tmp_path)
    # A length predictor: what is shorter is better.  CoNLL-U comes in prose, where a space is gone before the stop.
    rows = [{"text": text, "log_probability": -len(text)} for text in _own_texts(own)]
    if form == "conllu":
        rows = [{**row, "text": f"{row['text'][:1].upper()}{row['text'][1:-2]}."} for row in rows]
    (tmp_path / "length.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ours = [{"text": text, "log_probability": -len(text)} for text in _own_texts(own)]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ours))
    capsys.readouterr()
    assert score(["predictions", str(own), "own.jsonl", "--csv"]) == 0
    expected = _row(capsys.readouterr().out)
    assert score(["predictions", str(other), "length.jsonl", "--csv"]) == 0
    found = _row(capsys.readouterr().out)
    names = ("items", "right", "accuracy", "low", "high", "ties", "unequal", "sum_accuracy")
    assert {name: found[name] for name in names} == {name: expected[name] for name in names}
    assert found["items"] == "20"
    assert 0 < float(found["right"]) < 20


def _facts(items: list[Item], *names: str) -> list[Any]:
    return [[getattr(item, name) for name in names] for item in items]


@pytest.mark.parametrize("form", ["blimp", "tsv", "lm-eval", "hf", "hf-parquet"])
def test_items_of_several_pairs_are_one_item_again(form: str, tmp_path: Path) -> None:
    if form == "hf-parquet":
        pytest.importorskip("pyarrow")
    grammar = tmp_path / "several.grammar"
    grammar.write_text(SEVERAL)
    own, other = (read_items([_make(str(grammar), name, tmp_path, "4")]) for name in ("items", form))
    assert len(other) == len(own) > 1
    same = ("id", "paradigm", "template", "phenomenon", "field")
    assert _facts(other, *same) == _facts(own, *same)
    assert [[pair[1].text for pair in item.sentences()] for item in other] == [
        [pair[1].text for pair in item.sentences()] for item in own
    ]
    assert max(len(item.pairs) for item in own) > 1
    assert [item.attribute("n") for item in other] == [item.attribute("n") for item in own]


@pytest.mark.parametrize("form", ["hf", "hf-parquet"])
def test_designs_keep_their_levels(form: str, tmp_path: Path) -> None:
    if form == "hf-parquet":
        pytest.importorskip("pyarrow")
    grammar = tmp_path / "design.grammar"
    grammar.write_text(DESIGN)
    own, other = (read_items([_make(str(grammar), name, tmp_path, "4")]) for name in ("items", form))
    assert [
        [(c.name, c.text, c.acceptable, dict(c.levels)) for c in item.conditions] for item in other
    ] == [[(c.name, c.text, c.acceptable, dict(c.levels)) for c in item.conditions] for item in own]  # fmt: skip
    assert _facts(other, "id", "pairs") == _facts(own, "id", "pairs")
    assert len(own[0].pairs) == 2


# --- malformed rows -------------------------------------------------------------------------------------------------

TSV = "id\tparadigm\tphenomenon\tfield\ttemplate\tpair\tcrossed\tsentence_good\tsentence_bad\n"
ROW: dict[str, Any] = {"id": "p:1:1.1", "paradigm": "p", "sentence_good": "a b", "sentence_bad": "a c"}
CONDITION: dict[str, Any] = {"id": "p:1:1", "paradigm": "p", "condition": "x", "acceptable": True, "sentence": "a"}


def _errors(path: Path) -> list[str]:
    with pytest.raises(InputError) as raised:
        read_items([path])
    return [f"{finding.line}: {finding.message}" for finding in raised.value.findings]


def test_a_table_with_rows_that_are_no_pairs(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    path.write_text(f"{TSV}\tp\t\t\t1\t1\t\ta b\ta c\ni\tp\t\t\t1\tx\t\ta b\ta c\ni\tp\t\t\t1\t1\tn\ta b\t\n")
    assert _errors(path) == [
        "2: the id is empty",
        "3: pair is 'x': expected a whole number from 0",
        "4: crossed is 'n': expected NAME=VALUE, several parted by '; '",
        "4: the starred sentence is empty",
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [({**ROW, "sentence_bad": 3}, "1: 'sentence_bad' is 3: expected a text"),
     ({**ROW, "id": ""}, "1: the id is empty"),
     ({**ROW, "id": 7}, "1: 'id' is 7: expected a text"),
     ({**ROW, "choices": ["a b", "x"], "target": 0},
      "1: 'choices' is ['a b', 'x']: expected the two sentences of the pair"),
     ({**ROW, "choices": ["a c", "a b"], "target": 0},
      "1: 'target' is 0: expected 1, the place of sentence_good among the choices"),
     ({**CONDITION, "acceptable": "yes"}, "1: 'acceptable' is 'yes': expected true, false or null"),
     ({**CONDITION, "sentence": " "}, "1: the sentence is empty")],
)  # fmt: skip
def test_rows_of_data_sets_that_are_none(row: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(row) + "\n")
    assert _errors(path) == [message]


def test_two_conditions_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(2 * (json.dumps(CONDITION) + "\n"))
    assert _errors(path) == ["1: 'p:1:1' has two conditions of one name: x, x"]


def test_trees_without_what_makes_them_items(tmp_path: Path) -> None:
    word = "1\ta\ta\tDET\tDT\t_\t0\troot\t_\t_\n"
    path = tmp_path / "p.conllu"
    path.write_text(
        f"# sent_id = p:1:1.acceptable\n# text = a\n# acceptable = yes\n{word}\n"
        f"# sent_id = nodot\n# acceptable = no\n{word}\n"
        f"# sent_id = p:1:2.starred\n# text = a\n{word[:-3]}\n\n"
        "# sent_id = p:1:3.acceptable\n# acceptable = yes"
    )
    assert _errors(path) == [
        "6: sent_id is 'nodot': expected '# sent_id = ITEM.CONDITION'",
        "12: 9 tab-separated cells: expected ten, the first of them a number",
        "10: no comment 'acceptable': expected '# acceptable = yes' or no",
        "14: comments without words: the file ends",
    ]


def test_a_treebank_is_no_set_of_items(tmp_path: Path) -> None:
    path = tmp_path / "p.conllu"
    path.write_text("# sent_id = w-1\n# text = a\n1\ta\ta\tDET\tDT\t_\t0\troot\t_\t_\n")
    assert _errors(path) == ["1: looks like no format of items: '# sent_id = w-1'"]


def test_parquet_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.parquet"
    path.write_bytes(b"PAR1\0\0PAR1")
    pytest.importorskip("pyarrow")
    assert [message.split(":")[1] for message in _errors(path)] == [" no parquet file that can be read"]
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"p\.parquet: parquet needs pyarrow: pip install 'starling-gen\[hf\]'"):
        read_items([path], findings=Findings())
