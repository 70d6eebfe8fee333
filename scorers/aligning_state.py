"""What has been joined so far, and what could not be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scorers.aligning_index import Slot
from scorers.errors import Finding
from scorers.items import Item

_LONG = 70


def shorten(text: str) -> str:
    """A sentence as it is shown in a message."""
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


class Joining:
    """The numbers, words and regions of each item, filled in as predictions are joined."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.values: list[list[float | None]] = [[None] * len(item.conditions) for item in items]
        self.token_counts = [[0] * len(item.conditions) for item in items]
        self.fills: list[str | None] = [None] * len(items)
        self.regions: list[dict[int, dict[str, float]]] = [{} for _ in items]
        self.verdicts: dict[int, tuple[bool, str, int]] = {}
        self.from_lines: dict[Slot, tuple[str, int]] = {}
        # Duplicates that say something else than the first, by the files of the first ones.
        self.conflicts: Counter[str] = Counter()
        self.duplicate: list[Finding] = []
        self.unknown: list[Finding] = []
        self.ambiguous: list[Finding] = []
        self.odd: list[Finding] = []

    def note(self, kind: str, message: str, file: str, line: int, hint: str = "") -> None:
        """Keep a prediction that could not be joined: `kind` is duplicate, unknown, ambiguous or odd."""
        finding = Finding(f"{kind}-prediction", message, file, line, hint=hint, severity="warning")
        found: list[Finding] = getattr(self, kind)
        found.append(finding)

    def put(self, slot: Slot, value: float, tokens: int, file: str, line: int) -> bool:
        """Give a member its number; a second one is a duplicate and changes nothing.  Whether it was taken."""
        place, condition = slot
        if self.values[place][condition] is not None:
            self.note_duplicate(slot, file, line, self.values[place][condition] != value)
            return False
        self.values[place][condition] = value
        self.token_counts[place][condition] = tokens
        self.from_lines[slot] = (file, line)
        return True

    def note_duplicate(self, slot: Slot, file: str, line: int, differs: bool = False) -> None:
        """Keep a second prediction of a member, with the place of the first; whether it says something else."""
        item = self.items[slot[0]]
        name = item.conditions[slot[1]].name
        first = self.from_lines.get(slot)
        if differs and first:
            self.conflicts[first[0]] += 1
        before = f" (the first, in {first[0]}:{first[1]}, is kept)" if first else ""
        self.note("duplicate", f"a second prediction of '{item.id}' {name}{before}", file, line)
