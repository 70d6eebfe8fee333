"""The tables of a report, laid out once for the terminal, Markdown and the page: titles, columns and cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from scorers.reports.agreement import agreement_tables
from scorers.reports.cells import Cell, Column, Table, readable
from scorers.reports.design_tables import design_tables
from scorers.reports.model import AnswerTable, Breakdown, Comparison, Report, Row
from scorers.reports.wording import (
    NOTHING,
    count,
    figure,
    figure_interval,
    interval,
    p_value,
    percent,
    points,
    points_interval,
    words,
)


def report_tables(report: Report, *, side_by_side: bool = False) -> Iterator[Table]:
    """All tables of the report, in order; those without rows are left out.

    With `side_by_side`, breakdowns of several models have a column for each model (as papers print them), else a row.
    """
    tables = [
        *([_accuracy("summary", "label", "Summary", report.summary, report)] if report.summary else []),
        *(
            [_lengths("lengths", "label", "Summary by normalisation", report.summary, report)]
            if _has_lengths(report.summary)
            else []
        ),
    ]
    for breakdown in report.groups:
        tables.extend(_breakdown(breakdown, report, side_by_side=side_by_side))
    tables += [_answers(table, report) for table in report.answers]
    tables += [
        *design_tables(report),
        *_comparisons(report),
        _steps(report),
        *agreement_tables(report),
        _statistics(report),
    ]
    tables.append(_alignment(report))
    return (_without_blanks(table) for table in tables if table.rows)


def _without_blanks(table: Table) -> Table:
    """The table less the columns in which no row says anything."""
    keeps = [any(row[place].text for row in table.rows) for place in range(len(table.columns))]
    columns = tuple(column for column, keep in zip(table.columns, keeps, strict=True) if keep)
    rows = tuple(tuple(cell for cell, keep in zip(row, keeps, strict=True) if keep) for row in table.rows)
    return replace(table, columns=columns, rows=rows)


def level_note(report: Report) -> str:
    """What the numbers in the tables are."""
    said = f"Accuracies and shares in per cent; [low, high]: {100 * report.level:g}% confidence interval."
    if not (report.summary or report.groups):
        return said
    return f"{said} Ties: items whose members score the same; unequal: items whose members differ in length."


def _breakdown(breakdown: Breakdown, report: Report, *, side_by_side: bool) -> Iterator[Table]:
    title = f"By {readable(breakdown.by)}"
    if side_by_side and len(report.models) > 1:
        yield _matrix(breakdown, report, title)
    else:
        yield _accuracy(f"by-{breakdown.by}", readable(breakdown.by), title, breakdown.rows, report)
    if _has_lengths(breakdown.rows):
        heading = readable(breakdown.by)
        yield _lengths(f"by-{breakdown.by}-lengths", heading, f"{title}, by normalisation", breakdown.rows, report)


def _accuracy(key: str, heading: str, title: str, rows: tuple[Row, ...], report: Report) -> Table:
    has_macro = any(row.macro is not None for row in rows)
    chances = {row.chance for row in rows}
    labels = {row.label for row in rows}
    keeps = {
        "label": key != "summary" or len(labels) > 1,
        "model": len(report.models) > 1 or key == "summary",
        "macro": has_macro,
        "chance": len(chances) > 1,
    }
    columns = [
        (Column(heading, "text"), "label"),
        (Column("model", "text"), "model"),
        (Column("items"), ""),
        (Column("accuracy"), ""),
        (Column("interval"), ""),
        (Column("macro"), "macro"),
        (Column("ties"), ""),
        (Column("unequal"), ""),
        (Column("chance"), "chance"),
    ]
    kept = [not need or keeps[need] for _, need in columns]
    lines = []
    for row in rows:
        cells = (
            Cell(row.label),
            Cell(row.model),
            Cell(count(row.items), row.items),
            Cell(percent(row.accuracy), row.accuracy),
            Cell(interval(row.low, row.high), row.low),
            Cell(percent(row.macro), row.macro),
            Cell(count(row.ties), row.ties),
            Cell(count(row.unequal), row.unequal),
            Cell(percent(row.chance), row.chance),
        )
        lines.append(tuple(cell for cell, keep in zip(cells, kept, strict=True) if keep))
    note = f"Chance is {percent(next(iter(chances)))}%." if len(chances) == 1 and None not in chances else ""
    return Table(
        key, title, tuple(column for (column, _), keep in zip(columns, kept, strict=True) if keep), tuple(lines), note
    )


def _has_lengths(rows: tuple[Row, ...]) -> bool:
    return any(row.token_accuracy is not None or row.character_accuracy is not None for row in rows)


_AS_GIVEN = "Accuracy by scores as the file gives them (of whole sentences, as a rule), per token and per character."


def _lengths(key: str, heading: str, title: str, rows: tuple[Row, ...], report: Report) -> Table:
    has_label = len({row.label for row in rows}) > 1 or key != "lengths"
    has_model = len(report.models) > 1 or not has_label
    columns = [Column(heading, "text")] * has_label + [Column("model", "text")] * has_model
    columns += [Column("as given"), Column("per token"), Column("per character"), Column("unequal")]
    lines = tuple(
        (
            *([Cell(row.label)] if has_label else []),
            *([Cell(row.model)] if has_model else []),
            *(Cell(percent(share), share) for share in (row.sum_accuracy, row.token_accuracy, row.character_accuracy)),
            Cell(count(row.unequal), row.unequal),
        )
        for row in rows
    )
    return Table(key, title, tuple(columns), lines, _AS_GIVEN)


def _matrix(breakdown: Breakdown, report: Report, title: str) -> Table:
    """A row for each label and a column for each model: accuracy and interval; counts with `/` where models differ."""
    found: dict[str, dict[str, Row]] = {}
    for row in breakdown.rows:
        found.setdefault(row.label, {})[row.model] = row
    columns = (
        Column(readable(breakdown.by), "text"),
        Column("items"),
        *map(Column, report.models),
        Column("ties"),
        Column("unequal"),
    )
    lines = []
    for label, by_model in found.items():
        rows = [by_model.get(model) for model in report.models]
        shown = [
            Cell(
                f"{percent(row.accuracy)} {interval(row.low, row.high)}".strip() if row else NOTHING,
                row.accuracy if row else None,
            )
            for row in rows
        ]
        have = [row for row in rows if row]
        counts = [
            _joined([row.items for row in have]),
            _joined([row.ties for row in have]),
            _joined([row.unequal for row in have]),
        ]
        lines.append((Cell(label), counts[0], *shown, counts[1], counts[2]))
    chances = {row.chance for row in breakdown.rows}
    note = f"Chance is {percent(next(iter(chances)))}%." if len(chances) == 1 and None not in chances else ""
    return Table(f"by-{breakdown.by}", title, columns, tuple(lines), note)


def _joined(numbers: list[int]) -> Cell:
    shown = numbers[:1] if len(set(numbers)) == 1 else numbers
    return Cell(" / ".join(count(number) for number in shown), max(numbers))


def _answers(table: AnswerTable, report: Report) -> Table:
    has_model = len(report.models) > 1
    columns = [Column(readable(table.by), "text")] + [Column("model", "text")] * has_model
    columns += [
        Column("category", "text"),
        Column("count"),
        Column("share"),
        Column("interval"),
        Column("words", "long"),
    ]
    lines = tuple(
        (
            Cell(row.label),
            *([Cell(row.model)] if has_model else []),
            Cell(category.name),
            Cell(count(category.count), category.count),
            Cell(percent(category.share), category.share),
            Cell(interval(category.low, category.high), category.low),
            Cell(words(category.words)),
        )
        for row in table.rows
        for category in row.categories
    )
    return Table(f"answers-{table.by}", f"Answers by {readable(table.by)}", tuple(columns), lines)


def _comparisons(report: Report) -> Iterator[Table]:
    """All pairs of models in one table; by group a table for each pair, so that its rows can be read down."""
    by = next((row.by for row in report.comparisons if row.by != "all"), "")
    if not by:
        yield _comparison("comparisons", "Comparisons", report.comparisons, _COMPARED)
        return
    note = f"{_COMPARED} All {count(len(report.comparisons))} comparisons of this report count."
    for first, second in dict.fromkeys((row.first, row.second) for row in report.comparisons):
        rows = tuple(row for row in report.comparisons if (row.first, row.second) == (first, second))
        title = f"Comparison of {first} (first) and {second} (second)"
        yield _comparison(f"comparisons-{first}-{second}", title, rows, note, by)


_COMPARED = "Difference: first minus second, in percentage points. Holm p is corrected for all comparisons."


def _comparison(key: str, title: str, rows: tuple[Comparison, ...], note: str, by: str = "") -> Table:
    """With `by` the models are in the title, and what is compared is a group; else the models are."""
    names = ("difference", "interval", "only first", "only second", "McNemar p", "randomisation p", "Holm p")
    heads = (Column(readable(by), "text"),) if by else (Column("first", "text"), Column("second", "text"))
    accuracies = (Column("first"), Column("second")) if by else (Column("accuracy first"), Column("accuracy second"))
    lines = tuple(
        (
            *((Cell(row.label),) if by else (Cell(row.first), Cell(row.second))),
            Cell(count(row.items), row.items),
            Cell(percent(row.first_accuracy), row.first_accuracy),
            Cell(percent(row.second_accuracy), row.second_accuracy),
            Cell(points(row.difference), row.difference),
            Cell(points_interval(row.low, row.high), row.low),
            Cell(count(row.first_only), row.first_only),
            Cell(count(row.second_only), row.second_only),
            Cell(p_value(row.mcnemar_p), row.mcnemar_p),
            Cell(p_value(row.randomisation_p), row.randomisation_p),
            Cell(p_value(row.holm_p), row.holm_p),
        )
        for row in rows
    )
    return Table(key, title, (*heads, Column("items"), *accuracies, *map(Column, names)), lines, note)


def _steps(report: Report) -> Table:
    has_model = len({row.model for row in report.steps}) > 1
    columns = [Column("step"), Column("label", "text")] + [Column("model", "text")] * has_model
    columns += [Column("items"), Column("accuracy"), Column("interval")]
    lines = tuple(
        (
            Cell(count(row.step), row.step),
            Cell(row.label),
            *([Cell(row.model)] if has_model else []),
            Cell(count(row.items), row.items),
            Cell(percent(row.accuracy), row.accuracy),
            Cell(interval(row.low, row.high), row.low),
        )
        for row in report.steps
    )
    return Table("steps", "Training steps", tuple(columns), lines)


def _statistics(report: Report) -> Table:
    columns = (Column("statistic", "text"), Column("model", "text"), *map(Column, ("value", "interval", "p", "items")))
    lines = tuple(
        (
            Cell(row.name),
            Cell(row.model),
            Cell(figure(row.value), row.value),
            Cell(figure_interval(row.low, row.high), row.low),
            Cell(p_value(row.p), row.p),
            Cell(count(row.items), row.items),
        )
        for row in report.statistics
    )
    return Table("statistics", "Statistics", columns, lines)


def _alignment(report: Report) -> Table:
    names = ("joined", "missing", "duplicate", "unknown", "ambiguous")
    lines = tuple(
        (Cell(row.model), *(Cell(count(getattr(row, name)), getattr(row, name)) for name in names))
        for row in report.alignment
    )
    return Table("alignment", "Items and predictions", (Column("model", "text"), *map(Column, names)), lines)
