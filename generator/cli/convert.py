"""`gen convert`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generator.converting import STANDARD_OUTPUT, Place, Report, convert, format_of_name, place_of
from generator.errors import UsageError
from generator.output import Files, standard_output
from generator.readers.finding import find_sources
from generator.writers import find_format

SHOWN_WARNINGS = 20


def run(options: argparse.Namespace) -> int:
    """Read everything, then give all files their names, or none."""
    if options.json and options.output == "-":
        raise UsageError("--json and the converted items cannot both go to standard output: name a file")
    form = find_format(options.to) if options.to is not None else format_of_name(options.output)
    with TemporaryDirectory(prefix="starling-") as name:
        folder = Path(name)
        inputs = find_sources(options.files, options.source, folder)
        place = place_of(options.output, form, inputs)
        # What goes to standard output is complete before its first byte does.
        kept = Place(folder / "output", False) if place.path == STANDARD_OUTPUT else place
        with Files() as sink:
            report = convert(inputs, form, kept, sink)
        if kept is not place:
            with standard_output() as stream, kept.path.open(encoding="utf-8", newline="") as whole:
                shutil.copyfileobj(whole, stream)
    if options.json:
        sys.stdout.write(json.dumps(_as_json(report, sink), indent=2, ensure_ascii=False) + "\n")
    if not options.quiet:
        _tell(report, len(sink.written), options.output)
    return 0


def _tell(report: Report, files: int, output: str) -> None:
    by_format: dict[tuple[str, bool], list[tuple[str, int]]] = {}
    for found, count in report.read:
        by_format.setdefault((found.reader.name, found.is_detected), []).append((found.source.name, count))
    for (name, is_detected), sources in by_format.items():
        what = sources[0][0] if len(sources) == 1 else f"{len(sources):,} files"
        count = sum(number for _, number in sources)
        how = f"looks like '{name}'" if is_detected else f"'{name}'"
        _say(f"read {count:,} items: {what} ({how})")
        if is_detected and name == "text":
            _say("note: each line is a sentence; if two lines are a pair, --from zorro or --from babeval says so")
    warnings = report.warnings
    for warning in warnings[:SHOWN_WARNINGS]:
        _say(f"warning: {warning}")
    if len(warnings) > SHOWN_WARNINGS:
        _say(f"warning: ... and {len(warnings) - SHOWN_WARNINGS:,} more")
    where = "" if output == "-" else f": {output}" if files == 1 else f": {files:,} files in {output}"
    _say(f"wrote {report.items:,} items{where} ('{report.form.name}')")
    losses = report.losses()
    if losses:
        _say("lost: " + ", ".join(f"{fact} ({count:,})" for fact, count in losses.items()))


def _say(text: str) -> None:
    sys.stderr.write(f"gen: {text}\n")


def _as_json(report: Report, sink: Files) -> dict[str, Any]:
    return {
        "read": [
            {
                "file": found.source.name,
                "format": found.reader.name,
                "detected": found.is_detected,
                "items": count,
                "warnings": found.source.findings.warnings,
            }
            for found, count in report.read
        ],
        "written": [
            {"file": written.path, "format": report.form.name, "lines": written.lines, "sha256": written.sha256}
            for written in sink.written
        ],
        "items": report.items,
        "lost": report.losses(),
    }
