"""`balance A, B by frequency`: words of several classes chosen so that their numbers are alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from generator import nodes
from generator.domains import Member
from generator.errors import Diagnostic
from generator.source import SourceFile, Span
from generator.wordlists import cell_span, read_source, read_table

TOLERANCE = math.log(1.25)
"""Words are matched whose numbers differ by at most a quarter."""


ZIPF_NAMES = ("frequency",)
"""The shipped numbers: base-10 logarithms of occurrences per thousand million words (`generator.frequencies`)."""

MOST_ZIPF = 9
"""No word has a higher number on the Zipf scale: it would be all words."""


def numbers_file(name: str, folders: Iterable[Path]) -> Path | None:
    """Where the numbers `NAME.csv` lie: in the first of the folders that has them."""
    return next((path for folder in folders if (path := folder / f"{name}.csv").is_file()), None)


def shipped_numbers(name: str, language: str) -> Path | None:
    """The shipped numbers of a language, where there are some of that name."""
    path = Path(str(files("wordlists"))) / language / f"{name}.csv"
    return path if name in ZIPF_NAMES and path.is_file() else None


def read_numbers(source: SourceFile, name: str) -> tuple[dict[str, float], list[Diagnostic]]:
    """The numbers of `word,NAME` rows (none negative), and what is wrong with them."""
    header, rows, problems = read_table(source, ",")
    if header and header != ("word", name):
        place = Span(source, 1, 1, max(1, len(source.line(1))))
        return {}, [Diagnostic("word-list", "not a list of numbers", place, f"expected the columns 'word,{name}'")]
    found: dict[str, float] = {}
    for row in rows:
        text = row.cells[name]
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number >= 0):
            place = cell_span(row, header, name, ",")
            problems.append(Diagnostic("word-list", f"'{text}' is not a number", place, "expected a count or a rate"))
            continue
        if row.cells["word"] in found:
            problems.append(Diagnostic("word-list", f"'{row.cells['word']}' stands twice", row.span))
        found[row.cells["word"]] = number
    return found, problems


def load_numbers(
    statements: Sequence[nodes.Balance], folders: Sequence[Path], language: str
) -> tuple[dict[str, Mapping[str, float]], list[Diagnostic], list[SourceFile]]:
    """The numbers that `balance` statements name, what is wrong, and the files read.

    The first of the folders that has a file is taken, else the shipped file of the language, whose logarithms become
    the occurrences that they stand for: matching is by ratio, and sums over forms are of occurrences.
    """
    numbers: dict[str, Mapping[str, float]] = {}
    problems: list[Diagnostic] = []
    sources: list[SourceFile] = []
    for statement in statements:
        name = statement.by.name
        if name in numbers:
            continue
        path = numbers_file(name, folders)
        if path is None and (shipped := shipped_numbers(name, language)) is not None:
            sources.append(read_source(shipped, f"wordlists/{language}/{name}.csv"))
            zipf, bad = read_numbers(sources[-1], name)
            numbers[name] = {word: 10**number for word, number in zipf.items()}
            problems += bad
            continue
        if path is None:
            message = f"no numbers for '{name}'"
            hint = f"put {name}.csv (columns word,{name}) beside the grammar or into the folder of --words"
            problems.append(Diagnostic("balance", message, statement.by.span, hint))
            numbers[name] = {}
            continue
        sources.append(read_source(path))
        numbers[name], bad = read_numbers(sources[-1], name)
        problems += bad
        if name in ZIPF_NAMES and not bad and _look_logarithmic(numbers[name].values()):
            message = f"the numbers of '{path.name}' look like logarithms (Zipf), and are matched as occurrences"
            hint = "write occurrences: 10 to the power of each number"
            problems.append(Diagnostic("balance", message, statement.by.span, hint, "warning"))
    return numbers, problems, sources


def _look_logarithmic(numbers: Iterable[float]) -> bool:
    """Whether numbers may be on the Zipf scale, as a copy of the shipped ones is: small, and not whole."""
    known = list(numbers)
    return bool(known) and max(known) <= MOST_ZIPF and any(number != int(number) for number in known)


def number_of(member: Member, numbers: Mapping[str, float]) -> float | None:
    """A word's number: its lemma's, else the sum over its different forms that have one."""
    lemma = member.entry.lemma.replace("_", " ")
    if lemma in numbers:
        return numbers[lemma]
    forms = dict.fromkeys(analysis.text for analysis in member.entry.analyses)
    known = [numbers[form] for form in forms if form in numbers]
    return sum(known) if known else None


def balanced(classes: Sequence[Sequence[Member]], numbers: Mapping[str, float]) -> list[tuple[Member, ...]]:
    """As many words of each class as can be matched one by one within `TOLERANCE`, in the classes' own order.

    Each class is sorted by the logarithm of its numbers (one is added, so that zero has one) and the lists are merged:
    where the words at the fronts are close enough they are kept, else the smallest is dropped.  For two lists no
    matching is larger.
    """
    ranked: list[list[tuple[float, int]]] = []
    for members in classes:
        known = [(number_of(member, numbers), place) for place, member in enumerate(members)]
        ranked.append(sorted((math.log1p(number), place) for number, place in known if number is not None))
    kept: list[set[int]] = [set() for _ in classes]
    fronts = [0] * len(classes)
    while all(front < len(found) for front, found in zip(fronts, ranked, strict=True)):
        values = [found[front][0] for front, found in zip(fronts, ranked, strict=True)]
        if max(values) - min(values) <= TOLERANCE:
            for own, found, front in zip(kept, ranked, fronts, strict=True):
                own.add(found[front][1])
            fronts = [front + 1 for front in fronts]
        else:
            fronts[values.index(min(values))] += 1
    return [
        tuple(member for place, member in enumerate(members) if place in own)
        for members, own in zip(classes, kept, strict=True)
    ]
