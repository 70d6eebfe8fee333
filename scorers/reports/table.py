"""A report on the terminal: tables of rich, fitted to its width; NO_COLOR is obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from scorers.reports.cells import Table
from scorers.reports.layout import level_note, report_tables
from scorers.reports.model import Report

_NARROWEST = 80
_LEAST_TEXT, _LEAST_LONG = 18, 30
_GAP = 2
_MAIN = ("accuracy", "share", "difference")


def print_report(report: Report, console: Console) -> None:
    """Write the report's tables, notes, warnings and signature to a console (on standard output, as a rule)."""
    _line(console, report.title, style="bold")
    for table in report_tables(report):
        console.print()
        _line(console, table.title, style="bold")
        for number, places in enumerate(_parts(table, console.width)):
            if number:
                console.print()
            console.print(_rich(table, places, console.width))
        if table.note:
            _line(console, table.note, style="dim")
    console.print()
    _line(console, level_note(report), style="dim")
    for note in report.notes:
        _line(console, note)
    for finding in report.findings:
        _line(console, finding.render(), style="red" if finding.is_error else "yellow")
    for line in report.signature:
        # A signature is copied from here, so it is one line however wide the terminal.
        console.print(Text(line, style="dim"), soft_wrap=True)


def to_text(report: Report, width: int = _NARROWEST) -> str:
    """The same as text without colours, `width` columns wide (80 at least)."""
    console = Console(width=max(width, _NARROWEST), no_color=True, force_terminal=False, record=False, highlight=False)
    with console.capture() as captured:
        print_report(report, console)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style=style))


def _parts(table: Table, width: int) -> Iterator[tuple[int, ...]]:
    """The columns (by place) of each table that is shown: where all do not fit, the numbers go on in a further one.

    A further table repeats the texts that name its rows, but no formulas and lists of words.
    """
    names = tuple(place for place, column in enumerate(table.columns) if column.kind != "number")
    numbers = [place for place, column in enumerate(table.columns) if column.kind == "number"]
    part = names
    while numbers:
        fitting = 1
        while fitting < len(numbers) and _least(table, (*part, *numbers[: fitting + 1])) <= width:
            fitting += 1
        yield tuple(sorted((*part, *numbers[:fitting])))
        numbers = numbers[fitting:]
        part = tuple(place for place in names if table.columns[place].kind == "text")


def _least(table: Table, places: tuple[int, ...]) -> int:
    """The fewest characters in which these columns stand side by side."""
    return sum(_column_width(table, place) for place in places) + _GAP * (len(places) - 1)


def _column_width(table: Table, place: int) -> int:
    column = table.columns[place]
    longest = max((len(word) for word in column.name.split()), default=0)
    widest = max((len(row[place].text) for row in table.rows), default=0)
    if column.kind == "number":
        # Headings are broken between words, numbers never.
        return max(widest, longest)
    return max(longest, min(widest, _LEAST_TEXT if column.kind == "text" else _LEAST_LONG))


def _widths(table: Table, places: tuple[int, ...], width: int) -> dict[int, int]:
    """The widths of columns: what numbers leave goes to the names of rows, to those first that need least."""
    widths = {place: _column_width(table, place) for place in places}
    left = width - _least(table, places)
    needs = {
        place: max((len(row[place].text) for row in table.rows), default=0) - widths[place]
        for place in places
        if table.columns[place].kind == "text"
    }
    for place, need in sorted(needs.items(), key=lambda entry: entry[1]):
        more = max(0, min(left, need))
        widths[place] += more
        left -= more
    return widths


def _broken(text: str, width: int) -> str:
    """A name in lines, broken behind spaces and the signs that join words; within a word only where it must be."""
    lines = [""]
    for part in re.findall(r"[^ _\-/:.]*[ _\-/:.]|[^ _\-/:.]+", text):
        if len(lines[-1]) + len(part.rstrip()) > width and lines[-1]:
            lines.append("")
        lines[-1] += part
    return "\n".join(line[at : at + width].rstrip() for line in lines for at in range(0, len(line) or 1, width))


def _rich(table: Table, places: tuple[int, ...], console_width: int) -> RichTable:
    shown = RichTable(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False, collapse_padding=True)
    widths = _widths(table, places, console_width)
    for place in places:
        column, width = table.columns[place], widths[place]
        if column.kind == "number":
            shown.add_column(
                Text("\n".join(_heading(column.name, width))), justify="right", min_width=width, no_wrap=True
            )
        else:
            shown.add_column(Text(column.name), overflow="fold", min_width=width)
    last: list[str] = []
    for row in table.rows:
        texts = [row[place].text for place in places]
        broken = [
            _broken(text, widths[place]) if table.columns[place].kind == "text" else text
            for place, text in zip(places, texts, strict=True)
        ]
        shown.add_row(*_without_repeats(table, places, broken, last))
        last = broken
    return shown


def _heading(name: str, width: int) -> list[str]:
    """A heading in lines no longer than its column is wide."""
    lines = [""]
    for word in name.split():
        joined = f"{lines[-1]} {word}".strip()
        lines[-1:] = [joined] if len(joined) <= width else [lines[-1], word]
    return lines


def _without_repeats(table: Table, places: tuple[int, ...], texts: list[str], last: list[str]) -> Iterator[Text]:
    """The cells of a row; the texts that it begins with are shown only where they change, so that groups are seen."""
    repeats = bool(last)
    for number, (place, text) in enumerate(zip(places, texts, strict=True)):
        column = table.columns[place]
        repeats = repeats and column.kind == "text" and text == last[number]
        yield Text("" if repeats else text, style="bold" if column.name in _MAIN else "")
