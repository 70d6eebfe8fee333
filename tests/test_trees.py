"""Trees of generated sentences: whole, rooted, without cycles, and what the grammar says."""

from __future__ import annotations

from pathlib import Path

import nltk
import pytest
from shipped import forced_plan

from generator.bracketing import bracketed, read_brackets
from generator.cli.common import shipped_grammars
from generator.conllu import conllu_lines, read_conllu
from generator.errors import UsageError
from generator.item_making import items
from generator.items import Item
from generator.loading import grammar_from_text
from generator.planning import Plan, plan
from generator.trees import Constituent, Leaf, SentenceTree
from generator.writers import conllu, penn
from generator.writers.base import FormatError

PHRASES = """\
paradigm pets
import en/lib/basics
slot Person = noun "girl"
slot Thing = noun "book"
slot Other = noun "boy"
phrase NP $n: {determiner "the" $n} {head=Person $n}
phrase PP: near the {Other sg}
phrase VP $n: {head=auxiliary "be" pres $n} {verb "read" ing} a {Thing sg}
template plain:
  + {subj=NP $n | *subj !$n} {PP} {VP $n} .
cross $n
"""


def _no_problem(line: int, message: str) -> None:
    raise AssertionError(f"{line}: {message}")


def _made(text: str, count: int | None = None, style: str = "ptb", flavour: str = "forced") -> list[Item]:
    found = plan(grammar_from_text(text), flavour)  # type: ignore[arg-type]
    return list(items(found, count, style=style, trees=True))  # type: ignore[arg-type]


def _tree(text: str) -> SentenceTree:
    tree = _made(text)[0].conditions[0].sentence.tree
    assert tree is not None
    return tree


def _tags(text: str) -> list[str]:
    return [f"{token.text}/{token.tag}" for token in _tree(text).tokens]


def _heads(tree: SentenceTree) -> list[tuple[str, str, str]]:
    return [
        (token.text, tree.tokens[head].text if head >= 0 else "", relation)
        for token, head, relation in zip(tree.tokens, tree.heads, tree.relations, strict=True)
    ]


def test_phrases_are_the_nonterminals() -> None:
    made = _made(PHRASES)
    assert penn.FORMAT.lines is not None
    assert penn.FORMAT.lines(made[0]) == [
        "(S (NP (DT The) (NN girl)) (PP (IN near) (DT the) (NN boy)) "
        "(VP (VBZ is) (VBG reading) (DT a) (NN book)) (. .))",
        "(S (NP (DT The) (NNS girls)) (PP (IN near) (DT the) (NN boy)) "
        "(VP (VBZ is) (VBG reading) (DT a) (NN book)) (. .))",
    ]


def test_heads_give_the_dependencies() -> None:
    assert _heads(_tree(PHRASES)) == [
        ("The", "girl", "det"),
        ("girl", "is", "dep"),
        ("near", "boy", "dep"),
        ("the", "boy", "det"),
        ("boy", "is", "dep"),
        ("is", "", "root"),
        ("reading", "is", "dep"),
        ("a", "is", "det"),
        ("book", "is", "dep"),
        (".", "is", "punct"),
    ]


def test_conllu_lines() -> None:
    made = _made(PHRASES)
    assert conllu.FORMAT.lines is not None
    lines = conllu.FORMAT.lines(made[0])
    assert lines[:7] == [
        "# sent_id = pets:plain:1.acceptable",
        "# text = The girl near the boy is reading a book.",
        "# acceptable = yes",
        "# paradigm = pets",
        "# template = plain",
        "1\tThe\tthe\tDET\tDT\tDefinite=Def|PronType=Art\t2\tdet\t_\t_",
        "2\tgirl\tgirl\tNOUN\tNN\tNumber=Sing\t6\tdep\t_\t_",
    ]
    assert lines[10] == ("6\tis\tbe\tAUX\tVBZ\tMood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin\t0\troot\t_\t_")
    assert lines[13:16] == [
        "9\tbook\tbook\tNOUN\tNN\tNumber=Sing\t6\tdep\t_\tSpaceAfter=No",
        "10\t.\t.\tPUNCT\t.\t_\t6\tpunct\t_\t_",
        "",
    ]
    assert lines[18] == "# acceptable = no"


def test_the_head_of_the_sentence_may_be_named() -> None:
    text = 'language en\n+ the dogs that {verb "see" past} me {head=auxiliary "be" pres pl | *head sg} here .\n'
    assert _heads(_tree(text))[5] == ("are", "", "root")
    assert _heads(_tree(text.replace("head", "x")))[3] == ("saw", "", "root")


def test_a_phrase_that_shows_nothing_is_left_out() -> None:
    text = """\
paradigm empty
language en
slot Adj = adjective "small"
phrase Mod: {""} | {Adj}
phrase NP $n: {noun "dog" $n}
+ the {Mod} {NP $n | *NP !$n} {auxiliary "be" pres $n} here .
cross $n
"""
    trees = {bracketed(item.good.sentence.tree.root) for item in _made(text) if item.good.sentence.tree}
    assert "(S (DT The) (NP (NN dog)) (VBZ is) (RB here) (. .))" in trees
    assert "(S (DT The) (Mod (JJ small)) (NP (NN dog)) (VBZ is) (RB here) (. .))" in trees


CELLS = """
language en
phrase NP $n: {determiner "the" $n} {noun "dog" $n}
table Tail: name | one sg  | one pl
            here | is here | are here
+ {NP $n} {Tail one $n | *Tail one !$n} .
cross $n
"""


def test_what_a_cell_holds_is_the_sentences_own() -> None:
    (tree,) = [item.good.sentence.tree for item in _made(CELLS) if "dog is" in item.good.text]
    assert tree is not None
    assert bracketed(tree.root) == "(S (NP (DT The) (NN dog)) (VBZ is) (RB here) (. .))"
    # Of several mentions none of which is named `head`, the first word is the phrase's head.
    assert _heads(tree)[:3] == [("The", "is", "dep"), ("dog", "The", "dep"), ("is", "", "root")]


def test_regions_and_contrasts_are_no_phrases() -> None:
    text = 'language en\n+ [subject: the {noun "dog" $n | *noun !$n}] {auxiliary "be" pres $n} here .\ncross $n\n'
    text = text.replace('{noun "dog" $n | *noun !$n}', '{x=noun "dog" $n | *x !$n}')
    assert bracketed(_tree(text).root) == "(S (DT The) (NN dog) (VBZ is) (RB here) (. .))"


def test_penn_tokens() -> None:
    do = '{auxiliary "do" pres sg person=3 | *auxiliary "do" pres pl}'
    text = f"language en\n+ the dog 's friend {do} n't see ( a owl ) .\n"
    tree = _tree(text)
    assert bracketed(tree.root) == (
        "(S (DT The) (NN dog) (POS 's) (NN friend) (VBZ does) (RB n't) (VB see) "
        "(-LRB- -LRB-) (DT an) (NN owl) (-RRB- -RRB-) (. .))"
    )
    assert tree.text == "The dog's friend doesn't see (an owl)."
    assert [token.form for token in tree.tokens][-4:-1] == ["an", "owl", ")"]
    assert [token.lemma for token in tree.tokens][5:10] == ["not", "see", "(", "a", "owl"]


def test_words_written_together_are_one() -> None:
    text = 'language en\n+ a {"un"}{x=adjective "happy" | *x comparative} dog is here .\n'
    tree = _tree(text)
    assert bracketed(tree.root) == "(S (DT An) (JJ unhappy) (NN dog) (VBZ is) (RB here) (. .))"


def test_open_items_have_trees_too() -> None:
    text = """
paradigm tiny
language en
slot Be = auxiliary "be" pres
+ the {x=noun "dog" $n | *x !$n} {Be $n} here .
cross $n
target Be
answer right = Be $n
"""
    tree = _made(text, flavour="open")[0].conditions[0].sentence.tree
    assert tree is not None
    assert bracketed(tree.root) == "(S (DT The) (NN dog) (XX -LSB-MASK-RSB-) (RB here) (. .))"


def test_without_being_asked_there_are_none() -> None:
    found = plan(grammar_from_text(PHRASES))
    item = next(items(found))
    assert item.good.sentence.tree is None
    assert conllu.FORMAT.lines is not None
    with pytest.raises(FormatError, match="this sentence has none"):
        conllu.FORMAT.lines(item)


# --- all shipped grammars -------------------------------------------------------------------------------------------


def _sample(found: Plan, style: str) -> list[Item]:
    try:
        return list(items(found, 10, style=style, trees=True))  # type: ignore[arg-type]
    except UsageError:  # there are fewer
        return list(items(found, style=style, trees=True))  # type: ignore[arg-type]


def _depth(heads: tuple[int, ...], token: int) -> int:
    """Steps to the root; more than there are tokens in a cycle."""
    steps = 0
    while heads[token] >= 0 and steps <= len(heads):
        token, steps = heads[token], steps + 1
    return steps


def _is_projective(heads: tuple[int, ...]) -> bool:
    arcs = [(min(a, b), max(a, b)) for a, b in enumerate(heads) if b >= 0]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def _in_nltk(tree: nltk.Tree | str) -> tuple[object, ...] | str:
    return tree if isinstance(tree, str) else (tree.label(), *(_in_nltk(child) for child in tree))


def _as_read(tree: Constituent | Leaf) -> tuple[object, ...]:
    if isinstance(tree, Leaf):
        return (tree.tag, tree.word)
    return (tree.label, *(_as_read(child) for child in tree.children))


@pytest.mark.parametrize("path", shipped_grammars(), ids=lambda p: p.stem)
def test_every_shipped_sentence_has_a_sound_tree(path: Path) -> None:
    """The bracketing is read by NLTK as an oracle.

    Oracles of CoNLL-U, run on up to 60 items of each grammar (5,818 sentences): `udvalidate --level 3 --lang en FILE`
    (udtools 0.2.9; de and cs too) passes, with a warning for each modal that has no Mood; `conllu.parse` (conllu 6.0.0)
    and `pyconll` 3.3.1 read the same number of sentences, and `TokenList.to_tree` finds one root in each.
    """
    found = forced_plan(path)
    prose = {item.id: item for item in _sample(found, "prose")}
    language = found.grammar.lexicon.language
    for item in _sample(found, "ptb"):
        for condition, printed in zip(item.conditions, prose[item.id].conditions, strict=True):
            tree = condition.sentence.tree
            assert tree is not None
            assert tree.text == printed.text
            assert [token.text for token in tree.tokens] == list(condition.sentence.tokens)
            assert [(t.tag, t.text) for t in tree.tokens] == [(leaf.tag, leaf.word) for leaf in tree.root.leaves()]
            # One root, no cycles, no crossing arcs; punctuation carries nothing.
            assert tree.heads.count(-1) == tree.relations.count("root") == 1
            assert all(_depth(tree.heads, token) <= len(tree.heads) for token in range(len(tree.heads)))
            assert _is_projective(tree.heads)
            upos = [token.upos for token in tree.tokens]
            assert all(head < 0 or upos[head] != "PUNCT" for head in tree.heads)
            assert all((upos[n] == "PUNCT") == (relation == "punct") for n, relation in enumerate(tree.relations))
            assert "X" not in upos, tree.text
            assert language != "cs" or all(len(token.tag) == 15 for token in tree.tokens)
            # Read back.
            line = bracketed(tree.root)
            assert list(read_brackets(line, _no_problem)) == [(1, tree.root)]
            if "(" not in {token.text for token in tree.tokens}:
                assert _in_nltk(nltk.Tree.fromstring(line)) == _as_read(tree.root)
            (read,) = read_conllu("\n".join(conllu_lines(tree)), _no_problem)
            assert read.text == tree.text
            assert [(w.form, w.lemma, w.upos, w.xpos, w.feats, w.head, w.relation) for w in read.words] == [
                (t.form, t.lemma, t.upos, t.tag, t.feats, head + 1, relation)
                for t, head, relation in zip(tree.tokens, tree.heads, tree.relations, strict=True)
            ]


def test_trees_change_nothing_else() -> None:
    found = plan(grammar_from_text(PHRASES))
    for plain, treed in zip(items(found, style="ptb"), items(found, style="ptb", trees=True), strict=True):
        for one, two in zip(plain.conditions, treed.conditions, strict=True):
            assert (one.text, one.sentence.tokens, one.sentence.regions) == (
                two.text,
                two.sentence.tokens,
                two.sentence.regions,
            )
