"""The tables on designs: how many items fulfil each formula, by how many bits, and the surprisals of regions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scorers.reports.cells import Cell, Column, Table, readable
from scorers.reports.model import RegionRow, Report
from scorers.reports.wording import NOTHING, count, figure, figure_interval, interval, percent

_WHOLE = "*"
_ON_AVERAGE = "On average: whether the formula holds of the mean surprisals."
_REGIONS = "Mean surprisals in bits; --csv regions has their intervals, and regions inside of others."
_SAID = {True: "yes", False: "no", None: NOTHING}


def design_tables(report: Report) -> Iterator[Table]:
    """The tables; those without rows are left to the caller to leave out."""
    yield _designs(report)
    yield _differences(report)
    for label in dict.fromkeys(row.label for row in report.regions):
        yield _surprisals(label, report)


def _designs(report: Report) -> Table:
    has_model = len(report.models) > 1
    has_missing = any(row.missing for row in report.designs)
    has_difference = any(row.difference_bits is not None for row in report.designs)
    has_average = any(row.on_average is not None for row in report.designs)
    columns = [Column("suite", "text"), Column("name", "text"), *[Column("model", "text")] * has_model]
    columns += [Column("formula", "code"), *map(Column, ("items", "fulfilled", "share", "interval"))]
    columns += [Column("on average")] * has_average
    columns += [Column("difference (bits)"), Column("interval (bits)")] * has_difference
    columns += [Column("missing")] * has_missing
    lines = []
    for row in report.designs:
        cells = [Cell(row.label), Cell(row.name), *[Cell(row.model)] * has_model, Cell(row.formula)]
        cells += [Cell(count(row.items), row.items), Cell(count(row.fulfilled), row.fulfilled)]
        cells += [Cell(percent(row.share), row.share), Cell(interval(row.low, row.high), row.low)]
        cells += [Cell(_SAID[row.on_average], row.on_average)] * has_average
        if has_difference:
            cells.append(Cell(figure(row.difference_bits), row.difference_bits))
            cells.append(Cell(figure_interval(row.difference_low, row.difference_high), row.difference_low))
        cells += [Cell(count(row.missing), row.missing)] * has_missing
        lines.append(tuple(cells))
    return Table("designs", "Designs", tuple(columns), tuple(lines), _ON_AVERAGE if has_average else "")


def _differences(report: Report) -> Table:
    """The comparisons of formulas that join several; those of others stand beside their formula."""
    has_model = len(report.models) > 1
    joined = {(row.label, row.name) for row in report.designs if row.difference_bits is None}
    columns = [Column("suite", "text"), Column("name", "text"), *[Column("model", "text")] * has_model]
    columns += [Column("comparison", "code"), *map(Column, ("items", "difference (bits)", "interval (bits)"))]
    lines = tuple(
        (
            Cell(row.label),
            Cell(row.name),
            *[Cell(row.model)] * has_model,
            Cell(row.comparison),
            Cell(count(row.items), row.items),
            Cell(figure(row.mean_bits), row.mean_bits),
            Cell(figure_interval(row.low, row.high), row.low),
        )
        for row in report.differences
        if (row.label, row.name) in joined and row.items
    )
    note = "Mean over items of b - a for a < b, and of a - b for a > b and a = b."
    return Table("designs-differences", "Comparisons inside formulas", tuple(columns), lines, note)


def shown_regions(rows: Iterable[RegionRow]) -> list[tuple[str, str]]:
    """(number, name) of the regions that follow one another, in the order of the sentence, the whole last."""
    places = {(row.number, row.region): row.place for row in rows if row.is_outermost or row.region == _WHOLE}
    return sorted(places, key=lambda region: (region[1] == _WHOLE, places[region]))


def _surprisals(label: str, report: Report) -> Table:
    """A row for each condition, a column for each region."""
    rows = [row for row in report.regions if row.label == label]
    has_model = len(report.models) > 1
    regions = shown_regions(rows)
    heads = ["whole" if name == _WHOLE else " ".join(f"{number} {readable(name)}".split()) for number, name in regions]
    found = {(row.model, row.condition, (row.number, row.region)): row for row in rows}
    lines = []
    for model, condition in dict.fromkeys((row.model, row.condition) for row in rows):
        cells = [*[Cell(model)] * has_model, Cell(condition)]
        for region in regions:
            row = found.get((model, condition, region))
            cells.append(Cell(figure(row.mean_bits, 2), row.mean_bits) if row else Cell(NOTHING))
        lines.append(tuple(cells))
    columns = (*[Column("model", "text")] * has_model, Column("condition", "text"), *map(Column, heads))
    return Table(f"designs-regions-{label}", f"Surprisals of regions: {label}", columns, tuple(lines), _REGIONS)
