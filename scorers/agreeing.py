"""Models and people on the same items: shares, kappa, alpha and correlations, over all items and by group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scorers.criteria import Choice, preference
from scorers.grouping import labels_of
from scorers.items import Item
from scorers.judgements import Judged
from scorers.metrics.forced_choice import mean
from scorers.reports.agreement import (
    CHOICE_ALPHA,
    COEFFICIENTS,
    HUMAN_ACCURACY,
    MEASURES,
    RATING_ALPHA,
    VERDICT_AGREEMENT,
    VERDICT_KAPPA,
)
from scorers.reports.model import Agreement, AlignmentCounts, Report
from scorers.results import AlignedResult
from scorers.scoring import ModelScores, Settings
from scorers.statistics.agreement import CorrelationKind, cohen_kappa, correlation
from scorers.statistics.reliability import interval_alpha

FEWEST_GROUPS = 5
"""Groups (paradigms) from which on accuracies are correlated: of fewer a correlation says next to nothing."""

_KINDS: tuple[CorrelationKind, ...] = ("pearson", "spearman", "kendall")
_NAMES = {1.0: "acceptable", 0.0: "starred", 0.5: "split"}

_STATISTICS = {
    VERDICT_KAPPA: "cohen-kappa",
    CHOICE_ALPHA: "krippendorff-alpha-nominal",
    RATING_ALPHA: "krippendorff-alpha-interval",
    "_pearson": "pearson",
    "_spearman": "spearman",
    "_kendall": "kendall-tau-b",
}
"""Measures, or how their names end, and the names of their statistics."""

_Key = tuple[str, int, int]
"""A pair as `Choice` has it: the item's id and the conditions' places (-1 of an item as a whole)."""


@dataclass(frozen=True)
class _Said:
    """What people say of one pair (or item): their verdict as points, and their margin where there are ratings."""

    choice: Choice
    margin: float | None


class _People:
    """Judgements by pair (or item), as the criterion counts, and by group."""

    def __init__(self, judged: Judged, items: Sequence[Item], settings: Settings) -> None:
        self.judged = judged
        self.items = items
        self.settings = settings
        self.by = (settings.by or ("paradigm",))[0]
        self.said: dict[_Key, _Said] = {}
        for place, item in enumerate(items):
            for said in _said(judged, item, place, settings.criterion.counting == "item"):
                self.said[_key(said.choice)] = said
        paired = [item for item in items if item.pairs]
        self.labels = {item.id: label for item, label in zip(paired, labels_of(paired, self.by), strict=True)}
        labels = dict.fromkeys(self.labels.values())
        judged_labels = {self.labels.get(items[place].id) for place, _ in (*judged.votes, *judged.ratings)}
        self.groups = [label for label in labels if len(labels) > 1 and label in judged_labels]

    def is_in(self, item: Item, label: str | None) -> bool:
        """Whether an item is in a group; every one is in None, that of all."""
        return label is None or self.labels.get(item.id) == label

    def of(self, label: str | None) -> list[_Said]:
        """What people say of the pairs of a group."""
        return [said for said in self.said.values() if self.is_in(said.choice.result.item, label)]


def agree(
    judged: Judged, items: Sequence[Item], scores: Sequence[ModelScores], settings: Settings
) -> tuple[Agreement, ...]:
    """Every measure of `reports.agreement.MEASURES` that applies, over all items and by group.

    Groups are those of the first breakdown that was asked for, else paradigms.  Ratings give correlations, choices or
    ratings verdicts.  Intervals of shares are made as those of accuracies; alpha's is a bootstrap with the settings'
    seed.
    """
    people = _People(judged, items, settings)
    found: list[Agreement] = []
    for label in (None, *people.groups):
        rows = [*_of_people(people, label)]
        for score in scores:
            rows += _verdicts(people, score, label)
            rows += _ratings(people, score, label) if judged.ratings else ()
            rows += _groups(people, score) if label is None else ()
        by, name = ("all", "all") if label is None else (people.by, label)
        found += [replace(row, by=by, label=name, about=MEASURES[row.measure]) for row in rows]
    return tuple(found)


def agreement_signature(rows: Sequence[Agreement], digest: str, settings: Settings) -> dict[str, str]:
    """Their part of a signature: the digest of the judgements, and the statistics that were computed."""
    measures = {row.measure for row in rows}
    names = [name for measure, name in _STATISTICS.items() if any(found.endswith(measure) for found in measures)]
    parts = {"judgements": digest, "agreement": ",".join(names)}
    return parts | {"alpha": f"percentile{settings.level:g}", "resamples": str(settings.resamples)}


def add_people(
    report: Report, judged: Judged, items: Sequence[Item], scores: Sequence[ModelScores], settings: Settings
) -> Report:
    """The report with its agreement, the judgements that could not be joined, and what people took in each pair."""
    counts = AlignmentCounts(
        f"people ({judged.name})",
        judged.joined,
        len(judged.missing),
        len(judged.duplicate),
        len(judged.unknown),
        len(judged.ambiguous),
    )
    findings = (*judged.ambiguous, *judged.unknown, *judged.duplicate, *judged.missing)
    taken = dict(_taken(judged, items))
    return replace(
        report,
        agreement=agree(judged, items, scores, settings),
        alignment=(*report.alignment, counts),
        findings=(*report.findings, *findings),
        items=tuple(
            replace(row, attributes={**row.attributes, **taken[row.id]}) if row.id in taken else row
            for row in report.items
        ),
    )


def _taken(judged: Judged, items: Sequence[Item]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """(id, attributes) of each judged pair, called as in the list of items."""
    for place, item in enumerate(items):
        for number, pair in enumerate(item.pairs):
            verdict = judged.verdict(item, place, number)
            if verdict is None:
                continue
            said = {"people": _NAMES[verdict]}
            if votes := judged.votes.get((place, number)):
                said["people:acceptable"] = f"{sum(votes):g} of {len(votes)}"
            ratings = [judged.rating((place, member)) for member in (pair.good, pair.bad)]
            if None not in ratings:
                said["people:ratings"] = " : ".join(f"{rating:.2f}" for rating in ratings)
            yield (item.id if len(item.pairs) == 1 else f"{item.id}.{number + 1}"), said


# --- people -------------------------------------------------------------------------------------------------------


def _said(judged: Judged, item: Item, place: int, is_whole: bool) -> Iterator[_Said]:
    verdicts = [judged.verdict(item, place, number) for number in range(len(item.pairs))]
    margins = [judged.margin(place, pair) for pair in item.pairs]
    result = AlignedResult(item)
    if not is_whole:
        for pair, verdict, margin in zip(item.pairs, verdicts, margins, strict=True):
            if verdict is not None:
                yield _Said(Choice(result, verdict, verdict == 0.5, False, 0.5, 0, pair), margin)
        return
    # As of a model: the item counts where the acceptable sentence wins in every pair.
    known = [verdict for verdict in verdicts if verdict is not None]
    if known and len(known) == len(verdicts):
        whole = min(known)
        each = [margin for margin in margins if margin is not None]
        margin = min(each) if len(each) == len(margins) else None
        yield _Said(Choice(result, whole, whole == 0.5, False, 0.5, 0), margin)


def _key(choice: Choice) -> _Key:
    pair = choice.pair
    return choice.result.item.id, pair.good if pair else -1, pair.bad if pair else -1


def _of_people(people: _People, label: str | None) -> Iterator[Agreement]:
    yield _share(people, HUMAN_ACCURACY, "", [said.choice for said in people.of(label)])
    judged = people.judged
    if judged.votes:
        units = [votes for (place, _), votes in judged.votes.items() if people.is_in(people.items[place], label)]
        yield _alpha(people, CHOICE_ALPHA, units, "pairs")
    if judged.ratings:
        rated = [place for place in judged.sentences if people.is_in(people.items[place[0]], label)]
        yield _alpha(people, RATING_ALPHA, [judged.ratings[place] for place in rated], "sentences")


def _alpha(people: _People, measure: str, units: Sequence[Sequence[float]], of: str) -> Agreement:
    settings = people.settings
    found = interval_alpha(units, level=settings.level, resamples=settings.resamples, seed=settings.seed)
    return _row(measure, "", found.alpha, found.low, found.high, n=found.units, of=of)


def _share(people: _People, measure: str, model: str, choices: Sequence[Choice]) -> Agreement:
    low, high = people.settings.limits(choices)
    of = "items" if people.settings.criterion.counting == "item" else "pairs"
    return _row(measure, model, mean(choice.points for choice in choices), low, high, n=len(choices), of=of)


# --- models -------------------------------------------------------------------------------------------------------


def _both(people: _People, score: ModelScores, label: str | None) -> list[tuple[Choice, _Said]]:
    """The pairs of a group that the model has scored and people have judged."""
    choices = score.forced.choices if score.forced else ()
    return [
        (choice, people.said[_key(choice)])
        for choice in choices
        if _key(choice) in people.said and people.is_in(choice.result.item, label)
    ]


def _verdicts(people: _People, score: ModelScores, label: str | None) -> Iterator[Agreement]:
    both = [(choice, said.choice.points) for choice, said in _both(people, score, label) if not said.choice.is_tie]
    # A model that ties takes neither member, and so agrees with nobody.
    ours = [0.5 if choice.is_tie else float(choice.margin > 0) for choice, _ in both]
    theirs = [points for _, points in both]
    agreed = [replace(choice, points=float(own == points)) for (choice, points), own in zip(both, ours, strict=True)]
    share = _share(people, VERDICT_AGREEMENT, score.model, agreed)
    yield share
    if not both:
        yield _row(VERDICT_KAPPA, score.model, None, n=0, of=share.of)
        return
    kappa = cohen_kappa(ours, theirs, people.settings.level)
    varies = len(set(ours)) > 1 and len(set(theirs)) > 1
    value = kappa.kappa if varies else None
    yield _row(
        VERDICT_KAPPA, score.model, value, kappa.low if varies else None, kappa.high if varies else None,
        n=len(both), of=share.of,
    )  # fmt: skip


def _ratings(people: _People, score: ModelScores, label: str | None) -> Iterator[Agreement]:
    alignment, judged = score.alignment, people.judged
    sentences: list[tuple[float, float]] = []
    for place, member in judged.sentences:
        result = alignment.results[place]
        own = preference(result, member, alignment.unit, people.settings.criterion.normalisation)
        rating = judged.rating((place, member))
        if own is not None and rating is not None and people.is_in(result.item, label):
            sentences.append((own, rating))
    yield from _correlations("sentence", score.model, sentences, "sentences")
    margins = [(choice.margin, said.margin) for choice, said in _both(people, score, label) if said.margin is not None]
    of = "items" if people.settings.criterion.counting == "item" else "pairs"
    yield from _correlations("margin", score.model, margins, of)


def _groups(people: _People, score: ModelScores) -> Iterator[Agreement]:
    """Accuracies with people's, each over the same pairs, where there are groups enough."""
    accuracies: list[tuple[float, float]] = []
    for label in people.groups:
        both = _both(people, score, label)
        if both:
            ours = math.fsum(choice.points for choice, _ in both) / len(both)
            accuracies.append((ours, math.fsum(said.choice.points for _, said in both) / len(both)))
    if len(accuracies) >= FEWEST_GROUPS:
        yield from _correlations("group", score.model, accuracies, "groups")


def _correlations(key: str, model: str, pairs: Sequence[tuple[float, float]], of: str) -> Iterator[Agreement]:
    # Equal differences of means differ in their last digits: ranks would take them for unequal ones.
    ours, theirs = ([float(f"{pair[side]:.12g}") for pair in pairs] for side in (0, 1))
    for name, kind in zip(COEFFICIENTS, _KINDS, strict=True):
        found = correlation(ours, theirs, kind)
        yield _row(f"{key}_{name}", model, found.coefficient, p=found.p, n=len(pairs), of=of)


def _row(
    measure: str,
    model: str,
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    p: float | None = None,
    n: int,
    of: str,
) -> Agreement:
    """A row in which what is no number is None; its label and words are put in later."""
    value, low, high, p = (None if found is None or math.isnan(found) else found for found in (value, low, high, p))
    return Agreement("", "", model, measure, "", value, low, high, p, n, of)
