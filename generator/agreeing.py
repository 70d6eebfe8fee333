"""Decisions along one path, and the values that they give to variables."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from generator import nodes
from generator.paths import DeadBranch, Oracle
from generator.resolving import Resolver
from generator.scopes import DesignCondition, TemplateScope
from generator.strata import Decision


@dataclass(frozen=True)
class Scope:
    """Where names live: the template (empty path) or one use of a phrase.

    `variables` are a phrase's own: (name, the cell or value number it is bound to, the features that the outer variable
    carries); where that of agreement is not bound, it has the values `stated`.  `passed` are mentions of the phrase
    whose features go to its `head`, each with the scope in which it stands.  `nesting` counts the uses of phrases
    around this one, itself included.
    """

    path: tuple[Hashable, ...]
    labels: Mapping[str, str]
    variables: tuple[tuple[str, int, frozenset[str]], ...] = ()
    phrase: str = ""
    passed: tuple[tuple[nodes.Mention, Scope], ...] = ()
    nesting: Mapping[str, int] = field(default_factory=dict)
    head: nodes.Mention | None = None
    stated: tuple[tuple[str, str], ...] = ()


class Agreement:
    """Decides what is open on a path, and what variables stand for."""

    def __init__(self, resolver: Resolver, scope: TemplateScope, oracle: Oracle) -> None:
        self.resolver = resolver
        self.template = scope
        self.primary = oracle
        self.secondary: Oracle | None = None
        self.ranks: list[int] = []
        self.cells_used: dict[tuple[tuple[Hashable, ...], str], int] = {}
        self.condition: DesignCondition | None = None  # of a factor design: the one being rendered
        self.site: Hashable = ()  # with `versions product`, the contrast being rendered

    # --- decisions ----------------------------------------------------------------------------------------------

    def choose(
        self,
        key: Hashable,
        weights: tuple[int, ...],
        label: str,
        crossed: bool = False,
        is_variable: bool = False,
        for_item: bool = False,
        names: Sequence[str] = (),
    ) -> int:
        """Which of the weighted options this path takes; asked once per key.

        In a starred member the choice is a version's, unless it is made `for_item`.
        """
        for oracle in (self.primary, self.secondary):
            if oracle is not None and key in oracle.memory:
                return oracle.memory[key].index
        if len(weights) == 1 and not crossed:
            return 0
        oracle = self.primary if for_item or self.secondary is None else self.secondary
        return oracle.choose(Decision(key, 0, weights, label, crossed, is_variable, tuple(names))).index

    # --- variables ----------------------------------------------------------------------------------------------

    def variable(self, name: str, scope: Scope) -> int:
        """The cell (of a typed variable: the value's number) of a variable in a scope; decides it where it is open."""
        for own, cell, _ in scope.variables:
            if own == name:
                return cell
        path = scope.path if scope.phrase else ()
        info = self.template.variable(name, scope.phrase)
        if not info.cells:
            raise DeadBranch(self.template.template.span, f"no value of {name} fits all its words")
        fixed = self.condition.fixes.get(name) if self.condition is not None and not path else None
        if fixed is not None:
            return self._fixed(name, fixed, info.cells, info.feature)
        cells = info.cells
        if scope.stated and not info.feature and scope.phrase:
            cells = tuple(cell for cell in cells if self.has_values(cell, scope.stated))
            if not cells:
                raise DeadBranch(self.template.template.span, f"no word of phrase '{scope.phrase}' fits")
        is_crossed = not path and name in self.template.crossed
        names = [info.labels[cell] for cell in cells]
        weights = tuple([self.template.weight_of(name, label) for label in names])
        index = self.choose(("variable", path, name), weights, name, is_crossed, True, names=names)
        cell = cells[index]
        if self.secondary is None:
            self.cells_used.setdefault((path, name), cell)
        return cell

    def has_values(self, cell: int, stated: Iterable[tuple[str, str]]) -> bool:
        """Whether a cell of the bundle has these values."""
        return all(self.resolver.system.value_in(cell, feature) == value for feature, value in stated)

    def _fixed(self, name: str, value: str, cells: tuple[int, ...], typed: str) -> int:
        """The value of a variable that a level of a factor fixes; what it leaves open is one for the item."""
        system = self.resolver.system
        if typed:
            cell = system.values(typed).index(value)
        else:
            feature = system.bare[value][0] if value in system.bare else self.template.fixed_feature(name)
            others = [f for f in system.bundle if f != feature]
            groups: dict[tuple[str, ...], list[int]] = {}
            for each in cells:
                groups.setdefault(tuple(system.value_in(each, f) for f in others), []).append(each)
            index = self.choose(("variable", (), name), (1,) * len(groups), name, False, True)
            fitting = [c for c in list(groups.values())[index] if system.value_in(c, feature) == value]
            if not fitting:
                raise DeadBranch(self.template.template.span, f"no word fits {name} {value}")
            cell = fitting[0]
        self.cells_used.setdefault(((), name), cell)
        return cell

    def carried(self, name: str, scope: Scope) -> frozenset[str]:
        """The features of the bundle that a variable's mentions carry."""
        for own, _, carries in scope.variables:
            if own == name:
                return carries
        return self.template.variable(name, scope.phrase).carries

    def _others(self, name: str, scope: Scope) -> list[tuple[int, list[str]]]:
        """The cells that differ from a variable's in features that it carries, with those features."""
        cell = self.variable(name, scope)
        carries = self.carried(name, scope)
        every = self.resolver.system.differences(cell)
        return [(other, differing) for other, differing in every if carries.issuperset(differing)]

    def _other_values(self, name: str, scope: Scope) -> list[int]:
        """The other values of a typed variable, in declared order."""
        value = self.variable(name, scope)
        every = range(len(self.resolver.system.values(self.resolver.typed_feature(name))))
        return [other for other in every if other != value]

    def other(self, name: str, part: str, scope: Scope) -> int:
        """The cell of `!$n` as a distractor: a value that differs from `$n` in its first (or the named) feature."""
        system = self.resolver.system
        if self.resolver.typed_feature(name):
            options = self._other_values(name, scope)
            feature = self.resolver.typed_feature(name)
        else:
            carries = self.carried(name, scope)
            feature = part if part and part != "all" else next((f for f in system.bundle if f in carries), "")
            options = [other for other, differing in self._others(name, scope) if feature in differing]
        if not options:
            raise DeadBranch(self.template.template.span, f"no value differs from {name} in {feature or 'agreement'}")
        path = scope.path if scope.phrase else ()
        key = ("other", path, name, part, self.variable(name, scope))
        index = self.choose(key, (1,) * len(options), f"!{name}", False, True)
        return options[index]

    def ranked(self, name: str, part: str, scope: Scope) -> list[tuple[int, int]]:
        """(rank, cell) of what `!$n` can break to, in the order in which features are tried."""
        system = self.resolver.system
        if self.resolver.typed_feature(name):
            return [(0, value) for value in self._other_values(name, scope)]
        return system.breaks(self.variable(name, scope), self.carried(name, scope), part)

    def broken(self, name: str, part: str, scope: Scope) -> int:
        """The cell that a starred mention breaks `$n` to; its rank says which feature it changes."""
        ranked = self.ranked(name, part, scope)
        if not ranked:
            raise DeadBranch(self.template.template.span, f"{name} has no other value")
        path = scope.path if scope.phrase else ()
        index = self.choose(("broken", self.site, path, name, part), (1,) * len(ranked), f"!{name}")
        self.ranks.append(ranked[index][0])
        return ranked[index][1]
