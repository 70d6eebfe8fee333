"""What is proved of a leaf holds: items that were passed over change no finding."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from brute_random import grammar_of
from brute_words import write_words

from generator.cli.main import main
from generator.item_making import ItemMaker
from generator.loading import grammar_from_text
from generator.planning import Plan, plan, plan_flavours
from generator.proving import Proof, prove
from generator.realizing import STYLES, Style
from generator.sampling import Run
from generator.self_checks import Finding, SelfCheck

PARTS = 10
GRAMMARS = 150


def _findings(found: Plan, style: Style, proof: Proof | None) -> tuple[Finding, ...]:
    """The findings of a whole plan, without a look at what the proof covers."""
    maker = ItemMaker(found, style)
    check = SelfCheck(found.grammar.lexicon.realisation, style == "prose")
    made = []
    for template, index in Run(found, None, 0).shard():
        leaf = template.locate(index)[0]
        made.append(maker.item(template, index))
        if proof is not None and proof.covers(leaf):
            check.pass_over(1, len(made[-1].pairs) if leaf in proof.unequal else 0)
        else:
            check.add(made[-1])
    return check.findings(made.__getitem__)


def _compare(plans: Iterable[Plan], style: Style) -> tuple[int, int]:
    """How many items there are, and how many the proof covers."""
    items = covered = 0
    for found in plans:
        proof = prove(found, style, "[MASK]")
        text = found.grammar.source.text
        assert _findings(found, style, proof) == _findings(found, style, None), text
        leaves = [leaf for template in found.templates for leaf in template.leaves]
        items += sum(leaf.items for leaf in leaves)
        covered += sum(leaf.items for leaf in leaves if proof.covers(leaf))
    return items, covered


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_words(tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("part", range(PARTS))
def test_random_grammars(part: int, tiny: Path) -> None:
    items = covered = 0
    for number in range(part, GRAMMARS, PARTS):
        grammar = grammar_from_text(grammar_of(number).text, "made.grammar", tiny)
        found = _compare(plan_flavours(grammar).values(), STYLES[number // PARTS % 3])
        items, covered = items + found[0], covered + found[1]
    assert covered > items / 5, "so little is proved that nothing is tested"


NOUNS = 'slot N = noun "dog" | noun "cat" | noun "sheep"\n'


ALL = frozenset(STYLES)
NONE: frozenset[str] = frozenset()
POSSESSIVES = (
    'slot N = noun "dog" | noun "cat"\n'
    '+ the {N sg}{"\'s"} cat {"is" | *"are"} here .\n'
    '+ the dog\'s cat {"is" | *"am"} .\n'
)


@pytest.mark.parametrize(
    ("text", "proved"),
    [
        (NOUNS + '+ the {N $n | *N !$n} {auxiliary "be" pres $n} here .\ncross $n\n', ALL),
        (NOUNS + '+ the {N sg} {"is" | *"is not"} here .\n', ALL),
        # Repeated and doubled.
        (NOUNS + '+ the {N sg} {"is" | *"are"} here .\n+ the {N sg} {"is" | *"am"} here .\n', NONE),
        (NOUNS + '+ the {N sg} {"is" | *"are"} here .\n+ the {N sg} {"are" | *"am"} here .\n', NONE),
        (NOUNS + '+ the {"the" | "old"} {N sg} {"is" | *"are"} here .\n', NONE),
        ('slot N = "dog" | "old dog"\n+ the {N} {"is" | *"are"} here .\n+ the old dog {"is" | *"am"} here .\n', NONE),
        # Of unequal length, some.
        (
            "table Go: good     | bad\n          up       | off\n          right up | out\n"
            "+ it goes {Go good | *Go bad} now .\n",
            NONE,
        ),
        # Articles, what is glued, clitics, contractions, fusions, variants.
        ('slot N = noun "apple" | noun "dog"\n+ it {"is" | *"are"} a {N sg} .\n+ it {"is" | *"am"} an dog .\n', NONE),
        ('slot N = noun "apple" | noun "dog"\n+ it {"is" | *"are"} a {N sg} .\n', ALL),
        ('+ the dog{"s"} {"are" | *"is"} here .\n+ the dogs {"are" | *"am"} here .\n', NONE),
        (NOUNS + '+ the {N sg}{"\'s"} cat {"is" | *"are"} here .\n', ALL),
        (POSSESSIVES, ALL),
        (POSSESSIVES.replace('"am"} .', '"am"} here .'), NONE),
        ('+ it {"will n\'t" | *"did n\'t"} be .\n+ it {"won\'t" | *"does n\'t"} be .\n', frozenset(("tokens", "ptb"))),
        ('+ it {"can not" | *"is not"} go .\n+ it {"cannot" | *"be not"} go .\n', frozenset(("tokens", "ptb"))),
        ('language de\n+ er kommt {"von dem" | *"von den"} Haus .\n+ er kommt {"vom" | *"von das"} Haus .\n', NONE),
        ('language cs\n+ je {"v" | *"k"} vodě .\n+ je {"ve" | *"ku"} vodě .\n', NONE),
    ],
)
@pytest.mark.parametrize("style", STYLES)
def test_grammars_that_tempt(text: str, proved: frozenset[str], style: Style) -> None:
    """`proved`: the styles in which every leaf is covered, which must be so where sentences differ, and not else."""
    items, covered = _compare([plan(grammar_from_text(text, "made.grammar"))], style)
    assert (covered == items) == (style in proved)


def test_a_long_run_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With and without proofs; the first pair of unequal length is made again for its sentences."""
    monkeypatch.chdir(tmp_path)
    Path("pets.grammar").write_text(
        NOUNS + '+ the {N sg} {"is" | *"are"} here .\n+ a {N sg} {"is" | *"is not"} here .\n', "utf-8"
    )
    manifests = []
    for long in (1, 100):
        monkeypatch.setattr("generator.making.LONG", long)
        assert main(["make", "pets.grammar", "--all", "-o", "out.jsonl"]) == 0
        manifests.append(json.loads(Path("out.jsonl.manifest.json").read_text("utf-8")))
        err = capsys.readouterr().err
        assert "3 pairs have members of unequal length in words, first in pets:2:1: a dog is here . / a dog" in err
    assert manifests[0] == manifests[1]
    found = plan(grammar_from_text(Path("pets.grammar").read_text("utf-8"), "pets.grammar"))
    proof = prove(found, "tokens", "[MASK]")
    assert (len(proof.clear), len(proof.unequal)) == (1, 1)
