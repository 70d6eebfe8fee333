"""The canonical layout: what it looks like, and what it never changes."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from fuzz_texts import mutate
from fuzzing import World
from hypothesis import given, settings
from hypothesis import strategies as st
from test_docs import DOCUMENTS, blocks

from generator.cli.new import _SKELETON
from generator.errors import GrammarError
from generator.formatting import comments, formatted
from generator.item_making import items
from generator.loading import grammar_from_text
from generator.parsing import META_KEYWORDS, parse
from generator.planning import Plan, plan
from generator.source import SourceFile
from generator.wordlists import read_source

ROOT = Path(__file__).parents[1]
SHIPPED = sorted((ROOT / "grammars").rglob("*.grammar"))
IN_DOCS = {
    f"{document.name}:{block.line}": block.text
    for document in DOCUMENTS
    for block in blocks(document.read_text("utf-8"))
    if block.info == "grammar"
}
EXAMPLES = {path.relative_to(ROOT).as_posix(): read_source(path).text for path in SHIPPED} | IN_DOCS
WORLD = World()


def layout(text: str) -> str:
    return formatted(SourceFile("<test>", text))


@cache
def _corpus() -> dict[str, str]:
    """The texts of the corpus that have no syntax error."""
    found = {}
    text = (ROOT / "tests" / "corpus" / "malformed_grammars.txt").read_text("utf-8")
    for case in text.split("\n=== ")[1:]:
        name, rest = case.split("\n", 1)
        grammar = re.split(r"^---", rest, maxsplit=1, flags=re.MULTILINE)[0]
        if not parse(SourceFile(name, grammar))[1]:
            found[name] = grammar
    return found


def assert_holds(text: str) -> None:
    """The same statements, the same comments in the same order, the same again."""
    source = SourceFile("<test>", text)
    result = SourceFile("<test>", formatted(source))
    tree, _ = parse(source)
    again, findings = parse(result)
    assert again.statements == tree.statements
    assert not findings
    assert comments(result) == comments(source)
    assert formatted(result) == result.text
    lines = result.text.split("\n")
    assert lines[-1] == "" != lines[-2]
    assert lines[0]
    assert all(line == line.rstrip() for line in lines)
    assert not any(one == two == "" for one, two in pairwise(lines))


# --- what it looks like -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_shipped_grammars_are_canonical(path: Path) -> None:
    assert layout(read_source(path).text) == path.read_bytes().decode()


@pytest.mark.parametrize("name", IN_DOCS)
def test_grammars_in_the_documents_are_canonical(name: str) -> None:
    assert layout(IN_DOCS[name]) == IN_DOCS[name]


def test_a_new_grammar_is_canonical() -> None:
    for name in ("x", "a_long_name_of_a_paradigm"):
        text = _SKELETON.format(name=name)
        assert layout(text) == text


CASES = {
    "header": (
        "paradigm x\nphenomenon   a  b\n\nimport  en/lib/basics\nlanguage en\n\nlanguage   de\n",
        "paradigm    x\nphenomenon  a  b\n\nimport      en/lib/basics\nlanguage    en\n\nlanguage de\n",
    ),
    "definitions": (
        'var $c=case\nslot Long=noun countable-"x"|"a" pl@2\n# why\nslot A  = B\n\nslot A2=B\n',
        'var  $c   = case\nslot Long = noun countable -"x" | "a" pl @2\n# why\nslot A    = B\n\nslot A2 = B\n',
    ),
    "features keep their signs": (
        "slot A = x gender = masc takes= base\n+ {s = A $n. number|* s ! $n .all} {R gender = ! s . gender after V} .",
        "slot A = x gender=masc takes=base\n+ {s=A $n.number | *s !$n.all} {R gender=!s.gender after V} .\n",
    ),
    "words that touch": (
        '+ the   {name}{"\'s"}dog {A}  {B} [x:the {A}  dog ]{C} .',
        '+ the {name}{"\'s"}dog {A} {B} [x: the {A} dog]{C} .\n',
    ),
    "strings stay": (
        r'slot A =  "a  b"|"\"" | "c\\"   |""' + "\n+ {\"{\"} {'x'}\n".replace("{'x'}", '{"|  #"  }'),
        r'slot A = "a  b" | "\"" | "c\\" | ""' + '\n+ {"{"} {"|  #"}\n',
    ),
    "what a model is tested on": (
        'cross $n,$m( sg@3,pl )\n\ntarget  Be\nanswer s="s"\nanswer wrong = Be !$n\nexample a   b  /  *  c\n',
        'cross   $n, $m (sg @3, pl)\n\ntarget  Be\nanswer  s     = "s"\nanswer  wrong = Be !$n\nexample a b / * c\n',
    ),
    "conditions": (
        'where V (a,b)and not(a.x=b . y or c in("d","e"))\nrepeat a,b\n\nwhere  a  !=  b\n',
        'where  V(a, b) and not (a.x = b.y or c in ("d", "e"))\nrepeat a, b\n\nwhere a != b\n',
    ),
    "designs": (
        "factor match=match|* mismatch\nfactor n=sing $n sg|plural $n pl\n"
        "+ [verb:{match , n:(match,sing)A|(match , plural) *B}]\n"
        "expect x:(match,sing).verb+1.5-b<a . c within 0.5 and[not x>y]|z=w\n",
        "factor match = match | *mismatch\nfactor n     = sing $n sg | plural $n pl\n"
        "+ [verb: {match, n: (match, sing) A | (match, plural) *B}]\n"
        "expect x: (match, sing).verb + 1.5 - b < a.c within 0.5 and [not x > y] | z = w\n",
    ),
    "blocks": (
        "phrase  NP $n  depth  2 :{a}|b@2|{c}@2\n"
        "phrase X:\n      {head=A}{B} @3\n      | c\n       d\n      where x=y\n"
        "template t_{ T name }_{$n}   @2:\n    +  a {b}\n         c\n    *  d\n    where  a\n",
        "phrase NP $n depth 2: {a} | b@2 | {c} @2\nphrase X:\n  {head=A}{B} @3\n  | c\n    d\n  where x = y\n"
        "template t_{T name}_{$n} @2:\n  + a {b}\n    c\n  * d\n  where a\n",
    ),
    "tables": (
        "table T:a|b sg|c\n  x {A}|y|\n  |two words|z\n  long cell  |ý|\n    last\n",
        "table T: a     | b sg      | c\n         x {A} | y         |\n         |       two words | z\n"
        "         long cell | ý |\n           last\n",
    ),
    "comments behind lines": (
        '+ a . # one\n* b # two\n\nslot A = "a word that is long" | "another"   # three\n',
        "+ a ." + " " * 32 + "# one\n* b" + " " * 34 + "# two\n\n"
        'slot A = "a word that is long" | "another"' + " " * 19 + "# three\n",
    ),
    "comments of their own": (
        "\n  # first\n#  second\n\n\n\n+ a\n    # inside\n   b\n   # behind\n"
        "template t:\n # in the block\n + a\n# margin\n\n",
        "# first\n#  second\n\n+ a\n  # inside\n  b\n  # behind\ntemplate t:\n  # in the block\n  + a\n# margin\n",
    ),
    "options": (
        "one  star\nversions   product\nuniform\nbalance A,B  by  frequency\n",
        "one star\nversions product\nuniform\nbalance A, B by frequency\n",
    ),
    "a sign that would begin a comment": ("phrase X: a |#b\n+ a {b}#c [x:#d]\n", "phrase X: a |#b\n+ a {b}#c [x:#d]\n"),
    "line ends of other systems": (
        "\ufeff+ a\r\n\r\n* b\r\n".removeprefix("\ufeff").replace("\r\n", "\n"),
        "+ a\n\n* b\n",
    ),
    "wide letters": (
        "table T: a | b\n         日本 | x\n         abcde | y\n",
        "table T: a     | b\n         日本  | x\n         abcde | y\n",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_layout(name: str) -> None:
    before, after = CASES[name]
    assert layout(before) == after
    assert_holds(before)


def test_long_alternatives_are_broken_at_bars() -> None:
    words = [f'"word number {number}"' for number in range(20)]
    head = "slot Words = "
    # Widths: 13 + 6 * 15 + 5 * 3 = 118, one more would make 136; 11 + 2 + 4 * 15 + 2 * 16 + 5 * 3 = 120 just fit.
    rows = [words[:6], words[6:12], words[12:17], words[17:]]
    lines = [head + " | ".join(rows[0]), *(" " * 11 + "| " + " | ".join(row) for row in rows[1:])]
    assert [len(line) for line in lines[:2]] == [118, 120]
    assert layout(head + "|".join(words)) == "\n".join(lines) + "\n"
    # A line that has grown too long sends its alternatives to the next ones.
    lines[0] = lines[0].replace("number 0", "number nought")
    assert layout("\n".join(lines)) == layout(head + "|".join(words).replace("number 0", "number nought"))


def test_lines_that_the_author_broke_stay_while_they_fit() -> None:
    text = 'slot A = "a"\n       | "b" | "c"\n         pl\n'
    assert layout(text) == text


def test_comments_keep_their_lines_among_long_alternatives() -> None:
    long = " | ".join(f'"word number {number}"' for number in range(8))
    text = layout(f"slot A = {long}   # one\n  | b # two\n")
    first, second, third = text.rstrip("\n").split("\n")
    assert "#" not in first
    assert second.endswith("# one")
    assert third.lstrip().startswith("| b ")


def test_sentences_are_never_broken() -> None:
    sentence = "+ " + " ".join(["{Noun $n | *Noun !$n}"] * 20) + " .\n"
    assert layout(sentence) == sentence


def test_syntax_errors_are_those_of_the_parser() -> None:
    source = SourceFile("x", "solt A = b\n+ {\n")
    with pytest.raises(GrammarError) as caught:
        formatted(source)
    assert [d.render() for d in caught.value.diagnostics] == [d.render() for d in parse(source)[1]]
    assert len(caught.value.diagnostics) == 2


# --- what it never changes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*EXAMPLES, *_corpus()])
def test_real_grammars_keep_their_meaning(name: str) -> None:
    assert_holds(EXAMPLES.get(name) or _corpus()[name])


def test_the_corpus_has_grammars_without_syntax_errors() -> None:
    assert len(_corpus()) > 200


def loosened(rng: Random, text: str) -> str:
    """A text with white space changed where it means nothing: more of it in lines, in braces, at ends."""
    lines = []
    for line in text.split("\n"):
        code, sign, comment = line.partition("#") if line.lstrip().startswith("#") or " #" in line else (line, "", "")
        if '"' in comment or code.count('"') % 2:
            code, sign, comment = line, "", ""
        keyword = code.split(" ", 1)[0]
        if keyword in META_KEYWORDS:
            code = code.replace(" ", rng.choice([" ", "   ", "\t"]), 1)
        else:
            pieces = re.split(r'("(?:\\.|[^"\\])*")', code)
            pieces[::2] = [_widened(rng, piece, bool(number)) for number, piece in enumerate(pieces[::2])]
            code = "".join(pieces)
        lines.append(code + sign + comment + rng.choice(["", " ", "\t"]))
        if not line:
            lines += [""] * rng.randrange(3)
    return "\n".join(lines) + "\n" * rng.randrange(3)


def _widened(rng: Random, piece: str, is_inside: bool) -> str:
    indent = "" if is_inside else piece[: len(piece) - len(piece.lstrip(" "))]
    rest = re.sub(r" +", lambda _: rng.choice([" ", "  ", "\t", " \t "]), piece[len(indent) :])
    rest = re.sub(r"(?<=\{)|(?=\})", lambda _: rng.choice(["", " "]), rest)
    return indent * 2 + rest


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(EXAMPLES)), st.integers(0, 2**32))
def test_one_layout_for_all_spacings(name: str, seed: int) -> None:
    text = layout(EXAMPLES[name])
    if '{"{"}' in text:
        text = text.replace('{"{"}', "x").replace('{"}"}', "x").replace('{"#"}', "x")
    assert layout(loosened(Random(seed), text)) == layout(text)


def _torn(rng: Random, text: str) -> str:
    """A text with white space, line ends and comments put in and taken out anywhere."""
    lines = []
    for line in text.split("\n"):
        for _ in range(rng.choice([0, 0, 1, 3])):
            place = rng.randrange(len(line) + 1)
            put = rng.choice([" ", "  ", "\t", "\n  ", "\n", "\n    # c\n  ", "|", "  # x \n  ", "#"])
            line = line[:place] + put + line[place + (rng.random() < 0.3) :]
        lines.append(line)
    return "\n".join(lines)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(EXAMPLES)), st.integers(0, 2**32), st.booleans(), st.booleans())
def test_whatever_parses_keeps_its_meaning(name: str, seed: int, is_torn: bool, is_mutated: bool) -> None:
    rng = Random(seed)
    text = EXAMPLES[name]
    if is_torn:
        text = _torn(rng, text)
    if is_mutated:
        text = mutate(rng, text, WORLD.donors, 2)[0].replace("\r", "\n")
    # Lines that cannot be read are left out, so that the others are tried.
    for _ in range(20):
        findings = parse(SourceFile("<test>", text))[1]
        lines = text.split("\n")
        bad = {d.span.line for d in findings if d.span}
        if not findings or len(bad) == len(lines):
            break
        text = "\n".join(line for number, line in enumerate(lines, start=1) if number not in bad)
    if not findings:
        assert_holds(text)


@pytest.mark.parametrize(
    "name", [name for name in EXAMPLES if "/lib/" not in name and "mylib" not in EXAMPLES[name]][::9]
)
def test_items_stay(name: str) -> None:
    """Samples depend on the text's digest, what there is to draw from does not."""
    text = loosened(Random(name), EXAMPLES[name])
    before, after = (plan(grammar_from_text(each)) for each in (text, layout(text)))
    assert before.grammar.digest != after.grammar.digest
    assert (before.items, before.versions) == (after.items, after.versions)
    if before.items < 20_000:
        assert _texts(before) == _texts(after)


def _texts(space: Plan) -> list[list[str]]:
    return [[condition.text for condition in item.conditions] for item in items(space)]
