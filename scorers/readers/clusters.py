"""The lexeme by which items hang together in clustered statistics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scorers.items import Item


def with_clusters(items: Iterable[Item]) -> list[Item]:
    """The items with their `cluster`: the lemma of the first of an item's `lexemes` whose slot has different lemmas in
    the items of its paradigm; where none has, of the first.  Items without words keep what they have.

    An auxiliary that all items share (`be`) would make one cluster of them.
    """
    found = list(items)
    lemmas: dict[tuple[str, str], str] = {}
    varying: set[tuple[str, str]] = set()
    for item in found:
        for slot, lemma in item.lexemes:
            if lemmas.setdefault((item.paradigm, slot), lemma) != lemma:
                varying.add((item.paradigm, slot))
    return [_clustered(item, varying) if item.lexemes else item for item in found]


def _clustered(item: Item, varying: set[tuple[str, str]]) -> Item:
    first = item.lexemes[0][1]
    lemma = next((lemma for slot, lemma in item.lexemes if (item.paradigm, slot) in varying), first)
    return replace(item, cluster=lemma, lexemes=())
