"""Items joined with one model's predictions: the only input of metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scorers.errors import Finding
from scorers.items import Item
from scorers.predictions import Unit


@dataclass(frozen=True, slots=True)
class AlignedResult:
    """An item with what a model said of it.

    `values[i]` is the number given for `item.conditions[i]`, in the file's unit, None where it is missing;
    `token_counts[i]` the model's own tokens there (0: not said).  `fill` is the word put in the place of a mask
    (None where nothing was predicted).
    `regions[i]` gives for a condition the surprisal in bits of each region, by name and by number.
    """

    item: Item
    values: tuple[float | None, ...] = ()
    token_counts: tuple[int, ...] = ()
    fill: str | None = None
    regions: tuple[Mapping[str, float], ...] = ()

    @property
    def is_joined(self) -> bool:
        """Whether anything was predicted of the item."""
        return self.fill is not None or bool(self.regions) or any(value is not None for value in self.values)

    @property
    def is_complete(self) -> bool:
        """Whether every condition that a pair needs has its number."""
        needed = {place for pair in self.item.pairs for place in (pair.good, pair.bad)}
        return bool(self.values) and all(self.values[place] is not None for place in needed)


@dataclass(frozen=True)
class Alignment:
    """The results of one model on some items, and what could not be joined.

    `missing` are items (or conditions of items) without a prediction, `duplicate` predictions of what has one already,
    `unknown` predictions of no item, `ambiguous` predictions of a text that several items have with other words.
    Each is a finding that names file and line; none is dropped silently, and the report counts them.
    `incomplete` counts the missing items of which something was predicted.
    `odd` are lines whose own verdict is not what their numbers say, and tokens that reach over the edge of a region.
    """

    model: str
    unit: Unit
    results: tuple[AlignedResult, ...]
    missing: Sequence[Finding] = field(default_factory=tuple)
    duplicate: Sequence[Finding] = field(default_factory=tuple)
    unknown: Sequence[Finding] = field(default_factory=tuple)
    ambiguous: Sequence[Finding] = field(default_factory=tuple)
    odd: Sequence[Finding] = field(default_factory=tuple)
    incomplete: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many items have all that a score needs, how many lack something, and what else could not be joined."""
        return {
            "joined": sum(result.is_joined for result in self.results) - self.incomplete,
            "missing": len(self.missing),
            "duplicate": len(self.duplicate),
            "unknown": len(self.unknown),
            "ambiguous": len(self.ambiguous),
        }
