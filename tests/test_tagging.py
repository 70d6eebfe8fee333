"""Tags of words: the shipped tables, and the checks of a table."""

# ruff: noqa: E501 - a case of a table on a line

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from generator.errors import DataError
from generator.item_making import ItemMaker, items
from generator.lexicon import LexicalEntry, Lexicon
from generator.loading import grammar_from_text
from generator.normalizing import Normalizer
from generator.planning import plan
from generator.schema_checks import consistent_schema, validate_schema
from generator.tagging import Tagged, Tagger
from generator.wordlists import load_lexicon, shipped_languages

LANGUAGES = shipped_languages()


def _tagger(language: str) -> Tagger:
    lexicon = load_lexicon(language)
    return Tagger(lexicon, Normalizer(lexicon.realisation).canonical)


def _schema(language: str) -> Any:
    return json.loads(files("wordlists").joinpath(language, "schema.json").read_text("utf-8"))


def _entry(lexicon: Lexicon, category: str, lemma: str) -> LexicalEntry:
    return next(entry for entry in lexicon.entries[category] if entry.lemma == lemma)


def _shown(language: str, sentence: str) -> list[str]:
    """Tags of a sentence of literal words."""
    found = plan(grammar_from_text(f"language {language}\n+ {sentence}\n* {sentence} x\n"))
    tree = next(items(found, trees=True)).good.sentence.tree
    assert tree is not None
    return [f"{token.text}/{token.tag}/{token.upos}" for token in tree.tokens]


def _drawn(language: str, slot: str, more: str = "") -> set[tuple[str, str, str, str, str]]:
    """(text, lemma, tag, UPOS, FEATS) of the words that a slot draws."""
    text = f'language {language}\n{more}+ {{x={slot}}} {{"a" | *"b"}} .\n'
    found = set()
    for item in items(plan(grammar_from_text(text)), trees=True, style="ptb"):
        tree = item.good.sentence.tree
        assert tree is not None
        for token in tree.tokens[:-2]:
            found.add((token.text, token.lemma, token.tag, token.upos, "|".join(f"{n}={v}" for n, v in token.feats)))
    return found


ENGLISH = [
    ('pronoun "he" nom', ("He", "he", "PRP", "PRON", "Case=Nom|Gender=Masc|Number=Sing|Person=3|PronType=Prs")),
    ('pronoun "he" acc', ("Him", "he", "PRP", "PRON", "Case=Acc|Gender=Masc|Number=Sing|Person=3|PronType=Prs")),
    (
        'pronoun "he" poss',
        ("His", "he", "PRP$", "PRON", "Case=Gen|Gender=Masc|Number=Sing|Person=3|Poss=Yes|PronType=Prs"),
    ),
    (
        'pronoun "he" posspro',
        ("His", "he", "PRP", "PRON", "Case=Gen|Gender=Masc|Number=Sing|Person=3|Poss=Yes|PronType=Prs"),
    ),
    (
        'verb "see" pres sg person=3',
        ("Sees", "see", "VBZ", "VERB", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    ),
    ('verb "see" pres pl', ("See", "see", "VBP", "VERB", "Mood=Ind|Number=Plur|Tense=Pres|VerbForm=Fin")),
    ('verb "see" base', ("See", "see", "VB", "VERB", "VerbForm=Inf")),
    ('verb "cut" past', ("Cut", "cut", "VBD", "VERB", "Mood=Ind|Tense=Past|VerbForm=Fin")),
    ('verb "cut" participle', ("Cut", "cut", "VBN", "VERB", "Tense=Past|VerbForm=Part")),
    ('auxiliary "can" pres sg person=3', ("Can", "can", "MD", "AUX", "VerbForm=Fin")),
    ('adjective "happy" comparative', ("Happier", "happy", "JJR", "ADJ", "Degree=Cmp")),
    ('determiner "this" pl', ("These", "this", "DT", "DET", "Number=Plur|PronType=Dem")),
    ('wh "whose"', ("Whose", "whose", "WP$", "PRON", "Poss=Yes|PronType=Int,Rel")),
]


@pytest.mark.parametrize(("slot", "expected"), ENGLISH, ids=[slot for slot, _ in ENGLISH])
def test_english_forms(slot: str, expected: tuple[str, ...]) -> None:
    assert _drawn("en", slot) == {expected}


def test_a_verbs_particle_is_one() -> None:
    assert _drawn("en", 'verb "carry_away" past', "").pop()[:3] == ("Carried", "carry", "VBD")
    text = 'language en\n+ {v=verb "carry_away" past} it {v particle} {"here" | *"there"} .\n'
    tree = next(items(plan(grammar_from_text(text)), trees=True)).good.sentence.tree
    assert tree is not None
    assert [(token.text, token.lemma, token.tag) for token in tree.tokens][2] == ("away", "away", "RP")


def test_german_forms() -> None:
    assert _drawn("de", 'verb "lesen" zu') == {
        ("Zu", "zu", "PTKZU", "PART", ""),
        ("lesen", "lesen", "VVINF", "VERB", "VerbForm=Inf"),
    }
    assert {word[2] for word in _drawn("de", 'verb "anrufen" zu')} == {"VVIZU"}
    assert _drawn("de", 'pronoun "sie_pl" dat') == {
        ("Ihnen", "sie", "PPER", "PRON", "Case=Dat|Number=Plur|Person=3|PronType=Prs")
    }
    assert _shown("de", "er kommt von dem Arzt .")[2:] == ["vom/APPRART/ADP", "Arzt/NN/NOUN", "./$./PUNCT"]
    assert _shown("de", "das ( alte ) Haus")[1] == "(/$(/PUNCT"


def test_czech_positional_tags() -> None:
    assert {word[2] for word in _drawn("cs", 'noun "autobus" sg gen')} == {"NNIS2-----A----"}
    assert {word[2] for word in _drawn("cs", 'adjective "starý" sg acc manim')} == {"AAMS4----1A----"}
    assert {word[2] for word in _drawn("cs", 'pronoun "on" dat short')} == {"PHYS3--3-------"}
    assert {word[2] for word in _drawn("cs", 'pronoun "on" dat prepositional')} == {"P5YS3--3-------"}
    assert {word[2] for word in _drawn("cs", 'verb "běžet" participle pl fem')} == {"VpTP---XR-AA---"}
    assert {word[2] for word in _drawn("cs", 'preposition "bez"')} == {"RR--2----------"}
    assert _shown("cs", "jdu ke škole .")[1] == "ke/RR--3----------/ADP"


def test_literal_words_are_looked_up() -> None:
    assert _shown("en", "the dogs saw 3 flooms , is n't it ?") == [
        "The/DT/DET",
        "dogs/NNS/NOUN",
        "saw/VBD/VERB",
        "3/CD/NUM",
        "flooms/XX/X",
        ",/,/PUNCT",
        "is/VBZ/AUX",
        "n't/RB/PART",
        "it/PRP/PRON",
        "?/./PUNCT",
    ]
    # A closed category goes first ('like' is a preposition before it is a verb); 'her' is the object before the owner.
    assert _shown("en", "her like will") == ["Her/PRP/PRON", "like/IN/ADP", "will/MD/AUX"]
    assert _shown("en", "`` $ 5 ''")[:2] == ["``/``/PUNCT", "$/$/SYM"]


def test_words_of_several_words() -> None:
    tagger = _tagger("en")
    few = _entry(tagger.lexicon, "determiner", "a_few")
    assert [w.tag for w in tagger.drawn(few, few.analyses, ["a", "few"]).words] == ["DT", "JJ"]
    soon = _entry(tagger.lexicon, "conjunction", "as_soon_as")
    assert [w.tag for w in tagger.drawn(soon, soon.analyses, ["as", "soon", "as"]).words] == ["IN", "IN", "IN"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_of_every_word_has_a_tag(language: str) -> None:
    tagger = _tagger(language)
    unknown = tagger.table.unknown
    for name, entries in tagger.lexicon.entries.items():
        for entry in entries:
            for analysis in entry.analyses:
                words = analysis.text.split()
                found: tuple[Tagged, ...] = tagger.drawn(entry, [analysis], words).words
                assert len(found) == len(words)
                assert all(word.upos != unknown.upos and word.lemma for word in found), (name, entry.lemma, found)
            for column in tagger.lexicon.categories[name].text_columns:
                if text := entry.columns.get(column):
                    found = tagger.drawn(entry, entry.analyses, text.split(), column).words
                    is_another = all(word.upos == "ADP" for word in found)
                    assert not is_another or [word.lemma for word in found] == text.split()
                    assert [word.tag for word in found] != [unknown.tag], (name, entry.lemma, column)


@pytest.mark.parametrize("language", LANGUAGES)
def test_lemmas_that_rows_name_are_in_the_lists(language: str) -> None:
    lexicon = load_lexicon(language)
    assert lexicon.tagging is not None
    for category, rows in lexicon.tagging.rows.items():
        known = {entry.lemma for entry in lexicon.entries[category]}
        assert {lemma for row in rows for lemma in row.when.get("lemma", ())} <= known


# --- the table's own checks -----------------------------------------------------------------------------------------


def _rows(category: str) -> Callable[[Any], Any]:
    return lambda data: data["tagging"]["categories"][category]["rows"]


BROKEN: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda t: _rows("verb")(t)[1]["when"].update(form="presnt"), "categories/verb row 2: 'presnt' is not a value of form", "did you mean 'pres'?"),
    (lambda t: _rows("verb")(t)[1]["when"].update(numbr="sg"), "categories/verb row 2: 'numbr' is not declared", "did you mean 'number'?"),
    (lambda t: _rows("auxiliary")(t)[0]["when"].update(modal="can"), "categories/auxiliary row 1: 'can' is not a value of modal", "it is a flag: write true or false"),
    (lambda t: _rows("verb")(t).pop(3), "categories/verb: no row fits the form 'past' (form=past number=any person=any)", "add a row without 'when' at the end"),
    (lambda t: _rows("wh")(t).insert(0, {"tag": "WP"}), "categories/wh row 2: a row before it fits everything: this one is never reached", ""),
    (lambda t: _rows("noun")(t)[2].update(column="prp"), "categories/noun row 3: 'prp' is no text column of noun", "did you mean 'prep'?"),
    (lambda t: _rows("noun")(t)[0].update(upos="NOUNS"), "categories/noun row 1: 'NOUNS' is no part of speech", "did you mean 'NOUN'?"),
    (lambda t: _rows("noun")(t)[0].update(tag="NN IN"), "categories/noun row 1: tags and parts of speech differ in number: 'NN IN', 'NOUN'", "write one for each word"),
    (lambda t: _rows("noun")(t)[0].update(tag="N{numbr}"), "categories/noun row 1: '{numbr}' in a tag, of which letters says nothing", ""),
    (lambda t: _rows("noun")(t)[0].update(feats="number=Sing"), "categories/noun row 1: 'number=Sing' is no Universal feature", "expected Name=Value, as in Number=Sing"),
    (lambda t: _rows("noun")(t)[0].update(shows=["numbre"]), "categories/noun row 1: it shows 'numbre', of which feats says nothing", "did you mean 'number'?"),
    (lambda t: t["tagging"]["categories"].pop("adverb"), "categories: 'adverb' has no tags", 'write {"upos": "...", "rows": [{"tag": "..."}]}'),
    (lambda t: t["tagging"]["categories"].update(advrb={"upos": "ADV", "rows": [{"tag": "RB"}]}), "categories/advrb: 'advrb' is no category", "did you mean 'adverb'?"),
    (lambda t: t["tagging"]["feats"]["number"].update({"plu": "Number=Plur"}), "feats/number: 'plu' is not a value of number", "did you mean 'pl'?"),
    (lambda t: t["tagging"]["feats"]["number"].update({"pl|sg": "Number=Plur"}), "feats/number: 'pl|sg' is not in the order of the values", "the schema's order counts"),
    (lambda t: t["tagging"]["feats"].update(number="Number=Sing"), "feats/number: 'number' is no flag", 'write {"VALUE": "Name=Value"}'),
    (lambda t: t["tagging"]["feats"].update(modal={"yes": "Mood=Nec"}), "feats/modal: 'modal' is a flag", 'write "Name=Value"'),
    (lambda t: t["tagging"]["feats"].update(prep="AdpType=Prep"), "feats/prep: 'prep' has no values", "expected a feature with values or a flag"),
    (lambda t: t["tagging"]["unknown"].update(upos="XX"), "unknown: 'XX' is no part of speech", None),
    (lambda t: t["tagging"]["words"]["not"].update(feats="Neg"), "words/not: 'Neg' is no Universal feature", "expected Name=Value, as in Number=Sing"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message", "hint"), BROKEN, ids=[message for _, message, _ in BROKEN])
def test_a_wrong_table_is_told_of_by_row(change: Callable[[Any], Any], message: str, hint: str | None) -> None:
    data = _schema("en")
    assert consistent_schema(data, "s") == []
    change(data)
    found = consistent_schema(data, "s")
    assert f"s: tagging/{message}" in [problem.message for problem in found]
    if hint is not None:
        assert (f"s: tagging/{message}", hint) in [(problem.message, problem.hint) for problem in found]


SHAPES: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda t: t["tagging"].pop("mark"), "s: tagging: missing key 'mark'", ""),
    (lambda t: _rows("noun")(t)[0].pop("tag"), "s: tagging/categories/noun/rows/0: missing key 'tag'", ""),
    (lambda t: _rows("noun")(t)[0].update(wen={}), "s: tagging/categories/noun/rows/0: unknown key 'wen'", "did you mean 'when'?"),
    (lambda t: _rows("noun")(t)[0].update(tag="N (N"), "s: tagging/categories/noun/rows/0/tag: 'N (N' does not fit here", "expected a tag without brackets, or several with one space between"),
    (lambda t: _rows("noun")(t)[0]["when"].update(number=3), "s: tagging/categories/noun/rows/0/when/number: expected a value, a list of values, or true or false of a flag", ""),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message", "hint"), SHAPES, ids=[message for _, message, _ in SHAPES])
def test_a_table_of_the_wrong_shape(change: Callable[[Any], Any], message: str, hint: str) -> None:
    data = _schema("en")
    change(data)
    assert [(problem.message, problem.hint) for problem in validate_schema(data, "s")] == [(message, hint)]


# --- digests, languages without a table -----------------------------------------------------------------------------


def _copied(language: str, folder: Path, data: Any) -> Lexicon:
    for entry in files("wordlists").joinpath(language).iterdir():
        (folder / entry.name).write_bytes(entry.read_bytes())
    (folder / "schema.json").write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return load_lexicon(language, folder)


def test_tags_do_not_move_samples(tmp_path: Path) -> None:
    text = files("wordlists").joinpath("de", "schema.json").read_text("utf-8")
    bare = json.loads(text)
    del bare["tagging"]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    without = _copied("de", tmp_path / "a", bare)
    other = _copied("de", tmp_path / "b", text.replace('{"tag": "NE"}', '{"tag": "NNP"}'))
    shipped = load_lexicon("de")
    assert without.digest == other.digest == _copied("de", tmp_path / "b", text).digest
    assert shipped.tagging is not None
    assert other.tagging is not None
    assert shipped.tagging.digest != other.tagging.digest


def test_a_language_without_a_table(tmp_path: Path) -> None:
    data = _schema("en")
    del data["tagging"]
    lexicon = _copied("en", tmp_path, data)
    with pytest.raises(DataError, match="language 'en' have no tag table: their schema"):
        Tagger(lexicon, {})
    # Everything else works without one.
    found = plan(grammar_from_text('+ the {x=noun "dog" $n | *x !$n} {auxiliary "be" pres $n} .\ncross $n\n'))
    assert ItemMaker(found).trees is None
