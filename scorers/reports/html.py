"""A report as one self-contained page: no network, no library; all text from data is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from importlib import resources

from scorers.errors import Finding
from scorers.reports.cells import Cell, Column, Table, readable
from scorers.reports.charts import bar_chart, stack_chart, step_chart
from scorers.reports.layout import level_note, report_tables
from scorers.reports.model import Report, Row
from scorers.reports.page_data import page_data
from scorers.reports.region_chart import region_chart
from scorers.reports.series import fulfilment, main_breakdown
from scorers.reports.wording import count, interval, percent

_MOST_FINDINGS = 200
_OWN_SECTIONS = {
    "summary": "summary",
    "lengths": "summary",
    "comparisons": "comparisons",
    "statistics": "comparisons",
    "people": "people",
    "agreement": "people",
    "correlations": "people",
    "designs": "designs",
    "alignment": "files",
}
"""The section of the page in which a table stands; all others stand in 'tables'."""

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


def to_html(report: Report) -> str:
    """The page as text, to be written as UTF-8.  The same report gives the same page."""
    parts = list(_sections(report))
    links = "".join(f'<li><a href="#{key}">{escape(name)}</a></li>' for key, name, _ in parts)
    sections = "".join(
        f'<section id="{key}" aria-labelledby="{key}-title">'
        f'<h2 id="{key}-title">{escape(name)}</h2>{inside}</section>\n'
        for key, name, inside in parts
    )
    values = {
        "title": escape(report.title),
        "style": _resource("page.css"),
        "script": _resource("page.js"),
        "links": links,
        "sections": sections,
        "signature": "".join(f"<li><code>{escape(line)}</code></li>" for line in report.signature),
        "level": escape(level_note(report)),
        "data": page_data(report),
    }
    # A half of a surrogate pair, which JSON can name but UTF-8 cannot hold, becomes '?'.
    return _filled(_resource("page.html"), values).encode("utf-8", "replace").decode("utf-8")


def _filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders replaced, in one pass: what is put in is not looked at again."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], template)


def _resource(name: str) -> str:
    return (resources.files("scorers.reports") / name).read_text("utf-8")


def _sections(report: Report) -> Iterator[tuple[str, str, str]]:
    """(key, heading, what is in it) of each part of the page that has something to show."""
    found: dict[str, str] = {}
    for table in report_tables(report, side_by_side=True):
        section = _OWN_SECTIONS.get(table.key.split("-")[0], "tables")
        found[section] = found.get(section, "") + _table(table)
    parts = (
        ("summary", "Summary", _cards(report) + found.get("summary", "") + _notes(report)),
        ("charts", "Charts", _charts(report)),
        ("comparisons", "Comparisons", found.get("comparisons", "")),
        ("people", "Human judgements", found.get("people", "")),
        ("designs", "Designs", found.get("designs", "")),
        ("tables", "Tables", found.get("tables", "")),
        ("items", "Items", _resource("browser.html") if report.items else ""),
        ("files", "Files", found.get("files", "") + _findings(report)),
    )
    return (part for part in parts if part[2])


def _cards(report: Report) -> str:
    cards = "".join(_card(row) for row in report.summary)
    return f'<ul class="cards">{cards}</ul>' if cards else ""


def _card(row: Row) -> str:
    between = interval(row.low, row.high)
    details = [f"{count(row.items)} items", *([between] if between else []), f"{count(row.ties)} ties"]
    said = "".join(f"<span>{escape(detail)}</span>" for detail in details)
    number = f"<strong>{percent(row.accuracy)}<small>%</small></strong>"
    return f'<li><span class="name">{escape(row.model)}</span>{number}<span class="details">{said}</span></li>'


def _notes(report: Report) -> str:
    return (
        f'<ul class="notes">{"".join(f"<li>{escape(note)}</li>" for note in report.notes)}</ul>' if report.notes else ""
    )


def _charts(report: Report) -> str:
    figures = []
    breakdown = main_breakdown(report)
    if breakdown is not None and breakdown.rows:
        figures.append((f"Accuracy by {readable(breakdown.by)}", bar_chart(breakdown)))
    figures += [(f"Answers by {readable(table.by)}", stack_chart(table)) for table in report.answers if table.rows]
    if report.steps:
        figures.append(("Accuracy over training steps", step_chart(report.steps)))
    if report.designs:
        figures.append(("Items that fulfil each formula", bar_chart(fulfilment(report.designs))))
    for label in dict.fromkeys(row.label for row in report.regions):
        rows = [row for row in report.regions if row.label == label]
        figures.append((f"Surprisals of regions: {label}", region_chart(rows)))
    return "".join(f"<figure><figcaption>{escape(name)}</figcaption>{chart}</figure>" for name, chart in figures)


def _table(table: Table) -> str:
    heads = "".join(_head(column) for column in table.columns)
    rows = "".join(_row(table, row) for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    inside = f'<table data-key="{escape(table.key)}"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    title = escape(table.title)
    # The first table of a section is named by the section.
    heading = "" if table.key == _OWN_SECTIONS.get(table.key) else f"<h3>{title}</h3>"
    return f'{heading}<div class="scroller" role="region" aria-label="{title}" tabindex="0">{inside}</div>{note}'


def _head(column: Column) -> str:
    return f'<th scope="col" class="{column.kind}"><button type="button">{escape(column.name)}</button></th>'


def _row(table: Table, row: tuple[Cell, ...]) -> str:
    cells = []
    for place, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
        value = f' data-value="{cell.value!r}"' if cell.value is not None else ""
        text = f"<code>{escape(cell.text)}</code>" if column.kind == "code" else escape(cell.text)
        if place == 0 and column.kind == "text":
            cells.append(f'<th scope="row" class="text">{text}</th>')
        else:
            cells.append(f'<td class="{column.kind}"{value}>{text}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _findings(report: Report) -> str:
    shown = "".join(_finding(finding) for finding in report.findings[:_MOST_FINDINGS])
    left = len(report.findings) - _MOST_FINDINGS
    more = f"<p>... and {count(left)} more</p>" if left > 0 else ""
    return f'<h3>Findings</h3><ul class="findings">{shown}</ul>{more}' if shown else ""


def _finding(finding: Finding) -> str:
    place = ":".join([finding.file, *(str(number) for number in (finding.line, finding.column) if number)])
    where = f"<code>{escape(place)}</code> " if finding.file else ""
    hint = f" <em>{escape(finding.hint)}</em>" if finding.hint else ""
    return f'<li class="{finding.severity}">{where}<b>{finding.severity}</b> {escape(finding.message)}{hint}</li>'
