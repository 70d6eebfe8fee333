"""What stands in a template before it is expanded: its names, lines, stars, variables, conditions."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator import nodes
from generator.conditions import operands
from generator.domains import Member, WordClass
from generator.overlays import ListedWord
from generator.resolving import Resolver
from generator.variables import ScopeVariables, Variable
from generator.walking import braces_of, labels_of, marked, mentions_of, rests_on


@dataclass(frozen=True)
class DesignCondition:
    """A condition of a factor design: a level of each factor, and the values that the levels fix."""

    name: str
    levels: Mapping[str, str]
    acceptable: bool
    fixes: Mapping[str, str]


class TemplateScope(ScopeVariables):
    """Static knowledge of one template."""

    def __init__(self, resolver: Resolver, template: nodes.TemplateDefinition, number: str) -> None:
        self.resolver = resolver
        self.template = template
        self.number = number
        self._variables: dict[tuple[str, str], Variable] = {}
        self._possible: dict[tuple[str, tuple[tuple[str, int], ...]], bool] = {}
        self._quoted: dict[Hashable, WordClass] = {}
        self._members: dict[Hashable, tuple[Member, ...]] = {}
        self._phrase_labels: dict[str, Mapping[str, str]] = {}

    # --- lines and stars ----------------------------------------------------------------------------------------

    @property
    def is_several_lines(self) -> bool:
        """Whether the item's members stand in lines of their own."""
        return len(self.template.sentences) > 1

    @property
    def good(self) -> nodes.Text:
        """The acceptable line."""
        return self.template.sentences[0].text

    @cached_property
    def contrasts(self) -> tuple[nodes.Brace, ...]:
        """The braces with a star, in the lines of the template."""
        return tuple(brace for s in self.template.sentences for brace in braces_of(s.text) if brace.choice.is_contrast)

    @cached_property
    def stars(self) -> int:
        """How many written versions an item has beside its acceptable member."""
        if self.factors:
            return len(self.conditions) - 1
        if self.is_several_lines:
            return len(self.template.sentences) - 1
        return max((marked(brace) for brace in self.contrasts), default=0)

    def version(self, star: int) -> tuple[nodes.Text, str]:
        """The text and mark of written version `star` (0-based)."""
        if self.is_several_lines:
            sentence = self.template.sentences[star + 1]
            return sentence.text, sentence.mark
        for brace in self.contrasts:
            alternatives = [a for a in brace.choice.alternatives if a.mark]
            if len(alternatives) == self.stars:
                return self.good, alternatives[star].mark
        return self.good, "*"

    # --- designs ------------------------------------------------------------------------------------------------

    @cached_property
    def factors(self) -> tuple[nodes.FactorDefinition, ...]:
        """The factors that cross in this template: those of its braces, and those that fix a variable it has."""
        named = {name for s in self.template.sentences for brace in braces_of(s.text) for name in brace.choice.factors}
        return tuple(
            s
            for s in self.resolver.grammar.statements
            if isinstance(s, nodes.FactorDefinition)
            and (
                s.name in named or any(variable in self.variables for level in s.levels for variable, _ in level.fixes)
            )
        )

    @cached_property
    def fixed_variables(self) -> frozenset[str]:
        """The variables whose value a level says."""
        return frozenset(v for factor in self.factors for level in factor.levels for v, _ in level.fixes)

    @cached_property
    def conditions(self) -> tuple[DesignCondition, ...]:
        """The conditions of a design in order, the last factor fastest; empty for other templates."""
        if not self.factors:
            return ()
        arms = [b.choice for s in self.template.sentences for b in braces_of(s.text) if b.choice.factors]
        found = []
        for levels in itertools.product(*(factor.levels for factor in self.factors)):
            named = {factor.name: level.name for factor, level in zip(self.factors, levels, strict=True)}
            chosen = [arm for choice in arms if (arm := choice.arm(named)) is not None]
            starred = any(level.is_starred for level in levels) or any(arm.mark == "*" for arm in chosen)
            fixes = {variable: value for level in levels for variable, value in level.fixes}
            found.append(DesignCondition("_".join(named.values()), named, not starred, fixes))
        return tuple(found)

    # --- names --------------------------------------------------------------------------------------------------

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The names given in the lines, with the class each stands for."""
        found: dict[str, str] = {}
        for sentence in self.template.sentences:
            found.update(labels_of(sentence.text))
        return found

    def phrase_labels(self, phrase: nodes.PhraseDefinition) -> Mapping[str, str]:
        """The names given inside a phrase."""
        if phrase.name not in self._phrase_labels:
            found: dict[str, str] = {}
            for rule in phrase.rules:
                found.update(labels_of(rule.text))
            self._phrase_labels[phrase.name] = found
        return self._phrase_labels[phrase.name]

    def names_of(self, mention: nodes.Mention, labels: Mapping[str, str]) -> tuple[str, str]:
        """(name of the draw or '', class name) of a mention in a scope with these names."""
        if mention.label:
            return mention.label, labels.get(mention.name, mention.name)
        if mention.name in labels:
            return mention.name, labels[mention.name]
        if self.resolver.kind(mention.name) is not None:
            return "", mention.name
        base = self.resolver.base_of(mention.name)
        return (mention.name, base) if base else ("", mention.name)

    @cached_property
    def mentioned(self) -> Mapping[str, int]:
        """Names and classes that the acceptable line mentions, with how many draws each stands for."""
        counts: dict[str, int] = {}
        seen: set[Hashable] = set()
        lines = self.template.sentences[:1] if self.is_several_lines else self.template.sentences
        for sentence in lines:
            for mention, brace in mentions_of(sentence.text):
                name, class_name = self.names_of(mention, self.labels)
                shown = name or class_name
                key: Hashable = name or (class_name, brace if brace is not None else mention.span)
                if key not in seen:
                    seen.add(key)
                    counts[shown] = counts.get(shown, 0) + 1
                for table_class in self._cell_classes(class_name):
                    counts.setdefault(table_class, 1)
        for sentence in self.template.sentences[1:]:
            for mention, _ in mentions_of(sentence.text):
                name, class_name = self.names_of(mention, self.labels)
                counts.setdefault(name or class_name, 1)
        for piece in self.template.name:
            if isinstance(piece, nodes.Mention):
                counts.setdefault(piece.name, 1)
        return counts

    def _cell_classes(self, name: str) -> Iterator[str]:
        if self.resolver.kind(name) == "rows":
            for row in self.resolver.row_table(name).rows:
                for cell in row:
                    for mention, _ in mentions_of(cell):
                        yield mention.name
                        yield from self._cell_classes(mention.name)

    def known_name(self, name: str) -> bool:
        """Whether a name in a condition is a slot's, not a value."""
        return name in self.mentioned or name in self._grammar_names

    @cached_property
    def _grammar_names(self) -> frozenset[str]:
        names: set[str] = set()
        for template in self.resolver.grammar.templates:
            for sentence in template.sentences:
                names.update(labels_of(sentence.text))
        return frozenset(names)

    def anonymous_key(self, mention: nodes.Mention, brace: Hashable | None, path: tuple[Hashable, ...]) -> Hashable:
        """What makes two mentions without a name the same draw."""
        if brace is not None:
            return ("in contrast", brace, mention.name)
        if self.is_several_lines and not path:
            return ("class", mention.name)
        return (mention.span.line, mention.span.column)

    def choice_key(self, brace: nodes.Brace, path: tuple[Hashable, ...]) -> Hashable:
        """What makes two braces the same choice: the place; across lines, the text."""
        if self.is_several_lines and not path and not brace.choice.is_contrast:
            return ("text", brace.span.text)
        return (brace.span.line, brace.span.column)

    def contrast_name(self, choice: nodes.Choice) -> str:
        """A contrast's region is named by its first alternative."""
        body = choice.alternatives[0].body
        return (body.label or body.name) if isinstance(body, nodes.Mention) else "contrast"

    # --- statements that concern the template ---------------------------------------------------------------------

    @cached_property
    def is_product(self) -> bool:
        """Whether each contrast of a sentence switches alone."""
        return self.has_option("versions product")

    def has_option(self, name: str) -> bool:
        """Whether the grammar says `uniform`, `unrepeated`, `one star` or `versions product`."""
        return any(isinstance(s, nodes.Option) and s.name == name for s in self.resolver.grammar.statements)

    @cached_property
    def target(self) -> str:
        """The name that the open-ended flavour masks; '' for the contrast itself."""
        for statement in self.resolver.grammar.statements:
            if isinstance(statement, nodes.Target):
                return statement.name
        return ""

    def is_target(self, name: str) -> bool:
        """Whether a region of this name is masked."""
        return bool(self.target) and name == self.target

    @cached_property
    def crossed(self) -> tuple[str, ...]:
        """The crossed names that this template has."""
        return tuple(
            path.name
            for statement in self.resolver.grammar.statements
            if isinstance(statement, nodes.Cross)
            for path in statement.paths
            if path.name in self.variables or path.name in self.mentioned
        )

    def weight_of(self, name: str, value: str) -> int:
        """The weight of a crossed value (`cross $n (sg @3, pl)`); 1 where nothing is said."""
        return self._weights[name].get(value, 1) if name in self._weights else 1

    @cached_property
    def _weights(self) -> dict[str, dict[str, int]]:
        """The weights of each crossed name's values, as first said."""
        found: dict[str, dict[str, int]] = {}
        for statement in self.resolver.grammar.statements:
            if isinstance(statement, nodes.Cross):
                for path, weights in zip(statement.paths, statement.weights, strict=True):
                    found.setdefault(path.name, dict(weights))
        return found

    def fixed_feature(self, name: str) -> str:
        """The feature of the bundle that levels fix of a variable (a value like 1 may be that of several)."""
        values = {value for factor in self.factors for level in factor.levels for v, value in level.fixes if v == name}
        system = self.resolver.system
        return next((f for f in system.bundle if values <= set(system.values(f))), system.bundle[0])

    @cached_property
    def identities(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """(`repeat` or `distinct`, names) for statements whose names this template has."""
        return tuple(
            (s.keyword, tuple(operand.name for operand in s.names))
            for s in self.resolver.grammar.statements
            if isinstance(s, nodes.NamesStatement) and all(operand.name in self.mentioned for operand in s.names)
        )

    @cached_property
    def wheres(self) -> tuple[nodes.Where, ...]:
        """The template's conditions, and those of the file whose names it all has."""
        of_file = [
            s
            for s in self.resolver.grammar.statements
            if isinstance(s, nodes.Where) and all(self.has(operand) for operand in operands(s.condition))
        ]
        return (*of_file, *self.template.wheres)

    def has(self, operand: nodes.Operand) -> bool:
        """Whether the template has what a condition's operand names (a bare value is always had)."""
        if operand.kind == "word":
            return True
        if operand.kind == "variable":
            return operand.name in self.variables
        return operand.name in self.mentioned or (not operand.part and not self.known_name(operand.name))

    # --- recursion ----------------------------------------------------------------------------------------------

    def is_possible(self, name: str, nesting: Mapping[str, int]) -> bool:
        """Whether a phrase can be expanded inside these uses of phrases (anything else always can)."""
        if self.resolver.kind(name) != "phrase":
            return True
        key = (name, tuple(sorted(nesting.items())))
        if key not in self._possible:
            phrase = self.resolver.phrase(name)
            count = nesting.get(name, 0)
            inner = {**nesting, name: count + 1}
            self._possible[key] = count <= (phrase.depth or 0) and any(
                self.is_possible_rule(phrase, rule, inner) for rule in phrase.rules
            )
        return self._possible[key]

    def is_possible_rule(
        self, phrase: nodes.PhraseDefinition, rule: nodes.PhraseRule, nesting: Mapping[str, int]
    ) -> bool:
        """Whether every brace of a rule has a side that can be expanded inside these uses of phrases."""
        labels = self.phrase_labels(phrase)
        return all(
            any(self.is_possible(labels.get(name, name), nesting) for name in names) for names in rests_on(rule.text)
        )

    # --- caches for expanding -----------------------------------------------------------------------------------

    def quoted_class(self, key: Hashable, words: list[nodes.Quoted], resolver: Resolver) -> WordClass:
        """The class of a brace that holds nothing but quoted words."""
        if key not in self._quoted:
            members = tuple(resolver.quoted_member(word) for word in words)
            self._quoted[key] = WordClass(" | ".join(word.text for word in words), members, ("",))
        return self._quoted[key]

    def task_members(
        self, tag: str, number: int, words: Sequence[ListedWord], category: str, form: str
    ) -> tuple[Member, ...]:
        """The members that a task file's column `TAG-number` gives."""
        key = (tag, number)
        if key not in self._members:
            self._members[key] = tuple(self.resolver.listed_member(word, category, form) for word in words)
        return self._members[key]
