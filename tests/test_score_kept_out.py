"""`score evaluate-lm`: why pairs are kept out, how far a run is, and how models are named that are no .pt file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from scorers.cli.main import main
from scorers.errors import Findings, UsageError
from scorers.evaluate_lm.models import Request, load
from scorers.evaluate_lm.pairs import SentencePair
from scorers.evaluate_lm.scoring import evaluate_targets
from scorers.models import Family, LanguageModel, ModelOptions, Stretch, TokenScores

VECTORS = "dog 0.5 1\ndogs 1 0.5\nruns 1 0\nrun 0 1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.txt").write_text(VECTORS)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], model: str, *rows: str, code: int = 1, flags: Sequence[str] = ()) -> str:
    lines = [row.split("/") for row in rows]
    Path("d.tab").write_text("pattern\tsent\tsent_alt\n" + "".join(f"p\t{good}\t{bad}\n" for good, bad in lines))
    assert main(["evaluate-lm", "--data", "d.tab", "--model", model, *(flags or ["--eval_target_word"])]) == code
    return capsys.readouterr().err


def test_forms_without_a_vector(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("numpy")
    err = said(
        capsys, "embeddings:v.txt",
        "the dog runs/the dog run", "the dog wugs/the dog wug", "a dog runs/a dog wug", "the run dog/the run ,",
        "the runs so/the run so",
    )  # fmt: skip
    assert (
        "d.tab:3: warning: kept out: the model has no number for words that it does not know: wug (2), wugs (1) "
        "(2 pairs: lines 3, 4)\n"
    ) in err
    assert "d.tab:5: warning: kept out: the model has no number for punctuation: , (1)\n" in err
    assert "d.tab:6: warning: kept out: the model has no number for a word beside which it knows no other: " in err
    assert "run (1)" in err
    assert "nothing stands before it" not in err


@pytest.mark.parametrize("model", ["length", "unigram:en"])
def test_targets_that_are_punctuation(folder: Path, capsys: pytest.CaptureFixture[str], model: str) -> None:
    rows = ["the dog runs/the dog run", "the dog runs ./the dog runs ,", "it is ;/it is ,"]
    err = said(capsys, model, *rows)
    assert "kept out: the model has no number for punctuation: , (2), . (1), ; (1) (2 pairs: lines 3, 4)\n" in err
    err = said(capsys, model, rows[1], code=3)
    assert "d.tab: nothing is left to evaluate: the model has no number for punctuation\n" in err
    err = said(capsys, model, "a dog/a cat", ". ;/. !", flags=["--print_word_probs"])
    assert "kept out: the model has no number for punctuation: . (1), ; (1), ! (1)\n" in err


def test_words_that_are_not_known_are_counted_and_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    err = said(capsys, "unigram:en", "the dog runs/the dog wugzib", "the dog runs/the dog run", code=0)
    assert "1 of 2 pairs differ in a word that the model does not know" in err
    assert "wugzib (1)" in err
    assert "overall      2" in err


class First(LanguageModel):
    """A model that says nothing of a first word."""

    name = "first"

    def signature(self) -> Mapping[str, str]:
        return {}

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores]:
        return [
            TokenScores(("x",), (stretch.start,), (-1.0 if stretch.start else float("nan"),)) for stretch in stretches
        ]


def test_a_word_that_nothing_stands_before() -> None:
    pairs = [SentencePair(2, "p", "", "dogs run", "dog run", 0), SentencePair(3, "p", "", "dogs run", "dogs runs", 1)]
    found = evaluate_targets(First(), pairs)
    assert [outcome.pair.line for outcome in found.outcomes] == [3]
    (kept,) = found.refused
    assert (kept.pair.line, kept.words) == (2, ("dogs", "dog"))
    assert kept.reason == "the model has no number for a word that nothing stands before"


# --- how far it is ------------------------------------------------------------------------------------------------


class Bar:
    """What a bar is told."""

    said: list[int] = []  # noqa: RUF012

    def __init__(self, total: int) -> None:
        self.said[:] = [total]

    def __enter__(self) -> Bar:
        return self

    def advance(self, count: int) -> None:
        self.said.append(count)

    def __exit__(self, *error: object) -> None:
        self.said.append(-1)


def test_a_run_says_how_far_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scorers.cli.evaluate_lm.Progress", Bar)
    rows = [f"w{number} runs/w{number} run" for number in range(300)]
    said(capsys, "length", *rows, code=0, flags=["--print_word_probs"])
    assert Bar.said[:2] == [600, 0]  # what there is to do; what was done before
    assert sum(Bar.said[1:-1]) == 600
    assert len(Bar.said) > 4
    # Target words: the distinct stretches, and a mask for each pair.
    said(capsys, "unigram:en", *rows[:3], rows[0], code=0)
    assert Bar.said == [9, 0, 6, 3, -1]


def test_tokens_that_are_computed_at_once(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[ModelOptions] = []

    def found(argument: str, options: ModelOptions, findings: object) -> First:
        loaded.append(options)
        return First()

    family = Family("causal", "", "NAME", found, frozenset({"batch_tokens"}))
    monkeypatch.setattr("scorers.models.MODELS", {"causal": family})
    monkeypatch.setattr("scorers.evaluate_lm.models.MODELS", {"causal": family})
    for flag in ("--batch_tokens", "--batch-tokens"):
        said(capsys, "causal:x", "a dog/a cat", code=0, flags=["--eval_target_word", flag, "7"])
    assert [options.batch_tokens for options in loaded] == [7, 7]


def test_what_batch_tokens_mean_nothing_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--batch-tokens means nothing to a model of the kind 'length'" in said(
        capsys, "length", "a dog/a cat", code=2, flags=["--batch_tokens", "7"]
    )
    flags = ["--eval_target_word", "--compatible", "--vocab", "v", "--batch_tokens", "7"]
    assert "are read sentence by sentence" in said(capsys, "x.pt", "a dog/a cat", code=2, flags=flags)


# --- names of models ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b3.arpa", b"\\data\\\n"),
        ("b3.arpa.gz", b"\x1f\x8b"),
        ("model", b"\n\\data\\\nngram 1=2\n"),
        ("b3.bin", b"mmap lm http://kheafield.com/code format version 5\n\0"),
    ],
)
def test_n_gram_models_are_called_by_their_family(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes
) -> None:
    (folder / name).write_bytes(content)
    err = said(capsys, name, "a dog/a cat", code=2)
    assert f"--model {name}: expected a .pt file; an n-gram model is named ngram:{name}\n" in err
    assert "--vocab" not in err


def test_folders_are_called_by_their_family(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "gpt").mkdir()
    err = said(capsys, "gpt", "a dog/a cat", code=2)
    assert "a folder; expected a .pt file" in err
    assert "masked:gpt, causal:gpt or seq2seq:gpt\n" in err


def test_other_files_are_recurrent_models(folder: Path) -> None:
    (folder / "weights").write_bytes(b"\x80\x02")
    with pytest.raises(UsageError, match="expected --vocab"):
        load(Request("weights"), Findings())
