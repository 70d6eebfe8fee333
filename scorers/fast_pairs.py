"""Zorro's prediction lines (a sentence, a space, its cross-entropy; the starred line first), millions a second.

The file is read in large blocks and no object is made for a pair.  A block that holds anything unusual is read again
line by line, which finds the same numbers and says what is wrong.  A file alone holds its sentences; with the file of
sentences beside it each line is compared with its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import eq, gt, itemgetter, ne
from pathlib import Path

from scorers.criteria import TIE_POINTS, Ties
from scorers.errors import Findings
from scorers.fast_files import DigestedFile, Sentences
from scorers.metrics.forced_choice import Tally

BLOCK = 1 << 18
"""Bytes read at a time: what stays in a processor's cache is twice as fast as what does not."""

_ODD = (b"_", b"\t", b"\r", b"\v", b"\f")
_NO_SPACE = re.compile(r"[^ ]")
_ALL_BUT_BREAKS = bytes(code for code in range(256) if code not in (10, 32))
_MOST_ERRORS = 1000


@dataclass
class Counts:
    """What is counted: pairs, how many of them the acceptable sentence wins and ties, and the same of unequal ones."""

    pairs: int = 0
    wins: int = 0
    ties: int = 0
    unequal: int = 0
    unequal_wins: int = 0
    unequal_ties: int = 0

    def tally(self, label: str, ties: Ties) -> Tally:
        """The counts as points."""
        worth = TIE_POINTS[ties]
        right = self.wins + worth * self.ties
        unequal = self.unequal_wins + worth * self.unequal_ties
        chance = 0.5 if self.pairs else None
        return Tally(label, self.pairs, right, self.ties, self.unequal, right - unequal, chance)

    def add(self, bad: Sequence[float], good: Sequence[float], unequal: Sequence[bool]) -> None:
        """Count pairs by their cross-entropies: the lower one wins."""
        self.pairs += len(bad)
        self.wins += sum(map(gt, bad, good))
        self.ties += sum(map(eq, bad, good))
        if any(unequal):
            self.unequal += sum(unequal)
            self.unequal_wins += sum(map(gt, _those(bad, unequal), _those(good, unequal)))
            self.unequal_ties += sum(map(eq, _those(bad, unequal), _those(good, unequal)))


def _those(values: Sequence[float], wanted: Sequence[bool]) -> list[float]:
    return [value for value, is_wanted in zip(values, wanted, strict=True) if is_wanted]


IsNext = Callable[[bytes], bool]
"""Whether these sentences, a line each, are the next ones of the file beside."""


@dataclass(frozen=True)
class BlockCounter:
    """`lines` counts the line ends of a block.  `pairs` counts the pairs of a block of whole lines, whose sentences are
    to be the next ones if that can be asked; it raises ValueError, before it counts, at whatever is unusual.
    """

    lines: Callable[[bytes], int]
    pairs: Callable[[bytes, Counts, IsNext | None], None]


def count_block(block: bytes, counts: Counts, is_next: IsNext | None = None) -> None:
    """Count a block in plain Python."""
    # Searched from behind, two spaces are found in half the time.
    if any(odd in block for odd in _ODD) or block[:1].isspace() or block.replace(b"\n", b" ").rfind(b"  ") >= 0:
        raise ValueError("float() would read 1_0, and words would not be counted by single spaces")
    lines = block.decode().split("\n")
    lines.pop()
    heads, tails = _cut(lines, is_next is not None)
    if is_next is not None and not is_next("\n".join([*heads, ""]).encode()):
        raise ValueError("other sentences")
    values = list(map(float, tails))
    if not math.isfinite(sum(values)):
        raise ValueError("a number is not finite")
    # What is left of each line is its spaces: equal strings of them are equal numbers of words.
    spaces = block.translate(None, _ALL_BUT_BREAKS).split(b"\n")
    spaces.pop()
    if b"" in spaces:
        raise ValueError("a line without a sentence")
    counts.add(values[0::2], values[1::2], list(map(ne, spaces[0::2], spaces[1::2])))


PLAIN = BlockCounter(lambda block: block.count(b"\n"), count_block)


def _cut(lines: Sequence[str], with_heads: bool) -> tuple[list[str], list[str]]:
    """Sentences (where they are wanted) and numbers, each with its space.

    Most numbers of a file are of one length, so that all lines are cut there at once; those that are not have no
    space at the cut, and are cut again.
    """
    size = len(lines[0]) - lines[0].rfind(" ")
    tails = list(map(itemgetter(slice(-size, None)), lines))
    heads = list(map(itemgetter(slice(None, -size)), lines)) if with_heads else []
    joined = "".join(tails)
    if len(joined) != size * len(lines):
        raise ValueError("a line shorter than most numbers")
    for found in _NO_SPACE.finditer(joined[::size]):
        place = found.start()
        head, _, tails[place] = lines[place].rpartition(" ")
        if with_heads:
            heads[place] = head
    return heads, tails


def fastest() -> BlockCounter:
    """The counter that numpy makes where it is installed (the extra `fast`), else the plain one."""
    try:
        from scorers.fast_numpy import count_block as pairs
        from scorers.fast_numpy import count_lines as lines
    except ImportError:
        return PLAIN
    return BlockCounter(lines, pairs)


@dataclass(frozen=True)
class FastResult:
    """Counts of one file, the BLAKE2b of its bytes, and that of the sentences beside it ('' without any)."""

    name: str
    counts: Counts
    digest: str
    sentences_digest: str = ""


def score_pairs(
    path: str | Path, sentences: str | Path | None = None, counter: BlockCounter | None = None
) -> FastResult:
    """Score a prediction file in memory that does not grow with it.

    `sentences` is the file of the same lines without numbers.  `counter` defaults to the fastest there is.  Raises
    InputError with every malformed line, and where the lines are not those of `sentences`.
    """
    with ExitStack() as stack:
        file = stack.enter_context(DigestedFile(path, BLOCK))
        beside = Sentences(stack.enter_context(DigestedFile(sentences, BLOCK))) if sentences else None
        reading = _Reading(str(path), counter or fastest(), beside)
        rest = b""
        while len(reading.findings) < _MOST_ERRORS:
            data = file.read()
            rest += data
            if not data:
                rest = rest.rstrip(b"\r\n") + b"\n" if rest.strip() else b""
            end, lines = _end_of_pairs(rest, reading.counter.lines) if data else (len(rest), rest.count(b"\n"))
            if end:
                reading.take(rest[:end], lines)
                rest = rest[end:]
            if not data:
                break
        if beside and not reading.findings.errors and beside.lines(1):
            message = f"the file ends before the sentences of {sentences} do"
            reading.findings.error(message, str(path), reading.line, "truncated")
        if reading.line == 1:
            reading.findings.error("the file is empty", str(path))
        reading.findings.require_none()
        return FastResult(str(path), reading.counts, file.digest(), beside.digest() if beside else "")


def _end_of_pairs(block: bytes, count_lines: Callable[[bytes], int]) -> tuple[int, int]:
    """Where the last whole pair of lines ends, and how many lines there are up to it."""
    end = block.rfind(b"\n") + 1
    lines = count_lines(block)
    if lines % 2:
        return block.rfind(b"\n", 0, end - 1) + 1, lines - 1
    return end, lines


class _Reading:
    """What has been read of a file."""

    def __init__(self, name: str, counter: BlockCounter, beside: Sentences | None) -> None:
        self.name = name
        self.counts = Counts()
        self.findings = Findings()
        self.line = 1
        self.counter = counter
        self._beside = beside

    def take(self, block: bytes, lines: int) -> None:
        """Count the pairs of a block, whose lines are to be the next ones of the file of sentences."""
        beside = self._beside
        try:
            if lines % 2:
                raise ValueError("half a pair")
            self.counter.pairs(block, self.counts, beside.is_next if beside else None)
            if beside:
                beside.skip()
        except ValueError:
            self._take_slowly(block)
            if beside:
                self._compare_slowly(block, beside.lines(lines), beside.name)
        self.line += lines

    def _take_slowly(self, block: bytes) -> None:
        """Count a block line by line, and keep what is wrong with it."""
        found = [parse_line(raw) for raw in block.split(b"\n")[:-1]]
        for number, result in enumerate(found, self.line):
            if isinstance(result, str):
                self.findings.error(result, self.name, number)
        if len(found) % 2:
            line = self.line + len(found) - 1
            self.findings.error("an odd number of lines: the last pair lacks a line", self.name, line, "odd-lines")
        for bad, good in zip(found[0::2], found[1::2], strict=False):
            if not isinstance(bad, str) and not isinstance(good, str):
                self.counts.add([bad[1]], [good[1]], [bad[0] != good[0]])

    def _compare_slowly(self, block: bytes, sentences: Sequence[bytes], file: str) -> None:
        """Keep the first line that is not its sentence with a number."""
        own = [line.split()[:-1] for line in block.split(b"\n")[:-1]]
        for number, (words, sentence) in enumerate(zip(own, sentences, strict=False), self.line):
            if words != sentence.split():
                said = sentence.decode(errors="replace").strip()
                message = f"the sentence of this line is to be '{said}' ({file}:{number})"
                self.findings.error(message, self.name, number, "other-sentence")
                return
        if len(sentences) < len(own):
            message = f"more lines than there are sentences in {file}"
            self.findings.error(message, self.name, self.line + len(sentences), "too-long")


def parse_line(raw: bytes) -> tuple[int, float] | str:
    """The number of words and the cross-entropy of a line, or what is wrong with it."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8: {error.reason} at byte {error.start + 1}"
    words = text.split()
    if not words:
        return "a blank line"
    number = words.pop()
    try:
        value = float(number)
    except ValueError:
        return f"'{number}' is no number: a line is a sentence, a space and its cross-entropy"
    if "_" in number:
        return f"'{number}' is no number: a line is a sentence, a space and its cross-entropy"
    if not math.isfinite(value):
        return f"the cross-entropy is {number}"
    if not words:
        return "a number without a sentence"
    return len(words), value
