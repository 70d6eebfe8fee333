"""Result lines of 'Evaluate LSTMs for syntax'.

Whole sentences: `True|False, pattern, score, score_alt, sent, sent_alt`.  Target words: `True|False, pattern, form,
score, form_alt, score_alt, max_pred=WORD, sent`.  Tabs part the fields, or a comma and a space, as its manual shows
them.  The scores are natural-log probabilities; the file's own verdict is kept, and the pattern.  Lines that
begin with a tab are the words of the line before them, as `score evaluate-lm --print_word_probs` writes them, and
passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from scorers.predictions import Prediction, SentencePrediction, Unit
from scorers.readers.base import PredictionReader, ReadOptions, Stream
from scorers.readers.fields import checked_number, shown, warn_of_sign
from scorers.readers.lines import sentence_of
from scorers.readers.source import Report, Source

UNIT = Unit("log_probability")

_MARKS = {"True": True, "False": False}
_MAX_PRED = "max_pred="


def _fields(text: str) -> list[str]:
    """The fields of a line; none where it is of neither form.  Sentences may hold commas; `<eos>` ends the first."""
    if "\t" in text:
        fields = text.split("\t")
    else:
        fields = text.split(", ", 7)
        if len(fields) != 8 or not fields[6].startswith(_MAX_PRED):
            *head, rest = text.split(", ", 4)
            sentence, comma, other = rest.partition("<eos>, ")
            fields = [*head, f"{sentence}<eos>", other] if comma else []
    is_target = len(fields) == 8 and fields[6].startswith(_MAX_PRED)
    return fields if (is_target or len(fields) == 6) and fields[0].strip() in _MARKS else []


def _read(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    unit = options.unit or UNIT
    return [Stream(unit, _rows(source, report, unit))]


def _rows(source: Source, report: Report, unit: Unit) -> Iterator[Prediction]:
    for line, text in source.lines(report):
        if text.startswith("\t") and text.strip():
            continue
        if not text.strip():
            report.warn(line, "a blank line: left out", "blank-line")
            continue
        fields = _fields(text)
        if not fields:
            hint = "" if source.ends_in_line_end else "the last line may be cut off"
            expected = "True or False, pattern, two scores and two sentences (or two forms and a sentence)"
            report.error(line, f"expected {expected}, found {shown(text)}", hint=hint)
            continue
        if len(fields) == 6:
            scores = fields[2:4]
            texts: list[tuple[str, ...]] = [(sentence_of(field),) for field in fields[4:]]
        else:
            scores, texts = [fields[3], fields[5]], _with_forms(report, line, fields)
        if not all(all(candidates) for candidates in texts):
            report.error(line, "a sentence is empty", "empty")
            continue
        verdict, pattern = _MARKS[fields[0].strip()], fields[1].strip()
        values = [checked_number(report, line, score, "a score", unit) for score in scores]
        for name, value, candidates in zip(("acceptable", "starred"), values, texts, strict=True):
            if value is not None:
                warn_of_sign(report, line, value, unit)
                yield SentencePrediction(
                    value,
                    condition=name,
                    text=candidates[0],
                    verdict=verdict,
                    file=source.name,
                    line=line,
                    pattern=pattern,
                    further_texts=candidates[1:],
                )


def _with_forms(report: Report, line: int, fields: list[str]) -> list[tuple[str, ...]]:
    """What the sentence with each form may be.  A line does not say at which word the forms stand: the sentence with
    the second form is one for each place at which the first form is, and the items decide.
    """
    form, other, sentence = fields[2].strip(), fields[4].strip(), sentence_of(fields[7])
    words = sentence.split(" ")
    places = [place for place, word in enumerate(words) if word == form]
    if not places:
        report.warn(line, f"'{form}' does not stand in its sentence: the line cannot be joined with an item", "target")
        return [(f"{sentence} [{form}]",), (f"{sentence} [{other}]",)]
    replaced = (" ".join((*words[:place], other, *words[place + 1 :])) for place in places)
    return [(sentence,), tuple(dict.fromkeys(replaced))]


READER = PredictionReader(
    "lstm-results",
    "result lines of 'Evaluate LSTMs for syntax': True or False, pattern, scores, sentences",
    _read,
    lambda source: bool(source.head) and bool(_fields(source.head[0])),
)
