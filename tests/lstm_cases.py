"""Recurrent models in the layouts of many versions of torch, for tests: saved by today's torch, or written by hand."""

from __future__ import annotations

import importlib.util
import io
import random
import struct
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

MAGIC = 0x1950A86A20F9469CFC6C

# The program whose class the files of Gulordava et al. (2018) name, as far as a file shows it.
MODEL = '''
from torch import nn


class RNNModel(nn.Module):
    """Encoder, recurrent layers, decoder."""

    def __init__(self, rnn_type, ntoken, ninp, nhid, nlayers, dropout=0.2, tie_weights=False):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(ntoken, ninp)
        if rnn_type in ("LSTM", "GRU"):
            self.rnn = getattr(nn, rnn_type)(ninp, nhid, nlayers)
        else:
            nonlinearity = {"RNN_TANH": "tanh", "RNN_RELU": "relu"}[rnn_type]
            self.rnn = nn.RNN(ninp, nhid, nlayers, nonlinearity=nonlinearity)
        self.decoder = nn.Linear(nhid, ntoken)
        if tie_weights:
            self.decoder.weight = self.encoder.weight
        self.rnn_type = rnn_type
        self.nhid = nhid
        self.nlayers = nlayers

    def forward(self, words, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(words)), hidden)
        return self.decoder(self.drop(output)), hidden
'''


@contextmanager
def program(folder: Path) -> Iterator[ModuleType]:
    """The program as a module called `model`, for as long as a file is written."""
    path = folder / "model.py"
    path.write_text(MODEL)
    spec = importlib.util.spec_from_file_location("model", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["model"] = module
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules["model"]


def save(thing: Any, path: Path, is_old: bool = True) -> Path:
    """`torch.save` in the layout before torch 1.6, or in today's."""
    torch.save(thing, path, _use_new_zipfile_serialization=not is_old)
    return path


# --- pickles by hand ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Name:
    """A global: `module.name`, the last dot parts them."""

    full: str


@dataclass(frozen=True)
class Call:
    """A callable with arguments (REDUCE), or a class (NEWOBJ), and perhaps a state (BUILD)."""

    function: Any
    arguments: tuple[Any, ...] = ()
    state: Any = None
    is_new: bool = False


@dataclass(frozen=True)
class Outside:
    """A persistent id."""

    value: Any


class Table(dict[Any, Any]):
    """An OrderedDict; what it holds is written behind it."""


def pickled(value: Any, is_python_2: bool = False) -> bytes:
    """A pickle of protocol 2 of plain values and the classes above."""
    return b"\x80\x02" + _emit(value, is_python_2) + b"."


def _emit(value: Any, old: bool) -> bytes:
    if value is None or isinstance(value, bool):
        return {None: b"N", True: b"\x88", False: b"\x89"}[value]
    if isinstance(value, int):
        raw = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        return b"\x8a" + bytes([len(raw)]) + raw
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value)
    if isinstance(value, str):
        raw = value.encode()
        return (b"T" if old else b"X") + struct.pack("<i", len(raw)) + raw
    if isinstance(value, Name):
        module, _, name = value.full.rpartition(".")
        return f"c{module}\n{name}\n".encode()
    if isinstance(value, Call):
        head = _emit(value.function, old) + _emit(value.arguments, old) + (b"\x81" if value.is_new else b"R")
        return head + (b"" if value.state is None else _emit(value.state, old) + b"b")
    if isinstance(value, Outside):
        return _emit(value.value, old) + b"Q"
    if isinstance(value, dict):
        head = _emit(Call(Name("collections.OrderedDict")), old) if isinstance(value, Table) else b"}"
        return head + b"(" + b"".join(_emit(part, old) for pair in value.items() for part in pair) + b"u"
    parts = b"".join(_emit(part, old) for part in value)
    return b"(" + parts + b"t" if isinstance(value, tuple) else b"](" + parts + b"e"


def old_file(
    path: Path, root: Any, storages: Mapping[str, torch.Tensor], is_python_2: bool = False, /, **parts: bytes
) -> Path:
    """A file of the old layout.  `parts` (magic, protocol, system, root, keys) stand in place of its own ones."""
    keys = sorted(storages)
    own = {
        "magic": pickled(MAGIC),
        "protocol": pickled(1001),
        "system": pickled({"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2}}),
        "root": pickled(root, is_python_2),
        "keys": pickled(keys),
    } | parts
    numbers = b"".join(struct.pack("<q", storages[key].numel()) + storages[key].numpy().tobytes() for key in keys)
    path.write_bytes(b"".join(own.values()) + numbers)
    return path


def new_file(path: Path, pickle: bytes, storages: Mapping[str, bytes] | None = None, **options: Any) -> Path:
    """A zip archive of today's layout."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        archive.writestr("archive/data.pkl", pickle)
        for key, raw in (storages or {}).items():
            archive.writestr(f"archive/data/{key}", raw)
    return path


# --- a model of torch 0.3 -----------------------------------------------------------------------------------------


def as_torch_0_3(weights: Mapping[str, torch.Tensor], kind: str = "LSTM") -> tuple[Any, dict[str, torch.Tensor]]:
    """A pickled RNNModel as torch 0.3 wrote it from a GPU, and its storages.

    The weights of the recurrent layers are views of one storage, as cuDNN wants them; modules name their backend;
    classes of modules come with the text of their program; parameters are called with their tensors.
    """
    rnn = {name: tensor for name, tensor in weights.items() if name.startswith("rnn.")}
    storages = {"94001": torch.cat([tensor.reshape(-1) for tensor in rnn.values()])}
    offsets = dict(zip(rnn, _running([tensor.numel() for tensor in rnn.values()]), strict=True))
    places = {name: ("94001", offset) for name, offset in offsets.items()}
    for number, name in enumerate(name for name in weights if name not in rnn):
        storages[f"9500{number}"] = weights[name].reshape(-1)
        places[name] = (f"9500{number}", 0)

    def parameter(name: str) -> Call:
        key, offset = places[name]
        tensor = weights[name]
        # A view of a storage has a third part: its key, its offset, its length.
        view = (f"{key}{name}", offset, tensor.numel()) if name in rnn else None
        total = storages[key].numel()
        storage = Outside(("storage", Name("torch.cuda.FloatStorage"), key, "cuda:0", total, view))
        shape, stride = tuple(tensor.shape), tuple(tensor.stride())
        made = Call(Name("torch._utils._rebuild_tensor"), (storage, 0, shape, stride))
        return Call(Name("torch.nn.parameter.Parameter"), (made,), (True, False, Table()))

    def module(name: str, own: dict[str, Any], parameters: Sequence[str] = (), prefix: str = "") -> Call:
        cls = Outside(("module", Name(name), "/somewhere/module.py", "import os\nos.system('touch ran')\n"))
        state = {
            "_backend": Call(Name("torch.nn.backends.thnn._get_thnn_function_backend")),
            "_parameters": Table({part: parameter(f"{prefix}{part}") for part in parameters}),
            "_buffers": Table(),
            "_backward_hooks": Table(),
            "_forward_hooks": Table(),
            "_forward_pre_hooks": Table(),
            "_modules": Table(),
            "training": False,
        }
        return Call(cls, (), state | own, is_new=True)

    names = [name.removeprefix("rnn.") for name in rnn]
    dropped = Call(Name("torch.backends.cudnn.rnn.Unserializable"), (), "<unserializable>", is_new=True)
    modes = {"mode": kind, "dropout_state": {"desc_0": dropped}, "_data_ptrs": [], "_all_weights": [names]}
    modes |= {"bidirectional": False, "dropout": 0.2, "bias": True}
    parts = {
        "drop": module("torch.nn.modules.dropout.Dropout", {"p": 0.2}),
        "encoder": module("torch.nn.modules.sparse.Embedding", {"padding_idx": None}, ["weight"], "encoder."),
        "rnn": module("torch.nn.modules.rnn.LSTM", modes, names, "rnn."),
        "decoder": module("torch.nn.modules.linear.Linear", {}, ["weight", "bias"], "decoder."),
    }
    root = module("model.RNNModel", {"_modules": Table(parts), "rnn_type": kind, "nhid": 1, "nlayers": 2})
    return root, storages


def _running(sizes: Sequence[int]) -> list[int]:
    return [sum(sizes[:place]) for place in range(len(sizes))]


def zipped(thing: Any) -> dict[str, bytes]:
    """The parts of what today's `torch.save` writes, by their names."""
    stream = io.BytesIO()
    torch.save(thing, stream)
    with zipfile.ZipFile(stream) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# --- a model that knows something ---------------------------------------------------------------------------------

_NOUNS = {"dog": "dogs", "cat": "cats", "child": "children", "author": "authors", "pilot": "pilots"}
_VERBS = {"barks": "bark", "sleeps": "sleep", "smiles": "smile", "is here": "are here", "waits": "wait"}
_PLACES = ("near", "behind", "beside")


def _members(drawn: random.Random) -> tuple[list[str], list[str]]:
    """A sentence, and the same with the other number of its verb."""
    is_plural, is_other_plural = drawn.random() < 0.5, drawn.random() < 0.5
    noun, verb = drawn.choice([*_NOUNS.items()]), drawn.choice([*_VERBS.items()])
    words = ["the", noun[is_plural]]
    if drawn.random() < 0.4:
        words += [drawn.choice(_PLACES), "the", drawn.choice([*_NOUNS.items()])[is_other_plural]]
    return [*words, *verb[is_plural].split(), "."], [*words, *verb[not is_plural].split(), "."]


def corpus(count: int, seed: int = 1) -> list[str]:
    """Sentences whose verbs agree with their first nouns."""
    drawn = random.Random(seed)
    return [" ".join(_members(drawn)[0]) for _ in range(count)]


def agreement_pairs(count: int, seed: int = 2) -> list[tuple[str, str]]:
    """Pairs that differ in the number of the verb, which is one word."""
    drawn = random.Random(seed)
    return [(" ".join(good), " ".join(bad)) for good, bad in (_members(drawn) for _ in range(count))]


def vocabulary(sentences: Sequence[str]) -> list[str]:
    """`<unk>`, `<eos>` and the words, in the order in which they come."""
    return [*dict.fromkeys(["<unk>", "<eos>", *(word for text in sentences for word in text.split())])]


def trained(
    module: ModuleType, sentences: Sequence[str], words: Sequence[str], kind: str = "LSTM", epochs: int = 1
) -> Any:
    """A model of the sentences as one stream with `<eos>` between them; its state is zeros every 20 words."""
    torch.manual_seed(3)
    model = module.RNNModel(kind, len(words), 16, 24, 2, dropout=0.0)
    ids = {word: number for number, word in enumerate(words)}
    stream = torch.tensor([ids[word] for text in sentences for word in (*text.split(), "<eos>")])
    columns = stream[: len(stream) // 16 * 16].view(16, -1).t()
    optimizer = torch.optim.Adam(model.parameters(), 0.02)
    for _ in range(epochs):
        for first in range(0, len(columns) - 1, 20):
            inputs, targets = columns[first : first + 20], columns[first + 1 : first + 21]
            logits, _ = model(inputs[: len(targets)], None)
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()


class Oracle:
    """A plain computation with the model itself: one sentence at a time, all words at once, nothing shared."""

    def __init__(self, model: Any, words: Sequence[str]) -> None:
        self.model = model.double()
        self.words = list(words)
        self.ids = {word: number for number, word in enumerate(words)}

    def read(self, words: Sequence[str], hidden: Any = None) -> tuple[torch.Tensor, Any]:
        """Log-probabilities of all words behind each word, and the state."""
        ids = torch.tensor([self.ids.get(word, self.ids["<unk>"]) for word in words])
        with torch.no_grad():
            logits, hidden = self.model(ids[:, None], hidden)
        return torch.log_softmax(logits[:, 0], -1), hidden

    def of_words(self, text: str, has_bos: bool = True, has_eos: bool = True) -> list[float]:
        """The log-probability of each word; nan for the first one where nothing is read before it."""
        words = [*text.split(), *(["<eos>"] if has_eos else [])]
        read = ["<eos>", *words] if has_bos else words
        values, _ = self.read(read)
        numbers = [self.ids.get(word, self.ids["<unk>"]) for word in read]
        found = [float(values[place, numbers[place + 1]]) for place in range(len(read) - 1)]
        return found if has_bos else [float("nan"), *found]
