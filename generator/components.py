"""Draws split into independent components; constraints that are too large to count with become filters."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.atoms import WordRun
from generator.automata import Automaton, Folded, State
from generator.counting import Component, OverBudget
from generator.strata import Entry


@dataclass(frozen=True, eq=False)
class Filter:
    """A constraint that is too large to count with: items that fail it keep their numbers, but do not exist.

    `text` is the constraint as shown, `draws` what it looks at, `holds` tells whether an item with these words exists.
    """

    text: str
    draws: tuple[int, ...]
    holds: Callable[[Mapping[int, Entry]], bool]
    automaton: Automaton | None = None


def _automaton_filter(automaton: Automaton) -> Filter:
    draws = tuple(sorted(automaton.draws))

    def holds(taken: Mapping[int, Entry]) -> bool:
        state: State | None = automaton.start
        for draw in draws:
            state = automaton.step(state, draw, automaton.attribute(draw, taken[draw]))
            if state is None:
                return False
        return automaton.finish(state) is not None

    return Filter(automaton.text, draws, holds, automaton)


def _distinct_filter(pairs: frozenset[tuple[int, int]], told: frozenset[int]) -> Filter:
    def holds(taken: Mapping[int, Entry]) -> bool:
        return all(taken[a].word(a, told) != taken[b].word(b, told) for a, b in pairs)

    return Filter("different words", tuple(sorted({draw for pair in pairs for draw in pair})), holds)


@dataclass(frozen=True, eq=False)
class Counted:
    """Draws split into components that multiply, and what could only be kept as filters."""

    parts: tuple[Component, ...]
    filters: tuple[Filter, ...] = ()


def components(
    domains: Sequence[Sequence[Entry]],
    automata: Sequence[Automaton],
    unlike: frozenset[tuple[int, int]],
    told: frozenset[int] = frozenset(),
    free: frozenset[int] = frozenset(),
    known: KnownComponents | None = None,
) -> Counted:
    """Split draws into independent components, leftmost first, and count them.

    An automaton joins only the draws in which its attribute varies; elsewhere the constant is read at the start.
    Two draws that must differ are joined only where they share a word.  Where a component needs more than
    `MAX_STATES` states, the constraint with the largest share becomes a filter (counting.md 6).
    """
    kept = list(automata)
    apart = unlike
    filters: list[Filter] = []
    while True:
        try:
            return Counted(tuple(_components(domains, kept, apart, told, free, known)), tuple(filters))
        except _Dropped as dropped:
            if dropped.automaton is None:
                filters.append(_distinct_filter(dropped.pairs, told))
                apart -= dropped.pairs
            else:
                filters.append(_automaton_filter(dropped.automaton))
                kept.remove(dropped.automaton)


class _Dropped(Exception):  # noqa: N818 - not an error: counting goes on without it
    def __init__(self, automaton: Automaton | None, pairs: frozenset[tuple[int, int]]) -> None:
        self.automaton = automaton
        self.pairs = pairs
        super().__init__("a constraint becomes a filter")


def _components(
    domains: Sequence[Sequence[Entry]],
    automata: Sequence[Automaton],
    unlike: frozenset[tuple[int, int]],
    told: frozenset[int],
    free: frozenset[int],
    known: KnownComponents | None,
) -> list[Component]:
    parent = list(range(len(domains)))

    def find(draw: int) -> int:
        while parent[draw] != draw:
            draw = parent[draw]
        return draw

    readers: list[tuple[Folded, list[int]]] = []
    for automaton in (Folded(each, domains) for each in automata):
        draws = sorted(automaton.draws)
        for first, second in itertools.pairwise(draws):
            parent[find(second)] = find(first)
        readers.append((automaton, draws))
    real = _meeting(domains, unlike, told, known)
    for first, second in real:
        one, two = sorted((find(first), find(second)))
        parent[two] = one
    groups: dict[int, list[int]] = {}
    for draw in range(len(domains)):
        groups.setdefault(find(draw), []).append(draw)
    result = []
    for draws in sorted(groups.values(), key=min):
        own = [automaton for automaton, read in readers if read and read[0] in draws]
        try:
            if known is not None and not own and not free:
                result.append(_shared(draws, domains, real, told, known))
                continue
            result.append(Component(draws, {d: domains[d] for d in draws}, own, real, told, free))
        except OverBudget as over:
            if over.culprit < 0:
                pairs = frozenset(pair for pair in real if pair[0] in draws and pair[1] in draws)
                raise _Dropped(None, pairs) from over
            raise _Dropped(own[over.culprit].inner, frozenset()) from over
    # What no draw changes any more is a component without draws: one item, or none.
    rest = [automaton for automaton, read in readers if not read]
    return [*result, Component((), {}, rest, frozenset())] if rest or not result else result


KnownComponents = dict[Hashable, Any]
"""Components without automata, and facts about pairs of domains, kept between the strata of a template.  Domains are
told apart by identity; the values hold on to them.
"""


def _meeting(
    domains: Sequence[Sequence[Entry]],
    unlike: frozenset[tuple[int, int]],
    told: frozenset[int],
    known: KnownComponents | None,
) -> frozenset[tuple[int, int]]:
    """The pairs of draws that must differ and share a word."""
    cache: KnownComponents = {} if known is None else known

    def shared(draw: int) -> frozenset[Hashable]:
        # A word that is a draw's own is no word of another one.
        key = ("words", id(domains[draw]), draw in told)
        if key not in cache:
            lexemes = (entry.member.entry for entry in domains[draw])
            cache[key] = (frozenset(e.key for e in lexemes if e.is_open or draw in told), domains[draw])
        return cache[key][0]  # type: ignore[no-any-return]

    def meet(first: int, second: int) -> bool:
        key = ("meet", id(domains[first]), id(domains[second]), first in told, second in told)
        if key not in cache:
            cache[key] = (not shared(first).isdisjoint(shared(second)), domains[first], domains[second])
        return bool(cache[key][0])

    return frozenset((a, b) for a, b in unlike if meet(a, b))


class ComponentView(Component):
    """A component that was counted over other draws: `draws[i]` stands for its draw `own[i]`."""

    def __init__(self, part: Component, names: Mapping[int, int]) -> None:
        self._part = part
        self._names = names
        self.counts = part.counts
        self.draws = tuple(names[draw] for draw in part.draws)

    def accepts(self, taken: Mapping[int, Entry]) -> Hashable | None:
        """As the component's."""
        return self._part.accepts({draw: taken[self._names[draw]] for draw in self._part.draws})

    def number_of(self, taken: Mapping[int, Entry], label: Hashable) -> int:
        """As the component's."""
        return self._part.number_of({draw: taken[self._names[draw]] for draw in self._part.draws}, label)

    def words(self, index: int, label: Hashable) -> list[Entry]:
        """As the component's."""
        return self._part.words(index, label)

    def walk(self, label: Hashable, first: int = 0) -> Iterator[WordRun]:
        """As the component's."""
        return self._part.walk(label, first)


def _shared(
    draws: Sequence[int],
    domains: Sequence[Sequence[Entry]],
    unlike: frozenset[tuple[int, int]],
    told: frozenset[int],
    known: KnownComponents,
) -> Component:
    """A component that only distinctness holds together, counted once for all strata that have the like."""
    place = {draw: number for number, draw in enumerate(draws)}
    pairs = frozenset((place[a], place[b]) for a, b in unlike if a in place and b in place)
    own = frozenset(place[draw] for draw in told if draw in place)
    key = ("component", tuple(id(domains[draw]) for draw in draws), pairs, own)
    if key not in known:
        kept = {place[draw]: domains[draw] for draw in draws}
        known[key] = (Component(range(len(draws)), kept, (), pairs, own), kept)
    return ComponentView(known[key][0], dict(enumerate(draws)))
