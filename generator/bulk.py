"""The text of all items of a run, in large blocks, for formats that are text: the same bytes as one by one.

Items in order are written as sheets: what is outside the innermost words is constant for a sheet, whose lines are
woven of columns of words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generator.compiling import Compiler, Made
from generator.leaf_columns import LeafColumns, Woven
from generator.leaf_text import Cut, Hole, LeafText, Part, Row
from generator.part_runs import stretches
from generator.planning import Plan
from generator.realizing import Style, capitalized
from generator.sample_cells import Place
from generator.sampling import Run
from generator.shapes import Shape
from generator.strata import Entry
from generator.writers.base import Format

_MOST_INNER = 50_000  # rows of the innermost words
_LEAST_INNER = 256
_FEW = 20  # fewer items of a leaf are not worth a sheet
_MOST_KEPT = 500  # runs of last words, and sheets of one of them
_DIGITS = 4
_TURN = 10**_DIGITS
_BARE = [str(number) for number in range(_TURN)]
_PADDED = [f"{number:0{_DIGITS}}" for number in range(_TURN)]
_LINES = 1_000  # items of a block: its text stays in the processor's cache


@dataclass(frozen=True)
class Block:
    """Some text, how many items of each shape are in it, and the number of ranks that they come from."""

    text: str
    shapes: Mapping[Shape, int]
    ranks: int


@dataclass
class _Sheet:
    """Lines that differ in columns only.

    `outer[i]`, which stands before column i (and the last one after all), is made of constants and of words outside
    the innermost ones.  A column of None is the number.
    """

    outer: list[list[str | Hole]]
    columns: list[list[str] | None]
    shapes: list[Shape]  # one for all lines, or one for each
    kept: tuple[int, int] = (0, 0)
    counted: tuple[tuple[int, int], Mapping[Shape, int]] = ((0, 0), {})
    parts: list[str] = field(default_factory=list)

    def text(self, words: Sequence[Sequence[str]], first: int, start: int, end: int) -> Iterator[Block]:
        """The text of rows `start` to `end` with outer words, in pieces; `first` is the number of row `start`."""
        fixed = ["".join(p if isinstance(p, str) else _shown(p, words) for p in parts) for parts in self.outer]
        while start < end:
            high, low = divmod(first, _TURN)
            amount = min(end - start, _TURN - low, _LINES)
            if self.counted[0] != (start, amount):
                shapes = (
                    Counter(self.shapes[start : start + amount]) if len(self.shapes) > 1 else {self.shapes[0]: amount}
                )
                self.counted = ((start, amount), shapes)
            yield Block(self._woven(fixed, start, amount, high, low), self.counted[1], amount)
            start += amount
            first += amount

    def _woven(self, fixed: list[str], start: int, amount: int, high: int, low: int) -> str:
        if not self.columns:
            return fixed[0] * amount
        width = 2 * len(self.columns)
        if self.kept != (start, amount):
            self.kept = (start, amount)
            self.parts = [""] * (width * amount)
            for place, column in enumerate(self.columns):
                if column is not None:
                    self.parts[2 * place :: width] = column[start : start + amount]
        parts = self.parts
        begun = fixed.copy()
        for place, column in enumerate(self.columns):
            if column is None:
                parts[2 * place :: width] = (_PADDED if high else _BARE)[low : low + amount]
                begun[place] += str(high or "")
        for place in range(1, len(self.columns)):
            parts[2 * place - 1 :: width] = [begun[place]] * amount
        # The end of a line and the beginning of the next one are one constant.
        parts[width - 1 :: width] = [begun[-1] + begun[0]] * amount
        parts[-1] = begun[-1]
        return begun[0] + "".join(parts)


def _shown(hole: Hole, words: Sequence[Sequence[str]]) -> str:
    word = words[hole.group][hole.place]
    return capitalized(word) if hole.capital else word


class _Inner:
    """The innermost rows: groups of draws whose words run through all lines of a sheet."""

    def __init__(self, groups: Sequence[Sequence[Row]]) -> None:
        self.groups = groups
        self.count = len(groups[0]) if groups else 1
        kinds: list[tuple[int, ...]] = [()]
        if groups:
            kinds = list(zip(*([row[0] for row in rows] for rows in groups), strict=True))
        self.kinds = kinds
        self.different = list(dict.fromkeys(kinds))
        self.sheets: dict[tuple[int, ...], _Sheet | None] = {}

    def sheet(self, text: LeafText, outer: Sequence[Row]) -> _Sheet | None:
        """The sheet for outer rows; None where lines are too different."""
        key = tuple(row[0] for row in outer)
        if key not in self.sheets:
            if len(self.sheets) > _MOST_KEPT:
                self.sheets.clear()
            cuts: dict[tuple[int, ...], Cut] = {}
            for own in self.different:
                cut = text.cut((*key, *own))
                if cut is None:
                    break
                cuts[own] = cut
            self.sheets[key] = self._made(cuts, len(key)) if len(cuts) == len(self.different) else None
        return self.sheets[key]

    def _made(self, cuts: dict[tuple[int, ...], Cut], outside: int) -> _Sheet | None:
        """What differs between lines of different kinds (*a*, *an*) goes into the columns."""
        holes = next(iter(cuts.values())).holes
        if any(cut.holes != holes for cut in cuts.values()):
            return None
        before: dict[int, dict[tuple[int, ...], str]] = {}
        after: dict[int, dict[tuple[int, ...], str]] = {}
        constants = []
        for place, options in enumerate(zip(*(cut.constants for cut in cuts.values()), strict=True)):
            start = _common_start(options)
            rests = [option[len(start) :] for option in options]
            if not any(rests):
                constants.append(start)
            elif place < len(holes) and holes[place].group >= outside:
                before[place] = dict(zip(cuts, rests, strict=True))
                constants.append(start)
            elif place and holes[place - 1].group >= outside:
                after[place - 1] = dict(zip(cuts, options, strict=True))
                constants.append("")
            else:
                return None
        outer: list[list[str | Hole]] = [[constants[0]]]
        columns: list[list[str] | None] = []
        for place, hole in enumerate(holes):
            if 0 <= hole.group < outside:
                outer[-1] += [hole, constants[place + 1]]
                continue
            columns.append(None if hole.group < 0 else self._column(hole, outside, before.get(place), after.get(place)))
            outer.append([constants[place + 1]])
        shapes = [cuts[kind].shape for kind in (self.kinds if len(cuts) > 1 else self.different)]
        return _Sheet(outer, columns, shapes)

    def _column(
        self,
        hole: Hole,
        outside: int,
        before: dict[tuple[int, ...], str] | None,
        after: dict[tuple[int, ...], str] | None,
    ) -> list[str]:
        words = [row[1][hole.place] for row in self.groups[hole.group - outside]]
        if hole.capital:
            words = [capitalized(word) for word in words]
        if before is not None:
            words = [before[kind] + word for kind, word in zip(self.kinds, words, strict=True)]
        if after is not None:
            words = [word + after[kind] for kind, word in zip(self.kinds, words, strict=True)]
        return words


class _InOrder:
    """Writes the items of a leaf in order."""

    def __init__(self, text: LeafText) -> None:
        self.text = text
        parts = list(text.parts)
        size = 1
        inner: list[Part] = []
        while parts and size < _LEAST_INNER and parts[-1].size * size <= _MOST_INNER:
            size *= parts[-1].size
            inner.insert(0, parts.pop())
        self.size = size
        self.inner = inner
        self.walked = parts.pop() if parts and size < _LEAST_INNER else None
        self.outer = parts
        self._known: dict[int, tuple[list[Entry], _Inner]] = {}

    def blocks(self, first: int, last: int) -> Iterator[Block]:
        """The text of items `first` to `last`."""
        text = self.text
        start = text.start + 1
        for number, rows, inner, place, amount in self._units(first, last):
            sheet = inner.sheet(text, rows)
            if sheet is None:
                yield from one_by_one(text, number, number + amount)
            else:
                yield from sheet.text([row[1] for row in rows], start + number, place, place + amount)

    def _units(self, first: int, last: int) -> Iterator[tuple[int, list[Row], _Inner, int, int]]:
        """(number in the leaf, outer rows, inner rows, from which of them, how many)."""
        suffix = [part.all() for part in self.inner]
        if self.walked is None:
            inner = _Inner(_product(suffix))
            while first < last:
                outer, place = divmod(first, self.size)
                amount = min(self.size - place, last - first)
                yield first, self._outer(outer), inner, place, amount
                first += amount
            return
        size = self.size * self.walked.size
        while first < last:
            outer, place = divmod(first, size)
            amount = min(size - place, last - first)
            rows = self._outer(outer)
            yield from self._walk(rows, self.walked, suffix, first, place, amount)
            first += amount

    def _walk(
        self, rows: list[Row], walked: Part, suffix: list[list[Row]], first: int, place: int, amount: int
    ) -> Iterator[tuple[int, list[Row], _Inner, int, int]]:
        """Units of a component that is too large to be listed: runs of last words, short runs joined."""
        size = self.size
        digit, skipped = divmod(place, size)
        end = first + amount
        text, (*early, last) = self.text, walked.draws
        waiting: list[Row] = []
        began = first

        def joined() -> tuple[int, list[Row], _Inner, int, int]:
            inner = _Inner(_product([waiting, *suffix]))
            return began, rows, inner, skipped, min(len(waiting) * size - skipped, end - began)

        for run in walked.component.walk(walked.label, digit):
            if first >= end:
                break
            if len(run.entries) * size < _LEAST_INNER:
                waiting += [text.row(walked.draws, (*run.before, entry)) for entry in run.last]
                first = began + len(waiting) * size - skipped
                if len(waiting) * size >= 4 * _LEAST_INNER:
                    yield joined()
                    waiting, began, skipped = [], first, 0
                continue
            if waiting:
                yield joined()
                waiting, skipped = [], 0
            outer = [*rows, text.row(tuple(early), run.before)] if early else rows
            inner = self._last(last, run.entries, suffix)
            for low, high in stretches(run):
                low, high = low * size + skipped, high * size
                taken = min(high - low, end - first)
                if taken > 0:
                    yield first, outer, inner, low, taken
                    first += taken
                skipped = 0
            began = first
        if waiting:
            yield joined()

    def _last(self, draw: int, entries: list[Entry], suffix: list[list[Row]]) -> _Inner:
        known = self._known.get(id(entries))
        if known is None or known[0] is not entries:
            if len(self._known) > _MOST_KEPT:
                self._known.clear()
            own = [self.text.row((draw,), (entry,)) for entry in entries]
            known = self._known[id(entries)] = (entries, _Inner(_product([own, *suffix])))
        return known[1]

    def _outer(self, index: int) -> list[Row]:
        rows = []
        for part in reversed(self.outer):
            index, digit = divmod(index, part.size)
            rows.append(part.row(digit))
        return rows[::-1]


def _common_start(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    low, high = min(texts), max(texts)
    for place, character in enumerate(low):
        if high[place] != character:
            return low[:place]
    return low


def _product(groups: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """For each group the rows of every combination, the leftmost slowest."""
    result: list[list[Row]] = []
    before, total = 1, math.prod(len(rows) for rows in groups)
    for rows in groups:
        after = total // (before * len(rows)) if rows else 0
        result.append([row for row in rows for _ in range(after)] * before)
        before *= len(rows)
    return result


def line_blocks(plan: Plan, run: Run, shard: tuple[int, int], form: Format, style: Style, mask: str) -> Iterator[Block]:
    """The lines of a part of a run, in a format that is text.  Raises what the format raises."""
    assert form.lines is not None
    compiler = Compiler(plan, form.lines, form.compares, style, mask, run.seed)
    yield from (sampled(compiler, run, shard) if run.is_sample else in_order(compiler, run, shard))


def member_blocks(
    plan: Plan, run: Run, shard: tuple[int, int], form: Format, style: Style, mask: str
) -> Iterator[Sequence[Made]]:
    """The items of a part of a run one by one, their members after their lines (`compiling.MEMBER`), in blocks."""
    assert form.lines is not None
    compiler = Compiler(plan, form.lines, form.compares, style, mask, run.seed, says_members=True)
    return made_blocks(compiler, run, shard)


def made_blocks(compiler: Compiler, run: Run, shard: tuple[int, int]) -> Iterator[Sequence[Made]]:
    """The items of the ranks of a part of a run, in blocks."""
    leaves: dict[int, LeafText] = {}

    def make(place: Place, numbers: list[int]) -> list[Made]:
        text = leaves.get(id(place[2]))
        if text is None:
            if not run.is_sample:
                leaves.clear()  # it is not asked for again
                compiler.listed = 0
            text = leaves[id(place[2])] = LeafText(compiler, place)
        return text.items(numbers)

    for first, last in run.blocks(*shard):
        yield run.block(first, last, make)


def sampled(compiler: Compiler, run: Run, shard: tuple[int, int]) -> Iterator[Block]:
    """The text of a part of a sample."""
    amount = sum(len(template.leaves) for template in compiler.plan.templates)
    expected = (shard[0] * run.count // shard[1] - (shard[0] - 1) * run.count // shard[1]) // max(amount, 1)
    leaves: dict[int, LeafColumns] = {}
    shapes: Counter[Shape] = Counter()

    def make(place: Place, numbers: list[int]) -> Sequence[str]:
        columns = leaves.get(id(place[2]))
        if columns is None:
            columns = leaves[id(place[2])] = LeafColumns(LeafText(compiler, place), expected)
        return columns.texts(numbers, shapes)

    for first, last in run.blocks(*shard):
        shapes.clear()
        texts = run.block(first, last, make)
        yield Block(texts.text() if isinstance(texts, Woven) else "".join(texts), Counter(shapes), last - first)


def in_order(compiler: Compiler, run: Run, shard: tuple[int, int]) -> Iterator[Block]:
    """The text of a part of all items."""
    for place, first, last in run.stretches(*shard):
        compiler.listed = 0
        text = LeafText(compiler, place)
        if text.is_alike and last - first >= _FEW:
            yield from _InOrder(text).blocks(first, last)
        else:
            yield from one_by_one(text, first, last)


def one_by_one(text: LeafText, first: int, last: int) -> Iterator[Block]:
    """The text of items `first` to `last` of a leaf, where lines are too different for a sheet."""
    for low in range(first, last, _LINES):
        yield _block(text.items(range(low, min(low + _LINES, last))))


def _block(items: Sequence[Made]) -> Block:
    shapes = Counter([shape for _, shape, _ in items if shape is not None])
    return Block("".join([text for text, _, _ in items]), shapes, len(items))
