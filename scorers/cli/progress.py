"""How far a long run is: a bar with rate and time left, on standard error, where someone looks at it."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


class Progress:
    """A bar over a number of things; nothing where standard error is no terminal."""

    def __init__(self, total: int, what: str = "sentences") -> None:
        self._total, self._what = total, what
        self._bar: Bar | None = None

    def __enter__(self) -> Progress:
        if not sys.stderr.isatty():
            return self
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar
        from rich.text import Text

        what = self._what

        class Rate(ProgressColumn):
            """Things a second."""

            def render(self, task: object) -> Text:
                speed = getattr(task, "finished_speed", None) or getattr(task, "speed", None)
                return Text(f"{speed:,.0f} {what}/s" if speed else "")

        columns = (BarColumn(), MofNCompleteColumn(), Rate(), TextColumn("left"), TimeRemainingColumn())
        # What is there already is no speed: the bar begins behind it.
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=30)
        self._bar.start()
        self._task = self._bar.add_task("", total=self._total)
        self._is_first = True
        return self

    def advance(self, count: int) -> None:
        """So many more are done; the first call says how many were done before."""
        if self._bar is None:
            return
        if self._is_first:
            self._is_first = False
            self._bar.update(self._task, completed=count)
            self._bar.reset(self._task, completed=count, total=self._total)
        else:
            self._bar.advance(self._task, count)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
