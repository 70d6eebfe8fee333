"""A difference in words, rows and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from generator.differing_types import Difference, Estimates, Sample, Share, Space, StatementChange, Tally
from generator.errors import listed
from generator.items import Item
from generator.writers.jsonl import item_record

Rows = tuple[Sequence[str], Sequence[Sequence[str]]]
"""The names of columns, and rows of cells."""

_MOST_TEMPLATES = 40  # rows of a table; JSON has all
_MOST_STATEMENTS = 12

_HOW = {
    "same": "the inputs say the same",
    "listed": "exact: every item was compared",
    "counted": "exact: counted",
    "estimated": "estimated from samples",
}


def headline(found: Difference) -> str:
    """What was compared, how, and what came of it."""
    noun = "open-ended items" if found.flavour == "open" else "items"
    if found.new is None:
        assert found.old is not None
        return f"{found.paradigm}: {_amount(found.old)} {noun} in OLD, none in NEW: all are removed"
    if found.old is None:
        return f"{found.paradigm}: no {noun} in OLD, {_amount(found.new)} in NEW: all are added"
    sizes = f"{_amount(found.old)} {noun} in OLD, {_amount(found.new)} in NEW"
    if (
        found.method == "listed" and found.tally is not None
    ):  # what was compared one by one is known exactly, whatever the counts could say
        sizes = f"{found.tally.old:,} {noun} in OLD, {found.tally.new:,} in NEW"
    how = _HOW[found.method] + (f", since {found.reason}" if found.reason else "")
    if not found.is_empty:
        return f"{found.paradigm}: {sizes} ({how})"
    if found.estimates is not None:
        most = max(found.estimates.removed.interval[1], found.estimates.added.interval[1])
        seen = found.estimates.removed.sample, found.estimates.added.sample
        return (
            f"{found.paradigm}: {sizes}; no difference among {seen[0]:,} and {seen[1]:,} of them, so that up to "
            f"{100 * most:.2f}% may differ ({how})"
        )
    return f"{found.paradigm}: no difference, {_amount(found.new)} {noun} ({how})"


def _amount(space: Space) -> str:
    return ("" if space.exact else "at most ") + f"{space.items:,}"


# --- numbers ----------------------------------------------------------------------------------------------------


def tally_rows(found: Difference) -> Rows:
    """The exact numbers, by template."""
    header = ("template", "old", "new", "removed", "added", "changed", "kept")
    rows = [(name, *_cells(tally)) for name, tally in found.rows[:_MOST_TEMPLATES]]
    left = found.rows[_MOST_TEMPLATES:]
    if left:
        rows.append((f"{len(left):,} more", *_cells(sum((tally for _, tally in left), Tally()))))
    assert found.tally is not None
    return header, [*rows, ("total", *_cells(found.tally))]


def _cells(tally: Tally) -> tuple[str, ...]:
    return (
        f"{tally.old:,}",
        f"{tally.new:,}",
        f"{tally.removed:,}",
        f"{tally.added:,}",
        _both(tally.changed_old, tally.changed_new),
        _both(tally.kept_old, tally.kept_new),
    )


def _both(old: int, new: int) -> str:
    return f"{old:,}" if old == new else f"{old:,} / {new:,}"


def share_rows(found: Difference) -> Rows:
    """The estimates, by template; the numbers of items are exact as far as `gen count` says so."""
    header = ("template", "old", "new", "removed from old", "added in new", "changed in old", "changed in new")
    shown = found.estimate_rows[:_MOST_TEMPLATES]
    rows = [(name, f"{old:,}", f"{new:,}", *_shares(shares)) for name, old, new, shares in shown]
    assert found.old is not None
    assert found.new is not None
    assert found.estimates is not None
    total = ("total", _amount(found.old), _amount(found.new), *_shares(found.estimates))
    return header, [*rows, total]


def _shares(found: Estimates) -> tuple[str, ...]:
    return tuple(map(_share, (found.removed, found.added, found.changed_old, found.changed_new)))


def _share(share: Share) -> str:
    if not share.sample:
        return ""
    low, high = share.interval
    return f"{100 * share.value:.2f}% [{100 * low:.2f}, {100 * high:.2f}]"


# --- causes -----------------------------------------------------------------------------------------------------


def cause_lines(found: Difference) -> Iterator[str]:
    """What differs between the inputs, a line each."""
    causes = found.causes
    for word in causes.words:
        parts = [f"{len(word.removed):,} removed: {listed(word.removed, 8)}"] if word.removed else []
        parts += [f"{len(word.added):,} added: {listed(word.added, 8)}"] if word.added else []
        yield f"words of {word.slot}: {'; '.join(parts)}"
    for kind, names in (("removed", causes.templates_removed), ("added", causes.templates_added)):
        if names:
            yield f"templates {kind}: {listed(names, 8)}"
    for mark, statements in (("-", causes.statements_removed), ("+", causes.statements_added)):
        yield from (f"{mark} {_place(each)}: {each.text}" for each in statements[:_MOST_STATEMENTS])
        if len(statements) > _MOST_STATEMENTS:
            yield f"{mark} and {len(statements) - _MOST_STATEMENTS:,} more statements"
    if causes.inputs:
        yield f"other files that differ: {listed(causes.inputs, 8)}"


def _place(statement: StatementChange) -> str:
    return f"{statement.file}:{statement.line}"


# --- samples ----------------------------------------------------------------------------------------------------


def sample_cells(found: Difference) -> Rows:
    """The items shown; of a changed one, what stands against its sentence on each side."""
    if found.flavour == "open":
        return ("", "template", "sentence"), [(s.kind, s.item.template, s.item.good.text) for s in found.samples]
    rows = [(s.kind, s.item.template, s.item.good.text, _others(s.old), _others(s.new)) for s in found.samples]
    if all(sample.kind != "changed" for sample in found.samples):
        return ("", "template", "acceptable", "starred"), [(*row[:3], row[3] or row[4]) for row in rows]
    return ("", "template", "acceptable", "starred in OLD", "starred in NEW"), rows


def _others(item: Item | None) -> str:
    if item is None:
        return ""
    return "\n".join(("+ " if c.acceptable else "") + c.text for c in item.conditions if c is not item.good)


# --- JSON -------------------------------------------------------------------------------------------------------


def as_record(found: Difference) -> dict[str, Any]:
    """Everything, as JSON."""
    return {
        "paradigm": found.paradigm,
        "flavour": found.flavour,
        "is_different": not found.is_empty,
        "method": found.method,
        "reason": found.reason,
        "old": found.old and found.old.as_json(),
        "new": found.new and found.new.as_json(),
        "items": found.tally and found.tally.as_json(),
        "templates": [{"template": name, **tally.as_json()} for name, tally in found.rows]
        or [
            {"template": name, "old": old, "new": new, "estimates": shares.as_json()}
            for name, old, new, shares in found.estimate_rows
        ],
        "estimates": found.estimates and found.estimates.as_json(),
        "causes": found.causes.as_json(),
        "samples": [_sample(sample) for sample in found.samples],
    }


def _sample(sample: Sample) -> dict[str, Any]:
    return {
        "change": sample.kind,
        "old": sample.old and item_record(sample.old),
        "new": sample.new and item_record(sample.new),
    }
