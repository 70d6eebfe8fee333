"""Scores of sentences and target words joined with the members of items."""

from __future__ import annotations

from collections.abc import Sequence

from scorers.aligning_index import ItemIndex, Slot, normalise, same_sentences
from scorers.aligning_lines import LineIndex
from scorers.aligning_state import Joining, shorten
from scorers.predictions import SentencePrediction

_MOST_STARTS = 64


def join_sentences(index: ItemIndex, state: Joining, predictions: Sequence[SentencePrediction]) -> None:
    """Join one file's predictions: by id; without ids in the items' order where the lines are theirs; else by text.

    A text that several items have belongs to all of them if its predictions agree on the number, since a sentence
    has one score whatever it is paired with.  If they do not, it belongs to equal items in order; else, and wherever
    the number may be that of a target word, it is ambiguous, unless its line says of which of them it is (its pattern,
    and the other member of its pair).
    """
    by_text: list[SentencePrediction] = []
    for prediction in predictions:
        if not (prediction.item_id and _join_by_id(index, state, prediction)):
            by_text.append(prediction)
    if by_text and len(by_text) == len(predictions) and _join_in_order(index, state, by_text):
        return
    lines = LineIndex(index, by_text)
    groups: dict[str, tuple[Sequence[Slot], list[SentencePrediction]]] = {}
    for prediction in by_text:
        key, slots = index.by_texts(prediction.texts)
        if slots:
            groups.setdefault(key, (slots, []))[1].append(prediction)
        else:
            _unknown(state, prediction)
    for slots, found in groups.values():
        _join_group(index, state, lines, slots, found)


def _unknown(state: Joining, prediction: SentencePrediction) -> None:
    what = f"'{prediction.item_id}'" if prediction.item_id else f"'{shorten(prediction.text)}'"
    state.note("unknown", f"no item has {what}", prediction.file, prediction.line)


def _put(state: Joining, slot: Slot, prediction: SentencePrediction) -> bool:
    if prediction.verdict is not None:
        state.verdicts.setdefault(slot[0], (prediction.verdict, prediction.file, prediction.line))
    return state.put(slot, prediction.value, prediction.token_count, prediction.file, prediction.line)


def _join_by_id(index: ItemIndex, state: Joining, prediction: SentencePrediction) -> bool:
    """Whether the id (and condition) was found, or found wanting; a file's own ids with texts go on by text."""
    places = index.item_places(prediction.item_id, prediction.file)
    if len(places) > 1:
        message = f"{len(places)} items have the id '{prediction.item_id}'"
        state.note("ambiguous", message, prediction.file, prediction.line)
        return True
    if not places:
        slot = index.pair_slot(prediction.item_id, prediction.condition)
        return slot is not None and _put_where_it_says(index, state, slot, prediction)
    condition = index.condition_place(places[0], prediction.condition, prediction.text)
    if condition >= 0:
        return _put_where_it_says(index, state, (places[0], condition), prediction)
    if prediction.text and not prediction.condition:
        return False
    message = index.lacking(places[0], prediction.item_id, prediction.condition)
    state.note("unknown", message, prediction.file, prediction.line)
    return True


def _put_where_it_says(index: ItemIndex, state: Joining, slot: Slot, prediction: SentencePrediction) -> bool:
    """Join with the member that the id names, unless the text is another sentence: False if that is one of an item."""
    item = index.items[slot[0]]
    known = item.conditions[slot[1]]
    if not index.is_another(prediction.text, known.text):
        _put(state, slot, prediction)
        return True
    if index.by_text(prediction.text)[1]:
        return False
    message = f"'{item.id}' {known.name} is '{shorten(known.text)}', and here it is '{shorten(prediction.text)}'"
    state.note("unknown", message, prediction.file, prediction.line, hint="are these items of another suite?")
    return True


def _join_in_order(index: ItemIndex, state: Joining, predictions: Sequence[SentencePrediction]) -> bool:
    """Join line by line if the predictions are of consecutive items, all members of each side by side."""
    _, slots = index.by_texts(predictions[0].texts)
    for start in list(dict.fromkeys(place for place, _ in slots))[:_MOST_STARTS]:
        found = _in_order_from(index, start, predictions)
        if found is not None and not any(state.values[place][number] is not None for place, number in found):
            for slot, prediction in zip(found, predictions, strict=True):
                _put(state, slot, prediction)
            return True
    return False


def _in_order_from(index: ItemIndex, start: int, predictions: Sequence[SentencePrediction]) -> list[Slot] | None:
    found: list[Slot] = []
    place, done = start, 0
    while done < len(predictions):
        if place >= len(index.items):
            return None
        left = {number: normalise(c.text) for number, c in enumerate(index.items[place].conditions)}
        for prediction in predictions[done : done + len(left)]:
            keys = {normalise(text) for text in prediction.texts}
            number = next((number for number, text in left.items() if text in keys), None)
            if number is None:
                return None
            del left[number]
            found.append((place, number))
            done += 1
        place += 1
    return found


def _join_group(
    index: ItemIndex,
    state: Joining,
    lines: LineIndex,
    slots: Sequence[Slot],
    predictions: Sequence[SentencePrediction],
) -> None:
    """Join the predictions of one text with all members that have it."""
    is_one_number = len({prediction.value for prediction in predictions}) == 1
    has_target = any(index.items[place].conditions[number].target >= 0 for place, number in slots)
    is_same = len(slots) == 1 or same_sentences(index.items, slots)
    is_one_text = len({normalise(index.items[place].conditions[number].text) for place, number in slots}) == 1
    if is_same or (is_one_number and is_one_text and not has_target):
        if is_one_number or len(slots) == 1:
            free = [(place, number) for place, number in slots if state.values[place][number] is None]
            for slot in free:
                _put(state, slot, predictions[0])
            for extra in predictions[len(free) :]:
                kept = state.values[slots[0][0]][slots[0][1]]
                state.note_duplicate(slots[0], extra.file, extra.line, kept != extra.value)
            return
        if len(predictions) >= len(slots):
            for slot, prediction in zip(slots, predictions, strict=False):
                _put(state, slot, prediction)
            for extra in predictions[len(slots) :]:
                state.note_duplicate(slots[-1], extra.file, extra.line)
            return
    parted: dict[tuple[Slot, ...], list[SentencePrediction]] = {}
    for prediction in predictions:
        parted.setdefault(lines.narrowed(prediction, slots), []).append(prediction)
    for fewer, found in parted.items():
        if len(fewer) < len(slots):
            _join_group(index, state, lines, fewer, found)
        else:
            _ambiguous(index, state, slots, found)


def _ambiguous(
    index: ItemIndex, state: Joining, slots: Sequence[Slot], predictions: Sequence[SentencePrediction]
) -> None:
    ids = ", ".join(dict.fromkeys(index.items[place].id for place, _ in slots[:3]))
    ids += ", ..." if len(slots) > 3 else ""
    for prediction in predictions:
        state.note(
            "ambiguous",
            f"{len(slots)} members of items have '{shorten(prediction.text)}' ({ids})",
            prediction.file,
            prediction.line,
            hint="give ids (and conditions) with the predictions",
        )
