"""Plan + seed -> item numbers: exhaustive, or a balanced permutation; sharded; without replacement.

Rank *j* of a sample goes to cell *j* mod C (the cells are templates times crossed values), then down the cell's other
choice points by quotas, then through a keyed permutation of the words that are left.  Seed, plan digest and rank
decide everything, so any rank can be made alone.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd

from generator import nodes
from generator.errors import UsageError
from generator.leaves import Leaf
from generator.planning import Plan, PlanTemplate

_ROUNDS = 6


def permuted(index: int, size: int, key: bytes) -> int:
    """Where a keyed permutation of range(size) sends `index` (a Feistel network with cycle walking)."""
    if size <= 1:
        return 0
    half = max(1, ((size - 1).bit_length() + 1) // 2)
    mask = (1 << half) - 1
    width = (half + 7) // 8
    value = index
    while True:
        left, right = value >> half, value & mask
        for number in range(_ROUNDS):
            digest = hashlib.blake2b(right.to_bytes(width, "big"), digest_size=width, key=key, salt=bytes([number]))
            left, right = right, left ^ (int.from_bytes(digest.digest(), "big") & mask)
        value = (left << half) | right
        if value < size:
            return value


def derived_key(*parts: object) -> bytes:
    """A key of 32 bytes from printable parts."""
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=32).digest()


@dataclass
class _Node:
    """A choice point, or (with `leaf`) the words below all of them."""

    path: str
    key: bytes
    children: list[_Node] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    leaf: tuple[PlanTemplate, int, Leaf] | None = None  # template, first number, leaf

    @cached_property
    def size(self) -> int:
        """How many items are below."""
        return self.leaf[2].items if self.leaf else sum(child.size for child in self.children)

    @cached_property
    def phases(self) -> list[tuple[int, int, list[int], list[int], list[int]]]:
        """(first rank, first round, children, weight of each, rank of each child at the start) per phase.

        A phase ends when a child has no items left; the others then share what follows by their weights.
        """
        left = [child.size for child in self.children]
        common = gcd(*self.weights)
        weights = [weight // common for weight in self.weights]
        phases = []
        rank = first_round = 0
        while any(left):
            active = [i for i, n in enumerate(left) if n]
            rounds = min(left[i] // weights[i] for i in active)
            taken = [weights[i] for i in active]
            if rounds == 0:
                rounds = 1
                taken = [min(weights[i], left[i]) for i in active]
            starts = [self.children[i].size - left[i] for i in active]
            phases.append((rank, first_round, active, taken, starts))
            for i, weight in zip(active, taken, strict=True):
                left[i] -= rounds * weight
            rank += rounds * sum(taken)
            first_round += rounds
        return phases

    def locate(self, rank: int) -> tuple[PlanTemplate, int]:
        """The template and item index of a rank below this node."""
        if self.leaf is not None:
            template, start, leaf = self.leaf
            return template, start + permuted(rank, leaf.items, self.key)
        phases = self.phases
        phase = phases[bisect_right(phases, rank, key=lambda p: p[0]) - 1]
        first, first_round, active, weights, starts = phase
        width = sum(weights)
        rounds, position = divmod(rank - first, width)
        # Within a round the children come in an order that the key shuffles anew each time.
        slots = [i for i, weight in enumerate(weights) for _ in range(weight)]
        key = derived_key(self.key.hex(), first_round + rounds)
        order = sorted(range(width), key=lambda slot: hashlib.blake2b(slot.to_bytes(4, "big"), key=key).digest())
        chosen = slots[order[position]]
        earlier = sum(slots[order[p]] == chosen for p in range(position))
        child_rank = starts[chosen] + rounds * weights[chosen] + earlier
        return self.children[active[chosen]].locate(child_rank)


@dataclass(frozen=True, eq=False)
class _Cell:
    """Templates times crossed values: a cell of a balanced sample."""

    label: str
    node: _Node
    weight: int


class Run:
    """A run over a plan: all items in order (`count` None), or a sample; `only` keeps some leaves of a sample."""

    def __init__(
        self, plan: Plan, count: int | None, seed: int, only: Callable[[PlanTemplate, Leaf], bool] | None = None
    ) -> None:
        self.plan = plan
        self.seed = seed
        self._only = only
        self.is_sample = count is not None
        self.is_uniform = any(isinstance(s, nodes.Option) and s.name == "uniform" for s in plan.grammar.statements)
        self.cells = self._cells() if self.is_sample else []
        if count is not None:
            if count < 0:
                raise UsageError("-n must not be negative")
            self._require(count)
        self.count = plan.items if count is None else count

    def _cells(self) -> list[_Cell]:
        grouped: dict[Hashable, tuple[str, list[tuple[PlanTemplate, int, Leaf]]]] = {}
        for template in self.plan.templates:
            for start, leaf in zip(template.starts, template.leaves, strict=False):
                if self._only is not None and not self._only(template, leaf):
                    continue
                label = ", ".join([template.name, *(f"{name}={value}" for name, value in leaf.cell)])
                grouped.setdefault((template.name, leaf.cell), (label, []))[1].append((template, start, leaf))
        weights = [found[0][2].weight for _, found in grouped.values()]
        common = gcd(*weights)
        return [
            _Cell(label, self._node(label, leaves, 0), weight // common)
            for (label, leaves), weight in zip(grouped.values(), weights, strict=True)
        ]

    @cached_property
    def _round(self) -> list[int]:
        """The cells of one round: each as often as it weighs, lighter ones spread evenly."""
        most = max((cell.weight for cell in self.cells), default=1)
        return [n for turn in range(most) for n, cell in enumerate(self.cells) if cell.weight > turn]

    def _node(self, path: str, leaves: Sequence[tuple[PlanTemplate, int, Leaf]], depth: int) -> _Node:
        key = derived_key(self.plan.digest, self.seed, path)
        if len(leaves) == 1:
            return _Node(path, key, leaf=leaves[0])
        groups: dict[Hashable, list[tuple[PlanTemplate, int, Leaf]]] = {}
        weights: dict[Hashable, int] = {}
        for number, each in enumerate(leaves):
            points = each[2].choice_points
            if depth < len(points):
                point, index, all_weights = points[depth]
                group: Hashable = (point, index)
                weights[group] = all_weights[index]
            else:
                group = number
                weights[group] = 1
            groups.setdefault(group, []).append(each)
        if len(groups) == 1:
            return self._node(path, leaves, depth + 1)
        node = _Node(path, key)
        for number, (group, inside) in enumerate(groups.items()):
            node.children.append(self._node(f"{path}/{depth}.{number}", inside, depth + 1))
            node.weights.append(weights[group])
        return node

    @cached_property
    def capacity(self) -> int:
        """The largest balanced sample."""
        if self.is_uniform:
            return sum(cell.node.size for cell in self.cells)
        if not self.cells:
            return 0
        rounds = min(cell.node.size // cell.weight for cell in self.cells)
        left = [cell.node.size - rounds * cell.weight for cell in self.cells]
        count = rounds * len(self._round)
        for number in self._round:
            if not left[number]:
                break
            left[number] -= 1
            count += 1
        return count

    def _require(self, count: int) -> None:
        if count <= self.capacity:
            return
        name = self.plan.grammar.paradigm
        if len(self.cells) <= 1:
            raise UsageError(f"{name} has {self.plan.items:,} items, fewer than the {count:,} asked for with -n")
        scarce = min(self.cells, key=lambda cell: cell.node.size // cell.weight)
        label, smallest = scarce.label, scarce.node
        raise UsageError(
            f"{name} has no balanced sample of {count:,} items: the largest is {self.capacity:,}, since the smallest "
            f"of its {len(self.cells)} cells ({label}) has {smallest.size:,}; unbalanced there are "
            f"{self.plan.items:,} (--all)"
        )

    def locate(self, rank: int) -> tuple[PlanTemplate, int]:
        """The template and item index (from 0) of a rank (from 0)."""
        if not self.is_sample:
            return self.plan.locate(rank)
        if self.is_uniform:
            place = permuted(rank, self.capacity, derived_key(self.plan.digest, self.seed, "uniform"))
            for cell in self.cells:
                if place < cell.node.size:
                    return cell.node.locate(place)
                place -= cell.node.size
            raise IndexError(rank)
        rounds, place = divmod(rank, len(self._round))
        number = self._round[place]
        cell = self.cells[number]
        earlier = sum(other == number for other in self._round[:place])
        return cell.node.locate(rounds * cell.weight + earlier)

    def shard(self, part: int = 1, of: int = 1) -> Iterator[tuple[PlanTemplate, int]]:
        """The ranks of the `part`-th of `of` consecutive parts, located; numbers that a filter leaves empty are
        skipped.
        """
        first, last = (part - 1) * self.count // of, part * self.count // of
        for rank in range(first, last):
            template, index = self.locate(rank)
            if self.plan.exists(template, index):
                yield template, index
