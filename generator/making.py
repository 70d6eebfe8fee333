"""Grammars and a request -> files: planned first, then written through a sink, every item counted and checked."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from generator import facts
from generator._version import __version__
from generator.answer_files import answer_text, made_kinds, plan_answers
from generator.bulk import line_blocks, member_blocks
from generator.compiling import MEMBER
from generator.errors import UsageError
from generator.inputs import licence_of
from generator.item_making import ItemMaker, run_of
from generator.items import Flavour, Item
from generator.loading import Grammar
from generator.output import Sink, Writer
from generator.planning import Plan, plan
from generator.realizing import Style
from generator.sampling import Run
from generator.self_checks import Finding, SelfCheck
from generator.shapes import Shape, shape_of
from generator.vocabularies import Vocabulary
from generator.writers import find_format
from generator.writers.base import Format, Origin

if TYPE_CHECKING:
    from generator.proving import Proof

STANDARD_OUTPUT = Path("-")

FLAVOUR_FOLDERS: dict[Flavour, str] = {"forced": "forced_choice", "open": "open_ended"}

Watch = Callable[[str, int], AbstractContextManager[Callable[[int], object]]]
"""(what is made, how many items) -> a block in which a function is told how many more are done."""

LONG = 50_000
"""Items of a run of which it pays to prove what can be proved."""

_STEP = 1000
_LINES = 5000


@contextmanager
def unwatched(_name: str, _total: int) -> Iterator[Callable[[int], object]]:
    """A `Watch` that shows nothing."""
    yield lambda _count: None


@dataclass(frozen=True)
class Request:
    """What is asked for, apart from grammars and place.  `count` None: all items."""

    form: Format
    flavours: tuple[Flavour, ...]
    count: int | None
    seed: int
    style: Style
    mask: str
    shard: tuple[int, int] = (1, 1)
    vocabulary: Vocabulary | None = None


def requested(
    form_name: str,
    flavour: str,
    count: int | None,
    seed: int,
    style: str | None,
    mask: str,
    shard: str = "1/1",
    vocabulary: Vocabulary | None = None,
) -> Request:
    """A request from the words of a command line.  Raises UsageError for what cannot be."""
    form = find_format(form_name)
    part = parse_shard(shard)
    flavours = get_args(Flavour) if flavour == "both" else (flavour,)
    for each in flavours:
        if each not in form.flavours:
            raise UsageError(
                f"the format '{form.name}' holds minimal pairs only; --flavour {flavour} needs 'items' or 'babeval'"
            )
    if not mask.strip() or re.search(r"\s", mask):
        raise UsageError("--mask is one word without spaces")
    if part != (1, 1) and form.lines is None:
        kind = "a folder that counts all its items" if form.folder is not None else "one document"
        raise UsageError(f"--shard cuts files of lines; the format '{form.name}' is {kind}")
    chosen = next((known for known in get_args(Style) if known == style), form.style)
    return Request(form, flavours, count, seed, chosen, mask, part, vocabulary)


def parse_shard(text: str) -> tuple[int, int]:
    """`3/16` as (3, 16).  Raises UsageError."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match:
        raise UsageError(f"--shard '{text}': write K/M, as in 3/16")
    part, of = int(match.group(1)), int(match.group(2))
    if not 1 <= part <= of:
        raise UsageError(f"--shard {text}: there is no part {part} of {of}; K goes from 1 to M")
    return part, of


@dataclass(frozen=True)
class Target:
    """Where a run is written: a folder, one file, or (`path` is `-`) standard output."""

    path: Path
    is_folder: bool

    @property
    def is_standard_output(self) -> bool:
        """Whether nothing is left on disk."""
        return self.path == STANDARD_OUTPUT


def target_of(output: str, form: Format) -> Target:
    """What `-o` names: an existing folder or a name without an ending is a folder.  Raises UsageError."""
    path = Path(output)
    if output == "-":
        target = Target(STANDARD_OUTPUT, False)
    elif form.folder is not None:
        # A folder may be called `blimp.v2`: the format decides.
        target = Target(path, True)
    else:
        looks_like_one = path.is_dir() or output.endswith("/") or not path.suffix
        target = Target(path, looks_like_one and (path.is_dir() or not path.exists()))
    if form.folder is not None and (target.is_standard_output or path.is_file()):
        raise UsageError(f"the format '{form.name}' is a folder: say which, with -o DIR")
    return target


@dataclass
class Tally:
    """How many items a run has made, by template, crossed values and names of conditions."""

    cells: dict[tuple[str, tuple[tuple[str, str], ...]], list[int]] = field(default_factory=dict)
    members: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def add(self, item: Item) -> None:
        """Count an item and its pairs."""
        self.add_shape(shape_of(item))

    def add_shape(self, shape: Shape, count: int = 1) -> None:
        """Count items of a shape and their pairs."""
        cell = self.cells.get((shape.template, shape.crossed))
        if cell is None:
            cell = self.cells[shape.template, shape.crossed] = [0, 0]
        cell[0] += count
        cell[1] += count * len(shape.pairs)
        self.members[shape.names] += count

    @property
    def items(self) -> int:
        """All items."""
        return sum(items for items, _ in self.cells.values())

    @property
    def pairs(self) -> int:
        """All pairs."""
        return sum(pairs for _, pairs in self.cells.values())

    @property
    def conditions(self) -> dict[str, int]:
        """How many members have each name, in order."""
        found: dict[str, int] = {}
        for names, count in self.members.items():
            for name in names:
                found[name] = found.get(name, 0) + count
        return found


@dataclass
class Job:
    """One grammar in one flavour: what is made, where, and what was found while making."""

    plan: Plan
    run: Run
    stem: str
    path: Path
    checks: SelfCheck
    tally: Tally = field(default_factory=Tally)
    findings: tuple[Finding, ...] = ()

    def asked(self, shard: tuple[int, int]) -> int:
        """How many ranks a shard has."""
        return shard[0] * self.run.count // shard[1] - (shard[0] - 1) * self.run.count // shard[1]


def jobs_of(grammars: Sequence[Grammar], request: Request, target: Target) -> list[Job]:
    """Plan everything, so that an error in any grammar or a wrong request writes nothing."""
    form = request.form
    jobs = []
    for grammar in grammars:
        for flavour in request.flavours:
            found = plan(grammar, flavour)
            stem = file_stem(found, form)
            path = target.path
            if target.is_folder:
                nested = form.flavour_folders or len(request.flavours) > 1
                path = path / (FLAVOUR_FOLDERS[flavour] if nested else "") / f"{stem}{form.suffix}"
            checks = SelfCheck(grammar.lexicon.realisation, request.style == "prose", request.vocabulary)
            jobs.append(Job(found, run_of(found, request.count, request.seed), stem, path, checks))
    if form.document is not None and not target.is_folder and len(jobs) > 1:
        raise UsageError(f"the format '{form.name}' is one document for each grammar: give a folder, with -o DIR")
    paths = [job.path for job in jobs if target.is_folder]
    twice = sorted({path.as_posix() for path in paths if paths.count(path) > 1})
    if twice:
        raise UsageError(f"two grammars of one paradigm would both be written to {twice[0]}")
    return jobs


def file_stem(found: Plan, form: Format) -> str:
    """The name of a grammar's file: Zorro's names begin with the phenomenon."""
    phenomenon = re.sub(r"[^\w-]+", "_", found.grammar.meta.get("phenomenon", ""))
    if form.name == "zorro" and phenomenon:
        return f"{phenomenon}-{found.grammar.paradigm}"
    return found.grammar.paradigm


def write(jobs: Sequence[Job], request: Request, target: Target, sink: Sink, watch: Watch = unwatched) -> None:
    """Write every job through `sink`."""
    form = request.form
    if form.folder is not None:
        _write_folder(jobs, request, target, sink, watch)
        return
    files: dict[Path, list[Job]] = {}
    for job in jobs:
        files.setdefault(job.path, []).append(job)
    for path, together in files.items():
        with sink.open(path) as stream:
            for piece in _pieces(together, request, watch):
                stream.write(piece)
        if not target.is_standard_output:
            write_answers(path, together, request, sink)


def file_text(jobs: Sequence[Job], request: Request) -> str:
    """What the file of some jobs holds, whole."""
    return "".join(_pieces(jobs, request, unwatched))


def _pieces(jobs: Sequence[Job], request: Request, watch: Watch) -> Iterator[str]:
    form = request.form
    if form.header and request.shard[0] == 1:
        yield form.header + "\n"
    for job in jobs:
        yield from form.document(_items(job, request, watch)) if form.document else _text(job, request, watch)


def _text(job: Job, request: Request, watch: Watch) -> Iterator[str]:
    """The lines of a job, in large pieces."""
    form, lines = request.form, request.form.lines
    assert lines is not None
    if form.is_textual and request.vocabulary is None:
        proof = proof_of(job, request)
        unequal = _all_alike(job.plan, proof) if proof is not None else None
        yield from _checked(job, request, watch) if unequal is None else _proved(job, request, unequal, watch)
        return
    block: list[str] = []
    for item in _items(job, request, watch):
        block.extend(lines(item))
        if len(block) > _LINES:
            yield "\n".join(block) + "\n"
            block.clear()
    if block:
        yield "\n".join(block) + "\n"


def _all_alike(plan: Plan, proof: Proof) -> bool | None:
    """Whether all pairs are of unequal length, or none is; None where the items are to be looked at."""
    leaves = [leaf for template in plan.templates for leaf in template.leaves]
    if all(leaf in proof.clear for leaf in leaves):
        return False
    return True if all(leaf in proof.unequal for leaf in leaves) else None


def _proved(job: Job, request: Request, unequal: bool, watch: Watch) -> Iterator[str]:
    """The lines of a job in bulk, the items counted: it is known what would be found in them."""
    with watch(job.plan.grammar.paradigm, job.asked(request.shard)) as advance:
        for block in line_blocks(job.plan, job.run, request.shard, request.form, request.style, request.mask):
            for shape, count in block.shapes.items():
                job.tally.add_shape(shape, count)
                job.checks.pass_over(count, count * len(shape.pairs) if unequal else 0)
            yield block.text
            advance(block.ranks)
    job.findings = job.checks.findings(_recall(job, request))


def _checked(job: Job, request: Request, watch: Watch) -> Iterator[str]:
    """The lines of a job in bulk, the items counted and their members checked."""
    check = job.checks.add_texts
    with watch(job.plan.grammar.paradigm, job.asked(request.shard)) as advance:
        for items in member_blocks(job.plan, job.run, request.shard, request.form, request.style, request.mask):
            shapes: Counter[Shape] = Counter()
            block = []
            for text, shape, number in items:
                if shape is not None:
                    shapes[shape] += 1
                    lines, *members = text.split(MEMBER)
                    check(shape, number, members)
                    block.append(lines)
            for shape, count in shapes.items():
                job.tally.add_shape(shape, count)
            yield "".join(block)
            advance(len(items))
    job.findings = job.checks.findings(_recall(job, request))


def _recall(job: Job, request: Request) -> Callable[[int], Item]:
    """The item of a number in the run, made again."""
    maker = ItemMaker(job.plan, request.style, request.mask, job.run.seed)

    def recall(number: int) -> Item:
        template, index = next(itertools.islice(job.run.shard(*request.shard), number, None))
        return maker.item(template, index)

    return recall


def _items(job: Job, request: Request, watch: Watch) -> Iterator[Item]:
    """The items of a job, counted and checked."""
    maker = ItemMaker(job.plan, request.style, request.mask, job.run.seed, request.form.needs_trees)
    add, check, pass_over = job.tally.add, job.checks.add, job.checks.pass_over
    total = job.asked(request.shard)
    proof = proof_of(job, request)
    with watch(job.plan.grammar.paradigm, total) as advance:
        for done, (template, index) in enumerate(job.run.shard(*request.shard), start=1):
            item = maker.item(template, index)
            add(item)
            leaf = template.locate(index)[0] if proof is not None else None
            if proof is None or leaf is None or not proof.covers(leaf):
                check(item)
            else:
                pass_over(1, len(item.pairs) if leaf in proof.unequal else 0)
            yield item
            if done % _STEP == 0:
                advance(_STEP)

    job.findings = job.checks.findings(_recall(job, request))


def proof_of(job: Job, request: Request) -> Proof | None:
    """What is certain of a long run's items, so that they need not all be looked at; None of a short run."""
    if job.asked(request.shard) < LONG or request.vocabulary is not None:
        return None
    from generator.proving import prove

    return prove(job.plan, request.style, request.mask)


def _write_folder(jobs: Sequence[Job], request: Request, target: Target, sink: Sink, watch: Watch) -> None:
    form = request.form
    assert form.folder is not None
    licences = dict.fromkeys(filter(None, (licence_of(job.plan.grammar) for job in jobs)))
    signatures = {job.stem: signature(job, request) for job in jobs}
    origin = Origin(target.path.resolve().name, signatures, tuple(licences))
    for name, pieces in form.folder(((job.stem, _items(job, request, watch)) for job in jobs), origin):
        with sink.open(target.path / name) as stream:
            _copy(pieces, stream)


def _copy(pieces: Iterable[str | bytes], stream: Writer) -> None:
    for piece in pieces:
        stream.write(piece)


def write_answers(path: Path, jobs: Sequence[Job], request: Request, sink: Sink) -> None:
    """Write the answer classes of open-ended items beside their file, where it has any."""
    open_jobs = [job for job in jobs if job.plan.flavour == "open"]
    if not open_jobs or not request.form.needs_sidecar:
        return
    made = [(job.plan, job.run) for job in open_jobs]
    paradigms = {plan.grammar.paradigm: plan_answers(plan, request.mask) for plan, _ in made}
    lines = made_kinds(made, request.shard) if facts.TEMPLATE not in request.form.holds else None
    with sink.open(path.with_suffix(".answers.json")) as stream:
        _copy(answer_text(paradigms, lines), stream)


def signature(job: Job, request: Request) -> str:
    """One line that says what is made, from what."""
    grammar, shard = job.plan.grammar, request.shard
    words = grammar.lexicon.digest[:8] + (f"+{grammar.choices.digest[:8]}" if grammar.choices.digest else "")
    amount = "all" if request.count is None else f"n{job.run.count}|seed{request.seed}"
    part = f"|shard{shard[0]}/{shard[1]}" if shard != (1, 1) else ""
    return (
        f"{grammar.paradigm}|{job.plan.flavour}|{job.run.count} of {job.plan.items} items|{amount}{part}"
        f"|grammar {grammar.digest[:8]}|words {words}|starling {__version__}"
    )
