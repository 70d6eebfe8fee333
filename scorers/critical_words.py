"""The words that a pair turns on: where they stand in its two sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from scorers.items import Condition, Item

Method = Literal["target", "one_prefix", "two_prefix"]
"""`target`: the word that differs.  BLiMP's prefix methods (Warstadt et al. 2020, section 4): `one_prefix` compares two
words behind the same prefix, `two_prefix` the same word behind two prefixes.
"""

Span = tuple[int, int]

_MARKS = ".,?!;:"


@dataclass(frozen=True)
class NoWord:
    """Why a method says nothing of an item."""

    reason: str


def critical_spans(item: Item, method: Method) -> Mapping[int, Span] | NoWord:
    """For each condition that stands in a pair, by its place: the characters of the word that the method scores.

    Where the file itself names the word (`len_prefix`, BLiMP's fields), it is that; else it follows from the sentences.
    """
    if not item.pairs:
        return NoWord("no pair: nothing says which sentences to compare")
    found: dict[int, Span] = {}
    for pair in item.pairs:
        spans = _pair_spans(item, item.conditions[pair.good], item.conditions[pair.bad], method)
        if isinstance(spans, NoWord):
            return spans
        for place, span in zip((pair.good, pair.bad), spans, strict=True):
            if found.setdefault(place, span) != span:
                return NoWord("its pairs turn on words in different places")
    return found


def _pair_spans(item: Item, good: Condition, bad: Condition, method: Method) -> tuple[Span, Span] | NoWord:
    if method in good.critical and method in bad.critical:
        return good.critical[method], bad.critical[method]
    if method == "target" and good.target >= 0 and bad.target >= 0:
        return word_span(good.text, good.target), word_span(bad.text, bad.target)
    if item.attributes.get(f"{method}_method", "").lower() == "false":
        return NoWord(f"its file says that the method '{method}' does not apply")
    return _METHODS[method](units(good.text), units(bad.text))


def word_span(text: str, place: int) -> Span:
    """The characters of a word by its place (from 0) among those between spaces."""
    return [match.span() for match in re.finditer(r"\S+", text)][place]


Unit = tuple[str, Span]


def units(text: str) -> list[Unit]:
    """The words with their characters, punctuation marks behind a word apart.  Clitics stay with their word."""
    found: list[Unit] = []
    for match in re.finditer(r"\S+", text):
        start, end = match.span()
        middle = start + len(match[0].rstrip(_MARKS))
        found += [(text[a:b], (a, b)) for a, b in ((start, middle), (middle, end)) if a < b]
    return found


def _first_difference(good: list[Unit], bad: list[Unit]) -> int:
    at = 0
    while at < min(len(good), len(bad)) and good[at][0] == bad[at][0]:
        at += 1
    return at


def _is_one_word(good: list[Unit], bad: list[Unit], at: int) -> bool:
    words, others = [word for word, _ in good], [word for word, _ in bad]
    return len(words) == len(others) and at < len(words) and words[at + 1 :] == others[at + 1 :]


def _differing(good: list[Unit], bad: list[Unit]) -> tuple[Span, Span] | NoWord:
    at = _first_difference(good, bad)
    if not _is_one_word(good, bad, at):
        return NoWord("its sentences differ in more than one word")
    return good[at][1], bad[at][1]


def _one_prefix(good: list[Unit], bad: list[Unit]) -> tuple[Span, Span] | NoWord:
    if _first_difference(good, bad) == 0:
        return NoWord("its sentences have no prefix in common")
    return _differing(good, bad)


def _two_prefix(good: list[Unit], bad: list[Unit]) -> tuple[Span, Span] | NoWord:
    at = _first_difference(good, bad)
    if not _is_one_word(good, bad, at):
        return NoWord("its sentences differ in more than one word")
    if at + 1 == len(good) or not any(letter.isalnum() for letter in good[at + 1][0]):
        return NoWord("no word stands behind the one that differs")
    return good[at + 1][1], bad[at + 1][1]


_METHODS: Mapping[Method, Callable[[list[Unit], list[Unit]], tuple[Span, Span] | NoWord]] = {
    "target": _differing,
    "one_prefix": _one_prefix,
    "two_prefix": _two_prefix,
}
