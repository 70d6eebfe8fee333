"""CLAMS (Mueller et al. 2020) and LM_syneval: `True<TAB>sentence`, then its `False<TAB>sentence` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scorers.items import Condition, Item, Pair
from scorers.readers.base import ItemReader
from scorers.readers.fields import shown
from scorers.readers.lines import is_sentence, sentence_of
from scorers.readers.source import Report, Source

_MARKS = {"True": True, "False": False}


def _read(source: Source, report: Report) -> Iterator[Item]:
    good: tuple[int, str] | None = None
    starred: list[str] = []
    for line, text in source.lines(report):
        if not text.strip():
            report.warn(line, "a blank line: left out", "blank-line")
            continue
        mark, tab, sentence = text.partition("\t")
        if not tab or mark.strip() not in _MARKS:
            report.error(line, f"expected True or False, a tab and a sentence, found {shown(text)}")
            continue
        if not is_sentence(report, line, sentence):
            continue
        bare = sentence_of(sentence)
        if _MARKS[mark.strip()]:
            if good is not None:
                yield _item(source, report, *good, starred)
            good, starred = (line, bare), []
        elif good is None:
            report.error(line, "a False line without a True line before it", "no-partner")
        else:
            if bare == good[1]:
                report.warn(line, "the two sentences of the pair are identical", "identical")
            starred.append(bare)
    if good is not None:
        yield _item(source, report, *good, starred)


def _item(source: Source, report: Report, line: int, good: str, starred: list[str]) -> Item:
    if not starred:
        report.warn(line, "a True line without a False line: no pair", "no-partner")
    names = ["starred"] if len(starred) == 1 else [f"starred_{n}" for n in range(1, len(starred) + 1)]
    others = (Condition(name, text, False) for name, text in zip(names, starred, strict=True))
    nearest = source.folders[0] if source.folders else ""
    return Item(
        f"{source.label}:{line}",
        source.label,
        (Condition("acceptable", good, True), *others),
        tuple(Pair(0, place) for place in range(1, len(starred) + 1)),
        language=nearest if re.fullmatch("[a-z]{2}", nearest) else "",
        file=source.name,
        line=line,
    )


def _detect(source: Source) -> bool:
    cells = source.head[0].split("\t") if source.head else []
    return len(cells) == 2 and cells[0].strip() in _MARKS


READER = ItemReader("clams", "CLAMS text: True, tab, sentence, then its False lines", _read, _detect)
