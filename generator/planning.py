"""Checked grammar -> `Plan`: the counted space of items, pure data, printable.

A plan lists, for each template, its *leaves*: strata whose items differ in words only.  The forced-choice flavour
has a leaf for every stratum; the open-ended flavour projects the acceptable members on what is outside the mask,
where strata that read alike share a leaf for each set of strata that have its items.
"""

from __future__ import annotations

import hashlib
import itertools
from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from generator._version import __version__
from generator.automata import ConditionAutomaton
from generator.components import Filter, KnownComponents, components
from generator.errors import UsageError
from generator.expanding import TemplateExpander
from generator.items import Flavour
from generator.leaves import Leaf, masked_stretch
from generator.licences import DomainIndex
from generator.loading import Grammar
from generator.paths import DeadBranch
from generator.projecting import open_leaves
from generator.resolving import Resolver
from generator.scopes import TemplateScope
from generator.static_checks import require_good
from generator.strata import Stratum
from generator.versions import VersionAutomaton

FLAVOURS: tuple[Flavour, ...] = ("forced", "open")


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
    def filters(self) -> tuple[tuple[Leaf, Filter], ...]:
        """The constraints that were too large to count with: with any, counts are 'at most'."""
        return tuple((leaf, kept) for t in self.templates for leaf in t.leaves for kept in leaf.filters)

    def exists(self, template: PlanTemplate, index: int) -> bool:
        """Whether a number is an item's: false only where a filter leaves it empty."""
        leaf, place = template.locate(index)
        return leaf.exists(place)

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


def plan_flavours(grammar: Grammar) -> dict[Flavour, Plan]:
    """The plans of the flavours that a grammar has.  Raises as `plan`; UsageError if it has none."""
    found: dict[Flavour, Plan] = {}
    reason = ""
    resolver = require_good(grammar)
    for flavour in FLAVOURS:
        try:
            found[flavour] = plan_resolved(resolver, flavour)
        except UsageError as error:
            reason = str(error)
    if not found:
        raise UsageError(reason)
    return found


def plan_resolved(resolver: Resolver, flavour: Flavour = "forced") -> Plan:
    """Plan a grammar whose names are bound."""
    grammar = resolver.grammar
    found: dict[str, list[Leaf]] = {}
    dead: list[tuple[TemplateScope, tuple[DeadBranch, ...]]] = []
    has_flavour = False
    for number, template in enumerate(grammar.templates, start=1):
        scope = TemplateScope(resolver, template, str(number))
        expander = TemplateExpander(resolver, scope, flavour)
        strata = list(expander.strata())
        dead.append((scope, tuple(expander.dead)))
        if flavour == "forced":
            has_flavour = has_flavour or scope.stars > 0
            leaves: Iterator[Leaf] = _forced(strata, scope) if scope.stars else iter(())
        else:
            masked = scope.target in scope.mentioned if scope.target else bool(scope.contrasts)
            has_flavour = has_flavour or (
                any(masked_stretch(stratum, scope) is not None for stratum in strata) if strata else masked
            )
            leaves = open_leaves(strata, scope)
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


def filter_lines(plan: Plan) -> list[str]:
    """What could not be counted with, with its slots: `where V(a, b) (V, a, b)`."""
    found: dict[str, None] = {}
    for leaf, kept in plan.filters:
        slots = ", ".join(dict.fromkeys(leaf.stratum.draws[draw].name for draw in kept.draws))
        found[f"{kept.text} ({slots})"] = None
    return list(found)


# --- forced choice ------------------------------------------------------------------------------------------


def _forced(strata: Sequence[Stratum], scope: TemplateScope) -> Iterator[Leaf]:
    by_structure: dict[Hashable, list[Stratum]] = {}
    for stratum in strata:
        by_structure.setdefault(stratum.structure, []).append(stratum)
    index = DomainIndex()
    known: KnownComponents = {}
    for stratum in strata:
        versions = VersionAutomaton(stratum, by_structure[stratum.structure], scope.has_option("one star"), index)
        automata = [ConditionAutomaton(condition, stratum.domains) for condition in stratum.conditions]
        counted = components(stratum.domains, [*automata, versions], stratum.unlike, stratum.told, known=known)
        items, count = 1, 1
        labels = []
        for part in counted.parts:
            label = next(iter(part.counts), ())
            labels.append(label)
            own = part.counts.get(label, (0, 0))
            items, count = items * own[0], count * own[1]
        if any(kept.automaton is versions for kept in counted.filters):
            count *= max(1, sum(not version.acceptable for version in stratum.versions))
        yield Leaf(
            (stratum,), scope, stratum.domains, counted.parts, tuple(labels), items, count, versions, counted.filters
        )
