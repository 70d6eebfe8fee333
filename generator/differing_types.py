"""What a comparison of two grammars says.  Pure data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from generator.items import Flavour, Item

Method = Literal["same", "listed", "counted", "estimated"]
"""How items were compared: not at all, since the inputs say the same; one by one; on the graphs; by samples."""

Kind = Literal["removed", "added", "changed"]

_Z = 1.959963984540054  # the 97.5% point of the normal distribution


@dataclass(frozen=True)
class Tally:
    """Numbers of items.  OLD's are removed, changed or kept; NEW's are added, changed or kept.

    An item is changed where the other side has its acceptable sentence, but other sentences against it.
    """

    old: int = 0
    new: int = 0
    removed: int = 0
    added: int = 0
    changed_old: int = 0
    changed_new: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.removed or self.added or self.changed_old or self.changed_new)

    @property
    def kept_old(self) -> int:
        """The items of OLD that NEW has."""
        return self.old - self.removed - self.changed_old

    @property
    def kept_new(self) -> int:
        """The items of NEW that OLD has."""
        return self.new - self.added - self.changed_new

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.old + other.old,
            self.new + other.new,
            self.removed + other.removed,
            self.added + other.added,
            self.changed_old + other.changed_old,
            self.changed_new + other.changed_new,
        )

    def as_json(self) -> dict[str, int]:
        """The numbers by name."""
        return {
            "old": self.old,
            "new": self.new,
            "removed": self.removed,
            "added": self.added,
            "changed_old": self.changed_old,
            "changed_new": self.changed_new,
            "kept_old": self.kept_old,
            "kept_new": self.kept_new,
        }


@dataclass(frozen=True)
class Share:
    """A share that was seen in a sample, with Wilson's 95% interval."""

    seen: int
    sample: int

    @property
    def value(self) -> float:
        """The share of the sample."""
        return self.seen / self.sample if self.sample else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval (Wilson 1927), without continuity correction."""
        if not self.sample:
            return 0.0, 1.0
        n, p, z2 = self.sample, self.value, _Z * _Z
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        low = 0.0 if self.seen == 0 else max(0.0, middle - half)
        return low, 1.0 if self.seen == n else min(1.0, middle + half)

    def as_json(self) -> dict[str, Any]:
        """The share, its interval and the sample."""
        return {"seen": self.seen, "sample": self.sample, "share": self.value, "interval": list(self.interval)}


@dataclass(frozen=True)
class Estimates:
    """Shares of OLD's items that are removed or changed, and of NEW's that are added or changed."""

    removed: Share
    changed_old: Share
    added: Share
    changed_new: Share

    @property
    def is_empty(self) -> bool:
        """Whether neither sample has a difference."""
        return not (self.removed.seen or self.changed_old.seen or self.added.seen or self.changed_new.seen)

    def as_json(self) -> dict[str, Any]:
        """The shares by name."""
        return {
            "removed": self.removed.as_json(),
            "changed_old": self.changed_old.as_json(),
            "added": self.added.as_json(),
            "changed_new": self.changed_new.as_json(),
        }


@dataclass(frozen=True)
class Sample:
    """An item that differs: as OLD has it, as NEW has it (a changed one: both)."""

    kind: Kind
    old: Item | None
    new: Item | None

    @property
    def item(self) -> Item:
        """The item as one side has it: NEW where it has it."""
        found = self.new or self.old
        assert found is not None
        return found


@dataclass(frozen=True)
class SlotChange:
    """The words that a slot gained and lost, by lemma."""

    slot: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True)
class StatementChange:
    """A line that only one side's grammar file has: a statement, or a line of a block.  File, line number, text."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Causes:
    """What differs between the inputs themselves; all of it is exact."""

    words: tuple[SlotChange, ...] = ()
    templates_added: tuple[str, ...] = ()
    templates_removed: tuple[str, ...] = ()
    statements_added: tuple[StatementChange, ...] = ()
    statements_removed: tuple[StatementChange, ...] = ()
    inputs: tuple[str, ...] = ()  # other inputs that differ: imported files, word lists

    def as_json(self) -> dict[str, Any]:
        """All causes by name."""

        def statements(found: tuple[StatementChange, ...]) -> list[dict[str, Any]]:
            return [{"file": each.file, "line": each.line, "text": each.text} for each in found]

        return {
            "words": [{"slot": w.slot, "added": list(w.added), "removed": list(w.removed)} for w in self.words],
            "templates": {"added": list(self.templates_added), "removed": list(self.templates_removed)},
            "statements": {
                "added": statements(self.statements_added),
                "removed": statements(self.statements_removed),
            },
            "inputs": list(self.inputs),
        }


@dataclass(frozen=True)
class Space:
    """One side: the grammar file as shown, and its items and pairs as `gen count` counts them."""

    file: str
    items: int
    pairs: int
    exact: bool

    def as_json(self) -> dict[str, Any]:
        """The numbers by name."""
        return {"file": self.file, "items": self.items, "pairs": self.pairs, "exact": self.exact}


@dataclass(frozen=True)
class Difference:
    """What a change of one grammar does to its items.  A side that has no such grammar is None.

    `tally` and `rows` (by template) are exact; `estimates` and `estimate_rows` (with the exact numbers of items of OLD
    and NEW) stand in their place where they could not be had, and `reason` says why.
    """

    paradigm: str
    flavour: Flavour
    method: Method
    old: Space | None
    new: Space | None
    tally: Tally | None = None
    rows: tuple[tuple[str, Tally], ...] = ()
    estimates: Estimates | None = None
    estimate_rows: tuple[tuple[str, int, int, Estimates], ...] = ()
    reason: str = ""
    causes: Causes = field(default_factory=Causes)
    samples: tuple[Sample, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no difference was found."""
        if self.old is None or self.new is None:
            return False
        if self.tally is not None:
            return self.tally.is_empty
        if self.old.exact and self.new.exact and (self.old.items, self.old.pairs) != (self.new.items, self.new.pairs):
            return False
        return self.estimates is None or self.estimates.is_empty
