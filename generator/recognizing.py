"""Sentence -> template, words and condition: whether and how a sentence, pair or masked sentence belongs to plans."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator.leaves import KeptVersions, Leaf
from generator.matching import Matcher, Member
from generator.normalizing import MASK, Normalizer, Tokens
from generator.planning import Plan, PlanTemplate
from generator.strata import Entry, Literal, Mark, MemberPieces, Ref

Options = Mapping[int, tuple[Entry, ...]]
"""Draw -> the words that can stand there."""

_MOST_TRIED = 64

_Index = Mapping[str, Sequence[tuple[Tokens, tuple[Entry, ...]]]]


@dataclass(frozen=True, eq=False)
class Recognition:
    """One analysis: the leaf, its words by draw, and which member each of the sentences is (see `Member.version`).

    Of draws that no sentence shows, the first word that fits is taken: several items then have these sentences.
    `existing` are the versions that the item has, where they had to be known.
    """

    plan: Plan
    template: PlanTemplate
    leaf: Leaf
    words: Mapping[int, Entry]
    versions: tuple[int, ...]
    existing: tuple[int, ...] | None = None

    @cached_property
    def index(self) -> int:
        """The item's index (from 0) in its template."""
        start = self.template.starts[self.template.leaves.index(self.leaf)]
        return start + self.leaf.index_of(self.words)


class Recognizer:
    """Recognises the sentences of plans of one language and flavour.  Letter case, spacing and a/an do not matter."""

    def __init__(self, plans: Sequence[Plan]) -> None:
        self.plans = tuple(plans)
        self.normalizer = Normalizer(plans[0].grammar.lexicon.realisation)
        self.matcher = Matcher(plans, self.normalizer)
        self._indexes: dict[tuple[int, int], tuple[_Index, Leaf]] = {}
        self._versions = KeptVersions()

    def sentence(self, tokens: Tokens) -> Iterator[Recognition]:
        """The analyses of a sentence as a member, acceptable or starred; `tokens` are normalised."""
        for member in self.matcher.members(tokens):
            for options in self.matches(member, tokens):
                yield from self._recognitions(member.plan, member.template, member.leaf, options, (member.version,))

    def acceptable(self, words: Iterable[str]) -> Iterator[Recognition]:
        """The analyses of a sentence as an acceptable member (of a masked one, in the open-ended flavour)."""
        tokens = self.normalizer.words(words)
        return (found for found in self.sentence(tokens) if _is_good(found.leaf, found.versions[0]))

    def open(self, words: Iterable[str], mask: str) -> Iterator[Recognition]:
        """The analyses of a sentence with `mask` in it, in open-ended plans."""
        return self.acceptable([MASK if word == mask else word for word in words])

    def pair(self, good: Iterable[str], bad: Iterable[str]) -> Iterator[Recognition]:
        """The analyses of a minimal pair."""
        return self.members([self.normalizer.words(good), self.normalizer.words(bad)], (True, False))

    def members(self, sentences: Sequence[Tokens], acceptable: Sequence[bool | None] = ()) -> Iterator[Recognition]:
        """The analyses of sentences as members of one item, each acceptable, starred, or (None) either.

        With None at least one is acceptable and one is not.
        """
        wanted = acceptable or [None] * len(sentences)
        by_leaf: dict[int, list[list[Member]]] = {}
        for number, tokens in enumerate(sentences):
            for member in self.matcher.members(tokens):
                if wanted[number] is None or wanted[number] == member.is_acceptable:
                    known = by_leaf.get(id(member.leaf))
                    if known is None:
                        known = by_leaf[id(member.leaf)] = [[] for _ in sentences]
                    known[number].append(member)
        for found in by_leaf.values():
            if all(found):
                yield from self._in_leaf(found, sentences)

    def _in_leaf(self, found: Sequence[Sequence[Member]], sentences: Sequence[Tokens]) -> Iterator[Recognition]:
        """The analyses in one leaf; an acceptable sentence is placed first: its words say which versions exist."""
        known = set()
        for anchor in range(len(sentences)):
            order = [anchor, *(place for place in range(len(sentences)) if place != anchor)]
            choices = [found[place] for place in order]
            if len(sentences) > 1:
                choices[0] = [member for member in choices[0] if member.is_acceptable]
            for chosen, options in self._together(choices, [sentences[place] for place in order], (), {}):
                if len(sentences) > 1 and all(member.is_acceptable for member in chosen):
                    continue
                placed = dict(zip(order, chosen, strict=True))
                versions = tuple(placed[place].version for place in range(len(sentences)))
                if versions not in known:
                    known.add(versions)
                    first = chosen[0]
                    yield from self._recognitions(first.plan, first.template, first.leaf, options, versions)

    def _together(
        self,
        found: Sequence[Sequence[Member]],
        sentences: Sequence[Tokens],
        chosen: tuple[Member, ...],
        options: Options,
    ) -> Iterator[tuple[tuple[Member, ...], Options]]:
        """Different members of a leaf for the sentences, one each, and the words that they share.

        The words of the first sentences mostly decide which versions there are: others are not tried.
        """
        place = len(chosen)
        if place == len(sentences):
            yield chosen, options
            return
        versions = self._versions_of(found[place][0].leaf, options) if chosen else None
        for member in found[place]:
            if member in chosen or (versions is not None and member.version >= 0 and member.version not in versions):
                continue
            for more in self.matches(member, sentences[place], options):
                yield from self._together(found, sentences, (*chosen, member), more)

    # --- words --------------------------------------------------------------------------------------------------

    def _recognitions(
        self, plan: Plan, template: PlanTemplate, leaf: Leaf, options: Options, versions: tuple[int, ...]
    ) -> Iterator[Recognition]:
        needed = [version for version in versions if version >= 0]
        possible = self._versions_of(leaf, options) if needed else None
        if possible is not None and not possible.issuperset(needed):
            return
        for words in solutions(leaf, options):
            if not needed or leaf.stratum.design is not None:
                yield Recognition(plan, template, leaf, words, versions)
            elif set(needed) <= set(existing := self._versions.of(leaf, words)):
                yield Recognition(plan, template, leaf, words, versions, existing)

    def _versions_of(self, leaf: Leaf, options: Options) -> frozenset[int] | None:
        """The versions that items with these words may have; None where that is not known yet."""
        automaton = leaf.version_automaton
        if automaton is None or leaf.stratum.design is not None or not all(draw in options for draw in automaton.draws):
            return None
        draws = automaton.order
        if math.prod(len(options[draw]) for draw in draws) > _MOST_TRIED:
            return None
        every = itertools.product(*(options[draw] for draw in draws))
        return frozenset(v for words in every for v in self._versions.of(leaf, dict(zip(draws, words, strict=True))))

    def matches(self, member: Member, tokens: Tokens, known: Options | None = None) -> Iterator[Options]:
        """What the words of a member can be where it reads as a sentence does; `known` narrows them."""
        return self._match(member.leaf, member.marked, tokens, 0, known or {})

    def _match(self, leaf: Leaf, pieces: MemberPieces, tokens: Tokens, at: int, options: Options) -> Iterator[Options]:
        found = dict(options)
        for number, piece in enumerate(pieces):
            if isinstance(piece, Mark):
                continue
            if isinstance(piece, Literal):
                expected = self.normalizer.word(piece.text)
                if tokens[at : at + len(expected)] != expected:
                    return
                at += len(expected)
                continue
            index = self._index(leaf, piece)
            ways = [
                (len(texts), both)
                for key in ((tokens[at], "") if at < len(tokens) else ("",))
                for texts, entries in index.get(key, ())
                if tokens[at : at + len(texts)] == texts and (both := _both(found.get(piece.draw), entries))
            ]
            if not ways:
                return
            if len(ways) > 1:
                for length, both in ways:
                    yield from self._match(leaf, pieces[number + 1 :], tokens, at + length, {**found, piece.draw: both})
                return
            length, found[piece.draw] = ways[0]
            at += length
        if at == len(tokens):
            yield found

    def _index(self, leaf: Leaf, ref: Ref) -> _Index:
        domain = leaf.domains[ref.draw]
        key = (id(domain), ref.form)
        if key not in self._indexes:
            found: dict[Tokens, list[Entry]] = {}
            for entry in domain:
                text = entry.texts[ref.form]
                if text is not None:
                    found.setdefault(self.normalizer.words(text.split()), []).append(entry)
            index: dict[str, list[tuple[Tokens, tuple[Entry, ...]]]] = {}
            for texts, entries in found.items():
                index.setdefault(texts[0] if texts else "", []).append((texts, tuple(entries)))
            self._indexes[key] = (index, leaf)  # the leaf holds on to its domain, so that its id stays its own
        return self._indexes[key][0]


def solutions(leaf: Leaf, options: Options) -> Iterator[dict[int, Entry]]:
    """The items of a leaf whose words are among these; of draws that are not named, the first that fit.

    Components are independent: each is solved by itself.
    """
    found: list[list[dict[int, Entry]]] = []
    for part, label in zip(leaf.parts, leaf.labels, strict=True):
        shown = [draw for draw in part.draws if draw in options]
        hidden = [draw for draw in part.draws if draw not in options]
        ways = []
        for chosen in itertools.product(*(options[draw] for draw in shown)):
            for others in itertools.product(*(leaf.domains[draw] for draw in hidden)):
                taken = dict(zip((*shown, *hidden), (*chosen, *others), strict=True))
                if part.accepts(taken) == label:
                    ways.append(taken)
                    break
        if not ways:
            return
        found.append(ways)
    for chosen_ways in itertools.product(*found):
        words = {draw: entry for way in chosen_ways for draw, entry in way.items()}
        if all(kept.holds(words) for kept in leaf.filters):
            yield words


def _both(known: tuple[Entry, ...] | None, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    if known is None:
        return entries
    return tuple(entry for entry in known if any(entry is other for other in entries))


def _is_good(leaf: Leaf, version: int) -> bool:
    return version < 0 or leaf.stratum.versions[version].acceptable
