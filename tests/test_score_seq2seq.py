"""Sequence-to-sequence models: every number against the model called plainly with labels, one sentence at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models
import torch

from scorers.errors import Findings, ScoreError, UsageError
from scorers.models import MaskedSentence, ModelOptions, Refusal, Stretch, TokenScores, find_model
from scorers.models import seq2seq as family
from scorers.models.decoder_rows import DecoderRows, start_token
from scorers.models.fill_words import FillWords
from scorers.models.hub import Loaded
from scorers.models.seq2seq import Seq2SeqModel

TEXTS = tiny_models.sentences(300, longest=14)
FEW = TEXTS[::8]
NEAR = 1e-4
KINDS = ("t5", "t5_apart", "bart", "bart_without_mask")


@pytest.fixture(scope="module", autouse=True)
def offline() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        # More threads than one are slower for matrices as small as these.
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        yield
        torch.set_num_threads(threads)


def without_mask(folder: Path) -> Path:
    """A model that knows no sign of a gap."""
    import transformers

    made = tiny_models.bart(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(made)
    tokenizer.mask_token = None
    tokenizer.save_pretrained(made)
    return made


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    root = tmp_path_factory.mktemp("models")
    return {
        "t5": tiny_models.t5(root / "t5", initializer_factor=1.5),
        # The head of T5 1.1 has weights of its own, and its states are not scaled before it.
        "t5_apart": tiny_models.t5(root / "t5_apart", tie_word_embeddings=False, initializer_factor=0.8),
        "bart": tiny_models.bart(root / "bart"),
        "bart_without_mask": without_mask(root / "bart_without_mask"),
    }


def load(folder: Path, **options: Any) -> Seq2SeqModel:
    model = find_model(f"seq2seq:{folder}", Findings(), ModelOptions(**options))
    assert isinstance(model, Seq2SeqModel)
    return model


def run(model: Seq2SeqModel, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
    """What the groups of a plan say, in the order of the stretches."""
    found: dict[int, TokenScores | Refusal] = {}
    for group in model.plan(stretches):
        said = model.score([stretches[place] for place in group])
        found.update(zip(group, said, strict=True))
    assert sorted(found) == list(range(len(stretches)))
    return [found[place] for place in range(len(stretches))]


@cache
def parts(folder: Path) -> tuple[Any, Any]:
    import transformers

    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    return model, transformers.AutoTokenizer.from_pretrained(folder)


def plain(folder: Path, source: Sequence[int], labels: Sequence[int]) -> list[float]:
    """The log-probability of each label, as the model reads labels: moved by one, its own first token before them."""
    model, _ = parts(folder)
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([list(source)]), labels=torch.tensor([list(labels)])).logits[0]
    found = logits.double().log_softmax(-1)
    return [float(found[place, label]) for place, label in enumerate(labels)]


def plain_whole(folder: Path, text: str) -> list[float]:
    """The tokens of a sentence and the sign of its end; the sign of a beginning (BART) is no token of it."""
    _, tokenizer = parts(folder)
    labels = tokenizer(text)["input_ids"]
    values = plain(folder, tokenizer("")["input_ids"], labels)
    return values[1:] if labels[0] == tokenizer.bos_token_id else values


def assert_equal(found: Sequence[TokenScores | Refusal], expected: Sequence[Sequence[float]]) -> None:
    for one, plainly in zip(found, expected, strict=True):
        assert isinstance(one, TokenScores)
        assert one.values == pytest.approx(list(plainly), abs=NEAR)
        assert one.total == pytest.approx(math.fsum(plainly), abs=NEAR)


@pytest.mark.parametrize("kind", KINDS)
def test_whole_sentences_as_the_model_says_them_of_labels(folders: Mapping[str, Path], kind: str) -> None:
    stretches = [Stretch.whole(text) for text in TEXTS]
    model = load(folders[kind], batch_tokens=500)
    assert model._rows.has_head_apart
    expected = [plain_whole(folders[kind], text) for text in TEXTS]
    found = run(model, stretches)
    assert_equal(found, [values[:-1] for values in expected])
    with_end = run(load(folders[kind], eos=True), stretches)
    assert_equal(with_end, expected)
    assert len({one.total for one in with_end if isinstance(one, TokenScores)}) > 250
    for text, one, other in zip(TEXTS, found, with_end, strict=True):
        assert isinstance(one, TokenScores)
        assert isinstance(other, TokenScores)
        assert other.tokens == (*one.tokens, "</s>")
        assert other.starts == (*one.starts, len(text))


def inner_words(texts: Sequence[str]) -> list[Stretch]:
    """The middle word of each sentence of several."""
    found = []
    for text in texts:
        words = text.split()
        if len(words) > 1:
            start = len(" ".join([*words[: len(words) // 2], ""]))
            found.append(Stretch(text, start, start + len(words[len(words) // 2])))
    return found


def plain_inside(folder: Path, kind: str, stretch: Stretch) -> list[float]:
    """The tokens of a word in its place, by the sentence's own tokens."""
    _, tokenizer = parts(folder)
    found = tokenizer(stretch.text, return_offsets_mapping=True, return_special_tokens_mask=True)
    ids = found["input_ids"]
    inside = [
        place
        for place, (start, end) in enumerate(found["offset_mapping"])
        if not found["special_tokens_mask"][place]
        and stretch.start <= end - len(stretch.text[start:end].lstrip()) < stretch.end
    ]
    first, last = inside[0], inside[-1] + 1
    if kind.startswith("t5"):
        sign = tokenizer.convert_tokens_to_ids("<extra_id_0>")
        return plain(folder, [*ids[:first], sign, *ids[last:]], [sign, *ids[first:last]])[1:]
    source = [*ids[:first], tokenizer.mask_token_id, *ids[last:]] if kind == "bart" else tokenizer("")["input_ids"]
    return plain(folder, source, ids[:last])[first:]


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_in_its_place_fills_a_gap(folders: Mapping[str, Path], kind: str) -> None:
    model = load(folders[kind])
    stretches = inner_words(TEXTS[::2])
    assert_equal(run(model, stretches), [plain_inside(folders[kind], kind, stretch) for stretch in stretches])
    inside = {"t5": "sentinel", "t5_apart": "sentinel", "bart": "mask", "bart_without_mask": "left-to-right"}[kind]
    assert model.signature()["inside"] == inside
    assert model.is_left_to_right == (kind == "bart_without_mask")


@pytest.mark.parametrize("positions", [1, 90, 100_000])
def test_neither_budget_nor_order_changes_a_score(folders: Mapping[str, Path], positions: int) -> None:
    stretches = [*(Stretch.whole(text) for text in FEW), *inner_words(FEW)]
    usual = run(load(folders["t5"]), stretches)
    there = load(folders["t5"], batch_tokens=positions)
    for found in (run(there, stretches), run(there, stretches[::-1])[::-1]):
        for one, other in zip(usual, found, strict=True):
            assert isinstance(one, TokenScores)
            assert isinstance(other, TokenScores)
            assert one.values == pytest.approx(other.values, abs=NEAR)


def test_a_group_alone_is_scored_alike_to_the_last_digit(folders: Mapping[str, Path]) -> None:
    stretches = [*(Stretch.whole(text) for text in TEXTS), *inner_words(FEW)]
    model = load(folders["bart"], batch_tokens=600)
    groups = [[stretches[place] for place in group] for group in model.plan(stretches)]
    assert len(groups) > 6
    found = [model.score(group) for group in groups]
    again = load(folders["bart"], batch_tokens=600)
    assert [again.score(group) for group in reversed(groups)] == found[::-1]


def forwards(model: Seq2SeqModel, stretches: Sequence[Stretch]) -> list[tuple[int, int]]:
    """The shapes of what the encoder reads, and of what the decoder is given."""
    shapes: list[tuple[int, int]] = []
    inside = model._loaded.model
    handles = [
        part.register_forward_pre_hook(
            lambda module, inputs, named: shapes.append(tuple(named["input_ids"].shape)), with_kwargs=True
        )
        for part in (inside.get_encoder(), inside.get_decoder())
    ]
    try:
        run(model, stretches)
    finally:
        for handle in handles:
            handle.remove()
    return shapes


def test_a_forward_has_no_more_positions_than_are_asked_for(folders: Mapping[str, Path]) -> None:
    model = load(folders["t5"], batch_tokens=400)
    shapes = forwards(model, [*(Stretch.whole(text) for text in TEXTS), *inner_words(FEW)])
    assert all(
        encoder[0] * encoder[1] + decoder[0] * decoder[1] <= 400
        for encoder, decoder in zip(shapes[::2], shapes[1::2], strict=True)
    )


def test_equal_sources_and_beginnings_are_computed_once(folders: Mapping[str, Path]) -> None:
    pair = [Stretch("the dog is there", 8, 10), Stretch("the dog was there", 8, 11)]
    assert forwards(load(folders["t5"]), [Stretch.whole(text) for text in FEW])[0] == (1, 1)
    shapes = forwards(load(folders["t5"]), pair)
    assert shapes[0][0] == 1
    assert shapes[1][0] in (1, 2)
    found = run(load(folders["t5"]), pair)
    assert_equal(found, [plain_inside(folders["t5"], "t5", stretch) for stretch in pair])


def test_the_head_is_apart_only_where_it_says_the_same(
    folders: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = DecoderRows._keep_places

    def wrong(rows: DecoderRows, module: Any, inputs: Any, output: Any) -> Any:
        found = kept(rows, module, inputs, output)
        found.last_hidden_state = found.last_hidden_state.flip(1)
        return found

    monkeypatch.setattr(DecoderRows, "_keep_places", wrong)
    model = load(folders["t5"])
    assert not model._rows.has_head_apart
    assert_equal(run(model, [Stretch.whole(text) for text in FEW]), [plain_whole(folders["t5"], t)[:-1] for t in FEW])


@pytest.mark.parametrize("kind", ["t5", "bart", "bart_without_mask"])
def test_words_for_a_gap(folders: Mapping[str, Path], kind: str) -> None:
    folder = folders[kind]
    _, tokenizer = parts(folder)
    if kind == "t5":
        sign = tokenizer.convert_tokens_to_ids("<extra_id_0>")
        source, before = tokenizer("the dog<extra_id_0> the bread .")["input_ids"], [sign]
    else:
        before = tokenizer("the dog")["input_ids"][:-1]
        source = tokenizer("the dog<mask> the bread ." if kind == "bart" else "")["input_ids"]
    model, _ = parts(folder)
    with torch.no_grad():
        given = torch.tensor([[model.config.decoder_start_token_id, *before]])
        shares = model(input_ids=torch.tensor([source]), decoder_input_ids=given).logits[0, -1].double().softmax(-1)
    words = FillWords(tokenizer)
    expected = [number for number in shares.argsort(descending=True).tolist() if words.word(number)][:20]
    sentences = [MaskedSentence("the dog [] the bread .", "[]"), MaskedSentence("the dog [] the bread []", "[]")]
    there = load(folder)
    assert there.plan_fills(sentences) == [[1, 0]]
    found, refused = there.fill(sentences, 20)
    assert not isinstance(found, Refusal)
    assert [fill.word for fill in found] == [words.word(number) for number in expected]
    assert [fill.probability for fill in found] == pytest.approx(shares[expected].tolist(), abs=1e-6)
    assert refused == Refusal("'[]' stands in it 2 times: expected once")
    assert not any("extra_id" in fill.word for fill in there.fill(sentences[:1], 10**6)[0])  # type: ignore[union-attr]


def test_sentences_that_cannot_be_scored_are_refused_alone(folders: Mapping[str, Path]) -> None:
    texts = ["", "the dog sees it", "the dog " * 300]
    found = run(load(folders["bart"]), [*(Stretch.whole(text) for text in texts), Stretch("the dog", 5, 6)])
    reasons = [one.reason if isinstance(one, Refusal) else "" for one in found]
    assert reasons[0] == "the sentence is empty"
    assert reasons[2].endswith(" tokens, and the model's window has 256")
    assert reasons[3] == "no token of the model begins in 'o'"
    assert_equal([found[1]], [plain_whole(folders["bart"], texts[1])[:-1]])
    # Positions that are relative have no last one.
    (long,) = run(load(folders["t5"]), [Stretch.whole(texts[2])])
    assert isinstance(long, TokenScores)


def test_the_first_token_of_a_decoder() -> None:
    def start(**configs: Any) -> int:
        model = SimpleNamespace(**{name: SimpleNamespace(**config) for name, config in configs.items()})
        return start_token(Loaded(model, None, "tiny", "", "cpu", "float32", math.inf))

    assert start(config={"decoder_start_token_id": 2, "bos_token_id": 1}) == 2
    # Newer versions of the library keep it with what they generate by.
    assert start(config={"bos_token_id": 1}, generation_config={"decoder_start_token_id": 0}) == 0
    assert start(config={"decoder_start_token_id": None, "bos_token_id": 1}, generation_config={}) == 1
    with pytest.raises(ScoreError, match="tiny: its configuration does not say which token its decoder starts with"):
        start(config={})


def test_what_a_model_is_not(folders: Mapping[str, Path], tmp_path: Path) -> None:
    with pytest.raises(ScoreError, match=r"a causal model .GPT2LMHeadModel., not a sequence-to-sequence one"):
        load(tiny_models.gpt2(tmp_path / "gpt2"))
    with pytest.raises(ScoreError, match=r"not a masked one; use seq2seq:"):
        find_model(f"masked:{folders['t5']}", Findings())
    with pytest.raises(UsageError, match="--pll means nothing to a model of the kind 'seq2seq'"):
        load(folders["t5"], pll="original")
    assert family.FAMILY.options == {"batch_tokens", "device", "dtype", "eos"}
    assert load(folders["t5"], eos=True).signature()["eos"] == "scored"
    assert load(folders["t5"]).signature()["source"] == "empty"
