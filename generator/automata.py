"""What ties the draws of a stratum together, as automata over their words.

Each automaton reads, draw by draw and in any order, a small attribute of the word taken there, and in the end says
whether the item exists.  Words with equal attributes are interchangeable: counting never looks at more.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

from generator.strata import Condition, Entry, Literal, Mark, MemberPieces, Piece, Ref, Stratum, Version

State = Any
Attribute = Any
"""States and attributes are hashable; each automaton knows the shape of its own."""


class Automaton(Protocol):
    """See the module's docstring."""

    draws: frozenset[int]
    """The draws whose words it reads."""

    start: State

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """What it reads of a word."""

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """The next state; None where no item can follow."""

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """(label, number of versions) of an item that ends here; None where it does not exist."""


class ConditionAutomaton:
    """A `where` over several draws: keeps what was read until all is there."""

    def __init__(self, condition: Condition) -> None:
        self.condition = condition
        self.draws = frozenset(condition.draws)
        self.start: State = (None,) * len(condition.draws)

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """The values read of this draw, by operand."""
        return tuple(
            (read(entry),) if owner == draw else None
            for owner, read in zip(self.condition.draws, self.condition.read, strict=True)
        )

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """Fill in; decide when complete."""
        filled = tuple(new if new is not None else old for old, new in zip(state, attribute, strict=True))
        if any(value is None for value in filled):
            return filled
        return ("holds",) if self.condition.holds(tuple(value[0] for value in filled)) else None

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """A condition has neither label nor versions."""
        return ((), 1)


class VersionAutomaton:
    """Which versions of an item exist: those that read unlike the acceptable member and unlike each other, and
    whose starred words the template does not license under other values of its variables (*the sheep is/are*).

    State: (classes, live).  `classes` gives each version a number, 0 for 'reads as the acceptable member so far',
    -1 for 'has no such form'; versions of one number read alike so far.  `live` holds the pairs (version,
    alternative stratum) whose words could still be licensed there.
    """

    def __init__(self, stratum: Stratum, siblings: Sequence[Stratum]) -> None:
        self.stratum = stratum
        self.versions = stratum.versions
        self._aligned = [aligned(stratum.acceptable, version.pieces) for version in self.versions]
        count = len(self.versions)
        self._sites: list[dict[int, list[tuple[int, int]]]] = []
        start = []
        for version, pairs in zip(self.versions, self._aligned, strict=True):
            sites: dict[int, list[tuple[int, int]]] = {}
            differs = pairs is None
            for ours, theirs in pairs or ():
                if isinstance(ours, Ref) and isinstance(theirs, Ref) and ours.draw == theirs.draw:
                    sites.setdefault(ours.draw, []).append((ours.form, theirs.form))
                elif isinstance(ours, Literal) and isinstance(theirs, Literal):
                    differs = differs or ours.text.casefold() != theirs.text.casefold()
                else:
                    differs = True
            if pairs is None or differs:
                # Not comparable form by form: different by its wording, but its forms must still exist.
                for piece in version.pieces:
                    if isinstance(piece, Ref):
                        sites.setdefault(piece.draw, []).append((piece.form, piece.form))
            self._sites.append(sites)
            start.append(differs)
        # Versions of different wording start in classes of their own; equal wording shares one.
        wordings = [_wording(version.pieces) for version in self.versions]
        classes = [0] * count
        next_class = 1
        by_wording: dict[Hashable, int] = {}
        for index in range(count):
            if start[index]:
                key = wordings[index]
                if key not in by_wording:
                    by_wording[key] = next_class
                    next_class += 1
                classes[index] = by_wording[key]
        self._licences = _Licences(stratum, siblings, self.versions)
        self.start: State = (tuple(classes), frozenset(self._licences.pairs))
        self.draws = frozenset(d for sites in self._sites for d in sites) | self._licences.draws

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """(per version: the class of its text here, the licences that this word keeps alive)."""
        texts: dict[tuple[str, ...], int] = {}
        classes = []
        for sites in self._sites:
            forms = sites.get(draw, ())
            theirs = [entry.texts[form] for _, form in forms]
            if any(text is None for text in theirs):
                classes.append(-1)
                continue
            if all(entry.texts[mine] == text for (mine, _), text in zip(forms, theirs, strict=True)):
                classes.append(0)
                continue
            key = tuple(text.casefold() for text in theirs if text is not None)
            if key == tuple((entry.texts[mine] or "").casefold() for mine, _ in forms):
                classes.append(0)
                continue
            classes.append(texts.setdefault(key, len(texts) + 1))
        return (tuple(classes), self._licences.kept(draw, entry))

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """Refine the classes, drop licences."""
        classes, live = state
        here, kept = attribute
        numbers: dict[tuple[int, int], int] = {(0, 0): 0}
        joined = tuple(
            -1 if a < 0 or b < 0 else numbers.setdefault((a, b), len(numbers))
            for a, b in zip(classes, here, strict=True)
        )
        live = frozenset(pair for pair in live if pair[0] not in _dead(joined))
        return (joined, live & kept if draw in self._licences.draws else live)

    def valid(self, state: State) -> tuple[int, ...]:
        """The versions that exist in a final state, in order."""
        classes, live = state
        licensed = {version for version, _ in live}
        best: dict[Hashable, tuple[int, ...]] = {}
        existing = []
        for index, (number, version) in enumerate(zip(classes, self.versions, strict=True)):
            if number > 0 and not (index in licensed and not version.acceptable):
                existing.append(index)
                rank = best.setdefault(version.family, version.rank)
                best[version.family] = min(rank, version.rank)
        seen: set[int] = set()
        result = []
        for index in existing:
            version = self.versions[index]
            if version.rank == best[version.family] and classes[index] not in seen:
                seen.add(classes[index])
                result.append(index)
        return tuple(result)

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """An item needs a version that exists."""
        count = len(self.valid(state))
        return ((), count) if count else None


def _dead(classes: Sequence[int]) -> frozenset[int]:
    return frozenset(index for index, number in enumerate(classes) if number < 0)


def _words(pieces: MemberPieces) -> list[Piece]:
    return [piece for piece in pieces if not isinstance(piece, Mark)]


def _wording(pieces: MemberPieces) -> Hashable:
    """A member's literal skeleton: two members of equal wording differ at most in the forms of draws."""
    return tuple(
        piece.text.casefold() if isinstance(piece, Literal) else piece.draw
        for piece in _words(pieces)
        if not isinstance(piece, Mark)
    )


def aligned(first: MemberPieces, second: MemberPieces) -> list[tuple[Piece, Piece]] | None:
    """The words of two members side by side; None where their numbers differ."""
    ours, theirs = _words(first), _words(second)
    return list(zip(ours, theirs, strict=True)) if len(ours) == len(theirs) else None


class _Licences:
    """For each version and each sibling stratum (the same structure, other variable values): could the version's
    words, lexeme for lexeme, be an acceptable member there?"""

    def __init__(self, stratum: Stratum, siblings: Sequence[Stratum], versions: Sequence[Version]) -> None:
        self.pairs: list[tuple[int, int]] = []
        self._tables: dict[
            tuple[int, int], dict[int, tuple[tuple[int, ...], Mapping[int, frozenset[tuple[str, ...]]]]]
        ] = {}
        readings: dict[tuple[int, int, tuple[int, ...]], Mapping[int, frozenset[tuple[str, ...]]]] = {}
        for sibling_number, sibling in enumerate(siblings):
            if tuple(draw.key for draw in sibling.draws) != tuple(draw.key for draw in stratum.draws):
                continue
            for version_number, version in enumerate(versions):
                if version.acceptable:
                    continue
                needed = _needed(sibling.acceptable, version.pieces)
                if needed is None:
                    continue
                table: dict[int, tuple[tuple[int, ...], Mapping[int, frozenset[tuple[str, ...]]]]] = {}
                alive = True
                for draw, forms in sorted(needed.items(), key=lambda item: len(stratum.domains[item[0]])):
                    there = tuple(theirs for _, theirs in forms)
                    key = (sibling_number, draw, there)
                    if key not in readings:
                        readings[key] = _readable(sibling.domains[draw], there)
                    here = tuple(ours for ours, _ in forms)
                    possible = readings[key]
                    results = [_reads(entry, here, possible) for entry in stratum.domains[draw]]
                    if not any(results):
                        alive = False
                        break
                    if not all(results):
                        table[draw] = (here, possible)
                if alive:
                    self.pairs.append((version_number, sibling_number))
                    self._tables[version_number, sibling_number] = table
        self.draws = frozenset(draw for table in self._tables.values() for draw in table)

    def kept(self, draw: int, entry: Entry) -> frozenset[tuple[int, int]]:
        """The pairs that survive this word."""
        return frozenset(
            pair for pair in self.pairs if draw not in self._tables[pair] or _reads(entry, *self._tables[pair][draw])
        )


def _needed(acceptable: MemberPieces, starred: MemberPieces) -> dict[int, list[tuple[int, int]]] | None:
    """Per draw the (starred form, acceptable form) pairs that must read alike; None where wording differs."""
    pairs = aligned(starred, acceptable)
    if pairs is None:
        return None
    needed: dict[int, list[tuple[int, int]]] = {}
    for star, good in pairs:
        if isinstance(star, Ref) and isinstance(good, Ref) and star.draw == good.draw:
            found = needed.setdefault(star.draw, [])
            if (star.form, good.form) not in found:
                found.append((star.form, good.form))
        elif isinstance(star, Literal) and isinstance(good, Literal):
            if star.text.casefold() != good.text.casefold():
                return None
        else:
            return None
    return needed


def _readable(domain: Sequence[Entry], forms: tuple[int, ...]) -> Mapping[int, frozenset[tuple[str, ...]]]:
    """Lexeme -> the texts it can show in these forms."""
    found: dict[int, set[tuple[str, ...]]] = {}
    for entry in domain:
        texts = tuple((entry.texts[form] or "").casefold() for form in forms)
        found.setdefault(id(entry.member.entry), set()).add(texts)
    return {key: frozenset(value) for key, value in found.items()}


def _reads(entry: Entry, forms: tuple[int, ...], possible: Mapping[int, frozenset[tuple[str, ...]]]) -> bool:
    texts = tuple((entry.texts[form] or "").casefold() for form in forms)
    return texts in possible.get(id(entry.member.entry), ())


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
            new = automaton.step(old, draw, read) if read is not None and old is not None else old
            if new is None:
                mask &= ~(1 << bit)
            following.append(new)
        return (mask, tuple(following)) if mask else None

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """The set of strata."""
        return (state[0], 1)


class Folded:
    """An automaton that has read every draw in which its attribute is the same for all words."""

    def __init__(self, automaton: Automaton, domains: Sequence[Sequence[Entry]]) -> None:
        self._inner = automaton
        state: State | None = automaton.start
        varying = set()
        for draw in sorted(automaton.draws):
            attributes = {automaton.attribute(draw, entry) for entry in domains[draw]}
            if len(attributes) > 1:
                varying.add(draw)
            elif state is not None:
                state = automaton.step(state, draw, attributes.pop())
        self.draws = frozenset(varying)
        self.start: State = state
        self.is_empty = state is None

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """As the automaton's."""
        return self._inner.attribute(draw, entry)

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """As the automaton's."""
        return self._inner.step(state, draw, attribute)

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """As the automaton's; an automaton that died while folding accepts nothing."""
        return None if self.is_empty else self._inner.finish(state)
