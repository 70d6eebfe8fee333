"""Words in the place of a mask: the sentence with the model's own sign there, and the tokens that may stand for it."""

from __future__ import annotations

import math
from typing import Any

from scorers.models.base import Fill, MaskedSentence, Refusal, Stretch
from scorers.models.token_words import TokenWords


class FillWords:
    """What each token of a tokeniser is as a word; special tokens, and those that show nothing, are none.

    A token that continues the word before it is written with `##` before it.  A tokeniser that marks neither the
    beginnings nor the insides of words has words alone.  `leading_space`: whether a sentence begins with a space.
    """

    def __init__(self, tokenizer: Any, leading_space: bool = False) -> None:
        self._words = TokenWords(tokenizer)
        first = tokenizer(" a" if leading_space else "a", add_special_tokens=False)["input_ids"]
        self._has_plain_first = bool(first) and self._continues(first[0])

    def _continues(self, number: int) -> bool:
        return self._words.continues is not None and self._words.continues[number]

    def word(self, number: int, is_first: bool = False) -> str:
        """The word of a token, '' for one that is none.

        With `is_first` nothing stands before it: a tokeniser that marks no beginning there has words without a mark.
        """
        word = self._words.word(number)
        is_plain_first = is_first and self._has_plain_first and not self._words.is_marked(number)
        return f"##{word}" if word and self._continues(number) and not is_plain_first else word

    def best(self, logits: Any, top: int, is_first: bool = False) -> tuple[Fill, ...]:
        """The most probable words by a tensor [vocabulary] of logits; of equally probable ones the first number.

        The probabilities are shares of all the vocabulary, tokens that are no words among it.
        """
        import torch

        shares = torch.log_softmax(logits.detach().to("cpu", torch.float64), dim=-1)
        wanted = top
        while True:
            wanted = min(wanted + len(self._words.special) + 8, len(shares))
            best = torch.topk(shares, wanted)
            ranked = sorted(zip(best.values.tolist(), best.indices.tolist(), strict=True), key=lambda p: (-p[0], p[1]))
            words = [(self.word(number, is_first), share) for share, number in ranked]
            found = [(word, share) for word, share in words if word]
            if len(found) >= top or wanted == len(shares):
                return tuple(Fill(word, math.exp(share)) for word, share in found[:top])
            wanted *= 2


def row_with_sign(
    tokenizer: Any, sentence: MaskedSentence, sign: int, leading_space: bool | None
) -> tuple[int, ...] | Refusal:
    """The tokens of a sentence, special ones around it, with the model's own sign (a special token) for the mask.

    A space before the mask belongs to the mask, as it does to a token that begins a word.
    """
    if refusal := not_one_mask(sentence):
        return refusal
    left, _, right = sentence.text.partition(sentence.mask)
    left = left.rstrip()
    if left and leading_space is not None:
        left = f"{' ' * leading_space}{left.lstrip()}"
    written = tokenizer.convert_ids_to_tokens(sign)
    row = tuple(tokenizer(f"{left}{written}{right}")["input_ids"])
    if row.count(sign) != 1:
        return Refusal(f"the model's own sign for it, {written}, stands in the sentence too")
    return row


def not_one_mask(sentence: MaskedSentence) -> Refusal | None:
    """A refusal where a mask stands in a sentence twice, or not at all."""
    count = sentence.text.count(sentence.mask)
    return None if count == 1 else Refusal(f"'{sentence.mask}' stands in it {count} times: expected once")


def without_tokens(stretch: Stretch) -> Refusal:
    """Why a stretch in which no token begins is not scored."""
    if not stretch.text.strip():
        return Refusal("the sentence is empty")
    return Refusal(f"no token of the model begins in '{stretch.text[stretch.start : stretch.end]}'")
