"""What a sequence-to-sequence model says at some positions of its decoder, without the logits of all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scorers.errors import ScoreError
from scorers.models.hub import Loaded
from scorers.models.masked_rows import LOGITS, LOGITS_ELSEWHERE, TOLERANCE, hooked, with_hidden

Ids = tuple[int, ...]


class DecoderRows:
    """A sequence-to-sequence model that is asked for some positions of its decoder.

    Each distinct source goes through the encoder once.  The head works on the positions that are asked for, if a check
    of some made-up rows finds the model's own logits so (`has_head_apart`).
    """

    def __init__(self, loaded: Loaded) -> None:
        self._model, self._device = loaded.model, loaded.device
        self._decoder = loaded.model.get_decoder()
        self._places: Any = None
        self._vocabulary = int(loaded.model.get_input_embeddings().weight.shape[0])
        self.most = max(1, LOGITS.get(loaded.device, LOGITS_ELSEWHERE) // self._vocabulary)
        """The most positions that are asked for at once; a row alone may ask for more."""
        self.has_head_apart = self._agrees(TOLERANCE.get(loaded.dtype, 0.05))

    def logits(self, sources: Sequence[Ids], rows: Sequence[Ids], asked: Sequence[tuple[int, int]]) -> Any:
        """A tensor [asked, vocabulary]: what the decoder says behind position j of row i, for each pair (i, j).

        `sources[i]` is what the encoder reads for row i, all equally long.  Rows may differ in length: a decoder sees
        nothing that stands behind, so that what fills a row up changes nothing.
        """
        import torch

        with torch.inference_mode():
            longest = max(map(len, rows))
            inputs = torch.tensor([[*row, *[row[-1]] * (longest - len(row))] for row in rows], device=self._device)
            at, places = torch.tensor(asked, device=self._device).T
            if not self.has_head_apart:
                return self._forward(sources, inputs)[at, places]
            with hooked(self._decoder, self._keep_places):
                self._places = at, places
                try:
                    return self._forward(sources, inputs)[0]
                finally:
                    self._places = None

    def _forward(self, sources: Sequence[Ids], inputs: Any) -> Any:
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        distinct = {source: number for number, source in enumerate(dict.fromkeys(sources))}
        ids = torch.tensor(list(distinct), dtype=torch.long, device=self._device)
        states = self._model.get_encoder()(input_ids=ids)[0]
        states = states[torch.tensor([distinct[source] for source in sources], device=self._device)]
        encoded = BaseModelOutput(last_hidden_state=states)
        return self._model(encoder_outputs=encoded, decoder_input_ids=inputs, use_cache=False).logits

    def _keep_places(self, module: Any, inputs: Any, output: Any) -> Any:
        hidden = output[0]
        return with_hidden(output, hidden[self._places].unsqueeze(0))

    def _agrees(self, tolerance: float) -> bool:
        """Whether the head says the same of some positions when it is given them alone."""
        import torch

        rows = [
            tuple(number * 31 % min(self._vocabulary, 997) for number in range(first, first + 5)) for first in (1, 6)
        ]
        asked = [(0, 0), (0, 4), (1, 2), (1, 3)]
        self.has_head_apart = False
        whole = self.logits(rows, rows, asked)
        self.has_head_apart = True
        try:
            apart = self.logits(rows, rows, asked)
        except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
            return False
        if apart.shape != whole.shape:
            return False
        most = tolerance * max(1.0, float(whole.abs().max()))
        return bool(torch.all((whole - apart).abs() <= most))


def start_token(loaded: Loaded) -> int:
    """The token that a model's decoder starts with.  Raises ScoreError where its configuration names none."""
    for name in ("decoder_start_token_id", "bos_token_id"):
        for config in (loaded.model.config, getattr(loaded.model, "generation_config", None)):
            found = getattr(config, name, None)
            if found is not None:
                return int(found)
    raise ScoreError(f"{loaded.name}: its configuration does not say which token its decoder starts with")
