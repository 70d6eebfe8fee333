"""The shipped frequencies: form and coverage of the files, how they are made, and what `balance` takes from them."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from generator import frequencies
from generator.checks import check
from generator.cli.main import main
from generator.errors import DataError, UsageError
from generator.inputs import grammar_inputs, word_list_inputs
from generator.item_making import items
from generator.loading import Grammar, load_grammar
from generator.planning import plan

ROOT = Path(str(files("wordlists")))
LANGUAGES = ("cs", "de", "en")
COVERED = {"cs": 0.97, "de": 0.94, "en": 0.97}  # preterites of *du* and *ihr* are rare in German texts

BALANCED = """
language {language}
slot A = {a}
slot B = {b}
+ {{A sg}} {{B sg}} {{"." | *"?"}}
balance A, B by frequency
"""


def _rows(language: str) -> list[tuple[str, str]]:
    header, *lines = (ROOT / language / "frequency.csv").read_text("utf-8").split("\n")
    assert header == frequencies.HEADER
    assert lines.pop() == ""
    return [(word, number) for word, number in (line.split(",") for line in lines)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_are_sorted_and_hold_zipf_numbers(language: str) -> None:
    rows = _rows(language)
    words = [word for word, _ in rows]
    assert words == sorted(set(words))
    assert all(number == f"{float(number):.2f}" and 0 < float(number) < 8 for _, number in rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_hold_the_forms_and_no_others(language: str) -> None:
    forms = frequencies.forms_of(language)
    known = {word for word, _ in _rows(language)}
    assert known <= set(forms), "make frequencies"
    assert len(known) / len(forms) >= COVERED[language]


def test_forms_are_those_of_lists_realisation_and_grammars() -> None:
    english = set(frequencies.forms_of("en"))
    # A plural, a comparative, an article as it is realised, a particle, an irregular form that no list has, an
    # expression with its words, a word that only a grammar quotes.
    assert {"mice", "happier", "an", "up", "oases", "a few", "few", "n't", "hasn't", "won't", "Aaron"} <= english
    assert "willn't" not in english
    assert {"vom", "Hundes"} <= set(frequencies.forms_of("de"))
    assert {"ve", "ke"} <= set(frequencies.forms_of("cs"))
    assert not any("," in form or "_" in form or not any(sign.isalnum() for sign in form) for form in english)


def test_the_table_leaves_out_what_has_no_number() -> None:
    numbers = {"an": 6.534, "ant": 3.999, "zzz": 0.0}
    assert frequencies.table_of(numbers, numbers.__getitem__) == ("word,frequency\nan,6.53\nant,4.00\n", ["zzz"])


def test_the_command_writes_and_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(frequencies, "wordfreq_lookup", lambda language: lambda word: 0.0 if word == "mice" else 3.0)
    assert frequencies.run(["en", "-o", str(tmp_path / "f.csv")]) == 0
    text = (tmp_path / "f.csv").read_text("utf-8")
    assert "\nmouse,3.00\n" in text
    assert "mice" not in text
    assert "without a number: mice\n" in capsys.readouterr().err


def test_the_command_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no word lists for language 'fr'"):
        frequencies.run(["fr"])
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(DataError, match=r"pip install 'starling-gen\[frequency\]'"):
        frequencies.run(["en"])


@pytest.mark.external
@pytest.mark.parametrize("language", LANGUAGES)
def test_files_are_what_wordfreq_says(language: str) -> None:
    pytest.importorskip("wordfreq")
    text, _ = frequencies.table_of(frequencies.forms_of(language), frequencies.wordfreq_lookup(language))
    assert text == (ROOT / language / "frequency.csv").read_text("utf-8")


# --- balance ----------------------------------------------------------------------------------------------------------


def _grammar(folder: Path, language: str, a: str, b: str) -> Path:
    path = folder / "g.grammar"
    path.write_text(BALANCED.format(language=language, a=a, b=b), "utf-8")
    return path


def _words(grammar: Grammar) -> list[set[str]]:
    found = [tuple(binding.lemma for binding in item.bindings[:2]) for item in items(plan(grammar))]
    return [{pair[place] for pair in found} for place in (0, 1)]


def test_balance_matches_occurrences_of_the_shipped_numbers(tmp_path: Path) -> None:
    # 25 and 26 occurrences in a million words; 72 and 129: on the Zipf scale these would differ by a quarter too.
    shipped = dict(_rows("en"))
    assert [shipped[word] for word in ("knife", "nurse", "queen", "cup")] == ["4.41", "4.40", "4.86", "5.11"]
    path = _grammar(tmp_path, "en", 'noun "nurse" | noun "queen"', 'noun "knife" | noun "cup"')
    assert _words(load_grammar(path)) == [{"nurse"}, {"knife"}]


@pytest.mark.parametrize(("language", "a", "b"), [("de", "Hund", "Katze"), ("cs", "pes", "kočka")])
def test_balance_reads_the_file_of_the_language(language: str, a: str, b: str, tmp_path: Path) -> None:
    shipped = dict(_rows(language))
    grammar = load_grammar(_grammar(tmp_path, language, f'noun "{a}"', f'noun "{b}"'))
    assert grammar.numbers["frequency"][a] == pytest.approx(10 ** float(shipped[a]))
    assert grammar.numbers["frequency"][b] == pytest.approx(10 ** float(shipped[b]))


def test_own_numbers_go_first(tmp_path: Path) -> None:
    path = _grammar(tmp_path, "en", 'noun "nurse" | noun "queen"', 'noun "knife" | noun "cup"')
    (tmp_path / "frequency.csv").write_text("word,frequency\nqueen,70\ncup,71\n", "utf-8")
    assert _words(load_grammar(path)) == [{"queen"}, {"cup"}]
    words = tmp_path / "words"
    words.mkdir()
    (words / "frequency.csv").write_text("word,frequency\nnurse,9\ncup,9\n", "utf-8")
    assert _words(load_grammar(path, words)) == [{"nurse"}, {"cup"}]


def test_numbers_of_other_names_are_not_shipped(tmp_path: Path) -> None:
    path = _grammar(tmp_path, "en", 'noun "nurse"', 'noun "knife"')
    path.write_text(path.read_text("utf-8").replace("by frequency", "by nouns"), "utf-8")
    assert any("no numbers for 'nouns'" in finding.message for finding in load_grammar(path).diagnostics)


def test_a_copy_of_the_shipped_numbers_is_warned_of(tmp_path: Path) -> None:
    path = _grammar(tmp_path, "en", 'noun "nurse"', 'noun "knife"')
    assert not [finding for finding in check(load_grammar(path)) if finding.code == "balance"]
    (tmp_path / "frequency.csv").write_text("word,frequency\nnurse,4.40\nknife,4.41\n", "utf-8")
    (found,) = [finding for finding in check(load_grammar(path)) if finding.code == "balance"]
    assert found.severity == "warning"
    assert "look like logarithms" in found.message


def test_the_file_counts_where_it_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grammar = load_grammar(_grammar(tmp_path, "en", 'noun "nurse"', 'noun "knife"'))
    assert [entry.name for entry in grammar_inputs(grammar)] == ["g.grammar", "wordlists/en/frequency.csv"]
    assert "frequency.csv" not in [entry.name for entry in word_list_inputs(grammar)]
    plain = load_grammar(Path(str(files("grammars"))) / "en/babeval/agreement_across_PP.grammar")
    assert not any("frequency" in entry.name for entry in (*grammar_inputs(plain), *word_list_inputs(plain)))
    output = tmp_path / "g.jsonl"
    assert main(["make", str(tmp_path / "g.grammar"), "--all", "-o", str(output), "--quiet"]) == 0
    manifest = json.loads((tmp_path / "g.jsonl.manifest.json").read_text("utf-8"))
    assert manifest["grammars"][0]["files"][1]["name"] == "wordlists/en/frequency.csv"
    assert main(["verify", str(tmp_path / "g.jsonl.manifest.json")]) == 0
    capsys.readouterr()


def test_the_numbers_decide_the_signature(tmp_path: Path) -> None:
    path = _grammar(tmp_path, "en", 'noun "nurse"', 'noun "knife"')
    shipped = load_grammar(path).digest
    (tmp_path / "frequency.csv").write_text("word,frequency\nnurse,4\nknife,4\n", "utf-8")
    assert load_grammar(path).digest != shipped
