"""Checks of factor designs: factors and levels, arms that cover them, expectations of regions that there are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from generator import nodes
from generator.checking import Subject, problem, texts_of
from generator.errors import Diagnostic, listed, nearest
from generator.expectations import condition_of, measured_in, regions_of
from generator.formulas import Formula, JoinedFormula
from generator.scopes import TemplateScope
from generator.source import Node
from generator.walking import braces_of


def _factors(subject: Subject) -> dict[str, nodes.FactorDefinition]:
    found: dict[str, nodes.FactorDefinition] = {}
    for statement in subject.grammar.statements:
        if isinstance(statement, nodes.FactorDefinition):
            found.setdefault(statement.name, statement)
    return found


def check_factors(subject: Subject) -> Iterator[Diagnostic]:
    """Factors: names, levels, what levels fix, and that some template uses each."""
    factors = _factors(subject)
    used = {factor.name for scope in subject.scopes for factor in scope.factors}
    fixed: dict[str, str] = {}
    for statement in subject.grammar.statements:
        if not isinstance(statement, nodes.FactorDefinition):
            continue
        first = factors[statement.name]
        if first is not statement:
            message = f"factor '{statement.name}' is defined twice"
            yield problem("duplicate", message, statement.span, f"first in line {first.span.line}")
            continue
        if len(statement.levels) < 2:
            message = f"factor '{statement.name}' has one level"
            yield problem("factor", message, statement.span, "write factor NAME = level | level")
        names: set[str] = set()
        for level in statement.levels:
            if level.name in names:
                yield problem("duplicate", f"level '{level.name}' stands twice", level.span, "choose another name")
            names.add(level.name)
        yield from _fixes(subject, statement, fixed)
        if statement.name not in used and subject.scopes:
            message = f"factor '{statement.name}' is never used"
            yield problem("unused", message, statement.span, f"write {{{statement.name}: ...}} in a sentence")


def _fixes(subject: Subject, factor: nodes.FactorDefinition, fixed: dict[str, str]) -> Iterator[Diagnostic]:
    resolver = subject.resolver
    variables = {name for scope in subject.scopes for name in scope.variables}
    every = {variable for level in factor.levels for variable, _ in level.fixes}
    crossed = {path.name for s in subject.grammar.statements if isinstance(s, nodes.Cross) for path in s.paths}
    for variable in sorted(every):
        if variable not in variables and variables:
            hint = nearest(variable, variables) or f"expected {', '.join(sorted(variables))}"
            yield problem("unknown-name", f"no template has the variable '{variable}'", factor.span, hint)
        if variable in crossed:
            message = f"'{variable}' is crossed and fixed by the levels of '{factor.name}'"
            yield problem("factor", message, factor.span, "every item has all levels: leave the cross out")
        if variable in fixed and fixed[variable] != factor.name:
            message = f"'{variable}' is fixed by the levels of '{fixed[variable]}' and of '{factor.name}'"
            yield problem("factor", message, factor.span, "one factor says it")
        fixed.setdefault(variable, factor.name)
    for level in factor.levels:
        own = dict(level.fixes)
        missing = sorted(every - own.keys())
        if missing:
            message = f"level '{level.name}' does not say what {missing[0]} is, and other levels do"
            yield problem("factor", message, level.span, f"write {level.name} {missing[0]} VALUE")
        if len(own) < len(level.fixes):
            yield problem("duplicate", f"level '{level.name}' fixes a variable twice", level.span, "once is enough")
        for variable, value in level.fixes:
            typed = resolver.typed_feature(variable)
            features = [typed] if typed else list(resolver.system.bundle)
            values = [v for feature in features for v in resolver.system.values(feature)]
            if value not in values:
                hint = nearest(value, values) or f"expected {', '.join(values)}"
                yield problem("feature", f"'{value}' is not a value of {variable}", level.span, hint)


def check_arms(subject: Subject) -> Iterator[Diagnostic]:
    """The arms of a brace stand for every level of its factors once, and in a design nothing else is starred."""
    factors = _factors(subject)
    for text, _, is_line in texts_of(subject):
        for brace in braces_of(text):
            if not brace.choice.factors:
                continue
            if not is_line:
                message = "the arms of a factor inside a phrase or a table"
                yield problem("factor", message, brace.span, "write them in the sentence")
            unknown = [name for name in brace.choice.factors if name not in factors]
            for name in unknown:
                hint = nearest(name, factors) or f"define it: factor {name} = level | level"
                yield problem("unknown-name", f"unknown factor '{name}'", brace.span, hint)
            if not unknown:
                yield from _coverage(brace, [factors[name] for name in brace.choice.factors])
            for alternative in brace.choice.alternatives:
                if alternative.mark == "+":
                    yield problem("star", "'+' on an arm: arms are acceptable unless starred", alternative.span, "")
                if alternative.weight != 1:
                    message = "a weight on an arm: every item has each condition"
                    yield problem("weight", message, alternative.span, "leave the weight out")
    for scope in subject.scopes:
        yield from _design(scope)


def _coverage(brace: nodes.Brace, factors: Sequence[nodes.FactorDefinition]) -> Iterator[Diagnostic]:
    names = [[level.name for level in factor.levels] for factor in factors]
    seen: dict[tuple[str, ...], int] = {}
    for alternative, tuples in zip(brace.choice.alternatives, brace.choice.levels, strict=True):
        for levels in tuples:
            if len(levels) != len(factors):
                shown = ", ".join(factor.name for factor in factors)
                message = f"({', '.join(levels)}) names {len(levels)} of the levels of {shown}"
                yield problem("factor", message, alternative.span, f"write ({', '.join(n[0] for n in names)})")
                return
            for level, known, factor in zip(levels, names, factors, strict=True):
                if level not in known:
                    hint = nearest(level, known) or f"expected {', '.join(known)}"
                    yield problem("unknown-name", f"'{level}' is no level of '{factor.name}'", alternative.span, hint)
                    return
            if levels in seen:
                shown = ", ".join(levels)
                yield problem("factor", f"two arms for {shown}", alternative.span, "each level has one arm")
            seen[levels] = 1
    missing = [levels for levels in itertools.product(*names) if levels not in seen]
    if missing:
        shown = listed([", ".join(levels) for levels in missing], 4)
        yield problem("factor", f"no arm for {shown}", brace.span, 'every level needs one; "" is no word')


def _design(scope: TemplateScope) -> Iterator[Diagnostic]:
    if not scope.factors:
        return
    place = scope.template.sentences[0].span
    if len(scope.template.sentences) > 1:
        yield problem(
            "factor",
            "a factor design of several lines",
            scope.template.sentences[1].span,
            "write one '+' line with arms",
        )
    elif scope.contrasts:
        message = "a starred brace in a factor design"
        yield problem("factor", message, scope.contrasts[0].span, "star a level, or an arm")
    elif not any(condition.acceptable for condition in scope.conditions):
        yield problem("factor", "every condition of the design is starred", place, "leave one level without a star")


def check_expectations(subject: Subject) -> Iterator[Diagnostic]:
    """Expectations speak of conditions and regions that there are."""
    names: dict[str, int] = {}
    designs = [scope for scope in subject.scopes if scope.factors]
    for statement in subject.grammar.statements:
        if not isinstance(statement, nodes.Expect):
            continue
        if statement.name and statement.name in names:
            message = f"expectation '{statement.name}' is defined twice"
            yield problem("duplicate", message, statement.span, f"first in line {names[statement.name]}")
        names.setdefault(statement.name, statement.span.line)
        yield from _mixed(statement.formula)
        if not designs:
            if not _factors(subject):
                message = "an expectation of a grammar without factors"
                yield problem("expect", message, statement.span, "define its conditions: factor NAME = level | level")
            continue
        fitting = [s for s in designs if all(condition_of(s, m) for m in measured_in(statement.formula))]
        for measured in measured_in(statement.formula):
            own = [scope for scope in designs if condition_of(scope, measured)]
            if not own:
                yield _no_condition(designs, measured.levels, measured.span.text, measured)
                break
            if measured.region:
                yield from _region(fitting or own, measured.region, measured)


def _no_condition(designs: Sequence[TemplateScope], levels: tuple[str, ...], shown: str, node: Node) -> Diagnostic:
    scope = min(designs, key=lambda s: abs(len(s.factors) - len(levels)))
    known = [tuple(condition.levels.values()) for condition in scope.conditions]
    if len(levels) == len(scope.factors):
        for level, factor in zip(levels, scope.factors, strict=True):
            own = [each.name for each in factor.levels]
            if level not in own:
                hint = nearest(level, own) or f"expected {', '.join(own)}"
                return problem("expect", f"'{level}' is no level of '{factor.name}'", node.span, hint)
    example = known[0][0] if len(known[0]) == 1 else f"({','.join(known[0])})"
    return problem("expect", f"'{shown}' is no condition", node.span, f"write a level of each factor, as in {example}")


def _region(scopes: Sequence[TemplateScope], region: str, node: Node) -> Iterator[Diagnostic]:
    for scope in scopes:
        counts: Mapping[str, int] = regions_of(scope)
        if region not in counts:
            hint = nearest(region, counts) or f"expected {', '.join(counts)}"
            yield problem("expect", f"the sentence has no region '{region}'", node.span, hint)
            return
        if counts[region] > 1:
            hint = f"name the stretch: [region: {{{region}}}]"
            yield problem("expect", f"'{region}' stands {counts[region]} times in the sentence", node.span, hint)
            return


def _mixed(formula: Formula) -> Iterator[Diagnostic]:
    """'and' and 'or' side by side: readers differ on which binds tighter."""
    if not isinstance(formula, JoinedFormula):
        return
    for part in formula.parts:
        if formula.operator == "or" and isinstance(part, JoinedFormula) and part.operator == "and":
            yield problem("expect", "'and' and 'or' mixed without parentheses", formula.span, "write (a and b) or c")
            return
        yield from _mixed(part)
