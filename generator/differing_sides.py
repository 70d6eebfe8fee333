"""A side of a comparison: what the items of a plan read as, and whether other items are among them.

Sentences are compared as `gen parse` compares them: letter case, spaces and *a*/*an* make no difference.  An item is
its acceptable sentence with all that stand against it; of a grammar with `one star`, with all of which one is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from hashlib import blake2b

from generator.leaves import KeptVersions, Leaf, visible
from generator.normalizing import MASK, Normalizer, Tokens
from generator.planning import Plan, PlanTemplate
from generator.recognizing import Options, Recognizer, solutions
from generator.strata import Entry, Literal, MemberPieces, Ref

_MOST_HIDDEN = 64  # words that no acceptable sentence shows: so many combinations are tried
HALF = 12
"""Bytes of a digest: with 10^8 different sentences the chance that any two share one is below 10^-12."""


class Standing(IntEnum):
    """How an item of one side stands to the other side."""

    ABSENT = 0
    """The other side has no such acceptable sentence."""

    CHANGED = 1
    """It has the acceptable sentence, and other sentences against it."""

    KEPT = 2
    """It has the whole item."""


@dataclass(frozen=True)
class Reading:
    """What an item reads as.  `others`: (whether acceptable, tokens) of its further members."""

    good: Tokens
    others: frozenset[tuple[bool, Tokens]]

    @property
    def key(self) -> bytes:
        """A digest of the acceptable sentence, then one of the rest."""
        rest = sorted(self.others)
        return _digest("\n".join(self.good)) + _digest("\n\n".join(f"{int(good)}\n" + "\n".join(t) for good, t in rest))


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=HALF).digest()


def masked_pieces(leaf: Leaf) -> MemberPieces:
    """What an open-ended item of a leaf shows."""
    before, _, after = visible(leaf.stratum, leaf.scope)
    return (*before, Literal(MASK), *after)


class Side:
    """The items of a plan as sentences."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.normalizer = Normalizer(plan.grammar.lexicon.realisation)
        self._shown: dict[tuple[int, int], Tokens] = {}
        self._pieces: dict[int, MemberPieces] = {}
        self._versions = KeptVersions()

    def tokens_of(self, entry: Entry, form: int) -> Tokens:
        """What a word shows in one form; nothing where it has no such form."""
        key = (id(entry), form)  # the plan holds on to its entries, so that an id stays its own
        found = self._shown.get(key)
        if found is None:
            found = self._shown[key] = self.normalizer.words((entry.texts[form] or "").split())
        return found

    def pieces(self, leaf: Leaf) -> MemberPieces:
        """What the (acceptable) sentence of a leaf's items is made of."""
        found = self._pieces.get(id(leaf))
        if found is None:
            found = masked_pieces(leaf) if self.plan.flavour == "open" else leaf.stratum.acceptable
            self._pieces[id(leaf)] = found
        return found

    def _tokens(self, pieces: MemberPieces, words: Mapping[int, Entry]) -> Tokens:
        found: list[str] = []
        for piece in pieces:
            if isinstance(piece, Ref):
                found += self.tokens_of(words[piece.draw], piece.form)
            elif isinstance(piece, Literal):
                found += self.normalizer.word(piece.text)
        return tuple(found)

    def reading(self, leaf: Leaf, words: Mapping[int, Entry]) -> Reading:
        """What the item of a leaf with these words reads as."""
        good = self._tokens(self.pieces(leaf), words)
        if self.plan.flavour == "open":
            return Reading(good, frozenset())
        versions = leaf.stratum.versions
        others = (
            (versions[n].acceptable, self._tokens(versions[n].pieces, words)) for n in self._versions.of(leaf, words)
        )
        return Reading(good, frozenset(others))

    def readings(self) -> Iterator[tuple[PlanTemplate, int, Reading]]:
        """Every item in order: its template, its number (from 0) there, what it reads as."""
        for template in self.plan.templates:
            for start, leaf in zip(template.starts, template.leaves, strict=False):
                for place in range(leaf.items):
                    words = leaf.words(place)
                    if all(kept.holds(words) for kept in leaf.filters):
                        yield template, start + place, self.reading(leaf, words)

    def reading_of(self, template: PlanTemplate, index: int) -> Reading:
        """What item `index` (from 0) of a template reads as."""
        leaf, place = template.locate(index)
        return self.reading(leaf, leaf.words(place))

    # --- looking up ---------------------------------------------------------------------------------------------

    @cached_property
    def _recognizer(self) -> Recognizer:
        return Recognizer([self.plan])

    def standing(self, reading: Reading) -> Standing:
        """Whether an item of another side is here."""
        best = Standing.ABSENT
        for _, leaf, words in self._items_with(reading.good):
            if self.reading(leaf, words).others == reading.others:
                return Standing.KEPT
            best = Standing.CHANGED
        if best and self._has_members(reading):
            return Standing.KEPT
        return best

    def first_with(self, good: Tokens) -> tuple[PlanTemplate, int] | None:
        """The first item found here with an acceptable sentence: its template and its number (from 0) there."""
        for template, leaf, words in self._items_with(good):
            return template, template.starts[template.leaves.index(leaf)] + leaf.index_of(words)
        return None

    def _items_with(self, good: Tokens) -> Iterator[tuple[PlanTemplate, Leaf, Mapping[int, Entry]]]:
        """Items with an acceptable sentence: of words that it does not show, the first that fit or a few."""
        if not self.plan.templates:
            return
        recognizer = self._recognizer
        for member in recognizer.matcher.members(good):
            if member.version >= 0:
                continue
            leaf = member.leaf
            for options in recognizer.matches(member, good):
                for words in solutions(leaf, self._with_hidden(leaf, options)):
                    yield member.template, leaf, words

    def _with_hidden(self, leaf: Leaf, options: Options) -> Options:
        """With the words of draws that only further members show, where these are few."""
        shown = {p.draw for version in leaf.stratum.versions for p in version.pieces if isinstance(p, Ref)}
        hidden = {draw: leaf.domains[draw] for draw in sorted(shown) if draw not in options}
        if not hidden or math.prod(map(len, hidden.values())) > _MOST_HIDDEN:
            return options
        return {**options, **hidden}

    def _has_members(self, reading: Reading) -> bool:
        """Whether an item here has just these members, whatever words only its further members show."""
        others = sorted(reading.others)
        claims = (True, *(acceptable for acceptable, _ in others))
        for found in self._recognizer.members([reading.good, *(tokens for _, tokens in others)], claims):
            if found.versions[0] >= 0:
                continue
            if self.reading(found.leaf, found.words) == reading:
                return True
        return False
