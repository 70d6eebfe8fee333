"""Sequence-to-sequence models of transformers (T5, BART, ...): what the decoder says of a sentence, or of a gap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scorers.errors import Findings, UsageError
from scorers.models import hub
from scorers.models.base import (
    Family,
    Fill,
    LanguageModel,
    MaskedSentence,
    MaskFiller,
    ModelOptions,
    Refusal,
    Stretch,
    TokenScores,
)
from scorers.models.decoder_rows import DecoderRows, Ids, start_token
from scorers.models.fill_words import FillWords, not_one_mask, row_with_sign, without_tokens

Inside = Literal["sentinel", "mask", "left_to_right"]
"""How a part of a sentence is scored; see `Seq2SeqModel`."""

SENTINEL = "<extra_id_0>"
_POSITIONS = 2048
"""Token positions that are computed at once on a CPU where nothing is said."""


@dataclass(frozen=True, slots=True, order=True)
class _Row:
    """What the encoder reads, and what the decoder is given."""

    source: Ids
    given: Ids

    @property
    def cost(self) -> int:
        """How many positions are computed for it at most."""
        return len(self.source) + len(self.given)


@dataclass(frozen=True, slots=True)
class _Job:
    """A stretch as its tokens are scored: `targets[i]` behind the position `first + i` of a row."""

    row: _Row
    first: int
    targets: Ids
    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    unknown: tuple[str, ...]


class Seq2SeqModel(MaskFiller):
    """Natural-log probabilities of a decoder.

    A whole sentence: of its tokens, each given those before it, where the encoder has read an empty text (what the
    tokeniser gives for one: `</s>` for T5).  The end of the sentence is scored with `eos`.

    A part of a sentence, and a mask, in the way the model was trained to fill gaps:

    - `sentinel` (T5; Raffel et al. 2020, https://jmlr.org/papers/v21/20-074.html): the encoder reads the sentence with
      `<extra_id_0>` in place of the part's tokens, the decoder is given `<extra_id_0>` and scores them behind it;
    - `mask` (BART; Lewis et al. 2020, https://aclanthology.org/2020.acl-main.703): the encoder reads the sentence with
      one mask in place of the part's tokens, the decoder is given the sentence up to there and scores them behind it;
    - `left_to_right`: a model with neither reads an empty text, and the decoder is given the sentence up to there.

    Whether the gap ends behind the part is not scored.
    """

    def __init__(self, loaded: hub.Loaded, options: ModelOptions) -> None:
        tokenizer = loaded.tokenizer
        self.name = loaded.name
        self._loaded = loaded
        self._eos = () if not options.eos else (tokenizer.eos_token_id,)
        if self._eos == (None,):
            raise UsageError("--eos yes: the tokeniser has no sign of the end")
        self._positions = loaded.positions(options, _POSITIONS)
        self._before, self._behind = hub.special_tokens(tokenizer)
        self._empty: Ids = (*self._before, *self._behind) or (start_token(loaded),)
        self._start: Ids = (start_token(loaded),)
        self.inside, self._sign = _gaps(tokenizer)
        self.is_left_to_right = self.inside == "left_to_right"
        self._rows = DecoderRows(loaded)
        self._words: FillWords | None = None

    def signature(self) -> Mapping[str, str]:
        """The weights, what is read and scored, precision, versions."""
        return {
            "model": "seq2seq",
            **self._loaded.signature(),
            "source": "empty",
            "inside": self.inside.replace("_", "-"),
            "eos": "scored" if self._eos else "not-scored",
        }

    def plan(self, stretches: Sequence[Stretch]) -> list[list[int]]:
        """Stretches come together whose sources are equally long, and of these those of like length."""
        return self._groups([job if isinstance(job, Refusal) else job.row for job in self._jobs(stretches)])

    def score(self, stretches: Sequence[Stretch]) -> list[TokenScores | Refusal]:
        """The natural-log probability of each token of each stretch."""
        jobs = self._jobs(stretches)
        wanted: dict[_Row, dict[tuple[int, int], float]] = {}
        for job in jobs:
            if isinstance(job, _Job):
                asked = wanted.setdefault(job.row, {})
                asked.update(dict.fromkeys(enumerate(job.targets, job.first), math.nan))
        self._compute(wanted)
        return [job if isinstance(job, Refusal) else _scores(job, wanted[job.row]) for job in jobs]

    def plan_fills(self, sentences: Sequence[MaskedSentence]) -> list[list[int]]:
        """Sentences of like length come together."""
        return self._groups([self._gap_row(sentence) for sentence in sentences])

    def fill(self, sentences: Sequence[MaskedSentence], top: int) -> list[tuple[Fill, ...] | Refusal]:
        """The tokens that the decoder most probably begins the gap with; a word of several is known by its first."""
        if self._words is None:
            self._words = FillWords(self._loaded.tokenizer)
        found = [self._gap_row(sentence) for sentence in sentences]
        is_first = {
            row: not sentence.text.partition(sentence.mask)[0].strip()
            for row, sentence in zip(found, sentences, strict=True)
            if isinstance(row, _Row)
        }
        best: dict[_Row, tuple[Fill, ...]] = {}
        for batch in self._batches(dict.fromkeys(is_first, 1)):
            asked = [(number, len(row.given) - 1) for number, row in enumerate(batch)]
            logits = self._rows.logits([row.source for row in batch], [row.given for row in batch], asked)
            for row, values in zip(batch, logits, strict=True):
                best[row] = self._words.best(values, top, is_first[row])
        return [row if isinstance(row, Refusal) else best[row] for row in found]

    def _compute(self, wanted: Mapping[_Row, dict[tuple[int, int], float]]) -> None:
        """Put the log-probabilities of the targets of each row in their places."""
        import torch

        for batch in self._batches({row: len(asked) for row, asked in wanted.items()}):
            keys = [(number, place, target) for number, row in enumerate(batch) for place, target in wanted[row]]
            places = {pair: at for at, pair in enumerate(dict.fromkeys((number, place) for number, place, _ in keys))}
            logits = self._rows.logits([row.source for row in batch], [row.given for row in batch], list(places))
            if logits.dtype in (torch.float16, torch.bfloat16):
                logits = logits.float()
            at = torch.tensor([places[number, place] for number, place, _ in keys], device=logits.device)
            targets = torch.tensor([target for _, _, target in keys], device=logits.device)
            values = logits[at, targets].double() - logits.logsumexp(dim=-1).double()[at]
            for (number, place, target), value in zip(keys, values.tolist(), strict=True):
                wanted[batch[number]][place, target] = value

    def _batches(self, asked: Mapping[_Row, int]) -> Iterator[list[_Row]]:
        """Rows whose sources are equally long, as many as are computed at once; `asked` positions of each."""
        batch: list[_Row] = []
        count = 0
        for row in sorted(asked, key=_order):
            # All rows are filled up to the length of the last, which is the longest.
            is_full = (len(batch) + 1) * row.cost > self._positions or count + asked[row] > self._rows.most
            if batch and (is_full or len(row.source) != len(batch[0].source)):
                yield batch
                batch, count = [], 0
            batch.append(row)
            count += asked[row]
        if batch:
            yield batch

    def _groups(self, rows: Sequence[_Row | Refusal]) -> list[list[int]]:
        places = sorted(range(len(rows)), key=lambda place: _order(row) if isinstance(row := rows[place], _Row) else ())
        groups: list[list[int]] = []
        room = 0
        for place in places:
            row = rows[place]
            cost = row.cost if isinstance(row, _Row) else 0
            if not groups or cost > room:
                groups.append([])
                room = self._positions
            groups[-1].append(place)
            room -= cost
        return groups

    def _jobs(self, stretches: Sequence[Stretch]) -> list[_Job | Refusal]:
        encoded = hub.encode(self._loaded.tokenizer, [stretch.text for stretch in stretches])
        return [self._job(stretch, one) for stretch, one in zip(stretches, encoded, strict=True)]

    def _job(self, stretch: Stretch, encoded: hub.Encoded) -> _Job | Refusal:
        places = encoded.places(stretch)
        if not places:
            return without_tokens(stretch)
        end = self._eos if stretch.is_whole else ()
        targets = (*encoded.ids[places.start : places.stop], *end)
        before, behind = encoded.ids[: places.start], encoded.ids[places.stop :]
        source = self._empty
        given = (*self._start, *self._before, *before)
        if not stretch.is_whole and self.inside != "left_to_right":
            source = (*self._before, *before, self._sign, *behind, *self._behind)
            given = (*self._start, self._sign) if self.inside == "sentinel" else given
        # The last token is a target, and no input.
        row = _Row(source, (*given, *targets[:-1]))
        if refusal := self._loaded.unfit(row.source) or self._loaded.unfit((*row.given, targets[-1])[1:]):
            return refusal
        tokens, starts = encoded.tokens[places.start : places.stop], encoded.starts[places.start : places.stop]
        if end:
            tokens += tuple(self._loaded.tokenizer.convert_ids_to_tokens(list(end)))
            starts += (len(stretch.text),)
        return _Job(row, len(given) - 1, targets, tokens, starts, encoded.unknown_among(places))

    def _gap_row(self, sentence: MaskedSentence) -> _Row | Refusal:
        if refusal := not_one_mask(sentence):
            return refusal
        if self.inside == "left_to_right":
            left = sentence.text.partition(sentence.mask)[0].rstrip()
            (encoded,) = hub.encode(self._loaded.tokenizer, [left])
            row = _Row(self._empty, (*self._start, *self._before, *encoded.ids))
        else:
            source = row_with_sign(self._loaded.tokenizer, sentence, self._sign, None)
            if isinstance(source, Refusal):
                return source
            before = (self._sign,) if self.inside == "sentinel" else source[: source.index(self._sign)]
            row = _Row(source, (*self._start, *before))
        return self._loaded.unfit(row.source) or self._loaded.unfit(row.given) or row


def _gaps(tokenizer: object) -> tuple[Inside, int]:
    """How a model fills gaps, by its tokeniser, and the sign of one."""
    known: dict[str, int] = tokenizer.get_vocab()  # type: ignore[attr-defined]
    mask: int | None = tokenizer.mask_token_id  # type: ignore[attr-defined]
    if SENTINEL in known:
        return "sentinel", known[SENTINEL]
    return ("mask", mask) if mask is not None else ("left_to_right", -1)


def _order(row: _Row) -> tuple[int, int, Ids, Ids]:
    return len(row.source), len(row.given), row.source, row.given


def _scores(job: _Job, found: Mapping[tuple[int, int], float]) -> TokenScores:
    values = tuple(found[place] for place in enumerate(job.targets, job.first))
    return TokenScores(job.tokens, job.starts, values, job.unknown)


def _load(argument: str, options: ModelOptions, findings: Findings) -> LanguageModel:
    return Seq2SeqModel(hub.load(argument, "seq2seq", options), options)


FAMILY = Family(
    "seq2seq",
    "a sequence-to-sequence model of transformers (T5, BART, ...), from a folder or by its name on the hub",
    "NAME_OR_PATH",
    _load,
    frozenset({"batch_tokens", "device", "dtype", "eos"}),
)
