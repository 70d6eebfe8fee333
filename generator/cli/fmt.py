"""`gen fmt`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace

from generator.errors import Diagnostic, StarlingError, UsageError
from generator.formatting_files import Outcome, outcomes, rewrite
from generator.output import standard_output


def run(options: argparse.Namespace) -> int:
    """Lay grammars out; 3 if a file cannot be read or written, else 1 if `--check` or `--diff` finds one to change."""
    is_report = options.check or options.diff
    if options.json and not is_report and "-" in options.files:
        raise UsageError("with '-' the laid out text is what is printed: --json needs --check or --diff")
    done: list[Outcome] = []
    for outcome in outcomes(options.files):
        done.append(outcome if is_report else _written(outcome))
        _show(done[-1], options)
    if options.json:
        rows = [each.as_json() | ({"diff": each.diff()} if options.diff else {}) for each in done]
        with standard_output() as stream:
            stream.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
    _summarize(done, is_report)
    if any(outcome.findings for outcome in done):
        return 3
    return int(is_report and any(outcome.is_changed for outcome in done))


def _written(outcome: Outcome) -> Outcome:
    if outcome.path is None or not outcome.is_changed or outcome.findings:
        return outcome
    try:
        rewrite(outcome.path, outcome.after)
    except StarlingError as error:
        return replace(outcome, after=outcome.before, findings=(Diagnostic("file", str(error)),))
    return outcome


def _show(outcome: Outcome, options: argparse.Namespace) -> None:
    if outcome.findings:
        if not options.json:
            for finding in outcome.findings:
                sys.stderr.write(("" if finding.span else "gen: ") + finding.render() + "\n")
        return
    if options.json:
        return
    with standard_output() as stream:
        if options.diff:
            stream.write(outcome.diff())
        elif options.check:
            stream.write(f"{outcome.name}\n" if outcome.is_changed else "")
        elif outcome.path is None:
            stream.write(outcome.after)
    if outcome.is_changed and outcome.path is not None and not (options.check or options.diff):
        sys.stderr.write(f"gen: formatted {outcome.name}\n")


def _summarize(done: list[Outcome], is_report: bool) -> None:
    failed = sum(bool(outcome.findings) for outcome in done)
    changed = sum(outcome.is_changed for outcome in done)
    counts = [
        (changed, "to format" if is_report else "formatted"),
        (len(done) - failed - changed, "in canonical layout" if is_report else "as before"),
        (failed, "left alone"),
    ]
    told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    sys.stderr.write(f"gen: {len(done):,} grammar{'' if len(done) == 1 else 's'}: {told}\n")
