"""Variables of a template: what they range over, and where they are used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from generator import nodes
from generator.domains import WordClass
from generator.mentions import ResolvedFeatures
from generator.resolving import Resolver
from generator.source import Span
from generator.walking import head_of, is_alternative, mentions_of


@dataclass(frozen=True)
class Variable:
    """A variable: the values it can take (`cells`, one for each it distinguishes) and their labels.

    Of a variable of agreement, values are cells of the bundle; `carries` are the bundle features that its mentions
    carry; values that differ in no such feature are one.  Of a typed variable (`var $c = case`) values are numbers
    in the declared order of `feature`.
    """

    name: str
    cells: tuple[int, ...]
    all_cells: tuple[int, ...]
    carries: frozenset[str]
    labels: Mapping[int, str]
    feature: str = ""


@dataclass(frozen=True)
class VariableUse:
    """A mention of a variable: in whose scope ('' is the template), what it carries, which cells it allows."""

    owner: str
    name: str
    carries: frozenset[str]
    support: int
    mandatory: bool
    broken: bool
    span: Span


_Outer = Mapping[str, tuple[str, str]]
"""A phrase's variable -> (owner, name) of the variable that it is bound to."""


class ScopeVariables(ABC):
    """The part of a template's scope that concerns variables."""

    resolver: Resolver
    template: nodes.TemplateDefinition
    _variables: dict[tuple[str, str], Variable]

    @property
    @abstractmethod
    def labels(self) -> Mapping[str, str]:
        """The names given in the lines, with the class each stands for."""

    @abstractmethod
    def phrase_labels(self, phrase: nodes.PhraseDefinition) -> Mapping[str, str]:
        """The names given inside a phrase."""

    @abstractmethod
    def names_of(self, mention: nodes.Mention, labels: Mapping[str, str]) -> tuple[str, str]:
        """(name of the draw or '', class name) of a mention."""

    # --- uses ---------------------------------------------------------------------------------------------------

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
        self, text: nodes.Text, owner: str, mapping: _Outer, mandatory: bool, inside: frozenset[str]
    ) -> Iterator[VariableUse]:
        labels = self.labels if not owner else self.phrase_labels(self.resolver.phrase(owner))
        for mention, _ in mentions_of(text):
            _, class_name = self.names_of(mention, labels)
            kind = self.resolver.kind(class_name)
            if kind is None:
                continue
            certain = mandatory and not is_alternative(text, mention)
            if kind == "phrase":
                yield from self._phrase_uses(mention, class_name, owner, mapping, certain, inside)
            elif kind == "rows" and class_name not in inside:
                yield from self._table_uses(mention, class_name, owner, mapping, inside)
            elif kind == "class":
                word_class = self.resolver.word_class(class_name)
                if word_class is not None:
                    yield from self._class_uses(mention, word_class, owner, mapping, certain)

    def _table_uses(
        self, mention: nodes.Mention, name: str, owner: str, mapping: _Outer, inside: frozenset[str]
    ) -> Iterator[VariableUse]:
        table = self.resolver.row_table(name)
        features = self.resolver.features(mention, table)
        stated = frozenset(f for column in table.columns for f in column if f in self.resolver.system.bundle)
        for variable, part, broken in features.variables:
            where, key = mapping.get(variable, (owner, variable))
            yield VariableUse(where, key, _carried(part, stated), -1, False, broken, mention.span)
        for row in table.rows:
            for cell in row:
                yield from self._uses(cell, owner, mapping, False, inside | {name})

    def _class_uses(
        self, mention: nodes.Mention, word_class: WordClass, owner: str, mapping: _Outer, certain: bool
    ) -> Iterator[VariableUse]:
        features = self.resolver.features(mention, word_class)
        if not features.variables:
            return
        stated, support = self._carried_by(word_class, features)
        for name, part, broken in features.variables:
            where, key = mapping.get(name, (owner, name))
            if self.resolver.typed_feature(name):
                yield VariableUse(where, key, frozenset(), -1, False, broken, mention.span)
                continue
            sure = certain and not broken and not part
            yield VariableUse(where, key, _carried(part, stated), support, sure, broken, mention.span)

    def _carried_by(self, word_class: WordClass, features: ResolvedFeatures) -> tuple[frozenset[str], int]:
        """The features of the bundle that a mention's words carry and it does not state; the cells that some fit."""
        system = self.resolver.system
        literal = frozenset(f for k, f, _, _ in features.literals if k == "value")
        members = self.resolver.finder.selected(word_class, features.literals)
        analyses = [a for m in members for a in m.analyses if a.agreeing]
        support = 0
        for mask, carries in {(a.mask, a.carries - literal) for a in analyses}:
            # A feature written out says nothing about the variable.
            for value in range(len(system.cells)):
                if mask >> value & 1:
                    support |= system.same_in(value, carries)
        return frozenset(name for a in analyses for name in a.carries) - literal, support

    def _phrase_uses(
        self,
        mention: nodes.Mention,
        name: str,
        owner: str,
        mapping: _Outer,
        certain: bool,
        inside: frozenset[str],
    ) -> Iterator[VariableUse]:
        phrase = self.resolver.phrase(name)
        binding = self.resolver.bind(mention, phrase)
        inner: dict[str, tuple[str, str]] = {}
        is_broken = False
        if binding.agreement is not None:
            variable, part, is_broken = binding.agreement
            where, key = mapping.get(variable, (owner, variable))
            whole = self.whole_mask(phrase)
            carries = frozenset(f for f in self.resolver.whole_features(phrase) if f in self.resolver.system.bundle)
            parts = frozenset([part]) if part and part != "all" else frozenset()
            if is_broken:
                yield VariableUse(where, key, parts, -1, False, True, mention.span)
            if carries:
                yield VariableUse(where, key, carries, whole, certain and not is_broken, is_broken, mention.span)
            if own := self.resolver.agreeing_variable(phrase):
                inner[own] = (where, key)
        for parameter, (variable, _, broken) in binding.typed:
            if variable:
                where, key = mapping.get(variable, (owner, variable))
                yield VariableUse(where, key, frozenset(), -1, False, broken, mention.span)
                inner[parameter] = (where, key)
        for rule in phrase.rules:
            yield from self._head_uses(binding.rest, rule, phrase, owner, mapping)
        if name in inside:
            # A deeper use allows nothing that the other rules do not.
            for place in inner.values():
                yield VariableUse(*place, frozenset(), 0, certain and not is_broken, False, mention.span)
            return
        bound = frozenset(inner.values()) if certain and not is_broken else frozenset()
        yield from self._rule_uses(phrase, inner, bound, inside, mention.span)

    def _rule_uses(
        self,
        phrase: nodes.PhraseDefinition,
        inner: _Outer,
        joined: frozenset[tuple[str, str]],
        inside: frozenset[str],
        place: Span,
    ) -> Iterator[VariableUse]:
        """The uses in a phrase's rules; of the `joined` variables also what one rule or another allows."""
        allowed: dict[tuple[str, str], list[int]] = {}
        for rule in phrase.rules:
            uses = list(self._uses(rule.text, phrase.name, inner, True, inside | {phrase.name}))
            for use in uses:
                yield replace(use, mandatory=False)
            for bound in sorted(joined):
                support = self.resolver.system.full
                for use in uses:
                    if use.mandatory and (use.owner, use.name) == bound:
                        support &= use.support
                allowed.setdefault(bound, []).append(support)
        # A value must fit the words of one rule or another.
        for (outer, name), supports in allowed.items():
            union = 0
            for support in supports:
                union |= support
            yield VariableUse(outer, name, frozenset(), union, True, False, place)

    def _head_uses(
        self, rest: nodes.Mention, rule: nodes.PhraseRule, phrase: nodes.PhraseDefinition, owner: str, mapping: _Outer
    ) -> Iterator[VariableUse]:
        """The variables that a mention of a phrase hands on to the head of a rule."""
        if not any(isinstance(feature, nodes.VariableFeature) for feature in rest.features):
            return
        head = head_of(rule.text)
        if head is None:
            return
        _, class_name = self.names_of(head, self.phrase_labels(phrase))
        kind = self.resolver.kind(class_name)
        if kind == "class":
            word_class = self.resolver.word_class(class_name)
            if word_class is not None:
                yield from self._class_uses(rest, word_class, owner, mapping, False)
        elif kind == "phrase" and class_name != phrase.name:
            inner = self.resolver.phrase(class_name)
            for deeper in inner.rules:
                yield from self._head_uses(rest, deeper, inner, owner, mapping)

    def whole_mask(self, phrase: nodes.PhraseDefinition) -> int:
        """The cells that a phrase as a whole fits (`phrase CoordNP pl`)."""
        stated = self.resolver.whole_features(phrase)
        system = self.resolver.system
        return system.mask({name: frozenset([value]) for name, value in stated.items() if name in system.bundle})

    # --- variables ----------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> Mapping[str, Variable]:
        """The template's own variables."""
        return {name: self.variable(name, "") for name in dict.fromkeys(u.name for u in self.uses if not u.owner)}

    def variable(self, name: str, owner: str) -> Variable:
        """A variable of the template (owner '') or private to a phrase."""
        key = (name, owner)
        if key not in self._variables:
            self._variables[key] = self._typed(name) if self.resolver.typed_feature(name) else self._agreeing(*key)
        return self._variables[key]

    def _typed(self, name: str) -> Variable:
        feature = self.resolver.typed_feature(name)
        values = self.resolver.system.values(feature)
        every = tuple(range(len(values)))
        return Variable(name, every, every, frozenset(), dict(enumerate(values)), feature)

    def _own_uses(self, name: str, owner: str) -> Iterable[VariableUse]:
        """The uses that say what a variable is: of a private one, those in its phrase, wherever it is used."""
        if not owner:
            return self.uses
        phrase = self.resolver.phrase(owner)
        own = frozenset((owner, variable) for variable in (*phrase.variables, name))
        return self._rule_uses(phrase, {}, own, frozenset(), phrase.span)

    def _agreeing(self, name: str, owner: str) -> Variable:
        system = self.resolver.system
        uses = [use for use in self._own_uses(name, owner) if use.name == name and use.owner == owner]
        carries = frozenset(f for use in uses for f in use.carries) & frozenset(system.bundle)
        support = system.full
        if owner:
            support &= self.whole_mask(self.resolver.phrase(owner))
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


def _carried(part: str, stated: frozenset[str]) -> frozenset[str]:
    return frozenset([part]) if part and part != "all" else stated
