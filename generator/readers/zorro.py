"""Zorro text, `PHENOMENON-PARADIGM.txt`: the starred line, then the acceptable one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from generator.items import Item
from generator.readers.base import Reader, Source, member
from generator.readers.couples import couples, look_paired
from generator.readers.text import is_plain


def _read(source: Source) -> Iterator[Item]:
    phenomenon, _, paradigm = source.stem.rpartition("-")
    for line, bad, good in couples(source):
        yield Item(
            f"{source.stem}:{line}",
            paradigm or source.stem,
            "",
            0,
            (member(good, True), member(bad, False, rank=1)),
            phenomenon=phenomenon,
            line=line,
        )


def _detect(source: Source) -> bool:
    if not is_plain(source):
        return False
    named = re.fullmatch(r"[^\W\d]\w*(-\w+)+", source.stem) and Path(source.name).suffix == ".txt"
    return bool(named or "zorro" in source.folders[:2]) and look_paired(source)


READER = Reader("zorro", "Zorro text: the starred line, then the acceptable one", _read, _detect)
