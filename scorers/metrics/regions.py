"""Mean surprisals of regions over the items of a paradigm: what a design looks like before any formula judges it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scorers.items import Condition, Region
from scorers.measures import WHOLE
from scorers.metrics.designs import item_surprisals
from scorers.predictions import Unit
from scorers.results import AlignedResult
from scorers.statistics.base import DEFAULT_LEVEL
from scorers.statistics.intervals import MeanInterval, mean_interval

_Key = tuple[str, str]
"""A region's name and number."""


@dataclass(frozen=True)
class RegionMean:
    """The mean surprisal in bits of one region in one condition, over the items that have a number there.

    `region` is its name, `*` the whole sentence; `number` as SyntaxGym counts, '' for none.  `place` (from 1) is where
    it stands among the regions of the paradigm, whichever of them a condition has.  `is_outermost`: it lies in no other
    region, so that such regions follow one another.
    """

    paradigm: str
    condition: str
    region: str
    number: str
    place: int
    is_outermost: bool
    interval: MeanInterval


def region_means(
    results: Iterable[AlignedResult], unit: Unit | None = None, level: float = DEFAULT_LEVEL
) -> tuple[RegionMean, ...]:
    """The means by paradigm and condition in the order in which these come, then by place; the whole is last.

    Regions without words, and numbers that are missing or infinite, are left out.
    """
    found: dict[tuple[str, str], dict[_Key, list[float]]] = {}
    sequences: dict[str, dict[tuple[_Key, ...], None]] = {}
    outermost: dict[str, set[_Key]] = {}
    for result in results:
        item = result.item
        surprisals = item_surprisals(result, unit)
        for condition in item.conditions:
            bits = surprisals[condition.name]
            regions = _in_order(condition)
            keys = [(region.name, region.number) for region in regions]
            sequences.setdefault(item.paradigm, {})[tuple(dict.fromkeys(keys))] = None
            outermost.setdefault(item.paradigm, set()).update(_outermost(regions))
            values = found.setdefault((item.paradigm, condition.name), {})
            for region, number in [*keys, (WHOLE, "")]:
                # A name that stands twice is none: such regions are known by their numbers.
                value = bits.get(number or region, bits.get(region, math.nan))
                if math.isfinite(value):
                    values.setdefault((region, number), []).append(value)
    means: list[RegionMean] = []
    places = {paradigm: _merged(tuple(of_paradigm)) for paradigm, of_paradigm in sequences.items()}
    for (paradigm, name), values in found.items():
        order = places[paradigm]
        for key in sorted(values, key=lambda key: order.get(key, len(order) + 1)):
            is_outer = key in outermost[paradigm]
            interval = mean_interval(values[key], level)
            means.append(RegionMean(paradigm, name, *key, order.get(key, len(order) + 1), is_outer, interval))
    return tuple(means)


def _in_order(condition: Condition) -> list[Region]:
    """The regions with words as they follow one another, outer before inner ones."""
    inhabited = [region for region in condition.regions if region.start < region.end]
    return sorted(inhabited, key=lambda region: (region.start, -region.end))


def _outermost(regions: Sequence[Region]) -> set[_Key]:
    """Those that lie in no other; of several over the same words the last, which is the author's own label."""
    spans = {(region.start, region.end): region for region in regions}
    return {
        (region.name, region.number)
        for (start, end), region in spans.items()
        if not any(s <= start and end <= e and (s, e) != (start, end) for s, e in spans)
    }


def _merged(sequences: Sequence[tuple[_Key, ...]]) -> dict[_Key, int]:
    """The places (from 1) of all regions: as in the longest sequence, with what others have behind what it follows."""
    order: list[_Key] = []
    for sequence in sorted(sequences, key=len, reverse=True):
        at = 0
        for key in sequence:
            if key in order:
                at = order.index(key) + 1
            else:
                order.insert(at, key)
                at += 1
    return {key: place for place, key in enumerate(order, 1)}
