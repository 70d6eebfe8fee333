"""Tokenisers that have more tokens than the model: a sign that was added to them, and never trained."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny_models

from scorers.errors import Findings, ScoreError
from scorers.models import MaskedSentence, Refusal, Stretch, find_model

BUILDERS: dict[str, Callable[[Path], Path]] = {
    "causal": tiny_models.gpt2,
    "masked": tiny_models.bert,
    "seq2seq": tiny_models.t5,
}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.mark.parametrize("family", BUILDERS)
def test_a_token_that_the_model_lacks_is_refused_where_it_stands(family: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    folder = BUILDERS[family](tmp_path / "plain")
    before: Any = find_model(f"{family}:{folder}", Findings())
    shutil.copytree(folder, tmp_path / "added")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = before._loaded.rows
    # As many as fill what the model has, and one more.
    tokenizer.add_tokens([f"wug{number:04}" for number in range(rows - len(tokenizer) + 1)])
    tokenizer.save_pretrained(tmp_path / "added")
    last = f"wug{rows - len(before._loaded.tokenizer):04}"
    after: Any = find_model(f"{family}:{tmp_path / 'added'}", Findings())
    texts = ["the dogs here", f"the {last} here"]
    said, refused = after.score([Stretch.whole(text) for text in texts])
    (known,) = before.score([Stretch.whole(texts[0])])
    assert said.values == pytest.approx(known.values, abs=1e-5)
    assert isinstance(refused, Refusal)
    assert refused.reason == f"the tokeniser has '{last}', and the model does not"
    masked = [MaskedSentence(f"the {word} [M] here", "[M]") for word in ("dogs", last)]
    filled, unfilled = after.fill(masked, 3)
    assert len(filled) == 3
    assert isinstance(unfilled, Refusal)


def test_a_tokeniser_of_another_model_is_refused(tmp_path: Path) -> None:
    small, large = tiny_models.gpt2(tmp_path / "small"), tmp_path / "large"
    shutil.copytree(small, large)
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(small)
    model.resize_token_embeddings(20)
    model.save_pretrained(large)
    with pytest.raises(ScoreError, match=r"the tokeniser has \d+ tokens, and the model knows 20"):
        find_model(f"causal:{large}", Findings())
