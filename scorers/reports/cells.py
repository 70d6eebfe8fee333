"""What a table of a report is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "long", "number", "code"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and what it holds: names of rows, longer text, numbers (set to the right), formulas."""

    name: str
    kind: Kind = "number"


@dataclass(frozen=True, slots=True)
class Cell:
    """What is shown, and the number by which rows are sorted where that is not the text."""

    text: str
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table.  `key` tells what it holds, in one word; `note` stands below it."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def readable(name: str) -> str:
    """A name of ours or of a grammar as words: underscores become spaces; of names joined by `*`, all of them."""
    return name.replace("_", " ").replace("*", ", ")
