"""The tree of the beginnings that sequences of tokens share, cut into rows for a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Ids = tuple[int, ...]
_Sequence = TypeVar("_Sequence", str, Ids)


@dataclass(frozen=True)
class PrefixTree:
    """Sequences of tokens, each of their distinct beginnings once.

    Nodes are numbered so that a node stands behind its ancestors and before all that do not descend from it (preorder).
    `tokens`, `parents` (-1 for a first token) and `depths` (from 0) are by node; `paths` by sequence: its nodes.
    `inputs` are the nodes, in order, that a model has to read: those with a token behind them, and the ends of
    sequences that were asked for.  A last token is else no more than what is to be predicted.
    """

    tokens: list[int]
    parents: list[int]
    depths: list[int]
    paths: list[list[int]]
    inputs: list[int]

    @classmethod
    def of(cls, sequences: Sequence[Ids], read_last: Iterable[int] = ()) -> PrefixTree:
        """The tree of sequences; `read_last` are the places of those whose last token is to be read too."""
        tokens: list[int] = []
        parents: list[int] = []
        depths: list[int] = []
        paths: list[list[int]] = [[]] * len(sequences)
        is_input = bytearray()
        before: Ids = ()
        path: list[int] = []
        for place in sorted(range(len(sequences)), key=sequences.__getitem__):
            ids = sequences[place]
            shared = shared_length(before, ids)
            path = path[:shared]
            for depth in range(shared, len(ids)):
                parent = path[-1] if path else -1
                if path:
                    is_input[parent] = 1
                path.append(len(tokens))
                tokens.append(ids[depth])
                parents.append(parent)
                depths.append(depth)
                is_input.append(0)
            paths[place] = path
            before = ids
        for place in read_last:
            if paths[place]:
                is_input[paths[place][-1]] = 1
        return cls(tokens, parents, depths, paths, [node for node, is_read in enumerate(is_input) if is_read])

    def ancestors(self, node: int) -> list[int]:
        """The nodes before a node, from the first token on."""
        found = []
        while (node := self.parents[node]) >= 0:
            found.append(node)
        return found[::-1]


@dataclass(frozen=True, slots=True)
class Row:
    """Nodes that a model reads side by side.

    `nodes` are tree nodes in order, each behind its ancestors; the first `repeated` of them are in an earlier row too.
    `ends` say for each node which place of the row comes behind its last descendant: the node at place i is seen from
    the places i to before `ends[i]`, and from no others.
    """

    nodes: list[int]
    repeated: int
    ends: list[int]


def packed_rows(tree: PrefixTree, width: int) -> list[Row]:
    """The inputs cut into rows of up to `width` nodes; each row begins with the ancestors of its first new node.

    A row whose ancestors leave no room takes one new node more than `width` allows.
    """
    inputs = tree.inputs
    place_of = {node: place for place, node in enumerate(inputs)}
    ends = list(range(1, len(inputs) + 1))
    for place in range(len(inputs) - 1, -1, -1):
        parent = tree.parents[inputs[place]]
        if parent >= 0:
            above = place_of[parent]
            if ends[place] > ends[above]:
                ends[above] = ends[place]
    rows = []
    first = 0
    while first < len(inputs):
        before = tree.ancestors(inputs[first])
        last = min(len(inputs), max(first + width - len(before), first + 1))
        behind = [ends[place_of[node]] for node in before] + ends[first:last]
        shift = len(before) - first
        rows.append(Row(before + inputs[first:last], len(before), [min(end, last) + shift for end in behind]))
        first = last
    return rows


def whole_rows(tree: PrefixTree) -> list[Row]:
    """A row for each input that no other one follows: the way to it.  The longest rows stand first."""
    has_next = {tree.parents[node] for node in tree.inputs}
    rows = []
    seen: set[int] = set()
    for node in tree.inputs:
        if node in has_next:
            continue
        nodes = [*tree.ancestors(node), node]
        repeated = sum(other in seen for other in nodes)
        seen.update(nodes)
        rows.append(Row(nodes, repeated, [len(nodes)] * len(nodes)))
    return sorted(rows, key=lambda row: -len(row.nodes))


def batches(rows: Sequence[Row], positions: int) -> list[Sequence[Row]]:
    """Consecutive rows, padded to the longest of them, of up to `positions` places at once, or a single row."""
    found: list[Sequence[Row]] = []
    first = 0
    while first < len(rows):
        width = len(rows[first].nodes)
        last = first + 1
        while last < len(rows):
            width = max(width, len(rows[last].nodes))
            if width * (last + 1 - first) > positions:
                break
            last += 1
        found.append(rows[first:last])
        first = last
    return found


def groups_of(sequences: Sequence[_Sequence], nodes: int) -> list[list[int]]:
    """The places of sequences in groups of up to `nodes` distinct beginnings, those that share theirs side by side.

    A longer sequence is a group alone.
    """
    groups: list[list[int]] = []
    left = 0
    before: str | Ids = ()
    for place in sorted(range(len(sequences)), key=sequences.__getitem__):
        ids = sequences[place]
        new = len(ids) - shared_length(before, ids)
        if new > left or not groups:
            groups.append([])
            left, new = nodes, len(ids)
        groups[-1].append(place)
        left -= new
        before = ids
    return groups


def shared_length(one: str | Ids, other: str | Ids) -> int:
    """How many elements two sequences begin with alike."""
    for place, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            return place
    return min(len(one), len(other))
