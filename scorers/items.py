"""Test items as they are scored, whoever made them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Region:
    """A named stretch of a sentence: characters `start` to before `end`.  `number`: as SyntaxGym counts, or ''."""

    name: str
    start: int
    end: int
    number: str = ""
    is_contrast: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """One member of an item.

    `acceptable` is None where the file does not say.  `target` is the place (from 0) of the target among the words of
    the sentence, -1 where there is none.  `levels` are those of a factor design.  `critical`: the characters (start,
    end) of the word that a method of BLiMP (`one_prefix`, `two_prefix`) scores, where the file names it.
    """

    name: str
    text: str
    acceptable: bool | None
    regions: tuple[Region, ...] = ()
    levels: Mapping[str, str] = field(default_factory=dict)
    target: int = -1
    critical: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        """The words, as spaces cut them."""
        return self.text.split()


@dataclass(frozen=True, slots=True)
class Mask:
    """What is masked in an open-ended item: the region's name, the mask's word, and the classes of answers.

    `answers` gives for each class of answers its words, in the order in which classes are tried.
    """

    name: str
    token: str
    answers: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """An acceptable and a starred member of an item, by their places among its conditions."""

    good: int
    bad: int


@dataclass(frozen=True, slots=True)
class Item:
    """One lexicalisation with all its conditions.

    `attributes` holds whatever else can be broken down by: crossed values, the file's own columns and flags, the words
    of slots (`slot:NAME`), as text.  `cluster` is its lexeme for clustered statistics, '' where nothing says so.
    `lexemes` are the slots with their lemmas of which one will be that, the best first, while files are being read.
    `expectations` maps a name to a formula, as written.  `pairs` are those to be scored.
    """

    id: str
    paradigm: str
    conditions: tuple[Condition, ...]
    pairs: tuple[Pair, ...] = ()
    template: str = ""
    phenomenon: str = ""
    field: str = ""
    language: str = ""
    attributes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    cluster: str = ""
    mask: Mask | None = None
    expectations: Mapping[str, str] = dataclasses.field(default_factory=dict)
    file: str = ""
    line: int = 0
    lexemes: tuple[tuple[str, str], ...] = ()

    def attribute(self, name: str) -> str:
        """What the item says of one of its own fields (paradigm, template ...) or of an attribute; '' for nothing."""
        if name in ("paradigm", "template", "phenomenon", "field", "language"):
            return str(getattr(self, name))
        return self.attributes.get(name, "")

    def sentences(self) -> Iterator[tuple[Condition, Condition]]:
        """(acceptable, starred) of every pair."""
        for pair in self.pairs:
            yield self.conditions[pair.good], self.conditions[pair.bad]


def is_unequal(good: Condition, bad: Condition) -> bool:
    """Whether two members have different numbers of words: a sum of log-probabilities then favours the shorter one."""
    return len(good.words) != len(bad.words)
