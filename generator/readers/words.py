"""The word-focused `.tab` of 'Evaluate LSTMs for syntax': pattern, form, form_alt, len_prefix, sent."""

from __future__ import annotations

from collections.abc import Iterator

from generator.items import Item
from generator.readers.base import Reader, Source, is_sentence, member, plain_sentence
from generator.readers.pairing import are_sentences
from generator.readers.tables import has_header, own_template, rows, whole_number

COLUMNS = ("pattern", "form", "form_alt", "len_prefix", "sent")


def with_word(source: Source, line: int, sentence: str, place: int, *forms: str) -> tuple[str, ...]:
    """The sentence with each form at a place; nothing, and an error, where it has no such place.

    The published systems put the form there whatever stands there, so that is what is done; a sentence that has none of
    the forms there is warned of.
    """
    words = plain_sentence(sentence).text.split(" ")
    if place >= len(words):
        source.error(line, f"len_prefix is {place}, and the sentence has {len(words)} words (counted from 0)")
        return ()
    return tuple(" ".join((*words[:place], form, *words[place + 1 :])) for form in forms)


def _read(source: Source) -> Iterator[Item]:
    for row in rows(source, COLUMNS):
        pattern, form, form_alt, len_prefix, sent = (row.known[name] for name in COLUMNS)
        place = whole_number(source, row.line, "len_prefix", len_prefix)
        if not is_sentence(source, row.line, sent) or place is None:
            continue
        pair = with_word(source, row.line, sent, place, form.strip(), form_alt.strip())
        if not pair or not are_sentences(source, row.line, *pair):
            continue
        if pair[0] != plain_sentence(sent).text:
            source.warn(row.line, "the word at len_prefix is not form: form is put in its place")
        yield Item(
            f"{source.stem}:{row.line}",
            source.stem,
            own_template(pattern, source.stem),
            0,
            (member(pair[0], True), member(pair[1], False, rank=1)),
            extra=row.own,
            line=row.line,
        )


READER = Reader(
    "words",
    "word-focused .tab: pattern, form, form_alt, len_prefix, sent",
    _read,
    lambda source: has_header(source, COLUMNS),
)
