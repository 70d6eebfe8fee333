"""The items of a paradigm as a table, for formats whose files have columns: a row a pair, or a row a condition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.items import Item
from generator.writers.base import named_pairs
from generator.writers.spool import Spool

HEAD = ("id", "paradigm", "phenomenon", "field", "language", "template")
CROSSED = "crossed_"
FACTOR = "factor_"


class ItemTable:
    """Takes a paradigm's items; its rows have the same columns throughout, a text each (`acceptable` apart)."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._crossed: dict[str, None] = {}
        self._factors: dict[str, None] = {}
        self.languages: dict[str, None] = {}
        self.phenomena: dict[str, None] = {}
        self.has_pairs = True
        self.items = 0
        self.pairs = 0
        self.conditions = 0

    def add(self, item: Item) -> None:
        """Take an item in."""
        place = {id(condition): number for number, condition in enumerate(item.conditions)}
        pairs = [(name, place[id(good)], place[id(bad)]) for name, good, bad in named_pairs(item)]
        self._crossed.update(dict.fromkeys(name for name, _ in item.crossed))
        self._factors.update(dict.fromkeys(factor for c in item.conditions for factor in c.levels))
        self.languages.update(dict.fromkeys([item.language] if item.language else []))
        self.phenomena.update(dict.fromkeys([item.phenomenon] if item.phenomenon else []))
        # A table of pairs leaves out what no pair holds: factor designs, and members that nothing is said of.
        self.has_pairs &= bool(pairs) and not any(c.levels or c.acceptable is None for c in item.conditions)
        self.items += 1
        self.pairs += len(pairs)
        self.conditions += len(item.conditions)
        self._spool.add(
            {
                "head": [item.id, item.paradigm, item.phenomenon, item.field, item.language, item.template],
                "crossed": dict(item.crossed),
                "conditions": [[c.name, c.acceptable, c.text, dict(c.levels)] for c in item.conditions],
                "pairs": pairs,
            }
        )

    def pair_columns(self) -> tuple[str, ...]:
        """The columns of `pair_rows`, in order."""
        return (*HEAD, "sentence_good", "sentence_bad", *(CROSSED + name for name in self._crossed))

    def pair_rows(self) -> Iterator[dict[str, Any]]:
        """A row for each pair; `id` is the pair's.  What an item does not cross is an empty text."""
        for record in self._spool:
            head = dict(zip(HEAD, record["head"], strict=True))
            for pair_id, good, bad in record["pairs"]:
                texts = {
                    "sentence_good": record["conditions"][good][2],
                    "sentence_bad": record["conditions"][bad][2],
                }
                yield {**head, "id": pair_id, **texts, **self._cells(CROSSED, self._crossed, record["crossed"])}

    def condition_columns(self) -> tuple[str, ...]:
        """The columns of `condition_rows`, in order."""
        factors = (FACTOR + name for name in self._factors)
        return (*HEAD, "condition", "acceptable", "sentence", *factors, *(CROSSED + name for name in self._crossed))

    def condition_rows(self) -> Iterator[dict[str, Any]]:
        """A row for each condition; `id` is the item's.  `acceptable` is None where nothing says it."""
        for record in self._spool:
            head = dict(zip(HEAD, record["head"], strict=True))
            crossed = self._cells(CROSSED, self._crossed, record["crossed"])
            for name, acceptable, text, levels in record["conditions"]:
                said = {"condition": name, "acceptable": acceptable, "sentence": text}
                yield {**head, **said, **self._cells(FACTOR, self._factors, levels), **crossed}

    @staticmethod
    def _cells(prefix: str, names: dict[str, None], values: dict[str, str]) -> dict[str, str]:
        return {prefix + name: values.get(name, "") for name in names}


def joined(rows: Iterator[str], most: int = 2000) -> Iterator[str]:
    """Lines in larger pieces, each line with its end."""
    block: list[str] = []
    for row in rows:
        block.append(row + "\n")
        if len(block) >= most:
            yield "".join(block)
            block.clear()
    yield "".join(block)
