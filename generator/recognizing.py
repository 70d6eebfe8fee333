"""Sentence -> template and words: whether a sentence, pair or masked sentence belongs to a plan."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.leaves import Leaf, visible
from generator.planning import Plan
from generator.realizing import Realizer, Token
from generator.strata import Entry, Literal, Mark, MemberPieces, Piece, Ref

_Index = Mapping[str, Sequence[tuple[tuple[str, ...], tuple[Entry, ...]]]]


@dataclass(frozen=True)
class Recognition:
    """One analysis: the leaf, its words by draw, and the version that the second sentence is (-1: none was given)."""

    leaf: Leaf
    words: Mapping[int, Entry]
    version: int = -1


class Recognizer:
    """Recognises the sentences of one plan.  Letter case and a/an do not matter."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.realizer = Realizer(plan.grammar.lexicon.realisation)
        self._indexes: dict[tuple[int, int], _Index] = {}
        self._literals: dict[str, tuple[str, ...]] = {}

    def normalized(self, words: Sequence[str]) -> tuple[str, ...]:
        """Words as they are compared: Penn tokens in lower case, one form of the article."""
        return tuple(piece for word in words for piece in self._normal(word))

    def _normal(self, word: str) -> tuple[str, ...]:
        if word not in self._literals:
            pieces = [piece.text.casefold() for piece in self.realizer.penn(Token(word))]
            canonical = self.realizer.canonical
            self._literals[word] = tuple(part for piece in pieces for part in canonical.get(piece, (piece,)))
        return self._literals[word]

    def acceptable(self, words: Sequence[str]) -> Iterator[Recognition]:
        """The analyses of a sentence as an acceptable member (of a masked one, in the open-ended flavour)."""
        tokens = self.normalized(words)
        for template in self.plan.templates:
            for leaf in template.leaves:
                for pieces in self._acceptable_pieces(leaf):
                    for options in self._match(leaf, _shown(pieces), tokens, 0, {}):
                        for taken in self._words(leaf, options):
                            yield Recognition(leaf, taken)

    def pair(self, good: Sequence[str], bad: Sequence[str]) -> Iterator[Recognition]:
        """The analyses of a minimal pair."""
        right, wrong = self.normalized(good), self.normalized(bad)
        for template in self.plan.templates:
            for leaf in template.leaves:
                starred = [n for n, version in enumerate(leaf.stratum.versions) if not version.acceptable]
                for pieces in self._acceptable_pieces(leaf):
                    for options in self._match(leaf, _shown(pieces), right, 0, {}):
                        for version in starred:
                            shown = _shown(leaf.stratum.versions[version].pieces)
                            for both in self._match(leaf, shown, wrong, 0, options):
                                yield from (
                                    Recognition(leaf, taken, version)
                                    for taken in self._words(leaf, both)
                                    if version in leaf.valid_versions(taken)
                                )

    def open(self, words: Sequence[str], mask: str) -> Iterator[Recognition]:
        """The analyses of a sentence with `mask` in it, in an open-ended plan."""
        yield from self.acceptable([_MASK if word == mask else word for word in words])

    def _acceptable_pieces(self, leaf: Leaf) -> Iterator[MemberPieces]:
        """What an acceptable sentence may be: the acceptable member, in a design each acceptable condition."""
        if self.plan.flavour == "open":
            before, _, after = visible(leaf.stratum, leaf.scope)
            yield (*before, Literal(_MASK), *after)
            return
        yield leaf.stratum.acceptable
        if leaf.stratum.design is not None:
            yield from (version.pieces for version in leaf.stratum.versions if version.acceptable)

    def _words(self, leaf: Leaf, options: Mapping[int, tuple[Entry, ...]]) -> Iterator[dict[int, Entry]]:
        """The items whose words are among these; of draws that the sentence does not show, the first that fit."""
        for chosen in itertools.product(*options.values()):
            known = dict(zip(options, chosen, strict=True))
            hidden = [draw for part in leaf.parts for draw in part.draws if draw not in known]
            for others in itertools.product(*(leaf.domains[draw] for draw in hidden)):
                taken = {**known, **dict(zip(hidden, others, strict=True))}
                if all(
                    part.accepts(taken) == label for part, label in zip(leaf.parts, leaf.labels, strict=True)
                ) and all(kept.holds(taken) for kept in leaf.filters):
                    yield taken
                    break

    def _match(
        self,
        leaf: Leaf,
        pieces: Sequence[Piece],
        tokens: tuple[str, ...],
        at: int,
        options: Mapping[int, tuple[Entry, ...]],
    ) -> Iterator[Mapping[int, tuple[Entry, ...]]]:
        if not pieces:
            if at == len(tokens):
                yield options
            return
        first, rest = pieces[0], pieces[1:]
        if isinstance(first, Literal):
            expected = self._normal(first.text)
            if tokens[at : at + len(expected)] == expected:
                yield from self._match(leaf, rest, tokens, at + len(expected), options)
        elif isinstance(first, Ref):
            index = self._index(leaf, first)
            for key in (tokens[at], "") if at < len(tokens) else ("",):
                for texts, entries in index.get(key, ()):
                    if tokens[at : at + len(texts)] != texts:
                        continue
                    known = options.get(first.draw)
                    both = entries if known is None else tuple(e for e in known if e in entries)
                    if both:
                        yield from self._match(leaf, rest, tokens, at + len(texts), {**options, first.draw: both})

    def _index(self, leaf: Leaf, ref: Ref) -> _Index:
        domain = leaf.domains[ref.draw]
        key = (id(domain), ref.form)
        if key not in self._indexes:
            found: dict[tuple[str, ...], list[Entry]] = {}
            for entry in domain:
                text = entry.texts[ref.form]
                if text is not None:
                    found.setdefault(self.normalized(text.split()), []).append(entry)
            index: dict[str, list[tuple[tuple[str, ...], tuple[Entry, ...]]]] = {}
            for texts, entries in found.items():
                index.setdefault(texts[0] if texts else "", []).append((texts, tuple(entries)))
            self._indexes[key] = index
        return self._indexes[key]


def _shown(pieces: MemberPieces) -> list[Piece]:
    return [piece for piece in pieces if not isinstance(piece, Mark)]


_MASK = "\x00mask"
