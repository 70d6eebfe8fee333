"""What stands in a template before it is expanded: its names, lines, stars, variables, conditions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from generator import nodes
from generator.conditions import operands
from generator.domains import Member, WordClass
from generator.overlays import ListedWord
from generator.resolving import Resolver
from generator.variables import Variable, VariableUse
from generator.walking import braces_of, is_alternative, labels_of, marked, mentions_of


class TemplateScope:
    """Static knowledge of one template."""

    def __init__(self, resolver: Resolver, template: nodes.TemplateDefinition, number: str) -> None:
        self.resolver = resolver
        self.template = template
        self.number = number
        self.row_labels: dict[str, list[str]] = {}
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

    # --- variables --------------------------------------------------------------------------------------------------

    @cached_property
    def uses(self) -> tuple[VariableUse, ...]:
        """Every mention of a variable, inside phrases and cells too."""
        found: list[VariableUse] = []
        for position, sentence in enumerate(self.template.sentences):
            found.extend(self._uses(sentence.text, "", {}, position == 0, frozenset()))
        for piece in self.template.name:
            if isinstance(piece, nodes.VariableFeature):
                carried = frozenset([piece.part]) if piece.part else frozenset()
                found.append(VariableUse("", piece.variable, carried, -1, False, False, piece.span))
        return tuple(found)

    def _uses(
        self,
        text: nodes.Text,
        owner: str,
        mapping: Mapping[str, tuple[str, str]],
        mandatory: bool,
        inside: frozenset[str],
    ) -> Iterator[VariableUse]:
        labels = self.labels if not owner else self.phrase_labels(self.resolver.phrase(owner))
        for mention, _ in mentions_of(text):
            _, class_name = self.names_of(mention, labels)
            kind = self.resolver.kind(class_name)
            if kind is None or class_name in inside:
                continue
            certain = mandatory and not is_alternative(text, mention)
            if kind == "phrase":
                yield from self._phrase_uses(mention, class_name, owner, mapping, certain, inside)
                continue
            if kind == "rows":
                table = self.resolver.row_table(class_name)
                features = self.resolver.features(mention, table)
                stated = frozenset(f for column in table.columns for f in column if f in self.resolver.system.bundle)
                for name, part, broken in features.variables:
                    where, key = mapping.get(name, (owner, name))
                    carries = frozenset([part]) if part and part != "all" else stated
                    yield VariableUse(where, key, carries, -1, False, broken, mention.span)
                for row in table.rows:
                    for cell in row:
                        yield from self._uses(cell, owner, mapping, False, inside | {class_name})
                continue
            word_class = self.resolver.word_class(class_name)
            if word_class is None:
                continue
            features = self.resolver.features(mention, word_class)
            literal = frozenset(f for k, f, _, _ in features.literals if k == "value")
            analyses = [
                a
                for m in self.resolver.finder.filtered(word_class.members, features.literals)
                for a in m.analyses
                if a.agreeing
            ]
            stated = frozenset(name for a in analyses for name in a.carries) - literal
            support = 0
            for analysis in analyses:
                # A feature written out says nothing about the variable.
                for value in range(len(self.resolver.system.cells)):
                    if analysis.mask >> value & 1:
                        support |= self.resolver.system.same_in(value, analysis.carries - literal)
            for name, part, broken in features.variables:
                where, key = mapping.get(name, (owner, name))
                carries = frozenset([part]) if part and part != "all" else stated
                sure = certain and not broken and not part
                yield VariableUse(where, key, carries, support, sure, broken, mention.span)

    def _phrase_uses(
        self,
        mention: nodes.Mention,
        name: str,
        owner: str,
        mapping: Mapping[str, tuple[str, str]],
        certain: bool,
        inside: frozenset[str],
    ) -> Iterator[VariableUse]:
        phrase = self.resolver.phrase(name)
        features = self.resolver.features(mention, None)
        inner: dict[str, tuple[str, str]] = {}
        if phrase.variable and features.variables:
            variable, part, broken = features.variables[0]
            where, key = mapping.get(variable, (owner, variable))
            if broken:
                yield VariableUse(where, key, frozenset([part]) if part else frozenset(), -1, False, True, mention.span)
            inner[phrase.variable] = (where, key)
        allowed: dict[tuple[str, str], list[int]] = {}
        for rule in phrase.rules:
            uses = list(self._uses(rule.text, name, inner, True, inside | {name}))
            for use in uses:
                yield replace(use, mandatory=False)
            for bound in dict.fromkeys(inner.values()):
                support = self.resolver.system.full
                for use in uses:
                    if use.mandatory and (use.owner, use.name) == bound:
                        support &= use.support
                allowed.setdefault(bound, []).append(support)
        if certain and not (features.variables and features.variables[0][2]):
            # A value must fit the words of one rule or another.
            for (outer, own), supports in allowed.items():
                union = 0
                for support in supports:
                    union |= support
                yield VariableUse(outer, own, frozenset(), union, True, False, mention.span)

    @cached_property
    def variables(self) -> Mapping[str, Variable]:
        """The template's own variables."""
        return {name: self.variable(name, "") for name in dict.fromkeys(u.name for u in self.uses if not u.owner)}

    def variable(self, name: str, owner: str) -> Variable:
        """A variable of the template (owner '') or private to a phrase."""
        key = ("variable", name, owner)
        if key not in self._variables:
            self._variables[key] = self._variable(name, owner)
        return self._variables[key]

    @cached_property
    def _variables(self) -> dict[Hashable, Variable]:
        return {}

    def _variable(self, name: str, owner: str) -> Variable:
        system = self.resolver.system
        uses = [use for use in self.uses if use.name == name and use.owner == owner]
        carries = frozenset(f for use in uses for f in use.carries) & frozenset(system.bundle)
        support = system.full
        for use in uses:
            if use.mandatory:
                support &= use.support
        seen: set[tuple[str, ...]] = set()
        cells: list[int] = []
        everything: list[int] = []
        for cell, values in enumerate(system.cells):
            key = tuple(v for f, v in zip(system.bundle, values, strict=True) if f in carries)
            fits = bool(support & system.same_in(cell, carries))
            if key in seen:
                continue
            seen.add(key)
            # The representative is a supported cell, so that features no mention carries do no harm.
            same = support & system.same_in(cell, carries)
            chosen = (same & -same).bit_length() - 1 if same else cell
            everything.append(chosen)
            if fits:
                cells.append(chosen)
        varying = [f for f in system.bundle if f in carries and len({system.value_in(c, f) for c in cells}) > 1]
        shown = varying or [f for f in system.bundle if f in carries][:1]
        labels = {c: ".".join(system.value_in(c, f) for f in shown) for c in everything}
        return Variable(name, tuple(cells), tuple(everything), carries, labels)

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
