"""Leaves of a plan: items that differ in words only."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from generator.components import Filter
from generator.counting import Component
from generator.scopes import TemplateScope
from generator.strata import Entry, Mark, MemberPieces, Stratum
from generator.versions import VersionAutomaton


@dataclass(frozen=True, eq=False)
class Leaf:
    """Items that differ in words only.  `strata` are those that have them (one, but for merged open-ended items)."""

    strata: tuple[Stratum, ...]
    scope: TemplateScope
    domains: tuple[tuple[Entry, ...], ...]
    parts: tuple[Component, ...]
    labels: tuple[Hashable, ...]
    items: int
    versions: int
    version_automaton: VersionAutomaton | None = None
    filters: tuple[Filter, ...] = ()

    def exists(self, index: int) -> bool:
        """Whether number `index` (from 0) is an item's: false only where a filter leaves it empty."""
        if not self.filters:
            return True
        words = self.words(index)
        return all(kept.holds(words) for kept in self.filters)

    @property
    def stratum(self) -> Stratum:
        """The first stratum."""
        return self.strata[0]

    @property
    def template(self) -> str:
        """The template's name."""
        return self.stratum.template

    @cached_property
    def cell(self) -> tuple[tuple[str, str], ...]:
        """The crossed values, as (name, value): `n=sg`; a merged item's are joined, `n=sg/pl`."""
        values: dict[str, list[str]] = {}
        for stratum in self.strata:
            for name, value in crossed_values(stratum, self.scope):
                found = values.setdefault(name, [])
                if value not in found:
                    found.append(value)
        return tuple((name, "/".join(found)) for name, found in values.items())

    @cached_property
    def weight(self) -> int:
        """How often its cell comes in a balanced sample: the weights of the template and of its crossed values."""
        weight = self.scope.template.weight
        for decision in self.stratum.decisions:
            if decision.crossed:
                weight *= decision.weights[decision.index]
        return weight

    def value_of(self, name: str) -> str:
        """What was chosen where `name` stands (`$n` or `n`, a table, a phrase, a choice); '' where nothing was open."""
        found = (d for d in self.stratum.decisions if d.label in (name, f"${name}"))
        return next((decision.value for decision in found), "")

    @cached_property
    def choice_points(self) -> tuple[tuple[Hashable, int, tuple[int, ...]], ...]:
        """The decisions that are not crossed: (key, index, weights), in order."""
        return tuple((d.key, d.index, d.weights) for d in self.stratum.decisions if not d.crossed)

    def words(self, index: int) -> dict[int, Entry]:
        """The words of item `index` (from 0): draw number -> entry.  The leftmost component is slowest."""
        taken: dict[int, Entry] = {}
        for part, label in zip(reversed(self.parts), reversed(self.labels), strict=True):
            size = part.counts[label][0]
            index, digit = divmod(index, size)
            taken.update(part.item(digit, label))
        return taken

    def index_of(self, words: Mapping[int, Entry]) -> int:
        """The index (from 0) of the item with these words: what `words` undoes."""
        index = 0
        for part, label in zip(self.parts, self.labels, strict=True):
            index = index * part.counts[label][0] + part.number_of(words, label)
        return index

    def valid_versions(self, words: Mapping[int, Entry]) -> tuple[int, ...]:
        """The versions that an item with these words has."""
        automaton = self.version_automaton
        if automaton is None:
            return ()
        state: Hashable = automaton.start
        for draw in automaton.order:
            state = automaton.step(state, draw, automaton.attribute(draw, words[draw]))
        return automaton.valid(state)


_KEPT_VERSIONS = 20_000


class KeptVersions:
    """The versions that items have, kept, since the sentences of an item mostly come together.

    Whoever asks holds on to leaves and words, so that their ids stay their own.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[int, ...]] = {}

    def of(self, leaf: Leaf, words: Mapping[int, Entry]) -> tuple[int, ...]:
        """The versions that the item of a leaf with these words has."""
        automaton = leaf.version_automaton
        if automaton is None:
            return ()
        key = (id(leaf), *(id(words[draw]) for draw in automaton.order))
        found = self._known.get(key)
        if found is None:
            if len(self._known) > _KEPT_VERSIONS:
                self._known.clear()
            found = self._known[key] = leaf.valid_versions(words)
        return found


def crossed_values(stratum: Stratum, scope: TemplateScope) -> Iterator[tuple[str, str]]:
    """The crossed values of a stratum, as (name without `$`, value)."""
    for decision in stratum.decisions:
        if not decision.crossed:
            continue
        name = decision.label
        if decision.is_variable:
            variable = scope.variables[name]
            yield name.removeprefix("$"), variable.labels[stratum.variables[name]]
        else:
            yield name, decision.value


def masked_stretch(stratum: Stratum, scope: TemplateScope) -> tuple[int, int] | None:
    """Where the masked stretch of the acceptable member begins and ends (piece indices, marks included)."""
    for start, piece in enumerate(stratum.acceptable):
        if isinstance(piece, Mark) and piece.opens and (piece.target if scope.target else piece.contrast):
            for end in range(start + 1, len(stratum.acceptable)):
                other = stratum.acceptable[end]
                if isinstance(other, Mark) and not other.opens and (other.name, other.key) == (piece.name, piece.key):
                    return start, end + 1
    return None


def visible(stratum: Stratum, scope: TemplateScope) -> tuple[MemberPieces, MemberPieces, MemberPieces]:
    """The acceptable member before, inside and after the mask."""
    found = masked_stretch(stratum, scope)
    assert found is not None
    start, end = found
    return stratum.acceptable[:start], stratum.acceptable[start:end], stratum.acceptable[end:]
