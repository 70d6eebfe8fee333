"""Writes the files of a run from several processes: the same bytes, on every processor that there is."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from generator.making import Job, Request, Tally, Target, Watch, file_text, unwatched, write, write_answers
from generator.output import Sink
from generator.self_checks import Finding

LEAST, MOST = 20_000, 400_000
"""How many items are worth a process, and how many are held in memory: a file's text comes back whole."""

_Made = tuple[str, list[tuple[Tally, tuple[Finding, ...]]]]

_shared: tuple[Sequence[Job], Request] | None = None  # what the processes inherit: plans are not sent


def write_all(jobs: Sequence[Job], request: Request, target: Target, sink: Sink, watch: Watch = unwatched) -> None:
    """Write every job through `sink`, from several processes where that pays."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    files: dict[Path, list[int]] = {}
    for number, job in enumerate(jobs):
        files.setdefault(job.path, []).append(number)
    amount = sum(job.asked(request.shard) for job in jobs)
    if request.form.folder is not None or min(len(files), processors) < 2 or not LEAST <= amount <= MOST:
        write(jobs, request, target, sink, watch)
        return
    global _shared
    _shared = jobs, request
    context = multiprocessing.get_context("fork")
    try:
        with ProcessPoolExecutor(min(processors, len(files)), context, _leave_interrupts) as pool:
            made = pool.map(_make, files.values())
            try:
                for (path, numbers), (text, found) in zip(files.items(), made, strict=True):
                    own = [jobs[number] for number in numbers]
                    _write(path, own, text, found, request, sink, watch)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    finally:
        _shared = None


def _write(
    path: Path,
    own: Sequence[Job],
    text: str,
    found: Sequence[tuple[Tally, tuple[Finding, ...]]],
    request: Request,
    sink: Sink,
    watch: Watch,
) -> None:
    """Write a file that another process has made, and take over what was counted and found there."""
    total = sum(job.asked(request.shard) for job in own)
    with watch(own[0].plan.grammar.paradigm, total) as advance, sink.open(path) as stream:
        stream.write(text)
        advance(total)
    for job, (tally, findings) in zip(own, found, strict=True):
        job.tally, job.findings = tally, findings
    write_answers(path, own, request, sink)


def _leave_interrupts() -> None:
    """Ctrl-C is the first process's: it stops the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _make(numbers: Sequence[int]) -> _Made:
    assert _shared is not None
    jobs, request = _shared
    own = [jobs[number] for number in numbers]
    return file_text(own, request), [(job.tally, job.findings) for job in own]
