"""Tiny models of transformers with random weights, saved in folders, with tokenisers trained on made-up sentences.

The weights are large, so that the numbers of different sentences differ.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

_TEXT = """
the a this that these no every some dog dogs cat cats author authors pilot teacher teachers house sister window
bread on near behind with is are was were has have sees see likes like kisses walks walked talking never always
who which what himself herself themselves it they Mary John Aaron undeniably misunderstanding counterexample
antidisestablishmentarianism café naïve Šárka well-known mother-in-law 2026 10,000
"""
_WORDS = _TEXT.split()
_ENDS = (".", " .", "?", " ?", "", "!", " ...")
VOCABULARY = 400


def sentences(count: int, seed: int = 1, longest: int = 40) -> list[str]:
    """Distinct sentences of 1 to `longest` words; about half share their beginnings with another one."""
    draw = random.Random(seed)
    made: dict[str, None] = {}
    while len(made) < count:
        length = draw.choice((1, 2, 4, 6, 8, 12, draw.randint(1, longest)))
        words = [draw.choice(_WORDS) for _ in range(length)]
        if made and draw.random() < 0.5:
            shared = draw.choice(list(made)).rstrip(".,?! ").split()
            words = (shared[: draw.randint(1, len(shared))] + words)[:longest]
        text = ", ".join(" ".join(part) for part in (words[:9], words[9:]) if part)
        text = text[0].upper() + text[1:] if draw.random() < 0.5 else text
        made[text + draw.choice(_ENDS)] = None
    return list(made)


@cache
def byte_level(add_prefix_space: bool = False, special: tuple[str, ...] = ("<|endoftext|>",)) -> Any:
    """A byte-level BPE tokeniser as of GPT-2, RoBERTa, newer LLaMA."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(special),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    made.train_from_iterator(sentences(200, seed=99), trainer)
    return made


@cache
def metaspace(special: tuple[str, ...] = ("<unk>", "<s>", "</s>")) -> Any:
    """A tokeniser as SentencePiece makes them: `▁` begins a word, one stands before the sentence, bytes fill gaps."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE(unk_token=special[0], fuse_unk=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="first")
    made.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="first")
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY // 2, special_tokens=[AddedToken(sign) for sign in special], show_progress=False
    )
    made.train_from_iterator(sentences(200, seed=99), trainer)
    return made


@cache
def word_piece(special: tuple[str, ...] = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")) -> Any:
    """A tokeniser as of BERT: lower case, pieces inside words with `##`."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=VOCABULARY // 2, special_tokens=list(special), continuing_subword_prefix="##", show_progress=False
    )
    made.train_from_iterator(sentences(200, seed=99), trainer)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", made.token_to_id("[CLS]")), ("[SEP]", made.token_to_id("[SEP]"))],
    )
    return made


@cache
def roberta_tokens() -> Any:
    """Byte-level BPE with the special tokens of RoBERTa; the mask takes the space before it along."""
    from tokenizers import AddedToken, processors

    made = byte_level(special=("<s>", "<pad>", "</s>", "<unk>"))
    made.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    made.post_processor = processors.RobertaProcessing(
        ("</s>", made.token_to_id("</s>")), ("<s>", made.token_to_id("<s>")), add_prefix_space=False
    )
    return made


@cache
def t5_tokens() -> Any:
    """A tokeniser as of T5: `▁`, `</s>` behind the sentence, twenty sentinels."""
    from tokenizers import AddedToken, processors

    made = metaspace(special=("<unk>", "<pad>", "</s>"))
    made.add_special_tokens([AddedToken(f"<extra_id_{number}>", special=True) for number in range(20)])
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", made.token_to_id("</s>"))]
    )
    return made


def fast(tokens: Any, **special: Any) -> Any:
    """A tokeniser of the library tokenizers as one of transformers; `special`: `bos_token="<s>"` and so on."""
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(tokens.to_str()), **special)


def save(folder: Path, model: Any, tokenizer: Any) -> Path:
    """Save both in a folder, the weights drawn anew from the seed 0."""
    import torch
    import transformers

    torch.manual_seed(0)
    model.init_weights()
    with torch.no_grad():
        # Biases and the scales of layer norms are all alike in a fresh model.
        for _, weight in sorted(model.named_parameters()):
            if weight.dim() == 1:
                weight.add_(torch.randn_like(weight) * 0.2)
    transformers.logging.disable_progress_bar()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def gpt2(folder: Path, tokenizer: Any = None, **options: Any) -> Path:
    """GPT-2, by default with byte-level BPE and its one special token."""
    from transformers import GPT2Config, GPT2LMHeadModel

    end = "<|endoftext|>"
    tokenizer = tokenizer or fast(byte_level(), bos_token=end, eos_token=end, unk_token=end)
    config = {"n_embd": 24, "n_layer": 2, "n_head": 2, "n_positions": 256, "initializer_range": 0.5} | options
    made = GPT2Config(
        vocab_size=len(tokenizer), bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, **config
    )
    return save(folder, GPT2LMHeadModel(made), tokenizer)


def gpt2_word_piece(folder: Path, **options: Any) -> Path:
    """GPT-2 with WordPiece, and neither a sign of the beginning nor of the end."""
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = fast(word_piece(), unk_token="[UNK]", pad_token="[PAD]")
    made = GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=24,
        n_layer=2,
        n_head=2,
        n_positions=256,
        initializer_range=0.5,
        bos_token_id=None,
        eos_token_id=None,
        **options,
    )
    return save(folder, GPT2LMHeadModel(made), tokenizer)


def _llama_like(folder: Path, tokenizer: Any, kind: str, options: Mapping[str, Any]) -> Path:
    import transformers

    config = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 256,
        "initializer_range": 0.5,
        "vocab_size": len(tokenizer),
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": None,
    }
    made = getattr(transformers, f"{kind}Config")(**(config | dict(options)))
    return save(folder, getattr(transformers, f"{kind}ForCausalLM")(made), tokenizer)


def llama(folder: Path, **options: Any) -> Path:
    """LLaMA-style with byte-level BPE, its head apart from the embeddings."""
    tokens = byte_level(special=("<|begin|>", "<|end|>"))
    return _llama_like(folder, fast(tokens, bos_token="<|begin|>", eos_token="<|end|>"), "Llama", options)


def llama_metaspace(folder: Path, **options: Any) -> Path:
    """LLaMA-style with a tokeniser like SentencePiece's."""
    tokenizer = fast(metaspace(), bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    return _llama_like(folder, tokenizer, "Llama", options)


def mistral(folder: Path, **options: Any) -> Path:
    """Mistral, whose tokens see only the last eight."""
    tokenizer = fast(metaspace(), bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    return _llama_like(folder, tokenizer, "Mistral", {"sliding_window": 8} | options)


def gemma2(folder: Path, **options: Any) -> Path:
    """Gemma 2, which bends its logits and every other layer of which sees only the last eight tokens."""
    tokenizer = fast(metaspace(), bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    more = {"sliding_window": 8, "head_dim": 8, "final_logit_softcapping": 3.0, "query_pre_attn_scalar": 8}
    return _llama_like(folder, tokenizer, "Gemma2", more | options)


def bloom(folder: Path, **options: Any) -> Path:
    """BLOOM, which knows positions by biases of its attention (ALiBi)."""
    from transformers import BloomConfig, BloomForCausalLM

    tokenizer = fast(byte_level(special=("<s>", "</s>")), bos_token="<s>", eos_token="</s>")
    made = BloomConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        n_layer=2,
        n_head=4,
        initializer_range=0.5,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **options,
    )
    return save(folder, BloomForCausalLM(made), tokenizer)


def bert(folder: Path, **options: Any) -> Path:
    """BERT with WordPiece."""
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = fast(
        word_piece(),
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    config = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 48,
        "max_position_embeddings": 256,
        "initializer_range": 0.5,
    }
    made = BertConfig(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, **(config | options))
    return save(folder, BertForMaskedLM(made), tokenizer)


def roberta(folder: Path, **options: Any) -> Path:
    """RoBERTa with byte-level BPE."""
    from transformers import RobertaConfig, RobertaForMaskedLM

    tokenizer = fast(
        roberta_tokens(),
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
    )
    config = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 48,
        "max_position_embeddings": 258,
        "type_vocab_size": 1,
        "initializer_range": 0.5,
    }
    made = RobertaConfig(
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **(config | options),
    )
    return save(folder, RobertaForMaskedLM(made), tokenizer)


def t5(folder: Path, **options: Any) -> Path:
    """T5 with sentinels."""
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = fast(
        t5_tokens(),
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        additional_special_tokens=[f"<extra_id_{number}>" for number in range(20)],
    )
    config = {
        "d_model": 24,
        "d_kv": 8,
        "d_ff": 48,
        "num_layers": 2,
        "num_heads": 2,
        "initializer_factor": 3.0,
        "dropout_rate": 0.0,
    }
    made = T5Config(
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
        **(config | options),
    )
    return save(folder, T5ForConditionalGeneration(made), tokenizer)


def bart(folder: Path, **options: Any) -> Path:
    """BART with the tokeniser of RoBERTa."""
    from transformers import BartConfig, BartForConditionalGeneration

    tokenizer = fast(
        roberta_tokens(),
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
    )
    config = {
        "d_model": 24,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 48,
        "decoder_ffn_dim": 48,
        "max_position_embeddings": 256,
        "init_std": 0.5,
    }
    made = BartConfig(
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.eos_token_id,
        forced_eos_token_id=None,
        **(config | options),
    )
    return save(folder, BartForConditionalGeneration(made), tokenizer)


CAUSAL: Mapping[str, Callable[..., Path]] = {
    "gpt2": gpt2,
    "gpt2_word_piece": gpt2_word_piece,
    "llama": llama,
    "llama_metaspace": llama_metaspace,
    "mistral": mistral,
    "gemma2": gemma2,
    "bloom": bloom,
}
