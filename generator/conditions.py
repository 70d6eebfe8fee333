"""`where` conditions bound to the draws of a stratum."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING

from generator import nodes
from generator.features import FeatureSystem
from generator.strata import Condition, Entry

if TYPE_CHECKING:
    from collections.abc import Sequence

Value = frozenset[str] | bool | None
"""What an operand reads: a set of values, a flag, or None where the word has nothing to say (it fits all)."""


class Unbound(Exception):  # noqa: N818 - not an error: a file-level condition may not concern a template
    """A condition names something that this template does not have."""

    def __init__(self, operand: nodes.Operand) -> None:
        self.operand = operand
        super().__init__(operand.name)


def read_operand(system: FeatureSystem, part: str) -> Callable[[Entry], Value]:
    """What `x.part` reads of a drawn word; without a part, its lemma."""

    def lemma(entry: Entry) -> Value:
        found = entry.member.entry
        return frozenset([found.lemma.replace("_", " "), found.lemma])

    if not part:
        return lemma
    declaration = system.declarations.get(part)
    if declaration is None:
        return lambda entry: None
    if declaration.kind == "flag":
        return lambda entry: part in entry.member.entry.flags
    if declaration.kind in ("text", "filter"):
        return lambda entry: frozenset([entry.member.entry.columns.get(part, "")])
    if part in system.bundle:
        values = system.values(part)

        def bundle(entry: Entry) -> Value:
            masks = [a.mask for a in entry.reading.analyses if a.agreeing and part in a.carries]
            if not masks:
                return None
            return frozenset(v for v in values if any(mask & system.mask_of(part, v) for mask in masks))

        return bundle

    def value(entry: Entry) -> Value:
        forms = {a.get(part) for a in entry.reading.analyses} - {None}
        if forms:
            return frozenset(form for form in forms if form)
        return entry.member.entry.values.get(part)

    return value


def equal(left: Value, right: Value) -> bool:
    """Whether two readings agree; nothing to say agrees with everything."""
    if left is None or right is None:
        return True
    if isinstance(left, bool) or isinstance(right, bool):
        return left == right
    return bool(left & right)


class ConditionBinder:
    """Binds conditions in one scope.

    `draws` maps names to draw numbers, `cells` variables to (cell, features), `rows` a table whose row is chosen to
    that row's cells by column label ('' is the first).
    """

    def __init__(
        self,
        system: FeatureSystem,
        draws: Mapping[str, int],
        cells: Mapping[str, tuple[int, frozenset[str]]],
        is_name: Callable[[str], bool],
        rows: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.system = system
        self.draws = draws
        self.cells = cells
        self.is_name = is_name
        self.rows = rows

    def bind(self, condition: nodes.Condition) -> Condition:
        """The condition as a function of what it reads.  Raises Unbound."""
        reads: list[tuple[int, Callable[[Entry], Hashable]]] = []
        evaluate = self._bind(condition, reads)
        return Condition(
            tuple(draw for draw, _ in reads), tuple(read for _, read in reads), evaluate, condition.span.text
        )

    def _bind(
        self, condition: nodes.Condition, reads: list[tuple[int, Callable[[Entry], Hashable]]]
    ) -> Callable[[tuple[Hashable, ...]], bool]:
        if isinstance(condition, nodes.Logical):
            parts = [self._bind(part, reads) for part in condition.parts]
            if condition.operator == "not":
                return lambda values: not parts[0](values)
            join = all if condition.operator == "and" else any
            return lambda values: join(part(values) for part in parts)
        left = self._operand(condition.left, reads, False)
        right = [self._operand(operand, reads, True) for operand in condition.right]
        if not right:

            def alone(values: tuple[Hashable, ...]) -> bool:
                value = left(values)
                return value if isinstance(value, bool) else bool(value) and value != frozenset([""])

            return alone
        if condition.operator == "!=":
            return lambda values: (
                not equal(left(values), right[0](values)) or (left(values) is None or right[0](values) is None)
            )
        return lambda values: any(equal(left(values), side(values)) for side in right)

    def _operand(
        self, operand: nodes.Operand, reads: list[tuple[int, Callable[[Entry], Hashable]]], is_right: bool
    ) -> Callable[[tuple[Hashable, ...]], Value]:
        if operand.kind == "word":
            constant: Value = frozenset([operand.name])
            return lambda values: constant
        if operand.kind == "variable":
            if operand.name not in self.cells:
                raise Unbound(operand)
            cell, features = self.cells[operand.name]
            if operand.part:
                fixed: Value = frozenset([self.system.value_in(cell, operand.part)])
            else:
                fixed = frozenset(
                    "|".join(self.system.value_in(cell, name) for name in self.system.bundle if name in features)
                    for _ in (0,)
                )
            return lambda values: fixed
        if operand.name in self.draws:
            position = len(reads)
            reads.append((self.draws[operand.name], read_operand(self.system, operand.part)))

            def drawn(values: tuple[Hashable, ...]) -> Value:
                value = values[position]
                assert value is None or isinstance(value, bool | frozenset)
                return value

            return drawn
        if operand.name in self.rows:
            cell_text: Value = frozenset([self.rows[operand.name].get(operand.part, "")])
            return lambda values: cell_text
        if operand.part or self.is_name(operand.name) or not is_right:
            raise Unbound(operand)
        literal: Value = frozenset([operand.name])
        return lambda values: literal


def operands(condition: nodes.Condition) -> Sequence[nodes.Operand]:
    """Every operand of a condition, left to right."""
    if isinstance(condition, nodes.Logical):
        return [operand for part in condition.parts for operand in operands(part)]
    return [condition.left, *condition.right]
