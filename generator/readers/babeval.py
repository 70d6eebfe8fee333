"""Babeval: `forced_choice/TASK.txt` (two lines a pair, either may be right), `open_ended/TASK.txt` (a mask a line)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generator.items import Item, Mask
from generator.readers.base import Reader, Source, member
from generator.readers.couples import couples
from generator.readers.text import is_plain, sentence_lines

FORCED, OPEN = "forced_choice", "open_ended"
MASKS = ("[MASK]", "<mask>")


def _read(source: Source) -> Iterator[Item]:
    masks = _masks(source)
    if _mask_of(source.head[0] if source.head else "", masks) or source.folders[:1] == (OPEN,):
        yield from _open(source, masks)
        return
    for line, first, second in couples(source):
        members = (member(first, None, "first"), member(second, None, "second", 1))
        yield Item(f"{source.stem}:{line}", source.stem, "", 0, members, line=line)


def _open(source: Source, masks: tuple[str, ...]) -> Iterator[Item]:
    rows = list(sentence_lines(source))
    for (line, text), (paradigm, template, answers) in zip(rows, _kinds(source, len(rows)), strict=True):
        token = _mask_of(text, masks)
        if text.count(token) != 1 or not token:
            source.error(line, f"{text.count(token) if token else 'no'} masks ({' or '.join(masks)}): one a line")
            continue
        condition = member(text, True, "open")
        mask = Mask("", token, answers)
        yield Item(f"{source.stem}:open:{line}", paradigm, template, 0, (condition,), mask=mask, line=line)


def _kinds(source: Source, count: int) -> list[tuple[str, str, str]]:
    """The paradigm, the template and the key of the answers of each line, as far as the answers beside it say them."""
    unsaid = [(source.stem, "", "")] * count
    try:
        document = _beside(source)
        kinds = [tuple(str(kind[name]) for name in ("paradigm", "template", "answers")) for kind in document["kinds"]]
        found = [kinds[number] for number in document["lines"]]
    except (ValueError, KeyError, TypeError, IndexError, OSError):
        return unsaid
    if len(found) != count:
        source.warn(1, f"the answers beside it are of {len(found):,} lines, and it has {count:,}: not used")
        return unsaid
    return [(paradigm, template, answers) for paradigm, template, answers in found]


def _beside(source: Source) -> dict[str, Any]:
    """The document with the answers beside a file; empty where there is none."""
    path = source.path.with_suffix(".answers.json") if source.path is not None else None
    if path is None or not path.is_file():
        return {}
    document = json.loads(path.read_text("utf-8"))
    if not isinstance(document, dict):
        raise ValueError("no object")
    return document


def _masks(source: Source) -> tuple[str, ...]:
    """The masks that a line may hold: the one that the answers beside the file name, or the two that are usual."""
    try:
        found = _beside(source).get("paradigms", {})
        named = dict.fromkeys(str(paradigm["mask"]) for paradigm in found.values())
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        name = source.path.with_suffix(".answers.json").name if source.path is not None else ""
        source.warn(1, f"the answers beside it cannot be read: {name}")
        return MASKS
    return tuple(named) or MASKS


def _mask_of(text: str, masks: tuple[str, ...]) -> str:
    return next((mask for mask in masks if mask in text), "")


def _detect(source: Source) -> bool:
    if not is_plain(source) or Path(source.name).suffix not in (".txt", ""):
        return False
    if any(folder in (FORCED, OPEN, "babeval") for folder in source.folders[:1]):
        return True
    return all(_mask_of(line, _masks(source)) for line in source.head)


READER = Reader(
    "babeval", "Babeval text: two lines a pair (which is right is not said), or a line with a mask", _read, _detect
)
