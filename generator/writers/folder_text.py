"""What the README of a folder says, whichever format the folder has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from generator._version import __version__
from generator.writers.base import Origin


@dataclass(frozen=True)
class Counted:
    """How much there is of a paradigm; `rows` counts the rows of its file."""

    stem: str
    items: int
    pairs: int
    rows: int
    phenomena: tuple[str, ...]


def contents(counted: Sequence[Counted]) -> str:
    """A Markdown table: a row a paradigm, and the sums."""
    rows = [
        f"| `{entry.stem}` | {', '.join(entry.phenomena)} | {entry.items:,} | {entry.pairs:,} |" for entry in counted
    ]
    items, pairs = sum(entry.items for entry in counted), sum(entry.pairs for entry in counted)
    return "\n".join(
        [
            "| paradigm | phenomenon | items | pairs |",
            "|---|---|---|---|",
            *rows,
            f"| all {len(counted)} | | {items:,} | {pairs:,} |",
        ]
    )


def provenance(origin: Origin) -> str:
    """How the sentences were made, and under which licence they are."""
    text = f"Written by Starling {__version__}."
    if origin.signatures:
        lines = "\n".join(origin.signatures.values())
        text += f" One signature for each paradigm says what made it:\n\n```\n{lines}\n```"
    if origin.licences:
        text += f"\n\nLicence of the word lists that the sentences are made of: {', '.join(origin.licences)}."
    return text
