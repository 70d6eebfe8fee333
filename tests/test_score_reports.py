"""Reports: the same numbers in every output, nothing of the data taken for markup, everything the same on each run."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import re
from importlib import resources
from typing import Any

import jsonschema
import pytest
from rich.console import Console
from score_report_cases import MODELS, NASTY, full_report, row

from scorers.errors import ScoreError, UsageError
from scorers.reports import csv as report_csv
from scorers.reports import json as report_json
from scorers.reports import wording
from scorers.reports.cells import Column
from scorers.reports.layout import report_tables
from scorers.reports.markdown import code, to_markdown
from scorers.reports.model import Breakdown, Comparison, ItemRow, Report, Row
from scorers.reports.page_data import page_data
from scorers.reports.table import print_report, to_text

REPORT = full_report()
EMPTY = Report("Nothing", (), ())


# ---- numbers as they are read


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (wording.percent(0.8345), "83.5"),
        (wording.percent(1.0), "100.0"),
        (wording.percent(None), "–"),
        (wording.interval(0.801, 0.8625), "[80.1, 86.3]"),
        (wording.percent(0.8845), "88.5"),
        (wording.points(-0.0285), "−2.9"),
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
        *("Chance is 50.0%.", "95% confidence", "scores.tsv:17:3: warning", "With 1,500 items", "65.8"),
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
    rows = [line for line in text.splitlines() if line.split()[:2] == list(MODELS)]
    assert len(rows) > 1
    assert all(any(part in row for row in rows) for part in ("+16.5", "< .001", ".030", ".060"))


def test_names_are_broken_where_words_join() -> None:
    rows = tuple(Comparison(f"agreement_subject_verb-in_question_with_aux_{n}", "a", "b", 9, 0.5, 0.5, 0.0,
                            -0.25, 0.25, 12, 13, 0.5, 0.5, 1.0, "paradigm") for n in (1, 2))  # fmt: skip
    report = dataclasses.replace(EMPTY, comparisons=rows, models=("a", "b"))
    narrow = [
        line.split()[0] for line in to_text(report, 80).splitlines() if line.startswith(("agreement", "question"))
    ]
    assert narrow[0] == "agreement_subject_verb-"
    wide = to_text(report, 200)
    assert "Comparison of a (first) and b (second)" in wide
    assert "agreement_subject_verb-in_question_with_aux_2      9" in wide


def test_comparisons_by_group_have_a_table_for_each_pair_of_models() -> None:
    pairs = (("a", "b"), ("a", "c"))
    rows = tuple(
        Comparison(label, *pair, 9, 0.5, 0.25, 0.25, by=by)
        for pair in pairs
        for by, label in (("all", "all"), ("phenomenon", "binding"))
    )
    tables = list(report_tables(dataclasses.replace(EMPTY, comparisons=rows, models=("a", "b", "c"))))
    assert [table.title for table in tables] == [
        "Comparison of a (first) and b (second)", "Comparison of a (first) and c (second)"
    ]  # fmt: skip
    assert [row[0].text for row in tables[0].rows] == ["all", "binding"]
    assert tables[0].columns[0].name == "phenomenon"
    assert "All 4 comparisons" in tables[0].note


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
            name: number(value) for name, value in line.items() if name not in ("by", "model", "label", "signature")
        }
        assert line["signature"] == REPORT.signature[MODELS.index(line["model"])]
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
    design, _ = read_csv(report_csv.to_csv(REPORT, "designs"))
    assert design["formula"] == REPORT.designs[0].formula
    assert float(design["share"]) == REPORT.designs[0].share


def test_csv_without_a_name_is_the_first_table_that_has_rows() -> None:
    only_designs = dataclasses.replace(EMPTY, designs=REPORT.designs, models=MODELS, signature=REPORT.signature)
    assert report_csv.to_csv(only_designs) == report_csv.to_csv(REPORT, "designs")
    assert report_csv.to_csv(EMPTY).startswith("model,by,label,")
    with pytest.raises(UsageError, match=r"no table is called 'x' \(the tables: accuracy, "):
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
    assert report_json.from_json(report_json.to_json(REPORT)) == REPORT
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
