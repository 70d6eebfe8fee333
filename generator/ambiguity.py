"""Sentences with two derivations: with any, counts are 'at most'."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from generator.leaves import Leaf
from generator.planning import Plan
from generator.strata import Literal, Mark, Ref

_Texts = Mapping[str, int] | str
_Doubles = dict[tuple[int, tuple[int, ...]], tuple[str, ...] | None]
_Present = tuple[tuple[int, _Texts], ...]
"""Of a shape the words that are there: (place in the whole shape, its texts)."""

_Joined = dict[tuple[int, tuple[int, ...]], frozenset[tuple[str, ...]]]
_MOST_COMPARED = 2_000_000


def ambiguous(plan: Plan) -> tuple[Leaf, Leaf] | None:
    """Two leaves (or one, twice) with a sentence in common; None where every sentence has one derivation.

    Where there are too many leaves to compare, two that may have one.
    """
    leaves = [leaf for template in plan.templates for leaf in template.leaves]
    texts_of: dict[tuple[int, int], _Texts] = {}
    doubles: _Doubles = {}
    joined: _Joined = {}
    by_length: dict[int, list[tuple[Leaf, _Present]]] = {}
    for leaf in leaves:
        shape = _shape(leaf, texts_of)
        if any(_doubled(leaf, draw, forms, doubles) for draw, forms in _shown(leaf).items()):
            return leaf, leaf
        for present in _without_empty(shape):
            by_length.setdefault(len(present), []).append((leaf, present))
    known: dict[tuple[int, int], bool] = {}
    compared = 0
    for group in by_length.values():
        for (first, one), (second, two) in itertools.combinations(group, 2):
            if first is second or (plan.flavour == "open" and first.stratum is second.stratum):
                continue
            compared += 1
            if compared > _MOST_COMPARED or (
                all(_known_meet(a, b, known) for (_, a), (_, b) in zip(one, two, strict=True))
                and _words_meet(first, one, second, two, joined)
            ):
                return first, second
    return None


def _without_empty(shape: tuple[_Texts, ...]) -> Iterator[_Present]:
    """A shape with and without each word that may be the empty one."""
    options: list[tuple[_Texts | None, ...]] = []
    for texts in shape:
        if not isinstance(texts, Mapping) or "" not in texts:
            options.append((texts,))
        else:
            options.append((None,) if len(texts) == 1 else (texts, None))
    for chosen in itertools.product(*options):
        yield tuple((place, texts) for place, texts in enumerate(chosen) if texts is not None)


def _words_meet(first: Leaf, one: _Present, second: Leaf, two: _Present, known: _Joined) -> bool:
    """Whether words shown in several places can read the same in all of them, where the other leaf shows one word too.

    *answers on* of a particle and *reads on* of a preposition meet in each place, and have no verb in common.
    """
    theirs = _forms_at(second, two)
    for draw, mine in _forms_at(first, one).items():
        for other, its in theirs.items():
            shared = [place for place in mine if place in its] if len(mine) > 1 and len(its) > 1 else []
            if len(shared) > 1:
                ours = _joint(first, draw, tuple(mine[place] for place in shared), known)
                if ours.isdisjoint(_joint(second, other, tuple(its[place] for place in shared), known)):
                    return False
    return True


def _forms_at(leaf: Leaf, present: _Present) -> Mapping[int, Mapping[int, int]]:
    """Draw -> place among the present words -> form, of a leaf."""
    pieces = list(_pieces(leaf))
    found: dict[int, dict[int, int]] = {}
    for number, (place, _) in enumerate(present):
        piece = pieces[place]
        if isinstance(piece, Ref):
            found.setdefault(piece.draw, {})[number] = piece.form
    return found


def _joint(leaf: Leaf, draw: int, forms: tuple[int, ...], known: _Joined) -> frozenset[tuple[str, ...]]:
    """The texts of each word of a draw in several forms at once."""
    domain = leaf.domains[draw]
    key = (id(domain), forms)
    if key not in known:
        rows = ([entry.texts[form] for form in forms] for entry in domain)
        known[key] = frozenset(
            tuple(text.casefold() for text in row if text is not None) for row in rows if None not in row
        )
    return known[key]


def _known_meet(first: _Texts, second: _Texts, known: dict[tuple[int, int], bool]) -> bool:
    """`_meet`, each pair of domains compared once."""
    if isinstance(first, str) or isinstance(second, str):
        return _meet(first, second)
    key = (id(first), id(second))
    if key not in known:
        known[key] = _meet(first, second)
    return known[key]


def _pieces(leaf: Leaf) -> Iterator[Literal | Ref]:
    """What the acceptable member shows (of a design: every condition in turn), word by word."""
    members = [leaf.stratum.acceptable]
    if leaf.stratum.design is not None and leaf.version_automaton is not None:
        members += [version.pieces for version in leaf.stratum.versions]  # items of a design read alike in all of them
    for pieces in members:
        for piece in pieces:
            if not isinstance(piece, Mark):
                yield piece


def _shown(leaf: Leaf) -> Mapping[int, tuple[int, ...]]:
    """Each draw that is shown, with the forms in which it is: *look at* shows one word in two places."""
    found: dict[int, tuple[int, ...]] = {}
    for piece in _pieces(leaf):
        if isinstance(piece, Ref):
            found[piece.draw] = (*found.get(piece.draw, ()), piece.form)
    return found


def _doubled(leaf: Leaf, draw: int, forms: tuple[int, ...], known: _Doubles) -> tuple[str, ...] | None:
    """The texts, by place, that two words of a draw have in common in all its places; None if no two have."""
    domain = leaf.domains[draw]
    key = (id(domain), forms)
    if key not in known:
        seen: set[tuple[str, ...]] = set()
        known[key] = None
        for entry in domain:
            if any(entry.texts[form] is None for form in forms):
                continue  # a verb without a particle where one is shown: never drawn
            texts = tuple((entry.texts[form] or "").casefold() for form in forms)
            if texts in seen:
                known[key] = texts
                break
            seen.add(texts)
    return known[key]


def _shape(leaf: Leaf, texts_of: dict[tuple[int, int], _Texts]) -> tuple[_Texts, ...]:
    """Per word shown: the literal, or the texts a draw can show with how many words share each.

    `texts_of` keeps the texts of each (domain, form), so that equal ones are the same object.
    """
    shape: list[_Texts] = []
    for piece in _pieces(leaf):
        if isinstance(piece, Literal):
            shape.append(piece.text.casefold())
            continue
        domain = leaf.domains[piece.draw]
        key = (id(domain), piece.form)
        if key not in texts_of:
            texts: dict[str, int] = {}
            for text in (entry.texts[piece.form] for entry in domain):
                if text is not None:
                    texts[text.casefold()] = texts.get(text.casefold(), 0) + 1
            texts_of[key] = texts
        shape.append(texts_of[key])
    return tuple(shape)


def _meet(first: _Texts, second: _Texts) -> bool:
    if isinstance(first, str):
        return first == second if isinstance(second, str) else first in second
    return second in first if isinstance(second, str) else not first.keys().isdisjoint(second)


def shared_sentence(first: Leaf, second: Leaf) -> str:
    """A sentence that both leaves have (one leaf, twice: with a form that two words share)."""
    if first is second:
        return _twofold(first)
    for one, two in itertools.product(_without_empty(_shape(first, {})), _without_empty(_shape(second, {}))):
        places = list(zip(one, two, strict=True)) if len(one) == len(two) else []
        if places and all(_meet(a, b) for (_, a), (_, b) in places) and _words_meet(first, one, second, two, {}):
            return _spelled([_shared(ours, theirs) for (_, ours), (_, theirs) in places])
    return "the same words"  # too many leaves to compare: not excluded


def _twofold(leaf: Leaf) -> str:
    """A sentence of a leaf with a word that two entries are."""
    shown = _shown(leaf)
    doubles = {draw: iter(same) for draw, forms in shown.items() if (same := _doubled(leaf, draw, forms, {}))}
    options: list[list[str]] = []
    for piece, texts in zip(_pieces(leaf), _shape(leaf, {}), strict=True):
        if isinstance(piece, Ref) and piece.draw in doubles:
            options.append([next(doubles[piece.draw])])
        else:
            options.append([texts] if isinstance(texts, str) else list(texts))
    return _spelled(options)


def _shared(ours: _Texts, theirs: _Texts) -> list[str]:
    if isinstance(ours, str) or isinstance(theirs, str):
        return [ours if isinstance(ours, str) else str(theirs)]
    return [text for text in ours if text in theirs]


def _spelled(options: Sequence[list[str]]) -> str:
    words: list[str] = []
    for texts in options:
        words.append(next((text for text in texts if text not in words), texts[0]))  # words mostly differ
    return " ".join(word for word in words if word)
