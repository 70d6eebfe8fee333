"""`samples_TASK_DATE.jsonl` of lm-evaluation-harness (0.4): the log-likelihoods of the choices of every document.

The continuation of a request is one of the choices; with the task's delimiter before it, which is taken off.  Tasks
with `acc_mutual_info` ask for every choice a second time, without context: these requests are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scorers.predictions import Prediction, SentencePrediction, Unit
from scorers.readers.base import PredictionReader, ReadOptions, Stream
from scorers.readers.fields import checked_number, shown, warn_of_sign
from scorers.readers.lines import sentence_of
from scorers.readers.pair_rows import PAIR, pair_name
from scorers.readers.records import json_records, some_record
from scorers.readers.source import Report, Source

UNIT = Unit("log_probability")


def _read(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    unit = options.unit or UNIT
    return [Stream(unit, _rows(source, report, unit), notes=("sum over the tokens of the choice",))]


def _rows(source: Source, report: Report, unit: Unit) -> Iterator[Prediction]:
    first_filter: Any = None
    for line, record in json_records(source, report):
        # Each filter of a task writes its own line for a document.
        first_filter = first_filter or record.get("filter")
        if record.get("filter", first_filter) != first_filter:
            report.warn(line, f"lines of several filters: those of '{first_filter}' are read", "filter")
            continue
        doc = record.get("doc")
        if not isinstance(doc, dict):
            report.error(line, f"'doc' is {shown(doc)}: expected an object")
            continue
        responses = record.get("filtered_resps", record.get("resps"))
        texts = _choices(record, doc)
        if not isinstance(responses, list) or len(texts) < 2 or len(responses) < len(texts):
            report.error(line, f"expected the log-likelihoods of two choices or more, found {shown(responses)}")
            continue
        yield from _scored(source, report, line, doc, texts, responses, unit)


def _scored(
    source: Source,
    report: Report,
    line: int,
    doc: Mapping[str, Any],
    texts: Sequence[str],
    responses: Sequence[Any],
    unit: Unit,
) -> Iterator[Prediction]:
    values = [checked_number(report, line, _likelihood(response), "a log-likelihood", unit) for response in responses]
    name = _item_id(doc)
    # Members that are identical are told apart by their order.
    conditions = ("good", "bad") if name and len(texts) == 2 and texts[0] == texts[1] else ("",) * len(texts)
    for text, condition, value in zip(texts, conditions, values, strict=False):
        if value is not None:
            warn_of_sign(report, line, value, unit)
            yield SentencePrediction(value, name, condition, text, file=source.name, line=line)


def _likelihood(response: Any) -> Any:
    """The number in `[-12.3, false]`, `["-12.3", "False"]` or, of `resps`, in a list around these."""
    while isinstance(response, list) and response:
        response = response[0]
    return response


def _choices(record: Mapping[str, Any], doc: Mapping[str, Any]) -> list[str]:
    """The texts that were scored: context and continuation of each request, up to the first that comes again."""
    arguments = record.get("arguments")
    requests = list(arguments.values()) if isinstance(arguments, dict) else arguments
    texts: list[str] = []
    continuations: set[str] = set()
    for request in requests if isinstance(requests, list) else ():
        parts = list(request.values()) if isinstance(request, dict) else request
        if not isinstance(parts, list) or len(parts) < 2 or not all(isinstance(part, str) for part in parts[:2]):
            return []
        if parts[1] in continuations:
            break
        continuations.add(parts[1])
        texts.append(sentence_of(parts[0] + parts[1]))
    if len(texts) < 2 and all(isinstance(doc.get(name), str) for name in PAIR):
        texts = [sentence_of(doc[name]) for name in PAIR]
    return texts


def _item_id(doc: Mapping[str, Any]) -> str:
    """The item's id, as readers of the document's own data give it; '' where it has none."""
    paradigm = doc.get("paradigm", doc.get("UID"))
    given = doc.get("id", doc.get("pairID"))
    if not isinstance(given, str | int) or isinstance(given, bool):
        return ""
    if not isinstance(paradigm, str):
        return str(given)
    name, number = pair_name(paradigm, str(given))
    return str(given) if "id" in doc and not number else name


READER = PredictionReader(
    "lm-eval",
    "lm-evaluation-harness: samples_TASK_DATE.jsonl with the log-likelihoods of the choices",
    _read,
    lambda source: "doc" in (record := some_record(source)) and ("filtered_resps" in record or "resps" in record),
    is_by_paradigm=True,
)
