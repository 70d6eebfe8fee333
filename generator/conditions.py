"""`where` conditions bound to the draws of a stratum."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from generator import nodes
from generator.features import FeatureSystem
from generator.lexicon import Lexicon
from generator.selection import Arguments, column_of, fits, read_argument, read_columns
from generator.strata import Condition, Entry

if TYPE_CHECKING:
    from collections.abc import Sequence

Value = frozenset[str] | bool | None
"""What an operand reads: a set of values, a flag, or None where the word has nothing to say (it fits all)."""

Holds = Callable[[tuple[Hashable, ...]], bool | None]
"""Whether a condition holds of what it reads; None where that depends on flags of words that are asked for none."""


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
        # Words of the user's own, and those judged by tag, are asked for no flag: it may be there or not.
        return lambda entry: part in (flags := entry.member.entry.flags) or (None if "guessed_word" in flags else False)
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


def _joined(operator: str, parts: Sequence[Holds]) -> Holds:
    """`not`, `and`, `or` of conditions, of which some may be unknown (Kleene's logic)."""
    if operator == "not":

        def negated(values: tuple[Hashable, ...]) -> bool | None:
            found = parts[0](values)
            return None if found is None else not found

        return negated
    decisive = operator == "or"

    def joined(values: tuple[Hashable, ...]) -> bool | None:
        result: bool | None = not decisive
        for part in parts:
            found = part(values)
            if found is decisive:
                return decisive
            if found is None:
                result = None
        return result

    return joined


class ConditionBinder:
    """Binds conditions in one scope.

    `draws` maps names to draw numbers, `cells` variables to (cell, features), `rows` a table whose row is chosen to
    that row's cells by column label ('' is the first), `typed` variables to their feature, `wholes` phrases to the
    features that they have as a whole.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        draws: Mapping[str, int],
        cells: Mapping[str, tuple[int, frozenset[str]]],
        is_name: Callable[[str], bool],
        rows: Mapping[str, Mapping[str, str]],
        typed: Mapping[str, str],
        wholes: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.lexicon = lexicon
        self.system = lexicon.system
        self.typed = typed
        self.wholes = wholes
        self.draws = draws
        self.cells = cells
        self.is_name = is_name
        self.rows = rows

    def bind(self, condition: nodes.Condition) -> Condition:
        """The condition as a function of what it reads.  Raises Unbound."""
        reads: list[tuple[int, Callable[[Entry], Hashable]]] = []
        evaluate = self._bind(condition, reads)
        return Condition(
            tuple(draw for draw, _ in reads),
            tuple(read for _, read in reads),
            lambda values: evaluate(values) is not False,
            _shown(condition),
            all(self._is_lexical(operand) for operand in operands(condition)),
        )

    def _is_lexical(self, operand: nodes.Operand) -> bool:
        declaration = self.system.declarations.get(operand.part)
        return operand.kind != "variable" and (declaration is None or declaration.kind != "value")

    def _bind(self, condition: nodes.Condition, reads: list[tuple[int, Callable[[Entry], Hashable]]]) -> Holds:
        if isinstance(condition, nodes.Logical):
            return _joined(condition.operator, [self._bind(part, reads) for part in condition.parts])
        if isinstance(condition, nodes.Predicate):
            return self._predicate(condition, reads)
        if condition.operator == "fits":
            return self._fits(condition, reads)
        left = self._operand(condition.left, reads, False)
        right = [self._operand(operand, reads, True) for operand in condition.right]
        if not right:
            declaration = self.system.declarations.get(condition.left.part)
            is_flag = declaration is not None and declaration.kind == "flag"

            def alone(values: tuple[Hashable, ...]) -> bool | None:
                value = left(values)
                if isinstance(value, bool) or (value is None and is_flag):
                    return value
                return bool(value) and value != frozenset([""])

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
            if feature := self.typed.get(operand.name):
                fixed: Value = frozenset([self.system.values(feature)[cell]])
            elif operand.part:
                fixed = frozenset([self.system.value_in(cell, operand.part)])
            else:
                fixed = frozenset(
                    "|".join(self.system.value_in(cell, name) for name in self.system.bundle if name in features)
                    for _ in (0,)
                )
            return lambda values: fixed
        if operand.part and operand.part in self.wholes.get(operand.name, {}):
            whole: Value = frozenset([self.wholes[operand.name][operand.part]])
            return lambda values: whole
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

    # --- selection ----------------------------------------------------------------------------------------------

    def _draw(self, operand: nodes.Operand) -> int:
        if operand.name not in self.draws:
            raise Unbound(operand)
        return self.draws[operand.name]

    def _predicate(self, condition: nodes.Predicate, reads: list[tuple[int, Callable[[Entry], Hashable]]]) -> Holds:
        """`V(subj, obj)`: each argument fits the column at its place."""
        named = [(n, a) for n, a in enumerate(condition.arguments) if a.name != "_"]
        position = len(reads)
        verb = self._draw(condition.verb)
        places = tuple(number for number, _ in named)
        reads.append((verb, lambda entry: read_columns(self.lexicon, entry.member.entry, places)))
        for _, argument in named:
            reads.append((self._draw(argument), lambda entry: read_argument(self.lexicon, entry.member.entry)))
        arguments = range(position + 1, len(reads))

        def holds(values: tuple[Hashable, ...]) -> bool:
            columns = values[position]
            assert isinstance(columns, tuple)
            return all(fits(_words(values[at]), column) for at, column in zip(arguments, columns, strict=True))

        return holds

    def _fits(self, condition: nodes.Comparison, reads: list[tuple[int, Callable[[Entry], Hashable]]]) -> Holds:
        """`x fits y.column`, or `y.column fits x`."""
        left, right = condition.left, condition.right[0]
        owner, argument = (right, left) if right.part else (left, right)
        position = len(reads)
        reads.append((self._draw(owner), lambda entry: column_of(entry.member.entry, owner.part)))
        reads.append((self._draw(argument), lambda entry: read_argument(self.lexicon, entry.member.entry)))

        def holds(values: tuple[Hashable, ...]) -> bool:
            column = values[position]
            assert column is None or isinstance(column, str)
            return fits(_words(values[position + 1]), column)

        return holds


def _words(value: Hashable) -> Arguments:
    assert value is None or isinstance(value, frozenset)
    return value


def _shown(condition: nodes.Condition) -> str:
    """A condition as written; a part of `V(a, b)` with the argument that it is about."""
    if isinstance(condition, nodes.Predicate):
        return f"{condition.verb.name}({', '.join(argument.name for argument in condition.arguments)})"
    return condition.span.text


def conjuncts(condition: nodes.Condition) -> Iterator[nodes.Condition]:
    """A condition split at its outermost `and`: each part holds, and is void, by itself."""
    if isinstance(condition, nodes.Logical) and condition.operator == "and":
        for part in condition.parts:
            yield from conjuncts(part)
    elif isinstance(condition, nodes.Predicate):
        named = [n for n, argument in enumerate(condition.arguments) if argument.name != "_"]
        for number in named:  # each argument is a condition of its own
            skipped = tuple(
                argument if n == number else replace(argument, name="_")
                for n, argument in enumerate(condition.arguments)
            )
            yield replace(condition, arguments=skipped)
    else:
        yield condition


def operands(condition: nodes.Condition) -> Sequence[nodes.Operand]:
    """Every operand of a condition, left to right."""
    if isinstance(condition, nodes.Logical):
        return [operand for part in condition.parts for operand in operands(part)]
    if isinstance(condition, nodes.Predicate):
        return [condition.verb, *(argument for argument in condition.arguments if argument.name != "_")]
    return [condition.left, *condition.right]
