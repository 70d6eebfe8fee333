"""Tokens that are written as bytes: where they stand in a sentence."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.items import Condition, Region
from scorers.measures import region_surprisals, token_spans
from scorers.predictions import TokenPrediction, Unit
from scorers.token_bytes import byte_spans

# The letter of each byte, of the package tokenizers 0.23.3 in an environment of its own:
#   pre = ByteLevel(add_prefix_space=False, use_regex=False)
#   for each character: zip(character.encode(), "".join(token for token, _ in pre.pre_tokenize_str(character)))
# The 13 bytes that no UTF-8 has are left as `?` (0xC0, 0xC1, 0xF5 to 0xFF).
SPELLING = (
    "\u0100\u0101\u0102\u0103\u0104\u0105\u0106\u0107\u0108\u0109\u010a\u010b\u010c\u010d\u010e\u010f"
    "\u0110\u0111\u0112\u0113\u0114\u0115\u0116\u0117\u0118\u0119\u011a\u011b\u011c\u011d\u011e\u011f"
    "\u0120!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\u0121"
    "\u0122\u0123\u0124\u0125\u0126\u0127\u0128\u0129\u012a\u012b\u012c\u012d\u012e\u012f\u0130\u0131"
    "\u0132\u0133\u0134\u0135\u0136\u0137\u0138\u0139\u013a\u013b\u013c\u013d\u013e\u013f\u0140\u0141\u0142"
    "\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\u0143\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7"
    "\xb8\xb9\xba\xbb\xbc\xbd\xbe\xbf??\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf"
    "\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xdb\xdc\xdd\xde\xdf\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7"
    "\xe8\xe9\xea\xeb\xec\xed\xee\xef\xf0\xf1\xf2\xf3\xf4???????????"
)


def spelt(text: str) -> str:
    """A text as GPT-2 writes its bytes."""
    return "".join(SPELLING[byte] for byte in text.encode())


def test_the_spelling_is_that_of_gpt_2() -> None:
    assert len(SPELLING) == 256
    # As the tokeniser of GPT-2 shows them.
    assert (spelt(" é"), spelt("\n"), spelt("–")) == ("ĠÃ©", "Ċ", "âĢĵ")


words = st.lists(st.text("abé ñß–€’日🙂Ġ©".replace(" ", ""), min_size=1, max_size=5), min_size=1, max_size=6)


@given(words, st.randoms(use_true_random=False))
def test_random_pieces_of_bytes_are_placed_exactly(words: list[str], draw: object) -> None:
    text = " ".join(words)
    encoded = text.encode()
    cuts = sorted({0, len(encoded), *(draw.randrange(len(encoded)) for _ in range(6))})  # type: ignore[attr-defined]
    stretches = list(pairwise(cuts))
    whole = spelt(text)
    tokens = ["<|endoftext|>", *(whole[start:end] for start, end in stretches), "<|endoftext|>"]
    # The oracle: a byte belongs to the character whose encoding it is in.
    owners = [place for place, letter in enumerate(text) for _ in letter.encode()]
    expected: list[tuple[int, int] | None] = []
    for start, end in stretches:
        places = [place for place in owners[start:end] if text[place] != " "]
        expected.append((places[0], places[-1] + 1) if places else None)
    assert token_spans(text, tokens) == [None, *expected, None]


@pytest.mark.parametrize(
    ("text", "tokens", "found"),
    [
        # GPT-2: a character in one token, in two, and over a space.
        ("a café – no .", ["a", "Ġcaf", "Ã©", "ĠâĢĵ", "Ġno", "Ġ."], ["a", "caf", "é", "–", "no", "."]),
        ("a café .", ["A", "Ġcaf", "Ã", "©", "Ġ", "."], ["a", "caf", "é", "é", None, "."]),
        # SentencePiece falls back on bytes; the mark of a space is a piece of its own.
        ("see 日 .", ["▁see", "▁", "<0xE6>", "<0x97>", "<0xA5>", "▁", "."], ["see", None, "日", "日", "日", None, "."]),
        ("<s> is é", ["<s>", "▁is", "▁", "<0xc3>", "<0xa9>"], ["<s>", "is", None, None, None]),
        # Letters of GPT-2's spelling that stand for themselves.
        ("naïve café", ["naïve", "café"], ["naïve", "café"]),
        ("il Ġurnata", ["il", "Ġurnata"], ["il", "Ġurnata"]),
        ("Ã© is odd", ["Ã©", "is", "odd"], ["Ã©", "is", "odd"]),
        # WordPiece, and marks of the beginning and the end beside a word that is not known.
        ("the wugs sit", ["[CLS]", "the", "[UNK]", "sit", "[SEP]"], [None, "the", "wugs", "sit", None]),
        ("wugs sit", ["<s>", "<unk>", "▁sit", "</s>"], [None, "wugs", "sit", None]),
        # A sentence that is cut off: what is there is found, the end stands for nothing.
        ("a cat sits", ["a", "Ġcat", "<|endoftext|>"], ["a", "cat", None]),
    ],
)
def test_spans(text: str, tokens: list[str], found: list[str | None]) -> None:
    assert [span and text[slice(*span)] for span in token_spans(text, tokens)] == found


def test_bytes_that_are_not_the_sentence_are_not_placed() -> None:
    assert byte_spans("a café .", ["a", "Ġcaf", "Ã¨", "Ġ."]) is None
    assert byte_spans("a café .", ["a", "Ġcaf", "Ã", "Ġ."]) is None
    assert byte_spans("a dog .", ["a", "Ġdog", "Ġ."]) is None


def test_regions_of_a_sentence_in_bytes() -> None:
    condition = Condition("c", "le café noir", True, (Region("noun", 3, 7), Region("adjective", 8, 12)))
    tokens = ("le", "Ġcaf", "Ã", "©", "Ġnoir")
    found = region_surprisals(condition, TokenPrediction(tokens, (1.0, 2.0, 4.0, 8.0, 16.0)), Unit("surprisal", "bits"))
    assert found.bits == {"noun": 14.0, "adjective": 16.0, "*": 31.0}
    assert (found.unplaced, found.straddling) == ((), ())
