"""The words of a sentence as models of whole words count them."""

from __future__ import annotations

import re

from scorers.models.base import Stretch


def is_word(token: str) -> bool:
    """Whether a token has a letter or a digit; without one it is punctuation."""
    return any(sign.isalnum() for sign in token)


def placed_words(stretch: Stretch) -> list[tuple[str, int]]:
    """The tokens between spaces that are words and begin in a stretch, with the places of their first characters."""
    found = re.finditer(r"\S+", stretch.text)
    inside = ((match[0], match.start()) for match in found if stretch.start <= match.start() < stretch.end)
    return [(token, start) for token, start in inside if is_word(token)]


def bare(token: str) -> str:
    """A word without the punctuation that hangs on it, as in running text (`(The`, `here.`)."""
    signs = [place for place, sign in enumerate(token) if sign.isalnum()]
    return token[signs[0] : signs[-1] + 1] if signs else token
