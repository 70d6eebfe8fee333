"""How much memory scoring with a causal model takes for several --batch-tokens: the model of benchmarks/causal.py.

    python benchmarks/causal_memory.py [TOKENS ...]        default: 512 2048 8192 32768

Needs the published material (REFERENCE_DATA).  Each row is a process of its own; what counts is how far its peak grows
over that of the loaded model with one sentence scored.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from causal_model import random_pairs, save_model

CODE = """
import resource, sys
from scorers.errors import Findings
from scorers.models import ModelOptions, Stretch, find_model
folder, file, tokens = sys.argv[1:]
model = find_model(f"causal:{folder}", Findings(), ModelOptions(batch_tokens=int(tokens)))
stretches = [Stretch.whole(text) for text in dict.fromkeys(open(file, encoding="utf-8").read().splitlines())]
model.score(stretches[:1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for group in model.plan(stretches):
    model.score([stretches[place] for place in group])
print(before // 1024, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def main() -> None:
    """A row for each number of tokens."""
    with tempfile.TemporaryDirectory() as name:
        folder, file = Path(name) / "model", Path(name) / "sentences.txt"
        save_model(folder)
        file.write_text("".join(f"{text}\n" for text in random_pairs(4000)), encoding="utf-8")
        for tokens in sys.argv[1:] or ("512", "2048", "8192", "32768"):
            command = [sys.executable, "-c", CODE, str(folder), str(file), tokens]
            found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
            before, after = map(int, found)
            print(f"--batch-tokens {tokens}: {before} MiB loaded, {after - before} MiB more at the peak", flush=True)


if __name__ == "__main__":
    main()
