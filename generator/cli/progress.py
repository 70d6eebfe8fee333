"""The progress bar of long work, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from generator.cli.common import console

_WORTH_SHOWING = 20_000


@contextmanager
def progress(name: str, total: int) -> Iterator[Callable[[int], object]]:
    """A bar on standard error where there is much to make and someone looks."""
    if total < _WORTH_SHOWING or not sys.stderr.isatty():
        yield lambda _count: None
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bars:
        task = bars.add_task(name, total=total)
        yield lambda count: bars.advance(task, count)
