"""Items: one lexicalisation each, with all its conditions and a stable id.  Pure data, made or read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as has
from functools import cached_property
from typing import Any, Literal

from generator.formulas import FormulaTree
from generator.realizing import Sentence

Flavour = Literal["forced", "open"]


@dataclass(frozen=True)
class Condition:
    """One member of an item.  `rank` orders members by their value (singular before plural), whichever is right.

    `acceptable` is None where the file that it was read from does not say (Babeval's forced choice).
    """

    name: str
    acceptable: bool | None
    sentence: Sentence
    rank: int = 0
    levels: Mapping[str, str] = has(default_factory=dict)  # of a factor design: factor -> level

    @property
    def text(self) -> str:
        """The sentence."""
        return self.sentence.text


@dataclass(frozen=True)
class Binding:
    """A slot's word: its lemma, form and features."""

    slot: str
    category: str
    lemma: str
    form: str
    features: Mapping[str, str]
    guessed: bool = False


@dataclass(frozen=True)
class Mask:
    """What an open-ended item hides: the slot, and the key of its answer classes in the sidecar."""

    slot: str
    token: str
    answers: str


@dataclass(frozen=True)
class Item:
    """An item.  `number` is public and stable for a signature; 0: of an item that no grammar has numbered.

    Of an item that was read, `line` is the (first) line of the file, and `extra` holds what the file says and no other
    field can hold, by the file's own names.
    """

    id: str
    paradigm: str
    template: str
    number: int
    conditions: tuple[Condition, ...]
    bindings: tuple[Binding, ...] = ()
    crossed: tuple[tuple[str, str], ...] = ()
    mask: Mask | None = None
    expectations: Mapping[str, FormulaTree] = has(default_factory=dict)  # of a factor design: name -> formula
    phenomenon: str = ""
    field: str = ""
    language: str = ""
    extra: Mapping[str, Any] = has(default_factory=dict)
    line: int = 0

    @property
    def flavour(self) -> Flavour:
        """`open` for a sentence with a mask, else `forced`."""
        return "forced" if self.mask is None else "open"

    @property
    def good(self) -> Condition:
        """The (first) acceptable member."""
        return next(condition for condition in self.conditions if condition.acceptable)

    @cached_property
    def pairs(self) -> tuple[tuple[str, Condition, Condition], ...]:
        """(id, acceptable, starred) for every starred version.

        In a factor design a starred condition stands against the acceptable one that differs from it in the fewest
        factors (of several, the first).
        """
        starred = [c for c in self.conditions if c.acceptable is False]
        if not any(condition.acceptable for condition in self.conditions):
            return ()
        return tuple(
            (f"{self.id}.{_number_in(c.name) or number}", self._partner(c), c)
            for number, c in enumerate(starred, start=1)
        )

    def _partner(self, starred: Condition) -> Condition:
        if not starred.levels:
            return self.good
        good = [condition for condition in self.conditions if condition.acceptable]
        return min(good, key=lambda c: sum(c.levels[factor] != level for factor, level in starred.levels.items()))


def _number_in(name: str) -> str:
    """`3` of `starred_3`: an item of which not all members are there keeps the numbers of its pairs."""
    head, _, number = name.rpartition("_")
    return number if head == "starred" and number.isdigit() else ""
