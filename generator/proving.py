"""What the self-checks can know of a plan without its items: which leaves have no repeated sentence, and the like.

Two patterns (see `patterns`) have no sentence in common if they differ in length or if at some place their tokens are
disjoint.  One pattern gives no sentence twice if each of its draws shows another text for each of its words.  Where
that does not tell, nothing is claimed: the items are to be looked at.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from generator.leaves import Leaf
from generator.patterns import Member, Pattern, PatternReader, UnclearError, members_of
from generator.planning import Plan
from generator.realizing import Realizer, Style


@dataclass(frozen=True)
class Proof:
    """Leaves whose items need not be looked at.

    Items of `clear` leaves have no finding at all; those of `unequal` leaves only that every pair is of unequal length.
    No sentence of either stands in another leaf.
    """

    clear: frozenset[Leaf]
    unequal: frozenset[Leaf]

    def covers(self, leaf: Leaf) -> bool:
        """Whether the items of a leaf need not be looked at."""
        return leaf in self.clear or leaf in self.unequal


@dataclass(frozen=True, eq=False)
class _Row:
    """A pattern and the leaf that has it."""

    leaf: Leaf
    pattern: Pattern


def prove(plan: Plan, style: Style, mask: str) -> Proof:
    """What is certain of a plan's leaves; words outside a vocabulary are not spoken of."""
    reader = PatternReader(Realizer(plan.grammar.lexicon.realisation), style, mask)
    rows: list[_Row] = []
    lengths: dict[Leaf, bool | None] = {}
    suspects: set[Leaf] = set()
    for leaf in (leaf for template in plan.templates for leaf in template.leaves):
        try:
            members = members_of(leaf, plan.flavour == "open", mask)
            own = [_Row(leaf, pattern) for member in members for pattern in reader.patterns(member)]
            lengths[leaf] = _unequal(members, reader)
        except UnclearError:
            # Its sentences are not known: they may be those of any other leaf.
            return Proof(frozenset(), frozenset())
        rows += own
        if lengths[leaf] is None or any(_may_double(row.pattern) for row in own) or _repeats(members, reader):
            suspects.add(leaf)
    for group in _inseparable(rows):
        suspects.update(row.leaf for row in group)
    sure = [leaf for leaf in lengths if leaf not in suspects]
    return Proof(
        frozenset(leaf for leaf in sure if not lengths[leaf]), frozenset(leaf for leaf in sure if lengths[leaf])
    )


def _repeats(members: Sequence[Member], reader: PatternReader) -> bool:
    """Whether a member may read alike for two choices of words."""
    for member in members:
        for draw in member.words:
            present = [cuts for cuts in reader.shown(member, draw) if cuts is not None]
            if len(set(present)) < len(present):
                return True
    return False


def _unequal(members: Sequence[Member], reader: PatternReader) -> bool | None:
    """Whether all pairs are of unequal length in words (True), none is (False), or some may be (None)."""
    found = set()
    starred = [member for member in members if not member.is_acceptable]
    good = [member for member in members if member.is_acceptable]
    # Only a design has a choice of partners; a further acceptable version never is one.
    partners = good if len({member.version for member in good}) > 1 else good[:1]
    for bad in starred:
        for partner in partners:
            differences = {_fixed_words(bad, reader) - _fixed_words(partner, reader)}
            for draw, entries in bad.words.items():
                own = set()
                beside = replace(partner, words={draw: entries})
                for ours, theirs in zip(reader.shown(bad, draw), reader.shown(beside, draw), strict=True):
                    if ours is not None and theirs is not None:
                        own.add(_words(ours) - _words(theirs))
                differences = {a + b for a, b in itertools.product(differences, own)}
            found |= {bool(difference) for difference in differences}
    return None if len(found) > 1 else found == {True}


def _fixed_words(member: Member, reader: PatternReader) -> int:
    return _words([reader.cut(piece.text, piece.glued) for piece in member.literals])


def _words(cuts: Sequence[Sequence[tuple[str, bool]]]) -> int:
    return sum(not is_glued for cut in cuts for _, is_glued in cut)


def _may_double(pattern: Pattern) -> bool:
    """Whether two neighbouring words may be the same."""
    words: list[list[frozenset[str]]] = []
    for place in pattern:
        if place.is_glued:
            words[-1].append(place.tokens)
        else:
            words.append([place.tokens])
    return any(
        len(one) == len(two)
        and all(not a.isdisjoint(b) for a, b in zip(one, two, strict=True))
        and any(character.isalnum() for tokens in one for token in tokens for character in token)
        for one, two in itertools.pairwise(words)
    )


def _inseparable(rows: Sequence[_Row]) -> list[list[_Row]]:
    """Groups of patterns that no place tells apart."""
    by_length: dict[int, list[_Row]] = {}
    for row in rows:
        by_length.setdefault(len(row.pattern), []).append(row)
    found = []
    waiting = [(group, tuple(range(length))) for length, group in by_length.items()]
    while waiting:
        group, places = waiting.pop()
        if len(group) == 1:
            continue
        for number, place in enumerate(places):
            parts = _parts(group, place)
            if len(parts) > 1:
                # A place that does not divide a group may divide a part of it.
                waiting += [(part, (*places[number:], *places[:number])) for part in parts]
                break
        else:
            found.append(group)
    return found


def _parts(group: Sequence[_Row], place: int) -> list[list[_Row]]:
    """A group divided so that patterns of different parts have no token in common at a place."""
    by_tokens: dict[frozenset[str], list[_Row]] = {}
    for row in group:
        by_tokens.setdefault(row.pattern[place].tokens, []).append(row)
    if len(by_tokens) == 1:
        return [list(group)]
    parent = list(range(len(by_tokens)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    owner: dict[str, int] = {}
    for number, tokens in enumerate(by_tokens):
        for token in tokens:
            parent[root(number)] = root(owner.setdefault(token, number))
    parts: dict[int, list[_Row]] = {}
    for number, rows in enumerate(by_tokens.values()):
        parts.setdefault(root(number), []).extend(rows)
    return list(parts.values())
