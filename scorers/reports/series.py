"""What the charts of a report show, for plots and page alike: bars, stacked answers, lines over training steps."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorers.reports.colours import GREY, PALETTE
from scorers.reports.model import AnswerRow, AnswerTable, Breakdown, DesignRow, Report, Row, Step

_OTHER = "other"


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars of accuracy: for each label a bar (or None) for each series."""

    by: str
    labels: tuple[str, ...]
    series: tuple[str, ...]
    rows: tuple[tuple[Row | None, ...], ...]
    chance: float | None


@dataclass(frozen=True, slots=True)
class Stacks:
    """Stacked bars of answers: for each row (a label and a model) the shares of the categories, in one order.

    `places` are the categories' places among the colours: `other` is grey, whatever stands beside it.
    """

    by: str
    rows: tuple[AnswerRow, ...]
    categories: tuple[str, ...]
    places: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line over training steps: its points have an accuracy and stand in the order of steps."""

    name: str
    points: tuple[Step, ...]


def main_breakdown(report: Report) -> Breakdown | None:
    """The breakdown to be drawn: by phenomenon if it tells several apart, else the first that does, or the first."""
    several = [group for group in report.groups if len({row.label for row in group.rows}) > 1]
    by_phenomenon = [group for group in several if group.by == "phenomenon"]
    return next(iter([*by_phenomenon, *several, *report.groups]), None)


def fulfilment(designs: Sequence[DesignRow]) -> Breakdown:
    """The shares of items that fulfil formulas as a breakdown to be drawn; a suite's formulas have their names where
    there are several.  Chance depends on the formula: none is drawn.
    """
    formulas = Counter(label for label, _ in dict.fromkeys((row.label, row.name) for row in designs))
    rows = (
        Row(
            label=f"{row.label}: {row.name}" if formulas[row.label] > 1 else row.label,
            model=row.model,
            items=row.items,
            right=row.fulfilled,
            accuracy=row.share,
            low=row.low,
            high=row.high,
            chance=None,
        )
        for row in designs
    )
    return Breakdown("formula", tuple(rows))


def bars(breakdown: Breakdown) -> Bars:
    """A breakdown as bars; models are in the order of the rows."""
    labels = tuple(dict.fromkeys(row.label for row in breakdown.rows))
    series = tuple(dict.fromkeys(row.model for row in breakdown.rows))
    found = {(row.label, row.model): row for row in breakdown.rows}
    rows = tuple(tuple(found.get((label, model)) for model in series) for label in labels)
    chances = {row.chance for row in breakdown.rows}
    return Bars(breakdown.by, labels, series, rows, next(iter(chances)) if len(chances) == 1 else None)


def stacks(table: AnswerTable) -> Stacks:
    """A table of answers as stacked bars; a category that a row lacks has the share 0 there.

    The rows' last category (`other`) is the last of all.
    """
    names = dict.fromkeys(part.name for row in table.rows for part in row.categories)
    last = dict.fromkeys(row.categories[-1].name for row in table.rows if row.categories)
    categories = (*(name for name in names if name not in last), *last)
    shares = tuple(_shares(row, categories) for row in table.rows)
    colours = itertools.chain((place for place in range(len(PALETTE)) if place != GREY), itertools.count(len(PALETTE)))
    places = tuple(GREY if name == _OTHER else next(colours) for name in categories)
    return Stacks(table.by, table.rows, categories, places, shares)


def _shares(row: AnswerRow, categories: Sequence[str]) -> tuple[float, ...]:
    found = {part.name: part.share or 0.0 for part in row.categories}
    return tuple(found.get(name, 0.0) for name in categories)


def stack_name(row: AnswerRow, rows: Sequence[AnswerRow]) -> str:
    """The label of a stacked bar, with the model where there are several."""
    return f"{row.label} ({row.model})" if len({other.model for other in rows}) > 1 else row.label


def lines(steps: Sequence[Step]) -> tuple[Line, ...]:
    """Steps as lines: one for each label, or model, or both, whichever tells them apart."""
    several_labels = len({step.label for step in steps}) > 1
    several_models = len({step.model for step in steps}) > 1
    found: dict[str, list[Step]] = {}
    for step in steps:
        both = f"{step.label} ({step.model})"
        name = both if several_labels and several_models else step.model if several_models else step.label
        points = found.setdefault(name, [])
        if step.accuracy is not None:
            points.append(step)
    return tuple(_lines(found))


def _lines(found: dict[str, list[Step]]) -> Iterator[Line]:
    for name, points in found.items():
        if points:
            yield _line(name, points)


@dataclass(frozen=True, slots=True)
class Panel:
    """One field of a chart over training steps, with its title ('' where there is one field only)."""

    title: str
    lines: tuple[Line, ...]


_MOST_LINES = 5
"""Lines by label that one field can show; of more, each label has a field."""


def panels(steps: Sequence[Step]) -> tuple[Panel, ...]:
    """Steps as fields: all lines in one, or, where these were too many to follow, a field for each label.

    In the latter a line is a model (a run); the same model has the same place in each field.
    """
    labels = list(dict.fromkeys(step.label for step in steps))
    models = list(dict.fromkeys(step.model for step in steps))
    if len(labels) == 1 or (len(models) == 1 and len(labels) <= _MOST_LINES):
        return (Panel("", lines(steps)),)
    found = []
    for label in labels:
        by_model: dict[str, list[Step]] = {model: [] for model in models}
        for step in steps:
            if step.label == label and step.accuracy is not None:
                by_model[step.model].append(step)
        found.append(Panel(label, tuple(_line(model, points) for model, points in by_model.items())))
    return tuple(found)


def _line(name: str, points: Sequence[Step]) -> Line:
    return Line(name, tuple(sorted(points, key=lambda point: point.step)))


class StepAxis:
    """The axis of training steps: in proportion, or logarithmic where steps span more than two orders of magnitude.

    On a logarithmic axis step 0 stands by itself at the left.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        found = sorted({step.step for step in steps})
        above = [step for step in found if step > 0]
        self.is_logarithmic = bool(above) and above[-1] > 100 * above[0]
        self.has_zero = self.is_logarithmic and found[0] == 0
        self.first, self.last = (above[0], above[-1]) if above else (0, 1)
        self.ticks = self._decades() if self.is_logarithmic else ticks(self.last)

    def _decades(self) -> tuple[int, ...]:
        powers = range(len(str(self.first)) - 1, len(str(self.last)))
        every = -(-len(powers) // 6)
        marks = [10**power for power in powers if (powers[-1] - power) % every == 0]
        return (*([0] if self.has_zero else []), *(mark for mark in marks if self.first <= mark <= self.last))

    def across(self, step: int) -> float:
        """Where a step stands, from 0 (left) to 1 (right)."""
        if not self.is_logarithmic:
            return step / self.ticks[-1]
        left = 0.12 if self.has_zero else 0.0
        if step <= 0:
            return 0.0
        return left + (1 - left) * math.log(step / self.first) / math.log(self.last / self.first)


def ticks(highest: int) -> tuple[int, ...]:
    """Three to five round numbers from 0 to `highest` or just above it."""
    if highest <= 0:
        return (0, 1)
    size = 10 ** (len(str(highest)) - 1)
    step = next(
        width
        for width in (size // 10 or 1, size // 5 or 1, size // 2 or 1, size, 2 * size, 5 * size)
        if 4 * width >= highest
    )
    last = -(-highest // step)
    return tuple(step * number for number in range(last + 1))
