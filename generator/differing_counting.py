"""Comparison on the counting graphs: how many items two plans have in common, exactly, without listing them.

A leaf of OLD and one of NEW whose acceptable sentences can read alike are joined: their common items are those of a
leaf whose words are in both, under what both ask for.  Such leaves are counted as any other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from generator.components import components
from generator.differing_alignment import Aligner, AskewError, Place, Texts
from generator.differing_joining import BothVersions, JoinedLeaf, NotCountableError
from generator.differing_sides import Side
from generator.differing_types import Tally
from generator.leaves import Leaf
from generator.strata import Literal, MemberPieces, Ref

_MOST_PAIRS = 500_000  # of leaves that are compared

__all__ = ["NotCountableError", "counted"]


def counted(old: Side, new: Side) -> tuple[tuple[str, Tally], ...]:
    """The exact numbers of each template, OLD's templates first.

    Raises NotCountableError, which says why, where that cannot be done: in the open-ended flavour, where sentences of a
    side may have two derivations or hide words, or where conditions are too large to count with.
    """
    for name, side in (("OLD", old), ("NEW", new)):
        if side.plan.flavour == "open":
            raise NotCountableError("open-ended items are not counted together")
        if side.plan.filters:
            raise NotCountableError(f"{name} has conditions that are too large to count with")
    counter = _Counter(old, new)
    counter.require_single("OLD", old)
    counter.require_single("NEW", new)
    shared = _shared(counter, old, new)
    rows = {template.name: Tally() for side in (old, new) for template in side.plan.templates}
    for is_new, side in enumerate((old, new)):
        for template in side.plan.templates:
            for leaf in template.leaves:
                kept, changed = shared[is_new][id(leaf)]
                gone = leaf.items - kept - changed
                rows[template.name] += (
                    Tally(new=leaf.items, added=gone, changed_new=changed)
                    if is_new
                    else Tally(old=leaf.items, removed=gone, changed_old=changed)
                )
    return tuple(rows.items())


def _shared(counter: _Counter, old: Side, new: Side) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """For each leaf of OLD and of NEW (by identity), how many of its items are kept, and how many changed."""
    ours, theirs = (
        {id(leaf): [0, 0] for template in side.plan.templates for leaf in template.leaves} for side in (old, new)
    )
    others = [leaf for template in new.plan.templates for leaf in template.leaves]
    for template in old.plan.templates:
        for leaf in template.leaves:
            for other in others:
                for kind, amount in enumerate(counter.common(leaf, other)):
                    ours[id(leaf)][kind] += amount
                    theirs[id(other)][kind] += amount
    return ours, theirs


class _Counter:
    def __init__(self, old: Side, new: Side) -> None:
        self.old, self.new = old, new
        self.aligner = Aligner()
        self._texts: dict[tuple[int, int], Texts] = {}
        self._words: dict[str, Texts] = {}
        self._rows: dict[int, list[Place]] = {}

    def row(self, side: Side, leaf: Leaf, pieces: MemberPieces) -> list[Place]:
        """The places of a member."""
        return list(self._places(side, leaf, pieces))

    def acceptable(self, side: Side, leaf: Leaf) -> list[Place]:
        """The places of a leaf's acceptable member; kept."""
        found = self._rows.get(id(leaf))
        if found is None:
            found = self._rows[id(leaf)] = self.row(side, leaf, leaf.stratum.acceptable)
        return found

    def _places(self, side: Side, leaf: Leaf, pieces: MemberPieces) -> Iterator[Place]:
        for piece in pieces:
            if isinstance(piece, Literal):
                for token in side.normalizer.word(piece.text):
                    if token not in self._words:
                        self._words[token] = Texts(frozenset([(token,)]))
                    yield Place(self._words[token], None)
            elif isinstance(piece, Ref):
                domain = leaf.domains[piece.draw]
                key = (id(domain), piece.form)
                if key not in self._texts:
                    self._texts[key] = Texts(
                        frozenset(
                            side.tokens_of(entry, piece.form) for entry in domain if entry.texts[piece.form] is not None
                        )
                    )
                yield Place(self._texts[key], piece)

    # --- one side -----------------------------------------------------------------------------------------------

    def require_single(self, name: str, side: Side) -> None:
        """Raise NotCountableError unless no two items of a side can have one acceptable sentence."""
        leaves = [leaf for template in side.plan.templates for leaf in template.leaves]
        if len(leaves) ** 2 > _MOST_PAIRS:
            raise NotCountableError(f"{name} has {len(leaves):,} different structures, too many to compare in pairs")
        rows = [self.acceptable(side, leaf) for leaf in leaves]
        try:
            for number, (leaf, row) in enumerate(zip(leaves, rows, strict=True)):
                self.aligner.align(row, row)
                self._require_shown(name, side, leaf, row)
                if any(self.aligner.align(row, other) for other in rows[:number]):
                    raise NotCountableError(f"acceptable sentences of {name} may have two derivations")
        except AskewError:
            raise NotCountableError(f"acceptable sentences of {name} may be divided into words in two ways") from None

    def _require_shown(self, name: str, side: Side, leaf: Leaf, row: Sequence[Place]) -> None:
        forms: dict[int, list[int]] = {}
        for place in row:
            if place.ref is not None:
                forms.setdefault(place.ref.draw, []).append(place.ref.form)
        for draw, domain in enumerate(leaf.domains):
            shown = {tuple(side.tokens_of(entry, form) for form in forms.get(draw, ())) for entry in domain}
            if len(shown) < len(domain):
                slot = leaf.stratum.draws[draw].name
                raise NotCountableError(f"words of '{slot}' in {name} are not told apart by the acceptable sentence")

    # --- both ---------------------------------------------------------------------------------------------------

    def common(self, a: Leaf, b: Leaf) -> tuple[int, int]:
        """How many items of a leaf of OLD a leaf of NEW has: as they are, and with other members.

        Raises NotCountableError.
        """
        ours, theirs = self.acceptable(self.old, a), self.acceptable(self.new, b)
        try:
            if not self.aligner.align(ours, theirs):
                return 0, 0
            joined = JoinedLeaf(self.old, self.new, a, b, ours, theirs)
            if joined.is_empty:
                return 0, 0
            members = [
                [(v.acceptable, self.row(side, leaf, v.pieces)) for v in leaf.stratum.versions]
                for side, leaf in ((self.old, a), (self.new, b))
            ]
            versions = BothVersions(joined, members[0], members[1], self.aligner)
        except AskewError:
            raise NotCountableError("a sentence may be divided into words otherwise in OLD than in NEW") from None
        found = components(joined.domains, [*joined.conditions(), versions], joined.unlike, joined.told)
        if found.filters:
            raise NotCountableError("the conditions of both sides together are too large to count with")
        total: dict[tuple[Hashable, ...], int] = {(): 1}
        for part in found.parts:
            grown: dict[tuple[Hashable, ...], int] = {}
            for labels, amount in total.items():
                for label, (items, _) in part.counts.items():
                    key = (*labels, *(label if isinstance(label, tuple) else (label,)))
                    grown[key] = grown.get(key, 0) + amount * items
            total = grown
        return total.get(("kept",), 0), total.get(("changed",), 0)
