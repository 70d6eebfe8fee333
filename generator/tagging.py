"""Words -> tags: a drawn word's form by the language's tag table, a literal word by looking it up in the lists."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from generator.errors import DataError
from generator.lexicon import Analysis, LexicalEntry, Lexicon
from generator.tag_checks import LEMMA
from generator.tag_tables import Feats, TagRow, TagTable, WordTag, sorted_feats

_NUMBER = re.compile(r"\d+([.,:/-]\d+)*")


@dataclass(frozen=True)
class Tagged:
    """A word with its tags.  `category` and `features` are those of the word lists."""

    lemma: str
    category: str
    tag: str
    upos: str
    feats: Feats = ()
    features: Feats = ()


@dataclass(frozen=True)
class TaggedWords:
    """A drawn form: its words, and which of them is the lexeme's own (*take* of *take over*)."""

    words: tuple[Tagged, ...]
    main: int = 0


class Tagger:
    """Tags the words of one language.  Raises DataError where its schema has no tag table.

    `canonical`: what a word as realised stands for (`Normalizer.canonical`).
    """

    def __init__(self, lexicon: Lexicon, canonical: Mapping[str, tuple[str, ...]]) -> None:
        if lexicon.tagging is None:
            raise DataError(
                f"the word lists of language '{lexicon.language}' have no tag table: their schema.json needs 'tagging' "
                "for trees (docs/language.md, 'Tags')"
            )
        self.lexicon = lexicon
        self.table: TagTable = lexicon.tagging
        self.canonical = canonical
        self._literals: dict[str, Tagged] = {}
        self._columns = frozenset(name for c in lexicon.categories.values() for name in c.text_columns)

    # --- drawn words --------------------------------------------------------------------------------------------

    def drawn(
        self, entry: LexicalEntry, analyses: Sequence[Analysis], words: Sequence[str], column: str = ""
    ) -> TaggedWords:
        """A drawn form, whose text is `words`.  `column`: it is the text of that text column, no form.

        Quoted words and rows of tables are in no list themselves: they are looked up as literal words are.
        """
        found = None
        if entry.category in self.table.rows:
            found = self._row(entry, analyses, len(words), column if column in self._columns else "")
        if found is None or not words:
            return TaggedWords(tuple(self.literal(word) for word in words))
        row, kept = found
        own = self._own(entry, kept, row)
        parts = entry.lemma.split("_")
        lemmas = parts if len(parts) == len(words) else [own.lemma] * len(words)
        if row.is_another_word:
            lemmas = list(words)
        if len(row.tags) == 1:
            return self._by_lemma(entry, own, words, lemmas)
        tagged: list[Tagged] = []
        for number, (word, upos) in enumerate(zip(words, row.upos, strict=True)):
            tag = self._tag(entry, kept, row.tags[number])
            itself = replace(own, lemma=lemmas[number]) if number == row.main else self.literal(word)
            tagged.append(replace(itself, tag=tag, upos=upos, feats=itself.feats if itself.upos == upos else ()))
        return TaggedWords(tuple(tagged), row.main)

    def _by_lemma(self, entry: LexicalEntry, own: Tagged, words: Sequence[str], lemmas: Sequence[str]) -> TaggedWords:
        """A form whose row has one tag: of several words, those of closed categories keep what they are themselves.

        The first word of an open category's form is the lexeme's own in any case; a name is one all through.
        """
        tagged: list[Tagged] = []
        for number, (word, lemma) in enumerate(zip(words, lemmas, strict=True)):
            itself = self._closed.get(word.lower()) if len(words) > 1 and own.upos != "PROPN" else None
            if itself is None or (entry.is_open and number == 0):
                tagged.append(replace(own, lemma=lemma))
            else:
                tagged.append(self._listed(*itself))
        main = next((number for number, each in enumerate(tagged) if each.category == own.category), 0)
        return TaggedWords(tuple(tagged), main)

    def _own(self, entry: LexicalEntry, kept: Sequence[Analysis], row: TagRow) -> Tagged:
        """A lexeme's own tags in a row."""
        found: dict[str, str] = {}
        for feature in row.shows:
            value = "|".join(self._values(entry, kept, feature))
            found.update(self.table.values[feature].get(value, ()))
        found.update(row.feats)
        tag, upos = self._tag(entry, kept, row.tags[row.main]), row.upos[row.main]
        lemma = entry.lemma.split("_")[0]
        names = dict.fromkeys([*self.lexicon.system.bundle, *sorted(entry.form_features), *sorted(entry.values)])
        values = {name: self._values(entry, kept, name) for name in names}
        features = tuple((name, value[0]) for name, value in values.items() if len(value) == 1)
        return Tagged(lemma, entry.category, tag, upos, sorted_feats(found), features)

    def _tag(self, entry: LexicalEntry, kept: Sequence[Analysis], tag: str) -> str:
        """A row's tag with its `{feature}`s filled in."""
        return re.sub(r"\{(.*?)\}", lambda match: self._letter(entry, kept, match.group(1)), tag)

    def _letter(self, entry: LexicalEntry, kept: Sequence[Analysis], feature: str) -> str:
        """What stands for a feature in a tag: `-` where the word has none, X for several values without a letter."""
        values = self._values(entry, kept, feature)
        return self.table.letters[feature].get("|".join(values), "X") if values else "-"

    def _row(
        self, entry: LexicalEntry, analyses: Sequence[Analysis], words: int, column: str
    ) -> tuple[TagRow, list[Analysis]] | None:
        """The first row that some reading fits, and the readings that fit it, narrowed to what it asks."""
        for row in self.table.rows[entry.category]:
            if row.column != column or len(row.tags) not in (1, words):
                continue
            kept = [narrowed for a in analyses if (narrowed := self._narrowed(entry, a, row)) is not None]
            if kept:
                return row, kept
        return None

    def _narrowed(self, entry: LexicalEntry, analysis: Analysis, row: TagRow) -> Analysis | None:
        system = self.lexicon.system
        mask = analysis.mask
        for feature, wanted in row.when.items():
            if feature == LEMMA:
                fits = entry.lemma in wanted
            elif system.declarations[feature].kind == "flag":
                fits = ("yes" if feature in entry.flags else "no") in wanted
            elif feature in system.bundle and analysis.agreeing and feature in analysis.carries:
                mask &= system.mask({feature: frozenset(wanted)})
                fits = mask != 0
            else:
                fits = bool(set(wanted) & set(self._values(entry, [analysis], feature)))
            if not fits:
                return None
        return replace(analysis, mask=mask)

    def _values(self, entry: LexicalEntry, analyses: Sequence[Analysis], feature: str) -> list[str]:
        """The values that a feature has in some reading, else for the word itself, in declared order."""
        system = self.lexicon.system
        if system.declarations[feature].kind == "flag":
            return ["yes"] if feature in entry.flags else []
        if feature in system.bundle:
            carrying = [a for a in analyses if a.agreeing and feature in a.carries]
            found = [v for v in system.values(feature) if any(a.mask & system.mask_of(feature, v) for a in carrying)]
        else:
            stated = {a.get(feature) for a in analyses}
            found = [v for v in system.values(feature) if v in stated]
        own = entry.values.get(feature, frozenset())
        return found or [value for value in system.values(feature) if value in own]

    # --- literal words ------------------------------------------------------------------------------------------

    def literal(self, text: str) -> Tagged:
        """A word of the grammar's text, looked up: closed categories before open ones, as written before small."""
        if text not in self._literals:
            self._literals[text] = self._literal(text)
        return self._literals[text]

    def _literal(self, text: str) -> Tagged:
        lower = text.lower()
        if lower in self.table.words:
            return _word(self.table.words[lower], lower)
        if not re.search(r"\w", text):
            return self._mark(text)
        if _NUMBER.fullmatch(text):
            return _word(self.table.number, text)
        for form, table in ((text, self._exact), (lower, self._closed), (lower, self._small)):
            if form in table:
                return self._listed(*table[form])
        stands_for = self.canonical.get(lower, ())
        if len(stands_for) == 1 and stands_for[0] != lower:
            return self.literal(stands_for[0])
        if len(stands_for) > 1:
            return self.fused(stands_for[0])
        return _word(self.table.unknown, text)

    def known(self, text: str) -> Tagged | None:
        """A literal word that is not unknown."""
        found = self.literal(text)
        unknown = self.table.unknown
        return None if (found.category, found.tag, found.upos) == ("", unknown.tag, unknown.upos) else found

    def fused(self, first: str) -> Tagged:
        """Two words in one (*vom*), the first of which is `first`."""
        found = self.literal(first)
        if self.table.fused is None:
            return found
        return Tagged(found.lemma, found.category, self.table.fused.tag, self.table.fused.upos, self.table.fused.feats)

    def _mark(self, text: str) -> Tagged:
        is_symbol = any(unicodedata.category(character) in ("Sc", "Sm", "So") for character in text)
        return Tagged(text, "", self.table.marks.get(text, self.table.mark), "SYM" if is_symbol else "PUNCT")

    def _listed(self, entry: LexicalEntry, analyses: tuple[Analysis, ...]) -> Tagged:
        found = self._row(entry, analyses, 1, "")
        if found is None:  # the user's own table may have no row for this word
            return Tagged(entry.lemma, entry.category, self.table.unknown.tag, self.table.unknown.upos)
        return self._own(entry, found[1], found[0])

    @cached_property
    def _exact(self) -> Mapping[str, tuple[LexicalEntry, tuple[Analysis, ...]]]:
        """Form -> the first word that has it, closed categories first, and the readings of the form."""
        found: dict[str, tuple[LexicalEntry, tuple[Analysis, ...]]] = {}
        for is_open in (False, True):
            for name, category in self.lexicon.categories.items():
                if category.is_open == is_open:
                    for entry in self.lexicon.entries[name]:
                        for text in dict.fromkeys(a.text for a in entry.analyses):
                            readings = tuple(a for a in entry.analyses if a.text == text)
                            found.setdefault(text, (entry, readings))
        return found

    @cached_property
    def _small(self) -> Mapping[str, tuple[LexicalEntry, tuple[Analysis, ...]]]:
        """The same by forms in small letters."""
        found: dict[str, tuple[LexicalEntry, tuple[Analysis, ...]]] = {}
        for text, value in self._exact.items():
            found.setdefault(text.lower(), value)
        return found

    @cached_property
    def _closed(self) -> Mapping[str, tuple[LexicalEntry, tuple[Analysis, ...]]]:
        """The same of closed categories."""
        found: dict[str, tuple[LexicalEntry, tuple[Analysis, ...]]] = {}
        for text, value in self._exact.items():
            if not value[0].is_open:
                found.setdefault(text.lower(), value)
        return found


def _word(word: WordTag, text: str) -> Tagged:
    return Tagged(word.lemma or text, "", word.tag, word.upos, word.feats)
