"""Formats that can be read: one module each, one line each in this table."""

from __future__ import annotations

from generator.errors import UsageError, nearest
from generator.readers import (
    babeval,
    blimp,
    clams,
    conllu,
    hf,
    items,
    lm_eval,
    original,
    penn,
    sentences,
    syntaxgym,
    text,
    tsv,
    words,
    zorro,
)
from generator.readers.base import Reader, Source

# In the order in which a file is asked whether it looks like one: what says so itself before what is plain lines.
READERS: tuple[Reader, ...] = (
    items.READER,
    syntaxgym.READER,
    lm_eval.READER,
    hf.READER,
    conllu.READER,
    penn.READER,
    blimp.READER,
    original.READER,
    sentences.READER,
    words.READER,
    tsv.READER,
    clams.READER,
    babeval.READER,
    zorro.READER,
    text.READER,
)


def find_reader(name: str) -> Reader:
    """The reader of a format's name.  Raises UsageError with the nearest one."""
    for reader in READERS:
        if reader.name == name:
            return reader
    known = [reader.name for reader in READERS]
    raise UsageError(f"unknown format '{name}': {nearest(name, known) or 'there are ' + ', '.join(known)}")


def detect(source: Source) -> Reader | None:
    """The first reader of the table that a source looks like; None where it looks like none."""
    return next((reader for reader in READERS if reader.detect(source)), None)
