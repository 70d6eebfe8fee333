"""What the second oracle builds: derivations by replay, members, places."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from brute_reader import Alt, Level, Phrase
from brute_words import Reading, Word

T = TypeVar("T")
Choose = Callable[[Sequence[Any]], Any]
Cell = dict[str, str]


class Dead(Exception):  # noqa: N818
    """Nothing fits on this path."""


class TooMany(Exception):  # noqa: N818
    """More derivations than brute force should list."""


def explore(render: Callable[[Choose], T], most: int = 0) -> Iterator[T]:
    """Every outcome of a function that makes choices."""
    path: list[list[int]] = []
    tried = 0
    while True:
        position = 0
        tried += 1
        if most and tried > most:
            raise TooMany

        def choose(options: Sequence[Any]) -> Any:
            nonlocal position
            if not options:
                raise Dead
            if position == len(path):
                path.append([0, len(options)])
            index = path[position][0]
            position += 1
            return options[index]

        with contextlib.suppress(Dead):
            yield render(choose)
        while path and path[-1][0] + 1 == path[-1][1]:
            path.pop()
        if not path:
            return
        path[-1][0] += 1


@dataclass
class Draw:
    """A word that an item has drawn, with the readings of its first mention and what was asked there."""

    word: Word
    text: str
    readings: tuple[Reading, ...]
    words: tuple[Word, ...]
    signature: Any = None
    asked: Cell = field(default_factory=dict)
    governed: list[Cell] = field(default_factory=list)  # what was asked of its governors


@dataclass(frozen=True)
class Version:
    text: str
    acceptable: bool
    name: str = ""


@dataclass
class Derivation:
    choose: Choose
    cells: dict[Any, Any] = field(default_factory=dict)  # (path, variable) -> its value
    others: dict[Any, Any] = field(default_factory=dict)
    structure: dict[Any, int] = field(default_factory=dict)
    governing: dict[Any, str] = field(default_factory=dict)  # (governor, governed feature) -> the value chosen
    draws: dict[Any, Draw] = field(default_factory=dict)
    names: dict[Any, dict[str, Any]] = field(default_factory=dict)  # path -> name -> key
    uses: dict[Any, tuple[Any, Phrase]] = field(default_factory=dict)  # key of a phrase -> (path inside, phrase)
    heads: dict[Any, Any] = field(default_factory=dict)  # path -> key of its head
    bound: dict[Any, dict[str, Any]] = field(default_factory=dict)  # key of a phrase -> its variables at first
    shown: dict[Any, tuple[str, Any]] = field(default_factory=dict)  # place -> (text, what was asked)
    checks: list[Any] = field(default_factory=list)  # references
    level: int = 0
    text: str = ""
    masked: list[str] = field(default_factory=list)
    versions: list[Version] = field(default_factory=list)  # of a design: all its conditions
    licences: set[str] = field(default_factory=set)
    template: int = 0
    complete: bool = True

    @property
    def key(self) -> Any:
        """What siblings share: expansions, choices and lexemes."""
        lexemes = tuple(sorted(((repr(key), draw.word.lexeme) for key, draw in self.draws.items())))
        return tuple(sorted((repr(key), value) for key, value in self.structure.items())), lexemes

    @property
    def stars(self) -> list[str]:
        return [version.text for version in self.versions if not version.acceptable]

    @property
    def lemmas(self) -> tuple[str, ...]:
        return tuple(sorted(draw.word.lemma for draw in self.draws.values()))


@dataclass
class Member:
    """One rendering.  kind: good, site (a version of braces), line (a `*` line) or condition (of a design)."""

    kind: str
    choose: Choose  # of the version
    sides: dict[Any, Alt] = field(default_factory=dict)  # site -> its starred side
    tokens: list[list[Any]] = field(default_factory=list)
    asked: dict[Any, Cell] = field(default_factory=dict)
    later: list[Callable[[], None]] = field(default_factory=list)
    broken: dict[Any, Any] = field(default_factory=dict)
    ranks: list[int] = field(default_factory=list)
    script: list[int] = field(default_factory=list)
    taken: list[tuple[Any, int]] = field(default_factory=list)  # every choice of the version, by its place
    replay: dict[Any, list[int]] | None = None
    levels: dict[str, Level] = field(default_factory=dict)
    starred: bool = False

    def pick(self, options: Sequence[Any], at: At, is_break: bool = False) -> Any:
        """A choice of the version's own."""
        tag = at.site or at.place
        index = self.replay[tag].pop(0) if self.replay is not None else self.choose(range(len(options)))
        self.taken.append((tag, index))
        if not is_break:
            self.script.append(index)
        return options[index]


@dataclass(frozen=True)
class Scope:
    path: tuple[Any, ...] = ()
    phrase: Phrase | None = None
    bound: tuple[tuple[str, Any], ...] = ()
    stack: tuple[str, ...] = ()
    breaks: bool = False  # something in this use is broken in this member
    extra: tuple[Any, ...] = ()  # what the head is asked for from outside
    only_mention: bool = False


@dataclass(frozen=True)
class At:
    """Where in a line: the place, the contrast or factor brace around it, whether on a starred side."""

    place: tuple[Any, ...]
    brace: Any = None
    starred: bool = False
    arm: bool = False
    site: Any = None
