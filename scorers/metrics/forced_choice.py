"""Forced choice: how often a model prefers the acceptable sentence, by whatever items say of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scorers.criteria import NORMALISATIONS, Choice, Criterion, Normalisation, choices
from scorers.grouping import group_by, owner_of
from scorers.items import Item
from scorers.results import AlignedResult, Alignment

ALWAYS_WRONG = 0.1
"""An accuracy under which the sign of the scores is doubted."""

FEW = 20
"""Pairs from which on an accuracy near zero is no accident: 20 pairs at chance fall to 10% with p = 0.0002."""

OWN_FIELDS = ("phenomenon", "field", "paradigm", "template", "language")


@dataclass(frozen=True, slots=True)
class Tally:
    """Points of a group of pairs (or items).

    `right` are the points, `ties` how many had equal scores, `unequal` how many have members of different numbers of
    words, `equal_right` the points of the others.  `chance` is the mean of their chance levels.
    """

    label: str
    scored: int
    right: float
    ties: int
    unequal: int
    equal_right: float
    chance: float | None
    points: tuple[float, ...] = ()

    @property
    def accuracy(self) -> float | None:
        """Points per pair; None without pairs."""
        return self.right / self.scored if self.scored else None

    @property
    def equal_accuracy(self) -> float | None:
        """The accuracy over pairs whose members have the same number of words."""
        left = self.scored - self.unequal
        return self.equal_right / left if left else None


@dataclass(frozen=True)
class ForcedChoice:
    """What came out for one model.

    `choices` are in the order of the items.  `by_normalisation` has the choices by summed scores, per token
    and per character (None where token counts are not known).  `macro` is the mean of the accuracies of the groups of
    a breakdown, by its name.  `unscored` items lack a number and are in no figure.  `is_sum`: the scores are those of
    whole sentences by what they are called; a cross-entropy may be a sum or a mean.
    """

    model: str
    criterion: Criterion
    overall: Tally
    breakdowns: Mapping[str, tuple[Tally, ...]]
    macro: Mapping[str, float | None]
    by_normalisation: Mapping[Normalisation, tuple[Choice, ...] | None]
    choices: tuple[Choice, ...]
    unscored: int
    is_sum: bool = True

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the numbers should know."""
        found: list[str] = []
        overall = self.overall
        if overall.accuracy is not None and overall.scored >= FEW and overall.accuracy < ALWAYS_WRONG:
            found.append(
                f"the acceptable sentence loses in {1 - overall.accuracy:.1%} of {overall.scored:,} "
                f"{self.criterion.counting}s: do the scores have the wrong sign (a surprisal given as a "
                "log_probability)? --unit names what they are"
            )
        if overall.scored and overall.ties == overall.scored:
            found.append(
                f"all {overall.scored:,} {self.criterion.counting}s are ties: every sentence has its rival's score"
            )
        if overall.unequal and self.criterion.normalisation == "sum":
            found.append(
                f"{overall.unequal:,} of {overall.scored:,} {self.criterion.counting}s have members of unequal length: "
                + (
                    "a sum favours the shorter one"
                    if self.is_sum
                    else "if scores are sums, the shorter one is favoured"
                )
            )
        return tuple(found)


def tally(label: str, found: Sequence[Choice]) -> Tally:
    """Count a group."""
    points = tuple(choice.points for choice in found)
    return Tally(
        label=label,
        scored=len(found),
        right=sum(points),
        ties=sum(choice.is_tie for choice in found),
        unequal=sum(choice.is_unequal for choice in found),
        equal_right=sum(choice.points for choice in found if not choice.is_unequal),
        chance=sum(choice.chance for choice in found) / len(found) if found else None,
        points=points,
    )


def forced_choice(alignment: Alignment, criterion: Criterion, by: Sequence[str] | None = None) -> ForcedChoice:
    """Score a model's choices; `by` names fields or attributes (else `default_breakdowns`)."""
    found, unscored = _all_choices(alignment.results, alignment, criterion)
    items = [result.item for result in alignment.results if result.item.pairs]
    names = list(by) if by is not None else default_breakdowns(items)
    breakdowns = {name: tuple(break_down(found, name)) for name in names}
    # Macro: of the paradigms always, so that a table has it whatever it is broken down by.
    groups = {name: breakdowns.get(name) or tuple(break_down(found, name)) for name in ("paradigm", *names)}
    return ForcedChoice(
        model=alignment.model,
        criterion=criterion,
        overall=tally("all", found),
        breakdowns=breakdowns,
        macro={name: mean(cell.accuracy for cell in cells) for name, cells in groups.items()},
        by_normalisation=_by_normalisation(alignment, criterion, found),
        choices=tuple(found),
        unscored=unscored,
        is_sum=alignment.unit.quantity in ("log_probability", "surprisal"),
    )


def _all_choices(
    results: Iterable[AlignedResult], alignment: Alignment, criterion: Criterion
) -> tuple[list[Choice], int]:
    found: list[Choice] = []
    unscored = 0
    for result in results:
        if not result.item.pairs:
            continue
        of_item = choices(result, alignment.unit, criterion)
        unscored += not of_item
        found += of_item
    return found, unscored


def _by_normalisation(
    alignment: Alignment, criterion: Criterion, own: Sequence[Choice]
) -> dict[Normalisation, tuple[Choice, ...] | None]:
    """The choices over the same results by each normalisation (`own` are those of the criterion's); None where one
    cannot be computed for all that have a sum.
    """
    every: dict[Normalisation, Sequence[Choice]] = {criterion.normalisation: own}
    for normalisation in NORMALISATIONS:
        if normalisation != criterion.normalisation:
            changed = replace(criterion, normalisation=normalisation)
            every[normalisation] = _all_choices(alignment.results, alignment, changed)[0]
    wanted = len(every["sum"])
    return {name: tuple(every[name]) if len(every[name]) == wanted else None for name in NORMALISATIONS}


def mean(values: Iterable[float | None]) -> float | None:
    """The arithmetic mean of those that are not None; None of nothing."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def grouped(found: Iterable[Choice], name: str) -> dict[str, list[Choice]]:
    """Choices by a field or attribute of their items, see `scorers.grouping`."""
    return group_by(((choice.result.item, choice) for choice in found), name)


def break_down(found: Iterable[Choice], name: str) -> list[Tally]:
    """Count by a field or attribute, see `grouped`."""
    return [tally(label, group) for label, group in grouped(found, name).items()]


def default_breakdowns(items: Sequence[Item]) -> list[str]:
    """Paradigm, and whichever of phenomenon, field and template cuts the items in another way."""
    names: list[str] = []
    cuts: list[list[int]] = []
    for name in ("paradigm", "phenomenon", "field", "template"):
        parts: dict[tuple[str, str], int] = {}
        owner = owner_of(name)
        cut = [
            parts.setdefault((item.attribute(name), item.attribute(owner) if owner else ""), len(parts))
            for item in items
        ]
        # Parts are numbered as they come, so that equal cuts have equal numbers.
        is_said = any(item.attribute(name) for item in items)
        if not names or (is_said and len(parts) > 1 and cut not in cuts):
            names.append(name)
            cuts.append(cut)
    return names


def attribute_names(items: Iterable[Item]) -> list[str]:
    """All that items can be broken down by."""
    names = dict.fromkeys(OWN_FIELDS)
    for item in items:
        names |= dict.fromkeys(item.attributes)
    return list(names)
