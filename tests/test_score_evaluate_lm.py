"""`score evaluate-lm`: every combination of flags equals a plain computation; formats, conversion, messages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import lstm_cases as cases  # noqa: E402

from scorers.cli.main import main  # noqa: E402
from scorers.errors import Findings  # noqa: E402
from scorers.models import (  # noqa: E402
    MODELS,
    Family,
    Fill,
    MaskedSentence,
    MaskFiller,
    ModelOptions,
    Refusal,
    Stretch,
    TokenScores,
)
from scorers.readers.files import read_predictions  # noqa: E402

PAIRS = cases.agreement_pairs(60)
COLUMNS = (
    "pattern constr_id sent_id correct_number form class type prefix n_attr punct freq len_context len_prefix sent"
)


def differing(good: str, bad: str) -> int:
    (place,) = [n for n, (one, other) in enumerate(zip(good.split(), bad.split(), strict=True)) if one != other]
    return place


def with_form(text: str, place: int, form: str) -> str:
    words = text.split()
    return " ".join((*words[:place], form, *words[place + 1 :]))


class Setup:
    """A model that was trained here, in the old layout; its vocabulary; the same pairs in the three formats."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        sentences = cases.corpus(3000)
        self.words = cases.vocabulary(sentences)
        (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in self.words))
        with cases.program(folder) as module:
            model = cases.trained(module, sentences, self.words, epochs=4)
            cases.save(model, folder / "model.pt")
        self.oracle = cases.Oracle(model, self.words)
        self.pairs = [(f"p{number % 3}", good, bad) for number, (good, bad) in enumerate(PAIRS)]
        # What stands at the target in the file is another word in the word-focused and original formats.
        self.shown = [with_form(good, differing(good, bad), "waits") for _, good, bad in self.pairs]
        self.write("sentences.tab", ["pattern\tsent\tsent_alt"], [
            f"{name}\t{good} <eos>\t{bad} <eos>" for name, good, bad in self.pairs
        ])  # fmt: skip
        forms = [
            (name, good.split()[place], bad.split()[place], place)
            for name, good, bad in self.pairs
            for place in [differing(good, bad)]
        ]
        self.write("words.tab", ["pattern\tform\tform_alt\tlen_prefix\tsent"], [
            f"{name}\t{form}\t{other}\t{place}\t{shown} <eos>"
            for (name, form, other, place), shown in zip(forms, self.shown, strict=True)
        ])  # fmt: skip
        self.write("original.tab", [COLUMNS.replace(" ", "\t")], [
            f"{name}\t{number}\t0\tsing\t{word}\t{kind}\ttype\tprefix\t0\t.\t7\t3\t{place}\t{shown} <eos>"
            for number, ((name, form, other, place), shown) in enumerate(zip(forms, self.shown, strict=True))
            for word, kind in ((form, "correct"), (other, "wrong"))
        ])  # fmt: skip

    def write(self, name: str, header: list[str], rows: Sequence[str]) -> Path:
        (self.folder / name).write_text("".join(f"{line}\n" for line in (*header, *rows)))
        return self.folder / name

    def data(self, rows: Sequence[tuple[str, str, str]]) -> Path:
        lines = [f"{name}\t{good} <eos>\t{bad} <eos>" for name, good, bad in rows]
        return self.write("other.tab", ["pattern\tsent\tsent_alt"], lines)

    def arguments(self, data: Path | str, *flags: str) -> list[str]:
        folder = self.folder
        return [
            "evaluate-lm", "--data", str(folder / data), "--model", str(folder / "model.pt"), "--vocab",
            str(folder / "vocab.txt"), *flags,
        ]  # fmt: skip


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Setup:
    return Setup(tmp_path_factory.mktemp("evaluation"))


def rows_of(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines() if not line.startswith("\t")]


def expected_sentences(setup: Setup, is_compatible: bool) -> list[tuple[float, float]]:
    sums = []
    for _, good, bad in setup.pairs:
        both = [
            setup.oracle.of_words(text, has_bos=not is_compatible, has_eos=not is_compatible) for text in (good, bad)
        ]
        sums.append(tuple(math.fsum(value for value in values if not math.isnan(value)) for values in both))
    return [(good, bad) for good, bad in sums]


def expected_targets(setup: Setup, shown: Sequence[str], is_compatible: bool) -> list[tuple[float, float, str]]:
    """Of each pair the log-probabilities of both forms, and the best word."""
    found, hidden = [], None
    for (_, good, bad), text in zip(setup.pairs, shown, strict=True):
        place = differing(good, bad)
        if is_compatible:
            values, hidden = setup.oracle.read([*text.split(), "<eos>"], hidden)
            row = values[place - 1]
        else:
            row = setup.oracle.read(["<eos>", *good.split()[:place]])[0][-1]
        forms = [float(row[setup.oracle.ids[text.split()[place]]]) for text in (good, bad)]
        best = setup.words[int((row if is_compatible else row[2:]).argmax()) + (0 if is_compatible else 2)]
        found.append((forms[0], forms[1], best))
    return found


@pytest.mark.parametrize("compatible", [True, False])
@pytest.mark.parametrize("with_words", [True, False])
@pytest.mark.parametrize("form", ["sentences", "words", "original"])
def test_whole_sentences(
    setup: Setup, capsys: pytest.CaptureFixture[str], form: str, with_words: bool, compatible: bool
) -> None:
    flags = ["--compatible"] * compatible + ["--print_word_probs"] * with_words + ["--original"] * (form == "original")
    assert main(setup.arguments(f"{form}.tab", *flags)) == 0
    out, err = capsys.readouterr()
    rows, expected = rows_of(out), expected_sentences(setup, compatible)
    assert len(rows) == len(setup.pairs)
    right = 0
    for row, (name, good, bad), (one, other) in zip(rows, setup.pairs, expected, strict=True):
        assert row[0] == str(one > other)
        assert row[1] == name
        assert [float(row[2]), float(row[3])] == pytest.approx([one, other], abs=1e-4)
        assert row[4:] == [f"{good} <eos>", f"{bad} <eos>"]
        right += one > other
    assert right > 50  # it has learnt agreement
    assert f"overall  {len(rows):5}  {right:5}" in err
    assert ("\n\t" in out) is with_words


@pytest.mark.parametrize("compatible", [True, False])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("form", ["sentences", "words", "original"])
def test_target_words(
    setup: Setup, capsys: pytest.CaptureFixture[str], form: str, masked: bool, compatible: bool
) -> None:
    flags = ["--eval-target-word", *["--compatible"] * compatible, *["--mask_target"] * masked]
    assert main(setup.arguments(f"{form}.tab", *flags)) == 0
    out, err = capsys.readouterr()
    shown = [good for _, good, _ in setup.pairs] if form == "sentences" else setup.shown
    expected = expected_targets(setup, shown, compatible)
    for row, (name, good, bad), (one, other, best) in zip(rows_of(out), setup.pairs, expected, strict=True):
        place = differing(good, bad)
        assert row[:3] == [str(one > other), name, good.split()[place]]
        assert row[4] == bad.split()[place]
        assert [float(row[3]), float(row[5])] == pytest.approx([one, other], abs=1e-4)
        assert row[6:] == [f"max_pred={best}", f"{good} <eos>"]
    assert ("--mask_target: this model reads from left to right" in err) is masked


def test_what_is_carried_over_matters(setup: Setup) -> None:
    """Else the test of --compatible would show nothing."""
    right = expected_targets(setup, setup.shown, False)
    published = expected_targets(setup, setup.shown, True)
    assert max(abs(one[0] - other[0]) for one, other in zip(right, published, strict=True)) > 0.01


@pytest.mark.parametrize("compatible", [True, False])
def test_words_with_their_log_probabilities(setup: Setup, capsys: pytest.CaptureFixture[str], compatible: bool) -> None:
    flags = ["--print_word_probs", *["--compatible"] * compatible]
    assert main(setup.arguments(setup.data(setup.pairs[:2]), *flags)) == 0
    found = [line.split("\t") for line in capsys.readouterr().out.splitlines() if line.startswith("\t")]
    expected: list[tuple[str, str, float]] = []
    for _, *both in setup.pairs[:2]:
        for name, text in zip(("sent", "sent_alt"), both, strict=True):
            values = setup.oracle.of_words(text, has_bos=not compatible, has_eos=not compatible)
            words = [*text.split(), "<eos>"]
            # The published program shows a word beside the number of the one behind it.
            pairs = zip(words, values[1:], strict=False) if compatible else zip(words, values, strict=True)
            expected += [(name, word, value) for word, value in pairs]
    assert [(row[1], row[2]) for row in found] == [row[:2] for row in expected]
    assert [float(row[3]) for row in found] == pytest.approx([row[2] for row in expected], abs=1e-4)


def test_result_lines_are_read_again(setup: Setup, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for flags in (["--print_word_probs"], ["--eval_target_word"]):
        out = tmp_path / "results.txt"
        assert main(setup.arguments("sentences.tab", *flags, "-o", str(out))) == 0
        (file,) = read_predictions([out])
        assert file.format == "lstm-results"
        assert len(file.predictions) == 2 * len(setup.pairs)
        assert main(["predictions", str(setup.folder / "sentences.tab"), str(out), "--json"]) == 0
        capsys.readouterr()


def test_a_target_at_the_first_place(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    data = setup.data([("p", "dogs bark .", "dog bark ."), ("q", "cats bark .", "cat bark .")])
    assert main(setup.arguments(data, "--eval_target_word")) == 0
    row = rows_of(capsys.readouterr().out)[0]
    first = setup.oracle.read(["<eos>"])[0][0]
    assert float(row[3]) == pytest.approx(float(first[setup.oracle.ids["dogs"]]), abs=1e-5)
    # The published program reads place -1: what it says behind the <eos> of the sentence itself.
    assert main(setup.arguments(data, "--eval_target_word", "--compatible")) == 0
    rows = rows_of(capsys.readouterr().out)
    hidden = None
    for row, text, form in zip(rows, ("dogs bark . <eos>", "cats bark . <eos>"), ("dogs", "cats"), strict=True):
        values, hidden = setup.oracle.read(text.split(), hidden)
        assert float(row[3]) == pytest.approx(float(values[-1, setup.oracle.ids[form]]), abs=1e-5)


# --- conversion, ties, unknown words ------------------------------------------------------------------------------


def test_pairs_without_one_target_are_kept_out_and_counted(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    data = setup.data(
        [
            ("p", "the dog barks .", "the dog bark ."),
            ("p", "the dog barks .", "the cats bark ."),
            ("q", "the dog barks .", "the dog barks ."),
            ("q", "the dog barks .", "the dog ."),
        ]
    )
    assert main(setup.arguments(data, "--eval_target_word")) == 1
    out, err = capsys.readouterr()
    assert [row[2] for row in rows_of(out)] == ["barks"]
    assert "differ in exactly one word (3 pairs: lines 3, 4, 5)" in err
    assert main(setup.arguments(setup.data([("p", "a", "b c")]), "--eval_target_word")) == 3
    assert "nothing is left to evaluate: the two sentences do not differ" in capsys.readouterr().err


def test_ties_and_unknown_targets(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    data = setup.data(
        [
            ("p", "the dog wug .", "the dog blick ."),
            ("p", "the dog barks .", "the dog bark ."),
            ("q", "the dog barks .", "the dog wug ."),
            ("q", "the zib barks .", "the zib bark ."),
        ]
    )
    for flags in ([], ["--eval_target_word"]):
        assert main(setup.arguments(data, *flags)) == 0
        out, err = capsys.readouterr()
        rows = rows_of(out)
        assert [row[0] for row in rows][:3] == ["False", "True", "True"]
        assert rows[0][3 if flags else 2] == rows[0][5 if flags else 3]
        assert "2 of 4 pairs differ in a word that the model does not know" in err
        assert "wug (2), blick (1)" in err
        lines = {line.split()[0]: line.split()[1:] for line in err.splitlines() if line[:1] in "pqo"}
        assert lines["p"] == ["2", "1", "1", "75.0"]
        assert lines["overall"][2:] == ["1", "87.5"] if lines["overall"][1] == "3" else ["1", "62.5"]
        assert "a tie counts half a point" in err
    assert main(setup.arguments(data, "--compatible")) == 0
    err = capsys.readouterr().err
    assert next(line.split() for line in err.splitlines() if line.startswith("p ")) == ["p", "2", "1", "1", "50.0"]
    assert "a tie counts as wrong" in err
    assert main(setup.arguments(data, "--compatible", "--eval_target_word")) == 0
    out, err = capsys.readouterr()
    assert len(rows_of(out)) == 2
    assert "2 of 4 pairs were dropped, as in the published program: a form is not in the vocabulary (lines 2, 4)" in err
    only = setup.data([("p", "the dog wug .", "the dog blick .")])
    assert main(setup.arguments(only, "--compatible", "--eval_target_word")) == 3
    assert "no form of any pair is in the vocabulary" in capsys.readouterr().err


def test_dropped_pairs_are_not_read(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = ("p", "the dog wug .", "the dog blick .")
    found = []
    for rows in ([*setup.pairs[:2], unknown, *setup.pairs[2:4]], setup.pairs[:4]):
        main(setup.arguments(setup.data(rows), "--compatible", "--eval_target_word"))
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]


# --- formats ------------------------------------------------------------------------------------------------------


def test_the_pattern_stands_as_in_the_file(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    """Readers of items shorten `FILE_2` to `2`; here it stays."""
    rows = [("other_2", "the dog barks .", "the dog bark ."), ("7", "the cat barks .", "the cat bark .")]
    assert main(setup.arguments(setup.data(rows))) == 0
    assert [row[1] for row in rows_of(capsys.readouterr().out)] == ["other_2", "7"]


def test_headers(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    def said(data: str | Path, *flags: str) -> str:
        assert main(setup.arguments(data, *flags)) == 3
        return capsys.readouterr().err

    assert "not in the original format: the header lacks constr_id, " in said("sentences.tab", "--original")
    assert "it is in the sentence-focused format: leave --original out" in said("sentences.tab", "--original")
    setup.write("headless.tab", ["p\ta .\tb ."], [])
    assert "the header has p, a ., b .; expected pattern constr_id" in said("headless.tab")
    setup.write("empty.tab", ["pattern\tsent\tsent_alt"], [])
    assert "no pairs: the file has no rows" in said("empty.tab")
    setup.write("bad.tab", ["pattern\tsent\tsent_alt"], ["p\ta .", "p\t\tb ."])
    assert "bad.tab:2: 2 tab-separated cells" in said("bad.tab")
    assert "there is no such file; did you mean" in said("sentence.tab")


# --- models -------------------------------------------------------------------------------------------------------


class Stub(MaskFiller):
    """A masked model that knows one form better."""

    name = "stub"
    is_left_to_right = False
    asked: list[Any] = []  # noqa: RUF012

    def signature(self) -> Mapping[str, str]:
        return {}

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
        self.asked += stretches
        return [self._score(stretch) for stretch in stretches]

    def _score(self, stretch: Stretch) -> TokenScores | Refusal:
        if "long" in stretch.text:
            return Refusal("9 tokens, and the model's window has 8")
        word = stretch.text[stretch.start : stretch.end]
        pieces = (word[:2], word[2:])
        return TokenScores(pieces, (stretch.start, stretch.start + 2), (-1.0, -0.5 if word == "barks" else -2.0))

    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> list[tuple[Fill, ...] | Refusal]:
        self.asked += sentences
        return [(Fill("##s", 0.5),)[:top] for _ in sentences]


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ModelOptions]]:
    loaded: list[tuple[str, ModelOptions]] = []

    def load(argument: str, options: ModelOptions, findings: Findings) -> Stub:
        loaded.append((argument, options))
        return Stub()

    Stub.asked = []
    family = Family("masked", "stub", "NAME_OR_PATH", load, frozenset({"device"}))
    monkeypatch.setattr("scorers.models.MODELS", {**MODELS, "masked": family})
    monkeypatch.setattr("scorers.evaluate_lm.models.MODELS", {**MODELS, "masked": family})
    return loaded


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("bert_base_uncased", "bert-base-uncased"),
        ("bert_base_cased", "bert-base-cased"),
        ("bert_large_uncased", "bert-large-uncased"),
        ("bert-large-cased", "bert-large-cased"),
        ("masked:./some/folder", "./some/folder"),
    ],
)
def test_masked_models(
    setup: Setup, capsys: pytest.CaptureFixture[str], stub: list[Any], name: str, argument: str
) -> None:
    data = setup.data(
        [("p", "the dog barks here .", "the dog bark here ."), ("p", "the long dog barks .", "the long dog bark .")]
    )
    arguments = ["evaluate-lm", "--data", str(data), "--model", name, "--eval_target_word", "--mask_target"]
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == "True\tp\tbarks\t-1.5\tbark\t-3.0\tmax_pred=##s\tthe dog barks here . <eos>\n"
    assert [entry[0] for entry in stub] == [argument]
    assert stub[0][1] == ModelOptions(device="cpu")
    assert Stretch("the dog barks here .", 8, 13) in Stub.asked
    assert MaskedSentence("the dog <mask> here .", "<mask>") in Stub.asked
    assert "other.tab:3: warning: kept out: 9 tokens, and the model's window has 8" in err
    assert "--mask_target" not in err


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], "a masked model is asked for target words here, not for whole sentences"),
        (["--mask_target"], "not for whole sentences"),
        (["--print_word_probs"], "not for whole sentences"),
        (["--eval_target_word"], "a masked model says nothing of a word that it sees: give --mask_target"),
        (["--eval_target_word", "--mask_target", "--print_word_probs"], "does not go with --eval_target_word"),
        (["--eval_target_word", "--mask_target", "--compatible"], "which bert_base_cased is not"),
    ],
)
def test_what_masked_models_are_not_asked(
    setup: Setup, capsys: pytest.CaptureFixture[str], stub: list[Any], flags: list[str], expected: str
) -> None:
    data = str(setup.folder / "sentences.tab")
    assert main(["evaluate-lm", "--data", data, "--model", "bert_base_cased", *flags]) == 2
    out, err = capsys.readouterr()
    assert expected in err
    assert (out, stub, err.count("\n")) == ("", [], 1)


def test_what_recurrent_models_are_not_asked(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(setup.arguments("sentences.tab", "--eval_target_word", "--print-word-probs")) == 2
    assert "does not go with --eval_target_word" in capsys.readouterr().err
    assert main(setup.arguments("sentences.tab", "--mask_target")) == 2
    assert "it goes with --eval_target_word" in capsys.readouterr().err


def test_names_of_models(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["evaluate-lm", "--data", str(setup.folder / "sentences.tab"), "--model"]
    assert main([*data, "bert_base_uncase"]) == 2
    assert "no model of that name; did you mean 'bert_base_uncased'?" in capsys.readouterr().err
    assert main([*data, "wug"]) == 2
    assert "expected a .pt file, one of bert_base_uncased, " in capsys.readouterr().err
    assert main([*data, str(setup.folder / "modle.pt"), "--vocab", str(setup.folder / "vocab.txt")]) == 3
    assert "there is no such file; did you mean" in capsys.readouterr().err
    assert main([*data, str(setup.folder / "model.pt")]) == 2
    assert "expected --vocab vocab.txt" in capsys.readouterr().err


def test_a_path_with_a_dot_and_any_other_family(
    setup: Setup, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(setup.folder)
    arguments = ["evaluate-lm", "--data", "./sentences.tab", "--model", "./model.pt", "--vocab", "./vocab.txt"]
    assert main(arguments) == 0
    expected = capsys.readouterr().out
    assert main([*arguments[:4], "lstm:model.pt", "--vocab", "vocab.txt"]) == 0
    assert capsys.readouterr().out == expected
    assert main(["evaluate-lm", "--data", "sentences.tab", "--model", "length"]) == 0
    out, err = capsys.readouterr()
    assert {row[0] for row in rows_of(out)} == {"False"}
    assert f"overall  {len(setup.pairs):5}      0  {len(setup.pairs):4}      50.0" in err
    assert main(["evaluate-lm", "--data", "sentences.tab", "--model", "unigram:en", "--eval_target_word"]) == 0
    assert "max_pred=" in rows_of(capsys.readouterr().out)[0][6]


def test_seed_and_cuda(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(setup.arguments("sentences.tab")) == 0
    first = capsys.readouterr()
    assert main(setup.arguments("sentences.tab", "--seed", "7")) == 0
    second = capsys.readouterr()
    assert first.out == second.out
    assert "--seed: nothing is drawn at random here" in second.err
    assert "--seed" not in first.err
    if not torch.cuda.is_available():
        assert main(setup.arguments("sentences.tab", "--cuda")) == 2
        assert "cuda: this machine, or this build of torch, has none" in capsys.readouterr().err
    assert main(["evaluate-lm", "--data", str(setup.folder / "sentences.tab"), "--model", "length", "--cuda"]) == 2
    assert "--device means nothing to a model of the kind 'length'" in capsys.readouterr().err


def test_output_is_whole_or_not_there(setup: Setup, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.txt"
    assert main(setup.arguments("none.tab", "-o", str(out))) == 3
    assert not out.exists()
    assert main(setup.arguments("sentences.tab", "-o", str(out))) == 0
    assert capsys.readouterr().out == ""
    assert len(out.read_text().splitlines()) == len(setup.pairs)


def test_a_model_without_masks_has_no_best_word(setup: Setup, capsys: pytest.CaptureFixture[str]) -> None:
    data = str(setup.folder / "words.tab")
    assert main(["evaluate-lm", "--data", data, "--model", "length", "--eval_target_word"]) == 0
    assert rows_of(capsys.readouterr().out)[0][6] == "max_pred="


def test_help_is_quick_and_has_both_spellings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate-lm", "--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    for flag in ("--data", "--model", "--vocab", "--original", "--seed", "--cuda", "--compatible"):
        assert flag in out
    for flag in ("eval_target_word", "print_word_probs", "mask_target"):
        assert f"--{flag}" in out
        assert f"--{flag.replace('_', '-')}" in out
