"""The line grammar has no conflict, and the tree says what the text says."""

from __future__ import annotations

import json
from pathlib import Path

import lark
import pytest
from lark import Lark
from lark.lexer import Lexer

import generator
from generator import nodes
from generator.cli.common import shipped_folder
from generator.lexing import strip_comment
from generator.line_parsing import STARTS, build_parser, line_grammar, line_parser
from generator.parser_tables import FILE_NAME, digest_of, restored
from generator.parsing import parse
from generator.source import SourceFile


def test_the_line_grammar_is_lalr_without_conflicts() -> None:
    build_parser(strict=True)


def _moves(parser: Lark) -> dict[object, object]:
    """What the parser does in each state, its states named by the way there: their numbers are Lark's own affair."""
    table = parser.parser.parser._parse_table
    names = {state: (start,) for start, state in table.start_states.items()}
    waiting = list(names)
    while waiting:
        state = waiting.pop(0)
        for token, (_, target) in sorted(table.states[state].items()):
            if isinstance(target, int) and target not in names:
                names[target] = (*names[state], token)
                waiting.append(target)
    return {
        names[state]: {
            token: names[target] if isinstance(target, int) else str(target) for token, (_, target) in moves.items()
        }
        for state, moves in table.states.items()
    }


def test_the_tables_made_beforehand_are_those_of_the_grammar() -> None:
    content = json.loads((Path(generator.__file__).parent / FILE_NAME).read_text("utf-8"))
    assert content["grammar"] == digest_of(line_grammar(), STARTS), "run: make tables"
    if content["lark"] == lark.__version__:
        assert line_parser().source_path == "<deserialized>"
        assert _moves(line_parser()) == _moves(build_parser())


def test_tables_of_something_else_are_left_alone() -> None:
    assert restored(line_grammar() + "// changed", STARTS, Lexer) is None


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
