"""Items that were read -> the items of grammars that they are, with ids, templates, words and regions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from generator.errors import UsageError
from generator.item_making import ItemMaker
from generator.items import Condition, Flavour, Item
from generator.loading import Grammar
from generator.near_misses import NearMiss, NearMisses
from generator.normalizing import MASKS, Tokens
from generator.planning import Plan, plan
from generator.realizing import STYLES, Region, Sentence, Style
from generator.recognizing import Recognition, Recognizer


@dataclass(frozen=True)
class Identified:
    """What is known of an item that was read.

    `recognitions` are its analyses, in the order of the grammars.  `is_reversed`: the item says of its members that
    they are acceptable or starred, and the grammar says the contrary.  `misses` has, for an item without an analysis,
    why each of its sentences is none (None: it is one by itself).
    """

    item: Item
    recognitions: tuple[Recognition, ...] = ()
    is_reversed: bool = False
    misses: tuple[NearMiss | None, ...] = ()


class Identifier:
    """Identifies sentences, pairs and masked sentences in grammars, of any languages; `planner` makes their plans."""

    def __init__(
        self,
        grammars: Sequence[Grammar],
        masks: Sequence[str] = MASKS,
        planner: Callable[[Grammar, Flavour], Plan] = plan,
    ) -> None:
        self.grammars = tuple(grammars)
        self._planner = planner
        self.masks = tuple(masks)
        self._makers: dict[tuple[int, Style], ItemMaker] = {}
        self._misses: dict[Recognizer, NearMisses] = {}
        self._last_style: Style = "tokens"

    # --- recognising --------------------------------------------------------------------------------------------

    @cached_property
    def forced(self) -> tuple[Recognizer, ...]:
        """The recognisers of members, one a language."""
        return self._recognizers("forced")

    @cached_property
    def open(self) -> tuple[Recognizer, ...]:
        """The recognisers of masked sentences, one a language."""
        return self._recognizers("open")

    def _recognizers(self, flavour: Flavour) -> tuple[Recognizer, ...]:
        """Grammars without the flavour are left out.  Raises UsageError where none has it."""
        by_language: dict[str, list[Plan]] = {}
        reason = ""
        for grammar in self.grammars:
            try:
                found = self._planner(grammar, flavour)
            except UsageError as error:
                reason = str(error)
                continue
            by_language.setdefault(grammar.lexicon.digest, []).append(found)
        if not by_language:
            raise UsageError(reason)
        return tuple(Recognizer(plans) for plans in by_language.values())

    def identify(self, item: Item) -> Identified:
        """What an item that was read is."""
        texts = [condition.text for condition in item.conditions]
        masks = (item.mask.token, *self.masks) if item.mask is not None else self.masks
        is_open = any(mask in text for mask in masks for text in texts)
        recognizers = self.open if is_open else self.forced
        claims = [None if is_open else condition.acceptable for condition in item.conditions]
        misses: tuple[NearMiss | None, ...] = ()
        for recognizer in recognizers:
            sentences = [recognizer.normalizer.sentence(text, masks if is_open else ()) for text in texts]
            found = tuple(recognizer.members(sentences, claims))
            if found:
                return Identified(item, found)
            if any(claim is not None for claim in claims):
                contrary = tuple(recognizer.members(sentences, [c if c is None else not c for c in claims]))
                if contrary:
                    return Identified(item, contrary, is_reversed=True)
            here = tuple(self._miss(recognizer, sentence) for sentence in sentences)
            if not misses or _reach(here) > _reach(misses):
                misses = here
        return Identified(item, (), False, misses)

    def _miss(self, recognizer: Recognizer, sentence: Tokens) -> NearMiss | None:
        if next(recognizer.sentence(sentence), None) is not None:
            return None
        if recognizer not in self._misses:
            self._misses[recognizer] = NearMisses(recognizer)
        return self._misses[recognizer].near_miss(sentence)

    # --- items --------------------------------------------------------------------------------------------------

    def style(self, item: Item, recognition: Recognition) -> Style | None:
        """The text style in which an item is written, letter case aside; None where it is none of them."""
        return self._styled(item, recognition)[0]

    def _styled(self, item: Item, recognition: Recognition) -> tuple[Style | None, Item]:
        """The style, and the item of the analysis made in it (in `tokens` where it is none)."""
        for style in (self._last_style, *(s for s in STYLES if s != self._last_style)):
            made = self._made(recognition, style, item)
            if all(ours.text.casefold() == read.text.casefold() for ours, read in _matched(made, recognition, item)):
                self._last_style = style
                return style, made
        return None, self._made(recognition, "tokens", item)

    def known(self, identified: Identified) -> Item:
        """The item that an identified one is, by its first analysis.

        Id, template, words and regions are the grammar's, the texts are those that were read.
        """
        recognition = identified.recognitions[0]
        read = identified.item
        style, made = self._styled(read, recognition)
        texts = {id(ours): theirs.sentence for ours, theirs in _matched(made, recognition, read)}
        conditions = tuple(
            replace(condition, sentence=_as_read(condition.sentence, texts[id(condition)], style is not None))
            for condition in made.conditions
        )
        others = [self.id_of(other) for other in identified.recognitions[1:]]
        extra = {**read.extra, "read_as": read.id}
        others = [other for other in dict.fromkeys(others) if other != made.id]
        if others:
            extra["other_analyses"] = others
        if identified.is_reversed:
            extra["judged_otherwise"] = True
        return replace(made, conditions=conditions, extra=extra, line=read.line)

    def id_of(self, recognition: Recognition) -> str:
        """The id of an analysis' item."""
        mark = "open:" if recognition.plan.flavour == "open" else ""
        return f"{recognition.plan.grammar.paradigm}:{recognition.template.name}:{mark}{recognition.index + 1}"

    def made(self, identified: Identified, recognition: Recognition) -> Item:
        """The item of an analysis as the grammar makes it, with the members that were read."""
        return self._styled(identified.item, recognition)[1]

    def _made(self, recognition: Recognition, style: Style, item: Item) -> Item:
        key = (id(recognition.plan), style)
        if key not in self._makers:
            self._makers[key] = ItemMaker(recognition.plan, style)
        maker = self._makers[key]
        if recognition.plan.flavour == "open":
            texts = item.conditions[0].text
            known = (item.mask.token,) if item.mask is not None else self.masks
            maker.mask = next((mask for mask in known if mask in texts), maker.mask)
        return maker.item_of(
            recognition.template,
            recognition.index,
            recognition.leaf,
            recognition.words,
            set(recognition.versions),
            recognition.existing,
        )


def _reach(misses: Sequence[NearMiss | None]) -> int:
    """How near an item came: sentences that are known count most."""
    return sum(1000 if miss is None else len(miss.tokens) for miss in misses)


def _matched(made: Item, recognition: Recognition, read: Item) -> Iterator[tuple[Condition, Condition]]:
    """(condition of the grammar's item, condition that was read) for every member."""
    if recognition.plan.flavour == "open":
        yield made.conditions[0], read.conditions[0]
        return
    order = sorted(set(recognition.versions), key=lambda version: _place(recognition, version))
    for condition, version in zip(made.conditions, order, strict=True):
        yield condition, read.conditions[recognition.versions.index(version)]


def _place(recognition: Recognition, version: int) -> int:
    """Where a member stands in its item."""
    design = recognition.leaf.stratum.design
    if design is None:
        return version
    return design.good if version < 0 else version + (version >= design.good)


def _as_read(made: Sentence, read: Sentence, is_alike: bool) -> Sentence:
    """The text that was read with the regions of the grammar's; where only spaces differ, they move along.

    Where more differs (*won't* for *will n't*), the regions are left out: nothing says where they lie.
    """
    if is_alike:
        return Sentence(read.text, read.tokens, made.regions)
    ours, theirs = _letters(made.text), _letters(read.text)
    if len(ours) != len(theirs) or any(
        made.text[a].casefold() != read.text[b].casefold() for a, b in zip(ours, theirs, strict=True)
    ):
        return Sentence(read.text, read.tokens, ())
    starts = dict(zip(ours, theirs, strict=True))
    regions = []
    for region in made.regions:
        inside = [starts[at] for at in range(region.start, region.end) if at in starts]
        if inside:
            regions.append(Region(region.name, inside[0], inside[-1] + 1, region.is_contrast))
    return Sentence(read.text, read.tokens, tuple(regions))


def _letters(text: str) -> list[int]:
    return [place for place, character in enumerate(text) if character != " "]
