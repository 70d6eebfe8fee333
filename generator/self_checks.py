"""What is checked in every item of a run, so that no defect of a set goes unseen.

The defects are those that published sets have: pairs whose members are the same, repeated sentences, sentences that
are acceptable in one place and starred in another, pairs of unequal length, doubled words, *a* for *an*, and words
that a model's tokenizer cuts.  Sentences are compared in small letters; words are what spaces separate.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import Any

from generator.items import Condition, Item
from generator.realizing import Realizer, Token
from generator.repeats import HELD, Repeat, Side, find_repeats
from generator.shapes import Shape, shape_of
from generator.vocabularies import Vocabulary

CHECKS = {
    "identical_members": ("item has", "items have", "an acceptable and a starred member that are the same"),
    "repeated_acceptable": ("acceptable sentence repeats", "acceptable sentences repeat", "an earlier one"),
    "repeated_starred": ("starred sentence repeats", "starred sentences repeat", "an earlier one"),
    "acceptable_and_starred": ("sentence is", "sentences are", "acceptable in one place and starred in another"),
    "unequal_length": ("pair has", "pairs have", "members of unequal length in words"),
    "doubled_word": ("sentence has", "sentences have", "a word twice in a row"),
    "wrong_article": ("sentence has", "sentences have", "an article that does not fit the next word"),
    "outside_vocabulary": ("word is", "words are", "outside the vocabulary's whole words"),
}
"""Every check, in order: how one and several findings are said."""

SHOWN = 10
"""How many words outside a vocabulary are named."""

_CLOSING = ".,?!;:)\"'”’…"
_MARKS = _CLOSING + "(“‘"


@dataclass(frozen=True)
class Finding:
    """What a check found: how often, and the first item that has it (`like`: the item before it that has the same)."""

    check: str
    count: int
    item: str
    text: str
    like: str = ""
    words: tuple[str, ...] = ()
    items: int = 0

    def line(self) -> str:
        """The finding as a sentence."""
        one, several, what = CHECKS[self.check]
        said = f"{self.count:,} {one if self.count == 1 else several} {what}"
        if self.words:
            more = " ..." if self.count > len(self.words) else ""
            return f"{said}, in {self.items:,} item{'' if self.items == 1 else 's'}: {', '.join(self.words)}{more}"
        like = f" (as in {self.like})" if self.like and self.like != self.item else ""
        return f"{said}, first in {self.item}{like}: {self.text}"

    def as_json(self) -> dict[str, Any]:
        """The finding as a JSON object."""
        row: dict[str, Any] = {"count": self.count, "first": self.item, "text": self.text}
        if self.like:
            row["like"] = self.like
        if self.words:
            row |= {"words": list(self.words), "items": self.items}
        return row


@dataclass
class _Count:
    """A count with its first item: its id and sentence, or (`number`) where to look for it."""

    count: int = 0
    item: str = ""
    text: str = ""
    number: int = -1

    def add(self, name: str, text: str) -> None:
        if not self.count:
            self.item, self.text = name, text
        self.count += 1


@dataclass
class _Words:
    missing: dict[str, None] = field(default_factory=dict)
    items: int = 0
    item: str = ""
    text: str = ""


class SelfCheck:
    """Looks at every item of a run over one grammar in one flavour.  Memory is bounded."""

    def __init__(
        self,
        realisation: Mapping[str, Any],
        style_is_prose: bool = False,
        vocabulary: Vocabulary | None = None,
        held: int = HELD,
    ) -> None:
        self._realizer = Realizer(realisation)
        self._is_prose = style_is_prose
        self._clitics = {clitic.lower() for clitic in realisation.get("clitics", ())}
        articles = "|".join(map(re.escape, realisation.get("article", {}).get("words", ())))
        self._article = re.compile(rf"(?:^|(?<=[ \"'“‘(]))({articles}) ([^ ]+)", re.IGNORECASE) if articles else None
        self._vocabulary = vocabulary
        self._known: dict[tuple[str, bool], bool] = {}
        self._counts = {name: _Count() for name in CHECKS}
        self._words = _Words()
        self._sides = {True: Side(held), False: Side(held)}
        self.items = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The checks that are made: of words outside a vocabulary only where one was given."""
        return tuple(name for name in CHECKS if name != "outside_vocabulary" or self._vocabulary is not None)

    def add(self, item: Item) -> None:
        """Look at the next item."""
        shape = shape_of(item)
        if self._vocabulary is not None:
            looked = [self._look_up(item, c, shape.mask, self._vocabulary) for c in item.conditions]
            self._words.items += any(looked)
        self.add_texts(shape, item.number, [condition.text for condition in item.conditions], item.id)

    def add_texts(self, shape: Shape, number: int, texts: Sequence[str], name: str = "") -> None:
        """Look at the next item by its shape, its number and the texts of its members: all checks but the vocabulary.

        `name` is its id where that is not shape and number.
        """
        place = self.items
        self.items += 1
        good: list[str] = []
        bad: list[str] = []
        for text, acceptable in zip(texts, shape.acceptable, strict=True):
            small = text.casefold()
            side = acceptable is not False
            self._sides[side].add(small, place)
            (good if side else bad).append(small)
            words = small.split(" ")
            if any(map(eq, words, words[1:])) and _doubled(words):
                self._counts["doubled_word"].add(name or f"{shape.stem}{number}", text)
            if self._article is not None and self._has_wrong_article(text, shape.mask):
                self._counts["wrong_article"].add(name or f"{shape.stem}{number}", text)
        for text, small in zip(texts, map(str.casefold, texts), strict=True) if not set(good).isdisjoint(bad) else ():
            if small in good and small in bad:
                self._counts["identical_members"].add(name or f"{shape.stem}{number}", text)
                break
        for one, two in shape.pairs:
            if texts[one].count(" ") != texts[two].count(" "):
                self._counts["unequal_length"].add(name or f"{shape.stem}{number}", f"{texts[one]} / {texts[two]}")

    def pass_over(self, items: int, unequal: int = 0) -> None:
        """Count items that are known to have no finding but (`unequal`) so many pairs of unequal length."""
        found = self._counts["unequal_length"]
        if unequal and not found.count:
            found.number = self.items
        found.count += unequal
        self.items += items

    def _has_wrong_article(self, text: str, mask: str) -> bool:
        assert self._article is not None
        for found in self._article.finditer(text):
            written, following = found.group(1).lower(), found.group(2)
            bare = following.rstrip(_CLOSING)
            if following != mask and any(map(str.isalnum, bare)) and self._realizer.article(bare) != written:
                return True
        return False

    def _look_up(self, item: Item, condition: Condition, mask: str, vocabulary: Vocabulary) -> bool:
        missing = False
        for place, word in enumerate(self._whole_words(condition.sentence.tokens, mask)):
            key = (word, place == 0)
            known = self._known.get(key)
            if known is None:
                known = self._known[key] = any(vocabulary.has(part, place == 0) for part in (word, self._stem(word)))
            if not known:
                missing = True
                if word not in self._words.missing:
                    if not self._words.missing:
                        self._words.item, self._words.text = item.id, condition.text
                    self._words.missing[word] = None
        return missing

    def _whole_words(self, tokens: tuple[str, ...], mask: str) -> Iterator[str]:
        """The words to look up, without marks and the mask.  In prose a clitic stands in its word, else by itself."""
        word = ""
        for token in tokens:
            if token.lower() in self._clitics:
                if self._is_prose and word:
                    word += token
                continue
            if word:
                yield word
            bare = token.strip(_MARKS)
            word = bare if token != mask and any(map(str.isalnum, bare)) else ""
        if word:
            yield word

    def _stem(self, word: str) -> str:
        """A word without its clitic: tokenizers that have no *Laura's* may have *Laura*."""
        return self._realizer.penn(Token(word))[0].text

    def findings(self, recall: Callable[[int], Item]) -> tuple[Finding, ...]:
        """What was found, in the order of `CHECKS`.  `recall` makes the item of a number (from 0) in the run again."""
        repeats = find_repeats(self._sides[True], self._sides[False])
        for side in self._sides.values():
            side.close()
        found = []
        for name, count in self._counts.items():
            if name == "outside_vocabulary" and self._words.missing:
                words = tuple(self._words.missing)
                found.append(
                    Finding(name, len(words), self._words.item, self._words.text, "", words[:SHOWN], self._words.items)
                )
            elif count.count:
                found.append(Finding(name, count.count, *_first(count, recall)))
            elif name == "repeated_acceptable" and repeats.acceptable.count:
                found.append(_repeated(name, repeats.acceptable, recall, (True,)))
            elif name == "repeated_starred" and repeats.starred.count:
                found.append(_repeated(name, repeats.starred, recall, (False,)))
            elif name == "acceptable_and_starred" and repeats.both.count:
                found.append(_repeated(name, repeats.both, recall, (True, False)))
        return tuple(found)


def _unequal_pairs(item: Item) -> list[str]:
    return [f"{good.text} / {bad.text}" for _, good, bad in item.pairs if good.text.count(" ") != bad.text.count(" ")]


def _first(count: _Count, recall: Callable[[int], Item]) -> tuple[str, str]:
    """The id and sentences of the first item: of one that was passed over, it is made now."""
    if count.item:
        return count.item, count.text
    for number in itertools.count(count.number):
        item = recall(number)
        pairs = _unequal_pairs(item)
        if pairs:
            return item.id, pairs[0]
    raise AssertionError("an item that was counted is found again")


def _doubled(words: list[str]) -> bool:
    return any(a == b and any(map(str.isalnum, a)) for a, b in itertools.pairwise(words))


def _repeated(name: str, repeat: Repeat, recall: Callable[[int], Item], sides: tuple[bool, ...]) -> Finding:
    """The finding of a repeated sentence: both items are made again, which gives their ids and the sentence."""
    item, earlier = recall(repeat.item), recall(repeat.earlier)
    text = _shared(item, earlier, sides)
    return Finding(name, repeat.count, item.id, text, earlier.id)


def _shared(item: Item, earlier: Item, sides: tuple[bool, ...]) -> str:
    """The sentence that two items share: on one side, or on either side of the other."""
    for side in sides:
        ours = {c.text.casefold(): c.text for c in item.conditions if (c.acceptable is not False) == side}
        other = side if len(sides) == 1 else not side
        theirs = [c.text.casefold() for c in earlier.conditions if (c.acceptable is not False) == other]
        if item.id == earlier.id and len(sides) == 1:
            theirs = [text for place, text in enumerate(theirs) if text in theirs[:place]]
        shared = [text for text in theirs if text in ours]
        if shared:
            return ours[shared[0]]
    raise AssertionError(f"{item.id} and {earlier.id} share a sentence")
