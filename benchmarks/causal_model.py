"""The model and the sentences that benchmarks of causal models share: random weights, published and made sentences."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
GRAMMAR = "agreement_across_PP"
PARADIGM = "agreement_subject_verb-across_prepositional_phrase"


def save_model(folder: Path) -> None:
    """Save a model of GPT-2's kind, 8 layers of width 256, with the tokeniser of BabyBERTa (8,192 tokens)."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(REFERENCE / "zorro" / "babyberta_tokenizer.json"),
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
    )
    torch.manual_seed(0)
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(tokenizer),
            n_layer=8,
            n_embd=256,
            n_head=4,
            n_positions=128,
            initializer_range=0.1,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def paradigm(name: str = PARADIGM) -> list[str]:
    """The sentences of a paradigm of Zorro."""
    return (REFERENCE / "zorro" / "sentences" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def random_pairs(count: int) -> list[str]:
    """The sentences of so many pairs, drawn from all paradigms of Zorro."""
    pairs: list[tuple[str, str]] = []
    for path in sorted((REFERENCE / "zorro" / "sentences").glob("*.txt")):
        lines = paradigm(path.stem)
        pairs += zip(lines[::2], lines[1::2], strict=True)
    return [text for pair in random.Random(1).sample(pairs, count) for text in pair]


def template(count: int) -> list[str]:
    """The first sentences of all that a shipped grammar makes, in its order."""
    command = [sys.executable, "-m", "generator", "make", GRAMMAR, "--all", "--format", "zorro", "--no-manifest"]
    made = subprocess.Popen([*command, "--quiet", "-o", "-"], stdout=subprocess.PIPE, text=True, encoding="utf-8")
    assert made.stdout is not None
    lines = [line.rstrip("\n") for line, _ in zip(made.stdout, range(count), strict=False)]
    made.kill()
    made.wait()
    return lines
