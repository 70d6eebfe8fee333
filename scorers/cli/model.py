"""`score model`: let a model score items, and write its predictions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scorers.asking import ask, default_measure, fills_masks, find_measure, require_measure
from scorers.cli.progress import Progress
from scorers.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_INTERRUPTED, Findings, ScoreError, UsageError, say, say_few
from scorers.models import LanguageModel, ModelOptions, find_model
from scorers.predicting import Said, predict
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
    if masked == len(items) and not fills:
        why = f"the measure '{measure}'" if fills_masks(model, "sum") else f"'{options.model}'"
        raise ScoreError(f"{options.items}: all items are open-ended, and {why} says nothing of masks")
    asked = ask(items, measure, fills)
    if not asked.questions:
        say_few(asked.left_out, "items are left out")
        raise ScoreError(f"{options.items}: the measure '{measure}' applies to none of the items")
    run = Run(model, [question.asked for question in asked.questions], options.top, shard)
    work = _work_file(options, run)
    try:
        with Progress(run.total) as progress:
            answers = run.answers(work, progress.advance)
        said = predict(model, measure, asked.questions, answers, options.name, run)
        _write(options, said, work)
    except KeyboardInterrupt:
        return _interrupted(work)
    finally:
        if work is not None:
            work.close()
    # Which answers are right does not matter to a model.
    say_few([finding for finding in findings.warnings if finding.code != "no-answers"], "warnings of reading")
    say_few(asked.left_out, "items are left out")
    say_few(said.findings, "sentences without a prediction")
    if masked and not fills:
        why = f"the measure '{measure}'" if fills_masks(model, "sum") else f"'{options.model}'"
        say(f"score: {why} says nothing of masks: {masked:,} open-ended items have no prediction")
    _say_unknown(model, said, measure)
    return EXIT_FINDINGS if asked.left_out or said.findings else EXIT_FINE


def _say_unknown(model: LanguageModel, said: Said, measure: str) -> None:
    what = "scored words" if measure in ("target", "one_prefix", "two_prefix") else "sentences"
    note = said.note(model.name, what)
    if note:
        say(f"score: {note}")


def _work_file(options: argparse.Namespace, run: Run) -> WorkFile | None:
    """What is kept beside the output until all is done; None where the output is no file.

    Raises UsageError where an earlier run has left something and nothing says what to do with it.
    """
    if options.output == "-":
        return None
    target = Path(options.output)
    require_writable(target)
    if target.exists() and not target.is_file():
        return None
    work = WorkFile(target.with_name(f"{target.name}.partial"), run)
    if options.resume:
        done = work.resume()
        if done:
            say(f"score: {done:,} of {run.total:,} are there already")
    elif work.path.exists():
        raise UsageError(
            f"{work.path} is left of a run that was stopped: --resume goes on with it; remove it to begin anew"
        )
    return work


def _write(options: argparse.Namespace, said: Said, work: WorkFile | None) -> None:
    text = "".join(said.lines)
    if options.output == "-":
        sys.stdout.write(text)
    else:
        write_whole(options.output, text)
    if work is not None:
        work.remove()


def _interrupted(work: WorkFile | None) -> int:
    kept = work is not None and work.path.exists()
    left = f"what is done is in {work.path}, --resume goes on" if work is not None and kept else "nothing was written"
    say(f"score: interrupted; {left}")
    return EXIT_INTERRUPTED
