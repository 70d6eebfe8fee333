"""What `gen check` finds: tables of small checks, and the two ways to run them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from generator import mention_checks, statement_checks
from generator.checking import Subject
from generator.errors import Diagnostic, GrammarError, StarlingError, by_place
from generator.loading import Grammar
from generator.plan_checks import PLAN_CHECKS
from generator.planning import FLAVOURS, Plan, plan_resolved
from generator.resolving import Resolver

STATIC_CHECKS: tuple[Callable[[Subject], Iterator[Diagnostic]], ...] = (
    mention_checks.check_no_templates,
    mention_checks.check_recursion,
    mention_checks.check_mentions,
    mention_checks.check_forms,
    mention_checks.check_stars,
    statement_checks.check_duplicates,
    statement_checks.check_families,
    statement_checks.check_statements,
    statement_checks.check_variables,
    statement_checks.check_definitions,
    statement_checks.check_guesses,
)


def check(grammar: Grammar) -> list[Diagnostic]:
    """Every finding about a grammar, errors and warnings, in the order of its lines."""
    subject = Subject(grammar)
    findings = _static(subject)
    if not any(finding.is_error for finding in findings):
        findings += _planned(subject.resolver)
    return by_place(findings)


def require_good(grammar: Grammar) -> Resolver:
    """The resolver of a grammar without errors of form; raises GrammarError with all of them otherwise.

    Checks that need the whole plan (examples, contrasts that no word shows) are left to `check`.
    """
    subject = Subject(grammar)
    errors = [finding for finding in by_place(_static(subject)) if finding.is_error]
    if errors:
        raise GrammarError(errors)
    return subject.resolver


def _static(subject: Subject) -> list[Diagnostic]:
    """Findings that need no plan."""
    findings = list(subject.grammar.diagnostics)
    for check_one in STATIC_CHECKS:
        findings.extend(check_one(subject))
        if any(finding.code == "recursion" for finding in findings):
            return findings  # what contains itself cannot be walked
    return [*findings, *subject.resolver.diagnostics]


def _planned(resolver: Resolver) -> list[Diagnostic]:
    """Findings of the counted space."""
    plans: list[Plan] = []
    for flavour in FLAVOURS:
        try:
            plans.append(plan_resolved(resolver, flavour))
        except GrammarError as error:
            return list(error.diagnostics)
        except StarlingError:
            continue  # the grammar does not have this flavour
    return [finding for check_one in PLAN_CHECKS for plan in plans for finding in check_one(plan)]
