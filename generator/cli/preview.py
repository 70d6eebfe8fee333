"""`gen preview`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from generator.cli.common import choice_names, choice_value, choice_values, console, load_all, note_unused_words
from generator.errors import UsageError, listed, nearest
from generator.item_making import items
from generator.items import Condition, Flavour, Item
from generator.leaves import Leaf
from generator.planning import Plan, PlanTemplate, plan
from generator.sampling import Run
from generator.writers.base import as_json
from generator.writers.jsonl import item_record

if TYPE_CHECKING:
    from rich.text import Text


def run(options: argparse.Namespace) -> int:
    """A few items, balanced over templates and crossed values."""
    grammars = load_all(options.files, options.words)
    for grammar in grammars:
        flavour: Flavour = options.flavour or "forced"
        try:
            found = plan(grammar, flavour)
        except UsageError:
            if options.flavour:
                raise
            found = plan(grammar, "open")
        only = _only(found, options.only)
        count = min(options.n, Run(found, 0, options.seed, only).capacity)
        if options.n < 0:
            raise UsageError("-n must not be negative")
        shown = list(items(found, count, options.seed, options.style, only=only))
        if options.json:
            for item in shown:
                sys.stdout.write(as_json(item_record(item)) + "\n")
        else:
            _print(found, shown)
    note_unused_words(grammars)
    return 0


def _only(found: Plan, wanted: Sequence[str]) -> Callable[[PlanTemplate, Leaf], bool] | None:
    """What `--only NAME=VALUE` keeps.  Raises UsageError where nothing has that name or value."""
    pairs = []
    for each in wanted:
        name, equals, value = each.partition("=")
        if not equals:
            raise UsageError(f"--only {each}: write NAME=VALUE, as in n=pl or template=1")
        known = dict.fromkeys(choice_values(found, name))
        if not known:
            names = choice_names(found)
            raise UsageError(f"--only {each}: nothing to choose is called '{name}'. {_hint(name, names)}")
        if value not in known:
            raise UsageError(f"--only {each}: '{name}' is never '{value}'. {_hint(value, list(known))}")
        pairs.append((name, value))
    if not pairs:
        return None
    return lambda template, leaf: all(choice_value(template, leaf, name) == value for name, value in pairs)


def _hint(name: str, known: Sequence[str]) -> str:
    return nearest(name, known) or f"There are {listed(list(known), 12)}"


def _print(found: Plan, shown: list[Item]) -> None:
    from rich.table import Table

    noun = "open-ended items" if found.flavour == "open" else "items"
    table = Table(title=f"{found.grammar.paradigm}: {len(shown)} of {found.items:,} {noun}", title_justify="left")
    table.add_column("template")
    for name in dict.fromkeys(name for item in shown for name, _ in item.crossed):
        table.add_column(name)
    names = list(dict.fromkeys(name for item in shown for name, _ in item.crossed))
    is_design = any(condition.levels for item in shown for condition in item.conditions)
    if found.flavour == "open":
        table.add_column("sentence")
        table.add_column("masked")
    elif is_design:
        table.add_column("condition")
        table.add_column("sentence")
    else:
        table.add_column("acceptable")
        table.add_column("starred")
    for item in shown:
        crossed = dict(item.crossed)
        cells: list[str | Text] = [item.template, *(crossed.get(name, "") for name in names)]
        if item.mask is not None:
            table.add_row(*cells, _marked(item.good, item.good, "bold yellow"), item.mask.slot)
            continue
        if item.good.levels:
            for number, condition in enumerate(item.conditions):
                lead = cells if number == 0 else [""] * len(cells)
                style = "bold green" if condition.acceptable else "bold red"
                name = condition.name if condition.acceptable else f"*{condition.name}"
                table.add_row(*lead, name, _marked(condition, condition, style))
            table.add_section()
            continue
        for number, (_, good, bad) in enumerate(item.pairs):
            lead = cells if number == 0 else [""] * len(cells)
            table.add_row(*lead, _marked(good, bad, "bold green"), _marked(bad, good, "bold red"))
    console().print(table)


def _marked(condition: Condition, other: Condition, style: str) -> Text:
    """The sentence with its contrast highlighted: the contrasted regions, else the words that differ."""
    from rich.text import Text

    text = Text(condition.text)
    contrasts = [region for region in condition.sentence.regions if region.is_contrast]
    if contrasts:
        for region in contrasts:
            text.stylize(style, region.start, region.end)
        return text
    ours, theirs = condition.text.split(" "), other.text.split(" ")
    start = 0
    while start < min(len(ours), len(theirs)) and ours[start] == theirs[start]:
        start += 1
    end = 0
    while end < min(len(ours), len(theirs)) - start and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    first = len(" ".join(ours[:start])) + bool(start)
    last = len(condition.text) - (len(" ".join(ours[len(ours) - end :])) + 1 if end else 0)
    text.stylize(style, first, max(first, last))
    return text
