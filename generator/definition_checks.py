"""Checks of definitions: names given twice, families, phrases, what nothing uses, guessed words."""

from __future__ import annotations

from collections.abc import Iterator

from generator import nodes
from generator.checking import Subject, problem, texts_of, weight_problems
from generator.conditions import operands
from generator.errors import Diagnostic, listed, nearest
from generator.loading import Definition, Grammar
from generator.mention_checks import check_column
from generator.mentions import RowTable
from generator.source import Span
from generator.statement_checks import check_bare_names, check_condition, expected, narrowed
from generator.walking import braces_of, mentions_of


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
                        "unknown-name",
                        f"'{piece.name}' is not a table",
                        piece.span,
                        nearest(piece.name, known)
                        or "write a table's column, as in {Tense name}, or a variable, as in {$n}",
                    )
                else:
                    table = subject.resolver.row_table(piece.name)
                    yield from check_column(subject, piece, table)
                    yield from _holds_slots(subject, piece, table)


def _holds_slots(subject: Subject, piece: nodes.Mention, table: RowTable) -> Iterator[Diagnostic]:
    features = subject.resolver.features(piece, table)
    for number, column in enumerate(table.columns):
        named = features.literals and all(column.get(f) == v for _, f, v, _ in features.literals)
        if named and any(not isinstance(item, nodes.Word) for row in table.rows for item in row[number].items):
            name = " ".join(column.values())
            yield problem(
                "column",
                f"column '{name}' of table '{table.name}' holds slots and cannot name a template",
                piece.span,
                "name a column of words",
            )


def check_phrases(subject: Subject) -> Iterator[Diagnostic]:
    """A phrase uses its variable, and its conditions speak of what it has."""
    for definition in subject.grammar.definitions.values():
        if not isinstance(definition, nodes.PhraseDefinition):
            continue
        yield from _header(subject, definition)
        texts = [rule.text for rule in definition.rules]
        mentioned = [mention for text in texts for mention, _ in mentions_of(text)]
        used = {f.variable for m in mentioned for f in m.features if isinstance(f, nodes.VariableFeature)}
        for variable in definition.variables:
            if variable not in used:
                message = f"phrase '{definition.name}' does not use its variable {variable}"
                yield problem("variable", message, definition.span, "use it in a slot, or leave it out")
        names = {m.label or m.name for m in mentioned}
        for where in definition.wheres:
            for operand in operands(where.condition):
                if operand.kind == "name" and operand.part and operand.name not in names:
                    message = f"the phrase has no '{operand.name}'"
                    yield problem(
                        "unknown-name", message, operand.span, nearest(operand.name, names) or expected(names)
                    )
                elif operand.kind == "variable" and operand.name not in used:
                    message = f"the phrase has no variable '{operand.name}'"
                    yield problem("unknown-name", message, operand.span, nearest(operand.name, used) or expected(used))
            yield from check_bare_names(subject, where.condition, names)
            yield from check_condition(subject, where)


def _header(subject: Subject, definition: nodes.PhraseDefinition) -> Iterator[Diagnostic]:
    """A phrase's header has one variable of agreement, each variable once, and values of features."""
    resolver, place = subject.resolver, definition.span
    rest = Span(place.source, place.line, place.column + place.length, len(place.source.line(place.line)))
    for number, variable in enumerate(definition.variables):
        if variable in definition.variables[:number]:
            message = f"'{variable}' stands twice in the header of phrase '{definition.name}'"
            yield problem("duplicate", message, narrowed(rest, variable, 2), "leave it out")
    agreeing = [v for v in dict.fromkeys(definition.variables) if not resolver.typed_feature(v)]
    if len(agreeing) > 1:
        message = f"phrase '{definition.name}' has two variables of agreement: {', '.join(agreeing)}"
        hint = f"a mention gives it one: leave {agreeing[1]} out of the header"
        yield problem("variable", message, narrowed(rest, agreeing[1]), hint)
    for feature in definition.features:
        declaration = isinstance(feature, nodes.Feature) and resolver.system.declarations.get(feature.name)
        if declaration and declaration.kind != "value":
            message = f"'{feature.span.text}' in a phrase's header, which takes variables and values of agreement"
            hint = f"write it in the rules, as in {{head=noun {feature.span.text}}}"
            yield problem("feature", message, feature.span, hint)


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
    # A name given to a word, or suggested for a misspelt one, is reported there.
    used |= {mention.label for text, _, _ in texts_of(subject) for mention, _ in mentions_of(text)}
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


def check_braces(subject: Subject) -> Iterator[Diagnostic]:
    """Weights that are none, and features on quoted words, which only a slot's words have."""
    for definition in subject.grammar.definitions.values():
        for rule in definition.rules if isinstance(definition, nodes.PhraseDefinition) else ():
            yield from weight_problems(rule.weight, rule.span, "leave the expansion out")
    for text, _, is_line in texts_of(subject):
        for brace in braces_of(text):
            for alternative in brace.choice.alternatives:
                yield from weight_problems(alternative.weight, alternative.span, "leave the alternative out")
                if alternative.mark and alternative.weight not in (0, 1):
                    yield problem(
                        "weight",
                        "a weight on a starred alternative: every item has each version",
                        alternative.span,
                        "leave the weight out",
                    )
                if isinstance(alternative.body, nodes.Mention):
                    continue
                for unit in alternative.body:
                    if isinstance(unit, nodes.Quoted) and unit.features:
                        before = len(subject.resolver.diagnostics)
                        subject.resolver.quoted_member(unit)
                        if len(subject.resolver.diagnostics) == before:
                            yield problem(
                                "feature",
                                "a feature on a quoted word that no slot holds",
                                unit.features[0].span,
                                "define a slot with these words, and mention it with $n",
                            )
        if is_line:
            regions: set[str] = set()
            for item in text.items:
                if isinstance(item, nodes.RegionText):
                    if item.name in regions:
                        message = f"the region '{item.name}' is given twice in a line"
                        yield problem("duplicate", message, item.span, "choose another name")
                    regions.add(item.name)


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
