"""The published files, read: counts agree with what independent lines of code find in them."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from pathlib import Path

import pytest

from scorers.errors import Findings
from scorers.items import Item
from scorers.predictions import FillPrediction, PredictionFile, SentencePrediction
from scorers.readers import Source, detect_items, detect_predictions
from scorers.readers.files import iter_predictions, read_items, read_predictions

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(not REFERENCE.is_dir(), reason=f"no published material in {REFERENCE} (REFERENCE_DATA)"),
]


def _texts(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").split("\n") if line]


def _scores(file: PredictionFile) -> list[tuple[str, float]]:
    return [(row.text, row.value) for row in file.predictions if isinstance(row, SentencePrediction)]


def _by_file(items: list[Item]) -> Counter[str]:
    return Counter(Path(item.file).name for item in items)


def test_zorro() -> None:
    folder = REFERENCE / "zorro" / "sentences"
    findings = Findings()
    items = read_items([folder], findings=findings)
    assert not list(findings)
    lines = {path.name: _texts(path) for path in sorted(folder.iterdir())}
    assert len(lines) == 18
    assert _by_file(items) == {name: len(texts) // 2 for name, texts in lines.items()}
    assert sum(len(item.pairs) for item in items) == len(items)
    for item in items:
        texts = lines[Path(item.file).name]
        ((good, bad),) = item.sentences()
        assert (bad.text, good.text) == (texts[item.line - 1], texts[item.line])
    assert {item.phenomenon for item in items} == {name.rpartition("-")[0] for name in lines}


def test_zorro_predictions() -> None:
    files = read_predictions([REFERENCE / "zorro" / "predictions" / "roberta-base"])
    assert {file.model for file in files} == {"roberta-base"}
    assert len(files) == 18
    for file in files:
        assert _scores(file) == [(t.rsplit(" ", 1)[0], float(t.rsplit(" ", 1)[1])) for t in _texts(Path(file.name))]
        assert [text for text, _ in _scores(file)] == _texts(REFERENCE / "zorro" / "sentences" / Path(file.name).name)
    streamed = list(iter_predictions([REFERENCE / "zorro" / "predictions"]))
    assert {(model, unit.quantity) for model, unit, _ in streamed} == {("roberta-base", "cross_entropy")}
    assert tuple(row for _, _, row in streamed)[-1] == files[-1].predictions[-1]
    assert len(streamed) == sum(len(file.predictions) for file in files) == 36_000


def test_babeval() -> None:
    forced, opened = REFERENCE / "babeval" / "forced_choice", REFERENCE / "babeval" / "open_ended"
    items = read_items([forced])
    assert _by_file(items) == {path.name: len(_texts(path)) // 2 for path in forced.iterdir()}
    assert not any(item.pairs for item in items)
    masked = read_items([opened])
    assert _by_file(masked) == {path.name: len(_texts(path)) for path in opened.iterdir()}
    assert all(item.mask is not None and item.mask.token == "<mask>" for item in masked)
    both = read_items([REFERENCE / "babeval" / "open_ended", REFERENCE / "babeval" / "forced_choice"])
    assert len(both) == len(items) + len(masked)
    assert len({item.paradigm for item in both}) == 7


def test_filled_babeval_lines(tmp_path: Path) -> None:
    path = REFERENCE / "babeval" / "open_ended" / "agreement_in_1_verb_question.txt"
    filled = [text.replace("<mask>", "is") for text in _texts(path)]
    made = tmp_path / path.name
    made.write_text("\n".join(filled) + "\n", "utf-8")
    (file,) = read_predictions([made])
    assert [row.text for row in file.predictions if isinstance(row, FillPrediction)] == filled
    # Without a number, a forced-choice file looks like filled masks too, and never like a scored one.
    reader = detect_predictions(Source(REFERENCE / "babeval" / "forced_choice" / path.name))
    assert reader is not None
    assert reader.name == "fills"


def test_blimp() -> None:
    paths = sorted((REFERENCE / "blimp").glob("*.jsonl"))
    findings = Findings()
    items = read_items(paths, findings=findings)
    records = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    assert len(paths) == 45
    assert [(item.paradigm, item.phenomenon, item.field) for item in items] == [
        (record["UID"], record["linguistics_term"], record["field"]) for record in records
    ]
    assert [(good.text, bad.text) for item in items for good, bad in item.sentences()] == [
        (record["sentence_good"].strip(), record["sentence_bad"].strip()) for record in records
    ]
    assert len({item.id for item in items}) == len(records) == 22_500
    identical = sum(record["sentence_good"] == record["sentence_bad"] for record in records)
    assert identical
    assert {warning.code for warning in findings} == {"identical"}


def test_clams() -> None:
    items = read_items([REFERENCE / "clams"])
    paths = sorted((REFERENCE / "clams").rglob("*.txt"))
    marks = Counter(line.split("\t")[0] for path in paths for line in _texts(path))
    assert len(items) == marks["True"]
    assert sum(len(item.pairs) for item in items) == marks["False"]
    assert {item.language for item in items} == {"de", "en"}


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def _with_form(row: dict[str, str]) -> str:
    words = row["sent"].removesuffix(" <eos>").split(" ")
    words[int(row["len_prefix"])] = row["form"]
    return " ".join(words)


@pytest.mark.parametrize("name", ["generated.tab", "best_model.tab"])
def test_gulordava(name: str) -> None:
    path = REFERENCE / "gulordava" / "English" / name
    findings = Findings()
    items = read_items([path], findings=findings)
    rows = _table(path)
    assert not list(findings)
    assert (len(rows), len(items)) == (820, 410)
    assert [text for item in items for text in (item.conditions[0].text, item.conditions[1].text)] == [
        _with_form(row) for row in rows
    ]
    assert [item.attribute("type") for item in items] == [row["type"] for row in rows[::2]]
    assert Counter(item.attribute("type") for item in items) == {"generated": 369, "original": 41}


def test_gulordava_predictions() -> None:
    path = REFERENCE / "gulordava" / "English" / "best_model.tab"
    (file,) = read_predictions([path])
    rows = _table(path)
    assert file.model == "hidden650_batch128_dropout0.2_lr20.0"
    assert file.unit.is_higher_better
    assert _scores(file) == [(_with_form(row), float(row[file.model])) for row in rows]
    assert detect_predictions(Source(path.with_name("generated.tab"))) is None


@pytest.mark.parametrize(("name", "count"), [("my_coord_templates", 9576), ("my_tense_templates", 17408)])
def test_sentence_focused_sets(name: str, count: int) -> None:
    path = REFERENCE / "lstm_syntax" / f"{name}.tab"
    findings = Findings()
    items = read_items([path], findings=findings)
    rows = [line.split("\t") for line in _texts(path)[1:]]
    assert not list(findings)
    assert len(items) == count
    assert [(i.template, i.conditions[0].text, i.conditions[1].text) for i in items] == [
        (pattern, good.removesuffix(" <eos>"), bad.removesuffix(" <eos>")) for pattern, good, bad in rows
    ]


def test_the_preliminary_set_and_its_results() -> None:
    path = REFERENCE / "lstm_syntax" / "preliminary_experiments.tab"
    findings = Findings()
    items = read_items([path], findings=findings)
    pairs = [(good.text, bad.text) for item in items for good, bad in item.sentences()]
    assert (len(items), len(set(pairs))) == (183, 178)
    assert [warning.message for warning in findings if warning.code == "target"] == [
        "the word at len_prefix is not form: form is put in its place (and 3 more)"
    ]
    results = path.parent / "results" / "preliminary_experiments_whole_sentences.txt"
    (file,) = read_predictions([results])
    lines = [line.split("\t") for line in _texts(results)]
    assert len(lines) == 183
    values = [value for _, value in _scores(file)]
    assert values == [float(value) for line in lines for value in line[2:4]]
    verdicts = [row.verdict for row in file.predictions if isinstance(row, SentencePrediction)]
    assert verdicts[::2] == verdicts[1::2] == [line[0] == "True" for line in lines]
    assert all(
        (good > bad) is verdict for good, bad, verdict in zip(values[::2], values[1::2], verdicts[::2], strict=True)
    )


def test_syntaxgym() -> None:
    paths = sorted((REFERENCE / "syntaxgym").glob("*.json"))
    items = read_items(paths)
    suites = {path: json.loads(path.read_text("utf-8")) for path in paths}
    assert len(suites) == 9
    assert [item.id for item in items] == [
        f"{suite['meta']['name']}:{item['item_number']}" for suite in suites.values() for item in suite["items"]
    ]
    by_id = {item.id: item for item in items}
    for suite in suites.values():
        for record in suite["items"]:
            item = by_id[f"{suite['meta']['name']}:{record['item_number']}"]
            assert list(item.expectations.values()) == [p["formula"] for p in suite["predictions"]]
            assert len(item.conditions) == len(record["conditions"])
            for condition, given in zip(item.conditions, record["conditions"], strict=True):
                contents = [" ".join(region["content"].split()) for region in given["regions"]]
                assert [condition.text[r.start : r.end] for r in condition.regions] == contents
                assert condition.text == " ".join(text for text in contents if text)
                assert [r.name for r in condition.regions] == [
                    " ".join(suite["region_meta"][r.number].split()) for r in condition.regions
                ]


def test_every_published_file_shows_its_format() -> None:
    expected = {
        "zorro/sentences": "zorro", "babeval/forced_choice": "babeval", "babeval/open_ended": "babeval",
        "clams/de": "clams", "clams/en": "clams", "syntaxgym": "syntaxgym", "gulordava/English": "original",
    }  # fmt: skip
    for folder, name in expected.items():
        for path in sorted((REFERENCE / folder).iterdir()):
            reader = detect_items(Source(path))
            assert reader is not None, path
            assert reader.name == name, path
