"""Readers of items and of predictions: every format, how it is told, its quirks and its errors."""

from __future__ import annotations

import hashlib
import io
import json
import math
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from scorers.errors import Findings, InputError, ScoreError, UsageError
from scorers.formulas.nodes import Comparison, Measured
from scorers.formulas.syntax import parse_formula
from scorers.items import Item
from scorers.predictions import (
    FillPrediction,
    PredictionFile,
    RegionPrediction,
    SentencePrediction,
    TokenPrediction,
    Unit,
)
from scorers.readers import (
    ITEM_READERS,
    PREDICTION_READERS,
    Source,
    detect_items,
    detect_predictions,
    find_item_reader,
    find_prediction_reader,
)
from scorers.readers.fields import unit_of
from scorers.readers.files import iter_items, iter_predictions, models, read_items, read_predictions


def _write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def _jsonl(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _items(path: Path, format_name: str | None = None) -> tuple[list[Item], list[str]]:
    """The items, and the codes of the warnings with their lines."""
    findings = Findings()
    items = read_items([path], format_name, findings)
    return items, [f"{warning.line}:{warning.code}" for warning in findings.warnings]


def _read(path: Path, format_name: str | None = None, **given: Any) -> tuple[PredictionFile, list[str]]:
    findings = Findings()
    files = read_predictions([path], format_name, findings, **given)
    assert len(files) == 1
    return files[0], [f"{warning.line}:{warning.code}" for warning in findings.warnings]


def _errors(path: Path, what: str = "items", format_name: str | None = None) -> list[str]:
    """The codes of all errors with their lines; each names the file."""
    with pytest.raises(InputError) as raised:
        (read_items if what == "items" else read_predictions)([path], format_name)
    findings = raised.value.findings
    assert all(finding.file == str(path) for finding in findings)
    return [f"{finding.line}:{finding.code}" for finding in findings]


def _texts(items: list[Item]) -> list[tuple[str, str]]:
    return [(good.text, bad.text) for item in items for good, bad in item.sentences()]


# --- sources --------------------------------------------------------------------------------------------------------


def test_byte_order_mark_and_line_ends_of_windows(tmp_path: Path) -> None:
    raw = b"\xef\xbb\xbfthe dogs is here .\r\nthe dog is here .\r\n"
    path = _write(tmp_path, "zorro/agreement-here.txt", raw)
    items, warnings = _items(path)
    assert _texts(items) == [("the dog is here .", "the dogs is here .")]
    assert not warnings
    assert Source(path).digest == hashlib.sha256(raw).hexdigest()


def test_bytes_that_are_no_utf_8_are_reported_with_each_line(tmp_path: Path) -> None:
    path = _write(tmp_path, "zorro/a-b.txt", "a Käse is here .\na Käse are here .\n".encode("latin-1"))
    assert _errors(path) == ["1:encoding", "2:encoding"]


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a b 0.5\na c 1.5\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    (found,) = read_predictions(["-"])
    assert (found.name, found.model, len(found.predictions)) == ("<stdin>", "input", 2)
    assert found.digest == hashlib.sha256(text.encode()).hexdigest()
    with pytest.raises(UsageError, match="once"):
        read_items(["-", "-"])


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(ScoreError, match=r"nowhere\.txt: there is no such file"):
        read_items(["nowhere.txt"])


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(ScoreError, match="cannot be read: file name too long"):
        read_items(["x" * 300])
    with pytest.raises(ScoreError, match=r"'a\\x00b': there is no such file"):
        read_items(["a\0b"])
    with pytest.raises(ScoreError, match=r"test_score_readers\.py/x: cannot be read: not a directory"):
        read_items([f"{__file__}/x"])


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names")
def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    import os

    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", f"printf 'a b 0.5\\na c 1.5\\n' > {pipe}"]):
        (found,) = read_predictions([pipe])
    assert [row.value for row in found.predictions if isinstance(row, SentencePrediction)] == [0.5, 1.5]
    assert found.digest == hashlib.sha256(b"a b 0.5\na c 1.5\n").hexdigest()


# --- names and detection --------------------------------------------------------------------------------------------


def test_a_wrong_name_gives_the_nearest_right_one() -> None:
    with pytest.raises(UsageError, match="no format of items called 'blmp'; did you mean 'blimp'"):
        find_item_reader("blmp")
    with pytest.raises(UsageError, match="'lm_eval'; did you mean 'lm-eval'"):
        find_prediction_reader("lm_eval")
    with pytest.raises(UsageError, match="there are items, lm-eval, hf"):
        find_item_reader("xyzzy")


ORIGINAL_HEADER = (
    "pattern\tconstr_id\tsent_id\tcorrect_number\tform\tclass\ttype\tprefix\tn_attr\tpunct\tfreq\tlen_context\t"
    "len_prefix\tsent"
)
ITEM_TEXTS = {
    "items": ("x.jsonl", _jsonl({"id": "p:1:1", "conditions": [{"name": "a", "acceptable": True, "text": "b"}]})),
    "blimp": ("x.jsonl", _jsonl({"sentence_good": "a b", "sentence_bad": "a c", "UID": "u", "pairID": "0"})),
    "lm-eval": (
        "x.jsonl",
        _jsonl({"id": "i", "sentence_good": "a", "sentence_bad": "b", "choices": [], "target": 0}),
    ),
    "hf": (
        "x.jsonl",
        _jsonl({"id": "i", "paradigm": "p", "condition": "c", "acceptable": None, "sentence": "a"}),
    ),
    "hf-parquet": ("x.parquet", b"PAR1\x15\x04\x15\x00"),
    "tsv": ("x.tsv", "id\tparadigm\tphenomenon\tfield\ttemplate\tpair\tcrossed\tsentence_good\tsentence_bad\n"),
    "conllu": ("x.conllu", "# sent_id = p:1:1.acceptable\n# acceptable = yes\n1\ta\ta\tDET\tDT\t_\t0\troot\t_\t_\n"),
    "syntaxgym": ("x.json", '{\n"meta": {"name": "m"},\n"region_meta": {"1": "a"}, "items": []}'),
    "original": ("x.tab", ORIGINAL_HEADER + "\n"),
    "sentences": ("x.tab", "pattern\tsent\tsent_alt\n"),
    "words": ("x.tab", "pattern\tform\tform_alt\tlen_prefix\tsent\n"),
    "clams": ("x.txt", "True\ta b\nFalse\ta c\n"),
    "babeval": ("forced_choice/x.txt", "a b\na c\n"),
    "zorro": ("phenomenon-paradigm.txt", "the dogs is here .\nthe dog is here .\n"),
}
PREDICTION_TEXTS = {
    "lm-eval": ("samples_x.jsonl", _jsonl({"doc": {"id": "1"}, "filtered_resps": [], "arguments": {}})),
    "jsonl-regions": ("x.jsonl", _jsonl({"item": 1, "condition": "a", "regions": {"v": 1.0}})),
    "jsonl-tokens": ("x.jsonl", _jsonl({"id": "1", "tokens": ["a"], "surprisals": [1.0]})),
    "jsonl": ("x.jsonl", _jsonl({"id": "1", "condition": "a", "log_probability": -1.0})),
    "model-columns": ("x.tab", ORIGINAL_HEADER + "\tlstm\n"),
    "tsv-regions": ("x.tsv", "item\tcondition\tregion\tsurprisal\n1\ta\tv\t2\n"),
    "tsv-tokens": ("x.tsv", "sentence_id\ttoken\tsurprisal\n1\ta\t2\n"),
    "tsv": ("x.tsv", "id\tcondition\tscore\n1\ta\t2\n"),
    "lstm-results": ("x.txt", "True\tp\t-1.0\t-2.0\ta b <eos>\ta c <eos>\n"),
    "lines": ("x.txt", "a b . 0.5\na c . 1.25\n"),
    "fills": ("x.txt", "look at this dog .\nlook at this the .\n"),
}


def test_every_format_has_its_case() -> None:
    assert ITEM_TEXTS.keys() == ITEM_READERS.keys()
    assert PREDICTION_TEXTS.keys() == PREDICTION_READERS.keys()
    assert all(reader.about for reader in (*ITEM_READERS.values(), *PREDICTION_READERS.values()))


@pytest.mark.parametrize("name", ITEM_TEXTS)
def test_items_show_their_format(name: str, tmp_path: Path) -> None:
    reader = detect_items(Source(_write(tmp_path, *ITEM_TEXTS[name])))
    assert reader is not None
    assert reader.name == name


@pytest.mark.parametrize("name", PREDICTION_TEXTS)
def test_predictions_show_their_format(name: str, tmp_path: Path) -> None:
    reader = detect_predictions(Source(_write(tmp_path, *PREDICTION_TEXTS[name])))
    assert reader is not None
    assert reader.name == name


def test_content_speaks_before_the_name(tmp_path: Path) -> None:
    masked = _write(tmp_path, "zorro/agreement-x.txt", "the dog <mask> here .\nthe dogs <mask> here .\n")
    reader = detect_items(Source(masked))
    assert reader is not None
    assert reader.name == "babeval"
    scored = _write(tmp_path, "forced_choice/x.txt", "a b . 0.5\na c . 1.25\n")
    assert detect_items(Source(scored)) is None
    years = _write(tmp_path, "forced_choice/y.txt", "he was born in 1984\nhe were born in 1984\n")
    assert detect_items(Source(years)) is ITEM_READERS["babeval"]


def test_what_is_no_format_is_said_with_those_that_there_are(tmp_path: Path) -> None:
    path = _write(tmp_path, "x.csv", "a,b\n1,2\n")
    with pytest.raises(InputError, match=r"x\.csv:1: looks like no format of items: 'a,b'") as raised:
        read_items([path])
    assert "name its format: items, lm-eval, hf" in str(raised.value)
    with pytest.raises(InputError, match="looks like 'lines', a format of predictions, and of no items"):
        read_items([_write(tmp_path, "p.txt", "a b . 0.5\na c . 1.25\n")])
    assert _errors(_write(tmp_path, "empty.txt", "")) == ["0:empty"]
    assert _errors(_write(tmp_path, "empty2.txt", ""), "predictions") == ["0:empty"]
    assert _errors(_write(tmp_path, "header.tab", "pattern\tsent\tsent_alt\n")) == ["0:empty"]


# --- items: Starling's own ------------------------------------------------------------------------------------------


def _own(**changes: Any) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": "pets:statement:25", "paradigm": "pets", "phenomenon": "agreement", "field": "syntax", "language": "en",
        "flavour": "forced", "template": "statement", "number": 25, "crossed": {"n": "sg"},
        "conditions": [
            {
                "name": "acceptable", "acceptable": True, "text": "the parrot is angry .", "tokens": [],
                "regions": [
                    {"name": "Mood", "start": 14, "end": 19},
                    {"name": "pet", "start": 4, "end": 10, "contrast": True},
                ],
            },
            {"name": "starred_1", "acceptable": False, "text": "the parrots is angry .", "tokens": [], "regions": []},
            {"name": "starred_2", "acceptable": False, "text": "the parrot are angry .", "tokens": [], "regions": []},
        ],
        "bindings": [
            {"slot": "Mood", "category": "adjective", "lemma": "angry", "form": "angry", "features": {}},
            {"slot": "pet", "category": "noun", "lemma": "parrot", "form": "parrot", "features": {}},
            {"slot": "Mood", "category": "adjective", "lemma": "sad", "form": "sad", "features": {}},
        ],
        "extra": {"source": "made", "other_analyses": ["x"]},
    }  # fmt: skip
    return {**record, **changes}


def test_items_of_our_own(tmp_path: Path) -> None:
    (item,), warnings = _items(_write(tmp_path, "pets.jsonl", _jsonl(_own())))
    assert not warnings
    assert (item.id, item.paradigm, item.template, item.phenomenon) == (
        "pets:statement:25",
        "pets",
        "statement",
        "agreement",
    )
    assert (item.field, item.language, item.line) == ("syntax", "en", 1)
    assert _texts([item]) == [
        ("the parrot is angry .", "the parrots is angry ."),
        ("the parrot is angry .", "the parrot are angry ."),
    ]
    assert item.attributes == {
        "flavour": "forced", "source": "made", "n": "sg",
        "slot:Mood": "angry", "slot:pet": "parrot", "slot:Mood.2": "sad",
    }  # fmt: skip
    assert item.cluster == "parrot"  # the contrasted slot, not the first
    region = item.conditions[0].regions[1]
    assert (region.name, region.start, region.end, region.is_contrast) == ("pet", 4, 10, True)


def _made(name: str, folder: Path) -> list[Item]:
    made = [sys.executable, "-m", "generator", "make", name, "-n", "40", "--seed", "1", "-o", str(folder / "x.jsonl")]
    subprocess.run([*made, "--quiet"], check=True, cwd=Path(__file__).parents[1])
    return read_items([folder / "x.jsonl"])


@pytest.mark.parametrize(
    ("paradigm", "slot"),
    [("agreement_across_PP", "subj"), ("wh_vs_that_no_gap", "head"), ("principle_A_domain_1", "head")],
)
def test_the_cluster_is_a_word_that_varies(paradigm: str, slot: str, tmp_path: Path) -> None:
    items = _made(paradigm, tmp_path)
    having = [item for item in items if item.attribute(f"slot:{slot}")]
    assert len(having) > 20
    assert all(item.cluster == item.attribute(f"slot:{slot}") for item in having)
    assert len({item.cluster for item in having}) > 10
    assert all(item.cluster and not item.lexemes for item in items)


def _words(number: int, *words: tuple[str, str, str]) -> dict[str, Any]:
    contrast = {"name": "Be", "start": 0, "end": 1, "contrast": True}
    bindings = [{"slot": slot, "category": category, "lemma": lemma} for slot, category, lemma in words]
    member = {"name": "acceptable", "acceptable": True, "text": f"a {number}", "regions": [contrast]}
    return {"id": f"p:1:{number}", "paradigm": "p", "conditions": [member], "bindings": bindings}


def test_an_auxiliary_that_is_contrasted_makes_no_cluster_of_all(tmp_path: Path) -> None:
    def clusters(*rows: tuple[tuple[str, str, str], ...]) -> list[str]:
        records = [_words(number, *row) for number, row in enumerate(rows)]
        return [item.cluster for item in read_items([_write(tmp_path, "p.jsonl", _jsonl(*records))])]

    det, be, dog, cat = (
        ("Det", "determiner", "the"),
        ("Be", "auxiliary", "be"),
        ("N", "noun", "dog"),
        ("N", "noun", "cat"),
    )
    assert clusters((det, be, dog), (det, be, cat)) == ["dog", "cat"]
    # Of closed classes the contrasted slot comes first, and only where it varies.
    assert clusters((det, be, dog), (("Det", "determiner", "this"), be, dog)) == ["the", "this"]
    assert clusters((det, be, dog), (("Det", "determiner", "this"), ("Be", "auxiliary", "do"), dog)) == ["be", "do"]
    assert clusters((det, be, dog), (det, be, dog)) == ["dog", "dog"]


def test_the_cluster_without_a_contrast_is_the_first_word(tmp_path: Path) -> None:
    record = _own()
    for condition in record["conditions"]:
        condition["regions"] = []
    assert _items(_write(tmp_path, "a.jsonl", _jsonl(record)))[0][0].cluster == "angry"
    assert _items(_write(tmp_path, "b.jsonl", _jsonl({**record, "bindings": []})))[0][0].cluster == ""


def _design(expectations: dict[str, Any]) -> dict[str, Any]:
    levels = [("match", "sing"), ("match", "plural"), ("mismatch", "sing"), ("mismatch", "plural")]
    conditions = [
        {
            "name": "_".join(pair), "acceptable": pair[0] == "match", "text": f"{' '.join(pair)} .", "regions": [],
            "levels": {"match": pair[0], "number": pair[1]}, "tokens": [],
        }
        for pair in levels
    ]  # fmt: skip
    return {"id": "d:1:3", "paradigm": "d", "conditions": conditions, "expectations": expectations}


def test_pairs_of_a_design_differ_in_the_fewest_factors(tmp_path: Path) -> None:
    (item,), _ = _items(_write(tmp_path, "d.jsonl", _jsonl(_design({}))))
    assert _texts([item]) == [("match sing .", "mismatch sing ."), ("match plural .", "mismatch plural .")]


def test_expectations_are_formulas(tmp_path: Path) -> None:
    def verb(condition: str) -> dict[str, str]:
        return {"condition": condition, "region": "verb"}

    less = {"<": [verb("match_sing"), verb("mismatch_sing")]}
    difference = {"-": [verb("match_sing"), {"-": [0.25, {"condition": "match_plural"}]}]}
    trees = {
        "sing": less,
        "same": {"=": [difference, {"+": [{"-": [1.0, 2.0]}, -1e-05]}], "within": 0.5},
        "either": {"or": [{"not": less}, {"and": [less, less]}]},
    }
    (item,), _ = _items(_write(tmp_path, "d.jsonl", _jsonl(_design(trees))))
    plain = "match_sing.verb < mismatch_sing.verb"
    assert item.expectations == {
        "sing": plain,
        "same": "match_sing.verb - (0.25 - match_plural) = 1 - 2 + -0.00001 within 0.5",
        "either": f"not {plain} | ({plain} & {plain})",
    }


@pytest.mark.parametrize(
    ("condition", "region"),
    [
        ("x-y", "verb"),
        ("1st", "verb"),
        ("and", "not"),
        ("a.b", "the verb"),
        ("é", "6"),
        ("no", "c-command"),
        ("x", "*"),
    ],
)
def test_expectations_with_odd_names_are_formulas(condition: str, region: str, tmp_path: Path) -> None:
    record = _design({"odd": {"<": [{"condition": condition, "region": region}, {"condition": "match_sing"}]}})
    record["conditions"].append({"name": condition, "acceptable": False, "text": "a b", "levels": {"match": "x"}})
    (item,), _ = _items(_write(tmp_path, "d.jsonl", _jsonl(record)))
    expected = Comparison("<", Measured(condition, region), Measured("match_sing"))
    assert parse_formula(item.expectations["odd"]) == expected


def test_expectations_of_conditions_that_are_not_there(tmp_path: Path) -> None:
    less = {"<": [{"condition": "match_sng"}, 1]}
    with pytest.raises(
        InputError, match="'expectations': the item has no condition 'match_sng'; did you mean 'match_sing'"
    ):
        read_items([_write(tmp_path, "d.jsonl", _jsonl(_design({"x": less})))])
    record = _design({"x": {"<": [{"condition": "100%"}, 1]}})
    record["conditions"].append({"name": "100%", "text": "a b"})
    with pytest.raises(InputError, match=r"no formula can name the region '\*' of the condition '100%'"):
        read_items([_write(tmp_path, "e.jsonl", _jsonl(record))])


@pytest.mark.parametrize("tree", [{"<": [1]}, {"and": [{}]}, {"<": [{"condition": "none"}, 1]}, 3, {"<": [True, 1]}])
def test_expectations_that_are_none(tree: Any, tmp_path: Path) -> None:
    assert _errors(_write(tmp_path, "d.jsonl", _jsonl(_design({"x": tree})))) == ["1:item"]


def _open(answers: str = "n=sg") -> dict[str, Any]:
    condition = {"name": "open", "acceptable": True, "text": "the cat [MASK] angry .", "tokens": [], "regions": []}
    mask = {"slot": "be", "token": "[MASK]", "answers": answers}
    return {"id": f"pets:s:open:{answers}", "paradigm": "pets", "conditions": [condition], "mask": mask}


ANSWERS = {
    "format": "starling-answers-1",
    "paradigms": {
        "pets": {
            "mask": "[MASK]",
            "classes": ["false", "correct", "other"],
            "answers": {"n=sg": {"correct": ["is", "was"], "false": ["are"]}},
        }
    },
}


def test_answers_come_from_the_file_beside(tmp_path: Path) -> None:
    path = _write(tmp_path, "pets.jsonl", _jsonl(_open(), _open("n=pl")))
    _write(tmp_path, "pets.answers.json", json.dumps(ANSWERS))
    (known, unknown), warnings = _items(path)
    assert known.mask is not None
    assert (known.mask.name, known.mask.token) == ("be", "[MASK]")
    assert list(known.mask.answers.items()) == [("false", frozenset({"are"})), ("correct", frozenset({"is", "was"}))]
    assert unknown.mask is not None
    assert not unknown.mask.answers
    assert warnings == ["2:no-answers"]
    assert known.pairs == ()
    # The folder is read without the answers' own file.
    assert len(read_items([tmp_path])) == 2


def test_answers_that_are_missing_or_malformed(tmp_path: Path) -> None:
    path = _write(tmp_path, "pets.jsonl", _jsonl(_open()))
    assert _items(path)[1] == ["1:no-answers"]
    _write(tmp_path, "pets.answers.json", '{"format": "starling-answers-2"}')
    assert _errors(path) == ["0:answers"]


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""}, {"id": 3}, {"conditions": []}, {"conditions": [{"name": "a", "text": " "}]}, {"bindings": [3]},
        {"conditions": [{"name": "a", "text": "b", "acceptable": "yes"}]}, {"crossed": []}, {"paradigm": None},
        {"conditions": [{"name": "a", "text": "b", "regions": [{"name": "r", "start": 0, "end": 2}]}]},
        {"conditions": [{"name": "a", "text": "b"}, {"name": "a", "text": "c"}]},
    ],
)  # fmt: skip
def test_records_that_are_no_items(change: dict[str, Any], tmp_path: Path) -> None:
    path = _write(tmp_path, "x.jsonl", _jsonl(_own(), _own(**{"id": "x", **change})))
    assert _errors(path) == ["2:item"]


def test_every_malformed_line_is_reported_at_once(tmp_path: Path) -> None:
    text = _jsonl(_own()) + "{]\n[1]\n\n" + json.dumps(_own())[:80]
    assert _errors(_write(tmp_path, "x.jsonl", text)) == ["2:json", "3:json", "5:truncated"]


def test_ids_that_stand_twice(tmp_path: Path) -> None:
    path = _write(tmp_path, "x.jsonl", _jsonl(_own(), _own(), _own(template="other")))
    assert _errors(path) == ["3:duplicate-id"]
    items, warnings = _items(_write(tmp_path, "y.jsonl", _jsonl(_own(), _own())))
    assert (len(items), warnings) == (1, ["2:repeated-item"])
    assert len(list(iter_items([tmp_path / "y.jsonl"]))) == 2
    with pytest.raises(InputError, match=r"z\.jsonl:1: the id .* is that of another item \(.*y\.jsonl:1\)"):
        read_items([tmp_path / "y.jsonl", _write(tmp_path, "z.jsonl", _jsonl(_own(template="other")))])


def test_parsed_items_are_kept_as_often_as_they_stand_in_their_file(tmp_path: Path) -> None:
    records = [_own(extra={"read_as": place}) for place in ("rc:1", "rc:3", "rc:5", "rc:5")]
    items, warnings = _items(_write(tmp_path, "x.jsonl", _jsonl(*records)))
    assert [item.id for item in items] == ["pets:statement:25", "pets:statement:25#2", "pets:statement:25#3"]
    assert [item.attribute("read_as") for item in items] == ["rc:1", "rc:3", "rc:5"]
    assert warnings == ["2:again", "4:repeated-item"]


# --- items: others --------------------------------------------------------------------------------------------------


def _blimp(pair_id: object, good: str = "a b", bad: str = "a c", **more: Any) -> dict[str, Any]:
    return {
        "sentence_good": good,
        "sentence_bad": bad,
        "UID": "u",
        "linguistics_term": "t",
        "field": "f",
        "pairID": pair_id,
        **more,
    }


def test_blimp(tmp_path: Path) -> None:
    rows = [_blimp("0", lexically_identical=True, one_prefix_prefix="a"), _blimp(1, "x y", "x z")]
    items, _ = _items(_write(tmp_path, "u.jsonl", _jsonl(*rows)))
    assert [item.id for item in items] == ["u:0", "u:1"]
    assert _texts(items) == [("a b", "a c"), ("x y", "x z")]
    assert (items[0].paradigm, items[0].phenomenon, items[0].field) == ("u", "t", "f")
    assert items[0].attributes == {"lexically_identical": "true"}


def test_blimp_rows_of_one_item_are_one_item(tmp_path: Path) -> None:
    rows = [_blimp("u:s:17.1"), _blimp("u:s:17.2", bad="a d"), _blimp("u:s:18.1", "x y", "x z")]
    items, _ = _items(_write(tmp_path, "u.jsonl", _jsonl(*rows)))
    assert [(item.id, len(item.pairs)) for item in items] == [("u:s:17", 2), ("u:s:18", 1)]
    assert [condition.name for condition in items[0].conditions] == ["acceptable", "starred_1", "starred_2"]


def test_blimp_rows_of_one_item_with_other_sentences_stay_apart(tmp_path: Path) -> None:
    rows = [_blimp("u:s:17.1"), _blimp("u:s:17.2", good="x b", bad="a d")]
    assert _errors(_write(tmp_path, "u.jsonl", _jsonl(*rows))) == ["2:duplicate-id"]


def test_quirks_of_blimp_are_warnings(tmp_path: Path) -> None:
    rows = [
        _blimp("0", "a b", "a b"),
        _blimp("1", two_prefix_method=True),
        {"sentence_good": "x y ", "sentence_bad": "x  z"},
    ]
    items, warnings = _items(_write(tmp_path, "own.jsonl", _jsonl(*rows)))
    assert warnings == ["1:identical", "2:flag", "3:spaces", "3:spaces", "3:no-uid", "3:no-id"]
    assert (items[2].id, items[2].paradigm, items[2].conditions[0].text) == ("own:3", "own", "x y")
    path = _write(
        tmp_path, "bad.jsonl", _jsonl(_blimp("0"), _blimp("0", "x", "y"), _blimp("2", ""), _blimp("3", bad=4))
    )  # type: ignore[arg-type]
    assert sorted(_errors(path)) == ["2:duplicate-id", "3:empty", "4:item"]


def test_zorro_has_the_starred_line_first(tmp_path: Path) -> None:
    text = "the dogs is here .\nthe dog is here .\n\nthe cats is here .\nthe cat is here .\n"
    items, warnings = _items(_write(tmp_path, "island-effects-a_b.txt", text))
    assert [(item.id, item.phenomenon, item.paradigm) for item in items] == [
        ("island-effects-a_b:1", "island-effects", "a_b"),
        ("island-effects-a_b:4", "island-effects", "a_b"),
    ]
    assert _texts(items)[1] == ("the cat is here .", "the cats is here .")
    assert warnings == ["3:blank-line"]


def test_an_odd_number_of_lines(tmp_path: Path) -> None:
    assert _errors(_write(tmp_path, "a-b.txt", "a dogs is .\na dog is .\na cats is .\n")) == ["3:odd-number-of-lines"]
    assert _errors(_write(tmp_path, "forced_choice/x.txt", "a b .\na c .\na d .\n")) == ["3:odd-number-of-lines"]
    path = _write(tmp_path, "p.txt", "a b . 0.5\na c . 0.25\na d . 0.125\n")
    assert _errors(path, "predictions") == ["3:odd-number-of-lines"]


def test_babeval(tmp_path: Path) -> None:
    forced = _write(tmp_path, "forced_choice/task.txt", "where is the dog ?\nwhere is the dogs ?\n")
    _write(tmp_path, "open_ended/task.txt", "where <mask> the dog ?\nwhere <mask> the dogs ?\n")
    (pair,), _ = _items(forced)
    assert [(c.name, c.acceptable) for c in pair.conditions] == [("first", None), ("second", None)]
    assert (pair.pairs, pair.paradigm) == ((), "task")
    both = read_items([tmp_path])
    assert [(item.id, item.paradigm) for item in both] == [
        ("task:1", "task"), ("task:open:1", "task"), ("task:open:2", "task"),
    ]  # fmt: skip
    assert both[1].mask is not None
    assert (both[1].mask.token, both[1].conditions[0].text) == ("<mask>", "where <mask> the dog ?")
    path = _write(tmp_path, "odd/open_ended/task.txt", "a [MASK] .\nb .\na [MASK] [MASK] .\n")
    assert _errors(path) == ["2:mask", "3:mask"]


def test_babeval_takes_the_mask_and_answers_beside_it(tmp_path: Path) -> None:
    path = _write(tmp_path, "open_ended/pets.txt", "the cat ___ here .\n")
    document = {**ANSWERS, "paradigms": {"pets": {**ANSWERS["paradigms"]["pets"], "mask": "___"}}}  # type: ignore[index, dict-item]
    _write(tmp_path, "open_ended/pets.answers.json", json.dumps(document))
    (item,), _ = _items(path)
    assert item.mask is not None
    assert (item.mask.token, set(item.mask.answers)) == ("___", {"false", "correct"})


def test_clams(tmp_path: Path) -> None:
    text = "True\tthe dog is\nFalse\tthe dog are\nFalse\tthe dog be\nTrue\tthe cat is\nTrue\ta b\nFalse\ta b\n"
    items, warnings = _items(_write(tmp_path, "de/simple.txt", text))
    assert [(item.id, len(item.pairs), item.language) for item in items] == [
        ("simple:1", 2, "de"), ("simple:4", 0, "de"), ("simple:5", 1, "de"),
    ]  # fmt: skip
    assert warnings == ["4:no-partner", "6:identical"]
    path = _write(tmp_path, "x.txt", "True\ta\nMaybe\tb\nno tab\nFalse\t\nFalse\tc\n")
    assert _errors(path) == ["2:bad-row", "3:bad-row", "4:empty"]
    assert _errors(_write(tmp_path, "y.txt", "False\ta\nTrue\tb\n")) == ["1:no-partner"]


def test_files_called_alike_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for language in ("de", "en"):
        _write(tmp_path, f"{language}/simple.txt", "True\ta b\nFalse\ta c\n")
    assert [item.id for item in read_items([tmp_path])] == ["de/simple:1", "en/simple:1"]


def test_sentence_focused_table(tmp_path: Path) -> None:
    text = 'pattern\tsent\tsent_alt\nthree\tA b . <eos>\tA c . <eos>\nx_2\tA "b" .\tA c .\n'
    items, _ = _items(_write(tmp_path, "x.tab", text))
    assert _texts(items) == [("A b .", "A c ."), ('A "b" .', "A c .")]
    assert [(item.id, item.template) for item in items] == [("x:2", "three"), ("x:3", "2")]
    assert _errors(_write(tmp_path, "y.tab", "pattern\tsent\tsent_alt\na\tb\nc\td\te\nf\t \tg")) == [
        "2:cells",
        "4:empty",
    ]


def test_word_focused_table(tmp_path: Path) -> None:
    rows = ("p\tis\tare\t2\tThe dog is here . <eos>\n", "p\tis\tare\t2\tThe dog was here . <eos>\n")
    text = "pattern\tform\tform_alt\tlen_prefix\tsent\n" + "".join(rows)
    items, warnings = _items(_write(tmp_path, "x.tab", text))
    assert _texts(items) == [("The dog is here .", "The dog are here .")] * 2
    assert {condition.target for item in items for condition in item.conditions} == {2}
    assert warnings == ["3:target"]
    path = _write(tmp_path, "y.tab", text.replace("\t2\tThe dog is", "\t9\tThe dog is").replace("\t2\t", "\ttwo\t"))
    assert _errors(path) == ["2:target", "3:not-a-number"]
    with pytest.raises(InputError, match=r"the header lacks form_alt: .*did you mean 'form_alternative'"):
        read_items([_write(tmp_path, "z.tab", "pattern\tform\tform_alternative\tlen_prefix\tsent\n")], "words")


def _original(*rows: tuple[str, str, str], header: str = ORIGINAL_HEADER, more: tuple[str, ...] = ()) -> str:
    lines = [header]
    for place, (form, kind, freq) in enumerate(rows):
        tail = f"\t{more[place]}" if more else ""
        sent = '"The ""old"" dog was here . <eos>"'
        lines.append(f"N_V\t1\t7\tsing\t{form}\t{kind}\tgenerated\tThe\t0\tFalse\t{freq}\t4\t3\t{sent}{tail}")
    return "\n".join(lines) + "\n"


def test_the_original_table(tmp_path: Path) -> None:
    text = _original(("is", "correct", "9"), ("are", "wrong", "5"))
    (item,), warnings = _items(_write(tmp_path, "gen.tab", text))
    assert not warnings
    assert _texts([item]) == [('The "old" dog is here .', 'The "old" dog are here .')]
    assert (item.id, item.template, item.conditions[0].target) == ("gen:N_V:1-7", "N_V", 3)
    assert (item.attributes["type"], item.attributes["freq"], item.attributes["freq_starred"]) == (
        "generated",
        "9",
        "5",
    )


def test_rows_of_the_original_table_without_partner(tmp_path: Path) -> None:
    swapped = _original(("are", "wrong", "5"), ("is", "correct", "9"))
    items, warnings = _items(_write(tmp_path, "swapped.tab", swapped))
    assert (items[0].conditions[0].text, warnings) == ('The "old" dog is here .', ["2:order"])
    alone = _original(("is", "correct", "9"), ("is", "correct", "9"), ("are", "wrong", "5"), ("are", "maybe", "5"))
    assert _errors(_write(tmp_path, "alone.tab", alone)) == ["2:no-partner", "5:bad-row"]
    assert _errors(_write(tmp_path, "odd.tab", _original(("is", "correct", "9")))) == ["2:odd-number-of-lines"]
    quotes = _original(("is", "correct", "9")).replace('"The ""old""', '"The "old')
    assert "2:quotes" in _errors(_write(tmp_path, "quotes.tab", quotes))


def _suite(**changes: Any) -> dict[str, Any]:
    def condition(name: str, verb: str) -> dict[str, Any]:
        contents = ["The dog ", "", verb]
        return {
            "condition_name": name,
            "regions": [{"region_number": n, "content": text} for n, text in enumerate(contents, start=1)],
        }

    suite = {
        "meta": {"name": "agreement", "metric": "mean"},
        "region_meta": {"1": "intro", "2": "gap", "3": "verb"},
        "predictions": [
            {"type": "formula", "formula": "[(3;%match%) < (3;%mis-match%)]"},
            {"type": "formula", "formula": "(*;%match%) < 3", "name": "short"},
        ],
        "items": [
            {"item_number": n, "conditions": [condition("match", "is"), condition("mis-match", "are")]} for n in (1, 2)
        ],
    }
    return {**suite, **changes}


def test_syntaxgym(tmp_path: Path) -> None:
    items, warnings = _items(_write(tmp_path, "s.json", json.dumps(_suite(), indent=1)))
    assert [item.id for item in items] == ["agreement:1", "agreement:2"]
    assert items[0].expectations == {"expectation_1": "[(3;%match%) < (3;%mis-match%)]", "short": "(*;%match%) < 3"}
    assert items[0].attributes == {"item_number": "1", "metric": "mean"}
    assert items[0].line < items[1].line
    first = items[0].conditions[0]
    assert (first.text, first.acceptable) == ("The dog is", None)
    assert [(r.number, r.name, first.text[r.start : r.end]) for r in first.regions] == [
        ("1", "intro", "The dog"), ("2", "gap", ""), ("3", "verb", "is"),
    ]  # fmt: skip
    assert [warning.partition(":")[2] for warning in warnings] == ["spaces"]
    assert len(_items(_write(tmp_path, "line.json", json.dumps(_suite())))[0]) == 2


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"meta": []}, "suite"), ({"meta": {"metric": "maen"}}, "suite"), ({"region_meta": {"2": "a"}}, "suite"),
        ({"items": []}, "suite"), ({"items": [{"item_number": 1}]}, "item"), ({"predictions": ["x"]}, "formula"),
        ({"region_meta": {"1": "intro"}}, "region"),
        ({"items": [{"item_number": "x", "conditions": []}]}, "item"),
        ({"items": [{"item_number": 1, "conditions": [{"condition_name": "a b", "regions": []}]}]}, "item"),
    ],
)  # fmt: skip
def test_suites_that_are_none(changes: dict[str, Any], code: str, tmp_path: Path) -> None:
    path = _write(tmp_path, "s.json", json.dumps(_suite(**changes)))
    assert {error.partition(":")[2] for error in _errors(path)} == {code}


def test_a_suite_that_is_cut_off(tmp_path: Path) -> None:
    text = json.dumps(_suite(), indent=1)
    (error,) = _errors(_write(tmp_path, "s.json", text[: len(text) // 2]))
    assert error.partition(":")[2] == "truncated"


def test_items_of_one_number_are_told(tmp_path: Path) -> None:
    suite = _suite()
    suite["items"][1]["item_number"] = 1
    suite["items"][1]["conditions"].reverse()
    (error,) = _errors(_write(tmp_path, "s.json", json.dumps(suite, indent=1)))
    assert error.partition(":")[2] == "duplicate-id"


# --- predictions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "unit"),
    [
        ("log_probability", Unit("log_probability", "nats")), ("log_prob", Unit("log_probability", "nats")),
        ("logprob_bits", Unit("log_probability", "bits")), ("Log-Probability", Unit("log_probability", "nats")),
        ("surprisal", Unit("surprisal", "bits")), ("surprisal_nats", Unit("surprisal", "nats")),
        ("surprisal_bits", Unit("surprisal", "bits")), ("cross_entropy", Unit("cross_entropy", "nats")),
        ("cross_entropy_bits", Unit("cross_entropy", "bits")), ("log_prob_log10", Unit("log_probability", "bans")),
        ("perplexity", Unit("perplexity", "nats")), ("ppl", Unit("perplexity", "nats")),
        ("score", Unit("score", "nats")), ("scores", None), ("bits", None), ("text", None), ("token_count", None),
    ],
)  # fmt: skip
def test_a_field_says_quantity_and_base(field: str, unit: Unit | None) -> None:
    assert unit_of(field) == unit


def test_scored_lines(tmp_path: Path) -> None:
    text = "the dogs is here . 1.3531\nthe dog is here . 0.5639 \n\nthe cats is <eos> 2\nthe cat is 1e-3\n"
    found, warnings = _read(_write(tmp_path, "roberta-base/agreement-x.txt", text))
    assert (found.format, found.unit, found.model) == ("lines", Unit("cross_entropy", "nats"), "roberta-base")
    assert [(row.text, row.value, row.line) for row in found.predictions if isinstance(row, SentencePrediction)] == [
        ("the dogs is here .", 1.3531, 1), ("the dog is here .", 0.5639, 2), ("the cats is", 2.0, 4),
        ("the cat is", 0.001, 5),
    ]  # fmt: skip
    assert warnings == ["3:blank-line"]
    assert found.digest == hashlib.sha256(text.encode()).hexdigest()


def test_scored_lines_that_are_malformed_are_reported_at_once(tmp_path: Path) -> None:
    numbers = ["0.5", "nan", "inf", "-Infinity", "x.5", "1e999", "1_000.5", "\u0661.5", "0.5"]
    text = "".join(f"a b {number}\n" for number in numbers) + "0.5\n"
    assert _errors(_write(tmp_path, "x.txt", text), "predictions", "lines") == [
        "2:not-finite", "3:not-finite", "4:not-finite", "5:not-a-number", "6:not-finite", "7:not-a-number",
        "8:not-a-number", "10:bad-row",
    ]  # fmt: skip


def test_scored_lines_that_are_cut_off(tmp_path: Path) -> None:
    _, warnings = _read(_write(tmp_path, "x.txt", "a b . 0.5639\na c . 0.56"))
    assert warnings == ["2:no-line-end"]
    text = "a b . 0.5639\na c . 0.5639\na d . 0.5639\na e"
    assert _errors(_write(tmp_path, "y.txt", text), "predictions") == ["4:not-a-number", "4:truncated"]


def test_the_user_says_what_the_numbers_are(tmp_path: Path) -> None:
    path = _write(tmp_path, "x.txt", "a b . -0.5\na c . -0.25\n")
    assert _read(path)[1] == ["1:sign"]
    found, warnings = _read(path, unit=Unit("log_probability", "bits"), model="mine")
    assert (found.unit, found.model, warnings) == (Unit("log_probability", "bits"), "mine", [])
    assert _errors(path, "predictions", "tsv") == ["1:header"]


def test_filled_lines(tmp_path: Path) -> None:
    found, _ = _read(_write(tmp_path, "bert/open_ended/task.txt", "look at this dog .\nlook at this the .\n"))
    assert (found.format, found.model) == ("fills", "bert")
    assert [row.text for row in found.predictions if isinstance(row, FillPrediction)] == [
        "look at this dog .", "look at this the .",
    ]  # fmt: skip
    path = _write(tmp_path, "x.txt", "look at this dog .\nlook at this [MASK] .\n")
    assert _errors(path, "predictions", "fills") == ["2:mask"]


def test_tables_of_scores(tmp_path: Path) -> None:
    header = "id\tcondition\ttext\tlog_prob_bits\ttoken_count\n"
    text = header + 'x:1\ta\t"say ""no"" . <eos>"\t-2.5\t4\nx:1\tb\tsay it\t-3\t2\n'
    found, warnings = _read(_write(tmp_path, "gpt2.tsv", text))
    assert (found.format, found.unit, found.model, warnings) == ("tsv", Unit("log_probability", "bits"), "gpt2", [])
    assert found.predictions == (
        SentencePrediction(-2.5, "x:1", "a", 'say "no" .', 4, file=found.name, line=2),
        SentencePrediction(-3.0, "x:1", "b", "say it", 2, file=found.name, line=3),
    )


def test_quotes_of_tables_are_taken_off_where_they_fit(tmp_path: Path) -> None:
    text = 'text\tscore\n"a ""b"""\t1\n"No" , he said\t2\nhe said "no"\t3\n'
    found, warnings = _read(_write(tmp_path, "x.tsv", text))
    assert [row.text for row in found.predictions if isinstance(row, SentencePrediction)] == [
        'a "b"', '"No" , he said', 'he said "no"',
    ]  # fmt: skip
    assert warnings == ["3:quotes"]


def test_tables_that_are_malformed(tmp_path: Path) -> None:
    text = "id\tperplexity\ttoken_count\n1\t12\t3\n2\t0\t3\n3\tnan\t3\n4\tx\t3\n\t5\t3\n6\t5\t2.5\n7\t5\n8\t3"
    assert _errors(_write(tmp_path, "x.tsv", text), "predictions") == [
        "3:out-of-range", "4:not-finite", "5:not-a-number", "6:no-id", "7:not-a-number", "8:cells", "9:cells",
    ]  # fmt: skip
    assert _errors(_write(tmp_path, "y.tsv", "id\tvalue\n1\t3\n"), "predictions", "tsv") == ["1:header"]
    assert _errors(_write(tmp_path, "z.tsv", "id\tscore\tscore\n1\t3\t4\n"), "predictions") == ["1:header"]


def test_a_table_with_several_scores(tmp_path: Path) -> None:
    path = _write(tmp_path, "x.tsv", "id\tsurprisal\tperplexity\n1\t2\t4\n")
    found, warnings = _read(path)
    assert (found.unit, warnings) == (Unit("surprisal", "bits"), ["1:several-scores"])
    found, warnings = _read(path, unit=Unit("perplexity"))
    assert (found.predictions[0].value, warnings) == (4.0, [])  # type: ignore[union-attr]


def test_json_lines_of_scores(tmp_path: Path) -> None:
    records = [
        {"id": 1, "condition": "a", "surprisal": 3, "n_tokens": 2, "model": "opt"},
        {"suite": "s", "item": 2, "sentence": "a b", "surprisal": 3.5, "model": "opt"},
    ]
    found, _ = _read(_write(tmp_path, "x.jsonl", _jsonl(*records)))
    assert (found.format, found.unit, found.model) == ("jsonl", Unit("surprisal", "bits"), "opt")
    assert found.predictions == (
        SentencePrediction(3.0, "1", "a", token_count=2, file=found.name, line=1),
        SentencePrediction(3.5, "s:2", text="a b", file=found.name, line=2),
    )
    bad = [
        {"id": "1", "score": 1, "model": "a"}, {"id": "1", "score": "2"}, {"id": "1"}, {"id": "1", "score": math.nan},
        {"id": "1", "score": True}, {"score": 1}, {"id": ["1"], "score": 1}, {"id": "1", "score": 10**400},
        {"id": "2", "score": 1, "model": "b"}, {"id": "2", "score": -math.inf},
    ]  # fmt: skip
    assert _errors(_write(tmp_path, "y.jsonl", _jsonl(*bad[:1], *bad[2:])), "predictions") == [
        "2:not-a-number", "3:not-finite", "4:not-a-number", "5:no-id", "6:bad-row", "7:not-finite", "8:models",
        "9:not-finite",
    ]  # fmt: skip


def test_a_truncated_file_of_json_lines(tmp_path: Path) -> None:
    text = _jsonl({"id": "1", "score": 1}, {"id": "2", "score": 2})
    assert _errors(_write(tmp_path, "x.jsonl", text[:-6]), "predictions") == ["2:truncated"]


def test_words_for_masks(tmp_path: Path) -> None:
    text = "id\tfill\tprobability\nx:open:1\tdog\t0.25\nx:open:2\tthe\t0.5\n"
    found, _ = _read(_write(tmp_path, "x.tsv", text))
    assert found.predictions[0] == FillPrediction("", "dog", "x:open:1", 0.25, found.name, 2)
    found, _ = _read(_write(tmp_path, "x.jsonl", _jsonl({"text": "the [MASK] is", "word": " dog "})))
    (fill,) = found.predictions
    assert isinstance(fill, FillPrediction)
    assert (fill.word, fill.text) == ("dog", "the [MASK] is")
    assert math.isnan(fill.probability)
    assert _errors(_write(tmp_path, "y.tsv", "id\tfill\n1\tdog\n2\t\n"), "predictions") == ["3:bad-row"]


def test_misspelt_fields_and_suites(tmp_path: Path) -> None:
    records = [
        {"UID": "u", "pairID": "3", "condition": "good", "nll": 2},
        {"UID": "u", "pairID": "3", "conditon": "bad", "nll": 1},
        {"paradigm": "u", "id": "u:3", "cond": "bad", "nll": 1},
    ]
    found, warnings = _read(_write(tmp_path, "x.jsonl", _jsonl(*records)))
    assert found.unit == Unit("surprisal", "nats")
    ids = [(row.item_id, row.condition) for row in found.predictions if isinstance(row, SentencePrediction)]
    assert ids == [("u:3", "good"), ("u:3", ""), ("u:3", "")]
    assert warnings == ["2:misspelt", "3:misspelt"]


def test_scores_of_tokens(tmp_path: Path) -> None:
    text = (
        "sentence_id\tcondition\ttoken\tsurprisal_nats\tstart\n1\ta\tThe\t0.5\t0\n1\ta\t dog\t1.5\t3\n1\tb\tA\t2\t0\n"
    )
    found, _ = _read(_write(tmp_path, "x.tsv", text))
    assert (found.format, found.unit) == ("tsv-tokens", Unit("surprisal", "nats"))
    assert found.predictions == (
        TokenPrediction(("The", " dog"), (0.5, 1.5), "1", "a", "", (0, 3), found.name, 2),
        TokenPrediction(("A",), (2.0,), "1", "b", "", (0,), found.name, 4),
    )
    record = {"text": "The dog", "tokens": ["The", " dog"], "surprisals": [0.5, 1]}
    found, _ = _read(_write(tmp_path, "x.jsonl", _jsonl(record)))
    assert (found.format, found.unit) == ("jsonl-tokens", Unit("surprisal", "bits"))
    assert found.predictions == (TokenPrediction(("The", " dog"), (0.5, 1.0), text="The dog", file=found.name, line=1),)
    # Of the first token a model may say nothing.
    found, _ = _read(_write(tmp_path, "z.jsonl", _jsonl({**record, "surprisals": [None, 1]})))
    cells = "id\ttoken\tsurprisal\n1\tThe\tNA\n1\tdog\t\n1\tis\t-2\n"
    table, warnings = _read(_write(tmp_path, "z.tsv", cells))
    values = [row.values for each in (found, table) for row in each.predictions if isinstance(row, TokenPrediction)]
    assert [str(numbers) for numbers in values] == ["(nan, 1.0)", "(nan, nan, -2.0)"]
    assert warnings == ["4:sign"]
    bad = [
        record, {**record, "surprisals": [1]}, {**record, "tokens": "The dog"}, {**record, "surprisals": ["x", 1]},
        {**record, "starts": [0]}, {**record, "text": ""},
    ]  # fmt: skip
    assert _errors(_write(tmp_path, "y.jsonl", _jsonl(*bad)), "predictions") == [
        "2:length", "3:bad-row", "4:not-a-number", "5:length", "6:no-id",
    ]  # fmt: skip


def test_scores_of_regions(tmp_path: Path) -> None:
    text = "item\tcondition\tregion\tsurprisal\n1\ta\t1\t0.5\n1\ta\tverb\t1.5\n1\tb\t1\t2\n"
    found, _ = _read(_write(tmp_path, "x.tsv", text))
    assert (found.format, found.unit) == ("tsv-regions", Unit("surprisal", "bits"))
    assert found.predictions == (
        RegionPrediction({"1": 0.5, "verb": 1.5}, "1", "a", found.name, 2),
        RegionPrediction({"1": 2.0}, "1", "b", found.name, 4),
    )
    record = {"item": 1, "suite": "s", "condition": "a", "regions": {"verb": 1}, "unit": "surprisal_nats"}
    found, _ = _read(_write(tmp_path, "x.jsonl", _jsonl(record)))
    assert (found.format, found.unit) == ("jsonl-regions", Unit("surprisal", "nats"))
    assert found.predictions == (RegionPrediction({"verb": 1.0}, "s:1", "a", found.name, 1),)
    bad = [record, {**record, "regions": {"verb": None}}, {**record, "regions": []}, {**record, "unit": "surprisal"}]
    assert _errors(_write(tmp_path, "y.jsonl", _jsonl(*bad)), "predictions") == [
        "2:not-a-number", "3:bad-row", "4:units",
    ]  # fmt: skip
    twice = text + "1\tb\t1\t3\n"
    assert _errors(_write(tmp_path, "y.tsv", twice), "predictions") == ["5:region"]


def test_columns_of_models(tmp_path: Path) -> None:
    header = f"{ORIGINAL_HEADER}\tlstm\tgpt"
    text = _original(("is", "correct", "9"), ("are", "wrong", "5"), header=header, more=("-1.5\t-2", "-2.5\t-1"))
    first, second = read_predictions([_write(tmp_path, "x.tab", text)])
    assert (first.model, second.model, first.unit) == ("lstm", "gpt", Unit("log_probability", "nats"))
    good, bad = 'The "old" dog is here .', 'The "old" dog are here .'
    assert first.predictions == (
        SentencePrediction(-1.5, condition="acceptable", text=good, file=first.name, line=2),
        SentencePrediction(-2.5, condition="starred", text=bad, file=first.name, line=3),
    )
    assert [row.value for row in second.predictions if isinstance(row, SentencePrediction)] == [-2.0, -1.0]
    assert list(models([first, second, first])) == ["lstm", "gpt"]
    wrong = text.replace("-2.5", "nan")
    assert _errors(_write(tmp_path, "y.tab", wrong), "predictions") == ["3:not-finite"]


def test_result_lines_of_whole_sentences(tmp_path: Path) -> None:
    text = "False\tp\t-2.5\t-1.5\tSo , the dog is . <eos>\tSo , the dog are . <eos>\n"
    found, _ = _read(_write(tmp_path, "x.txt", text))
    assert (found.format, found.unit) == ("lstm-results", Unit("log_probability", "nats"))
    expected = (
        SentencePrediction(-2.5, "", "acceptable", "So , the dog is .", 0, False, found.name, 1, "p"),
        SentencePrediction(-1.5, "", "starred", "So , the dog are .", 0, False, found.name, 1, "p"),
    )
    assert found.predictions == expected
    commas = _write(tmp_path, "x.txt", text.replace("\t", ", "))
    assert _read(commas)[0].predictions == expected
    bad = text + "Maybe\tp\t-1\t-2\ta\tb\nTrue\tp\tinf\tx\ta\tb\nTrue\tp\t-1\t-2\ta\t<eos>\nTrue\tp\t-1\t-2\ta"
    assert _errors(_write(tmp_path, "y.txt", bad), "predictions") == [
        "2:bad-row", "3:not-finite", "3:not-a-number", "4:empty", "5:bad-row",
    ]  # fmt: skip


@pytest.mark.parametrize("separator", ["\t", ", "])
def test_result_lines_of_target_words(separator: str, tmp_path: Path) -> None:
    lines = [
        ["True", "p", "is", "-1.5", "are", "-2.5", "max_pred=was", "So , the dog is . <eos>"],
        ["True", "p", "a", "-1.5", "an", "-2.5", "max_pred=the", "a dog and a cat . <eos>"],
        ["False", "p", "is", "-3.5", "are", "-2.5", "max_pred=was", "So , the dog was . <eos>"],
    ]
    text = "".join(separator.join(fields) + "\n" for fields in lines)
    found, warnings = _read(_write(tmp_path, "x.txt", text))
    rows = [row for row in found.predictions if isinstance(row, SentencePrediction)]
    assert [(row.text, row.value, row.verdict) for row in rows[:4]] == [
        ("So , the dog is .", -1.5, True), ("So , the dog are .", -2.5, True),
        ("a dog and a cat .", -1.5, True), ("an dog and a cat .", -2.5, True),
    ]  # fmt: skip
    # At which *a* the forms stand the items know.
    assert [row.further_texts for row in rows[:4]] == [(), (), (), ("a dog and an cat .",)]
    assert (len(rows), warnings) == (6, ["3:target"])


def _sample(**changes: Any) -> dict[str, Any]:
    """A line as lm_eval 0.4.13 writes it (`--model dummy --log_samples`), without its hashes."""
    sample = {
        "doc_id": 0,
        "doc": {"id": "p:1:4.1", "paradigm": "p", "sentence_good": "the dog is .", "sentence_bad": "the dogs is ."},
        "target": "0",
        "arguments": {
            "gen_args_0": {"arg_0": "", "arg_1": " the dog is ."},
            "gen_args_1": {"arg_0": "", "arg_1": " the dogs is ."},
        },
        "resps": [[["-0.25", "False"]], [["-0.75", "False"]]],
        "filtered_resps": [["-0.25", "False"], ["-0.75", "False"]],
        "filter": "none",
        "acc": 1.0,
    }
    return {**sample, **changes}


def test_samples_of_the_harness(tmp_path: Path) -> None:
    doubled = {f"gen_args_{n}": {"arg_0": "", "arg_1": text} for n, text in enumerate(["a b", "a c", "a b", "a c"])}
    samples = [
        _sample(),
        _sample(doc={"UID": "u", "pairID": "3"}, filtered_resps=[[-1.5, False], [-0.5, True]]),
        _sample(doc={}, arguments=doubled, filtered_resps=[[-1.0, False], [-2.0, False], [-3.0, False], [-4.0, False]]),
        _sample(filter="other"),
        _sample(doc={"UID": "u", "pairID": "4", "sentence_good": "a b", "sentence_bad": "a b"},
                arguments={f"gen_args_{n}": {"arg_0": "", "arg_1": "a b"} for n in (0, 1)},
                filtered_resps=[[-1.5, False], [-1.5, False]]),
    ]  # fmt: skip
    path = _write(tmp_path, "opt-125m/samples_pairs_2026-01-01.jsonl", _jsonl(*samples))
    _write(tmp_path, "opt-125m/results_2026-01-01.json", "{}")
    findings = Findings()
    (found,) = read_predictions([tmp_path / "opt-125m"], findings=findings)
    assert (found.format, found.unit, found.model) == ("lm-eval", Unit("log_probability", "nats"), "opt-125m")
    rows = [row for row in found.predictions if isinstance(row, SentencePrediction)]
    assert [(row.item_id, row.text, row.value, row.line) for row in rows] == [
        ("p:1:4", "the dog is .", -0.25, 1), ("p:1:4", "the dogs is .", -0.75, 1),
        ("u:3", "the dog is .", -1.5, 2), ("u:3", "the dogs is .", -0.5, 2),
        ("", "a b", -1.0, 3), ("", "a c", -2.0, 3),
        ("u:4", "a b", -1.5, 5), ("u:4", "a b", -1.5, 5),
    ]  # fmt: skip
    assert [row.condition for row in rows[-2:]] == ["good", "bad"]
    assert [warning.line for warning in findings.warnings] == [4]
    assert path.parent.name == found.model
    bad = [
        _sample(),
        _sample(doc=3),
        _sample(filtered_resps=["text"]),
        _sample(filtered_resps=[["nan", "x"], ["y", "x"]]),
    ]
    assert _errors(_write(tmp_path, "samples_y.jsonl", _jsonl(*bad)), "predictions") == [
        "2:bad-row", "3:bad-row", "4:not-finite", "4:not-a-number",
    ]  # fmt: skip


def test_rows_one_after_the_other(tmp_path: Path) -> None:
    _write(tmp_path, "m/a-b.txt", "a b . 0.5\na c . 0.25\n")
    _write(tmp_path, "m/c-d.txt", "a d . 0.5\na e . x\na f . 1.5\na g . 2.5\n")
    seen = []

    def read() -> None:
        for model, unit, row in iter_predictions([tmp_path / "m"]):
            seen.append((model, unit.quantity, row.line))

    with pytest.raises(InputError, match=r"c-d\.txt:2: the last word is 'x': no number"):
        read()
    assert seen == [("m", "cross_entropy", line) for line in (1, 2, 1, 3, 4)]


def test_a_file_of_the_wrong_kind_fills_no_memory(tmp_path: Path) -> None:
    path = _write(tmp_path, "x.txt", "a b x\n" * 10_050)
    with pytest.raises(InputError) as raised:
        list(iter_predictions([path], "lines"))
    assert len(raised.value.findings) == 10_001
    assert raised.value.findings[-1].message == "and 50 more errors, to this line"
    assert raised.value.findings[-1].line == 10_050
    warnings = Findings()
    list(iter_predictions([_write(tmp_path, "y.txt", "a b -1\n" * 1000)], "lines", warnings))
    assert [warning.message for warning in warnings] == [
        "a cross-entropy below 0: is it a log-probability? (and 999 more)"
    ]


def test_scored_lines_are_not_held_in_memory(tmp_path: Path) -> None:
    path = _write(tmp_path, "x.txt", "".join(f"the dog number {n} is here . {n}.5\n" for n in range(60_000)))
    tracemalloc.start()
    try:
        assert sum(1 for _ in iter_predictions([path])) == 60_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 4


@pytest.mark.parametrize("format_name", ["items", "blimp", "zorro", "sentences", "clams", "syntaxgym", "babeval"])
def test_what_the_generator_writes_is_read(format_name: str, tmp_path: Path) -> None:
    """The two packages meet at files only: so does this test."""
    made = [
        sys.executable,
        "-m",
        "generator",
        "make",
        "en/babeval/agreement_across_RC",
        "en/blimp/wh_island",
        "-n",
        "6",
    ]
    for name in ("items", format_name):
        options = ["--format", name, "-o", str(tmp_path / name), "--style", "tokens", "--quiet"]
        subprocess.run([*made, *options], check=True, cwd=Path(__file__).parents[1])
    findings = Findings()
    own, items = read_items([tmp_path / "items"]), read_items([tmp_path / format_name], findings=findings)
    reader = detect_items(Source(Path(items[0].file)))
    assert reader is not None
    assert reader.name == format_name
    assert not findings.errors
    assert len(items) == len(own) == 12
    if format_name == "babeval":  # which does not say which of the two is acceptable
        texts = [{condition.text for condition in item.conditions} for item in items]
        assert texts == [set(pair) for pair in _texts(own)]
    elif format_name == "syntaxgym":
        assert all(len(item.expectations) == 1 for item in items)
        assert sorted(_texts(items)) == sorted(_texts(own))
    else:
        assert sorted(_texts(items)) == sorted(_texts(own))
    assert {item.paradigm for item in items} == {"agreement_across_RC", "wh_island"}


def test_answers_that_the_generator_writes_are_read(tmp_path: Path) -> None:
    made = [sys.executable, "-m", "generator", "make", "en/babeval/agreement_across_RC", "-n", "6", "--flavour", "open"]
    subprocess.run([*made, "-o", str(tmp_path), "--quiet"], check=True, cwd=Path(__file__).parents[1])
    findings = Findings()
    items = read_items([tmp_path], findings=findings)
    assert not list(findings)
    assert len(items) == 6
    for item in items:
        assert item.mask is not None
        assert list(item.mask.answers) == ["sub_word", "correct_copula", "false_copula"]
        is_singular = item.attribute("n") == "sg"
        assert ("is" in item.mask.answers["correct_copula"]) is is_singular
        assert ("are" in item.mask.answers["correct_copula"]) is not is_singular


def test_the_documents_name_every_format() -> None:
    text = (Path(__file__).parents[1] / "docs" / "prediction-formats.md").read_text("utf-8")
    assert all(f"`{name}`" in text for name in (*ITEM_READERS, *PREDICTION_READERS))
