"""The words of a sentence as models of whole words count them."""

from __future__ import annotations


def is_word(token: str) -> bool:
    """Whether a token has a letter or a digit; without one it is punctuation."""
    return any(sign.isalnum() for sign in token)


def words_of(text: str) -> list[str]:
    """The tokens between spaces that are words."""
    return [token for token in text.split() if is_word(token)]


def bare(token: str) -> str:
    """A word without the punctuation that hangs on it, as in running text (`(The`, `here.`)."""
    signs = [place for place, sign in enumerate(token) if sign.isalnum()]
    return token[signs[0] : signs[-1] + 1] if signs else token
