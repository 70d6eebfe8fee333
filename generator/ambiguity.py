"""Sentences with two derivations: with any, counts are 'at most'."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from generator.leaves import Leaf
from generator.planning import Plan
from generator.strata import Literal, Mark, Ref

_Texts = Mapping[str, int] | str
_MOST_COMPARED = 2_000_000


def ambiguous(plan: Plan) -> tuple[Leaf, Leaf] | None:
    """Two leaves (or one, twice) with a sentence in common; None where every sentence has one derivation.

    Where there are too many leaves to compare, two that may have one.
    """
    leaves = [leaf for template in plan.templates for leaf in template.leaves]
    texts_of: dict[tuple[int, int], _Texts] = {}
    by_length: dict[int, list[tuple[Leaf, tuple[_Texts, ...]]]] = {}
    for leaf in leaves:
        shape = _shape(leaf, texts_of)
        if any(isinstance(texts, Mapping) and any(n > 1 for n in texts.values()) for texts in shape):
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
            if compared > _MOST_COMPARED or all(_known_meet(a, b, known) for a, b in zip(one, two, strict=True)):
                return first, second
    return None


def _without_empty(shape: tuple[_Texts, ...]) -> Iterator[tuple[_Texts, ...]]:
    """A shape with and without each word that may be the empty one."""
    options: list[tuple[_Texts | None, ...]] = []
    for texts in shape:
        if not isinstance(texts, Mapping) or "" not in texts:
            options.append((texts,))
        else:
            options.append((None,) if len(texts) == 1 else (texts, None))
    for chosen in itertools.product(*options):
        yield tuple(texts for texts in chosen if texts is not None)


def _known_meet(first: _Texts, second: _Texts, known: dict[tuple[int, int], bool]) -> bool:
    """`_meet`, each pair of domains compared once."""
    if isinstance(first, str) or isinstance(second, str):
        return _meet(first, second)
    key = (id(first), id(second))
    if key not in known:
        known[key] = _meet(first, second)
    return known[key]


def _shape(leaf: Leaf, texts_of: dict[tuple[int, int], _Texts]) -> tuple[_Texts, ...]:
    """Per word of the acceptable member (of a design: of every condition in turn): the literal, or the texts a draw can
    show with how many words share each.

    `texts_of` keeps the texts of each (domain, form), so that equal ones are the same object.
    """
    shape: list[_Texts] = []
    members = [leaf.stratum.acceptable]
    if leaf.stratum.design is not None and leaf.version_automaton is not None:
        members += [version.pieces for version in leaf.stratum.versions]  # items of a design read alike in all of them
    for piece in (piece for pieces in members for piece in pieces):
        if isinstance(piece, Literal):
            shape.append(piece.text.casefold())
        elif isinstance(piece, Ref) and not isinstance(piece, Mark):
            domain = leaf.domains[piece.draw]
            key = (id(domain), piece.form)
            if key not in texts_of:
                texts: dict[str, int] = {}
                for entry in domain:
                    text = (entry.texts[piece.form] or "").casefold()
                    texts[text] = texts.get(text, 0) + 1
                texts_of[key] = texts
            shape.append(texts_of[key])
    return tuple(shape)


def _meet(first: _Texts, second: _Texts) -> bool:
    if isinstance(first, str):
        return first == second if isinstance(second, str) else first in second
    return second in first if isinstance(second, str) else not first.keys().isdisjoint(second)


def shared_sentence(first: Leaf, second: Leaf) -> str:
    """A sentence that both leaves have (one leaf, twice: with a form that two words share)."""
    is_same = first is second
    for one, two in itertools.product(_without_empty(_shape(first, {})), _without_empty(_shape(second, {}))):
        if len(one) == len(two) and all(_meet(a, b) for a, b in zip(one, two, strict=True)):
            return _spelled(one, two, is_same)
    return "the same words"  # too many leaves to compare: not excluded


def _spelled(first: tuple[_Texts, ...], second: tuple[_Texts, ...], is_same: bool) -> str:
    words: list[str] = []
    for ours, theirs in zip(first, second, strict=True):
        if isinstance(ours, str) or isinstance(theirs, str):
            words.append(ours if isinstance(ours, str) else str(theirs))
            continue
        shared = [text for text in ours if text in theirs]
        doubled = [text for text in shared if is_same and ours[text] > 1]
        fitting = doubled or shared
        words.append(next((text for text in fitting if text not in words), fitting[0]))  # words mostly differ
    return " ".join(word for word in words if word)
