"""Text in any style -> the tokens by which sentences are compared: Penn tokens, small letters, one article."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from generator.realizing import Realizer, Token

MASK = "\x00mask"
"""How a mask is compared, whatever its token was."""

MASKS = ("[MASK]", "<mask>")
"""The mask tokens that are known without being named."""

Tokens = tuple[str, ...]

_LETTER_AND_STOP = re.compile(r"\w\.")
_KEPT_WORDS = 200_000
_STOPS = ".,?!;:"  # at the end of a word they are for Penn's rules to judge


class Normalizer:
    """Normalises sentences of one language.

    *Won't*, *will n't* and *wo n't* are one, and so are *an* and *a*, *vom* and *von dem*, typographic quotes and
    Penn's.  A final `<eos>` is left out.
    """

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self.rules = rules
        self._realizer = Realizer(rules)
        self._known: dict[str, tuple[str, ...]] = {}

    def sentence(self, text: str, masks: Sequence[str] = ()) -> tuple[str, ...]:
        """The tokens of a sentence; each of `masks` stands for the mask."""
        bare = text.removesuffix("<eos>")
        for mask in masks:
            bare = bare.replace(mask, f" {MASK} ")
        words = bare.split()
        if len(words) > 1 and _LETTER_AND_STOP.fullmatch(words[-1]):
            words[-1:] = words[-1]  # *I.* ends the sentence; it is no initial
        return self.words(words)

    def words(self, words: Iterable[str]) -> tuple[str, ...]:
        """The tokens of words."""
        return tuple(token for word in words for token in self.word(word))

    def word(self, word: str) -> tuple[str, ...]:
        """The tokens of one word."""
        found = self._known.get(word)
        if found is None:
            if len(self._known) > _KEPT_WORDS:
                self._known.clear()
            found = self._known[word] = tuple(self._pieces(word))
        return found

    def _pieces(self, word: str) -> Iterable[str]:
        if word == MASK:
            return (MASK,)
        before: list[str] = []
        after: list[str] = []
        while len(word) > 1 and word[0] in self._openers and re.search(r"\w", word):
            before.append(word[0])
            word = word[1:]
        while len(word) > 1 and self._ends(word) and re.search(r"\w", word):
            after.insert(0, word[-1])
            word = word[:-1]
        middle = [piece.text for piece in self._realizer.penn(Token(word))]
        return (
            part
            for piece in (*before, *middle, *after)
            for part in self.canonical.get(piece.casefold(), (piece.casefold(),))
        )

    def _ends(self, word: str) -> bool:
        """Whether a word ends in a mark of its own; so does a comma or full stop after such a mark: *boat),*."""
        return word[-1] in self._closers or (word[-1] in _STOPS and word[-2] in self._closers)

    @cached_property
    def _openers(self) -> frozenset[str]:
        quotes = self.rules.get("quotes", {})
        return frozenset(mark for mark in (*self.rules.get("no_space_after", ()), *quotes.values()) if len(mark) == 1)

    @cached_property
    def _closers(self) -> frozenset[str]:
        """Marks at the end of a word that are tokens of their own."""
        quotes = self.rules.get("quotes", {})
        marks = (*self.rules.get("no_space_before", ()), *quotes.values())
        return frozenset(mark for mark in marks if len(mark) == 1 and mark not in _STOPS)

    @cached_property
    def canonical(self) -> Mapping[str, tuple[str, ...]]:
        """What a token as realised stands for, in small letters: `an` -> `a`, `ve` -> `v`, `vom` -> `von dem`."""
        found = {whole: tuple(parts.split()) for parts, whole in self.rules.get("fusions", {}).items()}
        for rule in self.rules.get("variants", ()):
            found.setdefault(rule["becomes"], (rule["words"][0],))
        words = self.rules.get("article", {}).get("words", ())
        found.update((word, (words[0],)) for word in words[1:])
        for parts, whole in self.rules.get("contractions", {}).items():
            shown = [piece.text for piece in self._realizer.penn(Token(whole))]
            meant = parts.split()
            if len(shown) == 1:
                found.setdefault(whole, tuple(meant))
            elif shown[0] != meant[0]:  # *wo* of *won't* is *will*
                found.setdefault(shown[0], (meant[0],))
        for mark, shown_mark in self.rules.get("quotes", {}).items():
            found[shown_mark] = (mark,)
        return found
