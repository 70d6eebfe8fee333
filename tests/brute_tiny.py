"""Tiny word lists, and tiny grammars as a few dataclasses, from which their text is printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# --- words ------------------------------------------------------------------------------------------------------------

BUNDLE = ("number", "gender")
VALUES = {"number": ("sg", "pl"), "gender": ("masc", "fem")}
BARE = {value: name for name, values in VALUES.items() for value in values} | {
    "pres": "tense", "past": "tense", "base": "tense",
    "round": "shape", "flat": "shape", "warm": "heat", "cold": "heat",
}  # fmt: skip

SCHEMA: dict[str, Any] = {
    "language": "en",
    "name": "tiny",
    "licence": "MIT",
    "sources": ["written for the tests"],
    "bundle": list(BUNDLE),
    "features": {
        "number": {"values": ["sg", "pl"]},
        "gender": {"values": ["masc", "fem"]},
        "tense": {"values": ["base", "pres", "past"]},
        "shape": {"values": ["round", "flat"]},
        "heat": {"values": ["warm", "cold"]},
    },
    "categories": {
        "noun": {
            "file": "nouns.tsv", "open": True,
            "forms": {"sg": [{"number": "sg"}], "pl": [{"number": "pl"}]},
        },
        "verb": {
            "file": "verbs.tsv", "open": True,
            "forms": {
                "base": [{"tense": "base"}],
                "pres_sg": [{"tense": "pres", "number": "sg"}],
                "pres_pl": [{"tense": "pres", "number": "pl"}],
                "past": [{"tense": "past", "number": "any"}],
            },
        },
        "auxiliary": {
            "file": "auxiliaries.tsv", "open": False,
            "forms": {
                "pres_sg": [{"tense": "pres", "number": "sg"}],
                "pres_pl": [{"tense": "pres", "number": "pl"}],
                "past_sg": [{"tense": "past", "number": "sg"}],
                "past_pl": [{"tense": "past", "number": "pl"}],
            },
        },
        "adjective": {
            "file": "adjectives.tsv", "open": False,
            "forms": {
                f"{number}_{gender}": [{"number": number, "gender": gender}]
                for number in VALUES["number"] for gender in VALUES["gender"]
            },
        },
        "determiner": {
            "file": "determiners.tsv", "open": False,
            "forms": {"sg": [{"number": "sg"}], "pl": [{"number": "pl"}]},
        },
        "particle": {"file": "particles.tsv", "open": False, "forms": {"particle": [{}]}},
    },
    "realisation": {},
}  # fmt: skip

# category -> lemma -> (forms in the schema's order, features)
WORDS: dict[str, dict[str, tuple[str, str]]] = {
    "noun": {
        "dog": ("dog dogs", "round warm"),
        "cat": ("cat cats", "flat warm"),
        "sheep": ("sheep sheep", "round cold"),
        "fish": ("fish fish", "flat cold"),
        "axe": ("axe axes", "flat warm"),
        "axis": ("axis axes", "round cold"),
        "king": ("king kings", "masc round"),
        "queen": ("queen queens", "fem warm"),
        "deer": ("deer deer", "masc"),
    },
    "verb": {
        "run": ("run runs run ran", "warm"),
        "put": ("put puts put put", "cold"),
        "hit": ("hit hits hit hit", "warm"),
    },
    "auxiliary": {"be": ("is are was were", ""), "have": ("has have had had", ""), "can": ("can can could could", "")},
    "adjective": {
        "bon": ("bon bonne bons bonnes", "warm"),
        "gris": ("gris grise gris grises", "cold"),
        "large": ("large large larges larges", "round"),
        "brun": ("brun brun brun brun", "flat"),
    },
    "determiner": {"the": ("the the", ""), "this": ("this these", ""), "a": ("a -", "")},
    "particle": {"on": ("on", "round"), "by": ("by", "flat"), "up": ("up", "")},
}


def write_words(folder: Path) -> Path:
    """Write the word lists into a folder of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schema.json").write_text(json.dumps(SCHEMA), "utf-8")
    for category, words in WORDS.items():
        declaration = SCHEMA["categories"][category]
        rows = ["\t".join(["lemma", *declaration["forms"], "features"])]
        for lemma, (forms, features) in words.items():
            texts = ["" if text == "-" else text for text in forms.split()]
            rows.append("\t".join([lemma, *texts, features]))
        (folder / declaration["file"]).write_text("\n".join(rows) + "\n", "utf-8")
    return folder


@dataclass(frozen=True)
class Analysis:
    text: str
    agrees: bool
    bundle: tuple[tuple[str, frozenset[str]], ...]
    other: tuple[tuple[str, str], ...] = ()

    def fits(self, cell: dict[str, str], literal: frozenset[str] = frozenset()) -> bool:
        return self.agrees and all(
            cell.get(name) is None or cell[name] in values for name, values in self.bundle if name not in literal
        )

    def narrowed(self, name: str, values: frozenset[str]) -> Analysis | None:
        """With a feature restricted; None where nothing is left."""
        known = dict(self.bundle)
        kept = known.get(name, frozenset(VALUES[name])) & values
        if not self.agrees or not kept:
            return None
        if name in known:
            known[name] = kept
        return Analysis(self.text, True, tuple(known.items()), self.other)


@dataclass(frozen=True)
class Word:
    category: str
    lemma: str
    analyses: tuple[Analysis, ...]
    values: tuple[tuple[str, str], ...] = ()

    @property
    def is_open(self) -> bool:
        return self.category in SCHEMA["categories"] and bool(SCHEMA["categories"][self.category]["open"])


@cache
def listed_word(category: str, lemma: str) -> Word:
    texts, features = WORDS[category][lemma]
    values = {BARE[value]: value for value in features.split()}
    lexical = {name: frozenset([value]) for name, value in values.items() if name in BUNDLE}
    analyses = []
    columns = SCHEMA["categories"][category]["forms"].values()
    for text, readings in zip(texts.split(), columns, strict=True):
        if text == "-":
            continue
        for reading in readings:
            own = {
                name: frozenset(VALUES[name] if value == "any" else [value])
                for name, value in reading.items() if name in BUNDLE
            }  # fmt: skip
            bundle = {**own, **lexical}
            other = tuple((name, value) for name, value in reading.items() if name not in BUNDLE)
            analyses.append(Analysis(text, bool(bundle), tuple(bundle.items()), other))
    return Word(category, lemma, tuple(analyses), tuple(values.items()))


# --- grammars ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """One part of a class: `noun "dog" pl`, or a quoted word where `category` is empty."""

    category: str
    lemma: str
    features: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.category, f'"{self.lemma}"', *self.features]).strip()

    @property
    def word(self) -> Word:
        if not self.category:
            bundle = tuple((BARE[f], frozenset([f])) for f in self.features if BARE[f] in BUNDLE)
            return Word("", self.lemma, (Analysis(self.lemma, True, bundle),))
        word = listed_word(self.category, self.lemma)
        return Word(word.category, word.lemma, tuple(filtered(word.analyses, self.features)), word.values)


def filtered(analyses: Sequence[Analysis], features: Sequence[str]) -> list[Analysis]:
    kept = list(analyses)
    for value in features:
        name = BARE[value]
        if name in BUNDLE:
            kept = [n for a in kept if (n := a.narrowed(name, frozenset([value]))) is not None]
        elif any(name in dict(a.other) for a in kept):
            kept = [a for a in kept if dict(a.other).get(name) == value]
    return kept


@dataclass(frozen=True)
class Class:
    name: str
    sources: tuple[Source, ...]

    @property
    def words(self) -> tuple[Word, ...]:
        joined: dict[object, Word] = {}
        for source in self.sources:
            word = source.word
            key = (word.category, word.lemma, () if word.category else word.analyses)
            old = joined.get(key)
            if old is not None:
                word = Word(word.category, word.lemma, tuple(dict.fromkeys(old.analyses + word.analyses)), word.values)
            joined[key] = word
        return tuple(joined.values())


@dataclass(frozen=True)
class Mention:
    """`{label=name features}`; the name is a class's, a phrase's, a table's or a draw's."""

    name: str
    features: tuple[str, ...] = ()
    label: str = ""

    def __str__(self) -> str:
        return " ".join([(f"{self.label}=" if self.label else "") + self.name, *self.features])


@dataclass(frozen=True)
class Arm:
    """An alternative: a mention, or a row of quoted words and braces."""

    body: Mention | tuple[str | Brace, ...]
    star: bool = False
    weight: int = 1

    def __str__(self) -> str:
        if isinstance(self.body, Mention):
            text = str(self.body)
        else:
            text = " ".join(f'"{unit}"' if isinstance(unit, str) else str(unit) for unit in self.body)
        return ("*" if self.star else "") + text + (f" @{self.weight}" if self.weight != 1 else "")


@dataclass(frozen=True)
class Brace:
    arms: tuple[Arm, ...]

    def __str__(self) -> str:
        return "{" + " | ".join(map(str, self.arms)) + "}"


Line = tuple["str | Brace", ...]


def slot(name: str, *features: str, label: str = "") -> Brace:
    return Brace((Arm(Mention(name, features, label)),))


def shown(line: Line) -> str:
    return " ".join(map(str, line))


@dataclass(frozen=True)
class Phrase:
    name: str
    variable: str
    rules: tuple[Line, ...]
    weights: tuple[int, ...] = ()


@dataclass(frozen=True)
class Table:
    """Columns are features or labels; a table is of text where no cell has a brace."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]

    @property
    def is_text(self) -> bool:
        return all(isinstance(part, str) for row in self.rows for cell in row for part in cell)


@dataclass(frozen=True)
class Test:
    """`left = right`, `left != right`, `left = value`; or `not`, `and`, `or` over tests."""

    __test__ = False
    operator: str
    parts: tuple[Any, ...]  # two of (name, feature) or a value; or tests

    def __str__(self) -> str:
        if self.operator == "not":
            return f"not ({self.parts[0]})"
        if self.operator in ("and", "or"):
            return f"({f' {self.operator} '.join(map(str, self.parts))})"
        return f" {self.operator} ".join(p if isinstance(p, str) else ".".join(p) for p in self.parts)


@dataclass(frozen=True)
class Tiny:
    classes: tuple[Class, ...]
    lines: tuple[Line, ...]  # the first is acceptable, the others starred
    phrases: tuple[Phrase, ...] = ()
    tables: tuple[Table, ...] = ()
    repeat: tuple[tuple[str, str], ...] = ()
    distinct: tuple[tuple[str, str], ...] = ()
    where: tuple[Test, ...] = ()
    cross: tuple[str, ...] = ()
    target: str = ""

    @property
    def text(self) -> str:
        rows = ["paradigm tiny"]
        for word_class in self.classes:
            rows.append(f"slot {word_class.name} = {' | '.join(map(str, word_class.sources))}")
        for table in self.tables:
            rows.append(f"table {table.name}: {' | '.join(table.columns)}")
            rows += ["    " + " | ".join(map(shown, row)) for row in table.rows]
        for phrase in self.phrases:
            rows.append(f"phrase {phrase.name}{' ' + phrase.variable if phrase.variable else ''}:")
            weights = phrase.weights or (1,) * len(phrase.rules)
            rules = [
                shown(rule) + (f" @{weight}" if weight != 1 else "")
                for rule, weight in zip(phrase.rules, weights, strict=True)
            ]
            rows.append("    " + " | ".join(rules))
        rows += [f"{'*' if number else '+'} {shown(line)}" for number, line in enumerate(self.lines)]
        rows += [f"repeat {', '.join(pair)}" for pair in self.repeat]
        rows += [f"distinct {', '.join(pair)}" for pair in self.distinct]
        rows += [f"where {test}" for test in self.where]
        rows += [f"cross {', '.join(self.cross)}"] if self.cross else []
        rows += [f"target {self.target}"] if self.target else []
        return "\n".join(rows) + "\n"
