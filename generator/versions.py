"""Which versions of an item exist, as an automaton over its words."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence

from generator.automata import Attribute, ConditionAutomaton, State
from generator.licences import DomainIndex, Licences
from generator.strata import Entry, Literal, Mark, MemberPieces, Piece, Ref, Stratum

_Position = tuple[tuple[int, Piece], ...]
"""One word place of members of equal length: (member, piece)."""


class VersionAutomaton:
    """Which versions of an item exist: those that read unlike the acceptable member and unlike each other, and
    whose starred words the template does not license under other values of its variables (*the sheep is/are*).

    State: (classes, waiting, licences).  `classes` numbers the members, the acceptable one first: equal numbers read
    alike so far, -1 has no such form.  `waiting` holds, for places where members show different draws, the texts seen
    so far.
    """

    def __init__(
        self,
        stratum: Stratum,
        siblings: Sequence[Stratum],
        one_star: bool = False,
        index: DomainIndex | None = None,
    ) -> None:
        self.versions = stratum.versions
        self._one_star = one_star
        self.text = "the contrast"
        members = [_words(stratum.acceptable), *(_words(version.pieces) for version in self.versions)]
        self._needed = _needed(members)
        # Members that can read alike are compared place by place; all others never do.
        index = index or DomainIndex()
        groups = _possibly_alike(members, stratum, index)
        classes = [next(n for n, group in enumerate(groups) if number in group) for number in range(len(members))]
        single: dict[int, list[_Position]] = {}
        self._joint: list[tuple[_Position, tuple[int, ...]]] = []
        for group in groups:
            for place in range(len(members[group[0]]) if len(group) > 1 else 0):
                position = tuple((number, members[number][place]) for number in group)
                shown = {_identity(piece) for _, piece in position}
                if len(shown) == 1:
                    continue
                draws = tuple(sorted({piece.draw for _, piece in position if isinstance(piece, Ref)}))
                if not draws:
                    classes = _refined(classes, {n: _literal(piece) for n, piece in position})
                elif len(draws) == 1:
                    single.setdefault(draws[0], []).append(position)
                else:
                    self._joint.append((position, draws))
        self._single = {draw: _Single(positions) for draw, positions in single.items()}
        self._common = [_common_texts(position, draws, stratum) for position, draws in self._joint]
        self.licences = Licences(stratum, siblings, index)
        self.is_design = stratum.design is not None
        self._tests = [
            (number, ConditionAutomaton(test))
            for number, version in enumerate(self.versions, start=1)
            for test in version.tests
        ]
        begun = tuple(test.start for _, test in self._tests)
        self.start: State = (tuple(classes), ((),) * len(self._joint), self.licences.start, begun)
        used = {draw for draw in self._needed if _lacks_forms(stratum.domains[draw])}
        self.draws = (
            frozenset(self._single)
            | frozenset(draw for _, draws in self._joint for draw in draws)
            | frozenset(used)
            | self.licences.draws
            | frozenset(draw for _, test in self._tests for draw in test.draws)
        )
        self.order = tuple(sorted(self.draws))

    def attribute(self, draw: int, entry: Entry) -> Attribute:
        """(members without such a form, what reads alike where one draw decides, texts where several do, licences,
        tests).
        """
        missing = frozenset(
            number
            for form, numbers in self._needed.get(draw, {}).items()
            if entry.texts[form] is None
            for number in numbers
        )
        single = self._single.get(draw)
        singles = single.alike(entry) if single is not None else ()
        joints = tuple(
            tuple(
                _text(piece, entry) if _text(piece, entry) in common else ("alone", draw)
                for _, piece in position
                if isinstance(piece, Ref) and piece.draw == draw
            )
            if draw in draws
            else ()
            for (position, draws), common in zip(self._joint, self._common, strict=True)
        )
        tests = tuple(test.attribute(draw, entry) if draw in test.draws else None for _, test in self._tests)
        return (missing, singles, joints, self.licences.attribute(draw, entry), tests)

    def step(self, state: State, draw: int, attribute: Attribute) -> State | None:
        """Refine the classes, drop licences."""
        classes, waiting, live, begun = state
        missing, singles, joints, licences, tests = attribute
        labels = [-1 if number in missing else label for number, label in enumerate(classes)]
        if (single := self._single.get(draw)) is not None:
            labels = _refined(labels, single.keys(singles))
        following = []
        for (position, draws), old, new in zip(self._joint, waiting, joints, strict=True):
            if draw not in draws or old is None:
                following.append(old)
                continue
            seen = tuple(sorted([*old, (draw, new)], key=lambda pair: pair[0]))
            if len(seen) < len(draws):
                following.append(seen)
                continue
            texts_of = {d: iter(texts) for d, texts in seen}
            shown: dict[int, Hashable] = {
                n: next(texts_of[piece.draw]) if isinstance(piece, Ref) else _literal(piece) for n, piece in position
            }
            labels = _refined(labels, shown)
            following.append(None)
        tested = []
        for (number, test), old, read in zip(self._tests, begun, tests, strict=True):
            new = test.step(old, draw, read) if read is not None and old is not None else old
            if new is None:
                labels[number] = -1  # this version does not exist
            tested.append(new)
        if self.is_design and -1 in labels:
            return None  # an item of a design has all its conditions
        live = self.licences.step(live, draw, licences)
        return (_canonical(tuple(labels)), tuple(following), live, tuple(tested))

    def valid(self, state: State) -> tuple[int, ...]:
        """The versions that exist in a final state, in order."""
        classes, _, live, _ = state
        if classes[0] < 0:
            return ()
        licensed = self.licences.licensed(live)
        if self.is_design:
            whole = len(set(classes)) == len(classes) and not licensed
            return tuple(range(len(self.versions))) if whole else ()
        best: dict[Hashable, tuple[int, ...]] = {}
        for index, version in enumerate(self.versions):
            if self._shows(index, classes):
                # The rank is decided by what changes the form, before false stars are taken out.
                best[version.family] = min(best.get(version.family, version.rank), version.rank)
        showing = {
            index
            for index, version in enumerate(self.versions)
            if self._shows(index, classes) and version.rank == best[version.family]
        }
        existing = [
            index
            for index, version in enumerate(self.versions)
            if (set(version.parts) <= showing if version.parts else index in showing)
            and self._shows(index, classes)
            and (version.acceptable or index not in licensed)
        ]
        # What reads the same is one version, and right where one of them is.
        chosen: dict[int, int] = {}
        for index in sorted(existing, key=lambda n: not self.versions[n].acceptable):
            chosen.setdefault(classes[index + 1], index)
        return tuple(sorted(chosen.values()))

    def _shows(self, index: int, classes: Sequence[int]) -> bool:
        """Whether a version has its forms and reads unlike the acceptable member."""
        return classes[index + 1] >= 0 and classes[index + 1] != classes[0]

    def finish(self, state: State) -> tuple[Hashable, int] | None:
        """An item needs a starred version that exists (any version, where none is starred); its versions are pairs."""
        valid = self.valid(state)
        if self.is_design and valid:
            return ((), sum(not version.acceptable for version in self.versions))
        if all(version.acceptable for version in self.versions):
            return ((), len(valid)) if valid else None
        starred = sum(not self.versions[index].acceptable for index in valid)
        if self._one_star:
            starred = min(1, starred)
        return ((), starred) if starred else None


class _Single:
    """The places of members where one draw decides what is shown.

    Members are made of few different pieces: texts are compared piece by piece, and members that show the same pieces
    in all these places are one.
    """

    def __init__(self, positions: Sequence[_Position]) -> None:
        self._pieces: list[tuple[Piece, ...]] = []
        shapes: dict[int, list[tuple[int, int]]] = {}
        for place, position in enumerate(positions):
            numbers: dict[Hashable, int] = {}
            pieces: list[Piece] = []
            for member, piece in position:
                number = numbers.setdefault(_identity(piece), len(pieces))
                if number == len(pieces):
                    pieces.append(piece)
                shapes.setdefault(member, []).append((place, number))
            self._pieces.append(tuple(pieces))
        self._members: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for member, shape in shapes.items():
            self._members.setdefault(tuple(shape), []).append(member)

    def alike(self, entry: Entry) -> tuple[tuple[int, ...], ...]:
        """Place by place, which of its pieces read alike: equal numbers do."""
        return tuple(_canonical(tuple(_text(piece, entry) for piece in pieces)) for pieces in self._pieces)

    def keys(self, alike: Sequence[Sequence[int]]) -> dict[int, Hashable]:
        """Member -> what it shows in all its places: the same for members that read alike in each."""
        found: dict[int, Hashable] = {}
        for shape, members in self._members.items():
            found.update(dict.fromkeys(members, tuple([alike[place][number] for place, number in shape])))
        return found


def _needed(members: Sequence[Sequence[Piece]]) -> dict[int, dict[int, list[int]]]:
    """Draw -> form -> the members that show it."""
    found: dict[int, dict[int, list[int]]] = {}
    for number, pieces in enumerate(members):
        for draw, form in dict.fromkeys((piece.draw, piece.form) for piece in pieces if isinstance(piece, Ref)):
            found.setdefault(draw, {}).setdefault(form, []).append(number)
    return found


def _possibly_alike(members: Sequence[Sequence[Piece]], stratum: Stratum, index: DomainIndex) -> list[list[int]]:
    """The members (by number) in groups: members of different groups never read alike."""
    # Forms that read the same in every word are one: what is left of many broken values are few different members.
    numbers: dict[Hashable, int] = {}
    pieces: dict[int, Piece] = {}
    seen: dict[Hashable, int] = {}

    def number_of(piece: Piece) -> int:
        key = _identity(piece)
        if key not in seen:
            texts: Hashable = key
            if isinstance(piece, Ref):
                texts = (piece.draw, tuple(entry.texts[piece.form] for entry in stratum.domains[piece.draw]))
            seen[key] = numbers.setdefault(texts, len(numbers))
            pieces.setdefault(seen[key], piece)
        return seen[key]

    known: dict[tuple[int, int], bool] = {}

    def can_meet(one: int, two: int) -> bool:
        if (one, two) not in known:
            known[one, two] = one == two or _can_meet(pieces[one], pieces[two], stratum, index)
        return known[one, two]

    alike: dict[tuple[int, ...], list[int]] = {}
    for number, member in enumerate(members):
        alike.setdefault(tuple(number_of(piece) for piece in member), []).append(number)
    shapes = list(alike)
    group_of = list(range(len(shapes)))
    for one, two in itertools.combinations(range(len(shapes)), 2):
        if group_of[one] == group_of[two] or len(shapes[one]) != len(shapes[two]):
            continue
        if all(can_meet(a, b) for a, b in zip(shapes[one], shapes[two], strict=True)):
            old, new = group_of[two], group_of[one]
            group_of = [new if group == old else group for group in group_of]
    groups: dict[int, list[int]] = {}
    for shape, group in zip(shapes, group_of, strict=True):
        groups.setdefault(group, []).extend(alike[shape])
    return sorted(sorted(group) for group in groups.values())


def _can_meet(one: Piece, two: Piece, stratum: Stratum, index: DomainIndex) -> bool:
    """Whether two places can show the same text."""
    if isinstance(one, Ref) and isinstance(two, Ref):
        if one.draw == two.draw:
            return one.form == two.form or any(
                _text(one, entry) == _text(two, entry) for entry in stratum.domains[one.draw]
            )
        return index.meet(stratum.domains[one.draw], one.form, stratum.domains[two.draw], two.form)
    if isinstance(one, Ref) or isinstance(two, Ref):
        ref, other = (one, two) if isinstance(one, Ref) else (two, one)
        assert isinstance(ref, Ref)
        return index.shows(stratum.domains[ref.draw], ref.form, _literal(other))
    return _literal(one) == _literal(two)


def _words(pieces: MemberPieces) -> list[Piece]:
    return [piece for piece in pieces if not isinstance(piece, Mark)]


def _identity(piece: Piece) -> Hashable:
    return (piece.draw, piece.form) if isinstance(piece, Ref) else _literal(piece)


def _literal(piece: Piece) -> str:
    assert isinstance(piece, Literal)
    return piece.text.casefold()


def _text(piece: Piece, entry: Entry) -> str:
    """The text of a place where one draw decides (its own form, or a literal)."""
    return (entry.texts[piece.form] or "").casefold() if isinstance(piece, Ref) else _literal(piece)


def _canonical(labels: tuple[Hashable, ...]) -> tuple[int, ...]:
    """Numbers in order of first occurrence; -1 stays."""
    numbers: dict[Hashable, int] = {}
    return tuple(-1 if label == -1 else numbers.setdefault(label, len(numbers)) for label in labels)


def _refined(classes: Sequence[int], texts: Mapping[int, Hashable]) -> list[int]:
    """Classes split where members of one class show different texts."""
    numbers: dict[Hashable, int] = {}
    return [
        -1 if label < 0 else numbers.setdefault((label, texts.get(number)), len(numbers))
        for number, label in enumerate(classes)
    ]


def _common_texts(position: _Position, draws: tuple[int, ...], stratum: Stratum) -> frozenset[str]:
    """The texts that more than one side of a place can show: all others are unlike anything."""
    sides = [
        {
            _text(piece, entry)
            for _, piece in position
            if isinstance(piece, Ref) and piece.draw == draw
            for entry in stratum.domains[draw]
        }
        for draw in draws
    ]
    literals = {_literal(piece) for _, piece in position if isinstance(piece, Literal)}
    shared = set(itertools.chain.from_iterable(a & b for a, b in itertools.combinations(sides, 2)))
    return frozenset(shared | set().union(*(side & literals for side in sides)) | _within(position, draws, stratum))


def _within(position: _Position, draws: tuple[int, ...], stratum: Stratum) -> set[str]:
    """Where one draw fills several members of a place, its texts must be told apart from each other too."""
    result: set[str] = set()
    for draw in draws:
        forms = {piece.form for _, piece in position if isinstance(piece, Ref) and piece.draw == draw}
        if len(forms) > 1:
            result |= {(entry.texts[form] or "").casefold() for entry in stratum.domains[draw] for form in forms}
    return result


def _lacks_forms(domain: Sequence[Entry]) -> bool:
    """Whether a word of the domain lacks a form that some member asks for."""
    return any(text is None for entry in domain for text in entry.texts)
