"""Items joined with one model's predictions: what could be, and what could not."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Mapping, Sequence

from scorers.aligning_fills import join_fills
from scorers.aligning_index import ItemIndex
from scorers.aligning_regions import find_token_slots, join_regions
from scorers.aligning_sentences import join_sentences
from scorers.aligning_state import Joining
from scorers.errors import Finding, InputError
from scorers.items import Item
from scorers.measures import WHOLE, RegionSurprisals, find_metric, region_surprisals
from scorers.predictions import (
    FillPrediction,
    PredictionFile,
    RegionPrediction,
    SentencePrediction,
    TokenPrediction,
    Unit,
)
from scorers.results import AlignedResult, Alignment
from scorers.token_bytes import is_special


def align(items: Sequence[Item], files: Sequence[PredictionFile]) -> Alignment:
    """Join items with the prediction files of one model.

    Predictions are joined by id and condition, else by text (exactly, else without spaces, the case of the first
    letter and a final `<eos>`); files without ids whose lines are those of consecutive items, in the items' order.
    Raises InputError where the files cannot be of these items: no prediction of a file is of any item, a file says
    other things of what another has predicted, the files differ in unit, or nothing says which member of an item is
    acceptable.

    A model that says no word for any mask, or nothing but such words, was asked one of the two kinds of items only: the
    others are no gaps, but one finding that counts them.
    """
    scored = [file for file in files if not _has_words_only(file)]
    _require_one_unit(scored)
    index = ItemIndex(items)
    state = Joining(items)
    strangers: list[Finding] = []
    for file in files:
        before, unknown = _known(state), len(state.unknown)
        joined, conflicts = len(state.from_lines), state.conflicts.copy()
        _join_file(index, state, file)
        if file.predictions and _known(state) == before:
            strangers.append(_stranger(file, index, state.unknown[unknown:]))
            del state.unknown[unknown:]
        rivals = state.conflicts - conflicts
        if len(state.from_lines) == joined and rivals.total() > len(file.predictions) / 2:
            strangers.append(_rival(file, rivals.most_common(1)[0][0]))
    if strangers:
        raise InputError(strangers)
    for found in (state.duplicate, state.unknown, state.ambiguous, state.odd):
        found.sort(key=lambda finding: (finding.file, finding.line))
    unit = (scored or files)[0].unit if files else Unit("log_probability")
    results = tuple(_result(state, place) for place in range(len(items)))
    _require_acceptability(results)
    unasked = _unasked(results, files)
    gaps = [(result, gap) for result in results if _kind(result.item) not in unasked and (gap := _missing(result))]
    return Alignment(
        model=next((file.model for file in files if file.model), files[0].name if files else ""),
        unit=unit,
        results=results,
        missing=[gap for _, gap in gaps],
        duplicate=state.duplicate,
        unknown=state.unknown,
        ambiguous=state.ambiguous,
        odd=[*state.odd, *_contradicted(state, results, unit), *unasked.values()],
        incomplete=sum(result.is_joined for result, _ in gaps),
    )


def _has_words_only(file: PredictionFile) -> bool:
    """Whether a file holds words for masks and no number, whose unit would mean something."""
    return bool(file.predictions) and all(isinstance(p, FillPrediction) for p in file.predictions)


_OPEN, _SCORED = "open-ended items", "items to be scored"


def _kind(item: Item) -> str:
    return _OPEN if item.mask is not None else _SCORED


def _unasked(results: Sequence[AlignedResult], files: Sequence[PredictionFile]) -> dict[str, Finding]:
    """The kind of items that the model says nothing of while it speaks of the other, with what is said of that."""
    said = {
        _OPEN if isinstance(prediction, FillPrediction) else _SCORED
        for file in files
        for prediction in file.predictions
    }
    if len(said) != 1:
        return {}
    left = [result.item for result in results if _kind(result.item) not in said]
    if not left:
        return {}
    kind, other = (_OPEN, "a word for a mask") if _OPEN not in said else (_SCORED, "a score")
    message = f"{len(left):,} {kind} are left out: none of the model's predictions is {other}"
    name = files[0].name if len(files) == 1 else files[0].model
    return {kind: Finding("unasked", message, name, severity="warning")}


def _require_one_unit(files: Sequence[PredictionFile]) -> None:
    units: dict[Unit, str] = {}
    for file in files:
        units.setdefault(file.unit, file.name)
    if len(units) > 1:
        said = ", ".join(f"{name} has {_shown(unit)}" for unit, name in units.items())
        raise InputError([Finding("units", f"the files of one model differ in what their numbers are: {said}")])


def _shown(unit: Unit) -> str:
    """A unit in words: scores and perplexities have no base."""
    return unit.quantity if unit.quantity in ("score", "perplexity") else f"{unit.quantity} in {unit.base}"


def _join_file(index: ItemIndex, state: Joining, file: PredictionFile) -> None:
    sentences = [p for p in file.predictions if isinstance(p, SentencePrediction)]
    fills = [p for p in file.predictions if isinstance(p, FillPrediction)]
    regions = [p for p in file.predictions if isinstance(p, RegionPrediction)]
    join_sentences(index, state, sentences)
    if fills:
        join_fills(index, state, fills)
    join_regions(index, state, regions, file.unit)
    for prediction in file.predictions:
        if isinstance(prediction, TokenPrediction):
            _join_tokens(index, state, prediction, file.unit)


def _join_tokens(index: ItemIndex, state: Joining, prediction: TokenPrediction, unit: Unit) -> None:
    """Give a member the sum of its tokens' scores, and its regions theirs."""
    for slot in find_token_slots(index, state, prediction):
        known = [value for value in prediction.values if not math.isnan(value)]
        if known and not state.put(slot, math.fsum(known), len(known), prediction.file, prediction.line):
            continue
        place, number = slot
        item = index.items[place]
        if not (item.conditions[number].regions or item.expectations):
            continue
        metric = find_metric(item.attribute("metric") or "sum")
        found = region_surprisals(item.conditions[number], prediction, unit, metric)
        # What tokens do not cover has no number: the sum of the others is not that of the sentence.
        state.regions[place][number] = {WHOLE: math.nan, **found.bits}
        if found.straddling:
            tokens = ", ".join(f"'{straddle.token}'" for straddle in found.straddling[:3])
            message = f"tokens of '{item.id}' reach over the edge of a region: {tokens}"
            state.note("odd", message, prediction.file, prediction.line)
        _note_tokens(state, prediction, item, found)


def _note_tokens(state: Joining, prediction: TokenPrediction, item: Item, found: RegionSurprisals) -> None:
    """Keep tokens that are not the sentence's."""
    nowhere = [token for place in found.unplaced if not is_special(token := prediction.tokens[place]) and token.strip()]
    said = [f"'{token}' stands nowhere in it" for token in nowhere]
    said += [f"'{token}' stands for '{word}'" for token, word in found.replaced]
    if said:
        message = f"tokens of '{item.id}' are not those of its sentence: {', '.join(said[:3])}"
        state.note("odd", message + (" ..." if len(said) > 3 else ""), prediction.file, prediction.line)


def _known(state: Joining) -> int:
    """How many members a prediction has been found for, or too many."""
    return len(state.from_lines) + len(state.duplicate) + len(state.ambiguous)


def _stranger(file: PredictionFile, index: ItemIndex, unknown: Sequence[Finding]) -> Finding:
    """The message for a prediction file of another suite, or of which no row says its condition."""
    items = index.items
    names = list(dict.fromkeys(item.file for item in items if item.file))
    stems = {os.path.splitext(os.path.basename(name))[0]: name for name in names}
    own = os.path.splitext(os.path.basename(file.name))[0]
    near = difflib.get_close_matches(own, list(stems), n=1, cutoff=0.4)
    if _has_words_only(file) and not any(item.mask for item in items):
        lines = _many(len(file.predictions), "line")
        what = f"{lines} without numbers, as words for masks are read, and no item has a mask"
        return Finding("other-suite", what, file.name, hint="are these items? predictions have numbers")
    many = _many(len(file.predictions), "prediction")
    if unknown and index.item_places(file.predictions[0].item_id):
        first = unknown[0]
        return Finding("other-suite", f"none of its {many} can be joined: {first.message}", file.name, first.line)
    what = f"none of its {many} is of {'these' if len(items) > 1 else 'this'} {_many(len(items), 'item')}"
    hint = f"the item file with the nearest name is {stems[near[0]]}" if near else "are these items of another suite?"
    return Finding("other-suite", what, file.name, hint=hint)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _rival(file: PredictionFile, first: str) -> Finding:
    """The message for a file that speaks of the same items as another one of the model, and says other things."""
    what = f"its predictions are of what {first} has predicted already, and differ"
    hint = "two models? Give their files one by one, not as a folder; else take one of the two away"
    return Finding("same-items", what, file.name, hint=hint)


def _result(state: Joining, place: int) -> AlignedResult:
    found = state.regions[place]
    item = state.items[place]
    regions = tuple(found.get(number, _NO_REGIONS) for number in range(len(item.conditions))) if found else ()
    return AlignedResult(
        item=item,
        values=tuple(state.values[place]),
        token_counts=tuple(state.token_counts[place]),
        fill=state.fills[place],
        regions=regions,
    )


_NO_REGIONS: Mapping[str, float] = {}


def _require_acceptability(results: Sequence[AlignedResult]) -> None:
    """Refuse items of two sentences of which nothing says which is acceptable (Babeval's forced choice)."""
    silent = [
        result.item
        for result in results
        if not result.item.pairs
        and result.item.mask is None
        and not result.item.expectations
        and len(result.item.conditions) > 1
        and all(condition.acceptable is None for condition in result.item.conditions)
    ]
    if not silent:
        return
    first = silent[0]
    many = f"{len(silent):,} items" if len(silent) > 1 else "an item"
    raise InputError(
        [
            Finding(
                "acceptability",
                f"nothing says which member of {many} is acceptable",
                first.file,
                first.line,
                hint="a grammar can tell: gen parse GRAMMAR --input FILE --format babeval --json > items.jsonl, "
                "then give items.jsonl as ITEMS",
            )
        ]
    )


def _missing(result: AlignedResult) -> Finding | None:
    """What an item lacks (or members of it), which a score needs and of which nothing was predicted."""
    item = result.item
    if item.mask is not None:
        return _gap(item, f"no prediction for the mask of '{item.id}'") if result.fill is None else None
    needed = sorted({place for pair in item.pairs for place in (pair.good, pair.bad)})
    lacking = [place for place in needed if result.values[place] is None]
    has_regions = bool(result.regions) and all(result.regions)
    if result.regions or (item.expectations and not needed):
        if item.expectations and not has_regions:
            return _gap(item, f"no region scores for every condition of '{item.id}'")
    elif lacking:
        names = ", ".join(item.conditions[place].name for place in lacking)
        return _gap(item, f"no prediction for '{item.id}' ({names})")
    return None


def _gap(item: Item, message: str) -> Finding:
    return Finding("missing-prediction", message, item.file, item.line, severity="warning")


def _contradicted(state: Joining, results: Sequence[AlignedResult], unit: Unit) -> list[Finding]:
    """Where a file's own verdict on a pair is not what its numbers say (a tie counts as wrong there)."""
    found: list[Finding] = []
    for place, (verdict, file, line) in state.verdicts.items():
        result = results[place]
        pairs = result.item.pairs
        if len(pairs) != 1 or not result.is_complete:
            continue
        good, bad = result.values[pairs[0].good], result.values[pairs[0].bad]
        assert good is not None
        assert bad is not None
        if (unit.preference(good) > unit.preference(bad)) is not verdict:
            message = f"the file calls this {verdict}, its own numbers ({good:g}, {bad:g}) say {not verdict}"
            found.append(Finding("verdict", message, file, line, severity="warning"))
    return found
