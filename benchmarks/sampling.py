"""Samples: how many items a second, against `random.sample` and a loop of f-strings, side by side in one run.

Run: python benchmarks/sampling.py [items; default 300000]

The space has 4.5 thousand million items.  The program by hand draws numbers, cuts each into words and writes the same
two sentences; it balances nothing.  Times are processor times of one process, words and plan being loaded; ours grow
less for long runs, since words are looked up once.
"""

from __future__ import annotations

import random
import sys
import time

from generator import bulk
from generator.loading import grammar_from_text
from generator.planning import plan
from generator.sampling import Run
from generator.writers import find_format

GRAMMAR = """paradigm sampled
slot Noun = noun animate
slot Place = noun -animate concrete
slot Adjective = adjective predicative
slot Adverb = adverb manner
+ this {Noun sg} near the {Place sg} {"is" | *"are"} {Adverb} {Adjective} .
"""


def main() -> None:
    """Measure, print times and their ratio."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    found = plan(grammar_from_text(GRAMMAR, "sampled"))
    (leaf,) = found.templates[0].leaves
    lists = [
        [entry.texts[0] for run in part.walk(label) for entry in run.last]
        for part, label in zip(leaf.parts, leaf.labels, strict=True)
        if part.draws
    ]
    start = time.process_time()
    for number in random.Random(1).sample(range(found.items), count):
        rest, d = divmod(number, len(lists[3]))
        rest, c = divmod(rest, len(lists[2]))
        a, b = divmod(rest, len(lists[1]))
        first, last = f"this {lists[0][a]} near the {lists[1][b]}", f"{lists[2][c]} {lists[3][d]} ."
        f"{first} are {last}\n{first} is {last}\n"
    by_hand = time.process_time() - start
    print(f"by hand: {count / by_hand:,.0f} pairs a second")
    for name in ("zorro", "blimp"):
        form = find_format(name)
        start = time.process_time()
        blocks = bulk.line_blocks(found, Run(found, count, 1), (1, 1), form, form.style, "[MASK]")
        made = sum(sum(block.shapes.values()) for block in blocks)
        seconds = time.process_time() - start
        print(f"{name}:   {made / seconds:,.0f} pairs a second, {by_hand / seconds:.2f} of the rate by hand")


if __name__ == "__main__":
    main()
