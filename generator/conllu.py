"""CoNLL-U: a tree as the lines of a sentence, and lines as sentences (universaldependencies.org/format.html)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from generator.tag_tables import Feats
from generator.trees import SentenceTree

Report = Callable[[int, str], None]
"""Told of what cannot be read: line (from 1), message."""

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")


def conllu_lines(tree: SentenceTree, comments: Sequence[tuple[str, str]] = ()) -> list[str]:
    """A sentence's lines, without the empty line that ends it.  Comments are (name, value)."""
    lines = [f"# {name} = {value}" for name, value in comments]
    for number, (token, head, relation) in enumerate(zip(tree.tokens, tree.heads, tree.relations, strict=True)):
        is_last = number == len(tree.tokens) - 1
        feats = "|".join(f"{name}={value}" for name, value in token.feats)
        misc = "" if token.space_after or is_last else "SpaceAfter=No"
        fields = (token.form, token.lemma, token.upos, token.tag, feats, str(head + 1), relation, "", misc)
        lines.append("\t".join([str(number + 1), *(text or "_" for text in fields)]))
    return lines


class ConlluWord(NamedTuple):
    """A word's row: `head` is the number of another word, 0 for the root, None where the file gives none.

    `deps` and `misc` are as written; an empty field is an empty text.
    """

    number: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: Feats
    head: int | None
    relation: str
    deps: str = ""
    misc: str = ""


@dataclass(frozen=True)
class ConlluSentence:
    """A sentence: the line of the file it begins in, its comments as (name, value), its words."""

    line: int
    comments: tuple[tuple[str, str], ...]
    words: tuple[ConlluWord, ...]

    @property
    def text(self) -> str:
        """The sentence: its comment `text`, else its words with spaces as MISC says."""
        for name, value in self.comments:
            if name == "text":
                return value
        return "".join(w.form + " " * ("SpaceAfter=No" not in w.misc.split("|")) for w in self.words).rstrip(" ")


def read_conllu(text: str, report: Report) -> Iterator[ConlluSentence]:
    """The sentences of a text.  Ranges (`1-2`) and empty nodes (`8.1`) are skipped; the last empty line may be missing.

    A sentence with a row that cannot be read is reported, by the line of that row, and left out.
    """
    comments: list[tuple[str, str]] = []
    rows: list[tuple[int, list[str]]] = []
    start = 1
    known: dict[str, Feats | None] = {"": ()}  # FEATS repeat: each is taken apart once
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line and not line.isspace():
            if not comments and not rows:
                start = number
            if line[0] == "#":
                name, _, value = line[1:].partition("=")
                comments.append((name.strip(), value.strip()))
            else:
                rows.append((number, line.rstrip("\r").split("\t")))
            continue
        if rows:
            problems: list[tuple[int, str]] = []
            words = _words(rows, known, problems)
            for at, what in problems:
                report(at, what)
            if not problems:
                yield ConlluSentence(start, tuple(comments), words)
        comments, rows = [], []


def _words(
    rows: Sequence[tuple[int, list[str]]], known: dict[str, Feats | None], problems: list[tuple[int, str]]
) -> tuple[ConlluWord, ...]:
    count = sum(1 for _, fields in rows if len(fields) == len(COLUMNS) and _number(fields[0]) >= 0)
    found: list[ConlluWord] = []
    for line, fields in rows:
        if len(fields) != len(COLUMNS):
            told = f"expected {len(COLUMNS)} apart by tabs: {', '.join(COLUMNS)}"
            problems.append((line, f"a row of {len(fields)} columns, {told}"))
            continue
        own = _number(fields[0])
        if own < 0:
            if not re.fullmatch(r"[0-9]+[-.][0-9]+", fields[0]):
                told = "expected a number, a range (1-2) or an empty node (8.1)"
                problems.append((line, f"'{fields[0]}' is no ID, {told}"))
            continue
        number = len(found) + 1
        if own != number:
            problems.append((line, f"ID {fields[0]}, expected {number}: words are numbered from 1 in each sentence"))
        _, form, lemma, upos, xpos, feats, governor, relation, deps, misc = ("" if f == "_" else f for f in fields)
        head = _number(governor) if governor else None
        if head is not None and not (0 <= head <= count and head != number):
            problems.append((line, f"HEAD '{governor}', expected 0 or the ID of another word (1 to {count})"))
        if feats not in known:
            known[feats] = _feats(feats)
        pairs = known[feats]
        if pairs is None:
            part = next(part for part in feats.split("|") if not all(part.partition("=")))
            problems.append((line, f"'{part}' in FEATS, expected Name=Value"))
        # A word that is an underscore is written as an empty field is.
        lemma = lemma or "_" * (not form)
        found.append(ConlluWord(number, form or "_", lemma, upos, xpos, pairs or (), head, relation, deps, misc))
    return tuple(found)


def _feats(text: str) -> Feats | None:
    """FEATS as pairs; None where a part is no `Name=Value`."""
    parts = [part.partition("=") for part in text.split("|")] if text else []
    return tuple((name, value) for name, _, value in parts) if all(all(part) for part in parts) else None


def _number(text: str) -> int:
    """A number of plain digits, -1 for anything else."""
    return int(text) if text.isascii() and text.isdigit() else -1
