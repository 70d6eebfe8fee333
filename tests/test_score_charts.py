"""The page as text, its charts, and plots: nothing of the data taken for markup, the same on each run."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_report_cases import MODELS, NASTY, full_report, large_report, row

from scorers.errors import ScoreError, UsageError
from scorers.reports import charts, colours, plots, series
from scorers.reports.html import to_html
from scorers.reports.layout import report_tables
from scorers.reports.markdown import to_markdown
from scorers.reports.model import (
    AnswerCategory,
    AnswerRow,
    AnswerTable,
    Breakdown,
    DesignRow,
    ItemRow,
    Report,
    Row,
    Step,
)
from scorers.reports.page_data import page_data
from scorers.reports.region_chart import region_chart
from scorers.reports.table import to_text

REPORT = full_report()
EMPTY = Report("Nothing", (), ())
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
needs_matplotlib = pytest.mark.skipif(not HAS_MATPLOTLIB, reason="matplotlib is not installed (extra 'plots')")


# ---- charts and page


class Reading(HTMLParser):
    """Reads a page: its texts outside scripts, its scripts, and its tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self.addresses: list[str] = []
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href")]
        if tag in ("script", "style"):
            self._inside = tag
            if tag == "script":
                self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        elif not self._inside:
            self.texts.append(data)


PAGE = to_html(REPORT)
READ = Reading(PAGE)


def test_page_holds_what_the_tables_hold() -> None:
    text = "\n".join(READ.texts)
    for table in report_tables(REPORT, side_by_side=True):
        for line in table.rows:
            for cell in line:
                assert cell.text in text, cell
    for said in (*REPORT.signature, *REPORT.notes, *(finding.message for finding in REPORT.findings), REPORT.title):
        assert said in text, said


def test_no_text_of_the_data_becomes_markup() -> None:
    assert READ.tags.count("script") == 2
    assert "alert" not in READ.scripts[1]
    assert json.loads(READ.scripts[0])["good"][-1] == NASTY
    assert "<" not in READ.scripts[0]


def test_page_needs_no_network() -> None:
    assert all(address.startswith("#") or address == "data:," for address in READ.addresses)
    assert "http" not in PAGE.replace('http-equiv="Content-Security-Policy"', "")
    assert "default-src 'none'" in PAGE
    assert "@import" not in PAGE
    assert not re.search(r"url\((?!#hatch\))", PAGE)


def test_page_data_holds_the_items_as_columns() -> None:
    data = json.loads(READ.scripts[0])
    for place, item in enumerate(REPORT.items):
        assert (data["id"][place], data["good"][place], data["bad"][place]) == (item.id, item.good, item.bad)
        assert data["paradigms"][data["paradigm"][place]] == item.paradigm
        assert data["templates"][data["template"][place]] == item.template
        for model in range(len(MODELS)):
            assert data["verdicts"][data["verdict"][model][place]] == item.verdicts[model]
            assert [ends[place] for ends in data["scores"][model]] == list(item.scores[model])
        found = {part["name"]: part["values"][part["of"][place]] for part in data["attributes"]}
        assert {name: value for name, value in found.items() if value} == item.attributes
    assert data["answers"] == []


def test_page_data_of_open_ended_items() -> None:
    item = ItemRow("i", "p", "t", "a <mask> .", "", (), ("noun", "other"), answers=("dog", "</script>"))
    data = json.loads(page_data(dataclasses.replace(EMPTY, models=MODELS, items=(item,))))
    assert data["answers"] == [["dog"], ["</script>"]]
    assert data["verdicts"] == ["noun", "other"]
    assert data["scores"] == [[[None], [None]]] * 2


def test_page_is_the_same_on_every_run() -> None:
    assert to_html(full_report()) == PAGE
    assert Reading(to_html(EMPTY)).scripts[1] == READ.scripts[1]


def test_page_can_be_written_as_utf8() -> None:
    report = dataclasses.replace(REPORT, title="half \ud800", notes=("{{data}} \\1",))
    page = to_html(report)
    assert "half ?" in page.encode("utf-8").decode("utf-8")
    assert "{{data}} \\1" in page


def test_empty_parts_are_not_mentioned() -> None:
    text = "\n".join(Reading(to_html(EMPTY)).texts)
    for name in ("Charts", "Tables", "Items", "Designs", "Comparisons", "Files"):
        assert name not in text
    assert to_markdown(EMPTY).count("##") == 0
    assert "Nothing" in to_text(EMPTY)


def parts(chart: str, tag: str, name: str = "") -> list[ET.Element]:
    found = ET.fromstring(f"<div>{chart}</div>").iter(tag)
    return [part for part in found if not name or part.get("class") == name]


def test_bars_are_as_long_as_their_accuracy() -> None:
    chart = charts.bar_chart(REPORT.groups[0])
    drawn = [part for part in parts(chart, "rect", "bar") if part.find("title") is not None]
    full = next(float(t.get("x", "").rstrip("%")) for t in parts(chart, "text", "tick") if t.text == "100%")
    widths = [float(part.get("width", "").rstrip("%")) / full for part in drawn]
    assert widths == pytest.approx([line.accuracy for line in REPORT.groups[0].rows], abs=1e-4)
    (chance, *_) = [part for part in parts(chart, "line", "chance") if part.get("x1") == part.get("x2")]
    assert float(chance.get("x1", "").rstrip("%")) == pytest.approx(full / 2)
    assert [part.text for part in parts(chart, "text", "value")][:2] == ["53.0", "45.0"]


def test_whiskers_reach_from_low_to_high() -> None:
    line = Row("a", "m", 10, 6, 0.6, 0.35, 0.8)
    chart = charts.bar_chart(Breakdown("paradigm", (line,)))
    whisker = parts(chart, "line", "whisker")[0]
    full = next(float(t.get("x", "").rstrip("%")) for t in parts(chart, "text", "tick") if t.text == "100%")
    ends = [float(whisker.get(name, "").rstrip("%")) / full for name in ("x1", "x2")]
    assert ends == pytest.approx([0.35, 0.8], abs=1e-4)


def test_charts_escape_names() -> None:
    bars = charts.bar_chart(Breakdown(NASTY, (row(NASTY, NASTY, 1, 2), row(NASTY, "m", 1, 2))))
    answers = dataclasses.replace(REPORT.answers[0].rows[0], label=NASTY, model=NASTY)
    parts_of = tuple(dataclasses.replace(part, name=NASTY) for part in answers.categories[:1])
    stack = charts.stack_chart(AnswerTable(NASTY, (dataclasses.replace(answers, categories=parts_of),)))
    lines = charts.step_chart((Step(1, NASTY, NASTY, 1, 0.5), Step(1, "other", NASTY, 1, 0.5)))
    for chart in (bars, stack, lines):
        assert "<script" not in chart
        # Whole and well-formed: each name is there again when it is read.
        assert NASTY in "".join(ET.fromstring(f"<div>{chart}</div>").itertext())


def test_stacked_parts_follow_each_other_and_fill_the_bar() -> None:
    chart = charts.stack_chart(REPORT.answers[0])
    drawn = [part for part in parts(chart, "rect", "bar") if part.find("title") is not None]
    rows: dict[str, list[tuple[float, float]]] = {}
    for part in drawn:
        left, width = (float(part.get(name, "").rstrip("%")) for name in ("x", "width"))
        rows.setdefault(part.get("y", ""), []).append((left, width))
    assert len(rows) == 4
    for blocks in rows.values():
        ends = [left + width for left, width in blocks]
        assert [left for left, _ in blocks] == pytest.approx([0, *ends[:-1]], abs=0.02)
        assert ends[-1] == pytest.approx(100, abs=0.02)


def test_other_is_last_and_grey_whatever_rows_lack_it() -> None:
    def answers(label: str, *names: str) -> AnswerRow:
        return AnswerRow(label, "m", 2, tuple(AnswerCategory(name, 1, 1 / len(names), (), 0, 1) for name in names))

    table = AnswerTable("template", (answers("a", "noun", "other"), answers("b", "verb", "piece", "other")))
    shown = series.stacks(table)
    assert shown.categories == ("noun", "verb", "piece", "other")
    assert [colours.colour(place) for place in shown.places][-1] == "#8c8c8c"
    assert shown.shares[0] == (0.5, 0, 0, 0.5)
    many = series.stacks(AnswerTable("template", (answers("a", *(f"c{number}" for number in range(9)), "other"),)))
    assert len({colours.colour(place) for place in many.places[:7]} | {"#8c8c8c"}) == 8
    assert [colours.is_again(place) for place in many.places] == [False] * 7 + [True] * 2 + [False]


def test_steps_rise_with_accuracy() -> None:
    chart = charts.step_chart(REPORT.steps)
    points = parts(chart, "circle")
    heights = [float(part.get("cy", "")) for part in points[:4]]
    assert heights == sorted(heights, reverse=True)
    assert len(parts(chart, "polyline")) == 3
    banded = tuple(Step(step, "x", "m", 9, 0.5, 0.4, 0.6) for step in (0, 10))
    assert len(parts(charts.step_chart(banded), "polygon")) == 1


def test_colours_used_again_are_hatched() -> None:
    rows = tuple(row("a", f"model {place}", 1, 2) for place in range(10))
    assert charts.bar_chart(Breakdown("paradigm", rows)).count("url(#hatch)") == 4


def test_ink_is_read_on_every_colour() -> None:
    for place, shade in enumerate(colours.PALETTE):
        light, dark = sorted((colours._luminance(shade), colours._luminance(colours.ink(place))), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


@given(st.integers(0, 10**12))
def test_ticks_are_few_and_reach_the_end(highest: int) -> None:
    marks = series.ticks(highest)
    assert marks[0] == 0
    assert marks[-1] >= highest
    assert 2 <= len(marks) <= 5


def test_lines_are_named_by_what_tells_them_apart() -> None:
    steps = [Step(step, label, model, 1, 0.5) for step in (20, 3) for label in "ab" for model in "mn"]
    assert [line.name for line in series.lines(steps)] == ["a (m)", "a (n)", "b (m)", "b (n)"]
    assert [line.name for line in series.lines([step for step in steps if step.label == "a"])] == ["m", "n"]
    assert [point.step for point in series.lines(steps)[0].points] == [3, 20]


def test_the_chart_is_by_phenomenon_where_there_are_several() -> None:
    one = Breakdown("phenomenon", (row("only", "m", 1, 2),))
    many = Breakdown("paradigm", (row("a", "m", 1, 2), row("b", "m", 1, 2)))
    assert series.main_breakdown(dataclasses.replace(EMPTY, groups=(one, many))) is many
    assert series.main_breakdown(dataclasses.replace(EMPTY, groups=(many, REPORT.groups[0]))) is REPORT.groups[0]
    assert series.main_breakdown(dataclasses.replace(EMPTY, groups=(one,))) is one
    assert series.main_breakdown(EMPTY) is None


def test_a_large_report_stays_compact() -> None:
    report = large_report(2000)
    items = sum(len(item.good) + len(item.bad) + len(item.id) for item in report.items)
    assert len(page_data(report)) < 2 * items


# ---- plots


def test_the_ending_says_the_kind_of_picture() -> None:
    assert plots.picture_of("out/a.SVG") == "svg"
    assert plots.picture_of("a.b.png") == "png"
    with pytest.raises(UsageError, match=r"a\.pdf: a plot is a \.png or \.svg file"):
        plots.picture_of("a.pdf")


def test_without_matplotlib_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ScoreError, match=r"^plots need the extra 'plots': pip install 'starling-gen\[plots\]'$"):
        plots.plot(REPORT, "svg")


def test_nothing_to_plot_is_said() -> None:
    with pytest.raises(ScoreError, match="there is nothing to plot"):
        plots.plot(EMPTY, "png")


def pictures(kind: plots.Picture) -> list[bytes]:
    return [
        plots.plot_bars(REPORT.groups[1], kind, title=REPORT.title),
        plots.plot_answers(REPORT.answers[0], kind, title="in $x_1$ dollars"),
        plots.plot_steps(REPORT.steps, kind),
    ]


@pytest.mark.external
@needs_matplotlib
def test_pictures_are_the_same_on_every_run() -> None:
    for kind in plots.PICTURES:
        assert pictures(kind) == pictures(kind)
    assert all(picture.startswith(b"\x89PNG\r\n\x1a\n") for picture in pictures("png"))


@pytest.mark.external
@needs_matplotlib
def test_svg_holds_labels_and_no_date() -> None:
    drawn_bars, answers, steps = (picture.decode() for picture in pictures("svg"))
    for picture in (drawn_bars, answers, steps):
        ET.fromstring(picture)
        assert "<dc:date>" not in picture
    for text in ("agreement-0", *MODELS, "accuracy (%)", "chance (50.0%)"):
        assert text in drawn_bars
    for text in (">this_A_N<", ">lstm<", "correct number", "in $x_1$ dollars"):
        assert text in answers
    for text in ("training step", "10k", "ellipsis_in_VP"):
        assert text in steps


@pytest.mark.external
@needs_matplotlib
def test_figures_grow_with_their_rows() -> None:
    def height(rows: int) -> float:
        group = Breakdown("paradigm", tuple(row(f"p{place}", "m", 1, 2) for place in range(rows)))
        return float(ET.fromstring(plots.plot_bars(group, "svg")).get("height", "").removesuffix("pt"))

    assert height(60) > height(10) + 40 * 15


@pytest.mark.external
@needs_matplotlib
def test_plot_takes_what_the_report_shows_best() -> None:
    without_steps = dataclasses.replace(REPORT, steps=())
    assert plots.plot(REPORT, "svg") == plots.plot_steps(REPORT.steps, "svg", title=REPORT.title)
    assert b"correct number" in plots.plot(without_steps, "svg")
    assert b"ellipsis_in_VP" in plots.plot(dataclasses.replace(without_steps, answers=()), "svg")


@pytest.mark.external
@needs_matplotlib
def test_formulas_are_drawn_where_nothing_else_is() -> None:
    only = dataclasses.replace(EMPTY, models=("lstm",), designs=REPORT.designs)
    drawn = plots.plot(only, "svg")
    assert b"number_src: 2" in drawn
    assert b"items that fulfil the formula" in drawn
    one = dataclasses.replace(only, designs=REPORT.designs[:1])
    assert [row.label for row in series.fulfilment(one.designs).rows] == ["number_src"]


def test_surprisals_of_regions_are_lines() -> None:
    """Each condition is a line over the regions, in the order of their numbers; the whole sentence is none of them."""
    rows = [row for row in REPORT.regions if row.condition.startswith("a")]
    chart = region_chart([*rows, dataclasses.replace(rows[0], region="verb", number="10", place=9, mean_bits=2.0)])
    assert chart.count("<circle") == 3
    assert chart.count("<polyline") == 1
    (line,) = re.findall(r'polyline class="line" points="([^"]*)"', chart)
    heights = [float(point.split(",")[1]) for point in line.split()]
    # 4.25, 8.5 and 2 bits.
    assert heights[1] < heights[0] < heights[2]
    assert "3 verb (10). Bits." in chart


def test_designs_without_differences_have_no_such_column() -> None:
    report = dataclasses.replace(EMPTY, models=("m",), designs=(DesignRow("s", "m", "1", "a < b", 3, 2, 2 / 3),))
    (table,) = report_tables(report)
    assert [column.name for column in table.columns] == ["suite", "name", "formula", "items", "fulfilled", "share"]
