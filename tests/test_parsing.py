"""The line grammar has no conflict, and the tree says what the text says."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator import nodes
from generator.cli.common import shipped_folder
from generator.lexing import strip_comment
from generator.line_parsing import build_parser
from generator.parsing import parse
from generator.source import SourceFile


def test_the_line_grammar_is_lalr_without_conflicts() -> None:
    build_parser(strict=True)


def _parse(text: str) -> tuple[nodes.Statement, ...]:
    tree, findings = parse(SourceFile("t", text))
    assert not findings, findings
    return tree.statements


def test_a_contrast() -> None:
    (template,) = _parse("+ the {subj=Noun $n pl -human | *subj !$n.number @2} ran .")
    assert isinstance(template, nodes.TemplateDefinition)
    brace = template.sentences[0].text.items[1]
    assert isinstance(brace, nodes.Brace)
    first, second = brace.choice.alternatives
    assert isinstance(first.body, nodes.Mention)
    assert (first.body.label, first.body.name, first.mark) == ("subj", "Noun", "")
    assert [type(f).__name__ for f in first.body.features] == ["VariableFeature", "Feature", "Feature"]
    assert isinstance(second.body, nodes.Mention)
    assert (second.mark, second.weight) == ("*", 2)
    feature = second.body.features[0]
    assert isinstance(feature, nodes.VariableFeature)
    assert (feature.variable, feature.part, feature.broken) == ("$n", "number", True)


def test_glue_is_no_space() -> None:
    (template,) = _parse('+ {Name}{"\'s"} dog, ran{"!"} ok')
    assert isinstance(template, nodes.TemplateDefinition)
    assert [item.glued for item in template.sentences[0].text.items] == [False, True, False, False, True, False]


def test_continuations_and_blocks() -> None:
    slot, table, phrase, template = _parse(
        'slot A = "x" |\n    "y"\n'
        "table T: sg | pl\n   a b | c\n   d   | e\n"
        "phrase NP $n:\n  {A} | {T $n} @3\n  where A = x\n"
        "template t_{T sg}_{$n}:\n  + one\n      two\n  * three\n  where $n = sg\n"
    )
    assert isinstance(slot, nodes.SlotDefinition)
    assert len(slot.choice.alternatives) == 2
    assert isinstance(table, nodes.TableDefinition)
    assert [len(row) for row in table.rows] == [2, 2]
    assert isinstance(phrase, nodes.PhraseDefinition)
    assert ([rule.weight for rule in phrase.rules], len(phrase.wheres)) == ([1, 3], 1)
    assert isinstance(template, nodes.TemplateDefinition)
    assert [(s.mark, len(s.text.items)) for s in template.sentences] == [("+", 2), ("*", 1)]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("# all", ""),
        ("+ a b # c", "+ a b "),
        ("+ a#b", "+ a#b"),
        ('slot A = "#" # c', 'slot A = "#" '),
        ('+ a {"#"} b', '+ a {"#"} b'),
        ('slot A = "x # y"', 'slot A = "x # y"'),
        ('+ 5" # c', '+ 5" '),
    ],
)
def test_comments(text: str, rest: str) -> None:
    assert strip_comment(text) == rest


def test_precedence_of_conditions() -> None:
    (where,) = _parse('where not a.human and b = c or d in (e, "f g")')
    assert isinstance(where, nodes.Where)
    assert isinstance(where.condition, nodes.Logical)
    assert where.condition.operator == "or"
    first = where.condition.parts[0]
    assert isinstance(first, nodes.Logical)
    assert first.operator == "and"


@pytest.mark.parametrize("path", sorted(shipped_folder().rglob("*.grammar")), ids=lambda p: p.stem)
def test_spans_point_at_their_text(path: Path) -> None:
    source = SourceFile(str(path), path.read_text("utf-8"))
    tree, findings = parse(source)
    assert not findings
    for statement in tree.statements:
        if isinstance(statement, nodes.SlotDefinition | nodes.TableDefinition | nodes.PhraseDefinition):
            assert statement.span.text == statement.name


def test_every_error_of_a_file_in_one_pass() -> None:
    _, findings = parse(SourceFile("t", "slot A\n+ the { } x\n+ {B | } y\nwhere\nslot C = c\n* ]\n"))
    assert [finding.span.line for finding in findings if finding.span] == [1, 2, 3, 4, 6]
