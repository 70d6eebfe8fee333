"""Causal models beside lm-evaluation-harness called directly: sentences a second, in one run, on the same model.

    sh benchmarks/environments/lm_eval.sh FOLDER
    FOLDER/bin/python benchmarks/causal.py [--rounds N] [--threads N] [--paradigm NAME]

Needs the published material (REFERENCE_DATA).  Both sides take turns; of each the best round counts.  The harness gets
the batch size that is the fastest for the set; the model is loaded before the clock starts, sentences are tokenised
after.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

from causal_model import PARADIGM, paradigm, random_pairs, save_model, template

BATCHES = (32, 64, 128, 256)


def harness(folder: Path, batch: int) -> Callable[[Sequence[str]], list[float]]:
    """The harness's log-likelihoods of sentences behind an empty context."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    wrapped = HFLM(
        pretrained=model, tokenizer=AutoTokenizer.from_pretrained(folder), batch_size=batch, device="cpu"
    )  # fmt: skip

    def score(texts: Sequence[str]) -> list[float]:
        asked = [
            Instance(request_type="loglikelihood", doc={}, arguments=("", text), idx=number)
            for number, text in enumerate(texts)
        ]
        return [value for value, _ in wrapped.loglikelihood(asked, disable_tqdm=True)]

    return score


def starling(folder: Path) -> Callable[[Sequence[str]], list[float]]:
    """The same sums by the causal family."""
    from scorers.errors import Findings
    from scorers.models import Stretch, find_model

    model = find_model(f"causal:{folder}", Findings())

    def score(texts: Sequence[str]) -> list[float]:
        distinct = [Stretch.whole(text) for text in dict.fromkeys(texts)]
        found: dict[str, float] = {}
        for group in model.plan(distinct):
            for place, scores in zip(group, model.score([distinct[place] for place in group]), strict=True):
                found[distinct[place].text] = scores.total  # type: ignore[union-attr]
        return [found[text] for text in texts]

    return score


def timed(score: Callable[[Sequence[str]], list[float]], texts: Sequence[str]) -> tuple[float, list[float]]:
    """Seconds, and the scores."""
    start = time.perf_counter()
    found = score(texts)
    return time.perf_counter() - start, found


def main() -> None:
    """A line for each set."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--paradigm", default=PARADIGM)
    given = options.parse_args()
    import torch

    torch.set_num_threads(given.threads)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    sets = {
        "2,000 random Zorro pairs": random_pairs(2000),
        given.paradigm: paradigm(given.paradigm),
        "10,000 sentences of a template": template(10_000),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_model(folder)
        ours = starling(folder)
        others: dict[int, Any] = {batch: harness(folder, batch) for batch in BATCHES}
        print("set: sentences/s of Starling | of lm-evaluation-harness (its batch size) | ratio | largest difference")
        for label, texts in sets.items():
            trial = texts[:1024]
            best = min(BATCHES, key=lambda batch: min(timed(others[batch], trial)[0] for _ in range(2)))
            ours(trial)
            least = [float("inf"), float("inf")]
            for _ in range(given.rounds):
                first, mine = timed(ours, texts)
                second, theirs = timed(others[best], texts)
                least = [min(least[0], first), min(least[1], second)]
            difference = max(abs(one - other) for one, other in zip(mine, theirs, strict=True))
            rates = [len(texts) / seconds for seconds in least]
            print(
                f"{label}: {rates[0]:,.0f} | {rates[1]:,.0f} ({best}) | {rates[0] / rates[1]:.2f} | {difference:.1e}",
                flush=True,
            )


if __name__ == "__main__":
    main()
