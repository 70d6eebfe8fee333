"""What ties the draws of a stratum together, as automata over their words.

Each automaton reads, draw by draw and in any order, a small attribute of the word taken there, and in the end says
whether the item exists.  Words with equal attributes are interchangeable: counting never looks at more.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

from generator.strata import Condition, Entry

_MOST_COMPARED = 250_000

State = Any
Attribute = Any
"""States and attributes are hashable; each automaton knows the shape of its own."""


class Automaton(Protocol):
    """See the module's docstring."""

    draws: frozenset[int]
    """The draws whose words it reads."""

    start: State

    @property
    def text(self) -> str:
        """The constraint as shown to the user."""

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """What it reads of a word."""

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """The next state; None where no item can follow."""

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """(label, number of versions) of an item that ends here; None where it does not exist."""


class ConditionAutomaton:
    """A `where` over several draws: keeps what was read until all is there.

    With `domains`, values of a condition on two draws that no word of the other tells apart count as one.
    """

    def __init__(self, condition: Condition, domains: Sequence[Sequence[Entry]] | None = None) -> None:
        self.condition = condition
        self.text = condition.text
        self.draws = frozenset(condition.draws)
        self.start: State = (None,) * len(condition.draws)
        self._alike: list[Mapping[Hashable, Hashable]] = [{} for _ in condition.draws]
        if domains is not None and len(condition.draws) == 2 == len(self.draws):
            self._join(domains)

    def _join(self, domains: Sequence[Sequence[Entry]]) -> None:
        one, two = (
            list(dict.fromkeys(read(entry) for entry in domains[draw]))
            for draw, read in zip(self.condition.draws, self.condition.read, strict=True)
        )
        if len(one) * len(two) > _MOST_COMPARED:
            return
        table = [[self.condition.holds((left, right)) for right in two] for left in one]
        for position, (values, rows) in enumerate(
            ((one, [tuple(row) for row in table]), (two, list(zip(*table, strict=True))))
        ):
            first: dict[Hashable, Hashable] = {}
            self._alike[position] = {
                value: first.setdefault(row, value) for value, row in zip(values, rows, strict=True)
            }

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """The values read of this draw, by operand."""
        return tuple(
            (alike.get(value := read(entry), value),) if owner == draw else None
            for owner, read, alike in zip(self.condition.draws, self.condition.read, self._alike, strict=True)
        )

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """Fill in; decide when complete."""
        filled = tuple([new if new is not None else old for old, new in zip(state, attribute, strict=True)])
        if None in filled:
            return filled
        return ("holds",) if self.condition.holds(tuple([value[0] for value in filled])) else None

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """A condition has neither label nor versions."""
        return ((), 1)


class MaskAutomaton:
    """Of an open-ended item: the strata in which its visible words stand, a bit each; the label is that set.

    `entries[draw][id(shown)]` gives, for a word as shown, its entry in each stratum that has it.  Conditions are each
    stratum's own: one that fails only takes its stratum's bit away.
    """

    def __init__(
        self,
        entries: Mapping[int, Mapping[int, Mapping[int, Entry]]],
        conditions: Sequence[tuple[int, Condition]],
        full: int,
    ) -> None:
        self.text = "where"
        self._entries = entries
        self._conditions = [(bit, ConditionAutomaton(condition)) for bit, condition in conditions]
        self.draws = frozenset(entries)
        self.start: State = (full, tuple(automaton.start for _, automaton in self._conditions))

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """The strata that have this word in this form, and what each stratum's conditions read of it."""
        there = self._entries[draw][id(entry)]
        mask = sum(1 << bit for bit in there)
        reads = tuple(
            automaton.attribute(draw, there[bit]) if bit in there and draw in automaton.draws else None
            for bit, automaton in self._conditions
        )
        return (mask, reads)

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """Intersect; let conditions take bits away."""
        mask, states = state
        here, reads = attribute
        mask &= here
        following = []
        for (bit, automaton), old, read in zip(self._conditions, states, reads, strict=True):
            new = automaton.step(old, draw, read) if read is not None and old is not None and mask >> bit & 1 else old
            if new is None:
                mask &= ~(1 << bit)
            following.append(new)
        # What is known for a stratum that is out makes no difference.
        kept = [new if mask >> bit & 1 else None for (bit, _), new in zip(self._conditions, following, strict=True)]
        return (mask, tuple(kept)) if mask else None

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """The set of strata."""
        return (state[0], 1)


class Numbered:
    """An automaton whose states and attributes are numbers, each step worked out once: counting takes many."""

    def __init__(self, automaton: Automaton) -> None:
        self.inner = automaton
        self.draws = automaton.draws
        self._states: dict[State, int] = {automaton.start: 0}
        self._state_list: list[State] = [automaton.start]
        self._attributes: dict[Attribute, int] = {}
        self._attribute_list: list[Attribute] = []
        self._steps: dict[tuple[int, int, int], int] = {}
        self._ends: dict[int, tuple[Hashable, int] | None] = {}

    def attribute(self, draw: int, entry: Entry) -> int:
        """The number of what the automaton reads of a word."""
        value = self.inner.attribute(draw, entry)
        number = self._attributes.setdefault(value, len(self._attribute_list))
        if number == len(self._attribute_list):
            self._attribute_list.append(value)
        return number

    def step(self, state: int, draw: int, attribute: int) -> int:
        """The number of the next state; -1 where no item can follow."""
        key = (state, draw, attribute)
        following = self._steps.get(key)
        if following is None:
            following = self._steps[key] = self._step(state, draw, attribute)
        return following

    def _step(self, state: int, draw: int, attribute: int) -> int:
        value = self.inner.step(self._state_list[state], draw, self._attribute_list[attribute])
        if value is None:
            return -1
        number = self._states.setdefault(value, len(self._state_list))
        if number == len(self._state_list):
            self._state_list.append(value)
        return number

    def finish(self, state: int) -> tuple[Hashable, int] | None:
        """As the automaton's."""
        if state not in self._ends:
            self._ends[state] = self.inner.finish(self._state_list[state])
        return self._ends[state]


class Folded:
    """An automaton that has read every draw in which its attribute is the same for all words."""

    def __init__(self, automaton: Automaton, domains: Sequence[Sequence[Entry]]) -> None:
        self.inner = automaton
        self.text = automaton.text
        self._domains = domains  # so that no other word gets the identity of one of theirs
        self._read: dict[tuple[int, int], Attribute] = {}  # what the words of draws that vary are read as
        state: State | None = automaton.start
        varying = set()
        for draw in sorted(automaton.draws):
            read = {(draw, id(entry)): automaton.attribute(draw, entry) for entry in domains[draw]}
            attributes = set(read.values())
            if len(attributes) > 1:
                varying.add(draw)
                self._read.update(read)
            elif state is not None:
                state = automaton.step(state, draw, attributes.pop())
        self.draws = frozenset(varying)
        self.start: State = state
        self.is_empty = state is None

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """As the automaton's."""
        known = self._read.get((draw, id(entry)))  # no attribute is None
        return self.inner.attribute(draw, entry) if known is None else known

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """As the automaton's."""
        return None if self.is_empty else self.inner.step(state, draw, attribute)

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """As the automaton's; an automaton that died while folding accepts nothing."""
        return None if self.is_empty else self.inner.finish(state)
