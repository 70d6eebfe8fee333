"""Open-ended items: into which class of answers the word falls that a model puts in the place of a mask.

The classes are the grammar's (an item's `mask.answers`), tried in order; a word of none of them is `other`.  A user's
word lists come before them, under their own names.  Words are compared as they are, then without regard to case; the
marks of sub-words (`##s`, `Ġdogs`, `▁dogs`) are no part of a word, and a piece that continues a word is also tried
with its mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scorers.items import Mask
from scorers.results import AlignedResult, Alignment

OTHER = "other"

_STARTS = ("Ġ", "▁")  # of byte-level BPE and SentencePiece: a word starts here
_CONTINUES = "##"  # of WordPiece: a word goes on here


@dataclass(frozen=True, slots=True)
class Category:
    """A class of answers in a group of items: how many fell in it, their share, and the words, commonest first."""

    name: str
    count: int
    share: float | None
    words: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class AnswerTally:
    """The answers to a group of items; all groups of a table have the same categories in the same order."""

    label: str
    answered: int
    categories: tuple[Category, ...]


@dataclass(frozen=True)
class OpenEnded:
    """What came out for one model.  `answers` gives for each item its word and category, None where none was given."""

    model: str
    by: str
    categories: tuple[str, ...]
    overall: AnswerTally
    rows: tuple[AnswerTally, ...]
    answers: tuple[tuple[AlignedResult, str | None, str], ...]
    unanswered: int


def categorise(word: str, mask: Mask, lists: Mapping[str, frozenset[str]] | None = None) -> str:
    """The class of a word: the first of the user's lists, then of the mask's classes, that has it; else `other`."""
    forms = _forms(word)
    classes = [*(lists or {}).items(), *mask.answers.items()]
    for form in forms:
        for name, words in classes:
            if form in words:
                return name
    for form in forms:
        folded = form.casefold()
        for name, words in classes:
            if folded in words or any(folded == known.casefold() for known in words if known != known.lower()):
                return name
    return OTHER


def _forms(word: str) -> list[str]:
    """The word as it may stand in a list: as it is, then without the mark of a sub-word."""
    bare = word.strip()
    forms = [bare]
    for mark in (*_STARTS, _CONTINUES):
        if bare.startswith(mark) and len(bare) > len(mark):
            forms.append(bare.removeprefix(mark))
    return forms


def open_ended(
    alignment: Alignment, by: str = "template", lists: Mapping[str, frozenset[str]] | None = None
) -> OpenEnded:
    """Sort the answers of a model into categories, over all items and by a field or attribute."""
    answers: list[tuple[AlignedResult, str | None, str]] = []
    names = dict.fromkeys(lists or {})
    for result in alignment.results:
        mask = result.item.mask
        if mask is None:
            continue
        names |= dict.fromkeys(mask.answers)
        category = "" if result.fill is None else categorise(result.fill, mask, lists)
        answers.append((result, result.fill, category))
    # `other` is last, whatever the grammar calls its classes.
    order = [*(name for name in names if name != OTHER), OTHER]
    groups: dict[str, list[tuple[str, str]]] = {}
    for result, word, category in answers:
        if word is not None:
            groups.setdefault(result.item.attribute(by) or "-", []).append((word, category))
    rows = tuple(_tally(label, found, order) for label, found in groups.items())
    every = [pair for found in groups.values() for pair in found]
    unanswered = sum(word is None for _, word, _ in answers)
    overall = _tally("all", every, order)
    return OpenEnded(alignment.model, by, tuple(order), overall, rows, tuple(answers), unanswered)


def _tally(label: str, found: Sequence[tuple[str, str]], order: Iterable[str]) -> AnswerTally:
    words: dict[str, Counter[str]] = {name: Counter() for name in order}
    for word, category in found:
        words[category][word] += 1
    categories: list[Category] = []
    for name, counter in words.items():
        count = counter.total()
        listed = tuple(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0])))
        categories.append(Category(name, count, count / len(found) if found else None, listed))
    return AnswerTally(label, len(found), tuple(categories))
