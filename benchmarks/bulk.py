"""Bulk output against a program written by hand for one template, side by side in one run.

Run: python benchmarks/bulk.py [items, in millions; default 10]

Both write the same BLiMP records: `gen make --all`, and nested loops with one f-string a record whose
constant part is made outside the innermost loop.  Each runs as a process of its own and writes to /dev/null; times are
processor times of whole processes, the best of three, start-up and planning included.  Before that, both outputs are
compared on the first items.  The last line is the time with self-checks.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

GRAMMAR = """paradigm bulk
phenomenon agreement
field syntax
slot Noun = noun animate
slot Place = noun -animate concrete
slot Adjective = adjective predicative
slot Adverb = adverb manner
+ this {Noun sg} near the {Place sg} {"is" | *"are"} {Adverb} {Adjective} .
"""

LISTS = """
import json, sys
from generator.loading import grammar_from_text
from generator.planning import plan
(leaf,) = plan(grammar_from_text(sys.argv[1], "bulk")).templates[0].leaves
parts = [(part, label) for part, label in zip(leaf.parts, leaf.labels) if part.draws]
print(json.dumps([[entry.texts[0] for run in part.walk(label) for entry in run.last] for part, label in parts]))
"""

BY_HAND = r"""
import json, sys
nouns, places, adverbs, adjectives, limit = json.load(open(sys.argv[1]))
write = sys.stdout.write
number = 1
for noun in nouns:
    for place in places:
        start = f"This {noun} near the {place}"
        for adverb in adverbs:
            good, bad = f"{start} is {adverb} ", f"{start} are {adverb} "
            a = '{"sentence_good": "' + good
            b = '.", "sentence_bad": "' + bad
            c = (
                '.", "field": "syntax", "linguistics_term": "agreement", "UID": "bulk", "simple_LM_method": true, '
                '"one_prefix_method": true, "two_prefix_method": true, "lexically_identical": false, "pairID": "bulk:1:'
            )
            d = (
                f'.1", "one_prefix_prefix": "{start}", "one_prefix_word_good": "is", "one_prefix_word_bad": "are", '
                f'"two_prefix_prefix_good": "{start} is", "two_prefix_prefix_bad": "{start} are", '
                f'"two_prefix_word": "{adverb}", "template": "1"}}\n'
            )
            write("".join([f"{a}{w}{b}{w}{c}{n}{d}" for n, w in enumerate(adjectives, number)]))
            number += len(adjectives)
            if number > limit:
                sys.exit()
"""


def measured(command: list[str], times: int = 3) -> tuple[float, float]:
    """Processor seconds (the least of several runs) and the largest memory in MB of a command."""
    seconds, memory = [], []
    for _ in range(times):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        if status:
            raise SystemExit(f"{command} failed")
        seconds.append(usage.ru_utime + usage.ru_stime)
        memory.append(usage.ru_maxrss / 1024)
    return min(seconds), max(memory)


def digest(command: list[str]) -> str:
    """The digest of a command's output, read piece by piece so that this process stays small."""
    found = hashlib.sha256()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for piece in iter(lambda: process.stdout.read(1 << 20), b""):  # type: ignore[union-attr]
            found.update(piece)
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    return found.hexdigest()


def main() -> None:
    """Compare, measure, print times and their ratio."""
    wanted = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    # In a process of its own, so that this one stays small: memory is measured from where a process is forked.
    listing = subprocess.run([sys.executable, "-c", LISTS, GRAMMAR], stdout=subprocess.PIPE, check=True)
    words = json.loads(listing.stdout)
    total, block = math.prod(map(len, words)), len(words[-1])
    with tempfile.TemporaryDirectory() as folder:
        grammar, program, lists = (Path(folder, name) for name in ("bulk.grammar", "by_hand.py", "lists.json"))
        grammar.write_text(GRAMMAR, "utf-8")
        program.write_text(BY_HAND, "utf-8")

        def commands(items: float) -> tuple[int, list[str], list[str]]:
            # A shard of the whole space, cut at the end of an innermost loop.
            of = max(1, round(total / items))
            while total // of % block:
                of += 1
            count = total // of
            lists.write_text(json.dumps([*words, count]), "utf-8")
            make = [sys.executable, "-m", "generator", "make", str(grammar), "--all", "--format", "blimp", "--quiet"]
            make += ["--no-manifest", "--shard", f"1/{of}"]
            return count, make, [sys.executable, str(program), str(lists)]

        small, make, by_hand = commands(100_000)
        same = digest(make) == digest(by_hand)
        print(f"the first {small:,} records are {'the same' if same else 'DIFFERENT'}")
        if not same:
            raise SystemExit(1)
        count, make, by_hand = commands(wanted * 1e6)
        ours, memory = measured(make)
        theirs, their_memory = measured(by_hand)
        for name, seconds, size in (("gen make --all", ours, memory), ("by hand", theirs, their_memory)):
            rate = count / seconds / 1e6
            print(f"{name:15} {count:,} pairs in {seconds:.1f} s, {rate:.2f} million a second, {size:.0f} MB")
        print(f"ratio: {theirs / ours:.2f} times as fast as by hand")


if __name__ == "__main__":
    main()
