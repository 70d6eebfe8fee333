"""Where items stand: by their ids, by the texts of their members, by their sentences with a mask."""

from __future__ import annotations

import os
from collections.abc import Sequence

from scorers.errors import nearest
from scorers.items import Item

Slot = tuple[int, int]
"""A member of an item: the item's place, the condition's place."""

_GOOD = frozenset({"good", "acceptable", "correct", "grammatical", "true", "sentence_good", "right"})
_BAD = frozenset({"bad", "starred", "wrong", "ungrammatical", "false", "sentence_bad", "unacceptable"})


def normalise(text: str) -> str:
    """A sentence without what files differ in: spaces, the case of the first letter, a final `<eos>`."""
    words = text.split()
    if words and words[-1] == "<eos>":
        words.pop()
    joined = " ".join(words)
    return joined[:1].lower() + joined[1:]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, normalise(text))).lower()


def same_sentences(items: Sequence[Item], slots: Sequence[Slot]) -> bool:
    """Whether the items of these slots have the same members: then whatever is said of one holds for all."""
    found = {frozenset((normalise(c.text), c.acceptable) for c in items[place].conditions) for place, _ in slots}
    return len(found) == 1


class ItemIndex:
    """Finds items and their members."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.by_id: dict[str, list[int]] = {}
        self._exact: dict[str, list[Slot]] = {}
        self._normal: dict[str, list[Slot]] = {}
        self._short: dict[str, list[int]] | None = None
        self._stems: dict[str, str] = {}
        for place, item in enumerate(items):
            self.by_id.setdefault(item.id, []).append(place)
            for number, condition in enumerate(item.conditions):
                self._exact.setdefault(condition.text, []).append((place, number))
                self._normal.setdefault(normalise(condition.text), []).append((place, number))

    def by_text(self, text: str) -> tuple[str, Sequence[Slot]]:
        """The members with this text, exactly, else as `normalise` has it; with the key under which they stand."""
        if found := self._exact.get(text):
            return "=" + text, found
        key = normalise(text)
        return "~" + key, self._normal.get(key, ())

    def by_texts(self, texts: Sequence[str]) -> tuple[str, Sequence[Slot]]:
        """The members that have one of these texts, and the key under which they stand."""
        found = [self.by_text(text) for text in texts]
        found = [(key, slots) for key, slots in found if slots]
        if len(found) == 1:
            return found[0]
        keys = "\n".join(key for key, _ in found)
        return keys, list(dict.fromkeys(slot for _, slots in found for slot in slots))

    def lacking(self, place: int, item_id: str, condition: str) -> str:
        """The message for a row whose condition an item lacks, or that says none of several."""
        names = [found.name for found in self.items[place].conditions]
        wanted = f"no condition '{condition}'" if condition else "several conditions"
        return f"'{item_id}' has {wanted} (it has {', '.join(names)}){nearest(condition, names)}"

    def is_another(self, text: str, known: str) -> bool:
        """Whether a row's text is another sentence than the one that its id names: that of another item, or one with
        less than half of its words.  How words are cut and written (*did n't*, *didn't*) makes no difference.
        """
        if not text or text == known or normalise(text) == normalise(known) or _letters(text) == _letters(known):
            return False
        if self.by_text(text)[1]:
            return True
        said, there = ({_letters(word) for word in each.split()} - {""} for each in (text, known))
        return 2 * len(said & there) < max(len(said), len(there))

    def item_places(self, item_id: str, file: str = "") -> Sequence[int]:
        """The items of that id; `17` is also found as `SUITE:17` where one item alone has it so, or the file is called
        after the suite, and `SUITE:ID` as `ID` where the items' own ids name no suite.
        """
        if found := self.by_id.get(item_id) or self.by_id.get(item_id.partition(":")[2], []):
            return found
        if ":" not in item_id and (found := self.by_id.get(f"{self._stem(file)}:{item_id}", [])):
            return found
        if self._short is None:
            self._short = {}
            for place, item in enumerate(self.items):
                self._short.setdefault(item.id.rpartition(":")[2], []).append(place)
        found = self._short.get(item_id, [])
        return found if len(found) == 1 else ()

    def _stem(self, file: str) -> str:
        """A file's name without folder and ending."""
        if file not in self._stems:
            self._stems[file] = os.path.splitext(os.path.basename(file))[0]
        return self._stems[file]

    def pair_slot(self, item_id: str, condition: str) -> Slot | None:
        """The member that a pair's id (`ITEM.2`, its second pair) and `good` or `bad` name."""
        base, _, number = item_id.rpartition(".")
        places = self.by_id.get(base, ()) if number.isdecimal() else ()
        if len(places) != 1 or not 0 < int(number) <= len(self.items[places[0]].pairs):
            return None
        pair = self.items[places[0]].pairs[int(number) - 1]
        if condition.lower() in _GOOD:
            return places[0], pair.good
        return (places[0], pair.bad) if condition.lower() in _BAD else None

    def condition_place(self, place: int, condition: str, text: str) -> int:
        """The condition of an item by its name, by what it is (`good`, `bad`), by its text; -1 where none is."""
        conditions = self.items[place].conditions
        for number, found in enumerate(conditions):
            if condition and found.name == condition:
                return number
        if condition.lower() in _GOOD | _BAD:
            wanted = condition.lower() in _GOOD
            fitting = [number for number, found in enumerate(conditions) if found.acceptable is wanted]
            return fitting[0] if len(fitting) == 1 else -1
        if condition:
            return -1
        if text:
            key = normalise(text)
            for number, found in enumerate(conditions):
                if normalise(found.text) == key:
                    return number
            return -1
        return 0 if len(conditions) == 1 else -1


class MaskIndex:
    """Finds items by a sentence in which the mask was replaced, whatever its case and its spaces before punctuation."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.places = [place for place, item in enumerate(items) if item.mask is not None]
        self._frames = {place: self._make_frame(place) for place in self.places}
        self._by_frame: dict[tuple[str, str], list[int]] = {}
        for place, frame in self._frames.items():
            self._by_frame.setdefault(frame, []).append(place)

    def _make_frame(self, place: int) -> tuple[str, str]:
        """The sentence before and behind the mask, normalised."""
        item = self.items[place]
        assert item.mask is not None
        before, _, behind = item.conditions[0].text.partition(item.mask.token)
        return " ".join(_tokens(before)).lower(), " ".join(_tokens(behind)).lower()

    def word(self, place: int, text: str) -> str | None:
        """What stands in the place of the item's mask; None where the rest of the sentence is another.

        A piece that was written together with the word before it is given as `##piece`.
        """
        before, behind = self._frames[place]
        whole = " ".join(_tokens(text))
        folded = whole.lower()
        if len(folded) != len(whole):  # there are letters that change their length
            folded = "".join(small if len(small := sign.lower()) == 1 else sign for sign in whole)
        if len(whole) < len(before) + len(behind) or not folded.startswith(before) or not folded.endswith(behind):
            return None
        rest = whole[len(before) : len(whole) - len(behind)]
        if behind and rest and not rest.endswith(" "):
            return None
        if before and rest.strip() and not rest.startswith(" "):
            return f"##{rest.strip()}"
        return rest.strip()

    def by_text(self, text: str) -> tuple[str, Sequence[int]]:
        """The word and the items whose mask it replaces: one word is tried first, then none or several, then a piece
        that was written together with the word before it.
        """
        words = _tokens(text)
        small = [word.lower() for word in words]
        starts = [" ".join(small[:count]) for count in range(len(words) + 1)]
        ends = [" ".join(small[count:]) for count in range(len(words) + 1)]
        for size in (1, *(size for size in range(len(words) + 1) if size != 1)):
            for first in range(len(words) - size + 1):
                found = self._by_frame.get((starts[first], ends[first + size]))
                if found:
                    return " ".join(words[first : first + size]), found
        for place, word in enumerate(small):
            for cut in range(1, len(word)):
                found = self._by_frame.get((f"{starts[place]} {word[:cut]}".lstrip(), ends[place + 1]))
                if found:
                    return f"##{words[place][cut:]}", found
        return "", ()


def _tokens(text: str) -> list[str]:
    """The words of a sentence, without a final `<eos>`; what closes it stands apart, as in a book or not."""
    words = text.split()
    if words and words[-1] == "<eos>":
        words.pop()
    if words and len(words[-1]) > 1 and words[-1][-1] in ".?!":
        words[-1:] = [words[-1][:-1], words[-1][-1]]
    return words
