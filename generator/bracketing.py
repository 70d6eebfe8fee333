"""Penn bracketing: a tree as text, and text as trees (Marcus, Santorini and Marcinkiewicz 1993)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from generator.trees import Constituent, Leaf

Report = Callable[[int, str], None]
"""Told of what cannot be read: line (from 1), message."""

_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_NAMES = {name: bracket for bracket, name in _BRACKETS.items()}
_PIECE = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)|\(\s*([^\s()]*)|\)|[^\s()]+")
"""A leaf (tag, word), an opening bracket with its label, a closing bracket, a word."""

_NAME = re.compile("|".join(_NAMES))
_BRACKET = re.compile(r"[()\[\]{}]")

EMPTY_TAG = "-NONE-"
"""The tag of empty elements (traces) in the Penn Treebank."""


def bracketed(tree: Constituent) -> str:
    """A tree on one line: `(S (NP (DT the) (NN dog)) (VBZ is))`.  Brackets in words and tags become -LRB- and so on."""
    parts: list[str] = []
    waiting: list[Constituent | Leaf | str] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            parts.append(node)
        elif isinstance(node, Leaf):
            parts.append(f" ({_escaped(node.tag)} {_escaped(node.word)})" if node.tag else f" {_escaped(node.word)}")
        else:
            parts.append(f" ({_escaped(node.label)}")
            waiting.append(")")
            waiting += reversed(node.children)
    return "".join(parts).lstrip(" ")


def _escaped(text: str) -> str:
    return text if text.isalnum() else _BRACKET.sub(lambda match: _BRACKETS[match.group()], text)


def _unescaped(text: str) -> str:
    return _NAME.sub(lambda match: _NAMES[match.group()], text) if "-" in text else text


def _label(text: str) -> str:
    """A label or tag: -LRB- by itself is a tag of the treebank, `$-LRB-` the tag `$(`."""
    return text if text in _NAMES else _unescaped(text)


@dataclass
class _Open:
    """A bracket that is open: where, and what it holds so far (words are strings)."""

    line: int
    label: str = ""
    children: list[Constituent | Leaf | str] = field(default_factory=list)
    is_stripped: bool = False  # something empty has been taken out of it

    def add(self, word: str, is_first: bool) -> None:
        """A word; `is_first`: of its line, where it is the label of a bracket that has nothing yet."""
        if is_first and not self.label and not self.children:
            self.label = word
        else:
            self.children.append(word)


def read_brackets(
    text: str, report: Report, strip_empty: bool = False, strip_functions: bool = False
) -> Iterator[tuple[int, Constituent]]:
    """(line, tree) of every tree of a text; a bracket at the start of a line begins a new one.

    `strip_empty` takes out traces and the phrases that hold nothing else; `strip_functions` makes `NP-SBJ-1` of phrases
    `NP`.  What is no tree is reported, and reading goes on.  Words in brackets of their own are leaves; a word beside
    other brackets is a leaf without a tag.
    """
    opened: list[_Open] = []
    for number, line in enumerate(text.split("\n"), start=1):
        for match in _PIECE.finditer(line):
            node: Constituent | Leaf | None
            tag, word, label = match.groups()
            if match.start() == 0 and opened and line[0] == "(":
                report(number, f"a new tree begins before the bracket of line {opened[-1].line} is closed")
                opened = []
            if tag is not None:
                tag = _label(tag)
                node, at = None if strip_empty and tag == EMPTY_TAG else Leaf(tag, _unescaped(word)), number
            elif label is not None:
                opened.append(_Open(number, label))
                continue
            elif not opened:
                piece = match.group()
                what = "')' without '('" if piece == ")" else f"'{piece}' outside brackets"
                report(number, f"{what}: expected a tree, as in (S (NP (DT the) (NN dog)))")
                continue
            elif match.group() == ")":
                done = opened.pop()
                node, at = _closed(done, report, strip_empty, strip_functions), done.line
            else:
                opened[-1].add(match.group(), is_first=not line[: match.start()].strip())
                continue
            if not opened:
                if node is not None:
                    yield at, node if isinstance(node, Constituent) else Constituent(node.tag, (Leaf("", node.word),))
            elif node is None:
                opened[-1].is_stripped = True
            else:
                opened[-1].children.append(node)
    if opened:
        report(opened[-1].line, f"{len(opened)} bracket{'s' * (len(opened) > 1)} not closed at the end")


def _closed(done: _Open, report: Report, strip_empty: bool, strip_functions: bool) -> Constituent | Leaf | None:
    if not done.children:
        if not done.is_stripped:
            inside = f"({done.label})" if done.label else "()"
            report(done.line, f"'{inside}' holds no word: expected a tag and a word, or a label and brackets")
        return None
    if len(done.children) == 1 and isinstance(done.children[0], str):
        tag = _label(done.label)
        return None if strip_empty and tag == EMPTY_TAG else Leaf(tag, _unescaped(done.children[0]))
    label = _label(done.label)
    if strip_functions:
        label = re.sub(r"(?<=.)[-=].*", "", label)
    children = (Leaf("", _unescaped(child)) if isinstance(child, str) else child for child in done.children)
    return Constituent(label, tuple(children))
