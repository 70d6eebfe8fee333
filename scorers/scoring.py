"""All that is computed for one model: alignment, forced choice, open-ended answers, designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from scorers.aligning import align
from scorers.criteria import Choice, Criterion
from scorers.errors import Finding, Findings, UsageError
from scorers.items import Item
from scorers.metrics.designs import DesignScore, score_designs
from scorers.metrics.forced_choice import ForcedChoice, forced_choice
from scorers.metrics.open_ended import OpenEnded, open_ended
from scorers.metrics.regions import RegionMean, region_means
from scorers.predictions import PredictionFile
from scorers.results import Alignment
from scorers.signature import Signature, digest_items, digest_lists, digest_predictions, make_signature
from scorers.statistics.base import DEFAULT_LEVEL, DEFAULT_RESAMPLES
from scorers.statistics.bootstrap import bootstrap_mean
from scorers.statistics.intervals import wilson

IntervalKind = Literal["wilson", "bootstrap", "cluster"]
INTERVALS: tuple[IntervalKind, ...] = ("wilson", "bootstrap", "cluster")


@dataclass(frozen=True)
class Settings:
    """How to score: the criterion, what to break down by (None: what tells items apart), word lists, statistics."""

    criterion: Criterion = field(default_factory=Criterion)
    by: tuple[str, ...] | None = None
    lists: Mapping[str, frozenset[str]] = field(default_factory=dict)
    interval: IntervalKind = "wilson"
    level: float = DEFAULT_LEVEL
    resamples: int = DEFAULT_RESAMPLES
    seed: int = 0

    def signature(self) -> dict[str, str]:
        """Its part of the signature of forced choice."""
        parts = self.criterion.signature()
        if self.interval == "wilson":
            return parts | {"interval": f"wilson{self.level:g}"}
        over = "items" if self.interval == "bootstrap" else "lexemes"
        return parts | {"interval": f"bca{self.level:g}", "over": over, "resamples": str(self.resamples)}

    def answers_signature(self) -> dict[str, str]:
        """Its part of the signature of answers to open-ended items."""
        parts = {"answers": f"wilson{self.level:g}"}
        return parts | ({"categories": digest_lists(self.lists)} if self.lists else {})

    def designs_signature(self, items: Sequence[Item]) -> dict[str, str]:
        """Its part of the signature of formulas, with the metrics by which the regions of these items are summed up."""
        metrics = dict.fromkeys(item.attribute("metric") or "sum" for item in items if item.expectations)
        return {
            "formulas": f"wilson{self.level:g}",
            "metric": ",".join(sorted(metrics)),
            "difference": f"bca{self.level:g}",
            "resamples": str(self.resamples),
        }

    def limits(self, found: Sequence[Choice]) -> tuple[float | None, float | None]:
        """The interval of the mean of points; nothing of no points."""
        if not found:
            return None, None
        points = [choice.points for choice in found]
        if self.interval == "wilson":
            interval = wilson(sum(points), len(points), self.level)
            return interval.low, interval.high
        clusters = [cluster(choice.result.item) for choice in found] if self.interval == "cluster" else ()
        resampled = bootstrap_mean(
            points, clusters=clusters, level=self.level, resamples=self.resamples, seed=self.seed
        )
        return resampled.low, resampled.high


def cluster(item: Item) -> str:
    """The lexeme by which items hang together; an item that names none stands by itself."""
    return f"lexeme {item.cluster}" if item.cluster else f"item {item.id}"


@dataclass(frozen=True)
class ModelScores:
    """What one model knows.  Parts that do not apply are None or empty."""

    model: str
    alignment: Alignment
    forced: ForcedChoice | None
    open: OpenEnded | None
    designs: tuple[DesignScore, ...]
    regions: tuple[RegionMean, ...]
    signature: Signature
    findings: tuple[Finding, ...]


def group_by_model(files: Sequence[PredictionFile]) -> dict[str, list[PredictionFile]]:
    """The files of each model, in the order in which models come."""
    found: dict[str, list[PredictionFile]] = {}
    for file in files:
        found.setdefault(file.model or file.name, []).append(file)
    return found


def score_model(items: Sequence[Item], files: Sequence[PredictionFile], settings: Settings) -> ModelScores:
    """Score one model on items.  Raises InputError where its files are of other items, or cannot be scored."""
    alignment = align(items, files)
    found = Findings()
    has_pairs = any(item.pairs for item in items)
    has_masks = any(item.mask is not None for item in items)
    has_answers = has_masks and any(result.fill is not None for result in alignment.results)
    expecting = [result for result in alignment.results if result.item.expectations]
    has_designs = any(result.regions or any(value is not None for value in result.values) for result in expecting)
    if has_designs and has_pairs and alignment.unit.quantity == "score":
        message = "scores are no surprisals: formulas are left out"
        found.warning(message, files[0].name if len(files) == 1 else alignment.model, code="no-surprisals")
        has_designs = False
    forced = forced_choice(alignment, settings.criterion, settings.by) if has_pairs else None
    _require_what_is_asked_for(items, files, settings, forced)
    if forced is not None and not forced.choices and (has_masks or has_designs):
        forced = None
    designs: tuple[DesignScore, ...] = ()
    if has_designs:
        designs = score_designs(
            expecting,
            found,
            unit=alignment.unit,
            level=settings.level,
            resamples=settings.resamples,
            seed=settings.seed,
        )
        found.require_none()
    for warning in forced.warnings if forced else ():
        found.warning(warning, files[0].name if len(files) == 1 else alignment.model, code="odd-scores")
    # What was not used is not named.
    answers = open_ended(alignment, _answers_by(settings, items), settings.lists) if has_answers else None
    parts = made_signature(files)
    parts |= settings.designs_signature(items) if designs else {}
    parts |= settings.answers_signature() if answers else {}
    parts |= settings.signature() if forced else {}
    seed = settings.seed if forced or designs else None
    signature = make_signature(digest_items(items), digest_predictions(files), parts, seed=seed)
    return ModelScores(
        model=alignment.model,
        alignment=alignment,
        forced=forced,
        open=answers,
        designs=designs,
        regions=region_means(expecting, alignment.unit, settings.level) if designs else (),
        signature=signature,
        findings=(
            *alignment.ambiguous,
            *alignment.unknown,
            *alignment.duplicate,
            *alignment.missing,
            *alignment.odd,
            *found,
        ),
    )


def made_signature(files: Sequence[PredictionFile]) -> dict[str, str]:
    """Its part of the signature where the predictions say how they were made: `made:model=causal,...,measure=sum`."""
    made = dict.fromkeys(file.made.replace(":", "=").replace("|", ",") for file in files if file.made)
    return {"made": "+".join(made)} if made else {}


def _require_what_is_asked_for(
    items: Sequence[Item], files: Sequence[PredictionFile], settings: Settings, forced: ForcedChoice | None
) -> None:
    """Raise UsageError where items name no lexemes to resample, or files no tokens to divide by."""
    if forced is None:
        return
    if settings.interval == "cluster" and not any(item.cluster for item in items):
        raise UsageError(
            "--interval cluster: no item names its lexemes; items of gen make and of gen parse --json do, with "
            "--interval bootstrap items are resampled"
        )
    normalisation = settings.criterion.normalisation
    if normalisation != "sum" and not forced.choices and forced.by_normalisation["sum"]:
        what = "how many tokens there are" if normalisation == "per_token" else "what could be divided"
        names = ", ".join(file.name for file in files[:3]) + (" ..." if len(files) > 3 else "")
        raise UsageError(f"--normalise {normalisation}: nothing in {names} says {what}")


def _answers_by(settings: Settings, items: Sequence[Item]) -> tuple[str, ...]:
    """What answers are broken down by: as asked; else the template, or the paradigm where no item names one."""
    return settings.by or (("template",) if any(item.template for item in items if item.mask) else ("paradigm",))
