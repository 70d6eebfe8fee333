"""The words that a model puts in the place of a mask joined with open-ended items."""

from __future__ import annotations

from collections.abc import Sequence

from scorers.aligning_index import ItemIndex, MaskIndex
from scorers.aligning_state import Joining, shorten
from scorers.predictions import FillPrediction

_MOST_STARTS = 64


def join_fills(index: ItemIndex, state: Joining, predictions: Sequence[FillPrediction]) -> None:
    """Join one file's fills: by id; without ids in the items' order where the lines are theirs; else by text."""
    masks = MaskIndex(index.items)
    by_text: list[FillPrediction] = []
    for prediction in predictions:
        if not prediction.item_id or not _join_by_id(index, masks, state, prediction):
            by_text.append(prediction)
    if by_text and len(by_text) == len(predictions) and _join_in_order(masks, state, by_text):
        return
    groups: dict[tuple[int, ...], list[tuple[str, FillPrediction]]] = {}
    for prediction in by_text:
        word, places = masks.by_text(prediction.text) if prediction.text else ("", ())
        if places:
            groups.setdefault(tuple(places), []).append((word, prediction))
        else:
            what = f"'{prediction.item_id}'" if prediction.item_id else f"'{shorten(prediction.text)}'"
            message = f"no item with a mask has {what}"
            state.note("unknown", message, prediction.file, prediction.line)
    for found_places, fills in groups.items():
        _join_group(index, state, found_places, fills)


def _put(state: Joining, place: int, word: str, prediction: FillPrediction) -> None:
    if state.fills[place] is not None:
        state.note_duplicate((place, 0), prediction.file, prediction.line, state.fills[place] != word)
        return
    state.fills[place] = word
    state.from_lines[place, 0] = (prediction.file, prediction.line)


def _join_by_id(index: ItemIndex, masks: MaskIndex, state: Joining, prediction: FillPrediction) -> bool:
    places = index.item_places(prediction.item_id, prediction.file)
    if not places:
        return False
    where = prediction.file, prediction.line
    if len(places) > 1:
        state.note("ambiguous", f"{len(places)} items have the id '{prediction.item_id}'", *where)
        return True
    if index.items[places[0]].mask is None:
        state.note("unknown", f"'{prediction.item_id}' has no mask", *where)
        return True
    word: str | None = prediction.word
    if not word and prediction.text:
        word = masks.word(places[0], prediction.text)
    if word is None:
        message = f"'{shorten(prediction.text)}' is not the sentence of '{prediction.item_id}' with a word in it"
        state.note("unknown", message, *where)
        return True
    _put(state, places[0], word, prediction)
    return True


def _join_in_order(masks: MaskIndex, state: Joining, predictions: Sequence[FillPrediction]) -> bool:
    """Join line by line if the predictions are of consecutive items with masks."""
    if not predictions[0].text:
        return False
    fitting = [at for at, place in enumerate(masks.places) if masks.word(place, predictions[0].text) is not None]
    for start in fitting[:_MOST_STARTS]:
        places = masks.places[start : start + len(predictions)]
        if len(places) < len(predictions) or any(state.fills[place] is not None for place in places):
            continue
        words: list[str] = []
        for place, prediction in zip(places, predictions, strict=True):
            word = masks.word(place, prediction.text) if prediction.text else None
            if word is None:
                break
            words.append(prediction.word or word)
        if len(words) == len(places):
            for place, word, prediction in zip(places, words, predictions, strict=True):
                _put(state, place, word, prediction)
            return True
    return False


def _join_group(
    index: ItemIndex, state: Joining, places: Sequence[int], fills: Sequence[tuple[str, FillPrediction]]
) -> None:
    """Join the fills of one masked sentence with all items that have it."""
    words = list(dict.fromkeys(prediction.word or word for word, prediction in fills))
    answers = index.items[places[0]].mask
    is_same = all(index.items[place].mask == answers for place in places)
    free = [place for place in places if state.fills[place] is None]
    if len(words) == 1 and is_same:
        for place in free:
            _put(state, place, words[0], fills[0][1])
        for _, extra in fills[len(free) :]:
            state.note_duplicate((places[0], 0), extra.file, extra.line)
        return
    if is_same and (len(fills) >= len(places) or len(places) == 1):
        for place, (word, prediction) in zip(places, fills, strict=False):
            _put(state, place, prediction.word or word, prediction)
        for _, extra in fills[len(places) :]:
            state.note_duplicate((places[-1], 0), extra.file, extra.line)
        return
    for _, prediction in fills:
        message = f"{len(places)} items have '{shorten(prediction.text)}' with a mask there"
        hint = "give ids with the predictions"
        state.note("ambiguous", message, prediction.file, prediction.line, hint)
