"""Files, folders and standard input -> items, and predictions of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from scorers.errors import Findings
from scorers.items import Item
from scorers.predictions import Prediction, PredictionFile, Unit
from scorers.readers import (
    ITEM_READERS,
    PREDICTION_READERS,
    detect_items,
    detect_predictions,
    find_item_reader,
    find_prediction_reader,
)
from scorers.readers.base import PredictionReader, ReadOptions, Stream
from scorers.readers.clusters import with_clusters
from scorers.readers.gathering import Kind, gather
from scorers.readers.source import Report, Source

_READ_AS = "read_as"
"""The attribute in which `gen parse --json` keeps an item's own id, or its place, in the file that it parsed."""


_PLAIN = frozenset({"fills"})
_ITEMS = Kind("items", "predictions", ITEM_READERS, detect_items, detect_predictions, other_weak=_PLAIN)
_PREDICTIONS = Kind("predictions", "items", PREDICTION_READERS, detect_predictions, detect_items, weak=_PLAIN)

# --- items --------------------------------------------------------------------------------------------------------


def read_items(
    paths: Iterable[str | Path], format_name: str | None = None, findings: Findings | None = None
) -> list[Item]:
    """The items of files and folders, in order.

    `format_name` names the format of all; without it each file shows it.  An item that stands twice word for word is
    kept once, with a warning; two different ones of one id are an error.  But what `gen parse` says of a file is one
    item for each of its lines or pairs, as often as the file has them: the second of an id is called `ID#2`.  Raises
    InputError with all that is wrong; warnings are left in `findings`.
    """
    findings = Findings() if findings is None else findings
    ordered: list[Item] = []
    found: dict[str, dict[str, Item]] = {}  # id -> the place in the file that was parsed ('' for other files) -> item
    for report, items in _items(paths, format_name, findings):
        is_empty = True
        for item in items:
            is_empty = False
            known, place = found.setdefault(item.id, {}), item.attributes.get(_READ_AS, "")
            if known and (place in known or not place or "" in known):
                _repeated(report, known.get(place) or next(iter(known.values())), item)
                continue
            if known:
                item = replace(item, id=f"{item.id}#{len(known) + 1}")
                report.warn(
                    item.line, "an item that the parsed file has again: kept, with #2 ... after its id", "again"
                )
            known[place] = item
            ordered.append(item)
        if is_empty and not report.has_errors:
            report.error(0, "no items: the file has no rows", "empty")
        report.close()
    findings.require_none()
    return with_clusters(ordered)


def iter_items(
    paths: Iterable[str | Path], format_name: str | None = None, findings: Findings | None = None
) -> Iterator[Item]:
    """The items of files and folders, one after the other, without looking for repeated ids and without
    clusters, which depend on all of them.

    Raises InputError with all that is wrong, after the last item.
    """
    findings = Findings() if findings is None else findings
    for report, items in _items(paths, format_name, findings):
        yield from items
        report.close()
    findings.require_none()


def _items(
    paths: Iterable[str | Path], format_name: str | None, findings: Findings
) -> Iterator[tuple[Report, Iterator[Item]]]:
    named = find_item_reader(format_name) if format_name is not None else None
    for entry in gather(paths, _ITEMS, named, findings):
        report = Report(findings, entry.source.name)
        yield report, entry.reader.read(entry.source, report)


def _repeated(report: Report, known: Item, item: Item) -> None:
    if replace(item, id=known.id, file=known.file, line=known.line) == known:
        report.warn(item.line, "an item that stands there twice, word for word: kept once", "repeated-item")
    else:
        message = f"the id '{item.id}' is that of another item ({known.file}:{known.line})"
        report.error(item.line, message, "duplicate-id")


# --- predictions --------------------------------------------------------------------------------------------------


def read_predictions(
    paths: Iterable[str | Path],
    format_name: str | None = None,
    findings: Findings | None = None,
    unit: Unit | None = None,
    model: str = "",
) -> list[PredictionFile]:
    """What each model says in each file, in order.

    `unit` is what the numbers are where neither the format nor the field's name says so rightly.  `model` is the name
    of the model of all files; else a column's or a field's own name is, else the folder's for files of a folder, files
    called after their paradigm and files of one name in several folders, else the file's.  Raises InputError with all
    that is wrong.
    """
    findings = Findings() if findings is None else findings
    found: list[PredictionFile] = []
    for source, report, reader, streams in _streams(paths, format_name, findings, ReadOptions(unit, model)):
        for stream in streams:
            found.append(
                PredictionFile(
                    source.name,
                    reader.name,
                    stream.unit,
                    tuple(stream.rows),
                    model or stream.model,
                    source.digest,
                    stream.notes,
                    stream.made,
                )
            )
        if not any(entry.predictions for entry in found[len(found) - len(streams) :]) and not report.has_errors:
            report.error(0, "no predictions: the file has no rows", "empty")
        report.close()
    findings.require_none()
    return found


def iter_predictions(
    paths: Iterable[str | Path],
    format_name: str | None = None,
    findings: Findings | None = None,
    unit: Unit | None = None,
) -> Iterator[tuple[str, Unit, Prediction]]:
    """(model, unit, prediction) of every row, one after the other: no file is held in memory, except those with columns
    of models.  Raises InputError with all that is wrong, after the last row.
    """
    findings = Findings() if findings is None else findings
    for _, report, _, streams in _streams(paths, format_name, findings, ReadOptions(unit)):
        for stream in streams:
            model, own_unit = stream.model, stream.unit
            for row in stream.rows:
                yield model, own_unit, row
        report.close()
    findings.require_none()


def _streams(
    paths: Iterable[str | Path], format_name: str | None, findings: Findings, options: ReadOptions
) -> Iterator[tuple[Source, Report, PredictionReader, list[Stream]]]:
    named = find_prediction_reader(format_name) if format_name is not None else None
    for entry in gather(paths, _PREDICTIONS, named, findings):
        source, reader = entry.source, entry.reader
        report = Report(findings, source.name)
        # Files that are called alike in several folders are several models'.
        is_of_folder = entry.is_in_folder or reader.is_by_paradigm or source.label != source.stem
        called = source.folder if is_of_folder and source.folder else source.stem
        streams = reader.read(source, report, options)
        yield source, report, reader, [replace(stream, model=stream.model or called) for stream in streams]


def models(files: Sequence[PredictionFile]) -> dict[str, list[PredictionFile]]:
    """The files by their models, in order."""
    found: dict[str, list[PredictionFile]] = {}
    for file in files:
        found.setdefault(file.model, []).append(file)
    return found
