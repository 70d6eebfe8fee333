"""The three tables of 'Evaluate LSTMs for syntax' -> pairs of sentences, with the word that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scorers.errors import Findings, ScoreError
from scorers.readers import find_item_reader
from scorers.readers.lines import sentence_of
from scorers.readers.original import COLUMNS
from scorers.readers.records import Quotes, header_of, table_rows
from scorers.readers.source import Report, Source
from scorers.readers.tab_pairs import SENTENCES, WORDS

_FORMATS: Mapping[str, Sequence[str]] = {"original": COLUMNS, "words": WORDS, "sentences": SENTENCES}
_CALLED = {
    "original": "the original format",
    "words": "the word-focused format",
    "sentences": "the sentence-focused format",
}


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A row: an acceptable and a starred sentence, without `<eos>`.

    `sent` is the sentence as it stands in the file; `target` the place (from 0, counted by spaces) of the word that
    differs, -1 where the file does not say it.
    """

    line: int
    pattern: str
    sent: str
    good: str
    bad: str
    target: int = -1

    @property
    def form(self) -> str:
        """The acceptable form of the target word."""
        return self.good.split(" ")[self.target]

    @property
    def form_alt(self) -> str:
        """The starred form of the target word."""
        return self.bad.split(" ")[self.target]

    @property
    def start(self) -> int:
        """Where the target word begins in either sentence, in characters from 0."""
        return sum(len(word) + 1 for word in self.good.split(" ")[: self.target])


def read_pairs(path: str, findings: Findings, is_original: bool = False) -> list[SentencePair]:
    """The pairs of a table, in order; of word-focused and original ones with the forms put in place.

    Raises ScoreError where the header is that of none of the formats, or, if it has to be that of the original format
    (`is_original`), of another; InputError with all rows that cannot be read.
    """
    source = Source.of(path)
    name = _format_of(source, is_original)
    # The reader of items keeps neither the pattern nor the sentence as they stand there.
    quotes: Quotes = "csv" if name == "original" else "none"
    rows = {row.line: row.cells for row in table_rows(source, Report(Findings(), path), (), quotes)}
    report = Report(findings, source.name)
    found: list[SentencePair] = []
    for item in find_item_reader(name).read(source, report):
        cells, good = rows[item.line], item.conditions[0]
        sent = sentence_of(cells["sent"])
        found.append(SentencePair(item.line, cells["pattern"], sent, good.text, item.conditions[1].text, good.target))
    report.close()
    findings.require_none()
    if not found:
        raise ScoreError(f"{source.name}: no pairs: the file has no rows")
    return found


def _format_of(source: Source, is_original: bool) -> str:
    header = header_of(source)
    found = next((name for name, columns in _FORMATS.items() if set(columns) <= set(header)), "")
    if is_original and found != "original":
        lacks = ", ".join(name for name in COLUMNS if name not in header)
        what = f"; it is in {_CALLED[found]}: leave --original out" if found else ""
        raise ScoreError(f"{source.name}: not in the original format: the header lacks {lacks}{what}")
    if not found:
        shown = ", ".join(header)[:120] if header else "no names between tabs"
        expected = "; or ".join(f"{' '.join(columns)} ({name})" for name, columns in _FORMATS.items())
        raise ScoreError(f"{source.name}: the header has {shown}; expected {expected}")
    return found


def with_targets(pairs: Sequence[SentencePair]) -> tuple[list[SentencePair], list[SentencePair]]:
    """The pairs that have one target word, with its place; and the others.

    Where the file does not say it, it is the word in which the two sentences differ, if they differ in exactly one.
    """
    found: list[SentencePair] = []
    others: list[SentencePair] = []
    for pair in pairs:
        if pair.target >= 0:
            found.append(pair)
            continue
        good, bad = pair.good.split(" "), pair.bad.split(" ")
        places = [place for place, (one, other) in enumerate(zip(good, bad, strict=False)) if one != other]
        if len(good) == len(bad) and len(places) == 1:
            found.append(replace(pair, target=places[0]))
        else:
            others.append(pair)
    return found, others
