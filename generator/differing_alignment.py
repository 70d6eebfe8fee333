"""Whether two rows of words can read alike, and if so, whether they do only place by place.

A row is what a member of a leaf's items shows: at each place one text of a set.  Texts mostly have one token; those of
several, and the empty one, let places of two rows stand against each other askew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator.normalizing import Tokens
from generator.strata import Ref


class AskewError(Exception):
    """Two rows can read alike otherwise than place by place."""


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts that can stand at a place."""

    all: frozenset[Tokens]

    @cached_property
    def is_plain(self) -> bool:
        """Whether each has one token."""
        return all(len(text) == 1 for text in self.all)

    @cached_property
    def longer(self) -> tuple[Tokens, ...]:
        """Those of several tokens."""
        return tuple(sorted(text for text in self.all if len(text) > 1))


@dataclass(frozen=True, eq=False)
class Place:
    """A place of a row: its texts, and the drawn word that shows them (None: a literal)."""

    texts: Texts
    ref: Ref | None


_State = tuple[int, int, Tokens, str]
"""Places of each row that are read, tokens that one row is ahead, and whose they are (`a`, `b`; `-a`, `-b`: the last
step read an empty text of that row alone).
"""


class Aligner:
    """Compares rows; what is known of two sets of texts is kept."""

    def __init__(self) -> None:
        self._meet: dict[tuple[int, int], tuple[bool, Texts, Texts]] = {}

    def align(self, first: Sequence[Place], second: Sequence[Place]) -> bool:
        """Whether two rows can read alike, place by place.  Raises AskewError where they can in another way."""
        if all(place.texts.is_plain for row in (first, second) for place in row):
            return len(first) == len(second) and all(
                self._can_meet(a.texts, b.texts) for a, b in zip(first, second, strict=True)
            )
        return self._search(first, second)

    def _can_meet(self, a: Texts, b: Texts) -> bool:
        key = (id(a), id(b))
        known = self._meet.get(key)
        if known is None:
            known = self._meet[key] = (not a.all.isdisjoint(b.all), a, b)  # held, so that an id stays its own
        return known[0]

    def _search(self, first: Sequence[Place], second: Sequence[Place]) -> bool:
        start: _State = (0, 0, (), "")
        before: dict[_State, list[_State]] = {start: []}
        waiting = [start]
        while waiting:
            state = waiting.pop()
            for following in self._steps(state, first, second):
                if following in before:
                    before[following].append(state)
                else:
                    before[following] = [state]
                    waiting.append(following)
        useful = {state for state in before if state[:3] == (len(first), len(second), ())}
        found = bool(useful)
        waiting = list(useful)
        while waiting:
            for earlier in before[waiting.pop()]:
                if earlier not in useful:
                    useful.add(earlier)
                    waiting.append(earlier)
        if any(i != j or rest for i, j, rest, _ in useful):
            raise AskewError
        return found

    def _steps(self, state: _State, first: Sequence[Place], second: Sequence[Place]) -> Iterator[_State]:
        i, j, rest, ahead = state
        a = first[i].texts if i < len(first) else None
        b = second[j].texts if j < len(second) else None
        if rest:
            behind = a if ahead == "b" else b
            if behind is not None:
                after = (i + 1, j) if ahead == "b" else (i, j + 1)
                yield from ((*after, *left) for left in _caught_up(rest, ahead, behind))
            return
        if a is not None and b is not None:
            # Empty texts of both rows stand against each other before further ones of one row are read.
            if self._can_meet(a, b) and not (ahead and a.all & b.all == {()}):
                yield i + 1, j + 1, (), ""
            yield from ((i + 1, j + 1, text, "b") for text in _left_over(a, b))
            yield from ((i + 1, j + 1, text, "a") for text in _left_over(b, a))
        if a is not None and () in a.all and ahead != "-b":
            yield i + 1, j, (), "-a"
        if b is not None and () in b.all and ahead != "-a":
            yield i, j + 1, (), "-b"


def _left_over(short: Texts, long: Texts) -> Iterator[Tokens]:
    """What is left of longer texts that begin with a text of the other place."""
    for text in long.longer:
        yield from (text[n:] for n in range(1, len(text)) if text[:n] in short.all)


def _caught_up(rest: Tokens, ahead: str, behind: Texts) -> Iterator[tuple[Tokens, str]]:
    """What is left, and whose, once the row behind has read a text."""
    for n in range(len(rest) + 1):
        if rest[:n] in behind.all:
            yield (rest[n:], ahead) if n < len(rest) else ((), "")
    for text in behind.longer:
        if len(text) > len(rest) and text[: len(rest)] == rest:
            yield text[len(rest) :], "a" if ahead == "b" else "b"
