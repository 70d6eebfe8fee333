"""What has to hold of a model of transformers before anything is scored with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from scorers.errors import ScoreError

Kind = Literal["causal", "masked", "seq2seq"]

# What the configuration of a saved model calls its class: the ends of names, and the kind of model that it is.
_ENDINGS: Mapping[str, Kind] = {
    "ForMaskedLM": "masked",
    "ForPreTraining": "masked",
    "ForCausalLM": "causal",
    "LMHeadModel": "causal",
    "ForConditionalGeneration": "seq2seq",
    "ForSeq2SeqLM": "seq2seq",
}
_ABOUT: Mapping[Kind, str] = {"causal": "a causal", "masked": "a masked", "seq2seq": "a sequence-to-sequence"}
_TOKENISERS = ("tokenizer.json", "vocab.json", "vocab.txt", "*.model", "*.vocab", "*.tiktoken")
_LAYER = re.compile(r"\b(?:h|layer|layers|block|blocks)\.(\d+)\.")


def require_kind(argument: str, kind: Kind, config: Any) -> None:
    """Raise ScoreError where the saved model is of another kind."""
    names = list(getattr(config, "architectures", None) or ())
    kinds = {found for name in names for ending, found in _ENDINGS.items() if name.endswith(ending)}
    if kinds and kind not in kinds:
        other = sorted(kinds)[0]
        raise ScoreError(
            f"{argument}: {_ABOUT[other]} model ({names[0]}), not {_ABOUT[kind]} one; use {other}:{argument}"
        )


def require_tokeniser(argument: str) -> None:
    """Raise ScoreError for a folder without files of a tokeniser: the library makes one then that knows no word."""
    folder = Path(argument)
    if folder.is_dir() and not any(True for pattern in _TOKENISERS for _ in folder.glob(pattern)):
        raise ScoreError(f"{argument}: no files of a tokeniser; expected one of {', '.join(_TOKENISERS[:4])}")


def require_whole(argument: str, kind: Kind, model: Any, tokenizer: Any, report: Mapping[str, Any]) -> int:
    """How many tokens the model knows.

    Raises ScoreError where weights are missing, are more than the configuration says, or are no finite numbers, and
    where the tokeniser is another model's.  `report` is what the library says of loading.
    """
    missing = sorted(report.get("missing_keys", ()))
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ScoreError(f"{argument}: not trained as {_ABOUT[kind]} model: its weights lack {missing[0]}{more}")
    layers = getattr(model.config.get_text_config(), "num_hidden_layers", None)
    for name in sorted(report.get("unexpected_keys", ())):
        found = _LAYER.search(name)
        if found and isinstance(layers, int) and int(found[1]) >= layers:
            raise ScoreError(f"{argument}: its weights have {name}, and its config.json says {layers} layers")
    broken = next((name for name, weight in model.named_parameters() if not bool(weight.isfinite().all())), "")
    if broken:
        raise ScoreError(f"{argument}: its weights are broken: not all numbers of {broken} are finite")
    vocabulary, rows = tokenizer.vocab_size, int(model.get_input_embeddings().weight.shape[0])
    # Tokens that were added to the tokeniser may be more than the model has: a sign for padding, say.
    if vocabulary > rows:
        raise ScoreError(f"{argument}: the tokeniser has {vocabulary:,} tokens, and the model knows {rows:,}")
    return rows
