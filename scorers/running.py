"""A run of a model over what it is asked: each thing once, in groups, in parts, and to be taken up again."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from scorers.errors import ScoreError, UsageError
from scorers.models import Fill, LanguageModel, MaskedSentence, MaskFiller, Refusal, Stretch, TokenScores

Asked = Stretch | MaskedSentence
Answer = TokenScores | tuple[Fill, ...] | Refusal

_SECONDS_BETWEEN_SYNCS = 5.0
"""What a lost machine may cost."""


@dataclass(frozen=True)
class Shard:
    """One of `count` parts of a run: every `count`-th group, from the `number`-th on (from 1)."""

    number: int = 1
    count: int = 1

    def has(self, group: int) -> bool:
        """Whether a group (from 0) is of this part."""
        return group % self.count == self.number - 1

    @property
    def is_all(self) -> bool:
        """Whether there are no other parts."""
        return self.count == 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse_shard(text: str) -> Shard:
    """`2/8` is the second of eight parts.  Raises UsageError."""
    number, slash, count = text.partition("/")
    is_right = bool(slash) and all(part.isascii() and part.isdigit() and len(part) < 10 for part in (number, count))
    if not is_right or not 1 <= int(number) <= int(count):
        raise UsageError(f"--shard {text}: expected PART/PARTS, as in 1/4 ... 4/4")
    return Shard(int(number), int(count))


class Run:
    """What a model is asked, cut into groups.

    Everything is asked once, however often it stands in the items, and in an order that does not depend on theirs: so
    the same things get the same numbers, to the last digit, whichever part of a run computes them.
    """

    def __init__(self, model: LanguageModel, asked: Iterable[Asked], top: int = 1, shard: Shard | None = None) -> None:
        distinct = set(asked)
        self.model, self.top, self.shard = model, top, shard or Shard()
        self._stretches = sorted(entry for entry in distinct if isinstance(entry, Stretch))
        self._masked = sorted(entry for entry in distinct if isinstance(entry, MaskedSentence))
        self._groups: list[list[Asked]] = []
        if self._stretches:
            self._groups += [[self._stretches[place] for place in group] for group in model.plan(self._stretches)]
        if self._masked and isinstance(model, MaskFiller):
            self._groups += [[self._masked[place] for place in group] for group in model.plan_fills(self._masked)]
        self.own = [number for number in range(len(self._groups)) if self.shard.has(number)]

    @property
    def total(self) -> int:
        """How many things this part of the run asks."""
        return sum(len(self._groups[number]) for number in self.own)

    @cached_property
    def digest(self) -> str:
        """What the answers depend on: the model, everything that is asked, and how it is cut; of all parts the same."""
        found = hashlib.sha256()
        parts: list[object] = [dict(self.model.signature()), self.top]
        for part in (parts, *([[_key(entry) for entry in group] for group in self._groups])):
            found.update(json.dumps(part, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass"))
        return found.hexdigest()

    def answers(self, work: WorkFile | None, tell: Callable[[int], None]) -> dict[Asked, Answer]:
        """The answers of this part: those in the work file, and the others, which are put into it.

        `tell` is called with the number of things that have been answered, as they are.
        """
        found: dict[Asked, Answer] = {}
        known = work.known if work is not None else {}
        for number in self.own:
            if number in known:
                found.update(zip(self._groups[number], known[number], strict=True))
        tell(len(found))
        for number in self.own:
            if number in known:
                continue
            group = self._groups[number]
            answers = self._answer(group)
            if work is not None:
                work.append(number, answers)
            found.update(zip(group, answers, strict=True))
            tell(len(group))
        return found

    @property
    def groups(self) -> int:
        """How many groups all parts have together."""
        return len(self._groups)

    def sizes(self) -> dict[int, int]:
        """How many things each group of this part asks."""
        return {number: len(self._groups[number]) for number in self.own}

    def _answer(self, group: Sequence[Asked]) -> Sequence[Answer]:
        stretches = [entry for entry in group if isinstance(entry, Stretch)]
        if stretches:
            return self.model.score(stretches)
        assert isinstance(self.model, MaskFiller)
        return self.model.fill([entry for entry in group if isinstance(entry, MaskedSentence)], self.top)


class WorkFile:
    """What has been answered so far, on the disk: a line for each group, in whichever order.

    Lines that a crash has cut off, or left as zeros, are not believed: their groups are asked again.  The file is
    locked while a process works on it, where the system has locks.
    """

    def __init__(self, path: Path, run: Run) -> None:
        self.path, self._run = path, run
        self.known: dict[int, Sequence[Answer]] = {}
        self._stream: IO[bytes] | None = None
        self._has_more = False
        self._synced = time.monotonic()

    def open(self, resume: bool) -> int:
        """Make the file, or go on with what an earlier run has left; how many things that answered.

        Raises UsageError where another process is at work on it, or where it is left of a run and nothing says that
        this one goes on with it; ScoreError where it is of another run (other items, model or options) or cannot be
        written.
        """
        header = _line({"run": self._run.digest, "shard": str(self._run.shard)})
        try:
            try:
                self._stream = self.path.open("x+b")
            except FileExistsError:
                self._stream = self.path.open("r+b")
                self._require_free(resume)
                self._read(header)
            else:
                _lock(self._stream)
                self._write(header)
        except OSError as error:
            raise ScoreError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        return sum(map(len, self.known.values()))

    def _require_free(self, resume: bool) -> None:
        assert self._stream is not None
        is_free = _lock(self._stream)
        if is_free and resume:
            return
        self._stream.close()
        self._stream = None
        if not is_free:
            raise UsageError(f"{self.path}: another process is at work on it")
        raise UsageError(
            f"{self.path} is left of a run that was stopped: --resume goes on with it; remove it to begin anew"
        )

    def _read(self, header: bytes) -> None:
        assert self._stream is not None
        found = self._stream.read()
        lines = found.split(b"\n")
        if found and lines[0] + b"\n" != header:
            self._stream.close()
            self._stream = None
            raise ScoreError(
                f"{self.path}: what is there is of another run (other items, model, options, --batch-tokens or "
                "versions), or of none; remove it to begin anew"
            )
        sizes = self._run.sizes()
        for line in lines[1:]:
            record = _record(line)
            if record is None or sizes.get(record.get("group", -1)) != len(record.get("answers", ())):
                continue
            self.known[record["group"]] = [_from_json(answer) for answer in record["answers"]]
        # What was cut off stays a line of its own.
        self._write(header if not found else b"" if found.endswith(b"\n") else b"\n")

    def append(self, number: int, answers: Sequence[Answer]) -> None:
        """Put the answers of a group behind the others.  Raises ScoreError where that cannot be done."""
        try:
            self._write(_line({"group": number, "answers": [_as_json(answer) for answer in answers]}))
            self._has_more = True
            if self._stream is not None and time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS:
                os.fsync(self._stream.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise ScoreError(f"{self.path}: cannot be written: {error.strerror or error}; --resume goes on") from error

    def _write(self, line: bytes) -> None:
        assert self._stream is not None
        self._stream.write(line)
        self._stream.flush()

    def close(self) -> None:
        """Close the file, which stays if anything is in it."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
            self._stream = None
            if not self._has_more and not self.known:
                self.path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the file: all that it holds is in the predictions."""
        if self._stream is not None:
            self.path.unlink(missing_ok=True)
            self._stream.close()
            self._stream = None


def _lock(stream: IO[bytes]) -> bool:
    """Lock a file until it is closed; False where another process has.  Systems without such locks have none."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _key(entry: Asked) -> list[object]:
    return [entry.text, entry.start, entry.end] if isinstance(entry, Stretch) else [entry.text, entry.mask]


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _as_json(answer: Answer) -> Any:
    if isinstance(answer, Refusal):
        return {"refused": answer.reason}
    if isinstance(answer, TokenScores):
        values = [None if math.isnan(value) else value for value in answer.values]
        return {"tokens": answer.tokens, "starts": answer.starts, "values": values, "unknown": answer.unknown}
    return [[fill.word, fill.probability] for fill in answer]


def _from_json(record: Any) -> Answer:
    if isinstance(record, list):
        return tuple(Fill(word, probability) for word, probability in record)
    if "refused" in record:
        return Refusal(record["refused"])
    values = tuple(math.nan if value is None else value for value in record["values"])
    return TokenScores(tuple(record["tokens"]), tuple(record["starts"]), values, tuple(record["unknown"]))
