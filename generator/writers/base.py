"""What a writer is: a format's facts, and a function from items to lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from generator.errors import StarlingError
from generator.items import Condition, Flavour, Item
from generator.realizing import Style
from generator.trees import SentenceTree


class FormatError(StarlingError):
    """An item that a format cannot hold."""


@dataclass(frozen=True)
class Format:
    """A format.

    `lines` gives an item's lines without line ends; `header` stands once, in the first shard.  A format that is one
    document (a JSON suite) has `document` instead, which gives the text of a paradigm's items in pieces; one that is a
    folder has `folder`, which writes (file name, pieces of text) for all paradigms.  `holds` are the facts of
    `items.FACTS` that the format keeps: `gen convert` says what is lost.
    """

    name: str
    about: str
    suffix: str
    style: Style
    flavours: tuple[Flavour, ...]
    lines: Callable[[Item], list[str]] | None = None
    header: str = ""
    flavour_folders: bool = False
    needs_sidecar: bool = False
    document: Callable[[Iterable[Item]], Iterator[str]] | None = None
    folder: Callable[[Iterable[tuple[str, Iterable[Item]]]], Iterator[tuple[str, Iterable[str]]]] | None = None
    needs_trees: bool = False
    holds: frozenset[str] = frozenset()


def pattern(item: Item) -> str:
    """The pattern that `.tab` formats name: the template's name, after the paradigm's where that is a number."""
    return item.template if not item.template.isdigit() else f"{item.paradigm}_{item.template}"


def require_pairs(item: Item, name: str) -> None:
    """Raise FormatError for an item that is no minimal pair."""
    if not item.pairs:
        raise FormatError(f"{item.id}: the format '{name}' holds minimal pairs, and this item has no starred member")


def tree_of(item: Item, condition: Condition, name: str) -> SentenceTree:
    """A member's tree.  Raises FormatError where it has none (a sentence that no grammar has made)."""
    if condition.sentence.tree is None:
        raise FormatError(
            f"{item.id}: the format '{name}' holds trees, and this sentence has none: trees come from a grammar "
            f"(gen make --format {name})"
        )
    return condition.sentence.tree


def one_line(item: Item, text: str, name: str) -> str:
    """A field of a line-based format; FormatError where it holds a tab."""
    if "\t" in text or "\n" in text:
        raise FormatError(f"{item.id}: the format '{name}' cannot hold a tab or line end in a field: {text!r}")
    return text


def as_json(value: object) -> str:
    """One line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
