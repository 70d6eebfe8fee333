"""What a report says of designs: formulas, the differences that they compare, items, surprisals of regions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from scorers.items import Item
from scorers.metrics.designs import FormulaScore
from scorers.reports.model import MISSING, RIGHT, WRONG, DesignRow, DifferenceRow, ItemRow, OutcomeRow, RegionRow
from scorers.scoring import ModelScores

_Scores = Sequence[ModelScores]

ALL = "(all)"
"""The name of the row that counts items which fulfil every formula: no formula is called so."""


def _formulas(scores: _Scores) -> Iterator[tuple[str, FormulaScore]]:
    """(model, formula) with the models of each formula side by side."""
    found: dict[tuple[str, str, str], list[tuple[str, FormulaScore]]] = {}
    for score in scores:
        for design in score.designs:
            for formula in design.formulas:
                key = design.paradigm, formula.name, formula.text
                found.setdefault(key, []).append((score.model, formula))
    for together in found.values():
        yield from together


def design_rows(scores: _Scores) -> Iterator[DesignRow]:
    """How many items fulfil each formula, and then all formulas of their suite."""
    suites: dict[str, list[DesignRow]] = {}
    for row in [*_formula_rows(scores), *_suite_rows(scores)]:
        suites.setdefault(row.label, []).append(row)
    for rows in suites.values():
        yield from rows


def _formula_rows(scores: _Scores) -> Iterator[DesignRow]:
    for model, formula in _formulas(scores):
        interval = formula.share
        single = formula.comparisons[0] if len(formula.comparisons) == 1 else None
        bits = single.interval if single else None
        yield DesignRow(
            label=formula.paradigm,
            model=model,
            name=formula.name,
            formula=formula.text,
            items=interval.items,
            fulfilled=round(interval.points),
            share=interval.estimate if interval.items else None,
            low=interval.low if interval.items else None,
            high=interval.high if interval.items else None,
            missing=len(formula.unscored),
            on_average=formula.on_average,
            difference_bits=single.mean_bits if single else None,
            difference_low=bits.low if bits else None,
            difference_high=bits.high if bits else None,
        )


def _suite_rows(scores: _Scores) -> Iterator[DesignRow]:
    """How many items fulfil every formula of a suite that has several."""
    for score in scores:
        for design in score.designs:
            interval = design.all_fulfilled
            if len(design.formulas) > 1 and interval.items:
                yield DesignRow(
                    label=design.paradigm,
                    model=score.model,
                    name=ALL,
                    formula=" & ".join(formula.name for formula in design.formulas),
                    items=interval.items,
                    fulfilled=round(interval.points),
                    share=interval.estimate,
                    low=interval.low,
                    high=interval.high,
                    missing=max(len(formula.outcomes) for formula in design.formulas) - interval.items,
                )


def suite_notes(scores: _Scores) -> Iterator[str]:
    """The mean of the suites' mean shares, as SyntaxGym scores a model."""
    for score in scores:
        shares = [design.mean_share for design in score.designs if design.mean_share is not None]
        if len(shares) > 1:
            mean = math.fsum(shares) / len(shares)
            yield f"{score.model}: the mean of the shares of {len(shares)} suites is {mean:.1%}"


def difference_rows(scores: _Scores) -> Iterator[DifferenceRow]:
    """The mean difference of each comparison in each formula."""
    for model, formula in _formulas(scores):
        for part in formula.comparisons:
            low, high = (part.interval.low, part.interval.high) if part.interval else (None, None)
            yield DifferenceRow(formula.paradigm, model, formula.name, part.text, part.items, part.mean_bits, low, high)


def outcome_rows(scores: _Scores) -> Iterator[OutcomeRow]:
    """Whether each item fulfils each formula, and by how much."""
    for model, formula in _formulas(scores):
        for item in formula.outcomes:
            differences = tuple(item.outcome.differences)
            yield OutcomeRow(formula.paradigm, model, item.item, formula.name, item.outcome.holds, differences)


def region_rows(scores: _Scores) -> Iterator[RegionRow]:
    """The mean surprisal of each region in each condition; suites together, in them models."""
    labels = dict.fromkeys(mean.paradigm for score in scores for mean in score.regions)
    for label in labels:
        for score in scores:
            for mean in score.regions:
                if mean.paradigm == label:
                    interval = mean.interval
                    low, high = (None, None) if math.isnan(interval.low) else (interval.low, interval.high)
                    where = mean.condition, mean.region, mean.number, mean.place, mean.is_outermost
                    yield RegionRow(label, score.model, *where, interval.items, interval.mean, low, high)


class DesignItems:
    """The rows of the item browser on formulas: one for each formula of an item."""

    def __init__(self, scores: _Scores) -> None:
        self._models = [score.model for score in scores]
        self._found = {(row.model, row.item, row.name): row for row in outcome_rows(scores) if row.holds is not None}

    def rows(self, item: Item, paradigm: str) -> Iterator[ItemRow]:
        """What each model's surprisals say of the formulas of an item; nothing where no model has any."""
        for name, text in item.expectations.items():
            found = [self._found.get((model, item.id, name)) for model in self._models]
            if not any(found):
                continue
            sentences = {condition.name: condition.text for condition in item.conditions}
            yield ItemRow(
                id=f"{item.id} {name}",
                paradigm=paradigm,
                template=item.template,
                good=item.conditions[0].text,
                bad="",
                scores=tuple((None, None) for _ in self._models),
                verdicts=tuple(MISSING if row is None else RIGHT if row.holds else WRONG for row in found),
                attributes={**item.attributes, "formula": text, **sentences},
                answers=tuple(_bits(row) for row in found),
            )


def _bits(row: OutcomeRow | None) -> str:
    """The differences of a formula's comparisons, as text."""
    known = [f"{value:.2f}" for value in (row.differences_bits if row else ()) if value is not None]
    return f"{', '.join(known)} bits" if known else ""
