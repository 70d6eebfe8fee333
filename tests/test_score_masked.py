"""Masked models: every number against the model called plainly, one sentence or one masked row at a time."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models
import torch

from scorers.errors import Findings, ScoreError, UsageError
from scorers.models import Fill, MaskedSentence, ModelOptions, Refusal, Stretch, TokenScores, find_model, masked_rows
from scorers.models.fill_words import FillWords
from scorers.models.masked import MaskedModel

TEXTS = tiny_models.sentences(300, longest=14)
FEW = TEXTS[::8]
NEAR = 1e-4
REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
BERT = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
LAYERS = {"num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 32, "intermediate_size": 48}


def other(folder: Path, kind: str, tokenizer: Any, **options: Any) -> Path:
    """A model of another architecture."""
    import transformers

    config = getattr(transformers, f"{kind}Config")(vocab_size=len(tokenizer), initializer_range=0.5, **options)
    return tiny_models.save(folder, getattr(transformers, f"{kind}ForMaskedLM")(config), tokenizer)


def pre_layer_norm(folder: Path) -> Path:
    names = ("bos", "pad", "eos", "unk", "mask", "cls", "sep")
    signs = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<s>", "</s>")
    special = {f"{name}_token": sign for name, sign in zip(names, signs, strict=True)}
    tokenizer = tiny_models.fast(tiny_models.roberta_tokens(), **special)
    options = LAYERS | {"pad_token_id": tokenizer.pad_token_id, "max_position_embeddings": 258}
    return other(folder, "RobertaPreLayerNorm", tokenizer, **options)


def word_piece(kind: str, **options: Any) -> Callable[[Path], Path]:
    return lambda folder: other(folder, kind, tiny_models.fast(tiny_models.word_piece(), **BERT), **options)


KINDS: Mapping[str, Callable[[Path], Path]] = {
    "bert": tiny_models.bert,
    "roberta": tiny_models.roberta,
    "pre_layer_norm": pre_layer_norm,
    "distilbert": word_piece("DistilBert", n_layers=2, n_heads=2, dim=32, hidden_dim=48),
    "electra": word_piece("Electra", embedding_size=16, **LAYERS),
    "albert": word_piece("Albert", embedding_size=16, **LAYERS),
}
CUTS = dict.fromkeys(KINDS, "last layer") | {"albert": "head"}


@pytest.fixture(scope="module", autouse=True)
def offline() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        # More threads than one are slower for matrices as small as these.
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        yield
        torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    root = tmp_path_factory.mktemp("models")
    return {kind: make(root / kind) for kind, make in KINDS.items()}


def load(folder: Path, **options: Any) -> MaskedModel:
    model = find_model(f"masked:{folder}", Findings(), ModelOptions(**options))
    assert isinstance(model, MaskedModel)
    return model


def run(model: MaskedModel, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
    """What the groups of a plan say, in the order of the stretches."""
    found: dict[int, TokenScores | Refusal] = {}
    for group in model.plan(stretches):
        said = model.score([stretches[place] for place in group])
        found.update(zip(group, said, strict=True))
    assert sorted(found) == list(range(len(stretches)))
    return [found[place] for place in range(len(stretches))]


def whole(texts: Sequence[str]) -> list[Stretch]:
    return [Stretch.whole(text) for text in texts]


@cache
def parts(folder: Path) -> tuple[Any, Any]:
    import transformers

    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    return model, transformers.AutoTokenizer.from_pretrained(folder)


@cache
def plain_rows(folder: Path, rows: tuple[tuple[int, ...], ...], places: tuple[int, ...]) -> Any:
    """The log-probabilities [rows, vocabulary] at a place of each row; they are equally long."""
    model, _ = parts(folder)
    with torch.no_grad():
        return model(input_ids=torch.tensor(rows)).logits[range(len(rows)), places].double().log_softmax(-1)


@cache
def plain(folder: Path, text: str, pll: str = "within_word", one_by_one: bool = False) -> list[tuple[int, float]]:
    """For each token the place of its first character and its log-probability; the tokeniser's special ones left out.

    The masked rows of a sentence are computed together, or one by one.
    """
    _, tokenizer = parts(folder)
    found = tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
    ids, words = found["input_ids"], found.word_ids(0)
    places = tuple(place for place, is_special in enumerate(found["special_tokens_mask"]) if not is_special)
    rows, starts = [], []
    for place in places:
        row = list(ids)
        for later in range(place, len(ids)):
            if later == place or (pll == "within_word" and words[later] == words[place]):
                row[later] = tokenizer.mask_token_id
        rows.append(tuple(row))
        start, end = found["offset_mapping"][place]
        starts.append(end - len(text[start:end].lstrip()))
    if one_by_one:
        said = torch.cat([plain_rows(folder, (row,), (place,)) for row, place in zip(rows, places, strict=True)])
    else:
        said = plain_rows(folder, tuple(rows), places)
    values = said[range(len(rows)), [ids[place] for place in places]].tolist()
    return list(zip(starts, values, strict=True))


def plain_word(folder: Path, stretch: Stretch, pll: str) -> list[tuple[int, float]]:
    """The tokens of a stretch, each with those behind it in the stretch masked too (or none); each row by itself."""
    _, tokenizer = parts(folder)
    found = tokenizer(stretch.text, return_offsets_mapping=True, return_special_tokens_mask=True)
    text, own = stretch.text, {}
    for place, (start, end) in enumerate(found["offset_mapping"]):
        first = end - len(text[start:end].lstrip())
        if not found["special_tokens_mask"][place] and stretch.start <= first < stretch.end:
            own[place] = first
    values = []
    for place in own:
        hidden = [other for other in own if other >= place] if pll == "within_word" else [place]
        row = tuple(tokenizer.mask_token_id if at in hidden else number for at, number in enumerate(found["input_ids"]))
        values.append(float(plain_rows(folder, (row,), (place,))[0, found["input_ids"][place]]))
    return list(zip(own.values(), values, strict=True))


def assert_equal(found: Sequence[TokenScores | Refusal], expected: Sequence[Sequence[tuple[int, float]]]) -> None:
    for one, plainly in zip(found, expected, strict=True):
        assert isinstance(one, TokenScores)
        assert list(one.starts) == [start for start, _ in plainly]
        assert one.values == pytest.approx([value for _, value in plainly], abs=NEAR)
        assert one.total == pytest.approx(math.fsum(value for _, value in plainly), abs=NEAR)


@pytest.mark.parametrize("pll", ["within_word", "original"])
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_every_token_as_the_model_says_it(folders: Mapping[str, Path], kind: str, pll: str) -> None:
    found = run(load(folders[kind], pll=pll, batch_tokens=400), whole(TEXTS))
    assert_equal(found, [plain(folders[kind], text, pll) for text in TEXTS])
    assert len({one.total for one in found if isinstance(one, TokenScores)}) > 250


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_architectures_are_cut_where_they_can_be(folders: Mapping[str, Path], kind: str) -> None:
    model = load(folders[kind])
    assert model._rows.cut == CUTS[kind]
    assert_equal(run(model, whole(FEW)), [plain(folders[kind], text, one_by_one=True) for text in FEW])


def test_a_cut_that_changes_the_logits_is_not_made(
    folders: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = [lambda rows: [rows._model.base_model.embeddings], lambda rows: [rows._model.base_model.encoder.layer[0]]]
    expected = [plain(folders["bert"], text) for text in FEW]
    for last in wrong:
        monkeypatch.setattr(masked_rows.MaskedRows, "_last_layer", last)
        model = load(folders["bert"])
        assert model._rows.cut == "head"
        assert_equal(run(model, whole(FEW)), expected)
    monkeypatch.setattr(masked_rows.MaskedRows, "_base", lambda rows: [])
    model = load(folders["bert"])
    assert model._rows.cut == "nothing"
    assert_equal(run(model, whole(FEW)), expected)


@pytest.mark.parametrize("positions", [1, 57, 100_000])
def test_neither_budget_nor_order_changes_a_score(folders: Mapping[str, Path], positions: int) -> None:
    stretches = whole(FEW)
    usual = run(load(folders["roberta"]), stretches)
    there = load(folders["roberta"], batch_tokens=positions)
    for found in (run(there, stretches), run(there, stretches[::-1])[::-1]):
        for one, other in zip(usual, found, strict=True):
            assert isinstance(one, TokenScores)
            assert isinstance(other, TokenScores)
            assert one.values == pytest.approx(other.values, abs=NEAR)


def test_a_group_alone_is_scored_alike_to_the_last_digit(folders: Mapping[str, Path]) -> None:
    stretches = whole(TEXTS)
    model = load(folders["bert"], batch_tokens=600)
    groups = [[stretches[place] for place in group] for group in model.plan(stretches)]
    assert len(groups) > 20
    found = [model.score(group) for group in groups]
    again = load(folders["bert"], batch_tokens=600)
    assert [again.score(group) for group in reversed(groups)] == found[::-1]
    assert model.plan(stretches) == again.plan(stretches)


def forwards(model: MaskedModel, stretches: Sequence[Stretch]) -> list[tuple[int, int]]:
    """The shapes of what the model is given."""
    shapes: list[tuple[int, int]] = []
    inside = model._loaded.model
    handle = inside.register_forward_pre_hook(
        lambda module, inputs, named: shapes.append(tuple(named["input_ids"].shape)), with_kwargs=True
    )
    try:
        run(model, stretches)
    finally:
        handle.remove()
    return shapes


def test_a_forward_has_no_more_positions_than_are_asked_for(folders: Mapping[str, Path]) -> None:
    model = load(folders["bert"], batch_tokens=300)
    shapes = forwards(model, whole(TEXTS))
    assert max(rows * length for rows, length in shapes) <= 300
    # Rows are cut where a length ends; apart from that the forwards are nearly full.
    assert sum(rows * length for rows, length in shapes) / 300 > len(shapes) / 2


def test_logits_at_once_are_bounded(folders: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(masked_rows.LOGITS, "cpu", 1000)
    model = load(folders["bert"])
    assert model._rows.vocabulary <= 200
    assert max(rows for rows, _ in forwards(model, whole(FEW))) == 1000 // model._rows.vocabulary


def test_equal_masked_contexts_are_computed_once(folders: Mapping[str, Path]) -> None:
    pair = ["the dog sees the bread", "the cat sees the bread"]
    others = [f"{text} ." for text in tiny_models.sentences(40, seed=5) if len(text.split()) in (4, 6)]
    model = load(folders["bert"], batch_tokens=100)
    tokens = [len(plain(folders["bert"], text)) for text in pair]
    assert tokens[0] == tokens[1]
    rows = sum(count for count, _ in forwards(model, whole([pair[0], *others, pair[1]])))
    alone = sum(count for count, _ in forwards(model, whole(others)))
    assert rows - alone == sum(tokens) - 1


@pytest.mark.parametrize("pll", ["within_word", "original"])
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_word_in_its_place(folders: Mapping[str, Path], kind: str, pll: str) -> None:
    stretches = []
    for text in TEXTS[::3]:
        words = text.split()
        start = len(" ".join([*words[: len(words) // 2], ""]))
        stretches.append(Stretch(text, start, start + len(words[len(words) // 2])))
    # Of a mark that hangs on it, and in the midst of it, the tokeniser makes words of their own.
    stretches += [Stretch("the dogs aren't here .", 9, 15), Stretch("she sees herself.", 9, 16)]
    found = run(load(folders[kind], pll=pll), stretches)
    # A sentence of one word is a sentence.
    expected = [
        plain(folders[kind], one.text, pll) if one.is_whole else plain_word(folders[kind], one, pll)
        for one in stretches
    ]
    assert any(len(one) > 2 for one in expected)
    assert_equal(found, expected)


def test_pieces_behind_are_masked_within_a_word_alone(folders: Mapping[str, Path]) -> None:
    text = "the counterexample sees mother-in-law"
    model = load(folders["roberta"])
    (job,) = model._jobs([Stretch.whole(text)])
    assert not isinstance(job, Refusal)
    masks = [context.row.count(model._mask) for context in job.contexts]
    words = [token.startswith("Ġ") or not token.isalpha() for token in job.tokens]
    behind = [next((at for at in range(i + 1, len(words)) if words[at]), len(words)) - i for i in range(len(words))]
    # The tokeniser takes hyphens for words of their own, and no space stands before what follows them.
    assert [count for count, token in zip(masks, job.tokens, strict=True) if token == "-"] == [1, 1]
    assert masks[: job.tokens.index("-")] == behind[: job.tokens.index("-")]
    (job,) = load(folders["roberta"], pll="original")._jobs([Stretch.whole(text)])
    assert not isinstance(job, Refusal)
    assert {context.row.count(model._mask) for context in job.contexts} == {1}


def test_leading_space(folders: Mapping[str, Path]) -> None:
    folder = folders["roberta"]
    texts = [text.strip() for text in FEW]
    with_space = run(load(folder, leading_space=True), whole(texts))
    assert_equal(with_space, [[(start - 1, value) for start, value in plain(folder, f" {text}")] for text in texts])
    without = run(load(folder, leading_space=False), whole([f"  {text}" for text in texts]))
    assert_equal(without, [[(start + 2, value) for start, value in plain(folder, text)] for text in texts])
    assert with_space[0] != without[0]


def test_unknown_words_are_named(folders: Mapping[str, Path]) -> None:
    text = "the ☃ sees ☂ there"
    model = load(folders["bert"])
    whole_one, part = model.score([Stretch.whole(text), Stretch(text, 6, len(text))])
    assert isinstance(whole_one, TokenScores)
    assert isinstance(part, TokenScores)
    assert whole_one.unknown == ("☃", "☂")
    assert part.unknown == ("☂",)


def test_words_for_a_mask(folders: Mapping[str, Path]) -> None:
    for kind, written in (("bert", "the dog [MASK] the bread ."), ("roberta", "the dog<mask> the bread .")):
        _, tokenizer = parts(folders[kind])
        row = tuple(tokenizer(written)["input_ids"])
        shares = plain_rows(folders[kind], (row,), (row.index(tokenizer.mask_token_id),))[0].exp()
        special = set(tokenizer.all_special_ids)
        expected = [number for number in shares.argsort(descending=True).tolist() if number not in special]
        (found,) = load(folders[kind]).fill([MaskedSentence("the dog ??? the bread .", "???")], 20)
        assert not isinstance(found, Refusal)
        words = FillWords(tokenizer)
        expected = [number for number in expected if words.word(number)][:20]
        assert [fill.word for fill in found] == [words.word(number) for number in expected]
        assert [fill.probability for fill in found] == pytest.approx(shares[expected].tolist(), abs=1e-6)


def test_how_tokens_are_written(folders: Mapping[str, Path]) -> None:
    _, tokenizer = parts(folders["bert"])
    words = FillWords(tokenizer)
    for token, number in tokenizer.get_vocab().items():
        assert words.word(number) == ("" if token.startswith("[") and len(token) > 1 else token)
        assert words.word(number, is_first=True) == words.word(number)
    _, tokenizer = parts(folders["roberta"])
    numbers = tokenizer.get_vocab()
    words = FillWords(tokenizer)
    assert words.word(numbers["Ġdog"]) == "dog"
    assert words.word(numbers["ing"]) == "##ing"
    # Nothing marks the beginning of a sentence's first word, unless a space is put before it.
    assert words.word(numbers["ing"], is_first=True) == "ing"
    assert FillWords(tokenizer, leading_space=True).word(numbers["ing"], is_first=True) == "##ing"
    assert words.word(numbers["Ġ"]) == words.word(numbers["<mask>"]) == ""
    # The first byte of a letter of two.
    assert words.word(numbers["Ã"]) == ""


def test_masks_that_cannot_be_filled_are_refused_alone(folders: Mapping[str, Path]) -> None:
    model = load(folders["roberta"])
    good = MaskedSentence("<mask> dogs see it", "<mask>")
    sentences = [
        MaskedSentence("the _ dog _", "_"),
        good,
        MaskedSentence("the dog", "_"),
        MaskedSentence("the _ dog <mask>", "_"),
        MaskedSentence("_" + " the dog" * 300, "_"),
    ]
    assert sorted(place for group in model.plan_fills(sentences) for place in group) == list(range(5))
    found = model.fill(sentences, 3)
    assert [one.reason if isinstance(one, Refusal) else "" for one in found] == [
        "'_' stands in it 2 times: expected once",
        "",
        "'_' stands in it 0 times: expected once",
        "the model's own sign for it, <mask>, stands in the sentence too",
        "603 tokens, and the model's window has 256",
    ]
    assert [found[1]] == model.fill([good], 3)
    assert all(isinstance(fill, Fill) and 0 < fill.probability < 1 for fill in found[1])  # type: ignore[union-attr]


def test_sentences_that_cannot_be_scored_are_refused_alone(folders: Mapping[str, Path]) -> None:
    texts = ["", "the dog sees it", "the dog " * 300, "   "]
    found = run(load(folders["roberta"]), [*whole(texts), Stretch("the dog", 5, 6)])
    reasons = [one.reason if isinstance(one, Refusal) else "" for one in found]
    assert reasons[0] == reasons[3] == "the sentence is empty"
    assert reasons[4] == "no token of the model begins in 'o'"
    assert reasons[2].endswith(" tokens, and the model's window has 256")
    assert_equal([found[1]], [plain(folders["roberta"], texts[1])])
    # As many tokens as the window has fit into it, special ones among them.
    most = next(n for n in range(400) if len(parts(folders["roberta"])[1](" bread" * n)["input_ids"]) == 256)
    fits, not_any_more = run(load(folders["roberta"]), whole([" bread" * most, " bread" * (most + 1)]))
    assert isinstance(fits, TokenScores)
    assert isinstance(not_any_more, Refusal)


def test_models_of_other_kinds_are_refused(folders: Mapping[str, Path], tmp_path: Path) -> None:
    for make, other_kind, kind in (
        (tiny_models.gpt2, "causal", "masked"),
        (tiny_models.t5, "seq2seq", "masked"),
    ):
        folder = make(tmp_path / other_kind)
        with pytest.raises(ScoreError, match=rf"use {other_kind}:") as raised:
            find_model(f"{kind}:{folder}", Findings())
        assert "\n" not in str(raised.value)
    with pytest.raises(ScoreError, match=r"a masked model .RobertaForMaskedLM., not a causal one; use masked:"):
        find_model(f"causal:{folders['roberta']}", Findings())
    without = {name: sign for name, sign in BERT.items() if name != "mask_token"}
    plain_tokens = tiny_models.fast(tiny_models.word_piece(), **without)
    folder = other(tmp_path / "without", "Bert", plain_tokens, **LAYERS)
    with pytest.raises(ScoreError, match="without: its tokeniser has no mask token"):
        load(folder)
    with pytest.raises(ScoreError, match="there is no such folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="--bos means nothing to a model of the kind 'masked'"):
        load(folders["bert"], bos=True)


def test_the_signature_says_what_was_chosen(folders: Mapping[str, Path]) -> None:
    usual = load(folders["bert"]).signature()
    assert usual["pll"] == "within_word"
    assert usual["leading-space"] == "tokeniser"
    assert load(folders["bert"], pll="original").signature() == dict(usual) | {"pll": "original"}
    other = load(folders["roberta"], leading_space=True).signature()
    assert other["leading-space"] == "yes"
    assert other["weights"] != usual["weights"]


# From: sh benchmarks/environments/minicons.sh FOLDER, and for a file of these sentences
#   FOLDER/bin/python benchmarks/minicons_scores.py masked .../models/brown-mini-mlm FILE -o SCORES
# the sums over 'original' and 'within_word_l2r'.
MINICONS = {
    "the dogs in the garden were sleeping .": (-31.177398, -33.686567),
    "the dogs in the garden was sleeping .": (-29.170958, -31.772438),
    "she did not misunderstand the counterargument .": (-65.444088, -67.650965),
}


@pytest.mark.reference
@pytest.mark.skipif(not REFERENCE.is_dir(), reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")
def test_sums_of_minicons() -> None:
    folder = REFERENCE / "models" / "brown-mini-mlm"
    for pll, place in (("original", 0), ("within_word", 1)):
        found = run(load(folder, pll=pll), whole(list(MINICONS)))
        totals = [one.total for one in found if isinstance(one, TokenScores)]
        assert totals == pytest.approx([sums[place] for sums in MINICONS.values()], abs=1e-3)


@pytest.mark.reference
@pytest.mark.skipif(not REFERENCE.is_dir(), reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")
def test_words_that_make_sense() -> None:
    model = load(REFERENCE / "models" / "brown-mini-mlm")
    with (REFERENCE / "babeval" / "open_ended" / "agreement_across_PP.txt").open(encoding="utf-8") as stream:
        sentences = [MaskedSentence(line.strip(), "<mask>") for line in islice(stream, 0, 4000, 100)]
    found = model.fill(sentences, 5)
    verbs = {"is", "are", "was", "were", "has", "have", "had", "will", "may", "can"}
    assert sum(bool(verbs & {fill.word for fill in fills}) for fills in found if not isinstance(fills, Refusal)) > 36
