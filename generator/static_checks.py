"""Checks that need no plan: a table of small functions, and what lets planning begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from generator import construct_checks, definition_checks, design_checks, mention_checks, statement_checks
from generator.checking import Subject
from generator.errors import Diagnostic, GrammarError, by_place
from generator.loading import Grammar
from generator.resolving import Resolver

STATIC_CHECKS: tuple[Callable[[Subject], Iterator[Diagnostic]], ...] = (
    mention_checks.check_no_templates,
    mention_checks.check_recursion,
    mention_checks.check_mentions,
    mention_checks.check_forms,
    mention_checks.check_stars,
    mention_checks.check_braces,
    definition_checks.check_duplicates,
    definition_checks.check_families,
    statement_checks.check_statements,
    statement_checks.check_variables,
    definition_checks.check_phrases,
    definition_checks.check_definitions,
    construct_checks.check_typed_variables,
    construct_checks.check_government,
    construct_checks.check_selection,
    construct_checks.check_options,
    design_checks.check_factors,
    design_checks.check_arms,
    design_checks.check_expectations,
)


def require_good(grammar: Grammar) -> Resolver:
    """The resolver of a grammar without errors of form; raises GrammarError with all of them otherwise.

    Checks that need the whole plan (examples, contrasts that no word shows) are left to `check`.
    """
    subject = Subject(grammar)
    errors = [finding for finding in by_place(static_findings(subject)) if finding.is_error]
    if errors:
        raise GrammarError(errors)
    return subject.resolver


def static_findings(subject: Subject) -> list[Diagnostic]:
    """Findings that need no plan."""
    findings = list(subject.grammar.diagnostics)
    for check_one in STATIC_CHECKS:
        findings.extend(check_one(subject))
        if any(finding.code == "recursion" for finding in findings):
            return findings  # what contains itself cannot be walked
    return [*findings, *subject.resolver.diagnostics]
