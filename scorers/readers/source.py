"""A file, standard input or a text that is read, and what is wrong with it, with its line."""

from __future__ import annotations

import hashlib
import io
import itertools
import re
import stat
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import IO

from scorers.errors import Finding, Findings, ScoreError, nearest

STANDARD_INPUT = "-"
HEAD_LINES = 20
MOST_ERRORS = 10_000

_FIRST_BYTES = 4096
_MAGIC = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x1f\x8b": "compressed",
    b"PK\x03\x04": "compressed",
    b"BZh": "compressed",
    b"\xfd7zXZ": "compressed",
    b"\x28\xb5\x2f\xfd": "compressed",
}
_BOM = b"\xef\xbb\xbf"
_FLAVOURS = ("forced_choice", "open_ended", "sentences", "predictions")
_UNDECODED = re.compile("[\udc80-\udcff]")


class Source:
    """A file to read, or a text: `path` or `text` is given.

    `name` is how messages call it.  `label` names what the file is about where the file itself does not say so: its
    name without the ending, or with the folder before it where several files are called alike.  Files are read as
    UTF-8; a byte order mark and line ends of Windows are accepted.
    """

    def __init__(self, path: Path | None = None, text: str | None = None, name: str = "", label: str = "") -> None:
        if (path is None) == (text is None):
            raise ValueError("a source has either a path or a text")
        self.path = path
        self.name = name or (str(path) if path is not None else "<text>")
        self._label = label
        self._bytes = None if text is None else text.encode("utf-8", "surrogatepass")

    @classmethod
    def of(cls, name: str) -> Source:
        """The source that an argument names: a path, or `-` for standard input.

        What can be read once only (standard input, a pipe) is kept in memory.  Raises ScoreError where there is none.
        """
        if name == STANDARD_INPUT:
            source = cls(text="", name="<stdin>")
            source._bytes = sys.stdin.buffer.read()
            return source
        path = Path(name)
        source = cls(path, name=name)
        try:
            mode = path.stat().st_mode
        except FileNotFoundError as error:
            raise ScoreError(f"{name}: there is no such file{_nearest_file(path)}") from error
        except OSError as error:  # a folder on the way that may not be looked into, a name too long
            raise ScoreError(f"{name}: cannot be read: {why_not(error)}") from error
        except ValueError as error:  # a name with a NUL character
            raise ScoreError(f"{name!r}: there is no such file") from error
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            with source.open() as stream:
                source._bytes = stream.read()
        return source

    def called(self, label: str) -> Source:
        """The same source with another label."""
        self._label = label
        return self

    @cached_property
    def stem(self) -> str:
        """The file's name without folder and ending; `input` for standard input and texts without a name."""
        return "input" if self.name.startswith("<") else Path(self.name).stem

    @property
    def suffix(self) -> str:
        """The ending of the file's name, with its dot."""
        return Path(self.name).suffix

    @property
    def label(self) -> str:
        """What the file is about: its `stem`, unless another name was given."""
        return self._label or self.stem

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders that the file lies in, the nearest first."""
        if self.name.startswith("<"):
            return ()
        place = Path(self.name) if self.path is None else self.path.absolute()
        return tuple(folder.name for folder in place.parents if folder.name)

    @property
    def folder(self) -> str:
        """The nearest folder whose name is not just that of a kind of file (`forced_choice`, `predictions` ...)."""
        return next((name for name in self.folders if name not in _FLAVOURS), "")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes (as `sha256sum` says), in hexadecimal digits."""
        with self.open() as stream:
            stream.seek(0)
            return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]

    @cached_property
    def head(self) -> tuple[str, ...]:
        """The first lines that are not blank (at most 20), for telling formats apart."""
        found = (text for _, text in self._numbered() if text.strip())
        return tuple(_UNDECODED.sub("\ufffd", text) for text in itertools.islice(found, HEAD_LINES))

    @cached_property
    def text(self) -> str:
        """The whole text, with line ends as `\\n`."""
        return "\n".join(text for _, text in self._numbered())

    @cached_property
    def ends_in_line_end(self) -> bool:
        """Whether the last line is whole; an empty file has no last line."""
        with self.open() as stream:
            if stream.seek(0, io.SEEK_END) == 0:
                return True
            stream.seek(-1, io.SEEK_END)
            return stream.read(1) == b"\n"

    def starts_with(self, magic: bytes) -> bool:
        """Whether these are the first bytes."""
        return self._first_bytes.startswith(magic)

    @cached_property
    def _first_bytes(self) -> bytes:
        with self.open() as stream:
            return stream.read(_FIRST_BYTES)

    @cached_property
    def no_text(self) -> str:
        """What a file is that is no UTF-8 text by its first bytes: `UTF-16`, `compressed` or `binary`; else ''."""
        first = self._first_bytes
        for magic, what in _MAGIC.items():
            if first.startswith(magic):
                return what
        even, odd = first[::2].count(0), first[1::2].count(0)
        # In UTF-16 one byte of each letter of ASCII is empty: every second one, and no other.
        if not min(even, odd) and 4 * max(even, odd) > len(first):
            return "UTF-16"
        # A text with a NUL byte here and there is damaged: that is said of the line.
        control = sum(byte < 9 or 13 < byte < 32 for byte in first)
        return "binary" if even + odd and 20 * control > len(first) else ""

    def lines(self, report: Report) -> Iterator[tuple[int, str]]:
        """(line number from 1, line without its end), as the file is read: no more than a block is in memory.

        Bytes that are no UTF-8 are reported with their line, which is then given with replacement characters.
        """
        for number, text in self._numbered():
            if not text.isascii() and (found := _UNDECODED.search(text)):
                is_cut = found.start() >= len(text) - 3 and not self.ends_in_line_end
                hint = "the file may be cut off in a character" if is_cut else "save the file as UTF-8"
                report.error(number, "not UTF-8", "encoding", hint=hint)
                text = _UNDECODED.sub("\ufffd", text)
            if "\0" in text:
                report.error(number, "a NUL byte: the file is damaged, or no text", "nul")
            yield number, text

    def _numbered(self) -> Iterator[tuple[int, str]]:
        with self.open() as stream:
            text_stream = io.TextIOWrapper(stream, "utf-8", errors="surrogateescape", newline="\n")
            for number, line in enumerate(text_stream, start=1):
                bare = line[:-1] if line[-1] == "\n" else line
                yield number, bare[:-1] if bare and bare[-1] == "\r" else bare

    def open(self) -> IO[bytes]:
        """The bytes, without a byte order mark.  Raises ScoreError where they cannot be read."""
        if self._bytes is not None:
            stream: IO[bytes] = io.BytesIO(self._bytes)
        else:
            assert self.path is not None
            try:
                stream = self.path.open("rb")
            except OSError as error:
                raise ScoreError(f"{self.name}: cannot be read: {why_not(error)}") from error
        if not stream.seekable():  # a pipe, before it is kept
            return stream
        if stream.read(len(_BOM)) != _BOM:
            stream.seek(0)
        return stream


def why_not(error: OSError) -> str:
    """Why a file cannot be read, as the system says it."""
    return (error.strerror or str(error)).lower()


def _nearest_file(path: Path) -> str:
    """`; did you mean 'PATH'?`: of the files beside it, or of the folders where already its folder is not there."""
    here = path
    try:
        while not here.parent.exists() and here.parent != here:
            here = here.parent
        found = nearest(here.name, sorted(entry.name for entry in here.parent.iterdir()))
    except OSError:
        return ""
    name = re.search("'(.*)'", found)
    return f"; did you mean '{here.parent / name.group(1)}'?" if name else ""


class Report:
    """What is found in one file, on its way to the findings of all.

    A warning that many lines deserve becomes one that counts them.  Errors beyond the first ten thousand of a file are
    counted only, so that a file of the wrong kind fills no memory.  `close` hands all over.
    """

    def __init__(self, findings: Findings, file: str) -> None:
        self.file = file
        self._findings = findings
        self._errors = 0
        self._last_line = 0
        self._warnings: dict[tuple[str, str], list[int]] = {}

    @property
    def has_errors(self) -> bool:
        """Whether something in the file cannot be read."""
        return self._errors > 0

    def error(
        self, line: int, message: str, code: str = "bad-row", column: int = 0, text: str = "", hint: str = ""
    ) -> None:
        """A row that cannot be read; reading goes on."""
        self._errors += 1
        self._last_line = line
        if self._errors <= MOST_ERRORS:
            self._findings.add(Finding(code, message, self.file, line, column, text, hint))

    def warn(self, line: int, message: str, code: str = "odd-row") -> None:
        """A quirk that is accepted.  The same message of many lines becomes one warning."""
        lines = self._warnings.setdefault((code, message), [line, 0])
        lines[1] += 1

    def close(self) -> None:
        """Hand over the warnings, and how many errors there are beyond those that were kept."""
        for (code, message), (line, count) in self._warnings.items():
            more = f" (and {count - 1:,} more)" if count > 1 else ""
            self._findings.warning(message + more, self.file, line, code)
        self._warnings.clear()
        more_errors = self._errors - MOST_ERRORS
        if more_errors > 0:
            self._findings.error(f"and {more_errors:,} more errors, to this line", self.file, self._last_line, "more")
