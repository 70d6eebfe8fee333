"""Open-ended items: into which class of answers the word falls that a model puts in the place of a mask.

The classes are the grammar's (an item's `mask.answers`), tried in order; a word of none of them is `other`.  A user's
word lists come before them, under their own names.  Words are compared as they are, then without regard to case.
The marks of a word's start or end (`Ġdogs`, `▁dogs`, `dogs</w>`) are no part of it.  A piece that goes on with the word
before it (`##s`, `##dog`) is no word: it is a `sub_word`, where the grammar has that class, unless a list has it as it
is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scorers.grouping import group_by
from scorers.items import Item, Mask
from scorers.results import AlignedResult, Alignment

OTHER = "other"
SUB_WORD = "sub_word"

Lists = Mapping[str, frozenset[str]]

_STARTS = ("Ġ", "▁")  # of byte-level BPE and SentencePiece: a word starts here
_END = "</w>"  # of BPE: a word ends here
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
    """The answers to a group of items.

    Its categories are a user's lists, the classes of the group's masks in the order in which they are tried, and
    `other`, whether or not a word fell in them.
    """

    label: str
    answered: int
    categories: tuple[Category, ...]


@dataclass(frozen=True)
class OpenEnded:
    """What came out for one model, over all items and by fields or attributes.

    `answers` gives for each item its word and category, None where none was given.
    """

    model: str
    overall: AnswerTally
    breakdowns: Mapping[str, tuple[AnswerTally, ...]]
    answers: tuple[tuple[AlignedResult, str | None, str], ...]
    unanswered: int


class _Classes:
    """Classes of words, tried in order: a word as it is comes before one that differs in case."""

    def __init__(self, classes: Lists) -> None:
        self._exact: dict[str, str] = {}
        self._folded: dict[str, str] = {}
        for name, words in classes.items():
            for word in words:
                self._exact.setdefault(word, name)
                self._folded.setdefault(word.casefold(), name)

    def find(self, form: str) -> str | None:
        """The class that has the word; None where none has."""
        return self._exact.get(form) or self._folded.get(form.casefold())


class Categoriser:
    """Sorts words into categories; what is known of a mask's classes is kept."""

    def __init__(self, lists: Lists | None = None) -> None:
        self._lists = _Classes(lists or {})
        self._classes: dict[int, tuple[Lists, _Classes]] = {}

    def category(self, word: str, mask: Mask) -> str:
        """The class of a word: the first of the user's lists, then of the mask's classes, that has it; else `other`."""
        # The mapping is kept beside its classes, so that no other one gets its id.
        known = self._classes.get(id(mask.answers))
        if known is None:
            known = self._classes[id(mask.answers)] = (mask.answers, _Classes(mask.answers))
        form = word.strip()
        for classes in (self._lists, known[1]):
            if found := classes.find(form) or classes.find(_bare(form)):
                return found
        return SUB_WORD if form.startswith(_CONTINUES) and SUB_WORD in mask.answers else OTHER


def categorise(word: str, mask: Mask, lists: Lists | None = None) -> str:
    """The category of one word, see `Categoriser`."""
    return Categoriser(lists).category(word, mask)


def _bare(form: str) -> str:
    """A word without the marks of its start and end."""
    for mark in _STARTS:
        form = form.removeprefix(mark)
    return form.removesuffix(_END)


def open_ended(alignment: Alignment, by: Sequence[str] = ("template",), lists: Lists | None = None) -> OpenEnded:
    """Sort the answers of a model into categories, over all items and by fields or attributes."""
    categoriser = Categoriser(lists)
    answers: list[tuple[AlignedResult, str | None, str]] = []
    found: list[tuple[Item, tuple[Mask, str, str]]] = []
    for result in alignment.results:
        mask, word = result.item.mask, result.fill
        if mask is None:
            continue
        category = "" if word is None else categoriser.category(word, mask)
        answers.append((result, word, category))
        if word is not None:
            found.append((result.item, (mask, word, category)))
    own = tuple(lists or {})
    return OpenEnded(
        model=alignment.model,
        overall=_tally("all", [each for _, each in found], own),
        breakdowns={
            name: tuple(_tally(label, group, own) for label, group in group_by(found, name).items()) for name in by
        },
        answers=tuple(answers),
        unanswered=len(answers) - len(found),
    )


def _tally(label: str, found: Sequence[tuple[Mask, str, str]], lists: Iterable[str]) -> AnswerTally:
    names = dict.fromkeys(lists)
    for classes in {id(mask.answers): mask.answers for mask, _, _ in found}.values():
        names |= dict.fromkeys(classes)
    # `other` is last, whatever the grammar calls its classes.
    words: dict[str, Counter[str]] = {name: Counter() for name in (*(name for name in names if name != OTHER), OTHER)}
    for _, word, category in found:
        words[category][word] += 1
    categories: list[Category] = []
    for name, counter in words.items():
        count = counter.total()
        listed = tuple(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0])))
        categories.append(Category(name, count, count / len(found) if found else None, listed))
    return AnswerTally(label, len(found), tuple(categories))
