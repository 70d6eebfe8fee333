"""Zorro (Huebner et al. 2021), `PHENOMENON-PARADIGM.txt`: the starred line, then the acceptable one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scorers.items import Item
from scorers.readers.base import ItemReader
from scorers.readers.lines import couples, is_plain, look_paired, pair_item
from scorers.readers.source import Report, Source


def _read(source: Source, report: Report) -> Iterator[Item]:
    phenomenon, _, paradigm = source.label.rpartition("-")
    for line, bad, good in couples(source, report):
        yield pair_item(source, line, good, bad, paradigm, phenomenon)


def _detect(source: Source) -> bool:
    if not is_plain(source):
        return False
    is_named = re.fullmatch(r"[^\W\d]\w*(-\w+)+", source.stem) and source.suffix == ".txt"
    return bool(is_named or "zorro" in source.folders[:2]) and look_paired(source)


READER = ItemReader("zorro", "Zorro text: the starred line, then the acceptable one", _read, _detect)
