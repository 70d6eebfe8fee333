"""Reports made from the scores of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scorers.checkpoints import checkpoints, training_steps
from scorers.criteria import Choice, Normalisation
from scorers.design_rows import DesignItems, design_rows, difference_rows, outcome_rows, region_rows, suite_notes
from scorers.errors import Finding
from scorers.grouping import labels_of
from scorers.items import Item
from scorers.metrics.forced_choice import ForcedChoice, Tally, grouped, mean
from scorers.metrics.open_ended import OTHER, AnswerTally, OpenEnded
from scorers.reports.model import (
    MISSING,
    RIGHT,
    TIE,
    WRONG,
    AlignmentCounts,
    AnswerCategory,
    AnswerRow,
    AnswerTable,
    Breakdown,
    Comparison,
    ItemRow,
    Report,
    Row,
)
from scorers.scoring import ModelScores, Settings
from scorers.statistics.intervals import wilson
from scorers.statistics.power import detectable_against_chance, detectable_paired

_MOST_FINDINGS = 10_000
"""Findings that a report lists: of more it gives the number, and counts them in its table of items and predictions."""


def make_report(
    title: str, scores: Sequence[ModelScores], settings: Settings, comparisons: tuple[Comparison, ...] = ()
) -> Report:
    """Everything that was found, as one report."""
    forced = [score.forced for score in scores if score.forced]
    names = list(dict.fromkeys(name for found in forced for name in found.breakdowns))
    steps = tuple(training_steps(scores, settings))
    return Report(
        title=title,
        signature=tuple(score.signature.line() for score in scores),
        models=tuple(score.model for score in scores),
        summary=tuple(_summary(found, settings) for found in forced),
        groups=tuple(_breakdown(name, forced, settings) for name in names),
        answers=_answers(scores, settings),
        designs=tuple(design_rows(scores)),
        differences=tuple(difference_rows(scores)),
        regions=tuple(region_rows(scores)),
        outcomes=tuple(outcome_rows(scores)),
        comparisons=comparisons,
        steps=steps,
        alignment=tuple(AlignmentCounts(score.model, **score.alignment.counts) for score in scores),
        findings=_findings(scores),
        notes=(*_notes(scores, settings, comparisons), *(_without_step(scores) if steps else ())),
        items=tuple(_items(scores)),
        level=settings.level,
    )


Groups = Mapping[Normalisation, Mapping[str, Sequence[Choice]] | None]
"""The choices of each normalisation by the label of a row."""


def _groups(found: ForcedChoice, by: str) -> Groups:
    groups: dict[Normalisation, Mapping[str, Sequence[Choice]] | None] = {}
    for normalisation, choices in found.by_normalisation.items():
        groups[normalisation] = None if choices is None else _grouped(choices, by)
    return groups


def _grouped(choices: Sequence[Choice], by: str) -> Mapping[str, Sequence[Choice]]:
    return grouped(choices, by) if by else {"all": choices}


def _row(cell: Tally, found: ForcedChoice, settings: Settings, groups: Groups, members: Sequence[Choice]) -> Row:
    low, high = settings.limits(members)
    is_whole = members is found.choices
    return Row(
        label=cell.label,
        model=found.model,
        items=cell.scored,
        right=cell.right,
        accuracy=cell.accuracy,
        low=low,
        high=high,
        ties=cell.ties,
        unequal=cell.unequal,
        chance=cell.chance,
        macro=found.macro.get("paradigm") if is_whole and len(grouped(found.choices, "paradigm")) > 1 else None,
        sum_accuracy=_accuracy(groups, "sum", cell.label),
        token_accuracy=_accuracy(groups, "per_token", cell.label),
        character_accuracy=_accuracy(groups, "per_character", cell.label),
    )


def _accuracy(groups: Groups, normalisation: Normalisation, label: str) -> float | None:
    found = groups[normalisation]
    return None if found is None else mean(choice.points for choice in found.get(label, ()))


def _summary(found: ForcedChoice, settings: Settings) -> Row:
    return _row(found.overall, found, settings, _groups(found, ""), found.choices)


def _breakdown(name: str, forced: Sequence[ForcedChoice], settings: Settings) -> Breakdown:
    rows: dict[str, list[Row]] = {}
    for found in forced:
        groups, members = _groups(found, name), _grouped(found.choices, name)
        for cell in found.breakdowns.get(name, ()):
            row = _row(cell, found, settings, groups, members[cell.label])
            rows.setdefault(cell.label, []).append(row)
    return Breakdown(name, tuple(row for of_label in rows.values() for row in of_label))


def _answers(scores: Sequence[ModelScores], settings: Settings) -> tuple[AnswerTable, ...]:
    found = [score.open for score in scores if score.open]
    names = dict.fromkeys(name for one in found for name in one.breakdowns)
    return tuple(_answer_table(name, found, settings) for name in names)


def _answer_table(by: str, found: Sequence[OpenEnded], settings: Settings) -> AnswerTable:
    """The rows of every label, a model beside the other; those over all where all labels have the same categories."""
    tallies: dict[str, list[tuple[str, AnswerTally]]] = {}
    for one in found:
        for tally in one.breakdowns[by]:
            tallies.setdefault(tally.label, []).append((one.model, tally))
    rows = [row for together in tallies.values() for row in _answer_rows(together, settings)]
    if len(tallies) > 1 and len({frozenset(part.name for part in row.categories) for row in rows}) == 1:
        rows += _answer_rows([(one.model, one.overall) for one in found], settings)
    return AnswerTable(by, tuple(rows))


def _answer_rows(tallies: Sequence[tuple[str, AnswerTally]], settings: Settings) -> Iterator[AnswerRow]:
    """The rows of one label, with the categories of all its models."""
    names = dict.fromkeys(part.name for _, tally in tallies for part in tally.categories)
    ordered = [*(name for name in names if name != OTHER), OTHER]
    for model, tally in tallies:
        known = {category.name: category for category in tally.categories}
        parts: list[AnswerCategory] = []
        for name in ordered:
            category = known.get(name)
            count = category.count if category else 0
            interval = wilson(count, tally.answered, settings.level)
            share = count / tally.answered if tally.answered else None
            words = category.words if category else ()
            parts.append(AnswerCategory(name, count, share, words, interval.low, interval.high))
        yield AnswerRow(tally.label, model, tally.answered, tuple(parts))


def _findings(scores: Sequence[ModelScores]) -> tuple[Finding, ...]:
    found = [finding for score in scores for finding in score.findings]
    left = len(found) - _MOST_FINDINGS
    if left <= 0:
        return tuple(found)
    return (*found[:_MOST_FINDINGS], Finding("more", f"and {left:,} findings more", severity="warning"))


def _notes(scores: Sequence[ModelScores], settings: Settings, comparisons: Sequence[Comparison]) -> Iterator[str]:
    forced = [score.forced for score in scores if score.forced and score.forced.choices]
    for found in forced:
        if found.unscored:
            yield f"{found.model}: {found.unscored:,} items lack a number and are in no figure"
        if found.overall.unequal and found.overall.equal_accuracy is not None:
            yield (
                f"{found.model}: without the {found.overall.unequal:,} of unequal length accuracy is "
                f"{found.overall.equal_accuracy:.1%}"
            )
    yield from suite_notes(scores)
    if comparisons:
        first = comparisons[0]
        share = (first.first_only + first.second_only) / first.items
        if share:
            yield detectable_paired(first.items, share, level=settings.level).line
    elif forced:
        overall = forced[0].overall
        chance = overall.chance if overall.chance is not None else 0.5
        yield detectable_against_chance(overall.scored, chance, level=settings.level).line


def _without_step(scores: Sequence[ModelScores]) -> Iterator[str]:
    found = {score.model for score, _ in checkpoints(scores)}
    others = [score.model for score in scores if score.model not in found]
    if others:
        yield f"not among the training steps, since no step is in the name: {', '.join(others)}"


def _items(scores: Sequence[ModelScores]) -> Iterator[ItemRow]:
    """Every pair, mask and formula of an item, with what each model said."""
    if not scores:
        return
    categories = [
        {found.item.id: category for found, _, category in score.open.answers} if score.open else {} for score in scores
    ]
    designs = DesignItems(scores)
    results = scores[0].alignment.results
    # Paradigms are called as in the tables, so that one leads to the other.
    paradigms = labels_of((result.item for result in results), "paradigm")
    for place, (result, paradigm) in enumerate(zip(results, paradigms, strict=True)):
        item = result.item
        if item.mask is not None:
            verdicts = tuple(found.get(item.id) or MISSING for found in categories)
            yield _mask_row(item, paradigm, scores, place, verdicts)
            continue
        for number, pair in enumerate(item.pairs, 1):
            each = [_pair_scores(score, place, pair.good, pair.bad) for score in scores]
            yield ItemRow(
                id=item.id if len(item.pairs) == 1 else f"{item.id}.{number}",
                paradigm=paradigm,
                template=item.template,
                good=item.conditions[pair.good].text,
                bad=item.conditions[pair.bad].text,
                scores=tuple(values for values, _ in each),
                verdicts=tuple(verdict for _, verdict in each),
                attributes=item.attributes,
            )
        yield from designs.rows(item, paradigm)


def _mask_row(
    item: Item, paradigm: str, scores: Sequence[ModelScores], place: int, verdicts: tuple[str, ...]
) -> ItemRow:
    return ItemRow(
        id=item.id,
        paradigm=paradigm,
        template=item.template,
        good=item.conditions[0].text,
        bad="",
        scores=tuple((None, None) for _ in scores),
        verdicts=verdicts,
        attributes=item.attributes,
        answers=tuple(score.alignment.results[place].fill or "" for score in scores),
    )


def _pair_scores(score: ModelScores, place: int, good: int, bad: int) -> tuple[tuple[float | None, float | None], str]:
    values = score.alignment.results[place].values
    first, second = values[good], values[bad]
    if first is None or second is None:
        return (first, second), MISSING
    unit = score.alignment.unit
    better, worse = unit.preference(first), unit.preference(second)
    return (first, second), RIGHT if better > worse else WRONG if better < worse else TIE
