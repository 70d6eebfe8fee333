"""`score ngram train`: estimate an n-gram model from a text."""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from scorers.errors import Findings, ScoreError, UsageError, say, say_few
from scorers.models.kneser_ney import Discounts, arpa_blocks, estimate
from scorers.models.ngram_counts import read_corpus, read_words, without_rare
from scorers.readers.fields import number
from scorers.readers.source import Report, Source
from scorers.writing import require_writable, whole_file


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.order < 1:
        raise UsageError(f"--order is 1 at least, not {options.order}")
    if options.min_count < 1:
        raise UsageError(f"--min-count is 1 at least, not {options.min_count}")
    if [*options.texts, options.vocab].count("-") > 1:
        raise UsageError("standard input ('-') can be read once only")
    fallback = _discounts(options.discount_fallback)
    if options.output != "-":
        require_writable(options.output, [*options.texts, *filter(None, [options.vocab])])
    findings = Findings()
    vocabulary: list[str] = []
    if options.vocab:
        source = Source.of(options.vocab)
        vocabulary = read_words(source, Report(findings, source.name))
        findings.require_none()
    sources = [Source.of(name) for name in options.texts]
    corpus = read_corpus(sources, lambda source: Report(findings, source.name), _tell, vocabulary)
    findings.require_none()
    if not corpus.sentences:
        raise ScoreError(f"{', '.join(options.texts)}: no sentences; expected one a line, words between spaces")
    if options.min_count > 1:
        corpus = without_rare(corpus, options.min_count)
    model = estimate(corpus, options.order, fallback, _tell)
    # Of the words, three are signs.
    said = f"{corpus.sentences:,} sentences, {corpus.tokens:,} tokens, {len(corpus.words) - 3:,} words"
    with _output(options.output) as stream:
        for block in arpa_blocks(model):
            stream.write(block)
    _tell(said)
    for order, (size, discounts) in enumerate(zip(model.sizes, model.discounts, strict=True), start=1):
        fallen = " (fallback)" if order in model.fallen_back else ""
        _tell(f"{size:,} {order}-grams, {discounts}{fallen}")
    say_few(findings.warnings, "warnings of reading")
    return 0


def _tell(text: str) -> None:
    say(f"score: {text}")


@contextmanager
def _output(name: str) -> Iterator[IO[bytes]]:
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with whole_file(name) as stream:
        if not name.endswith(".gz"):
            yield stream
            return
        # Neither name nor time, so that equal models are equal files.
        with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
            yield packed  # type: ignore[misc]


def _discounts(text: str) -> Discounts | None:
    """The discounts of `--discount-fallback`; of fewer than three the last counts for the rest, as lmplz has it."""
    if not text:
        return None
    found = [number(cell.strip()) for cell in text.split(",")]
    values = [value for value in found if value is not None]
    if not 1 <= len(found) <= 3 or len(values) < len(found):
        raise UsageError(f"--discount-fallback {text}: expected up to three numbers, as in 0.5,1,1.5")
    values += values[-1:] * (3 - len(values))
    for count, value in enumerate(values, start=1):
        if not 0 <= value <= count:
            raise UsageError(f"--discount-fallback {text}: a discount of the count {count} is between 0 and {count}")
    return Discounts(*values)
