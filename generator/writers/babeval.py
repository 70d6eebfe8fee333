"""Babeval: `forced_choice/TASK.txt` (two lines a pair, singular first), `open_ended/TASK.txt`."""

from __future__ import annotations

from generator.items import Item
from generator.writers.base import Format, one_line, require_pairs


def _lines(item: Item) -> list[str]:
    if item.mask is not None:
        return [one_line(item, item.good.text, "babeval")]
    require_pairs(item, "babeval")
    result = []
    for _, good, bad in item.pairs:
        for condition in sorted((good, bad), key=lambda member: member.rank):
            result.append(one_line(item, condition.text, "babeval"))
    return result


FORMAT = Format(
    "babeval",
    "Babeval text: two lines a pair (forced choice), a line with the mask (open-ended)",
    ".txt",
    "tokens",
    ("forced", "open"),
    _lines,
    flavour_folders=True,
    needs_sidecar=True,
)
