"""Two small real models on published pairs: the figures that their own documentation states."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scorers.cli.main import main
from scorers.readers.files import read_items, read_predictions
from scorers.scoring import Settings, score_model

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(not (REFERENCE / "models").is_dir(), reason=f"no published material in {REFERENCE}"),
]


def accuracies(folder: Path, pairs: int, spec: str, *options: str, files: str = "*") -> dict[str, float]:
    """The accuracy of each paradigm and of all, on the first pairs of each of Zorro's files."""
    items = folder / "items"
    items.mkdir()
    for path in sorted((REFERENCE / "zorro" / "sentences").glob(f"{files}.txt")):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        (items / path.name).write_text("".join(lines[: 2 * pairs]), "utf-8")
    family, name = spec.split(":")
    predictions = str(folder / "predictions.jsonl")
    model = f"{family}:{REFERENCE / 'models' / name}"
    assert main(["model", str(items), "--model", model, *options, "-o", predictions]) == 0
    forced = score_model(read_items([items]), read_predictions([predictions]), Settings(by=("paradigm",))).forced
    assert forced is not None
    tallies = (forced.overall, *forced.breakdowns["paradigm"])
    return {tally.label: tally.accuracy for tally in tallies if tally.accuracy is not None}


def test_the_causal_model_has_the_accuracies_of_its_documentation(tmp_path: Path) -> None:
    # `models/README.md`: sum of log-probabilities of one sentence an example, so with its sign of the end; the first
    # 200 pairs of each file: mean 0.64; determiner and noun side by side 0.82, reflexive 0.79, existential there 0.97.
    found = accuracies(tmp_path, 200, "causal:brown-mini-clm", "--eos", "yes")
    assert len(found) == 18 + 1
    assert found["all"] == pytest.approx(0.64, abs=0.0051)
    assert found["between_neighbors"] == pytest.approx(0.82, abs=0.0051)
    assert found["pronoun_gender"] == pytest.approx(0.79, abs=0.0051)
    assert found["existential_there"] == pytest.approx(0.97, abs=0.0051)
