"""Plots of a report as PNG and SVG, through matplotlib (extra `plots`): bars, stacked answers, training steps."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from scorers.errors import ScoreError, UsageError
from scorers.reports.colours import colour, ink, is_again
from scorers.reports.model import AnswerTable, Breakdown, Report, Step
from scorers.reports.series import Panel, StepAxis, bars, fulfilment, main_breakdown, panels, stacks
from scorers.reports.wording import compact, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Picture = Literal["png", "svg"]
PICTURES: tuple[Picture, ...] = ("png", "svg")

_WIDTH_INCHES = 7.0
_LONGEST_LINE = 40
_PANELS_ACROSS, _PANEL_INCHES, _PANEL_LINE = 3, 1.7, 30
_SETTINGS: dict[str, Any] = {
    # A fixed salt: the ids of an SVG would else be random, and two runs would differ.
    "svg.hashsalt": "starling",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def picture_of(path: str) -> Picture:
    """The kind of picture that a file's ending names.  Raises UsageError for an ending other than .png and .svg."""
    suffix = PurePath(path).suffix.lower().removeprefix(".")
    for kind in PICTURES:
        if kind == suffix:
            return kind
    raise UsageError(f"{path}: a plot is a .png or .svg file")


def plot(report: Report, kind: Picture) -> bytes:
    """What the report shows best, as one picture: lines where it has training steps, else stacked answers, else bars
    of accuracy, else of fulfilled formulas.

    Raises ScoreError where there is nothing to draw, or matplotlib is missing.
    """
    breakdown = main_breakdown(report)
    if report.steps:
        return plot_steps(report.steps, kind, title=report.title)
    if report.answers:
        return plot_answers(report.answers[0], kind, title=report.title)
    if breakdown is not None:
        return plot_bars(breakdown, kind, title=report.title)
    if report.designs:
        return plot_bars(fulfilment(report.designs), kind, title=report.title, measure="items that fulfil the formula")
    raise ScoreError("there is nothing to plot: no breakdown, no answers, no formulas, no training steps")


def plot_bars(breakdown: Breakdown, kind: Picture, *, title: str = "", measure: str = "accuracy") -> bytes:
    """Accuracy with intervals: a group of bars for each label, a bar for each model, and a line at chance."""
    shown = bars(breakdown)
    high = 0.8 / max(1, len(shown.series))

    def draw(fields: Sequence[Axes]) -> None:
        axes = fields[0]
        for place, model in enumerate(shown.series):
            for number, row in enumerate(by_model[place] for by_model in shown.rows):
                if row is None or row.accuracy is None:
                    continue
                middle = number + high * (place - (len(shown.series) - 1) / 2)
                label = model if model not in axes.get_legend_handles_labels()[1] else None
                axes.barh(middle, 100 * row.accuracy, high, label=label, **_fill(place))
                if row.low is not None and row.high is not None:
                    # An interval of some estimators need not hold the estimate; whiskers cannot be negative.
                    ends = [[max(0.0, row.accuracy - row.low) * 100], [max(0.0, row.high - row.accuracy) * 100]]
                    axes.errorbar(
                        100 * row.accuracy, middle, xerr=ends, fmt="none", ecolor="black", capsize=2, linewidth=1
                    )
        if shown.chance is not None:
            axes.axvline(
                100 * shown.chance,
                color="black",
                linestyle="--",
                linewidth=1,
                label=f"chance ({percent(shown.chance)}%)",
            )
        _label_rows(axes, shown.labels)
        axes.set_xlabel(f"{measure} (%)")

    height = len(shown.labels) * max(0.3, 0.17 * len(shown.series))
    return _picture(draw, height, len(shown.series) + 1, kind, title)


def plot_answers(table: AnswerTable, kind: Picture, *, title: str = "") -> bytes:
    """Answers to open-ended items: a stacked bar for each template (and model), a part for each category."""
    shown = stacks(table)
    has_models = len({row.model for row in shown.rows}) > 1
    labels = [row.label for row in shown.rows]
    heights: list[float] = []
    for number, label in enumerate(labels):
        # The rows of one label stand together, below its name.
        is_first = has_models and (number == 0 or labels[number - 1] != label)
        heights.append((heights[-1] + 1 if heights else 0) + (0.9 if is_first else 0))

    def draw(fields: Sequence[Axes]) -> None:
        axes = fields[0]
        for height, shares in zip(heights, shown.shares, strict=True):
            left = 0.0
            for place, share in zip(shown.places, shares, strict=True):
                axes.barh(height, 100 * share, 0.7, left=100 * left, **_fill(place))
                if share >= 0.06:
                    _number(axes, 100 * (left + share / 2), height, 100 * share, place)
                left += share
        for category, place in zip(shown.categories, shown.places, strict=True):
            axes.barh(heights[:1], 0, 0.7, label=category, **_fill(place))
        _label_rows(axes, [row.model if has_models else row.label for row in shown.rows], heights)
        if has_models:
            for number, height in enumerate(heights):
                if number == 0 or labels[number - 1] != labels[number]:
                    axes.text(0, height - 0.45, labels[number].replace("$", r"\$"), ha="left", va="bottom")
        axes.set_xlabel("answers (%)")

    return _picture(draw, 0.3 * (heights[-1] + 1 if heights else 0), len(shown.categories), kind, title)


def _number(axes: Axes, across: float, height: float, share: float, place: int) -> None:
    """A share inside its part of a bar; on a hatched one with the plain colour behind it."""
    behind = {"boxstyle": "square,pad=0.15", "facecolor": colour(place), "linewidth": 0} if is_again(place) else None
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "color": ink(place), "bbox": behind}
    axes.text(across, height, f"{share:.0f}", **style)


def plot_steps(steps: tuple[Step, ...], kind: Picture, *, title: str = "") -> bytes:
    """Accuracy over training steps: a line for each label or run, with its interval as a band.

    Where there are many, each label has a field of its own.  The axis is that of `series.StepAxis`.
    """
    shown = panels(steps)
    axis = StepAxis(steps)
    chances = sorted({step.chance for step in steps if step.chance is not None})
    if len(shown) == 1:
        grid, height = (1, 1), 3.6
    else:
        grid = (-(-len(shown) // _PANELS_ACROSS), _PANELS_ACROSS)
        height = _PANEL_INCHES * grid[0]

    def draw(fields: Sequence[Axes]) -> None:
        for panel, field in zip(shown, fields, strict=False):
            _draw_lines(field, panel, axis, chances, 4 if len(shown) == 1 else 2.5)
            field.set_title(_literal(panel.title, _PANEL_LINE), fontsize=9) if panel.title else None
        for number, field in enumerate(fields):
            if number >= len(shown):
                field.set_visible(False)
            # The fields share their axes: what stands beside another says nothing new.
            field.tick_params(labelleft=number % grid[1] == 0)
            if number >= len(fields) - grid[1]:
                field.set_xlabel("training step" + (" (logarithmic)" if axis.is_logarithmic else ""))
        fields[0].figure.supylabel("accuracy (%)", fontsize=10)

    names = len(shown[0].lines) if shown else 0
    return _picture(draw, height, names if names > 1 else 0, kind, title, grid)


def _draw_lines(field: Axes, panel: Panel, axis: StepAxis, chances: Sequence[float], size: float) -> None:
    for place, line in enumerate(panel.lines):
        at = [axis.across(point.step) for point in line.points]
        heights = [100 * (point.accuracy or 0) for point in line.points]
        style, marker = "--" if is_again(place) else "-", "os^Dv<>P"[place % 8]
        field.plot(at, heights, style, marker=marker, markersize=size, color=colour(place), label=_literal(line.name))
        banded = [point for point in line.points if point.low is not None and point.high is not None]
        if banded:
            ends = [[100 * (end or 0) for end in ends] for ends in zip(*((p.low, p.high) for p in banded), strict=True)]
            where = [axis.across(point.step) for point in banded]
            field.fill_between(where, ends[0], ends[1], color=colour(place), alpha=0.15, linewidth=0)
        if len(banded) == 1:
            field.vlines(where, ends[0], ends[1], color=colour(place), linewidth=1)  # of one point a band has no width
    for chance in chances:
        field.axhline(100 * chance, color="black", linestyle=":", linewidth=1)
    field.set_ylim(0, 102)
    field.set_xlim(-0.03, 1.05)
    field.set_xticks([axis.across(mark) for mark in axis.ticks], [compact(mark) for mark in axis.ticks])


def _fill(place: int) -> dict[str, Any]:
    """How the bars of a series are filled: hatched where its colour was used before."""
    return {
        "color": colour(place),
        "hatch": "///" if is_again(place) else None,
        "edgecolor": "#333333",
        "linewidth": 0.5,
    }


def _label_rows(axes: Axes, labels: Sequence[str], heights: Sequence[float] = ()) -> None:
    at = heights or range(len(labels))
    axes.set_yticks(at, [_literal(label) for label in labels])
    axes.set_ylim((at[-1] if at else 0) + 0.6, -0.6)
    axes.set_xlim(0, 100)
    axes.tick_params(axis="y", length=0)


def _literal(text: str, width: int = _LONGEST_LINE) -> str:
    """Text in which a dollar sign begins no formula, in lines short enough for the margin."""
    return textwrap.fill(text.replace("$", r"\$"), width) if text else text


def _picture(
    draw: Callable[[Sequence[Axes]], None],
    rows_height: float,
    legend_lines: int,
    kind: Picture,
    title: str,
    grid: tuple[int, int] = (1, 1),
) -> bytes:
    """Draw on axes, in rows and columns, whose height grows with what they hold, a legend below; write the picture."""
    matplotlib = _matplotlib()
    with matplotlib.rc_context(_SETTINGS):
        legend_height = 0.22 * -(-legend_lines // 2)
        figure: Figure = _figure()(figsize=(_WIDTH_INCHES, rows_height + legend_height + 1.3), layout="constrained")
        fields: list[Axes] = list(figure.subplots(*grid, squeeze=False).flat)
        draw(fields)
        if title:
            figure.suptitle(textwrap.fill(title.replace("$", r"\$"), 2 * _LONGEST_LINE))
        # In the order in which they were named; a line at chance, which comes first by its kind, last.
        named = sorted(zip(*fields[0].get_legend_handles_labels(), strict=True), key=lambda entry: _is_chance(entry[1]))
        if named and legend_lines:
            handles, names = zip(*named, strict=True)
            figure.legend(handles, names, loc="outside lower center", ncols=min(2, legend_lines), frameon=False)
        written = io.BytesIO()
        metadata: dict[str, Any] = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(written, format=kind, dpi=160, metadata=metadata)
    return written.getvalue()


def _is_chance(name: str) -> bool:
    return name.startswith("chance (")


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise ScoreError("plots need the extra 'plots': pip install 'starling-gen[plots]'") from None
    return matplotlib


def _figure() -> Any:
    # Not through pyplot: a figure of its own has the Agg canvas, opens no window and leaves no global state.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    def made(**options: Any) -> Figure:
        figure = Figure(**options)
        FigureCanvasAgg(figure)
        return figure

    return made
