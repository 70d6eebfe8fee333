"""What the tokens of a vocabulary are as words."""

from __future__ import annotations

from typing import Any

from scorers.errors import ScoreError
from scorers.models.hub import continues_word


class TokenWords:
    """The words that single tokens show; special tokens, white space and parts of characters are none.

    `continues`: for each token whether it continues the word before it; None for a tokeniser that marks neither the
    beginnings nor the insides of words.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.added_tokens_decoder.items()
        self.special = {*tokenizer.all_special_ids, *(number for number, token in added if token.special)}
        self.continues: list[bool] | None
        try:
            self.continues = continues_word(tokenizer)
        except ScoreError:
            self.continues = None
        self._count = len(tokenizer)
        self._words: dict[int, str] = {}

    def word(self, number: int) -> str:
        """What stands in a text for a token, without a sign of its place; '' where that is no word."""
        found = self._words.get(number)
        if found is None:
            found = self._words[number] = self._word(number)
        return found

    def is_marked(self, number: int) -> bool:
        """Whether a token has the sign `##` of a piece that continues a word."""
        return str(self._tokenizer.convert_ids_to_tokens(number)).startswith("##")

    def _word(self, number: int) -> str:
        if number >= self._count or number in self.special:
            return ""
        shown = str(self._tokenizer.decode([number])).strip().removeprefix("##")
        return shown if "\ufffd" not in shown and len(shown.split()) == 1 else ""
