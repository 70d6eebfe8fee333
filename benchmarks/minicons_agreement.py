"""Scores beside those of minicons 0.3.39, on Zorro pairs and the two Brown models: the largest differences.

    sh benchmarks/environments/minicons.sh FOLDER
    python benchmarks/minicons_agreement.py FOLDER/bin/python [PAIRS]        default: 500 pairs

The published material is read from the folder in REFERENCE_DATA.  Ends with 1 where a sum differs by 1e-3 or more.

Three things are made alike, because minicons does them of itself: it gives a causal model what the tokeniser puts
around a sentence (`<s>` and `</s>` here), so that the end of the sentence is scored; it says 0 for the first token,
which is left out; and its words are the tokeniser's own, which are Starling's too where the tokeniser cuts at spaces.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scorers.errors import Findings
from scorers.models import ModelOptions, Stretch, TokenScores, find_model

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
LARGEST = 1e-3
MEASURES = {
    "original": ("masked", "brown-mini-mlm", ModelOptions(pll="original")),
    "within_word_l2r": ("masked", "brown-mini-mlm", ModelOptions(pll="within_word")),
    "causal": ("causal", "brown-mini-clm", ModelOptions(eos=True)),
}


def pairs(count: int) -> list[str]:
    """The sentences of so many pairs, drawn from all paradigms."""
    found = []
    for path in sorted((REFERENCE / "zorro" / "sentences").glob("*.txt")):
        lines = path.read_text("utf-8").splitlines()
        found += list(zip(lines[::2], lines[1::2], strict=True))
    return [sentence for pair in random.Random(1).sample(found, count) for sentence in pair]


def starling(spec: str, options: ModelOptions, sentences: Sequence[str]) -> list[TokenScores]:
    """The scores of all sentences, in their order."""
    model = find_model(spec, Findings(), options)
    distinct = [Stretch.whole(text) for text in dict.fromkeys(sentences)]
    found = {}
    for group in model.plan(distinct):
        stretches = [distinct[place] for place in group]
        for stretch, scores in zip(stretches, model.score(stretches), strict=True):
            if not isinstance(scores, TokenScores):
                raise SystemExit(f"{stretch.text}: {scores.reason}")
            found[stretch.text] = scores
    return [found[text] for text in sentences]


def minicons(python: str, kind: str, model: Path, sentences: Sequence[str]) -> list[dict[str, list[tuple[str, float]]]]:
    """What minicons says of them."""
    with tempfile.TemporaryDirectory() as folder:
        texts, scores = Path(folder, "sentences.txt"), Path(folder, "scores.jsonl")
        texts.write_text("".join(f"{text}\n" for text in sentences), "utf-8")
        command = [python, str(Path(__file__).with_name("minicons_scores.py")), kind, str(model), str(texts)]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([*command, "-o", str(scores)], check=True, env=environment)
        return [json.loads(line) for line in scores.read_text("utf-8").splitlines()]


def main() -> int:
    """Print a line for each measure."""
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    sentences = pairs(int(sys.argv[2]) if len(sys.argv) > 2 else 500)
    theirs: dict[str, list[dict[str, list[tuple[str, float]]]]] = {}
    worst = 0.0
    for measure, (kind, name, options) in MEASURES.items():
        model = REFERENCE / "models" / name
        if kind not in theirs:
            theirs[kind] = minicons(sys.argv[1], kind, model, sentences)
        ours = starling(f"{kind}:{model}", options, sentences)
        largest = largest_token = 0.0
        for row, scores in zip(theirs[kind], ours, strict=True):
            values = [value for _, value in row[measure]][1 if kind == "causal" else 0 :]
            largest = max(largest, abs(math.fsum(values) - scores.total))
            # A longer or shorter list of tokens is a difference that no number says.
            apart = [abs(one - other) for one, other in zip(values, scores.values, strict=True)]
            largest_token = max(largest_token, *apart)
        pieces = sum(len(row[measure]) for row in theirs[kind])
        print(
            f"{measure:<16} {len(sentences):,} sentences, {pieces:,} tokens: "
            f"largest difference of a sum {largest:.1e}, of a token {largest_token:.1e}"
        )
        sys.stdout.flush()
        worst = max(worst, largest)
    return int(worst >= LARGEST)


if __name__ == "__main__":
    sys.exit(main())
