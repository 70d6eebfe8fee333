"""Expectations of a model (`expect`): bound to the conditions and regions of a factor design."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator import nodes
from generator.formulas import Arithmetic, Formula, FormulaTree, JoinedFormula, Measured, Number, Prediction, Quantity
from generator.scopes import TemplateScope
from generator.walking import mentions_of


def measured_in(formula: Formula | Quantity) -> Iterator[Measured]:
    """Every region or condition that a formula speaks of, left to right."""
    match formula:
        case Measured():
            yield formula
        case Arithmetic() | Prediction():
            yield from measured_in(formula.left)
            yield from measured_in(formula.right)
        case JoinedFormula():
            for part in formula.parts:
                yield from measured_in(part)
        case Number():
            pass


def condition_of(scope: TemplateScope, measured: Measured) -> str:
    """The name of the condition that levels stand for in a template; '' where it has no such condition."""
    for condition in scope.conditions:
        if tuple(condition.levels.values()) == measured.levels:
            return condition.name
    return ""


def concerns(scope: TemplateScope, expect: nodes.Expect) -> bool:
    """Whether a template has all the conditions that an expectation speaks of."""
    return bool(scope.factors) and all(condition_of(scope, m) for m in measured_in(expect.formula))


def expectations_of(scope: TemplateScope) -> dict[str, FormulaTree]:
    """The expectations of a template's items by name; those without one are numbered."""
    found: dict[str, FormulaTree] = {}
    statements = [s for s in scope.resolver.grammar.statements if isinstance(s, nodes.Expect)]
    for number, statement in enumerate(statements, start=1):
        if concerns(scope, statement):
            found[statement.name or f"expectation_{number}"] = _formula(scope, statement.formula)
    return found


def _formula(scope: TemplateScope, formula: Formula) -> FormulaTree:
    if isinstance(formula, Prediction):
        tree: dict[str, Any] = {
            formula.operator: [_quantity(scope, formula.left), _quantity(scope, formula.right)],
        }
        return {**tree, "within": float(formula.within)} if formula.within else tree
    parts = [_formula(scope, part) for part in formula.parts]
    if formula.operator == "group":
        return parts[0]
    return {"not": parts[0]} if formula.operator == "not" else {formula.operator: parts}


def _quantity(scope: TemplateScope, quantity: Quantity) -> FormulaTree:
    match quantity:
        case Number():
            return float(quantity.text)
        case Arithmetic():
            return {quantity.operator: [_quantity(scope, quantity.left), _quantity(scope, quantity.right)]}
        case Measured():
            where = {"condition": condition_of(scope, quantity)}
            return {**where, "region": quantity.region} if quantity.region else where


def regions_of(scope: TemplateScope) -> dict[str, int]:
    """The names of a template's regions (those in brackets, and its words') with how often each stands there."""
    counts: dict[str, int] = {}

    def walk(text: nodes.Text) -> None:
        for item in text.items:
            if isinstance(item, nodes.RegionText):
                counts[item.name] = counts.get(item.name, 0) + 1
                walk(item.text)

    for sentence in scope.template.sentences:
        walk(sentence.text)
        seen: set[object] = set()
        for mention, brace in mentions_of(sentence.text):
            name, class_name = scope.names_of(mention, scope.labels)
            key = (name or class_name, brace)
            if brace is not None and key in seen:
                continue  # the arms of one brace are one place
            seen.add(key)
            counts[name or class_name] = counts.get(name or class_name, 0) + 1
    return counts
