"""What a model says of items, as rows of JSON lines: scores of sentences, tokens or regions, and words for masks."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scorers._version import __version__
from scorers.asking import Measure, Question
from scorers.errors import Finding, ScoreError
from scorers.measures import (
    WHOLE,
    find_metric,
    region_bits,
    region_surprisals,
    sentence_measures,
    surprisal_bits,
)
from scorers.models import Fill, LanguageModel, MaskedSentence, Refusal, Stretch, TokenScores
from scorers.predictions import TokenPrediction, Unit
from scorers.running import Answer, Run
from scorers.signature import differences

MOST_SHOWN = 10
"""How many unknown words are named."""


def field_of(unit: Unit) -> str:
    """The name of the field that holds numbers of a unit, with the base where the quantity has one."""
    return unit.quantity if unit.quantity in ("score", "perplexity") else f"{unit.quantity}_{unit.base}"


def signature_of(model: LanguageModel, measure: Measure) -> str:
    """What the numbers are and what they depend on, on one line: `model:unigram|list:1a2b3c4d|measure:sum|...`."""
    parts = {**model.signature(), "measure": measure, "version": __version__}
    return "|".join(f"{key}:{value}" for key, value in parts.items())


@dataclass
class Said:
    """The rows of a run as lines, in the order of the items; what was refused; and the words that were not known."""

    lines: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    with_unknown: int = 0

    def note(self, name: str, what: str) -> str:
        """How many words were unknown and the most frequent of them; '' for none.  `what`: what the rows score."""
        if not self.unknown:
            return ""
        ranked = sorted(self.unknown.items(), key=lambda entry: (-entry[1], entry[0]))
        shown = ", ".join(f"{word} ({count:,})" for word, count in ranked[:MOST_SHOWN])
        more = f" and {len(ranked) - MOST_SHOWN:,} more" if len(ranked) > MOST_SHOWN else ""
        total, rows = self.unknown.total(), f"{self.with_unknown:,} of {len(self.lines):,} {what}"
        return f"{name}: {total:,} tokens of {len(ranked):,} types are not known, in {rows}: {shown}{more}"


def predict(
    model: LanguageModel,
    measure: Measure,
    questions: Sequence[Question],
    answers: Mapping[Stretch | MaskedSentence, Answer],
    name: str = "",
    run: Run | None = None,
) -> Said:
    """The rows of the questions that have answers; `name` is what they call the model, by default its own name.

    In a part of a `run` each row says of which, and its place among all: by that `score merge` puts the parts together.
    """
    said = Said()
    places: list[int] = []
    common = _common(model, measure, name)
    for place, question in enumerate(questions):
        answer = answers.get(question.asked)
        if answer is None:
            continue
        row = _row(model.unit, measure, question, answer)
        if isinstance(row, Refusal):
            message = f"'{question.item.id}' {question.condition.name} has no prediction: {row.reason}"
            said.findings.append(
                Finding("refused", message, question.item.file, question.item.line, severity="warning")
            )
            continue
        if isinstance(answer, TokenScores) and answer.unknown:
            said.unknown.update(answer.unknown)
            said.with_unknown += 1
            row["unknown_words"] = list(answer.unknown)
        said.lines.append(json.dumps(row | common, ensure_ascii=False) + "\n")
        places.append(place)
    if run is not None and not run.shard.is_all:
        part = {"shard": str(run.shard), "rows": len(places), "groups": run.groups, "run": run.digest[:12]}
        behind = f', "part": {json.dumps(part)}}}\n'
        said.lines = [f'{line[:-2]}, "row": {place}{behind}' for line, place in zip(said.lines, places, strict=True)]
    return said


def _common(model: LanguageModel, measure: Measure, name: str) -> dict[str, Any]:
    return {"model": name or model.name, "signature": signature_of(model, measure)}


def is_done(
    text: str, model: LanguageModel, measure: Measure, questions: Sequence[Question], name: str, run: Run
) -> bool:
    """Whether a file of predictions already answers all the questions of a run, in the same way.

    Raises ScoreError where it was made in another way, by another model or measure.
    """
    *lines, _ = text.split("\n")
    _require_same_run(lines, signature_of(model, measure))
    if not run.shard.is_all or len(lines) != len(questions) or not text.endswith("\n"):
        return False
    common = _common(model, measure, name)
    for line, question in zip(lines, questions, strict=True):
        try:
            row = json.loads(line)
        except ValueError:
            return False
        if not isinstance(row, dict) or {key: row.get(key) for key in common} != common:
            return False
        if not _is_of(row, question, run.top):
            return False
    return True


def _require_same_run(lines: Sequence[str], signature: str) -> None:
    try:
        row = json.loads(lines[0]) if lines else {}
    except ValueError:
        row = {}
    found = row.get("signature", signature) if isinstance(row, dict) else None
    if not isinstance(found, str) or not row:
        raise ScoreError("what is there are no predictions of score model; without --resume they are written anew")
    if found != signature:
        why = differences(found, signature)
        raise ScoreError(f"what is there was made in another way ({why}); without --resume it is written anew")


def _is_of(row: Mapping[str, Any], question: Question, top: int) -> bool:
    asked, text = question.asked, question.condition.text
    if row.get("id") != question.item.id:
        return False
    if isinstance(asked, MaskedSentence):
        fills = row.get("top", [None])
        return row.get("text") == text.replace(asked.mask, str(row.get("fill")), 1) and len(fills) == top
    # Rows of regions have no text.
    return row.get("condition") == question.condition.name and row.get("text", text) == text


def _row(unit: Unit, measure: Measure, question: Question, answer: Answer) -> dict[str, Any] | Refusal:
    """A row without what all rows have, or why there is none."""
    if isinstance(answer, Refusal):
        return answer
    if not isinstance(answer, TokenScores):
        return _filled(question, answer)
    item, condition = question.item, question.condition
    place: dict[str, Any] = {"id": item.id, "condition": condition.name, "text": condition.text}
    if math.isnan(answer.total):
        lacking = f": the model does not know {', '.join(answer.unknown[:5])}" if answer.unknown else ""
        return Refusal(f"no token of it has a number{lacking}")
    if measure == "tokens":
        bits = [None if math.isnan(value) else surprisal_bits(value, unit) for value in answer.values]
        return place | {"tokens": list(answer.tokens), "surprisals": bits, "starts": list(answer.starts)}
    if measure == "regions":
        return _regions(unit, question, answer)
    if measure in ("mean", "per_character"):
        measures = sentence_measures(answer.total, answer.count, len(condition.text))
        value = measures.per_token_nats if measure == "mean" else measures.per_character_nats
        return place | {"score": value}
    return place | {field_of(unit): answer.total, "token_count": answer.count}


def _regions(unit: Unit, question: Question, answer: TokenScores) -> dict[str, Any] | Refusal:
    item, condition = question.item, question.condition
    tokens = TokenPrediction(answer.tokens, answer.values, starts=answer.starts)
    metric = find_metric(item.attribute("metric") or "sum")
    found = dict(region_surprisals(condition, tokens, unit, metric).bits)
    if WHOLE not in found and answer.count == len(answer.values):
        # What has no token, such as punctuation for models of words, is nothing to the model.
        found[WHOLE] = region_bits([surprisal_bits(value, unit) for value in answer.values], metric)
    if not found:
        return Refusal("no region of it can be measured")
    return {"id": item.id, "condition": condition.name, "regions": found}


def _filled(question: Question, fills: Sequence[Fill]) -> dict[str, Any] | Refusal:
    mask = question.asked
    if not fills or not isinstance(mask, MaskedSentence):
        return Refusal("no word for its mask")
    best = fills[0]
    text = mask.text.replace(mask.mask, best.word, 1)
    row: dict[str, Any] = {"id": question.item.id, "text": text, "fill": best.word, "probability": best.probability}
    if len(fills) > 1:
        row["top"] = [{"word": fill.word, "probability": fill.probability} for fill in fills]
    return row
