"""The tables on human judgements: what people take, how far models agree with them, correlations with ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scorers.reports.cells import Cell, Column, Table, readable
from scorers.reports.model import Agreement, Report
from scorers.reports.wording import NOTHING, count, figure, figure_interval, interval, p_value, percent

HUMAN_ACCURACY, CHOICE_ALPHA, RATING_ALPHA = "human_accuracy", "choice_alpha", "rating_alpha"
VERDICT_AGREEMENT, VERDICT_KAPPA = "verdict_agreement", "verdict_kappa"
COEFFICIENTS = ("pearson", "spearman", "kendall")

MEASURES: Mapping[str, str] = {
    HUMAN_ACCURACY: "how often people take the acceptable member (majority, or higher mean rating; a tie is half)",
    CHOICE_ALPHA: "Krippendorff's alpha among annotators, of choices (nominal)",
    RATING_ALPHA: "Krippendorff's alpha among annotators, of ratings (interval)",
    VERDICT_AGREEMENT: "share of pairs in which the model takes the member that most people take",
    VERDICT_KAPPA: "Cohen's kappa of the model's verdicts and those of most people",
    **{
        f"{key}_{name}": f"{words} of {what}"
        for key, what in (
            ("sentence", "the model's scores of sentences and their mean ratings"),
            ("margin", "the model's margins between the members of pairs and people's"),
            ("group", "the model's accuracies and people's, over groups of items"),
        )
        for name, words in (
            ("pearson", "Pearson's r"),
            ("spearman", "Spearman's rho"),
            ("kendall", "Kendall's tau-b"),
        )
    },
}
"""The measures, in the order of tables, and what they are."""

_Label = tuple[str, str]
"""A breakdown and a value of it: a group may be called 'all' too."""

_Rows = Mapping[tuple[_Label, str, str], Agreement]

_PEOPLE = (
    "Accuracy: how often most people take the acceptable member. Alpha: Krippendorff's, among annotators: how far they "
    "agree with each other."
)
_VERDICTS = (
    "Agreement: the model takes the member that most people take; pairs in which people are split are left out. Kappa: "
    "Cohen's, the agreement beyond chance."
)
_CORRELATIONS = (
    "Scores with mean ratings, margins with differences of mean ratings, accuracies with people's; p two-sided."
)


def agreement_tables(report: Report) -> Iterator[Table]:
    """The tables; none where the report has no human judgements."""
    rows = {(_label(row), row.model, row.measure): row for row in report.agreement}
    labels = dict.fromkeys(map(_label, report.agreement))
    by = next((row.by for row in report.agreement if row.by != "all"), "")
    if rows:
        names = [Column(readable(by), "text")] if by else []
        yield _people(rows, list(labels), names)
        names = [*names, Column("model", "text")]
        yield _verdicts(rows, list(labels), report.models, names)
        yield _correlations(rows, list(labels), report.models, names, by or "paradigm")


def _people(rows: _Rows, labels: list[_Label], names: list[Column]) -> Table:
    alphas = [name for name in (CHOICE_ALPHA, RATING_ALPHA) if any(key[2] == name for key in rows)]
    several = len(alphas) > 1
    columns = [*names, Column("judged"), Column("accuracy"), Column("interval")]
    for name in alphas:
        of = " of choices" if name == CHOICE_ALPHA else " of ratings"
        columns += [Column("units"), Column("alpha" + of * several), Column("alpha interval")]
    lines = []
    for label in labels:
        row = rows[label, "", HUMAN_ACCURACY]
        cells = [Cell(label[1])] * len(names) + _share(row)
        for name in alphas:
            cells += _coefficient(rows[label, "", name]) if (label, "", name) in rows else [Cell(NOTHING)] * 3
        lines.append(tuple(cells))
    return Table("people", "Human judgements", tuple(columns), tuple(lines), _PEOPLE)


def _verdicts(rows: _Rows, labels: list[_Label], models: tuple[str, ...], names: list[Column]) -> Table:
    columns = (*names, *map(Column, ("compared", "agreement", "interval", "kappa", "kappa interval")))
    lines = []
    for label in labels:
        for model in models:
            share, kappa = rows[label, model, VERDICT_AGREEMENT], rows[label, model, VERDICT_KAPPA]
            lines.append((*_names(names, label, model), *_share(share), *_coefficient(kappa)[1:]))
    return Table("agreement", "Agreement with people", columns, tuple(lines), _VERDICTS)


def _correlations(rows: _Rows, labels: list[_Label], models: tuple[str, ...], names: list[Column], by: str) -> Table:
    heads = [name for kind in COEFFICIENTS for name in (kind.capitalize(), f"{kind.capitalize()} p")]
    columns = (*names, Column("over", "text"), Column("n"), *map(Column, heads))
    over = {"sentence": "sentences", "margin": "margins of pairs", "group": f"accuracies by {readable(by)}"}
    lines = []
    for label in labels:
        for model in models:
            for key, said in over.items():
                found = [rows.get((label, model, f"{key}_{kind}")) for kind in COEFFICIENTS]
                cells = [
                    cell
                    for row in found
                    if row is not None
                    for cell in (Cell(figure(row.value), row.value), Cell(p_value(row.p), row.p))
                ]
                if found[0] is not None:
                    n = Cell(count(found[0].n), found[0].n)
                    lines.append((*_names(names, label, model), Cell(said), n, *cells))
    return Table("correlations", "Correlations with people", columns, tuple(lines), _CORRELATIONS)


def _label(row: Agreement) -> _Label:
    return row.by, row.label


def _names(names: list[Column], label: _Label, model: str) -> list[Cell]:
    return [Cell(label[1]), Cell(model)][-len(names) :]


def _share(row: Agreement) -> list[Cell]:
    return [
        Cell(count(row.n), row.n),
        Cell(percent(row.value), row.value),
        Cell(interval(row.low, row.high), row.low),
    ]


def _coefficient(row: Agreement) -> list[Cell]:
    return [
        Cell(count(row.n), row.n),
        Cell(figure(row.value), row.value),
        Cell(figure_interval(row.low, row.high), row.low),
    ]
