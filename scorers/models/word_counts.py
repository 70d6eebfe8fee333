"""Lists of how frequent words are -> the probability of each word."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator

from scorers.errors import nearest
from scorers.models.words import is_word
from scorers.readers.fields import number
from scorers.readers.source import Report, Source

_LOG_THOUSAND_MILLION = 9 * math.log(10)
_COUNT, _ZIPF = "count", "frequency"
_EXPECTED = "expected the columns word,frequency (Zipf scale) or word,count, between commas or tabs"


def read_log_probabilities(source: Source, report: Report) -> dict[str, float]:
    """The natural-log probability of each word of a list, in its order.

    `word,frequency`: the Zipf scale, base-10 logarithms of occurrences per thousand million words.  `word,count`:
    counts, divided by the sum of all.  Rows of 0 say that a word was not seen; expressions of several words and
    punctuation are no words.  All three are left out.
    """
    rows = _rows(source, report)
    _, first = next(rows, (0, ""))
    header, delimiter = ("", "") if report.has_errors else _header(first, report)
    if not header:
        return {}
    found: dict[str, float] = {}
    lines: dict[str, int] = {}
    for line, text in rows:
        cells = _cells(report, line, text, delimiter)
        if cells is None:
            continue
        word = cells[0].strip()
        value = _number(report, line, cells[1], header)
        if word in lines:
            report.error(line, f"'{word}' stands twice (first in line {lines[word]})", "twice")
        elif value is not None:
            lines[word] = line
            if value > 0:
                found[word] = value
    total = math.fsum(found.values())
    if header == _COUNT:
        logarithms = {word: math.log(value) - math.log(total) for word, value in found.items()}
    else:
        logarithms = {word: value * math.log(10) - _LOG_THOUSAND_MILLION for word, value in found.items()}
    kept = {word: value for word, value in logarithms.items() if is_word(word) and len(word.split()) == 1}
    if not kept and not report.has_errors:
        report.error(0, "no word with a number above 0", "empty")
    return kept


def _rows(source: Source, report: Report) -> Iterator[tuple[int, str]]:
    return ((line, text) for line, text in source.lines(report) if text.strip())


def _header(first: str, report: Report) -> tuple[str, str]:
    """What the second column is called, and what stands between the columns; ('', '') and an error for another file."""
    delimiter = "\t" if "\t" in first else ","
    names = [name.strip() for name in first.split(delimiter)]
    if names in (["word", _ZIPF], ["word", _COUNT]):
        return names[1], delimiter
    if not first:
        report.error(0, "the file is empty", "empty", hint=_EXPECTED)
        return "", ""
    guess = nearest(names[-1], (_COUNT, _ZIPF)) if names[0] == "word" else ""
    shown = first if len(first) <= 60 else f"{first[:57]}..."
    report.error(1, f"no list of words: the first line is {shown!r}{guess}", "header", hint=_EXPECTED)
    return "", ""


def _cells(report: Report, line: int, text: str, delimiter: str) -> list[str] | None:
    cells = text.split(delimiter)
    if delimiter == "," and '"' in text:
        try:
            cells = next(csv.reader([text], strict=True))
        except csv.Error:
            report.error(line, "quotes that do not fit around a cell", "quotes")
            return None
    if len(cells) != 2 or not cells[0].strip():
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        report.error(line, f"found {shown!r}: expected a word and its number", "cells")
        return None
    return cells


def _number(report: Report, line: int, text: str, header: str) -> float | None:
    value = number(text)
    if value is None or value < 0:
        report.error(line, f"the {header} is {text.strip()!r}: expected a number from 0", "not-a-number")
        return None
    if header == _ZIPF and value >= 9:
        hint = f"counts stand in a column '{_COUNT}'"
        report.error(
            line, f"a frequency of {text.strip()}: numbers of the Zipf scale are below 9", "out-of-range", hint=hint
        )
        return None
    return value
