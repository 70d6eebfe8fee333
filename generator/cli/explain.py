"""`gen explain`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from generator.cli.common import load_all, note_unused_words
from generator.errors import listed
from generator.explaining import Explanation, GrammarExplanation, SlotWords, explain


def run(options: argparse.Namespace) -> int:
    """What grammars contrast, in plain English."""
    grammars = load_all(options.files, options.words)
    found = [explain(grammar) for grammar in grammars]
    note_unused_words(grammars)
    if options.json:
        records = [_record(explanation) for explanation in found]
        sys.stdout.write(json.dumps(records, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write("\n\n".join("\n".join(_lines(explanation)) for explanation in found) + "\n")
    return 0


def _lines(found: GrammarExplanation) -> Iterator[str]:
    yield found.paradigm + (f": {found.meta['about']}" if "about" in found.meta else "")
    facts = [f"{key} {found.meta[key]}" for key in ("phenomenon", "field", "language", "source") if key in found.meta]
    if facts:
        yield f"  {', '.join(facts)}"
    for template in found.templates:
        yield ""
        yield from _template(template, found.exact)
    if found.not_counted:
        yield ""
        yield "Not counted with (numbers that fail these stay empty):"
        yield from (f"  {line}" for line in found.not_counted)
    if found.findings:
        yield ""
        yield "Left out, and why:"
        for finding in found.findings:
            yield f"  {finding.message}" + (f": {finding.hint}" if finding.hint else "")


def _template(template: Explanation, exact: bool) -> Iterator[str]:
    yield f"Template {template.name}"
    yield f"  {template.sentence}"
    yield from (f"  - {line}" for line in template.contrast)
    most = "" if exact else "at most "
    counts = []
    if template.items:
        counts.append(f"{most}{template.items:,} items with {template.pairs:,} pairs")
    if template.open_ended:
        counts.append(f"{template.open_ended:,} open-ended items")
    yield f"  {', '.join(counts) or 'no items'}"
    for example in template.examples:
        yield f"  for example: {' / '.join(example)}"
    for name, values in template.variables.items():
        yield f"  {name} is {' or '.join(values)}"
    yield "  Words:"
    yield from (f"    {_slot(slot)}" for slot in template.slots)
    if template.conditions:
        yield "  Conditions:"
        yield from (f"    {line}" for line in template.conditions)


def _slot(slot: SlotWords) -> str:
    number = len(slot.words)
    name = slot.slot if slot.slot == slot.class_name else f"{slot.slot} ({slot.class_name})"
    shown = ", ".join(slot.words[:8]) + (", ..." if number > 8 else "")
    line = f"{name}: {number:,} form{'' if number == 1 else 's'}: {shown}"
    if slot.left_out:
        line += f"; left out, no form fits or a condition bars them: {listed(slot.left_out, 5)}"
    return line


def _record(found: GrammarExplanation) -> dict[str, Any]:
    return {
        "paradigm": found.paradigm,
        **found.meta,
        "exact": found.exact,
        "not_counted": list(found.not_counted),
        "templates": [
            {
                "template": template.name,
                "sentence": template.sentence,
                "contrast": list(template.contrast),
                "items": template.items,
                "pairs": template.pairs,
                "open_ended": template.open_ended,
                "variables": {name: list(values) for name, values in template.variables.items()},
                "slots": [
                    {
                        "slot": slot.slot,
                        "class": slot.class_name,
                        "words": list(slot.words),
                        "left_out": list(slot.left_out),
                    }
                    for slot in template.slots
                ],
                "conditions": list(template.conditions),
                "examples": [list(example) for example in template.examples],
            }
            for template in found.templates
        ],
        "findings": [finding.message for finding in found.findings],
    }
