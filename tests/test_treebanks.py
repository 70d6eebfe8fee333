"""Treebanks as text: Penn bracketing and CoNLL-U, read with every quirk and every fault by its line."""
# ruff: noqa: E501 - a case of a table on a line

from __future__ import annotations

import nltk
import pytest

from generator.bracketing import bracketed, read_brackets
from generator.conllu import ConlluSentence, read_conllu
from generator.trees import Constituent, Leaf

PENN = """\
( (S
    (NP-SBJ-1 (DT The) (NN dog))
    (VP (VBD was)
      (VP (VBN seen)
        (NP (-NONE- *-1))
        (PP-LGS (-NONE- *))))
    (. .)) )

( (S (NP=2 (-LRB- -LRB-) (NN x)) (ADVP|PRT (RB up)) ($-LRB- -LRB-)))
"""


def _brackets(text: str, **options: bool) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    problems: list[tuple[int, str]] = []
    trees = read_brackets(text, lambda line, message: problems.append((line, message)), **options)
    return [(line, bracketed(tree)) for line, tree in trees], problems


def test_trees_of_several_lines() -> None:
    trees, problems = _brackets(PENN)
    assert problems == []
    assert [line for line, _ in trees] == [1, 9]
    assert trees[0][1] == (
        "( (S (NP-SBJ-1 (DT The) (NN dog)) (VP (VBD was) (VP (VBN seen) (NP (-NONE- *-1)) (PP-LGS (-NONE- *)))) (. .)))"
    )
    for (_, tree), own in zip(trees, PENN.split("\n\n"), strict=True):
        assert nltk.Tree.fromstring(tree) == nltk.Tree.fromstring(own)


def test_brackets_in_words_and_tags() -> None:
    (_, tree), *_ = read_brackets("(S (NP (-LRB- -LRB-) (NN a-LSB-b)) ($-LRB- -RRB-))", _never)
    assert list(tree.leaves()) == [Leaf("-LRB-", "("), Leaf("NN", "a[b"), Leaf("$(", ")")]
    assert bracketed(tree) == "(S (NP (-LRB- -LRB-) (NN a-LSB-b)) ($-LRB- -RRB-))"


def test_stripped_on_request() -> None:
    trees, problems = _brackets(PENN, strip_empty=True, strip_functions=True)
    assert problems == []
    assert [tree for _, tree in trees] == [
        "( (S (NP (DT The) (NN dog)) (VP (VBD was) (VP (VBN seen))) (. .)))",
        "( (S (NP (-LRB- -LRB-) (NN x)) (ADVP|PRT (RB up)) ($-LRB- -LRB-)))",
    ]


def test_words_without_brackets_of_their_own() -> None:
    trees, problems = _brackets("(S the (NN dog) runs)\n(NN dog)\n(\n S (NN\n  dog))")
    assert problems == []
    assert trees == [(1, "(S the (NN dog) runs)"), (2, "(NN dog)"), (3, "(S (NN dog))")]


@pytest.mark.parametrize(
    ("text", "trees", "problems"),
    [
        ("(S (NN a))\nx\n(S (NN b))", 2, [(2, "'x' outside brackets: expected a tree, as in (S (NP (DT the) (NN dog)))")]),
        ("(S (NN a)))", 1, [(1, "')' without '(': expected a tree, as in (S (NP (DT the) (NN dog)))")]),
        ("(S (NN a)\n(S (NN b))", 1, [(2, "a new tree begins before the bracket of line 1 is closed")]),
        ("(S (NN a)\n  (NN", 0, [(2, "2 brackets not closed at the end")]),
        ("(S ()\n (NN a))", 1, [(1, "'()' holds no word: expected a tag and a word, or a label and brackets")]),
        ("(S (NP) (NN a))", 1, [(1, "'(NP)' holds no word: expected a tag and a word, or a label and brackets")]),
        ("", 0, []),
    ],
)  # fmt: skip
def test_broken_bracketing(text: str, trees: int, problems: list[tuple[int, str]]) -> None:
    found, told = _brackets(text)
    assert len(found) == trees
    assert told == problems


def test_deep_trees() -> None:
    deep = "(X " * 5000 + "(N a)" + ")" * 5000
    ((_, tree),) = read_brackets(deep, _never)
    assert bracketed(tree) == deep
    assert list(tree.leaves()) == [Leaf("N", "a")]


def test_a_tree_of_a_single_word() -> None:
    assert bracketed(Constituent("S", (Leaf("UH", "no"),))) == "(S (UH no))"


def _never(line: int, message: str) -> None:
    raise AssertionError(f"{line}: {message}")


CONLLU = """\
# sent_id = a
# newpar
# text = Zum Haus
1-2\tZum\t_\t_\t_\t_\t_\t_\t_\t_
1\tZu\tzu\tADP\tAPPR\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\tART\tCase=Dat|PronType=Art\t3\tdet\t_\t_
3\tHaus\tHaus\tNOUN\tNN\t_\t0\troot\t0:root\tSpaceAfter=No|Note=x
3.1\tist\tsein\tAUX\t_\t_\t_\t_\t3:cop\t_

1\t_\t_\tSYM\t_\t_\t_\t_\t_\tSpaceAfter=No
2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_"""


def _conllu(text: str) -> tuple[list[ConlluSentence], list[tuple[int, str]]]:
    problems: list[tuple[int, str]] = []
    found = list(read_conllu(text, lambda line, message: problems.append((line, message))))
    return found, problems


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n"])
def test_conllu_with_its_quirks(end: str) -> None:
    text = CONLLU if end != "\r\n" else CONLLU.replace("\n", "\r\n")
    (first, second), problems = _conllu(text + end)
    assert problems == []
    assert (first.line, second.line) == (1, 10)
    assert first.comments[:2] == (("sent_id", "a"), ("newpar", ""))
    assert [(w.number, w.form, w.head, w.relation) for w in first.words] == [
        (1, "Zu", 3, "case"),
        (2, "dem", 3, "det"),
        (3, "Haus", 0, "root"),
    ]
    assert first.words[1].feats == (("Case", "Dat"), ("PronType", "Art"))
    assert (first.words[2].deps, first.words[2].misc) == ("0:root", "SpaceAfter=No|Note=x")
    assert first.text == "Zum Haus"
    assert (second.words[0].form, second.words[0].lemma, second.words[0].head) == ("_", "_", None)
    assert second.text == "_!"


ROW = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (ROW.replace("\t", " "), 1, "a row of 1 columns, expected 10 apart by tabs: ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC"),
        ("# x\n" + ROW.replace("0\troot", "2\tdep"), 2, "HEAD '2', expected 0 or the ID of another word (1 to 1)"),
        (ROW.replace("0\troot", "1\tdep"), 1, "HEAD '1', expected 0 or the ID of another word (1 to 1)"),
        (ROW.replace("0\troot", "x\tdep"), 1, "HEAD 'x', expected 0 or the ID of another word (1 to 1)"),
        (ROW + "\n" + ROW, 2, "ID 1, expected 2: words are numbered from 1 in each sentence"),
        ("one" + ROW[1:], 1, "'one' is no ID, expected a number, a range (1-2) or an empty node (8.1)"),
        (ROW.replace("_\t0", "Case\t0"), 1, "'Case' in FEATS, expected Name=Value"),
    ],
)  # fmt: skip
def test_broken_conllu(text: str, line: int, message: str) -> None:
    found, problems = _conllu(f"{text}\n\n{ROW}\n")
    assert problems == [(line, message)]
    assert len(found) == 1  # reading goes on
