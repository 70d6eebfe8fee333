"""A grammar in plain English: what it contrasts, over how many items, which words fill each slot, what is left out."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generator.ambiguity import ambiguous
from generator.checks import planned_findings
from generator.domains import Member
from generator.errors import Diagnostic, by_place, listed
from generator.item_making import items
from generator.leaves import Leaf
from generator.loading import Grammar
from generator.planning import Plan, PlanTemplate, filter_lines, plan_flavours
from generator.scopes import TemplateScope
from generator.strata import Condition, Entry, Stratum
from generator.walking import braces_of
from generator.wording import alternative_words, factor_words, text_words


@dataclass(frozen=True)
class SlotWords:
    """The words that can fill a slot, and those of its class that cannot."""

    slot: str
    class_name: str
    words: tuple[str, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """What is to be said of one template (of a family: of the template as written)."""

    name: str
    sentence: str
    contrast: tuple[str, ...]
    items: int
    pairs: int
    open_ended: int
    variables: Mapping[str, tuple[str, ...]]
    slots: tuple[SlotWords, ...]
    conditions: tuple[str, ...]
    examples: tuple[tuple[str, ...], ...]  # (acceptable, starred...), with the names of conditions in a design


@dataclass(frozen=True)
class GrammarExplanation:
    """What is to be said of a grammar."""

    paradigm: str
    meta: Mapping[str, str]
    templates: tuple[Explanation, ...]
    exact: bool
    not_counted: tuple[str, ...]
    findings: tuple[Diagnostic, ...] = field(default=())


def explain(grammar: Grammar) -> GrammarExplanation:
    """Explain a grammar.  Raises GrammarError where it has errors."""
    plans = plan_flavours(grammar)
    found = plans.get("forced") or plans["open"]
    written: dict[int, list[tuple[PlanTemplate, Leaf]]] = {}
    for template in found.templates:
        for leaf in template.leaves:
            written.setdefault(id(leaf.scope.template), []).append((template, leaf))
    open_counts: dict[int, int] = {}
    for template in plans["open"].templates if "open" in plans else ():
        for leaf in template.leaves:
            key = id(leaf.scope.template)
            open_counts[key] = open_counts.get(key, 0) + leaf.items
    return GrammarExplanation(
        grammar.paradigm,
        {key: value for key, value in grammar.meta.items() if key != "paradigm"},
        tuple(_template(found, leaves, open_counts.get(key, 0)) for key, leaves in written.items()),
        ambiguous(found) is None and not found.filters,
        tuple(filter_lines(found)),
        tuple(finding for finding in by_place(planned_findings(list(plans.values()))) if not finding.is_error),
    )


def _template(found: Plan, leaves: Sequence[tuple[PlanTemplate, Leaf]], open_ended: int) -> Explanation:
    scope = leaves[0][1].scope
    names = dict.fromkeys(template.name for template, _ in leaves)
    kept = {id(leaf) for _, leaf in leaves}
    own = [leaf for _, leaf in leaves]
    forced = found.flavour == "forced"
    count = min(2, sum(leaf.items for leaf in own))
    shown = list(items(found, count, only=lambda _, leaf: id(leaf) in kept))
    examples: list[tuple[str, ...]] = []
    for item in shown:
        if scope.factors:
            examples += [(c.name, ("" if c.acceptable else "* ") + c.text) for c in item.conditions]
        else:
            examples.append(tuple(("" if c.acceptable else "* ") + c.text for c in item.conditions))
    return Explanation(
        listed(list(names), 6) if len(names) > 1 else next(iter(names)),
        text_words(scope.good),
        tuple(_contrast(scope)) if forced else (f"the words of {scope.target or 'the contrast'} are masked",),
        sum(leaf.items for leaf in own) if forced else 0,
        sum(leaf.versions for leaf in own) if forced else 0,
        open_ended,
        {name: _values(own, name, scope) for name in scope.variables if name not in scope.fixed_variables},
        tuple(_slots(found, own)),
        tuple(_conditions(own)),
        tuple(examples),
    )


def _values(leaves: Sequence[Leaf], name: str, scope: TemplateScope) -> tuple[str, ...]:
    labels = scope.variables[name].labels
    seen = dict.fromkeys(leaf.stratum.variables[name] for leaf in leaves if name in leaf.stratum.variables)
    return tuple(labels[cell] for cell in seen if cell in labels)


# --- the contrast -----------------------------------------------------------------------------------------------


def _contrast(scope: TemplateScope) -> Iterator[str]:
    """What tells the members of an item apart, a sentence each."""
    if scope.factors:
        for factor in scope.factors:
            yield factor_words(factor)
        good = [condition.name for condition in scope.conditions if condition.acceptable]
        bad = [condition.name for condition in scope.conditions if not condition.acceptable]
        yield f"an item has {len(scope.conditions)} conditions: {listed(good, 8)} acceptable" + (
            f", {listed(bad, 8)} starred" if bad else ""
        )
        for brace in braces_of(scope.good):
            for alternative, levels in zip(brace.choice.alternatives, brace.choice.levels, strict=False):
                where = " or ".join(", ".join(each) for each in levels)
                yield f"with {where}: {alternative_words(alternative)}"
        return
    for sentence in scope.template.sentences[1:]:
        kind = "starred" if sentence.mark == "*" else "also acceptable"
        yield f"{kind}: {text_words(sentence.text)}"
    if len(scope.contrasts) > 1:
        yield "each contrast switches alone" if scope.is_product else "all contrasts of a sentence switch together"
    for brace in scope.contrasts:
        plain = " or ".join(alternative_words(a) for a in brace.choice.alternatives if not a.mark)
        for alternative in brace.choice.alternatives:
            if alternative.mark:
                kind = "starred" if alternative.mark == "*" else "also acceptable"
                yield f"acceptable: {plain}; {kind}: {alternative_words(alternative)}"


# --- words ------------------------------------------------------------------------------------------------------


def _slots(found: Plan, leaves: Sequence[Leaf]) -> Iterator[SlotWords]:
    """The words of each slot over all leaves, and those of its class that fill it nowhere."""
    words: dict[tuple[str, str], dict[str, None]] = {}
    members: dict[tuple[str, str], dict[int, Member]] = {}
    filled: dict[tuple[str, str], set[int]] = {}
    seen: set[Hashable] = set()
    for leaf in leaves:
        for number, draw in enumerate(leaf.stratum.draws):
            domain = leaf.stratum.domains[number]
            # A phrase's own name is told apart by the name of the phrase: 'subj head'.
            named = [part for part in draw.key[:-1] if isinstance(part, str) and part not in ("cell", "table")]
            key = (" ".join([*named, draw.name]), draw.word_class.name)
            if (key, id(domain)) in seen:
                continue
            seen.add((key, id(domain)))
            shown = words.setdefault(key, {})
            own = filled.setdefault(key, set())
            members.setdefault(key, {}).update((id(member.entry), member) for member in draw.members)
            for entry in domain:
                shown[entry.texts[0] or ""] = None
                own.add(id(entry.member.entry))
    for slot, texts in words.items():
        lost = [m.entry.lemma.replace("_", " ") for one, m in members[slot].items() if one not in filled[slot]]
        yield SlotWords(slot[0], slot[1], tuple(text or '""' for text in texts), tuple(lost))


def _conditions(leaves: Sequence[Leaf]) -> Iterator[str]:
    """Each condition on two words or more, with the share of pairs of words that meet it."""
    done: set[str] = set()
    for leaf in leaves:
        for condition in leaf.stratum.conditions:
            if condition.text not in done:
                done.add(condition.text)
                yield f"{condition.text}: {_share(leaf.stratum, condition)}"


def _share(stratum: Stratum, condition: Condition) -> str:
    names = " and ".join(dict.fromkeys(stratum.draws[draw].name for draw in condition.draws))
    if len(condition.draws) != 2:
        return f"ties {names}"
    first, second = (_counted(stratum.domains[d], r) for d, r in zip(condition.draws, condition.read, strict=True))
    every = sum(first.values()) * sum(second.values())
    kept = sum(n * m for one, n in first.items() for two, m in second.items() if condition.holds((one, two)))
    return f"{100 * kept / every:.0f}% of the pairs of {names} meet it" if every else f"ties {names}"


def _counted(domain: Sequence[Entry], read: object) -> dict[Hashable, int]:
    counts: dict[Hashable, int] = {}
    assert callable(read)
    for entry in domain:
        value = read(entry)
        counts[value] = counts.get(value, 0) + 1
    return counts
