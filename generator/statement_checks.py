"""Checks of statements: variables, conditions, targets, answers, families, definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from generator import nodes
from generator.checking import Subject, problem
from generator.conditions import operands
from generator.errors import Diagnostic, nearest
from generator.scopes import TemplateScope
from generator.source import Span


def narrowed(span: Span, words: str, number: int = 1) -> Span:
    """Where words stand inside a span (their `number`-th time, or last); the whole span where they do not."""
    line = span.source.line(span.line)
    places = [
        match.start()
        for match in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", line)
        if span.column - 1 <= match.start() < span.column - 1 + span.length
    ]
    if not places:
        return span
    return Span(span.source, span.line, places[min(number, len(places)) - 1] + 1, len(words))


def factors_of(subject: Subject) -> dict[str, nodes.FactorDefinition]:
    """The factors of the grammar by name, the first of each."""
    found: dict[str, nodes.FactorDefinition] = {}
    for statement in subject.grammar.statements:
        if isinstance(statement, nodes.FactorDefinition):
            found.setdefault(statement.name, statement)
    return found


def check_variables(subject: Subject) -> Iterator[Diagnostic]:
    """A variable used once says nothing."""
    crossed = {path.name for s in subject.grammar.statements if isinstance(s, nodes.Cross) for path in s.paths}
    if any(finding.is_error for finding in subject.grammar.diagnostics):
        return  # a line that cannot be read may use it
    reported = {name for finding in subject.resolver.diagnostics if finding.span for name in _in_words(finding.span)}
    fixed = {v for factor in factors_of(subject).values() for level in factor.levels for v, _ in level.fixes}
    for scope in subject.scopes:
        spans: dict[tuple[str, str], list[Span]] = {}
        for use in scope.uses:
            spans.setdefault((use.owner, use.name), []).append(use.span)
        spans = {key: found for key, found in spans.items() if key[1] not in _only_in_name(scope)}
        for where in scope.wheres:
            for operand in operands(where.condition):
                if operand.kind == "variable" and operand.name in scope.variables:
                    spans.setdefault(("", operand.name), []).append(operand.span)
        for (owner, name), found in spans.items():
            if (
                len({(span.line, span.column) for span in found}) == 1
                and len(found) == 1
                and name not in crossed | reported | fixed
                and not (owner and _is_parameter(subject, owner, name))
            ):
                yield problem(
                    "variable",
                    f"variable '{name}' is used once",
                    found[0],
                    "use it in a second slot, cross it, or leave it out",
                )


def _in_words(span: Span) -> list[str]:
    """The variables that stand under a finding."""
    return re.findall(r"\$[^\W\d]\w*", span.text)


def _only_in_name(scope: TemplateScope) -> set[str]:
    """Variables that only the template's name has (reported as such)."""
    named = {piece.variable for piece in scope.template.name if isinstance(piece, nodes.VariableFeature)}
    spans = {id(piece.span) for piece in scope.template.name if isinstance(piece, nodes.VariableFeature)}
    return named - {use.name for use in scope.uses if id(use.span) not in spans}


def _is_parameter(subject: Subject, owner: str, name: str) -> bool:
    return name in subject.resolver.phrase(owner).variables


def check_statements(subject: Subject) -> Iterator[Diagnostic]:
    """`cross`, `target`, `repeat`, `distinct`, `where` and `answer` speak of what there is."""
    names = {name for scope in subject.scopes for name in scope.mentioned}
    variables = {name for scope in subject.scopes for name in scope.variables}
    resolver = subject.resolver
    known = set(subject.grammar.definitions)
    factors = factors_of(subject)
    crossed: list[nodes.Operand] = []
    unread = any(finding.is_error for finding in subject.grammar.diagnostics)
    for statement in subject.grammar.statements:
        if unread and not isinstance(statement, nodes.Answer):
            continue  # a line that cannot be read may have what is named
        match statement:
            case nodes.Cross():
                for path in statement.paths:
                    if any(path.name == earlier.name for earlier in crossed):
                        message = f"'{path.name}' is crossed twice"
                        yield problem("duplicate", message, path.span, "once is enough")
                        continue
                    crossed.append(path)
                    if path.kind == "name" and path.name in factors and path.name not in names:
                        message = f"'{path.name}' is a factor"
                        hint = "every item has all of its levels: leave the cross out"
                        yield problem("cross", message, path.span, hint)
                    elif path.kind == "variable" and path.name not in variables:
                        yield problem(
                            "unknown-name",
                            f"no template has the variable '{path.name}'",
                            path.span,
                            nearest(path.name, variables) or expected(variables),
                        )
                    elif path.kind == "name" and path.name not in names:
                        yield problem(
                            "unknown-name",
                            f"no template has '{path.name}'",
                            path.span,
                            nearest(path.name, names | variables) or expected(names | variables),
                        )
                    elif path.part:
                        yield problem(
                            "cross", "a crossed variable or name stands whole", path.span, f"write {path.name}"
                        )
                    elif path.kind == "name" and resolver.kind(_class_of(subject, path.name)) == "class":
                        hint = (
                            f"cross takes variables, tables and phrases; as a phrase: phrase {path.name}: this | that"
                        )
                        yield problem("cross", f"'{path.name}' is a slot", path.span, hint)
            case nodes.Target():
                if statement.name not in names:
                    yield problem(
                        "unknown-name",
                        f"no template has the slot '{statement.name}'",
                        statement.span,
                        nearest(statement.name, {n for n in names if n in known or _class_of(subject, n)} | known),
                    )
                for scope in subject.scopes:
                    if scope.mentioned.get(statement.name, 0) > 1:
                        yield problem(
                            "ambiguous-name",
                            f"'{statement.name}' stands more than once in template {scope.number}",
                            statement.span,
                            "name the one to mask",
                        )
            case nodes.NamesStatement():
                twice = [o for i, o in enumerate(statement.names) if o.name in {e.name for e in statement.names[:i]}]
                for operand in twice:
                    message = f"'{operand.name}' stands twice"
                    yield problem("duplicate", message, operand.span, f"write {statement.keyword} a, b")
                for operand in statement.names:
                    if operand.name not in names:
                        yield problem(
                            "unknown-name",
                            f"no template has '{operand.name}'",
                            operand.span,
                            nearest(operand.name, names) or expected(names),
                        )
            case nodes.Where():
                if not any(all(scope.has(o) for o in operands(statement.condition)) for scope in subject.scopes):
                    missing = [
                        o
                        for o in operands(statement.condition)
                        if o.name not in names | variables
                        and (o.part or o.kind == "variable" or o is operands(statement.condition)[0])
                    ]
                    place = missing[0] if missing else operands(statement.condition)[0]
                    yield problem(
                        "unknown-name",
                        f"no template has all that this condition names: '{place.name}'",
                        place.span,
                        nearest(place.name, names | variables)
                        or expected(variables if place.kind == "variable" else names),
                    )
                else:
                    yield from check_bare_names(subject, statement.condition, names)
                yield from check_condition(subject, statement)
            case nodes.Answer():
                yield from _answer(subject, statement, variables)
            case _:
                pass
    for scope in subject.scopes:
        for where in scope.template.wheres:
            for operand in operands(where.condition):
                if operand.kind == "variable" and operand.name not in scope.variables:
                    yield problem(
                        "unknown-name",
                        f"the template has no variable '{operand.name}'",
                        operand.span,
                        nearest(operand.name, scope.variables) or expected(scope.variables),
                    )
                elif operand.kind == "name" and operand.part and operand.name not in scope.mentioned:
                    yield problem(
                        "unknown-name",
                        f"the template has no '{operand.name}'",
                        operand.span,
                        nearest(operand.name, scope.mentioned),
                    )
            yield from check_bare_names(subject, where.condition, set(scope.mentioned))
            yield from check_condition(subject, where)


def check_bare_names(subject: Subject, condition: nodes.Condition, names: set[str]) -> Iterator[Diagnostic]:
    """What a comparison begins with is a name that is there, and it is compared with something."""
    if isinstance(condition, nodes.Logical):
        for part in condition.parts:
            yield from check_bare_names(subject, part, names)
        return
    if isinstance(condition, nodes.Predicate) or condition.operator == "fits":
        return
    left, system = condition.left, subject.resolver.system
    if left.part or left.kind == "word":
        return
    if left.kind == "name" and left.name not in names:
        if any(operand.kind == "variable" or operand.part or operand.name in names for operand in condition.right):
            return  # a value on the left
        if left.name in factors_of(subject):
            yield problem("condition", f"'{left.name}' is a factor", left.span, "every item has all of its levels")
            return
        hint = nearest(left.name, names) or expected(names)
        if not condition.operator and left.name in {*system.declarations, *system.bare}:
            hint = f"it is a feature: write {next(iter(sorted(names)), 'slot')}.{left.name}"
        yield problem("unknown-name", f"no '{left.name}' stands here", left.span, hint)
    elif not condition.operator:
        value = next(iter(values_of_variable(subject, left.name)), "")
        hint = f"write {left.name} = {value}" if left.kind == "variable" else f'write {left.name} = "word"'
        yield problem("condition", f"'{left.name}' alone asks nothing", left.span, hint)


def _class_of(subject: Subject, name: str) -> str:
    for scope in subject.scopes:
        if name in scope.labels:
            return scope.labels[name]
    return name if subject.resolver.kind(name) else subject.resolver.base_of(name)


def check_condition(subject: Subject, where: nodes.Where) -> Iterator[Diagnostic]:
    """A condition's features, values and words are known."""
    declared = subject.resolver.system.declarations
    for operand in operands(where.condition):
        typed = subject.resolver.typed_feature(operand.name) if operand.kind == "variable" and operand.part else ""
        if typed:
            message = f"'{operand.name}' has no parts: it is a value of {typed}"
            yield problem("feature", message, operand.span, f"write {operand.name}")
        elif operand.kind == "variable" and operand.part and operand.part not in subject.resolver.system.bundle:
            yield problem(
                "feature",
                f"'{operand.part}' is not a feature of agreement",
                operand.span,
                nearest(operand.part, subject.resolver.system.bundle) or expected(subject.resolver.system.bundle),
            )
        elif operand.kind == "name" and operand.part and operand.part not in declared:
            if subject.resolver.kind(_class_of(subject, operand.name)) == "rows":
                continue
            yield problem("feature", f"unknown feature '{operand.part}'", operand.span, nearest(operand.part, declared))
    yield from _values(subject, where.condition)


def _values(subject: Subject, condition: nodes.Condition) -> Iterator[Diagnostic]:
    if isinstance(condition, nodes.Logical):
        for part in condition.parts:
            yield from _values(subject, part)
        return
    if isinstance(condition, nodes.Predicate) or condition.operator == "fits":
        return
    declaration = subject.resolver.system.declarations.get(condition.left.part)
    left = condition.left
    if declaration is not None and declaration.kind == "flag" and condition.right:
        if not any(operand.part for operand in condition.right):
            shown = f"{left.name}.{left.part}"
            yield problem("feature", f"'{left.part}' takes no value", left.span, f"write {shown}, or not {shown}")
        return
    if left.kind == "name" and not left.part:
        yield from _words(subject, condition)
    if left.kind == "variable" and not left.part:
        yield from _variable_values(subject, condition)
    if declaration is None or declaration.kind != "value":
        return
    values = subject.resolver.system.values(declaration.name)
    known = {name for scope in subject.scopes for name in scope.mentioned}
    for operand in condition.right:
        if operand.kind == "name" and not operand.part and operand.name not in values and operand.name in known:
            message = f"'{operand.name}' is a word, not a value of {declaration.name}"
            yield problem("feature", message, operand.span, f"write {operand.name}.{declaration.name}")
        if operand.kind == "name" and not operand.part and operand.name not in values and operand.name not in known:
            yield problem(
                "feature",
                f"'{operand.name}' is not a value of {declaration.name}",
                operand.span,
                nearest(operand.name, values) or f"expected {', '.join(values)}",
            )


def values_of_variable(subject: Subject, name: str) -> list[str]:
    """The values that a variable can have: those of its feature, or of each feature of agreement."""
    system = subject.resolver.system
    typed = subject.resolver.typed_feature(name)
    return [value for feature in ([typed] if typed else system.bundle) for value in system.values(feature)]


def _variable_values(subject: Subject, condition: nodes.Comparison) -> Iterator[Diagnostic]:
    values = values_of_variable(subject, condition.left.name)
    known = {name for scope in subject.scopes for name in scope.mentioned}
    for operand in condition.right:
        if operand.kind == "name" and not operand.part and operand.name not in known and operand.name not in values:
            message = f"'{operand.name}' is not a value of {condition.left.name}"
            hint = nearest(operand.name, values) or f"expected {', '.join(values)}"
            owner, value = subject.resolver.system.bare.get(operand.name, ("", ""))
            if value and not subject.resolver.typed_feature(condition.left.name):
                hint = f"expected {', '.join(values)}; for other features write var {condition.left.name} = {owner}"
            yield problem("feature", message, operand.span, hint)


def _words(subject: Subject, condition: nodes.Comparison) -> Iterator[Diagnostic]:
    """A word that a slot is compared with is one of its words."""
    class_name = _class_of(subject, condition.left.name)
    if subject.resolver.kind(class_name) != "class" or subject.grammar.choices.folder is not None:
        return
    word_class = subject.resolver.word_class(class_name)
    if word_class is None:
        return
    lemmas = {member.entry.lemma.replace("_", " ") for member in word_class.members}
    for operand in condition.right:
        is_name = any(operand.name in scope.mentioned for scope in subject.scopes)
        if operand.kind != "variable" and not operand.part and not is_name and operand.name not in lemmas:
            message = f"'{class_name}' has no word '{operand.name}'"
            yield problem("unknown-word", message, operand.span, nearest(operand.name, lemmas))


def _answer(subject: Subject, answer: nodes.Answer, variables: set[str]) -> Iterator[Diagnostic]:
    resolver = subject.resolver
    if answer.name == "other":
        yield problem("answer", "'other' is implied and last", answer.span, "choose another name")
    for alternative in answer.choice.alternatives:
        if alternative.mark:
            yield problem("star", "a star outside a sentence", alternative.span, "stars belong in '+' lines")
        if isinstance(alternative.body, nodes.Mention):
            mention = alternative.body
            word_class = resolver.mentioned_class(mention)
            if word_class is not None:
                for name, _, _ in resolver.features(mention, word_class).variables:
                    if name not in variables:
                        yield problem(
                            "unknown-name",
                            f"no template has the variable '{name}'",
                            mention.span,
                            nearest(name, variables) or expected(variables),
                        )
    same = [s for s in subject.grammar.statements if isinstance(s, nodes.Answer) and s.name == answer.name]
    if len(same) > 1 and same[0] is not answer:
        yield problem(
            "duplicate", f"answer '{answer.name}' is defined twice", answer.span, f"first in line {same[0].span.line}"
        )


def expected(names: Iterable[str]) -> str:
    """The hint that lists what there is."""
    every = sorted(names)
    return f"expected {', '.join(every)}" if 0 < len(every) <= 6 else ""
