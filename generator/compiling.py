"""Leaves compiled for bulk output: what a format writes for an item, cut at the item's words and its number.

A format is not written twice: an item is made with placeholders for words, the format's own `lines` are asked, and the
result is cut where the placeholders stand.  Words that realise alike are of one *kind*, and each combination of kinds
has one such `Frame`, made when it is first needed and tried on items before it is used.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from generator.errors import StarlingError
from generator.item_making import ItemMaker
from generator.items import Item
from generator.leaves import Leaf
from generator.planning import Plan, PlanTemplate
from generator.realizing import Realizer, Style, Token, capitalized
from generator.shapes import Shape, shape_of
from generator.strata import Entry

Lines = Callable[[Item], list[str]]
"""A format's lines of an item."""

Made = tuple[str, Shape | None, int]
"""The text of an item, its shape and its public number.  A number that a filter leaves empty has no shape."""

MEMBER = "\x01"  # stands in no sentence

_PLAIN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MARK = "qxz"
_NUMBER = 7040302010906
"""The number of an item with placeholders."""


@dataclass(frozen=True)
class Slot:
    """A place of a draw's word: the `place`-th of its different plain words; `capital`: at the start of a sentence."""

    draw: int
    place: int
    capital: bool = False


@dataclass(frozen=True)
class Frame:
    """What a format writes for items of one combination of kinds: constants, and what stands between them.

    `slots[i]` stands between `constants[i]` and `constants[i + 1]`; None is the item's number.
    """

    constants: tuple[str, ...]
    slots: tuple[Slot | None, ...]
    shape: Shape

    def text(self, words: Mapping[int, Sequence[str]], number: int) -> str:
        """The text of an item: for each draw its different plain words."""
        parts = [self.constants[0]]
        for slot, constant in zip(self.slots, self.constants[1:], strict=True):
            parts += [str(number) if slot is None else word_of(slot, words[slot.draw]), constant]
        return "".join(parts)


def word_of(slot: Slot, words: Sequence[str]) -> str:
    """The word that stands in a slot."""
    return capitalized(words[slot.place]) if slot.capital else words[slot.place]


@dataclass(frozen=True)
class Kind:
    """An entry as realisation sees it: words of equal `key` are written alike but for their plain `words`."""

    key: Hashable
    words: tuple[str, ...]


class _Mimic(Realizer):
    """Realises placeholders as the words that they stand for."""

    def __init__(self, real: Realizer) -> None:
        super().__init__(real.rules)
        self.real = real
        self.shown: Mapping[str, str] = {}

    def article(self, word: str) -> str:
        return self.real.article(self.shown.get(word, word))

    def variant(self, word: str, following: str) -> Mapping[str, Any] | None:
        return self.real.variant(word, self.shown.get(following, following).lower())


class Capitals(dict[str, str]):
    """Words at the start of a sentence, each worked out once."""

    def __missing__(self, word: str) -> str:
        self[word] = found = capitalized(word)
        return found


class Compiler:
    """Compiles leaves of a plan for a format and a style.

    `compares`: the format says something of how the members of a pair differ.  `mismatches` are frames that did not
    give what the format gives, which would be a mistake of this module: such items are made one by one.  With
    `says_members` the text of an item is its lines and then, each after a `MEMBER`, the texts of its members.
    """

    def __init__(
        self,
        plan: Plan,
        lines: Lines,
        compares: bool,
        style: Style,
        mask: str = "[MASK]",
        seed: int = 0,
        says_members: bool = False,
    ) -> None:
        self.plan = plan
        self.lines = lines
        self.compares = compares
        self.says_members = says_members
        self.maker = ItemMaker(plan, style, mask, seed, binds=False)
        self._prober = ItemMaker(plan, style, mask, seed, binds=False)
        self._mimic = self._prober.realizer = _Mimic(self.maker.realizer)
        self._tokens: dict[str, Hashable] = {}
        self._texts: dict[tuple[str | None, ...], Kind] = {}
        self._domains: dict[int, tuple[Sequence[Entry], frozenset[str]]] = {}
        self.capitals = Capitals()
        self.listed = 0  # rows that are kept in lists, over all leaves
        self.in_columns = 0  # texts that are kept in columns, over all leaves
        self.mismatches: list[str] = []

    def can_compile(self, leaf: Leaf) -> bool:
        """Whether items are alike where their words are: none is missing."""
        return not leaf.filters

    def alone(self, leaf: Leaf, template: PlanTemplate, number: int, words: dict[int, Entry]) -> tuple[str, Shape, int]:
        """One item (its number counts from 0), made by the format itself."""
        item = self.maker.item_of(template, number, leaf, words)
        return self._text(item), shape_of(item), number + 1

    def _text(self, item: Item) -> str:
        text = "".join([line + "\n" for line in self.lines(item)])
        return MEMBER.join([text, *(condition.text for condition in item.conditions)]) if self.says_members else text

    # --- kinds --------------------------------------------------------------------------------------------------

    def kind(self, leaf: Leaf, draw: int, entry: Entry) -> Kind:
        """The kind of an entry as a word of a draw."""
        found = self._texts.get(entry.texts)
        if found is None:
            found = self._texts[entry.texts] = self._texts_kind(entry.texts)
        versions = leaf.version_automaton
        attribute = versions.attribute(draw, entry) if versions is not None and draw in versions.draws else None
        return Kind((found.key, entry.member.entry.category, attribute), found.words)

    def _texts_kind(self, texts: tuple[str | None, ...]) -> Kind:
        seen: dict[str, int] = {}
        key: list[Hashable] = []
        for text in texts:
            if text is None:
                key.append(None)
                continue
            tokens: list[Hashable] = []
            for word in text.split():
                known = self._token(word)
                tokens.append(word if known is None else (known, seen.setdefault(word, len(seen))))
            key.append(tuple(tokens))
        if len({word.lower() for word in seen}) < len(seen):
            return Kind(texts, ())  # forms that differ in capitals only are shown as they are
        return Kind(tuple(key), tuple(seen))

    def _token(self, word: str) -> Hashable | None:
        """What others see of a plain word; None for a word that rules may be about."""
        if word not in self._tokens:
            realizer = self.maker.realizer
            token = Token(word)
            is_plain = (
                _PLAIN.fullmatch(word) is not None
                and unicodedata.is_normalized("NFC", word)
                and word.lower() not in realizer.named_words
                and realizer.penn(token) == [token]
            )
            self._tokens[word] = realizer.seen_before(word) if is_plain else None
        return self._tokens[word]

    # --- frames -------------------------------------------------------------------------------------------------

    def versions(self, leaf: Leaf, words: Mapping[int, Entry]) -> tuple[int, ...]:
        """The versions of items whose words are of the kinds of these."""
        return () if self.plan.flavour == "open" else leaf.valid_versions(words)

    def frame(self, leaf: Leaf, template: PlanTemplate, number: int, words: dict[int, Entry]) -> Frame | None:
        """The frame of items of a leaf whose words are of the kinds of these; None where there can be none.

        Where one starred version is chosen it is that of items with the version chosen for this number.
        """
        shown: dict[str, str] = {}
        slots: dict[str, Slot | None] = {str(_NUMBER): None}
        fakes: dict[int, Entry] = {}
        kinds = {draw: self.kind(leaf, draw, entry) for draw, entry in words.items()}
        for draw, entry in words.items():
            own = {word: _placeholder(draw, place) for place, word in enumerate(kinds[draw].words)}
            for place, (word, placeholder) in enumerate(own.items()):
                shown[placeholder] = word
                slots[placeholder] = Slot(draw, place)
                slots[capitalized(placeholder)] = Slot(draw, place, True)
            texts = (None if t is None else " ".join(own.get(word, word) for word in t.split()) for t in entry.texts)
            fakes[draw] = replace(entry, texts=tuple(texts))
        try:
            real, shape, _ = self.alone(leaf, template, number, words)
        except StarlingError:
            return None  # it is raised again where this item's turn comes
        self._mimic.shown = shown
        versions = self.maker.chosen(leaf, self.versions(leaf, words), template.name, number)
        item = self._prober.item_of(template, _NUMBER - 1, leaf, fakes, None, versions)
        if self.compares and not all(
            self._says_the_same(good.sentence.tokens, bad.sentence.tokens, slots, leaf) for _, good, bad in item.pairs
        ):
            return None
        text = self._text(item)
        pieces = re.split("(" + "|".join(map(re.escape, slots)) + ")", text)
        frame = Frame(tuple(pieces[::2]), tuple(slots[piece] for piece in pieces[1::2]), shape)
        if frame.text({draw: kind.words for draw, kind in kinds.items()}, number + 1) != real:
            self.mismatches.append(f"{template.name}:{number + 1}: {text}")
            return None
        return frame

    def _says_the_same(
        self, good: Sequence[str], bad: Sequence[str], slots: Mapping[str, Slot | None], leaf: Leaf
    ) -> bool:
        """Whether what a format says of how two members differ holds of all items of these kinds.

        Members of unequal length differ.  For others it matters whether words that stand at the same place in both, or
        what each has over the other, can coincide; but not where they differ at two places, or in a word, in any case.
        """
        if len(good) != len(bad):
            return True
        differing = [(a, b) for a, b in zip(good, bad, strict=True) if a != b]
        met = [self._can_meet(a, b, slots, leaf) for a, b in differing]
        rest = [word.lower() for word in bad]
        over = []
        for word in (word.lower() for word in good):
            if word in rest:
                rest.remove(word)
            else:
                over.append(word)
        can_be_one = [any(self._can_meet(a, b, slots, leaf) for b in rest) for a in over]
        return (not any(met) or met.count(False) > 1) and (not over or not all(can_be_one))

    def _can_meet(self, one: str, two: str, slots: Mapping[str, Slot | None], leaf: Leaf) -> bool:
        """Whether two different words of an item with placeholders can be equal, capitals apart, with words in them."""
        first, second = slots.get(one), slots.get(two)
        if first is not None and second is not None:
            if first.draw == second.draw:
                return first.place == second.place
            return not self._words_of(leaf, first).isdisjoint(self._words_of(leaf, second))
        if first is None and second is None:
            return _MARK in one.lower() or _MARK in two.lower()  # a word with something glued to it
        slot, word = (first, two) if first is not None else (second, one)
        assert slot is not None
        return _MARK in word.lower() or word.lower() in self._words_of(leaf, slot)

    def _words_of(self, leaf: Leaf, slot: Slot) -> frozenset[str]:
        """All words of a draw, in small letters."""
        domain = leaf.domains[slot.draw]
        known = self._domains.get(id(domain))
        if known is None:
            words = frozenset(w for entry in domain for text in entry.texts for w in (text or "").lower().split())
            known = self._domains[id(domain)] = (domain, words)
        return known[1]


def _placeholder(draw: int, place: int) -> str:
    """A word of small letters that stands in no language, and is no part of another placeholder."""
    digits = str.maketrans("0123456789", "abcdefghij")
    return f"{_MARK}{draw}w{place}zxq".translate(digits)
