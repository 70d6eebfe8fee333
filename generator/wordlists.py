"""Word lists -> Lexicon: the schema file, the TSV lists, and every error in them, row by row."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from generator.errors import Diagnostic, GrammarError, listed, nearest
from generator.features import FeatureDeclaration, FeatureSystem, Kind
from generator.lexicon import CategoryDeclaration, EntryBuilder, LexicalEntry, Lexicon
from generator.source import SourceFile, Span
from generator.tag_tables import build_tag_table

MOST_COLUMNS = 20
"""How many columns of a header are reported one by one."""


@dataclass(frozen=True)
class Row:
    """A row of a delimited file: its cells by column name, and where it stands."""

    cells: Mapping[str, str]
    span: Span


def read_source(path: Path | Traversable, name: str | None = None) -> SourceFile:
    """Read a UTF-8 text (a byte order mark is accepted); a GrammarError names the first byte that is not UTF-8."""
    shown = name or str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GrammarError([Diagnostic("file", f"cannot read '{shown}': {error.strerror or error}")]) from error
    return decoded(data, shown, path if isinstance(path, Path) else None)


def decoded(data: bytes, shown: str, path: Path | None = None) -> SourceFile:
    """The bytes of a file as text; see `read_source`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        source = SourceFile(shown, data.decode("utf-8", errors="replace"))
        raise GrammarError(
            [
                Diagnostic(
                    "encoding",
                    f"not UTF-8: byte 0x{data[error.start]:02x}",
                    Span(source, line, column),
                    "save the file as UTF-8",
                )
            ]
        ) from error
    return SourceFile(shown, text.replace("\r\n", "\n").replace("\r", "\n"), path)


def is_file(path: Path | Traversable) -> bool:
    """Whether there is such a file; a name that no file can have (too long) has none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read_table(source: SourceFile, delimiter: str = "\t") -> tuple[tuple[str, ...], list[Row], list[Diagnostic]]:
    """Header, rows and misalignments of a delimited text.  Empty lines are skipped."""
    lines = [(number, line) for number, line in enumerate(source.lines, start=1) if line.strip()]
    if not lines:
        return (), [], [Diagnostic("word-list", "the file is empty", Span(source, 1, 1), "expected a header row")]
    number, first = lines[0]
    header = tuple(cell.strip() for cell in first.split(delimiter))
    problems: list[Diagnostic] = []
    seen: set[str] = set()
    repeated: dict[str, int] = {}  # name -> its second place
    for position, name in enumerate(header):
        if name in seen:
            repeated.setdefault(name, position)
        seen.add(name)
    for name in sorted(repeated)[:MOST_COLUMNS]:
        place = header_span(source, number, repeated[name], delimiter)
        problems.append(Diagnostic("word-list", f"column '{name}' stands twice in the header", place))
    rows: list[Row] = []
    for number, line in lines[1:]:
        cells = line.split(delimiter)
        span = Span(source, number, 1, len(line))
        if len(cells) != len(header):
            problems.append(
                Diagnostic(
                    "word-list",
                    f"a row of {len(cells)} cell{'' if len(cells) == 1 else 's'} under a header of {len(header)}",
                    span,
                    f"expected {', '.join(header)}",
                )
            )
            continue
        rows.append(Row({name: cell.strip() for name, cell in zip(header, cells, strict=True)}, span))
    return header, rows, problems


def header_line(source: SourceFile) -> int:
    """The number of the first line that is not empty."""
    return next((number for number, line in enumerate(source.lines, start=1) if line.strip()), 1)


def header_span(source: SourceFile, line: int, position: int, delimiter: str) -> Span:
    """Where the cell at `position` of a header line stands."""
    cells = source.line(line).split(delimiter)
    return Span(source, line, sum(len(cell) + 1 for cell in cells[:position]) + 1, max(1, len(cells[position])))


def cell_span(row: Row, header: tuple[str, ...], column: str, delimiter: str = "\t") -> Span:
    """Where a cell stands."""
    text = row.span.text
    cells = text.split(delimiter)
    index = header.index(column)
    start = sum(len(cell) + 1 for cell in cells[:index])
    return Span(row.span.source, row.span.line, start + 1, max(1, len(cells[index])))


def build_system(data: Mapping[str, Any]) -> FeatureSystem:
    """The feature system of a validated schema."""
    declarations: dict[str, FeatureDeclaration] = {}
    for name, entry in data["features"].items():
        kind: Kind = "value"
        for other in ("flag", "text", "filter"):
            if other in entry:
                kind = other
        declarations[name] = FeatureDeclaration(
            name,
            kind,
            tuple(entry.get("values", ())),
            entry.get("values_of", ""),
            entry.get("about", ""),
            entry.get("instead_of", ""),
        )
    return FeatureSystem(declarations, tuple(data["bundle"]))


def build_category(name: str, entry: Mapping[str, Any], system: FeatureSystem) -> CategoryDeclaration:
    """A category of a validated schema; `any` stands for every value."""

    def values(feature: str, value: Any) -> frozenset[str]:
        if value == "any":
            return frozenset(system.values(feature))
        return frozenset([value] if isinstance(value, str) else value)

    forms = {
        column: tuple({feature: values(feature, value) for feature, value in reading.items()} for reading in readings)
        for column, readings in entry["forms"].items()
    }
    return CategoryDeclaration(
        name,
        entry["file"],
        entry["open"],
        forms,
        tuple(entry.get("text", ())),
        tuple(entry.get("filters", ())),
        entry.get("defaults", {}),
        entry.get("requires", ""),
        entry.get("usual", {}),
        entry.get("tags", {}),
        frozenset(entry.get("flags", ())),
    )


# --- the lists ------------------------------------------------------------------------------------------------------


def _feature_problem(token: str, system: FeatureSystem) -> tuple[str, str]:
    """What is wrong with a token of a features cell, and the hint; empty if nothing."""
    name, equals, value = token.partition("=")
    if not equals:
        return ("", "") if name in system.bare else (f"unknown feature '{name}'", nearest(name, system.bare))
    if name not in system.declarations or system.declarations[name].kind != "value":
        return f"unknown feature '{name}'", nearest(name, system.declarations)
    for part in value.split("|"):
        values = system.values(name)
        if part not in values:
            return f"'{part}' is not a value of {name}", nearest(part, values) or f"expected {', '.join(values)}"
    return "", ""


def read_entries(
    source: SourceFile, category: CategoryDeclaration, system: FeatureSystem
) -> tuple[list[LexicalEntry], list[Diagnostic]]:
    """The entries of one list, with every problem in it."""
    header, rows, problems = read_table(source)
    first = header_line(source)
    head = Span(source, first, 1, max(1, len(source.line(first))))
    if len(header) == 1 and len(category.header) > 1:
        hint = f"separate columns with tabs: {', '.join(category.header)}"
        return [], [Diagnostic("word-list", "the header is a single column", head, hint)]
    for column in category.header:
        if header and column not in header:
            problems.append(
                Diagnostic(
                    "word-list",
                    f"missing column '{column}'",
                    head,
                    nearest(column, header) or f"expected {', '.join(category.header)}",
                )
            )
    unknown = [position for position, column in enumerate(header) if column not in category.header]
    if len(unknown) > MOST_COLUMNS:
        message = f"{len(unknown):,} unknown columns"
        hint = f"write a row a line; expected {', '.join(category.header)}"
        problems.append(Diagnostic("word-list", message, head, hint))
        unknown = []
    for position in unknown:
        place = header_span(source, first, position, "\t")
        hint = nearest(header[position], category.header) or f"expected {', '.join(category.header)}"
        problems.append(Diagnostic("word-list", f"unknown column '{header[position]}'", place, hint))
    if any(column not in header for column in category.header):
        return [], problems
    entries: list[LexicalEntry] = []
    seen: dict[str, int] = {}
    builder = EntryBuilder(system, category)
    further = (*category.text_columns, *category.filter_columns)
    right: set[str] = set()  # features that were found right
    for row in rows:
        cells = row.cells
        lemma = cells["lemma"]
        if not lemma:
            problems.append(Diagnostic("word-list", "a row without a lemma", row.span))
            continue
        if lemma in seen:
            problems.append(
                Diagnostic(
                    "word-list",
                    f"'{lemma}' stands twice (first in line {seen[lemma]})",
                    cell_span(row, header, "lemma"),
                )
            )
            continue
        seen[lemma] = row.span.line
        forms = {column: cells[column] for column in category.forms}
        if not any(forms.values()):
            problems.append(Diagnostic("word-list", f"'{lemma}' has no form", row.span))
            continue
        tokens = cells["features"].split()
        bad = []
        for token in tokens:
            if token not in right:
                found = _feature_problem(token, system)
                if found[0]:
                    bad.append((token, found))
                else:
                    right.add(token)
        for token, (problem, hint) in bad:
            place = cell_span(row, header, "features")
            offset = next((m.start() for m in re.finditer(r"\S+", place.text) if m.group() == token), 0)
            place = Span(source, place.line, place.column + offset, len(token))
            problems.append(Diagnostic("word-list", problem, place, hint))
        for column in category.filter_columns:
            for token in cells[column].replace("|", " ").split():
                name = token.removeprefix("-")
                if name not in system.bare:
                    problems.append(
                        Diagnostic(
                            "word-list",
                            f"unknown feature '{name}'",
                            cell_span(row, header, column),
                            nearest(name, system.bare),
                        )
                    )
                    bad.append((token, ("", "")))
        if bad:
            continue
        columns = {name: cells[name] for name in further if cells[name]}
        entries.append(builder.entry(lemma, forms, tokens, columns, (), row.span))
    return entries, problems


def shipped_languages() -> list[str]:
    """The languages that have shipped word lists."""
    root = files("wordlists")
    return sorted(entry.name for entry in root.iterdir() if entry.is_dir() and entry.joinpath("schema.json").is_file())


def _folder(language: str, overlay: Path | None) -> tuple[Traversable | Path, bool]:
    if overlay is not None and (overlay / "schema.json").is_file():
        return overlay, False
    return files("wordlists").joinpath(language), True


def load_lexicon(language: str, overlay: Path | None = None) -> Lexicon:
    """The lexicon of a language.  A folder `overlay` with a `schema.json` replaces it; lists named as the
    language's own (`nouns.tsv`) add rows to it or replace rows of the same lemma.

    Raises GrammarError with every problem of schema and lists.
    """
    if overlay is None:
        return _shipped(language)
    own = {path.name for path in overlay.iterdir()} if overlay.is_dir() else set()
    data_names = own & {"schema.json", *_shipped_files(language)}
    return _load(language, overlay) if data_names else _shipped(language)


@cache
def _shipped(language: str) -> Lexicon:
    return _load(language, None)


def _shipped_files(language: str) -> set[str]:
    folder = files("wordlists").joinpath(language)
    names = {entry.name for entry in folder.iterdir()} if language in shipped_languages() else set()
    return {name for name in names if name.endswith(".tsv")}


def _load(language: str, overlay: Path | None) -> Lexicon:
    folder, shipped = _folder(language, overlay)
    schema_file = folder.joinpath("schema.json")
    if shipped and language not in shipped_languages():
        raise GrammarError(
            [
                Diagnostic(
                    "language",
                    f"no word lists for language '{language}'",
                    hint=f"there are lists for {listed(shipped_languages())}",
                )
            ]
        )
    source = read_source(schema_file, f"wordlists/{language}/schema.json" if shipped else None)
    data = _parsed(source)
    if not shipped:
        from generator.schema_checks import consistent_schema, validate_schema

        raise_any(validate_schema(data, source.name))
        raise_any(consistent_schema(data, source.name))
        if data["language"] != language:
            message = f"the grammar's language is '{language}', that of '{source.name}' is '{data['language']}'"
            raise GrammarError([Diagnostic("language", message)])
    # Which items there are, and in which order a sample takes them, does not depend on their tags.
    untagged = {key: value for key, value in data.items() if key != "tagging"}
    digest = hashlib.sha256(json.dumps(untagged, ensure_ascii=False).encode())
    system = build_system(data)
    categories = {name: build_category(name, entry, system) for name, entry in data["categories"].items()}
    entries: dict[str, tuple[LexicalEntry, ...]] = {}
    problems: list[Diagnostic] = []
    for category in categories.values():
        found: dict[str, LexicalEntry] = {}
        sources = []
        if folder.joinpath(category.file).is_file():
            name = f"wordlists/{language}/{category.file}" if shipped else None
            sources.append(read_source(folder.joinpath(category.file), name))
        if shipped and overlay is not None and (overlay / category.file).is_file():
            sources.append(read_source(overlay / category.file))
        if not sources and not shipped:
            message = f"{source.name}: category '{category.name}' has no list: '{category.file}' is not in the folder"
            problems.append(Diagnostic("schema", message))
        for list_source in sources:
            digest.update(category.file.encode() + b"\0" + list_source.text.encode() + b"\0")
            rows, bad = read_entries(list_source, category, system)
            problems.extend(bad)
            found.update((entry.lemma, entry) for entry in rows)
        entries[category.name] = tuple(found.values())
    raise_any(problems)
    tagging = build_tag_table(data["tagging"]) if "tagging" in data else None
    return Lexicon(language, system, categories, entries, data["realisation"], digest.hexdigest(), tagging)


def _parsed(source: SourceFile) -> Any:
    """The JSON of a schema file.  Raises GrammarError where it is none, or holds what no text can."""
    try:
        data = json.loads(source.text)
        json.dumps(data, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        problem = Diagnostic("schema", f"not JSON: {error.msg}", Span(source, error.lineno, error.colno))
    except UnicodeEncodeError as error:
        message = f"{source.name}: half a character: \\u{ord(error.object[error.start]):04x}"
        problem = Diagnostic("schema", message, hint="write characters as they are")
    except RecursionError:
        problem = Diagnostic("schema", f"{source.name}: brackets nested too deeply")
    except ValueError:  # of numbers with thousands of digits
        problem = Diagnostic("schema", f"{source.name}: a number that is too long")
    else:
        return data
    raise GrammarError([problem])


def raise_any(problems: Iterable[Diagnostic]) -> None:
    """Raise GrammarError if there are errors."""
    errors = [problem for problem in problems if problem.is_error]
    if errors:
        raise GrammarError(errors)
