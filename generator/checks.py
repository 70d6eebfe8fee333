"""What `gen check` finds: a list of small checks over a grammar whose names are bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from generator import nodes
from generator.conditions import operands
from generator.errors import Diagnostic, GrammarError, StarlingError, by_place, listed, nearest
from generator.loading import Definition, Grammar
from generator.planning import Plan, plan_resolved
from generator.plan_checks import PLAN_CHECKS
from generator.resolving import Resolver, RowTable
from generator.scopes import TemplateScope, braces_of, marked, mentions_of


def check(grammar: Grammar) -> list[Diagnostic]:
    """Every finding about a grammar, errors and warnings, in the order of its lines."""
    return by_place(_Checker(grammar).everything())


def require_good(grammar: Grammar) -> Resolver:
    """The resolver of a grammar without errors of form; raises GrammarError with all of them otherwise.

    Checks that need the whole plan (examples, contrasts that no word shows) are left to `check`.
    """
    checker = _Checker(grammar)
    errors = [finding for finding in by_place(checker.static()) if finding.is_error]
    if errors:
        raise GrammarError(errors)
    return checker.resolver


class _Checker:
    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.resolver = Resolver(grammar)
        self.scopes = [
            TemplateScope(self.resolver, template, str(number))
            for number, template in enumerate(grammar.templates, start=1)
        ]

    def everything(self) -> list[Diagnostic]:
        """Static findings; without errors among them, those of the plan as well."""
        findings = self.static()
        if any(finding.is_error for finding in findings):
            return findings
        plans: list[Plan] = []
        for flavour in ("forced", "open"):
            try:
                plans.append(plan_resolved(self.resolver, flavour))  # type: ignore[arg-type]
            except GrammarError as error:
                return [*findings, *error.diagnostics]
            except StarlingError:
                continue
        for plan_check in PLAN_CHECKS:
            for plan in plans:
                findings.extend(plan_check(plan))
        return findings

    def static(self) -> list[Diagnostic]:
        """Findings that need no plan."""
        findings = list(self.grammar.diagnostics)
        for static_check in STATIC_CHECKS:
            findings.extend(static_check(self))
            if static_check is _recursion and any(f.code == "recursion" for f in findings):
                return findings
        return [*findings, *self.resolver.diagnostics]


def _problem(code: str, message: str, span: nodes.Span, hint: str = "") -> Diagnostic:
    return Diagnostic(code, message, span, hint)


def _texts(checker: _Checker) -> Iterator[tuple[nodes.Text, dict[str, str], bool]]:
    """Every text of the grammar: (text, names known in it, whether it is a template's line)."""
    for scope in checker.scopes:
        for sentence in scope.template.sentences:
            yield sentence.text, dict(scope.labels), True
    for definition in checker.grammar.definitions.values():
        if isinstance(definition, nodes.PhraseDefinition):
            labels = dict(checker.scopes[0].phrase_labels(definition)) if checker.scopes else {}
            for rule in definition.rules:
                yield rule.text, labels, False
        elif isinstance(definition, nodes.TableDefinition):
            for row in definition.rows:
                for cell in row:
                    yield cell, {}, False


def _no_templates(checker: _Checker) -> Iterator[Diagnostic]:
    # A library of definitions is a good file: it is imported, not generated from.
    grammar = checker.grammar
    if not grammar.templates and not grammar.definitions and not any(d.is_error for d in grammar.diagnostics):
        yield _problem("empty", "the grammar has no sentence", nodes.Span(grammar.source, 1, 1), "write a '+' line")


def _recursion(checker: _Checker) -> Iterator[Diagnostic]:
    graph: dict[str, set[str]] = {}
    for name, definition in checker.grammar.definitions.items():
        texts: list[nodes.Text] = []
        if isinstance(definition, nodes.PhraseDefinition):
            texts = [rule.text for rule in definition.rules]
        elif isinstance(definition, nodes.TableDefinition):
            texts = [cell for row in definition.rows for cell in row]
        graph[name] = {mention.name for text in texts for mention, _ in mentions_of(text)}
    for name in graph:
        reached: set[str] = set()
        frontier = set(graph[name])
        while frontier:
            reached |= frontier
            frontier = {n for f in frontier for n in graph.get(f, ())} - reached
        if name in reached:
            definition = checker.grammar.definitions[name]
            kind = "phrase" if isinstance(definition, nodes.PhraseDefinition) else "table"
            yield _problem("recursion", f"{kind} '{name}' contains itself without a depth", definition.span,
                           "write out the levels as phrases of their own")  # fmt: skip


def _mentions(checker: _Checker) -> Iterator[Diagnostic]:
    """Unknown names and features; names given to nothing; features on phrases; columns of tables."""
    resolver = checker.resolver
    for text, labels, _ in _texts(checker):
        for mention, _ in mentions_of(text):
            class_name = labels.get(mention.name, mention.name)
            if mention.name not in labels and resolver.kind(class_name) is None:
                class_name = resolver.base_of(class_name) or class_name
            kind = resolver.kind(class_name)
            if kind is None:
                resolver.unknown_class(class_name, mention.place, labels)
            elif kind == "phrase":
                phrase = resolver.phrase(class_name)
                features = resolver.features(mention, None)
                if features.literals or features.column:
                    yield _problem("feature", f"a feature on phrase '{class_name}'", mention.span,
                                   "a phrase takes its variable only, as in {NP $n}")  # fmt: skip
                elif features.variables and not phrase.variable:
                    yield _problem("variable", f"phrase '{class_name}' has no variable", mention.span,
                                   f"define it as 'phrase {class_name} $n:'")  # fmt: skip
            elif kind == "rows":
                table = resolver.row_table(class_name)
                yield from _column(checker, mention, table)
            else:
                word_class = resolver.word_class(class_name)
                if word_class is not None:
                    resolver.features(mention, word_class)
                    if word_class.is_table:
                        yield from _table_mention(checker, mention, class_name)


def _column(checker: _Checker, mention: nodes.Mention, table: RowTable) -> Iterator[Diagnostic]:
    features = checker.resolver.features(mention, table)
    fitting = [c for c in table.columns if all((c.get(f) == v) != neg for _, f, v, neg in features.literals)]
    agreeing = set(checker.resolver.system.bundle)
    if not fitting:
        yield _problem("column", f"table '{table.name}' has no such column", mention.span,
                       f"its columns are {', '.join(' '.join(c.values()) for c in table.columns)}")  # fmt: skip
    elif len(fitting) > 1 and not (features.variables and all(agreeing & set(c) for c in fitting)):
        yield _problem("column", f"several columns of table '{table.name}' fit: "
                       f"{', '.join(' '.join(c.values()) for c in fitting)}", mention.span, "name one")  # fmt: skip


def _table_mention(checker: _Checker, mention: nodes.Mention, name: str) -> Iterator[Diagnostic]:
    definition = checker.grammar.definitions[name]
    if not isinstance(definition, nodes.TableDefinition):
        return
    columns = tuple(checker.resolver._column_features(column.labels) for column in definition.columns)
    yield from _column(checker, mention, RowTable(name, columns, definition.rows))


def _forms(checker: _Checker) -> Iterator[Diagnostic]:
    """A verb without a form."""
    resolver = checker.resolver
    system = resolver.system
    anchored: set[tuple[int, str]] = set()
    for text, labels, _ in _texts(checker):
        for mention, _ in mentions_of(text):
            if mention.name in labels and not mention.label:
                continue  # a later mention keeps the form of the first
            class_name = mention.name if resolver.kind(mention.name) else resolver.base_of(mention.name)
            if resolver.kind(class_name) != "class":
                continue
            word_class = resolver.word_class(class_name)
            if word_class is None or (id(text), class_name) in anchored:
                continue
            features = resolver.features(mention, word_class)
            members = resolver.finder.filtered(word_class.members, features.literals)
            if not members and word_class.members and not _reported(checker, mention):
                yield _problem("empty-class", f"'{mention.span.text}' selects no word", mention.span,
                               f"no word of '{class_name}' has these features")  # fmt: skip
            for member in members:
                category = resolver.lexicon.categories.get(member.entry.category)
                if category is None or not category.requires or features.variables or features.column:
                    continue
                values = {a.get(category.requires) for a in member.analyses}
                if len(values) > 1:
                    options = ", ".join(system.values(category.requires))
                    yield _problem("form", f"a {category.name} without a form", mention.span, f"write {options}")
                    break
            for feature in mention.features:
                if isinstance(feature, nodes.VariableFeature) and not feature.broken and members and not any(
                    a.agreeing for m in members for a in m.analyses
                ):
                    yield _problem("form", f"no form of '{class_name}' agrees, so {feature.variable} cannot fill it",
                                   mention.span, "leave the variable out, or name an agreeing form")  # fmt: skip


def _reported(checker: _Checker, mention: nodes.Mention) -> bool:
    return any(d.span and d.span.line == mention.span.line for d in checker.resolver.diagnostics)


def _stars(checker: _Checker) -> Iterator[Diagnostic]:
    """Stars where they mean something, and as many as fit together."""
    for text, _, is_line in _texts(checker):
        if not is_line:
            for brace in braces_of(text):
                if brace.choice.is_contrast:
                    yield _problem("star", "a contrast inside a phrase or a table", brace.span,
                                   "stars belong into '+' lines")  # fmt: skip
    for scope in checker.scopes:
        first = scope.template.sentences[0]
        if first.mark == "*":
            yield _problem("star", "a template begins with its acceptable sentence", first.span, "write '+' first")
        counts = {marked(brace) for brace in scope.contrasts}
        if scope.is_several_lines and scope.contrasts:
            yield _problem("star", "a starred brace in an item that has '*' lines", scope.contrasts[0].span,
                           "mark the contrast in one way")  # fmt: skip
        elif len(counts - {1}) > 1:
            numbers = ", ".join(str(marked(brace)) for brace in scope.contrasts)
            yield _problem("star", f"contrasts with {numbers} stars in one sentence", scope.contrasts[-1].span,
                           "give each the same number of stars, or one")  # fmt: skip
        for brace in scope.contrasts:
            if all(alternative.mark for alternative in brace.choice.alternatives):
                yield _problem("star", "a contrast without an acceptable side", brace.span,
                               "leave one alternative unmarked")  # fmt: skip
            for alternative in brace.choice.alternatives:
                if isinstance(alternative.body, tuple):
                    for unit in alternative.body:
                        if isinstance(unit, nodes.Brace) and unit.choice.is_contrast:
                            yield _problem("star", "a contrast inside a contrast", unit.span, "write one brace")
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
                yield _problem("ambiguous-name", f"'{class_name}' stands twice in a line of an item with several "
                               "lines: which is which?", mention.span,
                               f"number them: {class_name}1, {class_name}2")  # fmt: skip
            seen[class_name] = mention


def _variables(checker: _Checker) -> Iterator[Diagnostic]:
    """A variable used once says nothing."""
    crossed = {path.name for s in checker.grammar.statements if isinstance(s, nodes.Cross) for path in s.paths}
    for scope in checker.scopes:
        spans: dict[tuple[str, str], list[nodes.Span]] = {}
        for use in scope.uses:
            spans.setdefault((use.owner, use.name), []).append(use.span)
        for where in scope.wheres:
            for operand in operands(where.condition):
                if operand.kind == "variable":
                    spans.setdefault(("", operand.name), []).append(operand.span)
        for (owner, name), found in spans.items():
            if len(found) == 1 and name not in crossed and not (owner and _is_parameter(checker, owner, name)):
                yield _problem("variable", f"variable '{name}' is used once", found[0],
                               "use it in a second slot, cross it, or leave it out")  # fmt: skip


def _is_parameter(checker: _Checker, owner: str, name: str) -> bool:
    return checker.resolver.phrase(owner).variable == name


def _statements(checker: _Checker) -> Iterator[Diagnostic]:
    """`cross`, `target`, `repeat`, `distinct`, `where` and `answer` speak of what there is."""
    names = {name for scope in checker.scopes for name in scope.mentioned}
    variables = {name for scope in checker.scopes for name in scope.variables}
    resolver = checker.resolver
    for statement in checker.grammar.statements:
        match statement:
            case nodes.Cross():
                for path in statement.paths:
                    if path.kind == "variable" and path.name not in variables:
                        yield _problem("unknown-name", f"no template has the variable '{path.name}'", path.span,
                                       nearest(path.name, variables))  # fmt: skip
                    elif path.kind == "name" and path.name not in names:
                        yield _problem("unknown-name", f"no template has '{path.name}'", path.span,
                                       nearest(path.name, names | variables))  # fmt: skip
                    elif path.part:
                        yield _problem("cross", "a crossed variable or name stands whole", path.span,
                                       f"write {path.name}")  # fmt: skip
                    elif path.kind == "name" and resolver.kind(_class_of(checker, path.name)) == "class":
                        yield _problem("cross", f"'{path.name}' is a slot", path.span,
                                       "cross takes variables, tables and phrases")  # fmt: skip
            case nodes.Target():
                if statement.name not in names:
                    yield _problem("unknown-name", f"no template has the slot '{statement.name}'", statement.span,
                                   nearest(statement.name, names))  # fmt: skip
                for scope in checker.scopes:
                    if scope.mentioned.get(statement.name, 0) > 1:
                        yield _problem("ambiguous-name", f"'{statement.name}' stands more than once in template "
                                       f"{scope.number}", statement.span, "name the one to mask")  # fmt: skip
            case nodes.NamesStatement():
                for operand in statement.names:
                    if operand.name not in names:
                        yield _problem("unknown-name", f"no template has '{operand.name}'", operand.span,
                                       nearest(operand.name, names))  # fmt: skip
            case nodes.Where():
                if not any(all(scope.has(o) for o in operands(statement.condition)) for scope in checker.scopes):
                    missing = [o for o in operands(statement.condition)
                               if o.name not in names | variables and (o.part or o.kind == "variable" or o is operands(statement.condition)[0])]  # fmt: skip
                    place = missing[0] if missing else operands(statement.condition)[0]
                    yield _problem("unknown-name", f"no template has all that this condition names: '{place.name}'",
                                   place.span, nearest(place.name, names | variables))  # fmt: skip
                yield from _condition(checker, statement)
            case nodes.Answer():
                yield from _answer(checker, statement, variables)
            case _:
                pass
    for scope in checker.scopes:
        for where in scope.template.wheres:
            for operand in operands(where.condition):
                if operand.kind == "variable" and operand.name not in scope.variables:
                    yield _problem("unknown-name", f"the template has no variable '{operand.name}'", operand.span,
                                   nearest(operand.name, scope.variables))  # fmt: skip
                elif operand.kind == "name" and operand.part and operand.name not in scope.mentioned:
                    yield _problem("unknown-name", f"the template has no '{operand.name}'", operand.span,
                                   nearest(operand.name, scope.mentioned))  # fmt: skip
            yield from _condition(checker, where)


def _class_of(checker: _Checker, name: str) -> str:
    for scope in checker.scopes:
        if name in scope.labels:
            return scope.labels[name]
    return name if checker.resolver.kind(name) else checker.resolver.base_of(name)


def _condition(checker: _Checker, where: nodes.Where) -> Iterator[Diagnostic]:
    declared = checker.resolver.system.declarations
    for operand in operands(where.condition):
        if operand.kind == "variable" and operand.part and operand.part not in checker.resolver.system.bundle:
            yield _problem("feature", f"'{operand.part}' is not a feature of agreement", operand.span,
                           nearest(operand.part, checker.resolver.system.bundle))  # fmt: skip
        elif operand.kind == "name" and operand.part and operand.part not in declared:
            if checker.resolver.kind(_class_of(checker, operand.name)) == "rows":
                continue
            yield _problem("feature", f"unknown feature '{operand.part}'", operand.span,
                           nearest(operand.part, declared))  # fmt: skip
    yield from _values(checker, where.condition)


def _values(checker: _Checker, condition: nodes.Condition) -> Iterator[Diagnostic]:
    if isinstance(condition, nodes.Logical):
        for part in condition.parts:
            yield from _values(checker, part)
        return
    declaration = checker.resolver.system.declarations.get(condition.left.part)
    if declaration is None or declaration.kind != "value":
        return
    values = checker.resolver.system.values(declaration.name)
    known = {name for scope in checker.scopes for name in scope.mentioned}
    for operand in condition.right:
        if operand.kind == "name" and not operand.part and operand.name not in values and operand.name not in known:
            yield _problem("feature", f"'{operand.name}' is not a value of {declaration.name}", operand.span,
                           nearest(operand.name, values) or f"expected {', '.join(values)}")  # fmt: skip


def _answer(checker: _Checker, answer: nodes.Answer, variables: set[str]) -> Iterator[Diagnostic]:
    resolver = checker.resolver
    if answer.name == "other":
        yield _problem("answer", "'other' is implied and last", answer.span, "choose another name")
    for alternative in answer.choice.alternatives:
        if isinstance(alternative.body, nodes.Mention):
            mention = alternative.body
            word_class = resolver.mentioned_class(mention)
            if word_class is not None:
                for name, _, _ in resolver.features(mention, word_class).variables:
                    if name not in variables:
                        yield _problem("unknown-name", f"no template has the variable '{name}'", mention.span,
                                       nearest(name, variables))  # fmt: skip
    same = [s for s in checker.grammar.statements if isinstance(s, nodes.Answer) and s.name == answer.name]
    if len(same) > 1 and same[0] is not answer:
        yield _problem("duplicate", f"answer '{answer.name}' is defined twice", answer.span,
                       f"first in line {same[0].span.line}")  # fmt: skip


def _duplicates(checker: _Checker) -> Iterator[Diagnostic]:
    """Two templates of one name; a name given twice in a line; two classes under one name."""
    seen: dict[str, nodes.TemplateDefinition] = {}
    for template in checker.grammar.templates:
        if template.name and all(isinstance(piece, str) for piece in template.name):
            name = "".join(str(piece) for piece in template.name)
            if name in seen:
                yield _problem("duplicate", f"template '{name}' is defined twice", template.span,
                               f"first in line {seen[name].span.line}")  # fmt: skip
            seen.setdefault(name, template)
    for text, _, is_line in _texts(checker):
        given: dict[str, nodes.Mention] = {}
        for mention, brace in mentions_of(text):
            if mention.label and mention.label in given and brace is None:
                yield _problem("duplicate", f"the name '{mention.label}' is given twice in a line", mention.span,
                               f"say {{{mention.label}}} for the same word, or choose another name")  # fmt: skip
            if mention.label and is_line and mention.label in checker.grammar.definitions:
                yield _problem("duplicate", f"'{mention.label}' is the name of a class already", mention.span,
                               "choose another name")  # fmt: skip
            given[mention.label or ""] = mention


def _families(checker: _Checker) -> Iterator[Diagnostic]:
    """Names and variables in a template's name."""
    for scope in checker.scopes:
        for piece in scope.template.name:
            if isinstance(piece, nodes.VariableFeature):
                if piece.variable not in {u.name for u in scope.uses if u.span is not piece.span}:
                    yield _problem("variable", f"'{piece.variable}' stands in the template's name only", piece.span,
                                   "use it in the sentence")  # fmt: skip
            elif isinstance(piece, nodes.Mention):
                if checker.resolver.kind(piece.name) != "rows":
                    if isinstance(checker.grammar.definitions.get(piece.name), nodes.TableDefinition):
                        continue
                    known = [n for n, d in checker.grammar.definitions.items() if isinstance(d, nodes.TableDefinition)]
                    yield _problem("unknown-name", f"'{piece.name}' is not a table", piece.span,
                                   nearest(piece.name, known))  # fmt: skip
                else:
                    yield from _column(checker, piece, checker.resolver.row_table(piece.name))


def _definitions(checker: _Checker) -> Iterator[Diagnostic]:
    """Build every own class, so that its errors are found; report what nothing uses."""
    grammar, resolver = checker.grammar, checker.resolver
    for scope in checker.scopes:
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
            yield _problem("unused", f"{kind} '{name}' is never used", definition.span, "use it or remove it")


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


def _guesses(checker: _Checker) -> Iterator[Diagnostic]:
    """Forms that no list gives."""
    guessed = [entry for entry in checker.resolver.guessed.values()]
    by_file: dict[str, list[str]] = {}
    first: dict[str, nodes.Span] = {}
    for entry in guessed:
        if entry.span is None:
            continue
        forms = "/".join(dict.fromkeys(a.text for a in entry.analyses))
        by_file.setdefault(entry.span.source.name, []).append(forms)
        first.setdefault(entry.span.source.name, entry.span)
    for name, words in by_file.items():
        yield Diagnostic("guessed", f"{len(words)} words of '{name}' are not in the lexicon; their forms are guessed: "
                         f"{listed(islice(words, len(words)), 8)}", first[name], severity="warning")  # fmt: skip


STATIC_CHECKS: tuple[Callable[[_Checker], Iterator[Diagnostic]], ...] = (
    _no_templates,
    _recursion,
    _mentions,
    _forms,
    _stars,
    _duplicates,
    _families,
    _statements,
    _variables,
    _definitions,
    _guesses,
)
