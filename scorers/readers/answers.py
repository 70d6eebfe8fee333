"""The classes of answers of open-ended items, from the file `NAME.answers.json` beside them (docs/item-format.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scorers.errors import Findings
from scorers.readers.source import Report, Source

FORMAT = "starling-answers-1"

Classes = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Answers:
    """By paradigm and by the value of `mask.answers`: the words of each class, in the order in which classes are tried.

    `masks` are the mask tokens.  `lines` are (paradigm, template, value of `mask.answers`) of each sentence of a text,
    whose lines do not say so.  `absence` says why there are no answers.
    """

    paradigms: Mapping[str, Mapping[str, Classes]] = field(default_factory=dict)
    masks: tuple[str, ...] = ()
    lines: tuple[tuple[str, str, str], ...] = ()
    absence: str = ""

    def of(self, paradigm: str, key: str) -> Classes:
        """The classes that apply; empty where nothing says so."""
        return self.paradigms.get(paradigm, {}).get(key, {})


def read_answers(source: Source, report: Report) -> Answers:
    """The answers beside a file; none where there is no such file.  A malformed one is an error."""
    if source.path is None or source.name.startswith("<"):
        return Answers(absence="no file is read, beside which they could stand")
    beside = source.path.with_suffix(".answers.json")
    if not beside.is_file():
        return Answers(absence=f"there is no {beside.name} beside the file")
    try:
        document = json.loads(beside.read_text("utf-8-sig"))
        if document["format"] != FORMAT:
            raise ValueError(f"'format' is {document['format']!r}, expected '{FORMAT}'")
        paradigms = document["paradigms"]
        masks = tuple(dict.fromkeys(str(entry["mask"]) for entry in paradigms.values()))
        by_name = {str(name): _by_key(entry) for name, entry in paradigms.items()}
        return Answers(by_name, masks, _lines(document))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        report.error(0, f"the answers beside it cannot be read: {beside.name}: {error}", "answers")
        return Answers(absence=f"{beside.name} cannot be read")


def masks_beside(source: Source) -> tuple[str, ...]:
    """The masks that the answers beside a file name; what is wrong with them is said when the file is read."""
    return read_answers(source, Report(Findings(), source.name)).masks


def _lines(document: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    kinds = [(str(kind["paradigm"]), str(kind["template"]), str(kind["answers"])) for kind in document.get("kinds", [])]
    numbers = document.get("lines", [])
    if not all(isinstance(number, int) and 0 <= number < len(kinds) for number in numbers):
        raise ValueError(f"'lines': expected whole numbers from 0 to {len(kinds) - 1}, the places in 'kinds'")
    return tuple(kinds[number] for number in numbers)


def _by_key(entry: Mapping[str, Any]) -> dict[str, Classes]:
    found: dict[str, Classes] = {}
    for key, classes in entry["answers"].items():
        for words in classes.values():
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                raise ValueError(f"the words of '{key}': expected a list of texts")
        order = [name for name in entry["classes"] if name in classes]
        found[str(key)] = {
            str(name): frozenset(classes[name]) for name in [*order, *(n for n in classes if n not in order)]
        }
    return found
