"""Whole commands from cold, against an interpreter that only starts, side by side in one run.

Run: python benchmarks/cold.py

Each command runs three times; the least processor time is printed, and how many times it is that of `python -c pass`.
Modules are compiled before the first run, as `pip install` does it: what is edited in place, with
PYTHONDONTWRITEBYTECODE set, takes a quarter of a second longer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

ISLAND = "en/blimp/coordinate_structure_constraint"

COMMANDS = {
    "gen --version": ["--version"],
    "gen count, 1.6 x 10^16 items": ["count", "en/blimp/wh_vs_that_with_gap_long_distance"],
    "gen make -n 2000": ["make", "en/babeval/agreement_across_PP", "-n", "2000", "--format", "babeval"],
    "gen make -n 2000, a hard one": ["make", "en/blimp/wh_island", "-n", "2000", "--format", "blimp"],
    "100,000 of 1.5 x 10^12": ["make", f"{ISLAND}_complex_left_branch", "-n", "100000", "--format", "zorro"],
    "100,000 of 10^13": ["make", "en/blimp/sentential_negation_npi_scope", "-n", "100000", "--format", "zorro"],
}  # fmt: skip


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """The least processor time of a command, after a run that compiles what it imports."""
    found = []
    for _ in range(4):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        if status:
            raise SystemExit(f"failed: {' '.join(command)}")
        found.append(usage.ru_utime + usage.ru_stime)
    return min(found[1:])


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        bare = seconds([sys.executable, "-c", "pass"], environment)
        print(f"{'python -c pass':32} {bare:6.2f} s")
        for name, words in COMMANDS.items():
            found = seconds([sys.executable, "-m", "generator", *words], environment)
            print(f"{name:32} {found:6.2f} s, {found / bare:4.0f} times a bare interpreter")


if __name__ == "__main__":
    main()
