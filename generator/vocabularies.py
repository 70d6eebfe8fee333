"""The whole words of a model's vocabulary, from the files that tokenizers come as.

A *whole word* is one token with the tokenizer's mark for the start of a word: `Ġ` of byte-level BPE, `▁` of
SentencePiece, no `##` in WordPiece, `</w>` at its end in the older BPE.  A list without any such mark is a list of
words.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from generator.errors import DataError

BYTE_MARK, SENTENCE_PIECE_MARK, CONTINUATION, END_MARK = "Ġ", "▁", "##", "</w>"


@dataclass(frozen=True)
class Vocabulary:
    """Whole words; `initial` are those that may also stand first in a sentence, where a tokenizer sets no mark."""

    name: str
    words: frozenset[str]
    initial: frozenset[str]
    is_lower: bool
    sha256: str

    def has(self, word: str, first: bool = False) -> bool:
        """Whether a word is one token; `first`: at the start of a sentence."""
        shown = word.lower() if self.is_lower else word
        return shown in self.words or (first and shown in self.initial)


@dataclass(frozen=True)
class _Tokens:
    """What a file says: its tokens, and whether they are of small letters where it says that (else None)."""

    tokens: tuple[str, ...]
    is_lower: bool | None = None
    continuation: str = CONTINUATION

    @cached_property
    def mark(self) -> str:
        """The mark that tells whole words, by what most tokens with a mark have; empty of a list of words."""
        counts = {
            BYTE_MARK: sum(token.startswith(BYTE_MARK) and len(token) > 1 for token in self.tokens),
            SENTENCE_PIECE_MARK: sum(token.startswith(SENTENCE_PIECE_MARK) and len(token) > 1 for token in self.tokens),
            self.continuation: sum(token.startswith(self.continuation) and token != "###" for token in self.tokens),
            END_MARK: sum(token.endswith(END_MARK) for token in self.tokens),
        }
        best = max(counts, key=lambda mark: counts[mark])
        return best if counts[best] else ""


def read_vocabulary(path: Path) -> Vocabulary:
    """Read `tokenizer.json`, `vocab.json`, `vocab.txt`, a SentencePiece `.vocab` or a word a line.

    Raises DataError with the file, and the line where there is one.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read the vocabulary '{path}': {(error.strerror or str(error)).lower()}") from error
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(f"{path}:{line}: not UTF-8: byte 0x{data[error.start]:02x}; save the file as UTF-8") from error
    if not text.strip():
        raise DataError(f"the vocabulary '{path}' is empty: expected a token or a word a line, or a tokenizer.json")
    found = _from_json(path, text) if path.suffix == ".json" or text.lstrip()[:1] == "{" else _from_lines(text)
    words, initial = _whole_words(found)
    is_lower = found.is_lower
    if is_lower is None:  # a list in small letters is that of a tokenizer that makes letters small
        is_lower = not any(word != word.lower() for word in words if word.isalpha())
    return Vocabulary(str(path), words, initial, is_lower, hashlib.sha256(data).hexdigest())


def _from_lines(text: str) -> _Tokens:
    # The list of a SentencePiece model has its scores behind a tab, a frequency list its counts.
    return _Tokens(tuple(line.split("\t")[0].strip() for line in text.split("\n") if line.strip()))


def _from_json(path: Path, text: str) -> _Tokens:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    if isinstance(data, list) and all(isinstance(token, str) for token in data):
        return _Tokens(tuple(data))
    if isinstance(data, dict) and data and all(isinstance(number, int) for number in data.values()):
        return _Tokens(tuple(data))
    model = data.get("model") if isinstance(data, dict) else None
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, dict):
        tokens: tuple[str, ...] = tuple(vocabulary)
    elif isinstance(vocabulary, list) and all(isinstance(row, list) and row for row in vocabulary):
        tokens = tuple(str(row[0]) for row in vocabulary)
    else:
        raise DataError(
            f"'{path}' is no vocabulary: expected the tokenizer.json of the library 'tokenizers' (with model.vocab), "
            "an object from tokens to numbers, or a list of tokens"
        )
    assert isinstance(model, dict)
    continuation = str(model.get("continuing_subword_prefix") or CONTINUATION)
    return _Tokens(tokens, _lowers(data.get("normalizer")), continuation)


def _lowers(normalizer: Any) -> bool:
    """Whether a tokenizer makes letters small before it looks them up."""
    if not isinstance(normalizer, dict):
        return False
    if normalizer.get("type") == "Sequence":
        return any(_lowers(part) for part in normalizer.get("normalizers", ()))
    return normalizer.get("type") == "Lowercase" or bool(normalizer.get("lowercase"))


def _whole_words(found: _Tokens) -> tuple[frozenset[str], frozenset[str]]:
    """The whole words, and those of them or without their mark that may stand first in a sentence."""
    mark, tokens = found.mark, found.tokens
    if mark == END_MARK:
        words = frozenset(token.removesuffix(mark) for token in tokens if token.endswith(mark))
        return words, frozenset()
    if mark == found.continuation:
        return frozenset(token for token in tokens if not token.startswith(mark)), frozenset()
    if not mark:  # a list of words says nothing of the capital at the start of a sentence
        return frozenset(tokens), frozenset(token[:1].upper() + token[1:] for token in tokens)
    marked = [token.removeprefix(mark) for token in tokens if token.startswith(mark)]
    bare = [token for token in tokens if not token.startswith(mark)]
    if mark == BYTE_MARK:
        return frozenset(_decoded(marked)), frozenset(_decoded(bare))
    return frozenset(marked), frozenset(bare)


def _byte_table() -> dict[str, int]:
    """The characters that stand for bytes in byte-level BPE (Radford et al. 2019)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    table = {chr(byte): byte for byte in plain}
    table.update({chr(256 + place): byte for place, byte in enumerate(others)})
    return table


def _decoded(tokens: Iterable[str]) -> Iterable[str]:
    table = _byte_table()
    for token in tokens:
        try:
            yield bytes(table[character] for character in token).decode("utf-8")
        except (KeyError, UnicodeDecodeError):  # a special token, or part of a character: no word
            continue
