"""Plan + seed -> item numbers: exhaustive, or a balanced permutation; sharded; without replacement.

Rank *j* of a sample goes to cell *j* mod C (the cells are templates times crossed values), then down the cell's other
choice points by quotas, then through a keyed permutation of the words that are left.  Seed, plan digest and rank
decide everything, so any rank can be made alone.  Ranks are located in blocks, so that each choice point and each
permutation is asked once for many ranks.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TypeVar

from generator import nodes
from generator.errors import UsageError
from generator.leaves import Leaf
from generator.permuting import Permutation, Permutations, derived_key, random_words
from generator.planning import Plan, PlanTemplate
from generator.sample_cells import Cell, Make, Place, existing, located, ranked

T = TypeVar("T")

BLOCK = 16384
"""How many ranks are located at a time."""

_ROUNDS = 64  # rounds of a choice point whose orders are made at a time


@dataclass(frozen=True)
class _Phase:
    """Rounds in which the same children take part, each with its weight; `starts`: the first rank of each there."""

    rank: int
    first_round: int
    active: tuple[int, ...]
    weights: tuple[int, ...]
    starts: tuple[int, ...]

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """A round: the positions in `active`, each as often as it weighs."""
        return tuple(i for i, weight in enumerate(self.weights) for _ in range(weight))

    @cached_property
    def orders(self) -> list[tuple[int, ...]]:
        """Every order of a short round; none of a long one."""
        if len(self.slots) > 6:
            return []
        return list(itertools.permutations(self.slots))


class _Node:
    """A choice point, or (with `place`) the words below all of them."""

    def __init__(self, key: bytes, permutations: Permutations, place: Place | None = None) -> None:
        self.key = key
        self.children: list[_Node] = []
        self.weights: list[int] = []
        self._permutations = permutations
        self._place = place
        self._orders: dict[tuple[int, int], list[int]] = {}

    @cached_property
    def size(self) -> int:
        """How many items are below."""
        return self._place[2].items if self._place else sum(child.size for child in self.children)

    @cached_property
    def _permutation(self) -> Permutation:
        return self._permutations.of(self.size, self.key)

    @cached_property
    def phases(self) -> list[_Phase]:
        """A phase ends when a child has no items left; the others then share what follows by their weights."""
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
            phases.append(_Phase(rank, first_round, tuple(active), tuple(taken), tuple(starts)))
            for i, weight in zip(active, taken, strict=True):
                left[i] -= rounds * weight
            rank += rounds * sum(taken)
            first_round += rounds
        return phases

    def block(self, first: int, last: int, make: Make[T]) -> Sequence[T]:
        """What `make` makes of the items of the ranks from `first` to before `last`, in order."""
        if self._place is not None:
            return make(self._place, self._permutation.span(first, last))
        phases = self.phases
        number = bisect_right(phases, first, key=lambda phase: phase.rank) - 1
        if number + 1 == len(phases) or last <= phases[number + 1].rank:
            return self._in_phase(phases[number], first, last, make)
        result: list[T] = []
        while first < last:
            end = phases[number + 1].rank if number + 1 < len(phases) else last
            result += self._in_phase(phases[number], first, min(end, last), make)
            first = min(end, last)
            number += 1
        return result

    def _in_phase(self, phase: _Phase, first: int, last: int, make: Make[T]) -> Sequence[T]:
        width = len(phase.slots)
        first_round, skipped = divmod(first - phase.rank, width)
        slots = self._rounds(phase, first_round, -(-(last - phase.rank) // width))
        before = Counter(slots[:skipped])
        slots = slots[skipped : skipped + last - first]
        found: dict[int, Iterator[T]] = {}
        for slot, count in Counter(slots).items():
            start = phase.starts[slot] + first_round * phase.weights[slot] + before[slot]
            below = self.children[phase.active[slot]].block(start, start + count, make)
            if count == last - first:
                return below
            found[slot] = iter(below)
        return list(map(next, map(found.__getitem__, slots)))

    def _rounds(self, phase: _Phase, first: int, last: int) -> list[int]:
        """The slots of some rounds of a phase, one after the other: each round has an order of its own."""
        result: list[int] = []
        for part in range(first // _ROUNDS, -(-last // _ROUNDS)):
            key = (phase.first_round, part)
            if key not in self._orders:
                self._orders.clear()
                self._orders[key] = self._shuffled(phase, part)
            start = part * _ROUNDS
            width = len(phase.slots)
            result += self._orders[key][max(0, first - start) * width : (last - start) * width]
        return result

    def _shuffled(self, phase: _Phase, part: int) -> list[int]:
        key = derived_key(self.key.hex(), phase.first_round, part)
        if orders := phase.orders:
            amount = len(orders)
            return [slot for word in random_words(key, _ROUNDS) for slot in orders[word % amount]]
        slots, width = phase.slots, len(phase.slots)
        words = random_words(key, _ROUNDS * width)
        result: list[int] = []
        for start in range(0, _ROUNDS * width, width):
            own = words[start : start + width]
            result += [slots[place] for place in sorted(range(width), key=own.__getitem__)]
        return result


class Run:
    """A run over a plan: all items in order (`count` None), or a sample; `only` keeps some leaves of a sample."""

    def __init__(
        self, plan: Plan, count: int | None, seed: int, only: Callable[[PlanTemplate, Leaf], bool] | None = None
    ) -> None:
        self.plan = plan
        self.seed = seed
        self._only = only
        self._permutations = Permutations(derived_key(plan.digest, seed, "permutations"))
        self.is_sample = count is not None
        self.is_uniform = any(isinstance(s, nodes.Option) and s.name == "uniform" for s in plan.grammar.statements)
        self.cells = self._cells() if self.is_sample else []
        if self.is_sample and self.is_uniform:
            self.cells = [Cell("", sum(cell.size for cell in self.cells), self._uniform)]
        if count is not None:
            if count < 0:
                raise UsageError("-n must not be negative")
            self._require(count)
        self.count = plan.items if count is None else count

    def _cells(self) -> list[Cell]:
        grouped: dict[Hashable, tuple[str, list[Place]]] = {}
        for template in self.plan.templates:
            for start, leaf in zip(template.starts, template.leaves, strict=False):
                if self._only is not None and not self._only(template, leaf):
                    continue
                label = ", ".join([template.name, *(f"{name}={value}" for name, value in leaf.cell)])
                grouped.setdefault((template.name, leaf.cell), (label, []))[1].append((template, start, leaf))
        weights = [found[0][2].weight for _, found in grouped.values()]
        common = gcd(*weights)
        return [
            Cell(label, node.size, node.block, weight // common)
            for (label, leaves), weight in zip(grouped.values(), weights, strict=True)
            for node in [self._node(label, leaves, 0)]
        ]

    @cached_property
    def _round(self) -> list[int]:
        """The cells of one round: each as often as it weighs, lighter ones spread evenly."""
        most = max((cell.weight for cell in self.cells), default=1)
        return [n for turn in range(most) for n, cell in enumerate(self.cells) if cell.weight > turn]

    def _node(self, path: str, leaves: Sequence[Place], depth: int) -> _Node:
        key = derived_key(self.plan.digest, self.seed, path)
        if len(leaves) == 1:
            return _Node(key, self._permutations, leaves[0])
        groups: dict[Hashable, list[Place]] = {}
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
        node = _Node(key, self._permutations)
        for number, (group, inside) in enumerate(groups.items()):
            node.children.append(self._node(f"{path}/{depth}.{number}", inside, depth + 1))
            node.weights.append(weights[group])
        return node

    @cached_property
    def capacity(self) -> int:
        """The largest balanced sample."""
        if not self.cells:
            return 0
        rounds = min(cell.size // cell.weight for cell in self.cells)
        left = [cell.size - rounds * cell.weight for cell in self.cells]
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
        scarce = min(self.cells, key=lambda cell: cell.size // cell.weight)
        raise UsageError(
            f"{name} has no balanced sample of {count:,} items: the largest is {self.capacity:,}, since the smallest "
            f"of its {len(self.cells)} cells ({scarce.label}) has {scarce.size:,}; unbalanced there are "
            f"{self.plan.items:,} (--all)"
        )

    def block(self, first: int, last: int, make: Make[T]) -> Sequence[T]:
        """What `make` makes of the items of the ranks (from 0) from `first` to before `last`, in order.

        It is called once for many items of a leaf.
        """
        if not self.is_sample:
            return self._in_order(first, last, make)
        if len(self.cells) == 1:
            return self.cells[0].block(first, last, make)
        width = len(self._round)
        rounds, skipped = divmod(first, width)
        numbers = self._round * (-(-last // width) - rounds)
        before = Counter(numbers[:skipped])
        numbers = numbers[skipped : skipped + last - first]
        found: dict[int, Iterator[T]] = {}
        for number, count in Counter(numbers).items():
            cell = self.cells[number]
            start = rounds * cell.weight + before[number]
            found[number] = iter(cell.block(start, start + count, make))
        return list(map(next, map(found.__getitem__, numbers)))

    def leave_out(self, repeats: Callable[[PlanTemplate, int], bool]) -> None:
        """Leave out the items of which `repeats`, asked once for each in the order of the sample, says true.

        The next items of their cells take their places, so that any two cells still differ by one.
        """
        waiting: list[Iterator[tuple[int, tuple[PlanTemplate, int] | None]]] = [ranked(cell) for cell in self.cells]
        for number in itertools.islice(itertools.cycle(self._round), self.count):
            for rank, found in waiting[number]:
                if found is None or not repeats(*found):
                    break
                self.cells[number].gone.append(rank)
            else:
                cell, name = self.cells[number], self.plan.grammar.paradigm
                where = f" of its cell {cell.label}" if len(self.cells) > 1 else ""
                raise UsageError(
                    f"{name}: with this seed no sample of {self.count:,} items in which no sentence stands twice: "
                    f"all but {cell.size - len(cell.gone):,}{where} repeat an earlier one; ask for fewer, or try "
                    "another --seed"
                )

    @cached_property
    def _places(self) -> tuple[list[Place], list[int]]:
        """The leaves in order, and the number of items before each."""
        places = [
            (template, start, leaf)
            for template in self.plan.templates
            for start, leaf in zip(template.starts, template.leaves, strict=False)
            if self._only is None or not self.is_sample or self._only(template, leaf)
        ]
        return places, list(itertools.accumulate((leaf.items for _, _, leaf in places), initial=0))

    def _in_order(self, first: int, last: int, make: Make[T]) -> Sequence[T]:
        result: list[T] = []
        for place, start, end in self._stretches(first, last):
            result += make(place, list(range(start, end)))
        return result

    def _stretches(self, first: int, last: int) -> Iterator[tuple[Place, int, int]]:
        places, starts = self._places
        number = bisect_right(starts, first) - 1
        while first < last:
            end = min(starts[number + 1], last)
            yield places[number], first - starts[number], end - starts[number]
            first = end
            number += 1

    def stretches(self, part: int = 1, of: int = 1) -> Iterator[tuple[Place, int, int]]:
        """Of a run of all items: the leaves of a part in order, each with its first and last number (not included)."""
        yield from self._stretches((part - 1) * self.count // of, part * self.count // of)

    @cached_property
    def _uniform_permutation(self) -> Permutation:
        return self._permutations.of(self.cells[0].size, derived_key(self.plan.digest, self.seed, "uniform"))

    def _uniform(self, first: int, last: int, make: Make[T]) -> Sequence[T]:
        places, starts = self._places
        numbers: dict[int, list[int]] = {}
        chosen = []
        for value in self._uniform_permutation.span(first, last):
            place = bisect_right(starts, value) - 1
            chosen.append(place)
            numbers.setdefault(place, []).append(value - starts[place])
        found = {place: iter(make(places[place], own)) for place, own in numbers.items()}
        return list(map(next, map(found.__getitem__, chosen)))

    def locate(self, rank: int) -> tuple[PlanTemplate, int]:
        """The template and item index (from 0) of a rank (from 0)."""
        if not 0 <= rank < (self.capacity if self.is_sample else self.plan.items):
            raise IndexError(rank)
        return self.block(rank, rank + 1, located)[0]

    def blocks(self, part: int = 1, of: int = 1) -> Iterator[tuple[int, int]]:
        """The ranks of the `part`-th of `of` consecutive parts, in blocks: (first, last), `last` not included."""
        first, last = (part - 1) * self.count // of, part * self.count // of
        for start in range(first, last, BLOCK):
            yield start, min(start + BLOCK, last)

    def shard(self, part: int = 1, of: int = 1) -> Iterator[tuple[PlanTemplate, int]]:
        """The ranks of the `part`-th of `of` consecutive parts, located; numbers that a filter leaves empty are
        skipped.
        """
        for first, last in self.blocks(part, of):
            for found in self.block(first, last, existing):
                if found is not None:
                    yield found
