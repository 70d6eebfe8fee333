"""The open-ended flavour: acceptable members projected on what is outside the mask, each sentence once.

Strata of one visible wording share leaves: a word as shown belongs to every stratum that can show it there, and an item
to every stratum that all its words belong to.  A sentence is there when some derivation is: where two words show one
form, or a masked word must satisfy something together with visible ones, the derivations behind a sentence are looked
through (`_Derivations`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from generator.atoms import WordRun
from generator.automata import MaskAutomaton
from generator.components import Counted, Filter, components
from generator.counting import Component
from generator.leaves import Leaf, masked_stretch, visible
from generator.scopes import TemplateScope
from generator.strata import Condition, DrawKey, Entry, Mark, Ref, Stratum

_ByBit = Mapping[int, Mapping[int, Mapping[int, Entry]]]
"""Position -> id of the word as shown -> stratum -> its entry there."""

_Shown = tuple[str | None, ...]
"""The texts of a word's visible forms."""


def open_leaves(strata: Sequence[Stratum], scope: TemplateScope) -> Iterator[Leaf]:
    """The leaves of a template, a leaf for each set of strata that share items."""
    groups: dict[Hashable, list[Stratum]] = {}
    for stratum in strata:
        if masked_stretch(stratum, scope) is not None:
            groups.setdefault((stratum.template, _skeleton(stratum, scope)), []).append(stratum)
    for group in groups.values():
        yield from _merged(group, scope)


def _skeleton(stratum: Stratum, scope: TemplateScope) -> Hashable:
    before, _, after = visible(stratum, scope)
    return tuple(
        (stratum.draws[piece.draw].key, piece.glued)
        if isinstance(piece, Ref)
        else None
        if isinstance(piece, Mark)
        else (piece.text, piece.glued)
        for piece in (*before, *after)
    )


def _merged(group: Sequence[Stratum], scope: TemplateScope) -> Iterator[Leaf]:
    first = group[0]
    before, _, after = visible(first, scope)
    shown = list(dict.fromkeys(piece.draw for piece in (*before, *after) if isinstance(piece, Ref)))
    place = {first.draws[draw].key: position for position, draw in enumerate(shown)}
    # Position -> texts as shown -> stratum -> the entries that show them.
    merged: list[dict[_Shown, dict[int, list[Entry]]]] = [{} for _ in shown]
    for bit, stratum in enumerate(group):
        for number, forms in _visible_forms(stratum, scope).items():
            table = merged[place[stratum.draws[number].key]]
            for entry in stratum.domains[number]:
                texts = tuple([entry.texts[form] for form in forms])
                behind = table.get(texts)
                if behind is None:
                    table[texts] = {bit: [entry]}
                else:
                    behind.setdefault(bit, []).append(entry)
    domains: list[tuple[Entry, ...]] = []
    index: dict[int, dict[int, dict[int, list[Entry]]]] = {}
    for position, table in enumerate(merged):
        representatives = []
        index[position] = {}
        for there in table.values():
            entry = next(iter(there.values()))[0]
            representatives.append(entry)
            index[position][id(entry)] = there
        domains.append(tuple(representatives))
    derivations = [_Derivations(bit, stratum, place, index) for bit, stratum in enumerate(group)]
    searched = frozenset(position for d in derivations for position in d.searched)
    special = frozenset().union(*(d.special for d in derivations))
    for each in derivations:
        each.special = special  # a sentence is looked through in the same way in every stratum that has it
    conditions = [(d.bit, condition) for d in derivations for condition in d.conditions(searched)]
    numbers = {draw: position for position, draw in enumerate(shown)}
    unlike = frozenset((numbers[a], numbers[b]) for a, b in first.unlike if a in numbers and b in numbers)
    free = frozenset(
        key
        for position, by_id in index.items()
        for key, there in by_id.items()
        if special and any(d.is_special(position, entry) for d in derivations for entry in there.get(d.bit, ()))
    )
    told = frozenset(numbers[draw] for draw in first.told if draw in numbers)
    entries = {
        p: {key: {bit: found[0] for bit, found in there.items()} for key, there in by_id.items()}
        for p, by_id in index.items()
    }
    # A condition on masked words alone holds for every sentence of its stratum or for none.
    barred = {bit for bit, condition in conditions if not condition.draws and not condition.holds(())}
    full_mask = sum(1 << bit for bit in range(len(group)) if bit not in barred)
    if not full_mask:
        return
    counted, dropped = _counted(
        domains, entries, [(bit, c) for bit, c in conditions if c.draws], full_mask, unlike, told, free
    )
    parts = counted.parts
    for combination in itertools.product(*(part.counts.items() for part in parts)):
        items = 1
        bits = 0
        for label, (count, _) in combination:
            items *= count
            for part_label in label:  # type: ignore[attr-defined]
                bits = part_label
        members = tuple(stratum for bit, stratum in enumerate(group) if bits >> bit & 1)
        # The item is shown by its first stratum, in that stratum's own numbers and words.
        lowest = (bits & -bits).bit_length() - 1
        shower = _Shower(members[0], [first.draws[draw].key for draw in shown], entries, lowest)
        views = tuple(ShownView(part, shower) for part in parts)
        filters = tuple(_open_filter(bits, dropped, entries, shower)) if dropped else ()
        filters += tuple(_renumbered(kept, shower) for kept in counted.filters)
        labels = tuple(label for label, _ in combination)
        yield Leaf(members, scope, shower.domains(domains), views, labels, items, items, None, filters)


class _Shower:
    """How one stratum shows the words of merged items: its draw at each position, its entry for each word."""

    def __init__(self, stratum: Stratum, keys: Sequence[DrawKey], entries: _ByBit, bit: int) -> None:
        numbers = {draw.key: number for number, draw in enumerate(stratum.draws)}
        self.stratum = stratum
        self.draws = tuple(numbers[key] for key in keys)
        self._own = {
            p: {key: there[bit] for key, there in found.items() if bit in there} for p, found in entries.items()
        }
        self._merged: dict[int, dict[int, int]] = {
            p: {id(own): key for key, own in found.items()} for p, found in self._own.items()
        }
        self._representatives: dict[int, Entry] = {}

    def domains(self, merged: Sequence[tuple[Entry, ...]]) -> tuple[tuple[Entry, ...], ...]:
        """The stratum's domains; of visible draws the words that merged items have."""
        self._representatives = {id(entry): entry for domain in merged for entry in domain}
        result = list(self.stratum.domains)
        for position, draw in enumerate(self.draws):
            own = self._own[position]
            result[draw] = tuple(own[id(entry)] for entry in merged[position] if id(entry) in own)
        return tuple(result)

    def shown(self, position: int, entry: Entry) -> Entry:
        """The stratum's entry for a merged word."""
        return self._own[position][id(entry)]

    def merged(self, position: int, entry: Entry) -> Entry:
        """The merged word of an entry of the stratum."""
        return self._representatives[self._merged[position][id(entry)]]


class ShownView(Component):
    """A component over positions, as the stratum that shows its items speaks of it."""

    def __init__(self, part: Component, shower: _Shower) -> None:
        self._part = part
        self._shower = shower
        self.counts = part.counts
        self.draws = tuple(shower.draws[position] for position in part.draws)

    def accepts(self, taken: Mapping[int, Entry]) -> Hashable | None:
        """As the component's."""
        draws = self._shower.draws
        return self._part.accepts({p: self._shower.merged(p, taken[draws[p]]) for p in self._part.draws})

    def number_of(self, taken: Mapping[int, Entry], label: Hashable) -> int:
        """As the component's."""
        draws = self._shower.draws
        return self._part.number_of({p: self._shower.merged(p, taken[draws[p]]) for p in self._part.draws}, label)

    def words(self, index: int, label: Hashable) -> list[Entry]:
        """As the component's."""
        return list(map(self._shower.shown, self._part.draws, self._part.words(index, label)))

    def walk(self, label: Hashable, first: int = 0) -> Iterator[WordRun]:
        """As the component's."""
        *places, end = self._part.draws
        shown = self._shower.shown
        known: dict[int, tuple[list[Entry], list[Entry]]] = {}
        for run in self._part.walk(label, first):
            before = tuple(shown(place, entry) for place, entry in zip(places, run.before, strict=True))
            own = known.get(id(run.entries))
            if own is None or own[0] is not run.entries:
                if len(known) > 1000:
                    known.clear()
                own = known[id(run.entries)] = (run.entries, [shown(end, entry) for entry in run.entries])
            yield WordRun(before, own[1], run.gone, run.first)


def _counted(
    domains: Sequence[Sequence[Entry]],
    entries: _ByBit,
    conditions: Sequence[tuple[int, Condition]],
    full_mask: int,
    unlike: frozenset[tuple[int, int]],
    told: frozenset[int],
    free: frozenset[int],
) -> tuple[Counted, list[tuple[int, Condition]]]:
    """The counting graph, and the conditions that were too large to count with."""
    kept = list(conditions)
    dropped: list[tuple[int, Condition]] = []
    while True:
        automaton = MaskAutomaton(entries, kept, full_mask)
        counted = components(domains, [automaton], unlike, told, free)
        if all(each.automaton is not automaton for each in counted.filters):
            return counted, dropped
        sizes = [len({read(e) for d, read in zip(c.draws, c.read, strict=True) for e in domains[d]}) for _, c in kept]
        largest = kept[sizes.index(max(sizes))][1].text
        # One condition stands for each stratum: all of it goes at once, as each try costs a whole budget.
        dropped += [each for each in kept if each[1].text == largest]
        kept = [each for each in kept if each[1].text != largest]


def _open_filter(
    bits: int, dropped: Sequence[tuple[int, Condition]], entries: _ByBit, shower: _Shower
) -> Iterator[Filter]:
    """An open-ended item exists where the conditions of some stratum that has its words hold."""
    draws = tuple(sorted({shower.draws[position] for _, condition in dropped for position in condition.draws}))

    def holds(taken: Mapping[int, Entry]) -> bool:
        for bit in range(bits.bit_length()):
            own = [condition for owner, condition in dropped if owner == bit]
            if bits >> bit & 1 and all(_holds(c, bit, taken, entries, shower) for c in own):
                return True
        return False

    yield Filter(", ".join(dict.fromkeys(condition.text for _, condition in dropped)), draws, holds)


def _holds(condition: Condition, bit: int, taken: Mapping[int, Entry], entries: _ByBit, shower: _Shower) -> bool:
    words = [shower.merged(position, taken[shower.draws[position]]) for position in condition.draws]
    there = [entries[p][id(word)][bit] for p, word in zip(condition.draws, words, strict=True)]
    return condition.holds(tuple(read(entry) for read, entry in zip(condition.read, there, strict=True)))


def _renumbered(kept: Filter, shower: _Shower) -> Filter:
    """A filter over positions as one over the stratum's draws."""
    draws = tuple(shower.draws[position] for position in kept.draws)
    return Filter(
        kept.text,
        draws,
        lambda taken: kept.holds({p: shower.merged(p, taken[shower.draws[p]]) for p in kept.draws}),
    )


def _visible_forms(stratum: Stratum, scope: TemplateScope) -> Mapping[int, list[int]]:
    before, _, after = visible(stratum, scope)
    forms: dict[int, list[int]] = {}
    for piece in (*before, *after):
        if isinstance(piece, Ref):
            forms.setdefault(piece.draw, []).append(piece.form)
    return forms


class _Derivations:
    """What decides, in one stratum, whether some derivation stands behind the words as shown.

    `searched` are the positions whose readings must be looked through together: where a form belongs to several words,
    or where a masked word could fail, and all that conditions or distinctness tie to those.
    """

    def __init__(
        self,
        bit: int,
        stratum: Stratum,
        place: Mapping[DrawKey, int],
        index: Mapping[int, Mapping[int, Mapping[int, list[Entry]]]],
    ) -> None:
        self.bit = bit
        self._stratum = stratum
        self._index = index
        self._place = {n: place[draw.key] for n, draw in enumerate(stratum.draws) if draw.key in place}
        self._draw_at = {position: draw for draw, position in self._place.items()}
        self._words = [
            frozenset(entry.word(draw, stratum.told) for entry in domain) for draw, domain in enumerate(stratum.domains)
        ]
        self._pairs = [(a, b) for a, b in sorted(stratum.unlike) if self._words[a] & self._words[b]]
        self._tied = self._searched()
        self.special: frozenset[Hashable] = self._special_words()
        self.searched = frozenset(self._place[draw] for draw in self._tied if draw in self._place)

    def _searched(self) -> frozenset[int]:
        doubtful = {
            draw
            for draw, position in self._place.items()
            if any(len(there.get(self.bit, ())) > 1 for there in self._index[position].values())
        }
        conditions = [condition.draws for condition in self._stratum.conditions]
        for draw in range(len(self._stratum.draws)):
            if draw in self._place:
                continue
            partners = [pair for pair in self._pairs if draw in pair]
            if any(draw in draws for draws in conditions) or len(self._words[draw]) <= len(partners):
                doubtful.add(draw)
        links = [*conditions, *self._pairs]
        tied = {draw for draw in doubtful if any(draw in link for link in links)}
        while True:
            reached = tied | {other for link in links if tied & set(link) for other in link}
            if reached == tied:
                return frozenset(tied)
            tied = reached

    def _special_words(self) -> frozenset[Hashable]:
        """The words that distinctness must look for behind forms: all others are what they show."""
        words: set[Hashable] = set()
        for draw in self._tied:
            if draw not in self._place:
                words |= self._words[draw]
                continue
            for there in self._index[self._place[draw]].values():
                behind = there.get(self.bit, [])
                if len(behind) > 1:
                    words.update(entry.word(draw, self._stratum.told) for entry in behind)
        return frozenset(words)

    def is_special(self, position: int, entry: Entry) -> bool:
        """Whether the search, not the counting of components, keeps this word apart from others."""
        return entry.word(self._draw_at[position], self._stratum.told) in self.special

    def conditions(self, searched: frozenset[int]) -> list[Condition]:
        """The stratum's conditions over positions; those on `searched` positions as one search for a derivation."""
        wide = frozenset(draw for draw, position in self._place.items() if position in searched) | self._tied
        own = [c for c in self._stratum.conditions if not wide & set(c.draws)]
        moved = [Condition(tuple(self._place[d] for d in c.draws), c.read, c.holds, c.text) for c in own]
        if wide:
            moved.append(self._search(wide, [c for c in self._stratum.conditions if wide & set(c.draws)]))
        return moved

    def _search(self, wide: frozenset[int], conditions: Sequence[Condition]) -> Condition:
        draws = sorted(wide | {draw for condition in conditions for draw in condition.draws})
        pairs = [(a, b) for a, b in self._pairs if a in draws and b in draws]
        shown = [draw for draw in draws if draw in self._place]
        hidden = [draw for draw in draws if draw not in self._place]

        def signature(draw: int, entry: Entry) -> Hashable:
            partners = {b if a == draw else a for a, b in pairs if draw in (a, b)}
            word = entry.word(draw, self._stratum.told)
            told_apart = (
                word if word in self.special and any(word in self._words[other] for other in partners) else None
            )
            reads = tuple(
                tuple(read(entry) for owner, read in zip(c.draws, c.read, strict=True) if owner == draw)
                for c in conditions
            )
            return (told_apart, reads)

        behind = [dict.fromkeys(signature(draw, entry) for entry in self._stratum.domains[draw]) for draw in hidden]

        def reader(draw: int) -> Callable[[Entry], Hashable]:
            # A word is known by its representative, and by each entry of this stratum that shows the same.
            behind_of: dict[int, list[Entry]] = {}
            for representative, there in self._index[self._place[draw]].items():
                own = there.get(self.bit, [])
                behind_of.update((key, own) for key in (representative, *(id(entry) for entry in own)))
            return lambda entry: tuple(
                dict.fromkeys(signature(draw, each) for each in behind_of.get(id(entry), [entry]))
            )

        def holds(values: tuple[Hashable, ...]) -> bool:
            choices: list[Iterable[Hashable]] = [*(v for v in values if isinstance(v, tuple)), *behind]
            for chosen in itertools.product(*choices):
                taken = dict(zip([*shown, *hidden], chosen, strict=True))
                if all(_apart(taken[a], taken[b]) for a, b in pairs) and all(
                    _satisfied(condition, number, taken) for number, condition in enumerate(conditions)
                ):
                    return True
            return False

        text = ", ".join(condition.text for condition in conditions)
        return Condition(tuple(self._place[d] for d in shown), tuple(reader(d) for d in shown), holds, text)


def _apart(first: Hashable, second: Hashable) -> bool:
    assert isinstance(first, tuple)
    assert isinstance(second, tuple)
    return first[0] is None or first[0] != second[0]


def _satisfied(condition: Condition, number: int, taken: Mapping[int, Hashable]) -> bool:
    values: dict[int, Iterator[Hashable]] = {}
    for draw in condition.draws:
        chosen = taken[draw]
        assert isinstance(chosen, tuple)
        values.setdefault(draw, iter(chosen[1][number]))
    return condition.holds(tuple(next(values[draw]) for draw in condition.draws))
