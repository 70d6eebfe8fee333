"""`gen parse`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from generator.answer_files import answer_text, plan_answers
from generator.cli.common import console, load_all, note_unused_words
from generator.errors import UsageError
from generator.identifying import Identified, Identifier
from generator.items import Item
from generator.normalizing import MASKS
from generator.output import Files, Writer, standard_output
from generator.parse_report import Tally, lines_of
from generator.readers.base import member
from generator.readers.finding import STANDARD_INPUT, find_sources
from generator.writers.base import as_json
from generator.writers.jsonl import item_record

SHOWN_MISSES = 20


def run(options: argparse.Namespace) -> int:
    """Identify the sentences given, or those of files."""
    names, sentence = list(options.files), ""
    if not options.input:
        sentence = names.pop()
        if not names:
            raise UsageError(
                "gen parse takes grammars and then a sentence, '-' for sentences on standard input, or --input FILE"
            )
    if options.format and not options.input and sentence != STANDARD_INPUT:
        raise UsageError("--format says how --input or standard input is to be read")
    if options.output != "-" and not options.json:
        raise UsageError("-o names a file for the items of --json")
    masks = tuple(dict.fromkeys([*([options.mask] if options.mask else ()), *MASKS]))
    grammars = load_all(names, options.words)
    identifier = Identifier(grammars, masks)
    tally = Tally()
    answers: dict[str, dict[str, Any]] = {}
    with TemporaryDirectory(prefix="starling-") as folder, Files(are_digested=False) as sink:
        if options.input or sentence == STANDARD_INPUT:
            inputs = _read(options.input or [STANDARD_INPUT], options.format, Path(folder))
        else:
            inputs = iter([typed(sentence)])
        with standard_output() if options.output == "-" else sink.open(Path(options.output)) as stream:
            if options.json:
                _write_items(inputs, identifier, tally, stream, answers, is_quiet=options.quiet)
            else:
                for item in inputs:
                    found = identifier.identify(item)
                    tally.add(found)
                    if not options.misses or not found.recognitions or found.is_reversed:
                        stream.write("\n".join(_numbered(found, identifier)) + "\n")
        if answers and options.output != "-":
            with sink.open(Path(options.output).with_suffix(".answers.json")) as stream:
                for piece in answer_text(answers):
                    stream.write(piece)
    note_unused_words(grammars)
    if not options.quiet and (tally.items != 1 or options.json):
        for line in tally.lines():
            _say(line)
    return 0 if tally.is_clean else 1


def _write_items(
    inputs: Iterable[Item],
    identifier: Identifier,
    tally: Tally,
    stream: IO[str] | Writer,
    answers: dict[str, dict[str, Any]],
    *,
    is_quiet: bool,
) -> None:
    """Write what is recognised; `answers` gets what the masks of its paradigms may be filled with."""
    hidden = 0
    for item in inputs:
        found = identifier.identify(item)
        tally.add(found)
        if found.recognitions:
            known = identifier.known(found)
            stream.write(as_json(item_record(known)) + "\n")
            if known.mask is not None and known.paradigm not in answers:
                answers[known.paradigm] = plan_answers(found.recognitions[0].plan, known.mask.token)
        elif not is_quiet:
            hidden += 1
            if hidden <= SHOWN_MISSES:
                _say("\n".join(_numbered(found, identifier)))
    if hidden > SHOWN_MISSES:
        _say(f"... and {hidden - SHOWN_MISSES:,} more that are not recognised (--misses lists them)")


def typed(text: str) -> Item:
    """A sentence, or a pair as an `example` line has it (`the dog is / * the dog are`), from the command line."""
    conditions = []
    for part in text.split(" / "):
        bare = part.strip()
        starred = bare.startswith("*")
        bare = bare.lstrip("* ")
        if not bare:
            raise UsageError(f"no sentence in '{text}'")
        conditions.append((bare, starred))
    is_judged = any(starred for _, starred in conditions) and len(conditions) > 1
    return Item(
        "typed:1",
        "typed",
        "",
        0,
        tuple(
            member(bare, not starred if is_judged else None, f"sentence_{number}")
            for number, (bare, starred) in enumerate(conditions, start=1)
        ),
    )


def _read(names: list[str], format_name: str | None, folder: Path) -> Iterator[Item]:
    """The items of all inputs, with a progress bar on a terminal; what cannot be read is an error at the end."""
    for found in find_sources(names, format_name, folder):
        items = found.reader.read(found.source)
        if sys.stderr.isatty() and not sys.stdout.isatty():
            from rich.progress import track

            items = iter(track(items, found.source.name, console=console(stderr=True), transient=True))
        yield from items
        for warning in found.source.findings.warnings[:SHOWN_MISSES]:
            _say(f"warning: {warning}")
        found.source.findings.require_none()


def _numbered(found: Identified, identifier: Identifier) -> Iterator[str]:
    lines = lines_of(found, identifier)
    first = next(lines)
    yield f"{found.item.line}: {first}" if found.item.line else first
    yield from lines


def _say(text: str) -> None:
    sys.stderr.write(f"gen: {text}\n")
