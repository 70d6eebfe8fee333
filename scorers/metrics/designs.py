"""Designs: how many items fulfil each formula, and by how many bits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorers.errors import Findings, nearest
from scorers.formulas.evaluation import Outcome, evaluate
from scorers.formulas.nodes import Comparison, Formula, comparisons, measures
from scorers.formulas.syntax import print_formula, read_formula
from scorers.items import Item
from scorers.measures import WHOLE, surprisal_bits
from scorers.predictions import Unit
from scorers.results import AlignedResult
from scorers.statistics.base import DEFAULT_LEVEL, DEFAULT_RESAMPLES, plain
from scorers.statistics.bootstrap import BootstrapInterval, bootstrap_mean
from scorers.statistics.intervals import Interval, wilson


@dataclass(frozen=True)
class ItemOutcome:
    """What a formula says of one item."""

    item: str
    outcome: Outcome


@dataclass(frozen=True)
class ComparisonScore:
    """One comparison of a formula over the items that have its numbers: the mean difference, in bits.

    It is positive where the expectation is met (`evaluation.Outcome.differences`); of `a = b` it is a - b.  The
    interval is None where no item, or an infinite difference, leaves nothing to resample.
    """

    text: str
    mean_bits: float | None
    items: int
    interval: BootstrapInterval | None = None


@dataclass(frozen=True)
class FormulaScore:
    """A formula of a paradigm: the share of the scored items that fulfil it, and the differences it is made of.

    `on_average` says whether it holds of the mean surprisals of the items that have a verdict; None without any.
    """

    paradigm: str
    name: str
    text: str
    share: Interval
    comparisons: tuple[ComparisonScore, ...]
    outcomes: tuple[ItemOutcome, ...]
    on_average: bool | None = None

    @property
    def unscored(self) -> tuple[ItemOutcome, ...]:
        """Items without a verdict, with the reason."""
        return tuple(outcome for outcome in self.outcomes if outcome.outcome.holds is None)

    def as_json(self) -> dict[str, Any]:
        """The score as a JSON object, with every item's verdict."""
        record = {
            "paradigm": self.paradigm,
            "name": self.name,
            "formula": self.text,
            "share": self.share.as_json(),
            "on_average": self.on_average,
            "comparisons": [
                {
                    "comparison": score.text,
                    "mean_bits": score.mean_bits,
                    "items": score.items,
                    "interval": score.interval and score.interval.as_json(),
                }
                for score in self.comparisons
            ],
            "items": [
                {
                    "id": item.item,
                    "holds": item.outcome.holds,
                    "differences_bits": list(item.outcome.differences),
                    "reason": item.outcome.reason,
                }
                for item in self.outcomes
            ],
        }
        found: dict[str, Any] = plain(record)
        return found


@dataclass(frozen=True)
class DesignScore:
    """A paradigm: its formulas, their mean share, and the share of items that fulfil all of them.

    Only items with a verdict for every formula count in `all_fulfilled`; `mean_share` is None where none has any.
    """

    paradigm: str
    formulas: tuple[FormulaScore, ...]
    mean_share: float | None
    all_fulfilled: Interval

    def as_json(self) -> dict[str, Any]:
        """The score as a JSON object."""
        return {
            "paradigm": self.paradigm,
            "mean_share": self.mean_share,
            "all_fulfilled": self.all_fulfilled.as_json(),
            "formulas": [formula.as_json() for formula in self.formulas],
        }


def score_designs(
    results: Iterable[AlignedResult],
    findings: Findings,
    *,
    unit: Unit | None = None,
    level: float = DEFAULT_LEVEL,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> tuple[DesignScore, ...]:
    """The formulas of each paradigm over its items, in the order in which they come.

    A formula that cannot be read, or names a condition that the item lacks, is an error in `findings`; items without
    a verdict are a warning for each formula.  With `unit` the scores of whole sentences (`values`) stand for `*`
    where the regions do not say it.  No `resamples` leave the intervals of differences out.
    """
    read: dict[str, Formula | None] = {}
    outcomes: dict[str, dict[tuple[str, str], list[ItemOutcome]]] = {}
    measured: dict[str, dict[tuple[str, str], list[dict[str, Mapping[str, float]]]]] = {}
    for result in results:
        item = result.item
        surprisals = item_surprisals(result, unit)
        for name, text in item.expectations.items():
            if text not in read:
                formula = read_formula(text, findings, item.file, item.line)
                read[text] = formula
            formula = read[text]
            if formula is None or not _has_conditions(formula, item, name, findings):
                continue
            found = outcomes.setdefault(item.paradigm, {}).setdefault((name, text), [])
            found.append(ItemOutcome(item.id, evaluate(formula, surprisals)))
            every = measured.setdefault(item.paradigm, {}).setdefault((name, text), [])
            if found[-1].outcome.holds is not None:
                every.append(surprisals)
    scores = []
    for paradigm, of_formulas in outcomes.items():
        formulas = []
        for (name, text), of_items in of_formulas.items():
            formula = read[text]
            assert formula is not None, "only formulas that are read have outcomes"
            parts = tuple(
                _comparison_score(comparison, place, of_items, level, resamples, seed)
                for place, comparison in enumerate(comparisons(formula))
            )
            share = _share((item.outcome.holds for item in of_items), level)
            average = _holds_on_average(formula, measured[paradigm][name, text])
            formulas.append(FormulaScore(paradigm, name, text, share, parts, tuple(of_items), average))
            _warn_unscored(formulas[-1], findings)
        scores.append(_design_score(paradigm, tuple(formulas), level))
    return tuple(scores)


def _holds_on_average(formula: Formula, every: Sequence[Mapping[str, Mapping[str, float]]]) -> bool | None:
    """Whether a formula holds of the means over items that have all its numbers."""
    means: dict[str, dict[str, float]] = {}
    for place in measures(formula) if every else ():
        values = [surprisals[place.condition][place.region] for surprisals in every]
        # Infinite ones of both signs have no mean.
        mean = math.fsum(values) / len(values) if all(map(math.isfinite, values)) else math.nan
        means.setdefault(place.condition, {})[place.region] = mean
    return evaluate(formula, means).holds


def item_surprisals(result: AlignedResult, unit: Unit | None = None) -> dict[str, Mapping[str, float]]:
    """Surprisals in bits by condition and region.

    Where the regions do not say the whole sentence (`*`) it is the sum of the numbered regions, as in SyntaxGym, if all
    are there; else, with `unit`, the score of the sentence.
    """
    found: dict[str, Mapping[str, float]] = {}
    for place, condition in enumerate(result.item.conditions):
        regions: Mapping[str, float] = result.regions[place] if place < len(result.regions) else {}
        if WHOLE not in regions:
            value = result.values[place] if place < len(result.values) else None
            # A region without words has nothing to add, and files may leave it out.
            numbers = [region.number for region in condition.regions if region.start < region.end]
            if numbers and all(number in regions for number in numbers):
                regions = {**regions, WHOLE: math.fsum(regions[number] for number in numbers)}
            elif value is not None and unit is not None:
                regions = {**regions, WHOLE: surprisal_bits(value, unit)}
        found[condition.name] = regions
    return found


def _has_conditions(formula: Formula, item: Item, name: str, findings: Findings) -> bool:
    known = [condition.name for condition in item.conditions]
    unknown = list(dict.fromkeys(place.condition for place in measures(formula) if place.condition not in known))
    for condition in unknown:
        message = f"item '{item.id}' has no condition '{condition}', which its formula '{name}' names"
        findings.error(message + nearest(condition, known), item.file, item.line, "unknown-condition")
    return not unknown


def _share(verdicts: Iterable[bool | None], level: float) -> Interval:
    known = [verdict for verdict in verdicts if verdict is not None]
    return wilson(sum(known), len(known), level)


def _comparison_score(
    comparison: Comparison, place: int, items: Sequence[ItemOutcome], level: float, resamples: int, seed: int
) -> ComparisonScore:
    found = (item.outcome.differences[place] for item in items)
    differences = [difference for difference in found if difference is not None]
    text = print_formula(comparison)
    if not differences:
        return ComparisonScore(text, None, 0)
    if not all(map(math.isfinite, differences)):
        # Infinite ones of both signs have no mean.
        signs = {difference for difference in differences if math.isinf(difference)}
        return ComparisonScore(text, signs.pop() if len(signs) == 1 else None, len(differences))
    mean = math.fsum(differences) / len(differences)
    interval = bootstrap_mean(differences, level=level, resamples=resamples, seed=seed) if resamples else None
    return ComparisonScore(text, mean, len(differences), interval)


def _warn_unscored(score: FormulaScore, findings: Findings) -> None:
    if score.unscored:
        first = score.unscored[0]
        count = f"{len(score.unscored):,} of {len(score.outcomes):,} items have no verdict on '{score.name}'"
        findings.warning(f"{score.paradigm}: {count}: {first.item}: {first.outcome.reason}", "", code="unscored")


def _design_score(paradigm: str, formulas: tuple[FormulaScore, ...], level: float) -> DesignScore:
    shares = [formula.share.estimate for formula in formulas if formula.share.items]
    together: dict[str, list[bool | None]] = {}
    for formula in formulas:
        for item in formula.outcomes:
            together.setdefault(item.item, []).append(item.outcome.holds)
    verdicts = (None if None in holds else all(holds) for holds in together.values())
    mean = math.fsum(shares) / len(shares) if shares else None
    return DesignScore(paradigm, formulas, mean, _share(verdicts, level))
