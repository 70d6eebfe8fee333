"""CoNLL-U: sentences with their dependencies.  In files of ours, the members of an item are an item again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from generator.conllu import ConlluSentence, read_conllu
from generator.items import Condition, Item
from generator.readers.base import Reader, Source, is_sentence, member
from generator.trees import Constituent, SentenceTree, TreeToken

_JUDGEMENTS = {"yes": True, "no": False}
_ROW = re.compile(r"[0-9]+([-.][0-9]+)?\t([^\t]*\t){8}[^\t]*")


@dataclass(frozen=True)
class _Member:
    """A sentence and what its comments say: the item's id, the condition's name, paradigm and template."""

    item: str
    paradigm: str
    template: str
    condition: Condition
    line: int


def _read(source: Source) -> Iterator[Item]:
    for _, group in groupby(_members(source), key=lambda each: (each.item, each.paradigm)):
        members = list(group)
        first = members[0]
        names = [each.condition.name for each in members]
        if len(set(names)) < len(names):
            source.error(first.line, f"'{first.item}' has two sentences of one name: {', '.join(names)}")
            continue
        number = first.item.rpartition(":")[2]
        is_ours = first.item.startswith(f"{first.paradigm}:{first.template}:") and number.isdigit()
        yield Item(
            first.item,
            first.paradigm,
            first.template,
            int(number) if is_ours else 0,
            tuple(each.condition for each in members),
            line=first.line,
        )


def _members(source: Source) -> Iterator[_Member]:
    for sentence in read_conllu(source.text, source.error):
        if not is_sentence(source, sentence.line, sentence.text):
            continue
        said = dict(sentence.comments)
        acceptable = _JUDGEMENTS.get(said.get("acceptable", ""))
        known = said.get("sent_id", "")
        item, dot, name = known.rpartition(".")
        if acceptable is None or not dot:
            # A treebank's sentence: its id, where it has one, is the item's.
            item, name = known or f"{source.stem}:{sentence.line}", "sentence"
        condition = member(sentence.text, acceptable, name)
        whole = replace(condition.sentence, tree=_tree(sentence))
        yield _Member(
            item,
            said.get("paradigm", source.stem),
            said.get("template", ""),
            replace(condition, sentence=whole),
            sentence.line,
        )


def _tree(sentence: ConlluSentence) -> SentenceTree:
    """A tree without constituents; without dependencies where a word has no head."""
    tokens = tuple(
        TreeToken(w.form, w.form, "SpaceAfter=No" not in w.misc.split("|"), w.lemma, "", w.xpos, w.upos, w.feats)
        for w in sentence.words
    )
    heads = [word.head for word in sentence.words]
    if None in heads:
        return SentenceTree(tokens, Constituent("", ()), ())
    relations = tuple(word.relation for word in sentence.words)
    return SentenceTree(tokens, Constituent("", ()), tuple(head - 1 for head in heads if head is not None), relations)


def _detect(source: Source) -> bool:
    rows = [line for line in source.head if line.strip() and not line.startswith("#")]
    return bool(rows) and all(_ROW.fullmatch(row.rstrip("\r")) for row in rows)


READER = Reader("conllu", "CoNLL-U: sentences with their dependencies", _read, _detect)
