"""The prefixes that sentences share, as a tree: each is read once, and its last word scored once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from scorers.models.lstm_network import Network

Rows = Mapping[int, int]
"""The rows of outputs and states that belong to nodes."""


@dataclass
class PrefixTree:
    """Prefixes of sentences, by levels: those of level n have n words, and level 0 has the empty one alone.

    A node of a level is its number there.  `parents` are nodes of the level before; `words` the last words of the
    prefixes; `scored` the nodes whose last words are to be scored, `asked` those of which the next word is asked.
    """

    parents: list[list[int]] = field(default_factory=lambda: [[0]])
    words: list[list[int]] = field(default_factory=lambda: [[-1]])
    scored: list[set[int]] = field(default_factory=lambda: [set()])
    asked: list[set[int]] = field(default_factory=lambda: [set()])
    _known: list[dict[tuple[int, int], int]] = field(default_factory=lambda: [{}])

    def add(self, words: Sequence[int], scored: Iterable[int] = ()) -> list[int]:
        """The nodes of a sentence, one for each word; the words at the places `scored` are to be scored."""
        nodes: list[int] = []
        parent = 0
        for level, word in enumerate(words, start=1):
            if level == len(self._known):
                self.parents.append([])
                self.words.append([])
                self.scored.append(set())
                self.asked.append(set())
                self._known.append({})
            node = self._known[level].get((parent, word))
            if node is None:
                node = self._known[level][parent, word] = len(self.words[level])
                self.parents[level].append(parent)
                self.words[level].append(word)
            nodes.append(node)
            parent = node
        for place in scored:
            self.scored[place + 1].add(nodes[place])
        return nodes

    def ask(self, words: Sequence[int]) -> int:
        """The node of a prefix of which the next word is asked."""
        node = self.add(words)[-1] if words else 0
        self.asked[len(words)].add(node)
        return node

    def log_probabilities(self, network: Network, first: int | None, most: int) -> list[dict[int, float]]:
        """For each level the natural-log probability of each scored node's last word, given the words before it.

        `first` is the word that is read before all; None for none, and words of the first level have no number (nan).
        `most`: rows that are projected to the vocabulary at once.
        """
        found: list[dict[int, float]] = [{}]
        for level, (outputs, rows) in enumerate(self._read(network, first), start=1):
            if level == len(self.parents):
                break
            parents = self.parents[level]
            # In the order of the parents, so that each of them is projected once.
            scored = sorted(self.scored[level], key=lambda node, parents=parents: (parents[node], node))  # type: ignore[misc]
            if outputs is None:
                found.append(dict.fromkeys(scored, math.nan))
            else:
                words = [self.words[level][node] for node in scored]
                at = [rows[parents[node]] for node in scored]
                found.append(dict(zip(scored, network.of_words(outputs, at, words, most), strict=True)))
        return found

    def best(
        self, network: Network, first: int | None, top: int, most: int
    ) -> list[dict[int, list[tuple[float, int]]]]:
        """For each level and each node that is asked the `top` most probable next words, with their natural-log
        probabilities; none of the empty prefix where nothing is read before it.
        """
        found: list[dict[int, list[tuple[float, int]]]] = []
        for level, (outputs, rows) in enumerate(self._read(network, first)):
            asked = sorted(self.asked[level])
            if outputs is None:
                found.append({})
            else:
                best = network.best_words(outputs, [rows[node] for node in asked], top, most)
                found.append(dict(zip(asked, best, strict=True)))
        return found

    def _read(self, network: Network, first: int | None) -> Iterator[tuple[torch.Tensor | None, Rows]]:
        """For each level the outputs behind its prefixes, and their rows; None where nothing was read.

        The states of no more than one level are kept, and of those prefixes alone that go on or are asked.
        """
        outputs, state = None, network.zero()
        if first is not None:
            step = network.step([first], state)
            outputs, state = step.outputs, step.state
        rows: Rows = {0: 0}
        yield outputs, rows
        for level in range(1, len(self.parents)):
            goes_on = self.parents[level + 1] if level + 1 < len(self.parents) else ()
            inner = sorted({*goes_on, *self.asked[level]})
            if not inner:
                return
            before = [rows[self.parents[level][node]] for node in inner]
            step = network.step([self.words[level][node] for node in inner], tuple(part[:, before] for part in state))
            outputs, state = step.outputs, step.state
            rows = {node: row for row, node in enumerate(inner)}
            yield outputs, rows
