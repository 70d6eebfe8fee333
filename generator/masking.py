"""Open-ended items: what the mask may be filled with, by answer class."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from generator import nodes
from generator.domains import Member, Request, WordClass
from generator.leaves import Leaf
from generator.planning import Plan
from generator.resolving import Resolver
from generator.strata import Stratum

OTHER = "other"


def answers_of(resolver: Resolver) -> tuple[nodes.Answer, ...]:
    """The answer statements of a grammar, in the order in which they are tried."""
    return tuple(s for s in resolver.grammar.statements if isinstance(s, nodes.Answer))


def answer_variables(leaf: Leaf) -> tuple[str, ...]:
    """The variables that the answers of a leaf's template speak of."""
    names: dict[str, None] = {}
    for answer in answers_of(leaf.scope.resolver):
        for feature in _variables(answer):
            if feature.variable in leaf.scope.variables:
                names[feature.variable] = None
    return tuple(names)


def answer_key(leaf: Leaf) -> str:
    """What selects an item's answer classes in the sidecar: `n=sg`, or `n=sg/pl` where both are right."""
    parts = []
    for name in answer_variables(leaf):
        variable = leaf.scope.variables[name]
        values = dict.fromkeys(variable.labels[s.variables[name]] for s in leaf.strata if name in s.variables)
        parts.append(f"{name.removeprefix('$')}={'/'.join(values)}")
    return ",".join(parts) or "all"


def answer_tables(plan: Plan) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Answer key -> answer class -> words, for every key of the plan.

    Classes are tried in written order; a word counts for the first that has it.  Where an item accepts several
    values, what is right for one of them is right, and wrong is what is right for none.
    """
    tables: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for template in plan.templates:
        for leaf in template.leaves:
            key = answer_key(leaf)
            if key not in tables:
                tables[key] = _classes(plan.resolver, leaf)
    return tables


def _classes(resolver: Resolver, leaf: Leaf) -> Mapping[str, tuple[str, ...]]:
    result: dict[str, tuple[str, ...]] = {}
    right: set[str] = set()
    for answer in answers_of(resolver):
        # What is right whatever the variables are says nothing of what is wrong for them: *trains* is a verb too.
        if _variables(answer) and not _is_broken(answer):
            right.update(word for s in leaf.strata for word in _words(resolver, answer, s))
    for answer in answers_of(resolver):
        words = dict.fromkeys(word for stratum in leaf.strata for word in _words(resolver, answer, stratum))
        if _is_broken(answer):
            words = {word: None for word in words if word not in right}
        result[answer.name] = tuple(words)
    return result


def _variables(answer: nodes.Answer) -> list[nodes.VariableFeature]:
    return [
        feature
        for alternative in answer.choice.alternatives
        if isinstance(alternative.body, nodes.Mention)
        for feature in alternative.body.features
        if isinstance(feature, nodes.VariableFeature)
    ]


def _is_broken(answer: nodes.Answer) -> bool:
    return any(feature.broken for feature in _variables(answer))


def _words(resolver: Resolver, answer: nodes.Answer, stratum: Stratum) -> list[str]:
    cells = tuple(sorted(stratum.variables.items()))
    return _cached_words(resolver, answer, cells)


@lru_cache(maxsize=4096)
def _cached_words(resolver: Resolver, answer: nodes.Answer, cells: tuple[tuple[str, int], ...]) -> list[str]:
    variables = dict(cells)
    words: dict[str, None] = {}
    for alternative in answer.choice.alternatives:
        if not isinstance(alternative.body, nodes.Mention):
            for unit in alternative.body:
                if isinstance(unit, nodes.Quoted):
                    words[unit.text] = None
            continue
        mention = alternative.body
        word_class = resolver.word_class(mention.name)
        if word_class is None:
            continue
        words.update(dict.fromkeys(_mention_words(resolver, mention, word_class, variables)))
    return list(words)


def _mention_words(
    resolver: Resolver, mention: nodes.Mention, word_class: WordClass, variables: Mapping[str, int]
) -> list[str]:
    features = resolver.features(mention, word_class)
    finder = resolver.finder
    plain: list[tuple[int, frozenset[str]]] = []
    broken: list[tuple[str, str]] = []
    for name, part, is_broken in features.variables:
        if name not in variables:
            return []
        only = frozenset([part]) if part and part != "all" else frozenset()
        if is_broken:
            broken.append((name, part))
        else:
            plain.append((variables[name], only))
    found: list[str] = []
    for member in word_class.members:
        if not broken:
            request = Request(features.literals, tuple(plain), column=features.column)
            found += [reading.text for reading in finder.readings(member, request)]
            continue
        name, part = broken[0]
        found += _wrong_forms(resolver, member, features.literals, variables[name], part)
    return found


def _wrong_forms(resolver: Resolver, member: Member, literals: Any, cell: int, part: str) -> list[str]:
    """The forms of a word that do not fit a cell: those of the first feature whose change shows."""
    finder, system = resolver.finder, resolver.system
    right = {reading.text for reading in finder.readings(member, Request(literals, ((cell, frozenset()),)))}
    ranked: dict[int, list[int]] = {}
    for other in range(len(system.cells)):
        differing = [f for f in system.bundle if system.value_in(other, f) != system.value_in(cell, f)]
        if not differing or (part and part != "all" and differing != [part]):
            continue
        rank = 0 if part == "all" else system.bundle.index(differing[0]) if len(differing) == 1 else len(system.bundle)
        ranked.setdefault(rank, []).append(other)
    for rank in sorted(ranked):
        wrong = dict.fromkeys(
            reading.text
            for other in ranked[rank]
            for reading in finder.readings(member, Request(literals, ((other, frozenset()),)))
            if reading.text not in right
        )
        if wrong:
            return list(wrong)
    return []
