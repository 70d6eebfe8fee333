"""`gen count`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from generator.ambiguity import ambiguous
from generator.cli.common import choice_names, choice_value, choice_values, console, load_all, note_unused_words
from generator.errors import UsageError, listed, nearest
from generator.items import Flavour
from generator.planning import Plan, filter_lines, plan_flavours


def run(options: argparse.Namespace) -> int:
    """Exact counts by template and crossed values."""
    reports = []
    grammars = load_all(options.files, options.words)
    for grammar in grammars:
        reports.append(_report(grammar.paradigm, plan_flavours(grammar), options.by))
    note_unused_words(grammars)
    if options.json:
        sys.stdout.write(json.dumps(reports, ensure_ascii=False, indent=2) + "\n")
    else:
        _print(reports)
    return 0


def _report(paradigm: str, plans: dict[Flavour, Plan], by: str) -> dict[str, Any]:
    names = [name.strip().removeprefix("$") for name in by.split(",") if name.strip()] if by else []
    for name in names:
        if not any(choice_values(found, name) for found in plans.values()):
            known = list(dict.fromkeys(n for found in plans.values() for n in choice_names(found)))
            hint = nearest(name, known) or f"There are {listed(known, 12)}"
            raise UsageError(f"--by {by}: nothing to choose in {paradigm} is called '{name}'. {hint}")
    rows: dict[tuple[str, tuple[tuple[str, str], ...]], dict[str, Any]] = {}
    for flavour, found in plans.items():
        for template in found.templates:
            for leaf in template.leaves:
                values = tuple((n, choice_value(template, leaf, n)) for n in names if n != "template") or leaf.cell
                shown = template.name if not names or "template" in names else ""
                row = rows.setdefault((shown, values), {"template": shown, "crossed": dict(values)})
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
            "exact": ambiguous(plans["forced"]) is None and not plans["forced"].filters,
        }
    if "open" in plans:
        report["open_ended"] = plans["open"].items
    left_out = list(dict.fromkeys(line for found in plans.values() for line in filter_lines(found)))
    if left_out:
        report["not_counted"] = left_out
    return {**report, "rows": list(rows.values())}


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _print(reports: list[dict[str, Any]]) -> None:
    from rich.table import Table

    out = console()
    for report in reports:
        reason = (
            "conditions too large to count with" if "not_counted" in report else "some sentences have two derivations"
        )
        title = report["paradigm"] + ("" if report.get("exact", True) else f" (at most: {reason})")
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
        for line in report.get("not_counted", ()):
            out.print(f"not counted with: {line}")
