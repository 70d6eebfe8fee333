"""Causal models: every number against the model called plainly, one sentence at a time."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models
import torch

from scorers.errors import Findings, ScoreError, UsageError
from scorers.models import MaskedSentence, ModelOptions, Refusal, Stretch, TokenScores, causal_forward, find_model, hub
from scorers.models.causal import CausalModel
from scorers.models.prefix_tree import PrefixTree, batches, even_rows, groups_of, packed_rows, whole_rows

TEXTS = tiny_models.sentences(300)
KINDS = tuple(tiny_models.CAUSAL)
NEAR = 1e-4


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
    return {kind: make(root / kind) for kind, make in tiny_models.CAUSAL.items()}


def load(folder: Path, **options: Any) -> CausalModel:
    model = find_model(f"causal:{folder}", Findings(), ModelOptions(**options))
    assert isinstance(model, CausalModel)
    return model


def run(model: CausalModel, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
    """What the groups of a plan say, in the order of the stretches."""
    found: dict[int, TokenScores | Refusal] = {}
    for group in model.plan(stretches):
        said = model.score([stretches[place] for place in group])
        found.update(zip(group, said, strict=True))
    assert sorted(found) == list(range(len(stretches)))
    return [found[place] for place in range(len(stretches))]


@cache
def plain_parts(folder: Path) -> tuple[Any, Any]:
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return transformers.AutoModelForCausalLM.from_pretrained(folder).eval(), tokenizer


@cache
def plain(folder: Path, text: str, bos: bool = True, eos: bool = False) -> tuple[list[int], Any]:
    """The ids of a sentence with its signs, and behind each the log-probabilities [ids, vocabulary]."""
    model, tokenizer = plain_parts(folder)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    first = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    if bos and first is not None:
        ids = [first, *ids]
    if eos:
        ids = [*ids, tokenizer.eos_token_id]
    with torch.inference_mode():
        return ids, model(torch.tensor([ids])).logits[0].double().log_softmax(-1)


def plain_values(folder: Path, text: str, bos: bool = True, eos: bool = False) -> list[float]:
    ids, said = plain(folder, text, bos, eos)
    has_sign = bos and plain_parts(folder)[1].eos_token_id is not None
    return [*([] if has_sign else [math.nan]), *(float(said[place - 1, ids[place]]) for place in range(1, len(ids)))]


def same(found: Sequence[float], expected: Sequence[float]) -> None:
    assert list(found) == pytest.approx(list(expected), abs=NEAR, nan_ok=True)


@pytest.mark.parametrize("kind", KINDS)
def test_each_token_has_its_plain_log_probability(kind: str, folders: Mapping[str, Path]) -> None:
    folder = folders[kind]
    spread = []
    for text, scores in zip(TEXTS, run(load(folder), [Stretch.whole(text) for text in TEXTS]), strict=True):
        assert isinstance(scores, TokenScores)
        expected = plain_values(folder, text)
        same(scores.values, expected)
        total = math.fsum(value for value in expected if value == value) if len(expected) > 1 else expected[0]
        assert scores.total == pytest.approx(total, abs=NEAR, nan_ok=True)
        assert len(scores.tokens) == len(scores.starts) == len(expected)
        spread += [scores.total / len(expected)] * (scores.count > 0)
    assert max(spread) - min(spread) > 1


def test_the_first_token_needs_a_sign_before_it(folders: Mapping[str, Path]) -> None:
    for kind in ("gpt2", "gpt2_word_piece"):
        model = load(folders[kind], bos=False)
        for text, scores in zip(TEXTS, run(model, [Stretch.whole(text) for text in TEXTS]), strict=True):
            assert isinstance(scores, TokenScores)
            assert math.isnan(scores.values[0])
            same(scores.values, plain_values(folders[kind], text, bos=False))
        assert model.signature()["bos"] == "none"
    assert load(folders["gpt2"]).signature()["bos"] == "<|endoftext|>"
    assert load(folders["llama"], bos=True).signature()["bos"] == "<|begin|>"
    with pytest.raises(UsageError, match="neither a sign of the beginning nor of the end"):
        load(folders["gpt2_word_piece"], bos=True)


@pytest.mark.parametrize("kind", ["gpt2", "llama_metaspace", "bloom"])
def test_the_end_is_scored_where_asked(kind: str, folders: Mapping[str, Path]) -> None:
    model = load(folders[kind], eos=True)
    for text, scores in zip(TEXTS, run(model, [Stretch.whole(text) for text in TEXTS]), strict=True):
        assert isinstance(scores, TokenScores)
        same(scores.values, plain_values(folders[kind], text, eos=True))
        assert scores.starts[-1] == len(text)
    # A part of a sentence has no end.
    (part,) = model.score([Stretch("the dog sees", 4, 7)])
    assert isinstance(part, TokenScores)
    assert "".join(part.tokens).strip("Ġ▁") == "dog"


def test_without_a_sign_of_the_end_it_cannot_be_scored(folders: Mapping[str, Path]) -> None:
    with pytest.raises(UsageError, match="--eos yes: the tokeniser has no sign of the end"):
        load(folders["gpt2_word_piece"], eos=True)


@pytest.mark.parametrize("kind", ["gpt2", "llama_metaspace", "gpt2_word_piece", "mistral"])
def test_stretches_are_the_tokens_that_begin_in_them(kind: str, folders: Mapping[str, Path]) -> None:
    draw = random.Random(1)
    stretches, expected = [], []
    for text in TEXTS:
        words = text.split()
        if len(words) < 3 or "  " in text:
            continue
        number = draw.randrange(1, len(words) - 1)
        start = len(" ".join(words[:number])) + 1
        end = start + len(words[number])
        stretches.append(Stretch(text, start, end))
        # What stands before the word, tokenised alone, has as many tokens in the sentence.
        tokenizer = plain_parts(folders[kind])[1]
        before, upto = (len(tokenizer(text[:cut], add_special_tokens=False)["input_ids"]) for cut in (start - 1, end))
        expected.append(plain_values(folders[kind], text)[before:upto])
    assert len(stretches) > 200
    for scores, values, stretch in zip(run(load(folders[kind]), stretches), expected, stretches, strict=True):
        assert isinstance(scores, TokenScores)
        same(scores.values, values)
        assert scores.starts[0] == stretch.start


def test_the_space_before_a_sentence_is_as_asked(folders: Mapping[str, Path]) -> None:
    kind = "gpt2"
    texts = TEXTS[:60]
    spaced = [f" {text}" for text in texts]
    for asked, given, shown in ((True, texts, spaced), (False, spaced, texts), (None, texts, texts)):
        model = load(folders[kind], leading_space=asked)
        for scores, text in zip(run(model, [Stretch.whole(text) for text in given]), shown, strict=True):
            assert isinstance(scores, TokenScores)
            same(scores.values, plain_values(folders[kind], text))
    assert load(folders[kind], leading_space=True).signature()["leading-space"] == "yes"


@pytest.mark.parametrize("kind", ["llama_metaspace", "gpt2_word_piece"])
def test_a_space_that_changes_nothing_is_refused(kind: str, folders: Mapping[str, Path]) -> None:
    for asked in (True, False):
        with pytest.raises(UsageError, match="a sentence is the same with a space and without"):
            load(folders[kind], leading_space=asked)


SIGNS = ("<|endoftext|>", "<|begin|>", "<|end|>", "<s>", "</s>", "<unk>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def begins(kind: str, token: str) -> bool:
    """By hand: whether a token begins a word, or ends the text."""
    special = token in SIGNS
    if kind == "gpt2_word_piece":
        return special or not token.startswith("##")
    return special or token.startswith(("Ġ", "▁", "Ċ", "ĉ", "č"))


@pytest.mark.parametrize("kind", ["gpt2", "llama", "llama_metaspace", "gpt2_word_piece", "mistral"])
@pytest.mark.parametrize("eos", [False, True])
def test_word_beginnings_are_corrected(kind: str, eos: bool, folders: Mapping[str, Path]) -> None:
    if eos and kind == "gpt2_word_piece":
        return
    folder = folders[kind]
    _, tokenizer = plain_parts(folder)
    at = torch.tensor([begins(kind, token) for token in tokenizer.convert_ids_to_tokens(range(len(tokenizer)))])
    texts = TEXTS[:100]
    for text, scores in zip(texts, run(load(folder, bow=True, eos=eos), [*map(Stretch.whole, texts)]), strict=True):
        assert isinstance(scores, TokenScores)
        ids, said = plain(folder, text, True, eos)
        next_begins = said[:, : len(at)][:, at].logsumexp(-1)
        values = plain_values(folder, text, True, eos)
        shift = len(ids) - len(values)
        for place, number in enumerate(ids):
            if place < shift:
                continue
            is_end = eos and place == len(ids) - 1
            if at[number] and place:
                values[place - shift] -= float(next_begins[place - 1])
            if not is_end and (place + 1 == len(ids) or at[ids[place + 1]]):
                values[place - shift] += float(next_begins[place])
        same(scores.values, values)
    (part,) = load(folder, bow=True).score([Stretch("the dog sees", 4, 7)])
    whole = load(folder, bow=True).score([Stretch.whole("the dog sees")])[0]
    assert isinstance(part, TokenScores)
    assert isinstance(whole, TokenScores)
    places = [place for place, start in enumerate(whole.starts) if 4 <= start < 8]
    same(part.values, [whole.values[place] for place in places])


def test_corrected_probabilities_of_words_sum_to_one(tmp_path: Path) -> None:
    """Two letters, each with and without a space before it: all words of up to five letters, and the rest."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    vocabulary = {"</s>": 0, "a": 1, "b": 2, "Ġ": 3, "Ġa": 4, "Ġb": 5}
    made = Tokenizer(models.BPE(vocabulary, [("Ġ", "a"), ("Ġ", "b")]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    folder = tiny_models.gpt2(tmp_path, tiny_models.fast(made, eos_token="</s>"), n_embd=8)
    model, _ = plain_parts(folder)
    words = ["".join(letters) for length in range(1, 6) for letters in itertools.product("ab", repeat=length)]
    scored = run(load(folder, bow=True), [Stretch(f"ab b {word}", 5, 5 + len(word)) for word in words])
    total = sum(math.exp(scores.total) for scores in scored if isinstance(scores, TokenScores))

    def probability(ids: Sequence[int]) -> float:
        """Of the tokens behind the context, given that a word begins there."""
        context = [0, 1, 2, 5]  # </s> a b Ġb
        with torch.inference_mode():
            said = model(torch.tensor([context + list(ids)])).logits[0].double().softmax(-1)
        chain = math.prod(float(said[len(context) - 1 + place, number]) for place, number in enumerate(ids))
        return chain / float(said[len(context) - 1, [0, 3, 4, 5]].sum())

    # The rest: the end of the text, words that begin with a bare space, and words of six letters and more.
    longer = sum(probability(ids) for ids in itertools.product((4, 5), *[(1, 2)] * 5))
    assert total + probability([0]) + probability([3]) + longer == pytest.approx(1, abs=1e-5)
    assert 0.05 < total < 0.95
    plainly = run(load(folder), [Stretch(f"ab b {word}", 5, 5 + len(word)) for word in words])
    assert sum(math.exp(scores.total) for scores in plainly if isinstance(scores, TokenScores)) != pytest.approx(total)


def test_tokenisers_without_marks_have_nothing_to_correct(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    for number, (vocabulary, message) in enumerate(
        (
            ({"[UNK]": 0, "dog": 1, "cat": 2}, "--bow-correction: the tokeniser marks neither .* where words begin"),
            ({"[UNK]": 0, "dog</w>": 1, "ca": 2}, "--bow-correction: the tokeniser marks where words end"),
        )
    ):
        made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
        made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        folder = tiny_models.gpt2(tmp_path / str(number), tiny_models.fast(made, unk_token="[UNK]"))
        with pytest.raises(ScoreError, match=message):
            load(folder, bow=True)
    # Unknown words are those of the stretch.
    texts = "wug dog dax cat"
    whole, part = load(tmp_path / "0").score([Stretch.whole(texts), Stretch(texts, 4, 11)])
    assert isinstance(whole, TokenScores)
    assert isinstance(part, TokenScores)
    assert (whole.unknown, part.unknown) == (("wug", "dax"), ("dax",))
    # Nothing says which of its tokens begin words: all may fill a mask.
    ((*fills,),) = load(tmp_path / "0").fill([MaskedSentence("dog [MASK]", "[MASK]")], 9)
    assert sorted(fill.word for fill in fills if not isinstance(fill, str)) == ["cat", "dog"]


@pytest.mark.parametrize("kind", ["gpt2", "llama", "bloom", "gemma2"])
def test_batches_order_and_groups_change_nothing(kind: str, folders: Mapping[str, Path]) -> None:
    folder = folders[kind]
    stretches = [Stretch.whole(text) for text in TEXTS[:60]]
    expected = [plain_values(folder, stretch.text) for stretch in stretches]
    shuffled = random.Random(1).sample(range(len(stretches)), len(stretches))
    for batch_tokens in (1, 60, 10_000):
        model = load(folder, batch_tokens=batch_tokens)
        for found, values in zip(run(model, stretches), expected, strict=True):
            assert isinstance(found, TokenScores)
            same(found.values, values)
    model = load(folder, batch_tokens=250)
    again = run(model, [stretches[place] for place in shuffled])
    for place, found in zip(shuffled, again, strict=True):
        assert isinstance(found, TokenScores)
        same(found.values, expected[place])
    # A plan is the same sets of sentences in any order, and a group's numbers are its own, to the last digit.
    groups = [[stretches[place] for place in group] for group in model.plan(stretches)]
    other = [[stretches[shuffled[place]] for place in group] for group in model.plan([stretches[x] for x in shuffled])]
    assert len(groups) > 3
    assert groups == other
    first = [model.score(group) for group in groups]
    assert [load(folder, batch_tokens=250).score(group) for group in groups[::-1]][::-1] == first


def test_ways_that_models_allow(folders: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ways = {}
    for kind, folder in folders.items():
        forward = causal_forward.CausalForward(hub.load(str(folder), "causal", ModelOptions()))
        ways[kind] = (forward.has_tree, forward.has_head)
    assert ways == {
        "gpt2": (True, True),
        "gpt2_word_piece": (True, True),
        "llama": (True, True),
        "llama_metaspace": (True, True),
        "mistral": (False, True),  # eight tokens are too few
        "gemma2": (False, True),  # so are these
        "bloom": (False, True),  # knows no positions
    }
    # Where nothing behind the head gives the model's logits, they are the model's own, for all positions.
    with monkeypatch.context() as patch:
        patch.setattr(causal_forward, "_bends", lambda config: iter([lambda logits: logits]))
        model = load(folders["gemma2"])
        assert not model._forward.has_head
    for text, found in zip(TEXTS, run(model, [Stretch.whole(text) for text in TEXTS]), strict=True):
        assert isinstance(found, TokenScores)
        same(found.values, plain_values(folders["gemma2"], text))
    # A longer window of attention: the tree for sentences that are shorter than it.
    folder = tiny_models.mistral(tmp_path, sliding_window=24)
    model = load(folder)
    forward = causal_forward.CausalForward(hub.load(str(folder), "causal", ModelOptions()))
    assert (forward.has_tree, forward.reach) == (True, 24)
    short = [text for text in TEXTS if len(plain(folder, text)[0]) <= 24]
    assert 50 < len(short) < 250
    for texts in (short, TEXTS):
        for text, found in zip(texts, model.score([Stretch.whole(text) for text in texts]), strict=True):
            assert isinstance(found, TokenScores)
            same(found.values, plain_values(folder, text))


def test_sharing_beginnings_changes_nothing_but_the_number_of_positions(
    folders: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    stretches = [Stretch.whole(text) for text in TEXTS if len(text) < 60]
    tokens = sum(len(plain(folders["llama"], stretch.text)[0]) - 1 for stretch in stretches)
    beginnings = {
        tuple(ids[:end]) for stretch in stretches for ids in [plain(folders["llama"], stretch.text)[0]]
        for end in range(1, len(ids))
    }  # fmt: skip
    found = {}
    for width in (0, 8, 64):
        # 0: without tree attention.
        model = load(folders["llama"], batch_tokens=256)
        monkeypatch.setattr(causal_forward, "WIDTH", width or 64)
        if not width:
            monkeypatch.setattr(model._forward, "has_tree", False)
        counts: list[int] = []
        rows: list[int] = []
        base = model._loaded.model.base_model
        base.register_forward_pre_hook(
            lambda _, given, named, counts=counts: counts.append(named["input_ids"].numel()), with_kwargs=True
        )
        model._loaded.model.get_output_embeddings().register_forward_pre_hook(
            lambda _, given, rows=rows: rows.append(given[0].shape[0])
        )
        said = run(model, stretches)
        found[width] = [scores.values for scores in said if isinstance(scores, TokenScores)]
        assert max(counts) <= 256
        assert sum(rows) < tokens
        if width == 64:
            assert sum(counts) < 1.35 * len(beginnings) < tokens
            assert sum(rows) < 1.15 * len(beginnings)
    for one, other, third in zip(*found.values(), strict=True):
        same(one, other)
        same(one, third)


def test_the_vocabulary_is_computed_in_pieces(folders: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    stretches = [Stretch.whole(text) for text in TEXTS[:80]]
    for kind in ("gpt2", "gemma2"):
        model = load(folders[kind])
        if kind == "gemma2":
            monkeypatch.setattr(model._forward, "has_head", False)
        counts: list[int] = []
        model._loaded.model.get_output_embeddings().register_forward_pre_hook(
            lambda _, given, counts=counts: counts.append(given[0].numel() // given[0].shape[-1])
        )
        with monkeypatch.context() as patch:
            patch.setattr(causal_forward, "_CHUNK", 1)
            patch.setattr(causal_forward, "_LEAST_ROWS", 7)
            patch.setattr(causal_forward, "_OWN_LOGITS", 150 * len(plain_parts(folders["gemma2"])[1]))
            said = run(model, stretches)
        # Gemma 2's own forward makes them for all positions, 150 here.
        assert max(counts) <= (7 if kind == "gpt2" else 150)
        for found, text in zip(said, TEXTS, strict=False):
            assert isinstance(found, TokenScores)
            same(found.values, plain_values(folders[kind], text))


def test_sentences_that_cannot_be_scored_are_refused_alone(folders: Mapping[str, Path]) -> None:
    model = load(folders["gpt2"])
    long = " ".join(["dog"] * 1100)
    texts = ["the dog", "", long, "  "]
    fine, empty, too_long, _ = model.score([Stretch.whole(text) for text in texts])
    assert isinstance(fine, TokenScores)
    assert empty == Refusal("the sentence is empty")
    tokens = len(plain_parts(folders["gpt2"])[1](long)["input_ids"]) + 1
    assert too_long == Refusal(f"{tokens:,} tokens, and the model's window has 256")
    # What stands before the target fits.
    (target,) = model.score([Stretch(long, 4, 7)])
    assert isinstance(target, TokenScores)
    same(target.values, plain_values(folders["gpt2"], "dog dog")[-len(target.values) :])
    assert model.score([Stretch("the dogs", 3, 4)]) == [Refusal("no token of the model begins in ' '")]
    assert [len(group) for group in model.plan([Stretch.whole(text) for text in texts])] == [4]
    # A model without such a limit, and one sentence of more tokens than are computed at once.
    (scores,) = load(folders["bloom"], batch_tokens=32).score([Stretch.whole(" ".join(["dog"] * 300))])
    assert isinstance(scores, TokenScores)
    same(scores.values, plain_values(folders["bloom"], " ".join(["dog"] * 300)))


def test_models_of_other_kinds_are_told(folders: Mapping[str, Path], tmp_path: Path) -> None:
    folder = tiny_models.bert(tmp_path / "bert")
    with pytest.raises(ScoreError, match=r"a masked model \(BertForMaskedLM\), not a causal one; use masked:"):
        load(folder)
    with pytest.raises(ScoreError, match="there is no such folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="--pll means nothing to a model of the kind 'causal'"):
        load(folders["gpt2"], pll="original")
    with pytest.raises(UsageError, match="did you mean 'bfloat16'"):
        load(folders["gpt2"], dtype="bfloat")


def test_half_and_double_precision(folders: Mapping[str, Path]) -> None:
    stretches = [Stretch.whole(text) for text in TEXTS[:40]]
    double = run(load(folders["llama"], dtype="float64"), stretches)
    for found, stretch in zip(double, stretches, strict=True):
        assert isinstance(found, TokenScores)
        same(found.values, plain_values(folders["llama"], stretch.text))
    if hub._computes_in("bfloat16"):
        half = run(load(folders["llama"], dtype="bfloat16"), stretches)
        totals = [scores.total for scores in half if isinstance(scores, TokenScores)]
        assert totals == pytest.approx([scores.total for scores in double if isinstance(scores, TokenScores)], rel=0.1)
    else:
        with pytest.raises(UsageError, match="this CPU does not compute in it"):
            load(folders["llama"], dtype="bfloat16")


@pytest.mark.parametrize("kind", ["gpt2", "llama_metaspace", "gpt2_word_piece", "mistral"])
def test_masks_are_filled_by_what_stands_before_them(kind: str, folders: Mapping[str, Path]) -> None:
    folder = folders[kind]
    _, tokenizer = plain_parts(folder)
    tokens = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    model = load(folder, batch_tokens=200)
    sentences = [MaskedSentence(f"{text.rstrip(' .?!')} [MASK] dogs .", "[MASK]") for text in TEXTS[:40]]
    sentences += [MaskedSentence("the un[MASK] dog", "[MASK]"), MaskedSentence("[MASK] dog", "[MASK]")]
    found: dict[int, Any] = {}
    for group in model.plan_fills(sentences):
        found.update(zip(group, model.fill([sentences[place] for place in group], 5), strict=True))
    for place, sentence in enumerate(sentences):
        before = sentence.text.partition("[MASK]")[0]
        if not before and kind == "gpt2_word_piece":
            assert found[place] == Refusal("nothing stands before the mask, not even a sign of the beginning")
            continue
        _, said = plain(folder, before.rstrip())
        # By hand: behind a space what begins a word, else what does not; at the beginning what sentences begin with.
        inside = before.endswith("un") or (not before and kind == "gpt2")
        ranked = []
        for token in range(len(tokens)):
            word = tokenizer.convert_tokens_to_string([tokens[token].removeprefix("##")]).strip()
            is_word = word and "\ufffd" not in word and tokens[token] not in SIGNS
            if is_word and begins(kind, tokens[token]) != inside:
                ranked.append((float(said[-1, token].exp()), "##" * before.endswith("un") + word))
        ranked.sort(reverse=True)
        assert [fill.probability for fill in found[place]] == pytest.approx([p for p, _ in ranked[:5]], rel=1e-3)
        assert found[place][0].word == ranked[0][1]
    assert len({fills[0].word for fills in found.values() if not isinstance(fills, Refusal)}) > 3


def test_the_tree_holds_each_beginning_once() -> None:
    draw = random.Random(1)
    for _ in range(60):
        sequences = [tuple(draw.choices(range(3), k=draw.randint(0, 7))) for _ in range(draw.randint(1, 25))]
        read_last = [place for place in range(len(sequences)) if draw.random() < 0.3]
        tree = PrefixTree.of(sequences, read_last)
        beginnings = {ids[:end] for ids in sequences for end in range(1, len(ids) + 1)}
        words = {tuple(tree.tokens[other] for other in [*tree.ancestors(n), n]) for n in range(len(tree.tokens))}
        assert words == beginnings
        assert len(tree.tokens) == len(beginnings)
        for ids, path in zip(sequences, tree.paths, strict=True):
            assert tuple(tree.tokens[node] for node in path) == ids
            assert [tree.depths[node] for node in path] == list(range(len(ids)))
        inputs = {ids[:end] for ids in sequences for end in range(1, len(ids))}
        inputs |= {sequences[place] for place in read_last if sequences[place]}
        assert len(tree.inputs) == len(inputs)
        for width in (1, 3, 5, 40):
            rows = packed_rows(tree, width)
            assert [node for row in rows for node in row.nodes[row.repeated :]] == tree.inputs
            for row in rows:
                assert len(row.nodes) <= max(width, row.repeated + 1)
                for place, node in enumerate(row.nodes):
                    seen = [row.nodes[j] for j in range(place + 1) if place < row.ends[j]]
                    assert seen == [*tree.ancestors(node), node]
            even = even_rows(tree, width)
            assert len(even) == len(rows)
            assert [node for row in even for node in row.nodes[row.repeated :]] == tree.inputs
            assert max((len(row.nodes) for row in even), default=0) <= max((len(r.nodes) for r in rows), default=0)
        plainly = whole_rows(tree)
        own = [node for row in plainly for node in row.nodes[row.repeated :]]
        assert sorted(own) == tree.inputs
        for batch in batches(plainly, 12):
            assert len(batch) == 1 or max(len(row.nodes) for row in batch) * len(batch) <= 12
        groups = groups_of(sequences, 20)
        assert sorted(place for group in groups for place in group) == list(range(len(sequences)))
        for group in groups:
            nodes = {sequences[place][:end] for place in group for end in range(1, len(sequences[place]) + 1)}
            assert len(nodes) <= 20
