"""The two `.tab` formats of 'Evaluate LSTMs for syntax': sentence-focused and word-focused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scorers.items import Condition, Item, Pair
from scorers.readers.base import ItemReader
from scorers.readers.lines import is_sentence, sentence_of
from scorers.readers.records import header_of, table_rows, whole_number
from scorers.readers.source import Report, Source

SENTENCES = ("pattern", "sent", "sent_alt")
WORDS = ("pattern", "form", "form_alt", "len_prefix", "sent")


def with_form(report: Report, line: int, sentence: str, place: int, forms: Sequence[str]) -> list[str]:
    """The sentence with each form as its word `place`; nothing, and an error, where it has no such word.

    The published systems put the form there, whichever word stands there; so it is done here.
    """
    words = sentence.split(" ")
    if place >= len(words):
        report.error(line, f"len_prefix is {place}, and the sentence has {len(words)} words (counted from 0)", "target")
        return []
    return [" ".join((*words[:place], form, *words[place + 1 :])) for form in forms]


def _sentences(source: Source, report: Report) -> Iterator[Item]:
    for row in table_rows(source, report, SENTENCES):
        good, bad = row.cells["sent"], row.cells["sent_alt"]
        are_both = [
            is_sentence(report, row.line, good, "acceptable sentence"),
            is_sentence(report, row.line, bad, "starred sentence"),
        ]
        if all(are_both):
            yield _item(source, report, row.line, (sentence_of(good), sentence_of(bad)), row.cells, SENTENCES)


def _words(source: Source, report: Report) -> Iterator[Item]:
    for row in table_rows(source, report, WORDS):
        forms = (row.cells["form"].strip(), row.cells["form_alt"].strip())
        place = whole_number(report, row.line, "len_prefix", row.cells["len_prefix"])
        if not all(forms):
            report.error(row.line, "form or form_alt is empty", "empty")
        elif place is not None and is_sentence(report, row.line, row.cells["sent"]):
            sentence = sentence_of(row.cells["sent"])
            pair = with_form(report, row.line, sentence, place, forms)
            if pair and pair[0] != sentence:
                report.warn(row.line, "the word at len_prefix is not form: form is put in its place", "target")
            if pair:
                yield _item(source, report, row.line, (pair[0], pair[1]), row.cells, WORDS, place)


def _item(
    source: Source,
    report: Report,
    line: int,
    pair: tuple[str, str],
    cells: Mapping[str, str],
    known: Sequence[str],
    target: int = -1,
) -> Item:
    good, bad = pair
    if good == bad:
        report.warn(line, "the two sentences of the pair are identical", "identical")
    return Item(
        f"{source.label}:{line}",
        source.label,
        (Condition("acceptable", good, True, target=target), Condition("starred", bad, False, target=target)),
        (Pair(0, 1),),
        own_template(cells["pattern"], source.stem),
        attributes={name: value for name, value in cells.items() if name not in known},
        file=source.name,
        line=line,
    )


def own_template(pattern: str, paradigm: str) -> str:
    """The template that a pattern names: `2` for `PARADIGM_2`, which is how Starling writes one without a name."""
    rest = pattern.removeprefix(f"{paradigm}_")
    return rest if rest != pattern and rest.isascii() and rest.isdigit() else pattern


READERS = (
    ItemReader(
        "sentences",
        "sentence-focused .tab: pattern, sent, sent_alt",
        _sentences,
        lambda source: header_of(source)[: len(SENTENCES)] == list(SENTENCES),
        fields=SENTENCES,
    ),
    ItemReader(
        "words",
        "word-focused .tab: pattern, form, form_alt, len_prefix, sent",
        _words,
        lambda source: header_of(source)[: len(WORDS)] == list(WORDS),
        fields=WORDS,
    ),
)
