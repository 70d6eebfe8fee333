"""Mutants of the shipped grammars and word lists: each gives diagnostics or valid items within 5 s, and no traceback.

Run: python benchmarks/fuzz.py [--count 20000] [--start 0]; a mutant alone, with its text: --only 1234.
Mutants run in a child process, which a watchdog ends after 20 s of processor time; a failure stops nothing.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import resource
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzzing import LIMIT_S, Mutant, Outcome, World, examine, grammar_text, mutant_of

KILL_S = 20.0
MEMORY_BYTES = 4 << 30
BATCH = 500  # mutants of one child: what its caches have grown to goes with it


def warm(world: World) -> None:
    """Import and load what children share."""
    import inflect

    from generator.guessing import english_plural

    assert inflect
    english_plural("wug")
    examine_alone(world, 0)
    world.donors  # noqa: B018 - computed once, before the fork


def examine_alone(world: World, number: int) -> Outcome:
    """One mutant in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        return examine(world, mutant_of(world, number), Path(folder))


def child(world: World, numbers: Sequence[int], out: int, trace: str) -> None:
    """Examine mutants one by one; a line before each and a line after it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    with open(trace, "w", encoding="utf-8") as file, os.fdopen(out, "w", encoding="utf-8") as stream:
        faulthandler.register(signal.SIGPROF, file=file, all_threads=False, chain=True)
        for number in numbers:
            stream.write(f"{number}\n")
            stream.flush()
            signal.setitimer(signal.ITIMER_PROF, KILL_S)
            outcome = examine_alone(world, number)
            signal.setitimer(signal.ITIMER_PROF, 0)
            stream.write(json.dumps(asdict(outcome)) + "\n")
            stream.flush()


def outcomes(world: World, numbers: Sequence[int]) -> Iterator[Outcome]:
    """What becomes of each mutant.  One that ends its process is reported, and the others go on."""
    left = list(numbers)
    while left:
        batch, left = left[:BATCH], left[BATCH:]
        with tempfile.NamedTemporaryFile(prefix="fuzz-trace-") as trace:
            source, sink = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(source)
                try:
                    child(world, batch, sink, trace.name)
                finally:
                    os._exit(0)
            os.close(sink)
            begun, done = -1, 0
            with os.fdopen(source, encoding="utf-8") as stream:
                for line in stream:
                    if line.startswith("{"):
                        record = json.loads(line)
                        done += 1
                        yield Outcome(**{**record, "changes": tuple(record["changes"])})
                    else:
                        begun = int(line)
            status = os.waitpid(pid, 0)[1]
            if done < len(batch):
                mutant = mutant_of(world, begun)
                why = f"the process ended with status {status}\n{Path(trace.name).read_text('utf-8')}"
                yield Outcome(begun, mutant.base, mutant.changes, "killed", KILL_S, why)
                left = batch[batch.index(begun) + 1 :] + left


def is_slow(world: World, outcome: Outcome) -> bool:
    """Whether a mutant took longer than allowed: 5 s, and three times what its base takes itself."""
    if outcome.failure or outcome.cpu_s <= LIMIT_S:
        return False
    return outcome.cpu_s > LIMIT_S + 3 * own_time_s(world, outcome.base.split("/")[0])


def own_time_s(world: World, name: str) -> float:
    """What the grammar takes as it ships."""
    base = next((base for base in world.bases if base.name == name and not base.import_path), None)
    if base is None:
        return 0.0
    whole = Mutant(-1, base.name, (), (("mutant.grammar", base.text.encode()),))
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        return examine(world, whole, Path(folder)).cpu_s


def main() -> int:
    """Print a line for each failure, then how many mutants ended how, and the slowest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--log", type=Path, help="a JSON line for each mutant")
    options = parser.parse_args()
    world = World()
    if options.only is not None:
        mutant = mutant_of(world, options.only)
        print(grammar_text(mutant))
        outcome = examine_alone(world, options.only)
        print(f"--- {outcome.base}: {', '.join(outcome.changes)}: {outcome.status}, {outcome.cpu_s:.2f} s")
        print(outcome.failure)
        return int(bool(outcome.failure))
    warm(world)
    ended: Counter[str] = Counter()
    slowest: list[Outcome] = []
    failed = 0
    total_s = 0.0
    log = options.log.open("w", encoding="utf-8") if options.log else None
    for outcome in outcomes(world, range(options.start, options.start + options.count)):
        if is_slow(world, outcome):
            outcome = Outcome(*list(asdict(outcome).values())[:5], f"slow: {outcome.cpu_s:.1f} s")
        ended["failed" if outcome.failure else outcome.status] += 1
        total_s += outcome.cpu_s
        slowest = sorted([*slowest, outcome], key=lambda o: -o.cpu_s)[:10]
        if outcome.failure:
            failed += 1
            print(f"{outcome.number} {outcome.base}: {outcome.failure.strip().splitlines()[-1][:300]}", flush=True)
        if log:
            log.write(json.dumps(asdict(outcome)) + "\n")
            log.flush()
    print(f"{options.count:,} mutants in {total_s:,.0f} s of processor time: {failed} failed")
    for status, count in ended.most_common():
        print(f"{count:7,} {status}")
    print("the slowest:")
    for outcome in slowest:
        print(f"{outcome.cpu_s:7.2f} s  {outcome.number} {outcome.base}: {', '.join(outcome.changes)}")
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
