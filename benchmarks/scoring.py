"""Zorro's prediction lines scored, beside a loop written by hand: lines a second, and memory.

    python benchmarks/scoring.py [LINES]        default: 10,000,000

Each row is timed on the same file, one after the other, in a process of its own; the best of two runs counts.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

LOOP = """
wins = ties = pairs = 0
with open(path, encoding="utf-8") as file:
    for bad in file:
        good = next(file)
        first, second = float(bad.rsplit(" ", 1)[1]), float(good.rsplit(" ", 1)[1])
        wins += first > second
        ties += first == second
        pairs += 1
print((wins + ties / 2) / pairs)
"""
BLOCKS = """
from scorers.fast_pairs import PLAIN, fastest, score_pairs
print(score_pairs(path, {beside}, {counter}).counts.tally("", "half").accuracy)
"""
ROWS = {
    "loop by hand": LOOP,
    "plain Python": BLOCKS.format(beside=None, counter="PLAIN"),
    "plain, sentences compared": BLOCKS.format(beside="beside", counter="PLAIN"),
    "fastest there is": BLOCKS.format(beside=None, counter="fastest()"),
    "fastest, sentences compared": BLOCKS.format(beside="beside", counter="fastest()"),
}
AROUND = """
import resource, time
path, beside = {paths!r}
start = time.perf_counter()
{code}
print(time.perf_counter() - start)
print(time.process_time())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def write(path: Path, beside: Path, lines: int) -> None:
    """Write so many lines of made-up sentences and cross-entropies."""
    draw = random.Random(1)
    words = ["dog", "cat", "author", "pilot", "teacher", "house", "sister", "window"]
    with path.open("w", encoding="utf-8") as scored, beside.open("w", encoding="utf-8") as alone:
        for start in range(0, lines, 20_000):
            block = []
            for _ in range(min(20_000, lines - start) // 2):
                first, second = draw.choice(words), draw.choice(words)
                block += [
                    f"the {first} on the {second} are here again .",
                    f"the {first} on the {second} is here again .",
                ]
            scored.writelines(f"{line} {draw.expovariate(0.4):.4f}\n" for line in block)
            alone.writelines(f"{line}\n" for line in block)


def main() -> None:
    """Time all rows."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        paths = str(Path(folder) / "predictions.txt"), str(Path(folder) / "sentences.txt")
        write(Path(paths[0]), Path(paths[1]), lines)
        print(f"{lines:,} lines")
        base = 0.0
        for name, code in ROWS.items():
            command = [sys.executable, "-c", AROUND.format(paths=paths, code=code)]
            runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in "ab"]
            accuracy, seconds, processor, memory = min(runs, key=lambda run: float(run[1]))
            speed = lines / float(seconds) / 1e6
            base = base or speed
            cost = f"{float(processor):.1f} s of processor, {memory} MiB"
            print(f"{name:28} {speed:6.2f} M lines/s  {speed / base:5.1f} x  {cost}, accuracy {accuracy}")


if __name__ == "__main__":
    main()
