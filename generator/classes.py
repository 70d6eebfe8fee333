"""The classes of a grammar: slots, categories and tables as members; the user's own words laid over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal as TypingLiteral

from generator import nodes
from generator.balancing import balanced
from generator.domains import FormFinder, Member, WordClass, table_entry
from generator.errors import Diagnostic, nearest
from generator.features import COLUMN
from generator.guessing import guess_entry
from generator.judged_words import form_analyses, judged_members, overruled
from generator.lexicon import LexicalEntry, quoted_entry
from generator.loading import Grammar
from generator.mentions import Binding, ResolvedFeatures, RowTable, holds_braces, plain, unique_members
from generator.overlays import ListedWord
from generator.source import Span
from generator.wordlists import cell_span

Kind = TypingLiteral["class", "rows", "phrase"]


class ClassBuilder(ABC):
    """Builds each class once; findings collect in `diagnostics`."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.lexicon = grammar.lexicon
        self.system = grammar.lexicon.system
        self.finder = FormFinder(grammar.lexicon)
        self.diagnostics: list[Diagnostic] = []
        self.used: set[str] = set()
        self.guessed: dict[tuple[str, str], LexicalEntry] = {}
        self._classes: dict[str, WordClass | None] = {}
        self._building: list[str] = []
        self._features: dict[tuple[int, str], ResolvedFeatures] = {}
        self._bindings: dict[tuple[int, str], Binding] = {}
        self._wholes: dict[str, Mapping[str, str]] = {}
        self._balanced: set[int] = set()
        self._keep: list[object] = []  # nodes whose id() keys a cache
        self._row_tables = self._structural_tables()
        self._rows: dict[str, RowTable] = {}
        self._reported: set[tuple[str, str]] = set()
        self.broken_mentions: set[int] = set()  # mentions (by id) of a column that a table lacks

    def problem(self, code: str, message: str, span: Span | None, hint: str = "") -> None:
        """Record an error once."""
        key = (message, str(span))
        if key not in self._reported:
            self._reported.add(key)
            self.diagnostics.append(Diagnostic(code, message, span, hint))

    @abstractmethod
    def features(self, mention: nodes.Mention, word_class: WordClass | RowTable | None) -> ResolvedFeatures:
        """A mention's features, typed against its class."""

    @abstractmethod
    def feature_value(self, feature: str, value: str, span: Span) -> bool:
        """Whether a feature has a value; a finding otherwise."""

    @abstractmethod
    def unknown_feature(self, name: str, span: Span, labels: Iterable[str] = ()) -> None:
        """Report an unknown feature."""

    # --- names --------------------------------------------------------------------------------------------------

    def known_names(self) -> list[str]:
        """Everything a mention may name, apart from a template's own names."""
        return [*self.grammar.definitions, *self.lexicon.categories]

    def kind(self, name: str) -> Kind | None:
        """What a class name stands for; None if it is unknown."""
        definition = self.grammar.definitions.get(name)
        if isinstance(definition, nodes.PhraseDefinition):
            return "phrase"
        if name in self._row_tables:
            return "rows"
        if definition is not None or name in self.lexicon.categories:
            return "class"
        return None

    def base_of(self, name: str) -> str:
        """`Class` for `Class1`, where `Class` is known; otherwise an empty string."""
        base = name.rstrip("0123456789")
        return base if base != name and base and self.kind(base) is not None else ""

    def phrase(self, name: str) -> nodes.PhraseDefinition:
        """A phrase's definition."""
        definition = self.grammar.definitions[name]
        assert isinstance(definition, nodes.PhraseDefinition)
        self.used.add(name)
        return definition

    def _structural_tables(self) -> set[str]:
        """Tables whose rows are choice points."""
        named: set[str] = set()
        for template in self.grammar.templates:
            named.update(piece.name for piece in template.name if isinstance(piece, nodes.Mention))
        for statement in self.grammar.statements:
            if isinstance(statement, nodes.Cross):
                named.update(path.name for path in statement.paths if path.kind == "name")
        return {
            name
            for name, definition in self.grammar.definitions.items()
            if isinstance(definition, nodes.TableDefinition)
            and (name in named or any(holds_braces(cell) for row in definition.rows for cell in row))
            and name not in self.grammar.choices.tables
        }

    # --- classes ------------------------------------------------------------------------------------------------

    def word_class(self, name: str) -> WordClass | None:
        """The class of a slot, category or table of text; None (with a finding) where it cannot be built."""
        self.used.add(name)
        if name in self._classes:
            return self._classes[name]
        if name in self._building:
            definition = self.grammar.definitions[name]
            self.problem(
                "cycle", f"slot '{name}' is defined by itself", definition.span, " -> ".join([*self._building, name])
            )
            return None
        self._building.append(name)
        try:
            self._classes[name] = self._build_class(name)
        finally:
            self._building.pop()
        self._balance(name)
        return self._classes[name]

    def _balance(self, name: str) -> None:
        """Choose words of classes that a `balance` names, once all of them are built."""
        for statement in self.grammar.statements:
            if not isinstance(statement, nodes.Balance) or id(statement) in self._balanced:
                continue
            names = [operand.name for operand in statement.names]
            if name not in names or {self.kind(other) for other in names} - {"class", None}:
                continue
            self._balanced.add(id(statement))
            found = [(other, self.word_class(other)) for other in names if self.kind(other) == "class"]
            classes = [(other, own) for other, own in found if own is not None]
            chosen = balanced([own.members for _, own in classes], self.grammar.numbers.get(statement.by.name, {}))
            for (other, own), members in zip(classes, chosen, strict=True):
                self._classes[other] = replace(own, members=members)
                if not members and self.grammar.numbers.get(statement.by.name):
                    message = f"no words of {' and '.join(names)} have a {statement.by.name} in common"
                    self.problem("balance", message, statement.span, "give numbers for more words, or widen the slots")

    def _build_class(self, name: str) -> WordClass | None:
        definition = self.grammar.definitions.get(name)
        if isinstance(definition, nodes.TableDefinition):
            return self._table_class(definition)
        if isinstance(definition, nodes.SlotDefinition):
            members, categories = self.choice_members(definition.choice)
            own = self.grammar.choices.list_named(name)
            if own:
                self.grammar.used_choices.add(own)
                category = categories[0] if len(set(categories)) == 1 and categories[0] else ""
                listed = [self.listed_member(word, category) for word in self.grammar.choices.lists[own]]
                members = overruled(listed, members, self.lexicon)
            if not members and not self._blamed(definition):
                self.problem(
                    "empty-class", f"slot '{name}' selects no word", definition.choice.span, "loosen its features"
                )
            return WordClass(name, tuple(unique_members(members)), tuple(dict.fromkeys(categories)))
        if name in self.lexicon.categories:
            return WordClass(name, tuple(self._category_members(name)), (name,))
        return None

    def _blamed(self, definition: nodes.SlotDefinition) -> bool:
        """Whether a finding already stands in the definition's line."""
        return any(
            d.span is not None and d.span.line == definition.span.line and d.span.source is definition.span.source
            for d in self.diagnostics
        )

    def choice_members(self, choice: nodes.Choice) -> tuple[list[Member], list[str]]:
        """The members of a slot's or answer's alternatives, and the categories they come from ('' for quoted)."""
        members: list[Member] = []
        categories: list[str] = []
        for alternative in choice.alternatives:
            if alternative.mark:
                self.problem("star", "a star outside a sentence", alternative.span, "stars belong in '+' lines")
            if alternative.weight != 1:
                self.problem(
                    "weight",
                    "a weight inside a class: its words are equally frequent",
                    alternative.span,
                    "weigh alternatives in a sentence's brace",
                )
            if isinstance(alternative.body, nodes.Mention):
                mention = alternative.body
                if mention.label:
                    self.problem(
                        "name",
                        f"a name '{mention.label}=' in a definition",
                        mention.span,
                        "names are given in sentences",
                    )
                found = self.mentioned_class(mention)
                if found is None:
                    continue
                features = self.features(mention, found)
                for variable, _, _ in features.variables:
                    self.problem(
                        "variable",
                        f"variable '{variable}' in a definition",
                        mention.span,
                        "variables belong in sentences, phrases and answers",
                    )
                literals = features.literals
                if features.column:  # in a definition, a text column asks that the word has it
                    literals = (*literals, ("text", features.column, "", False))
                members.extend(self.finder.selected(found, literals))
                categories.extend(found.categories)
                continue
            if len(alternative.body) != 1 or isinstance(alternative.body[0], nodes.Brace):
                braced = any(isinstance(unit, nodes.Brace) for unit in alternative.body)
                self.problem(
                    "slot",
                    "a slot's words are single quoted strings, categories or slots",
                    alternative.span,
                    "leave the braces out" if braced else "write a phrase, or one quoted string with spaces",
                )
                continue
            members.append(self.quoted_member(alternative.body[0]))
            categories.append("")
        return members, categories

    def mentioned_class(self, mention: nodes.Mention) -> WordClass | None:
        """The class of a mention in a definition, condition or answer; a finding where it is no class."""
        kind = self.kind(mention.name)
        if kind == "class":
            return self.word_class(mention.name)
        if kind is None:
            self.unknown_class(mention.name, mention.place)
        else:
            self.problem(
                "class",
                f"'{mention.name}' is a {'phrase' if kind == 'phrase' else 'table with slots'}, not a class of words",
                mention.place,
            )
        return None

    def unknown_class(self, name: str, span: Span, known: Iterable[str] = ()) -> None:
        """Report an unknown name with the nearest known one."""
        if name in self.grammar.failed or self.grammar.lacks_import:
            return  # the line that would define it is reported already
        names = [*self.known_names(), *known, *self.grammar.failed]
        found = nearest(name, names)
        self.used.update(n for n in names if found == f"did you mean '{n}'?")
        self.problem(
            "unknown-class",
            f"unknown class '{name}'",
            span,
            found or f"define it with 'slot', import a file that does, or quote the word: \"{name}\"",
        )

    def quoted_member(self, quoted: nodes.Quoted) -> Member:
        """A quoted word as a member of a class."""
        features: dict[str, str] = {}
        flags: list[str] = []
        for feature in quoted.features:
            if isinstance(feature, nodes.FeatureValue):
                if self.feature_value(feature.feature, feature.value, feature.span):
                    features[feature.feature] = feature.value
            elif feature.name in self.system.bare:
                name, value = self.system.bare[feature.name]
                if value:
                    features[name] = value
                else:
                    flags.append(name)
            else:
                self.unknown_feature(feature.name, feature.span)
        entry = quoted_entry(self.system, quoted.text, features, flags, quoted.span)
        return Member(entry, entry.analyses)

    def _category_members(self, name: str) -> Iterator[Member]:
        category = self.lexicon.categories[name]
        choices = self.grammar.choices
        own = choices.list_named(name)
        if own:
            self.grammar.used_choices.add(own)
            for word in choices.lists[own]:
                member = self.listed_member(word, name)
                yield Member(member.entry, member.analyses)
            return
        judged = {tag: choices.lists[tag] for tag in category.tags if tag in choices.lists}
        if not judged:
            yield from (Member(entry, entry.analyses) for entry in self.lexicon.entries[name])
            return
        self.grammar.used_choices.update(judged)
        yield from judged_members(self.lexicon, category, judged, self._listed_entries)

    def listed_member(self, word: ListedWord, category: str, form: str = "") -> Member:
        """A word of the user's list: looked up by lemma or form, else guessed; without a category, as quoted."""
        if not category:
            entry = quoted_entry(self.system, word.text, {}, (), word.span)
            return Member(entry, entry.analyses, free=True)
        entries = self._listed_entries(word, category, form)
        return Member(entries[0], entries[0].analyses, free=True)

    def _listed_entries(self, word: ListedWord, category: str, form: str = "") -> tuple[LexicalEntry, ...]:
        """The lexemes that a listed word may be, best first; a guessed one where the lexicon has none."""
        found = self.lexicon.by_form.get((category, word.text.lower()), ())
        if form:
            found = tuple(
                entry
                for entry in found
                if any(a.text.lower() == word.text.lower() for a in form_analyses(self.lexicon, entry, form))
            )
        if found:
            return tuple(sorted(found, key=lambda entry: entry.lemma != word.text))
        declaration = self.lexicon.categories[category]
        text = word.text.title() if "proper" in declaration.flags and word.text.islower() else word.text
        key = (category, text)
        if key not in self.guessed:
            self.guessed[key] = guess_entry(self.lexicon, declaration, text, form, word.span)
        return (self.guessed[key],)

    # --- tables -------------------------------------------------------------------------------------------------

    def column_features(self, labels: Iterable[str]) -> dict[str, str]:
        """What a column's labels say: values of declared features, and labels of the table's own."""
        features: dict[str, str] = {}
        for label in labels:
            feature, value = self.system.bare.get(label, ("", ""))
            features[feature if value else COLUMN + label] = value or label
        return features

    def row_table(self, name: str) -> RowTable:
        """A table whose rows are choice points."""
        self.used.add(name)
        if name not in self._rows:
            definition = self.grammar.definitions[name]
            assert isinstance(definition, nodes.TableDefinition)
            columns = tuple(self.column_features(column.labels) for column in definition.columns)
            self._rows[name] = RowTable(name, columns, definition.rows)
        return self._rows[name]

    def _table_class(self, definition: nodes.TableDefinition) -> WordClass:
        name = definition.name
        replaced = self.grammar.choices.tables.get(name)
        columns = [self.column_features(column.labels) for column in definition.columns]
        entries: list[LexicalEntry] = []
        if replaced is not None:
            self.grammar.used_choices.add(name)
            theirs = [self.column_features(header.split()) for header in replaced.header]
            for column, features in zip(definition.columns, columns, strict=True):
                if features not in theirs:
                    self.problem(
                        "word-list",
                        f"missing column '{' '.join(column.labels)}'",
                        replaced.span,
                        f"table '{name}' has the columns {', '.join(' '.join(c.labels) for c in definition.columns)}",
                    )
            for number, row in enumerate(replaced.rows):
                cells = list(zip(theirs, row.cells.values(), strict=True))
                entries.append(table_entry(self.system, name, number, cells, next(iter(row.cells.values()))))
        else:
            for number, texts in enumerate(definition.rows):
                cells = [(features, plain(text)) for features, text in zip(columns, texts, strict=True)]
                entries.append(table_entry(self.system, name, number, cells, cells[0][1]))
        for number, entry in enumerate(entries):
            if any(not analysis.text for analysis in entry.analyses):
                if replaced:
                    row = replaced.rows[number]
                    empty = next(column for column, text in row.cells.items() if not text)
                    span = cell_span(row, replaced.header, empty)
                    self.problem("word-list", f"an empty cell in table '{name}'", span, "every cell needs words")
                else:
                    span = next(text.span for text in definition.rows[number] if not text.items)
                    self.problem("table", f"an empty cell in table '{name}'", span, 'write {""} for no word')
        return WordClass(name, tuple(Member(e, e.analyses) for e in entries), (), is_table=True)
