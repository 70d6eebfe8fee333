"""Checks of factor designs: factors and levels, arms that cover them, expectations of regions that there are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from generator import nodes
from generator.checking import Subject, problem, texts_of
from generator.errors import Diagnostic, listed, nearest
from generator.expectations import condition_of, measured_in, regions_of
from generator.formulas import Formula, JoinedFormula, Measured
from generator.scopes import TemplateScope
from generator.source import Node, Span
from generator.statement_checks import factors_of, narrowed, values_of_variable
from generator.walking import braces_of, mentions_of


def check_factors(subject: Subject) -> Iterator[Diagnostic]:
    """Factors: names, levels, what levels fix, and that some template uses each."""
    factors = factors_of(subject)
    used = {factor.name for scope in subject.scopes for factor in scope.factors}
    used |= {mention.name for text, _, _ in texts_of(subject) for mention, _ in mentions_of(text)}  # a ':' is missing
    used |= {each for text, _, _ in texts_of(subject) for brace in braces_of(text) for each in _meant(brace, factors)}
    unread = any(finding.is_error for finding in subject.grammar.diagnostics)
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
        is_fixing = any(level.fixes for level in statement.levels)  # then what it fixes is reported
        if statement.name not in used and subject.scopes and not unread and not is_fixing:
            message = f"factor '{statement.name}' is never used"
            yield problem("unused", message, statement.span, f"write {{{statement.name}: ...}} in a sentence")


def _meant(brace: nodes.Brace, factors: Mapping[str, nodes.FactorDefinition]) -> set[str]:
    """The factors that a brace of an unknown factor may mean."""
    hints = [nearest(name, factors) for name in brace.choice.factors if name not in factors]
    return {name for name in factors if any(hint == f"did you mean '{name}'?" for hint in hints)}


def _fixes(subject: Subject, factor: nodes.FactorDefinition, fixed: dict[str, str]) -> Iterator[Diagnostic]:
    variables = {name for scope in subject.scopes for name in scope.variables}
    every = {variable for level in factor.levels for variable, _ in level.fixes}
    crossed = {path.name: path for s in subject.grammar.statements if isinstance(s, nodes.Cross) for path in s.paths}
    unread = any(finding.is_error for finding in subject.grammar.diagnostics)
    for variable in sorted(every):
        level = next(level for level in factor.levels if variable in dict(level.fixes))
        place = narrowed(level.span, variable)
        if variable not in variables and subject.scopes and not unread:
            hint = nearest(variable, variables) or f"expected {', '.join(sorted(variables))}"
            hint = hint if variables else f"mention it, as in {{Noun {variable}}}"
            yield problem("unknown-name", f"no template has the variable '{variable}'", place, hint)
        if variable in crossed:
            message = f"'{variable}' is crossed and fixed by the levels of '{factor.name}'"
            yield problem("factor", message, crossed[variable].span, "every item has all levels: leave the cross out")
        if variable in fixed and fixed[variable] != factor.name:
            message = f"'{variable}' is fixed by the levels of '{fixed[variable]}' and of '{factor.name}'"
            yield problem("factor", message, place, "one factor says it")
        fixed.setdefault(variable, factor.name)
        yield from _one_feature(subject, factor, variable)
    for level in factor.levels:
        own = dict(level.fixes)
        missing = sorted(every - own.keys())
        if missing and (every <= variables or not subject.scopes):
            message = f"level '{level.name}' does not say what {missing[0]} is, and other levels do"
            said = [value for other in factor.levels for variable, value in other.fixes if variable == missing[0]]
            like = next((found for value in said if (found := _values_like(subject, missing[0], value))), ())
            free = [v for v in like if v not in said]
            hint = f"write {level.name} {missing[0]} {free[0] if free else 'VALUE'}"
            yield problem("factor", message, level.span, hint)
        if len(own) < len(level.fixes):
            yield problem("duplicate", f"level '{level.name}' fixes a variable twice", level.span, "once is enough")
        for variable, value in level.fixes:
            values = values_of_variable(subject, variable)
            if value not in values:
                hint = nearest(value, values) or f"expected {', '.join(values)}"
                after = narrowed(level.span, variable)
                rest = Span(after.source, after.line, after.column + after.length, level.span.length)
                yield problem("feature", f"'{value}' is not a value of {variable}", narrowed(rest, value), hint)


def _values_like(subject: Subject, variable: str, value: str) -> Sequence[str]:
    """The values of the feature that a variable's value belongs to."""
    system = subject.resolver.system
    typed = subject.resolver.typed_feature(variable)
    own = [feature for feature in ([typed] if typed else system.bundle) if value in system.values(feature)]
    return system.values(own[0]) if own else ()


def _one_feature(subject: Subject, factor: nodes.FactorDefinition, variable: str) -> Iterator[Diagnostic]:
    """The levels of a factor fix one feature of a variable of agreement."""
    system = subject.resolver.system
    if subject.resolver.typed_feature(variable):
        return
    fixing = [(level, value) for level in factor.levels for name, value in level.fixes if name == variable]
    known = [(level, value) for level, value in fixing if value in values_of_variable(subject, variable)]
    for number, (level, value) in enumerate(known):
        values = {value for _, value in known[: number + 1]}
        if not any(values <= set(system.values(feature)) for feature in system.bundle):
            features = [next(f for f in system.bundle if v in system.values(f)) for v in (known[0][1], value)]
            message = f"the levels of '{factor.name}' fix different features of {variable}: {', '.join(features)}"
            yield problem("factor", message, level.span, "use a factor for each feature")
            return


def check_arms(subject: Subject) -> Iterator[Diagnostic]:
    """The arms of a brace stand for every level of its factors once, and in a design nothing else is starred."""
    factors = factors_of(subject)
    for text, _, is_line in texts_of(subject):
        for brace in braces_of(text):
            if not brace.choice.factors:
                continue
            if not is_line:
                message = "the arms of a factor inside a phrase or a table"
                yield problem("factor", message, brace.span, "write them in the sentence")
            unknown = [name for name in brace.choice.factors if name not in factors]
            for name in unknown:
                if name not in subject.grammar.failed:  # the line that would define it is reported already
                    hint = nearest(name, factors) or f"define it: factor {name} = level | level"
                    hint = hint if factors else f"{hint}; a word is named by {name}=Class"
                    yield problem("unknown-name", f"unknown factor '{name}'", narrowed(brace.span, name), hint)
            if not unknown:
                yield from _coverage(brace, [factors[name] for name in brace.choice.factors])
            for alternative in brace.choice.alternatives:
                if alternative.mark == "+":
                    hint = "arms are acceptable unless starred: leave it out"
                    yield problem("star", "'+' on an arm", alternative.span, hint)
                if alternative.weight != 1:
                    message = "a weight on an arm: every item has each condition"
                    yield problem("weight", message, alternative.span, "leave the weight out")
    for scope in subject.scopes:
        yield from _design(scope)


def _coverage(brace: nodes.Brace, factors: Sequence[nodes.FactorDefinition]) -> Iterator[Diagnostic]:
    names = [[level.name for level in factor.levels] for factor in factors]
    seen: set[tuple[str, ...]] = set()
    for number, tuples in enumerate(brace.choice.levels):
        for levels in tuples:
            place = _arm_place(brace, number, levels)
            if len(levels) != len(factors):
                if len(factors) == 1:
                    message = f"({', '.join(levels)}) for the one factor {factors[0].name}"
                    fitting = [level for level in levels if level in names[0]]
                    hint = f"write {fitting[0] if fitting else names[0][0]}"
                else:
                    factor_names = ", ".join(factor.name for factor in factors)
                    message = f"({', '.join(levels)}) is not a level of each of {factor_names}"
                    hint = f"write ({', '.join(next((n for n in levels if n in own), own[0]) for own in names)})"
                yield problem("factor", message, place, hint)
                return
            for level, known, factor in zip(levels, names, factors, strict=True):
                if level not in known:
                    hint = nearest(level, known) or f"expected {', '.join(known)}"
                    ordered = [next((n for n in levels if n in own), "") for own in names]
                    if all(ordered):
                        hint = f"the factors' order is {', '.join(f.name for f in factors)}: ({', '.join(ordered)})"
                    message = f"'{level}' is no level of '{factor.name}'"
                    yield problem("unknown-name", message, narrowed(place, level), hint)
                    return
            if levels in seen:
                yield problem("factor", f"two arms for {', '.join(levels)}", place, "each level has one arm")
            seen.add(levels)
    missing = [levels for levels in itertools.product(*names) if levels not in seen]
    if missing:
        shown = listed([", ".join(levels) for levels in missing], 4)
        yield problem("factor", f"no arm for {shown}", brace.span, 'every level needs one; "" is no word')


def _arm_place(brace: nodes.Brace, number: int, levels: tuple[str, ...]) -> Span:
    """Where an arm's levels stand: between the arm before it and its words."""
    own = brace.choice.alternatives[number].span
    earlier = brace.choice.alternatives[number - 1].span if number else brace.span
    start = earlier.column + (earlier.length if number else 0) if earlier.line == own.line else 1
    before = own.source.line(own.line)[start - 1 : own.column - 1]
    if not number and ":" in before:
        start, before = start + before.index(":"), before[before.index(":") :]
    words = r"\s*,\s*".join(re.escape(level) for level in levels)
    found = re.search(rf"\(\s*{words}\s*\)", before) or re.search(rf"(?<!\w){words}(?!\w)", before)
    return Span(own.source, own.line, start + found.start(), len(found.group())) if found else own


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
            line = Span(statement.span.source, statement.span.line, statement.span.column + statement.span.length, 1000)
            place = narrowed(line, statement.name)
            yield problem("duplicate", message, place, f"first in line {names[statement.name]}")
        names.setdefault(statement.name, statement.span.line)
        yield from _mixed(statement.formula)
        if not any(True for _ in measured_in(statement.formula)):
            message = "an expectation that speaks of no condition"
            yield problem("expect", message, statement.formula.span, "write expect NAME: match.verb < mismatch.verb")
        if not designs:
            unread = any(finding.is_error for finding in subject.grammar.diagnostics)
            if not factors_of(subject) and not unread:
                message = "an expectation of a grammar without factors"
                yield problem("expect", message, statement.span, "define its conditions: factor NAME = level | level")
            continue
        fitting = [s for s in designs if all(condition_of(s, m) for m in measured_in(statement.formula))]
        reported: set[str] = set()
        for measured in measured_in(statement.formula):
            own = [scope for scope in designs if condition_of(scope, measured)]
            if not own:
                yield _no_condition(designs, measured.levels, measured.span.text, measured)
                break
            if measured.region and measured.region not in reported:
                for finding in _region(fitting or own, measured):
                    reported.add(measured.region)  # one mistake, on both sides of a comparison
                    yield finding


def _no_condition(designs: Sequence[TemplateScope], levels: tuple[str, ...], shown: str, node: Node) -> Diagnostic:
    scope = min(designs, key=lambda s: abs(len(s.factors) - len(levels)))
    known = [tuple(condition.levels.values()) for condition in scope.conditions]
    if len(levels) == len(scope.factors):
        for level, factor in zip(levels, scope.factors, strict=True):
            own = [each.name for each in factor.levels]
            if level not in own:
                hint = nearest(level, own) or f"expected {', '.join(own)}"
                ordered = [next((n for n in levels if n in {e.name for e in f.levels}), "") for f in scope.factors]
                if all(ordered):
                    names = ", ".join(factor.name for factor in scope.factors)
                    hint = f"the factors' order is {names}: ({','.join(ordered)})"
                place = narrowed(node.span, level)
                return problem("expect", f"'{level}' is no level of '{factor.name}'", place, hint)
    example = known[0][0] if len(known[0]) == 1 else f"({','.join(known[0])})"
    return problem("expect", f"'{shown}' is no condition", node.span, f"write a level of each factor, as in {example}")


def _region(scopes: Sequence[TemplateScope], node: Measured) -> Iterator[Diagnostic]:
    region = node.region
    for scope in scopes:
        counts: Mapping[str, int] = regions_of(scope)
        condition = condition_of(scope, node)
        if region in counts and region not in _shown_in(scope, node):
            message = f"'{region}' does not stand in condition '{condition}'"
            hint = f"put a region around the arms: [{region}: {{...}}]"
            yield problem("expect", message, node.span, hint)
            return
        if region not in counts:
            hint = nearest(region, counts) or f"expected {', '.join(counts)}"
            yield problem("expect", f"the sentence has no region '{region}'", node.span, hint)
            return
        if counts[region] > 1:
            hint = f"name the stretch: [region: {{{region}}}]"
            yield problem("expect", f"'{region}' stands {counts[region]} times in the sentence", node.span, hint)
            return


def _shown_in(scope: TemplateScope, node: Measured) -> set[str]:
    """The regions of a condition: those in brackets, and its words' but for those of other arms."""
    levels = next((c.levels for c in scope.conditions if tuple(c.levels.values()) == node.levels), {})
    left_out: set[int] = set()
    for brace in braces_of(scope.good):
        if brace.choice.factors:
            chosen = brace.choice.arm(levels)
            for alternative in brace.choice.alternatives:
                if alternative is not chosen:
                    left_out |= {id(mention) for mention in _inside(alternative)}
    shown = {
        name or class_name
        for mention, _ in mentions_of(scope.good)
        if id(mention) not in left_out
        for name, class_name in [scope.names_of(mention, scope.labels)]
    }
    elsewhere = {
        name or class_name
        for mention, _ in mentions_of(scope.good)
        for name, class_name in [scope.names_of(mention, scope.labels)]
    }
    return shown | (set(regions_of(scope)) - elsewhere)


def _inside(alternative: nodes.Alternative) -> Iterator[nodes.Mention]:
    if isinstance(alternative.body, nodes.Mention):
        yield alternative.body
        return
    for unit in alternative.body:
        if isinstance(unit, nodes.Brace):
            for inner in unit.choice.alternatives:
                yield from _inside(inner)


def _mixed(formula: Formula) -> Iterator[Diagnostic]:
    """'and' and 'or' side by side: readers differ on which binds tighter."""
    if not isinstance(formula, JoinedFormula):
        return
    for part in formula.parts:
        if formula.operator == "or" and isinstance(part, JoinedFormula) and part.operator == "and":
            yield problem("expect", "'and' and 'or' mixed without parentheses", formula.span, "write (a and b) or c")
            return
        yield from _mixed(part)
