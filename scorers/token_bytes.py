"""Tokens that are written as bytes -> the characters of a sentence that they stand for.

GPT-2 and its like (Radford et al. 2019, `bytes_to_unicode`) write each byte as a character: printable ones as they are,
a space as `Ġ`, the two bytes of `é` as `Ã©`.  SentencePiece writes bytes that no piece has as `<0xC3>`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Span = tuple[int, int]
"""Characters of a sentence: the first, and the one behind the last."""

_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS = (byte for byte in range(0x100) if byte not in _PRINTABLE)
_BYTES = {chr(byte): byte for byte in _PRINTABLE} | {chr(0x100 + n): byte for n, byte in enumerate(_OTHERS)}
"""The byte that each character of GPT-2's spelling stands for."""

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SPECIAL = re.compile(r"<s>|</s>|<bos>|<eos>|<pad>|<\|[^|\s]*\|>|\[(CLS|SEP|PAD|BOS|EOS)\]")


def is_special(token: str) -> bool:
    """Whether a token stands for no words: the beginning or the end of a text (`<s>`, `<|endoftext|>`, `[CLS]`)."""
    return _SPECIAL.fullmatch(token) is not None


def fold(text: str) -> str:
    """A text in small letters, letter by letter: those whose small form has another length keep their own."""
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def byte_spans(text: str, tokens: Sequence[str]) -> list[Span | None] | None:
    """The characters of each token of a sentence that is written as bytes, without spaces around them; None for a token
    of no other character (a space, `<s>`).

    A token that is a part of a character stands for that character.  None for all where the tokens are not written so,
    or decoded are not the sentence (spaces and case aside).
    """
    if any(_BYTE_PIECE.fullmatch(token) for token in tokens):
        return _placed(text, [_of_pieces(token) for token in tokens])
    # Without such a letter, bytes are spelt as the text itself is: tokens are found as they stand.
    if any(letter in _BYTES and letter > "~" and letter not in "ĠĊ" for token in tokens for letter in token):
        pieces = [_of_gpt2(token) for token in tokens]
        known = [piece for piece in pieces if piece is not None]
        return _placed(text, known) if len(known) == len(pieces) else None
    return None


def _of_pieces(token: str) -> bytes:
    """The bytes of a token of SentencePiece."""
    found = _BYTE_PIECE.fullmatch(token)
    if found is not None:
        return bytes([int(found.group(1), 16)])
    return b"" if is_special(token) else token.replace("▁", " ").encode("utf-8", "replace")


def _of_gpt2(token: str) -> bytes | None:
    """The bytes of a token in GPT-2's spelling; None where it is in none."""
    if is_special(token):
        return b""
    found = [_BYTES.get(letter) for letter in token]
    known = [byte for byte in found if byte is not None]
    return bytes(known) if len(known) == len(found) else None


def _placed(text: str, pieces: Sequence[bytes]) -> list[Span | None] | None:
    """The characters that stretches of the sentence's bytes stand for; None where they are not the sentence's bytes."""
    try:
        decoded = b"".join(pieces).decode()
    except UnicodeDecodeError:
        return None
    letters = [place for place, letter in enumerate(text) if not letter.isspace()]
    if fold("".join(decoded.split())) != fold("".join(text.split())):
        return None
    left = iter(letters)
    places = [place for char in decoded for place in [-1 if char.isspace() else next(left)] * len(char.encode())]
    spans: list[Span | None] = []
    at = 0
    for piece in pieces:
        covered = [place for place in places[at : at + len(piece)] if place >= 0]
        spans.append((covered[0], covered[-1] + 1) if covered else None)
        at += len(piece)
    return spans
