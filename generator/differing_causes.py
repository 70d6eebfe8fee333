"""What differs between the inputs of two grammars: words of slots, templates, statements, files."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator import nodes
from generator.differing_types import Causes, SlotChange, StatementChange
from generator.inputs import Input, grammar_inputs, own_word_inputs, word_list_inputs
from generator.lexing import strip_comment
from generator.loading import Grammar
from generator.planning import Plan
from generator.source import Node

_INSIGNIFICANT = ("paradigm", "about", "source", "phenomenon", "field")
"""Statements that say nothing of what sentences there are; examples do not either."""


def causes_of(old: Plan, new: Plan) -> Causes:
    """Everything that differs between the inputs of two plans."""
    ours = {template.name for template in old.templates}
    theirs = {template.name for template in new.templates}
    removed, added = _statements(old.grammar, new.grammar)
    return Causes(
        tuple(_words(old, new)),
        tuple(template.name for template in new.templates if template.name not in ours),
        tuple(template.name for template in old.templates if template.name not in theirs),
        added,
        removed,
        tuple(_inputs(old.grammar, new.grammar)),
    )


def is_same(old: Plan, new: Plan) -> bool:
    """Whether the inputs of two plans say the same, so that they have the same items.

    Comments, examples and statements for the reader make no difference.
    """
    if old.digest == new.digest:
        return True
    one, two = old.grammar, new.grammar
    return (
        old.flavour == new.flavour
        and one.lexicon.digest == two.lexicon.digest
        and one.choices.digest == two.choices.digest
        and (one.paradigm == two.paradigm or one.choices.folder is None)  # lists of words can be a paradigm's own
        and one.numbers == two.numbers
        and one.definitions == two.definitions
        and one.variables == two.variables
        and _significant(one) == _significant(two)
    )


# --- words ------------------------------------------------------------------------------------------------------


def _words(old: Plan, new: Plan) -> Iterator[SlotChange]:
    """The slots that stand in items of both sides and have not the same words there."""
    ours, theirs = _slots(old), _slots(new)
    for slot, words in ours.items():
        if slot not in theirs:
            continue
        others = theirs[slot]
        added = tuple(word for word in others if word not in words)
        removed = tuple(word for word in words if word not in others)
        if added or removed:
            yield SlotChange(slot, added, removed)


def _slots(plan: Plan) -> Mapping[str, Mapping[str, None]]:
    """Slot -> the lemmas that fill it in some item, in the order of the leaves."""
    found: dict[str, dict[str, None]] = {}
    seen: set[tuple[str, int]] = set()
    for template in plan.templates:
        for leaf in template.leaves:
            for draw, domain in zip(leaf.stratum.draws, leaf.stratum.domains, strict=True):
                if (draw.name, id(domain)) in seen:
                    continue
                seen.add((draw.name, id(domain)))
                words = found.setdefault(draw.name, {})
                for entry in domain:
                    words[entry.member.entry.lemma.replace("_", " ") or '""'] = None
    return found


# --- statements -------------------------------------------------------------------------------------------------


def _statements(old: Grammar, new: Grammar) -> tuple[tuple[StatementChange, ...], tuple[StatementChange, ...]]:
    """The lines of the grammar files that the other has not, in order: removed, added."""
    ours, theirs = _significant(old), _significant(new)
    return tuple(_left(ours, theirs)), tuple(_left(theirs, ours))


_Part = tuple[Hashable, Node]
"""What a line belongs to (nothing, but for lines of a block), and the line."""


def _significant(grammar: Grammar) -> list[_Part]:
    """What a grammar file states, line by line of blocks."""
    return [
        part
        for statement in grammar.statements
        if not isinstance(statement, nodes.Example)
        and not (isinstance(statement, nodes.Meta) and statement.keyword in _INSIGNIFICANT)
        for part in _parts(statement)
    ]


def _parts(statement: nodes.Statement) -> Iterator[_Part]:
    inside: list[Node] = []
    head: Node = statement
    if isinstance(statement, nodes.TemplateDefinition):
        inside = [*statement.sentences, *statement.wheres]
        head = replace(statement, sentences=(), wheres=())
    elif isinstance(statement, nodes.PhraseDefinition):
        inside = [*statement.rules, *statement.wheres]
        head = replace(statement, rules=(), wheres=())
    elif isinstance(statement, nodes.TableDefinition):
        inside = [_Row(row[0].span, row) for row in statement.rows]
        head = replace(statement, rows=())
    if inside and not (isinstance(statement, nodes.TemplateDefinition) and not statement.name):
        yield "", head
        yield from ((head, node) for node in inside)
    else:
        yield "", statement


@dataclass(frozen=True)
class _Row(Node):
    """A row of a table."""

    cells: tuple[nodes.Text, ...]


def _left(ours: Sequence[_Part], theirs: Sequence[_Part]) -> Iterator[StatementChange]:
    """The lines of one side that the other has not, as often as it has them more."""
    rest = list(theirs)
    for part in ours:
        if part in rest:
            rest.remove(part)
        else:
            span = part[1].span
            yield StatementChange(span.source.name, span.line, strip_comment(span.source.line(span.line)).strip())


# --- files ------------------------------------------------------------------------------------------------------


def _inputs(old: Grammar, new: Grammar) -> Iterator[str]:
    """The further files that are not the same on both sides, by name: imports, shipped lists, the user's own."""
    for ours, theirs in (
        (grammar_inputs(old)[1:], grammar_inputs(new)[1:]),
        (word_list_inputs(old), word_list_inputs(new)),
        (_own(old), _own(new)),
    ):
        one = {each.name: each.sha256 for each in ours}
        two = {each.name: each.sha256 for each in theirs}
        yield from (name for name in dict.fromkeys([*one, *two]) if one.get(name) != two.get(name))


def _own(grammar: Grammar) -> tuple[Input, ...]:
    folder = grammar.choices.folder
    return own_word_inputs(Path(folder)) if folder is not None else ()
