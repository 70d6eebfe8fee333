"""Back-off models of n-grams in the ARPA format -> dictionaries of log-probabilities and back-off weights.

The format: Doug Paul's, as the SRI toolkit describes it (ngram-format(5)).  Look-up with back-off: Katz (1987).
"""

from __future__ import annotations

import gzip
import io
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice, repeat

from scorers.readers.fields import number
from scorers.readers.source import Report, Source

UNKNOWN = b"<unk>"
BEGIN = b"<s>"
END = b"</s>"
NO_UNKNOWN = -100.0
"""The base-10 log-probability of an unknown word where a model has no `<unk>`: KenLM's."""

_BLOCK = 1 << 16
_GZIP = b"\x1f\x8b"
_FIELDS = re.compile(rb"[^ \t\r\n]+")
_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)\s*")
_HEADING = re.compile(rb"\\(\d+)-grams:\s*")


@dataclass(frozen=True)
class Arpa:
    """A back-off model: numbers are base-10 logarithms, as in the file.

    `probabilities[n - 1]` has the n-grams (UTF-8, one space between words), `backoffs[n - 1]` the weights of those that
    have one.  `unknown` is how the file writes the unknown word.
    """

    probabilities: Sequence[dict[bytes, float]]
    backoffs: Sequence[dict[bytes, float]]
    unknown: bytes = UNKNOWN

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.probabilities)

    def __contains__(self, word: bytes) -> bool:
        return word in self.probabilities[0]

    def log10(self, words: Sequence[bytes]) -> float:
        """The base-10 log-probability of the last word after those before it (as many as the order looks at).

        Words that are not in the model are to be given as its `unknown`.
        """
        backed_off = 0.0
        for start in range(max(0, len(words) - self.order), len(words)):
            size = len(words) - start
            found = self.probabilities[size - 1].get(b" ".join(words[start:]))
            if found is not None:
                return found + backed_off
            if size > 1:
                backed_off += self.backoffs[size - 2].get(b" ".join(words[start:-1]), 0.0)
        return NO_UNKNOWN + backed_off

    def backed_off(self, context: Sequence[bytes]) -> list[tuple[bytes, float]]:
        """The contexts that a word is looked up in, the longest first and the empty one last; each with the sum of the
        back-off weights (base 10) on the way to it.
        """
        found, weight = [], 0.0
        for start in range(max(0, len(context) - self.order + 1), len(context)):
            key = b" ".join(context[start:])
            found.append((key, weight))
            weight += self.backoffs[len(context) - start - 1].get(key, 0.0)
        return [*found, (b"", weight)]


def read_arpa(source: Source, report: Report) -> Arpa:
    """A file in the ARPA format, perhaps compressed by gzip; what is wrong with it goes to the report."""
    with source.open() as raw, ExitStack() as stack:
        stream = raw
        if source.starts_with(_GZIP):
            packed = stack.enter_context(gzip.GzipFile(fileobj=raw))
            stream = stack.enter_context(io.BufferedReader(packed))
        reader = _Reader(_Lines(stream), report)
        try:
            reader.read()
        except EOFError:
            report.error(reader.lines.number, "the compressed file is cut off", "truncated")
        except (gzip.BadGzipFile, zlib.error) as error:
            report.error(reader.lines.number, f"the compressed file is damaged: {error}", "damaged")
    if not reader.probabilities:
        return Arpa([{}], [{}])
    words = reader.probabilities[0]
    unknown = b"<UNK>" if b"<UNK>" in words and UNKNOWN not in words else UNKNOWN
    return Arpa(reader.probabilities, reader.backoffs, unknown)


class _Lines:
    """Lines as bytes, with the number of the last one that was taken."""

    def __init__(self, stream: Iterable[bytes]) -> None:
        self._left: Iterator[bytes] = iter(stream)
        self.number = 0

    def take(self, count: int) -> list[bytes]:
        """The next lines, with their ends: fewer where the file ends."""
        found = list(islice(self._left, count))
        self.number += len(found)
        return found

    def next_filled(self) -> bytes | None:
        """The next line that is not blank, without its end; None at the end of the file."""
        for line in self._left:
            self.number += 1
            if bare := line.strip(b" \t\r\n"):
                return bare
        return None

    def put_back(self, lines: Sequence[bytes]) -> None:
        """Lines that were taken are to be taken again."""
        self._left = chain(lines, self._left)
        self.number -= len(lines)


class _Reader:
    """The sections of a file, one after the other."""

    def __init__(self, lines: _Lines, report: Report) -> None:
        self.lines = lines
        self.probabilities: list[dict[bytes, float]] = []
        self.backoffs: list[dict[bytes, float]] = []
        self._report = report

    def read(self) -> None:
        counts, line = self._header()
        for order, (count, said) in enumerate(counts, start=1):
            expected = f"\\{order}-grams:"
            if line is None:
                self._report.error(self.lines.number, f"the file ends before '{expected}': it is cut off", "truncated")
                return
            if line != expected.encode():
                self._report.error(self.lines.number, f"found {_shown(line)}: expected '{expected}'", "section")
                return
            self.probabilities.append({})
            self.backoffs.append({})
            found = self._section(order, count, order == len(counts))
            line = self.lines.next_filled()
            if line is None:
                message = f"the file ends after {found:,} of {count:,} {order}-grams, without '\\end\\': it is cut off"
                self._report.error(self.lines.number, message, "truncated")
                return
            if found != count:
                message = f"the header says {count:,} {order}-grams (line {said}), and there are {found:,}"
                self._report.error(self.lines.number, message, "count")
        if not counts:
            return
        if line != b"\\end\\":
            what = "the file ends" if line is None else f"found {_shown(line)}"
            self._report.error(self.lines.number, f"{what}: expected '\\end\\'", "end")
        elif self.lines.next_filled() is not None:
            self._report.warn(self.lines.number, "what stands behind '\\end\\' is not read", "behind-end")

    def _header(self) -> tuple[list[tuple[int, int]], bytes | None]:
        """How many n-grams there are of each order and the lines that say so; the line behind."""
        counts: list[tuple[int, int]] = []
        while (line := self.lines.next_filled()) is not None and line != b"\\data\\":
            if _HEADING.fullmatch(line):
                break
        if line != b"\\data\\":
            self._report.error(0, "no ARPA file: expected a line '\\data\\'", "no-arpa")
            return [], None
        while (line := self.lines.next_filled()) is not None:
            if line.startswith(b"\\"):
                break
            found = _COUNT.fullmatch(line)
            if found is None or int(found[1]) != len(counts) + 1:
                expected = f"expected 'ngram {len(counts) + 1}=' and a count"
                self._report.error(self.lines.number, f"found {_shown(line)}: {expected}", "counts")
                return [], None
            counts.append((int(found[2]), self.lines.number))
        if not counts:
            message = "no counts below '\\data\\': expected 'ngram 1=' and a count"
            self._report.error(self.lines.number, message, "counts")
        return counts, line

    def _section(self, order: int, count: int, is_last: bool) -> int:
        """Read the n-grams of an order; returns how many lines of them there are."""
        found = 0
        while True:
            # The header says where a section ends, so that blocks need no look at each line; where it is wrong, or the
            # block has anything unusual, its lines are read one by one.
            left = count - found
            block = self.lines.take(min(left, _BLOCK) if left > 0 else 1)
            if not block:
                return found
            if left > 0 and self._read_block(block, order, is_last):
                found += len(block)
                continue
            first = self.lines.number - len(block) + 1
            for place, line in enumerate(block):
                bare = line.strip(b" \t\r\n")
                if bare.startswith(b"\\"):
                    self.lines.put_back(block[place:])
                    return found
                if bare:
                    self._read_line(first + place, bare, order, is_last)
                    found += 1

    def _read_block(self, block: Sequence[bytes], order: int, is_last: bool) -> bool:
        """Read lines at once, all of them or none: whether they were written as most programs write them."""
        text = b"".join(block).replace(b"\r\n", b"\n").removesuffix(b"\n")
        lines = text.split(b"\n")
        tabs = list(map(bytes.count, lines, repeat(b"\t")))
        kinds = set(tabs)
        if kinds == {1, 2} and not is_last:
            padded = (line if count == 2 else line + b"\t0" for line, count in zip(lines, tabs, strict=True))
            text, kinds = b"\n".join(padded), {2}
        if kinds not in ({1}, {2}) or (is_last and kinds == {2}):
            return False
        step = kinds.pop() + 1
        cells = text.replace(b"\n", b"\t").split(b"\t")
        grams, numbers = cells[1::step], cells[::step]
        weights = cells[2::step] if step == 3 else []
        if b"_" in b"".join(numbers) or b"_" in b"".join(weights):  # Python reads 1_0
            return False
        try:
            if not text.isascii():
                text.decode()
            values, backoffs = list(map(float, numbers)), list(map(float, weights))
        except ValueError:
            return False
        if max(values) > 0 or not math.isfinite(sum(values)) or not math.isfinite(sum(backoffs)):
            return False
        if set(map(bytes.count, grams, repeat(b" "))) != {order - 1} or b"" in grams:
            return False
        if order > 1 and not self.probabilities[0].keys() >= set(b" ".join(grams).split(b" ")):
            return False
        known, new = self.probabilities[-1], dict(zip(grams, values, strict=True))
        if len(new) != len(grams) or not known.keys().isdisjoint(new):
            return False
        known.update(new)
        self.backoffs[-1].update((gram, weight) for gram, weight in zip(grams, backoffs, strict=False) if weight)
        return True

    def _read_line(self, line: int, text: bytes, order: int, is_last: bool) -> None:
        try:
            text.decode()
        except UnicodeDecodeError:
            self._report.error(line, "not UTF-8", "encoding", hint="save the file as UTF-8")
            return
        cells = [cell.strip(b" \r") for cell in text.split(b"\t")]
        fields = _FIELDS.findall(text)
        words = _FIELDS.findall(cells[1]) if len(cells) in (2, 3) else fields[1:][:order]
        weights = cells[2:] if len(cells) in (2, 3) else fields[order + 1 :]
        if len(cells) == 2 and len(words) == order + 1 and _is_number(words[-1]):  # a tab, then spaces only
            words, weights = words[:-1], words[-1:]
        if len(words) != order or len(weights) > 1:
            message = f"found {_shown(text)}: expected a log-probability, {order} word{'s' * (order > 1)}"
            self._report.error(line, message + " and perhaps a back-off weight" * (not is_last), "fields")
            return
        value = self._number(line, fields[0], "log-probability")
        weight = self._number(line, weights[0], "back-off weight") if weights else 0.0
        gram = b" ".join(words)
        if value is None or weight is None:
            return
        if value > 0:
            self._report.error(line, f"the log-probability {_shown(fields[0])} is above 0", "above-zero")
        elif is_last and weight:
            self._report.error(line, f"a back-off weight {_shown(weights[0])} at the highest order", "weight")
        elif gram in self.probabilities[-1]:
            self._report.error(line, f"the {order}-gram {_shown(gram)} stands twice", "twice")
        elif order > 1 and (lost := next((word for word in words if word not in self.probabilities[0]), None)):
            self._report.error(line, f"the word {_shown(lost)} is not among the 1-grams", "no-word")
        else:
            self.probabilities[-1][gram] = value
            if weight:
                self.backoffs[-1][gram] = weight

    def _number(self, line: int, text: bytes, what: str) -> float | None:
        value = number(text.decode())
        if value is None:
            self._report.error(line, f"the {what} is {_shown(text)}: expected a number", "not-a-number")
        return value


def _is_number(text: bytes) -> bool:
    return number(text.decode()) is not None


def _shown(text: bytes) -> str:
    found = text.decode("utf-8", "replace")
    return repr(found if len(found) <= 60 else f"{found[:57]}...")
