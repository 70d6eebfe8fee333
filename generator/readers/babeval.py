"""Babeval: `forced_choice/TASK.txt` (two lines a pair, either may be right), `open_ended/TASK.txt` (a mask a line)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

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
    for line, text in sentence_lines(source):
        token = _mask_of(text, masks)
        if text.count(token) != 1 or not token:
            source.error(line, f"{text.count(token) if token else 'no'} masks ({' or '.join(masks)}): one a line")
            continue
        condition = member(text, True, "open")
        yield Item(f"{source.stem}:open:{line}", source.stem, "", 0, (condition,), mask=Mask("", token, ""), line=line)


def _masks(source: Source) -> tuple[str, ...]:
    """The masks that a line may hold: the one that the answers beside the file name, or the two that are usual."""
    beside = source.path.with_suffix(".answers.json") if source.path is not None else None
    if beside is None or not beside.is_file():
        return MASKS
    try:
        found = json.loads(beside.read_text("utf-8"))["paradigms"]
        named = dict.fromkeys(str(paradigm["mask"]) for paradigm in found.values())
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        source.warn(1, f"the answers beside it cannot be read: {beside.name}")
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
