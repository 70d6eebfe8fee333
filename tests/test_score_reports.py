"""Reports: the same numbers in every output, nothing of the data taken for markup, everything the same on each run."""

from __future__ import annotations

import csv
import dataclasses
import importlib.util
import io
import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from score_report_cases import MODELS, NASTY, full_report, large_report, row

from scorers.errors import ScoreError, UsageError
from scorers.reports import charts, colours, plots, series, wording
from scorers.reports import csv as report_csv
from scorers.reports import json as report_json
from scorers.reports.html import to_html
from scorers.reports.layout import Column, report_tables
from scorers.reports.markdown import code, to_markdown
from scorers.reports.model import AnswerTable, Breakdown, DesignRow, ItemRow, Report, Row, Step
from scorers.reports.page_data import page_data
from scorers.reports.table import print_report, to_text

REPORT = full_report()
EMPTY = Report("Nothing", (), ())
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
needs_matplotlib = pytest.mark.skipif(not HAS_MATPLOTLIB, reason="matplotlib is not installed (extra 'plots')")


# ---- numbers as they are read


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (wording.percent(0.8345), "83.5"),
        (wording.percent(1.0), "100.0"),
        (wording.percent(None), "–"),
        (wording.interval(0.801, 0.8625), "[80.1, 86.2]"),
        (wording.interval(None, 0.5), ""),
        (wording.points(-0.0312), "−3.1"),
        (wording.points_interval(-0.01, 0.021), "[−1.0, +2.1]"),
        (wording.p_value(0.0009), "< .001"),
        (wording.p_value(0.0301), ".030"),
        (wording.p_value(1.0), "1.000"),
        (wording.p_value(0.99951), "1.000"),
        (wording.count(1234567), "1,234,567"),
        (wording.count(1234.5), "1,234.5"),
        (wording.words([(letter, 9) for letter in "abcdefg"]), "a 9, b 9, c 9, d 9, e 9, ... 2 more"),
    ],
)
def test_numbers_are_written_as_papers_do(written: str, expected: str) -> None:
    assert written == expected


# ---- tables


def test_terminal_shows_every_part() -> None:
    text = to_text(REPORT, 120)
    for part in (
        *("82.3", "[77.3, 87.3]", "1,500", "ellipsis_in_VP", "[48.0, 58.0]", "correct number", "dog|s 3", "63.2"),
        *("[41.0, 81.0]", "−1.250", "+16.5", "[+12.0, +21.0]", "< .001", ".030", ".060", "10,000", "0.432", "1,490"),
        *("Chance is 50.0%.", "95% confidence", "scores.tsv:17:3: warning", "With 1,500 items", "roberta-base (82.3)"),
        *REPORT.signature,
    ):
        assert part in text, part


@pytest.mark.parametrize("width", [80, 100, 140, 200])
def test_terminal_tables_fit_their_width(width: int) -> None:
    lines = to_text(REPORT, width).splitlines()
    # The signature and lines of a file are copied, so they are not broken.
    tables = [line for line in lines if not line.startswith("items:")]
    assert max(map(len, tables)) <= width
    assert len(to_text(REPORT, 80)) > len(to_text(REPORT, 200)) / 2


def test_numbers_that_do_not_fit_go_on_in_a_further_table() -> None:
    text = to_text(REPORT, 80)
    headings = [line.split() for line in text.splitlines() if "first" in line and "second" in line and "label" in line]
    assert len(headings) > 1
    assert all(part in text for part in ("+16.5", "< .001", ".030", ".060"))


def test_terminal_colours_obey_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    def printed() -> str:
        out = io.StringIO()
        print_report(REPORT, Console(file=out, force_terminal=True, color_system="standard", width=100))
        return out.getvalue()

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[31m" in printed() or "\x1b[33m" in printed()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in printed()
    assert "\x1b[33m" not in printed()


def test_markup_of_rich_in_data_is_text() -> None:
    report = dataclasses.replace(EMPTY, title="[red]x[/red]", summary=(row("[bold]a", "[/]", 1, 2),))
    text = to_text(report)
    assert "[red]x[/red]" in text
    assert "[/]" in text


def test_a_breakdown_may_have_the_name_of_a_part() -> None:
    groups = tuple(Breakdown(name, (row("a", MODELS[0], 1, 2),)) for name in ("summary", "designs", "lengths"))
    keys = [table.key for table in report_tables(dataclasses.replace(REPORT, groups=groups))]
    assert len(keys) == len(set(keys))


def test_chance_is_a_column_where_it_differs() -> None:
    rows = (row("a", "m", 1, 2, chance=0.5), row("b", "m", 1, 2, chance=0.25))
    (table,) = report_tables(Report("t", (), ("m",), groups=(Breakdown("paradigm", rows),)))
    assert [column.name for column in table.columns][-1] == "chance"
    assert [line[-1].text for line in table.rows] == ["50.0", "25.0"]


def test_ties_and_unequal_lengths_are_told_apart() -> None:
    rows = (row("a", "m", 1, 20, ties=7, unequal=5), row("b", "m", 2, 20, ties=1, unequal=3))
    report = Report("t", (), ("m",), groups=(Breakdown("paradigm", rows),))
    (table,) = report_tables(report)
    assert [line[table.columns.index(Column("ties"))].text for line in table.rows] == ["7", "1"]
    assert [line[table.columns.index(Column("unequal"))].text for line in table.rows] == ["5", "3"]


def test_no_number_is_cut_off_in_80_columns() -> None:
    label, model = "a_label_that_is_much_longer_than_its_column", "a-model/with-a-long-name-too"
    rows = tuple(row(f"{label}_{place}", model, 123456.5, 1234567, ties=98765, unequal=43210) for place in range(2))
    report = dataclasses.replace(REPORT, groups=(Breakdown("paradigm", rows),))
    text = to_text(report, 80)
    for table in report_tables(report):
        for line in table.rows:
            for column, cell in zip(table.columns, line, strict=True):
                assert column.kind != "number" or cell.text in text, (table.key, column.name, cell.text)
    for line in text.splitlines():
        assert "…" not in line


# ---- Markdown


def markdown_tables(text: str) -> list[list[list[str]]]:
    """The cells of each table, less the rule below the heading, read as GitHub does: a `|` after `\\` parts nothing."""
    tables: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            tables[-1].append([re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", cell) for cell in cells])
        elif tables[-1]:
            tables.append([])
    return [[table[0], *table[2:]] for table in tables if table]


def test_markdown_has_the_cells_of_the_tables() -> None:
    found = markdown_tables(to_markdown(REPORT))
    expected = list(report_tables(REPORT, side_by_side=True))
    assert len(found) == len(expected) >= 9
    for table, cells in zip(expected, found, strict=True):
        assert cells[0] == [column.name for column in table.columns]
        written = [
            [
                f"`{cell.text}`" if column.kind == "code" else cell.text
                for column, cell in zip(table.columns, line, strict=True)
            ]
            for line in table.rows
        ]
        assert cells[1:] == [[" ".join(text.split()) for text in line] for line in written]


def test_markdown_puts_models_side_by_side() -> None:
    text = to_markdown(REPORT)
    assert "| phenomenon | items | roberta-base | lstm | ties | unequal |" in text
    assert "| binding | 100 | 63.0 [58.0, 68.0] | 55.0 [50.0, 60.0] | 1 | 2 |" in text
    assert r"| `(6;%match_sing%) < (6;%mismatch_sing%) \| [(*;%a%) = (1;%b%)]` |" in text


def test_counts_that_differ_between_models_are_all_shown() -> None:
    rows = (row("a", MODELS[0], 5, 10, ties=2), row("a", MODELS[1], 4, 9), row("b", MODELS[0], 1, 2))
    text = to_markdown(dataclasses.replace(EMPTY, models=MODELS, groups=(Breakdown("paradigm", rows),)))
    assert "| a | 10 / 9 | 50.0 [45.0, 55.0] | 44.4 [39.4, 49.4] | 2 / 0 | 0 |" in text
    assert "| b | 2 | 50.0 [45.0, 55.0] | – | 0 | 0 |" in text


def test_markdown_has_the_signature_as_a_footnote() -> None:
    text = to_markdown(REPORT)
    assert text.count("[^signature]: ") == 1
    assert text.count("[^signature]") == 1 + 1 + len(list(report_tables(REPORT)))
    assert "`items:1a2b3c4d|ties:half|seed:1|model:lstm`" in text


def test_markdown_escapes_data() -> None:
    text = to_markdown(REPORT)
    assert "<script" not in text.replace(r"\<", "")
    assert r"\*b\* \_c\_ \[l\](u)" in text
    assert code("a`b``c") == "```a`b``c```"
    assert code("`a") == "`` `a ``"


# ---- CSV


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def number(text: str) -> float | None:
    return float(text) if text else None


def test_csv_gives_the_rows_back() -> None:
    found = []
    for line in read_csv(report_csv.to_csv(REPORT)):
        numbers: dict[str, Any] = {
            name: number(value) for name, value in line.items() if name not in ("by", "model", "label")
        }
        counts = {name: int(numbers.pop(name)) for name in ("items", "ties", "unequal")}
        found.append((line["by"], Row(line["label"], line["model"], **counts, **numbers)))
    expected = [("all", part) for part in REPORT.summary]
    expected += [(group.by, part) for group in REPORT.groups for part in group.rows]
    assert found == expected


def test_csv_of_items_holds_any_sentence() -> None:
    lines = read_csv(report_csv.to_csv(REPORT, "items"))
    assert len(lines) == len(REPORT.items) * len(MODELS)
    assert lines[-1]["good"] == NASTY
    assert lines[-1]["note"] == NASTY
    assert lines[-1]["model"] == MODELS[1]
    assert float(lines[0]["score_good"]) == REPORT.items[0].scores[0][0]


def test_csv_words_and_designs() -> None:
    words = read_csv(report_csv.to_csv(REPORT, "words"))
    assert {"word": "dog|s", "count": "3"}.items() <= words[0].items()
    (design,) = read_csv(report_csv.to_csv(REPORT, "designs"))
    assert design["formula"] == REPORT.designs[0].formula
    assert float(design["share"]) == REPORT.designs[0].share


def test_csv_without_a_name_is_the_first_table_that_has_rows() -> None:
    only_designs = dataclasses.replace(EMPTY, designs=REPORT.designs)
    assert report_csv.to_csv(only_designs) == report_csv.to_csv(REPORT, "designs")
    assert report_csv.to_csv(EMPTY).startswith("model,by,label,")
    with pytest.raises(UsageError, match="no table is called 'x': one of accuracy, "):
        report_csv.to_csv(REPORT, "x")


@pytest.mark.parametrize("table", report_csv.TABLES)
def test_csv_is_square(table: str) -> None:
    lines = list(csv.reader(io.StringIO(report_csv.to_csv(REPORT, table), newline="")))
    assert len(lines) > 1
    assert {len(line) for line in lines} == {len(lines[0])}


# ---- JSON


def schema() -> Any:
    return json.loads((resources.files("scorers") / "report_schema.json").read_text("utf-8"))


def strictly(record: Any) -> None:
    validator = jsonschema.Draft202012Validator
    validator.check_schema(schema())
    validator(schema()).validate(record)


def test_json_gives_the_report_back() -> None:
    # The text of a faulty line is for the terminal; findings in JSON name its place only.
    findings = tuple(dataclasses.replace(finding, text="") for finding in REPORT.findings)
    assert report_json.from_json(report_json.to_json(REPORT)) == dataclasses.replace(REPORT, findings=findings)
    assert report_json.from_json(report_json.to_json(EMPTY)) == EMPTY


@pytest.mark.parametrize("report", [REPORT, EMPTY], ids=["full", "empty"])
def test_json_follows_its_schema(report: Report) -> None:
    strictly(json.loads(report_json.to_json(report)))


def test_schema_names_every_field_and_no_other() -> None:
    record = report_json.as_json(REPORT)
    for damage in (
        lambda r: r.pop("level"),
        lambda r: r["summary"][0].pop("ties"),
        lambda r: r["summary"][0].update(accuracy=82.3),
        lambda r: r["items"][0].update(more=1),
        lambda r: r["answers"][0]["rows"][0]["categories"][0].update(count=-1),
        lambda r: r.update(version=2),
    ):
        broken = json.loads(json.dumps(record))
        damage(broken)
        with pytest.raises(jsonschema.ValidationError):
            strictly(broken)


def test_infinite_numbers_are_null() -> None:
    item = ItemRow("i", "p", "", "a", "b", ((-math.inf, math.nan),), ("right",))
    report = dataclasses.replace(EMPTY, models=("m",), items=(item,))
    assert report_json.as_json(report)["items"][0]["scores"] == [[None, None]]
    assert json.loads(page_data(report))["scores"] == [[[None], [None]]]
    strictly(json.loads(report_json.to_json(report)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a report"),
        ("[]", "not a report: it has no"),
        ('{"format": "starling-report", "version": 2}', "of version 2; this program reads version 1"),
        ('{"format": "starling-report", "version": 1, "colour": 3}', "not a report"),
        (
            '{"format": "starling-report", "version": 1, "title": "", "signature": [], "models": [], "summary": [{}]}',
            "not a",
        ),
    ],
)
def test_what_is_no_report_is_refused(text: str, message: str) -> None:
    with pytest.raises(ScoreError, match=message):
        report_json.from_json(text)


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
    for text in ("this_A_N (lstm)", "correct number", "in $x_1$ dollars"):
        assert text in answers
    for text in ("training step", "10,000", "ellipsis_in_VP"):
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


def test_designs_without_differences_have_no_such_column() -> None:
    report = dataclasses.replace(EMPTY, models=("m",), designs=(DesignRow("s", "m", "1", "a < b", 3, 2, 2 / 3),))
    (table,) = report_tables(report)
    assert [column.name for column in table.columns] == ["suite", "name", "formula", "items", "fulfilled", "share"]
