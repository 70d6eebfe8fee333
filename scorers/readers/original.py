"""The `.tab` of Gulordava et al. (2018): two rows an item, the correct form and the wrong one.

`sent` is the sentence, in which `form` is to be put as the word `len_prefix`.  The columns behind `sent` are those of
models: the log-probability of the form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scorers.items import Condition, Item, Pair
from scorers.predictions import Prediction, SentencePrediction, Unit
from scorers.readers.base import ItemReader, PredictionReader, ReadOptions, Stream
from scorers.readers.fields import checked_number, warn_of_sign
from scorers.readers.lines import is_sentence, sentence_of
from scorers.readers.records import Row, header_of, table_rows, whole_number
from scorers.readers.source import Report, Source
from scorers.readers.tab_pairs import own_template, with_form

COLUMNS = (
    "pattern", "constr_id", "sent_id", "correct_number", "form", "class", "type", "prefix", "n_attr", "punct", "freq",
    "len_context", "len_prefix", "sent",
)  # fmt: skip

_SAME = ("pattern", "constr_id", "sent_id", "len_prefix", "sent")
_ATTRIBUTES = ("constr_id", "sent_id", "correct_number", "type", "n_attr", "punct", "freq", "len_context", "len_prefix")


@dataclass(frozen=True)
class _Couple:
    """The two rows of an item, and their sentences with the forms in them."""

    good: Row
    bad: Row
    texts: tuple[str, str]
    place: int

    @property
    def line(self) -> int:
        return min(self.good.line, self.bad.line)


def _couples(source: Source, report: Report) -> Iterator[_Couple]:
    waiting: Row | None = None
    for row in table_rows(source, report, COLUMNS, quotes="csv"):
        if row.cells["class"] not in ("correct", "wrong"):
            report.error(row.line, f"class is {row.cells['class']!r}: expected correct or wrong")
        elif waiting is None:
            waiting = row
        elif why := _mismatch(waiting, row):
            report.error(waiting.line, f"a row without its partner: {why}", "no-partner")
            waiting = row
        else:
            if waiting.cells["class"] == "wrong":
                report.warn(waiting.line, "the wrong form stands before the correct one", "order")
                waiting, row = row, waiting
            couple = _couple(report, waiting, row)
            waiting = None
            if couple is not None:
                yield couple
    if waiting is not None:
        hint = "the file may be cut off"
        report.error(waiting.line, "a row without its partner: the file ends", "odd-number-of-lines", hint=hint)


def _mismatch(one: Row, other: Row) -> str:
    differing = [name for name in _SAME if one.cells[name] != other.cells[name]]
    if differing:
        return f"the next row differs in {', '.join(differing)}"
    return "the next one is of its class" if one.cells["class"] == other.cells["class"] else ""


def _couple(report: Report, good: Row, bad: Row) -> _Couple | None:
    line = min(good.line, bad.line)
    forms = [row.cells["form"].strip() for row in (good, bad)]
    place = whole_number(report, line, "len_prefix", good.cells["len_prefix"])
    if not all(forms):
        report.error(line, "form is empty", "empty")
        return None
    if place is None or not is_sentence(report, line, good.cells["sent"]):
        return None
    texts = with_form(report, line, sentence_of(good.cells["sent"]), place, forms)
    if not texts:
        return None
    if texts[0] == texts[1]:
        report.warn(line, "the two sentences of the pair are identical", "identical")
    return _Couple(good, bad, (texts[0], texts[1]), place)


def _read(source: Source, report: Report) -> Iterator[Item]:
    for couple in _couples(source, report):
        cells = couple.good.cells
        yield Item(
            f"{source.label}:{cells['pattern']}:{cells['constr_id']}-{cells['sent_id']}",
            source.label,
            tuple(
                Condition(name, text, name == "acceptable", target=couple.place)
                for name, text in zip(("acceptable", "starred"), couple.texts, strict=True)
            ),
            (Pair(0, 1),),
            own_template(cells["pattern"], source.stem),
            attributes=_attributes(couple),
            file=source.name,
            line=couple.line,
        )


def _attributes(couple: _Couple) -> dict[str, str]:
    """The columns of the item; where the two rows differ (`freq`), that of the starred one as `NAME_starred`."""
    found: dict[str, str] = {}
    for name in _ATTRIBUTES:
        found[name] = couple.good.cells[name]
        if couple.bad.cells[name] != found[name]:
            found[f"{name}_starred"] = couple.bad.cells[name]
    return found


def models_of(source: Source) -> list[str]:
    """The names of the columns of models: those that the format itself does not have."""
    return [name for name in header_of(source) if name not in COLUMNS]


def _predictions(source: Source, report: Report, options: ReadOptions) -> list[Stream]:
    models = models_of(source)
    unit = options.unit or Unit("log_probability")
    if not models:
        report.error(
            1, "no column of a model: expected one behind 'sent', with a log-probability in each row", "header"
        )
        return []
    # The file is read once for all models, so that what is wrong with it is said once.
    found: dict[str, list[Prediction]] = {name: [] for name in models}
    for couple in _couples(source, report):
        for name, row, text in zip(("acceptable", "starred"), (couple.good, couple.bad), couple.texts, strict=True):
            for model in models:
                value = checked_number(report, row.line, row.cells[model], f"'{model}'", unit)
                if value is not None:
                    warn_of_sign(report, row.line, value, unit)
                    found[model].append(
                        SentencePrediction(value, condition=name, text=text, file=source.name, line=row.line)
                    )
    notes = ("of the target word, given the words before it",)
    return [Stream(unit, iter(rows), model, notes) for model, rows in found.items()]


ITEMS = ItemReader(
    "original",
    "Gulordava et al. .tab: two rows an item, correct and wrong",
    _read,
    lambda source: header_of(source)[:5] == list(COLUMNS[:5]),
    fields=COLUMNS,
)
PREDICTIONS = PredictionReader(
    "model-columns",
    "Gulordava et al. .tab with a column for each model: the log-probability (nats) of the form",
    _predictions,
    lambda source: header_of(source)[:5] == list(COLUMNS[:5]) and bool(models_of(source)),
)
