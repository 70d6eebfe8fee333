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
from scorers.reports.series import bars, lines, main_breakdown, stacks
from scorers.reports.wording import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Picture = Literal["png", "svg"]
PICTURES: tuple[Picture, ...] = ("png", "svg")

_WIDTH_INCHES = 7.0
_LONGEST_LINE = 40
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
    """What the report shows best, as one picture: lines where it has training steps, else stacked answers, else bars.

    Raises ScoreError where there is nothing to draw, or matplotlib is missing.
    """
    breakdown = main_breakdown(report)
    if report.steps:
        return plot_steps(report.steps, kind, title=report.title)
    if report.answers:
        return plot_answers(report.answers[0], kind, title=report.title)
    if breakdown is not None:
        return plot_bars(breakdown, kind, title=report.title)
    raise ScoreError("there is nothing to plot: no breakdown, no answers, no training steps")


def plot_bars(breakdown: Breakdown, kind: Picture, *, title: str = "") -> bytes:
    """Accuracy with intervals: a group of bars for each label, a bar for each model, and a line at chance."""
    shown = bars(breakdown)
    high = 0.8 / max(1, len(shown.series))

    def draw(axes: Axes) -> None:
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
        axes.set_xlabel("accuracy (%)")

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

    def draw(axes: Axes) -> None:
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
    """Accuracy over training steps: a line for each phenomenon or model, with its interval as a band."""
    shown = lines(steps)

    def draw(axes: Axes) -> None:
        for place, line in enumerate(shown):
            at = [point.step for point in line.points]
            style = "--" if is_again(place) else "-"
            heights = [100 * (point.accuracy or 0) for point in line.points]
            marker = "os^Dv<>P"[place % 8]
            axes.plot(at, heights, style, marker=marker, markersize=4, color=colour(place), label=line.name)
            banded = [point for point in line.points if point.low is not None and point.high is not None]
            ends = [[100 * (end or 0) for end in ends] for ends in zip(*((p.low, p.high) for p in banded), strict=True)]
            if banded:
                axes.fill_between(
                    [point.step for point in banded], ends[0], ends[1], color=colour(place), alpha=0.15, linewidth=0
                )
        for chance in sorted({step.chance for step in steps if step.chance is not None}):
            axes.axhline(100 * chance, color="black", linestyle=":", linewidth=1)
        axes.set_ylim(0, 100)
        axes.set_xlabel("training step")
        axes.set_ylabel("accuracy (%)")
        axes.xaxis.set_major_formatter(_ticker().FuncFormatter(lambda value, _: f"{value:,.0f}"))

    return _picture(draw, 3.6, len(shown), kind, title)


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


def _literal(text: str) -> str:
    """Text in which a dollar sign begins no formula, in lines short enough for the margin."""
    return textwrap.fill(text.replace("$", r"\$"), _LONGEST_LINE, break_on_hyphens=False) if text else text


def _picture(draw: Callable[[Axes], None], rows_height: float, legend_lines: int, kind: Picture, title: str) -> bytes:
    """Draw on axes whose height grows with their rows, the legend below, and write the picture."""
    matplotlib = _matplotlib()
    with matplotlib.rc_context(_SETTINGS):
        legend_height = 0.22 * -(-legend_lines // 2)
        figure: Figure = _figure()(figsize=(_WIDTH_INCHES, rows_height + legend_height + 1.3), layout="constrained")
        axes = figure.subplots()
        draw(axes)
        if title:
            figure.suptitle(textwrap.fill(title.replace("$", r"\$"), 2 * _LONGEST_LINE))
        if axes.get_legend_handles_labels()[0]:
            figure.legend(loc="outside lower center", ncols=min(2, legend_lines), frameon=False)
        written = io.BytesIO()
        metadata: dict[str, Any] = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(written, format=kind, dpi=160, metadata=metadata)
    return written.getvalue()


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


def _ticker() -> Any:
    from matplotlib import ticker

    return ticker
