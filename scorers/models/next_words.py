"""Which tokens of a vocabulary may come next in a text, by what the text ends in, and what they are as words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from scorers.models import hub
from scorers.models.token_words import TokenWords

Behind = Literal["nothing", "space", "signs"]
"""What the next token stands behind: it is the first one, or behind a space, or it goes on with what is there."""


class NextWords:
    """The tokens that may come next, and how they are written.

    Behind a space they are those that begin a word, behind other signs those that do not; at the beginning those of the
    kind that the tokeniser begins sentences with.  A tokeniser that marks neither leaves all of them.  Special tokens,
    white space and parts of characters are no words.  `rows`: how many tokens the model knows.
    """

    def __init__(self, tokenizer: Any, leading_space: bool | None, rows: int) -> None:
        self._words = TokenWords(tokenizer)
        count = min(len(tokenizer), rows)
        self._written = {number: written for number in range(count) if (written := self._words.word(number))}
        self._has_pieces = any(map(self._words.is_marked, range(count)))
        continues = self._words.continues
        every = list(self._written)
        if continues is None:
            self._allowed: Mapping[Behind, list[int]] = {"nothing": every, "space": every, "signs": every}
        else:
            beginning = [number for number in every if not continues[number]]
            continuing = [number for number in every if continues[number]]
            (probe,) = hub.encode(tokenizer, ["a"], leading_space)
            first = continuing if continues[probe.ids[0]] else beginning
            self._allowed = {"nothing": first, "space": beginning, "signs": continuing}
        self._is_marked = continues is not None

    def behind(self, text: str) -> Behind:
        """What the next word of a text stands behind."""
        if not text.strip():
            return "nothing"
        # Between signs that are no letters and letters, pieces with `##` are parted although there is no space.
        is_parted = self._has_pieces and not text[-1].isalnum()
        return "space" if text[-1].isspace() or is_parted else "signs"

    def allowed(self, behind: Behind) -> list[int]:
        """The numbers of the tokens that may come next, in order."""
        return self._allowed[behind]

    def written(self, token: int, behind: Behind) -> str:
        """A token as a word, with `##` before it where it continues one."""
        return "##" * (self._is_marked and behind == "signs") + self._written[token]
