"""Checked grammar -> `Plan`: the counted space of items, pure data, printable.

A plan lists, for each template, its *leaves*: strata whose items differ in words only.  The forced-choice flavour
has a leaf for every stratum; the open-ended flavour projects the acceptable members on what is outside the mask,
where strata that read alike share a leaf for each set of strata that have its items.
"""

from __future__ import annotations

import hashlib
import itertools
from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as TypingLiteral

from generator._version import __version__
from generator.automata import ConditionAutomaton, MaskAutomaton
from generator.counting import Component, components
from generator.errors import UsageError
from generator.expanding import TemplateExpander
from generator.loading import Grammar
from generator.paths import DeadBranch
from generator.resolving import Resolver
from generator.scopes import TemplateScope
from generator.static_checks import require_good
from generator.strata import Condition, Entry, Mark, MemberPieces, Ref, Stratum
from generator.versions import VersionAutomaton

Flavour = TypingLiteral["forced", "open"]
FLAVOURS: tuple[Flavour, ...] = ("forced", "open")


@dataclass(frozen=True, eq=False)
class Leaf:
    """Items that differ in words only.  `strata` are those that have them (one, but for merged open-ended items)."""

    strata: tuple[Stratum, ...]
    scope: TemplateScope
    domains: tuple[tuple[Entry, ...], ...]
    parts: tuple[Component, ...]
    labels: tuple[Hashable, ...]
    items: int
    versions: int
    version_automaton: VersionAutomaton | None = None

    @property
    def stratum(self) -> Stratum:
        """The first stratum."""
        return self.strata[0]

    @property
    def template(self) -> str:
        """The template's name."""
        return self.stratum.template

    @cached_property
    def cell(self) -> tuple[tuple[str, str], ...]:
        """The crossed values, as (name, value): `n=sg`; a merged item's are joined, `n=sg/pl`."""
        values: dict[str, list[str]] = {}
        for stratum in self.strata:
            for name, value in crossed_values(stratum, self.scope):
                found = values.setdefault(name, [])
                if value not in found:
                    found.append(value)
        return tuple((name, "/".join(found)) for name, found in values.items())

    @cached_property
    def choice_points(self) -> tuple[tuple[Hashable, int, tuple[int, ...]], ...]:
        """The decisions that are not crossed: (key, index, weights), in order."""
        return tuple((d.key, d.index, d.weights) for d in self.stratum.decisions if not d.crossed)

    def words(self, index: int) -> dict[int, Entry]:
        """The words of item `index` (from 0): draw number -> entry.  The leftmost component is slowest."""
        taken: dict[int, Entry] = {}
        for part, label in zip(reversed(self.parts), reversed(self.labels), strict=True):
            size = part.counts[label][0]
            index, digit = divmod(index, size)
            taken.update(part.item(digit, label))
        return taken

    def valid_versions(self, words: dict[int, Entry]) -> tuple[int, ...]:
        """The versions that an item with these words has."""
        automaton = self.version_automaton
        if automaton is None:
            return ()
        state: Hashable = automaton.start
        for draw in sorted(automaton.draws):
            state = automaton.step(state, draw, automaton.attribute(draw, words[draw]))
        return automaton.valid(state)


@dataclass(frozen=True, eq=False)
class PlanTemplate:
    """A template (of a family: one member) with its leaves in order of numbering."""

    name: str
    leaves: tuple[Leaf, ...]

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The number (from 0) of each leaf's first item."""
        return tuple(itertools.accumulate((leaf.items for leaf in self.leaves), initial=0))

    @property
    def items(self) -> int:
        """How many items it has."""
        return self.starts[-1]

    @property
    def versions(self) -> int:
        """How many versions (of a forced choice: pairs) they have."""
        return sum(leaf.versions for leaf in self.leaves)

    def locate(self, index: int) -> tuple[Leaf, int]:
        """The leaf of item `index` (from 0) and its number in it."""
        place = bisect_right(self.starts, index) - 1
        return self.leaves[place], index - self.starts[place]


@dataclass(frozen=True, eq=False)
class Plan:
    """The counted space of one grammar in one flavour."""

    grammar: Grammar
    resolver: Resolver
    flavour: Flavour
    templates: tuple[PlanTemplate, ...]
    digest: str
    dead: tuple[tuple[TemplateScope, tuple[DeadBranch, ...]], ...] = field(default=())

    @property
    def items(self) -> int:
        """How many items there are."""
        return sum(template.items for template in self.templates)

    @property
    def versions(self) -> int:
        """How many versions (pairs) they have."""
        return sum(template.versions for template in self.templates)

    @property
    def is_factored(self) -> bool:
        """Whether any value is crossed."""
        return any(leaf.cell for template in self.templates for leaf in template.leaves)

    def locate(self, index: int) -> tuple[PlanTemplate, int]:
        """The template of item `index` (from 0) of the whole plan, and its number in it."""
        for template in self.templates:
            if index < template.items:
                return template, index
            index -= template.items
        raise IndexError(index)


def plan(grammar: Grammar, flavour: Flavour = "forced") -> Plan:
    """Plan a grammar.  Raises GrammarError with all errors, UsageError if it does not have the flavour."""
    return plan_resolved(require_good(grammar), flavour)


def plan_resolved(resolver: Resolver, flavour: Flavour = "forced") -> Plan:
    """Plan a grammar whose names are bound."""
    grammar = resolver.grammar
    found: dict[str, list[Leaf]] = {}
    dead: list[tuple[TemplateScope, tuple[DeadBranch, ...]]] = []
    has_flavour = False
    for number, template in enumerate(grammar.templates, start=1):
        scope = TemplateScope(resolver, template, str(number))
        expander = TemplateExpander(resolver, scope)
        strata = list(expander.strata())
        dead.append((scope, tuple(expander.dead)))
        if flavour == "forced":
            has_flavour = has_flavour or scope.stars > 0
            leaves: Iterator[Leaf] = _forced(strata, scope) if scope.stars else iter(())
        else:
            has_flavour = has_flavour or any(_mask(stratum, scope) is not None for stratum in strata)
            leaves = _open(strata, scope)
        for leaf in leaves:
            if leaf.items:
                found.setdefault(leaf.template, []).append(leaf)
    if not has_flavour:
        raise UsageError(
            f"{grammar.source.name} has no contrast, so no forced-choice items: mark an alternative with '*'"
            if flavour == "forced"
            else f"{grammar.source.name} has no slot to mask: write 'target NAME'"
        )
    templates = tuple(PlanTemplate(name, tuple(leaves)) for name, leaves in found.items())
    digest = hashlib.sha256(f"{__version__} {flavour} {grammar.digest}".encode()).hexdigest()
    return Plan(grammar, resolver, flavour, templates, digest, tuple(dead))


def crossed_values(stratum: Stratum, scope: TemplateScope) -> Iterator[tuple[str, str]]:
    """The crossed values of a stratum, as (name without `$`, value)."""
    for decision in stratum.decisions:
        if not decision.crossed:
            continue
        name = decision.label
        if decision.is_variable:
            variable = scope.variables[name]
            yield name.removeprefix("$"), variable.labels[stratum.variables[name]]
        else:
            labels = scope.row_labels.get(name)
            yield name, labels[decision.index] if labels else str(decision.index + 1)


# --- forced choice ------------------------------------------------------------------------------------------


def _forced(strata: Sequence[Stratum], scope: TemplateScope) -> Iterator[Leaf]:
    by_structure: dict[Hashable, list[Stratum]] = {}
    for stratum in strata:
        by_structure.setdefault(stratum.structure, []).append(stratum)
    for stratum in strata:
        versions = VersionAutomaton(stratum, by_structure[stratum.structure])
        automata = [ConditionAutomaton(condition) for condition in stratum.conditions]
        parts = tuple(components(stratum.domains, [*automata, versions], stratum.unlike, stratum.told))
        items, count = 1, 1
        labels = []
        for part in parts:
            label = next(iter(part.counts), ())
            labels.append(label)
            own = part.counts.get(label, (0, 0))
            items, count = items * own[0], count * own[1]
        yield Leaf((stratum,), scope, stratum.domains, parts, tuple(labels), items, count, versions)


# --- open-ended ---------------------------------------------------------------------------------------------


def _mask(stratum: Stratum, scope: TemplateScope) -> tuple[int, int] | None:
    """Where the masked stretch of the acceptable member begins and ends (piece indices, marks included)."""
    for start, piece in enumerate(stratum.acceptable):
        if isinstance(piece, Mark) and piece.opens and (piece.target if scope.target else piece.contrast):
            for end in range(start + 1, len(stratum.acceptable)):
                other = stratum.acceptable[end]
                if isinstance(other, Mark) and not other.opens and (other.name, other.key) == (piece.name, piece.key):
                    return start, end + 1
    return None


def visible(stratum: Stratum, scope: TemplateScope) -> tuple[MemberPieces, MemberPieces, MemberPieces]:
    """The acceptable member before, inside and after the mask."""
    found = _mask(stratum, scope)
    assert found is not None
    start, end = found
    return stratum.acceptable[:start], stratum.acceptable[start:end], stratum.acceptable[end:]


def _open(strata: Sequence[Stratum], scope: TemplateScope) -> Iterator[Leaf]:
    groups: dict[Hashable, list[Stratum]] = {}
    for stratum in strata:
        if _mask(stratum, scope) is not None:
            groups.setdefault((stratum.template, _skeleton(stratum, scope)), []).append(stratum)
    for group in groups.values():
        yield from _merged(group, scope)


def _skeleton(stratum: Stratum, scope: TemplateScope) -> Hashable:
    before, _, after = visible(stratum, scope)
    return tuple(
        (stratum.draws[piece.draw].key, piece.glued)
        if isinstance(piece, Ref)
        else None
        if isinstance(piece, Mark)
        else (piece.text, piece.glued)
        for piece in (*before, *after)
    )


def _merged(group: Sequence[Stratum], scope: TemplateScope) -> Iterator[Leaf]:
    first = group[0]
    before, _, after = visible(first, scope)
    shown = list(dict.fromkeys(piece.draw for piece in (*before, *after) if isinstance(piece, Ref)))
    keys = {first.draws[draw].key: draw for draw in shown}
    merged: dict[int, dict[tuple[str | None, ...], dict[int, Entry]]] = {draw: {} for draw in shown}
    conditions: list[tuple[int, Condition]] = []
    for bit, stratum in enumerate(group):
        numbers = {number: keys[plan_.key] for number, plan_ in enumerate(stratum.draws) if plan_.key in keys}
        forms: dict[int, list[int]] = {}
        own_before, _, own_after = visible(stratum, scope)
        for piece in (*own_before, *own_after):
            if isinstance(piece, Ref):
                forms.setdefault(piece.draw, []).append(piece.form)
        for number, used in forms.items():
            table = merged[numbers[number]]
            for entry in stratum.domains[number]:
                table.setdefault(tuple(entry.texts[form] for form in used), {}).setdefault(bit, entry)
        conditions += [(bit, _visible_condition(c, stratum, numbers)) for c in stratum.conditions]
    domains: list[tuple[Entry, ...]] = []
    index: dict[int, dict[int, dict[int, Entry]]] = {}
    for position, draw in enumerate(shown):
        entries = []
        index[position] = {}
        for there in merged[draw].values():
            entry = next(iter(there.values()))
            entries.append(entry)
            index[position][id(entry)] = there
        domains.append(tuple(entries))
    place = {draw: position for position, draw in enumerate(shown)}
    moved = [
        (bit, Condition(tuple(place[d] for d in c.draws), c.read, c.holds, c.text)) for bit, c in conditions if c.draws
    ]
    unlike = frozenset((place[a], place[b]) for a, b in first.unlike if a in place and b in place)
    automaton = MaskAutomaton(index, moved, (1 << len(group)) - 1)
    parts = tuple(components(domains, [automaton], unlike))
    for combination in itertools.product(*(part.counts.items() for part in parts)):
        items = 1
        bits = 0
        for label, (count, _) in combination:
            items *= count
            for part_label in label:  # type: ignore[attr-defined]
                bits = part_label
        members = tuple(stratum for bit, stratum in enumerate(group) if bits >> bit & 1)
        full = tuple(domains[place[draw]] if draw in place else first.domains[draw] for draw in range(len(first.draws)))
        yield Leaf(
            members, scope, full, _renumbered(parts, shown), tuple(label for label, _ in combination), items, items
        )


def _renumbered(parts: Sequence[Component], shown: Sequence[int]) -> tuple[Component, ...]:
    return tuple(_View(part, shown) for part in parts)


class _View(Component):
    """A component over visible draws, speaking of the stratum's own draw numbers."""

    def __init__(self, part: Component, shown: Sequence[int]) -> None:
        self._part = part
        self._shown = tuple(shown)
        self.counts = part.counts
        self.draws = tuple(shown[draw] for draw in part.draws)

    def accepts(self, taken: Mapping[int, Entry]) -> Hashable | None:
        """As the component's."""
        return self._part.accepts({draw: taken[self._shown[draw]] for draw in self._part.draws})

    def item(self, index: int, label: Hashable) -> dict[int, Entry]:
        """As the component's."""
        return {self._shown[draw]: entry for draw, entry in self._part.item(index, label).items()}


def _visible_condition(condition: Condition, stratum: Stratum, numbers: dict[int, int]) -> Condition:
    """A condition on what is visible: masked draws are left to exist."""
    hidden = sorted({draw for draw in condition.draws if draw not in numbers})
    if not hidden:
        return Condition(tuple(numbers[d] for d in condition.draws), condition.read, condition.holds, condition.text)
    slots = [position for position, draw in enumerate(condition.draws) if draw in hidden]
    kept = [position for position, draw in enumerate(condition.draws) if draw not in hidden]
    choices = [
        dict.fromkeys(
            tuple(condition.read[p](entry) for p in slots if condition.draws[p] == draw)
            for entry in stratum.domains[draw]
        )
        for draw in hidden
    ]
    order = [p for draw in hidden for p in slots if condition.draws[p] == draw]
    readings = [tuple(itertools.chain.from_iterable(found)) for found in itertools.product(*choices)]

    def holds(values: tuple[Hashable, ...]) -> bool:
        for hidden_values in readings:
            whole: list[Hashable] = [None] * len(condition.draws)
            for position, value in zip(kept, values, strict=True):
                whole[position] = value
            for position, value in zip(order, hidden_values, strict=True):
                whole[position] = value
            if condition.holds(tuple(whole)):
                return True
        return False

    return Condition(
        tuple(numbers[condition.draws[p]] for p in kept), tuple(condition.read[p] for p in kept), holds, condition.text
    )
