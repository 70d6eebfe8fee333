"""Pseudo-log-likelihoods of Zorro pairs, Starling beside minicons 0.3.39: sentences a second.

    sh benchmarks/environments/minicons.sh FOLDER
    PYTHONPATH=. FOLDER/bin/python benchmarks/masked.py [PAIRS [ROUNDS]]      default: 100 pairs, 3 rounds

An 8-layer, 256-wide RoBERTa with random weights and the tokeniser of BabyBERTa (8,192 tokens, from the folder in
REFERENCE_DATA), on two threads, both in one process.  minicons takes the number of sentences at once that is fastest
of some; in each round each has a turn, and the fastest turn counts.  Starling's time has the tokenising and planning in
it, but not the loading, nor has that of minicons.
"""

from __future__ import annotations

import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from minicons.scorer import MaskedLMScorer

from scorers.errors import Findings
from scorers.models import ModelOptions, Stretch, TokenScores, find_model

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
BATCHES = (1, 4, 10, 30)
MEASURES = {"original": "original", "within_word": "within_word_l2r"}
# Sentences of one length: no padding to be saved, and more contexts that are shared.
PARADIGM = "agreement_subject_verb-across_prepositional_phrase"


def model(folder: str) -> tuple[Any, Any]:
    """The model and its tokeniser, saved in a folder too."""
    torch.manual_seed(1)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(REFERENCE / "zorro" / "babyberta_tokenizer.json"),
        add_prefix_space=True,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
    )
    config = transformers.RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=256,
        num_hidden_layers=8,
        num_attention_heads=8,
        intermediate_size=1024,
        max_position_embeddings=130,
        type_vocab_size=1,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        initializer_range=0.1,
    )
    made = transformers.RobertaForMaskedLM(config).eval()
    made.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return made, tokenizer


def sentences(count: int, paradigm: str = "*") -> list[str]:
    """The distinct sentences of so many pairs."""
    found = []
    for path in sorted((REFERENCE / "zorro" / "sentences").glob(f"{paradigm}.txt")):
        lines = path.read_text("utf-8").splitlines()
        found += list(zip(lines[::2], lines[1::2], strict=True))
    drawn = random.Random(1).sample(found, count) if paradigm == "*" else found[:count]
    return list(dict.fromkeys(sentence for pair in drawn for sentence in pair))


def starling(folder: str, measure: str) -> Callable[[Sequence[str]], list[float]]:
    """The sums of all sentences by Starling."""
    there = find_model(f"masked:{folder}", Findings(), ModelOptions(pll="original" if measure == "original" else None))

    def run(texts: Sequence[str]) -> list[float]:
        stretches = [Stretch.whole(text) for text in texts]
        sums = [math.nan] * len(texts)
        for group in there.plan(stretches):
            for place, scores in zip(group, there.score([stretches[place] for place in group]), strict=True):
                sums[place] = scores.total if isinstance(scores, TokenScores) else math.nan
        return sums

    return run


def minicons(scorer: Any, measure: str, batch: int) -> Callable[[Sequence[str]], list[float]]:
    """The same by minicons, so many sentences at once."""

    def run(texts: Sequence[str]) -> list[float]:
        sums: list[float] = []
        for first in range(0, len(texts), batch):
            some = list(texts[first : first + batch])
            sums += scorer.sequence_score(some, reduction=lambda x: x.sum().item(), PLL_metric=MEASURES[measure])
        return sums

    return run


def seconds(run: Callable[[Sequence[str]], list[float]], texts: Sequence[str]) -> tuple[float, list[float]]:
    """How long a run takes, and what it finds."""
    begin = time.perf_counter()
    found = run(texts)
    return time.perf_counter() - begin, found


def main() -> None:
    """Print a line for each set and measure."""
    given = [int(number) for number in sys.argv[1:]]
    pairs, rounds = (*given, *(100, 3)[len(given) :])
    torch.set_num_threads(2)
    with tempfile.TemporaryDirectory() as folder:
        made, tokenizer = model(folder)
        scorer = MaskedLMScorer(made, "cpu", tokenizer=tokenizer)
        for name, texts in (("random pairs", sentences(pairs)), ("one paradigm", sentences(pairs, PARADIGM))):
            for measure in MEASURES:
                ours = starling(folder, measure)
                ours(texts[:20])
                tried = {
                    batch: min(seconds(minicons(scorer, measure, batch), texts[:40])[0] for _ in range(2))
                    for batch in BATCHES
                }
                batch = min(tried, key=lambda batch: tried[batch])
                theirs = minicons(scorer, measure, batch)
                times: dict[str, list[float]] = {"ours": [], "theirs": []}
                for _ in range(rounds):
                    for who, run in (("ours", ours), ("theirs", theirs)):
                        took, sums = seconds(run, texts)
                        times[who].append(took)
                        if who == "ours":
                            found = sums
                apart = max(abs(one - other) for one, other in zip(found, sums, strict=True))
                rates = {who: len(texts) / min(took) for who, took in times.items()}
                print(
                    f"{name}, {measure}: {len(texts)} sentences, Starling {rates['ours']:.0f}/s, minicons "
                    f"{rates['theirs']:.0f}/s ({batch} at once), ratio {rates['ours'] / rates['theirs']:.2f}; "
                    f"sums differ by {apart:.0e} at most",
                    flush=True,
                )


if __name__ == "__main__":
    main()
