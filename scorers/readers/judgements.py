"""Judgements of people: a table or JSON lines with a rating or a choice a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scorers.errors import Findings, nearest
from scorers.judgements import Judgement, JudgementFile
from scorers.readers.fields import checked_number, shown
from scorers.readers.lines import sentence_of
from scorers.readers.records import header_of, json_records, some_record, table_rows
from scorers.readers.score_rows import CONDITIONS, IDS, TEXTS
from scorers.readers.source import Report, Source

RATINGS = ("rating", "mean_rating", "acceptability")
CHOICES = ("choice", "chosen")
ANNOTATORS = ("annotator", "annotator_id", "rater", "participant", "participant_id", "worker", "worker_id")

FORMATS: Mapping[str, str] = {
    "tsv": "a table with a header: id (and condition) or text; rating or choice; annotator",
    "jsonl": "JSON lines: id (and condition) or text; rating or choice; annotator",
}
"""The formats of judgements, and what they are."""


def read_judgements(name: str, findings: Findings | None = None) -> JudgementFile:
    """The judgements of a file (`-` for standard input).

    Rows that cannot be read are errors with their lines; all are raised at once, as InputError.  Warnings are left in
    `findings`.
    """
    findings = Findings() if findings is None else findings
    source = Source.of(name)
    report = Report(findings, source.name)
    is_json = bool(source.head) and source.head[0].lstrip().startswith("{")
    fields = list(some_record(source)) if is_json else header_of(source) or list(source.head[:1])
    found: tuple[Judgement, ...] = ()
    if not source.head:
        report.error(0, "no judgements: the file is empty", "empty")
    elif _has_fields(report, fields):
        records = json_records(source, report) if is_json else _cells(source, report)
        found = tuple(_judgements(report, records, source.name))
        if not found and not report.has_errors:
            report.error(0, "no judgements: there is no row under the header", "empty")
    report.close()
    findings.require_none()
    return JudgementFile(source.name, found)


def _cells(source: Source, report: Report) -> Iterator[tuple[int, Mapping[str, Any]]]:
    return ((row.line, row.cells) for row in table_rows(source, report, quotes="either"))


def _has_fields(report: Report, fields: list[str]) -> bool:
    """Whether the fields say what is judged and how; an error, with the nearest name, where they do not."""
    wanted = {"an id or a text (id, text)": (*IDS, *TEXTS), "what people said (rating or choice)": (*RATINGS, *CHOICES)}
    lacking = [what for what, names in wanted.items() if not set(names) & set(fields)]
    if not lacking:
        return True
    known = [name for names in wanted.values() for name in names]
    guess = next((hint for name in fields if name not in known and (hint := nearest(name, known))), "")
    if len(fields) == 1 and "," in fields[0]:
        guess = " (columns are set apart by tabs, not by commas)"
    message = f"no field for {' and none for '.join(lacking)}; the fields are: {', '.join(fields)}{guess}"
    report.error(1, message, "header")
    return False


def _judgements(report: Report, records: Iterator[tuple[int, Mapping[str, Any]]], file: str) -> Iterator[Judgement]:
    for line, record in records:
        texts = [_text(report, line, record, names) for names in (IDS, CONDITIONS, TEXTS, CHOICES, ANNOTATORS)]
        given = _value(record, RATINGS)
        rating = None
        if given not in (None, ""):
            name = next(name for name in RATINGS if name in record)
            rating = checked_number(report, line, given, f"'{name}'")
            if rating is None:
                continue
        if any(text is None for text in texts):
            continue
        item_id, condition, text, choice, annotator = (value or "" for value in texts)
        suite = _text(report, line, record, ("suite",))
        if not item_id and not text:
            report.error(line, "neither an id nor a text: which sentence or item is it?", "no-id")
        elif rating is None and not choice:
            report.error(line, "neither a rating nor a choice: what did people say?", "no-judgement")
        else:
            name = f"{suite}:{item_id}" if suite and item_id else item_id
            yield Judgement(rating, sentence_of(choice), name, condition, sentence_of(text), annotator, file, line)


def _value(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if name in record), None)


def _text(report: Report, line: int, record: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """A field as text; '' where it is missing, null or empty; None, and an error, where it is no text."""
    value = _value(record, names)
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return value.strip()
    name = next(name for name in names if name in record)
    report.error(line, f"'{name}' is {shown(value)}: expected a text", "bad-row")
    return None
