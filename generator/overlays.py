"""A user's own words (`--words DIR`): plain lists, tables and judgement files in the forms the field uses.

A file replaces the slot, table, category or `lib` class of its name; a Zorro file (`word,is_legal`) is named by
a corpus tag; a Babeval task file (`word,JJ-0,NN-0`) is named by the paradigm and holds a column per mention.
Lists named as the language's own (`nouns.tsv`) belong to the lexicon and are read by `wordlists`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from generator.errors import DataError, Diagnostic, listed, nearest
from generator.lexicon import Lexicon
from generator.source import SourceFile, Span
from generator.wordlists import Row, cell_span, header_line, header_span, raise_any, read_source, read_table

TASK_COLUMN = re.compile(r"([A-Z]+)-(\d+)")


@dataclass(frozen=True)
class ListedWord:
    """A word or phrase of a user's list, and where it stands."""

    text: str
    span: Span


@dataclass(frozen=True)
class UserTable:
    """A user's table: header cells as written, rows of cells."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    span: Span


@dataclass(frozen=True)
class WordChoices:
    """What a folder of words replaces."""

    folder: Path | None = None
    lists: Mapping[str, tuple[ListedWord, ...]] = field(default_factory=dict)
    tables: Mapping[str, UserTable] = field(default_factory=dict)
    tasks: Mapping[str, Mapping[tuple[str, int], tuple[ListedWord, ...]]] = field(default_factory=dict)
    digest: str = ""

    def list_named(self, *names: str) -> str:
        """The list of a name; else one whose name is the same but for a plural, capitals and `_`; else ''.

        So `animates.txt` is the list of a slot `Animate`, `number_words.txt` that of `NumberWord`.
        """
        for name in names:
            if name in self.lists:
                return name
        wanted = {_plain_name(name) for name in names}
        return next((name for name in sorted(self.lists) if _plain_name(name) in wanted), "")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files, in order."""
        return tuple(sorted({*self.lists, *self.tables, *self.tasks}))


def _plain_name(name: str) -> str:
    return name.lower().replace("_", "").removesuffix("s")


def load_choices(folder: Path | None, lexicon: Lexicon, numbers: frozenset[str] = frozenset()) -> WordChoices:
    """Read the lists, tables and judgement files of `folder`; a GrammarError carries every bad row.

    `numbers` are the files of numbers (`frequency.csv`), which `balancing` reads.
    """
    if folder is None:
        return WordChoices()
    if not folder.is_dir():
        raise DataError(f"no folder of words '{folder}'")
    taken = {
        "schema.json",
        *(f"{name}.csv" for name in numbers),
        *(category.file for category in lexicon.categories.values()),
    }
    problems: list[Diagnostic] = []
    lists: dict[str, tuple[ListedWord, ...]] = {}
    tables: dict[str, UserTable] = {}
    tasks: dict[str, Mapping[tuple[str, int], tuple[ListedWord, ...]]] = {}
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.name in taken or path.suffix not in (".txt", ".tsv", ".csv"):
            continue
        source = read_source(path)
        digest.update(path.name.encode() + b"\0" + source.text.encode() + b"\0")
        name = path.stem
        if path.suffix == ".txt":
            words = [
                ListedWord(line.strip(), Span(source, number, 1, len(line)))
                for number, line in enumerate(source.lines, start=1)
                if line.strip()
            ]
            lists[name] = tuple(words)
            problems += _repeated(words)
            if not words:
                problems.append(
                    Diagnostic("word-list", "the file is empty", Span(source, 1, 1), "expected a word a line")
                )
            continue
        header, rows, bad = read_table(source, "\t" if path.suffix == ".tsv" else ",")
        problems += bad
        if not header:
            continue
        first = header_line(source)
        head = Span(source, first, 1, len(source.line(first)))
        if path.suffix == ".tsv":
            if not rows and not bad:
                problems.append(
                    Diagnostic("word-list", f"table '{name}' has no rows", head, "write a row a line below the header")
                )
            tables[name] = UserTable(header, tuple(rows), head)
            problems += _repeated([ListedWord("\t".join(row.cells.values()), row.span) for row in rows])
        elif header == ("word", "is_legal"):
            lists[name], found = _judged(rows, header, "is_legal", head)
            problems += [] if bad and not rows else found
        elif header[0] == "word" and any(TASK_COLUMN.fullmatch(column) for column in header[1:]):
            problems += _task_header(header, source, lexicon)
            columns: dict[tuple[str, int], tuple[ListedWord, ...]] = {}
            for column in header[1:]:
                match = TASK_COLUMN.fullmatch(column)
                if match is None:
                    continue
                columns[match.group(1), int(match.group(2))], found = _judged(rows, header, column, head)
                if rows or not bad:
                    # What is wrong with a word is found in each column, and said once.
                    problems += [problem for problem in found if problem not in problems]
            tasks[name] = columns
        else:
            problems.append(
                Diagnostic(
                    "word-list",
                    "not a list of judged words",
                    head,
                    "expected the columns 'word,is_legal' or 'word,NN-0,...'",
                )
            )
    raise_any(problems)
    return WordChoices(folder, lists, tables, tasks, digest.hexdigest())


def _task_header(header: tuple[str, ...], source: SourceFile, lexicon: Lexicon) -> list[Diagnostic]:
    """Columns of a task file are a known tag and a number."""
    problems = []
    for position, column in enumerate(header[1:], start=1):
        place = header_span(source, header_line(source), position, ",")
        match = TASK_COLUMN.fullmatch(column)
        if match is None:
            message, hint = f"'{column}' is not a column of judgements", "expected a tag and a number, as in NN-0"
        elif match.group(1) not in lexicon.tags:
            message, hint = f"unknown tag '{match.group(1)}'", nearest(match.group(1), lexicon.tags)
            hint = hint or f"expected {listed(sorted(lexicon.tags), 30)}"
        else:
            continue
        problems.append(Diagnostic("word-list", message, place, hint))
    return problems


def _repeated(words: list[ListedWord]) -> list[Diagnostic]:
    seen: dict[str, int] = {}
    problems = []
    for word in words:
        if word.text in seen:
            shown = word.text.replace("\t", " | ")
            problems.append(
                Diagnostic("word-list", f"'{shown}' stands twice (first in line {seen[word.text]})", word.span)
            )
        seen.setdefault(word.text, word.span.line)
    return problems


def _judged(
    rows: list[Row], header: tuple[str, ...], column: str, head: Span
) -> tuple[tuple[ListedWord, ...], list[Diagnostic]]:
    """The words that a column judges fit; a word has one row."""
    words: list[ListedWord] = []
    every: list[ListedWord] = []
    problems: list[Diagnostic] = []
    for row in rows:
        if not row.cells["word"]:
            problems.append(Diagnostic("word-list", "a row without a word", row.span))
            continue
        word = ListedWord(row.cells["word"], cell_span(row, header, "word", ","))
        every.append(word)
        judgement = row.cells[column]
        if judgement not in ("0", "1"):
            message = f"'{judgement}' is not a judgement" if judgement else "a row without a judgement"
            problems.append(Diagnostic("word-list", message, cell_span(row, header, column, ","), "expected 0 or 1"))
        elif judgement == "1":
            words.append(word)
    problems += _repeated(every)
    if not words and not problems:
        problems.append(Diagnostic("word-list", f"no word is judged fit in column '{column}'", head))
    return tuple(words), problems


def unused_note(choices: WordChoices, used: set[str]) -> str:
    """A message that names the files which replaced nothing; empty if all did."""
    unused = [name for name in choices.names if name not in used]
    if not unused:
        return ""
    return f"files of '{choices.folder}' that name no slot, table, category or paradigm here: {listed(unused)}"
