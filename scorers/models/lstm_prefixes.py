"""The prefixes that sentences share, as a tree: each is read once, and its last word scored once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorers.models.lstm_network import Network


@dataclass
class PrefixTree:
    """Prefixes of sentences, by levels: those of level n have n + 1 words.

    A node of a level is its number there.  `parents` are nodes of the level before, and 0 on the first; `words` the
    last words of the prefixes; `wanted` the nodes whose last words are to be scored.
    """

    parents: list[list[int]] = field(default_factory=list)
    words: list[list[int]] = field(default_factory=list)
    wanted: list[set[int]] = field(default_factory=list)
    _known: list[dict[tuple[int, int], int]] = field(default_factory=list)

    def add(self, words: Sequence[int], scored: Iterable[int]) -> list[int]:
        """The nodes of a sentence, one for each word; the words at the places `scored` are to be scored."""
        nodes: list[int] = []
        parent = 0
        for level, word in enumerate(words):
            if level == len(self._known):
                self.parents.append([])
                self.words.append([])
                self.wanted.append(set())
                self._known.append({})
            node = self._known[level].get((parent, word))
            if node is None:
                node = self._known[level][parent, word] = len(self.words[level])
                self.parents[level].append(parent)
                self.words[level].append(word)
            nodes.append(node)
            parent = node
        for place in scored:
            self.wanted[place].add(nodes[place])
        return nodes

    def log_probabilities(self, network: Network, first: int | None, most: int) -> list[dict[int, float]]:
        """For each level the natural-log probability of each wanted node's last word, given the words before it.

        `first` is the word that is read before all; None for none, and words of the first level have no number (nan).
        The states of no more than one level, and of those whose words go on, are kept; `most`: rows that are projected
        to the vocabulary at once.
        """
        outputs, state = None, network.zero()
        if first is not None:
            step = network.step([first], state)
            outputs, state = step.outputs, step.state
        rows = {0: 0}  # of a node with words behind it: its row in outputs and state
        found: list[dict[int, float]] = []
        for level, parents in enumerate(self.parents):
            # In the order of the parents, so that each of them is projected once.
            wanted = sorted(self.wanted[level], key=lambda node: (parents[node], node))
            if outputs is None:
                found.append(dict.fromkeys(wanted, math.nan))
            else:
                words = [self.words[level][node] for node in wanted]
                at = [rows[parents[node]] for node in wanted]
                found.append(dict(zip(wanted, network.of_words(outputs, at, words, most), strict=True)))
            if level + 1 < len(self.parents):
                inner = sorted(set(self.parents[level + 1]))
                before = [rows[parents[node]] for node in inner]
                step = network.step(
                    [self.words[level][node] for node in inner], tuple(part[:, before] for part in state)
                )
                outputs, state = step.outputs, step.state
                rows = {node: row for row, node in enumerate(inner)}
        return found
