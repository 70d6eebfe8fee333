"""Texts -> numbered words -> counts of n-grams, as Kneser-Ney smoothing adjusts them.

An n-gram is one integer: the numbers of its words, each in as many bits as the largest one needs, the last word in the
lowest bits.  Without its first word it is the lower bits, without its last one the higher bits.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

from scorers.errors import ScoreError
from scorers.models.ngram import END_SIGNS, WORD
from scorers.readers.source import Report, Source

UNKNOWN, BEGIN, END = 0, 1, 2
SIGNS = ("<unk>", "<s>", "</s>")
"""The signs, by their numbers."""

Tell = Callable[[str], None]
"""Takes lines that say how far a long run is."""

_PLACES_OF_PROGRESS = 1 << 22


@dataclass(frozen=True)
class Corpus:
    """Sentences as numbers of words: `ids` one after the other, each with END behind it.

    `words` are the signs and then the words in the order of their code points, so that numbers are alike for any order
    of the sentences.
    """

    words: Sequence[str]
    ids: array[int]
    sentences: int

    @property
    def tokens(self) -> int:
        """Words in all sentences, ends not counted."""
        return len(self.ids) - self.sentences


def read_corpus(
    sources: Sequence[Source], report_of: Callable[[Source], Report], tell: Tell, vocabulary: Collection[str] = ()
) -> Corpus:
    """The sentences of texts, one a line, words between spaces; blank lines are none.

    Of a `vocabulary`, all words are words of the corpus, and all others are `<unk>`.  A `<s>` that begins and a `</s>`
    or `<eos>` that ends a line are the signs that stand there anyway; anywhere else they are errors.
    """
    numbers = {sign: number for number, sign in enumerate(SIGNS)}
    for word in vocabulary:
        numbers.setdefault(word, len(numbers))
    ids: array[int] = array("I")
    sentences, said = 0, _PLACES_OF_PROGRESS
    is_open = not vocabulary
    for source in sources:
        report = report_of(source)
        if source.no_text:
            report.error(0, f"no text but {source.no_text}: expected UTF-8, one sentence a line", "no-text")
            continue
        for line, text in source.lines(report):
            found = _sentence(line, text, report)
            if not found:
                continue
            if is_open:
                ids.extend([numbers.setdefault(word, len(numbers)) for word in found])
            else:
                ids.extend(map(numbers.get, found, repeat(UNKNOWN)))
            ids.append(END)
            sentences += 1
            if len(ids) >= said:
                said += _PLACES_OF_PROGRESS
                tell(f"{len(ids) - sentences:,} tokens read")
        report.close()
    return _sorted(list(numbers), ids, sentences)


def read_words(source: Source, report: Report) -> list[str]:
    """The words of a vocabulary, one a line; signs and blank lines are left out.  Closes the report."""
    found: dict[str, None] = {}
    for line, text in source.lines(report):
        words = WORD.findall(text)
        if len(words) > 1:
            report.error(line, f"found {text[:60]!r}: expected one word", "words")
        elif words and words[0] not in (*SIGNS, *END_SIGNS):
            found[words[0]] = None
    if not found and not report.has_errors:
        report.error(0, "no words: expected one a line", "empty")
    report.close()
    return list(found)


def _sentence(line: int, text: str, report: Report) -> list[str]:
    words = WORD.findall(text)
    if words and words[0] == SIGNS[BEGIN]:
        del words[0]
    if words and words[-1] in END_SIGNS:
        del words[-1]
    if "<s>" in words or "</s>" in words:
        sign = "<s>" if "<s>" in words else "</s>"
        hint = "a line is one sentence; its beginning and end are counted without signs"
        report.error(line, f"'{sign}' inside a line", "sign", hint=hint)
    return words


def _sorted(words: Sequence[str], ids: array[int], sentences: int) -> Corpus:
    order = [*range(len(SIGNS)), *sorted(range(len(SIGNS), len(words)), key=lambda number: words[number])]
    places = array("I", bytes(4 * len(words)))
    for place, number in enumerate(order):
        places[number] = place
    return Corpus([words[number] for number in order], array("I", map(places.__getitem__, ids)), sentences)


def without_rare(corpus: Corpus, at_least: int) -> Corpus:
    """The corpus with `<unk>` for words that are rarer."""
    counts = Counter(corpus.ids)
    kept = [word for word in range(len(SIGNS), len(corpus.words)) if counts[word] >= at_least]
    places = array("I", bytes(4 * len(corpus.words)))  # UNKNOWN for all
    places[END] = END
    for place, word in enumerate(kept, start=len(SIGNS)):
        places[word] = place
    words = [*SIGNS, *(corpus.words[word] for word in kept)]
    return Corpus(words, array("I", map(places.__getitem__, corpus.ids)), corpus.sentences)


def bits_of(corpus: Corpus) -> int:
    """How many bits a word's number takes."""
    return max(2, (len(corpus.words) - 1).bit_length())


def count_ngrams(corpus: Corpus, order: int, tell: Tell) -> list[Counter[int]]:
    """The adjusted counts of all orders: at `n - 1` those of the n-grams that occur.

    Of the highest order, and of n-grams that begin with `<s>`, how often they occur; of all others, behind how many
    different words they do (Chen and Goodman 1998, section 4.1.6; Heafield et al. 2013, section 3.2).  The 1-grams
    `<unk>` and words of the vocabulary that do not occur are left out, and so is `<s>`, which is never predicted.
    """
    bits = bits_of(corpus)
    adjusted = [Counter[int]() for _ in range(order)]
    if order == 1:
        adjusted[0].update(corpus.ids)
        return adjusted
    masks = [(1 << bits * size) - 1 for size in range(order + 1)]
    said = _PLACES_OF_PROGRESS
    done = 0
    for block in _sentences(corpus.ids):
        grams: list[int] = []
        begun: list[list[int]] = [[] for _ in range(order)]
        for sentence in block:
            key = BEGIN
            for size, word in enumerate(sentence, start=2):
                key = (key << bits | word) & masks[order]
                if size < order:
                    begun[size - 1].append(key)
                else:
                    grams.append(key)
            done += len(sentence)
        adjusted[-1].update(grams)
        for counts, keys in zip(adjusted, begun, strict=True):
            counts.update(keys)
        if done >= said:
            said += _PLACES_OF_PROGRESS
            tell(f"{done:,} of {len(corpus.ids):,} places counted")
    for size in range(order - 1, 0, -1):
        # What is left without the first word of the n-grams that are one longer: each occurs behind one more word.
        adjusted[size - 1].update(map(masks[size].__and__, adjusted[size]))
    if not adjusted[-1]:
        longest = next(size for size in range(order, 0, -1) if adjusted[size - 1])
        raise ScoreError(f"no sentence is long enough for {order}-grams; --order {longest} is the highest")
    return adjusted


def _sentences(ids: Sequence[int], most: int = 1 << 16) -> Iterator[Iterable[Sequence[int]]]:
    """The sentences with their ends, in blocks of some tens of thousands of words."""
    start = 0
    block: list[Sequence[int]] = []
    size = 0
    while start < len(ids):
        stop = ids.index(END, start) + 1
        block.append(ids[start:stop])
        size += stop - start
        start = stop
        if size >= most:
            yield block
            block, size = [], 0
    if block:
        yield block
