"""Whole commands from cold, against an interpreter that only starts, side by side in one run.

Run: python benchmarks/cold.py

Each command runs three times; the least processor time is printed, and how many times it is that of `python -c pass`.
"""

from __future__ import annotations

import os
import subprocess
import sys

COMMANDS = {
    "gen --version": ["--version"],
    "gen count, 1.6 x 10^16 items": ["count", "en/blimp/wh_vs_that_with_gap_long_distance"],
    "gen make -n 2000": ["make", "en/babeval/agreement_across_PP", "-n", "2000", "--format", "babeval"],
    "gen make -n 2000, a hard one": ["make", "en/blimp/wh_island", "-n", "2000", "--format", "blimp"],
    "100,000 of 10^13": ["make", "en/blimp/sentential_negation_npi_scope", "-n", "100000", "--format", "zorro"],
}  # fmt: skip


def seconds(command: list[str]) -> float:
    """The least processor time of a command."""
    found = []
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        if status:
            raise SystemExit(f"failed: {' '.join(command)}")
        found.append(usage.ru_utime + usage.ru_stime)
    return min(found)


def main() -> None:
    """Measure and print."""
    bare = seconds([sys.executable, "-c", "pass"])
    print(f"{'python -c pass':32} {bare:6.2f} s")
    for name, words in COMMANDS.items():
        found = seconds([sys.executable, "-m", "generator", *words])
        print(f"{name:32} {found:6.2f} s, {found / bare:4.0f} times a bare interpreter")


if __name__ == "__main__":
    main()
