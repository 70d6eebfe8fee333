"""Scores of minicons for a file of sentences; runs in the environment that environments/minicons.sh makes.

    PYTHON benchmarks/minicons_scores.py masked|causal MODEL SENTENCES -o SCORES.jsonl

MODEL is a folder; SENTENCES has one sentence a line.  A line for each sentence: `{"sentence": ..., "original":
[[token, log-probability], ...], "within_word_l2r": [...]}` for a masked model, `{"sentence": ..., "causal": [...]}`
for a causal one, as `token_score` gives them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BATCH = 20


def scorer(kind: str, folder: str) -> Any:
    """The scorer of a model in a folder."""
    from minicons.scorer import IncrementalLMScorer, MaskedLMScorer
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, PreTrainedTokenizerFast

    # The tokeniser by its class, and not by the name of it that a later version of transformers may have written.
    # transformers 4 takes away the space that tokenizer.json puts before a sentence, where it is not told to keep it.
    tokens = json.loads(Path(folder, "tokenizer.json").read_text("utf-8"))["pre_tokenizer"]
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder, add_prefix_space=tokens.get("add_prefix_space", False))
    if kind == "masked":
        return MaskedLMScorer(AutoModelForMaskedLM.from_pretrained(folder), "cpu", tokenizer=tokenizer)
    return IncrementalLMScorer(AutoModelForCausalLM.from_pretrained(folder), "cpu", tokenizer=tokenizer)


def scores(kind: str, model: Any, sentences: list[str]) -> Iterator[dict[str, Any]]:
    """What `token_score` says of each sentence, by measure."""
    for first in range(0, len(sentences), BATCH):
        batch = sentences[first : first + BATCH]
        if kind == "masked":
            found = {
                measure: model.token_score(batch, PLL_metric=measure) for measure in ("original", "within_word_l2r")
            }
        else:
            found = {"causal": model.token_score(batch)}
        for place, sentence in enumerate(batch):
            yield {"sentence": sentence} | {measure: values[place] for measure, values in found.items()}


def main() -> None:
    """Write the scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("masked", "causal"))
    parser.add_argument("model")
    parser.add_argument("sentences", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    sentences = given.sentences.read_text("utf-8").splitlines()
    with given.output.open("w", encoding="utf-8") as stream:
        for row in scores(given.kind, scorer(given.kind, given.model), sentences):
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
