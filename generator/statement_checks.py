"""Checks of statements: variables, conditions, targets, answers, families, definitions."""

from __future__ import annotations

from collections.abc import Iterator

from generator import nodes
from generator.checking import Subject, problem, texts_of
from generator.conditions import operands
from generator.errors import Diagnostic, listed, nearest
from generator.loading import Definition, Grammar
from generator.mention_checks import check_column
from generator.source import Span
from generator.walking import mentions_of


def check_variables(subject: Subject) -> Iterator[Diagnostic]:
    """A variable used once says nothing."""
    crossed = {path.name for s in subject.grammar.statements if isinstance(s, nodes.Cross) for path in s.paths}
    for scope in subject.scopes:
        spans: dict[tuple[str, str], list[Span]] = {}
        for use in scope.uses:
            spans.setdefault((use.owner, use.name), []).append(use.span)
        for where in scope.wheres:
            for operand in operands(where.condition):
                if operand.kind == "variable":
                    spans.setdefault(("", operand.name), []).append(operand.span)
        for (owner, name), found in spans.items():
            if len(found) == 1 and name not in crossed and not (owner and _is_parameter(subject, owner, name)):
                yield problem(
                    "variable",
                    f"variable '{name}' is used once",
                    found[0],
                    "use it in a second slot, cross it, or leave it out",
                )


def _is_parameter(subject: Subject, owner: str, name: str) -> bool:
    return subject.resolver.phrase(owner).variable == name


def check_statements(subject: Subject) -> Iterator[Diagnostic]:
    """`cross`, `target`, `repeat`, `distinct`, `where` and `answer` speak of what there is."""
    names = {name for scope in subject.scopes for name in scope.mentioned}
    variables = {name for scope in subject.scopes for name in scope.variables}
    resolver = subject.resolver
    for statement in subject.grammar.statements:
        match statement:
            case nodes.Cross():
                for path in statement.paths:
                    if path.kind == "variable" and path.name not in variables:
                        yield problem(
                            "unknown-name",
                            f"no template has the variable '{path.name}'",
                            path.span,
                            nearest(path.name, variables),
                        )
                    elif path.kind == "name" and path.name not in names:
                        yield problem(
                            "unknown-name",
                            f"no template has '{path.name}'",
                            path.span,
                            nearest(path.name, names | variables),
                        )
                    elif path.part:
                        yield problem(
                            "cross", "a crossed variable or name stands whole", path.span, f"write {path.name}"
                        )
                    elif path.kind == "name" and resolver.kind(_class_of(subject, path.name)) == "class":
                        yield problem(
                            "cross", f"'{path.name}' is a slot", path.span, "cross takes variables, tables and phrases"
                        )
            case nodes.Target():
                if statement.name not in names:
                    yield problem(
                        "unknown-name",
                        f"no template has the slot '{statement.name}'",
                        statement.span,
                        nearest(statement.name, names),
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
                for operand in statement.names:
                    if operand.name not in names:
                        yield problem(
                            "unknown-name",
                            f"no template has '{operand.name}'",
                            operand.span,
                            nearest(operand.name, names),
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
                        nearest(place.name, names | variables),
                    )
                yield from _condition(subject, statement)
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
                        nearest(operand.name, scope.variables),
                    )
                elif operand.kind == "name" and operand.part and operand.name not in scope.mentioned:
                    yield problem(
                        "unknown-name",
                        f"the template has no '{operand.name}'",
                        operand.span,
                        nearest(operand.name, scope.mentioned),
                    )
            yield from _condition(subject, where)


def _class_of(subject: Subject, name: str) -> str:
    for scope in subject.scopes:
        if name in scope.labels:
            return scope.labels[name]
    return name if subject.resolver.kind(name) else subject.resolver.base_of(name)


def _condition(subject: Subject, where: nodes.Where) -> Iterator[Diagnostic]:
    declared = subject.resolver.system.declarations
    for operand in operands(where.condition):
        if operand.kind == "variable" and operand.part and operand.part not in subject.resolver.system.bundle:
            yield problem(
                "feature",
                f"'{operand.part}' is not a feature of agreement",
                operand.span,
                nearest(operand.part, subject.resolver.system.bundle),
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
    declaration = subject.resolver.system.declarations.get(condition.left.part)
    if declaration is None or declaration.kind != "value":
        return
    values = subject.resolver.system.values(declaration.name)
    known = {name for scope in subject.scopes for name in scope.mentioned}
    for operand in condition.right:
        if operand.kind == "name" and not operand.part and operand.name not in values and operand.name not in known:
            yield problem(
                "feature",
                f"'{operand.name}' is not a value of {declaration.name}",
                operand.span,
                nearest(operand.name, values) or f"expected {', '.join(values)}",
            )


def _answer(subject: Subject, answer: nodes.Answer, variables: set[str]) -> Iterator[Diagnostic]:
    resolver = subject.resolver
    if answer.name == "other":
        yield problem("answer", "'other' is implied and last", answer.span, "choose another name")
    for alternative in answer.choice.alternatives:
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
                            nearest(name, variables),
                        )
    same = [s for s in subject.grammar.statements if isinstance(s, nodes.Answer) and s.name == answer.name]
    if len(same) > 1 and same[0] is not answer:
        yield problem(
            "duplicate", f"answer '{answer.name}' is defined twice", answer.span, f"first in line {same[0].span.line}"
        )


def check_duplicates(subject: Subject) -> Iterator[Diagnostic]:
    """Two templates of one name; a name given twice in a line; two classes under one name."""
    seen: dict[str, nodes.TemplateDefinition] = {}
    for template in subject.grammar.templates:
        if template.name and all(isinstance(piece, str) for piece in template.name):
            name = "".join(str(piece) for piece in template.name)
            if name in seen:
                yield problem(
                    "duplicate",
                    f"template '{name}' is defined twice",
                    template.span,
                    f"first in line {seen[name].span.line}",
                )
            seen.setdefault(name, template)
    for text, _, is_line in texts_of(subject):
        given: dict[str, nodes.Mention] = {}
        for mention, brace in mentions_of(text):
            if mention.label and mention.label in given and brace is None:
                yield problem(
                    "duplicate",
                    f"the name '{mention.label}' is given twice in a line",
                    mention.span,
                    f"say {{{mention.label}}} for the same word, or choose another name",
                )
            if mention.label and is_line and mention.label in subject.grammar.definitions:
                yield problem(
                    "duplicate",
                    f"'{mention.label}' is the name of a class already",
                    mention.span,
                    "choose another name",
                )
            given[mention.label or ""] = mention


def check_families(subject: Subject) -> Iterator[Diagnostic]:
    """Names and variables in a template's name."""
    for scope in subject.scopes:
        for piece in scope.template.name:
            if isinstance(piece, nodes.VariableFeature):
                if piece.variable not in {u.name for u in scope.uses if u.span is not piece.span}:
                    yield problem(
                        "variable",
                        f"'{piece.variable}' stands in the template's name only",
                        piece.span,
                        "use it in the sentence",
                    )
            elif isinstance(piece, nodes.Mention):
                if subject.resolver.kind(piece.name) != "rows":
                    if isinstance(subject.grammar.definitions.get(piece.name), nodes.TableDefinition):
                        continue
                    known = [n for n, d in subject.grammar.definitions.items() if isinstance(d, nodes.TableDefinition)]
                    yield problem(
                        "unknown-name", f"'{piece.name}' is not a table", piece.span, nearest(piece.name, known)
                    )
                else:
                    yield from check_column(subject, piece, subject.resolver.row_table(piece.name))


def check_definitions(subject: Subject) -> Iterator[Diagnostic]:
    """Build every own class, so that its errors are found; report what nothing uses."""
    grammar, resolver = subject.grammar, subject.resolver
    for scope in subject.scopes:
        _ = scope.uses, scope.mentioned
    used = set(resolver.used)
    for name, definition in grammar.definitions.items():
        if grammar.is_own(definition) and not isinstance(definition, nodes.PhraseDefinition):
            if resolver.kind(name) == "class":
                resolver.word_class(name)
            else:
                resolver.row_table(name)
    if not grammar.templates:
        return
    used |= _reached(grammar, used)
    for name, definition in grammar.definitions.items():
        if grammar.is_own(definition) and name not in used:
            kind = {nodes.SlotDefinition: "slot", nodes.TableDefinition: "table"}.get(type(definition), "phrase")
            yield problem("unused", f"{kind} '{name}' is never used", definition.span, "use it or remove it")


def _reached(grammar: Grammar, used: set[str]) -> set[str]:
    reached: set[str] = set()
    frontier = set(used)
    while frontier:
        name = frontier.pop()
        if name in reached or name not in grammar.definitions:
            continue
        reached.add(name)
        frontier |= _mentioned_by(grammar.definitions[name])
    return reached


def _mentioned_by(definition: Definition) -> set[str]:
    if isinstance(definition, nodes.SlotDefinition):
        return {a.body.name for a in definition.choice.alternatives if isinstance(a.body, nodes.Mention)}
    if isinstance(definition, nodes.TableDefinition):
        return {m.name for row in definition.rows for cell in row for m, _ in mentions_of(cell)}
    return {m.name for rule in definition.rules for m, _ in mentions_of(rule.text)}


def check_guesses(subject: Subject) -> Iterator[Diagnostic]:
    """Forms that no list gives."""
    guessed = list(subject.resolver.guessed.values())
    by_file: dict[str, list[str]] = {}
    first: dict[str, Span] = {}
    for entry in guessed:
        if entry.span is None:
            continue
        forms = "/".join(dict.fromkeys(a.text for a in entry.analyses))
        by_file.setdefault(entry.span.source.name, []).append(forms)
        first.setdefault(entry.span.source.name, entry.span)
    for name, words in by_file.items():
        yield Diagnostic(
            "guessed",
            f"{len(words)} words of '{name}' are not in the lexicon; their forms are guessed: {listed(words, 8)}",
            first[name],
            severity="warning",
        )
