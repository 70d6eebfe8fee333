"""Recurrent language models from the files that `torch.save` wrote of them, in its old layout or its new one.

The old layout (torch 0.1.10 to 1.5) is a row of pickles (magic number, version of the protocol, the writer's system,
the object, the keys of its storages) with the storages' numbers behind them; the new one (from torch 1.6) is a zip
archive.  Either holds the pickled module `model.RNNModel` of Gulordava et al. (2018), or a table of its weights
(`state_dict`).  Nothing of the file is run: see `lstm_pickle`.
"""

from __future__ import annotations

import struct
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scorers.errors import ScoreError
from scorers.models.lstm_pickle import (
    DamagedPickleError,
    RefusedPickleError,
    Storage,
    StoredTensor,
    read_pickle,
    read_plain,
)
from scorers.readers.source import why_not

if TYPE_CHECKING:
    import torch

_MAGIC = bytes.fromhex("80028a0a6cfc9c46f9206aa850192e")
"""The pickle of the number 0x1950a86a20f9469cfc6c, with which the old layout begins."""
_PROTOCOL = 1001
_ZIP = b"PK\x03\x04"
_BYTES: Mapping[str, int] = {
    "float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "uint8": 1, "int8": 1,
    "bool": 1,
}  # fmt: skip
_PIECE = 1 << 24


class NoModelError(Exception):
    """A file that is whole but no language model of this kind; the text says what it is."""


class ModelFile(ABC):
    """A file of either layout, open: its object as stand-ins, and the numbers of its storages."""

    root: Any

    @abstractmethod
    def _numbers(self, storage: Storage) -> bytearray:
        """The bytes of a storage.  Raises DamagedPickleError."""

    def tensor(self, stored: StoredTensor) -> torch.Tensor:
        """A tensor of the file.  Raises DamagedPickleError where its numbers are not there."""
        import torch

        storage = stored.storage
        if not storage.numel:
            return torch.zeros(stored.shape, dtype=getattr(torch, storage.dtype))
        numbers = torch.frombuffer(self._numbers(storage), dtype=getattr(torch, storage.dtype))
        return numbers.as_strided(stored.shape, stored.stride, stored.offset).clone()


@contextmanager
def open_model_file(path: str) -> Iterator[ModelFile]:
    """A `.pt` file, open to be read.

    Raises ScoreError where there is no such file, it is none of `torch.save`, is cut off or damaged, or asks for
    anything but what a language model needs (named in the message; nothing is run); and so for what is raised of its
    parts while it is open.
    """
    try:
        with Path(path).open("rb") as stream:
            yield _open(stream)
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else why_not(error)
        raise ScoreError(f"{path}: cannot be read: {reason}") from None
    except RefusedPickleError as error:
        raise ScoreError(
            f"{path}: refused: it asks for {error}, which the weights of a language model do not need; nothing of the "
            "file was run"
        ) from None
    except (DamagedPickleError, zipfile.BadZipFile) as error:
        raise ScoreError(f"{path}: damaged or cut off: {error}") from None
    except NoModelError as error:
        raise ScoreError(
            f"{path}: {error}; expected a .pt file that torch.save wrote of a recurrent language model"
        ) from None


def _open(stream: IO[bytes]) -> ModelFile:
    first = stream.read(512)
    if first.startswith(_MAGIC):
        return _OldFile(stream)
    if first.startswith(_ZIP):
        return _NewFile(stream)
    if first.startswith(b"\x80"):
        stream.seek(0)
        read_pickle(stream)  # so that what it asks for is named, if it asks for anything
        raise NoModelError("a pickle, but none of torch.save")
    raise NoModelError(_kind(first))


def _kind(first: bytes) -> str:
    """What a file is that begins with these bytes."""
    if not first:
        return "the file is empty"
    if first[257:262] == b"ustar":
        return "a tar archive, as PyTorch before 0.1.10 wrote it, which is not read"
    if first[8:9] == b"{":
        return "a safetensors file"
    return "no file of torch.save" if min(first) < 9 else "a text"


class _OldFile(ModelFile):
    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        stream.seek(len(_MAGIC))
        protocol, system = read_plain(stream), read_plain(stream)
        if protocol != _PROTOCOL or type(system) is not dict:
            raise DamagedPickleError("the version of the protocol or the writer's system is not where it should be")
        if system.get("little_endian") is False:
            raise DamagedPickleError("its numbers are written with the highest byte first, which is not read")
        self.root, self._storages = read_pickle(stream)
        keys = read_plain(stream)
        if type(keys) is not list or not all(type(key) is str and key in self._storages for key in keys):
            raise DamagedPickleError("the list of its storages is not where it should be")
        self._places: dict[str, int] = {}
        place = stream.tell()
        for key in keys:
            self._places[key] = place
            place += 8 + self._storages[key].numel * _BYTES[self._storages[key].dtype]

    def _numbers(self, storage: Storage) -> bytearray:
        place = self._places.get(storage.key)
        if place is None:
            raise DamagedPickleError(f"storage {storage.key} is missing")
        self._stream.seek(place)
        head = self._stream.read(8)
        count = struct.unpack("<q", head)[0] if len(head) == 8 else storage.numel
        if count != storage.numel:
            raise DamagedPickleError(
                f"storage {storage.key} has {count:,} numbers, and is described with {storage.numel:,}"
            )
        return _read_whole(self._stream, storage)


class _NewFile(ModelFile):
    def __init__(self, stream: IO[bytes]) -> None:
        with _zip_errors():
            self._archive = zipfile.ZipFile(stream)
        names = self._archive.namelist()
        pickles = [name for name in names if name == "data.pkl" or name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise NoModelError("a zip archive without data.pkl, and so none of torch.save")
        self._folder = pickles[0].removesuffix("data.pkl")
        if f"{self._folder}byteorder" in names:
            with self._entry("byteorder") as entry:
                if entry.read(16).strip() != b"little":
                    raise DamagedPickleError("its numbers are written with the highest byte first, which is not read")
        with self._entry("data.pkl") as entry:
            self.root, _ = read_pickle(entry)

    def _entry(self, name: str) -> IO[bytes]:
        try:
            info = self._archive.getinfo(self._folder + name)
        except KeyError:
            raise DamagedPickleError(f"the archive lacks {self._folder}{name}") from None
        # What is not compressed is no larger than the file.
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
            raise DamagedPickleError(f"{info.filename} is compressed or encrypted, as torch.save never has it")
        with _zip_errors():
            return self._archive.open(info)

    def _numbers(self, storage: Storage) -> bytearray:
        with self._entry(f"data/{storage.key}") as entry:
            return _read_whole(entry, storage)


@contextmanager
def _zip_errors() -> Iterator[None]:
    """What the library raises for a damaged archive."""
    try:
        yield
    except (zipfile.BadZipFile, RuntimeError, ValueError, struct.error, EOFError) as error:
        raise DamagedPickleError(f"no whole zip archive ({str(error).lower()})") from None


def _read_whole(stream: IO[bytes], storage: Storage) -> bytearray:
    """The bytes of a storage, piece by piece, so that what the file does not hold takes no memory."""
    left = storage.numel * _BYTES[storage.dtype]
    found = bytearray()
    while left > 0 and (piece := stream.read(min(left, _PIECE))):
        found += piece
        left -= len(piece)
    if left:
        raise DamagedPickleError(f"it ends in storage {storage.key}, {left:,} bytes too early")
    return found
