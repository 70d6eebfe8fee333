"""A slice of the fuzzing of `benchmarks/fuzz.py`, and the mutants that have failed."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from fuzzing import Mutant, World, examine, mutant_of, shown

from generator.errors import Diagnostic, GrammarError
from generator.loading import grammar_from_text, load_grammar
from generator.source import SourceFile, Span

SLICE = 150
WORLD = World()


def test_mutants_are_the_same_each_time() -> None:
    assert [mutant_of(WORLD, number) for number in range(40)] == [mutant_of(World(), number) for number in range(40)]


@pytest.mark.parametrize("start", range(0, SLICE, 15))
def test_mutants_give_diagnostics_or_items(start: int, tmp_path: Path) -> None:
    for number in range(start, start + 15):
        outcome = examine(WORLD, mutant_of(WORLD, number), tmp_path / str(number))
        assert not outcome.failure, f"python benchmarks/fuzz.py --only {number}\n{outcome.failure}"


def test_slice_is_mixed() -> None:
    """The slice holds what is refused and what is not, or it would try one half of the program only."""
    kinds = {(mutant.words, bool(mutant.command)) for mutant in (mutant_of(WORLD, n) for n in range(SLICE))}
    assert len(kinds) == 4


SENTENCE = '+ the {noun countable $n} {auxiliary "be" pres $n | *auxiliary "be" pres !$n} here .\n'


def test_good_grammar_passes(tmp_path: Path) -> None:
    mutant = Mutant(-1, "good", (), (("mutant.grammar", SENTENCE.encode()),))
    outcome = examine(WORLD, mutant, tmp_path)
    assert (outcome.status, outcome.failure) == ("valid", "")


def test_schema_of_brackets_alone(tmp_path: Path) -> None:
    for number, text in enumerate(("[" * 100_000, '{"a":' * 50_000)):
        files = (("mutant.grammar", SENTENCE.encode()), ("words/schema.json", text.encode()))
        outcome = examine(WORLD, Mutant(-1, "brackets", (), files, words=True), tmp_path / str(number))
        assert (outcome.status, outcome.failure) == ("refused", "")


def test_standard_input_that_is_not_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n+ the \xe9t\xe9 .\n"), encoding="utf-8"))
    with pytest.raises(GrammarError) as caught:
        load_grammar("-")
    assert str(caught.value).startswith("<stdin>:2:7: not UTF-8: byte 0xe9\n")


def test_list_with_line_ends_of_old_macs(tmp_path: Path) -> None:
    (tmp_path / "nouns.tsv").write_bytes(b"lemma\tsg\tpl\tfeatures\tprep\tcomplement\rwug\twug\twugs\tcountable\t\t\r")
    grammar = grammar_from_text(SENTENCE, words=tmp_path)
    assert any(entry.lemma == "wug" for entry in grammar.lexicon.entries["noun"])


def test_list_in_one_line(tmp_path: Path) -> None:
    text = "lemma\tsg\tpl\tfeatures\tprep\tcomplement" + "".join(f"\tword{n}" for n in range(5000)) + "\tword1\n"
    (tmp_path / "nouns.tsv").write_text(text, "utf-8")
    with pytest.raises(GrammarError) as caught:
        grammar_from_text(SENTENCE, words=tmp_path)
    messages = [finding.message for finding in caught.value.diagnostics]
    assert messages == ["column 'word1' stands twice in the header", "5,001 unknown columns"]
    assert len(str(caught.value)) < 2000


def test_very_long_line_is_shown_in_part() -> None:
    text = "a" * 1000 + "b" + "c" * 1000
    shown_text = Diagnostic("code", "here", Span(SourceFile("file", text), 1, 1001)).render()
    assert len(shown_text) < 600
    _, line, caret = shown_text.split("\n")
    assert line[caret.index("^")] == "b"
    at_end = Diagnostic("code", "here", Span(SourceFile("file", text), 1, 2001, 5)).render().split("\n")
    assert at_end[1][at_end[2].index("^")] == "c"


@pytest.mark.parametrize(
    "finding",
    [
        Diagnostic("code", " "),
        Diagnostic("code", "<function f at 0x1>, object at 0x10"),
        Diagnostic("code", "below the last line", Span(SourceFile("a", "one\ntwo"), 3, 1)),
        Diagnostic("code", "behind the last column", Span(SourceFile("a", "one"), 1, 5)),
    ],
)
def test_bad_findings_are_seen(finding: Diagnostic) -> None:
    with pytest.raises(AssertionError):
        shown(finding)
