"""What a writer is: a format's facts, and a function from items to lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from generator.errors import StarlingError
from generator.facts import OWN, PAIR_ID, facts_of
from generator.items import Condition, Flavour, Item
from generator.realizing import Style
from generator.trees import SentenceTree


class FormatError(StarlingError):
    """An item that a format cannot hold."""


@dataclass(frozen=True)
class Origin:
    """What a folder says of itself and no item knows.

    `name` is the folder's (of the group of tasks, of the data set); `signatures` has the signature line of each
    paradigm by its stem; `licences` are those of the word lists that its sentences come from, each once.
    """

    name: str
    signatures: Mapping[str, str] = field(default_factory=dict)
    licences: tuple[str, ...] = ()


FolderWriter = Callable[[Iterable[tuple[str, Iterable[Item]]], Origin], Iterator[tuple[str, Iterable[str | bytes]]]]
"""(stem, items) of all paradigms, once and in order -> (relative file name, its pieces), in the order of writing."""


@dataclass(frozen=True)
class Format:
    """A format.

    `lines` gives an item's lines without line ends; `header` stands once, in the first shard.  A format that is one
    document (a JSON suite) has `document` instead, which gives the text of a paradigm's items in pieces; one that is a
    folder has `folder`, which gives (file name, pieces) for all paradigms.  `holds` are the facts of
    `items.FACTS` that the format keeps: `gen convert` says what is lost.

    `is_textual`: the lines hold the members' words, the item's number and what is the same for all items that differ in
    words only, no offsets and nothing of the slots; items are then written in bulk (`generator.bulk`).  `compares`:
    they also say something of how the members of a pair differ, word by word.
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
    folder: FolderWriter | None = None
    needs_trees: bool = False
    holds: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    is_textual: bool = False
    compares: bool = False

    def lost(self, item: Item) -> frozenset[str]:
        """The facts that an item has and the format does not keep."""
        missing = facts_of(item) - self.holds
        if OWN in missing and self.columns.issuperset(item.extra):
            return missing - {OWN}
        return missing


def pattern(item: Item) -> str:
    """The pattern that `.tab` formats name: the template's name, after the paradigm's where that is a number."""
    if not item.template:
        return item.paradigm
    return item.template if not item.template.isdigit() else f"{item.paradigm}_{item.template}"


def require_pairs(item: Item, name: str) -> None:
    """Raise FormatError for an item that is no minimal pair."""
    if item.mask is not None:
        raise FormatError(f"{item.id}: the format '{name}' holds minimal pairs, and this is a sentence with a mask")
    if any(condition.acceptable is None for condition in item.conditions):
        raise FormatError(
            f"{item.id}: the format '{name}' says which member is acceptable, and nothing says it of this item. "
            "A grammar says it: gen parse GRAMMAR --input FILE --json"
        )
    if not item.pairs:
        raise FormatError(f"{item.id}: the format '{name}' holds minimal pairs, and this item has no starred member")


def named_pairs(item: Item) -> Iterator[tuple[str, Condition, Condition]]:
    """(the pair's id, acceptable, starred): the id is the one that the file gave which the item was read from."""
    own = item.extra.get(PAIR_ID)
    pairs = item.pairs
    for pair_id, good, bad in pairs:
        yield (str(own) if own is not None and len(pairs) == 1 else pair_id), good, bad


def differing_word(pair_id: str, good: str, bad: str, name: str) -> tuple[int, str, str]:
    """(index, right word, wrong word) of a pair that differs in one word.  Raises FormatError."""
    ours, theirs = good.split(" "), bad.split(" ")
    differing = [i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b]
    if len(ours) != len(theirs) or len(differing) != 1:
        found = f"{len(differing)} words" if len(ours) == len(theirs) else "their number of words"
        raise FormatError(
            f"{pair_id}: the format '{name}' holds pairs that differ in one word; these differ in {found}: "
            f"'{good}' / '{bad}'. The format 'sentences' holds them"
        )
    place = differing[0]
    return place, ours[place], theirs[place]


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
