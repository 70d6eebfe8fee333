"""What a number was made from and how, on one line: `items:1a2b3c4d|predictions:...|ties:half|...|version:0.1.0`.

The manner is sacreBLEU's (Post 2018, 'A Call for Clarity in Reporting BLEU Scores').
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scorers._version import __version__
from scorers.items import Item
from scorers.judgements import Judgement
from scorers.predictions import (
    FillPrediction,
    Prediction,
    PredictionFile,
    RegionPrediction,
    SentencePrediction,
)

_DIGITS = 8


@dataclass(frozen=True)
class Signature:
    """Keys and values in order."""

    parts: Mapping[str, str]

    def line(self) -> str:
        """The signature on one line."""
        return "|".join(f"{key}:{value}" for key, value in self.parts.items())

    def plus(self, **parts: str) -> Signature:
        """The signature with further parts, the version still last."""
        kept = {key: value for key, value in self.parts.items() if key != "version"}
        return Signature({**kept, **parts, "version": self.parts["version"]})

    def as_json(self) -> dict[str, str]:
        """The signature as a JSON object."""
        return dict(self.parts)


def make_signature(items: str, predictions: str, *parts: Mapping[str, str], seed: int | None = None) -> Signature:
    """Put a signature together from digests and the parts of criterion and statistics."""
    found = {"items": items[:_DIGITS], "predictions": predictions[:_DIGITS]}
    for part in parts:
        found |= part
    if seed is not None:
        found["seed"] = str(seed)
    return Signature(found | {"version": __version__})


def differences(line: str, other: str) -> str:
    """What a signature says otherwise than another one: `measure is mean, not sum`."""
    theirs, ours = (dict(entry.partition(":")[::2] for entry in text.split("|")) for text in (line, other))
    names = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
    return "; ".join(f"{name} is {theirs.get(name, 'not there')}, not {ours.get(name, 'said')}" for name in names)


def _digest(records: Iterable[object]) -> str:
    """SHA-256 of records in whichever order they come."""
    digests = sorted(hashlib.sha256(_dump(record)).digest() for record in records)
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _dump(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def digest_items(items: Iterable[Item]) -> str:
    """The digest of what items say: ids, texts, what is acceptable, which pairs, masks, formulas with their regions.

    It is not one of files or their order.
    """
    return _digest(
        [
            item.id,
            [[c.name, c.text, c.acceptable] for c in item.conditions],
            # Where regions are decides what formulas are about, and nothing else.
            [[[r.name, r.number, r.start, r.end] for r in c.regions] for c in item.conditions]
            if item.expectations
            else None,
            [[pair.good, pair.bad] for pair in item.pairs],
            [item.mask.token, [[name, sorted(words)] for name, words in item.mask.answers.items()]]
            if item.mask
            else None,
            list(item.expectations.items()),
        ]
        for item in items
    )


def digest_lists(lists: Mapping[str, Iterable[str]]) -> str:
    """The first digits of the digest of the user's classes of answers: names and words, and the order of classes."""
    listed = [[name, sorted(words)] for name, words in lists.items()]
    return hashlib.sha256(_dump(listed)).hexdigest()[:_DIGITS]


def digest_judgements(judgements: Iterable[Judgement]) -> str:
    """The first digits of the digest of what people said; not of the file or the order of its rows."""
    rows = ([row.item_id, row.condition, row.text, repr(row.rating), row.choice, row.annotator] for row in judgements)
    return _digest(rows)[:_DIGITS]


def digest_predictions(files: Iterable[PredictionFile]) -> str:
    """The digest of what predictions say: sentences or ids, numbers to the last digit, unit; not of files or order."""
    return _digest(
        [file.unit.quantity, file.unit.base, _record(prediction)] for file in files for prediction in file.predictions
    )


def _record(prediction: Prediction) -> list[object]:
    if isinstance(prediction, SentencePrediction):
        return [
            prediction.item_id,
            prediction.condition,
            prediction.text,
            repr(prediction.value),
            prediction.token_count,
        ]
    if isinstance(prediction, FillPrediction):
        return [prediction.item_id, prediction.text, prediction.word]
    if isinstance(prediction, RegionPrediction):
        values = sorted((name, repr(value)) for name, value in prediction.values.items())
        return [prediction.item_id, prediction.condition, values]
    return [
        prediction.item_id,
        prediction.condition,
        prediction.text,
        prediction.tokens,
        list(map(repr, prediction.values)),
        prediction.starts,
    ]
