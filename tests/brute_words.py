"""The tiny language of the second oracle: schema, words, readings.  It shares no code with the engine.

It has all that the constructs ask for: auxiliaries that govern verbs, prepositions that govern case, names and articles
with case, reflexives with lexical gender, adjectives with gender as a form, verbs with argument columns, flags.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

BUNDLE = ("number", "gender")
VALUES: dict[str, tuple[str, ...]] = {
    "number": ("sg", "pl"),
    "gender": ("masc", "fem"),
    "tense": ("base", "pres", "past", "ing", "part"),
    "case": ("nom", "acc", "dat"),
    "shape": ("round", "flat"),
}
GOVERNS = {"takes": "tense", "wants": "case"}
FLAGS = ("animate", "human", "heavy")
BARE = {value: name for name, values in VALUES.items() for value in values}

FORMS: dict[str, dict[str, list[dict[str, str]]]] = {
    "noun": {"sg": [{"number": "sg"}], "pl": [{"number": "pl"}]},
    "name": {case: [{"case": case}] for case in VALUES["case"]},
    "verb": {
        "base": [{"tense": "base"}],
        "pres_sg": [{"tense": "pres", "number": "sg"}],
        "pres_pl": [{"tense": "pres", "number": "pl"}],
        "past": [{"tense": "past", "number": "any"}],
        "ing": [{"tense": "ing"}],
        "part": [{"tense": "part"}],
    },
    "auxiliary": {
        f"{tense}_{number}": [{"tense": tense, "number": number}]
        for tense in ("pres", "past") for number in VALUES["number"]
    },
    "adjective": {
        f"{number}_{gender}": [{"number": number, "gender": gender}]
        for number in VALUES["number"] for gender in VALUES["gender"]
    },
    "article": {
        f"{case}_{number}": [{"case": case, "number": number}]
        for case in VALUES["case"] for number in VALUES["number"]
    },
    "pronoun": {case: [{"case": case}] for case in ("nom", "acc")},
    "reflexive": {"reflexive": [{}]},
    "preposition": {"preposition": [{}]},
    "particle": {"particle": [{}]},
}  # fmt: skip
OPEN = ("noun", "name", "verb")
FILTERS = {"verb": ("subject", "object")}
TEXT = {"noun": ("prep",)}

# category -> lemma -> (forms in order, features, then the category's further columns)
WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "noun": {
        "dog": ("dog dogs", "animate round", "of"),
        "cat": ("cat cats", "animate flat", ""),
        "sheep": ("sheep sheep", "animate heavy round", "to"),
        "axe": ("axe axes", "heavy flat", ""),
        "axis": ("axis axes", "round", "of"),
        "king": ("king kings", "animate human masc flat", "of"),
        "queen": ("queen queens", "animate human fem round", "to"),
    },
    "name": {
        "ivan": ("ivan ivana ivanu", "animate human masc round"),
        "olga": ("olga olgu olge", "animate human fem flat"),
        "marie": ("marie marie marii", "animate human fem round"),
    },
    "verb": {
        "run": ("run runs run ran running run", "round", "animate", "heavy"),
        "put": ("put puts put put putting put", "flat", "human | animate -heavy", "heavy | -animate"),
        "see": ("see sees see saw seeing seen", "round", "animate", "animate | human"),
        "hit": ("hit hits hit hit hitting hit", "flat", "animate -human", "-human"),
        "rain": ("rain rains rain rained raining rained", "flat", "", ""),
    },
    "auxiliary": {
        "be": ("is are was were", "takes=ing"),
        "have": ("has have had had", "takes=part"),
        "can": ("can can could could", "takes=base"),
        "get": ("gets get got got", "takes=ing|part"),
        "may": ("may may might might", "takes=pres|past"),
        "ought": ("ought ought ought ought", ""),
    },
    "adjective": {
        "bon": ("bon bonne bons bonnes", "round"),
        "gris": ("gris grise gris grises", "flat"),
        "large": ("large large larges larges", "round"),
        "brun": ("brun brun brun brun", "flat"),
    },
    "article": {
        "der": ("der die den die dem den", ""),
        "ein": ("ein - einen - einem -", ""),
        "manch": ("manch manche manch manche manchem manchen", ""),
    },
    "pronoun": {
        "he": ("he him", "sg masc human animate"),
        "she": ("she her", "sg fem human animate"),
        "it": ("it it", "sg"),
        "they": ("they them", "pl"),
    },
    "reflexive": {
        "himself": ("himself", "sg masc"),
        "herself": ("herself", "sg fem"),
        "oneself": ("oneself", "sg"),
        "themselves": ("themselves", "pl"),
    },
    "preposition": {
        "mit": ("mit", "wants=dat round"),
        "ohne": ("ohne", "wants=acc flat"),
        "ab": ("ab", "wants=acc|dat round"),
        "als": ("als", "flat"),
    },
    "particle": {"on": ("on", "round"), "by": ("by", "flat"), "up": ("up", "")},
}

SCHEMA: dict[str, Any] = {
    "language": "en",
    "name": "tiny",
    "licence": "MIT",
    "sources": ["written for the tests"],
    "bundle": list(BUNDLE),
    "features": {
        **{name: {"values": list(values)} for name, values in VALUES.items()},
        **{name: {"values_of": governed} for name, governed in GOVERNS.items()},
        **{name: {"flag": True} for name in FLAGS},
        **{name: {"text": True} for names in TEXT.values() for name in names},
        **{name: {"filter": True} for names in FILTERS.values() for name in names},
    },
    "categories": {
        category: {
            "file": f"{category}s.tsv", "open": category in OPEN, "forms": forms,
            **({"text": list(TEXT[category])} if category in TEXT else {}),
            **({"filters": list(FILTERS[category])} if category in FILTERS else {}),
        }
        for category, forms in FORMS.items()
    },
    "realisation": {},
}  # fmt: skip


def write_words(folder: Path) -> Path:
    """Write the word lists into a folder of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schema.json").write_text(json.dumps(SCHEMA), "utf-8")
    for category, words in WORDS.items():
        more = (*TEXT.get(category, ()), *FILTERS.get(category, ()))
        rows = ["\t".join(["lemma", *FORMS[category], "features", *more])]
        for lemma, (forms, *rest) in words.items():
            rows.append("\t".join([lemma, *("" if text == "-" else text for text in forms.split()), *rest]))
        (folder / f"{category}s.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    return folder


Features = tuple[tuple[str, frozenset[str]], ...]


@dataclass(frozen=True)
class Reading:
    """One reading of one form: the values that it carries, its word's own in the bundle included."""

    text: str
    features: Features
    agrees: bool

    def get(self, name: str) -> frozenset[str] | None:
        return dict(self.features).get(name)

    def narrowed(self, name: str, values: frozenset[str]) -> Reading | None:
        """With a feature restricted; None where nothing is left.  What it does not carry stays open."""
        known = dict(self.features)
        if name not in known:
            return self
        known[name] = known[name] & values
        return Reading(self.text, tuple(known.items()), self.agrees) if known[name] else None


@dataclass(frozen=True)
class Word:
    """A lexeme.  Quoted words have no category."""

    category: str
    lemma: str
    readings: tuple[Reading, ...]
    flags: frozenset[str] = frozenset()
    values: tuple[tuple[str, frozenset[str]], ...] = ()  # lexical values
    governs: tuple[tuple[str, frozenset[str]], ...] = ()  # governed feature -> values
    columns: tuple[tuple[str, str], ...] = ()

    @property
    def is_open(self) -> bool:
        return self.category in OPEN

    def __hash__(self) -> int:
        return hash((self.category, self.lemma, self.readings))

    @property
    def lexeme(self) -> tuple[str, str]:
        return self.category, self.lemma


def features_of(
    text: str,
) -> tuple[frozenset[str], dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """(flags, values, what is governed) of the cell `features`."""
    flags: set[str] = set()
    values: dict[str, frozenset[str]] = {}
    governs: dict[str, frozenset[str]] = {}
    for part in text.split():
        name, _, value = part.partition("=")
        if name in GOVERNS:
            governs[GOVERNS[name]] = frozenset(value.split("|"))
        elif value:
            values[name] = frozenset(value.split("|"))
        elif name in FLAGS:
            flags.add(name)
        else:
            values[BARE[name]] = frozenset([name])
    return frozenset(flags), values, governs


@cache
def listed(category: str, lemma: str) -> Word:
    """A word of the lists, with all its forms."""
    forms, features, *rest = WORDS[category][lemma]
    flags, values, governs = features_of(features)
    lexical = {name: found for name, found in values.items() if name in BUNDLE}
    readings = []
    for text, cells in zip(forms.split(), FORMS[category].values(), strict=True):
        for cell in cells:
            own = {
                name: frozenset(VALUES[name]) if value == "any" else frozenset([value]) for name, value in cell.items()
            }
            carried = {**own, **lexical}
            if text != "-":
                readings.append(Reading(text, tuple(carried.items()), any(name in BUNDLE for name in carried)))
    names = (*TEXT.get(category, ()), *FILTERS.get(category, ()))
    columns = tuple(zip(names, rest, strict=True))
    return Word(category, lemma, tuple(readings), flags, tuple(values.items()), tuple(governs.items()), columns)


def quoted(text: str, features: str = "") -> Word:
    """A word as written in a slot.  It agrees with everything that its features leave open."""
    flags, values, governs = features_of(features)
    reading = Reading(text, tuple(values.items()), True)
    return Word("", text, (reading,), flags, tuple(values.items()), tuple(governs.items()))


def used_flags() -> frozenset[str]:
    """The flags that some argument column speaks of."""
    found = set()
    for category, names in FILTERS.items():
        skipped = 2 + len(TEXT.get(category, ()))
        for word in WORDS[category].values():
            for cell in word[skipped : skipped + len(names)]:
                found |= {part.lstrip("-") for part in cell.split() if part != "|"}
    return frozenset(found)


def fits(argument: Word, governor: Word, column: str) -> bool:
    """Whether a word may stand in an argument column of another."""
    if not governor.category:
        return True
    cell = dict(governor.columns).get(column, "")
    if not cell:
        return False
    is_vague = (
        not argument.flags if not argument.category else not argument.is_open and not (argument.flags & used_flags())
    )
    if is_vague:
        return True
    for alternative in cell.split("|"):
        wanted = {part for part in alternative.split() if not part.startswith("-")}
        banned = {part[1:] for part in alternative.split() if part.startswith("-")}
        if wanted <= argument.flags and not banned & argument.flags:
            return True
    return False


def bundle_cells(names: frozenset[str] | set[str]) -> Iterator[dict[str, str]]:
    """Every value of these features of the bundle."""
    kept = [name for name in BUNDLE if name in names]
    for found in product(*(VALUES[name] for name in kept)):
        yield dict(zip(kept, found, strict=True))
