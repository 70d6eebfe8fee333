"""Items -> files of every format -> items that were read -> the grammar's: what comes back, and what does not."""

from __future__ import annotations

import importlib.util
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from shipped import shipped_grammar, shipped_plan

from generator.errors import StarlingError, UsageError
from generator.identifying import Identifier
from generator.item_making import items
from generator.items import Flavour, Item
from generator.loading import Grammar
from generator.matching import Member
from generator.planning import Plan
from generator.readers import find_reader
from generator.readers.base import Source
from generator.realizing import Style
from generator.recognizing import Recognition
from generator.sampling import Run
from generator.strata import Ref
from generator.writers import FORMATS
from generator.writers.base import Format, FormatError, Origin

READ_FORMATS = [
    form for form in FORMATS if form.name != "hf-parquet" or importlib.util.find_spec("pyarrow") is not None
]
"""The formats that can be written and read here: all, but for parquet where pyarrow is not installed."""

_READERS = {"hf-parquet": "hf"}
_TOGETHER = ("items",)
"""Formats whose lines say which item they are: all items are one file, of which the first is looked at closely."""

Job = tuple[Format, Style]


@dataclass
class Tally:
    """Items that a format was asked to hold: those that it `refused`, those `written` and of these those `lost`."""

    refused: int = 0
    written: int = 0
    lost: list[str] = field(default_factory=list)

    @property
    def found(self) -> int:
        """How many came back."""
        return self.written - len(self.lost)

    @property
    def shown(self) -> str:
        """The numbers in words."""
        return (
            f"{self.written:,} items written, {self.found:,} found, {len(self.lost):,} lost, {self.refused:,} refused"
        )

    def add(self, other: Tally) -> None:
        """Add another's numbers."""
        self.refused += other.refused
        self.written += other.written
        self.lost += other.lost


@lru_cache(maxsize=4)
def _identifier(path: Path) -> Identifier:
    def planner(_grammar: Grammar, flavour: Flavour) -> Plan:
        found = shipped_plan(path, flavour)
        if found is None:
            raise UsageError("no such flavour")
        return found

    return Identifier([shipped_grammar(path)], planner=planner)


def come_back(path: Path, flavour: Flavour, jobs: Sequence[Job], count: int) -> dict[tuple[str, Style], Tally]:
    """What comes back of a sample of a grammar's items, by the name of the format and the style.

    An item is made once a style, and what several formats and styles read alike of it is recognised once.
    """
    plan = shipped_plan(path, flavour)
    found = {(form.name, style): Tally() for form, style in jobs}
    if plan is None:
        return found
    styles = list(dict.fromkeys(style for _, style in jobs))
    trees = {style: any(form.needs_trees for form, other in jobs if other == style) for style in styles}
    count = min(count, Run(plan, 0, 0).capacity)
    kept: dict[Style, list[_Judged]] = {style: [] for style in styles}
    for row in zip(*(items(plan, count, 7, style, trees=trees[style]) for style in styles), strict=True):
        made = dict(zip(styles, row, strict=True))
        known: dict[object, str] = {}
        for style in styles:
            judged = _Judged(_identifier(path), _without_trees(made[style]), known)
            kept[style].append(judged)
            for form in (form for form, other in jobs if other == style and not _is_whole(form)):
                _note(found[form.name, style], judged, form, _read_lines(form, [made[style]], flavour))
    for form, style in jobs:
        if _is_whole(form):
            _come_back_together(form, kept[style], flavour, found[form.name, style])
    return found


def _is_whole(form: Format) -> bool:
    return form.lines is None or form.name in _TOGETHER


def _without_trees(item: Item) -> Item:
    """An item as it can be kept: a thousand items' trees fill the memory."""
    return replace(item, conditions=tuple(replace(c, sentence=replace(c.sentence, tree=None)) for c in item.conditions))


@dataclass
class _Judged:
    """An item and what is known of what was read of it: conditions -> what is wrong ('': nothing)."""

    identifier: Identifier
    item: Item
    known: dict[object, str]

    def loss(self, read: Sequence[Item], form: Format) -> str:
        """What did not come back; '' where all did."""
        if not read:
            return f"{self.item.id}: nothing was read"
        texts = {condition.text for condition in self.item.conditions}
        for each in read:
            other = [condition.text for condition in each.conditions if condition.text not in texts]
            if other and not form.needs_trees:  # whose texts are in the format's own style
                return f"{self.item.id}: other texts: {other}"
            key = tuple((condition.text, condition.acceptable) for condition in each.conditions), each.mask
            if key not in self.known:
                self.known[key] = self._loss(each)
            if self.known[key]:
                return self.known[key]
        return ""

    def _loss(self, read: Item) -> str:
        found = self.identifier.identify(read)
        texts = [condition.text for condition in read.conditions]
        if found.is_reversed or not found.recognitions:
            return f"{self.item.id}: {'judged otherwise' if found.is_reversed else 'not recognised'}: {texts}"
        if not any(map(self._is_same, found.recognitions)):
            return f"{self.item.id}: other words: {texts}"
        known = [condition.text for condition in self.identifier.known(found).conditions]
        return "" if sorted(known) == sorted(texts) else f"{self.item.id}: known as {known}: {texts}"

    def _is_same(self, found: Recognition) -> bool:
        """Whether an analysis is the item, or one whose sentences show the same words: others may differ."""
        if found.template.name != self.item.template:
            return False
        if found.index + 1 == self.item.number:
            return True
        members = [Member(found.plan, found.template, found.leaf, version) for version in found.versions]
        shown = {piece.draw for member in members for piece in member.pieces if isinstance(piece, Ref)}
        words = Counter(
            (found.leaf.stratum.draws[draw].name, entry.member.entry.category, entry.member.entry.lemma)
            for draw, entry in found.words.items()
            if draw in shown
        )
        return words <= Counter((binding.slot, binding.category, binding.lemma) for binding in self.item.bindings)


def _note(tally: Tally, judged: _Judged, form: Format, read: list[Item] | str | None) -> None:
    """Count an item: `read` is what was read of it, why it could not be, or None where the format refused it."""
    if read is None:
        tally.refused += 1
        return
    tally.written += 1
    loss = f"{judged.item.id}: {read}" if isinstance(read, str) else judged.loss(read, form)
    if loss:
        tally.lost.append(loss)


# --- formats with lines: an item by itself --------------------------------------------------------------------------


def _read_lines(form: Format, made: Sequence[Item], flavour: Flavour) -> list[Item] | str | None:
    assert form.lines is not None
    try:
        lines = [line for item in made for line in form.lines(item)]
    except FormatError:
        return None
    text = "\n".join([form.header, *lines] if form.header else lines) + "\n"
    name = f"{made[0].paradigm}{form.suffix}"
    return _read(form, Source(f"open_ended/{name}" if flavour == "open" else name, text=text))


def _read(form: Format, source: Source) -> list[Item] | str:
    try:
        found = list(find_reader(_READERS.get(form.name, form.name)).read(source))
        source.findings.require_none()
    except StarlingError as error:
        return str(error)
    return found


# --- documents and folders: all items together ----------------------------------------------------------------------


def _come_back_together(form: Format, kept: Sequence[_Judged], flavour: Flavour, tally: Tally) -> None:
    """A format may hold items that it does not hold together: then they are parted."""
    if not kept:
        return
    made = [judged.item for judged in kept]
    read = _written_and_read(form, made) if form.lines is None else _read_lines(form, made, flavour)
    if read is None:
        if len(kept) == 1:
            _note(tally, kept[0], form, None)
            return
        half = len(kept) // 2
        _come_back_together(form, kept[:half], flavour, tally)
        _come_back_together(form, kept[half:], flavour, tally)
        return
    if isinstance(read, str):
        for judged in kept:
            _note(tally, judged, form, read)
        return
    for judged, own in zip(kept, _parted(read, made), strict=True):
        _note(tally, judged, form, own)


def _written_and_read(form: Format, made: Sequence[Item]) -> list[Item] | str | None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "set"
        try:
            if form.document is not None:
                return _read(form, Source(f"suite{form.suffix}", text="".join(form.document(made))))
            assert form.folder is not None
            for name, pieces in form.folder([(made[0].paradigm, made)], Origin("set")):
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces))
        except FormatError:
            return None
        return _read(form, Source(str(folder), folder))


def _parted(read: Sequence[Item], made: Sequence[Item]) -> Iterator[list[Item]]:
    """What was read of each item, in order: its pairs may be items of their own, no two of them alike."""
    place = 0
    for item in made:
        texts = {condition.text for condition in item.conditions}
        own: list[Item] = []
        seen: set[tuple[str, ...]] = set()
        while place < len(read):
            shown = tuple(condition.text for condition in read[place].conditions)
            if not texts.issuperset(shown) or shown in seen:
                break
            seen.add(shown)
            own.append(read[place])
            place += 1
        yield own
    if place < len(read):
        yield list(read[place:])  # which no item has: `zip` says so
