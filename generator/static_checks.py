"""Checks that need no plan: a table of small functions, and what lets planning begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from generator import construct_checks, definition_checks, design_checks, mention_checks, nodes, statement_checks
from generator.checking import Subject
from generator.errors import Diagnostic, GrammarError, by_place, nearest
from generator.loading import Grammar
from generator.resolving import Resolver

STATIC_CHECKS: tuple[Callable[[Subject], Iterator[Diagnostic]], ...] = (
    mention_checks.check_no_templates,
    mention_checks.check_mentions,
    mention_checks.check_forms,
    mention_checks.check_stars,
    definition_checks.check_duplicates,
    definition_checks.check_families,
    definition_checks.check_braces,
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
    findings = [*subject.grammar.diagnostics, *mention_checks.check_recursion(subject)]
    if any(finding.code == "recursion" for finding in findings):
        ended = _with_depths(subject)
        if ended is None:
            return findings  # what contains itself cannot be walked
        subject = ended
    if mended := _with_mended_variables(subject):
        findings += [d for d in construct_checks.check_typed_variables(subject) if d.code == "feature"]
        subject = mended
    for check_one in STATIC_CHECKS:
        findings.extend(check_one(subject))
    said = {(finding.code, str(finding.span)) for finding in findings}  # where a check knows more than the resolver
    return [*findings, *(d for d in subject.resolver.diagnostics if (d.code, str(d.span)) not in said)]


def _with_depths(subject: Subject) -> Subject | None:
    """The grammar with a depth for each phrase, so that the rest can be checked; None where a table contains itself."""
    definitions = {
        name: replace(definition, depth=min(definition.depth or 1, mention_checks.MAX_DEPTH))
        if isinstance(definition, nodes.PhraseDefinition)
        else definition
        for name, definition in subject.grammar.definitions.items()
    }
    ended = Subject(replace(subject.grammar, definitions=definitions))
    findings = [f for f in mention_checks.check_recursion(ended) if "without a depth" in f.message]
    return None if findings else ended


def _with_mended_variables(subject: Subject) -> Subject | None:
    """The grammar with a feature for each `var` whose own one is unknown, so that the rest can be checked."""
    system = subject.resolver.system
    known = [d.name for d in system.declarations.values() if d.kind == "value"]
    variables = dict(subject.grammar.variables)
    for name, variable in variables.items():
        if variable.feature not in known:
            near = [each for each in known if nearest(variable.feature, known) == f"did you mean '{each}'?"]
            owner = system.bare.get(variable.feature, ("", ""))[0]
            meant = owner if owner in known else near[0] if near else system.bundle[0]
            variables[name] = replace(variable, feature=meant)
    if variables == subject.grammar.variables:
        return None
    return Subject(replace(subject.grammar, variables=variables))
