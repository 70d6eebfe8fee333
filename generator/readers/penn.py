"""Penn bracketing: the sentences of trees, a tree each.  Whether they are acceptable is not said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from generator.bracketing import read_brackets
from generator.items import Item
from generator.readers.base import Reader, Source, is_sentence, member
from generator.trees import Constituent, SentenceTree, TreeToken


def _read(source: Source) -> Iterator[Item]:
    for line, root in read_brackets(source.text, source.error):
        text = " ".join(leaf.word for leaf in root.leaves())
        if is_sentence(source, line, text):
            condition = member(text, None, "sentence")
            sentence = replace(condition.sentence, tree=_tree(root))
            yield Item(
                f"{source.stem}:{line}",
                source.stem,
                "",
                0,
                (replace(condition, sentence=sentence),),
                line=line,
            )


def _tree(root: Constituent) -> SentenceTree:
    """A tree without dependencies."""
    tokens = (TreeToken(leaf.word, leaf.word, True, "", "", leaf.tag, "") for leaf in root.leaves())
    return SentenceTree(tuple(tokens), root, ())


def _detect(source: Source) -> bool:
    return bool(source.head) and all(line.lstrip().startswith(("(", ")")) for line in source.head if line.strip())


READER = Reader("penn", "Penn bracketing: the sentences of trees, acceptability not said", _read, _detect)
