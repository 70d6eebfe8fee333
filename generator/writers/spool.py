"""Rows set aside: what a file's head must know (regions, columns) shows only when the last item has been read."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import IO, Any

IN_MEMORY = 4_000_000


class Spool:
    """JSON values in order, in memory while they are few and in a temporary file beyond `IN_MEMORY` characters."""

    def __init__(self) -> None:
        self._stream: IO[str] = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - closed by __exit__
            IN_MEMORY, "w+", encoding="utf-8", newline="\n"
        )
        self.count = 0

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def add(self, value: Any) -> None:
        """Set a value aside."""
        self._stream.write(json.dumps(value, ensure_ascii=False) + "\n")
        self.count += 1

    def __iter__(self) -> Iterator[Any]:
        """The values, in the order in which they came; may be asked for again."""
        self._stream.seek(0)
        for line in self._stream:
            yield json.loads(line)
