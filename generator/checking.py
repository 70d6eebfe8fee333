"""What the checks look at: a grammar whose names are bound."""

from __future__ import annotations

from collections.abc import Iterator

from generator import nodes
from generator.errors import Diagnostic
from generator.loading import Grammar
from generator.resolving import Resolver
from generator.scopes import TemplateScope
from generator.source import Span


class Subject:
    """A grammar with its resolver and the static knowledge of its templates."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.resolver = Resolver(grammar)
        self.scopes = [
            TemplateScope(self.resolver, template, str(number))
            for number, template in enumerate(grammar.templates, start=1)
        ]


MAX_WEIGHT = 10_000
"""The largest weight: a round of a balanced sample is as long as its weights."""


def weight_problems(weight: int, span: Span, instead: str) -> Iterator[Diagnostic]:
    """A weight that is none; `instead` says how to leave out what weighs nothing."""
    if weight == 0:
        yield problem("weight", "a weight of 0", span, instead)
    elif weight > MAX_WEIGHT:
        yield problem("weight", f"a weight of {weight:,}", span, f"weights go up to {MAX_WEIGHT:,}")


def problem(code: str, message: str, span: Span, hint: str = "") -> Diagnostic:
    """An error of a check."""
    return Diagnostic(code, message, span, hint)


def texts_of(subject: Subject) -> Iterator[tuple[nodes.Text, dict[str, str], bool]]:
    """Every text of the grammar: (text, names known in it, whether it is a template's line)."""
    for scope in subject.scopes:
        for sentence in scope.template.sentences:
            yield sentence.text, dict(scope.labels), True
    for definition in subject.grammar.definitions.values():
        if isinstance(definition, nodes.PhraseDefinition):
            labels = dict(subject.scopes[0].phrase_labels(definition)) if subject.scopes else {}
            for rule in definition.rules:
                yield rule.text, labels, False
        elif isinstance(definition, nodes.TableDefinition):
            for row in definition.rows:
                for cell in row:
                    # Cells belong to the templates: they may say the names given there.
                    yield cell, {name: own for scope in subject.scopes for name, own in scope.labels.items()}, False
