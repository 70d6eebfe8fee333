"""Lexical entries: lexemes with their written-out forms and what each form fits."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from generator.features import FeatureSystem
from generator.source import Span
from generator.tag_tables import TagTable


@dataclass(frozen=True)
class Analysis:
    """One reading of a form: its text, the cells of the bundle it fits, and its other features.

    `agreeing` is false for forms without any of the bundle's features (base, -ing, participle): they never fill
    a `$n` mention.  `carries` names the bundle features that are stated, so that `$n` equates just those.
    """

    text: str
    mask: int
    agreeing: bool
    carries: frozenset[str] = frozenset()
    features: tuple[tuple[str, str], ...] = ()

    def get(self, feature: str) -> str | None:
        """The value of a feature outside the bundle, or None where the form has none."""
        for name, value in self.features:
            if name == feature:
                return value
        return None


@dataclass(frozen=True, eq=False)
class LexicalEntry:
    """A lexeme (a quoted word and a table's row are entries as well).  Compared by identity."""

    category: str
    lemma: str
    analyses: tuple[Analysis, ...]
    flags: frozenset[str] = frozenset()
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    guessed: tuple[str, ...] = ()
    span: Span | None = None
    is_open: bool = False

    @cached_property
    def key(self) -> tuple[str, str]:
        """What makes two draws the same word."""
        return (self.category, self.lemma)

    @cached_property
    def form_features(self) -> frozenset[str]:
        """The features outside the bundle that distinguish this entry's forms."""
        return frozenset(name for analysis in self.analyses for name, _ in analysis.features)


@dataclass(frozen=True)
class CategoryDeclaration:
    """A category as the schema declares it."""

    name: str
    file: str
    is_open: bool
    forms: Mapping[str, tuple[Mapping[str, frozenset[str]], ...]]
    text_columns: tuple[str, ...] = ()
    filter_columns: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    requires: str = ""
    usual: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()

    @property
    def header(self) -> tuple[str, ...]:
        """The columns of its word list."""
        return ("lemma", *self.forms, "features", *self.text_columns, *self.filter_columns)


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The words of a language."""

    language: str
    system: FeatureSystem
    categories: Mapping[str, CategoryDeclaration]
    entries: Mapping[str, tuple[LexicalEntry, ...]]
    realisation: Mapping[str, Any]
    digest: str
    tagging: TagTable | None = None

    @cached_property
    def by_form(self) -> Mapping[tuple[str, str], tuple[LexicalEntry, ...]]:
        """(category, text in lower case) -> entries with that lemma or form."""
        found: dict[tuple[str, str], dict[str, LexicalEntry]] = {}
        for category, entries in self.entries.items():
            for entry in entries:
                for text in {entry.lemma, *(a.text for a in entry.analyses)}:
                    found.setdefault((category, text.lower()), {})[entry.lemma] = entry
        return {key: tuple(value.values()) for key, value in found.items()}

    @cached_property
    def argument_features(self) -> frozenset[str]:
        """What the argument columns of the lexicon's words speak of: flags and values."""
        columns = {name for c in self.categories.values() for name in c.filter_columns}
        return frozenset(
            token.removeprefix("-")
            for entries in self.entries.values()
            for entry in entries
            for name, cell in entry.columns.items()
            if name in columns
            for token in cell.replace("|", " ").split()
        )

    @cached_property
    def tags(self) -> Mapping[str, tuple[str, str]]:
        """Corpus tag -> (category, form column or ''), e.g. NN -> (noun, sg)."""
        return {
            tag: (category.name, form) for category in self.categories.values() for tag, form in category.tags.items()
        }

    def make_entry(
        self,
        category: CategoryDeclaration,
        lemma: str,
        forms: Mapping[str, str],
        features: Iterable[str] = (),
        columns: Mapping[str, str] | None = None,
        guessed: tuple[str, ...] = (),
        span: Span | None = None,
    ) -> LexicalEntry:
        """Build an entry; `forms` maps form columns to texts (empty: no such form)."""
        return EntryBuilder(self.system, category).entry(lemma, forms, features, columns or {}, guessed, span)


_Fit = tuple[int, bool, frozenset[str], tuple[tuple[str, str], ...]]
"""What an analysis says beside its text: mask, agreeing, carries, features."""


@dataclass(frozen=True)
class _Said:
    """What the features of a row say: of its word, and of the readings of each form column."""

    flags: frozenset[str]
    values: Mapping[str, frozenset[str]]
    fits: Mapping[str, tuple[_Fit, ...]]


class EntryBuilder:
    """Builds entries of a category; rows of the same features share what these say."""

    def __init__(self, system: FeatureSystem, category: CategoryDeclaration) -> None:
        self._system = system
        self._category = category
        self._known: dict[tuple[str, ...], _Said] = {}

    def entry(
        self,
        lemma: str,
        forms: Mapping[str, str],
        features: Iterable[str],
        columns: Mapping[str, str],
        guessed: tuple[str, ...] = (),
        span: Span | None = None,
    ) -> LexicalEntry:
        """An entry from a row: lexical features join those of each form column, then the category's defaults."""
        tokens = tuple(features)
        said = self._known.get(tokens)
        if said is None:
            said = self._known[tokens] = self._said(tokens)
        analyses = tuple(
            [
                Analysis(text, mask, agrees, carries, others)
                for column, fits in said.fits.items()
                if (text := forms.get(column, ""))
                for mask, agrees, carries, others in fits
            ]
        )
        name, is_open = self._category.name, self._category.is_open
        return LexicalEntry(name, lemma, analyses, said.flags, said.values, dict(columns), guessed, span, is_open)

    def _said(self, tokens: Iterable[str]) -> _Said:
        system, category = self._system, self._category
        flags: set[str] = set(category.flags)
        values: dict[str, frozenset[str]] = {}
        for token in tokens:
            name, _, value = token.partition("=")
            if not value and name in system.bare:
                name, value = system.bare[name]
            if value:
                values[name] = frozenset(value.split("|"))
            else:
                flags.add(name)
        for name, value in category.defaults.items():
            values.setdefault(name, frozenset([value]))
        fits = {
            column: tuple(fit for reading in readings for fit in self._fits(reading, values))
            for column, readings in category.forms.items()
        }
        return _Said(frozenset(flags), values, fits)

    def _fits(self, reading: Mapping[str, frozenset[str]], values: Mapping[str, frozenset[str]]) -> Iterator[_Fit]:
        system, category = self._system, self._category
        own = {name: reading[name] for name in reading if name in system.bundle}
        lexical = {name: values[name] for name in values if name in system.bundle and name not in own}
        # A default (person 3 of nouns) only says what an agreeing form is; it makes no form agree.
        stated = [name for name in lexical if name not in category.defaults]
        agrees = bool(own) or bool(stated) or (bool(lexical) and not _has_agreeing_column(system, category))
        mask = system.mask({**own, **lexical}) if agrees else 0
        carries = frozenset([*own, *lexical]) if agrees else frozenset()
        # A reading that has several values of another feature (accusative or dative) is several readings.
        outside = [name for name in reading if name not in system.bundle]
        options = [[value for value in system.values(name) if value in reading[name]] for name in outside]
        for chosen in itertools.product(*options):
            yield mask, agrees, carries, tuple(zip(outside, chosen, strict=True))


def _has_agreeing_column(system: FeatureSystem, category: CategoryDeclaration) -> bool:
    return any(
        name in system.bundle for readings in category.forms.values() for reading in readings for name in reading
    )


def quoted_entry(
    system: FeatureSystem, text: str, features: Mapping[str, str], flags: Iterable[str] = (), span: Span | None = None
) -> LexicalEntry:
    """A quoted word: it agrees with everything that its own features do not exclude."""
    bundle = {name: frozenset([value]) for name, value in features.items() if name in system.bundle}
    others = {name: frozenset([value]) for name, value in features.items() if name not in system.bundle}
    analysis = Analysis(text, system.mask(bundle), True, frozenset(bundle))
    return LexicalEntry("", text, (analysis,), frozenset(flags), others, span=span)
