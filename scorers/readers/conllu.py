"""CoNLL-U as Starling writes it: a sentence for each member of an item, named and judged in its comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from scorers.items import Condition, Item
from scorers.readers.base import ItemReader
from scorers.readers.items_jsonl import pairs_of
from scorers.readers.lines import is_sentence, sentence_of
from scorers.readers.source import Report, Source

_COLUMNS = 10
_JUDGEMENTS = {"yes": True, "no": False}
_COMMENT = re.compile(r"#\s*(\w+)\s*=\s*(.*)")
_JUDGED = re.compile(r"#\s*acceptable\s*=")
_ROW = re.compile(r"[0-9]+([-.][0-9]+)?\t([^\t]*\t){8}[^\t]*")


class _Member(NamedTuple):
    """A sentence and what its comments say."""

    line: int
    item: str
    paradigm: str
    template: str
    condition: Condition


def _read(source: Source, report: Report) -> Iterator[Item]:
    for _, group in groupby(_members(source, report), key=lambda member: (member.item, member.paradigm)):
        members = list(group)
        first = members[0]
        names = [member.condition.name for member in members]
        if len(set(names)) < len(names):
            report.error(first.line, f"'{first.item}' has two sentences of one name: {', '.join(names)}", "item")
            continue
        conditions = tuple(member.condition for member in members)
        yield Item(
            first.item,
            first.paradigm,
            conditions,
            pairs_of(conditions),
            first.template,
            file=source.name,
            line=first.line,
        )


def _members(source: Source, report: Report) -> Iterator[_Member]:
    for line, said in _sentences(source, report):
        item, dot, name = said.get("sent_id", "").rpartition(".")
        judgement = said.get("acceptable", "")
        if not dot or not item or not name:
            found = f"sent_id is {said['sent_id']!r}" if "sent_id" in said else "no comment 'sent_id'"
            report.error(line, f"{found}: expected '# sent_id = ITEM.CONDITION'", "no-id")
        elif judgement not in _JUDGEMENTS:
            found = f"acceptable is {judgement!r}" if judgement else "no comment 'acceptable'"
            report.error(line, f"{found}: expected '# acceptable = yes' or no", "item")
        elif is_sentence(report, line, said.get("text", "")):
            condition = Condition(name, sentence_of(said["text"]), _JUDGEMENTS[judgement])
            yield _Member(line, item, said.get("paradigm", "") or source.label, said.get("template", ""), condition)


def _sentences(source: Source, report: Report) -> Iterator[tuple[int, dict[str, str]]]:
    """(first line, comments) of every sentence.  Words are checked to have their columns and are not kept."""
    start, said, words = 0, dict[str, str](), 0
    for line, text in source.lines(report):
        if not text.strip():
            if start:
                yield start, said
            start, said, words = 0, {}, 0
            continue
        start = start or line
        if text.startswith("#"):
            comment = _COMMENT.match(text)
            if comment is not None:
                said[comment.group(1)] = comment.group(2).strip()
            continue
        words += 1
        if not _ROW.fullmatch(text):
            count = text.count("\t") + 1
            what = f"{count} tab-separated cells" if count != _COLUMNS else f"the word's number is {text[:20]!r}"
            hint = "" if source.ends_in_line_end else "the file may be cut off"
            report.error(line, f"{what}: expected ten, the first of them a number", "cells", hint=hint)
    if start:
        if not words:
            report.error(start, "comments without words: the file ends", "truncated", hint="the file may be cut off")
            return
        yield start, said


def _detect(source: Source) -> bool:
    """Whether the first sentence says whether it is acceptable: treebanks do not."""
    comments = [text for text in source.head if text.startswith("#")]
    rows = [text for text in source.head if not text.startswith("#")]
    return any(_JUDGED.match(text) for text in comments) and (not rows or "\t" in rows[0])


READER = ItemReader(
    "conllu", "CoNLL-U as Starling writes it: ids and judgements in the comments of each sentence", _read, _detect
)
