"""Two models on the same items: who is right where, and whether the difference is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from scorers.criteria import Choice
from scorers.errors import ScoreError
from scorers.metrics.forced_choice import grouped
from scorers.reports.model import Comparison
from scorers.scoring import ModelScores, Settings, cluster
from scorers.statistics.bootstrap import bootstrap_mean
from scorers.statistics.multiplicity import holm
from scorers.statistics.paired import discordant, mcnemar, randomisation

Key = tuple[str, int, int]


def compare_models(scores: Sequence[ModelScores], settings: Settings, by: str = "") -> tuple[Comparison, ...]:
    """Compare every two models over the pairs (or items) that both have, with Holm's correction over all tests.

    `by` adds a comparison for each of its values.  What is corrected are the p-values of the randomisation test,
    which knows half points.  Raises ScoreError where two models share no scored item.
    """
    found: list[Comparison] = []
    for first, second in combinations(scores, 2):
        ours, theirs = _choices(first), _choices(second)
        shared = [key for key in ours if key in theirs]
        if not shared:
            raise ScoreError(f"'{first.model}' and '{second.model}' have no scored item in common")
        found.append(_compare("all", first.model, second.model, [(ours[key], theirs[key]) for key in shared], settings))
        # Groups are called as in the breakdown, which tells apart paradigms of one name.
        for label, choices in grouped([ours[key] for key in shared], by).items() if by else ():
            pairs = [(choice, theirs[_key(choice)]) for choice in choices]
            found.append(replace(_compare(label, first.model, second.model, pairs, settings), by=by))
    p_values = {str(number): test.randomisation_p or 0.0 for number, test in enumerate(found)}
    adjusted = holm(p_values, 1 - settings.level)
    return tuple(replace(test, holm_p=entry.adjusted_p) for test, entry in zip(found, adjusted, strict=True))


def _choices(scores: ModelScores) -> dict[Key, Choice]:
    return {_key(choice): choice for choice in (scores.forced.choices if scores.forced else ())}


def _key(choice: Choice) -> Key:
    pair = choice.pair
    return choice.result.item.id, pair.good if pair else -1, pair.bad if pair else -1


def _compare(
    label: str, first: str, second: str, pairs: Sequence[tuple[Choice, Choice]], settings: Settings
) -> Comparison:
    ours, theirs = [a.points for a, _ in pairs], [b.points for _, b in pairs]
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    clusters = [cluster(a.result.item) for a, _ in pairs] if settings.interval == "cluster" else ()
    interval = bootstrap_mean(
        differences, clusters=clusters, level=settings.level, resamples=settings.resamples, seed=settings.seed
    )
    only_first, only_second = discordant(ours, theirs)
    test = randomisation(differences, clusters=clusters, resamples=settings.resamples, seed=settings.seed)
    return Comparison(
        label=label,
        first=first,
        second=second,
        items=len(pairs),
        first_accuracy=sum(ours) / len(pairs),
        second_accuracy=sum(theirs) / len(pairs),
        difference=sum(differences) / len(pairs),
        low=interval.low,
        high=interval.high,
        first_only=only_first,
        second_only=only_second,
        mcnemar_p=mcnemar(only_first, only_second).p,
        randomisation_p=test.p,
    )
