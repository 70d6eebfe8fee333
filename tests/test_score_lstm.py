"""Recurrent models: scores equal a plain, unbatched computation, whatever is shared and however it is cut."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import lstm_cases as cases  # noqa: E402

from scorers.errors import Findings, InputError, ScoreError, UsageError  # noqa: E402
from scorers.models import (  # noqa: E402
    MODELS,
    MaskedSentence,
    ModelOptions,
    Refusal,
    Stretch,
    TokenScores,
    find_model,
)
from scorers.models.lstm import LstmModel  # noqa: E402

TEXTS = cases.corpus(300, seed=5)


class Bench:
    """Model files, their vocabulary, and the models themselves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        sentences = cases.corpus(600)
        self.words = cases.vocabulary(sentences)
        self.vocab = folder / "vocab.txt"
        self.vocab.write_text("".join(f"{word}\n" for word in self.words))
        self.oracles: dict[str, cases.Oracle] = {}
        with cases.program(folder) as module:
            for kind in ("LSTM", "GRU", "RNN_TANH", "RNN_RELU"):
                made = cases.trained(module, sentences if kind == "LSTM" else sentences[:100], self.words, kind)
                cases.save(made, self.path(kind))
                self.oracles[kind] = cases.Oracle(made, self.words)

    def path(self, kind: str) -> Path:
        return self.folder / f"{kind}.pt"

    def model(self, kind: str = "LSTM", **options: Any) -> LstmModel:
        options = {"vocab": str(self.vocab), "device": "cpu"} | options
        found = find_model(f"lstm:{self.path(kind)}", Findings(), ModelOptions(**options))
        assert isinstance(found, LstmModel)
        return found


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"))


def run(model: LstmModel, stretches: list[Stretch]) -> dict[Stretch, TokenScores | Refusal]:
    found: dict[Stretch, TokenScores | Refusal] = {}
    for group in model.plan(stretches):
        members = [stretches[place] for place in group]
        found.update(zip(members, model.score(members), strict=True))
    return found


def values(model: LstmModel, *texts: str) -> list[list[float]]:
    scores = run(model, [Stretch.whole(text) for text in dict.fromkeys(texts)])
    found = [scores[Stretch.whole(text)] for text in texts]
    assert all(isinstance(score, TokenScores) for score in found)
    return [list(score.values) for score in found if isinstance(score, TokenScores)]


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN_TANH", "RNN_RELU"])
def test_scores_are_those_of_a_plain_computation(bench: Bench, kind: str) -> None:
    texts = [*TEXTS[:80], "the wug barks .", "dogs", "the . the . the dog"]
    for found, text in zip(values(bench.model(kind), *texts), texts, strict=True):
        assert found == pytest.approx(bench.oracles[kind].of_words(text), abs=1e-5)


@pytest.mark.parametrize("bos", [True, False])
@pytest.mark.parametrize("eos", [True, False])
def test_signs_of_beginning_and_end(bench: Bench, bos: bool, eos: bool) -> None:
    model = bench.model(bos=bos, eos=eos)
    for found, text in zip(values(model, *TEXTS[:40]), TEXTS[:40], strict=True):
        assert found == pytest.approx(bench.oracles["LSTM"].of_words(text, bos, eos), abs=1e-5, nan_ok=True)
        assert math.isnan(found[0]) is not bos


@pytest.mark.parametrize("batch_tokens", [1, 7, 100, 100_000])
def test_sharing_and_groups_change_nothing(bench: Bench, batch_tokens: int) -> None:
    stretches = list(dict.fromkeys(Stretch.whole(text) for text in TEXTS))
    expected = run(bench.model(), stretches)
    random.Random(4).shuffle(stretches)
    model = bench.model(batch_tokens=batch_tokens)
    groups = model.plan(stretches)
    assert sorted(place for group in groups for place in group) == list(range(len(stretches)))
    found = run(model, stretches)
    for stretch in stretches:
        one, other = found[stretch], expected[stretch]
        assert isinstance(one, TokenScores)
        assert isinstance(other, TokenScores)
        assert one.values == pytest.approx(other.values, abs=1e-5)
        assert replace(one, values=()) == replace(other, values=())


def test_a_group_says_the_same_again(bench: Bench) -> None:
    model, stretches = bench.model(), [Stretch.whole(text) for text in dict.fromkeys(TEXTS)]
    first = model.score(stretches)
    model.score(stretches[:17])
    assert model.score(stretches) == first


def test_groups_hold_no_more_prefixes_than_they_may(bench: Bench) -> None:
    stretches = [Stretch.whole(text) for text in dict.fromkeys(TEXTS)]
    for most in (20, 64, 300):
        groups = bench.model(batch_tokens=most).plan(stretches)
        for group in groups:
            ids = [(*stretches[place].text.split(), "<eos>") for place in group]
            prefixes = {words[:length] for words in ids for length in range(1, len(words) + 1)}
            assert len(prefixes) <= most
    assert len(bench.model(batch_tokens=20).plan(stretches)) > 10


def test_prefixes_are_read_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    model = bench.model()
    read: list[int] = []
    step = model.network.step
    monkeypatch.setattr(model.network, "step", lambda words, state: (read.append(len(words)), step(words, state))[1])
    model.score([Stretch.whole(text) for text in TEXTS])
    # What stands before the last word of a sentence: the <eos> behind it is not read.
    prefixes = {tuple(text.split()[:length]) for text in TEXTS for length in range(len(text.split()) + 1)}
    assert sum(read) == len(prefixes)


def test_a_large_vocabulary_is_projected_in_parts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = values(bench.model(), *TEXTS)
    monkeypatch.setattr("scorers.models.lstm_network._MOST_LOGITS", 3 * len(bench.words))
    rows: list[int] = []
    model = bench.model()
    logits = model.network._logits
    monkeypatch.setattr(model.network, "_logits", lambda outputs: (rows.append(len(outputs)), logits(outputs))[1])
    for found, one in zip(values(model, *TEXTS), expected, strict=True):
        assert found == pytest.approx(one, abs=1e-5)
    assert max(rows) == 3


def test_stretches(bench: Bench) -> None:
    text = "the  dog near the cats barks ."
    full = bench.oracles["LSTM"].of_words(text)
    model = bench.model()
    (part,) = model.score([Stretch(text, 9, 23)])
    assert isinstance(part, TokenScores)
    assert part.tokens == ("near", "the", "cats")
    assert part.starts == (9, 14, 18)
    assert part.values == pytest.approx(full[2:5], abs=1e-5)
    (end,) = model.score([Stretch(text, 23, len(text))])
    assert isinstance(end, TokenScores)
    assert (end.tokens, end.values) == (("barks", "."), pytest.approx(full[5:7], abs=1e-5))
    (whole,) = model.score([Stretch.whole(text)])
    assert isinstance(whole, TokenScores)
    assert (whole.tokens[-1], whole.starts[-1], len(whole.values)) == ("<eos>", len(text), 8)
    assert whole.total == pytest.approx(sum(full), abs=1e-5)


def test_a_written_end_is_the_sign_of_it(bench: Bench) -> None:
    plain, written = values(bench.model(), "the dog barks .", "the dog barks . <eos>")
    assert plain == written
    without, written = values(bench.model(eos=False), "the dog barks .", "the dog barks . <eos>")
    assert without == written
    assert len(without) == 4
    (end,) = bench.model().score([Stretch("dogs bark <eos>", 5, 15)])
    assert isinstance(end, TokenScores)
    assert (end.tokens, end.starts) == (("bark", "<eos>"), (5, 15))


def test_empty_texts(bench: Bench) -> None:
    (found,) = values(bench.model(), "")
    assert found == pytest.approx(bench.oracles["LSTM"].of_words(""), abs=1e-5)
    assert values(bench.model(bos=False, eos=False), "") == [[]]


def test_unknown_words_are_scored_as_such_and_said(bench: Bench) -> None:
    one, other = (bench.model().score([Stretch.whole(text)])[0] for text in ("the wug barks .", "the <unk> barks ."))
    assert isinstance(one, TokenScores)
    assert isinstance(other, TokenScores)
    assert one.values == other.values
    assert (one.unknown, other.unknown) == (("wug",), ("<unk>",))
    (part,) = bench.model().score([Stretch("a wug barks .", 6, 13)])
    assert isinstance(part, TokenScores)
    assert part.unknown == ()  # what is unknown before the stretch is not its own


@pytest.mark.parametrize("space", ["\u00a0", "\u0085", "\u2028", "\u3000"])
def test_white_space_of_any_kind_parts_words(bench: Bench, space: str) -> None:
    """As Python's split does, by which the published program cuts words."""
    one, other = (bench.model().score([Stretch.whole(f"the{sign}dog barks .")])[0] for sign in (" ", space))
    assert one == other


@pytest.mark.parametrize("bos", [True, False])
def test_words_for_a_mask(bench: Bench, bos: bool) -> None:
    oracle = bench.oracles["LSTM"]
    texts = ["<mask> dog barks .", "the <mask>", "the dog near the cats <mask> .", "the wug <mask> here ."]
    asked = [MaskedSentence(text, "<mask>") for text in texts]
    model = bench.model(bos=bos, batch_tokens=3)
    groups = model.plan_fills(asked)
    assert sorted(place for group in groups for place in group) == [0, 1, 2, 3]
    found: dict[int, Any] = {}
    for group in groups:
        found.update(zip(group, model.fill([asked[place] for place in group], 6), strict=True))
    for place, text in enumerate(texts):
        before = [*(["<eos>"] if bos else []), *text.partition("<mask>")[0].split()]
        if not before:
            assert found[place] == Refusal("nothing stands before the mask")
            continue
        row = oracle.read(before)[0][-1].exp()
        ranked = [number for number in row.argsort(descending=True).tolist() if bench.words[number][0] != "<"]
        assert [fill.word for fill in found[place]] == [bench.words[number] for number in ranked[:6]]
        expected = [float(row[number]) for number in ranked[:6]]
        assert [fill.probability for fill in found[place]] == pytest.approx(expected, abs=1e-5)


def test_masks_that_cannot_be_filled(bench: Bench) -> None:
    model = bench.model()
    glued, none = model.fill([MaskedSentence("the un<mask> .", "<mask>"), MaskedSentence("the .", "<mask>")], 3)
    assert glued == Refusal("the mask is part of a word, and the model knows whole words alone")
    assert none == Refusal("no <mask> in it")
    (every,) = model.fill([MaskedSentence("the <mask>", "<mask>")], 10_000)
    assert isinstance(every, tuple)
    assert {fill.word for fill in every} == set(bench.words) - {"<unk>", "<eos>"}


def test_precision(bench: Bench) -> None:
    (found,) = values(bench.model(dtype="float64"), TEXTS[0])
    assert found == pytest.approx(bench.oracles["LSTM"].of_words(TEXTS[0]), abs=1e-12)


def test_signature(bench: Bench) -> None:
    import hashlib

    model = bench.model(bos=False)
    assert model.signature() == {
        "model": "lstm",
        "weights": hashlib.sha256(bench.path("LSTM").read_bytes()).hexdigest()[:8],
        "vocab": hashlib.sha256(bench.vocab.read_bytes()).hexdigest()[:8],
        "bos": "no",
        "eos": "yes",
        "dtype": "float32",
        "device": "cpu",
        "torch": torch.__version__.partition("+")[0],
    }
    assert model.name == "LSTM"


# --- vocabularies -------------------------------------------------------------------------------------------------


def with_vocabulary(bench: Bench, folder: Path, lines: list[str], **options: Any) -> tuple[LstmModel, Findings]:
    path, findings = folder / "words.txt", Findings()
    path.write_text("".join(f"{line}\n" for line in lines))
    asked = ModelOptions(vocab=str(path), device="cpu", **options)
    model = find_model(f"lstm:{bench.path('LSTM')}", findings, asked)
    assert isinstance(model, LstmModel)
    return model, findings


def test_a_vocabulary_of_the_wrong_size(bench: Bench, tmp_path: Path) -> None:
    count = len(bench.words)
    with pytest.raises(ScoreError, match=f"words.txt: {count + 1} words, and the model in .*LSTM.pt knows {count}: "):
        with_vocabulary(bench, tmp_path, [*bench.words, "more"])


def test_a_word_that_stands_twice(bench: Bench, tmp_path: Path) -> None:
    twice = [*bench.words[:-1], bench.words[2]]
    model, findings = with_vocabulary(bench, tmp_path, twice)
    assert [finding.message for finding in findings.warnings] == [
        "a word that stands twice: the last number is its own"
    ]
    assert findings.warnings[0].line == len(twice)
    assert model.vocabulary.ids[bench.words[2]] == len(twice) - 1


def test_a_vocabulary_without_unk(bench: Bench, tmp_path: Path) -> None:
    words = ["other" if word == "<unk>" else word for word in bench.words]
    model, findings = with_vocabulary(bench, tmp_path, words)
    assert ["no <unk> in it" in finding.message for finding in findings.warnings] == [True]
    good, bad = model.score([Stretch.whole("the dog barks ."), Stretch.whole("the wug barks .")])
    assert isinstance(good, TokenScores)
    assert bad == Refusal("'wug' is not in the vocabulary, which has no <unk> for such words")


def test_a_vocabulary_without_eos(bench: Bench, tmp_path: Path) -> None:
    words = ["other" if word == "<eos>" else word for word in bench.words]
    with pytest.raises(ScoreError, match=r"words.txt: no <eos>, .* --bos no --eos no"):
        with_vocabulary(bench, tmp_path, words)
    with pytest.raises(ScoreError, match="no <eos>"):
        with_vocabulary(bench, tmp_path, words, bos=False)
    model, _ = with_vocabulary(bench, tmp_path, words, bos=False, eos=False)
    assert len(values(model, "the dog barks .")[0]) == 4


def test_vocabularies_that_are_none(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"words.txt:3: 2 words; expected one word a line"):
        with_vocabulary(bench, tmp_path, ["<unk>", "<eos>", "the dog"])
    with pytest.raises(ScoreError, match="no words; expected one word a line"):
        with_vocabulary(bench, tmp_path, [])
    for vocab, message in (
        (tmp_path / "none.txt", "there is no such file"),
        (tmp_path, "is a folder"),
        (bench.path("LSTM"), "binary, no text"),
    ):
        with pytest.raises(ScoreError, match=message):
            bench.model(vocab=str(vocab))
    with pytest.raises(UsageError, match=r"expected --vocab vocab\.txt"):
        bench.model(vocab="")


def test_models_that_are_none(bench: Bench, tmp_path: Path) -> None:
    for path, message in ((tmp_path / "LSTN.pt", "there is no such file"), (tmp_path, "is a folder")):
        with pytest.raises(ScoreError, match=message):
            find_model(f"lstm:{path}", Findings(), ModelOptions(vocab=str(bench.vocab)))


def test_the_table_needs_no_torch() -> None:
    import subprocess
    import sys

    code = "import sys; import scorers.models; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert MODELS["lstm"].argument == "FILE.pt"


def test_a_missing_package_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("scorers.models.lstm_network", "scorers.models.hub"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ScoreError, match=r"torch is missing\): pip install 'starling-gen\[models\]'"):
        bench.model()
