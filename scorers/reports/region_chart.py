"""Surprisals of regions as inline SVG: a field for each model, a line for each condition, with intervals.

As in `charts`, x coordinates are percentages of the width and y coordinates pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from scorers.reports.charts import legend, svg
from scorers.reports.colours import colour, is_again
from scorers.reports.design_tables import shown_regions
from scorers.reports.model import RegionRow
from scorers.reports.series import ticks
from scorers.reports.wording import figure, figure_interval

_HEIGHT, _AXIS, _LEFT = 200, 24, 8


def region_chart(rows: Sequence[RegionRow]) -> str:
    """The mean surprisals of one suite: fields by model; the whole sentence and regions inside of others are
    left out."""
    shown = [row for row in rows if row.is_outermost]
    regions = shown_regions(shown)
    conditions = list(dict.fromkeys(row.condition for row in shown))
    ends = (row.mean_bits if row.high is None else row.high for row in shown)
    marks = ticks(max(1, round(max(ends, default=1.0))))
    models = list(dict.fromkeys(row.model for row in shown))
    fields = []
    for model in models:
        own = [row for row in shown if row.model == model]
        name = f'<p class="label">{escape(model)}</p>' if len(models) > 1 else ""
        fields.append(f"<div>{name}{_field(own, model, conditions, regions, marks)}</div>")
    named = ", ".join(
        f"{place} {name}" if number in ("", str(place)) else f"{place} {name} ({number})"
        for place, (number, name) in enumerate(regions, 1)
    )
    keys = legend([(name, place) for place, name in enumerate(conditions)])
    return f'{keys}<div class="panels wide">{"".join(fields)}</div><p class="note">Regions: {escape(named)}. Bits.</p>'


def _field(
    rows: Sequence[RegionRow],
    model: str,
    conditions: Sequence[str],
    regions: Sequence[tuple[str, str]],
    marks: Sequence[int],
) -> str:
    top, parts = marks[-1], []
    for mark in marks:
        y = _height(mark, top)
        parts.append(f'<line class="grid" x1="{_LEFT}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="0" y="{y + 4:.1f}">{mark}</text>')
    for place in range(len(regions)):
        x = _across(place, len(regions))
        parts.append(f'<text class="tick" x="{x:.2f}%" y="{_HEIGHT + 16}" text-anchor="middle">{place + 1}</text>')
    found = {(row.condition, (row.number, row.region)): row for row in rows}
    lines, points = [], []
    for number, condition in enumerate(conditions):
        known = [
            (place, row) for place, region in enumerate(regions) if (row := found.get((condition, region))) is not None
        ]
        path = " ".join(
            f"{10 * _across(place, len(regions)):.1f},{_height(row.mean_bits, top):.1f}" for place, row in known
        )
        dashes = ' stroke-dasharray="6 4"' if is_again(number) else ""
        lines.append(f'<polyline class="line" points="{path}" stroke="{colour(number)}"{dashes}/>')
        for place, row in known:
            points.append(_point(row, _across(place, len(regions)), number, top))
    # The lines are drawn in a box that is stretched to the width; their strokes are not.
    box = f'<svg viewBox="0 0 1000 {_HEIGHT}" preserveAspectRatio="none" width="100%" height="{_HEIGHT}">'
    inside = "".join(parts) + box + "".join(lines) + "</svg>" + "".join(points)
    return svg(f"Surprisals of regions, {model}", _HEIGHT + _AXIS, inside)


def _point(row: RegionRow, across: float, number: int, top: int) -> str:
    said = f"{row.condition}, {row.region}: {figure(row.mean_bits, 2)} bits {figure_interval(row.low, row.high)}"
    whisker = ""
    if row.low is not None and row.high is not None:
        ends = f'y1="{_height(row.low, top):.1f}" y2="{_height(row.high, top):.1f}"'
        whisker = f'<line x1="{across:.2f}%" x2="{across:.2f}%" {ends} stroke="{colour(number)}" stroke-width="1.5"/>'
    style = f'cx="{across:.2f}%" cy="{_height(row.mean_bits, top):.1f}" r="4" fill="{colour(number)}"'
    return f"{whisker}<circle {style}><title>{escape(said.strip())}</title></circle>"


def _across(place: int, regions: int) -> float:
    return _LEFT + (100 - _LEFT) * (place + 0.5) / regions


def _height(bits: float, top: int) -> float:
    # Means of surprisals are not below zero; an interval may reach there.
    return 8 + (_HEIGHT - 12) * (1 - max(0.0, bits) / top)
