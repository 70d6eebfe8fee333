"""The whole language on the shipped word lists: what each construct generates, counts and balances."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from generator import counting
from generator.cli.main import main
from generator.errors import UsageError
from generator.item_making import items
from generator.items import Item
from generator.loading import grammar_from_text, load_grammar
from generator.planning import Flavour, Plan, filter_lines, plan
from generator.realizing import Realizer, Stretch, Token
from generator.sampling import Run
from generator.strata import Decision
from generator.wordlists import load_lexicon
from generator.writers.jsonl import item_record


def planned(text: str, flavour: Flavour = "forced") -> Plan:
    return plan(grammar_from_text(text), flavour)


def said(item: Item) -> str:
    return " / ".join(("" if c.acceptable else "* ") + c.text for c in item.conditions)


# --- government -------------------------------------------------------------------------------------------------------

INFLECTION = """
slot Noun = noun "dog" | noun "sheep"
slot Infl = auxiliary "have" pres | auxiliary "be" past | auxiliary "do" pres | "" takes=pres | "" takes=past
slot Verb = verb "leave" | verb "put" -particle
+ the {Noun $n} {Infl $n | *Infl !$n} {Verb after Infl} .
"""


def test_one_contrast_inflects_the_auxiliary_or_the_verb() -> None:
    found = {said(item) for item in items(planned(INFLECTION))}
    assert "the dog has left . / * the dog have left ." in found
    assert "the dog  leaves ." not in found
    assert "the dog leaves . / * the dog leave ." in found
    assert "the dogs leave . / * the dogs leaves ." in found
    assert "the dog was leaving . / * the dog were leaving ." in found
    assert "the dogs do leave . / * the dogs does leave ." in found
    # The past shows no agreement, *was* is never paired with *are*, and no sheep is starred.
    assert not any("the dog left ." in pair or "sheep" in pair for pair in found)
    assert not any(" was " in pair and " are " in pair for pair in found)
    # *the dog put* is the past: never a starred present.
    assert not any("* the dog put ." in pair for pair in found)
    assert any("the dogs put . / * the dogs puts ." in pair for pair in found)


def test_a_preposition_decides_one_case_for_its_noun_phrase() -> None:
    text = """
language de
slot Prep = preposition "in"
+ das ist {Prep} {determiner "dieser" $n after Prep} {noun "Garten" $n after Prep} {"." | *"!"}
cross $n
"""
    found = {item.good.text for item in items(planned(text))}
    assert found == {
        "das ist in diesem Garten .",
        "das ist in diesen Garten .",
        "das ist in diesen Gärten .",
        "das ist in diese Gärten .",
    }


# --- recursion and sampling -------------------------------------------------------------------------------------------

DEEP = """
slot Noun = noun countable concrete -number_ambiguous
slot Det  = determiner "the" | determiner "this"
slot Prep = "near" | "behind" | "by"
slot Verb = verb intransitive -transitive -particle -prep
phrase NP $n depth 2:
  {Det $n} {head=Noun $n} | {head=name $n} @2 | {head=NP $n} {Prep} {NP}
+ {subj=NP $n} {Verb pres $n | *Verb pres !$n} .
"""


# The same with few words, for what does not depend on how many there are.
FEWER = DEEP.replace(
    "noun countable concrete -number_ambiguous", 'noun "cat" | noun "dog" | noun "table" | noun "box" | noun "tree"'
).replace("{head=name $n}", '{head=name "Laura" $n}')


def contexts(decisions: tuple[Decision, ...]) -> Iterator[tuple[tuple[Hashable, ...], Decision]]:
    earlier: tuple[Hashable, ...] = ()
    for decision in decisions:
        yield (*earlier, decision.key), decision
        earlier = (*earlier, (decision.key, decision.index))


def test_every_alternative_has_its_share_in_a_deep_phrase() -> None:
    found = planned(DEEP)
    nouns = next(draw for leaf in found.templates[0].leaves for draw in leaf.stratum.draws if draw.name == "head")
    assert len(nouns.members) >= 700
    size = 10_000
    # A choice point stands in a context: what was decided before it, which says which options have items.
    options: dict[Hashable, dict[int, int]] = defaultdict(dict)
    for leaf in found.templates[0].leaves:
        for context, decision in contexts(leaf.stratum.decisions):
            options[context][decision.index] = decision.weights[decision.index]
    expected: Counter[tuple[Hashable, int]] = Counter()
    taken: Counter[tuple[Hashable, int]] = Counter()
    reached: Counter[Hashable] = Counter()
    for template, index in Run(found, size, 7).shard():
        for context, decision in contexts(template.locate(index)[0].stratum.decisions):
            reached[context] += 1
            taken[decision.key, decision.index] += 1
    for context, count in reached.items():
        for option, weight in options[context].items():
            expected[context[-1], option] += count * weight / sum(options[context].values())
    for (key, option), count in expected.items():
        assert abs(taken[key, option] - count) <= size / 100, (key, option)
    assert len({key for key, _ in expected}) > 10


def test_a_greater_depth_appends() -> None:
    shallow = planned(DEEP.replace("depth 2", "depth 1")).templates[0]
    deep = planned(DEEP).templates[0]
    assert deep.items > shallow.items
    shapes = [[leaf.items for leaf in template.leaves] for template in (shallow, deep)]
    assert shapes[1][: len(shapes[0])] == shapes[0]
    assert [leaf.stratum.level for leaf in deep.leaves] == sorted(leaf.stratum.level for leaf in deep.leaves)


def test_weights_of_templates_and_crossed_values() -> None:
    text = """
slot N = noun "dog" | noun "cat" | noun "cow" | noun "horse" | noun "rabbit" | noun "boy" | noun "girl" | noun "king"
slot Be = auxiliary "be" pres
template often @3:
  + the {N $n} {Be $n | *Be !$n} here .
template seldom:
  + the {N $n} {Be $n | *Be !$n} there .
cross $n (sg @2, pl)
"""
    counts = Counter((item.template, dict(item.crossed)["n"]) for item in items(planned(text), 12))
    assert counts == {("often", "sg"): 6, ("often", "pl"): 3, ("seldom", "sg"): 2, ("seldom", "pl"): 1}
    with pytest.raises(UsageError, match="balanced"):
        Run(planned(text), 30, 0)


def test_uniform_items_are_equally_likely() -> None:
    text = """
slot One = noun "dog"
slot Many = noun human countable -number_ambiguous
template a:
  + the {One sg} {"is" | *"are"} .
template b:
  + the {Many sg} {"is" | *"are"} .
uniform
"""
    found = planned(text)
    sample = list(items(found, 300))
    assert len({item.id for item in sample}) == 300
    assert sum(item.template == "a" for item in sample) <= 1
    with pytest.raises(UsageError):
        Run(found, found.items + 1, 0)
    assert len(list(items(found, found.items))) == found.items


# --- selection, references, phrases -----------------------------------------------------------------------------------


def test_verbs_choose_their_arguments() -> None:
    text = """
slot V = verb "eat" | verb "drive"
slot S = noun "boy" | noun "stone"
slot O = noun "apple" | noun "car"
phrase VP: {head=V past} the {obj=O sg}
  where head(_, obj)
+ the {S sg} {VP} {"." | *"?"}
where VP(S)
"""
    found = {item.good.text for item in items(planned(text))}
    assert found == {"the boy ate the apple .", "the boy drove the car ."}


def test_references_compare_features_outside_the_bundle() -> None:
    text = """
slot Person = name "Anna" | name "Thomas"
slot Self = pronoun refl personal sg person=3
one star
+ {subj=Person} saw {Self gender=subj.gender | *Self gender=!subj.gender} .
"""
    found = {said(item) for item in items(planned(text))}
    assert {pair.split(" / ")[0] for pair in found} == {"Anna saw herself .", "Thomas saw himself ."}
    assert found == {
        "Anna saw herself . / * Anna saw himself .",
        "Anna saw herself . / * Anna saw itself .",
        "Thomas saw himself . / * Thomas saw herself .",
        "Thomas saw himself . / * Thomas saw itself .",
    }


def test_a_phrase_as_a_whole_and_its_head() -> None:
    text = """
slot N = noun "dog" | noun "cat"
slot Name = name "Anna"
slot Be = auxiliary "be" pres
slot V = verb "sleep" | verb "see"
phrase Pair pl: the {N sg} and {Name}
phrase VP: {head=V} | never {head=V}
+ {Pair $n} {Be $n | *Be !$n} {VP ing} .
"""
    pairs = [said(item) for item in items(planned(text))]
    assert "the dog and Anna are sleeping . / * the dog and Anna is sleeping ." in pairs
    assert all(" are " in pair.split(" / ")[0] for pair in pairs)
    assert any("never seeing" in pair for pair in pairs)


def test_a_value_given_to_a_phrase_is_its_variable() -> None:
    text = """
slot N = noun "dog" | noun "cat"
slot Det = determiner "this"
phrase NP $n: {Det $n} {N $n}
+ {NP sg} saw {other=NP pl} {"." | *"?"}
"""
    assert {item.good.text for item in items(planned(text))} == {
        "this dog saw these cats .",
        "this cat saw these dogs .",
    }


# --- versions ---------------------------------------------------------------------------------------------------------


def test_versions_product_and_one_star() -> None:
    text = """
slot N = noun "dog"
slot Be = auxiliary "be" pres
+ the {N $n} {v=Be $n | *v !$n} and {w=Be $n | *w !$n} .
versions product
cross $n
"""
    item, plural = items(planned(text))
    assert len(plural.pairs) == 3
    assert [c.text for c in item.conditions] == [
        "the dog is and is .",
        "the dog is and are .",
        "the dog are and is .",
        "the dog are and are .",
    ]
    chosen = set()
    for seed in range(12):
        single, _ = items(planned(text + "one star\n"), 2, seed)
        assert len(single.pairs) == 1
        chosen.add(single.pairs[0][2].text)
        assert single == next(items(planned(text + "one star\n"), 2, seed))
    assert len(chosen) == 3
    assert planned(text).versions == 6
    assert planned(text + "one star\n").versions == 2


# --- designs ----------------------------------------------------------------------------------------------------------

DESIGN = """
paradigm design
table Item: np sg | np pl | v sg | v pl | other sg | other pl
            the author | the authors | laughs | laugh | senator | senators
            the pilot | the pilots | sings | sing | guard | guards
factor match  = match | *mismatch
factor number = sing $n sg | plural $n pl
+ [np: {Item np $n}] near the {Item other !$n} [verb: {match: match Item v $n | mismatch Item v !$n}] .
expect agreement: (match,sing).verb < (mismatch,sing).verb and (match,plural).verb < (mismatch,plural).verb within 0.5
expect (match,sing).verb - (match,plural).verb = 0 or not (match,sing) > 2.5
"""


def test_a_design_is_all_its_conditions() -> None:
    found = planned(DESIGN)
    first, second = items(found)
    assert [(c.name, c.acceptable, c.text) for c in first.conditions] == [
        ("match_sing", True, "the author near the senators laughs ."),
        ("match_plural", True, "the authors near the senator laugh ."),
        ("mismatch_sing", False, "the author near the senators laugh ."),
        ("mismatch_plural", False, "the authors near the senator laughs ."),
    ]
    assert [(good.name, bad.name) for _, good, bad in second.pairs] == [
        ("match_sing", "mismatch_sing"),
        ("match_plural", "mismatch_plural"),
    ]
    record = item_record(first)
    schema = json.loads(files("generator").joinpath("item_schema.json").read_text("utf-8"))
    jsonschema.validate(record, schema)
    assert record["expectations"]["agreement"]["and"][1] == {
        "<": [
            {"condition": "match_plural", "region": "verb"},
            {"condition": "mismatch_plural", "region": "verb"},
        ],
        "within": 0.5,
    }
    assert record["expectations"]["expectation_2"] == {
        "or": [
            {
                "=": [
                    {
                        "-": [
                            {"condition": "match_sing", "region": "verb"},
                            {"condition": "match_plural", "region": "verb"},
                        ]
                    },
                    0.0,
                ]
            },
            {"not": {">": [{"condition": "match_sing"}, 2.5]}},
        ]
    }
    verb = next(r for r in record["conditions"][3]["regions"] if r["name"] == "verb")
    assert record["conditions"][3]["text"][verb["start"] : verb["end"]] == "laughs"


def test_a_design_without_words_that_show_it_has_no_items() -> None:
    text = DESIGN.replace("laughs | laugh", "hurt | hurt")
    found = planned(text)
    assert [item.conditions[0].text for item in items(found)] == ["the pilot near the guards sings ."]


# --- counting with filters --------------------------------------------------------------------------------------------


def test_over_the_budget_a_condition_is_a_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
slot A = noun "dog" | noun "nurse" | noun "team" | noun "crowd" | noun "car" | noun vehicle
slot B = noun "crew" | noun "doctor" | noun "cat" | noun "family" | noun "pilot" | noun "box" | noun "storm"
+ the {a=A sg} saw the {b=B sg} {"." | *"?"}
where a.human = b.human or a.movable = b.collective
"""
    exact = planned(text)
    wanted = {item.good.text for item in items(exact)}
    monkeypatch.setattr(counting, "MAX_STATES", 1)
    found = planned(text)
    assert found.items > exact.items
    assert any("a.human" in line and "(a, b)" in line for line in filter_lines(found))
    made = [item.good.text for item in items(found)]
    assert len(made) == len(set(made)) == exact.items
    assert set(made) == wanted
    sample = list(items(found, 100, 3))
    assert 0 < len(sample) < 100
    assert {item.good.text for item in sample} <= wanted
    halves = [*items(found, 100, 3, shard=(1, 2)), *items(found, 100, 3, shard=(2, 2))]
    assert halves == sample


# --- balance ----------------------------------------------------------------------------------------------------------


def test_balanced_classes_have_like_numbers(tmp_path: Path) -> None:
    numbers = {"dog": 100, "cat": 55, "horse": 9, "cow": 2, "apple": 110, "bread": 8, "cheese": 54, "soup": 4000}
    lines = ["word,frequency", *(f"{word},{number}" for word, number in numbers.items())]
    (tmp_path / "frequency.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "b.grammar").write_text(
        """
slot Beast = noun "dog" | noun "cat" | noun "horse" | noun "cow" | noun "rabbit"
slot Food = noun "apple" | noun "bread" | noun "cheese" | noun "soup"
+ the {Beast sg} likes the {Food sg} {"." | *"?"}
balance Beast, Food by frequency
""",
        "utf-8",
    )
    found = plan(load_grammar(tmp_path / "b.grammar"))
    words = {(item.bindings[0].lemma, item.bindings[1].lemma) for item in items(found)}
    assert {beast for beast, _ in words} == {"dog", "cat", "horse"}
    assert {food for _, food in words} == {"apple", "cheese", "bread"}
    mean = [sum(math.log(numbers[w]) for w in {pair[k] for pair in words}) / 3 for k in (0, 1)]
    assert abs(mean[0] - mean[1]) < 0.1


# --- realisation ------------------------------------------------------------------------------------------------------


def test_fusions_and_variants() -> None:
    german = Realizer(load_lexicon("de").realisation)
    tokens = [
        Token(word, category=category) for word, category in (("Von", ""), ("dem", "determiner"), ("Haus", "noun"))
    ]
    sentence = german.realize(tokens, [Stretch("det", 1, 2), Stretch("noun", 2, 3)], "prose")
    assert sentence.text == "Vom Haus"
    assert [(r.name, sentence.text[r.start : r.end]) for r in sentence.regions] == [("det", ""), ("noun", "Haus")]
    relative = [Token("in"), Token("dem", category="relative"), Token("er"), Token("wohnt")]
    assert german.realize(relative, [], "tokens").text == "in dem er wohnt"
    czech = Realizer(load_lexicon("cs").realisation)
    for written, spoken in (
        ("v vlaku", "ve vlaku"),
        ("v domě", "v domě"),
        ("z školy", "ze školy"),
        ("k mostu", "k mostu"),
    ):
        assert czech.realize([Token(word) for word in written.split()], [], "tokens").text == spoken


# --- commands ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep.grammar").write_text("paradigm deep\n" + FEWER, "utf-8")
    (tmp_path / "design.grammar").write_text(DESIGN, "utf-8")
    return "deep.grammar"


def test_count_by(grammar: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", grammar, "--by", "$n,subj", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert sum(row["items"] for row in report["rows"]) == report["items"] == planned(FEWER).items
    assert {row["crossed"]["n"] for row in report["rows"]} == {"sg", "pl"}
    assert len({row["crossed"]["subj"] for row in report["rows"]}) == 3
    assert main(["count", grammar, "--by", "sub"]) == 2
    assert "did you mean 'subj'?" in capsys.readouterr().err


def test_preview_only(grammar: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["preview", grammar, "-n", "6", "--only", "n=pl", "--only", "subj={Det $n} {head=Noun $n}", "--json"]) == 0
    )
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(shown) == 6
    assert all(item["bindings"][0]["slot"] == "Det" and len(item["conditions"][0]["tokens"]) == 4 for item in shown)
    assert main(["preview", grammar, "--only", "n=dual"]) == 2
    assert "'n' is never 'dual'" in capsys.readouterr().err
    assert main(["preview", grammar, "--only", "number"]) == 2


def test_explain(grammar: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", grammar, "design.grammar"]) == 0
    text = capsys.readouterr().out
    assert f"{planned(FEWER).items:,} items" in text
    assert "acceptable: Verb pres, agreeing with $n; starred: Verb pres, not agreeing with $n" in text
    assert "factor number: sing ($n is sg) against plural ($n is pl)" in text
    assert "match_sing / the author near the senators laughs ." in text
    assert main(["explain", grammar, "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    slots = {(slot["slot"], slot["class"]): slot for slot in record["templates"][0]["slots"]}
    assert "cat" in slots["subj head", "Noun"]["words"]
    assert record["templates"][0]["items"] == planned(FEWER).items


def test_preview_shows_every_condition_of_a_design(grammar: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", "design.grammar", "-n", "1"]) == 0
    shown = capsys.readouterr().out
    assert "*mismatch_plural" in shown
    assert re.search(r"match_sing +│ The \w+ near the \w+ \w+s\.", shown)
    assert main(["make", "design.grammar", "--all", "--format", "sentences", "--quiet"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 4
