"""Checks of what stands in sentences, phrases and tables: names, features, forms, stars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator import nodes
from generator.checking import Subject, problem, texts_of
from generator.errors import Diagnostic
from generator.mentions import RowTable
from generator.scopes import TemplateScope
from generator.source import Span
from generator.walking import braces_of, head_of, marked, mentions_of

MAX_DEPTH = 20
"""The largest depth of a phrase: what lies deeper nobody reads."""


def check_no_templates(subject: Subject) -> Iterator[Diagnostic]:
    """A grammar needs a sentence."""
    # A library of definitions is a good file: it is imported, not generated from.
    grammar = subject.grammar
    if not grammar.templates and not grammar.definitions and not any(d.is_error for d in grammar.diagnostics):
        yield problem("empty", "the grammar has no sentence", Span(grammar.source, 1, 1), "write a '+' line")


def check_recursion(subject: Subject) -> Iterator[Diagnostic]:
    """A phrase or table that contains itself without a depth; a depth that says nothing; recursion without an end."""
    graph: dict[str, set[str]] = {}
    for name, definition in subject.grammar.definitions.items():
        texts: list[nodes.Text] = []
        if isinstance(definition, nodes.PhraseDefinition):
            texts = [rule.text for rule in definition.rules]
        elif isinstance(definition, nodes.TableDefinition):
            texts = [cell for row in definition.rows for cell in row]
        graph[name] = {_class_name(subject, mention, texts) for text in texts for mention, _ in mentions_of(text)}
    deep = {
        name
        for name, definition in subject.grammar.definitions.items()
        if isinstance(definition, nodes.PhraseDefinition) and definition.depth is not None
    }
    flat = {name: mentioned - deep for name, mentioned in graph.items() if name not in deep}
    cycles: list[set[str]] = []
    for name in flat:
        if name in _reached(flat, name) and not any(name in cycle for cycle in cycles):
            path = _cycle(flat, name)
            cycles.append(set(path))
            definition = subject.grammar.definitions[name]
            kind = "phrase" if isinstance(definition, nodes.PhraseDefinition) else "table"
            hint = (
                f"write phrase {name} ... depth 1:"
                if kind == "phrase"
                else "write out the levels as tables of their own"
            )
            yield problem(
                "recursion",
                f"{kind} '{name}' contains itself without a depth",
                definition.span,
                f"{' -> '.join(path)}: {hint}" if len(path) > 2 else hint,
            )
    for name in sorted(deep):
        definition = subject.grammar.definitions[name]
        assert isinstance(definition, nodes.PhraseDefinition)
        if (definition.depth or 0) > MAX_DEPTH:
            message = f"a depth of {definition.depth:,}"
            yield problem("recursion", message, definition.span, f"depths go up to {MAX_DEPTH}")
        elif name not in _reached(graph, name):
            message = f"phrase '{name}' has a depth and does not contain itself"
            yield problem("recursion", message, definition.span, "leave the depth out")
        elif subject.scopes and not cycles and not subject.scopes[0].is_possible(name, {name: definition.depth or 0}):
            path = _cycle(graph, name)
            shown = f"{' -> '.join(path)}: " if len(path) > 2 else ""
            message = f"phrase '{name}' cannot end: every rule needs the phrase itself"
            yield problem("recursion", message, definition.span, f"{shown}add a rule without it")


def _class_name(subject: Subject, mention: nodes.Mention, texts: Sequence[nodes.Text]) -> str:
    """What a mention in a definition stands for; a name given there stands for its class."""
    given = {m.label: m.name for text in texts for m, _ in mentions_of(text) if m.label}
    name = given.get(mention.name, mention.name)
    return name if name in subject.grammar.definitions else subject.resolver.base_of(name) or name


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """What a name leads to in one step or more."""
    reached: set[str] = set()
    frontier = set(graph.get(start, ()))
    while frontier:
        reached |= frontier
        frontier = {n for f in frontier for n in graph.get(f, ())} - reached
    return reached


def _cycle(graph: Mapping[str, set[str]], start: str) -> list[str]:
    """The shortest way from a name back to itself."""
    paths = [[start]]
    while True:
        paths = [[*path, following] for path in paths for following in sorted(graph.get(path[-1], ()))]
        for path in paths:
            if path[-1] == start:
                return path


def check_mentions(subject: Subject) -> Iterator[Diagnostic]:
    """Unknown names and features; names given to nothing; features on phrases; columns of tables."""
    resolver = subject.resolver
    factors = {s.name: s for s in subject.grammar.statements if isinstance(s, nodes.FactorDefinition)}
    levels: list[str] = []  # of a factor whose ':' is missing
    unknown = {id(m) for text, _, _ in texts_of(subject) for m in _in_unknown_arms(text, factors)}
    for text, labels, _ in texts_of(subject):
        for mention, _ in mentions_of(text):
            class_name = labels.get(mention.name, mention.name)
            if resolver.kind(class_name) is None and mention.name in factors:
                levels = [level.name for level in factors[mention.name].levels]
                hint = f"write {{{mention.name}: {' words | '.join(levels)} words}}"
                yield problem("syntax", f"factor '{mention.name}' without ':'", mention.place, hint)
                continue
            if resolver.kind(class_name) is None and (mention.name in levels or id(mention) in unknown):
                continue
            if mention.name not in labels and resolver.kind(class_name) is None:
                class_name = resolver.base_of(class_name) or class_name
            kind = resolver.kind(class_name)
            if kind is None:
                resolver.unknown_class(class_name, mention.place, labels)
            elif kind == "phrase":
                yield from check_phrase_mention(subject, mention, resolver.phrase(class_name))
            elif kind == "rows":
                table = resolver.row_table(class_name)
                yield from check_column(subject, mention, table)
            else:
                word_class = resolver.word_class(class_name)
                if word_class is not None:
                    resolver.features(mention, word_class)
                    if word_class.is_table:
                        yield from _table_mention(subject, mention, class_name)


def _in_unknown_arms(text: nodes.Text, factors: Mapping[str, nodes.FactorDefinition]) -> Iterator[nodes.Mention]:
    """The mentions in the arms of unknown factors, which may be no arms."""
    for brace in braces_of(text):
        if any(name not in factors for name in brace.choice.factors):
            yield from (a.body for a in brace.choice.alternatives if isinstance(a.body, nodes.Mention))


def check_phrase_mention(
    subject: Subject, mention: nodes.Mention, phrase: nodes.PhraseDefinition, inside: frozenset[str] = frozenset()
) -> Iterator[Diagnostic]:
    """What a mention gives a phrase is its variables', or goes to the head of each rule."""
    resolver = subject.resolver
    if len(resolver.whole_features(phrase)) < len(phrase.features):
        return  # a header that is reported
    rest = resolver.bind(mention, phrase).rest
    if not rest.features or phrase.name in inside:
        return
    second = next((f for f in rest.features if isinstance(f, nodes.VariableFeature) and not f.part), None)
    if second and resolver.agreeing_variable(phrase) and not resolver.typed_feature(second.variable):
        message = f"a second variable on phrase '{phrase.name}', which has one"
        yield problem("variable", message, second.span, f"leave {second.variable} out")
        return
    for rule in phrase.rules:
        head = head_of(rule.text)
        if head is None:
            first = rest.features[0]
            shown = first.span.text
            if isinstance(first, nodes.VariableFeature) and not first.part:
                name = first.variable
                message = f"phrase '{phrase.name}' has no variable for {name}, and no head that takes it"
                hint = f"define it as 'phrase {phrase.name} {name}:', or name a head: {{head=...}}"
                yield problem("variable", message, first.span, hint)
            else:
                message = f"'{shown}' on phrase '{phrase.name}', which has a rule without a head"
                yield problem("feature", message, first.span, f"name the head in '{rule.text.span.text}': {{head=...}}")
            return
        labels = subject.scopes[0].phrase_labels(phrase) if subject.scopes else {}
        class_name = labels.get(head.name, head.name)
        class_name = class_name if resolver.kind(class_name) else resolver.base_of(class_name)
        kind = resolver.kind(class_name)
        if kind == "phrase":
            yield from check_phrase_mention(subject, rest, resolver.phrase(class_name), inside | {phrase.name})
        elif kind == "class":
            word_class = resolver.word_class(class_name)
            if word_class is not None:
                resolver.features(rest, word_class)


def check_column(subject: Subject, mention: nodes.Mention, table: RowTable) -> Iterator[Diagnostic]:
    """A table's mention names one column."""
    features = subject.resolver.features(mention, table)
    fitting = [c for c in table.columns if all((c.get(f) == v) != neg for _, f, v, neg in features.literals)]
    agreeing = set(subject.resolver.system.bundle)
    if id(mention) in subject.resolver.broken_mentions:
        return
    if not fitting:
        yield problem(
            "column",
            f"table '{table.name}' has no such column",
            mention.span,
            f"its columns are {', '.join(' '.join(c.values()) for c in table.columns)}",
        )
    elif len(fitting) > 1 and not (features.variables and all(agreeing & set(c) for c in fitting)):
        yield problem(
            "column",
            f"several columns of table '{table.name}' fit: {', '.join(' '.join(c.values()) for c in fitting)}",
            mention.span,
            "name one",
        )


def _table_mention(subject: Subject, mention: nodes.Mention, name: str) -> Iterator[Diagnostic]:
    definition = subject.grammar.definitions[name]
    if not isinstance(definition, nodes.TableDefinition):
        return
    columns = tuple(subject.resolver.column_features(column.labels) for column in definition.columns)
    yield from check_column(subject, mention, RowTable(name, columns, definition.rows))


def check_forms(subject: Subject) -> Iterator[Diagnostic]:
    """A verb without a form."""
    resolver = subject.resolver
    system = resolver.system
    # Mentions that repeat an earlier one's word without features keep its form: in one contrast, and across the
    # lines of an item.
    anchored: set[tuple[str, object]] = set()
    heads = _heads_given_a_form(subject)
    is_unread = any(finding.is_error for finding in subject.grammar.diagnostics)
    item_of = {
        id(s.text): id(scope) for scope in subject.scopes for s in scope.template.sentences if scope.is_several_lines
    }
    for text, labels, _ in texts_of(subject):
        for mention, brace in mentions_of(text):
            place: object = item_of.get(id(text)) or (id(text), brace if brace is not None else mention.span)
            if mention.name in labels and not mention.label:
                continue  # a later mention keeps the form of the first
            class_name = mention.name if resolver.kind(mention.name) else resolver.base_of(mention.name)
            if resolver.kind(class_name) != "class":
                continue
            if class_name != mention.name:
                place = (place if id(text) in item_of else id(text), mention.name)  # a numbered name: one word a line
            if (class_name, place) in anchored and not mention.features:
                continue
            word_class = resolver.word_class(class_name)
            if word_class is None:
                continue
            features = resolver.features(mention, word_class)
            members = resolver.finder.selected(word_class, features.literals)
            if not members and word_class.members and not _reported(subject, mention):
                yield problem(
                    "empty-class",
                    f"'{mention.span.text}' selects no word",
                    mention.span,
                    f"no word of '{class_name}' has these features",
                )
            for member in members:
                category = resolver.lexicon.categories.get(member.entry.category)
                if category is None or not category.requires or category.requires in category.usual or mention in heads:
                    continue
                if features.variables and is_unread:
                    continue  # a line that cannot be read may define them
                if features.column or features.after or _narrows(subject, features.variables, category.name):
                    continue
                values = {a.get(category.requires) for a in member.analyses}
                if len(values) > 1 and not _reported(subject, mention):
                    options = ", ".join(system.values(category.requires))
                    yield problem(
                        "form",
                        f"{'an' if category.name[0] in 'aeiou' else 'a'} {category.name} without a {category.requires}",
                        mention.span,
                        f"write {options}",
                    )
                    break
            anchored.add((class_name, place))
            for feature in mention.features:
                if (
                    isinstance(feature, nodes.VariableFeature)
                    and not feature.broken
                    and not resolver.typed_feature(feature.variable)
                    and members
                    and not any(a.agreeing for m in members for a in m.analyses)
                ):
                    yield problem(
                        "form",
                        f"no form of '{class_name}' agrees, so {feature.variable} cannot fill it",
                        mention.span,
                        "leave the variable out, or name an agreeing form",
                    )


def _narrows(subject: Subject, variables: Sequence[tuple[str, str, bool]], category: str) -> bool:
    """Whether variables say something of a form: one of its own feature does; one of agreement only where some forms
    of the category do not agree (verbs).
    """
    lexicon = subject.resolver.lexicon
    wanted = lexicon.categories[category].requires
    if not variables or any(subject.resolver.typed_feature(name) == wanted for name, _, _ in variables):
        return bool(variables)
    return any(not a.agreeing for entry in lexicon.entries.get(category, ()) for a in entry.analyses)


def _heads_given_a_form(subject: Subject) -> list[nodes.Mention]:
    """Heads of phrases whose form every mention of the phrase says."""
    given: dict[str, bool] = {}
    items = [[sentence.text for sentence in scope.template.sentences] for scope in subject.scopes]
    earlier = {id(text): lines[:number] for lines in items for number, text in enumerate(lines)}
    for text, labels, _ in texts_of(subject):
        known = {m.name for line in earlier.get(id(text), ()) for m, _ in mentions_of(line)}
        for mention, _ in mentions_of(text):
            name = labels.get(mention.name, mention.name)
            repeats = mention.name in known or (mention.name in labels and not mention.label)
            if subject.resolver.kind(name) == "phrase" and not repeats:
                phrase = subject.resolver.phrase(name)
                rest = subject.resolver.bind(mention, phrase).rest.features
                given[name] = given.get(name, True) and bool(rest)
    found = []
    for name, definition in subject.grammar.definitions.items():
        if isinstance(definition, nodes.PhraseDefinition) and given.get(
            name, not (subject.grammar.is_own(definition) and subject.grammar.templates)
        ):
            found += [head for rule in definition.rules if (head := head_of(rule.text)) is not None]
    return found


def _reported(subject: Subject, mention: nodes.Mention) -> bool:
    """Whether a finding stands in a mention already."""
    start, end = mention.span.column, mention.span.column + mention.span.length
    spans = [d.span for d in subject.resolver.diagnostics if d.span and d.span.source is mention.span.source]
    return any(span.line == mention.span.line and start <= span.column < end for span in spans)


def check_stars(subject: Subject) -> Iterator[Diagnostic]:
    """Stars where they mean something, and as many as fit together."""
    for text, _, is_line in texts_of(subject):
        if not is_line:
            for brace in braces_of(text):
                if brace.choice.is_contrast:
                    yield problem(
                        "star", "a contrast inside a phrase or a table", brace.span, "stars belong in '+' lines"
                    )
    for scope in subject.scopes:
        first = scope.template.sentences[0]
        if first.mark == "*":
            yield problem("star", "a template begins with its acceptable sentence", first.span, "write '+' first")
        counts = {marked(brace) for brace in scope.contrasts}
        if scope.is_several_lines and scope.contrasts:
            yield problem(
                "star",
                "a starred brace in an item that has '*' lines",
                scope.contrasts[0].span,
                "mark the contrast in one way",
            )
        elif len(counts - {1}) > 1:
            numbers = ", ".join(str(marked(brace)) for brace in scope.contrasts)
            yield problem(
                "star",
                f"contrasts with {numbers} stars in one sentence",
                scope.contrasts[-1].span,
                "give each the same number of stars, or one",
            )
        for brace in scope.contrasts:
            if all(alternative.mark for alternative in brace.choice.alternatives):
                yield problem(
                    "star", "a contrast without an acceptable side", brace.span, "leave one alternative unmarked"
                )
            for alternative in brace.choice.alternatives:
                if isinstance(alternative.body, tuple):
                    for unit in alternative.body:
                        if isinstance(unit, nodes.Brace) and unit.choice.is_contrast:
                            yield problem("star", "a contrast inside a contrast", unit.span, "write one brace")
        if scope.is_several_lines:
            yield from _twice_in_a_line(scope)


def _twice_in_a_line(scope: TemplateScope) -> Iterator[Diagnostic]:
    for sentence in scope.template.sentences:
        seen: dict[str, nodes.Mention] = {}
        for mention, _ in mentions_of(sentence.text):
            name, class_name = scope.names_of(mention, scope.labels)
            word_class = scope.resolver.kind(class_name) == "class" and scope.resolver.word_class(class_name)
            if name or (word_class and word_class.is_table) or scope.resolver.kind(class_name) == "rows":
                continue
            if class_name in seen:
                yield problem(
                    "ambiguous-name",
                    f"'{class_name}' stands twice in a line of an item with several lines: which is which?",
                    mention.span,
                    f"number them: {class_name}1, {class_name}2",
                )
            seen[class_name] = mention
