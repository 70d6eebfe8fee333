"""Counts and numbers against an independent brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from brute_force import Derivation, Enumerator
from brute_strategies import masked, one_line, several_lines
from brute_tiny import BARE, Arm, Brace, Class, Mention, Phrase, Source, Table, Test, Tiny, slot, write_words
from hypothesis import HealthCheck, assume, given, settings

from generator.errors import GrammarError
from generator.item_making import ItemMaker, items
from generator.items import Item
from generator.loading import grammar_from_text
from generator.planning import Flavour, Plan, plan


def often(times: int) -> settings:
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    return settings(deadline=None, derandomize=True, max_examples=times, suppress_health_check=checks)


MOST_ITEMS = 3_000


@pytest.fixture(scope="session")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_words(tmp_path_factory.mktemp("words"))


def planned(text: str, words: Path, flavour: Flavour = "forced") -> Plan:
    try:
        return plan(grammar_from_text(text, words=words), flavour)
    except GrammarError as error:
        # `{Det pl}` of a class whose only word is 'a': an error by design.
        assume({finding.code for finding in error.diagnostics} != {"empty-class"})
        raise


# --- what must hold ---------------------------------------------------------------------------------------------------


def stars_of(item: Item) -> list[str]:
    return [c.text for c in item.conditions if not c.acceptable]


def lemmas_of(item: Item) -> tuple[str, ...]:
    return tuple(sorted(b.lemma for b in item.bindings))


def shown_features(found: Sequence[Item]) -> dict[str, tuple[str, ...]]:
    """The features by which each crossed value is shown (`sg.masc`: number and gender)."""
    if not found:
        return {}
    return {name: tuple(BARE[part] for part in value.split("/")[0].split(".")) for name, value in found[0].crossed}


def crossed_of(item: Derivation, features: dict[str, tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, ".".join(item.variables[f"${name}"][f] for f in used)) for name, used in features.items())


def check_forced(grammar: Tiny, words: Path) -> list[Item]:
    """Everything that the forced-choice flavour promises, against the brute force."""
    text = grammar.text
    wanted = Enumerator(grammar).items()
    found_plan = planned(text, words)
    assert found_plan.items == len(wanted), text
    assert found_plan.versions == sum(len(item.stars) for item in wanted), text
    found = list(items(found_plan))
    assert len(found) == found_plan.items
    assert len({item.id for item in found}) == len(found)
    for item in found:
        assert item.good.text not in stars_of(item), (text, item)
        assert len(set(stars_of(item))) == len(stars_of(item)) > 0, (text, item)
        assert len(item.pairs) == len(stars_of(item))
    features = shown_features(found)
    assert Counter((i.crossed, i.good.text, tuple(stars_of(i)), lemmas_of(i)) for i in found) == Counter(
        (crossed_of(i, features), i.text, tuple(i.stars), tuple(sorted(d.word.lemma for d in i.draws.values())))
        for i in wanted
    ), text
    return found


def check_open(grammar: Tiny, words: Path) -> list[Item]:
    """Everything that the open-ended flavour promises, against the brute force."""
    text = grammar.text
    wanted: dict[str, list[Derivation]] = {}
    for derivation in Enumerator(grammar).acceptable():
        wanted.setdefault(derivation.masked, []).append(derivation)
    found_plan = planned(text, words, "open")
    found = list(items(found_plan))
    read = [item.good.text for item in found]
    assert not [sentence for sentence, times in Counter(read).items() if times > 1], text
    assert set(read) == set(wanted), text
    assert found_plan.items == found_plan.versions == len(wanted), text
    features = shown_features(found)
    for item in found:
        values: dict[str, set[str]] = {}
        for derivation in wanted[item.good.text]:
            for name, value in crossed_of(derivation, features):
                values.setdefault(name, set()).add(value)
        assert {name: set(value.split("/")) for name, value in item.crossed} == values, (text, item)
    return found


# --- random grammars --------------------------------------------------------------------------------------------------


@often(150)
@given(grammar=one_line())
def test_random_grammars(grammar: Tiny, words: Path) -> None:
    check_forced(grammar, words)


@often(100)
@given(grammar=several_lines())
def test_random_grammars_of_several_lines(grammar: Tiny, words: Path) -> None:
    check_forced(grammar, words)


@often(150)
@given(grammar=masked())
def test_random_open_ended_grammars(grammar: Tiny, words: Path) -> None:
    check_open(grammar, words)


# --- written by hand --------------------------------------------------------------------------------------------------


def some(kind: str, *lemmas: str, features: tuple[str, ...] = ()) -> tuple[Source, ...]:
    return tuple(Source(kind, lemma, features) for lemma in lemmas)


def broken(name: str, variable: str, label: str = "", part: str = "") -> Brace:
    star = Mention(label or name, (f"!{variable}{part}",))
    return Brace((Arm(Mention(name, (variable,), label)), Arm(star, star=True)))


def quoted(*texts: str) -> Brace:
    """`*` before a text stars it."""
    return Brace(tuple(Arm((text.removeprefix("*"),), star=text.startswith("*")) for text in texts))


NOUN = Class("Noun", some("noun", "dog", "cat", "sheep", "fish", "axe", "axis", "deer"))
FEW = Class("Few", some("noun", "dog", "sheep", "king"))
GENDERED = Class("Gendered", some("noun", "king", "queen", "deer"))
BE = Class("Be", some("auxiliary", "be", features=("pres",)))
AUX = Class("Aux", some("auxiliary", "be", "have", "can"))
ADJ = Class("Adj", some("adjective", "bon", "gris", "large", "brun"))
PART = Class("Part", some("particle", "on", "by", "up"))
BOTH = Class("Both", some("auxiliary", "be", features=("pres",)) + some("auxiliary", "be", features=("past",)))

WRITTEN: dict[str, Tiny] = {
    "syncretic subject": Tiny((NOUN, BE), (("the", broken("Noun", "$n", "subj"), slot("Be", "$n"), "."),)),
    "syncretic verb": Tiny((NOUN, AUX), (("the", slot("Noun", "$n"), broken("Aux", "$n"), "."),), cross=("$n",)),
    "across": Tiny(
        (NOUN, FEW, BOTH, PART),
        (("the", broken("Noun", "$n", "x"), slot("Part"), slot("Few", "$m"), slot("Both", "$n"), "."),),
        cross=("$n", "$m"),
    ),
    "two sites": Tiny(
        (NOUN, BE), ((broken("Noun", "$n"), broken("Be", "$n"), quoted("x", "*y"), "."),), cross=("$n",)
    ),
    "first feature that shows": Tiny((GENDERED, ADJ), ((slot("Gendered", "$n"), broken("Adj", "$n"), "."),)),
    "every wrong form": Tiny((GENDERED, ADJ), ((slot("Gendered", "$n"), broken("Adj", "$n", part=".all"), "."),)),
    "one named feature": Tiny((GENDERED, ADJ), ((slot("Gendered", "$n"), broken("Adj", "$n", part=".gender"), "."),)),
    "gender alone": Tiny((FEW, ADJ), ((slot("Few", "$n"), broken("Adj", "$n"), slot("Adj", "$n"), "."),)),
    "distractor": Tiny((FEW, BE), (("the", slot("Few", "$n"), slot("Few", "!$n"), broken("Be", "$n"), "."),)),
    "repeat": Tiny(
        (NOUN, FEW),
        ((slot("Noun", label="x"), slot("Few", label="y"), slot("Noun", label="z"), quoted("a", "*b")),),
        repeat=(("x", "y"),),
    ),
    "distinct": Tiny(
        (PART,), ((slot("Part", label="x"), slot("Part", label="y"), quoted("a", "*b", "*c")),), distinct=(("x", "y"),)
    ),
    "where": Tiny(
        (NOUN, FEW, PART),
        ((slot("Noun", label="x"), slot("Part", label="p"), slot("Few", label="y"), quoted("a", "*b")),),
        where=(
            Test("=", (("x", "shape"), ("p", "shape"))),
            Test("or", (Test("=", (("x", "number"), ("y", "number"))), Test("=", (("y", "heat"), "warm")))),
        ),
    ),
    "where and false stars": Tiny(
        (FEW, BE),
        ((slot("Few", "$n", label="x"), slot("Few", "$m", label="y"), broken("Be", "$n"), "."),),
        where=(Test("=", (("x", "number"), ("y", "number"))),),
        cross=("$n", "$m"),
    ),
    "phrase": Tiny(
        (NOUN, FEW, BE),
        ((slot("NP", "$n"), broken("Be", "$n"), "."),),
        phrases=(
            Phrase("NP", "$p", (("the", slot("Few", "$p")), ("some", slot("Noun", "$p"), "by", slot("Few"))), (2, 1)),
        ),
    ),
    "broken phrase": Tiny(
        (FEW, BE),
        ((Brace((Arm(Mention("NP", ("$n",), "s")), Arm(Mention("s", ("!$n",)), star=True))), slot("Be", "$n"), "."),),
        phrases=(Phrase("NP", "$p", (("the", slot("Few", "$p")), ("a", slot("Few", "$p"), slot("Few", "$p")))),),
    ),
    "a class twice in a broken phrase": Tiny(
        (Class("Two", some("noun", "dog", "cat")), BE),
        ((Brace((Arm(Mention("NP", ("$n",), "s")), Arm(Mention("s", ("!$n",)), star=True))), slot("Be", "$n"), "."),),
        phrases=(Phrase("NP", "$p", (("the", slot("Two", "$p"), "by", slot("Two", "$p")),)),),
    ),
    "text table": Tiny(
        (NOUN,),
        ((slot("Noun", "$n"), broken("Table", "$n"), "."),),
        tables=(
            Table("Table", ("sg", "pl"), ((("is",), ("are",)), (("does", "so"), ("do", "so")), (("did",), ("did",)))),
        ),
    ),
    "table with slots": Tiny(
        (FEW, BE, PART),
        ((slot("Table", "rest"), slot("Few", "$n"), broken("Be", "$n"), "."),),
        tables=(
            Table("Table", ("name", "rest"), ((("one",), ("near", slot("Few"))), (("two",), (slot("Part"), "it")))),
        ),
    ),
    "weighted choices": Tiny(
        (FEW, BE),
        (
            (
                Brace((Arm(("so",), weight=2), Arm(("very", quoted("much", "far"))))),
                slot("Few", "$n"),
                broken("Be", "$n"),
            ),
        ),
    ),
    "several stars": Tiny((FEW,), (("the", slot("Few"), quoted("is", "*are", "*be"), "."),)),
    "two lines": Tiny(
        (FEW, BE),
        (
            (slot("Few", "$n", label="x"), slot("Be", "$n", label="v"), quoted("so", "very"), "."),
            (slot("v"), slot("x"), quoted("so", "very"), "."),
        ),
    ),
    # What follows once gave wrong items.
    "a starred word that is drawn elsewhere": Tiny(
        (PART,), (("x", Brace((Arm(Mention("Part")), Arm(("on",), star=True))), "."),)
    ),
    "a starred word that is also right": Tiny((), (("x", quoted("on", "by", "*by"), "."),)),
    "a choice beside a contrast": Tiny((), ((quoted("is", "*be"), quoted("very", "quite"), "."),)),
    "a form beside a contrast": Tiny((ADJ,), ((slot("Adj", "sg"), quoted("is", "*be"), "."),)),
    "the same words swapped": Tiny(
        (PART,),
        ((slot("Part", label="x"), slot("Part", label="y"), "."), (slot("y"), slot("x"), ".")),
    ),
    "the same forms swapped": Tiny(
        (NOUN,), ((slot("Noun", label="x"), slot("Noun", label="y"), "."), (slot("y"), slot("x"), "."))
    ),
    "stars that differ in a form": Tiny(
        (FEW,),
        (
            (slot("Few", "sg", label="x"), "is", "."),
            (slot("x", "sg"), "is", "not", "."),
            (slot("x", "pl"), "is", "not", "."),
        ),
    ),
    "open, closed and quoted words in one class": Tiny(
        (Class("Mixed", (Source("noun", "dog"), Source("particle", "on"), Source("", "stuff"))),),
        ((slot("Mixed"), slot("Mixed"), quoted("is", "*be"), "."),),
    ),
    "distinct quoted words": Tiny(
        (Class("One", some("", "on", "by")), Class("Two", some("", "on", "up"))),
        ((slot("One"), slot("Two"), quoted("is", "*be"), "."),),
        distinct=(("One", "Two"),),
    ),
    "a feature of the bundle written out": Tiny(
        (ADJ,), ((slot("Adj", "fem", "$n"), slot("Adj", "masc", "$n"), quoted("is", "*be"), "."),), cross=("$n",)
    ),
    "a distractor of another gender": Tiny(
        (
            Class("Le", (Source("", "le", ("masc",)), Source("", "la", ("fem",)))),
            Class("Un", (Source("", "un", ("masc",)), Source("", "une", ("fem",)))),
        ),
        ((slot("Le", "$n"), slot("Un", "!$n"), quoted("is", "*be"), "."),),
    ),
}  # fmt: skip

OPEN: dict[str, Tiny] = {
    "syncretic subject": Tiny(
        (NOUN, BE), (("the", slot("Noun", "$n"), slot("Be", "$n"), "."),), cross=("$n",), target="Be"
    ),
    "across": Tiny(
        (NOUN, FEW, BE, PART),
        ((slot("Noun", "$n"), slot("Part"), slot("Few", "$m"), slot("Be", "$n"), "."),),
        cross=("$n", "$m"), target="Be",
    ),
    "gender": Tiny((GENDERED, ADJ), ((slot("Gendered", "$n"), slot("Adj", "$n"), "."),), cross=("$n",), target="Adj"),
    "the contrast by default": Tiny((NOUN, BE), ((slot("Noun", "$n"), broken("Be", "$n"), "."),), cross=("$n",)),
    "phrase": Tiny(
        (NOUN, FEW, BE), ((slot("NP", "$n"), slot("Be", "$n"), "."),), cross=("$n",), target="Be",
        phrases=(Phrase("NP", "$p", (("the", slot("Few", "$p")), ("some", slot("Noun", "$p"), "by", slot("Few")))),),
    ),
    "where": Tiny(
        (NOUN, FEW, BE), ((slot("Noun", "$n", label="x"), slot("Few", label="y"), slot("Be", "$n")),), target="Be",
        where=(Test("=", (("x", "shape"), ("y", "shape"))),),
    ),
    "number across": Tiny(
        (FEW, BE), ((slot("Few", "$n", label="x"), slot("Few", "$m", label="y"), slot("Be", "$n")),), target="Be",
        where=(Test("=", (("x", "number"), ("y", "number"))),), cross=("$n", "$m"),
    ),
    # What follows once gave wrong items.
    "a masked word that must differ": Tiny(
        (Class("One", some("noun", "dog")), FEW), ((slot("Few", "sg"), slot("One", "sg"), "."),), target="One"
    ),
    "a masked word under two conditions": Tiny(
        (NOUN, Class("Two", some("noun", "sheep", "queen"))), ((slot("Noun", label="x"), slot("Two", label="y"), "."),),
        where=(Test("=", (("x", "shape"), ("y", "shape"))), Test("=", (("x", "heat"), ("y", "heat")))), target="y",
    ),
    "conditions that never hold for one value": Tiny(
        (Class("One", some("noun", "cat")), Class("Two", some("noun", "dog")), NOUN, BE),
        ((slot("One", label="x"), slot("Two", label="y"), slot("Noun", "$n"), slot("Be", "$n"), "."),),
        where=(Test("=", (("x", "shape"), ("y", "shape"))),), target="Be",
    ),
    "two lexemes of one form": Tiny(
        (Class("Axes", some("noun", "axe", "axis")), Class("Two", some("noun", "sheep", "cat")), BE),
        ((slot("Axes", "pl", label="x"), slot("Two", "pl", label="y"), slot("Be", "pl"), "."),),
        where=(Test("=", (("x", "shape"), ("y", "shape"))),), target="Be",
    ),
    "two lexemes of one form twice": Tiny(
        (Class("Axes", some("noun", "axe", "axis")), BE),
        ((slot("Axes", "pl", label="x"), slot("Axes", "pl", label="y"), slot("Be", "pl"), "."),), target="Be",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_written_grammars(name: str, words: Path) -> None:
    check_forced(WRITTEN[name], words)


@pytest.mark.parametrize("name", OPEN)
def test_written_open_ended_grammars(name: str, words: Path) -> None:
    check_open(OPEN[name], words)


# --- enumerated without the helper ------------------------------------------------------------------------------------


def test_the_sheep_is_no_item(words: Path) -> None:
    text = """\
slot Noun = noun "dog" | noun "sheep"
slot Be = auxiliary "be" pres
+ the {subj=Noun $n | *subj !$n} {Be $n} .
cross $n
"""
    found = list(items(planned(text, words)))
    assert [(i.crossed, [c.text for c in i.conditions]) for i in found] == [
        ((("n", "sg"),), ["the dog is .", "the dogs is ."]),
        ((("n", "pl"),), ["the dogs are .", "the dog are ."]),
    ]


def test_what_fits_both_values_is_one_open_item(words: Path) -> None:
    text = """\
slot Noun = noun "dog" | noun "sheep"
slot Be = auxiliary "be" pres
+ the {Noun $n} {Be $n} .
cross $n
target Be
"""
    found = list(items(planned(text, words, "open")))
    assert sorted((i.good.text, i.crossed) for i in found) == [
        ("the dog [MASK] .", (("n", "sg"),)),
        ("the dogs [MASK] .", (("n", "pl"),)),
        ("the sheep [MASK] .", (("n", "sg/pl"),)),
    ]
    assert planned(text, words, "open").items == 3


def test_falling_factorials(words: Path) -> None:
    """Five different nouns of overlapping classes, counted by hand."""
    text = """\
slot Abc = noun "dog" | noun "cat" | noun "axe"
slot Bcd = noun "cat" | noun "axe" | noun "king"
+ {Abc sg} {Abc sg} {Bcd sg} {"is" | *"be"} .
"""
    lemmas = [("dog", "cat", "axe"), ("dog", "cat", "axe"), ("cat", "axe", "king")]
    wanted = {(a, b, c) for a in lemmas[0] for b in lemmas[1] for c in lemmas[2] if len({a, b, c}) == 3}
    found = list(items(planned(text, words)))
    assert sorted(tuple(i.good.text.split()[:3]) for i in found) == sorted(wanted)


def test_each_number_is_one_item(words: Path) -> None:
    found_plan = planned(WRITTEN["across"].text, words)
    maker = ItemMaker(found_plan)
    seen = set()
    for template in found_plan.templates:
        for index in range(template.items):
            item = maker.item(template, index)
            assert item.number == index + 1
            seen.add((item.crossed, *(c.text for c in item.conditions), lemmas_of(item)))
    assert len(seen) == found_plan.items


def test_a_later_mention_keeps_what_it_does_not_change(words: Path) -> None:
    found = planned('slot A = adjective "bon"\n+ {x=A sg fem} {x pl} {"is" | *"be"} .\n', words)
    assert [item.good.text for item in items(found)] == ["bonne bonnes is ."]
