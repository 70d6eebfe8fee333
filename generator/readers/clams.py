"""CLAMS and LM_syneval: `True<TAB>sentence`, then its `False<TAB>sentence` lines."""

from __future__ import annotations

from collections.abc import Iterator

from generator.items import Item
from generator.readers.base import Reader, Source, is_sentence, member

MARKS = {"True": True, "False": False}


def _read(source: Source) -> Iterator[Item]:
    good: tuple[int, str] | None = None
    starred: list[str] = []
    for line, text in source.lines():
        if not text.strip():
            source.warn(line, "a blank line: left out")
            continue
        mark, tab, sentence = text.partition("\t")
        if not tab or mark.strip() not in MARKS:
            source.error(line, f"neither True nor False and a tab at the beginning: {_shown(text)}")
            continue
        if not is_sentence(source, line, sentence):
            continue
        if not MARKS[mark.strip()]:
            if good is None:
                source.error(line, "a False line without a True line before it")
            else:
                if sentence.strip() == good[1].strip():
                    source.warn(line, "the two sentences of the pair are identical")
                starred.append(sentence)
            continue
        if good is not None:
            yield _item(source, *good, starred)
        good, starred = (line, sentence), []
    if good is not None:
        yield _item(source, *good, starred)


def _item(source: Source, line: int, good: str, starred: list[str]) -> Item:
    if not starred:
        source.warn(line, "a True line without a False line: no pair")
    names = ["starred"] if len(starred) == 1 else [f"starred_{n}" for n in range(1, len(starred) + 1)]
    others = (member(text, False, name, rank) for rank, (text, name) in enumerate(zip(starred, names, strict=True), 1))
    return Item(f"{source.stem}:{line}", source.stem, "", 0, (member(good, True), *others), line=line)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}...")


READER = Reader(
    "clams",
    "CLAMS text: True, tab, sentence, then its False lines",
    _read,
    lambda source: bool(source.head) and source.head[0].partition("\t")[0] in MARKS and "\t" in source.head[0],
)
