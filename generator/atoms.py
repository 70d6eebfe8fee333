"""Atoms of the counting graph: words that read alike in every draw still to come, and runs of such words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from generator.strata import Entry

T = TypeVar("T")


@dataclass(frozen=True)
class Option:
    """Words of one atom that a draw can take with one set of attributes."""

    atom: int
    attributes: tuple[int, ...]  # by automaton; -1 where it does not read the draw
    per_word: int  # entries of each word with these attributes


@dataclass(frozen=True)
class UsedWord:
    """A word in use: its atom, and the draws that hold it (empty when no later draw may join)."""

    atom: int
    draws: frozenset[int]


@dataclass(frozen=True)
class WordRun:
    """Consecutive items: the words `before` the last draw, and those of the last: `entries` without the stretches
    `gone` (last first), from the `first` that is left.  Equal lists of entries are the same object.
    """

    before: tuple[Entry, ...]
    entries: list[Entry]
    gone: tuple[tuple[int, int], ...] = ()
    first: int = 0

    @property
    def last(self) -> list[Entry]:
        """The words of the last draw."""
        return without(self.entries, self.gone)[self.first :]


def without(found: list[T], gone: Sequence[tuple[int, int]]) -> list[T]:
    """A list without some stretches, given last first; itself where there are none."""
    if gone:
        found = found.copy()
        for start, end in gone:
            del found[start:end]
    return found


class Level:
    """The atoms at one draw: words that read alike there and at every draw that follows.

    `further` are the atoms at the next draw.  `following` maps each atom to its atom there (-1: the words stand nowhere
    further on).
    """

    def __init__(
        self,
        draw: int,
        by_word: Mapping[Hashable, Mapping[int, Mapping[tuple[int, ...], Sequence[Entry]]]],
        further: Mapping[Hashable, int],
    ) -> None:
        self.atom_of: dict[Hashable, int] = {}
        self.words: list[list[Hashable]] = []
        self.place: dict[Hashable, int] = {}
        self.following: list[int] = []
        self.options: list[Option] = []
        atoms: dict[Hashable, int] = {}
        for word, uses in by_word.items():
            found = uses.get(draw, {})
            after = further.get(word, -1)
            if not found and after < 0:
                continue
            signature = (tuple((attributes, len(entries)) for attributes, entries in found.items()), after)
            atom = atoms.setdefault(signature, len(self.words))
            if atom == len(self.words):
                self.words.append([])
                self.following.append(after)
                self.options += [Option(atom, attributes, len(entries)) for attributes, entries in found.items()]
            self.atom_of[word] = atom
            self.place[word] = len(self.words[atom])
            self.words[atom].append(word)
