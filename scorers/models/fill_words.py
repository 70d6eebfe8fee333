"""The tokens of a vocabulary as words that stand in the place of a mask."""

from __future__ import annotations

import math
from typing import Any

from scorers.errors import ScoreError
from scorers.models.base import Fill
from scorers.models.hub import continues_word


class FillWords:
    """What each token of a tokeniser is as a word; special tokens, and those that show nothing, are none.

    A token that continues the word before it is written with `##` before it.  A tokeniser that marks neither the
    beginnings nor the insides of words has words alone.  `leading_space`: whether a sentence begins with a space.
    """

    def __init__(self, tokenizer: Any, leading_space: bool = False) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.added_tokens_decoder.items()
        self._special = {*tokenizer.all_special_ids, *(number for number, token in added if token.special)}
        try:
            self._continues = continues_word(tokenizer)
        except ScoreError:
            self._continues = [False] * len(tokenizer)
        first = tokenizer(" a" if leading_space else "a", add_special_tokens=False)["input_ids"]
        self._has_plain_first = bool(first) and self._continues[first[0]]
        self._words: dict[tuple[int, bool], str] = {}

    def word(self, number: int, is_first: bool = False) -> str:
        """The word of a token, '' for one that is none.

        With `is_first` nothing stands before it: a tokeniser that marks no beginning there has words without a mark.
        """
        found = self._words.get((number, is_first))
        if found is None:
            found = self._words[number, is_first] = self._word(number, is_first)
        return found

    def _word(self, number: int, is_first: bool) -> str:
        if number >= len(self._continues) or number in self._special:
            return ""
        shown = str(self._tokenizer.decode([number])).strip()
        inside = shown.removeprefix("##")
        if "\ufffd" in inside or len(inside.split()) != 1:
            return ""
        is_plain_first = is_first and self._has_plain_first and shown == inside
        return f"##{inside}" if self._continues[number] and not is_plain_first else inside

    def best(self, logits: Any, top: int, is_first: bool = False) -> tuple[Fill, ...]:
        """The most probable words by a tensor [vocabulary] of logits; of equally probable ones the first number.

        The probabilities are shares of all the vocabulary, tokens that are no words among it.
        """
        import torch

        shares = torch.log_softmax(logits.detach().to("cpu", torch.float64), dim=-1)
        wanted = top
        while True:
            wanted = min(wanted + len(self._special) + 8, len(shares))
            best = torch.topk(shares, wanted)
            ranked = sorted(zip(best.values.tolist(), best.indices.tolist(), strict=True), key=lambda p: (-p[0], p[1]))
            words = [(self.word(number, is_first), share) for share, number in ranked]
            found = [(word, share) for word, share in words if word]
            if len(found) >= top or wanted == len(shares):
                return tuple(Fill(word, math.exp(share)) for word, share in found[:top])
            wanted *= 2
