"""`score model`: the baselines, the lists they read, and the predictions they write."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorers.aligning import align
from scorers.cli.main import main
from scorers.errors import Findings, InputError, ScoreError, UsageError
from scorers.models import MODELS, LanguageModel, MaskedSentence, Stretch, find_model
from scorers.predicting import Said
from scorers.readers.files import read_items, read_predictions

COUNTS = "word\tcount\nthe\t6\ndog\t3\ndogs\t1\nMary\t2\n"

# In a virtual environment with nltk==3.9.2 and wordfreq==3.1.1; s.split() of each sentence:
# text = ["the"] * 6 + ["dog"] * 3 + ["dogs"] + ["Mary"] * 2
# m = nltk.lm.MLE(1); m.fit([[(w,) for w in text]], vocabulary_text=text)
# math.fsum(m.logscore(w) * math.log(2) for w in s.split())
COUNTED = {"the dog": -2.0794415416798357, "the dogs": -3.1780538303479458, "Mary the dogs": -4.969813299576001}
# math.fsum(math.log(wordfreq.word_frequency(w, "en", "best")) for w in s.split())
SHIPPED = {
    "look at that translucent jacket .": -41.33524378447244,
    "look at that translucent jackets .": -42.509363625648696,
    "The cups on the table are brown.": -45.4097187750466,
    "Aaron likes the mice .": -35.044648343410735,
}


def scored(model: LanguageModel, *texts: str) -> list[float]:
    return [score.total for score in model.score([Stretch.whole(text) for text in texts])]


def unknown(model: LanguageModel, *texts: str) -> list[str]:
    return [word for score in model.score([Stretch.whole(text) for text in texts]) for word in score.unknown]


def unigram(folder: Path, text: str) -> Any:
    path = folder / "list.tsv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return find_model(f"unigram:{path}", Findings())


def test_counts_give_maximum_likelihood(tmp_path: Path) -> None:
    model = unigram(tmp_path, COUNTS)
    assert scored(model, *COUNTED) == pytest.approx(list(COUNTED.values()), rel=1e-12)
    assert unknown(model, *COUNTED) == []


def test_shipped_frequencies_are_those_of_wordfreq() -> None:
    model = find_model("unigram:en", Findings())
    # Two decimals of a base-10 logarithm: up to 0.005 * ln 10 a word.
    for found, (text, expected) in zip(scored(model, *SHIPPED), SHIPPED.items(), strict=True):
        assert found == pytest.approx(expected, abs=0.0116 * len(text.split()))
    assert unknown(model, *SHIPPED) == []
    assert model.name == "unigram-en"


def test_commas_and_quotes_are_read_as_tabs_are(tmp_path: Path) -> None:
    rows = [line.split("\t") for line in COUNTS.splitlines()]
    commas = unigram(tmp_path, "\r\n".join(f'"{word}",{number}' for word, number in rows).replace('"word"', "word"))
    assert scored(commas, *COUNTED) == scored(unigram(tmp_path, COUNTS), *COUNTED)


def test_words_are_looked_up_as_written_then_small_then_bare(tmp_path: Path) -> None:
    model = unigram(tmp_path, "word,count\nMay,1\nmay,3\n's,4\n")
    may, verb, clitic = (math.log(count / 8) for count in (1, 3, 4))
    assert scored(model, "May", "may", "MAY", "'s", "(May!)", "Can't") == pytest.approx(
        [may, verb, verb, clitic, may, math.log(1 / 16)]
    )
    assert unknown(model, "May", "Can't") == ["Can't"]


def test_unknown_words_have_half_the_probability_of_the_rarest(tmp_path: Path) -> None:
    model = unigram(tmp_path, COUNTS + "unseen\t0\n")
    half = math.log(0.5 / 12)
    assert scored(model, "wug wug", "unseen .", "the zebra ?") == pytest.approx(
        [2 * half, half, math.log(6 / 12) + half]
    )
    assert unknown(model, "wug wug", "unseen .", "the zebra ?") == ["wug", "wug", "unseen", "zebra"]


def test_many_unknown_words_are_cut() -> None:
    said = Said(["{}"] * 3, with_unknown=2)
    said.unknown.update(f"w{number:02}" for number in range(12))
    note = said.note("m", "sentences")
    assert note.startswith("m: 12 tokens of 12 types are not known, in 2 of 3 sentences: w00 (1), ")
    assert note.endswith("w08 (1), w09 (1) and 2 more")
    assert Said(["{}"]).note("m", "sentences") == ""


def test_punctuation_and_expressions_are_no_words_of_a_list(tmp_path: Path) -> None:
    # They count for the total, as all tokens of a corpus do.
    model = unigram(tmp_path, "word\tcount\n.\t5\na few\t1\nthe\t1\ndog\t1\n")
    assert scored(model, "the dog . . .", "few") == pytest.approx([2 * math.log(1 / 8), math.log(1 / 16)])


def test_masks_are_filled_with_the_most_probable_word(tmp_path: Path) -> None:
    model = unigram(tmp_path, "word\tcount\n.\t9\nb\t2\na\t2\n")
    (fills, _) = model.fill([MaskedSentence("the [MASK] .", "[MASK]")] * 2, 2)
    assert [(fill.word, fill.probability) for fill in fills] == [
        ("a", pytest.approx(2 / 13)),
        ("b", pytest.approx(2 / 13)),
    ]
    english: Any = find_model("unigram:en", Findings())
    ((fill,),) = english.fill([MaskedSentence("[MASK]", "[MASK]")], 1)
    assert fill.word == "the"
    assert fill.probability == pytest.approx(0.0537, abs=1e-4)  # wordfreq.word_frequency("the", "en")


def test_length_counts_words() -> None:
    model = find_model("length", Findings())
    assert scored(model, "the dog is here .", "Is n't it ?") == [-4, -3]
    (score,) = model.score([Stretch("a b ?", 1, 5)])
    assert (score.tokens, score.starts, score.count) == (("b",), (2,), 1)


def test_a_sentence_without_words_has_no_number(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "items" / "masks.txt").unlink()
    (folder / "items" / "agreement-number.txt").write_text("... !\nthe dog is here .\n")
    assert main(["model", "items", "--items-format", "zorro", "--model", "length", "-o", "l.jsonl"]) == 1
    assert "agreement-number.txt:1: warning: " in capsys.readouterr().err
    assert [entry["condition"] for entry in records(folder / "l.jsonl")] == ["acceptable"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 0, "the file is empty"),
        ("word\tcount\nthe\t3\n\udcff\t4\n", 3, "not UTF-8"),
        ("\udcff\n", 1, "not UTF-8"),
        ("word\tcount\n", 0, "no word with a number above 0"),
        ("dog\t3\nthe\t4\n", 1, "no list of words: the first line is 'dog\\t3'"),
        ("word,counts\nthe,3\n", 1, "did you mean 'count'?"),
        ("word\tcount\nthe\n", 2, "expected a word and its number"),
        ("word\tcount\nthe\t4\n\ndog\t3\t1\n", 4, "expected a word and its number"),
        ("word\tcount\nthe\t-4\n", 2, "the count is '-4': expected a number from 0"),
        ("word,frequency\nthe,nan\n", 2, "the frequency is 'nan'"),
        ("word,frequency\nthe,7.7\ndog,512\n", 3, "numbers of the Zipf scale are below 9"),
        ("word,count\nthe,3\nthe,4\n", 3, "'the' stands twice (first in line 2)"),
        ('word,count\n"the,3\n', 2, "quotes that do not fit"),
    ],
)
def test_lists_that_are_none(text: str, line: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        unigram(tmp_path, text)
    (finding,) = caught.value.findings
    assert (finding.file, finding.line) == (str(tmp_path / "list.tsv"), line)
    assert message in finding.message


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        ("unigrm:en", UsageError, "no family of models is called 'unigrm'; did you mean 'unigram'?"),
        ("gpt", UsageError, "there are masked, causal, seq2seq, lstm, ngram, unigram, length"),
        ("unigram", UsageError, r"expected unigram:FILE\|LANGUAGE"),
        ("unigram:", UsageError, "expected unigram"),
        ("length:3", UsageError, "nothing stands behind 'length'"),
        ("unigram:gone.csv", ScoreError, "gone.csv: there is no such file; expected .* a language of cs, de, en"),
        ("unigram:.", ScoreError, "is a folder"),
    ],
)
def test_specs_that_are_none(spec: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        find_model(spec, Findings())


def test_every_family_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["model", "--help"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in MODELS)


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Zorro's lines and open-ended ones in a folder `items`, of one paradigm each."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items").mkdir()
    pairs = ["the dogs is here .", "the dog is here .", "the dog are here .", "the dogs are here ."]
    (tmp_path / "items" / "agreement-number.txt").write_text("\n".join(pairs) + "\n")
    (tmp_path / "items" / "masks.txt").write_text("the [MASK] is here .\nthe [MASK] are here .\n")
    return tmp_path


def records(path: Path) -> Iterator[Any]:
    return (json.loads(line) for line in path.read_text("utf-8").splitlines())


def test_predictions_of_scores_and_masks_in_one_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "items", "--model", "unigram:en", "-o", "u.jsonl"]) == 0
    assert capsys.readouterr() == ("", "")
    *scores, first, _ = records(folder / "u.jsonl")
    assert list(scores[0]) == [
        *("id", "condition", "text", "log_probability_nats", "token_count", "model", "signature")
    ]
    assert [entry["token_count"] for entry in scores] == [4] * 4
    assert (first["text"], first["fill"]) == ("the the is here .", "the")
    items = read_items(["items"])
    (file,) = read_predictions(["u.jsonl"])
    found = align(items, [file])
    assert found.counts == {"joined": 4, "missing": 0, "duplicate": 0, "unknown": 0, "ambiguous": 0}
    assert (found.unit.quantity, found.unit.base, found.model) == ("log_probability", "nats", "unigram-en")
    assert [result.fill for result in found.results] == [None, None, "the", "the"]


def test_words_before_scores_are_read_too(folder: Path) -> None:
    assert main(["model", "items", "--model", "unigram:en", "-o", "u.jsonl"]) == 0
    lines = (folder / "u.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "turned.jsonl").write_text("".join(reversed(lines)), "utf-8")
    items = read_items(["items"])
    ways = [align(items, read_predictions([name])) for name in ("u.jsonl", "turned.jsonl")]
    assert [result.values for result in ways[0].results] == [result.values for result in ways[1].results]
    assert [result.fill for result in ways[1].results] == [None, None, "the", "the"]


def test_a_row_without_a_score_is_no_word(folder: Path) -> None:
    (folder / "s.jsonl").write_text('{"id": "a", "score": 1}\n{"id": "b", "word": "dog"}\n')
    with pytest.raises(InputError, match=r"s\.jsonl:2: 'score' is missing"):
        read_predictions(["s.jsonl"])


def test_scores_and_words_of_one_model_in_two_files(folder: Path) -> None:
    for part, name in (("agreement-number", "forced"), ("masks", "open")):
        command = ["model", f"items/{part}.txt", "--model", "unigram:en", "-o", f"{name}.jsonl"]
        assert main(command) == 0
    found = align(read_items(["items"]), read_predictions(["open.jsonl", "forced.jsonl"]))
    assert found.unit.quantity == "log_probability"
    assert found.counts["joined"] == 4
    assert not found.odd


def test_length_says_nothing_of_masks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "items", "--model", "length", "--name", "short", "-o", "l.jsonl"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "score: 'length' says nothing of masks: 2 open-ended items have no prediction\n"
    assert [(entry["score"], entry["model"]) for entry in records(folder / "l.jsonl")] == [(-4.0, "short")] * 4
    # One warning, and no gap for each mask.
    assert main(["predictions", "items", "l.jsonl", "--json"]) == 0
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert report["alignment"][0]["missing"] == 0
    assert not report["answers"]
    assert "l.jsonl: warning: 2 open-ended items are left out" in captured.err
    assert main(["model", "items/masks.txt", "--model", "length"]) == 3
    assert "all items are open-ended" in capsys.readouterr().err


def test_words_alone_leave_sentences_out(folder: Path) -> None:
    assert main(["model", "items/masks.txt", "--model", "unigram:en", "-o", "open.jsonl"]) == 0
    found = align(read_items(["items"]), read_predictions(["open.jsonl"]))
    assert found.counts["missing"] == 0
    (finding,) = found.odd
    assert "2 items to be scored are left out" in finding.message


def test_a_mask_that_is_left_out_among_others_is_missing(folder: Path) -> None:
    assert main(["model", "items", "--model", "unigram:en", "-o", "u.jsonl"]) == 0
    lines = (folder / "u.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "u.jsonl").write_text("".join(lines[:-1]), "utf-8")
    found = align(read_items(["items"]), read_predictions(["u.jsonl"]))
    assert found.counts["missing"] == 1
    assert not found.odd


def test_answers_of_several_paradigms_are_not_thrown_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "pq":
        record = {"id": f"{name}:1:open:1", "paradigm": name, "language": "en", "flavour": "open", "template": "1",
                  "number": 1, "crossed": {}, "bindings": [], "mask": {"slot": "n", "token": "[MASK]", "answers": ""},
                  "conditions": [{"name": "open", "acceptable": True, "text": f"{name} [MASK]", "tokens": [],
                                  "regions": []}]}  # fmt: skip
        (folder / "items" / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    for names, labels in ((["items/p.jsonl"], ["1"]), (["items"], ["masks", "p:1", "q:1", "all"])):
        assert main(["model", *names, "--model", "unigram:en", "-o", "u.jsonl"]) == 0
        assert main(["predictions", *names, "u.jsonl", "--json"]) == 0
        (answers,) = json.loads(capsys.readouterr().out)["answers"]
        assert [row["label"] for row in answers["rows"]] == labels


def test_predictions_on_standard_output_are_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "list.csv").write_text("word,count\nthe,3\nis,1\n")
    command = ["model", "items", "--model", "unigram:list.csv"]
    assert main([*command, "-o", "u.jsonl"]) == 0
    first = capsys.readouterr()
    note = "unigram-list: 10 tokens of 4 types are not known, in 4 of 6 sentences: here (4), "
    assert note in first.err
    assert main(command) == 0
    assert capsys.readouterr() == ((folder / "u.jsonl").read_text("utf-8"), first.err)


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (["model", "items"], 2, "--model"),
        (["model", "items", "--model", "lenght"], 2, "did you mean 'length'?"),
        (["model", "gone", "--model", "length"], 3, "gone: there is no such file"),
        (["model", "items", "--model", "unigram:items/masks.txt"], 3, "items/masks.txt:1: no list of words"),
        (["model", "items", "--model", "length", "-o", "no/such.jsonl"], 3, "no/such.jsonl: cannot be written"),
        (["model", "items", "--model", "length", "-o", "items"], 3, "items: cannot be written"),
        (["model", "items", "--model", "length", "--items-format", "zoro"], 2, "did you mean 'zorro'?"),
    ],
)
def test_mistakes(
    command: list[str], code: int, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.rglob("*"))
    try:
        found = main(command)
    except SystemExit as error:
        found = int(error.code or 0)
    captured = capsys.readouterr()
    assert (found, captured.out) == (code, "")
    assert message in captured.err
    assert sorted(folder.rglob("*")) == before
