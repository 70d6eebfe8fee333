"""Grammar files with their imports, word lists and the user's own words, joined into one `Grammar`."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from generator import nodes
from generator.balancing import load_numbers
from generator.errors import DataError, Diagnostic, GrammarError, by_place, nearest
from generator.lexicon import Lexicon
from generator.overlays import WordChoices, load_choices
from generator.parsing import parse
from generator.source import Node, SourceFile, Span
from generator.wordlists import decoded, is_file, load_lexicon, read_source

Definition = nodes.SlotDefinition | nodes.TableDefinition | nodes.PhraseDefinition
_Named = TypeVar(
    "_Named",
    bound=nodes.SlotDefinition | nodes.TableDefinition | nodes.PhraseDefinition | nodes.VariableDefinition,
)


@dataclass(eq=False)
class Grammar:
    """A grammar file and everything it needs.  `diagnostics` are those of reading and parsing."""

    source: SourceFile
    lexicon: Lexicon
    choices: WordChoices
    definitions: dict[str, Definition]
    meta: dict[str, str]
    templates: tuple[nodes.TemplateDefinition, ...]
    statements: tuple[nodes.Statement, ...]
    diagnostics: list[Diagnostic]
    digest: str
    sources: tuple[SourceFile, ...]
    variables: dict[str, nodes.VariableDefinition] = field(default_factory=dict)
    numbers: dict[str, Mapping[str, float]] = field(default_factory=dict)
    failed: frozenset[str] = frozenset()
    lacks_import: bool = False
    used_choices: set[str] = field(default_factory=set)

    @property
    def paradigm(self) -> str:
        """The paradigm's name: stated, else the file's."""
        return self.meta.get("paradigm") or Path(self.source.name).stem.strip("<>")

    def is_own(self, definition: Node) -> bool:
        """Whether a definition stands in the grammar's own file, not in an imported one."""
        return definition.span.source is self.source


def grammar_folders() -> list[Path]:
    """Where imports and shipped names are looked for, after the importing file's own folder."""
    extra = os.environ.get("STARLING_GRAMMARS", "")
    return [Path(part) for part in extra.split(os.pathsep) if part] + [Path(str(files("grammars")))]


def load_grammar(path: str | Path, words: str | Path | None = None) -> Grammar:
    """Read a grammar file (`-` is standard input) with its imports and word lists.

    Syntax errors are kept in `Grammar.diagnostics`; `check` reports them with its own.  Raises GrammarError or
    DataError where nothing can be read at all (no such file, not UTF-8, a broken word list).
    """
    if str(path) == "-":
        binary = getattr(sys.stdin, "buffer", None)  # a stream put in its place may have text only
        source = decoded(binary.read(), "<stdin>") if binary else SourceFile("<stdin>", sys.stdin.read())
        return grammar_from_source(source, words)
    found = Path(path)
    return grammar_from_source(read_source(found, shown_name(found)), words)


def shown_name(path: Path) -> str:
    """A path as the user would write it: relative to the current folder or to the shipped grammars' parent."""
    for base in (Path.cwd(), Path(str(files("grammars"))).parent):
        try:
            return path.resolve().relative_to(base).as_posix()
        except ValueError:
            continue
    return str(path)


def grammar_from_text(text: str, name: str = "<text>", words: str | Path | None = None) -> Grammar:
    """A grammar from a string, as `load_grammar`."""
    return grammar_from_source(SourceFile(name, text), words)


def grammar_from_source(source: SourceFile, words: str | Path | None = None) -> Grammar:
    """Parse, import, load words.  See `load_grammar`."""
    loader = _Loader()
    statements = list(loader.file(source, ()))
    meta: dict[str, str] = {}
    metas = [statement for statement in statements if isinstance(statement, nodes.Meta)]
    for statement in metas:
        if statement.span.source is source:
            if statement.keyword in meta:
                earlier = next(m for m in metas if m.keyword == statement.keyword and m.span.source is source)
                loader.problem(
                    "duplicate",
                    f"'{statement.keyword}' stands twice",
                    statement.span,
                    f"first in line {earlier.span.line}",
                )
            meta.setdefault(statement.keyword, statement.value)
    for statement in metas:
        if statement.keyword == "language":
            meta.setdefault("language", statement.value)
    name = meta.get("paradigm", "")
    place: Span | None
    if name and not re.fullmatch(r"[\w.-]+", name):
        place = next(m.place for m in metas if m.keyword == "paradigm")
        loader.problem("name", f"'{name}' cannot be a paradigm's name", place, "use letters, digits, '_', '-' and '.'")
    folder = Path(words) if words is not None else None
    if folder is not None and not folder.is_dir():
        raise DataError(f"no folder of words '{folder}'")
    try:
        lexicon = load_lexicon(meta.get("language", "en"), folder)
    except GrammarError as error:
        stated = sorted((m for m in metas if m.keyword == "language"), key=lambda m: m.span.source is not source)
        place = stated[0].place if stated else None
        if place is None or error.diagnostics[0].code != "language":
            raise
        first = error.diagnostics[0]
        finding = Diagnostic("language", first.message, place, first.hint)
        raise GrammarError(by_place([*loader.diagnostics, finding])) from error
    balances = [s for s in statements if isinstance(s, nodes.Balance)]
    choices = load_choices(folder, lexicon, frozenset(statement.by.name for statement in balances))
    places = [place for place in (folder, source.path.parent if source.path else None) if place is not None]
    numbers, problems, numbered = load_numbers(balances, places, lexicon.language)
    loader.diagnostics += problems
    definitions = loader.definitions(statements)
    digest = hashlib.sha256()
    for each in (*loader.sources, *numbered):
        digest.update(each.text.encode() + b"\0")
    digest.update((lexicon.digest + choices.digest).encode())
    templates = tuple(loader.templates([s for s in statements if s.span.source is source]))
    own = tuple(s for s in statements if s.span.source is source)
    return Grammar(
        source,
        lexicon,
        choices,
        definitions,
        meta,
        templates,
        own,
        loader.diagnostics,
        digest.hexdigest(),
        tuple(loader.sources),
        variables=loader.variables(statements),
        numbers=numbers,
        failed=loader.failed,
        lacks_import=loader.lacks_import,
    )


class _Loader:
    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.sources: list[SourceFile] = []
        self.seen: set[str] = set()
        self.failed: frozenset[str] = frozenset()
        self.lacks_import = False

    def problem(self, code: str, message: str, span: Span | None, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, message, span, hint))

    def file(self, source: SourceFile, chain: tuple[str, ...]) -> Iterator[nodes.Statement]:
        """The statements of a file, those of its imports first."""
        self.sources.append(source)
        tree, problems = parse(source)
        self.diagnostics.extend(problems)
        self.failed |= tree.failed
        own_key = str(source.path.resolve()) if source.path else source.name
        for statement in tree.statements:
            if isinstance(statement, nodes.Import):
                yield from self._import(statement, source, (*chain, own_key))
        yield from tree.statements

    def _import(self, statement: nodes.Import, source: SourceFile, chain: tuple[str, ...]) -> Iterator[nodes.Statement]:
        name = statement.path if statement.path.endswith(".grammar") else statement.path + ".grammar"
        folders = ([source.path.parent] if source.path else []) + grammar_folders()
        for folder in folders:
            path = folder / name
            if is_file(path):
                break
        else:
            self.lacks_import = True
            looked = ", ".join(f"'{folder}'" for folder in folders)
            known = [p.relative_to(f).with_suffix("").as_posix() for f in folders for p in f.glob("*/lib/*.grammar")]
            self.problem(
                "import",
                f"cannot find '{statement.path}'",
                statement.span,
                nearest(statement.path, known) or f"looked in {looked}",
            )
            return
        key = str(path.resolve())
        if key in chain:
            self.problem(
                "import",
                f"'{statement.path}' imports itself",
                statement.span,
                " -> ".join(Path(part).stem for part in (*chain, key)),
            )
            return
        if key in self.seen:
            return
        self.seen.add(key)
        try:
            imported = read_source(path, shown_name(path))
        except GrammarError as error:
            self.diagnostics.extend(error.diagnostics)
            self.lacks_import = True
            return
        for inner in self.file(SourceFile(imported.name, imported.text, path), chain):
            if isinstance(inner, Definition | nodes.Meta | nodes.VariableDefinition):
                yield inner
            elif not isinstance(inner, nodes.Import):
                self.problem(
                    "import", "an imported file defines slots, tables, phrases and variables, nothing else", inner.span
                )

    def templates(self, statements: list[nodes.Statement]) -> Iterator[nodes.TemplateDefinition]:
        """Templates in order; at file level a `+` line opens one, and `*` lines belong to the `+` line above."""
        open_lines: list[nodes.Sentence] = []

        def closed() -> Iterator[nodes.TemplateDefinition]:
            if open_lines:
                yield nodes.TemplateDefinition(open_lines[0].span, (), tuple(open_lines))
                open_lines.clear()

        for statement in statements:
            if not isinstance(statement, nodes.TemplateDefinition):
                continue
            if statement.name:
                yield from closed()
                yield statement
                continue
            line = statement.sentences[0]
            if line.mark == "+":
                yield from closed()
            elif not open_lines:
                self.problem(
                    "star",
                    "a '*' line without the '+' line that it is the starred version of",
                    line.span,
                    "write the acceptable sentence above it",
                )
                continue
            open_lines.append(line)
        yield from closed()

    def variables(self, statements: list[nodes.Statement]) -> dict[str, nodes.VariableDefinition]:
        """Typed variables by name; a file's own win over imported ones."""
        return self._named(s for s in statements if isinstance(s, nodes.VariableDefinition))

    def definitions(self, statements: list[nodes.Statement]) -> dict[str, Definition]:
        """Names to definitions; a file's own win over imported ones, and two of one name in a file are an error."""
        return self._named(s for s in statements if isinstance(s, Definition))

    def _named(self, statements: Iterable[_Named]) -> dict[str, _Named]:
        found: dict[str, _Named] = {}
        for statement in statements:
            earlier = found.get(statement.name)
            if earlier is not None and earlier.span.source is statement.span.source:
                first = f"first in line {earlier.span.line}"
                self.problem("duplicate", f"'{statement.name}' is defined twice", statement.span, first)
                continue
            found[statement.name] = statement
        return found
