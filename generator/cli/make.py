"""`gen make`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from generator.cli.common import load_all, note_unused_words
from generator.cli.progress import progress
from generator.making import Job, Request, Target, jobs_of, requested, signature, target_of
from generator.manifest import Asked, build, manifest_path, other_files, write_manifest
from generator.output import Files, is_device
from generator.planning import filter_lines
from generator.sharing import write_all
from generator.vocabularies import read_vocabulary


def run(options: argparse.Namespace) -> int:
    """Plan everything first, so that a wrong request writes nothing; then write all files, the manifest last."""
    vocabulary = read_vocabulary(Path(options.vocab)) if options.vocab is not None else None
    count = None if options.all else options.n
    request = requested(
        options.format,
        options.flavour,
        count,
        options.seed,
        options.style,
        options.mask,
        options.shard,
        vocabulary,
    )
    target = target_of(options.output, request.form)
    grammars = load_all(options.files, options.words)
    jobs = jobs_of(grammars, request, target)
    note_unused_words(grammars)
    place = _manifest_place(options, target)
    with Files(are_digested=place is not None) as sink:
        write_all(jobs, request, target, sink, progress)
        if place is not None:
            asked = Asked(tuple(options.files), options.words, options.vocab, options.flavour, options.output)
            content = build(jobs, request, target, asked, sink.written, place.parent)
            others = other_files(place, content)
            write_manifest(content, place, sink)
    if not options.quiet:
        if place is not None and others:
            sys.stderr.write(
                f"gen: note: '{place}' was the manifest of other files ({', '.join(others[:3])}), which have none now; "
                "give each run a folder of its own, or --manifest\n"
            )
        _summary(jobs, request)
    return 0


def _manifest_place(options: argparse.Namespace, target: Target) -> Path | None:
    if options.manifest is not None:
        return Path(options.manifest)
    if options.no_manifest or is_device(target.path):
        return None
    return manifest_path(target)


def _summary(jobs: Sequence[Job], request: Request) -> None:
    for job in jobs:
        sys.stderr.write(f"gen: {signature(job, request)}\n")
        if job.plan.filters:
            reasons = "; ".join(filter_lines(job.plan))
            sys.stderr.write(
                f"gen: note: {job.tally.items:,} of {job.asked(request.shard):,} numbers are items; "
                f"left empty by {reasons}\n"
            )
        for finding in job.findings:
            sys.stderr.write(f"gen: warning: {job.plan.grammar.paradigm}: {finding.line()}\n")
    clean = sum(not job.findings for job in jobs)
    if clean == len(jobs):
        sys.stderr.write("gen: self-checks: nothing found\n")
