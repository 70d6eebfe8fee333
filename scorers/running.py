"""A run of a model over what it is asked: each thing once, in groups, in parts, and to be taken up again."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from scorers.errors import ScoreError, UsageError
from scorers.models import Fill, LanguageModel, MaskedSentence, MaskFiller, Refusal, Stretch, TokenScores
from scorers.writing import write_whole

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

    Lines that a crash has cut off, or left as zeros, are not believed: their groups are asked again.
    """

    def __init__(self, path: Path, run: Run) -> None:
        self.path, self._run = path, run
        self.known: dict[int, Sequence[Answer]] = {}
        self._stream: IO[bytes] | None = None
        self._synced = time.monotonic()

    def resume(self) -> int:
        """Read what an earlier run has left; how many things it answered.

        Raises ScoreError where the file is of another run: of other items, another model or other options.
        """
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise ScoreError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        sizes = self._run.sizes()
        header = _record(lines[0]) if lines else None
        if header is not None and header != self._header():
            raise ScoreError(
                f"{self.path}: what is there is of another run (other items, model, options or versions); "
                "remove it to begin anew"
            )
        for line in lines[1:] if header is not None else ():
            record = _record(line)
            if record is None or sizes.get(record.get("group", -1)) != len(record.get("answers", ())):
                continue
            self.known[record["group"]] = [_from_json(answer) for answer in record["answers"]]
        return sum(map(len, self.known.values()))

    def append(self, number: int, answers: Sequence[Answer]) -> None:
        """Put the answers of a group behind the others.  Raises ScoreError where that cannot be done."""
        try:
            if self._stream is None:
                self._begin()
            assert self._stream is not None
            self._stream.write(_line({"group": number, "answers": [_as_json(answer) for answer in answers]}))
            self._stream.flush()
            if time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS:
                os.fsync(self._stream.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise ScoreError(f"{self.path}: cannot be written: {error.strerror or error}; --resume goes on") from error

    def _header(self) -> dict[str, Any]:
        return {"run": self._run.digest, "shard": str(self._run.shard)}

    def _begin(self) -> None:
        """Write what is known anew, so that nothing that was cut off stands in the middle."""
        kept = [_line(self._header())]
        kept += [
            _line({"group": number, "answers": [_as_json(answer) for answer in answers]})
            for number, answers in sorted(self.known.items())
        ]
        write_whole(self.path, b"".join(kept))
        self._stream = self.path.open("ab")

    def close(self) -> None:
        """Close the file, which stays."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def remove(self) -> None:
        """Remove the file: all that it holds is in the predictions."""
        self.close()
        self.path.unlink(missing_ok=True)


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
