"""`gen make`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from generator._version import __version__
from generator.cli.common import console, load_all, note_unused_words
from generator.errors import UsageError
from generator.item_making import ItemMaker
from generator.items import Flavour
from generator.masking import OTHER, answer_tables
from generator.output import OutputError, standard_output, whole_file
from generator.planning import Plan, PlanTemplate, filter_lines, plan
from generator.realizing import Style
from generator.sampling import Run
from generator.writers import find_format
from generator.writers.base import Format, as_json


@dataclass
class _Job:
    plan: Plan
    run: Run
    path: Path | None
    made: int = 0


def run(options: argparse.Namespace) -> int:
    """Plan everything first, so that a usage error writes nothing; then write each file whole."""
    form = find_format(options.format)
    shard = parse_shard(options.shard)
    flavours: tuple[Flavour, ...] = ("forced", "open") if options.flavour == "both" else (options.flavour,)
    for flavour in flavours:
        if flavour not in form.flavours:
            raise UsageError(
                f"the format '{form.name}' holds minimal pairs only; --flavour {options.flavour} needs "
                "'items' or 'babeval'"
            )
    if not options.mask.strip() or re.search(r"\s", options.mask):
        raise UsageError("--mask is one word without spaces")
    grammars = load_all(options.files, options.words)
    folder = output_folder(options.output)
    jobs = []
    for grammar in grammars:
        for flavour in flavours:
            found = plan(grammar, flavour)
            path = None
            if folder is not None:
                inside = {"forced": "forced_choice", "open": "open_ended"}[flavour]
                nested = form.flavour_folders or len(flavours) > 1
                path = folder / (inside if nested else "") / f"{file_stem(found, form)}{form.suffix}"
            jobs.append(_Job(found, Run(found, None if options.all else options.n, options.seed), path))
    paths = [job.path for job in jobs if job.path is not None]
    twice = sorted({str(p) for p in paths if paths.count(p) > 1})
    if twice:
        raise UsageError(f"two grammars of one paradigm would both be written to {twice[0]}")
    note_unused_words(grammars)
    style: Style = options.style or form.style
    if folder is not None:
        for job in jobs:
            assert job.path is not None
            with whole_file(job.path) as stream:
                _write(stream, [job], form, style, options.mask, shard)
            _sidecar(job.path, [job], form, options.mask)
    elif options.output == "-":
        with standard_output() as stream:
            _write(stream, jobs, form, style, options.mask, shard)
    else:
        with whole_file(Path(options.output)) as stream:
            _write(stream, jobs, form, style, options.mask, shard)
        _sidecar(Path(options.output), jobs, form, options.mask)
    if not options.quiet:
        for job in jobs:
            sys.stderr.write(_signature(job, options, shard) + "\n")
            if job.plan.filters:
                reasons = "; ".join(filter_lines(job.plan))
                sys.stderr.write(
                    f"gen: note: {job.made:,} of {_asked(job, shard):,} numbers are items; left empty by {reasons}\n"
                )
    return 0


def output_folder(output: str) -> Path | None:
    """The folder that `-o` names: an existing one, or a name without an ending; None for a file or '-'."""
    if output == "-":
        return None
    path = Path(output)
    if path.is_dir() or output.endswith("/") or not path.suffix:
        if path.exists() and not path.is_dir():
            return None
        return path
    return None


def parse_shard(text: str) -> tuple[int, int]:
    """`3/16` as (3, 16).  Raises UsageError."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match:
        raise UsageError(f"--shard '{text}': write K/M, as in 3/16")
    part, of = int(match.group(1)), int(match.group(2))
    if not 1 <= part <= of:
        raise UsageError(f"--shard {text}: there is no part {part} of {of}; K goes from 1 to M")
    return part, of


def file_stem(found: Plan, form: Format) -> str:
    """The name of a grammar's file: Zorro's names begin with the phenomenon."""
    phenomenon = re.sub(r"[^\w-]+", "_", found.grammar.meta.get("phenomenon", ""))
    if form.name == "zorro" and phenomenon:
        return f"{phenomenon}-{found.grammar.paradigm}"
    return found.grammar.paradigm


def _write(stream: IO[str], jobs: list[_Job], form: Format, style: Style, mask: str, shard: tuple[int, int]) -> None:
    if form.header and shard[0] == 1:
        stream.write(form.header + "\n")
    for job in jobs:
        maker = ItemMaker(job.plan, style, mask, job.run.seed)
        block: list[str] = []
        for template, index in _watched(job, shard):
            assert form.lines is not None
            block.extend(form.lines(maker.item(template, index)))
            job.made += 1
            if len(block) > 5000:
                stream.write("\n".join(block) + "\n")
                block.clear()
        if block:
            stream.write("\n".join(block) + "\n")


def _asked(job: _Job, shard: tuple[int, int]) -> int:
    """How many ranks a shard has."""
    return shard[0] * job.run.count // shard[1] - (shard[0] - 1) * job.run.count // shard[1]


def _watched(job: _Job, shard: tuple[int, int]) -> Iterator[tuple[PlanTemplate, int]]:
    """The run's ranks, with a progress bar on a terminal where there are many."""
    total = _asked(job, shard)
    if total < 20_000 or not sys.stderr.isatty():
        yield from job.run.shard(*shard)
        return
    from rich.progress import track

    yield from track(
        job.run.shard(*shard), job.plan.grammar.paradigm, total=total, console=console(stderr=True), transient=True
    )


def _sidecar(path: Path, jobs: list[_Job], form: Format, mask: str) -> None:
    """The answer classes of open-ended items, beside their file."""
    open_jobs = [job for job in jobs if job.plan.flavour == "open"]
    if not open_jobs or not form.needs_sidecar:
        return
    paradigms = {}
    for job in open_jobs:
        tables = answer_tables(job.plan)
        classes = list(dict.fromkeys(name for table in tables.values() for name in table))
        paradigms[job.plan.grammar.paradigm] = {
            "mask": mask,
            "classes": [*classes, OTHER],
            "answers": {key: {name: list(words) for name, words in table.items()} for key, table in tables.items()},
        }
    with whole_file(path.with_suffix(".answers.json")) as stream:
        stream.write(as_json({"format": "starling-answers-1", "paradigms": paradigms}) + "\n")


def _signature(job: _Job, options: argparse.Namespace, shard: tuple[int, int]) -> str:
    """One line that says what was made, from what."""
    grammar = job.plan.grammar
    words = grammar.lexicon.digest[:8] + (f"+{grammar.choices.digest[:8]}" if grammar.choices.digest else "")
    amount = "all" if options.all else f"n{job.run.count}|seed{options.seed}"
    part = f"|shard{shard[0]}/{shard[1]}" if shard != (1, 1) else ""
    return (
        f"gen: {grammar.paradigm}|{job.plan.flavour}|{job.run.count} of {job.plan.items} items|{amount}{part}"
        f"|grammar {grammar.digest[:8]}|words {words}|starling {__version__}"
    )


__all__ = ["OutputError", "file_stem", "output_folder", "parse_shard", "run"]
