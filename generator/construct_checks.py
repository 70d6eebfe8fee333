"""Checks of government, references, typed variables, selection, balance, and of options that would do nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from generator import nodes
from generator.checking import MAX_WEIGHT, Subject, problem, texts_of, weight_problems
from generator.domains import WordClass
from generator.drawing import government_of
from generator.errors import Diagnostic, nearest
from generator.scopes import TemplateScope
from generator.source import Node, Span
from generator.statement_checks import narrowed
from generator.walking import braces_of, head_of, marked, mentions_of


def check_typed_variables(subject: Subject) -> Iterator[Diagnostic]:
    """`var $c = case`: a feature with values, used somewhere."""
    declarations = subject.resolver.system.declarations
    known = [d.name for d in declarations.values() if d.kind == "value"]
    mentioned = {
        feature.variable
        for text, _, _ in texts_of(subject)
        for mention, _ in mentions_of(text)
        for feature in mention.features
        if isinstance(feature, nodes.VariableFeature)
    }
    headers = {
        v for d in subject.grammar.definitions.values() if isinstance(d, nodes.PhraseDefinition) for v in d.variables
    }
    for variable in subject.grammar.variables.values():
        declaration = declarations.get(variable.feature)
        place = variable.place or variable.span
        if declaration is None:
            owner = subject.resolver.system.bare.get(variable.feature)
            if owner:
                message = f"'{variable.feature}' is a value of {owner[0]}"
                yield problem("feature", message, place, f"write var {variable.name} = {owner[0]}")
            else:
                hint = nearest(variable.feature, known) or f"expected {', '.join(known)}"
                yield problem("feature", f"unknown feature '{variable.feature}'", place, hint)
        elif declaration.kind != "value":
            message = f"'{variable.feature}' has no values that a variable could take"
            yield problem("feature", message, place, f"expected {', '.join(known)}")
        elif any(finding.is_error for finding in subject.grammar.diagnostics):
            continue  # a line that cannot be read may use it
        elif subject.grammar.is_own(variable) and subject.scopes and variable.name not in mentioned | headers:
            message = f"variable '{variable.name}' is never used"
            yield problem("unused", message, variable.span, "use it in a slot, or leave it out")


def check_government(subject: Subject) -> Iterator[Diagnostic]:
    """`after X` names a word of the same sentence or phrase that asks for a form; `f=x.f` one that is there."""
    for text, labels, is_line in texts_of(subject):
        names = _names(subject, labels, text, is_line)
        outer = {} if is_line else {name: "" for scope in subject.scopes for name in scope.mentioned}
        for mention, _ in mentions_of(text):
            own = mention.label or mention.name
            for feature in mention.features:
                if isinstance(feature, nodes.After):
                    yield from _after(subject, feature, names, own, outer)
                elif isinstance(feature, nodes.FeatureValue) and feature.of:
                    if feature.of not in names:
                        yield _unknown(feature.of, names, feature)
                    elif feature.of == own:
                        message = f"'{own}' takes its own {feature.feature}"
                        yield problem("feature", message, feature.span, "name another slot")
                    else:
                        yield from _no_value(subject, feature, own)
                elif isinstance(feature, nodes.FeatureValue) and feature.value in names:
                    yield from _whole_word(subject, feature)
    definitions: list[nodes.SlotDefinition | nodes.Answer] = [
        d for d in subject.grammar.definitions.values() if isinstance(d, nodes.SlotDefinition)
    ]
    definitions += [s for s in subject.grammar.statements if isinstance(s, nodes.Answer)]
    for definition in definitions:
        for alternative in definition.choice.alternatives:
            if isinstance(alternative.body, nodes.Mention):
                for feature in alternative.body.features:
                    if isinstance(feature, nodes.After):
                        message = "'after' in a definition"
                        yield problem("after", message, feature.span, "it belongs in sentences and phrases")
                    elif isinstance(feature, nodes.FeatureValue) and feature.of:
                        message = "a feature of another slot in a definition"
                        yield problem("feature", message, feature.span, "it belongs in sentences and phrases")


def _no_value(subject: Subject, feature: nodes.FeatureValue, own: str) -> Iterator[Diagnostic]:
    """`animate=x.animate`: flags and text columns are compared in conditions."""
    declaration = subject.resolver.system.declarations.get(feature.feature)
    if declaration is not None and declaration.kind != "value":
        column = "" if declaration.kind == "flag" else " is a column and"
        hint = f"write where {own}.{feature.feature} = {feature.of}.{feature.feature}"
        yield problem("feature", f"'{feature.feature}'{column} takes no value", feature.span, hint)


def _whole_word(subject: Subject, feature: nodes.FeatureValue) -> Iterator[Diagnostic]:
    """`gender=subj`: the feature of the other word is missing."""
    declaration = subject.resolver.system.declarations.get(feature.feature)
    if (
        declaration
        and declaration.kind == "value"
        and feature.value not in subject.resolver.system.values(feature.feature)
    ):
        message = f"'{feature.value}' is a word, not a value of {feature.feature}"
        hint = f"write {feature.feature}={'!' * feature.negative}{feature.value}.{feature.feature}"
        yield problem("feature", message, feature.span, hint)


def _names(subject: Subject, labels: Mapping[str, str], text: nodes.Text, is_line: bool) -> dict[str, str]:
    """Name -> class of everything in one scope: a phrase, or all lines of a template."""
    texts = [text]
    for scope in subject.scopes:
        lines = [sentence.text for sentence in scope.template.sentences]
        if is_line and any(line is text for line in lines):
            texts = lines
    found: dict[str, str] = {}
    for each in texts:
        for mention, _ in mentions_of(each):
            class_name = labels.get(mention.name, mention.name)
            found.setdefault(mention.label or mention.name, class_name)
    return found


def _unknown(name: str, names: Mapping[str, str], feature: Node) -> Diagnostic:
    hint = nearest(name, names) or f"expected {', '.join(sorted(names))}"
    return problem("unknown-name", f"no '{name}' stands here", feature.span, hint)


def _after(
    subject: Subject, feature: nodes.After, names: Mapping[str, str], own: str, outer: Mapping[str, str]
) -> Iterator[Diagnostic]:
    if feature.name in outer and feature.name not in names:
        message = f"no '{feature.name}' stands in the phrase"
        hint = f"write it where the phrase is mentioned: {{... after {feature.name}}}"
        yield problem("unknown-name", message, feature.span, hint)
        return
    if feature.name not in names:
        yield _unknown(feature.name, names, feature)
        return
    if feature.name == own:
        yield problem("after", f"'{own}' after itself", feature.span, "name the word that asks for its form")
        return
    resolver = subject.resolver
    name = names[feature.name]
    name = name if resolver.kind(name) else resolver.base_of(name)
    word_class = resolver.word_class(name) if resolver.kind(name) == "class" else None
    if resolver.kind(name) == "rows" or (word_class is not None and word_class.is_table):
        yield problem("after", f"table '{name}' asks for no form", feature.span, "name a slot whose words do")
        return
    classes = [word_class] if word_class is not None else list(heads_of(subject, name))
    if classes and not any(government_of(member, resolver) for each in classes for member in each.members):
        governing = ", ".join(resolver.system.governing) or "none"
        message = f"no word of '{name}' asks for a form"
        yield problem("after", message, feature.span, f"words that do have one of the features: {governing}")


def heads_of(subject: Subject, name: str, inside: frozenset[str] = frozenset()) -> Iterator[WordClass]:
    """The classes of a phrase's heads, through phrases; none where a head is no class of words."""
    resolver = subject.resolver
    if resolver.kind(name) != "phrase" or name in inside:
        return
    found: list[WordClass] = []
    for rule in resolver.phrase(name).rules:
        head = head_of(rule.text)
        own = head and (head.name if resolver.kind(head.name) else resolver.base_of(head.name))
        kind = resolver.kind(own) if own else None
        word_class = resolver.word_class(own) if own and kind == "class" else None
        if own and kind == "phrase":
            found += heads_of(subject, own, inside | {name})
        elif word_class is not None:
            found.append(word_class)
        else:
            return
    yield from found


def check_selection(subject: Subject) -> Iterator[Diagnostic]:
    """`V(a, b)` and `x fits y.column` speak of words with argument columns."""
    wheres: list[tuple[nodes.Where, Mapping[str, str]]] = []
    for scope in subject.scopes:
        named = {name: scope.labels.get(name, name) for name in scope.mentioned}
        wheres += [(where, named) for where in scope.wheres]
    for definition in subject.grammar.definitions.values():
        if isinstance(definition, nodes.PhraseDefinition):
            found = {m.label or m.name: m.name for rule in definition.rules for m, _ in mentions_of(rule.text)}
            wheres += [(where, found) for where in definition.wheres]
    seen: set[int] = set()
    for where, names in wheres:
        if id(where) not in seen:
            seen.add(id(where))
            yield from _selection(subject, where.condition, names)


def _selection(subject: Subject, condition: nodes.Condition, names: Mapping[str, str]) -> Iterator[Diagnostic]:
    if isinstance(condition, nodes.Logical):
        for part in condition.parts:
            yield from _selection(subject, part, names)
    elif isinstance(condition, nodes.Predicate):
        yield from _predicate(subject, condition, names)
    elif condition.operator == "fits":
        yield from _fits(subject, condition, names)


def _class_of(subject: Subject, name: str, names: Mapping[str, str]) -> WordClass | None:
    own = names.get(name, name)
    own = own if subject.resolver.kind(own) else subject.resolver.base_of(own)
    return subject.resolver.word_class(own) if subject.resolver.kind(own) == "class" else None


def _columns(subject: Subject, word_class: WordClass) -> list[str]:
    """The argument columns that the words of a class have: those of the category that has most."""
    categories = subject.resolver.lexicon.categories
    most: list[str] = []
    for name in word_class.categories:
        own = list(categories[name].filter_columns) if name in categories else []
        most = own if len(own) > len(most) else most
    return most


def _predicate(subject: Subject, condition: nodes.Predicate, names: Mapping[str, str]) -> Iterator[Diagnostic]:
    for operand in (condition.verb, *condition.arguments):
        if operand.kind != "name" or operand.part:
            hint = f"write {condition.verb.name}(subj, obj)"
            yield problem("condition", f"'{operand.span.text}' is not a slot", operand.span, hint)
            return
    for operand in (condition.verb, *condition.arguments):
        if operand.name != "_" and operand.name not in names:
            hint = nearest(operand.name, names) or f"expected {', '.join(sorted(names))}"
            yield problem("unknown-name", f"no '{operand.name}' stands here", operand.span, hint)
            return
    if all(argument.name == "_" for argument in condition.arguments):
        yield problem("condition", f"'{condition.span.text}' asks nothing", condition.span, "name an argument")
    word_class = _class_of(subject, condition.verb.name, names)
    if word_class is None:
        return
    columns = _columns(subject, word_class)
    if not columns:
        message = f"the words of '{condition.verb.name}' say nothing of arguments"
        yield problem("condition", message, condition.verb.span, "verbs do, and nouns that take a preposition")
    elif len(condition.arguments) > len(columns):
        message = f"{len(condition.arguments)} arguments of '{condition.verb.name}', which has {len(columns)}"
        yield problem("condition", message, condition.span, f"they are {', '.join(columns)}")


def _fits(subject: Subject, condition: nodes.Comparison, names: Mapping[str, str]) -> Iterator[Diagnostic]:
    sides = (condition.left, condition.right[0])
    with_column = [side for side in sides if side.part]
    if len(with_column) != 1 or any(side.kind != "name" for side in sides):
        message = "'fits' is said of a word and another word's column"
        hint = f"write {sides[0].name} fits {sides[1].name}.{sides[1].part or 'object'}"
        yield problem("condition", message, condition.span, hint)
        return
    for side in sides:
        if side.name not in names:
            hint = nearest(side.name, names) or f"expected {', '.join(sorted(names))}"
            yield problem("unknown-name", f"no '{side.name}' stands here", side.span, hint)
            return
    owner = with_column[0]
    declaration = subject.resolver.system.declarations.get(owner.part)
    filters = [d.name for d in subject.resolver.system.declarations.values() if d.kind == "filter"]
    if declaration is not None and declaration.kind != "filter":
        hint = nearest(owner.part, filters) or f"expected {', '.join(filters)}"
        yield problem("condition", f"'{owner.part}' is not a column of arguments", owner.span, hint)
    word_class = _class_of(subject, owner.name, names)
    if word_class is not None and declaration is not None and declaration.kind == "filter":
        columns = _columns(subject, word_class)
        if owner.part not in columns:
            message = f"the words of '{owner.name}' have no column '{owner.part}'"
            yield problem("condition", message, owner.span, f"they have {', '.join(columns) or 'none'}")


def check_options(subject: Subject) -> Iterator[Diagnostic]:
    """`versions product`, `one star`, `uniform` stand once and do something; `balance` names slots; weights count."""
    seen: dict[str, nodes.Option] = {}
    for statement in subject.grammar.statements:
        match statement:
            case nodes.Option(name=name):
                if name in seen:
                    line = seen[name].span.line
                    yield problem("duplicate", f"'{name}' stands twice", statement.span, f"first in line {line}")
                    continue
                seen[name] = statement
                yield from _idle(subject, statement)
            case nodes.Balance():
                yield from _balance(subject, statement)
            case nodes.Cross():
                yield from _weights(subject, statement)
            case _:
                pass
    for scope in subject.scopes:
        yield from weight_problems(scope.template.weight, scope.template.span, "leave the template out")
        heaviest = [scope.template.weight, *_heaviest(subject, scope)]
        if max(heaviest) <= MAX_WEIGHT < math.prod(heaviest):
            message = f"weights that multiply to {math.prod(heaviest):,}"
            hint = f"the weights of a template and of its crossed values give {MAX_WEIGHT:,} at most"
            yield problem("weight", message, scope.template.span, hint)


def _heaviest(subject: Subject, scope: TemplateScope) -> Iterator[int]:
    """The largest weight of each crossed name that a template has."""
    for statement in subject.grammar.statements:
        if isinstance(statement, nodes.Cross):
            for path, weights in zip(statement.paths, statement.weights, strict=True):
                if weights and path.name in scope.crossed:
                    yield max(weight for _, weight in weights)


def _idle(subject: Subject, option: nodes.Option) -> Iterator[Diagnostic]:
    scopes = subject.scopes
    if option.name == "versions product":
        if scopes and not any(len(s.contrasts) > 1 and not s.is_several_lines and not s.factors for s in scopes):
            message = "'versions product' and no sentence with two contrasts"
            yield problem("option", message, option.span, "leave it out, or star a second brace")
    elif option.name == "one star" and scopes and all(scope.factors for scope in scopes):
        message = "'one star' in a factor design, whose items have every condition"
        yield problem("option", message, option.span, "leave it out")
    elif option.name == "one star" and scopes and not any(_has_several_stars(scope) for scope in scopes):
        message = "'one star' and no item with more than one starred version"
        yield problem("option", message, option.span, "leave it out")


def _has_several_stars(scope: TemplateScope) -> bool:
    """Whether an item of a template may have more than one starred version."""
    if len(scope.template.sentences) > 2 or (scope.is_product and len(scope.contrasts) > 1):
        return True
    if any(marked(brace) > 1 for brace in scope.contrasts):
        return True
    for sentence in scope.template.sentences:
        for brace in braces_of(sentence.text):
            for alternative in brace.choice.alternatives:
                row = alternative.body if isinstance(alternative.body, tuple) else ()
                if alternative.mark and any(isinstance(unit, nodes.Brace) for unit in row):
                    return True  # a choice inside a starred alternative
        for mention, _ in mentions_of(sentence.text):
            for feature in mention.features:
                broken = isinstance(feature, nodes.VariableFeature) and feature.broken
                if broken or (isinstance(feature, nodes.FeatureValue) and feature.of):
                    return True
    return False


def _balance(subject: Subject, statement: nodes.Balance) -> Iterator[Diagnostic]:
    resolver = subject.resolver
    slots = [n for n, d in subject.grammar.definitions.items() if isinstance(d, nodes.SlotDefinition)]
    names = [operand.name for operand in statement.names]
    for number, operand in enumerate(statement.names):
        if resolver.kind(operand.name) is None:
            hint = nearest(operand.name, slots) or f"expected {', '.join(slots)}"
            yield problem("unknown-name", f"unknown slot '{operand.name}'", operand.span, hint)
        elif resolver.kind(operand.name) != "class":
            yield problem("balance", f"'{operand.name}' is not a slot", operand.span, "balance chooses words of slots")
        elif operand.name in names[:number]:
            yield problem("duplicate", f"'{operand.name}' stands twice", operand.span, "balance different slots")


def _weights(subject: Subject, statement: nodes.Cross) -> Iterator[Diagnostic]:
    for path, weights in zip(statement.paths, statement.weights, strict=True):
        if not weights:
            continue
        values: list[str] = []
        for scope in subject.scopes:
            if path.name in scope.variables:
                values += scope.variables[path.name].labels.values()
        if subject.resolver.kind(path.name) == "rows":
            table = subject.resolver.row_table(path.name)
            values = [item.text for row in table.rows for item in row[0].items[:1] if isinstance(item, nodes.Word)]
        given: list[str] = []
        behind = path.span.column + path.span.length
        rest = Span(path.span.source, path.span.line, behind, len(path.span.source.line(path.span.line)))
        for value, weight in weights:
            place = narrowed(rest, value, given.count(value) + 1)
            if value in given:
                yield problem("duplicate", f"'{value}' is weighed twice", place, "once is enough")
            given.append(value)
            if values and value not in values:
                hint = nearest(value, values) or f"expected {', '.join(dict.fromkeys(values))}"
                yield problem("cross", f"'{path.name}' is never '{value}'", place, hint)
            yield from weight_problems(weight, place, f"exclude it: where {path.name} != {value}")
