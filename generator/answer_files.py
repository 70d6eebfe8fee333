"""`NAME.answers.json`: what the masks of a file of open-ended items may be filled with (docs/item-format.md)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from generator.masking import OTHER, answer_key, answer_tables
from generator.planning import Plan
from generator.sampling import Run
from generator.writers.base import as_json

FORMAT = "starling-answers-1"
_LINES = 1 << 16

Kind = tuple[str, str, str]
"""What the lines of a text do not say of an open-ended item: its paradigm, its template, which answers apply."""


def plan_answers(plan: Plan, mask: str) -> dict[str, Any]:
    """What the file says of a paradigm: its mask, its classes, and the words of each for every key of its items."""
    tables = answer_tables(plan)
    classes = list(dict.fromkeys(name for table in tables.values() for name in table))
    return {
        "mask": mask,
        "classes": [*classes, OTHER],
        "answers": {key: {name: list(words) for name, words in table.items()} for key, table in tables.items()},
    }


def made_kinds(made: Sequence[tuple[Plan, Run]], shard: tuple[int, int]) -> Iterator[Kind]:
    """The kinds of all items of these runs, in the order of making."""
    for plan, run in made:
        kinds = {
            id(leaf): (plan.grammar.paradigm, template.name, answer_key(leaf))
            for template in plan.templates
            for leaf in template.leaves
        }
        for template, index in run.shard(*shard):
            yield kinds[id(template.locate(index)[0])]


def answer_text(paradigms: Mapping[str, Mapping[str, Any]], lines: Iterable[Kind] | None = None) -> Iterator[str]:
    """The file's text in pieces.  `lines` are the kinds of the lines of a format that does not say them itself."""
    document = as_json({"format": FORMAT, "paradigms": paradigms})
    if lines is None:
        yield document + "\n"
        return
    yield document[:-1] + ', "lines": ['
    places: dict[Kind, int] = {}
    numbers = (str(places.setdefault(kind, len(places))) for kind in lines)
    comma = ""
    while block := list(itertools.islice(numbers, _LINES)):
        yield comma + ", ".join(block)
        comma = ", "
    kinds = [dict(zip(("paradigm", "template", "answers"), kind, strict=True)) for kind in places]
    yield f'], "kinds": {as_json(kinds)}}}\n'
