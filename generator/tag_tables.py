"""The tag table of a language: which category and form gets which tag, part of speech and Universal features.

It stands in the word lists' schema under `tagging` (docs/language.md).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Feats = tuple[tuple[str, str], ...]
"""Universal features: (name, value), in the order of CoNLL-U."""


@dataclass(frozen=True)
class TagRow:
    """A row of a category: it holds for readings that fit `when`; the first row that fits wins.

    `tags` and `upos` are one each, or one for each word of a form of several words.  `when` is feature -> the values of
    which one must hold (a flag: `yes` or `no`); `lemma` stands among them.  `column`: the row is for the texts of that
    text column (a verb's particle) and for nothing else.  `shows` are the features that FEATS tells, beside `feats`.
    """

    tags: tuple[str, ...]
    upos: tuple[str, ...]
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    column: str = ""
    shows: tuple[str, ...] = ()
    feats: Feats = ()
    is_another_word: bool = False  # the column's text is a word of its own (a particle), no form of the lexeme

    @property
    def main(self) -> int:
        """Which of its words is the lexeme's own: the first that is no particle, adposition or adverb."""
        return next((n for n, upos in enumerate(self.upos) if upos not in ("PART", "ADP", "ADV")), 0)


@dataclass(frozen=True)
class WordTag:
    """The tag of a word outside the lists: a clitic, an auxiliary cut short (`wo n't`), a number."""

    tag: str
    upos: str
    lemma: str = ""
    feats: Feats = ()


@dataclass(frozen=True, eq=False)
class TagTable:
    """A language's tag table.

    `values` maps a feature to what FEATS says for each of its values (a flag: for `yes`); `letters` what stands in a
    tag for `{feature}`.  Both know several values at once as `masc|neut`.  `marks` are punctuation; `words` words in
    small letters.  `digest` identifies the table: it is no part of the word lists' digest, since it says nothing of
    which items there are.
    """

    tagset: str
    rows: Mapping[str, tuple[TagRow, ...]]
    values: Mapping[str, Mapping[str, Feats]]
    letters: Mapping[str, Mapping[str, str]]
    words: Mapping[str, WordTag]
    marks: Mapping[str, str]
    mark: str
    number: WordTag
    unknown: WordTag
    fused: WordTag | None
    digest: str


def feats_of(text: str) -> Feats:
    """`Mood=Ind|Tense=Past` as pairs, sorted as CoNLL-U sorts them."""
    pairs = (part.partition("=") for part in text.split("|") if part)
    return sorted_feats({name: value for name, _, value in pairs})


def sorted_feats(feats: Mapping[str, str]) -> Feats:
    """Features in the order of CoNLL-U: by name, small and capital letters alike."""
    return tuple(sorted(feats.items(), key=lambda pair: (pair[0].lower(), pair[0])))


def wanted_values(value: object) -> tuple[str, ...]:
    """What a row's `when` asks of a feature, as values (true and false of a flag: `yes` and `no`)."""
    if isinstance(value, bool):
        return ("yes" if value else "no",)
    return tuple(value) if isinstance(value, list) else (str(value),)


def build_tag_table(data: Mapping[str, Any]) -> TagTable:
    """The tag table of a validated schema's `tagging`."""
    rows = {name: tuple(_row(row, entry) for row in entry["rows"]) for name, entry in data["categories"].items()}
    values = {
        feature: {"yes": feats_of(told)} if isinstance(told, str) else {v: feats_of(text) for v, text in told.items()}
        for feature, told in data.get("feats", {}).items()
    }
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return TagTable(
        data["tagset"],
        rows,
        values,
        data.get("letters", {}),
        {word.lower(): _word({"lemma": word, **entry}) for word, entry in data.get("words", {}).items()},
        data["marks"],
        data["mark"],
        _word(data["number"]),
        _word(data["unknown"]),
        _word(data["fused"]) if "fused" in data else None,
        hashlib.sha256(canonical.encode()).hexdigest(),
    )


def _row(row: Mapping[str, Any], category: Mapping[str, Any]) -> TagRow:
    is_another_word = "column" in row and row.get("upos", category["upos"]) != category["upos"]
    return TagRow(
        tuple(row["tag"].split()),
        tuple(row.get("upos", category["upos"]).split()),
        {feature: wanted_values(value) for feature, value in row.get("when", {}).items()},
        row.get("column", ""),
        tuple(row.get("shows", category.get("shows", ()))),
        feats_of(row.get("feats", "")),
        is_another_word,
    )


def _word(entry: Mapping[str, str]) -> WordTag:
    return WordTag(entry["tag"], entry["upos"], entry.get("lemma", ""), feats_of(entry.get("feats", "")))
