"""A file of one format -> a file of another: what was read is written as it is, and what is lost is counted."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator import facts
from generator.answer_files import Kind, answer_text
from generator.errors import DataError, UsageError
from generator.items import Item
from generator.output import Sink, Writer
from generator.readers.babeval import FORCED, OPEN
from generator.readers.base import Findings
from generator.readers.finding import Found
from generator.writers import FORMATS
from generator.writers.base import Format, FormatError, Origin

STANDARD_OUTPUT = Path("-")
_LINES = 5000


@dataclass(frozen=True)
class Place:
    """Where a conversion is written: a folder, one file, or (`path` is `-`) standard output."""

    path: Path
    is_folder: bool


@dataclass
class Report:
    """What was read, written and lost.  `lost` counts the items that have a fact which the format does not keep.

    `named` has the (phenomenon, paradigm) of the items in each file of a line format.
    """

    form: Format
    read: list[tuple[Found, int]] = field(default_factory=list)
    items: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    named: dict[Path, set[tuple[str, str]]] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)

    @property
    def warnings(self) -> list[str]:
        """The quirks of the files that were read."""
        return [warning for found, _ in self.read for warning in found.source.findings.warnings]

    def losses(self) -> dict[str, int]:
        """Fact -> how many items lose it, in the order of the facts.  A file's name tells the one paradigm in it."""
        lost = dict(self.lost)
        if all(len({paradigm for _, paradigm in names}) == 1 for names in self.named.values()):
            lost.pop(facts.PARADIGM, None)
            # Zorro's file names hold both.
            if all(path.stem.startswith(f"{p}-") for path, names in self.named.items() for p, _ in names if p):
                lost.pop(facts.PHENOMENON, None)
        return {name: lost[name] for name in facts.FACTS if lost.get(name)}


def format_of_name(output: str) -> Format:
    """The format that a file name's ending stands for.  Raises UsageError where there are several, or none."""
    suffix = Path(output).suffix
    fitting = [form for form in FORMATS if form.suffix == suffix] if suffix else []
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(form.name for form in fitting or FORMATS)
    why = f"'{suffix}' is the ending of several formats" if fitting else f"'{output}' does not say which format"
    raise UsageError(f"{why}: give --to, one of {known}")


def place_of(output: str, form: Format, inputs: Sequence[Found]) -> Place:
    """What OUT names: an existing folder, or a name without an ending, is a folder.  Raises UsageError."""
    path = Path(output)
    if output == "-":
        place = Place(STANDARD_OUTPUT, False)
    elif form.folder is not None:
        place = Place(path, True)
    else:
        is_named = path.is_dir() or output.endswith("/") or not path.suffix
        place = Place(path, is_named and (path.is_dir() or not path.exists()))
    if form.folder is not None and (place.path == STANDARD_OUTPUT or path.is_file()):
        raise UsageError(f"the format '{form.name}' is a folder: OUT must be one")
    for found in inputs:
        if found.source.path is not None and not place.is_folder and _is_same(found.source.path, place.path):
            raise UsageError(f"'{output}' would be written over what it is made from; give it another name")
    return place


def _is_same(first: Path, second: Path) -> bool:
    return second.exists() and first.exists() and first.samefile(second)


def convert(inputs: Sequence[Found], form: Format, place: Place, sink: Sink) -> Report:
    """Read all inputs and write them.  Raises DataError with everything that cannot be read or written, at the end."""
    report = Report(form)
    if form.folder is not None:
        _write_folder(inputs, form, place, sink, report)
    elif form.document is not None:
        _write_documents(inputs, form, place, sink, report)
    else:
        _write_lines(inputs, form, place, sink, report)
    for found, count in report.read:
        report.findings.extend(found.source.findings)
        if not count and not found.source.findings.errors:
            report.findings.error(f"{found.source.name}: nothing in it that '{found.reader.name}' reads")
    report.findings.require_none()
    return report


# --- reading --------------------------------------------------------------------------------------------------------


def _items(found: Found, report: Report) -> Iterator[Item]:
    """The items of an input that the format can hold; what it cannot is an error."""
    source, form = found.source, report.form
    count = 0
    refused: Counter[str] = Counter()
    for item in found.reader.read(source):
        count += 1
        lost = form.lost(item)
        needed = [fact for fact in facts.REQUIRED if fact in lost]
        if needed:
            refused.update(needed)
            continue
        report.items += 1
        report.lost.update(lost)
        yield item
    for fact, number in refused.items():
        report.findings.error(f"{source.name}: {_refusal(fact, number, form)}")
    report.read.append((found, count))


def _refusal(fact: str, number: int, form: Format) -> str:
    can = ", ".join(f"'{other.name}'" for other in FORMATS if fact in other.holds)
    if fact == facts.UNSAID:
        return (
            f"nothing says of {_items_of(number)} which member is acceptable, as the format '{form.name}' does: a "
            f"grammar can tell (gen parse GRAMMAR --input FILE --json); without it, {can}"
        )
    return f"{_items_of(number)} with a mask, which the format '{form.name}' cannot hold; {can} can"


def _items_of(count: int) -> str:
    return "1 item" if count == 1 else f"{count:,} items"


# --- writing --------------------------------------------------------------------------------------------------------


def _write_lines(inputs: Sequence[Found], form: Format, place: Place, sink: Sink, report: Report) -> None:
    assert form.lines is not None
    with ExitStack() as stack:
        outputs = _Outputs(form, place, sink, stack)
        for found in inputs:
            for item in _items(found, report):
                try:
                    lines = form.lines(item)
                except FormatError as error:
                    report.findings.error(f"{found.source.name}:{item.line}: {error}")
                    continue
                path = outputs.add(found, item, lines)
                report.named.setdefault(path, set()).add((item.phenomenon, item.paradigm))
        outputs.finish()


class _Outputs:
    """The files of a line format, each opened at its first item."""

    def __init__(self, form: Format, place: Place, sink: Sink, stack: ExitStack) -> None:
        self._form = form
        self._place = place
        self._sink = sink
        self._stack = stack
        self._streams: dict[Path, Writer] = {}
        self._blocks: dict[Path, list[str]] = {}
        self._made_from: dict[Path, Found] = {}
        self._paths: dict[tuple[str, str], Path] = {}
        self._answers: dict[Path, dict[str, Any]] = {}
        self._kinds: dict[Path, list[Kind]] = {}
        self._flavours: dict[Path, str] = {}

    def add(self, found: Found, item: Item, lines: Sequence[str]) -> Path:
        """Write an item's lines to its file."""
        key = (found.source.name, item.flavour)
        path = self._paths.get(key)
        if path is None:
            path = self._paths[key] = self._open(found, item)
        block = self._blocks[path]
        block.extend(lines)
        if item.mask is not None and self._form.needs_sidecar and facts.TEMPLATE not in self._form.holds:
            self._kinds.setdefault(path, []).append((item.paradigm, item.template, item.mask.answers))
        if len(block) > _LINES:
            self._streams[path].write("\n".join(block) + "\n")
            block.clear()
        return path

    def _open(self, found: Found, item: Item) -> Path:
        path = self._place.path
        if self._place.is_folder:
            path = path / _name(found, item, self._form)
            other = self._made_from.setdefault(path, found)
            if other is not found:
                raise UsageError(f"'{other.source.name}' and '{found.source.name}' would both be written to '{path}'")
            if found.source.path is not None and _is_same(found.source.path, path):
                raise UsageError(f"'{path}' would be written over what it is made from; give another folder")
        if self._form.flavour_folders and self._flavours.setdefault(path, item.flavour) != item.flavour:
            raise UsageError(f"a file of the format '{self._form.name}' has pairs or masks, not both: give a folder")
        if path not in self._streams:
            self._streams[path] = self._stack.enter_context(self._sink.open(path))
            self._blocks[path] = [self._form.header] if self._form.header else []
        if item.mask is not None and self._form.needs_sidecar:
            self._answers.setdefault(path, {}).update(_answers(found))
        return path

    def finish(self) -> None:
        """Write what is left, and the answers of the items with masks beside them."""
        for path, block in self._blocks.items():
            if block:
                self._streams[path].write("\n".join(block) + "\n")
        for path, answers in self._answers.items():
            if answers and path != STANDARD_OUTPUT:
                kinds = self._kinds.get(path, [])
                is_said = any(answers for _, _, answers in kinds)
                with self._sink.open(path.with_suffix(".answers.json")) as stream:
                    for piece in answer_text(answers, kinds if is_said else None):
                        stream.write(piece)


def _name(found: Found, item: Item, form: Format) -> Path:
    """The file's name in the folder: as the input's, with the format's ending.

    Zorro's names begin with the phenomenon, and Babeval's flavours have folders.
    """
    stem = found.inside.stem
    folder = found.inside.parent
    if form.name == "zorro" and item.phenomenon and not stem.startswith(f"{item.phenomenon}-"):
        stem = f"{item.phenomenon}-{stem}"
    if form.flavour_folders:
        parts = [part for part in folder.parts if part not in (FORCED, OPEN)]
        folder = Path(*parts, FORCED if item.flavour == "forced" else OPEN)
    return folder / f"{stem}{form.suffix}"


def _answers(found: Found) -> dict[str, Any]:
    """The answers by paradigm that lie beside an input; none where there are none, which its reader has warned of."""
    beside = found.source.path.with_suffix(".answers.json") if found.source.path is not None else None
    if beside is None or not beside.is_file():
        return {}
    try:
        content = json.loads(beside.read_text("utf-8"))
        return dict(content["paradigms"])
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise DataError(f"{beside}: these answers cannot be read; gen make writes them") from error


def _write_documents(inputs: Sequence[Found], form: Format, place: Place, sink: Sink, report: Report) -> None:
    """One document an input; into one file, all inputs are one document."""
    assert form.document is not None
    groups = [[found] for found in inputs] if place.is_folder else [list(inputs)]
    taken: dict[Path, Found] = {}
    for group in groups:
        items = itertools.chain.from_iterable(_items(found, report) for found in group)
        first = next(items, None)
        if first is None:
            continue
        path = place.path / _name(group[0], first, form) if place.is_folder else place.path
        if taken.setdefault(path, group[0]) is not group[0]:
            other = taken[path].source.name
            raise UsageError(f"'{other}' and '{group[0].source.name}' would both be written to '{path}'")
        report.named[path] = {(first.phenomenon, first.paradigm)}
        whole = itertools.chain([first], items)
        try:
            with sink.open(path) as stream:
                for piece in form.document(_of_one(whole, first.paradigm, form)):
                    stream.write(piece)
        except FormatError as error:
            report.findings.error(f"{group[0].source.name}: {error}")
            for _ in whole:  # what is wrong with the rest of the file is said too
                pass


def _of_one(items: Iterable[Item], paradigm: str, form: Format) -> Iterator[Item]:
    for item in items:
        if item.paradigm != paradigm:
            raise FormatError(
                f"{item.id}: a file of the format '{form.name}' holds one paradigm, and here are '{paradigm}' and "
                f"'{item.paradigm}'"
            )
        yield item


def _write_folder(inputs: Sequence[Found], form: Format, place: Place, sink: Sink, report: Report) -> None:
    assert form.folder is not None

    def paradigms() -> Iterator[tuple[str, Iterator[Item]]]:
        seen: set[str] = set()
        items = itertools.chain.from_iterable(_items(found, report) for found in inputs)
        for name, group in itertools.groupby(items, key=lambda item: item.paradigm):
            if name in seen:
                raise FormatError(f"the items of '{name}' do not stand together")
            seen.add(name)
            yield name, group

    try:
        for name, pieces in form.folder(paradigms(), Origin(place.path.resolve().name)):
            with sink.open(place.path / name) as stream:
                for piece in pieces:
                    stream.write(piece)
    except FormatError as error:
        report.findings.error(str(error))
