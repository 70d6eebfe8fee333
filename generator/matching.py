"""The members of many plans in one automaton: which of them a sentence has the shape of.

All members are joined in a trie whose edges are words of the grammar or classes of words (a draw's words in one form);
the trie is run as a nondeterministic automaton, whose sets of states are kept once they are met.  So a sentence costs a
look-up a word, however many grammars there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator.leaves import Leaf, visible
from generator.normalizing import MASK, Normalizer, Tokens
from generator.planning import Plan, PlanTemplate
from generator.strata import Literal, Mark, MemberPieces, Piece, Ref

_KEPT_STATES = 100_000


@dataclass(frozen=True, eq=False)
class Member:
    """A member of a leaf's items: its acceptable one (`version` -1) or a version, by number."""

    plan: Plan
    template: PlanTemplate
    leaf: Leaf
    version: int

    @cached_property
    def is_acceptable(self) -> bool:
        """Whether it is an acceptable member."""
        return self.version < 0 or self.leaf.stratum.versions[self.version].acceptable

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What it shows, without marks."""
        return tuple(piece for piece in self.marked if not isinstance(piece, Mark))

    @property
    def marked(self) -> MemberPieces:
        """What it shows."""
        stratum = self.leaf.stratum
        if self.plan.flavour == "open":
            before, _, after = visible(stratum, self.leaf.scope)
            return (*before, Literal(MASK), *after)
        return stratum.acceptable if self.version < 0 else stratum.versions[self.version].pieces


def members_of(plan: Plan) -> Iterator[Member]:
    """Every member of a plan's leaves, in order."""
    for template in plan.templates:
        for leaf in template.leaves:
            versions = 0 if plan.flavour == "open" else len(leaf.stratum.versions)
            yield from (Member(plan, template, leaf, version) for version in range(-1, versions))


@dataclass(frozen=True, eq=False)
class WordsHere:
    """A class edge: the words that a draw of a leaf shows in one form."""

    leaf: Leaf
    draw: int
    form: int


class State:
    """A set of places in the trie, with the states that have been met behind it."""

    __slots__ = ("ends", "next", "places")

    def __init__(self, places: tuple[int, ...], ends: tuple[Member, ...]) -> None:
        self.places = places
        self.ends = ends
        self.next: dict[int, State | None] = {}


class Matcher:
    """Matches sentences (as normalised tokens) against the members of plans of one language."""

    def __init__(self, plans: Sequence[Plan], normalizer: Normalizer) -> None:
        self.normalizer = normalizer
        self.edges: list[dict[str, int]] = []
        self.class_edges: list[dict[int, int]] = []
        self.ends: list[list[Member]] = []
        self.plans_below: list[int] = []
        self.classes: list[WordsHere] = []
        self._texts: dict[frozenset[Tokens], int] = {}
        self._class_of: dict[tuple[int, int], tuple[int, Leaf]] = {}
        self._singles: dict[str, dict[int, None]] = {}
        self._longer: dict[str, dict[tuple[int, Tokens], None]] = {}
        self._empty: dict[int, None] = {}
        self._literals: dict[str, None] = {}
        self._chains: dict[tuple[Tokens, int], int] = {}
        self._root = self._node()
        for number, plan in enumerate(plans):
            for member in members_of(plan):
                self._add(member, 1 << number)
        self.plans = tuple(plans)
        self._later = frozenset(token for found in self._longer.values() for _, rest in found for token in rest)
        self._signatures: dict[tuple[frozenset[int], frozenset[tuple[int, Tokens]], str], int] = {}
        self._read: list[tuple[frozenset[int], frozenset[tuple[int, Tokens]], str]] = []
        self._signature_of: dict[str, int] = {}
        self._states: dict[frozenset[int], State] = {}
        self.start = self._state(self._closed([self._root]))

    # --- the trie -----------------------------------------------------------------------------------------------

    def _node(self) -> int:
        self.edges.append({})
        self.class_edges.append({})
        self.ends.append([])
        self.plans_below.append(0)
        return len(self.edges) - 1

    def _add(self, member: Member, bit: int) -> None:
        node = self._root
        self.plans_below[node] |= bit
        for piece in member.pieces:
            if isinstance(piece, Ref):
                known = self._class(member.leaf, piece)
                following = self.class_edges[node].get(known)
                if following is None:
                    following = self.class_edges[node][known] = self._node()
                node = following
                self.plans_below[node] |= bit
                continue
            assert isinstance(piece, Literal)
            for token in self.normalizer.word(piece.text):
                following = self.edges[node].get(token)
                if following is None:
                    following = self.edges[node][token] = self._node()
                    self._literals[token] = None
                node = following
                self.plans_below[node] |= bit
        self.ends[node].append(member)

    def _class(self, leaf: Leaf, piece: Ref) -> int:
        """The number of a class of words; classes of the same texts are one."""
        domain = leaf.domains[piece.draw]
        key = (id(domain), piece.form)
        if key not in self._class_of:
            texts = frozenset(
                self.normalizer.words(text.split()) for entry in domain if (text := entry.texts[piece.form]) is not None
            )
            number = self._texts.setdefault(texts, len(self.classes))
            if number == len(self.classes):
                self.classes.append(WordsHere(leaf, piece.draw, piece.form))
                for tokens in sorted(texts):
                    if len(tokens) == 1:
                        self._singles.setdefault(tokens[0], {})[number] = None
                    elif tokens:
                        self._longer.setdefault(tokens[0], {})[number, tokens[1:]] = None
                    else:
                        self._empty[number] = None
            self._class_of[key] = (number, leaf)  # the leaf holds on to its domain, so that its id stays its own
        return self._class_of[key][0]

    # --- the automaton ------------------------------------------------------------------------------------------

    def _closed(self, nodes: Sequence[int]) -> frozenset[int]:
        """Places with those that words without text lead to."""
        found = dict.fromkeys(nodes)
        waiting = list(found)
        while waiting:
            for known, following in self.class_edges[waiting.pop()].items():
                if known in self._empty and following not in found:
                    found[following] = None
                    waiting.append(following)
        return frozenset(found)

    def _state(self, places: frozenset[int]) -> State:
        state = self._states.get(places)
        if state is None:
            ordered = tuple(sorted(places))
            state = State(ordered, tuple(member for place in ordered for member in self.ends[place]))
            self._states[places] = state
        return state

    def _signature(self, token: str) -> int:
        """A number for all that the automaton sees of a token; most words share theirs with others."""
        found = self._signature_of.get(token)
        if found is None:
            if len(self._signature_of) > 10 * _KEPT_STATES:
                self._signature_of.clear()
            key = (
                frozenset(self._singles.get(token, ())),
                frozenset(self._longer.get(token, ())),
                token if token in self._literals or token in self._later else "",
            )
            found = self._signatures.setdefault(key, len(self._read))
            if found == len(self._read):
                self._read.append(key)
            self._signature_of[token] = found
        return found

    def step(self, state: State, token: str) -> State | None:
        """The state behind a token; None where no member goes on so."""
        signature = self._signature(token)
        try:
            return state.next[signature]
        except KeyError:
            pass
        classes, longer, literal = self._read[signature]
        found: dict[int, None] = {}
        for place in state.places:
            if literal and (following := self.edges[place].get(literal)) is not None:
                found[following] = None
            edges = self.class_edges[place]
            if edges and classes:
                for known in edges.keys() & classes:
                    found[edges[known]] = None
            for known, rest in longer:
                if known in edges:
                    found[self._chain(rest, edges[known])] = None
        if len(self._states) > _KEPT_STATES:
            self._states.clear()
            self.start.next.clear()
            self._states[frozenset(self.start.places)] = self.start
        following_state = self._state(self._closed(list(found))) if found else None
        state.next[signature] = following_state
        return following_state

    def _chain(self, rest: Tokens, following: int) -> int:
        """The place from which the rest of an expression leads on."""
        if not rest:
            return following
        key = (rest, following)
        if key not in self._chains:
            node = self._chains[key] = self._node()
            self.plans_below[node] = self.plans_below[following]
            self.edges[node][rest[0]] = self._chain(rest[1:], following)
        return self._chains[key]

    def run(self, tokens: Tokens) -> tuple[int, State]:
        """How many tokens some member shares with a sentence, and the state there."""
        state = self.start
        for number, token in enumerate(tokens):
            following = self.step(state, token)
            if following is None:
                return number, state
            state = following
        return len(tokens), state

    def members(self, tokens: Tokens) -> tuple[Member, ...]:
        """The members that have the shape of a sentence."""
        number, state = self.run(tokens)
        return state.ends if number == len(tokens) else ()
