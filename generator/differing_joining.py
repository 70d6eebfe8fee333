"""A leaf of OLD and a leaf of NEW, joined: the words that both have, and what both ask of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from generator.automata import Attribute, Automaton, ConditionAutomaton, State
from generator.differing_alignment import Aligner, Place
from generator.differing_sides import Side
from generator.leaves import Leaf
from generator.normalizing import Tokens
from generator.strata import Entry

_MOST_ALIKE = 512  # pairs of members that can read alike
_MOST_COMPARED = 50_000  # pairs of members
_TOO_MANY = "an item has too many versions to compare"

_Row = Sequence[Place]
_Members = Sequence[tuple[bool, _Row]]


class NotCountableError(Exception):
    """The items that two plans have in common cannot be counted; the message says why."""


@dataclass(frozen=True)
class _Draw:
    """A draw of one side with that of the other that shows the same words; None where there is a literal."""

    old: int | None
    new: int | None


@dataclass(frozen=True, eq=False)
class _Words:
    """A word as each side has it."""

    old: Entry | None
    new: Entry | None

    @property
    def shown(self) -> Entry:
        """The one that stands for both: OLD's, where it has one."""
        found = self.old or self.new
        assert found is not None
        return found


class JoinedLeaf:
    """The common words of two leaves, draw by draw.  Raises NotCountableError."""

    def __init__(self, old: Side, new: Side, a: Leaf, b: Leaf, ours: _Row, theirs: _Row) -> None:
        self.sides = (old, new)
        self.leaves = (a, b)
        links: dict[tuple[int, int], list[tuple[int, int]]] = {}
        fixed: tuple[dict[int, list[tuple[int, Tokens]]], ...] = ({}, {})
        for one, two in zip(ours, theirs, strict=True):
            if one.ref is not None and two.ref is not None:
                links.setdefault((one.ref.draw, two.ref.draw), []).append((one.ref.form, two.ref.form))
            for place, other, known in ((one, two, fixed[0]), (two, one, fixed[1])):
                if place.ref is not None and other.ref is None:
                    (text,) = other.texts.all
                    known.setdefault(place.ref.draw, []).append((place.ref.form, text))
        if len({x for x, _ in links}) < len(links) or len({y for _, y in links}) < len(links):
            raise NotCountableError("what is one word on one side is two on the other")
        self.draws = [_Draw(x, y) for x, y in links]
        self.draws += [_Draw(x, None) for x in range(len(a.domains)) if all(x != known for known, _ in links)]
        self.draws += [_Draw(None, y) for y in range(len(b.domains)) if all(y != known for _, known in links)]
        self.place: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.words: list[list[_Words]] = []
        for number, draw in enumerate(self.draws):
            for own, places in zip((draw.old, draw.new), self.place, strict=True):
                if own is not None:
                    places[own] = number
            forms = links.get((draw.old, draw.new), []) if draw.old is not None and draw.new is not None else []
            self.words.append(list(self._common(draw, forms, fixed)))
        self.domains = [tuple(word.shown for word in words) for words in self.words]
        self.both = [{id(word.shown): word for word in words} for words in self.words]
        self.is_empty = not all(self.domains)
        self.told = frozenset(
            place[draw] for leaf, place in zip(self.leaves, self.place, strict=True) for draw in leaf.stratum.told
        )
        self.unlike = frozenset(self._unlike())

    def _common(
        self,
        draw: _Draw,
        forms: Sequence[tuple[int, int]],
        fixed: Sequence[Mapping[int, Sequence[tuple[int, Tokens]]]],
    ) -> Iterator[_Words]:
        """The words of a draw that both sides have."""
        found: list[list[Entry]] = []
        for side, leaf, own, known in zip(self.sides, self.leaves, (draw.old, draw.new), fixed, strict=True):
            found.append(
                []
                if own is None
                else [e for e in leaf.domains[own] if all(side.tokens_of(e, f) == t for f, t in known.get(own, ()))]
            )
        if draw.old is None or draw.new is None:
            yield from (_Words(entry, None) for entry in found[0])
            yield from (_Words(None, entry) for entry in found[1])
            return
        by_text = {tuple(self.sides[1].tokens_of(entry, g) for _, g in forms): entry for entry in found[1]}
        for entry in found[0]:
            other = by_text.get(tuple(self.sides[0].tokens_of(entry, f) for f, _ in forms))
            if other is not None:
                yield _Words(entry, other)

    # --- words that must differ ---------------------------------------------------------------------------------

    def _unlike(self) -> Iterator[tuple[int, int]]:
        """The pairs of draws that must differ on either side."""
        pairs = {
            (min(x, y), max(x, y))
            for leaf, place in zip(self.leaves, self.place, strict=True)
            for x, y in ((place[one], place[two]) for one, two in leaf.stratum.unlike)
        }
        for x, y in sorted(pairs):
            barred = self._barred(0, x, y) | self._barred(1, x, y)
            if not barred:
                continue
            if barred != self._same(x, y):
                raise NotCountableError("other words must differ in OLD than in NEW")
            yield x, y

    def _barred(self, side: int, x: int, y: int) -> set[tuple[int, int]]:
        """The words, by their places, that one side does not have together in two draws."""
        stratum, place = self.leaves[side].stratum, self.place[side]
        names = {number: draw for draw, number in place.items()}
        if x not in names or y not in names:
            return set()
        one, two = names[x], names[y]
        if (one, two) not in stratum.unlike and (two, one) not in stratum.unlike:
            return set()
        entries = [[(w.new if side else w.old) for w in self.words[number]] for number in (x, y)]
        return _equal(
            [e.word(one, stratum.told) for e in entries[0] if e is not None],
            [e.word(two, stratum.told) for e in entries[1] if e is not None],
        )

    def _same(self, x: int, y: int) -> set[tuple[int, int]]:
        """The words, by their places, that counting takes for the same."""
        return _equal(
            [entry.word(x, self.told) for entry in self.domains[x]],
            [entry.word(y, self.told) for entry in self.domains[y]],
        )

    # --- conditions ---------------------------------------------------------------------------------------------

    def conditions(self) -> Iterator[Automaton]:
        """The conditions of both sides."""
        for side, leaf in enumerate(self.leaves):
            for condition in leaf.stratum.conditions:
                yield _OneSided(ConditionAutomaton(condition, leaf.stratum.domains), self, side)

    def own(self, side: int, number: int) -> int | None:
        """The draw of a side that a joined draw is."""
        draw = self.draws[number]
        return draw.new if side else draw.old

    def entry(self, side: int, number: int, shown: Entry) -> Entry | None:
        """A word of a joined draw as a side has it."""
        word = self.both[number][id(shown)]
        return word.new if side else word.old


def _equal(one: Sequence[object], two: Sequence[object]) -> set[tuple[int, int]]:
    places: dict[object, list[int]] = {}
    for number, word in enumerate(two):
        places.setdefault(word, []).append(number)
    return {(number, other) for number, word in enumerate(one) for other in places.get(word, ())}


class _OneSided:
    """An automaton of one side over the joined draws."""

    def __init__(self, inner: Automaton, joined: JoinedLeaf, side: int) -> None:
        self.inner, self.joined, self.side = inner, joined, side
        self.text = inner.text
        self.start: State = inner.start
        self.draws = frozenset(joined.place[side][draw] for draw in inner.draws)

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """As the automaton's, of the word as its side has it."""
        own, word = self.joined.own(self.side, draw), self.joined.entry(self.side, draw, entry)
        assert own is not None
        assert word is not None
        return self.inner.attribute(own, word)

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """As the automaton's."""
        own = self.joined.own(self.side, draw)
        assert own is not None
        return self.inner.step(state, own, attribute)

    def finish(self, state: State) -> tuple[object, int] | None:
        """As the automaton's."""
        return self.inner.finish(state)


class BothVersions:
    """Which versions a common item has on each side; its label says whether they read alike (`kept`, `changed`).

    State: (that of OLD's versions, that of NEW's, the pairs of versions that read alike so far, a bit each).
    """

    def __init__(self, joined: JoinedLeaf, ours: _Members, theirs: _Members, aligner: Aligner) -> None:
        self.joined = joined
        self.text = "the contrast"
        self._sides: list[_OneSided] = []
        for side, leaf in enumerate(joined.leaves):
            assert leaf.version_automaton is not None
            self._sides.append(_OneSided(leaf.version_automaton, joined, side))
        if len(ours) * len(theirs) > _MOST_COMPARED:
            raise NotCountableError(_TOO_MANY)
        self.pairs: list[tuple[int, int]] = []
        self._tests: dict[int, list[tuple[int, Place, Place]]] = {}
        for (v, (is_good, one)), (w, (is_other_good, two)) in product(enumerate(ours), enumerate(theirs)):
            if is_good == is_other_good and aligner.align(one, two):
                if len(self.pairs) == _MOST_ALIKE:
                    raise NotCountableError(_TOO_MANY)
                self._compare(len(self.pairs), one, two)
                self.pairs.append((v, w))
        self.start: State = (self._sides[0].start, self._sides[1].start, (1 << len(self.pairs)) - 1)
        self.draws = self._sides[0].draws | self._sides[1].draws | frozenset(self._tests)

    def _compare(self, bit: int, one: _Row, two: _Row) -> None:
        for a, b in zip(one, two, strict=True):
            places = {
                self.joined.place[side][place.ref.draw] for side, place in enumerate((a, b)) if place.ref is not None
            }
            if len(places) > 1:
                raise NotCountableError("a starred sentence shows one word in OLD where it shows another in NEW")
            for number in places:
                self._tests.setdefault(number, []).append((bit, a, b))

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """What each side reads of a word, and which pairs of versions read alike with it."""
        alike = (1 << len(self.pairs)) - 1
        for bit, a, b in self._tests.get(draw, ()):
            if self._text(0, draw, entry, a) != self._text(1, draw, entry, b):
                alike &= ~(1 << bit)
        reads = tuple(side.attribute(draw, entry) if draw in side.draws else None for side in self._sides)
        return (*reads, alike)

    def _text(self, side: int, draw: int, entry: Entry, place: Place) -> Tokens:
        if place.ref is None:
            (text,) = place.texts.all
            return text
        word = self.joined.entry(side, draw, entry)
        assert word is not None
        return self.joined.sides[side].tokens_of(word, place.ref.form)

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """Both sides step; pairs that read unlike drop out."""
        following = list(state[:2])
        for number, side in enumerate(self._sides):
            if draw in side.draws:
                following[number] = side.step(state[number], draw, attribute[number])
                if following[number] is None:
                    return None
        return (*following, state[2] & attribute[2])

    def finish(self, state: State) -> tuple[object, int] | None:
        """Whether the item is on both sides, and has the same members there."""
        valid = []
        for side, leaf, end in zip(self._sides, self.joined.leaves, state, strict=False):
            if side.finish(end) is None:
                return None
            assert leaf.version_automaton is not None
            valid.append(set(leaf.version_automaton.valid(end)))
        alike = [pair for bit, pair in enumerate(self.pairs) if state[2] >> bit & 1]
        ours = {v for v, w in alike if w in valid[1]}
        theirs = {w for v, w in alike if v in valid[0]}
        return ("kept" if valid[0] <= ours and valid[1] <= theirs else "changed"), 1
