"""Words that a user's files judge fit, for a corpus tag (`NN.csv`) or against a slot's own definition.

The judgement stands in the place of the lexicon's own: a judged word is no longer asked for lexical features or
arguments, only for its forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from generator.domains import Member
from generator.lexicon import Analysis, CategoryDeclaration, LexicalEntry, Lexicon
from generator.overlays import ListedWord

Lookup = Callable[[ListedWord, str, str], Sequence[LexicalEntry]]
"""The entries that a listed word may be, by category and form column; a guessed one where the lexicon has none."""


def judged_members(
    lexicon: Lexicon, category: CategoryDeclaration, lists: Mapping[str, Sequence[ListedWord]], lookup: Lookup
) -> Iterator[Member]:
    """The words of a category that `lists` (by corpus tag) judge fit, with the forms that they judge fit.

    A form whose tag no file judges is kept for each word that some file has; a word that no file has is out.
    """
    tags = {tag: form for tag, form in category.tags.items() if tag in lists}
    entries: dict[tuple[str, str], LexicalEntry] = {}
    legal: dict[str, set[tuple[str, str]]] = {form: set() for form in tags.values()}
    for tag, form in tags.items():
        for word in lists[tag]:
            for entry in lookup(word, category.name, form):
                entries[entry.key] = entry
                legal[form].add(entry.key)
    for key, entry in entries.items():
        barred = {
            id(analysis) for form in legal if key not in legal[form] for analysis in form_analyses(lexicon, entry, form)
        }
        kept = tuple(analysis for analysis in entry.analyses if id(analysis) not in barred)
        if kept:
            yield Member(unasked(entry, category), kept)


def unasked(entry: LexicalEntry, category: CategoryDeclaration) -> LexicalEntry:
    """An entry without what the lexicon says of its use: its flags.  Values (gender) and text columns stay."""
    return replace(entry, flags=category.flags | {"guessed_word"})


def overruled(listed: Sequence[Member], defined: Sequence[Member], lexicon: Lexicon) -> list[Member]:
    """The words of a slot's list; those that the slot's definition would not have are asked for nothing."""
    known = {id(member.entry) for member in defined}
    return [
        member
        if id(member.entry) in known or member.entry.category not in lexicon.categories
        else replace(member, entry=unasked(member.entry, lexicon.categories[member.entry.category]))
        for member in listed
    ]


def form_analyses(lexicon: Lexicon, entry: LexicalEntry, form: str) -> Iterator[Analysis]:
    """The readings that an entry has in a form column of its category."""
    system = lexicon.system
    masks = [
        (
            system.mask({name: values for name, values in reading.items() if name in system.bundle}),
            {(name, next(iter(values))) for name, values in reading.items() if name not in system.bundle},
        )
        for reading in lexicon.categories[entry.category].forms[form]
    ]
    for analysis in entry.analyses:
        if any(
            set(analysis.features) == others and (not analysis.mask or analysis.mask & mask) for mask, others in masks
        ):
            yield analysis
