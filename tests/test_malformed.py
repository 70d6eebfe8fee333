"""Malformed grammars and word lists: every finding, exactly as the person who must mend the file should read it.

The cases are in `corpus/malformed_grammars.txt` and `corpus/malformed_words.txt`, which explain their form.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from generator import syntax_errors, syntax_message
from generator.checks import check
from generator.errors import Diagnostic, GrammarError, StarlingError
from generator.lexing import LexError, LogicalLine, Segment, Tokenizer
from generator.line_parsing import tokenize
from generator.loading import grammar_folders, grammar_from_text, load_grammar
from generator.parsing import _FileParser
from generator.source import SourceFile
from generator.wordlists import load_lexicon

CORPUS = Path(__file__).parent / "corpus"
GRAMMAR_NAME = "case.grammar"
TAB = "→"


@dataclass(frozen=True)
class Case:
    """One case of the corpus: its files (name, text, encoding) and the findings, a string each."""

    name: str
    files: tuple[tuple[str, str, str], ...]
    expected: tuple[str, ...]


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of a corpus file."""
    name = ""
    files: list[tuple[str, list[str], str]] = []
    findings: list[str] | None = None
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("=== "):
            if name:
                yield _case(name, files, findings)
            name, files, findings = line[4:].strip(), [(GRAMMAR_NAME, [], "utf-8")], None
        elif not name:
            assert not line or line.startswith("#"), f"{path.name}: text before the first case: {line}"
        elif line == "---":
            findings = []
        elif findings is not None:
            if line.startswith(" "):
                findings[-1] += "\n" + line
            elif line and not line.startswith("#"):
                findings.append(line)
        elif opening := re.fullmatch(r"--- file (\S+)(?: \(([\w-]+)\))?", line):
            files.append((opening.group(1), [], opening.group(2) or "utf-8"))
        else:
            files[-1][1].append(line)
    yield _case(name, files, findings)


def _case(name: str, files: list[tuple[str, list[str], str]], findings: list[str] | None) -> Case:
    assert findings is not None, f"case '{name}' has no line '---'"
    written = tuple((file, "".join(f"{line}\n" for line in lines), encoding) for file, lines, encoding in files)
    return Case(name, written, tuple(findings))


GRAMMAR_CASES = tuple(read_cases(CORPUS / "malformed_grammars.txt"))
WORD_CASES = tuple(read_cases(CORPUS / "malformed_words.txt"))


def found(diagnostics: Iterator[Diagnostic] | list[Diagnostic] | tuple[Diagnostic, ...]) -> list[str]:
    """Findings as the corpus writes them."""
    lines = []
    for d in diagnostics:
        place = "-"
        if d.span is not None:
            file = d.span.source.name
            place = f"{'' if file == GRAMMAR_NAME else file + ':'}{d.span.line}:{d.span.column}"
        text = f"{place} {d.severity} {d.code}: {d.message}"
        if d.hint:
            text += f"\n    hint: {d.hint}"
        lines.append(text)
    folder = str(grammar_folders()[-1])
    return [line.replace(folder, "(shipped grammars)") for line in lines]


def findings_of_case(case: Case, folder: Path, words: str | None) -> list[str]:
    """Write the case's files below `folder` (the current one) and check the grammar."""
    for name, text, encoding in case.files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        written = text.replace(TAB, "\t") if words is not None else text
        path.write_bytes(written.encode(encoding))
    try:
        return found(check(load_grammar(GRAMMAR_NAME, words)))
    except GrammarError as error:
        return found(error.diagnostics)
    except StarlingError as error:
        return [f"- stop: {error}"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name.replace(" ", "_")) for case in GRAMMAR_CASES])
def test_malformed_grammar(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert findings_of_case(case, tmp_path, None) == list(case.expected)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name.replace(" ", "_")) for case in WORD_CASES])
def test_malformed_words(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert findings_of_case(case, tmp_path, "words") == list(case.expected)


@pytest.mark.parametrize("cases", [GRAMMAR_CASES, WORD_CASES], ids=["grammars", "words"])
def test_case_names_differ(cases: tuple[Case, ...]) -> None:
    names = [case.name for case in cases]
    assert len(names) == len(set(names))


def _loading(path: str) -> list[str]:
    try:
        return found(check(load_grammar(path)))
    except GrammarError as error:
        return found(error.diagnostics)


def test_grammar_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.grammar").mkdir()
    assert _loading("none.grammar") == ["- error file: cannot read 'none.grammar': No such file or directory"]
    assert _loading("folder.grammar") == ["- error file: cannot read 'folder.grammar': Is a directory"]


def test_grammar_that_is_not_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / GRAMMAR_NAME).write_bytes('# a comment\n+ l\' été {"est" | *"es"} .\n'.encode("latin-1"))
    assert _loading(GRAMMAR_NAME) == ["2:6 error encoding: not UTF-8: byte 0xe9\n    hint: save the file as UTF-8"]


def test_line_ends_and_byte_order_mark_move_no_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = '+ it {"is" | *"are"} {Nuon} .\n+ it {"is" | *"are"} {Nuon} .\n'
    expected = [
        f"{line}:23 error unknown-class: unknown class 'Nuon'\n    hint: did you mean 'noun'?" for line in (1, 2)
    ]
    for data in (text, text.replace("\n", "\r\n"), "\ufeff" + text):
        (tmp_path / GRAMMAR_NAME).write_bytes(data.encode())
        assert _loading(GRAMMAR_NAME) == expected


def test_too_many_combinations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("generator.expanding.MAX_STRATA", 100)
    brace = '{"a" "b" | "c" "d"}'
    (tmp_path / GRAMMAR_NAME).write_text("+ " + f"{brace} " * 7 + '{"runs" | *"run"} .\n', "utf-8")
    assert _loading(GRAMMAR_NAME) == [
        "1:1 error too-many: more than 100 combinations of rules, rows and variables in one template\n"
        "    hint: split the template"
    ]


# --- the messages themselves ------------------------------------------------------------------------------------------

TOKEN_NAME = re.compile(rf"\b({'|'.join(sorted(name for name in syntax_message.TOKEN_NAMES if name.isalpha()))})\b")


def _known_words() -> set[str]:
    """Capital words that are the grammars' own and no token names."""
    return {"NAME"}  # 'write slot NAME = words' is addressed to people


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name.replace(" ", "_")) for case in GRAMMAR_CASES])
def test_no_token_name_is_shown(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for finding in findings_of_case(case, tmp_path, None):
        assert not set(TOKEN_NAME.findall(finding)) - _known_words(), finding


SYNTAX_EXAMPLES = [
    pytest.param(entry, kind, example, id=f"{kind}:{example or 'nothing'}")
    for entry in syntax_errors.SYNTAX_MESSAGES
    for kind, example in entry.examples
]


@pytest.mark.parametrize(("entry", "kind", "example"), SYNTAX_EXAMPLES)
def test_syntax_example_yields_its_message(entry: syntax_errors.SyntaxMessage, kind: str, example: str) -> None:
    source = SourceFile("<example>", example)
    parser = _FileParser(source)
    assert parser.parse(kind, LogicalLine((Segment(1, 1, example),))) is None
    assert len(parser.diagnostics) == 1
    message, _, what = parser.diagnostics[0].message.partition(": found ")
    assert (message, parser.diagnostics[0].hint) == (entry.message, entry.hint)
    assert what == "the end of the line" or what.strip("'") in example
    assert not set(TOKEN_NAME.findall(parser.diagnostics[0].message)) - _known_words()


def test_every_syntax_example_can_be_tokenized() -> None:
    """An example must reach the parser; what the tokenizer refuses has a message of its own."""
    for entry in syntax_errors.SYNTAX_MESSAGES:
        for kind, example in entry.examples:
            try:
                tokenize(Tokenizer(SourceFile("<example>", example)), kind, LogicalLine((Segment(1, 1, example),)))
            except LexError as error:
                pytest.fail(f"{kind} {example!r}: {error}")


# --- anything at all --------------------------------------------------------------------------------------------------

SHIPPED = sorted(grammar_folders()[-1].rglob("*.grammar"))
MUTANTS = 300
ALPHABET = "{}[]|*+-!$\"'#@=:.,() \tnNA1é→\n"


@pytest.fixture
def _small_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    """English with the words that the shipped grammars name and a few more: what is tried here needs no others."""
    whole = load_lexicon("en")
    named = {word for path in SHIPPED for word in re.findall(r"\w+", path.read_text("utf-8"))}
    entries = {
        name: tuple(e for number, e in enumerate(words) if not words[0].is_open or e.lemma in named or number % 40 == 0)
        for name, words in whole.entries.items()
    }
    small = replace(whole, entries=entries)
    monkeypatch.setattr("generator.loading.load_lexicon", lambda language, folder=None: small)


def _check_text(text: str) -> list[Diagnostic]:
    """The findings about a text; errors that stop the reading count as findings, anything else propagates."""
    try:
        return check(grammar_from_text(text))
    except GrammarError as error:
        return list(error.diagnostics)
    except StarlingError as error:
        return [Diagnostic("stop", str(error))]


def _shows(diagnostic: Diagnostic, text: str) -> None:
    """A finding can be shown, and stands at a place of the text."""
    assert diagnostic.message
    assert diagnostic.render()
    span = diagnostic.span
    if span is not None and span.source.text == text:
        lines = text.split("\n")
        assert 1 <= span.line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1


@pytest.mark.usefixtures("_small_lexicon")
@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in SHIPPED])
def test_truncated_grammars_never_crash(path: Path) -> None:
    text = path.read_text("utf-8")
    for length in range(0, len(text), 25):
        for diagnostic in _check_text(text[:length]):
            _shows(diagnostic, text[:length])


def _mutant(generator: random.Random) -> str:
    text = generator.choice(SHIPPED).read_text("utf-8")
    place = generator.randrange(len(text))
    if generator.random() < 0.5:
        return text[:place] + text[place + 1 :]
    return text[:place] + generator.choice(ALPHABET) + text[place:]


@pytest.mark.usefixtures("_small_lexicon")
@pytest.mark.parametrize("seed", range(10))
def test_grammars_with_a_typing_mistake_never_crash(seed: int) -> None:
    generator = random.Random(seed)
    for _ in range(MUTANTS // 10):
        text = _mutant(generator)
        for diagnostic in _check_text(text):
            _shows(diagnostic, text)
