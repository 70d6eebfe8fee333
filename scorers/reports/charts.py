"""Charts of a report as inline SVG, drawn by own code: they need no library and no script, and fit any width.

All x coordinates are percentages of the width, so that text keeps its size on a telephone; y coordinates are pixels.
Colours are those of `colours`; black and white parts take them from the page's style sheet (dark and light).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from scorers.reports.colours import colour, ink, is_again
from scorers.reports.model import AnswerTable, Breakdown, Row, Step
from scorers.reports.series import Line, Panel, StepAxis, bars, panels, stack_name, stacks
from scorers.reports.wording import compact, count, interval, percent

_LABEL, _BAR, _STACK, _GAP, _AXIS = 20, 14, 22, 10, 24
_FULL = 88.0
"""Where 100% stands, in per cent of the width: the rest is for the number behind the bar."""
_LONGEST_LABEL = 48
_LINES_HEIGHT, _PANEL_HEIGHT = 260, 150
_LEFT, _PANEL_LEFT = 10, 16
"""Where the field of a line chart begins, in per cent of the width: of one, and of several side by side."""


def bar_chart(breakdown: Breakdown) -> str:
    """Accuracy with intervals: a group of bars for each label, a bar for each model, and a line at chance."""
    shown = bars(breakdown)
    parts: list[str] = []
    y = 0
    for label, rows in zip(shown.labels, shown.rows, strict=True):
        parts.append(_label(label, y))
        y += _LABEL
        for place, row in enumerate(rows):
            if row is not None and row.accuracy is not None:
                parts.append(_bar(row, row.accuracy, place, y))
            y += _BAR
        y += _GAP
    grid = _grid(y)
    if shown.chance is not None:
        x = f"{_FULL * shown.chance:.2f}%"
        parts.append(f'<line class="chance" x1="{x}" x2="{x}" y1="0" y2="{y}"/>')
    keys = [(name, place) for place, name in enumerate(shown.series)] if len(shown.series) > 1 else []
    chance = f"chance ({percent(shown.chance)}%)" if shown.chance is not None else ""
    name = f"Accuracy by {breakdown.by}, with intervals"
    return legend(keys, chance) + svg(name, y + _AXIS, grid + "".join(parts))


def stack_chart(table: AnswerTable) -> str:
    """Answers to open-ended items: a stacked bar for each label (and model), a part for each category."""
    shown = stacks(table)
    parts: list[str] = []
    y = 0
    for row, shares in zip(shown.rows, shown.shares, strict=True):
        name = stack_name(row, shown.rows)
        parts.append(_label(name, y))
        y += _LABEL
        left = 0.0
        for place, category, share in zip(shown.places, shown.categories, shares, strict=True):
            if share:
                said = f"{name}: {category} {percent(share)}%"
                parts.append(_block(place, 100 * left, 100 * share, y, _STACK - 2, said))
                if share >= 0.08:
                    middle = 100 * (left + share / 2)
                    style = f'x="{middle:.2f}%" y="{y + 14}" text-anchor="middle" fill="{ink(place)}"'
                    parts.append(f'<text class="inside" {style}>{100 * share:.0f}</text>')
            left += share
        y += _STACK + _GAP
    keys = list(zip(shown.categories, shown.places, strict=True))
    return legend(keys) + svg(f"Shares of answers by {table.by}", y, "".join(parts))


def step_chart(steps: Sequence[Step]) -> str:
    """Accuracy over training steps: a line for each label or run, with its interval as a band; where there are many, a
    field for each label.
    """
    shown = panels(steps)
    axis = StepAxis(steps)
    chances = sorted({step.chance for step in steps if step.chance is not None})
    keys = [(line.name, place) for place, line in enumerate(shown[0].lines)] if shown else []
    named = legend(keys if len(keys) > 1 else [], "chance" if chances else "")
    if len(shown) == 1:
        return named + _field(shown[0], axis, chances, _LINES_HEIGHT)
    fields = "".join(
        f'<div><p class="label">{escape(panel.title)}</p>{_field(panel, axis, chances, _PANEL_HEIGHT)}</div>'
        for panel in shown
    )
    return f'{named}<div class="panels">{fields}</div>'


def _field(panel: Panel, axis: StepAxis, chances: Sequence[float], height: int) -> str:
    left, parts = _left(height), []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _height(share, height)
        parts.append(f'<line class="grid" x1="{left}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="0" y="{y + 4:.1f}">{100 * share:.0f}%</text>')
    for chance in chances:
        y = _height(chance, height)
        parts.append(f'<line class="chance" x1="{left}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
    # The lines are drawn in a box that is stretched to the width; their strokes are not.
    box = f'<svg viewBox="0 0 1000 {height}" preserveAspectRatio="none" width="100%" height="{height}">'
    parts.append(box + "".join(_line(line, place, axis, height) for place, line in enumerate(panel.lines)) + "</svg>")
    for place, line in enumerate(panel.lines):
        for point in line.points:
            x, y = _across(point.step, axis, height), _height(point.accuracy or 0, height)
            said = escape(
                f"{line.name}, step {count(point.step)}: {percent(point.accuracy)}% {_between(point)}".strip()
            )
            style = f'cx="{x:.2f}%" cy="{y:.1f}" r="{4 if height == _LINES_HEIGHT else 3}" fill="{colour(place)}"'
            parts.append(f"<circle {style}><title>{said}</title></circle>")
    for number, mark in enumerate(axis.ticks):
        anchor = "end" if number == len(axis.ticks) - 1 and number else "middle"
        style = f'x="{_across(mark, axis, height):.2f}%" y="{height + 16}" text-anchor="{anchor}"'
        parts.append(f'<text class="tick" {style}>{compact(mark)}</text>')
    name = "Accuracy over training steps" + (f": {panel.title}" if panel.title else "")
    return svg(name, height + _AXIS, "".join(parts))


def _bar(row: Row, accuracy: float, place: int, y: int) -> str:
    said = f"{row.label}, {row.model}: {percent(accuracy)}% {interval(row.low, row.high)} of {count(row.items)} items"
    parts = [_block(place, 0, _FULL * accuracy, y, _BAR - 2, said)]
    end = accuracy
    if row.low is not None and row.high is not None:
        end = max(accuracy, row.high)
        low, high, middle = f"{_FULL * row.low:.2f}%", f"{_FULL * row.high:.2f}%", y + (_BAR - 2) / 2
        for kind in ("halo", "whisker"):
            parts.append(f'<line class="{kind}" x1="{low}" x2="{high}" y1="{middle}" y2="{middle}"/>')
            for x in (low, high):
                parts.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{middle - 3}" y2="{middle + 3}"/>')
    parts.append(f'<text class="value" x="{_FULL * end:.2f}%" dx="6" y="{y + 10}">{percent(accuracy)}</text>')
    return "".join(parts)


def _block(place: int, left: float, width: float, y: int, height: int, said: str) -> str:
    where = f'x="{left:.2f}%" width="{width:.2f}%" y="{y}" height="{height}"'
    hatch = f'<rect {where} fill="url(#hatch)" pointer-events="none"/>' if is_again(place) else ""
    return f'<rect class="bar" {where} fill="{colour(place)}"><title>{escape(said)}</title></rect>{hatch}'


def _grid(height: int) -> str:
    parts = []
    for mark in (0, 25, 50, 75, 100):
        x = f"{_FULL * mark / 100:.2f}%"
        anchor = "start" if mark == 0 else "middle"
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{height}"/>')
        parts.append(f'<text class="tick" x="{x}" y="{height + 16}" text-anchor="{anchor}">{mark}%</text>')
    return "".join(parts)


def _label(text: str, y: int) -> str:
    cut = text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
    return f'<text class="label" x="0" y="{y + 14}">{escape(cut)}<title>{escape(text)}</title></text>'


def _line(line: Line, place: int, axis: StepAxis, height: int) -> str:
    def at(point: Step, share: float | None) -> str:
        return f"{10 * _across(point.step, axis, height):.1f},{_height(share or 0, height):.1f}"

    points = " ".join(at(point, point.accuracy) for point in line.points)
    dashes = ' stroke-dasharray="6 4"' if is_again(place) else ""
    drawn = f'<polyline class="line" points="{points}" stroke="{colour(place)}"{dashes}/>'
    banded = [point for point in line.points if point.low is not None and point.high is not None]
    if len(banded) < 2:
        ends = [at(point, share) for point in banded for share in (point.low, point.high)]
        return drawn + (f'<polyline class="line" points="{" ".join(ends)}" stroke="{colour(place)}"/>' if ends else "")
    above = [at(point, point.high) for point in banded]
    below = [at(point, point.low) for point in reversed(banded)]
    return f'<polygon class="band" points="{" ".join(above + below)}" fill="{colour(place)}"/>{drawn}'


def _left(height: int) -> int:
    return _LEFT if height == _LINES_HEIGHT else _PANEL_LEFT


def _across(step: int, axis: StepAxis, height: int) -> float:
    # A little is left free on both sides, so that no mark is cut off.
    return _left(height) + 2 + (96 - _left(height)) * axis.across(step)


def _height(share: float, height: int) -> float:
    return 8 + (height - 12) * (1 - share)


def _between(point: Step) -> str:
    return interval(point.low, point.high)


def legend(keys: Sequence[tuple[str, int]], chance: str = "") -> str:
    """Names with the colours of their places, and the line at chance where there is one."""
    parts = []
    for name, place in keys:
        hatch = '<rect width="12" height="12" fill="url(#hatch)"/>' if is_again(place) else ""
        square = f'<rect class="bar" width="12" height="12" fill="{colour(place)}"/>{hatch}'
        parts.append(f'<li><svg width="12" height="12" aria-hidden="true">{square}</svg>{escape(name)}</li>')
    if chance:
        dash = '<line class="chance" x1="0" x2="18" y1="6" y2="6"/>'
        parts.append(f'<li><svg width="18" height="12" aria-hidden="true">{dash}</svg>{escape(chance)}</li>')
    return f'<ul class="legend">{"".join(parts)}</ul>' if parts else ""


def svg(name: str, height: int, inside: str) -> str:
    """A chart as wide as there is room, with a name for readers that do not see it."""
    return f'<svg class="chart" role="img" aria-label="{escape(name)}" width="100%" height="{height}">{inside}</svg>'
