"""The counting graph of one stratum: exact counts, and item *i* without enumerating.

Slots are split into independent components (joined by distinctness or an automaton); components multiply.  Inside a
component words fall into *atoms* (equal attributes in every draw still to come); a state is (draw, automata, words used
per atom), and paths from a state are counted once and kept.  Where two draws may hold the same word and a third must
differ from both, the graph branches into 'the same word' and 'a new word'.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence

from generator.atoms import Level, Option, UsedWord, WordRun, without
from generator.automata import Automaton, Numbered
from generator.strata import Entry

MAX_STATES = 30_000
MAX_STEPS = 500_000
"""How many words of one kind may be tried, over all states: few states with very many choices are too large as well."""

_States = tuple[int, ...]
"""The state of each automaton, by number."""

Counts = Mapping[Hashable, tuple[int, int]]
"""Label -> (items, versions)."""


_Classes = tuple[UsedWord, ...]
_Branch = tuple[Option, UsedWord | None, int, _States, _Classes]
_Steps = list[tuple[Option, UsedWord | None, int, int, _States, _Classes]]


_Listed = tuple[list[Entry], list[Hashable]]
"""The entries that an option has at a draw, in order, and the word of each."""


class _Node:
    """The branches from a state to items of a label, the number of the first item of each; the words of each and what
    follows are filled in as they are asked for.
    """

    __slots__ = ("following", "lists", "starts", "steps")

    def __init__(self, starts: list[int], steps: _Steps) -> None:
        self.starts = starts
        self.steps = steps
        self.following: list[_Node | None] = [None] * len(steps)
        self.lists: list[_Listed | None] = [None] * len(steps)


class OverBudget(Exception):  # noqa: N818 - not an error: a constraint becomes a filter
    """A component needs more than `MAX_STATES` states or `MAX_STEPS` steps; `culprit` has the largest share of the
    states (-1: distinctness).
    """

    def __init__(self, culprit: int) -> None:
        self.culprit = culprit
        super().__init__(f"more than {MAX_STATES:,} states or {MAX_STEPS:,} steps")


class Component:
    """Draws that must be counted together."""

    def __init__(
        self,
        draws: Sequence[int],
        domains: Mapping[int, Sequence[Entry]],
        automata: Sequence[Automaton],
        unlike: frozenset[tuple[int, int]],
        told: frozenset[int] = frozenset(),
        free: frozenset[int] = frozenset(),
    ) -> None:
        self.draws = tuple(draws)
        self._told = told
        self._free = free
        self.automata = tuple(Numbered(automaton) for automaton in automata)
        self._start = (0,) * len(automata)
        self._readers = {
            draw: tuple(n for n, automaton in enumerate(self.automata) if draw in automaton.draws) for draw in draws
        }
        self._domains = domains
        self._partners: dict[int, frozenset[int]] = {
            draw: frozenset(b if a == draw else a for a, b in unlike if draw in (a, b)) & frozenset(draws)
            for draw in draws
        }
        self._tracked = {draw for draw in draws if self._partners[draw]}
        self._atomize()
        self._memo: dict[tuple[int, _States, _Classes], Counts] = {}
        self._steps = 0
        self._nodes: dict[tuple[int, _States, _Classes, Hashable], _Node] = {}
        self._lists: dict[tuple[int, int, tuple[int, ...]], _Listed] = {}
        self.counts: Counts = self._count(0, self._start, ())

    def _word(self, draw: int, entry: Entry) -> Hashable:
        """What distinctness compares; entries in `free` are told apart by an automaton instead."""
        return (draw, id(entry)) if id(entry) in self._free else entry.word(draw, self._told)

    # --- atoms --------------------------------------------------------------------------------------------------

    def _atomize(self) -> None:
        by_word: dict[Hashable, dict[int, dict[tuple[int, ...], list[Entry]]]] = {}
        for draw in self.draws:
            readers = [a if draw in a.draws else None for a in self.automata]
            is_tracked = draw in self._tracked
            for entry in self._domains[draw]:
                attributes = tuple([r.attribute(draw, entry) if r else -1 for r in readers])
                # A draw that nothing else must differ from keeps its words to itself.
                word = self._word(draw, entry) if is_tracked else (draw, id(entry))
                uses = by_word.get(word)
                if uses is None:
                    by_word[word] = {draw: {attributes: [entry]}}
                else:
                    uses.setdefault(draw, {}).setdefault(attributes, []).append(entry)
        self._entries = by_word
        levels: list[Level] = []
        further: Mapping[Hashable, int] = {}
        for draw in reversed(self.draws):
            levels.append(Level(draw, by_word, further))
            further = levels[-1].atom_of
        self._levels = levels[::-1]

    # --- counting -----------------------------------------------------------------------------------------------

    def _step(self, states: _States, draw: int, option: Option) -> _States | None:
        result = list(states)
        for number in self._readers[draw]:
            following = self.automata[number].step(states[number], draw, option.attributes[number])
            if following < 0:
                return None
            result[number] = following
        return tuple(result)

    def _kept(self, classes: Sequence[UsedWord], position: int) -> _Classes:
        """The words in use that still matter after the draw at `position`, in atoms of the draws that follow."""
        later = self.draws[position + 1 :]
        following = self._levels[position].following
        kept = []
        for used in classes:
            atom = following[used.atom]
            if atom < 0:
                continue
            joinable = any(d in self._tracked and not (self._partners[d] & used.draws) for d in later)
            kept.append(UsedWord(atom, used.draws if joinable else frozenset()))
        return tuple(sorted(kept, key=lambda c: (c.atom, sorted(c.draws))))

    def _branches(self, position: int, states: _States, classes: _Classes) -> list[_Branch]:
        """(option, word joined or None, ways per count below, states, classes) in the order of numbering."""
        draw = self.draws[position]
        level = self._levels[position]
        found: list[_Branch] = []
        for option in level.options:
            following = self._step(states, draw, option)
            if following is None:
                continue
            if draw not in self._tracked:
                ways = len(level.words[option.atom]) * option.per_word
                found.append((option, None, ways, following, self._kept(classes, position)))
                continue
            used = [c for c in classes if c.atom == option.atom]
            for joined in dict.fromkeys(used):
                if joined.draws and not (self._partners[draw] & joined.draws):
                    rest = list(classes)
                    rest.remove(joined)
                    grown = UsedWord(joined.atom, joined.draws | {draw})
                    found.append((option, joined, option.per_word, following, self._kept([*rest, grown], position)))
            free = len(level.words[option.atom]) - len(used)
            if free > 0:
                grown = UsedWord(option.atom, frozenset([draw]))
                found.append((option, None, free * option.per_word, following, self._kept([*classes, grown], position)))
        return found

    def _count(self, position: int, states: _States, classes: _Classes) -> Counts:
        if position == len(self.draws):
            labels: list[Hashable] = []
            versions = 1
            for automaton, state in zip(self.automata, states, strict=True):
                ending = automaton.finish(state)
                if ending is None:
                    return {}
                if ending[0] != ():
                    labels.append(ending[0])
                versions *= ending[1]
            return {tuple(labels): (1, versions)}
        key = (position, states, classes)
        known = self._memo.get(key)
        if known is not None:
            return known
        self._steps += len(self._levels[position].options)
        if (len(self._memo) >= MAX_STATES or self._steps > MAX_STEPS) and (self.automata or self._tracked):
            raise OverBudget(self._largest_share())
        total: dict[Hashable, tuple[int, int]] = {}
        for _, _, ways, following, left in self._branches(position, states, classes):
            for label, (items, versions) in self._count(position + 1, following, left).items():
                old = total.get(label, (0, 0))
                total[label] = (old[0] + ways * items, old[1] + ways * versions)
        self._memo[key] = total
        return total

    def _largest_share(self) -> int:
        """Which constraint has the most different states: the number of an automaton, or -1 for distinctness."""
        shares = {-1: len({classes for _, _, classes in self._memo})} if self._tracked else {}
        for number in range(len(self.automata)):
            shares[number] = len({states[number] for _, states, _ in self._memo})
        return max(shares, key=lambda number: shares[number])

    # --- item by number -----------------------------------------------------------------------------------------

    def _node(self, position: int, states: _States, classes: _Classes, label: Hashable) -> _Node:
        """The branches from a state to items of a label; kept."""
        key = (position, states, classes, label)
        known = self._nodes.get(key)
        if known is None:
            starts: list[int] = []
            steps: _Steps = []
            start = 0
            for option, joined, ways, following, left in self._branches(position, states, classes):
                block = self._count(position + 1, following, left).get(label, (0, 0))[0]
                if block:
                    starts.append(start)
                    steps.append((option, joined, ways, block, following, left))
                    start += ways * block
            known = self._nodes[key] = _Node(starts, steps)
        return known

    def _list(self, position: int, option: Option) -> _Listed:
        """The entries that an option has at a draw, in order, and the word of each; kept."""
        key = (position, option.atom, option.attributes)
        known = self._lists.get(key)
        if known is None:
            draw = self.draws[position]
            words = [w for w in self._levels[position].words[option.atom] for _ in range(option.per_word)]
            entries = [
                entry
                for word in self._levels[position].words[option.atom]
                for entry in self._entries[word][draw][option.attributes]
            ]
            known = self._lists[key] = (entries, words)
        return known

    def _open(
        self, position: int, option: Option, joined: UsedWord | None, taken: Mapping[int, Hashable]
    ) -> tuple[list[Entry], list[Hashable], list[tuple[int, int]]]:
        """The entries of an option, the word of each, and the stretches that the words taken so far (by draw) take
        out, last first.
        """
        draw = self.draws[position]
        if joined is not None:
            word = taken[min(joined.draws)]
            found = self._entries[word][draw][option.attributes]
            return list(found), [word] * len(found), []
        entries, words = self._list(position, option)
        if draw not in self._tracked:
            return entries, words, []
        level, per_word = self._levels[position], option.per_word
        places = {level.place[w] for w in taken.values() if level.atom_of.get(w) == option.atom}
        return entries, words, [(n * per_word, (n + 1) * per_word) for n in sorted(places, reverse=True)]

    def item(self, index: int, label: Hashable) -> dict[int, Entry]:
        """The words of item `index` (from 0) among those of `label`: draw number -> entry."""
        return dict(zip(self.draws, self.words(index, label), strict=True))

    def words(self, index: int, label: Hashable) -> list[Entry]:
        """The words of item `index` (from 0) among those of `label`, in the order of `draws`."""
        if not 0 <= index < self.counts.get(label, (0, 0))[0]:
            raise IndexError("item number past the end")
        states: _States = self._start
        classes: _Classes = ()
        taken: list[Entry] = []
        words: dict[int, Hashable] = {}  # of draws that are tracked
        in_use: list[Hashable] = []  # distinct words in use
        node: _Node | None = None
        came_from: _Node | None = None
        step = 0
        for position, draw in enumerate(self.draws):
            if node is None:
                node = self._node(position, states, classes, label)
                if came_from is not None:
                    came_from.following[step] = node
            starts = node.starts
            step = bisect_right(starts, index) - 1
            option, joined, _, block, states, classes = node.steps[step]
            came_from, node = node, node.following[step]
            digit, index = divmod(index - starts[step], block)
            if joined is not None:
                word = words[draw] = words[min(joined.draws)]
                taken.append(self._entries[word][draw][option.attributes][digit])
                continue
            listed = came_from.lists[step]
            if listed is None:
                listed = came_from.lists[step] = self._list(position, option)
            if draw in self._tracked:
                if in_use:
                    level, atom, per_word = self._levels[position], option.atom, option.per_word
                    atom_of = level.atom_of
                    for place in sorted([level.place[w] for w in in_use if atom_of.get(w) == atom]):
                        digit += per_word * (place * per_word <= digit)
                word = words[draw] = listed[1][digit]
                in_use.append(word)
            taken.append(listed[0][digit])
        return taken

    def number_of(self, taken: Mapping[int, Entry], label: Hashable) -> int:
        """The index of the item with these words among those of `label`: what `item` undoes."""
        index = 0
        states: _States = self._start
        classes: _Classes = ()
        words: dict[int, Hashable] = {}
        for position, draw in enumerate(self.draws):
            level = self._levels[position]
            entry = taken[draw]
            word = self._word(draw, entry) if draw in self._tracked else (draw, id(entry))
            attributes = tuple(a.attribute(draw, entry) if draw in a.draws else -1 for a in self.automata)
            atom = level.atom_of[word]
            holders = frozenset(other for other, used in words.items() if used == word and other in self._tracked)
            for option, joined, ways, following, left in self._branches(position, states, classes):
                block = self._count(position + 1, following, left).get(label, (0, 0))[0]
                is_here = option.atom == atom and option.attributes == attributes
                if is_here and draw in self._tracked:
                    is_here = (joined is None) == (not holders) and (joined is None or joined.draws == holders)
                if not is_here:
                    index += ways * block
                    continue
                entries = self._entries[word][draw][attributes]
                which = next(n for n, other in enumerate(entries) if other is entry)
                number = 0
                if joined is None:
                    number = level.place[word]
                    in_use = {used for other, used in words.items() if other in self._tracked}
                    number -= sum(level.atom_of.get(w) == atom and level.place[w] < number for w in in_use)
                index += (number * option.per_word + which) * block
                words[draw] = word
                states, classes = following, left
                break
            else:
                raise IndexError("no item has these words")
        return index

    def walk(self, label: Hashable, first: int = 0) -> Iterator[WordRun]:
        """All items of `label` from number `first` on, in order, in runs that differ in the last draw only."""
        if not self.draws:
            raise ValueError("a component without draws has no words")
        yield from self._walk(0, self._start, (), (), {}, label, first)

    def _walk(
        self,
        position: int,
        states: _States,
        classes: _Classes,
        before: tuple[Entry, ...],
        taken: Mapping[int, Hashable],
        label: Hashable,
        skipped: int,
    ) -> Iterator[WordRun]:
        is_last = position + 1 == len(self.draws)
        draw = self.draws[position]
        for option, joined, ways, block, following, left in self._node(position, states, classes, label).steps:
            if skipped >= ways * block:
                skipped -= ways * block
                continue
            digit, skipped = divmod(skipped, block)
            entries, words, gone = self._open(position, option, joined, taken)
            if is_last:
                yield WordRun(before, entries, tuple(gone), digit)
                continue
            entries, words = without(entries, gone), without(words, gone)
            for number in range(digit, ways):
                then = {**taken, draw: words[number]} if self._tracked else taken
                yield from self._walk(position + 1, following, left, (*before, entries[number]), then, label, skipped)
                skipped = 0

    def accepts(self, taken: Mapping[int, Entry]) -> Hashable | None:
        """The label of an item with these words; None where there is none."""
        labels: list[Hashable] = []
        for automaton in self.automata:
            state = 0
            for draw in self.draws:
                if draw in automaton.draws:
                    state = automaton.step(state, draw, automaton.attribute(draw, taken[draw]))
                    if state < 0:
                        return None
            ending = automaton.finish(state)
            if ending is None:
                return None
            if ending[0] != ():
                labels.append(ending[0])
        for draw, partners in self._partners.items():
            word = self._word(draw, taken[draw])
            if any(word == self._word(other, taken[other]) for other in partners):
                return None
        return tuple(labels)
