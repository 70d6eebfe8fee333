"""Manifests: what a run made, from what, and what was found, as a JSON file beside the output.

A manifest has no clock and no absolute path, so that the same run writes the same one.  What does not decide the bytes
of the output (the Python that ran) stands under `environment`, which its digest leaves out.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from generator._version import __version__
from generator.errors import DataError
from generator.inputs import Input, grammar_inputs, own_word_inputs, shipped_grammar, word_list_inputs
from generator.making import Job, Request, Target, signature
from generator.output import Sink, Written

FORMAT = "starling-manifest-1"
FOLDER_NAME = "manifest.json"
_ENDING = ".manifest.json"
_PACKAGES = ("inflect", "jsonschema", "lark", "lemminflect")


@dataclass(frozen=True)
class Asked:
    """The command line, as far as a manifest keeps it.  Paths are as the user gave them."""

    files: tuple[str, ...]
    words: str | None
    vocabulary: str | None
    flavour: str
    output: str


def manifest_path(target: Target) -> Path | None:
    """Where a run's manifest goes; None for standard output."""
    if target.is_standard_output:
        return None
    return target.path / FOLDER_NAME if target.is_folder else target.path.with_name(target.path.name + _ENDING)


def build(
    jobs: Sequence[Job], request: Request, target: Target, asked: Asked, written: Sequence[Written], folder: Path
) -> dict[str, Any]:
    """The manifest of a run; `folder` is where it will lie."""
    grammars = list({id(job.plan.grammar): job.plan.grammar for job in jobs}.values())
    own = next((g.choices.folder for g in grammars if g.choices.folder is not None), None)
    lists = {g.lexicon.language: word_list_inputs(g) for g in grammars}
    content: dict[str, Any] = {
        "format": FORMAT,
        "starling": __version__,
        "command": _command(request, asked, folder),
        "asked": {
            "format": request.form.name,
            "flavour": asked.flavour,
            "n": request.count,
            "seed": request.seed,
            "style": request.style,
            "mask": request.mask,
            "shard": f"{request.shard[0]}/{request.shard[1]}",
        },
        "grammars": [
            {
                "paradigm": grammar.paradigm,
                **_grammar_place(grammar.source.path, folder),
                "language": grammar.lexicon.language,
                "files": _rows(grammar_inputs(grammar)),
            }
            for grammar in grammars
        ],
        "word_lists": {language: _rows(inputs) for language, inputs in sorted(lists.items()) if inputs},
        "words": own and {"path": portable(own, folder), "files": _rows(own_word_inputs(own))},
        "vocabulary": request.vocabulary
        and {"path": portable(Path(request.vocabulary.name), folder), "sha256": request.vocabulary.sha256},
        "made": [build_made(job, request, target) for job in jobs],
        "output": {
            "kind": "stdout" if target.is_standard_output else "folder" if target.is_folder else "file",
            "path": "-" if target.is_standard_output else relative(target.path, folder),
        },
        "files": [
            {
                "path": "-" if file.path == "-" else relative(Path(file.path), folder),
                "sha256": file.sha256,
                "bytes": file.size,
                "lines": file.lines,
            }
            for file in written
        ],
    }
    return {**content, "digest": digest_of(content), "environment": environment()}


def digest_of(content: Mapping[str, Any]) -> str:
    """The digest of a manifest's content: of all but `digest` and `environment`, with sorted keys and no spaces."""
    kept = {key: value for key, value in content.items() if key not in ("digest", "environment")}
    text = json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def write_manifest(content: Mapping[str, Any], path: Path, sink: Sink) -> None:
    """Write a manifest, after all files that it names."""
    with sink.open(path) as stream:
        stream.write(json.dumps(content, ensure_ascii=False, indent=2) + "\n")


def relative(path: Path, folder: Path) -> str:
    """A path as seen from a folder."""
    return Path(os.path.relpath(path, folder)).as_posix()


def portable(path: Path, folder: Path) -> str:
    """A path as it was given; an absolute one as seen from the manifest's folder."""
    return relative(path, folder) if path.is_absolute() else path.as_posix()


def _rows(inputs: Sequence[Input]) -> list[dict[str, str]]:
    return [{"name": each.name, "sha256": each.sha256} for each in inputs]


def _grammar_place(path: Path | None, folder: Path) -> dict[str, Any]:
    if path is None:
        return {"path": "-"}
    name = shipped_grammar(path)
    return {"shipped": name} if name else {"path": portable(path, folder)}


def build_made(job: Job, request: Request, target: Target) -> dict[str, Any]:
    """What came of one grammar in one flavour."""
    found = {finding.check: finding for finding in job.findings}
    inside = {"file": relative(job.path, target.path)} if target.is_folder and request.form.folder is None else {}
    return {
        "paradigm": job.plan.grammar.paradigm,
        "flavour": job.plan.flavour,
        **inside,
        "signature": signature(job, request),
        "of": job.plan.items,
        "items": job.tally.items,
        "pairs": job.tally.pairs,
        "conditions": job.tally.conditions,
        "cells": [
            {"template": template, "crossed": dict(crossed), "items": items, "pairs": pairs}
            for (template, crossed), (items, pairs) in job.tally.cells.items()
        ],
        "self_checks": {name: found[name].as_json() if name in found else {"count": 0} for name in job.checks.names},
    }


def _command(request: Request, asked: Asked, folder: Path) -> str:
    """The command that makes the same again."""
    parts = ["gen", "make"]
    for name in asked.files:
        parts.append(portable(Path(name), folder) if name != "-" else name)
    parts += ["--all"] if request.count is None else ["-n", str(request.count), "--seed", str(request.seed)]
    parts += ["--format", request.form.name, "--flavour", asked.flavour]
    if request.style != request.form.style:
        parts += ["--style", request.style]
    if "open" in request.flavours:
        parts += ["--mask", request.mask]
    if request.shard != (1, 1):
        parts += ["--shard", f"{request.shard[0]}/{request.shard[1]}"]
    for option, value in (("--words", asked.words), ("--vocab", asked.vocabulary)):
        if value is not None:
            parts += [option, portable(Path(value), folder)]
    if asked.output != "-":
        parts += ["-o", portable(Path(asked.output), folder)]
    return shlex.join(parts)


def environment() -> dict[str, str]:
    """What runs now: versions that decide no byte of an output without guessed forms."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@dataclass(frozen=True)
class Manifest:
    """A manifest that was read and fits its schema."""

    path: Path
    content: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """The folder that its paths start from."""
        return self.path.parent

    @cached_property
    def is_whole(self) -> bool:
        """Whether its digest is that of its content."""
        return bool(self.content["digest"] == digest_of(self.content))

    @property
    def target(self) -> Target:
        """Where the run was written."""
        output = self.content["output"]
        return Target(self.file_path(output["path"]), output["kind"] == "folder")

    def file_path(self, name: str) -> Path:
        """Where one of its files lies."""
        return Path("-") if name == "-" else Path(os.path.normpath(self.folder / name))


def other_files(place: Path, content: Mapping[str, Any]) -> list[str]:
    """The files that a manifest at `place` names now and `content` does not; none where there is no manifest."""
    try:
        earlier = read_manifest(place)
    except DataError:
        return []
    kept = {row["path"] for row in content["files"]}
    return [row["path"] for row in earlier.content["files"] if row["path"] not in kept]


def find_manifests(path: Path) -> list[Path]:
    """The manifests that a path names: itself, or those in a folder.  Raises DataError where there are none."""
    if not path.is_dir():
        return [path]
    found = [each for each in (path / FOLDER_NAME, *sorted(path.glob(f"*{_ENDING}"))) if each.is_file()]
    if not found:
        raise DataError(f"no manifest in '{path}': expected '{FOLDER_NAME}' or 'NAME{_ENDING}'")
    return found


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.  Raises DataError with the file and the place in it."""
    beside = path.with_name(path.name + _ENDING)
    hint = f"; did you mean '{beside}'?" if beside.is_file() else ""
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"cannot read the manifest '{path}': {reason}{hint}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"'{path}' is no manifest: not UTF-8{hint}") from error
    except json.JSONDecodeError as error:
        raise DataError(f"{path}:{error.lineno}:{error.colno}: not a manifest: not JSON: {error.msg}{hint}") from error
    _require_valid(content, path)
    return Manifest(path, content)


def _require_valid(content: Any, path: Path) -> None:
    """Raise DataError with every place that does not fit the schema."""
    from jsonschema import Draft202012Validator

    if not isinstance(content, dict) or not str(content.get("format", "")).startswith("starling-manifest-"):
        raise DataError(f'\'{path}\' is no manifest: expected an object with "format": "{FORMAT}"')
    if content["format"] != FORMAT:
        raise DataError(f"'{path}' has the format '{content['format']}', which this version does not know ({FORMAT})")
    schema = json.loads(files("generator").joinpath("manifest_schema.json").read_text("utf-8"))
    problems = sorted(Draft202012Validator(schema).iter_errors(content), key=lambda error: list(map(str, error.path)))
    if problems:
        lines = [f"{_place(error.json_path)}: {error.message}" for error in problems[:10]]
        more = f"\n  and {len(problems) - 10} more" if len(problems) > 10 else ""
        raise DataError(f"'{path}' is no valid manifest:\n  " + "\n  ".join(lines) + more)


def _place(json_path: str) -> str:
    return json_path.removeprefix("$.") if json_path != "$" else "the manifest"
