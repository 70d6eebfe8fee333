"""Plain text: a sentence a line.  Whether it is acceptable is not said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from generator.items import Item
from generator.readers.base import Reader, Source, is_sentence, member

OTHER_ENDINGS = frozenset(
    {".json", ".jsonl", ".tab", ".tsv", ".csv", ".parquet", ".yaml", ".yml", ".md", ".html", ".xml", ".py", ".grammar"}
)


def sentence_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines that hold sentences, blank ones left out with a warning."""
    for line, text in source.lines():
        if not text.strip():
            source.warn(line, "a blank line: left out")
        elif "\t" in text:
            source.error(line, f"a tab in a line of plain text: {text[:60]!r}")
        elif is_sentence(source, line, text):
            yield line, text


def is_plain(source: Source) -> bool:
    """Whether a file looks like lines of plain text, and not like predictions: lines that all end in a score."""
    if Path(source.name).suffix.lower() in OTHER_ENDINGS or not source.head:
        return False
    if all(re.search(r"\s-?\d+\.\d+\s*$", line) for line in source.head):
        return False
    return not any("\t" in line or line.lstrip().startswith("{") for line in source.head)


def _read(source: Source) -> Iterator[Item]:
    for line, text in sentence_lines(source):
        yield Item(f"{source.stem}:{line}", source.stem, "", 0, (member(text, None, "sentence"),), line=line)


READER = Reader("text", "plain text: a sentence a line, acceptability not said", _read, is_plain)
