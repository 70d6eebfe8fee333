"""Scored lines of Zorro and Babeval: the sentence, a space, its cross-entropy."""

from __future__ import annotations

from collections.abc import Iterator

from scorers.predictions import Prediction, SentencePrediction, Unit
from scorers.readers.base import PredictionReader, ReadOptions, Stream
from scorers.readers.fields import checked_number, warn_of_sign
from scorers.readers.lines import are_scored, sentence_of
from scorers.readers.source import Report, Source

UNIT = Unit("cross_entropy")
"""Of the published files: lower is better.  Their base is not said; nats are what the models' library gives."""


def _read(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    unit = options.unit or UNIT
    return [Stream(unit, _rows(source, report, unit))]


def _rows(source: Source, report: Report, unit: Unit) -> Iterator[Prediction]:
    count = last = 0
    name = source.name
    for line, text in source.lines(report):
        sentence, _, value_text = text.rstrip().rpartition(" ")
        if not sentence.strip():
            if not text.strip():
                report.warn(line, "a blank line: left out", "blank-line")
                continue
            report.error(line, f"expected a sentence, a space and a number, found {text[:60]!r}", "bad-row")
        count, last = count + 1, line
        value = checked_number(report, line, value_text, "the last word", unit) if sentence.strip() else None
        if value is not None:
            warn_of_sign(report, line, value, unit)
            yield SentencePrediction(value, text=sentence_of(sentence), file=name, line=line)
    if count % 2:
        message = f"an odd number of scored sentences ({count:,}): two lines are a pair"
        report.error(last, message, "odd-number-of-lines", hint="the file may be cut off")
    if not source.ends_in_line_end:
        report.warn(last, "no line end after the last line: its number may be cut off", "no-line-end")


READER = PredictionReader(
    "lines",
    "Zorro and Babeval: a sentence, a space and its cross-entropy",
    _read,
    lambda source: are_scored(source.head) and "\t" not in source.head[0] and not source.head[0].startswith("{"),
    is_by_paradigm=True,
)
