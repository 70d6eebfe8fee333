"""Vectors of words from published text files (GloVe, word2vec), and how texts are looked up in them.

For probes: `vectors(path, words)` reads the rows of the words that are asked for.  `Vectors.of_tokens` gives the
vectors of tokens in order, `Vectors.of_sentence` their mean, which stands for a sentence.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorers.errors import Findings, ScoreError
from scorers.models.words import bare
from scorers.readers.fields import number
from scorers.readers.source import Report, Source

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Vectors:
    """Words' vectors: row `rows[word]` of `matrix`, single precision, of the shape (words, `dimension`)."""

    rows: Mapping[str, int]
    matrix: Any
    dimension: int

    def find(self, token: str) -> int | None:
        """The row of a token: as it is written, then in small letters, then both ways without punctuation that hangs on
        it; None where there is none.
        """
        return next((self.rows[form] for form in forms(token) if form in self.rows), None)

    def of_tokens(self, tokens: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
        """The vectors of tokens in order, double precision, (tokens, dimension), and the tokens that have none: their
        rows are nan.
        """
        import numpy

        found = numpy.full((len(tokens), self.dimension), numpy.nan)
        unknown = []
        for place, token in enumerate(tokens):
            row = self.find(token)
            if row is None:
                unknown.append(token)
            else:
                found[place] = self.matrix[row]
        return found, tuple(unknown)

    def of_sentence(self, tokens: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
        """The mean of the tokens' vectors, double precision, (dimension,), and the tokens that have none and are left
        out; nan where none has one.
        """
        import numpy

        found, unknown = self.of_tokens(tokens)
        known = found[~numpy.isnan(found).any(axis=1)]
        return known.mean(axis=0) if len(known) else numpy.full(self.dimension, numpy.nan), unknown


def forms(token: str) -> tuple[str, ...]:
    """The ways in which a token is looked up, in their order."""
    inner = bare(token)
    return token, token.lower(), inner, inner.lower()


def vectors(path: str, words: Iterable[str] | None = None, findings: Findings | None = None) -> Vectors:
    """The vectors of a file, GloVe's or word2vec's text, perhaps compressed by gzip; `-` is standard input.

    With `words` only rows that may be looked up for these are kept, and memory does not grow with the file.  Warnings
    go to the `findings`.  Raises InputError for a file with errors, and ScoreError where there is none or numpy is
    missing.
    """
    require_numpy()
    findings = Findings() if findings is None else findings
    source = Source.of(path)
    report = Report(findings, source.name)
    wanted = None if words is None else {form for word in words for form in forms(word)}
    found = read_vectors(source, report, wanted)
    report.close()
    findings.require_none()
    return found


def read_vectors(source: Source, report: Report, words: set[str] | None = None) -> Vectors:
    """The vectors of a file: all, or those of `words` exactly as they are written."""
    import numpy

    rows: dict[str, int] = {}
    blocks: list[Any] = []
    dimension = 0
    for line, word, vector in each_row(source, report, words):
        dimension = len(vector)
        if word in rows:
            report.warn(line, "words that stand twice: the first row counts", "twice")
            continue
        rows[word] = len(blocks)
        blocks.append(numpy.array(vector, dtype=numpy.float32))
    matrix = numpy.array(blocks) if blocks else numpy.zeros((0, dimension), numpy.float32)
    return Vectors(rows, matrix, dimension)


def each_row(source: Source, report: Report, words: set[str] | None = None) -> Iterator[tuple[int, str, list[float]]]:
    """Each row, as the file is read: its line, the word, and its numbers.

    Of rows of other words than `words` only the length is checked.  Words may have spaces in them, as a few of GloVe's
    have.
    """
    wanted = None if words is None else {word.encode("utf-8", "surrogatepass") for word in words}
    lines = _lines(source, report)
    first_line, first = next(lines, (0, b""))
    if not first:
        if not report.has_errors:
            report.error(0, "the file is empty: expected a word and its numbers in each line", "empty")
        return
    counted, dimension = _header(first)
    if not dimension:
        dimension = _dimension(first)
        lines = _again((first_line, first), lines)
    if not dimension:
        shown = first.decode("utf-8", "replace")[:60]
        report.error(first_line, f"found {shown!r}: expected a word and its numbers, with spaces between", "no-vectors")
        return
    count, last = 0, first_line
    for line, text in lines:
        count, last = count + 1, line
        cells = text.rsplit(b" ", dimension)
        word = cells[0]
        if len(cells) != dimension + 1 or not word:
            found = len(text.split(b" ")) - 1
            report.error(line, f"found {found:,} numbers: expected {dimension:,}, as in line 1", "length")
            continue
        if wanted is not None and word not in wanted and b" " not in word:
            continue
        if b" " in word and _is_number(word.rpartition(b" ")[2]) and all(map(_is_number, cells[1:])):
            found = len(text.split(b" ")) - 1
            report.error(line, f"found {found:,} numbers: expected {dimension:,}, as in line 1", "length")
            continue
        if wanted is not None and word not in wanted:
            continue
        try:
            name = word.decode()
        except UnicodeDecodeError:
            report.warn(line, "words that are not UTF-8: their rows are left out", "encoding")
            continue
        numbers = _numbers(line, cells[1:], report)
        if numbers:
            yield line, name, numbers
    if counted and count != counted and not report.has_errors:
        cut = ": the file is cut off" if count < counted else ""
        message = f"the first line says {counted:,} words, and there are {count:,}{cut}"
        report.error(last, message, "count")


def require_numpy() -> None:
    """Raises ScoreError where numpy is missing."""
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        raise ScoreError("vectors of words need the extra 'fast' (pip install 'starling-gen[fast]')") from error


def _again(first: tuple[int, bytes], rest: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    yield first
    yield from rest


def _lines(source: Source, report: Report) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers; tabs become spaces."""
    line = 0
    try:
        with source.open() as raw:
            is_packed = source.starts_with(_GZIP)
            stream: Any = io.BufferedReader(gzip.GzipFile(fileobj=raw)) if is_packed else raw
            for line, text in enumerate(stream, start=1):
                if bare_line := text.strip(b" \t\r\n"):
                    yield line, bare_line.replace(b"\t", b" ")
    except EOFError:
        report.error(line, "the compressed file is cut off", "truncated")
    except (gzip.BadGzipFile, zlib.error) as error:
        report.error(line, f"the compressed file is damaged: {error}", "damaged")


def _header(text: bytes) -> tuple[int, int]:
    """How many words and numbers a first line of word2vec says there are; (0, 0) for a row."""
    cells = text.split(b" ")
    if len(cells) == 2 and all(cell.isdigit() for cell in cells):
        return int(cells[0]), int(cells[1])
    return 0, 0


def _dimension(text: bytes) -> int:
    """How many numbers a row ends in, behind its word."""
    cells = text.split(b" ")
    count = 0
    while count < len(cells) - 1 and _is_number(cells[-1 - count]):
        count += 1
    return count


def _is_number(text: bytes) -> bool:
    return number(text.decode("ascii", "replace")) is not None


def _numbers(line: int, cells: Sequence[bytes], report: Report) -> list[float]:
    try:
        found = list(map(float, cells))
    except ValueError:
        found = []
    if not found or sum(found) - sum(found) != 0.0:
        lost = next((cell for cell in cells if not _is_number(cell)), b"")
        shown = lost.decode("utf-8", "replace")
        report.error(line, f"found {shown!r}: expected a number", "not-a-number")
        return []
    return found
