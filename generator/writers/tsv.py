"""Starling's own table: one row a pair, for spreadsheets.  Tab-separated, no quoting."""

from __future__ import annotations

from generator import facts
from generator.items import Item
from generator.writers.base import Format, FormatError, named_pairs, one_line, require_pairs

HEADER = "id\tparadigm\tphenomenon\tfield\ttemplate\tpair\tcrossed\tsentence_good\tsentence_bad"


def _lines(item: Item) -> list[str]:
    require_pairs(item, "tsv")
    crossed = "; ".join(f"{name}={value}" for name, value in item.crossed)
    if any("; " in value or "=" in name for name, value in item.crossed):
        raise FormatError(f"{item.id}: the format 'tsv' cannot hold '; ' in a crossed value: {crossed!r}")
    rows = []
    for pair_id, good, bad in named_pairs(item):
        # An item that was read as one pair of several has the pair's id; BLiMP's own ids are no numbers of pairs.
        whole, dot, pair = pair_id.rpartition(".")
        name, place = (whole, pair) if dot and item.id in (whole, pair_id) else (item.id, "1")
        row = (
            name, item.paradigm, item.phenomenon, item.field, item.template, place, crossed, good.text, bad.text,
        )  # fmt: skip
        rows.append("\t".join(one_line(item, field, "tsv") for field in row))
    return rows


FORMAT = Format(
    "tsv",
    "a table with a header, one row a pair",
    ".tsv",
    "tokens",
    ("forced",),
    _lines,
    header=HEADER,
    holds=frozenset(
        {
            facts.IDS,
            facts.PARADIGM,
            facts.PHENOMENON,
            facts.FIELD,
            facts.TEMPLATE,
            facts.CROSSED,
            facts.GOOD,
            facts.STARRED,
            facts.MANY,
            facts.UNEQUAL,
        }
    ),
    is_textual=True,
)
