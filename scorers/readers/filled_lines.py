"""Open-ended lines of Babeval: the sentence with the model's word in the place of the mask."""

from __future__ import annotations

from collections.abc import Iterator

from scorers.predictions import FillPrediction, Prediction, Unit
from scorers.readers.base import PredictionReader, ReadOptions, Stream
from scorers.readers.lines import MASKS, is_plain, sentence_lines
from scorers.readers.source import Report, Source

UNIT = Unit("score")
"""Of files that hold words and no numbers."""


def _read(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    return [Stream(options.unit or UNIT, _rows(source, report))]


def _rows(source: Source, report: Report) -> Iterator[Prediction]:
    for line, text in sentence_lines(source, report):
        mask = next((mask for mask in MASKS if mask in text), "")
        if mask:
            report.error(line, f"the mask {mask} still stands in the sentence: expected a word in its place", "mask")
        else:
            yield FillPrediction(text=text, file=source.name, line=line)


def _detect(source: Source) -> bool:
    """Whether the lines are sentences without numbers: of predictions only these look so."""
    is_text = is_plain(source) and all(len(text.split()) > 1 for text in source.head)
    masked = sum(any(mask in text for mask in MASKS) for text in source.head)
    return is_text and 2 * masked < len(source.head)


READER = PredictionReader(
    "fills", "Babeval, open-ended: the sentence with the mask filled", _read, _detect, is_by_paradigm=True
)
