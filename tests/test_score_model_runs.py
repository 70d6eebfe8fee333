"""Whole runs of transformers models: parts, stopped runs and the order of the items change no byte of a row."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import tiny_models

from scorers.cli.main import main
from scorers.models.causal import CausalModel
from scorers.models.masked import MaskedModel
from scorers.models.seq2seq import Seq2SeqModel

FAMILIES: dict[str, tuple[Callable[[Path], Path], type[Any]]] = {
    "causal": (tiny_models.gpt2, CausalModel),
    "masked": (tiny_models.roberta, MaskedModel),
    "seq2seq": (tiny_models.t5, Seq2SeqModel),
}
PAIRS = 60


@pytest.fixture(params=FAMILIES)
def command(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """`score model` on pairs of sentences and masks, in small groups."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    build, _ = FAMILIES[request.param]
    build(tmp_path / "model")
    write_items(list(range(PAIRS)))
    return ["model", "items", "--model", f"{request.param}:model", "--batch-tokens", "128"]


def write_items(order: Sequence[int]) -> None:
    texts = tiny_models.sentences(2 * PAIRS, longest=12)
    Path("items").mkdir(exist_ok=True)
    pairs = (
        {"sentence_good": texts[2 * n], "sentence_bad": texts[2 * n + 1], "UID": "pairs", "pairID": str(n)}
        for n in order
    )
    Path("items/pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    Path("items/masks.txt").write_text("".join(f"the dog [MASK] {text} .\n" for text in texts[:20]))


def run(command: Sequence[str], output: str, *more: str) -> int:
    return main([*command, *more, "-o", output])


def test_parts_are_the_whole(command: list[str]) -> None:
    assert run(command, "whole.jsonl") == 0
    for number in (1, 2, 3):
        assert run(command, f"{number}.jsonl", "--shard", f"{number}/3") == 0
        assert Path(f"{number}.jsonl").stat().st_size > 1000
    assert main(["merge", "3.jsonl", "1.jsonl", "2.jsonl", "-o", "merged.jsonl"]) == 0
    assert Path("merged.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_a_stopped_run_ends_in_the_same_bytes(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(command, "whole.jsonl", "--top", "2") == 0
    _, model = FAMILIES[command[3].partition(":")[0]]
    score, left = model.score, [3]

    def stopping(self: Any, stretches: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return score(self, stretches)

    monkeypatch.setattr(model, "score", stopping)
    assert run(command, "out.jsonl", "--top", "2") == 130
    assert Path("out.jsonl.partial").read_bytes().count(b"\n") == 1 + 3
    left[0] = 10**6
    assert run(command, "out.jsonl", "--top", "2", "--resume") == 0
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_the_order_of_the_items_changes_no_row(command: list[str]) -> None:
    assert run(command, "whole.jsonl") == 0
    order = list(range(PAIRS))
    random.Random(3).shuffle(order)
    write_items(order)
    assert run(command, "again.jsonl") == 0
    whole, again = (Path(name).read_text().splitlines() for name in ("whole.jsonl", "again.jsonl"))
    assert whole != again
    assert sorted(whole) == sorted(again)
