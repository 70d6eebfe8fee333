"""Names bound and features typed: what every mention of a grammar refers to and asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from generator import nodes
from generator.classes import ClassBuilder
from generator.domains import Literal, WordClass
from generator.errors import nearest
from generator.features import COLUMN
from generator.mentions import Binding, ResolvedFeatures, RowTable
from generator.source import Span
from generator.walking import mentions_of


class Resolver(ClassBuilder):
    """Binds the names of one grammar."""

    # --- features -----------------------------------------------------------------------------------------------

    def features(self, mention: nodes.Mention, word_class: WordClass | RowTable | None) -> ResolvedFeatures:
        """A mention's features, typed against its class; findings where one is unknown."""
        key = (id(mention), word_class.name if word_class else "")
        if key not in self._features:
            self._keep.append(mention)
            self._features[key] = self._resolve(mention, word_class)
        return self._features[key]

    def _resolve(self, mention: nodes.Mention, word_class: WordClass | RowTable | None) -> ResolvedFeatures:
        literals: list[Literal] = []
        variables: list[tuple[str, str, bool]] = []
        column = ""
        after: list[str] = []
        references: list[tuple[str, str, bool]] = []
        if isinstance(word_class, RowTable):
            labels = {name.removeprefix(COLUMN) for c in word_class.columns for name in c if name.startswith(COLUMN)}
        else:
            labels = set(word_class.labels) if word_class else set()
        for feature in mention.features:
            match feature:
                case nodes.Feature(name=name, negative=negative):
                    if name in labels:
                        literals.append(("value", COLUMN + name, name, negative))
                    elif name in self.system.bare:
                        owner, value = self.system.bare[name]
                        literals.append(("value" if value else "flag", owner, value, negative))
                    elif name in self.system.declarations and self.system.declarations[name].kind != "value":
                        if negative:
                            literals.append(("text", name, "", True))
                        else:
                            column = name
                    elif isinstance(word_class, RowTable) or (word_class and word_class.is_table):
                        shown = self._column_names(word_class)
                        self.broken_mentions.add(id(mention))
                        self.problem(
                            "column",
                            f"table '{word_class.name}' has no column '{name}'",
                            feature.span,
                            nearest(name, shown) or f"its columns are {', '.join(shown)}",
                        )
                    else:
                        self.unknown_feature(name, feature.span, labels)
                case nodes.FeatureValue():
                    if feature.of:
                        if self.reference(feature):
                            references.append((feature.feature, feature.of, feature.negative))
                    elif self.feature_value(feature.feature, feature.value, feature.span):
                        literals.append(("value", feature.feature, feature.value, feature.negative))
                case nodes.WordFeature(word=word, negative=negative):
                    literals.append(("word", "", word, negative))
                    self._check_word(word, word_class, feature.span)
                case nodes.After(name=name):
                    after.append(name)
                case nodes.VariableFeature():
                    typed = self.typed_feature(feature.variable)
                    if feature.part and typed:
                        self.problem(
                            "feature",
                            f"'{feature.variable}' has no parts: it is a value of {typed}",
                            feature.span,
                            f"write {'!' * feature.broken}{feature.variable}",
                        )
                    elif feature.part and feature.part not in (*self.system.bundle, "all"):
                        self.problem(
                            "feature",
                            f"'{feature.part}' is not a feature of agreement",
                            feature.span,
                            nearest(feature.part, [*self.system.bundle, "all"])
                            or f"write {'!' * feature.broken}{feature.variable}.{self.system.bundle[0]}",
                        )
                    elif feature.part == "all" and not feature.broken:
                        self.problem(
                            "feature",
                            "'.all' belongs to a broken variable",
                            feature.span,
                            f"write !{feature.variable}.all",
                        )
                    else:
                        variables.append((feature.variable, feature.part, feature.broken))
        return ResolvedFeatures(tuple(literals), tuple(variables), column, tuple(after), tuple(references))

    def reference(self, feature: nodes.FeatureValue) -> bool:
        """Whether `gender=x.gender` speaks of one feature with values; a finding otherwise."""
        declaration = self.system.declarations.get(feature.feature)
        if declaration is None or declaration.kind != "value":
            if declaration is not None and declaration.kind == "flag":
                name = feature.feature
                self.problem(
                    "feature", f"'{name}' takes no value", feature.span, f"write where x.{name} = {feature.of}.{name}"
                )
            else:
                known = [d.name for d in self.system.declarations.values() if d.kind == "value"]
                shown = nearest(feature.feature, known)
                self.problem("feature", f"unknown feature '{feature.feature}'", feature.span, shown)
            return False
        if feature.value != feature.feature:
            self.problem(
                "feature",
                f"'{feature.span.text}' compares two features",
                feature.span,
                f"write {feature.feature}={'!' * feature.negative}{feature.of}.{feature.feature}",
            )
            return False
        return True

    # --- variables and phrases ----------------------------------------------------------------------------------

    def typed_feature(self, variable: str) -> str:
        """The feature of a variable that `var` defines; '' for one of the agreement bundle."""
        definition = self.grammar.variables.get(variable)
        return definition.feature if definition is not None else ""

    def agreeing_variable(self, phrase: nodes.PhraseDefinition) -> str:
        """The phrase's own variable of agreement; '' without one."""
        return next((v for v in phrase.variables if not self.typed_feature(v)), "")

    def whole_features(self, phrase: nodes.PhraseDefinition) -> Mapping[str, str]:
        """What a phrase is as a whole (`phrase CoordNP pl`): feature -> value.

        What it does not say of agreement is the default of its first word (English nouns are third person).
        """
        if phrase.name not in self._wholes:
            self._wholes[phrase.name] = self._whole_features(phrase)
        return self._wholes[phrase.name]

    def _whole_features(self, phrase: nodes.PhraseDefinition) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for feature in phrase.features:
            if isinstance(feature, nodes.FeatureValue):
                if self.feature_value(feature.feature, feature.value, feature.span):
                    found[feature.feature] = feature.value
            elif feature.name in self.system.bare and self.system.bare[feature.name][1]:
                owner, value = self.system.bare[feature.name]
                found[owner] = value
            else:
                self.unknown_feature(feature.name, feature.span)
        if any(name in self.system.bundle for name in found):
            for name, value in self._defaults(phrase.name, frozenset()).items():
                if name in self.system.bundle:
                    found.setdefault(name, value)
        return found

    def _defaults(self, name: str, inside: frozenset[str]) -> Mapping[str, str]:
        """The default values of the category of a class's words, or of a phrase's first word."""
        kind = self.kind(name)
        if kind == "phrase" and name not in inside:
            phrase = self.phrase(name)
            labels = {m.label: m.name for rule in phrase.rules for m, _ in mentions_of(rule.text) if m.label}
            first = next((m for rule in phrase.rules for m, _ in mentions_of(rule.text)), None)
            if first is None:
                return {}
            own = labels.get(first.name, first.name)
            return self._defaults(own if self.kind(own) else self.base_of(own), inside | {name})
        word_class = self.word_class(name) if kind == "class" else None
        for category in word_class.categories if word_class is not None else ():
            declaration = self.lexicon.categories.get(category)
            if declaration is not None and declaration.defaults:
                return declaration.defaults
        return {}

    def bind(self, mention: nodes.Mention, phrase: nodes.PhraseDefinition) -> Binding:
        """What a mention of a phrase binds, and what goes to the phrase's head."""
        key = (id(mention), phrase.name)
        if key not in self._bindings:
            self._keep.append(mention)
            self._bindings[key] = self._bind(mention, phrase)
        return self._bindings[key]

    def _bind(self, mention: nodes.Mention, phrase: nodes.PhraseDefinition) -> Binding:
        agreement: tuple[str, str, bool] | None = None
        typed: dict[str, tuple[str, str, bool]] = {}
        stated: list[tuple[str, str]] = []
        rest: list[nodes.AnyFeature] = []
        takes_agreement = bool(self.agreeing_variable(phrase) or self.whole_features(phrase))
        parameters = {self.typed_feature(v): v for v in phrase.variables if self.typed_feature(v)}
        for feature in mention.features:
            match feature:
                case nodes.VariableFeature(variable=name) if self.typed_feature(name) in parameters:
                    typed[parameters[self.typed_feature(name)]] = (name, "", feature.broken)
                case nodes.VariableFeature(variable=name) if (
                    takes_agreement and agreement is None and not self.typed_feature(name)
                ):
                    agreement = (name, feature.part, feature.broken)
                case nodes.Feature(name=name, negative=False) if (
                    takes_agreement and self.system.bare.get(name, ("", ""))[0] in self.system.bundle
                ):
                    stated.append(self.system.bare[name])
                case nodes.FeatureValue(feature=name, of="", negative=False) if (
                    takes_agreement and name in self.system.bundle
                ):
                    if self.feature_value(name, feature.value, feature.span):
                        stated.append((name, feature.value))
                case nodes.Feature(name=name, negative=False) if self.system.bare.get(name, ("", ""))[0] in parameters:
                    owner, value = self.system.bare[name]
                    typed[parameters[owner]] = ("", value, False)
                case nodes.FeatureValue(feature=name, of="", negative=False) if name in parameters:
                    if self.feature_value(name, feature.value, feature.span):
                        typed[parameters[name]] = ("", feature.value, False)
                case _:
                    rest.append(feature)
        return Binding(agreement, tuple(stated), tuple(typed.items()), replace(mention, features=tuple(rest)))

    def _column_names(self, table: WordClass | RowTable) -> list[str]:
        """A table's columns as written."""
        definition = self.grammar.definitions[table.name]
        assert isinstance(definition, nodes.TableDefinition)
        return [" ".join(column.labels) for column in definition.columns]

    def _check_word(self, word: str, word_class: WordClass | RowTable | None, span: Span) -> None:
        if not isinstance(word_class, WordClass):
            return
        if word in word_class.names or any(member.entry.lemma == word for member in word_class.members):
            return
        if self.grammar.choices.folder:
            known = self.lexicon.by_form
            if any((name, word.lower()) in known for name in word_class.categories):
                return  # the user's own lists have left it out
        self.problem("unknown-word", f"'{word_class.name}' has no word '{word}'", span, nearest(word, word_class.names))

    def feature_value(self, feature: str, value: str, span: Span) -> bool:
        """Whether a feature has a value; a finding otherwise."""
        declaration = self.system.declarations.get(feature)
        if declaration is not None and declaration.kind == "flag":
            self.problem("feature", f"'{feature}' takes no value", span, f"write {feature} or -{feature}")
            return False
        if declaration is None or declaration.kind != "value":
            known = [d.name for d in self.system.declarations.values() if d.kind == "value"]
            self.problem("feature", f"unknown feature '{feature}'", span, nearest(feature, known))
            return False
        values = self.system.values(feature)
        if value not in values:
            self.problem(
                "feature",
                f"'{value}' is not a value of {feature}",
                span,
                nearest(value, values) or f"expected {', '.join(values)}",
            )
            return False
        return True

    def unknown_feature(self, name: str, span: Span, labels: Iterable[str] = ()) -> None:
        """Report an unknown feature with the nearest known one."""
        known = [*self.system.bare, *labels, *(d.name for d in self.system.declarations.values() if d.kind == "text")]
        self.problem(
            "feature",
            f"unknown feature '{name}'",
            span,
            nearest(name, known) or "the word lists' schema declares the features",
        )
