"""`gen new`."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from generator.errors import DataError, UsageError
from generator.output import whole_file

_SKELETON = """\
# {name}: say in one line what the pair tests.
paradigm    {name}
phenomenon  subject_verb_agreement
field       syntax
language    en

slot Subject = noun animate countable -number_ambiguous -collective
slot Action  = verb intransitive -particle -prep

+ the {{subj=Subject $n}} {{Action pres $n | *Action pres !$n}} .

cross   $n                           # singular and plural equally often

example the dogs sleep . / * the dogs sleeps .
"""


def run(options: argparse.Namespace) -> int:
    """Write a first grammar that checks and runs."""
    if not re.fullmatch(r"[\w-]+", options.name):
        raise UsageError(f"'{options.name}' cannot be a paradigm's name: use letters, digits, '_' and '-'")
    path = Path(f"{options.name}.grammar")
    if path.exists():
        raise DataError(f"'{path}' exists already; nothing was changed")
    with whole_file(path) as stream:
        stream.write(_SKELETON.format(name=options.name))
    sys.stderr.write(f"gen: wrote {path}. Next: gen check {path}; gen preview {path}\n")
    return 0
