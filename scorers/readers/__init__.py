"""Formats of items and of predictions: one reader each, one line each in two tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from scorers.errors import UsageError, nearest
from scorers.readers import (
    babeval,
    blimp,
    clams,
    conllu,
    data_sets,
    filled_lines,
    harness_samples,
    items_jsonl,
    lstm_results,
    original,
    region_scores,
    score_rows,
    scored_lines,
    syntaxgym,
    tab_pairs,
    token_scores,
    tsv_pairs,
    zorro,
)
from scorers.readers.base import ItemReader, PredictionReader, ReadOptions, Stream
from scorers.readers.source import Report, Source

# In the order in which a file is asked whether it looks like one: what says so itself before what is plain lines.
_ITEM_READERS = (
    items_jsonl.READER,
    *data_sets.READERS,
    blimp.READER,
    syntaxgym.READER,
    original.ITEMS,
    tsv_pairs.READER,
    *tab_pairs.READERS,
    conllu.READER,
    clams.READER,
    babeval.READER,
    zorro.READER,
)
_PREDICTION_READERS = (
    harness_samples.READER,
    region_scores.JSONL,
    token_scores.JSONL,
    score_rows.JSONL,
    original.PREDICTIONS,
    region_scores.TSV,
    token_scores.TSV,
    score_rows.TSV,
    lstm_results.READER,
    scored_lines.READER,
    filled_lines.READER,
)

ITEM_READERS: Mapping[str, ItemReader] = {reader.name: reader for reader in _ITEM_READERS}
PREDICTION_READERS: Mapping[str, PredictionReader] = {reader.name: reader for reader in _PREDICTION_READERS}

_Reader = TypeVar("_Reader", ItemReader, PredictionReader)


def find_item_reader(name: str) -> ItemReader:
    """The reader of a format of items.  Raises UsageError with the nearest name."""
    return _named(name, ITEM_READERS, "items")


def find_prediction_reader(name: str) -> PredictionReader:
    """The reader of a format of predictions.  Raises UsageError with the nearest name."""
    return _named(name, PREDICTION_READERS, "predictions")


def detect_items(source: Source) -> ItemReader | None:
    """The first format of items that a file looks like: by its content first, by its name second; None for none."""
    return next((reader for reader in _ITEM_READERS if _can_be(source, reader)), None)


def detect_predictions(source: Source) -> PredictionReader | None:
    """The first format of predictions that a file looks like, by its content; None for none."""
    return next((reader for reader in _PREDICTION_READERS if _can_be(source, reader)), None)


def _can_be(source: Source, reader: ItemReader | PredictionReader) -> bool:
    return (reader.is_binary or not source.no_text) and reader.detect(source)


def _named(name: str, readers: Mapping[str, _Reader], what: str) -> _Reader:
    if name in readers:
        return readers[name]
    guess = nearest(name, readers) or f"; there are {', '.join(readers)}"
    raise UsageError(f"there is no format of {what} called '{name}'{guess}")


__all__ = [
    "ITEM_READERS",
    "PREDICTION_READERS",
    "ItemReader",
    "PredictionReader",
    "ReadOptions",
    "Report",
    "Source",
    "Stream",
    "detect_items",
    "detect_predictions",
    "find_item_reader",
    "find_prediction_reader",
]
