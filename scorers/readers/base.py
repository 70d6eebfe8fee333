"""What a reader is: of items, and of predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scorers.items import Item
from scorers.predictions import Prediction, Unit
from scorers.readers.source import Report, Source


@dataclass(frozen=True)
class ItemReader:
    """A format of items.

    `read` yields the items of a source in order; it reports what it cannot read and goes on.  `detect` says whether a
    source looks like the format: readers are asked in the order of their table.  `fields` are the names by which it is
    told, for names near to them; `is_binary`: it reads bytes, no text.
    """

    name: str
    about: str
    read: Callable[[Source, Report], Iterator[Item]]
    detect: Callable[[Source], bool]
    fields: tuple[str, ...] = ()
    is_binary: bool = False


@dataclass(frozen=True)
class ReadOptions:
    """What the user says of a prediction file: `unit` in place of the one that the file (or its format) names, and the
    name of the `model`.
    """

    unit: Unit | None = None
    model: str = ""


@dataclass(frozen=True)
class Stream:
    """What one model says in one file: `rows` can be gone through once.  `model` is '' where the file does not say, and
    `made` how the numbers were made, where it does.
    """

    unit: Unit
    rows: Iterator[Prediction]
    model: str = ""
    notes: tuple[str, ...] = ()
    made: str = ""


@dataclass(frozen=True)
class PredictionReader:
    """A format of predictions.

    `read` gives a stream for each model of the file.  `is_by_paradigm`: each file is of one paradigm and called after
    it, so that the folder's name, not the file's, is that of the model.  `fields` and `is_binary`: as of items.
    """

    name: str
    about: str
    read: Callable[[Source, Report, ReadOptions], list[Stream]]
    detect: Callable[[Source], bool]
    is_by_paradigm: bool = False
    fields: tuple[str, ...] = ()
    is_binary: bool = False
