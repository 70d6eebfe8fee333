"""False stars: starred words that the same template licenses under other values of its variables.

*the sheep is / the sheep are*: the starred member is an acceptable one with the other number.  For each version and
each sibling stratum (the same structure, other values) a *licence* asks whether the version's words, lexeme for lexeme,
are an acceptable member there, the sibling's own conditions included.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generator.strata import Condition, Entry, Literal, Mark, MemberPieces, Piece, Ref, Stratum

_Side = int | str
"""A form of the draw, or a literal text."""


@dataclass(frozen=True)
class _Alike:
    """What must read alike for one member to be another."""

    unary: Mapping[int, tuple[tuple[_Side, _Side], ...]]  # draw -> (starred side, acceptable side) that must read alike
    crossed: tuple[tuple[int, int, int, int], ...]  # starred draw, its form, acceptable draw, its form


class DomainIndex:
    """What licences ask about pairs of domains and of members, each question answered once.

    Domains are told apart by identity: the index holds on to them.  Members of many strata are made of equal pieces.
    """

    def __init__(self) -> None:
        self._domains: dict[int, Sequence[Entry]] = {}
        self._lexemes: dict[int, dict[Hashable, list[Entry]]] = {}
        self._fits: dict[Hashable, tuple[bool, bool]] = {}
        self._shown: dict[tuple[int, int], frozenset[str]] = {}
        self._numbers: dict[MemberPieces, int] = {}
        self._goods: dict[int, tuple[Stratum, tuple[tuple[int, MemberPieces], ...]]] = {}
        self._alike: dict[tuple[int, int], _Alike | None] = {}

    def numbered(self, pieces: MemberPieces) -> tuple[int, MemberPieces]:
        """A member's pieces with a number, the same for equal ones."""
        return self._numbers.setdefault(pieces, len(self._numbers)), pieces

    def goods(self, stratum: Stratum) -> tuple[tuple[int, MemberPieces], ...]:
        """The acceptable members of a stratum, numbered."""
        if id(stratum) not in self._goods:
            others = (v.pieces for v in stratum.versions if v.acceptable and v.rank == ())
            self._goods[id(stratum)] = stratum, tuple(map(self.numbered, (stratum.acceptable, *others)))
        return self._goods[id(stratum)][1]

    def alike(self, starred: tuple[int, MemberPieces], good: tuple[int, MemberPieces]) -> _Alike | None:
        """What must read alike for a version to be an acceptable member (both numbered); None where wording differs."""
        key = (starred[0], good[0])
        if key not in self._alike:
            self._alike[key] = _compared(starred[1], good[1])
        return self._alike[key]

    def by_lexeme(self, domain: Sequence[Entry]) -> dict[Hashable, list[Entry]]:
        """Lexeme -> the entries of a domain."""
        key = id(domain)
        if key not in self._lexemes:
            self._domains[key] = domain
            self._lexemes[key] = _by_lexeme(domain)
        return self._lexemes[key]

    def meet(self, ours: Sequence[Entry], form: int, theirs: Sequence[Entry], other: int) -> bool:
        """Whether two domains have a text in common, in a form of each."""
        return not self._texts(ours, form).isdisjoint(self._texts(theirs, other))

    def shows(self, domain: Sequence[Entry], form: int, text: str) -> bool:
        """Whether a word of a domain shows a text in a form."""
        return text in self._texts(domain, form)

    def _texts(self, domain: Sequence[Entry], form: int) -> frozenset[str]:
        key = (id(domain), form)
        if key not in self._shown:
            self._domains[id(domain)] = domain
            self._shown[key] = frozenset(_read(entry, form) for entry in domain)
        return self._shown[key]

    def fits(
        self, ours: Sequence[Entry], theirs: Sequence[Entry], pairs: tuple[tuple[_Side, _Side], ...]
    ) -> tuple[bool, bool]:
        """Whether some and whether all words of a domain show in another what the pairs ask to read alike."""
        key = (id(ours), id(theirs), pairs)
        if key not in self._fits:
            self._domains[id(ours)] = ours
            index = self.by_lexeme(theirs)
            found = [
                any(
                    all(_read(entry, star) == _read(there, good) for star, good in pairs)
                    for there in index.get(_lexeme(entry), ())
                )
                for entry in ours
            ]
            self._fits[key] = (any(found), all(found))
        return self._fits[key]


@dataclass(eq=False)
class _Licence:
    version: int
    sibling: Stratum
    alike: _Alike
    conditions: tuple[Condition, ...]  # the sibling's, but for those that the stratum has just so
    by_lexeme: dict[int, dict[Hashable, list[Entry]]] = field(default_factory=dict)  # draw -> lexeme -> entries there

    def fits(self, draw: int, stratum: Stratum, index: DomainIndex) -> tuple[bool, bool]:
        """Whether some and whether all words of a draw keep the licence alive."""
        pairs = self.alike.unary.get(draw, ())
        return index.fits(stratum.domains[draw], self.sibling.domains[draw], pairs)

    @property
    def is_joint(self) -> bool:
        """Whether single words cannot decide it."""
        return bool(self.alike.crossed or self.conditions)

    def joint_draws(self) -> frozenset[int]:
        """The draws that the joint decision reads."""
        found = {draw for starred, _, good, _ in self.alike.crossed for draw in (starred, good)}
        return frozenset(found | {draw for condition in self.conditions for draw in condition.draws})

    def entries(self, draw: int, entry: Entry) -> Iterator[Entry]:
        """The sibling's entries of the same lexeme that show what the version shows."""
        pairs = self.alike.unary.get(draw, ())
        for there in self.by_lexeme[draw].get(_lexeme(entry), ()):
            if all(_read(entry, star) == _read(there, good) for star, good in pairs):
                yield there

    def options(self, draw: int, entry: Entry) -> frozenset[Hashable]:
        """What a word brings to the joint decision; empty where no entry fits.

        An option is (texts the version shows, texts shown there, values that the sibling's conditions read).
        """
        shown = tuple(_read(entry, form) for starred, form, _, _ in self.alike.crossed if starred == draw)
        return frozenset(
            (
                shown,
                tuple(_read(there, form) for _, _, good, form in self.alike.crossed if good == draw),
                tuple(tuple(_reads(condition, draw, there)) for condition in self.conditions),
            )
            for there in self.entries(draw, entry)
        )

    def holds(self, options: dict[int, frozenset[Hashable]]) -> bool:
        """Whether one option of each draw makes an acceptable member."""
        draws = sorted(options)
        return any(
            self._fits(dict(zip(draws, chosen, strict=True)))
            for chosen in itertools.product(*(sorted(options[draw], key=repr) for draw in draws))
        )

    def _fits(self, chosen: dict[int, Hashable]) -> bool:
        showing: dict[int, Iterator[str]] = {}
        reading: dict[int, Iterator[str]] = {}
        for draw, option in chosen.items():
            assert isinstance(option, tuple)
            showing[draw], reading[draw] = iter(option[0]), iter(option[1])
        if any(next(showing[starred]) != next(reading[good]) for starred, _, good, _ in self.alike.crossed):
            return False
        for number, condition in enumerate(self.conditions):
            values = {draw: iter(option[2][number]) for draw, option in chosen.items() if isinstance(option, tuple)}
            if not condition.holds(tuple(next(values[draw]) for draw in condition.draws)):
                return False
        return True


class Licences:
    """All licences of a stratum.  A state is the frozen set of (licence, what joint decisions have read)."""

    def __init__(self, stratum: Stratum, siblings: Sequence[Stratum], index: DomainIndex) -> None:
        self._licences: list[_Licence] = []
        self._index = index
        keys = tuple(draw.key for draw in stratum.draws)
        # Small domains decide soonest whether a licence is possible at all.
        order = sorted(range(len(stratum.draws)), key=lambda draw: len(stratum.domains[draw]))
        starred = [
            (number, index.numbered(version.pieces))
            for number, version in enumerate(stratum.versions)
            if not version.acceptable
        ]
        for sibling in siblings:
            if tuple(draw.key for draw in sibling.draws) != keys:
                continue
            conditions = tuple(c for c in sibling.conditions if not any(c.is_same(own) for own in stratum.conditions))
            goods = index.goods(sibling)
            for version_number, version_pieces in starred:
                for good in goods:
                    alike = index.alike(version_pieces, good)
                    if alike is None:
                        continue
                    licence = _Licence(version_number, sibling, alike, conditions)
                    if not self._is_possible(licence, stratum, order):
                        continue
                    for draw in range(len(stratum.draws)):
                        licence.by_lexeme[draw] = index.by_lexeme(sibling.domains[draw])
                    self._licences.append(licence)
        self._reading = [self._relevant(licence, stratum) for licence in self._licences]
        self.start: frozenset[tuple[int, frozenset[tuple[int, frozenset[Hashable]]]]] = frozenset(
            (number, frozenset()) for number in range(len(self._licences))
        )
        self.draws: frozenset[int] = frozenset().union(*self._reading)

    def _is_possible(self, licence: _Licence, stratum: Stratum, order: Sequence[int]) -> bool:
        """Whether each draw, in this order, has a word that keeps it alive."""
        return all(licence.fits(draw, stratum, self._index)[0] for draw in order) and all(
            self._index.meet(stratum.domains[starred], form, licence.sibling.domains[good], other)
            for starred, form, good, other in licence.alike.crossed
        )

    def _relevant(self, licence: _Licence, stratum: Stratum) -> frozenset[int]:
        joint = licence.joint_draws()
        return frozenset(
            draw
            for draw in range(len(stratum.domains))
            if draw in joint or not licence.fits(draw, stratum, self._index)[1]
        )

    def attribute(self, draw: int, entry: Entry) -> tuple[Hashable, ...]:
        """Per licence: None where this word ends it, its options where the decision is joint, else nothing."""
        result: list[Hashable] = []
        for licence, draws in zip(self._licences, self._reading, strict=True):
            if draw not in draws:
                result.append(())
            elif licence.is_joint and draw in licence.joint_draws():
                result.append(licence.options(draw, entry) or None)
            else:
                result.append(() if next(licence.entries(draw, entry), None) else None)
        return tuple(result)

    def step(
        self,
        live: frozenset[tuple[int, frozenset[tuple[int, frozenset[Hashable]]]]],
        draw: int,
        attribute: tuple[Hashable, ...],
    ) -> frozenset[tuple[int, frozenset[tuple[int, frozenset[Hashable]]]]]:
        """Drop the licences that this word ends; remember options."""
        following = []
        for number, read in live:
            own = attribute[number]
            if own is None:
                continue
            following.append((number, read | {(draw, own)} if isinstance(own, frozenset) else read))
        return frozenset(following)

    def licensed(self, live: frozenset[tuple[int, frozenset[tuple[int, frozenset[Hashable]]]]]) -> frozenset[int]:
        """The versions that are acceptable members elsewhere."""
        return frozenset(
            self._licences[number].version
            for number, read in live
            if not self._licences[number].is_joint or self._licences[number].holds(dict(read))
        )


def _compared(starred: MemberPieces, good: MemberPieces) -> _Alike | None:
    """What must read alike for a version to be an acceptable member elsewhere; None where wording differs."""
    ours, theirs = _words(starred), _words(good)
    if len(ours) != len(theirs):
        return None
    unary: dict[int, list[tuple[_Side, _Side]]] = {}
    crossed: list[tuple[int, int, int, int]] = []
    for star, other in zip(ours, theirs, strict=True):
        if isinstance(star, Literal) and isinstance(other, Literal):
            if star.text.casefold() != other.text.casefold():
                return None
        elif isinstance(star, Ref) and isinstance(other, Ref):
            if star.draw == other.draw:
                unary.setdefault(star.draw, []).append((star.form, other.form))
            else:
                crossed.append((star.draw, star.form, other.draw, other.form))
        elif isinstance(star, Ref) and isinstance(other, Literal):
            unary.setdefault(star.draw, []).append((star.form, other.text.casefold()))
        elif isinstance(star, Literal) and isinstance(other, Ref):
            unary.setdefault(other.draw, []).append((star.text.casefold(), other.form))
    return _Alike({draw: tuple(pairs) for draw, pairs in unary.items()}, tuple(crossed))


def _words(pieces: MemberPieces) -> list[Piece]:
    return [piece for piece in pieces if not isinstance(piece, Mark)]


def _by_lexeme(domain: Sequence[Entry]) -> dict[Hashable, list[Entry]]:
    found: dict[Hashable, list[Entry]] = {}
    for entry in domain:
        found.setdefault(_lexeme(entry), []).append(entry)
    return found


def _lexeme(entry: Entry) -> Hashable:
    """What makes two words the same lexeme; of quoted words (an empty auxiliary, present or past) the text."""
    lexeme = entry.member.entry
    return id(lexeme) if lexeme.category else lexeme.lemma


def _read(entry: Entry, side: _Side) -> str:
    return side if isinstance(side, str) else (entry.texts[side] or "\x00none").casefold()


def _reads(condition: Condition, draw: int, entry: Entry) -> Iterator[Hashable]:
    for owner, read in zip(condition.draws, condition.read, strict=True):
        if owner == draw:
            yield read(entry)
