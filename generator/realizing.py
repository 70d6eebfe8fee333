"""Words -> sentence: articles, spacing, capitals, contractions, and where each region lies.

Text styles (see docs/item-format.md): `tokens` as written in the grammar; `ptb` Penn tokens with a capital first
letter and clitics apart; `prose` as printed in a book.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

from generator.trees import SentenceTree

Style = Literal["tokens", "ptb", "prose"]
STYLES: tuple[Style, ...] = ("tokens", "ptb", "prose")


@dataclass(frozen=True)
class Token:
    """A word before spacing; `glued`: no space before it in the grammar; `category`: of a word from the lists."""

    text: str
    glued: bool = False
    category: str = ""


@dataclass(frozen=True)
class Stretch:
    """A named run of tokens: `start` included, `end` not."""

    name: str
    start: int
    end: int
    is_contrast: bool = False


@dataclass(frozen=True)
class Region:
    """A named stretch of the text: character offsets, `start` included, `end` not."""

    name: str
    start: int
    end: int
    is_contrast: bool = False


@dataclass(frozen=True)
class PennWord:
    """A Penn token and the words it comes from: `sources` (several where they are glued) and which `part` of the
    first it is (0 but for clitics and marks that are cut off; `is_cut`: it has been cut at all).

    `text` is the token in the style `ptb`, `form` in `prose`, where `space_before` says what stands before it.
    `is_fused`: the next word has fused with it.
    """

    sources: tuple[int, ...]
    part: int
    is_cut: bool
    text: str
    form: str
    space_before: bool
    is_fused: bool = False


@dataclass(frozen=True)
class Sentence:
    """A realised member; its tree where one was asked for."""

    text: str
    tokens: tuple[str, ...]
    regions: tuple[Region, ...]
    tree: SentenceTree | None = None


class Realizer:
    """Realises sentences of one language."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self.rules = rules
        self._article = lru_cache(maxsize=65536)(self._article_uncached)
        self._cut = lru_cache(maxsize=65536)(self._cut_uncached)

    # --- articles -----------------------------------------------------------------------------------------------

    @cached_property
    def _article_words(self) -> frozenset[str]:
        return frozenset(self.rules.get("article", {}).get("words", ()))

    def with_articles(self, tokens: Sequence[Token]) -> list[Token]:
        """`a` and `an` as the next word asks for."""
        result = list(tokens)
        for index, token in enumerate(result[:-1]):
            if token.text.lower() in self._article_words and not result[index + 1].glued:
                right = self.article(result[index + 1].text)
                if token.text[:1].isupper():
                    right = right[0].upper() + right[1:]
                result[index] = Token(right, token.glued)
        return result

    def article(self, word: str) -> str:
        """The indefinite article before a word."""
        return self._article(word)

    def _article_uncached(self, word: str) -> str:
        rules = self.rules["article"]
        bare = word.lstrip("\"'“‘(")
        lower = bare.lower()
        letters = re.match(r"[^\W\d_]+", bare)
        if letters and len(letters.group()) > 1 and letters.group().isupper() and bare not in rules["spoken_as_words"]:
            return str(rules["vowel"] if bare[0] in rules["vowel_initials"] else rules["consonant"])
        if letters and len(letters.group()) == 1 and not bare[1:2].isalpha():
            # A letter by its name: an X-ray, a U-turn, an F.
            return str(rules["vowel"] if bare[0].upper() in rules["vowel_initials"] else rules["consonant"])
        if _fits_any(lower, rules["vowel_words"]):
            return str(rules["vowel"])
        if _fits_any(lower, rules["consonant_words"]):
            return str(rules["consonant"])
        return str(rules["vowel"] if lower[:1] in tuple(rules["vowel_letters"]) else rules["consonant"])

    # --- variants and fusions -----------------------------------------------------------------------------------

    def adapted(self, tokens: Sequence[Token]) -> list[Token]:
        """Articles, variants (`v` before `vlaku` is `ve`) and fusions (`von dem` is `vom`) as the words ask for."""
        result = self.with_articles(tokens)
        if not self._variants and not self.rules.get("fusions"):
            return result
        for index, token in enumerate(result[:-1]):
            following = result[index + 1]
            rule = None if following.glued else self.variant(token.text.lower(), following.text.lower())
            if rule is not None:
                result[index] = replace(token, text=_like(token.text, rule["becomes"]))
                result[index + 1] = replace(following, glued=bool(rule.get("joined")))
        fusions = self.rules.get("fusions", {})
        for index, token in enumerate(result[:-1]):
            following = result[index + 1]
            whole = fusions.get(f"{token.text} {following.text}".lower())
            # The relative pronoun stays: *das Haus , in dem ...*.
            if whole and not following.glued and following.category in ("", *self.rules.get("fusing", ())):
                result[index] = replace(token, text=_like(token.text, whole))
                result[index + 1] = replace(following, text="", glued=True)
        return result

    def variant(self, word: str, following: str) -> Mapping[str, Any] | None:
        """The rule for a word before another one (both in small letters), if there is one."""
        for rule in self._variants.get(word, ()):
            if _fits_any(following, rule["before"]) and not _fits_any(following, rule.get("unless", ())):
                return rule
        return None

    @cached_property
    def _variants(self) -> Mapping[str, list[Mapping[str, Any]]]:
        found: dict[str, list[Mapping[str, Any]]] = {}
        for rule in self.rules.get("variants", ()):
            for word in rule["words"]:
                found.setdefault(word, []).append(rule)
        return found

    def seen_before(self, word: str) -> tuple[object, ...]:
        """What the words before it see of a word: its article and the variants that it asks for."""
        article = self.article(word) if "article" in self.rules else ""
        lower = word.lower()
        rules = (self.variant(before, lower) for before in self._variants)
        return (article, *((rule["becomes"], bool(rule.get("joined"))) if rule else None for rule in rules))

    @cached_property
    def named_words(self) -> frozenset[str]:
        """Every word that a rule is about, in small letters; patterns of words that may follow one are not."""
        return frozenset(word.lower() for text in _texts(self.rules) for word in text.split())

    # --- styles -------------------------------------------------------------------------------------------------

    @cached_property
    def _split(self) -> re.Pattern[str]:
        clitics = sorted(self.rules.get("clitics", ()), key=len, reverse=True)
        options = "|".join(re.escape(clitic) for clitic in clitics)
        return re.compile(rf"(?P<word>.+?)(?P<clitic>{options})$", re.IGNORECASE) if options else re.compile(r"(?!)")

    @cached_property
    def _clitics(self) -> frozenset[str]:
        return frozenset(clitic.lower() for clitic in self.rules.get("clitics", ()))

    def penn(self, token: Token) -> list[Token]:
        """A token cut as the Penn Treebank cuts it: clitics and final punctuation apart."""
        parts = self._cut(token.text)
        if len(parts) == 1:
            return [token]
        return [Token(parts[0], token.glued), *(Token(part, True) for part in parts[1:])]

    def _cut_uncached(self, text: str) -> tuple[str, ...]:
        cut = re.fullmatch(r"(.*\w)([.,?!;:]+)", text)
        if cut and not re.fullmatch(r"(?:\w\.)+|Mr\.|Mrs\.|Dr\.|Ms\.|St\.", text):
            return (*self._cut(cut.group(1)), cut.group(2))
        match = self._split.fullmatch(text)
        if match and re.search(r"\w", match.group("word")):
            return (match.group("word"), match.group("clitic"))
        return (text,)

    def realize(self, tokens: Sequence[Token], stretches: Sequence[Stretch], style: Style) -> Sentence:
        """A member in a style, with the character offsets of its stretches."""
        chosen = self.adapted(tokens)
        parts = [[token] for token in chosen] if style == "tokens" else self._penn_parts(chosen)
        flat = [(index, piece) for index, pieces in enumerate(parts) for piece in pieces if piece.text]
        shown = [piece.text for _, piece in flat]
        before = self._spaces(flat, style)
        if style == "prose":
            self._contract(shown, before)
            quotes = self.rules.get("quotes", {})
            shown = [quotes.get(text, text) for text in shown]
        text = ""
        starts: dict[int, int] = {}
        ends: dict[int, int] = {}
        for (index, _), word, space in zip(flat, shown, before, strict=True):
            text += (" " if space and text else "") + word
            starts.setdefault(index, len(text) - len(word))
            ends[index] = len(text)
        for index in range(len(parts)):  # a word that has fused with the one before it
            ends.setdefault(index, ends.get(index - 1, 0))
            starts.setdefault(index, ends[index])
        regions = tuple(
            Region(s.name, starts[s.start], ends[s.end - 1], s.is_contrast)
            if s.end > s.start
            else Region(s.name, at := (ends[s.start - 1] if s.start else 0), at, s.is_contrast)
            for s in stretches
        )
        return Sentence(text, tuple(text.split(" ")) if style != "prose" else tuple(shown), regions)

    def _penn_parts(self, tokens: Sequence[Token]) -> list[list[Token]]:
        """The Penn tokens of each word, the first letter of the sentence a capital."""
        parts = [self.penn(token) for token in tokens]
        for pieces in parts:
            for number, piece in enumerate(pieces):
                if re.search(r"\w", piece.text):
                    pieces[number] = Token(capitalized(piece.text), piece.glued)
                    return parts
        return parts

    def penn_words(self, tokens: Sequence[Token]) -> tuple[PennWord, ...]:
        """A member as Penn tokens: the tokens of the style `ptb`, and how the style `prose` shows each."""
        chosen = self.adapted(tokens)
        parts = self._penn_parts(chosen)
        flat = [(index, piece) for index, pieces in enumerate(parts) for piece in pieces if piece.text]
        numbers = [number for pieces in parts for number, piece in enumerate(pieces) if piece.text]
        shown = [piece.text for _, piece in flat]
        before = self._spaces(flat, "prose")
        self._contract(shown, before)
        quotes = self.rules.get("quotes", {})
        words: list[PennWord] = []
        apart = self._spaces(flat, "ptb")
        for position, (index, piece) in enumerate(flat):
            form = quotes.get(shown[position], shown[position])
            if words and not apart[position]:
                last = words[-1]
                words[-1] = replace(
                    last, sources=(*last.sources, index), text=last.text + piece.text, form=last.form + form
                )
                continue
            following = index + 1 < len(chosen) and not chosen[index + 1].text and bool(tokens[index + 1].text)
            is_cut = len(parts[index]) > 1
            space = before[position] and position > 0
            words.append(PennWord((index,), numbers[position], is_cut, piece.text, form, space, following))
        return tuple(words)

    def _spaces(self, flat: Sequence[tuple[int, Token]], style: Style) -> list[bool]:
        """Whether a space stands before each piece."""
        if style == "tokens":
            return [not piece.glued for _, piece in flat]
        closers, openers = self.rules.get("no_space_before", ()), self.rules.get("no_space_after", ())
        spaces = []
        for position, (_, piece) in enumerate(flat):
            is_clitic = piece.text.lower() in self._clitics
            previous = flat[position - 1][1].text if position else ""
            if style == "ptb":
                after_mark = bool(previous) and _is_mark(previous)
                spaces.append(not piece.glued or is_clitic or after_mark or _is_mark(piece.text))
                continue
            closing = piece.text in closers or is_clitic
            spaces.append(not (piece.glued or closing or (position > 0 and previous in openers)))
        return spaces

    def _contract(self, shown: list[str], before: list[bool]) -> None:
        """`will n't` -> `won't`, in place; the second part keeps its length, so that regions stay apart."""
        table = self.rules.get("contractions", {})
        for index in range(len(shown) - 1):
            whole = table.get(f"{shown[index]} {shown[index + 1]}".lower())
            if whole:
                head = whole[: len(whole) - len(shown[index + 1])]
                shown[index] = capitalized(head) if shown[index][:1].isupper() else head
                before[index + 1] = False


_PATTERNS = frozenset(
    ["before", "unless", "vowel_words", "consonant_words", "spoken_as_words", "vowel_initials", "vowel_letters"]
)


def _texts(rules: object) -> Iterator[str]:
    """Every text in a table of rules, keys included, but for patterns."""
    if isinstance(rules, str):
        yield rules
    elif isinstance(rules, Mapping):
        for key, value in rules.items():
            yield key
            if key not in _PATTERNS:
                yield from _texts(value)
    elif isinstance(rules, Sequence):
        for value in rules:
            yield from _texts(value)


def _is_mark(text: str) -> bool:
    """Whether a token has neither letters nor digits."""
    return not text.isalnum() and not re.search(r"\w", text)


def _fits_any(word: str, patterns: Sequence[str]) -> bool:
    return _joined(tuple(patterns)).match(word) is not None


@lru_cache(maxsize=1024)
def _joined(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Shell patterns as one regular expression."""
    return re.compile("|".join(map(fnmatch.translate, patterns)) or "(?!)")


def _like(model: str, word: str) -> str:
    """A word with a capital first letter where the model has one."""
    return capitalized(word) if model[:1].isupper() else word


def capitalized(text: str) -> str:
    """A word at the start of a sentence: its first letter or digit is a capital."""
    for position, character in enumerate(text):
        if character.isalnum():
            return text[:position] + character.upper() + text[position + 1 :]
    return text
