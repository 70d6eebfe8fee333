"""`gen count`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from generator.cli.common import console, load_all, note_unused_words
from generator.errors import UsageError
from generator.plan_checks import ambiguous
from generator.planning import FLAVOURS, Plan, plan


def run(options: argparse.Namespace) -> int:
    """Exact counts by template and crossed values."""
    reports = []
    grammars = load_all(options.files, options.words)
    for grammar in grammars:
        plans: dict[str, Plan] = {}
        reason = ""
        for flavour in FLAVOURS:
            try:
                plans[flavour] = plan(grammar, flavour)
            except UsageError as error:
                reason = str(error)
        if not plans:
            raise UsageError(reason)
        reports.append(_report(grammar.paradigm, plans))
    note_unused_words(grammars)
    if options.json:
        sys.stdout.write(json.dumps(reports, ensure_ascii=False, indent=2) + "\n")
    else:
        _print(reports)
    return 0


def _report(paradigm: str, plans: dict[str, Plan]) -> dict[str, Any]:
    rows: dict[tuple[str, tuple[tuple[str, str], ...]], dict[str, Any]] = {}
    for flavour, found in plans.items():
        for template in found.templates:
            for leaf in template.leaves:
                row = rows.setdefault(
                    (template.name, leaf.cell), {"template": template.name, "crossed": dict(leaf.cell)}
                )
                if flavour == "forced":
                    row["items"] = row.get("items", 0) + leaf.items
                    row["pairs"] = row.get("pairs", 0) + leaf.versions
                else:
                    row["open_ended"] = row.get("open_ended", 0) + leaf.items
    report: dict[str, Any] = {"paradigm": paradigm}
    if "forced" in plans:
        report |= {
            "items": plans["forced"].items,
            "pairs": plans["forced"].versions,
            "exact": ambiguous(plans["forced"]) is None,
        }
    if "open" in plans:
        report["open_ended"] = plans["open"].items
    return {**report, "rows": list(rows.values())}


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _print(reports: list[dict[str, Any]]) -> None:
    from rich.table import Table

    out = console()
    for report in reports:
        title = report["paradigm"] + (
            "" if report.get("exact", True) else " (at most: some sentences have two derivations)"
        )
        table = Table(title=title, title_justify="left")
        table.add_column("template")
        table.add_column("crossed")
        for name in ("items", "pairs", "open-ended"):
            table.add_column(name, justify="right")
        for row in report["rows"]:
            crossed = " ".join(f"{k}={v}" for k, v in row["crossed"].items())
            table.add_row(
                row["template"],
                crossed,
                _number(row.get("items")),
                _number(row.get("pairs")),
                _number(row.get("open_ended")),
            )
        table.add_section()
        table.add_row(
            "total", "", _number(report.get("items")), _number(report.get("pairs")), _number(report.get("open_ended"))
        )
        out.print(table)
