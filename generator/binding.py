"""Conditions, references and distinctness of one path, bound to the numbers of its draws."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

from generator.agreeing import Scope
from generator.conditions import ConditionBinder, Unbound, conjuncts, read_operand
from generator.drawing import Drawing, ReferenceTest
from generator.strata import Condition, DrawPlan, Version


class PathBinder:
    """Binds what a rendering has collected."""

    def __init__(self, run: Drawing) -> None:
        self.run = run
        self.template = run.template
        self.system = run.resolver.system

    def names(self, scope: Scope) -> dict[str, int]:
        """The names known in a scope, with their draws; a phrase's name is its head's draw."""
        run = self.run
        names: dict[str, int] = {}
        for number, (key, draw) in enumerate(run.draws.items()):
            inside = key[: len(scope.path)] == scope.path and len(key) == len(scope.path) + 1
            if inside or key[:1] == ("table",) or (not scope.path and key[:1] == ("cell",)):
                names.setdefault(draw.name, number)
        for key, (shown, head) in run.heads.items():
            if key[:-1] == scope.path:
                names.setdefault(shown, run.numbers[head])
        return names

    # --- where --------------------------------------------------------------------------------------------------

    def conditions(self, top: Scope) -> Iterator[Condition]:
        """The template's conditions and those of every use of a phrase; void where they name what is not there."""
        template = self.template
        bound = [(where, top) for where in template.wheres]
        for scope, phrase in self.run.scopes.values():
            bound += [(where, scope) for where in phrase.wheres]
        for where, scope in bound:
            binder = self._binder(scope)
            for part in conjuncts(where.condition):
                try:
                    yield binder.bind(part)
                except Unbound:
                    # In this shape the name does not occur (another rule of the phrase was taken).
                    continue

    def _binder(self, scope: Scope) -> ConditionBinder:
        template = self.template
        path = scope.path if scope.phrase else ()
        cells: dict[str, tuple[int, frozenset[str]]] = {
            name: (cell, template.variable(name, scope.phrase).carries)
            for (where_decided, name), cell in self.run.cells_used.items()
            if where_decided == path
        }
        cells.update((own, (cell, carries)) for own, cell, carries in scope.variables)
        typed = {name: self.run.resolver.typed_feature(name) for name in cells}
        wholes = {shown: whole for key, (shown, whole) in self.run.wholes.items() if key[:-1] == scope.path}
        return ConditionBinder(
            self.run.resolver.lexicon, self.names(scope), cells, template.known_name, self.run.rows, typed, wholes
        )

    # --- references ---------------------------------------------------------------------------------------------

    def references(self) -> Iterator[Condition]:
        """The conditions behind `gender=x.gender` that concern the item."""
        for test in self.run.tests:
            found = self._reference(test)
            if found is not None:
                yield found

    def version(self, version: Version, tests: list[ReferenceTest]) -> Version:
        """A version with the conditions behind its references."""
        found = [condition for test in tests if (condition := self._reference(test)) is not None]
        return replace(version, tests=tuple(found)) if found else version

    def _reference(self, test: ReferenceTest) -> Condition | None:
        names = self.names(test.scope)
        if test.of not in names:
            return None
        read = read_operand(self.system, test.feature)
        draws = (names[test.of], self.run.numbers[test.draw])
        text = f"{test.feature}={'!' * test.negative}{test.of}.{test.feature}"

        def holds(values: tuple[Hashable, ...]) -> bool:
            one, other = values[0], values[1] if len(values) > 1 else frozenset([test.value])
            known = isinstance(one, frozenset) and isinstance(other, frozenset)
            if test.negative:
                return known and not (one & other)  # type: ignore[operator]
            return not known or bool(one & other)  # type: ignore[operator]

        if test.value:
            return Condition(draws[:1], (read,), holds, text)
        return Condition(draws, (read, read), holds, text)

    # --- distinctness -------------------------------------------------------------------------------------------

    def unlike(self, draws: tuple[DrawPlan, ...]) -> tuple[frozenset[tuple[int, int]], frozenset[int]]:
        """The pairs of draws that must differ, and those that `distinct` names."""
        names: Mapping[str, int] = self.names(Scope((), {}))
        pairs = set()
        told: set[int] = set()
        for first in range(len(draws)):
            for second in range(first + 1, len(draws)):
                if draws[first].is_open and draws[second].is_open:
                    pairs.add((first, second))
        for keyword, group in self.template.identities:
            numbers = sorted({names[name] for name in group if name in names})
            for i, first in enumerate(numbers):
                for second in numbers[i + 1 :]:
                    if keyword == "repeat":
                        pairs.discard((first, second))
                    else:
                        pairs.add((first, second))
                        told |= {first, second}
        return frozenset(pairs), frozenset(told)
