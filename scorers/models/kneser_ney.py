"""Counts of n-grams -> a back-off model with interpolated modified Kneser-Ney smoothing, as an ARPA file.

Chen and Goodman (1998), An empirical study of smoothing techniques for language modeling; as KenLM's lmplz computes it
(Heafield et al. 2013, Scalable modified Kneser-Ney language model estimation), with unigrams interpolated too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from scorers.errors import ScoreError
from scorers.models.ngram_counts import BEGIN, Corpus, Tell, bits_of, count_ngrams

LEAST = -99.0
"""How the format writes the logarithm of 0."""

_LINES = 1 << 14
_WORTH_TELLING = 1 << 20


@dataclass(frozen=True)
class Discounts:
    """What is taken from adjusted counts of one, of two, and of three or more."""

    one: float
    two: float
    more: float

    def of(self, count: int) -> float:
        """What is taken from a count; nothing from none."""
        return self.more if count > 2 else (0.0, self.one, self.two)[count]

    def __str__(self) -> str:
        return f"D1={self.one:.6g} D2={self.two:.6g} D3+={self.more:.6g}"


@dataclass(frozen=True)
class OrderEstimate:
    """The n-grams of one order as integers, sorted; their probabilities, and the back-off weights of those that are
    contexts of longer ones.
    """

    probabilities: Mapping[int, float]
    weights: Mapping[int, float]


@dataclass(frozen=True)
class Estimate:
    """A model before it is written: `orders` are made as they are asked for, each once, the unigrams first."""

    words: Sequence[str]
    bits: int
    sizes: tuple[int, ...]
    discounts: tuple[Discounts, ...]
    fallen_back: tuple[int, ...]
    orders: Iterator[OrderEstimate]


def find_discounts(counts: Iterable[int], order: int) -> Discounts:
    """The discounts of an order (Chen and Goodman's equation 26), from how many n-grams have an adjusted count of one,
    two, three and four.  Raises ScoreError where they give none.
    """
    have = Counter(count for count in counts if count <= 4)
    found = []
    hint = "The text is small or artificial; --discount-fallback 0.5,1,1.5 gives such orders these discounts"
    for count in (1, 2, 3):
        if not have[count]:
            raise ScoreError(f"no discounts for {order}-grams: none has the adjusted count {count}. {hint}")
        y = have[1] / (have[1] + 2 * have[2])
        discount = count - (count + 1) * y * have[count + 1] / have[count]
        if not 0 <= discount <= count:
            what = f"that of the adjusted count {count} would be {discount:.6g}"
            raise ScoreError(f"no discounts for {order}-grams: {what}. {hint}")
        found.append(discount)
    return Discounts(*found)


def estimate(corpus: Corpus, order: int, fallback: Discounts | None, tell: Tell) -> Estimate:
    """The model of a corpus.  Raises ScoreError where discounts cannot be computed and there is no `fallback`.

    The n-grams are those that occur, and every word of the corpus.  `<unk>`, and words that do not occur, have what
    the interpolation of unigrams with a uniform distribution over all words, `<unk>` and `</s>` gives them.
    """
    counts = count_ngrams(corpus, order, tell)
    discounts, fallen_back = [], []
    for size, of_order in enumerate(counts, start=1):
        try:
            discounts.append(find_discounts(of_order.values(), size))
        except ScoreError:
            if fallback is None:
                raise
            discounts.append(fallback)
            fallen_back.append(size)
    sizes = (len(corpus.words), *map(len, counts[1:]))
    orders = _orders(len(corpus.words), bits_of(corpus), counts, discounts, tell)
    return Estimate(corpus.words, bits_of(corpus), sizes, tuple(discounts), tuple(fallen_back), orders)


def _orders(
    words: int, bits: int, counts: list[Counter[int]], discounts: Sequence[Discounts], tell: Tell
) -> Iterator[OrderEstimate]:
    """One order after the other; counts that are no longer needed are given up."""
    for number in range(words):
        counts[0].setdefault(number, 0)
    uniform = 1 / (words - 1)  # <s> is never predicted
    keys = sorted(counts[0])
    shares = _left_over(keys, counts[0], discounts[0], bits)
    found = dict.fromkeys(keys, uniform)
    for size, discount in enumerate(discounts, start=1):
        of_order, lower, found = counts[size - 1], found, {}
        if len(keys) >= _WORTH_TELLING:
            tell(f"estimating {len(keys):,} {size}-grams")
        rest = (1 << bits * (size - 1)) - 1 if size > 1 else -1
        # Sorted, the n-grams of one context stand together.
        for context, group in groupby(keys, bits.__rrshift__):
            of_context = list(group)
            numbers = [of_order[key] for key in of_context]
            total, share = sum(numbers), shares[context]
            for key, count in zip(of_context, numbers, strict=True):
                found[key] = (count - discount.of(count)) / total + share * lower[key & rest]
        if size == 1:
            found[BEGIN] = 1.0  # as lmplz writes it: scored where it stands, it changes nothing
        counts[size - 1] = Counter()
        if size < len(discounts):
            keys = sorted(counts[size])
            shares = _left_over(keys, counts[size], discounts[size], bits)
        else:
            shares = {}
        yield OrderEstimate(found, shares)


def _left_over(keys: Iterable[int], counts: Mapping[int, int], discount: Discounts, bits: int) -> dict[int, float]:
    """For each context the share of the counts behind it that the discounts leave to lower orders."""
    found: dict[int, float] = {}
    for context, group in groupby(keys, bits.__rrshift__):
        numbers = [counts[key] for key in group]
        found[context] = math.fsum(map(discount.of, numbers)) / sum(numbers)
    return found


def arpa_blocks(model: Estimate) -> Iterator[bytes]:
    """The model in the ARPA format, n-grams in the order of the code points of their words (signs first)."""
    counts = "".join(f"ngram {order}={size}\n" for order, size in enumerate(model.sizes, start=1))
    yield f"\\data\\\n{counts}".encode()
    mask, words, bits = (1 << model.bits) - 1, model.words, model.bits
    for order, of_order in enumerate(model.orders, start=1):
        yield f"\n\\{order}-grams:\n".encode()
        places = range(bits * (order - 1), -1, -bits)
        is_last = order == len(model.sizes)
        lines: list[str] = []
        for key, probability in of_order.probabilities.items():
            gram = " ".join([words[key >> place & mask] for place in places])
            ending = "" if is_last else f"\t{_log10(of_order.weights.get(key, 1.0))}"
            lines.append(f"{_log10(probability)}\t{gram}{ending}\n")
            if len(lines) >= _LINES:
                yield "".join(lines).encode("utf-8", "surrogatepass")
                lines.clear()
        yield "".join(lines).encode("utf-8", "surrogatepass")
    yield b"\n\\end\\\n"


def _log10(value: float) -> str:
    # Sums of doubles come out a little above 1 where they are 1.
    return f"{min(math.log10(value), 0.0) or 0.0:.12g}" if value > 0 else f"{LEAST:g}"
