"""Items joined with judgements of people: by id, else by text, as predictions are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from scorers.aligning_index import ItemIndex, Slot, normalise, same_sentences
from scorers.aligning_state import shorten
from scorers.errors import Finding, InputError, ScoreError, nearest
from scorers.items import Item
from scorers.judgements import Judged, Judgement, JudgementFile, PairKey

_Place = TypeVar("_Place", bound=Hashable)


class _Given(Generic[_Place]):
    """What each annotator said of each place (a sentence, or a pair): the first counts, a second is a duplicate."""

    def __init__(self) -> None:
        self.values: dict[_Place, dict[str, float]] = {}
        self._lines: dict[tuple[_Place, str], Judgement] = {}

    def put(self, place: _Place, value: float, row: Judgement) -> Judgement | None:
        """Keep a value; where there is one already, nothing changes and its row is returned."""
        found = self.values.setdefault(place, {})
        if row.annotator in found:
            return self._lines[place, row.annotator]
        found[row.annotator] = value
        self._lines[place, row.annotator] = row
        return None

    def all(self) -> dict[_Place, tuple[float, ...]]:
        """The values of each place, in the order of the annotators' names."""
        return {place: tuple(value for _, value in sorted(said.items())) for place, said in self.values.items()}


class _Joining:
    """Choices and ratings as they are joined, and what could not be."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.index = ItemIndex(items)
        self.votes: _Given[PairKey] = _Given()
        self.ratings: _Given[Slot] = _Given()
        self.sentences: dict[Slot, None] = {}
        self.found: dict[str, list[Finding]] = {"duplicate": [], "unknown": [], "ambiguous": []}

    def note(self, kind: str, message: str, row: Judgement, hint: str = "") -> None:
        """Keep a judgement that could not be joined."""
        self.found[kind].append(
            Finding(f"{kind}-judgement", message, row.file, row.line, hint=hint, severity="warning")
        )

    def sorted(self, kind: str) -> list[Finding]:
        """What was noted, in the order of lines."""
        return sorted(self.found[kind], key=lambda finding: finding.line)

    def note_duplicate(self, what: str, row: Judgement, first: Judgement | None) -> None:
        """Keep a second judgement of one annotator."""
        who = f" by '{row.annotator}'" if row.annotator else ""
        before = f" (the first, in {first.file}:{first.line}, is kept)" if first else ""
        hint = "" if row.annotator else "several people's judgements need a field 'annotator'"
        self.note("duplicate", f"a second judgement of {what}{who}{before}", row, hint)

    def note_unknown(self, row: Judgement) -> None:
        """Keep a judgement of no item."""
        guess = nearest(row.item_id, self.index.by_id) if row.item_id else ""
        what = f"'{row.item_id}'" if row.item_id else f"'{shorten(row.text)}'"
        self.note("unknown", f"no item has {what}{guess}", row)


def join_judgements(items: Sequence[Item], file: JudgementFile) -> Judged:
    """Join the judgements of a file with items.

    A rating is joined with the sentence that its id and condition, or its text, name; a text that several items have
    is rated in all of them.  A choice is joined with the pairs of the item that its id names (`ITEM.2`: its second
    pair), or with those that have its text.  Without a name, all judgements are of one annotator.  Raises InputError
    where none is of these items, ScoreError where items have no pairs.
    """
    if not any(item.pairs for item in items):
        raise ScoreError(f"{file.name}: these items have no pairs of sentences that people could judge")
    state = _Joining(items)
    _join_ratings(state, [row for row in file.judgements if row.rating is not None])
    _join_choices(state, [row for row in file.judgements if row.choice])
    if not state.votes.values and not state.ratings.values:
        message = f"none of its {len(file.judgements):,} judgements is of these {len(items):,} items"
        first = next((entry.message for found in state.found.values() for entry in found), "")
        hint = f"the first: {first}" if first else ""
        raise InputError([Finding("other-items", message, file.name, hint=hint)])
    judged = Judged(
        file.name,
        votes=state.votes.all(),
        ratings=state.ratings.all(),
        sentences=tuple(state.sentences),
        annotators=len({row.annotator for row in file.judgements}),
        duplicate=state.sorted("duplicate"),
        unknown=state.sorted("unknown"),
        ambiguous=state.sorted("ambiguous"),
    )
    return _with_missing(judged, items)


def _with_missing(judged: Judged, items: Sequence[Item]) -> Judged:
    joined, missing = 0, []
    for place, item in enumerate(items):
        if not item.pairs:
            continue
        if any(judged.verdict(item, place, number) is not None for number in range(len(item.pairs))):
            joined += 1
            continue
        numbers = range(len(item.conditions))
        rated = [number for number in numbers if (place, number) in judged.ratings]
        lacking = [item.conditions[number].name for number in numbers if number not in rated] if rated else []
        message = f"no judgement of '{item.id}'" + (f" ({', '.join(lacking)})" if lacking else "")
        missing.append(Finding("missing-judgement", message, item.file, item.line, severity="warning"))
    return replace(judged, joined=joined, missing=missing)


# --- ratings ------------------------------------------------------------------------------------------------------


def _join_ratings(state: _Joining, rows: Sequence[Judgement]) -> None:
    by_text: list[Judgement] = []
    for row in rows:
        slots = _rated_by_id(state, row) if row.item_id else None
        if slots is None:
            by_text.append(row)
        elif slots:
            _rate(state, slots, row)
    _join_texts(
        state,
        by_text,
        find=lambda row: state.index.by_text(row.text),
        put=lambda slots, row: _rate(state, slots, row),
        value=lambda row: row.rating,
        is_of_sentence=True,
    )


def _rated_by_id(state: _Joining, row: Judgement) -> list[Slot] | None:
    """The sentence that an id and a condition name; nothing where they were found wanting, and None where the text is
    to be tried: files may have ids of their own.
    """
    index = state.index
    places = index.item_places(row.item_id)
    if not places:
        slot = index.pair_slot(row.item_id, row.condition)
        if slot is None and not row.text:
            state.note_unknown(row)
        return [slot] if slot else None if row.text else []
    if len(places) > 1:
        state.note("ambiguous", f"{len(places)} items have the id '{row.item_id}'", row)
        return []
    number = index.condition_place(places[0], row.condition, row.text)
    if number >= 0:
        return [(places[0], number)]
    if row.text and not row.condition:
        return None
    message = index.lacking(places[0], row.item_id, row.condition)
    state.note("unknown", message, row)
    return []


def _rate(state: _Joining, slots: Sequence[Slot], row: Judgement) -> None:
    assert row.rating is not None
    # A text that several items have is one sentence, rated once.
    state.sentences.setdefault(slots[0])
    for slot in slots:
        first = state.ratings.put(slot, row.rating, row)
        if first is not None:
            item = state.items[slot[0]]
            state.note_duplicate(f"'{item.id}' {item.conditions[slot[1]].name}", row, first)
            return


# --- choices ------------------------------------------------------------------------------------------------------


def _join_choices(state: _Joining, rows: Sequence[Judgement]) -> None:
    by_text: list[Judgement] = []
    for row in rows:
        pairs = _pairs_of(state, row.item_id) if row.item_id else []
        if pairs:
            _vote(state, pairs, row)
        elif row.text:
            by_text.append(row)
        else:
            state.note_unknown(row)
    _join_texts(
        state,
        by_text,
        find=lambda row: _slots_of_choice(state, row),
        put=lambda slots, row: _vote(state, _pairs_with(state, slots), row),
        value=lambda row: row.choice,
        is_of_sentence=False,
    )


def _pairs_of(state: _Joining, item_id: str) -> list[PairKey]:
    """The pairs of the item of an id, or the one pair that `ITEM.2` names."""
    places = state.index.item_places(item_id)
    if len(places) == 1:
        return [(places[0], number) for number in range(len(state.items[places[0]].pairs))]
    base, _, number = item_id.rpartition(".")
    places = state.index.by_id.get(base, ()) if number.isdecimal() else ()
    if len(places) != 1 or not 0 < int(number) <= len(state.items[places[0]].pairs):
        return []
    return [(places[0], int(number) - 1)]


def _slots_of_choice(state: _Joining, row: Judgement) -> tuple[str, Sequence[Slot]]:
    """The sentences with the text of a row; where the choice is a sentence, in items that have this one too."""
    key, slots = state.index.by_text(row.text)
    chosen = normalise(row.choice)
    having = [
        slot for slot in slots if any(normalise(other.text) == chosen for other in state.items[slot[0]].conditions)
    ]
    return (f"{key}|{chosen}", having) if having else (key, slots)


def _pairs_with(state: _Joining, slots: Sequence[Slot]) -> list[PairKey]:
    return [
        (place, number)
        for place, member in slots
        for number, pair in enumerate(state.items[place].pairs)
        if member in (pair.good, pair.bad)
    ]


def _vote(state: _Joining, pairs: Sequence[PairKey], row: Judgement) -> None:
    """Count a choice in those of the pairs that have the member that was taken."""
    is_one = len(pairs) == 1
    votes = [(key, vote) for key in pairs if (vote := _vote_in(state, key, row.choice, is_one)) is not None]
    if not votes:
        item = state.items[pairs[0][0]] if pairs else None
        names = [condition.name for condition in item.conditions] if item else []
        there = (
            f" (it has {', '.join(names)}; or good, bad, or the sentence){nearest(row.choice, names)}" if item else ""
        )
        what = f"'{item.id}'" if item else f"'{shorten(row.text)}'"
        state.note("unknown", f"the choice '{shorten(row.choice)}' is no member of a pair of {what}{there}", row)
        return
    for key, vote in votes:
        first = state.votes.put(key, vote, row)
        if first is not None:
            state.note_duplicate(f"'{state.items[key[0]].id}'", row, first)
            return


def _vote_in(state: _Joining, key: PairKey, choice: str, is_one: bool) -> float | None:
    """1 or 0 where a choice names the acceptable or the starred member of a pair, by name, as `good` or `bad` (in an
    item of several pairs only if it has no other such member), or by the sentence; else None.
    """
    place, number = key
    index, item, pair = state.index, state.items[place], state.items[place].pairs[number]
    member = index.condition_place(place, choice, "")
    if member < 0 and is_one and (slot := index.pair_slot(f"{item.id}.{number + 1}", choice)):
        member = slot[1]
    if member < 0:
        member = index.condition_place(place, "", choice)
    return 1.0 if member == pair.good else 0.0 if member == pair.bad else None


# --- texts --------------------------------------------------------------------------------------------------------


def _join_texts(
    state: _Joining,
    rows: Sequence[Judgement],
    find: Callable[[Judgement], tuple[str, Sequence[Slot]]],
    put: Callable[[Sequence[Slot], Judgement], None],
    value: Callable[[Judgement], object],
    is_of_sentence: bool,
) -> None:
    """Join judgements that name their sentence by its text.

    What one annotator said once, or several times alike, of a text that several items have holds for all of them, if
    it is of the sentence (a rating) or if these items are the same.  Different things belong to equal items in order;
    else they are ambiguous.
    """
    groups: dict[tuple[str, str], tuple[Sequence[Slot], list[Judgement]]] = {}
    for row in rows:
        key, slots = find(row)
        if slots:
            groups.setdefault((key, row.annotator), (slots, []))[1].append(row)
        else:
            state.note_unknown(row)
    for slots, said in groups.values():
        is_one = len({value(row) for row in said}) == 1
        is_same = len(slots) == 1 or same_sentences(state.items, slots)
        if is_one and (is_same or is_of_sentence):
            put(slots, said[0])
            for extra in said[len(slots) :]:
                state.note_duplicate(f"'{shorten(extra.text)}'", extra, said[0])
        elif is_same and len(said) >= len(slots):
            for slot, row in zip(slots, said, strict=False):
                put([slot], row)
            for extra in said[len(slots) :]:
                state.note_duplicate(f"'{shorten(extra.text)}'", extra, said[len(slots) - 1])
        else:
            ids = ", ".join(dict.fromkeys(state.items[place].id for place, _ in slots[:3]))
            ids += ", ..." if len(slots) > 3 else ""
            for row in said:
                message = f"{len(slots)} members of items have '{shorten(row.text)}' ({ids})"
                state.note("ambiguous", message, row, "give ids (and conditions) with the judgements")
