"""Mean surprisals of regions over the items of a paradigm: what a design looks like before any formula judges it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scorers.measures import WHOLE
from scorers.metrics.designs import item_surprisals
from scorers.predictions import Unit
from scorers.results import AlignedResult
from scorers.statistics.base import DEFAULT_LEVEL
from scorers.statistics.intervals import MeanInterval, mean_interval


@dataclass(frozen=True)
class RegionMean:
    """The mean surprisal in bits of one region in one condition, over the items that have a number there.

    `region` is its name, `*` the whole sentence; `number` as SyntaxGym counts, '' for none.
    """

    paradigm: str
    condition: str
    region: str
    number: str
    interval: MeanInterval


def region_means(
    results: Iterable[AlignedResult], unit: Unit | None = None, level: float = DEFAULT_LEVEL
) -> tuple[RegionMean, ...]:
    """The means by paradigm and condition in the order in which these come; regions by their numbers, the whole last.

    Regions without words, and numbers that are missing or infinite, are left out.
    """
    found: dict[tuple[str, str, str, str], list[float]] = {}
    for result in results:
        item = result.item
        surprisals = item_surprisals(result, unit)
        for condition in item.conditions:
            bits = surprisals[condition.name]
            places = [(region.name, region.number) for region in condition.regions if region.start < region.end]
            for region, number in [*places, (WHOLE, "")]:
                # A name that stands twice is none: such regions are known by their numbers.
                value = bits.get(number or region, bits.get(region, math.nan))
                if math.isfinite(value):
                    found.setdefault((item.paradigm, condition.name, region, number), []).append(value)
    # The first item may lack a region that others have.
    order = {key: place for place, key in enumerate(dict.fromkeys((p, c) for p, c, _, _ in found))}
    keys = sorted(found, key=lambda key: (order[key[:2]], key[2] == WHOLE, int(key[3]) if key[3].isdecimal() else 0))
    return tuple(RegionMean(*key, mean_interval(found[key], level)) for key in keys)
