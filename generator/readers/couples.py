"""Two lines a pair: what Babeval's forced choice and Zorro share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from generator.readers.base import Source
from generator.readers.text import sentence_lines


def couples(source: Source) -> Iterator[tuple[int, str, str]]:
    """(line of the first, first, second) of every two sentences.  A last one without partner is an error."""
    waiting: tuple[int, str] | None = None
    for line, text in sentence_lines(source):
        if waiting is None:
            waiting = (line, text)
            continue
        if waiting[1].strip() == text.strip():
            source.warn(waiting[0], "the two sentences of the pair are identical")
        yield waiting[0], waiting[1], text
        waiting = None
    if waiting is not None:
        source.error(
            waiting[0], "a sentence without a second one: two lines are a pair, and the file has an odd number"
        )


def look_paired(source: Source) -> bool:
    """Whether the first lines look like minimal pairs: in each two, at least half of the words are the same."""
    lines = source.head if len(source.head) % 2 == 0 else ()
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    return bool(pairs) and all(_shared(first, second) >= 0.5 for first, second in pairs)


def _shared(first: str, second: str) -> float:
    ours, theirs = (Counter(re.findall(r"\w+|[^\w\s]", text.lower())) for text in (first, second))
    return 2 * (ours & theirs).total() / max(1, ours.total() + theirs.total())
