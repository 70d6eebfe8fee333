"""A report as Markdown (GitHub's tables), ready for a paper: the signature is the footnote of every table."""

from __future__ import annotations

import re

from scorers.errors import Finding
from scorers.reports.cells import Cell, Column, Table
from scorers.reports.layout import level_note, report_tables
from scorers.reports.model import Report

# An underscore between letters begins no emphasis.
_SPECIAL = re.compile(r"([\\`*\[\]<>|~#&]|(?<![^\W_])_|_(?![^\W_]))")
_FOOTNOTE = "[^signature]"


def to_markdown(report: Report) -> str:
    """The report: tables with a column for each model, notes, findings, and the signature as a footnote."""
    parts = [f"# {_text(report.title)}{_FOOTNOTE}", level_note(report)]
    for table in report_tables(report, side_by_side=True):
        parts += [f"## {_text(table.title)}{_FOOTNOTE}", _table(table)]
        if table.note:
            parts.append(_text(table.note))
    if report.notes:
        parts += ["## Notes", "\n".join(f"- {_text(note)}" for note in report.notes)]
    if report.findings:
        parts += ["## Findings", "\n".join(f"- {_finding(finding)}" for finding in report.findings)]
    # The signature holds the sign that parts the cells of tables: as code it is shown as it is.
    lines = [code(line) for line in report.signature]
    parts.append(f"{_FOOTNOTE}: " + "<br>\n    ".join(lines))
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    rules = ["---:" if column.kind == "number" else "---" for column in table.columns]
    lines = [_line([_text(column.name) for column in table.columns]), _line(rules)]
    lines += [
        _line([_cell(column, cell) for column, cell in zip(table.columns, row, strict=True)]) for row in table.rows
    ]
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(column: Column, cell: Cell) -> str:
    return code(cell.text).replace("|", r"\|") if column.kind == "code" else _text(cell.text, keep_brackets=True)


def _text(text: str, *, keep_brackets: bool = False) -> str:
    """Text in which nothing is taken for a sign of Markdown; it stays one line.

    Brackets that no round one follows make no link, so those of intervals stay as they are.
    """
    escaped = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    if keep_brackets and re.fullmatch(r"[\d.\-−+–]* ?\\\[[\d., \-−+]*\\\]", escaped):
        return escaped.replace("\\[", "[").replace("\\]", "]")
    return escaped


def code(text: str) -> str:
    """Text as code, shown letter by letter, whatever backticks it holds."""
    one_line = " ".join(text.split())
    longest = max((len(run) for run in re.findall("`+", one_line)), default=0)
    fence = "`" * (longest + 1)
    space = " " if one_line.startswith("`") or one_line.endswith("`") else ""
    return f"{fence}{space}{one_line}{space}{fence}" if one_line else ""


def _finding(finding: Finding) -> str:
    place = ":".join([finding.file, *(str(number) for number in (finding.line, finding.column) if number)])
    said = f"{finding.severity}: {finding.message}" + (f" ({finding.hint})" if finding.hint else "")
    return f"{code(place)} {_text(said)}" if finding.file else _text(said)
