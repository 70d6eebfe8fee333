"""Scored lines of Zorro and Babeval: the sentence, a space, its cross-entropy."""

from __future__ import annotations

from collections.abc import Iterator

from scorers.predictions import Prediction, SentencePrediction, Unit
from scorers.readers.base import PredictionReader, ReadOptions, Stream
from scorers.readers.fields import checked_number, number, shown, warn_of_sign
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
        sentence, _, tail = text.rpartition(" ")
        value = number(tail)
        if value is None or not sentence or sentence[0] == " " or sentence.endswith((" ", "<eos>")):
            # The slow way, for whatever is not a sentence, one space and a number.
            if not text.strip():
                report.warn(line, "a blank line: left out", "blank-line")
                continue
            sentence, value = _checked(report, line, text, unit)
        elif value <= 0:
            value = checked_number(report, line, value, "the last word", unit)
        count, last = count + 1, line
        if value is not None:
            warn_of_sign(report, line, value, unit)
            yield SentencePrediction(value, "", "", sentence, 0, None, name, line)
    if count % 2:
        message = f"an odd number of scored sentences ({count:,}): two lines are a pair"
        report.error(last, message, "odd-number-of-lines", hint="the file may be cut off")
    if not source.ends_in_line_end and count and value is None and "\ufffd" not in text:
        report.error(last, "the file ends inside this line: it is cut off", "truncated")
    elif not source.ends_in_line_end:
        report.warn(last, "no line end after the last line: its number may be cut off", "no-line-end")


def _checked(report: Report, line: int, text: str, unit: Unit) -> tuple[str, float | None]:
    sentence, _, tail = text.strip().rpartition(" ")
    if not sentence.strip():
        report.error(line, f"expected a sentence, a space and a number, found {shown(text)}")
        return "", None
    return sentence_of(sentence), checked_number(report, line, tail, "the last word", unit)


READER = PredictionReader(
    "lines",
    "Zorro and Babeval: a sentence, a space and its cross-entropy",
    _read,
    lambda source: are_scored(source.head) and "\t" not in source.head[0] and not source.head[0].startswith("{"),
    is_by_paradigm=True,
)
