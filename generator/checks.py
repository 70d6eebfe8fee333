"""What `gen check` finds: errors of form, and those that only the counted space shows."""

from __future__ import annotations

from collections.abc import Sequence

from generator.checking import Subject
from generator.definition_checks import check_guesses
from generator.errors import Diagnostic, GrammarError, StarlingError, by_place
from generator.loading import Grammar
from generator.plan_checks import PLAN_CHECKS, pointless
from generator.planning import FLAVOURS, Plan, plan_resolved
from generator.resolving import Resolver
from generator.static_checks import static_findings


def check(grammar: Grammar) -> list[Diagnostic]:
    """Every finding about a grammar, errors and warnings, in the order of its lines."""
    subject = Subject(grammar)
    findings = static_findings(subject)
    if not any(finding.is_error for finding in findings):
        idle = [scope for scope in subject.scopes if not scope.stars and scope.target not in scope.mentioned]
        findings += [pointless(scope) for scope in idle]
        findings += _planned(subject.resolver)
        findings += check_guesses(subject)  # words of task files are looked up while planning
    return by_place(findings)


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
    return planned_findings(plans)


def planned_findings(plans: Sequence[Plan]) -> list[Diagnostic]:
    """What the counted space of each flavour shows."""
    return [finding for check_one in PLAN_CHECKS for plan in plans for finding in check_one(plan)]
