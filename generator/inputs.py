"""The files that decide what a grammar yields: grammar files, word lists, the user's own words; each with its digest.

A text is digested as it is read: a byte order mark and the kind of line ends decide nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from generator import nodes
from generator.balancing import numbers_file, shipped_numbers
from generator.loading import Grammar, grammar_folders
from generator.wordlists import read_source

WORD_FILES = (".txt", ".tsv", ".csv")


@dataclass(frozen=True)
class Input:
    """A file that was read: how it is called wherever it lies, and the digest of its text."""

    name: str
    sha256: str


def _input(name: str, text: str) -> Input:
    return Input(name, hashlib.sha256(text.encode()).hexdigest())


def shipped_grammar(path: Path) -> str:
    """The name of a shipped grammar (`en/tense/tense`), or an empty string for a file of the user's own."""
    try:
        inside = path.resolve().relative_to(Path(str(files("grammars"))).resolve())
    except ValueError:
        return ""
    return inside.with_suffix("").as_posix()


def grammar_inputs(grammar: Grammar) -> tuple[Input, ...]:
    """The grammar file, then its imports and the numbers of its `balance` statements."""
    own = grammar.source.path.parent if grammar.source.path else None
    found = [_input(_name(source.path, own) if source.path else "-", source.text) for source in grammar.sources]
    balanced = dict.fromkeys(s.by.name for s in grammar.statements if isinstance(s, nodes.Balance))
    for name in balanced:
        # Those in a folder of the user's own words are listed with it.
        path = numbers_file(name, [folder for folder in (grammar.choices.folder, own) if folder is not None])
        if path is not None and path.parent != grammar.choices.folder:
            found.append(_input(_name(path, own), read_source(path).text))
        language = grammar.lexicon.language
        if path is None and (shipped := shipped_numbers(name, language)) is not None:
            found.append(_input(f"wordlists/{language}/{name}.csv", read_source(shipped).text))
    return tuple(found)


def _name(path: Path, own: Path | None) -> str:
    """A file's name as seen from the grammar's folder or from the folder in which imports are looked for."""
    resolved = path.resolve()
    if own is not None and resolved.is_relative_to(own.resolve()):
        return resolved.relative_to(own.resolve()).as_posix()
    for folder in grammar_folders():
        if resolved.is_relative_to(folder.resolve()):
            return f"grammars/{resolved.relative_to(folder.resolve()).as_posix()}"
    return Path(os.path.relpath(resolved, own or Path.cwd())).as_posix()


def word_list_inputs(grammar: Grammar) -> tuple[Input, ...]:
    """The shipped word lists of the grammar's language; none where the user's own folder replaces them."""
    folder = _lists(grammar)
    if folder is None:
        return ()
    # Shipped numbers (`frequency.csv`) decide only what a grammar yields that asks for them: they stand with its files.
    lists = (entry for entry in _sorted(folder) if not entry.name.endswith(".csv"))
    return tuple(_input(entry.name, read_source(entry).text) for entry in lists)


def _lists(grammar: Grammar) -> Traversable | None:
    own = grammar.choices.folder
    if own is not None and (own / "schema.json").is_file():
        return None
    return files("wordlists").joinpath(grammar.lexicon.language)


def _sorted(folder: Traversable) -> Iterator[Traversable]:
    suffixes = (*WORD_FILES, ".json")
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.name.endswith(suffixes) and entry.is_file():
            yield entry


def own_word_inputs(folder: Path) -> tuple[Input, ...]:
    """The files of a folder of the user's own words."""
    return tuple(_input(entry.name, read_source(folder / entry.name).text) for entry in _sorted(folder))


def licence_of(grammar: Grammar) -> str:
    """The licence that the word lists' schema states; empty where it states none."""
    folder: Traversable | None = _lists(grammar) or grammar.choices.folder
    assert folder is not None
    data = json.loads(read_source(folder.joinpath("schema.json")).text)
    found = data.get("licence", "") if isinstance(data, Mapping) else ""
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
