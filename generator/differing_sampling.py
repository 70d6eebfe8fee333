"""Comparison by samples, for spaces that are too large to list: shares with intervals, and items to look at."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.components import components
from generator.differing_listing import balanced
from generator.differing_sides import Side, Standing
from generator.differing_types import Estimates, Share
from generator.leaves import Leaf
from generator.normalizing import Tokens
from generator.permuting import Permutations, derived_key
from generator.planning import Plan, PlanTemplate
from generator.strata import Entry, Ref

SAMPLE = 2_000
"""How many items of each side are looked up where the user does not say."""

STEPS = 10
"""Steps of a progress bar that looking up an item is: it takes about ten times as long as listing one."""

_LOOKED_AT = 4_000  # items that are looked up for a few that differ, over all templates
_LEAST_LOOKED_AT = 200  # of a template
_TRIED = 20  # numbers for each item, where filters leave some empty
_OF_NEW_WORDS = 50  # of these, items of one slot's new words

Advance = Callable[[int], object]
Found = tuple[PlanTemplate, int]


@dataclass(frozen=True)
class Looked:
    """Items of one side, drawn at random, with how each stands to the other side."""

    items: tuple[tuple[PlanTemplate, int, Standing], ...]

    def of(self, template: str) -> Looked:
        """Those of one template."""
        return Looked(tuple(each for each in self.items if each[0].name == template))

    def share(self, standing: Standing) -> Share:
        """The share of one standing."""
        return Share(sum(each == standing for _, _, each in self.items), len(self.items))


def looked_up(side: Side, other: Side, count: int, seed: int, advance: Advance = lambda _count: None) -> Looked:
    """`count` items of a side (all where it has fewer), every one equally likely, without replacement, looked up in
    the other.
    """
    found = []
    for template, index in _random(side.plan, None, count, seed):
        found.append((template, index, other.standing(side.reading_of(template, index))))
        advance(STEPS)
    return Looked(tuple(found))


def estimated(old: Looked, new: Looked) -> Estimates:
    """The shares of both sides."""
    return Estimates(
        old.share(Standing.ABSENT),
        old.share(Standing.CHANGED),
        new.share(Standing.ABSENT),
        new.share(Standing.CHANGED),
    )


def random_items(plan: Plan, count: int, seed: int) -> list[Found]:
    """Items of a plan at random, balanced over templates."""
    return balanced([list(_random(plan, template, count, seed)) for template in plan.templates], count)


def estimated_rows(old: Plan, new: Plan, ours: Looked, theirs: Looked) -> tuple[tuple[str, int, int, Estimates], ...]:
    """Template -> its items in OLD and in NEW, and the shares among those of it that were looked up."""
    sizes = [{template.name: template.items for template in plan.templates} for plan in (old, new)]
    return tuple(
        (name, sizes[0].get(name, 0), sizes[1].get(name, 0), estimated(ours.of(name), theirs.of(name)))
        for name in dict.fromkeys([*sizes[0], *sizes[1]])
    )


def _random(plan: Plan, template: PlanTemplate | None, count: int, seed: int) -> Iterator[Found]:
    """Items of a plan, or of one template of it, in a random order; numbers that a filter leaves empty are no items."""
    size = plan.items if template is None else template.items
    if not size:
        return
    key = derived_key(plan.digest, seed, "diff", "" if template is None else template.name)
    permutation = Permutations(key).of(size, key)
    made = 0
    for rank in range(min(size, _TRIED * count)):
        place = permutation(rank)
        found = plan.locate(place) if template is None else (template, place)
        if plan.exists(*found):
            yield found
            made += 1
            if made == count:
                return


@dataclass(frozen=True)
class Wanted:
    """Which items to look for: how they stand to the other side, how many, in which templates (None: in any)."""

    standing: Standing
    count: int
    seed: int
    templates: frozenset[str] | None = None


def differing(side: Side, other: Side, wanted: Wanted, looked: Looked | None = None) -> list[Found]:
    """Items of a side that stand so to the other, balanced over templates, each looked up.

    `looked` are items whose standing is known.  Where few items differ, random ones seldom do: every other one that is
    looked up is of words that the other side's slots have not.
    """
    templates = [t for t in side.plan.templates if wanted.templates is None or t.name in wanted.templates]
    if not wanted.count or not templates:
        return []
    most = max(_LOOKED_AT // len(templates), _LEAST_LOOKED_AT)
    by_template = []
    for template in templates:
        known = [i for t, i, stood in looked.items if t is template and stood == wanted.standing] if looked else []
        found = dict.fromkeys(known[: wanted.count])
        turns = itertools.zip_longest(
            _random(side.plan, template, most, wanted.seed), _of_new_words(side, other, template, wanted.seed)
        )
        candidates = (each for turn in turns for each in turn if each is not None)
        if len(found) < wanted.count:
            for _, index in itertools.islice(candidates, most):
                if index not in found and other.standing(side.reading_of(template, index)) == wanted.standing:
                    found[index] = None
                    if len(found) == wanted.count:
                        break
        by_template.append([(template, index) for index in found])
    return balanced(by_template, wanted.count)


def _of_new_words(side: Side, other: Side, template: PlanTemplate, seed: int) -> Iterator[Found]:
    """Items with a word that the slot of its name has nowhere on the other side."""
    shown = _shown(other)
    for start, leaf in zip(template.starts, template.leaves, strict=False):
        for draw, entries in _with_new_words(side, leaf, shown):
            domains = list(leaf.domains)
            domains[draw] = tuple(entries)
            key = derived_key(seed, template.name, start, draw)
            yield from ((template, start + index) for index in _restricted(leaf, domains, key))


def _forms(side: Side, leaf: Leaf) -> dict[int, set[int]]:
    """Draw -> its forms that some member shows."""
    forms: dict[int, set[int]] = {}
    versions = leaf.stratum.versions if side.plan.flavour == "forced" else ()
    for pieces in (side.pieces(leaf), *(version.pieces for version in versions)):
        for piece in pieces:
            if isinstance(piece, Ref):
                forms.setdefault(piece.draw, set()).add(piece.form)
    return forms


def _shown(side: Side) -> Mapping[str, set[Tokens]]:
    """Slot -> all that it shows anywhere."""
    found: dict[str, set[Tokens]] = {}
    seen: set[tuple[str, int, int]] = set()
    for template in side.plan.templates:
        for leaf in template.leaves:
            for draw, forms in _forms(side, leaf).items():
                name, domain = leaf.stratum.draws[draw].name, leaf.domains[draw]
                for form in sorted(forms):
                    if (name, id(domain), form) not in seen:
                        seen.add((name, id(domain), form))
                        found.setdefault(name, set()).update(side.tokens_of(entry, form) for entry in domain)
    return found


def _with_new_words(side: Side, leaf: Leaf, shown: Mapping[str, set[Tokens]]) -> Iterator[tuple[int, Sequence[Entry]]]:
    for draw, forms in sorted(_forms(side, leaf).items()):
        known = shown.get(leaf.stratum.draws[draw].name)
        if known is None:
            continue
        domain = leaf.domains[draw]
        entries = [e for e in domain if any(side.tokens_of(e, form) not in known for form in forms)]
        if entries and len(entries) < len(domain):
            yield draw, entries


def _restricted(leaf: Leaf, domains: Sequence[Sequence[Entry]], key: bytes) -> Iterator[int]:
    """The numbers (from 0) in a leaf of some items that have words of these domains only.

    They are drawn without conditions and kept where the leaf has them.
    """
    stratum = leaf.stratum
    free = components(domains, (), stratum.unlike, stratum.told)
    sizes = [next(iter(part.counts.values()))[0] if part.counts else 0 for part in free.parts]
    size = 1
    for each in sizes:
        size *= each
    if not size:
        return
    permutation = Permutations(key).of(size, key)
    found = 0
    for rank in range(min(size, _TRIED * _OF_NEW_WORDS)):
        place = permutation(rank)
        words: dict[int, Entry] = {}
        for part, amount in zip(free.parts, sizes, strict=True):
            place, digit = divmod(place, amount)
            words.update(part.item(digit, next(iter(part.counts))))
        if all(part.accepts(words) == label for part, label in zip(leaf.parts, leaf.labels, strict=True)) and all(
            kept.holds(words) for kept in leaf.filters
        ):
            yield leaf.index_of(words)
            found += 1
            if found == _OF_NEW_WORDS:
                return
