"""Paths of decisions, enumerated by replay.

A run asks `choose` wherever something is open; the next run repeats all decisions but the last that has a further
option.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from generator.source import Span
from generator.strata import Decision


class DeadBranch(Exception):  # noqa: N818 - not an error: this combination of choices has no sentence
    """No word fits somewhere on this path."""

    def __init__(self, place: Span, what: str) -> None:
        self.place = place
        self.what = what
        super().__init__(what)


class Oracle:
    """Answers `choose` along one path and knows the next."""

    def __init__(self) -> None:
        self.path: list[Decision] = []
        self.position = 0
        self.memory: dict[Hashable, Decision] = {}

    def start(self) -> None:
        """Begin a run."""
        self.position = 0
        self.memory = {}

    def choose(self, decision: Decision) -> Decision:
        """The decision as this path takes it."""
        if self.position < len(self.path):
            taken = replace(decision, index=self.path[self.position].index)
        else:
            taken = replace(decision, index=0)
            self.path.append(taken)
        self.path[self.position] = taken
        self.position += 1
        self.memory[decision.key] = taken
        return taken

    def advance(self) -> bool:
        """Go to the next path; False when all are done."""
        del self.path[self.position :]
        while self.path:
            last = self.path[-1]
            if last.index + 1 < len(last.weights):
                self.path[-1] = replace(last, index=last.index + 1)
                return True
            self.path.pop()
        return False
