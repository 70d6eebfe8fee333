"""The text of sampled items of a leaf: columns of texts, looked up by number and woven.

Every place of an item's text where a word stands is a column: for each row of a listed part (or of the words before
the last draw, or of that draw, where a part is too large) the text there, with the constant text around it.  An item
is then one look into each column, and thousands are put together at once.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

from generator.column_choice import Choice, choice_of
from generator.compiling import Capitals
from generator.leaf_text import CUT, Cut, LeafText, Part, Row
from generator.part_runs import PartRuns
from generator.shapes import Shape

_PER_RUN = 5  # so many items of a leaf must be expected for each run of a part, to be worth reading the runs
_PER_FRAME = 100  # and so many for each frame that columns need
_MOST_FRAMES = 1_000
_MOST_TEXTS = 1_000_000  # in the columns of a plan

_CONSTANT = -1
_NUMBER = -2


class Woven(Sequence[str]):
    """The texts of some items, taken apart only when it is asked for."""

    def __init__(self, columns: Sequence[Sequence[str]], count: int) -> None:
        self._columns = columns
        self._count = count

    def text(self, end: str = "") -> str:
        """All of them, one after the other, each with an `end`."""
        columns = [*self._columns, [end] * self._count] if end else self._columns
        width = len(columns)
        pieces = [""] * (width * self._count)
        for place, column in enumerate(columns):
            pieces[place::width] = column
        return "".join(pieces)

    @cached_property
    def _texts(self) -> list[str]:
        return self.text(CUT).split(CUT)[:-1]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __getitem__(self, index: Any) -> Any:
        return self._texts[index]


class _Columns:
    """Pieces of an item's text: each has a source (a list of digits, or one of the above) and its texts."""

    def __init__(self) -> None:
        self.pieces: list[tuple[int, list[str]]] = []

    def add(self, source: int, texts: list[str]) -> None:
        """Put a piece after the others; a constant joins its neighbours, and so does a piece of the same source."""
        before, own = self.pieces[-1] if self.pieces else (_NUMBER, [])
        if _NUMBER in (before, source) or (before != source and _CONSTANT not in (before, source)):
            self.pieces.append((source, texts))
            return
        if before == source:
            joined = [a + b for a, b in zip(own, texts, strict=True)]
        elif before == _CONSTANT:
            joined = [own[0] + text for text in texts]
        else:
            joined = [text + texts[0] for text in own]
        self.pieces[-1] = (max(before, source), joined)


@dataclass(frozen=True)
class _Pattern:
    """Items whose texts have words at the same places: tables, each with its source, and the table of each column."""

    tables: list[tuple[int, list[str]]]
    layout: list[int]
    shape: Shape


class LeafColumns:
    """Writes sampled items of one leaf, of which so many are `expected`."""

    def __init__(self, text: LeafText, expected: int) -> None:
        self.leaf_text = text
        self._expected = expected
        self._parts = [part for part in text.parts if part.size > 1]
        self._runs: dict[Part, PartRuns] = {}
        self._patterns: list[_Pattern] = []  # none: there are no columns
        self._choice = Choice([], {})
        if text.is_alike:
            self._try()

    def texts(self, numbers: Sequence[int], shapes: Counter[Shape]) -> Sequence[str]:
        """The text of each item of some numbers; `shapes` is added up."""
        if not self._patterns:
            items = self.leaf_text.items(numbers)
            shapes.update([shape for _, shape, _ in items if shape is not None])
            return [text for text, _, _ in items]
        digits: list[Sequence[int]] = []
        own = _digits(numbers, [part.size for part in self._parts]) if self._parts else []
        for part, numbers_there in zip(self._parts, own, strict=True):
            digits += self._runs[part].digits(numbers_there) if part in self._runs else [numbers_there]
        if len(self._patterns) == 1:
            return self._woven(self._patterns[0], numbers, digits, shapes)
        chosen = self._choice.patterns(digits)
        found: dict[int, Iterator[str]] = {}
        for pattern in sorted(set(chosen)):
            is_here = [number == pattern for number in chosen]
            there = [list(itertools.compress(places, is_here)) for places in digits]
            taken = list(itertools.compress(numbers, is_here))
            found[pattern] = iter(self._woven(self._patterns[pattern], taken, there, shapes))
        return list(map(next, map(found.__getitem__, chosen)))

    def _woven(
        self, pattern: _Pattern, numbers: Sequence[int], digits: Sequence[Sequence[int]], shapes: Counter[Shape]
    ) -> Woven:
        count = len(numbers)
        shapes[pattern.shape] += count
        # One getter serves all the columns of a source.  Of one place alone it would give no tuple.
        getters = [itemgetter(*places, places[0]) for places in digits]
        found: list[Sequence[str]] = []
        for source, texts in pattern.tables:
            if source >= 0:
                found.append(getters[source](texts)[:count])
            elif source == _CONSTANT:
                found.append(texts * count)
            else:
                start = self.leaf_text.start + 1
                found.append([str(start + number) for number in numbers])
        return Woven([found[table] for table in pattern.layout], count)

    def _try(self) -> None:
        """Make columns, where so many items are expected that it pays."""
        for part in self._parts:
            if not part.list_for(self._expected):
                most = self._expected // _PER_RUN if _PER_RUN else part.size
                runs = self._runs[part] = PartRuns(part, most)
                if not runs.is_complete:
                    return
        rows: list[list[Row]] = []
        sources: list[int] = []
        for part in self.leaf_text.parts:
            if part.size == 1:
                rows.append([part.row(0)])
                sources.append(_CONSTANT)
                continue
            runs_of = self._runs.get(part)
            for own in [runs_of.before, runs_of.last] if runs_of is not None else [part.all()]:
                rows.append(own)
                sources.append(max(sources, default=_CONSTANT) + 1)
        kinds = [list(dict.fromkeys([row[0] for row in own])) for own in rows]
        frames = math.prod(map(len, kinds))
        if frames <= _MOST_FRAMES and frames * _PER_FRAME <= self._expected:
            self._make(rows, sources, kinds)

    def _make(self, rows: Sequence[Sequence[Row]], sources: Sequence[int], kinds: Sequence[Sequence[int]]) -> None:
        """Make a pattern of the frames that have their words at the same places."""
        cuts: list[tuple[Cut, dict[tuple[int, ...], Cut]]] = []
        pattern_of: dict[tuple[int, ...], int] = {}
        for key in itertools.product(*kinds):
            cut = self.leaf_text.cut(key)
            if cut is None:
                return
            alike = (
                n for n, (one, _) in enumerate(cuts) if one.holes == cut.holes and vars(one.shape) == vars(cut.shape)
            )
            number = pattern_of[key] = next(alike, len(cuts))
            if number == len(cuts):
                cuts.append((cut, {}))
            cuts[number][1][key] = cut
        capitals = self.leaf_text.compiler.capitals
        patterns: list[_Pattern] = []
        room = _MOST_TEXTS - self.leaf_text.compiler.in_columns
        for cut, together in cuts:
            columns = _columns(together, rows, sources, capitals)
            if columns is None:
                return
            # Equal columns are kept, and looked up, once.
            numbers: dict[tuple[int, tuple[str, ...]], int] = {}
            layout = [numbers.setdefault((source, tuple(texts)), len(numbers)) for source, texts in columns.pieces]
            room -= sum(len(texts) for _, texts in numbers)
            if room < 0:
                return
            patterns.append(_Pattern([(source, list(texts)) for source, texts in numbers], layout, cut.shape))
        self.leaf_text.compiler.in_columns = _MOST_TEXTS - room
        self._choice = choice_of(pattern_of, kinds, rows, sources)
        self._patterns = patterns


def _columns(
    cuts: dict[tuple[int, ...], Cut], rows: Sequence[Sequence[Row]], sources: Sequence[int], capitals: Capitals
) -> _Columns | None:
    """The pieces of all items; None where what stands between words depends on words of two groups together."""
    columns = _Columns()
    holes = next(iter(cuts.values())).holes
    for place in range(len(holes) + 1):
        options = {key: cut.constants[place] for key, cut in cuts.items()}
        found = _decided(options, len(rows))
        if found is None:
            return None
        group, texts = found
        if group < 0:
            columns.add(_CONSTANT, [texts[0]])
        else:
            columns.add(sources[group], [texts.get(row[0], "") for row in rows[group]])
        if place == len(holes):
            break
        hole = holes[place]
        if hole.group < 0:
            columns.add(_NUMBER, [])
            continue
        # A row of a kind that stands in another pattern has no such word, and is not asked for.
        own = {key[hole.group] for key in cuts}
        words = [row[1][hole.place] if row[0] in own else "" for row in rows[hole.group]]
        if hole.capital:
            words = list(map(capitals.__getitem__, words))
        columns.add(sources[hole.group], words)
    return columns


def _decided(options: dict[tuple[int, ...], str], groups: int) -> tuple[int, dict[int, str]] | None:
    """Whose kind decides what stands at a place: a group, with the text for each kind.  Group -1: it is constant."""
    different = set(options.values())
    if len(different) == 1:
        return -1, {0: different.pop()}
    for group in range(groups):
        texts = {key[group]: text for key, text in options.items()}
        if all(texts[key[group]] == text for key, text in options.items()):
            return group, texts
    return None


def _digits(numbers: Sequence[int], sizes: Sequence[int]) -> list[Sequence[int]]:
    """The digits of numbers, for each size those of all of them, the leftmost first.  Halving keeps numbers short."""
    if len(sizes) == 1:
        return [numbers]
    middle = len(sizes) // 2
    after = math.prod(sizes[middle:])
    left = [number // after for number in numbers]
    right = [number % after for number in numbers]
    return _digits(left, sizes[:middle]) + _digits(right, sizes[middle:])
