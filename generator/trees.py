"""Trees of sentences: constituents over Penn tokens, and dependencies.  Pure data.

Phrases of a grammar are the nonterminals, heads give the dependencies (docs/item-format.md, 'Trees').
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

ROOT_LABEL = "S"


@dataclass(frozen=True)
class Leaf:
    """A word of a constituent tree, with its tag ('' in a tree that gives none)."""

    tag: str
    word: str


@dataclass(frozen=True)
class Constituent:
    """A phrase: its label ('' for the outer bracket of a treebank's tree) and what it consists of, in order."""

    label: str
    children: tuple[Constituent | Leaf, ...]

    def leaves(self) -> Iterator[Leaf]:
        """Its words, in order."""
        waiting: list[Constituent | Leaf] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Leaf):
                yield node
            else:
                waiting += reversed(node.children)


@dataclass(frozen=True)
class TreeToken:
    """A token of a tree.

    `text` is the Penn token (style `ptb`), `form` the same token in the style `prose` (“ for ``, *wo* of *won't*), and
    `space_after` whether a space follows it there.  `category` is that of the word lists ('' for a word that they
    lack), `features` are theirs too; `tag`, `upos` and `feats` come from the language's tag table.
    """

    text: str
    form: str
    space_after: bool
    lemma: str
    category: str
    tag: str
    upos: str
    feats: tuple[tuple[str, str], ...] = ()
    features: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class SentenceTree:
    """A sentence's tree.  `heads[i]` is the token (from 0) that token `i` depends on, -1 for the one root.

    `relations[i]` is `root`, `punct`, `det` or `dep`.
    """

    tokens: tuple[TreeToken, ...]
    root: Constituent
    heads: tuple[int, ...]
    relations: tuple[str, ...] = field(default=())

    @property
    def text(self) -> str:
        """The sentence in the style `prose`."""
        return "".join(token.form + " " * token.space_after for token in self.tokens).rstrip(" ")
