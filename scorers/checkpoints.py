"""Training steps: which of the models are checkpoints, and their accuracies in the order of training."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scorers.metrics.forced_choice import ForcedChoice, Tally, break_down, grouped
from scorers.predictions import PredictionFile
from scorers.reports.model import Step
from scorers.scoring import ModelScores, Settings

ALL = "all"
"""The label of the accuracy over all items."""

_NAME = re.compile(
    r"(?:(?P<run>.*?)[-_/.]?(?P<word>checkpoint|ckpt|chck|step|epoch|iteration|iter)[-_=]?)?(?P<step>\d+)(?P<scale>[kKMB]?)",
)
_SCALES = {"": 1, "k": 1_000, "K": 1_000, "M": 1_000_000, "B": 1_000_000_000}
_EPOCH = re.compile(r"[-_/.]?(?:epoch[-_=]?\d+|global)$")
"""What stands before the step in names such as `epoch=3-step=2000`, and is no name of a run."""


@dataclass(frozen=True)
class Checkpoint:
    """What a model's name says: its run ('' where it says none) and the training step.

    `is_named`: a word (checkpoint, step, epoch ...) says that the number is a step; else the name is but a number.
    """

    run: str
    step: int
    is_named: bool


def checkpoint_of(name: str) -> Checkpoint | None:
    """The run and the step of a model's name: `checkpoint-500`, `step_2000`, `gpt-seed1-step1k`, `run1/ckpt-3`, `500`.

    None for any other name.
    """
    found = _NAME.fullmatch(name)
    if found is None or (found["scale"] and not found["word"]):
        return None
    run = _EPOCH.sub("", found["run"] or "")
    return Checkpoint(run, int(found["step"]) * _SCALES[found["scale"]], bool(found["word"]))


# --- names of models ----------------------------------------------------------------------------------------------


def name_checkpoints(files: Sequence[PredictionFile]) -> list[PredictionFile]:
    """The files, with checkpoints as models of their own.

    Files of one model that are called after steps, or lie in folders that are, are models called so; and where steps
    lie in several folders, these are runs (`seed1/checkpoint-500`, `seed2/checkpoint-500`).
    """
    by_file = _by_own_name(files)
    places = [_folder_of(file) for file in by_file]
    runs = {place for place in places if place is not None}
    if len(runs) < 2:
        return by_file
    return [
        file if place is None else replace(file, model="/".join((*_shortest(place, runs), file.model)))
        for file, place in zip(by_file, places, strict=True)
    ]


def _by_own_name(files: Sequence[PredictionFile]) -> list[PredictionFile]:
    """Files of one model in which something else than the model's name says the step: the file's, or its folder's."""
    groups: dict[str, list[PredictionFile]] = {}
    for file in files:
        groups.setdefault(file.model, []).append(file)
    named: dict[tuple[str, str], str] = {}
    for model, members in groups.items():
        if _is_checkpoint(model):
            continue
        paths = [Path(member.name) for member in members]
        stems, folders = [path.stem for path in paths], [path.absolute().parent.name for path in paths]
        # Of files that are called alike the folders tell models apart, that of a model without a step too.
        is_of_folders = set(stems) == {model} and any(map(_is_checkpoint, folders))
        names = folders if is_of_folders else stems
        if len(set(names)) > 1 and (is_of_folders or all(map(_is_checkpoint, stems))):
            named |= {(model, member.name): name for member, name in zip(members, names, strict=True)}
    return [replace(file, model=named.get((file.model, file.name), file.model)) for file in files]


def _is_checkpoint(name: str) -> bool:
    found = checkpoint_of(name)
    return found is not None and found.is_named


def _folder_of(file: PredictionFile) -> tuple[str, ...] | None:
    """The folders above the one (or the file) that a model is called after, if its name says a step and no run."""
    found = checkpoint_of(file.model)
    if found is None or not found.is_named or found.run:
        return None
    path = Path(file.name).absolute()
    above = next((folder for folder in path.parents if folder.name == file.model), path).parent
    return above.parts


def _shortest(place: tuple[str, ...], others: set[tuple[str, ...]]) -> tuple[str, ...]:
    """The last parts of a path that tell it apart from the others."""
    depth = next(
        depth for depth in range(1, len(place) + 1) if len({other[-depth:] for other in others}) == len(others)
    )
    return place[-depth:]


def in_order(files: Sequence[PredictionFile]) -> list[PredictionFile]:
    """The files, those of checkpoints by run and step in the places that they have together: 500 before 1000."""
    found = [(place, step) for place, file in enumerate(files) if (step := checkpoint_of(file.model)) is not None]
    runs = {run: number for number, run in enumerate(dict.fromkeys(step.run for _, step in found))}
    ordered = sorted(found, key=lambda entry: (runs[entry[1].run], entry[1].step))
    moved = list(files)
    for (place, _), (origin, _) in zip(found, ordered, strict=True):
        moved[place] = files[origin]
    return moved


# --- accuracies ---------------------------------------------------------------------------------------------------


def training_steps(scores: Sequence[ModelScores], settings: Settings) -> Iterator[Step]:
    """Accuracies over training steps, over all items and by phenomenon (or paradigm), where models are checkpoints.

    Those are models whose names say a step; names that are numbers only where all of them are.  Nothing where there
    is but one step.
    """
    found = checkpoints(scores)
    if len({step.step for _, step in found}) < 2:
        return
    for score, step in sorted(found, key=lambda entry: entry[1].step):
        if score.forced is None:
            continue
        run = step.run or "model"
        yield _step(step, ALL, run, score.forced.overall, score.forced, settings)
        by = next((name for name in ("phenomenon", "paradigm") if name in score.forced.breakdowns), "paradigm")
        cells = break_down(score.forced.choices, by)
        for cell in cells if len(cells) > 1 else ():
            yield _step(step, cell.label, run, cell, score.forced, settings, by)


def checkpoints(scores: Sequence[ModelScores]) -> list[tuple[ModelScores, Checkpoint]]:
    """The models that are checkpoints, with what their names say."""
    found = [(score, step) for score in scores if (step := checkpoint_of(score.model)) is not None]
    are_numbers = len(found) == len(scores)
    return [(score, step) for score, step in found if step.is_named or are_numbers]


def _step(
    step: Checkpoint, label: str, run: str, cell: Tally, found: ForcedChoice, settings: Settings, by: str = ""
) -> Step:
    low, high = settings.limits(grouped(found.choices, by)[label] if by else found.choices)
    return Step(step.step, label, run, cell.scored, cell.accuracy, low, high, cell.chance, found.model)
