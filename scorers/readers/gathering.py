"""Arguments -> the files to be read, each with its reader; what else lies in folders is left out, and said."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from scorers.errors import Findings, ScoreError, UsageError, nearest
from scorers.readers.base import ItemReader, PredictionReader
from scorers.readers.fields import unit_of
from scorers.readers.records import fields_of
from scorers.readers.source import STANDARD_INPUT, Source, why_not

LEFT_OUT = "left-out"
"""The code of the warning of files in a folder that are neither read nor documentation."""

_BESIDE = re.compile(r".*\.answers\.json|(.*\.)?manifest\.json|results_.*\.json")
"""Files that belong to those to be read: Starling's answers and manifests, the harness's summaries."""

_DOCUMENTS = re.compile(
    r"(readme|licen[cs]e|copying|citation|changelog|makefile)(\..*)?|.*_yaml|"
    r".*\.(md|rst|py|pyc|ipynb|sh|r|js|css|html?|ya?ml|toml|cfg|ini|bib|tex|pdf|png|jpe?g|gif|svg|webp|grammar)",
    re.IGNORECASE,
)
"""Files that no format of items or predictions has: documentation, programs, settings, pictures."""

OPEN_ENDED = "open_ended"

_MOST_NAMES = 10

Reader = TypeVar("Reader", ItemReader, PredictionReader)


@dataclass(frozen=True)
class Kind(Generic[Reader]):
    """What is looked for: `what` ('items'), its readers, how a file shows its format; and that of the `other` kind.

    What looks like one of the `weak` formats (plain text) may be anything: in folders that also hold others it is left
    out, unless it lies in a folder `open_ended`.  Nor does it say that a file is of the other kind (`other_weak`).
    """

    what: str
    other: str
    readers: Mapping[str, Reader]
    detect: Callable[[Source], Reader | None]
    detect_other: Callable[[Source], ItemReader | PredictionReader | None]
    weak: frozenset[str] = frozenset()
    other_weak: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Entry(Generic[Reader]):
    """A file that is to be read."""

    source: Source
    is_in_folder: bool
    reader: Reader


@dataclass(frozen=True)
class _Stray:
    """A file that cannot be read: why, what to do, and in short for a list of several."""

    code: str
    message: str
    short: str
    hint: str = ""


def gather(
    paths: Iterable[str | Path], kind: Kind[Reader], named: Reader | None, findings: Findings
) -> list[Entry[Reader]]:
    """The files that arguments name (files, `-`, folders with all files in them, in order), each with its reader.

    A file that is named itself and that no reader takes is an error.  From a folder such files are left out with a
    warning where at least one other can be read: documentation, programs and pictures, files of the other kind, and
    whatever looks like no format (`LEFT_OUT`).  With a reader `named`, all files but documentation are for it.  Files
    that are called alike are told apart by their folders (`Source.label`), unless these only name the flavour.  Raises
    ScoreError.
    """
    names = [str(path) for path in paths]
    if names.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input ('-') can be read once")
    found: list[Entry[Reader]] = []
    for name in names:
        if name != STANDARD_INPUT and os.path.isdir(name):
            found += _of_folder(name, kind, named, findings)
            continue
        source = Source.of(name)
        reader = _reader_of(source, kind, named)
        if isinstance(reader, _Stray):
            _refuse(findings, source, reader)
        else:
            found.append(Entry(source, False, reader))
    _tell_apart([entry.source for entry in found])
    return found


def _tell_apart(sources: Sequence[Source]) -> None:
    places = Counter(stem for stem, _ in dict.fromkeys((source.stem, source.folder) for source in sources))
    for source in sources:
        if places[source.stem] > 1 and source.folder:
            source.called(f"{source.folder}/{source.stem}")


# --- folders --------------------------------------------------------------------------------------------------------


def _of_folder(name: str, kind: Kind[Reader], named: Reader | None, findings: Findings) -> list[Entry[Reader]]:
    folder, documents = Path(name), list[str]()
    kept: list[Entry[Reader]] = []
    strays: list[tuple[Source, _Stray]] = []
    for path in _files(folder, documents):
        source = Source(folder / path, name=str(folder / path))
        reader = _reader_of(source, kind, named)
        if not isinstance(reader, _Stray):
            kept.append(Entry(source, True, reader))
        elif reader.code == "unreadable":
            _refuse(findings, source, reader)
        else:
            strays.append((source, reader))
    if named is None and any(entry.reader.name not in kind.weak for entry in kept):
        doubtful = [e for e in kept if e.reader.name in kind.weak and OPEN_ENDED not in e.source.folders]
        strays += [(entry.source, _doubt(entry)) for entry in doubtful]
        kept = [entry for entry in kept if entry not in doubtful]
    if not kept:
        if not strays and not findings.errors:
            hint = f" (only {_listed(documents)})" if documents else ""
            raise ScoreError(f"{name}: a folder without files to read{hint}")
        for source, stray in strays:
            _refuse(findings, source, stray)
        return []
    if strays:
        message = f"{_many(len(strays), 'file')} left out that {_are(strays)} no {kind.what}: "
        findings.warning(message + "; ".join(_reasons(folder, strays)), name, code=LEFT_OUT)
    if documents:
        listed = f"{_listed(documents)} left out: documentation, programs or pictures by their names"
        findings.warning(listed, name, code="documents")
    return kept


def _files(folder: Path, documents: list[str]) -> Iterator[Path]:
    """The files of a folder, in order; `documents` takes the names of those that are none to read, and of hidden ones.

    Raises ScoreError where the folder, or one in it, cannot be looked into.
    """

    def refuse(error: OSError) -> None:
        raise ScoreError(f"{error.filename}: cannot be read: {why_not(error)}") from error

    found: list[Path] = []
    for place, inner, names in os.walk(folder, onerror=refuse):
        here = Path(place).relative_to(folder)
        documents += [f"{here / name}/" for name in sorted(inner) if name.startswith((".", "__"))]
        inner[:] = [name for name in inner if not name.startswith((".", "__"))]
        found += [here / name for name in names]
    for path in sorted(found):
        if _DOCUMENTS.fullmatch(path.name) or path.name.startswith((".", "__")):
            documents.append(str(path))
        elif not _BESIDE.fullmatch(path.name):
            yield path


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _are(strays: Sequence[object]) -> str:
    return "is" if len(strays) == 1 else "are"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def _doubt(entry: Entry[Reader]) -> _Stray:
    short = f"plain text without numbers, as '{entry.reader.name}' beside other formats stands in {OPEN_ENDED}/"
    return _Stray("unknown-format", short, short)


def _reasons(folder: Path, strays: Sequence[tuple[Source, _Stray]]) -> list[str]:
    """`a.txt, b.txt (like 'lines', predictions)`: the files by why they are left out."""
    by_reason: dict[str, list[str]] = {}
    for source, stray in strays:
        name = str(Path(source.name).relative_to(folder))
        by_reason.setdefault(stray.short, []).append(name)
    return [f"{_listed(names)} ({reason})" for reason, names in by_reason.items()]


# --- what a file is -------------------------------------------------------------------------------------------------


def _reader_of(source: Source, kind: Kind[Reader], named: Reader | None) -> Reader | _Stray:
    """The reader of a file, or why it has none."""
    try:
        reader = named or kind.detect(source)
        if reader is not None and (reader.is_binary or not source.no_text):
            return reader
        return _stray(source, kind)
    except ScoreError as error:
        message = str(error).removeprefix(f"{source.name}: ")
        return _Stray("unreadable", message, message)


def _stray(source: Source, kind: Kind[Reader]) -> _Stray:
    other = kind.detect_other(source)
    if other is not None and other.name not in kind.other_weak:
        message = f"looks like '{other.name}', a format of {kind.other}, and of no {kind.what}"
        return _Stray("other-kind", message, f"like '{other.name}', {kind.other}", f"give it as {kind.other.upper()}")
    if source.no_text == "UTF-16":
        return _Stray("encoding", "UTF-16, expected UTF-8", "UTF-16", "save the file as UTF-8")
    if source.no_text:
        hint = "unpack the file" if source.no_text == "compressed" else ""
        return _Stray("binary", f"a {source.no_text} file, no text", source.no_text, hint)
    if not source.head:
        return _Stray("empty", "the file is empty", "empty")
    first = source.head[0] if len(source.head[0]) <= 60 else f"{source.head[0][:57]}..."
    if source.head[0].lstrip().startswith(("{", "[{")) and not fields_of(source):
        short = "begins like JSON, and no line is a whole object"
        hint = "an object stands on one line; or the file is cut off"
        return _Stray("unknown-format", f"{short}: {first!r}", short, hint)
    message = f"looks like no format of {kind.what}: {first!r}"
    return _Stray("unknown-format", message, f"like no format: {first!r}", _misspelt(source, kind) or _naming(kind))


def _naming(kind: Kind[Reader]) -> str:
    return f"name its format: {', '.join(kind.readers)}"


def _misspelt(source: Source, kind: Kind[Reader]) -> str:
    """What a column or key may have been meant to be; '' where nothing is near."""
    known = list(dict.fromkeys(field for reader in kind.readers.values() for field in reader.fields))
    found = fields_of(source)
    if not found and any(name in known for name in re.split("[,;]", source.head[0])):
        return "cells are parted by tabs"
    unknown = [name for name in found if name not in known and unit_of(name) is None and unit_of(name, True) is None]
    guesses = [f"'{name}'{guess}" for name in unknown if (guess := nearest(name, known))]
    return "; ".join(guesses[:3])


def _refuse(findings: Findings, source: Source, stray: _Stray) -> None:
    line = 1 if stray.code == "unknown-format" else 0
    findings.error(stray.message, source.name, line, stray.code, hint=stray.hint)
