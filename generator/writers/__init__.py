"""Output formats: one module each, one line each in this table."""

from __future__ import annotations

from generator.errors import UsageError, nearest
from generator.writers import (
    babeval,
    blimp,
    clams,
    conllu,
    hf,
    jsonl,
    lm_eval,
    original,
    penn,
    sentences,
    syntaxgym,
    tsv,
    words,
    zorro,
)
from generator.writers.base import Format

FORMATS: tuple[Format, ...] = (
    jsonl.FORMAT,
    babeval.FORMAT,
    zorro.FORMAT,
    blimp.FORMAT,
    sentences.FORMAT,
    words.FORMAT,
    original.FORMAT,
    clams.FORMAT,
    tsv.FORMAT,
    penn.FORMAT,
    conllu.FORMAT,
    syntaxgym.FORMAT,
    lm_eval.FORMAT,
    hf.FORMAT,
    hf.PARQUET,
)


def find_format(name: str) -> Format:
    """The format of a name.  Raises UsageError with the nearest one."""
    for form in FORMATS:
        if form.name == name:
            return form
    known = [form.name for form in FORMATS]
    hint = nearest(name, known) or f"there are {', '.join(known)}"
    raise UsageError(f"unknown format '{name}': {hint}")
