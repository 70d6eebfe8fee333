"""Checks of a schema's tag table: every name declared, every category and form tagged, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.errors import Diagnostic, nearest
from generator.tag_tables import wanted_values

UPOS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ"),
    *("SYM", "VERB", "X"),
)
"""The parts of speech of Universal Dependencies (Nivre et al. 2020, version 2)."""

_FEATS = re.compile(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*")

LEMMA = "lemma"
"""What a row's `when` calls the lemma; no feature is called so."""


class _Schema:
    """What a tag table may name."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.features: Mapping[str, Mapping[str, Any]] = data["features"]
        self.categories: Mapping[str, Mapping[str, Any]] = data["categories"]
        self.table: Mapping[str, Any] = data["tagging"]

    def values(self, feature: str) -> tuple[str, ...]:
        """The values of a feature; `yes` and `no` of a flag; none of a text column."""
        declared = self.features[feature]
        if "flag" in declared:
            return ("yes", "no")
        return tuple(self.features.get(declared.get("values_of", ""), declared).get("values", ()))

    def form_values(self, feature: str, value: object) -> tuple[str, ...]:
        """The values that a form's reading states."""
        return self.values(feature) if value == "any" else wanted_values(value)


Found = tuple[str, str, str]
"""Place, what is wrong, hint."""


def tagging_problems(data: Mapping[str, Any], name: str) -> list[Diagnostic]:
    """What is wrong with a schema's tag table; `name` is what the user is shown.  The rest of it has been checked."""
    if "tagging" not in data:
        return []
    schema = _Schema(data)
    found = [*_mappings(schema), *_words(schema), *_categories(schema)]
    return [Diagnostic("schema", f"{name}: tagging/{place}: {what}", hint=hint) for place, what, hint in found]


def _feature(schema: _Schema, place: str, feature: str) -> Iterator[Found]:
    if feature not in schema.features:
        yield place, f"'{feature}' is not declared", nearest(feature, schema.features)
    elif not schema.values(feature):
        yield place, f"'{feature}' has no values", "expected a feature with values or a flag"


def _values(schema: _Schema, place: str, feature: str, values: Sequence[str]) -> Iterator[Found]:
    problems = list(_feature(schema, place, feature))
    yield from problems
    if problems:
        return
    known = schema.values(feature)
    for value in values:
        if value not in known:
            hint = nearest(value, known) or f"expected {', '.join(known)}"
            if "flag" in schema.features[feature]:
                hint = "it is a flag: write true or false"
            yield place, f"'{value}' is not a value of {feature}", hint


def _mappings(schema: _Schema) -> Iterator[Found]:
    """`feats` and `letters`: each speaks of values of a declared feature, several at once in the schema's order."""
    for key in ("feats", "letters"):
        for feature, told in schema.table.get(key, {}).items():
            place = f"{key}/{feature}"
            if isinstance(told, str):
                yield from _feature(schema, place, feature)
                if feature in schema.features and "flag" not in schema.features[feature]:
                    yield place, f"'{feature}' is no flag", 'write {"VALUE": "Name=Value"}'
                yield from _feats(place, told)
                continue
            for value, text in told.items():
                parts = value.split("|")
                problems = list(_values(schema, place, feature, parts))
                yield from problems
                if not problems and parts != [known for known in schema.values(feature) if known in parts]:
                    yield place, f"'{value}' is not in the order of the values", "the schema's order counts"
                if key == "feats":
                    yield from _feats(f"{place}/{value}", text)
            if isinstance(told, dict) and feature in schema.features and "flag" in schema.features[feature]:
                yield place, f"'{feature}' is a flag", 'write "Name=Value"'


def _feats(place: str, text: str) -> Iterator[Found]:
    for part in text.split("|") if text else ():
        if not _FEATS.fullmatch(part):
            yield place, f"'{part}' is no Universal feature", "expected Name=Value, as in Number=Sing"


def _upos(place: str, text: str) -> Iterator[Found]:
    for part in text.split():
        if part not in UPOS:
            yield place, f"'{part}' is no part of speech", nearest(part, UPOS) or f"expected one of {', '.join(UPOS)}"


def _words(schema: _Schema) -> Iterator[Found]:
    table = schema.table
    words = {f"words/{word}": entry for word, entry in table.get("words", {}).items()}
    words |= {key: table[key] for key in ("number", "unknown", "fused") if key in table}
    for place, entry in words.items():
        yield from _upos(place, entry["upos"])
        yield from _feats(place, entry.get("feats", ""))


def _categories(schema: _Schema) -> Iterator[Found]:
    table = schema.table["categories"]
    for category in schema.categories:
        if category not in table:
            yield "categories", f"'{category}' has no tags", 'write {"upos": "...", "rows": [{"tag": "..."}]}'
    for category, entry in table.items():
        place = f"categories/{category}"
        if category not in schema.categories:
            yield place, f"'{category}' is no category", nearest(category, schema.categories)
            continue
        yield from _upos(place, entry["upos"])
        yield from _shows(schema, place, entry.get("shows", ()))
        problems: list[Found] = []
        for number, row in enumerate(entry["rows"], start=1):
            problems += _row(schema, f"{place} row {number}", category, entry, row)
        yield from problems or _coverage(schema, place, category, entry["rows"])


def _shows(schema: _Schema, place: str, features: Sequence[str]) -> Iterator[Found]:
    told = schema.table.get("feats", {})
    for feature in features:
        if feature not in told:
            yield place, f"it shows '{feature}', of which feats says nothing", nearest(feature, told)


def _row(
    schema: _Schema, place: str, category: str, entry: Mapping[str, Any], row: Mapping[str, Any]
) -> Iterator[Found]:
    upos = row.get("upos", entry["upos"])
    yield from _upos(place, upos)
    yield from _shows(schema, place, row.get("shows", ()))
    yield from _feats(place, row.get("feats", ""))
    if len(upos.split()) != len(row["tag"].split()):
        yield place, f"tags and parts of speech differ in number: '{row['tag']}', '{upos}'", "write one for each word"
    letters = schema.table.get("letters", {})
    for feature in re.findall(r"\{(.*?)\}", row["tag"]):
        if feature not in letters:
            yield place, f"'{{{feature}}}' in a tag, of which letters says nothing", nearest(feature, letters)
    for feature, value in row.get("when", {}).items():
        if feature != LEMMA:
            yield from _values(schema, place, feature, wanted_values(value))
        elif isinstance(value, bool):
            yield place, "the lemma is true or false", 'write "lemma": "to" or a list of lemmas'
    columns = schema.categories[category].get("text", ())
    if "column" in row and row["column"] not in columns:
        hint = nearest(row["column"], columns) or (f"expected {', '.join(columns)}" if columns else "it has none")
        yield place, f"'{row['column']}' is no text column of {category}", hint


def _coverage(schema: _Schema, place: str, category: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
    """Every form has a row that fits whatever its word, and no row stands behind one that fits everything."""
    columns: set[str] = set()
    for number, row in enumerate(rows, start=1):
        column = row.get("column", "")
        if column in columns:
            yield f"{place} row {number}", "a row before it fits everything: this one is never reached", ""
        if not row.get("when") and " " not in row["tag"]:
            columns.add(column)
    for form, readings in schema.categories[category]["forms"].items():
        for reading in readings:
            if not any(_fits(schema, reading, row) for row in rows):
                told = " ".join(f"{feature}={value}" for feature, value in reading.items())
                yield place, f"no row fits the form '{form}' ({told})", "add a row without 'when' at the end"


def _fits(schema: _Schema, reading: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """Whether a row fits a form, whatever the word is."""
    if "column" in row or " " in row["tag"]:
        return False
    return all(
        feature in reading and set(schema.form_values(feature, reading[feature])) & set(wanted_values(value))
        for feature, value in row.get("when", {}).items()
    )
