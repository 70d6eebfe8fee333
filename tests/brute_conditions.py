"""Conditions, selection and references for the second oracle."""

from __future__ import annotations

from typing import Any

from brute_reader import Grammar
from brute_words import BUNDLE, FILTERS, VALUES, fits


class Void(Exception):  # noqa: N818
    """A name that does not occur in this derivation."""


def drawn(result: Any, path: Any, name: str) -> Any:
    """The key of the draw that a name stands for (of a phrase: its head); None where there is none."""
    key = result.names.get(path, {}).get(name)
    while key in result.uses:
        key = result.heads.get(result.uses[key][0])
    return key if key in result.draws else None


def values(result: Any, path: Any, name: str, feature: str) -> frozenset[str] | None:
    """The values of `name.feature`; None where it has nothing to say.  Raises Void."""
    key = result.names.get(path, {}).get(name)
    while key in result.uses:
        inner, phrase = result.uses[key]
        literals = dict(phrase.literals)
        if feature in literals:
            return frozenset([literals[feature]])
        key = result.heads.get(inner)
    if key not in result.draws:
        raise Void
    return values_of(result.draws[key], feature)


def values_of(draw: Any, feature: str) -> frozenset[str] | None:
    if not feature:
        return frozenset([draw.word.lemma])
    readings = [r for r in draw.readings if r.agrees] if feature in BUNDLE else draw.readings
    sets = [found for r in readings if (found := r.get(feature)) is not None]
    if sets:
        return frozenset().union(*sets)
    if feature in BUNDLE:
        return None
    columns = dict(draw.word.columns)
    if feature in columns:
        return frozenset([columns[feature]])
    return dict(draw.word.values).get(feature)


def holds(grammar: Grammar, result: Any) -> bool:
    """Whether a derivation keeps all conditions and references."""
    bound = [(where, ()) for where in grammar.wheres]
    for path, phrase in result.uses.values():
        bound += [(where, path) for where in phrase.wheres]
    for where, path in bound:
        for part in split(where):
            try:
                if not test(part, result, path, grammar):
                    return False
            except Void:
                continue
    for feature, negative, path, name, key in result.checks:
        try:
            theirs = values(result, path, name, feature)
        except Void:
            continue
        ours = values_of(result.draws[key], feature)
        if ours is None or theirs is None:
            if negative:
                return False
        elif bool(ours & theirs) == negative:
            return False
    return True


def split(condition: Any) -> list[Any]:
    """A condition at its top-level `and`."""
    return [part for each in condition[1] for part in split(each)] if condition[0] == "and" else [condition]


def test(condition: Any, result: Any, path: Any, grammar: Grammar) -> bool:
    kind = condition[0]
    if kind == "not":
        return not test(condition[1], result, path, grammar)
    if kind in ("and", "or"):  # all parts are read: a name that does not occur makes the whole void
        found = [test(part, result, path, grammar) for part in condition[1]]
        return all(found) if kind == "and" else any(found)
    if kind == "flag":
        _, name, flag = condition[1]
        return flag in _draw(result, path, name).word.flags
    if kind == "fits":
        (_, argument, _), (_, governor, column) = condition[1:]
        return fits(_draw(result, path, argument).word, _draw(result, path, governor).word, column)
    if kind == "call":
        governor = _draw(result, path, condition[1]).word
        columns = FILTERS.get(governor.category, FILTERS["verb"])
        arguments = [None if name == "_" else _draw(result, path, name).word for name in condition[2]]
        return all(
            argument is None or fits(argument, governor, column)
            for argument, column in zip(arguments, columns, strict=False)
        )
    left = _operand(condition[1], result, path, grammar)
    rights = [_operand(part, result, path, grammar) for part in (condition[2] if kind == "in" else [condition[2]])]
    if isinstance(left, dict):
        other = rights[0]
        if isinstance(other, dict):
            same = all(other[name] == value for name, value in left.items() if name in other)
            return same == (kind == "=")
        left = frozenset(left.values())
    answers = [left is None or right is None or bool(left & right) == (kind != "!=") for right in rights]
    return any(answers)


def _draw(result: Any, path: Any, name: str) -> Any:
    key = drawn(result, path, name)
    if key is None:
        raise Void
    return result.draws[key]


def _operand(operand: Any, result: Any, path: Any, grammar: Grammar) -> Any:
    """A set of values, a whole cell, or None."""
    if operand[0] == "value":
        return frozenset([operand[1]])
    _, name, feature = operand
    if not name.startswith("$"):
        return values(result, path, name, feature)
    value = result.cells.get((path, name))
    if value is None:
        value = next(
            (b[name] for k, b in result.bound.items() if path and result.uses[k][0] == path and name in b), None
        )
    if value is None:
        raise Void
    if name in grammar.typed:
        return frozenset([value])
    return frozenset([value[feature]]) if feature else value


__all__ = ["VALUES", "drawn", "holds", "split", "values", "values_of"]
