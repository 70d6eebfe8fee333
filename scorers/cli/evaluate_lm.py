"""`score evaluate-lm`: evaluate a language model on pairs of sentences, as 'Evaluate LSTMs for syntax' does."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from scorers.cli.progress import Progress
from scorers.errors import EXIT_FINDINGS, EXIT_FINE, Findings, say, say_few
from scorers.evaluate_lm.evaluation import evaluate
from scorers.evaluate_lm.models import Request, load
from scorers.evaluate_lm.pairs import read_pairs
from scorers.evaluate_lm.results import notes, result_lines, summary
from scorers.evaluate_lm.watching import Tell
from scorers.writing import write_whole


@contextmanager
def _bar(total: int) -> Iterator[Tell]:
    with Progress(total) as bar:
        yield bar.advance


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    request = Request(
        options.model,
        options.vocab,
        options.eval_target_word,
        options.print_word_probs,
        options.mask_target,
        options.cuda,
        options.compatible,
        options.batch_tokens or 0,
    )
    findings = Findings()
    model = load(request, findings)
    pairs = read_pairs(options.data, findings, options.original)
    evaluation = evaluate(model, pairs, request, options.data, findings, _bar)
    text = "".join(result_lines(evaluation.outcomes, request.is_target))
    if options.output == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_whole(options.output, text)
    say_few(findings.warnings, "warnings")
    if options.seed is not None:
        say("score: --seed: nothing is drawn at random here, so that it changes nothing")
    if request.is_masked and model.is_left_to_right:
        say("score: --mask_target: this model reads from left to right and never sees the target: nothing changes")
    for note in notes(evaluation):
        say(f"score: {note}")
    for line in summary(evaluation.outcomes, 0 if request.is_compatible else 0.5):
        say(line)
    return EXIT_FINDINGS if evaluation.refused else EXIT_FINE
