"""The logits of a masked model at one position of each row, without those of all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from scorers.errors import ScoreError
from scorers.models.hub import Loaded

LOGITS = {"cpu": 2**24}
LOGITS_ELSEWHERE = 2**27
"""The most logits that are computed at once, by device, which bounds the memory where the vocabulary is large."""

# Where the last layer of an encoder hands its hidden states from the attention (residual and norm included) to the
# part that works on each position by itself.
_LAST_LAYERS = ("encoder.layer", "transformer.layer")
_AFTER_ATTENTION = ("attention", "sa_layer_norm")
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


class MaskedRows:
    """A masked model that is asked for one position of each row.

    Behind the attention of the last layer, and in the head, each position is computed by itself: both are cut to the
    positions that are asked for, the first where the layers are known, and either only where a check of some made-up
    rows finds the model's own logits.  `cut` says what is cut: 'last layer', 'head' or 'nothing'.
    """

    def __init__(self, loaded: Loaded) -> None:
        self._model = loaded.model
        self._device, self._window = loaded.device, loaded.window
        self._places: Any = None
        self._logits = LOGITS.get(loaded.device, LOGITS_ELSEWHERE)
        self.vocabulary = int(loaded.model.get_input_embeddings().weight.shape[0])
        self.cut = "nothing"
        for cut, module in (*(("last layer", module) for module in self._last_layer()), ("head", self._base())):
            if module is not None and self._agrees(module, TOLERANCE.get(loaded.dtype, 0.05)):
                self.cut = cut
                module.register_forward_hook(self._keep_places)
                break

    def rows(self, length: int, positions: int) -> int:
        """How many rows of a length are computed at once where so many positions may be."""
        width = length if self.cut == "nothing" else 1
        return max(1, min(positions // length, self._logits // (self.vocabulary * width)))

    def logits(self, rows: Sequence[Sequence[int]], places: Sequence[int]) -> Any:
        """A tensor [rows, vocabulary]: what the model says of `places[i]` of row i; the rows are equally long."""
        import torch

        with torch.inference_mode():
            ids = torch.tensor(rows, dtype=torch.long, device=self._device)
            self._places = torch.tensor(places, dtype=torch.long, device=self._device)
            try:
                found = self._model(input_ids=ids).logits
            finally:
                asked, self._places = self._places, None
            return found[:, 0] if self.cut != "nothing" else found[torch.arange(len(ids)), asked]

    def _keep_places(self, module: Any, inputs: Any, output: Any) -> Any:
        """The hidden states [rows, length, width] that a module hands on, at the places that are asked for."""
        if self._places is None:
            return output
        import torch

        hidden = output if isinstance(output, torch.Tensor) else output[0]
        hidden = hidden[torch.arange(len(hidden), device=hidden.device), self._places].unsqueeze(1)
        return with_hidden(output, hidden)

    def _base(self) -> Any:
        base = self._model.base_model
        return None if base is self._model else base

    def _last_layer(self) -> list[Any]:
        """The modules that may hand on the hidden states behind the attention of the last layer."""
        found = []
        for layers in _LAST_LAYERS:
            for name in _AFTER_ATTENTION:
                try:
                    found.append(self._model.base_model.get_submodule(layers)[-1].get_submodule(name))
                except (AttributeError, TypeError, IndexError):
                    continue
        return found

    def _agrees(self, module: Any, tolerance: float) -> bool:
        """Whether the model says the same of some rows when a module hands on one position of each alone."""
        import torch

        length = int(min(7, self._window))
        rows = torch.arange(5 * length, device=self._device).reshape(5, length) * 31 % min(self.vocabulary, 997)
        places = torch.tensor([0, 2, 3, 5, 6], device=self._device) % length
        with torch.inference_mode():
            whole = self._model(input_ids=rows).logits[torch.arange(5), places]
            self._places = places
            try:
                with hooked(module, self._keep_places):
                    cut = self._model(input_ids=rows).logits
            except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
                return False
            finally:
                self._places = None
            if cut.shape != (5, 1, whole.shape[-1]):
                return False
            most = tolerance * max(1.0, float(whole.abs().max()))
            return bool((whole - cut[:, 0]).abs().max() <= most)


def with_hidden(output: Any, hidden: Any) -> Any:
    """What a module hands on (a tensor, a tuple, or an output of the library), with other hidden states."""
    import torch

    if isinstance(output, torch.Tensor):
        return hidden
    if isinstance(output, tuple):
        return (hidden, *output[1:])
    output.last_hidden_state = hidden
    return output


@contextmanager
def hooked(module: Any, hook: Callable[[Any, Any, Any], Any]) -> Iterator[None]:
    """A module with a hook on what it hands on, for a while."""
    handle = module.register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def mask_token(loaded: Loaded) -> int:
    """The number of a model's mask token.  Raises ScoreError for a model without one."""
    found = loaded.tokenizer.mask_token_id
    if found is None:
        raise ScoreError(f"{loaded.name}: its tokeniser has no mask token, so that it cannot score as a masked model")
    return int(found)
