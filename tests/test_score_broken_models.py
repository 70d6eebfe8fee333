"""Folders that hold no whole model of transformers: each is refused in one line that names what is wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import tiny_models

from scorers.cli.main import main

TOKENISERS = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "merges.txt")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.gpt2(tmp_path_factory.mktemp("whole") / "model")


def without_tokeniser(folder: Path) -> None:
    for name in TOKENISERS:
        (folder / name).unlink(missing_ok=True)


def cut_off(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:200])


def overwritten(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"\0" * 500)


def empty(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"")


def without_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def pickled(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    # What would make a file, were it run.
    text = f"cos\nsystem\n(S'touch {folder.parent / 'made'}'\ntR.".encode()
    (folder / "pytorch_model.bin").write_bytes(text)


def changed_config(folder: Path, **changes: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))


def fewer_layers(folder: Path) -> None:
    changed_config(folder, n_layer=1)


def more_layers(folder: Path) -> None:
    changed_config(folder, n_layer=9)


def other_width(folder: Path) -> None:
    changed_config(folder, n_embd=8)


def not_finite(folder: Path) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder)
    model.transformer.h[1].mlp.c_fc.bias.data[3] = float("nan")
    model.save_pretrained(folder)


def no_config(folder: Path) -> None:
    (folder / "config.json").unlink()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (without_tokeniser, "model: no files of a tokeniser; expected one of tokenizer.json"),
        (cut_off, "model: cannot be loaded (broken, cut off?)"),
        (overwritten, "model: cannot be loaded (broken, cut off?)"),
        (empty, "model: cannot be loaded (broken, cut off?)"),
        (without_weights, "model: cannot be loaded (broken, cut off?)"),
        (pickled, "model: cannot be loaded (broken, cut off?)"),
        (fewer_layers, "its weights have transformer.h.1."),
        (more_layers, "not trained as a causal model: its weights lack transformer.h."),
        (other_width, "model: cannot be loaded (broken, cut off?)"),
        (not_finite, "not all numbers of transformer.h.1.mlp.c_fc.bias are finite"),
        (no_config, "model: cannot be loaded"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_wrong_is_said_in_a_line(
    damage: Callable[[Path], None],
    message: str,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(whole, tmp_path / "model")
    damage(tmp_path / "model")
    (tmp_path / "items.tab").write_text("pattern\tsent\tsent_alt\na\tthe dog is\tthe dog are\n")
    assert main(["model", "items.tab", "--model", "causal:model", "-o", "out.jsonl"]) == 3
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "made").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.tab", "model"]


def test_a_folder_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.tab").write_text("pattern\tsent\tsent_alt\na\tthe dog is\tthe dog are\n")
    for name, message in (("./gone", "there is no such folder\n"), ("some/gone", "could be had from the hub")):
        assert main(["model", "items.tab", "--model", f"causal:{name}"]) == 3
        assert message in capsys.readouterr().err
