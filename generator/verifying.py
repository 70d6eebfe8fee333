"""Manifest -> what no longer holds of it: files, grammars, word lists; then the run is made again and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from generator._version import __version__
from generator.comparing import Comparison, FirstDifference, file_digest
from generator.errors import StarlingError
from generator.inputs import Input, grammar_inputs, own_word_inputs, word_list_inputs
from generator.loading import Grammar, load_grammar
from generator.making import Job, Request, Watch, jobs_of, requested, unwatched, write
from generator.manifest import Manifest, build_made, environment
from generator.vocabularies import Vocabulary, read_vocabulary

_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Difference:
    """Something that no longer holds.  `kind`: edited, missing, changed, input, cannot, differs, counts."""

    kind: str
    file: str
    message: str
    at: FirstDifference | None = None

    def lines(self) -> list[str]:
        """The difference as text."""
        if self.at is None:
            return [f"{self.file}: {self.message}" if self.file else self.message]
        place = f"{self.file}:{self.at.line}" if self.at.line else f"{self.file}, byte {self.at.byte:,}"
        shown = [f"{place}: {self.message}"]
        if self.at.line:
            shown.append(f"  there: {'(the file ends)' if self.at.here is None else self.at.here}")
            shown.append(f"  again: {'(nothing more)' if self.at.again is None else self.at.again}")
        return shown

    def as_json(self) -> dict[str, Any]:
        """The difference as a JSON object."""
        row: dict[str, Any] = {"kind": self.kind, "file": self.file, "message": self.message}
        if self.at is not None:
            row |= {"line": self.at.line or None, "byte": self.at.byte, "there": self.at.here, "again": self.at.again}
        return row


@dataclass
class Report:
    """What was found of one manifest.  Notes are no differences."""

    manifest: Path
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: int = 0
    items: int = 0

    @property
    def is_same(self) -> bool:
        """Whether all holds."""
        return not self.differences

    def add(self, kind: str, file: str, message: str, at: FirstDifference | None = None) -> None:
        """Note a difference."""
        self.differences.append(Difference(kind, file, message, at))

    def as_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return {
            "manifest": self.manifest.as_posix(),
            "same": self.is_same,
            "files": self.files,
            "items": self.items,
            "differences": [difference.as_json() for difference in self.differences],
            "notes": self.notes,
        }


def verify(manifest: Manifest, watch: Watch = unwatched) -> Report:
    """Check every fact of a manifest, and make its files again in memory of a few blocks."""
    report = Report(manifest.path)
    content = manifest.content
    if not manifest.is_whole:
        report.add("edited", str(manifest.path), "the manifest was edited: its digest is not that of its content")
    if content["starling"] != __version__:
        report.notes.append(f"made by starling {content['starling']}, this is {__version__}")
    _check_files(manifest, report)
    if any(row.get("path") == "-" for row in content["grammars"]):
        report.add("cannot", "", "a grammar came from standard input, so the run cannot be made again")
        return report
    try:
        _make_again(manifest, report, watch)
    except StarlingError as error:
        report.add("cannot", "", f"the run cannot be made again: {error}")
    if report.differences and content["environment"] != environment():
        here = environment()
        for name, version in content["environment"].items():
            if here.get(name) != version:
                report.notes.append(f"made with {name} {version}, here is {here.get(name, 'none')}")
    return report


def _check_files(manifest: Manifest, report: Report) -> None:
    """Whether each file is there with its digest."""
    for row in manifest.content["files"]:
        if row["path"] == "-":
            continue
        path = manifest.file_path(row["path"])
        report.files += 1
        if not path.is_file():
            report.add("missing", str(path), "the file is not there")
        elif (found := file_digest(path)) != row["sha256"]:
            report.add(
                "changed", str(path), f"its digest is {found[:12]}..., the manifest says {row['sha256'][:12]}..."
            )


def _make_again(manifest: Manifest, report: Report, watch: Watch) -> None:
    content = manifest.content
    asked = content["asked"]
    words = _own_words(manifest, report)
    grammars = [_grammar(row, manifest, words, report) for row in content["grammars"]]
    _check_word_lists(content, grammars, report)
    request = requested(
        asked["format"],
        asked["flavour"],
        asked["n"],
        asked["seed"],
        asked["style"],
        asked["mask"],
        asked["shard"],
        _vocabulary(manifest, report),
        any(row["self_checks"] for row in content["made"]),
    )
    target = manifest.target
    jobs = jobs_of(grammars, request, target)
    comparison = Comparison(stops=request.form.folder is None)
    write(jobs, request, target, comparison, watch)
    for difference in comparison.differences:
        report.add("differs", str(difference.path), "the line differs from what is made now", difference)
    _check_made_files(manifest, comparison, report)
    if not comparison.cut:
        report.items = sum(job.tally.items for job in jobs)
        _check_made(jobs, request, manifest, report)


def _check_made_files(manifest: Manifest, comparison: Comparison, report: Report) -> None:
    """Whether the run writes the files of the manifest, with their digests."""
    recorded = {manifest.file_path(row["path"]): row for row in manifest.content["files"]}
    told = {Path(difference.file) for difference in report.differences if difference.kind in ("differs", "changed")}
    made = {}
    for file in comparison.written:
        path = Path(file.path)
        made[path] = file
        if path not in recorded:
            report.add("differs", str(path), "the run writes this file, which the manifest does not have")
        elif file.sha256 != recorded[path]["sha256"] and path not in told:
            what = "standard output" if file.path == "-" else str(path)
            report.add("differs", what, "what is made now has another digest than the manifest says")
    if not comparison.cut:
        for path in recorded:
            if path not in made:
                report.add("differs", str(path), "the run does not write this file")


def _check_made(jobs: Sequence[Job], request: Request, manifest: Manifest, report: Report) -> None:
    """Whether the counts and findings are those of the manifest."""
    if manifest.content["starling"] != __version__:
        return
    for job, row in zip(jobs, manifest.content["made"], strict=False):
        for key, value in build_made(job, request, manifest.target).items():
            if key == "self_checks" and "outside_vocabulary" not in value:
                expected = {name: found for name, found in row[key].items() if name != "outside_vocabulary"}
            else:
                expected = row.get(key)
            if value != expected and key != "signature":
                name = f"{row['paradigm']}, {row['flavour']}"
                report.add("counts", "", f"{name}: '{key}' of the manifest is not what is found now")


# --- inputs ---------------------------------------------------------------------------------------------------------


def _candidates(given: str, manifest: Manifest) -> list[Path]:
    """Where a path may lead: from the current folder, then from the manifest's."""
    return list(dict.fromkeys([Path(given), manifest.folder / given]))


def _best(paths: Sequence[Path], load: Callable[[Path], _Found], fits: Callable[[_Found], bool]) -> _Found:
    """The first that fits; else the first that can be read.  Raises what reading the first raised."""
    found: list[_Found] = []
    errors: list[StarlingError] = []
    for path in paths:
        try:
            loaded = load(path)
        except StarlingError as error:
            errors.append(error)
            continue
        if fits(loaded):
            return loaded
        found.append(loaded)
    if found:
        return found[0]
    raise errors[0]


def _grammar(row: Mapping[str, Any], manifest: Manifest, words: Path | None, report: Report) -> Grammar:
    if "shipped" in row:
        name = row["shipped"]
        paths = [Path(str(files("grammars"))) / f"{name}.grammar"]
    else:
        name = row["path"]
        paths = [path for path in _candidates(name, manifest) if path.is_file()] or [Path(name)]

    def fits(grammar: Grammar) -> bool:
        return [each.sha256 for each in grammar_inputs(grammar)] == [each["sha256"] for each in row["files"]]

    grammar = _best(paths, lambda path: load_grammar(path, words), fits)
    _check_inputs(f"grammar '{name}'", row["files"], grammar_inputs(grammar), report)
    return grammar


def _own_words(manifest: Manifest, report: Report) -> Path | None:
    words = manifest.content["words"]
    if words is None:
        return None
    folders = [path for path in _candidates(words["path"], manifest) if path.is_dir()] or [Path(words["path"])]

    def fits(folder: Path) -> bool:
        return folder.is_dir() and _as_rows(own_word_inputs(folder)) == words["files"]

    folder = _best(folders, lambda path: path, fits)
    if folder.is_dir():
        _check_inputs(f"words '{words['path']}'", words["files"], own_word_inputs(folder), report)
    return folder


def _vocabulary(manifest: Manifest, report: Report) -> Vocabulary | None:
    row = manifest.content["vocabulary"]
    if row is None:
        return None
    try:
        found = _best(_candidates(row["path"], manifest), read_vocabulary, lambda v: bool(v.sha256 == row["sha256"]))
    except StarlingError as error:
        report.notes.append(f"{error}; words are not looked up again")
        return None
    if found.sha256 != row["sha256"]:
        report.add("input", row["path"], "the vocabulary has changed")
    return found


def _check_word_lists(content: Mapping[str, Any], grammars: Sequence[Grammar], report: Report) -> None:
    seen = set()
    for grammar in grammars:
        language = grammar.lexicon.language
        if language not in seen:
            seen.add(language)
            _check_inputs(
                f"word lists '{language}'", content["word_lists"].get(language, []), word_list_inputs(grammar), report
            )


def _as_rows(inputs: Sequence[Input]) -> list[dict[str, str]]:
    return [{"name": each.name, "sha256": each.sha256} for each in inputs]


def _check_inputs(what: str, recorded: Sequence[Mapping[str, str]], found: Sequence[Input], report: Report) -> None:
    """Say which files of an input have changed, are missing or new."""
    before = {row["name"]: row["sha256"] for row in recorded}
    now = {each.name: each.sha256 for each in found}
    for kind, names in _changes(before, now):
        for name in names:
            report.add("input", name, f"{kind} ({what})")


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    yield "has changed", [name for name in before if name in now and now[name] != before[name]]
    yield "is no longer read", [name for name in before if name not in now]
    yield "was not read then", [name for name in now if name not in before]
