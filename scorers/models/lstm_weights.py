"""The weights of a recurrent language model: its parts `encoder`, `rnn` and `decoder`, and whether they fit together.

Of models with several tasks the decoder called `decoder` is taken; what else the file holds is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scorers.models.lstm_files import ModelFile, NoModelError, open_model_file
from scorers.models.lstm_pickle import Parameter, StandIn, StoredTensor

if TYPE_CHECKING:
    import torch

_GATES = {4: "LSTM", 3: "GRU"}
_MODES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_PARTS = ("encoder", "rnn", "decoder")
_LAYER = re.compile(r"rnn\.(?:weight_ih|weight_hh|bias_ih|bias_hh)_l([0-9]{1,3})")


@dataclass(frozen=True)
class LstmWeights:
    """The weights of a recurrent language model, and how they fit together.

    `mode`: LSTM, GRU, RNN_TANH or RNN_RELU.  `words` is the size of the vocabulary, `embedding` that of a word's
    vector, `hidden` that of the state in each of `layers` layers.  `tensors` are called as in torch: `encoder.weight`
    (words x embedding), `rnn.weight_ih_l0` (gates * hidden x embedding) ..., `decoder.weight` (words x hidden), and the
    biases where there are any.
    """

    mode: str
    words: int
    embedding: int
    hidden: int
    layers: int
    has_bias: bool
    tensors: Mapping[str, torch.Tensor]


def read_weights(path: str) -> LstmWeights:
    """The weights of a `.pt` file.

    Raises ScoreError where there is no such file, it is none of `torch.save`, is cut off or damaged, asks for anything
    but what a language model needs (named in the message; nothing is run), its parts do not fit together, or a number
    of a weight is none (nan) or infinite.
    """
    with open_model_file(path) as file:
        return _read(file)


def _read(file: ModelFile) -> LstmWeights:
    root = file.root
    if isinstance(root, StandIn):
        stored, mode = _of_module(root), _mode_of(root)
    elif isinstance(root, dict):
        stored, mode = _of_table(root), ""
    else:
        raise NoModelError("neither a model nor a table of weights")
    for name in ("encoder.weight", "rnn.weight_ih_l0", "rnn.weight_hh_l0", "decoder.weight"):
        if name not in stored:
            raise NoModelError(f"there is no {name} in it{_of(stored)}")
    for name, tensor in stored.items():
        if tensor.storage.dtype not in _FLOATS:
            raise NoModelError(f"{name} is of the kind {tensor.storage.dtype}")
    mode = mode or _mode_by_shape(stored)
    words, embedding = _matrix(stored, "encoder.weight")
    hidden = _matrix(stored, "rnn.weight_hh_l0")[1]
    layers = 1 + max(int(found[1]) for name in stored if (found := _LAYER.fullmatch(name)))
    has_bias = "rnn.bias_ih_l0" in stored
    gates = _MODES[mode] * hidden
    expected: dict[str, tuple[int, ...]] = {"decoder.weight": (words, hidden)}
    for layer in range(layers):
        expected[f"rnn.weight_ih_l{layer}"] = (gates, hidden if layer else embedding)
        expected[f"rnn.weight_hh_l{layer}"] = (gates, hidden)
        if has_bias:
            expected[f"rnn.bias_ih_l{layer}"] = expected[f"rnn.bias_hh_l{layer}"] = (gates,)
    if "decoder.bias" in stored:
        expected["decoder.bias"] = (words,)
    for name, shape in expected.items():
        if name not in stored:
            raise NoModelError(f"there is no {name} in it")
        if stored[name].shape != shape:
            wanted = StoredTensor(stored[name].storage, 0, shape, ()).shown
            raise NoModelError(
                f"{name} is {stored[name].shown}, and with {words:,} words of {embedding} numbers in the encoder and a "
                f"state of {hidden} ({mode}) it would be {wanted}"
            )
    expected["encoder.weight"] = (words, embedding)
    # Tied weights are read once.
    made = {tensor: file.tensor(tensor) for tensor in {stored[name]: None for name in expected}}
    tensors = {name: made[stored[name]] for name in expected}
    for name in expected:
        _require_finite(name, tensors[name])
    return LstmWeights(mode, words, embedding, hidden, layers, has_bias, tensors)


def _require_finite(name: str, tensor: torch.Tensor) -> None:
    """Refuse weights of a training that went astray: every score would be nan, or wrong without a sign of it."""
    if bool(tensor.isfinite().all()):
        return
    nans, infinite = int(tensor.isnan().sum()), int(tensor.isinf().sum())
    kinds = [f"{count:,} {what}" for count, what in ((nans, "nan"), (infinite, "infinite")) if count]
    raise NoModelError(f"{name} has numbers that are none: {' and '.join(kinds)} of {tensor.numel():,}")


def _of_module(root: StandIn) -> dict[str, StoredTensor]:
    parts = _table(root, "_modules")
    if "module" in parts and not any(name in parts for name in _PARTS):
        parts = _table(parts["module"], "_modules")  # as it is wrapped for several devices
    found: dict[str, StoredTensor] = {}
    for part in _PARTS:
        if not isinstance(parts.get(part), StandIn):
            raise NoModelError(f"a {root.class_name} without the part '{part}'{_of(parts)}")
        for name, value in _table(parts[part], "_parameters").items():
            tensor = value.data if isinstance(value, Parameter) else value
            if isinstance(tensor, StoredTensor):
                found[f"{part}.{name}"] = tensor
            elif tensor is not None:  # None: a bias that there is not
                raise NoModelError(f"{part}.{name} is no tensor")
    _refuse_others(parts["rnn"].state, found)
    return found


def _table(module: Any, name: str) -> Mapping[str, Any]:
    """The parts or parameters of a module."""
    found = module.state.get(name) if isinstance(module, StandIn) else None
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise NoModelError("a pickled object that is no module of torch")
    return found


def _mode_of(root: StandIn) -> str:
    parts = _table(root, "_modules")
    state = (parts if "rnn" in parts else _table(parts["module"], "_modules"))["rnn"].state
    mode = state.get("mode")
    if mode not in _MODES:
        raise NoModelError(f"its rnn is of the kind {str(mode)[:40]!r}; expected {', '.join(_MODES)}")
    return str(mode)


def _of_table(root: Mapping[Any, Any]) -> dict[str, StoredTensor]:
    """The weights of a table, under their names without the prefix of a model that is wrapped for several devices."""
    for inner in ("state_dict", "model_state_dict", "model"):  # a checkpoint has the table beside other things
        if isinstance(root.get(inner), dict):
            root = root[inner]
    found: dict[str, StoredTensor] = {}
    for key, value in root.items():
        tensor = value.data if isinstance(value, Parameter) else value
        name = key.removeprefix("module.") if isinstance(key, str) else ""
        if isinstance(tensor, StoredTensor) and name.partition(".")[0] in _PARTS:
            found[name] = tensor
    _refuse_others({}, found)
    return found


def _refuse_others(state: Mapping[str, Any], stored: Mapping[str, StoredTensor]) -> None:
    """What no language model that reads from left to right has, or none of Gulordava's."""
    if state.get("bidirectional") or any(name.endswith("_reverse") for name in stored):
        raise NoModelError("its rnn reads in both directions, which no left-to-right language model does")
    if state.get("proj_size") or any(name.startswith("rnn.weight_hr") for name in stored):
        raise NoModelError("its rnn projects its state, which is not read")


def _mode_by_shape(stored: Mapping[str, StoredTensor]) -> str:
    rows, hidden = _matrix(stored, "rnn.weight_hh_l0")
    gates = rows / hidden if hidden else 0
    if gates not in _GATES:
        raise NoModelError(
            f"rnn.weight_hh_l0 is {rows} x {hidden}: neither an LSTM's nor a GRU's; of a plain RNN a table of weights "
            "does not say whether it is one of tanh or of relu (save the model itself)"
        )
    return _GATES[int(gates)]


def _matrix(stored: Mapping[str, StoredTensor], name: str) -> tuple[int, int]:
    tensor = stored[name]
    if len(tensor.shape) != 2 or not all(tensor.shape):
        raise NoModelError(f"{name} is {tensor.shown}, and no matrix")
    return tensor.shape[0], tensor.shape[1]


def _of(names: Mapping[str, Any]) -> str:
    """`; there are A, B ...` for a message."""
    few = [str(name)[:40] for name in list(names)[:8]]
    return f"; there are {', '.join(few)}{' ...' if len(names) > len(few) else ''}" if few else ""
