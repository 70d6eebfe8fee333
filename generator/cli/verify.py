"""`gen verify`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from generator.cli.progress import progress
from generator.manifest import find_manifests, read_manifest
from generator.verifying import Report, verify


def run(options: argparse.Namespace) -> int:
    """Verify every manifest; 1 if anything differs."""
    manifests = [read_manifest(path) for name in options.manifests for path in find_manifests(Path(name))]
    reports = []
    for manifest in manifests:
        reports.append(verify(manifest, progress))
        if not options.json:
            _show(reports[-1])
    if options.json:
        rows = [report.as_json() for report in reports]
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
    return int(not all(report.is_same for report in reports))


def _show(report: Report) -> None:
    if report.is_same:
        files = f"{report.files:,} file{'' if report.files == 1 else 's'}"
        sys.stdout.write(f"{report.manifest}: same: {files}, {report.items:,} items made again\n")
    else:
        number = len(report.differences)
        sys.stdout.write(f"{report.manifest}: {number:,} difference{'' if number == 1 else 's'}\n")
    for difference in report.differences:
        for line in difference.lines():
            sys.stdout.write(f"  {line}\n")
    sys.stdout.flush()
    for note in report.notes:
        sys.stderr.write(f"gen: note: {note}\n")
