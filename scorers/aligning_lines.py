"""Which of the members that have its text a prediction is of, by what else stands in its line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from scorers.aligning_index import ItemIndex, Slot
from scorers.items import Item
from scorers.predictions import SentencePrediction


class LineIndex:
    """The predictions of result lines, each of which is of one pair, by their lines."""

    def __init__(self, index: ItemIndex, predictions: Iterable[SentencePrediction]) -> None:
        self._index = index
        self._lines: dict[tuple[str, int], list[SentencePrediction]] = {}
        for prediction in predictions:
            if prediction.verdict is not None:
                self._lines.setdefault((prediction.file, prediction.line), []).append(prediction)

    def narrowed(self, prediction: SentencePrediction, slots: Sequence[Slot]) -> tuple[Slot, ...]:
        """Those of the members whose items have what else the line has, and the line's pattern as their template; of
        either all, where it fits none.
        """
        found = tuple(slots)
        for other in self._lines.get((prediction.file, prediction.line), ()):
            if other.condition != prediction.condition:
                places = {place for place, _ in self._index.by_texts(other.texts)[1]}
                found = tuple(slot for slot in found if slot[0] in places) or found
        items = self._index.items
        return tuple(slot for slot in found if _is_of(items[slot[0]], prediction.pattern)) or found


def _is_of(item: Item, pattern: str) -> bool:
    """Whether a pattern is an item's template, which readers shorten to `2` where the pattern is `FILE_2`."""
    if not pattern or not item.template:
        return False
    return pattern in (item.template, f"{item.paradigm}_{item.template}", f"{Path(item.file).stem}_{item.template}")
