"""The vocabulary of a recurrent language model: `vocab.txt`, one word a line, the first one is number 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scorers.errors import Findings, ScoreError
from scorers.readers.source import Report, Source

EOS = "<eos>"
UNK = "<unk>"


@dataclass(frozen=True)
class LstmVocabulary:
    """The words by their numbers, and the numbers by their words.

    A word that stands twice has its last number, as in the published programs.
    """

    words: tuple[str, ...]
    ids: Mapping[str, int]
    digest: str


def read_vocabulary(path: str, findings: Findings, is_end_needed: bool = True) -> LstmVocabulary:
    """The words of a file; blank lines are none.

    Leaves warnings of words that stand twice and of a missing `<unk>`.  Raises ScoreError where there is no file, no
    word in it, or no `<eos>` although the end of a sentence `is_end_needed`; InputError for lines with several words.
    """
    source = Source.of(path)
    if source.path is not None and source.path.is_dir():
        raise ScoreError(f"{path}: is a folder; expected vocab.txt, one word a line")
    if source.no_text:
        raise ScoreError(f"{path}: {source.no_text}, no text; expected vocab.txt, one word a line")
    report = Report(findings, source.name)
    words: list[str] = []
    ids: dict[str, int] = {}
    for line, text in source.lines(report):
        found = text.split()
        if len(found) > 1:
            report.error(line, f"{len(found)} words; expected one word a line", "vocabulary")
        for word in found[:1]:
            if word in ids:
                report.warn(line, "a word that stands twice: the last number is its own", "vocabulary")
            ids[word] = len(words)
            words.append(word)
    if words and UNK not in ids:
        report.warn(0, f"no {UNK} in it: sentences with a word that is not listed have no score", "vocabulary")
    report.close()
    findings.require_none()
    if not words:
        raise ScoreError(f"{path}: no words; expected one word a line")
    if is_end_needed and EOS not in ids:
        raise ScoreError(f"{path}: no {EOS}, which is read first and scored last; without it give --bos no --eos no")
    return LstmVocabulary(tuple(words), ids, source.digest)
