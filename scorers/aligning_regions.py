"""Scores of tokens and regions joined with the conditions of items, as surprisals in bits."""

from __future__ import annotations

from collections.abc import Sequence

from scorers.aligning_index import ItemIndex, Slot, same_sentences
from scorers.aligning_state import Joining, shorten
from scorers.measures import surprisal_bits
from scorers.predictions import RegionPrediction, TokenPrediction, Unit


def join_regions(index: ItemIndex, state: Joining, predictions: Sequence[RegionPrediction], unit: Unit) -> None:
    """Join region scores by item and condition."""
    for prediction in predictions:
        slot = _find(index, state, prediction)
        if slot is None:
            continue
        place, condition = slot
        if condition in state.regions[place]:
            state.note_duplicate(slot, prediction.file, prediction.line)
            continue
        regions = index.items[place].conditions[condition].regions
        bits = {name: surprisal_bits(value, unit) for name, value in prediction.values.items()}
        names = {region.number: region.name for region in regions if region.number}
        repeated = {region.name for region in regions if sum(other.name == region.name for other in regions) > 1}
        for region in regions:
            # A region is known by its name and by its number, whichever of the two the file has; a name that several
            # regions have stands for none of them.
            if region.number in bits and region.name not in repeated:
                bits.setdefault(region.name, bits[region.number])
            if region.name in bits and region.number and region.name not in repeated:
                bits.setdefault(region.number, bits[region.name])
        known = {region.name for region in regions} | set(names) | {"*"}
        for name in prediction.values:
            if name not in known:
                message = f"'{prediction.item_id}' {prediction.condition} has no region '{name}'"
                state.note("unknown", message, prediction.file, prediction.line)
        state.regions[place][condition] = bits
        state.from_lines[slot] = (prediction.file, prediction.line)


def find_token_slots(index: ItemIndex, state: Joining, prediction: TokenPrediction) -> Sequence[Slot]:
    """The members that scores of tokens are of; none where they are of no item."""
    if prediction.item_id:
        slot = _find(index, state, prediction)
        return [slot] if slot else []
    text = prediction.text or " ".join(prediction.tokens)
    _, slots = index.by_text(text)
    if not slots:
        state.note("unknown", f"no item has '{shorten(text)}'", prediction.file, prediction.line)
        return []
    if len(slots) > 1 and not same_sentences(index.items, slots):
        # The same sentence: its tokens score the same whatever it is paired with.
        return [slot for slot in slots if state.values[slot[0]][slot[1]] is None] or slots[:1]
    return slots


def _find(index: ItemIndex, state: Joining, prediction: RegionPrediction | TokenPrediction) -> Slot | None:
    places = index.item_places(prediction.item_id, prediction.file)
    where = prediction.file, prediction.line
    if len(places) > 1:
        state.note("ambiguous", f"{len(places)} items have the id '{prediction.item_id}'", *where)
        return None
    text = prediction.text if isinstance(prediction, TokenPrediction) else ""
    condition = index.condition_place(places[0], prediction.condition, text) if places else -1
    if not places:
        state.note("unknown", f"no item has '{prediction.item_id}'", *where)
        return None
    if condition < 0:
        state.note("unknown", index.lacking(places[0], prediction.item_id, prediction.condition), *where)
        return None
    known = index.items[places[0]].conditions[condition]
    if index.is_another(text, known.text):
        message = f"'{prediction.item_id}' {known.name} is '{shorten(known.text)}', and here it is '{shorten(text)}'"
        state.note("unknown", message, *where, hint="are these items of another suite?")
        return None
    return places[0], condition
