"""Sentences on lines: what all formats of plain text share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from scorers.items import Condition, Item, Pair
from scorers.readers.fields import is_decimal
from scorers.readers.source import Report, Source

MASKS = ("[MASK]", "<mask>")

_EOS = "<eos>"
_UNTIDY = re.compile(r"[^\S ]|  ")


def sentence_of(text: str) -> str:
    """A sentence without the spaces around it and without a final `<eos>`."""
    bare = text.strip()
    return bare.removesuffix(_EOS).rstrip() if bare.endswith(_EOS) else bare


def is_sentence(report: Report, line: int, text: str, what: str = "sentence") -> bool:
    """Whether a text is a sentence: an error where it is empty, a warning where its spaces are untidy."""
    bare = text.strip()
    if not bare or bare == _EOS:
        report.error(line, f"the {what} is empty", "empty")
        return False
    if bare != text:
        report.warn(line, f"spaces around the {what}: taken off", "spaces")
    if _UNTIDY.search(bare):
        report.warn(line, f"the {what} holds spaces side by side or other white space than spaces: kept", "spaces")
    return True


def sentence_lines(source: Source, report: Report) -> Iterator[tuple[int, str]]:
    """(line, sentence) of every line; blank ones are left out with a warning."""
    for line, text in source.lines(report):
        if not text.strip():
            report.warn(line, "a blank line: left out", "blank-line")
        elif is_sentence(report, line, text):
            yield line, sentence_of(text)


def couples(source: Source, report: Report) -> Iterator[tuple[int, str, str]]:
    """(line of the first, first, second) of every two sentences.  A last one without a second is an error."""
    waiting: tuple[int, str] | None = None
    for line, text in sentence_lines(source, report):
        if waiting is None:
            waiting = (line, text)
            continue
        if waiting[1] == text:
            report.warn(waiting[0], "the two sentences of the pair are identical", "identical")
        yield waiting[0], waiting[1], text
        waiting = None
    if waiting is not None:
        report.error(
            waiting[0],
            "a sentence without a second one: two lines are a pair, and the file has an odd number of them",
            "odd-number-of-lines",
            hint="the file may be cut off",
        )


def pair_item(source: Source, line: int, good: str, bad: str, paradigm: str, phenomenon: str = "") -> Item:
    """An item that is a pair of sentences and nothing more."""
    members = (Condition("acceptable", good, True), Condition("starred", bad, False))
    name = f"{source.label}:{line}"
    return Item(name, paradigm, members, (Pair(0, 1),), phenomenon=phenomenon, file=source.name, line=line)


def is_plain(source: Source) -> bool:
    """Whether the first lines are sentences: no JSON, no tabs, and no scores at their ends."""
    head = source.head
    return (
        bool(head)
        and not head[0].startswith(("{", "[{"))
        and not any("\t" in text for text in head)
        and not (are_scored(head))
    )


def are_scored(head: tuple[str, ...]) -> bool:
    """Whether half of the lines at least are a sentence, a space and a number."""
    scored = 0
    for text in head:
        sentence, space, last = text.rstrip().rpartition(" ")
        # A year or a count may end a sentence; scores are written with a point, an exponent, or as no number at all.
        is_score = is_decimal(last) and not last.isdigit()
        scored += bool(space and sentence.strip()) and (is_score or last.lower() in ("nan", "inf", "-inf"))
    return scored > 0 and 2 * scored >= len(head)


def look_paired(source: Source) -> bool:
    """Whether the first lines look like minimal pairs: in two, at least half of the words are the same.  One pair of
    four may look otherwise, so that a malformed one is found when the file is read.
    """
    lines = source.head[: len(source.head) // 2 * 2]
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    alike = sum(_shared(first, second) >= 0.5 for first, second in pairs)
    return bool(pairs) and 4 * alike >= 3 * len(pairs)


def _shared(first: str, second: str) -> float:
    ours, theirs = (Counter(re.findall(r"\w+|[^\w\s]", text.lower())) for text in (first, second))
    return 2 * (ours & theirs).total() / max(1, ours.total() + theirs.total())
