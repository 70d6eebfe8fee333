"""From scores of tokens to surprisals of regions, and from sums to means: with units in the names."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from scorers.errors import UsageError, nearest
from scorers.items import Condition, Region
from scorers.predictions import NATS, TokenPrediction, Unit
from scorers.token_bytes import Span, byte_spans, fold, is_special

Metric = Literal["sum", "mean", "median", "range", "max", "min"]
"""How the surprisals of a region's tokens become one number: `meta.metric` of a SyntaxGym suite."""

METRICS: tuple[Metric, ...] = get_args(Metric)

WHOLE = "*"
"""The key of the whole sentence among regions."""

_MEASURES: Mapping[Metric, Callable[[Sequence[float]], float]] = {
    "sum": math.fsum,
    "mean": lambda bits: math.fsum(bits) / len(bits),
    "median": statistics.median,
    "range": lambda bits: max(bits) - min(bits),
    "max": max,
    "min": min,
}

# What tokenisers add to a piece of a word: a mark of a space, of the inside or of the end of a word.
_MARKS_BEFORE = ("Ġ", "▁", "##")
_MARKS_AFTER = ("</w>",)
_BYTE_SPACES = str.maketrans({"Ġ": " ", "Ċ": "\n", "▁": " "})


def find_metric(name: str) -> Metric:
    """The metric of this name.  Raises UsageError."""
    for metric in METRICS:
        if metric == name:
            return metric
    raise UsageError(f"there is no metric '{name}'{nearest(name, METRICS)}; there are {', '.join(METRICS)}")


def region_bits(bits: Sequence[float], metric: Metric = "sum") -> float:
    """One number for the surprisals of a region's tokens; nan where a metric other than the sum has no token."""
    if not bits:
        return 0.0 if metric == "sum" else math.nan
    return float(_MEASURES[metric](bits))


def surprisal_bits(value: float, unit: Unit) -> float:
    """A number of a file as surprisal in bits: minus the base-2 logarithm of the probability.

    Raises UsageError for a unit that is no probability.
    """
    if unit.quantity == "score":
        raise UsageError("scores are no surprisals: say what the numbers are (log_probability, surprisal ...)")
    return -unit.nats(value) / NATS["bits"]


@dataclass(frozen=True)
class SentenceMeasures:
    """A sentence's log-probability in nats: its sum, per token and per character; None where a count is not known."""

    sum_nats: float
    per_token_nats: float | None
    per_character_nats: float | None


def sentence_measures(sum_nats: float, tokens: int, characters: int) -> SentenceMeasures:
    """The sum, the sum over the number of the model's tokens, and over the number of characters."""
    per_token = sum_nats / tokens if tokens else None
    return SentenceMeasures(sum_nats, per_token, sum_nats / characters if characters else None)


@dataclass(frozen=True)
class Straddle:
    """A token that reaches over the edge of regions; its surprisal counts in those in which it starts."""

    token: str
    start: int
    end: int
    regions: tuple[str, ...]


@dataclass(frozen=True)
class RegionSurprisals:
    """Surprisals in bits of a sentence's regions, by name and by number, and of the whole (`*`).

    Left out is what cannot be measured: a region (or the whole) with a word that no token stands for or whose token has
    no number, a region with no token that starts in it, a name that stands twice (its number then still names the
    region).  `straddling` are tokens that reach over an edge; `unplaced` the places of tokens (from 0) that stand
    nowhere in the sentence, such as `<s>`: they count nowhere; `replaced` are (token, word) where a token stands alone
    for another word.
    """

    bits: Mapping[str, float]
    straddling: tuple[Straddle, ...] = ()
    unplaced: tuple[int, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()


def token_spans(text: str, tokens: Sequence[str], starts: Sequence[int] = ()) -> list[Span | None]:
    """The characters of each token, start and end, without spaces around it; None for one that is not in the text.

    With `starts` a token reaches to the next one's start or the end of its word, and what a tokeniser writes for it
    does not matter.  Without them tokens that are written as bytes (`Ã©` for `é`, `<0xC3>`) are decoded where that is
    the sentence; else they are looked for in the text one after the other, without the marks of tokenisers (`Ġ`, `▁`,
    `##`, `</w>`), in whatever case; one alone that is not found (`<unk>`) stands for the word between its neighbours.
    Words that no token stands for are passed over where the tokens go on behind them.
    """
    given = _given_spans(text, tokens, starts)
    return _looked_for(text, tokens) if given is None else given


def _given_spans(text: str, tokens: Sequence[str], starts: Sequence[int]) -> list[Span | None] | None:
    """The characters of tokens with starts, or in bytes that are those of the sentence; None for other tokens."""
    if not starts:
        return byte_spans(text, tokens)
    if len(starts) != len(tokens):
        raise ValueError(f"{len(tokens)} tokens with {len(starts)} starts")
    return _spans_from_starts(text, tokens, starts)


def _looked_for(text: str, tokens: Sequence[str]) -> list[Span | None]:
    """The characters of tokens that are looked for in the sentence."""
    spans: list[Span | None] = []
    folded, at = fold(text), 0
    # Places of tokens since the last one that was found: while there are some, words of the text may be skipped.
    lost: list[int] = []
    for place, token in enumerate(tokens):
        found, length = _find(folded, token, at)
        spans.append(None)
        is_apart = found >= 0 and bool(text[at:found].strip())
        if found < 0 or (is_apart and not lost and not _goes_on(folded, tokens[place + 1 :], found, length)):
            if not is_special(token):
                lost.append(place)
            continue
        spans[place] = (found, found + length)
        if len(lost) == 1:
            spans[lost[0]] = _word(text, at, found)
        lost, at = [], found + length
    if len(lost) == 1:
        spans[lost[0]] = _word(text, at, len(text))
    return spans


def _goes_on(folded: str, following: Sequence[str], found: int, length: int) -> bool:
    """Whether a token that is found behind words without a token is that one: it begins a word, and what follows it
    among the tokens follows it in the sentence too.
    """
    if found and not folded[found - 1].isspace():
        return False
    after = next((token for token in following if not is_special(token)), None)
    if after is None:
        return not folded[found + length :].strip()
    place, _ = _find(folded, after, found + length)
    return place >= 0 and not folded[found + length : place].strip()


def _find(folded: str, token: str, at: int) -> tuple[int, int]:
    """Where a token is next in a sentence, and its length: as it is where that comes next (`Ġ` is a letter of Maltese),
    else without the marks of tokenisers; -1 for nowhere.
    """
    found, surface = -1, ""
    for surface in (fold(token.strip()), fold(_surface(token))):
        found = folded.find(surface, at) if surface else -1
        if found >= 0 and not folded[at:found].strip():
            break
    return found, len(surface)


def _stripped(text: str, start: int, end: int) -> Span | None:
    """A stretch without the spaces around it; None where nothing is left."""
    stretch = text[start:end] if 0 <= start < end else ""
    first = start + len(stretch) - len(stretch.lstrip())
    last = start + len(stretch.rstrip())
    return (first, last) if first < last else None


def _word(text: str, start: int, end: int) -> Span | None:
    """A stretch that is one word; None where it is none or several."""
    span = _stripped(text, start, end)
    return span if span is not None and len(text[span[0] : span[1]].split()) == 1 else None


def _spans_from_starts(text: str, tokens: Sequence[str], starts: Sequence[int]) -> list[Span | None]:
    """A token reaches to the next one's start; over a word's end only where it has a space inside itself."""
    spans: list[Span | None] = []
    for token, start, end in zip(tokens, starts, [*starts[1:], len(text)], strict=True):
        span = _stripped(text, start, end)
        if span is not None and len(_surface(token).split()) < 2:
            span = span[0], span[0] + len(text[span[0] : span[1]].split()[0])
        spans.append(span)
    return spans


def _surface(token: str) -> str:
    for mark in _MARKS_BEFORE:
        token = token.removeprefix(mark)
    for mark in _MARKS_AFTER:
        token = token.removesuffix(mark)
    return token.translate(_BYTE_SPACES).strip()


def region_surprisals(
    condition: Condition, prediction: TokenPrediction, unit: Unit, metric: Metric = "sum"
) -> RegionSurprisals:
    """The surprisals of a condition's regions from those of a sentence's tokens.

    A token belongs to each region in which its first character stands (regions may lie in one another), as SyntaxGym
    assigns them.  A region without words has a sum of 0 and no other measure.
    """
    text = condition.text
    bits = [surprisal_bits(value, unit) for value in prediction.values]
    given = _given_spans(text, prediction.tokens, prediction.starts)
    spans = _looked_for(text, prediction.tokens) if given is None else given
    placed = [(*span, value) for span, value in zip(spans, bits, strict=True) if span is not None]
    is_open = [not letter.isspace() for letter in text]
    for start, end, value in placed:
        if not math.isnan(value):
            is_open[start:end] = [False] * (end - start)
    found: dict[str, float] = {}
    names = [region.name for region in condition.regions]
    for region in condition.regions:
        inside = [value for start, _, value in placed if region.start <= start < region.end]
        is_empty = not text[region.start : region.end].strip()
        if any(is_open[region.start : region.end]) or not (inside or is_empty):
            continue
        measured = region_bits(inside, metric)
        if math.isnan(measured):
            continue
        if region.number:
            found[region.number] = measured
        if names.count(region.name) == 1:
            found.setdefault(region.name, measured)
    if placed and not any(is_open):
        found[WHOLE] = region_bits([value for _, _, value in placed], metric)
    straddling = tuple(
        Straddle(token, *span, cut)
        for token, span in zip(prediction.tokens, spans, strict=True)
        if span is not None and (cut := _cut(span, condition.regions))
    )
    unplaced = tuple(place for place, span in enumerate(spans) if span is None)
    replaced = tuple(_replaced(text, prediction.tokens, spans)) if given is None else ()
    return RegionSurprisals(found, straddling, unplaced, replaced)


def _replaced(text: str, tokens: Sequence[str], spans: Sequence[Span | None]) -> Iterator[tuple[str, str]]:
    """(token, word) where a token is not what the sentence has in its place, nor the sign of an unknown word."""
    for token, span in zip(tokens, spans, strict=True):
        if span is not None and token.strip("<>[]|").lower() != "unk":
            word = text[slice(*span)]
            if fold(word) not in (fold(token.strip()), fold(_surface(token))):
                yield token, word


def _cut(span: Span, regions: Sequence[Region]) -> tuple[str, ...]:
    """The regions that hold a part of a token but not all of it."""
    start, end = span
    return tuple(
        region.name
        for region in regions
        if region.start < end and start < region.end and not (region.start <= start and end <= region.end)
    )
