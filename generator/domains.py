"""What can stand in a mention: classes, filters, and the forms that fit a place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from generator.features import COLUMN, FeatureSystem
from generator.lexicon import Analysis, LexicalEntry, Lexicon

Literal = tuple[str, str, str, bool]
"""A resolved feature: (kind, feature, value, negative); kind is flag, value, word or text."""


@dataclass(frozen=True)
class Member:
    """A word of a class, with those of its readings that the class allows.

    `free`: the word was chosen by the user's own list, so lexical filters no longer apply to it.
    """

    entry: LexicalEntry
    analyses: tuple[Analysis, ...]
    free: bool = False


@dataclass(frozen=True, eq=False)
class WordClass:
    """A slot, category or table of text: its members, in written order."""

    name: str
    members: tuple[Member, ...]
    categories: tuple[str, ...]
    is_table: bool = False

    @property
    def is_open(self) -> bool:
        """Whether any of its words is of an open category, so that draws from it differ."""
        return any(member.entry.is_open for member in self.members)

    @cached_property
    def labels(self) -> frozenset[str]:
        """A table's own column labels."""
        names = {name for m in self.members for a in m.analyses for name, _ in a.features}
        return frozenset(name.removeprefix(COLUMN) for name in names if name.startswith(COLUMN))

    @cached_property
    def by_lemma(self) -> Mapping[str, tuple[Member, ...]]:
        """The members of each lemma as written in sentences, in order."""
        found: dict[str, list[Member]] = {}
        for member in self.members:
            found.setdefault(_plain(member.entry.lemma), []).append(member)
        return {lemma: tuple(members) for lemma, members in found.items()}

    @cached_property
    def names(self) -> frozenset[str]:
        """Lemmas (as in sentences) and forms: what a word may be called by."""
        return frozenset(self.by_lemma).union(analysis.text for m in self.members for analysis in m.analyses)


@dataclass(frozen=True)
class Request:
    """What a mention asks of a form, all variables known.

    `cells` are (bundle cell, features it must agree in; empty: all that the word carries).  `asked` are (feature,
    values) that a governing word asks for, `passed` cells that hold for readings which agree (those of the governing
    word).  `wrong`: of these requests, the first that gives a form which is not right here either.
    """

    literals: tuple[Literal, ...] = ()
    cells: tuple[tuple[int, frozenset[str]], ...] = ()
    column: str = ""
    asked: tuple[tuple[str, frozenset[str]], ...] = ()
    passed: tuple[tuple[int, frozenset[str]], ...] = ()
    wrong: tuple[Request, ...] = ()

    @property
    def says_nothing(self) -> bool:
        """Whether a later mention with it just repeats the word."""
        return not (self.literals or self.cells or self.column or self.asked or self.wrong)


@dataclass(frozen=True)
class Reading:
    """A form that fits: its text and the readings behind it."""

    text: str
    analyses: tuple[Analysis, ...]


class FormFinder:
    """Finds the forms of words that fit requests, for one lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.system: FeatureSystem = lexicon.system

    def filtered(self, members: Iterable[Member], literals: Sequence[Literal]) -> tuple[Member, ...]:
        """The members that pass literal features; a form feature narrows their readings.

        A word is meant by its lemma; only where none has that lemma, by a form.
        """
        found = tuple(members)
        exact = literals
        if any(literal[0] == "word" for literal in literals):
            lemmas = {_plain(member.entry.lemma) for member in found}
            exact = [
                ("lemma", feature, value, negative) if kind == "word" and _plain(value) in lemmas else literal
                for literal in literals
                for kind, feature, value, negative in [literal]
            ]
        return tuple(kept for member in found if (kept := self._filter(member, exact)) is not None)

    def selected(self, word_class: WordClass, literals: Sequence[Literal]) -> tuple[Member, ...]:
        """As `filtered`, of the members of a class."""
        named = [(value, negative) for kind, _, value, negative in literals if kind == "word"]
        members: Sequence[Member] = word_class.members
        if len(named) == 1 and not named[0][1]:  # a word that is asked for by its lemma is looked up
            members = word_class.by_lemma.get(_plain(named[0][0]), members)
        return self.filtered(members, literals)

    def _filter(self, member: Member, literals: Sequence[Literal]) -> Member | None:
        analyses = member.analyses
        if not literals:
            return member if analyses else None
        entry = member.entry
        words = [literal for literal in literals if literal[0] in _BY_WORD and not literal[3]]
        if words and not any(_is_word(entry, analyses, kind, value) for kind, _, value, _ in words):
            return None
        for kind, feature, value, negative in literals:
            if kind in _BY_WORD:
                if negative and _is_word(entry, analyses, kind, value):
                    return None
            elif kind == "flag":
                known = "guessed_word" not in entry.flags and not member.free
                if known and (feature in entry.flags) == negative:
                    return None
            elif kind == "text":
                # That a word must lack a particle or preposition is a lexical matter, which a judged one is not asked.
                if (feature in entry.columns) == negative and not (negative and "guessed_word" in entry.flags):
                    return None
            elif feature in self.system.bundle:
                analyses = tuple(self._narrow(analyses, feature, value, negative))
            elif feature in entry.form_features:
                analyses = tuple(a for a in analyses if (a.get(feature) == value) != negative)
            elif feature in entry.values:
                if not member.free and (value in entry.values[feature]) == negative:
                    return None
            elif feature.startswith(COLUMN):
                return None
            # A word that lacks the feature fits every value of it; with `-` it has nothing to exclude.
        if analyses is member.analyses:
            return member if analyses else None
        return Member(entry, analyses, member.free) if analyses else None

    def _narrow(self, analyses: Iterable[Analysis], feature: str, value: str, negative: bool) -> Iterator[Analysis]:
        wanted = self.system.mask_of(feature, value)
        wanted = self.system.full & ~wanted if negative else wanted
        for analysis in analyses:
            if analysis.agreeing and analysis.mask & wanted:
                yield _with_mask(analysis, analysis.mask & wanted)

    def usual(self, member: Member, literals: Sequence[Literal], asked: frozenset[str] = frozenset()) -> Member:
        """Narrowed to the category's usual form (adjectives: positive) where the mention says nothing else."""
        declaration = self.lexicon.categories.get(member.entry.category)
        if declaration is None or not declaration.usual:
            return member
        stated = {feature for kind, feature, _, _ in literals if kind == "value"} | asked
        for feature, value in declaration.usual.items():
            if feature not in stated:
                kept = tuple(a for a in member.analyses if a.get(feature) in (None, value))
                member = replace(member, analyses=kept or member.analyses)
        return member

    def readings(self, member: Member, request: Request) -> list[Reading]:
        """The distinct forms of a word that fit a request, in the order of the word list."""
        kept = self._filter(member, request.literals)
        if kept is None:
            return []
        kept = self.usual(kept, request.literals, frozenset(feature for feature, _ in request.asked))
        if request.column:
            text = kept.entry.columns.get(request.column, "")
            return [Reading(text, kept.analyses)] if text else []
        return _by_text(self._agreeing(kept.analyses, request))

    def _agreeing(self, analyses: Iterable[Analysis], request: Request) -> Iterator[Analysis]:
        literal = frozenset(feature for kind, feature, _, _ in request.literals if kind == "value")
        for analysis in analyses:
            if request.asked and any(analysis.get(feature) not in values for feature, values in request.asked):
                continue
            mask = analysis.mask
            for cell, features in request.passed if analysis.agreeing else ():
                mask &= self.system.same_in(cell, features or analysis.carries)
            if analysis.agreeing and not mask:
                continue
            for cell, features in request.cells:
                if not analysis.agreeing:
                    mask = 0
                    break
                equated = features or (analysis.carries - literal if literal else analysis.carries)
                mask &= self.system.same_in(cell, equated)
            if mask or not request.cells:
                yield _with_mask(analysis, mask)

    def _keeps(self, analysis: Analysis, anchor: Reading, stated: set[str]) -> bool:
        """Whether a form agrees as the anchor does in every feature of the bundle that a mention does not state."""
        kept = analysis.carries - stated
        masks = [a.mask for a in anchor.analyses if a.agreeing]
        cells = [cell for cell in range(len(self.system.cells)) if any(mask >> cell & 1 for mask in masks)]
        return not masks or any(analysis.mask & self.system.same_in(cell, kept) for cell in cells)

    def changed(self, member: Member, anchor: Reading, request: Request) -> list[Reading]:
        """The forms of a later mention of the same word: what the request changes, the rest kept from `anchor`."""
        if request.says_nothing:
            return [anchor]
        if request.wrong:
            return self._wrong(member, anchor, request)
        is_whole = member.analyses is member.entry.analyses
        whole = member if is_whole else Member(member.entry, member.entry.analyses, member.free)
        kept = self._filter(whole, request.literals)
        if kept is None:
            return []
        if request.column:
            return self.readings(whole, request)
        stated = {feature for kind, feature, _, _ in request.literals if kind == "value"}
        for feature, values in request.asked:
            # A form that still meets what is asked stays (*is leaving* against *are leaving*, not *are left*).
            if not any(a.get(feature) in values for a in anchor.analyses):
                stated.add(feature)
        names = member.entry.form_features - stated
        kept_values = {name: {a.get(name) for a in anchor.analyses} - {None} for name in names}
        result = []
        for analysis in self._agreeing(kept.analyses, request):
            if any(values and analysis.get(name) not in {None, *values} for name, values in kept_values.items()):
                continue
            agrees_anew = bool(request.cells or request.passed)
            if not agrees_anew and analysis.agreeing and not self._keeps(analysis, anchor, stated):
                continue
            result.append(analysis)
        return _by_text(result)

    def _wrong(self, member: Member, anchor: Reading, request: Request) -> list[Reading]:
        right = {reading.text for reading in self.changed(member, anchor, replace(request, wrong=()))}
        for option in request.wrong:
            found = [reading for reading in self.changed(member, anchor, option) if reading.text not in right]
            if found:
                return found[:1]
        return []


def _by_text(analyses: Iterable[Analysis]) -> list[Reading]:
    grouped: dict[str, list[Analysis]] = {}
    for analysis in analyses:
        grouped.setdefault(analysis.text, []).append(analysis)
    return [Reading(text, tuple(found)) for text, found in grouped.items()]


def _with_mask(analysis: Analysis, mask: int) -> Analysis:
    if mask == analysis.mask:
        return analysis
    return Analysis(analysis.text, mask, analysis.agreeing, analysis.carries, analysis.features)


_BY_WORD = ("word", "lemma")


def _plain(lemma: str) -> str:
    return lemma.replace("_", " ")


def _is_word(entry: LexicalEntry, analyses: Sequence[Analysis], kind: str, word: str) -> bool:
    """Whether a word is meant: by its lemma, or (kind `word`) by a form as well."""
    if kind == "lemma":
        return _plain(entry.lemma) == _plain(word)
    return word in {entry.lemma, _plain(entry.lemma), *(analysis.text for analysis in analyses)}


def table_entry(
    system: FeatureSystem, table: str, number: int, cells: Sequence[tuple[Mapping[str, str], str]], lemma: str
) -> LexicalEntry:
    """A table's row as an entry: each cell a form that its column's labels describe."""
    analyses = []
    for features, text in cells:
        bundle = {name: frozenset([value]) for name, value in features.items() if name in system.bundle}
        others = tuple((name, value) for name, value in features.items() if name not in system.bundle)
        analyses.append(Analysis(text, system.mask(bundle), True, frozenset(bundle), others))
    return LexicalEntry(f"table {table}", lemma or str(number), tuple(analyses))
