"""Checks that need the counted space: examples, contrasts that show, words lost, ambiguous sentences."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from generator import nodes
from generator.ambiguity import ambiguous, shared_sentence
from generator.automata import State
from generator.components import components
from generator.domains import WordClass
from generator.errors import Diagnostic, Severity, listed
from generator.expanding import TemplateExpander
from generator.item_making import ItemMaker
from generator.planning import Plan
from generator.recognizing import Recognition, Recognizer
from generator.scopes import TemplateScope
from generator.source import Span
from generator.strata import Literal, Mark, Ref, Stratum


def _span(scope: TemplateScope) -> Span:
    return scope.template.sentences[0].span


def _empty(plan: Plan) -> Iterator[Diagnostic]:
    """A template without an item: no word fits, or no word shows the contrast."""
    if plan.flavour == "open":
        return
    living = {id(leaf.scope.template) for template in plan.templates for leaf in template.leaves}
    for scope, dead in plan.dead:
        if id(scope.template) in living or not scope.stars:
            continue
        strata = list(TemplateExpander(plan.resolver, scope).strata())
        if dead and not strata:
            reason = dead[-1]
            yield Diagnostic(
                "no-items", f"no sentence: {reason.what}", reason.place, "loosen its features or conditions"
            )
        elif all(map(_lacks_words, strata)):
            yield Diagnostic(
                "no-items",
                "no sentence: the words of its slots must differ, and there are too few",
                _span(scope),
                "widen a slot, or write 'repeat a, b'",
            )
        elif alike := _conditions_alike(scope, strata):
            message = f"conditions '{alike[0]}' and '{alike[1]}' always read the same"
            hint = "every item shows each condition: something must differ"
            yield Diagnostic("no-contrast", message, _span(scope), hint)
        else:
            place = scope.contrasts[0].span if scope.contrasts else _span(scope)
            yield Diagnostic(
                "no-contrast",
                "a contrast that no word can show",
                place,
                "the members always read the same, or the starred one is licensed as well",
            )


def _conditions_alike(scope: TemplateScope, strata: Sequence[Stratum]) -> tuple[str, str] | None:
    """Two conditions of a design that read the same whatever the words."""
    names = [condition.name for condition in scope.conditions]
    alike = set(itertools.combinations(range(len(names)), 2))
    for stratum in strata:
        members = _members_in_order(stratum)
        alike &= {(a, b) for a, b in alike if len(members) == len(names) and members[a] == members[b]}
    return next(((names[a], names[b]) for a, b in sorted(alike)), None)


def _members_in_order(stratum: Stratum) -> list[list[Literal | Ref]]:
    """What is read in each condition of a design, in the conditions' order."""
    members = [version.pieces for version in stratum.versions]
    if stratum.design is not None:
        members.insert(stratum.design.good, stratum.acceptable)
    return [[piece for piece in pieces if not isinstance(piece, Mark)] for pieces in members]


def pointless(scope: TemplateScope) -> Diagnostic:
    """The finding about a sentence that gives no item in either flavour."""
    return Diagnostic(
        "no-contrast",
        "a sentence without a contrast or a target gives no item",
        _span(scope),
        "mark an alternative with '*', or write 'target NAME'",
    )


def _lacks_words(stratum: Stratum) -> bool:
    """Whether distinctness alone leaves no item."""
    return any(not part.counts for part in components(stratum.domains, [], stratum.unlike, stratum.told).parts)


def _examples(plan: Plan) -> Iterator[Diagnostic]:
    """An example that is not generated, or not starred.  With the user's own words this is a warning."""
    severity: Severity = "error" if plan.grammar.choices.folder is None else "warning"
    recognizer = Recognizer([plan])
    for statement in plan.grammar.statements:
        if not isinstance(statement, nodes.Example):
            continue
        if plan.flavour == "open":
            continue
        if next(recognizer.acceptable(statement.good), None) is None:
            yield Diagnostic(
                "example",
                "this example is not generated",
                statement.span,
                "no template gives its acceptable sentence",
                severity,
            )
            continue
        for bad in statement.bad:
            if next(recognizer.pair(statement.good, bad.words), None) is None:
                yield Diagnostic(
                    "example",
                    f"the example's starred sentence is not one of its versions: '{' '.join(bad.words)}'",
                    bad.span,
                    _versions_of(plan, next(recognizer.acceptable(statement.good))),
                    severity,
                )


def _versions_of(plan: Plan, found: Recognition) -> str:
    """The hint that says what the starred versions are."""
    maker = ItemMaker(plan)
    words = dict(found.words)
    versions = [found.leaf.stratum.versions[number] for number in found.leaf.valid_versions(words)]
    texts = [maker.sentence(version.pieces, words).text for version in versions if not version.acceptable]
    return f"its version{'' if len(texts) == 1 else 's'}: {listed(texts, 4)}".replace("version:", "versions:")


def _lost_words(plan: Plan) -> Iterator[Diagnostic]:
    """Words whose forms cannot show the contrast."""
    if plan.flavour == "open":
        return
    lost: dict[tuple[str, str], tuple[Span, dict[str, None], int]] = {}
    for template in plan.templates:
        for leaf in template.leaves:
            automaton = leaf.version_automaton
            if automaton is None:
                continue
            # A word is lost by itself where nothing else that decides has a choice of words.
            domains = {number: leaf.stratum.domains[number] for number in sorted(automaton.draws)}
            wide = [number for number, domain in domains.items() if len(domain) > 1] or list(domains)
            if len(wide) != 1 or not leaf.stratum.draws[wide[0]].is_open:
                continue
            words: dict[str, None] = {}
            shown = {p.form for p in leaf.stratum.acceptable if isinstance(p, Ref) and p.draw == wide[0]}
            for entry in domains[wide[0]]:
                if any(entry.texts[form] is None for form in shown):
                    continue  # a verb without a particle where one stands: no word of this place
                state: State | None = automaton.start
                for number, domain in domains.items():
                    chosen = entry if number == wide[0] else domain[0]
                    state = state and automaton.step(state, number, automaton.attribute(number, chosen))
                if state is None or automaton.finish(state) is None:
                    words[entry.member.entry.lemma] = None
            if words:
                key = (leaf.scope.number, leaf.stratum.draws[wide[0]].name)
                known = lost.setdefault(key, (_span(leaf.scope), {}, len(domains[wide[0]])))
                known[1].update(words)
    for (_, name), (span, words, size) in lost.items():
        share = 100 * len(words) / max(1, size)
        one = len(words) == 1
        yield Diagnostic(
            "syncretism",
            f"{len(words)} word{'' if one else 's'} of '{name}' ({share:.1f}%) cannot show the contrast and "
            f"{'is' if one else 'are'} left out: {listed(words, 6)}",
            span,
            "",
            "warning",
        )


def _small_classes(plan: Plan) -> Iterator[Diagnostic]:
    """A class from an open category with fewer than five words."""
    grammar = plan.grammar
    for name, definition in grammar.definitions.items():
        if not grammar.is_own(definition) or not isinstance(definition, nodes.SlotDefinition):
            continue
        word_class: WordClass | None = plan.resolver.word_class(name)
        if word_class and word_class.is_open and len(word_class.members) < 5:
            number = len(word_class.members)
            yield Diagnostic(
                "small-class",
                f"slot '{name}' has {number} word{'' if number == 1 else 's'}",
                definition.span,
                "a class of fewer than 5 words makes few different items",
                "warning",
            )


def _rare_templates(plan: Plan) -> Iterator[Diagnostic]:
    """A template with under one percent of the items."""
    if plan.flavour == "open" or len(plan.templates) < 2:
        return
    written: dict[int, tuple[TemplateScope, int]] = {}  # a family counts as the one template it is written as
    for template in plan.templates:
        for leaf in template.leaves:
            key = id(leaf.scope.template)
            written[key] = (leaf.scope, written.get(key, (leaf.scope, 0))[1] + leaf.items)
    for scope, items in written.values():
        if items * 100 < plan.items:
            share = 100 * items / plan.items
            yield Diagnostic(
                "rare-template",
                f"template {scope.number} has {items:,} of {plan.items:,} items ({share:.2f}%)",
                _span(scope),
                "",
                "warning",
            )


def _ambiguity(plan: Plan) -> Iterator[Diagnostic]:
    """Two derivations of one sentence."""
    if plan.flavour == "open":
        return
    found = ambiguous(plan)
    if found is not None:
        first, second = found
        sentence = shared_sentence(first, second)
        if first.template == second.template:
            hint = f"template '{first.template}' gives '{sentence}' twice"
        else:
            hint = f"templates '{first.template}' and '{second.template}' both give '{sentence}'"
        yield Diagnostic(
            "ambiguous",
            "two derivations can read the same: counts are 'at most'",
            _span(second.scope),
            hint,
            "warning",
        )


PLAN_CHECKS: tuple[Callable[[Plan], Iterator[Diagnostic]], ...] = (
    _empty,
    _examples,
    _lost_words,
    _small_classes,
    _rare_templates,
    _ambiguity,
)
