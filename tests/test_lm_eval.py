"""lm-eval: folders of tasks, read back, and run by the harness itself where it is installed."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import forced_plan

from generator.cli.common import shipped_folder
from generator.errors import DataError
from generator.facts import PAIR_ID
from generator.item_making import items
from generator.items import Condition, Item
from generator.loading import grammar_from_text
from generator.planning import plan
from generator.readers import detect, find_reader
from generator.readers.base import Source, member
from generator.readers.lm_eval import READER
from generator.writers.base import FormatError, Origin
from generator.writers.lm_eval import FORMAT, right_first
from scorers.cli.main import main as score

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
GRAMMARS = [path for path in sorted(shipped_folder().glob("*/*/*.grammar")) if path.parent.name != "lib"]

TINY = """\
paradigm {name}
phenomenon agreement
field syntax
language en
slot N = noun "dog" | noun "apple" | noun "pilot" | noun "cat"
slot Be = auxiliary "be" pres
+ the {{subj=N $n | *subj !$n}} {{Be $n}} {word} .
cross $n
"""


def _made(path: Path, count: int) -> list[Item]:
    return list(items(forced_plan(path), count=count, style="prose"))


def _tiny(name: str, word: str) -> list[Item]:
    return list(items(plan(grammar_from_text(TINY.format(name=name, word=word))), style="prose"))


def _write(paradigms: Iterable[tuple[str, Iterable[Item]]], folder: Path, **origin: Any) -> Path:
    for name, pieces in FORMAT.folder(paradigms, Origin(folder.name, **origin)):  # type: ignore[misc]
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


def _what_stays(item: Item) -> Item:
    """An item as far as pairs hold it: names, sentences and crossed values."""
    starred = [pair[2] for pair in item.pairs]
    alone = len(starred) == 1
    names = ["starred" if alone else f"starred_{n}" for n in range(1, len(starred) + 1)]
    conditions: list[Condition] = [member(item.good.text, True)]
    conditions += [member(c.text, False, name, n) for n, (c, name) in enumerate(zip(starred, names, strict=True), 1)]
    return dataclasses.replace(item, conditions=tuple(conditions), bindings=(), expectations={}, line=0)


def test_the_files_of_a_folder(tmp_path: Path) -> None:
    folder = _write([("one", _tiny("one", "here")), ("two", _tiny("two", "there"))], tmp_path / "my suite")
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert names == [
        "README.md",
        "_my_suite.yaml",
        "_my_suite_shuffled.yaml",
        "_shuffled_yaml",
        "_template_yaml",
        "data/one.jsonl",
        "data/two.jsonl",
        "one.yaml",
        "one_shuffled.yaml",
        "starling_pairs.py",
        "two.yaml",
        "two_shuffled.yaml",
    ]
    group = (folder / "_my_suite.yaml").read_text("utf-8")
    assert '  - "my_suite_one"\n  - "my_suite_two"\n' in group
    assert "weight_by_size: false" in group
    row = _rows(folder / "data" / "one.jsonl")[0]
    assert row["id"] == "one:1:1.1"
    assert (row["sentence_good"], row["sentence_bad"]) == ("The dog is here.", "The dogs is here.")
    assert row["crossed_n"] == "sg"


def test_the_shuffled_order_comes_from_the_id_alone(tmp_path: Path) -> None:
    made = _made(shipped_folder() / "en" / "babeval" / "agreement_across_PP.grammar", 400)
    rows = _rows(_write([("pp", made)], tmp_path / "s") / "data" / "pp.jsonl")
    for row in rows:
        assert row["choices"][row["target"]] == row["sentence_good"]
        assert row["choices"][1 - row["target"]] == row["sentence_bad"]
    again = _rows(_write([("pp", made[::-1])], tmp_path / "t") / "data" / "pp.jsonl")
    assert {row["id"]: row["target"] for row in rows} == {row["id"]: row["target"] for row in again}
    # python3 -c "import hashlib; print(hashlib.sha256(b'one:1:1.1').hexdigest()[:2])" prints a1, which is odd.
    assert not right_first("one:1:1.1")
    assert 150 < sum(row["target"] for row in rows) < 250


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_shipped_grammars_read_back(path: Path, tmp_path: Path) -> None:
    made = _made(path, 25)
    found = _read(_write([("a", made)], tmp_path / "suite"))
    if not made[0].conditions[0].levels:
        assert [dataclasses.replace(item, line=0) for item in found] == [_what_stays(item) for item in made]
    pairs = [(name, good.text, bad.text) for item in made for name, good, bad in item.pairs]
    assert [(good.text, bad.text) for item in found for _, good, bad in item.pairs] == [pair[1:] for pair in pairs]


def test_a_data_file_alone_is_read(tmp_path: Path) -> None:
    folder = _write([("one", _tiny("one", "here"))], tmp_path / "suite")
    assert [_what_stays(item) for item in _read(folder / "data" / "one.jsonl")] == [
        _what_stays(item) for item in _tiny("one", "here")
    ]


@pytest.mark.reference
@pytest.mark.skipif(not REFERENCE.is_dir(), reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")
@pytest.mark.parametrize("name", ["passive_1", "tough_vs_raising_1"])
def test_published_pairs_become_a_task_and_come_back(name: str, tmp_path: Path) -> None:
    """500 pairs a file (wc -l); BLiMP's own ids come back, its flags are computed anew by the writer of that format."""
    path = REFERENCE / "blimp" / f"{name}.jsonl"
    published = list(find_reader("blimp").read(Source(path.name, path)))
    source = Source("suite", _write([(name, published)], tmp_path / "suite"))
    found = list(READER.read(source))
    source.findings.require_none()
    assert len(found) == 500
    assert [(i.id, i.extra[PAIR_ID], i.phenomenon, i.field) for i in found] == [
        (i.id, i.extra[PAIR_ID], i.phenomenon, i.field) for i in published
    ]
    assert [[c.text for c in item.conditions] for item in found] == [[c.text for c in i.conditions] for i in published]


_words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)
_sentences = st.lists(_words, min_size=1, max_size=5).map(" ".join).filter(lambda text: not text.endswith("<eos>"))


@given(
    st.lists(st.tuples(_sentences, _sentences, st.dictionaries(st.sampled_from("abc"), _words)), min_size=1, max_size=5)
)
def test_any_sentences_read_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[Any]) -> None:
    made = [
        Item(
            f"p:t:{n}",
            "p",
            "t",
            n,
            (member(good, True), member(bad, False, rank=1)),
            crossed=tuple(sorted(crossed.items())),
        )
        for n, (good, bad, crossed) in enumerate(pairs, start=1)
    ]
    source = Source("s", _write([("p", made)], tmp_path_factory.mktemp("suite")))
    found = [dataclasses.replace(item, line=0) for item in READER.read(source)]
    source.findings.require_none()
    assert [dataclasses.replace(i, crossed=tuple(sorted(i.crossed))) for i in found] == made


def test_items_that_are_no_pairs_are_refused(tmp_path: Path) -> None:
    alone = Item("p:t:1", "p", "t", 1, (member("a b", True),))
    with pytest.raises(FormatError, match="no starred member"):
        _write([("p", [alone])], tmp_path / "s")
    with pytest.raises(FormatError, match=r"p: .*without items"):
        _write([("p", [])], tmp_path / "s")
    with pytest.raises(FormatError, match="without tasks"):
        _write([], tmp_path / "s")
    with pytest.raises(FormatError, match=r"a_shuffled: .*another task of that name"):
        _write([("a", _tiny("a", "x")), ("a_shuffled", _tiny("b", "x"))], tmp_path / "s")


def test_malformed_rows_are_reported_together(tmp_path: Path) -> None:
    folder = _write([("one", _tiny("one", "here"))], tmp_path / "suite")
    path = folder / "data" / "one.jsonl"
    lines = path.read_text("utf-8").splitlines()
    lines[1] = lines[1][:-5]
    lines[2] = json.dumps({**json.loads(lines[2]), "sentence_bad": 3})
    lines[3] = json.dumps({**json.loads(lines[3]), "template": ["x"]})
    path.write_text("\n".join(lines) + "\n", "utf-8")
    source = Source("suite", folder)
    assert len(list(READER.read(source))) == len(lines) - 3
    with pytest.raises(DataError) as caught:
        source.findings.require_none()
    message = str(caught.value)
    assert "suite/data/one.jsonl:2: not JSON" in message
    assert "suite/data/one.jsonl:3: 'sentence_bad': found 3, expected a sentence" in message
    assert "suite/data/one.jsonl:4: 'template': found ['x'], expected a text" in message


# --- the harness itself -----------------------------------------------------------------------------------------

BUILD = """\
import sys
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
words = Tokenizer(models.BPE())
words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
alphabet = pre_tokenizers.ByteLevel.alphabet()
words.train_from_iterator([], trainers.BpeTrainer(vocab_size=300, special_tokens=["<eos>"], initial_alphabet=alphabet))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<eos>", bos_token="<eos>", pad_token="<eos>")
torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), n_positions=128, n_embd=32, n_layer=2, n_head=2))
model.save_pretrained(sys.argv[1])
tokenizer.save_pretrained(sys.argv[1])
"""

RUN = """\
import json, sys
import lm_eval
from lm_eval.tasks import TaskManager
manager = TaskManager(include_path=sys.argv[2], include_defaults=False)
found = lm_eval.simple_evaluate(
    model="hf", model_args=f"pretrained={sys.argv[1]},dtype=float32", tasks=["suite", "suite_shuffled"],
    task_manager=manager, device="cpu", batch_size=4,
)
samples = {
    task: {row["doc"]["id"]: [row["acc"], [float(pair[0]) for pair in row["filtered_resps"]]] for row in rows}
    for task, rows in found["samples"].items()
}
means = {name: values.get("acc,none") for name, values in {**found["results"], **found["groups"]}.items()}
json.dump({"samples": samples, "means": means}, open(sys.argv[3], "w"))
"""


@pytest.mark.external
@pytest.mark.skipif(importlib.util.find_spec("lm_eval") is None, reason="lm_eval is not installed")
def test_the_harness_runs_the_tasks(tmp_path: Path) -> None:
    """Run with lm-eval 0.4.13, datasets 5.2.0, transformers 5.23.0: the two orders agree on every pair."""
    made = {
        "passive": _made(shipped_folder() / "en" / "blimp" / "passive_1.grammar", 40),
        "pp": _made(shipped_folder() / "en" / "babeval" / "agreement_across_PP.grammar", 60),
    }
    folder = _write(made.items(), tmp_path / "suite")
    model, report, elsewhere = tmp_path / "model", tmp_path / "report.json", tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(tmp_path / "cache")}
    for script, arguments in ((BUILD, [model]), (RUN, [model, folder, report])):
        subprocess.run(
            [sys.executable, "-c", script, *map(str, arguments)],
            cwd=elsewhere,
            env=environment,
            check=True,
            timeout=500,
        )
    found = json.loads(report.read_text("utf-8"))
    for task, whole in made.items():
        plain, shuffled = found["samples"][f"suite_{task}"], found["samples"][f"suite_{task}_shuffled"]
        assert set(plain) == set(shuffled) == {name for item in whole for name, _, _ in item.pairs}
        untied = [name for name, (_, scores) in plain.items() if scores[0] != scores[1]]
        assert len(untied) > 0.9 * len(plain)
        assert [plain[name][0] for name in untied] == [shuffled[name][0] for name in untied]
        assert found["means"][f"suite_{task}"] == pytest.approx(sum(acc for acc, _ in plain.values()) / len(plain))
        # And so does `score model` on the same folder: the sums of log-probabilities, to what single precision leaves.
        own = _own_scores(folder, task, model)
        assert set(own) == set(plain)
        for name, (_, scores) in plain.items():
            assert own[name] == pytest.approx(scores, abs=1e-3)
    means = [found["means"][f"suite_{task}"] for task in made]
    assert found["means"]["suite"] == pytest.approx(sum(means) / 2)


def _own_scores(folder: Path, task: str, model: Path) -> dict[str, list[float]]:
    """The log-probabilities of the acceptable and the starred member of each pair of a task, by `score model`."""
    data, predictions = folder / "data" / f"{task}.jsonl", folder.parent / f"{task}.own.jsonl"
    assert score(["model", str(data), "--model", f"causal:{model}", "-o", str(predictions)]) == 0
    values = {row["text"]: row["log_probability_nats"] for row in _records(predictions)}
    return {row["id"]: [values[row["sentence_good"]], values[row["sentence_bad"]]] for row in _records(data)}


def _records(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
