"""Result lines as 'Evaluate LSTMs for syntax' writes them, and the accuracies that stand beside them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from scorers.evaluate_lm.keeping_out import lines_of, named
from scorers.evaluate_lm.scoring import END, Evaluation, Outcome, WordScores


def result_lines(outcomes: Sequence[Outcome], is_target: bool) -> Iterator[str]:
    """A line for each outcome, tabs between its fields: `True|False, pattern, score, score_alt, sent, sent_alt`, or of
    target words `True|False, pattern, form, score, form_alt, score_alt, max_pred=WORD, sent`.

    Sentences end in ` <eos>`.  A tie is False.  Where words were asked for, a line for each follows: an empty field,
    `sent` or `sent_alt`, the word, its log-probability (`NA`: it has none).
    """
    for outcome in outcomes:
        pair, scores = outcome.pair, (repr(outcome.score), repr(outcome.score_alt))
        sentences = f"{pair.good} {END}", f"{pair.bad} {END}"
        said: tuple[str, ...]
        if is_target:
            said = (pair.form, scores[0], pair.form_alt, scores[1], f"max_pred={outcome.max_pred}", sentences[0])
        else:
            said = (*scores, *sentences)
        yield "\t".join((str(outcome.is_right), pair.pattern, *said)) + "\n"
        yield from _word_lines("sent", outcome.words)
        yield from _word_lines("sent_alt", outcome.words_alt)


def _word_lines(name: str, words: WordScores) -> Iterator[str]:
    for word, value in words:
        yield f"\t{name}\t{word}\t{'NA' if math.isnan(value) else repr(value)}\n"


def summary(outcomes: Sequence[Outcome], tie_points: float) -> Iterator[str]:
    """Accuracy for each pattern, in the order of the file, and over all pairs; `tie_points` is what a tie counts."""
    patterns: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        patterns.setdefault(outcome.pair.pattern, []).append(outcome)
    rows = [("pattern", "pairs", "right", "ties", "accuracy")]
    rows += [_row(name, members, tie_points) for name, members in patterns.items()]
    rows.append(_row("overall", outcomes, tie_points))
    wide = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for first, *others in rows:
        yield "  ".join(
            (first.ljust(wide[0]), *(cell.rjust(size) for cell, size in zip(others, wide[1:], strict=True)))
        )
    yield f"score: a tie counts {'half a point' if tie_points else 'as wrong'}; overall is over all pairs"


def _row(name: str, outcomes: Sequence[Outcome], tie_points: float) -> tuple[str, str, str, str, str]:
    right = sum(outcome.is_right for outcome in outcomes)
    ties = sum(outcome.is_tie for outcome in outcomes)
    accuracy = f"{100 * (right + tie_points * ties) / len(outcomes):.1f}" if outcomes else "-"
    return name, f"{len(outcomes):,}", f"{right:,}", f"{ties:,}", accuracy


def notes(evaluation: Evaluation) -> Iterator[str]:
    """What is to be said of words that the model does not know."""
    unknown = Counter(word for outcome in evaluation.outcomes for word in outcome.unknown)
    count = sum(bool(outcome.unknown) for outcome in evaluation.outcomes)
    if count:
        yield (
            f"{count:,} of {len(evaluation.outcomes):,} pairs differ in a word that the model does not know, and are "
            f"counted as it scores such words: {named(unknown)}"
        )
    if evaluation.dropped:
        total = len(evaluation.dropped) + len(evaluation.outcomes) + len(evaluation.refused)
        yield (
            f"{len(evaluation.dropped):,} of {total:,} pairs were dropped, as in the published program: a form is not "
            f"in the vocabulary ({lines_of([pair.line for pair in evaluation.dropped])})"
        )
