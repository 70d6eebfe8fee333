"""`score model`: let a model score items, and write its predictions."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scorers.asking import Measure, Question, ask, default_measure, fills_masks, find_measure, require_measure
from scorers.cli.progress import Progress
from scorers.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_INTERRUPTED, Findings, ScoreError, UsageError, say, say_few
from scorers.models import LanguageModel, ModelOptions, find_model
from scorers.predicting import Said, is_done, predict
from scorers.readers.files import read_items
from scorers.running import Run, Shard, WorkFile, parse_shard
from scorers.writing import require_writable, write_whole


def model_options(options: argparse.Namespace) -> ModelOptions:
    """What the command line says of how to run the model."""
    switches = {"yes": True, "no": False, None: None}
    return ModelOptions(
        batch_tokens=options.batch_tokens or 0,
        device=options.device or "",
        dtype=options.dtype or "",
        vocab=options.vocab or "",
        bos=switches[options.bos],
        eos=switches[options.eos],
        leading_space=switches[options.leading_space],
        bow=options.bow_correction,
        pll=options.pll,
    )


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    findings = Findings()
    shard = parse_shard(options.shard) if options.shard else Shard()
    measure = find_measure(options.measure) if options.measure else None
    if options.output == "-" and options.resume:
        raise UsageError("--resume goes on with what was left beside a file: name it with -o FILE")
    if options.top < 1:
        raise UsageError(f"--top {options.top}: expected 1 or more words")
    model = find_model(options.model, findings, model_options(options))
    if measure is not None:
        require_measure(model, measure, options.model)
    items = read_items([options.items], options.items_format, findings)
    measure = measure or default_measure(items, model)
    fills = fills_masks(model, measure)
    masked = sum(item.mask is not None for item in items)
    silent = f"the measure '{measure}'" if fills_masks(model, "sum") else f"'{options.model}'"
    if masked == len(items) and not fills:
        raise ScoreError(f"{options.items}: all items are open-ended, and {silent} says nothing of masks")
    asked = ask(items, measure, fills)
    if not asked.questions:
        say_few(asked.left_out, "items are left out")
        raise ScoreError(f"{options.items}: the measure '{measure}' applies to none of the items")
    if options.output != "-":
        read = {item.file for item in items} | {options.model.partition(":")[2], options.vocab or ""}
        require_writable(options.output, sorted(read - {""}))
    run = Run(model, [question.asked for question in asked.questions], options.top, shard)
    if options.resume and _is_there(options, model, measure, asked.questions, run):
        say(f"score: {options.output} is there already, and answers all of it")
        return EXIT_FINDINGS if asked.left_out else EXIT_FINE
    work = _work_file(options, run)
    try:
        with _terminable(), Progress(run.total) as progress:
            answers = run.answers(work, progress.advance)
        said = predict(model, measure, asked.questions, answers, options.name, run)
        _write(options, said, work)
    except KeyboardInterrupt as interrupt:
        return _interrupted(work, interrupt)
    finally:
        if work is not None:
            work.close()
    # Which answers are right does not matter to a model.
    say_few([finding for finding in findings.warnings if finding.code != "no-answers"], "warnings of reading")
    say_few(asked.left_out, "items are left out")
    say_few(said.findings, "sentences without a prediction")
    if masked and not fills:
        say(f"score: {silent} says nothing of masks: {masked:,} open-ended items have no prediction")
    if options.top > 1 and not (masked and fills):
        say(f"score: --top {options.top} changes nothing: no mask is filled")
    _say_unknown(model, said, measure)
    return EXIT_FINDINGS if asked.left_out or said.findings else EXIT_FINE


def _say_unknown(model: LanguageModel, said: Said, measure: str) -> None:
    what = "scored words" if measure in ("target", "one_prefix", "two_prefix") else "sentences"
    note = said.note(model.name, what)
    if note:
        say(f"score: {note}")


def _work_file(options: argparse.Namespace, run: Run) -> WorkFile | None:
    """What is kept beside the output until all is done; None where the output is no file.

    Raises UsageError where an earlier run has left something and nothing says what to do with it, or another process
    is at work on it.
    """
    if options.output == "-":
        return None
    target = Path(options.output)
    if target.exists() and not target.is_file():
        return None
    work = WorkFile(_beside(target), run)
    done = work.open(options.resume)
    if done:
        say(f"score: {done:,} of {run.total:,} are there already")
    return work


def _beside(target: Path) -> Path:
    return target.with_name(f"{target.name}.partial")


def _write(options: argparse.Namespace, said: Said, work: WorkFile | None) -> None:
    text = "".join(said.lines)
    if options.output == "-":
        sys.stdout.write(text)
    else:
        write_whole(options.output, text)
    if work is not None:
        work.remove()


class _TerminatedError(KeyboardInterrupt):
    """Another process, such as a cluster's scheduler, asks this one to end."""


@contextmanager
def _terminable() -> Iterator[None]:
    """What is done stays when the process is asked to end."""

    def end(number: int, frame: object) -> None:
        raise _TerminatedError

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupted(work: WorkFile | None, interrupt: KeyboardInterrupt) -> int:
    if work is not None:
        work.close()
    kept = work is not None and work.path.exists()
    left = f"what is done is in {work.path}, --resume goes on" if work is not None and kept else "nothing was written"
    is_terminated = isinstance(interrupt, _TerminatedError)
    say(f"score: {'terminated' if is_terminated else 'interrupted'}; {left}")
    return 128 + signal.SIGTERM if is_terminated else EXIT_INTERRUPTED


def _is_there(
    options: argparse.Namespace, model: LanguageModel, measure: Measure, questions: Sequence[Question], run: Run
) -> bool:
    """Whether the output is that of an earlier run that came to its end."""
    target = Path(options.output)
    if not target.is_file() or _beside(target).exists():
        return False
    try:
        text = target.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    try:
        return bool(text) and is_done(text, model, measure, questions, options.name, run)
    except ScoreError as error:
        raise ScoreError(f"{options.output}: {error}") from None
