"""Tables and JSON lines with a score a sentence (or a word a mask): what a row says by the names of its fields."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from scorers.errors import Findings, nearest
from scorers.predictions import FillPrediction, Prediction, SentencePrediction, Unit
from scorers.readers.base import PredictionReader, ReadOptions, Stream
from scorers.readers.fields import SCORE_NAMES, checked_number, shown, unit_field, unit_fields, unit_of, warn_of_sign
from scorers.readers.filled_lines import UNIT as FILL_UNIT
from scorers.readers.lines import sentence_of
from scorers.readers.records import Row, header_of, json_records, some_record, table_rows
from scorers.readers.source import Report, Source

IDS = ("id", "item_id", "item", "item_number", "sentence_id", "pair_id", "pairID")
CONDITIONS = ("condition", "condition_name")
TEXTS = ("text", "sentence", "sent")
_FILL = "fill"
FILLS = (_FILL, "word", "prediction")
COUNTS = ("token_count", "n_tokens", "num_tokens")
SUITES = ("suite", "UID", "paradigm")
SIGNATURE = "signature"

NAMES = (*IDS, *CONDITIONS, *TEXTS, *COUNTS, *FILLS, *SCORE_NAMES, "model", SIGNATURE, *SUITES, "probability", "unit")
"""All names of fields that mean something in predictions of sentences."""

Records = Iterable[tuple[int, Mapping[str, Any]]]


class _Names(NamedTuple):
    """What the fields of a record are called that say of which sentence it speaks; '' where it has none."""

    id: str
    condition: str
    text: str
    suite: str
    token_count: str


def _meant(name: str, group: Iterable[str]) -> str:
    """Which of these a field's name may have been meant to be, by a slip or cut short; '' for none."""
    names = list(group)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.75)
    return near[0] if near else next((found for found in names if len(name) > 2 and found.startswith(name)), "")


class Fields:
    """Which sentence a record speaks of: its id, condition and text, by any of their usual names."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.model = ""
        self.made = ""
        self._known: dict[tuple[str, ...], _Names] = {}

    def _warn_of_misspelt(self, line: int, names: Iterable[str], lacking: Iterable[Iterable[str]]) -> None:
        """A warning of fields that are near to those that say of which sentence a row speaks, where it has none."""
        for name in names:
            is_free = name not in NAMES and unit_of(name) is None and unit_of(name, True) is None
            if is_free and (guess := next((found for group in lacking if (found := _meant(name, group))), "")):
                self.report.warn(line, f"'{name}' is not read; did you mean '{guess}'?", "misspelt")

    def names(self, line: int, record: Mapping[str, Any]) -> _Names:
        """The names of a record's fields: looked for once for all records with the same fields."""
        key = tuple(record)
        found = self._known.get(key)
        if found is None:
            groups = (IDS, CONDITIONS, TEXTS, SUITES, COUNTS)
            found = _Names(*(next((name for name in group if name in record), "") for group in groups))
            self._warn_of_misspelt(line, key, [group for group in groups[:3] if not {*group} & {*key}])
            self._known[key] = found
        return found

    def place(self, line: int, record: Mapping[str, Any]) -> tuple[str, str, str] | None:
        """(id, condition, text) of a record; None, and an error, where it has neither id nor text."""
        names = self.names(line, record)
        name, condition = self._text(line, record, names.id), self._text(line, record, names.condition)
        text, suite = self._text(line, record, names.text), self._text(line, record, names.suite)
        if name is None or condition is None or text is None or suite is None:
            return None
        if not name and not text:
            self.report.error(line, "neither an id nor a text: which sentence is it?", "no-id")
            return None
        if "model" in record and not self._is_one_model(line, record):
            return None
        if SIGNATURE in record and not self._is_one_run(line, record):
            return None
        is_short = suite and name and not name.startswith(f"{suite}:")
        return f"{suite}:{name}" if is_short else name, condition, sentence_of(text)

    def _text(self, line: int, record: Mapping[str, Any], name: str) -> str | None:
        """The text of a field without spaces around it, '' without a field; None, and an error, where it is no text."""
        if not name:
            return ""
        value = record[name]
        if isinstance(value, str):
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        self.report.error(line, f"'{name}' is {shown(value)}: expected a text", "bad-row")
        return None

    def _is_one_model(self, line: int, record: Mapping[str, Any]) -> bool:
        model = record.get("model", "")
        self.model = self.model or str(model)
        if model and str(model) != self.model:
            hint = "give each model a file of its own"
            message = f"a row of the model '{model}', and the rows before it are of '{self.model}'"
            self.report.error(line, message, "models", hint=hint)
            return False
        return True

    def _is_one_run(self, line: int, record: Mapping[str, Any]) -> bool:
        made = str(record[SIGNATURE])
        self.made = self.made or made
        if made == self.made:
            return True
        ours, theirs = self.made.split("|"), made.split("|")
        differing = [f"{other} here, {one} before" for one, other in zip(ours, theirs, strict=False) if one != other]
        why = ", ".join(differing[:3]) or "the signatures differ"
        self.report.error(line, f"a row that was made otherwise than those before it: {why}", "signatures")
        return False


def score_field(
    report: Report, fields: Iterable[str], options: ReadOptions, is_plural: bool = False
) -> tuple[str, Unit] | None:
    """The field that holds the numbers, and their unit: as the field's name says, else as the user does.

    Of several such fields the first is read (or the one that the user's unit names), with a warning.
    """
    names = list(fields)
    found = unit_field(names, options.unit, is_plural)
    if found is None:
        return None
    several = unit_fields(names, is_plural)
    if len(several) > 1 and found[1] != options.unit:
        report.warn(1, f"several scores ({', '.join(several)}): '{found[0]}' is read", "several-scores")
    return found[0], options.unit or found[1]


def _rows(report: Report, records: Records, field: str, unit: Unit, file: str) -> Iterator[Prediction]:
    """The scores of sentences; a record with a word for a mask in the place of a score is read as such."""
    fields = Fields(report)
    for line, record in records:
        if field not in record and _FILL in record:
            if (filled := _fill(fields, line, record, _FILL, file)) is not None:
                yield filled
            continue
        value = checked_number(report, line, record.get(field), f"'{field}'", unit)
        place = fields.place(line, record)
        name = fields.names(line, record).token_count
        count = _count(report, line, record, name) if name else 0
        if value is not None and place is not None and count is not None:
            warn_of_sign(report, line, value, unit)
            yield SentencePrediction(value, *place, count, file=file, line=line)


def _count(report: Report, line: int, record: Mapping[str, Any], name: str) -> int | None:
    value = record[name]
    number = checked_number(report, line, value, f"'{name}'")
    if number is not None and (number < 0 or number != int(number)):
        report.error(line, f"'{name}' is {shown(value)}: expected a whole number from 0", "not-a-number")
        return None
    return None if number is None else int(number)


def _fills(report: Report, records: Records, field: str, file: str) -> Iterator[Prediction]:
    fields = Fields(report)
    for line, record in records:
        if (filled := _fill(fields, line, record, field, file)) is not None:
            yield filled


def _fill(fields: Fields, line: int, record: Mapping[str, Any], field: str, file: str) -> FillPrediction | None:
    place = fields.place(line, record)
    word = record.get(field)
    if not isinstance(word, str) or not word.strip():
        fields.report.error(line, f"'{field}' is {shown(word)}: expected a word", "bad-row")
        return None
    if place is None:
        return None
    name, _, text = place
    given = record.get("probability")
    if given is None:
        return FillPrediction(text, word.strip(), name, file=file, line=line)
    probability = checked_number(fields.report, line, given, "'probability'")
    return None if probability is None else FillPrediction(text, word.strip(), name, probability, file, line)


def made_by(record: Mapping[str, Any]) -> str:
    """How the numbers of a record were made, as it says itself; '' where it does not."""
    return str(record.get(SIGNATURE) or "")


def _streams(
    source: Source, report: Report, options: ReadOptions, first: Mapping[str, Any], records: Records
) -> list[Stream]:
    model, made = str(first.get("model", "")), made_by(first)
    found = score_field(report, first, options)
    _warn_of_names(report, first)
    if found is not None:
        return [Stream(found[1], _rows(report, records, *found, source.name), model, made=made)]
    fill = next((name for name in FILLS if name in first), "")
    if fill:
        return [Stream(FILL_UNIT, _fills(report, records, fill, source.name), model, made=made)]
    expected = "log_probability, surprisal, cross_entropy, perplexity, score (with _bits, _nats or _bans), or fill"
    report.error(1, f"no field says what the model gave: expected {expected}", "header")
    return []


def _warn_of_names(report: Report, fields: Iterable[str]) -> None:
    """Warn of a field that means nothing and is called almost as one that is not there and would mean something."""
    names = list(fields)
    for group in (IDS, CONDITIONS, TEXTS, COUNTS, ("model",), ("suite",)):
        if any(name in group for name in names):
            continue
        for name in names:
            guess = nearest(name, group) if name not in NAMES and unit_of(name) is None else ""
            if guess:
                report.warn(1, f"'{name}' is not read{guess}", "unknown-field")


def _cells(rows: Iterable[Row]) -> Records:
    return ((row.line, row.cells) for row in rows)


def _read_table(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    first = some_row(source)
    records = _cells(table_rows(source, report, quotes="either"))
    return _streams(source, report, options, first, records)


def _read_json(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    first = some_record(source)
    if _FILL in first and unit_field(first) is None:
        # Of a file that begins with words for masks, the first score says what the numbers behind them are.
        first = next((record for record in _objects(source) if unit_field(record) is not None), first)
    return _streams(source, report, options, first, json_records(source, report))


def _objects(source: Source) -> Iterator[Mapping[str, Any]]:
    """The JSON objects of a file; what else there is, is reported when the file is read."""
    return (record for _, record in json_records(source, Report(Findings(), source.name)))


def some_row(source: Source) -> Mapping[str, str]:
    """The first row of a table by the names of its columns; without rows the columns with nothing in them."""
    header = header_of(source)
    cells = source.head[1].split("\t") if len(source.head) > 1 else []
    return {name: (cells[place].strip() if place < len(cells) else "") for place, name in enumerate(header)}


def _says_scores(fields: Iterable[str]) -> bool:
    names = set(fields)
    return bool(names & {*IDS, *TEXTS}) and (unit_field(names) is not None or bool(names & set(FILLS)))


TSV = PredictionReader(
    "tsv",
    "a table with a header: id (and condition) or text; log_probability, surprisal ... or fill",
    _read_table,
    lambda source: _says_scores(header_of(source)),
    fields=NAMES,
)
JSONL = PredictionReader(
    "jsonl",
    "JSON lines: id (and condition) or text; log_probability, surprisal ... or fill",
    _read_json,
    lambda source: _says_scores(some_record(source)),
    fields=NAMES,
)
