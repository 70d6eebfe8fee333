"""Random mutants of the shipped grammars and word lists, each reproducible by its number, and what must hold of them.

A mutant is refused with diagnostics that can be shown, or gives valid items; nothing else may happen to it.
"""

from __future__ import annotations

import json
import re
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from fuzz_texts import Donors, encode, mutate
from fuzz_words import BALANCE, CZECH_GRAMMAR, WORDS_GRAMMAR, mutate_list, user_files

from generator.ambiguity import ambiguous
from generator.checks import check
from generator.cli.main import main
from generator.errors import Diagnostic, GrammarError, StarlingError, UsageError
from generator.item_making import items
from generator.items import Item
from generator.lexicon import Lexicon
from generator.loading import grammar_folders, load_grammar
from generator.masking import answer_tables
from generator.planning import Plan, filter_lines
from generator.planning import plan_resolved as true_plan_resolved
from generator.realizing import Style
from generator.wordlists import load_lexicon
from generator.writers import FORMATS, find_format
from generator.writers.base import FormatError

ROOT = Path(__file__).parents[1]
LIMIT_S = 5.0
"""Processor time that a mutant may take, in seconds."""
SLOW = ("past_agreement", "adjective_noun_agreement", "subject_verb_in_object_relative", "subject_verb_across_PP")
"""Shipped grammars whose own planning takes a second or more: tried less often."""
LIGHT = {
    "en": ("agreement_across_1_adjective", "agreement_across_PP", "existential_there_quantifiers_1", "passive_1"),
    "de": ("case_after_preposition",),
    "cs": (),
}
"""Grammars that mutants of a language's word lists are tried with."""


@dataclass(frozen=True)
class Base:
    """A text to mutate.  A library is tried through a grammar that imports it."""

    name: str
    text: str
    language: str
    import_path: str = ""  # of a library: what an importing grammar calls it
    user: str = ""  # of a library: the grammar
    is_shipped: bool = True


@dataclass(frozen=True)
class Mutant:
    """The files of a mutant (the grammar is `mutant.grammar`), and how it came about."""

    number: int
    base: str
    changes: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]
    words: bool = False
    whole_lists: bool = False
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant; `failure` is empty where all is well.  `cpu_s` is processor time in seconds."""

    number: int
    base: str
    changes: tuple[str, ...]
    status: str
    cpu_s: float
    failure: str = ""


class BrokenError(AssertionError):
    """A finding that cannot be shown, or an item that is none."""


class World:
    """The texts that mutants are made of, and word lists cut down to some hundred rows."""

    @cached_property
    def bases(self) -> tuple[Base, ...]:
        """The shipped grammars and libraries, then the grammars of the documentation."""
        root = grammar_folders()[-1]
        texts = {path.relative_to(root): path.read_text("utf-8") for path in sorted(root.rglob("*.grammar"))}
        found = []
        for path, text in texts.items():
            importing, user = "", ""
            if path.parent.name == "lib":
                importing = path.with_suffix("").as_posix()
                found += [
                    Base(path.stem, text, path.parts[0], importing, using)
                    for place, using in texts.items()
                    if re.search(rf"^import\s+{importing}\b", using, re.MULTILINE) and place.stem not in SLOW
                ][:4]
                continue
            found.append(Base(path.stem, text, path.parts[0], importing, user))
        for page in sorted((ROOT / "docs").glob("*.md")):
            blocks = re.findall(r"^```grammar\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
            for place, block in enumerate(blocks, start=1):
                language = re.search(r"^language\s+(\w+)", block, re.MULTILINE)
                spoken = language.group(1) if language else "en"
                found.append(Base(f"{page.stem}_{place}", block, spoken, is_shipped=False))
        return tuple(found)

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """How often each base is taken."""
        docs = sum(not base.is_shipped for base in self.bases)
        return tuple(0.1 if b.name in SLOW else 1 if b.is_shipped else 15 / docs for b in self.bases)

    @cached_property
    def donors(self) -> Donors:
        """Lines and tokens of all bases, features of all languages."""
        lines = [line for base in self.bases for line in base.text.split("\n") if line.strip()]
        tokens = list(dict.fromkeys(token for line in lines for token in re.findall(r'"[^"]*"|\$?\w+|\S', line)))
        features: dict[str, None] = {}
        for lexicon in self.lexica.values():
            for name, declaration in lexicon.system.declarations.items():
                features |= dict.fromkeys([name, *declaration.values])
        return Donors(lines, tokens, list(features))

    @cached_property
    def lists(self) -> Mapping[str, Mapping[str, str]]:
        """By language: the schema, and the lists with the words that grammars name and a few more."""
        named = {word for base in self.bases for word in re.findall(r"\w+", base.text)}
        found: dict[str, dict[str, str]] = {}
        for language, step in (("en", 60), ("de", 12), ("cs", 12)):
            folder = files("wordlists").joinpath(language)
            schema = folder.joinpath("schema.json").read_text("utf-8")
            found[language] = {"schema.json": schema}
            for category in json.loads(schema)["categories"].values():
                head, *rows = folder.joinpath(category["file"]).read_text("utf-8").splitlines()
                kept = [
                    row
                    for number, row in enumerate(rows)
                    if not category["open"] or row.split("\t")[0] in named or number % step == 0
                ]
                found[language][category["file"]] = "\n".join([head, *kept]) + "\n"
        return found

    @cached_property
    def lexica(self) -> Mapping[str, Lexicon]:
        """The lexica of the cut lists."""
        found = {}
        for language, texts in self.lists.items():
            whole = load_lexicon(language)
            kept = {
                c.name: {row.split("\t")[0] for row in texts[c.file].split("\n")[1:]} for c in whole.categories.values()
            }
            entries = {n: tuple(e for e in entries if e.lemma in kept[n]) for n, entries in whole.entries.items()}
            found[language] = replace(whole, entries=entries)
        return found


def mutant_of(world: World, number: int) -> Mutant:
    """The mutant of a number: three of five are grammars, the others word lists."""
    rng = Random(number)
    return _grammar_mutant(world, number, rng) if rng.random() < 0.6 else _words_mutant(world, number, rng)


def _grammar_mutant(world: World, number: int, rng: Random) -> Mutant:
    base = rng.choices(world.bases, world.weights)[0]
    text, changes = mutate(rng, base.text, world.donors)
    data, how = encode(rng, text)
    written = [("mutant.grammar", data)]
    if base.import_path:
        written = [("mutant.grammar", base.user.encode()), (f"{base.import_path}.grammar", data)]
    commands = (("check", "--json"), ("count",), ("explain",), ("preview", "-n", "2"), ("make", "-n", "2", "-o", "-"))
    command = rng.choice(commands) if rng.random() < 0.05 else ()
    if command and command[0] == "make":
        command += ("--format", rng.choice(FORMATS).name)
    whole = rng.random() < 0.06 and base.name not in SLOW
    return Mutant(number, base.name, (*changes, how), tuple(written), whole_lists=whole, command=command)


def _words_mutant(world: World, number: int, rng: Random) -> Mutant:
    kind = rng.choices(["schema", "list", "own", "rows"], [35, 30, 32, 3])[0]
    name = "own"
    if kind == "own":
        texts = dict(user_files(rng, world.lists["en"], world.donors))
        grammar = WORDS_GRAMMAR + (BALANCE if "frequency.csv" in texts or rng.random() < 0.02 else "")
        changed = rng.choice(sorted(texts))
    else:
        language = rng.choice(["en", "en", "de", "cs"])
        light = [b for b in world.bases if b.name in LIGHT[language]] or [Base("adjectives", CZECH_GRAMMAR, "cs")]
        base = rng.choice(light)
        name, grammar = base.name, base.text
        texts = dict(world.lists[language])
        lists = sorted(name for name in texts if name != "schema.json")
        changed = "schema.json" if kind == "schema" else rng.choice(lists)
        if kind == "rows":
            texts = {changed: texts[changed]}
    text, changes = mutate_list(rng, changed, texts[changed], world.donors)
    data, how = encode(rng, text)
    written = [("mutant.grammar", grammar.encode())]
    written += [(f"words/{name}", data if name == changed else other.encode()) for name, other in texts.items()]
    command = ("make", "-n", "2", "-o", "-") if rng.random() < 0.03 else ()
    return Mutant(number, f"{name}/{kind}:{changed}", (*changes, how), tuple(written), words=True, command=command)


# --- what must hold ---------------------------------------------------------------------------------------------------


def examine(world: World, mutant: Mutant, folder: Path) -> Outcome:
    """Try a mutant in an empty folder."""
    for name, data in mutant.files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    status, failure = "", ""
    start = time.process_time()
    try:
        with ExitStack() as stack:
            if not mutant.whole_lists:
                stack.enter_context(small_lexica(world))
            status = _commanded(mutant, folder) if mutant.command else _tried(mutant, folder)
    except Exception:
        failure = traceback.format_exc()
    cpu_s = time.process_time() - start
    return Outcome(mutant.number, mutant.base, mutant.changes, status or "failed", cpu_s, failure)


@contextmanager
def small_lexica(world: World) -> Iterator[None]:
    """Languages have the cut lists; a folder with lists of its own is read as it is."""

    def load(language: str, overlay: Path | None = None) -> Lexicon:
        own = {path.name for path in overlay.iterdir()} if overlay is not None else set()
        if language in world.lexica and not own & set(world.lists[language]):
            return world.lexica[language]
        return load_lexicon(language, overlay)

    with patch("generator.loading.load_lexicon", load):
        yield


@contextmanager
def _kept_plans() -> Iterator[list[Plan]]:
    """The plans that `check` makes, which are not made again."""
    found: list[Plan] = []

    def keeping(*arguments: Any) -> Plan:
        found.append(true_plan_resolved(*arguments))
        return found[-1]

    with patch("generator.checks.plan_resolved", keeping):
        yield found


def _commanded(mutant: Mutant, folder: Path) -> str:
    """A command of `gen` ends with an exit code that it documents, and what it writes can be written."""
    arguments = [mutant.command[0], str(folder / "mutant.grammar"), *mutant.command[1:], "--debug"]
    if mutant.words:
        arguments += ["--words", str(folder / "words")]
    said, made = StringIO(), StringIO()
    try:
        with redirect_stdout(made), redirect_stderr(said):
            code = main(arguments)
    except SystemExit as error:
        code = int(error.code or 0)
    for stream in (said, made):
        stream.getvalue().encode()
    if code not in (0, 1, 2, 3):
        raise BrokenError(f"exit code {code}")
    if code and not (said.getvalue() or made.getvalue()):
        raise BrokenError(f"exit code {code} without a word")
    return f"command, exit code {code}"


def _tried(mutant: Mutant, folder: Path) -> str:
    try:
        grammar = load_grammar(folder / "mutant.grammar", folder / "words" if mutant.words else None)
        with _kept_plans() as plans:
            findings = check(grammar)
    except GrammarError as error:
        if not error.diagnostics:
            raise BrokenError("an error without findings") from error
        for diagnostic in error.diagnostics:
            shown(diagnostic)
        return "refused"
    except StarlingError as error:
        if not str(error):
            raise BrokenError("an error without a message") from error
        str(error).encode()
        return "refused"
    for diagnostic in findings:
        shown(diagnostic)
    if any(diagnostic.is_error for diagnostic in findings):
        return "errors"
    made = [_sampled(found, mutant.number) for found in plans]
    return "valid" if any(made) else "valid, but no items"


def shown(diagnostic: Diagnostic) -> None:
    """A finding can be shown, and stands at a place that is in the file."""
    if not diagnostic.message.strip() or not diagnostic.code:
        raise BrokenError(f"a finding that says nothing: {diagnostic!r}")
    text = diagnostic.render()
    text.encode()
    json.dumps(diagnostic.as_json(), ensure_ascii=False).encode()
    if re.search(r"object at 0x|<generator|<function|Traceback|frozenset\(|\bNoneType\b", text):
        raise BrokenError(f"a finding that speaks of Python: {text}")
    span = diagnostic.span
    if span is not None:
        lines = span.source.text.split("\n")
        if not 1 <= span.line <= len(lines) or not 1 <= span.column <= len(lines[span.line - 1]) + 1 or span.length < 0:
            raise BrokenError(f"no such place: {span}+{span.length}: {diagnostic.message}")


def _sampled(found: Plan, seed: int) -> int:
    """Count a plan and write three of its items in each way that holds them."""
    if found.items != sum(leaf.items for template in found.templates for leaf in template.leaves):
        raise BrokenError("the templates' items are not the leaves'")
    if min(found.items, found.versions) < 0:
        raise BrokenError("a negative count")
    for line in filter_lines(found):
        line.encode()
    ambiguous(found)
    names = ("items", "babeval", "blimp") if found.flavour == "forced" else ("items", "babeval")
    made = 0
    for count in (3, 1):
        try:
            for name in names:
                form = find_format(name)
                for item in items(found, count, seed, style=form.style):
                    _written(item, form.name, form.lines, form.style)
                    made += 1
            break
        except UsageError:  # fewer than three, or none in a cell
            continue
    if found.flavour == "open":
        json.dumps(answer_tables(found), ensure_ascii=False).encode()
    return made


def _written(item: Item, name: str, lines: Callable[[Item], list[str]], style: Style) -> None:
    try:
        written = lines(item)
    except FormatError:
        if item.pairs or name == "items":
            raise
        return  # a design in which nothing is starred
    "\n".join(written).encode()
    if any("\n" in line for line in written) or not written:
        raise BrokenError(f"{item.id}: {name} wrote {written!r}")
    if name != "babeval":
        for line in written:
            json.loads(line)
    for _, good, bad in item.pairs:
        if good.text == bad.text and style == "tokens":
            raise BrokenError(f"{item.id}: both members are {good.text!r}")
    for condition in item.conditions:
        if not condition.text.strip():
            raise BrokenError(f"{item.id}: an empty sentence")
        for region in condition.sentence.regions:
            if not 0 <= region.start <= region.end <= len(condition.text):
                raise BrokenError(f"{item.id}: region {region} of {condition.text!r}")


def grammar_text(mutant: Mutant) -> str:
    """The mutated files, for a report."""
    return "\n".join(f"--- {name}\n{data.decode('utf-8', 'replace')}" for name, data in mutant.files)
