"""Pickles of language models, read without running anything of theirs.

A pickle names what it wants called.  Here every name is looked up in a table of this module, whose entries are
stand-ins that keep what they are given and do nothing; a name that is not there is refused before anything is made.
Pickles are gone through opcode by opcode first, so that one cannot claim more memory than its own length.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any, NoReturn

DTYPES: Mapping[str, str] = {
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "FloatStorage": "float32",
    "DoubleStorage": "float64",
    "BoolStorage": "bool",
    "ByteStorage": "uint8",
    "CharStorage": "int8",
    "ShortStorage": "int16",
    "IntStorage": "int32",
    "LongStorage": "int64",
}
"""The kinds of storages, and what torch calls their numbers."""

MOST_NUMBERS = 1 << 40
_MOST_OPCODES = 5_000_000
_MOST_DIMENSIONS = 8


class RefusedPickleError(Exception):
    """A pickle that asks for what a language model does not need; the text says for what."""


class DamagedPickleError(Exception):
    """What is no pickle, or one that does not fit together; the text says how."""


@dataclass(frozen=True, slots=True)
class Storage:
    """Numbers of a file, by their key; a view of them begins at `offset`."""

    key: str
    dtype: str
    numel: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor as the file describes it: where its numbers lie, in numbers, not bytes."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]

    @property
    def shown(self) -> str:
        """Its shape for a message: `50001 x 650`."""
        return " x ".join(map(str, self.shape)) or "one number"


class _Sealed(type):
    """Classes that a pickle can neither change nor give attributes."""

    def __setattr__(cls, name: str, value: Any) -> NoReturn:
        raise RefusedPickleError(f"a change of the class {cls.__name__}")


class StandIn(metaclass=_Sealed):
    """An object of the file, of a class that is not here: its class's name and what the file says of it."""

    __slots__ = ("state",)
    class_name = ""
    state: Mapping[str, Any]

    def __new__(cls, *arguments: Any) -> StandIn:
        """An object without state.  Raises RefusedPickleError for arguments: a pickle of a module gives none."""
        if arguments:
            raise RefusedPickleError(f"{cls.class_name} made with arguments")
        made = super().__new__(cls)
        made.state = {}
        return made

    def __setstate__(self, state: Any) -> None:
        if type(state) is not dict or not all(type(name) is str for name in state):
            raise DamagedPickleError(f"a {self.class_name} whose state is no table of names")
        self.state = state


class Opaque(StandIn):
    """An object whose state does not matter."""

    __slots__ = ()

    def __setstate__(self, state: Any) -> None:
        """Whatever it is, it is left out."""


class Parameter(metaclass=_Sealed):
    """A tensor that is trained, as old versions of torch write it: made of its tensor, then told its flags."""

    __slots__ = ("data",)
    data: StoredTensor | None

    def __new__(cls, data: Any = None, *flags: Any) -> Parameter:
        """A parameter of a tensor, or one whose tensor comes with its state."""
        if not (data is None or type(data) is StoredTensor) or len(flags) > 1:
            raise DamagedPickleError("a parameter that is made of no tensor")
        made = super().__new__(cls)
        made.data = data
        return made

    def __setstate__(self, state: Any) -> None:
        # (requires_grad, volatile, hooks); before 0.2 with the tensor and its gradient; or what a tensor is made of.
        if type(state) is tuple and len(state) == 5 and type(state[0]) is StoredTensor:
            self.data = state[0]
        elif type(state) is tuple and len(state) == 4:
            self.data = _rebuild_tensor(*state)
        elif type(state) is not tuple or len(state) != 3:
            raise DamagedPickleError("a parameter with a state that is none")


class Ordered(dict[Any, Any]):
    """An ordered dictionary; attributes, such as the versions beside a table of weights, are left out."""

    __slots__ = ()

    def __setstate__(self, state: Any) -> None:
        """Whatever it is, it is left out."""


class _Function:
    """A function under a name of torch's, in its place."""

    __slots__ = ("_name", "_run")
    _name: str
    _run: Callable[..., Any]

    def __init__(self, name: str, run: Callable[..., Any]) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_run", run)

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self._run(*arguments)
        except TypeError:
            raise DamagedPickleError(f"{self._name} with {len(arguments)} arguments, which does not fit") from None

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise RefusedPickleError(f"a change of {self._name}")

    def __setstate__(self, state: Any) -> NoReturn:
        raise RefusedPickleError(f"a change of {self._name}")


class _Kind:
    """A class of storages; `dtype` is that of their numbers."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def __setstate__(self, state: Any) -> NoReturn:
        raise RefusedPickleError("a change of a class of storages")


def _rebuild_tensor(storage: Any, offset: Any, shape: Any, stride: Any) -> StoredTensor:
    if type(storage) is not Storage or type(offset) is not int or type(shape) is not tuple or type(stride) is not tuple:
        raise DamagedPickleError("a tensor that is made of something else than a storage, a place and a shape")
    numbers = (offset, *shape, *stride)
    if len(shape) != len(stride) or len(shape) > _MOST_DIMENSIONS:
        raise DamagedPickleError("a tensor whose shape and strides do not fit together")
    if not all(type(number) is int and 0 <= number <= MOST_NUMBERS for number in numbers):
        raise DamagedPickleError("a tensor with an absurd shape")
    last = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    count = math.prod(shape)
    # A tensor that repeats its numbers (a stride of 0) would be larger than the file.
    if count > storage.numel or (count and storage.offset + last >= storage.numel):
        raise DamagedPickleError(f"a tensor with {count:,} numbers, and its storage has {storage.numel:,}")
    return StoredTensor(storage, storage.offset + offset, shape, stride)


def _rebuild_tensor_v2(
    storage: Any, offset: Any, shape: Any, stride: Any, requires_grad: Any, hooks: Any, metadata: Any = None
) -> StoredTensor:
    return _rebuild_tensor(storage, offset, shape, stride)


def _rebuild_parameter(data: Any, requires_grad: Any, hooks: Any, state: Any = None) -> StoredTensor:
    if type(data) is not StoredTensor:
        raise DamagedPickleError("a parameter that is made of no tensor")
    return data


def _size(numbers: Any = ()) -> tuple[Any, ...]:
    if type(numbers) not in (tuple, list):
        raise DamagedPickleError("a torch.Size that is made of no numbers")
    return tuple(numbers)


def _ordered(pairs: Any = ()) -> Ordered:
    if type(pairs) not in (tuple, list) or not all(type(pair) in (tuple, list) and len(pair) == 2 for pair in pairs):
        raise DamagedPickleError("an OrderedDict that is made of no pairs")
    return Ordered(dict(pairs))


def _set(members: Any = ()) -> frozenset[Any]:
    if type(members) not in (tuple, list):
        raise DamagedPickleError("a set that is made of no list")
    return frozenset(members)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": _rebuild_tensor_v2,
    "torch._utils._rebuild_parameter": _rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter,
    "torch.nn.backends.thnn._get_thnn_function_backend": lambda: None,
    "torch.Size": _size,
    "torch.device": lambda kind, number=0: None,
    "collections.OrderedDict": _ordered,
    "builtins.set": _set,
    "__builtin__.set": _set,
}
_MODULES = frozenset(
    f"torch.nn.modules.{place}.{name}"
    for place, names in {
        "sparse": "Embedding",
        "rnn": "RNNBase RNN LSTM GRU",
        "linear": "Linear",
        "dropout": "Dropout",
        "normalization": "LayerNorm",
        "activation": "Tanh ReLU Sigmoid Softmax LogSoftmax",
        "container": "ModuleList ModuleDict Sequential",
        "loss": "CrossEntropyLoss NLLLoss",
    }.items()
    for name in names.split()
)
_OPAQUE = frozenset({"torch.backends.cudnn.rnn.Unserializable"})
_PARAMETERS = frozenset({"torch.nn.parameter.Parameter", "torch.autograd.variable.Variable"})
_OWN = "RNNModel"


def _found(name: str) -> Any:
    """The stand-in for a name; made anew for each file.  Raises RefusedPickleError for one that is not needed."""
    module, _, last = name.rpartition(".")
    if name in _FUNCTIONS:
        return _Function(name, _FUNCTIONS[name])
    if module in ("torch", "torch.cuda") and last in DTYPES:
        return _Kind(DTYPES[last])
    if name in _PARAMETERS:
        return Parameter
    # The class of the model itself is called as its program called it (`model.RNNModel`, `__main__.RNNModel`); a
    # stand-in for it can do no more than one for any other.
    if name in _MODULES or (last.endswith(_OWN) and last.isidentifier()):
        return _Sealed(last, (StandIn,), {"__slots__": (), "class_name": last})
    if name in _OPAQUE:
        return _Sealed(last, (Opaque,), {"__slots__": (), "class_name": last})
    raise RefusedPickleError(name)


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: IO[bytes], is_plain: bool) -> None:
        # What Python 2 wrote as bytes is read as text, whatever it holds.
        super().__init__(stream, fix_imports=False, encoding="latin-1")
        self._is_plain = is_plain
        self._classes: dict[str, Any] = {}
        self.storages: dict[str, Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        full = f"{module}.{name}"
        if self._is_plain:
            raise RefusedPickleError(full)
        if full not in self._classes:
            self._classes[full] = _found(full)
        return self._classes[full]

    def persistent_load(self, pid: Any) -> Any:
        if type(pid) is tuple and pid[:1] == ("module",) and len(pid) == 4 and isinstance(pid[1], _Sealed):
            return pid[1]  # beside the class there stands the text of its program, which is left alone
        if type(pid) is tuple and pid[:1] == ("storage",) and len(pid) in (5, 6) and type(pid[1]) is _Kind:
            return self._storage(pid[1].dtype, *pid[2:])
        raise DamagedPickleError("something outside the pickle that is neither a storage nor a class")

    def _storage(self, dtype: str, key: Any, location: Any, numel: Any, view: Any = None) -> Storage:
        if type(key) is not str or type(numel) is not int or not 0 <= numel <= MOST_NUMBERS:
            raise DamagedPickleError("a storage with an absurd key or length")
        storage = self.storages.setdefault(key, Storage(key, dtype, numel))
        if (storage.dtype, storage.numel) != (dtype, numel):
            raise DamagedPickleError(f"storage {key} is described twice, in two ways")
        if view is None:
            return storage
        if type(view) is not tuple or len(view) != 3 or not all(type(number) is int for number in view[1:]):
            raise DamagedPickleError(f"storage {key} with a view that is none")
        offset, length = view[1:]
        if not (0 <= offset <= numel and 0 <= length <= numel - offset):
            raise DamagedPickleError(f"storage {key} with a view beyond its end")
        return Storage(key, dtype, numel, offset)


_UNKNOWN = frozenset({"EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER"})


def _scan(stream: IO[bytes]) -> None:
    """Go through a pickle and run nothing.  Places in its memo cannot be higher than it has opcodes."""
    for count, (opcode, argument, _) in enumerate(pickletools.genops(stream)):
        if opcode.name in _UNKNOWN:
            raise DamagedPickleError(f"the opcode {opcode.name}")
        if count > _MOST_OPCODES or ("PUT" in opcode.name and int(argument or 0) > count):
            raise DamagedPickleError("an absurd length")


def read_pickle(stream: IO[bytes]) -> tuple[Any, Mapping[str, Storage]]:
    """The next pickle of a stream, as stand-ins, and the storages that it speaks of; the stream then stands behind it.

    Raises RefusedPickleError with the name of what it asked for; DamagedPickleError.
    """
    return _read(stream, False)


def read_plain(stream: IO[bytes]) -> Any:
    """The next pickle of a stream, which may name nothing at all: numbers, texts, lists, dictionaries.

    Raises as `read_pickle` does.
    """
    return _read(stream, True)[0]


def _read(stream: IO[bytes], is_plain: bool) -> tuple[Any, Mapping[str, Storage]]:
    start = stream.tell()
    try:
        _scan(stream)
        end = stream.tell()
        stream.seek(start)
        # A copy, so that nothing is read beyond the end.
        unpickler = _Unpickler(io.BytesIO(stream.read(end - start)), is_plain)
        return unpickler.load(), unpickler.storages
    except (RefusedPickleError, DamagedPickleError):
        raise
    except Exception as error:  # a damaged pickle can fail in any way that its opcodes can
        text = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise DamagedPickleError(f"no whole pickle ({text})") from None
