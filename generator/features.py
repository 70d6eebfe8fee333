"""Declared features, the agreement bundle, and sets of bundle values as bit masks."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Kind = Literal["value", "flag", "text", "filter"]

COLUMN = "column:"
"""What the features begin with that stand for a table's own labels (`aux`, `wrong`)."""


@dataclass(frozen=True)
class FeatureDeclaration:
    """One feature of a language: values, a flag, a text column, or a filter column (a verb's arguments).

    `instead_of` of a filter column: the one whose place it takes in a word where that one is empty.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    values_of: str = ""
    about: str = ""
    instead_of: str = ""


@dataclass(frozen=True, eq=False)
class FeatureSystem:
    """A language's features.  `bundle` lists the agreeing ones in the order in which `!$n` tries them."""

    declarations: Mapping[str, FeatureDeclaration]
    bundle: tuple[str, ...]

    @cached_property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Every value of the bundle, e.g. ('sg', '1'), in declared order.  A mask's bit *i* is cell *i*."""
        return tuple(itertools.product(*(self.declarations[name].values for name in self.bundle)))

    @cached_property
    def full(self) -> int:
        """The mask of all cells."""
        return (1 << len(self.cells)) - 1

    @cached_property
    def bare(self) -> Mapping[str, tuple[str, str]]:
        """What a bare name means: value -> (feature, value), flag -> (flag, '')."""
        names: dict[str, tuple[str, str]] = {}
        for declaration in self.declarations.values():
            if declaration.kind == "flag":
                names[declaration.name] = (declaration.name, "")
            elif declaration.kind == "value" and not declaration.values_of:
                for value in declaration.values:
                    names[value] = (declaration.name, value)
        return names

    @cached_property
    def governing(self) -> Mapping[str, str]:
        """The features by which a word asks others for a form: name -> the feature asked for (takes -> form)."""
        return {name: d.values_of for name, d in self.declarations.items() if d.values_of}

    def values(self, feature: str) -> tuple[str, ...]:
        """The values a feature can take."""
        declaration = self.declarations[feature]
        return self.declarations[declaration.values_of].values if declaration.values_of else declaration.values

    def mask(self, features: Mapping[str, frozenset[str]]) -> int:
        """The cells that fit: a bundle feature that is not named fits every value."""
        mask = 0
        for index, cell in enumerate(self.cells):
            if all(
                name not in features or value in features[name] for name, value in zip(self.bundle, cell, strict=True)
            ):
                mask |= 1 << index
        return mask

    def mask_of(self, feature: str, value: str) -> int:
        """The cells in which `feature` has `value`."""
        key = (feature, value)
        if key not in self._masks:
            self._masks[key] = self.mask({feature: frozenset([value])})
        return self._masks[key]

    @cached_property
    def _masks(self) -> dict[tuple[str, str], int]:
        return {}

    def same_in(self, cell: int, names: frozenset[str]) -> int:
        """The cells that agree with `cell` (an index) in the features `names`."""
        key = (cell, names)
        if key not in self._same:
            self._same[key] = self._same_in(cell, names)
        return self._same[key]

    @cached_property
    def _same(self) -> dict[tuple[int, frozenset[str]], int]:
        return {}

    def _same_in(self, cell: int, names: frozenset[str]) -> int:
        wanted = self.cells[cell]
        return self.mask(
            {name: frozenset([value]) for name, value in zip(self.bundle, wanted, strict=True) if name in names}
        )

    def differences(self, cell: int) -> list[tuple[int, list[str]]]:
        """The other cells, each with the features of the bundle in which it differs."""
        if cell not in self._differences:
            own = self.cells[cell]
            every = (
                (other, [name for name, one, two in zip(self.bundle, own, values, strict=True) if one != two])
                for other, values in enumerate(self.cells)
            )
            self._differences[cell] = [(other, differing) for other, differing in every if differing]
        return self._differences[cell]

    def breaks(self, cell: int, carries: frozenset[str], part: str) -> list[tuple[int, int]]:
        """(rank, cell) of what a cell can break to in features that are carried, in the order in which they are tried.

        `part` is the one feature that may differ, `all` for whatever differs alike, or ''.
        """
        key = (cell, carries, part)
        if key not in self._breaks:
            ranked = []
            for other, differing in self.differences(cell):
                if not carries.issuperset(differing) or (part and part != "all" and differing != [part]):
                    continue
                single = self.bundle.index(differing[0]) if len(differing) == 1 else len(self.bundle)
                ranked.append((0 if part == "all" else single, other))
            self._breaks[key] = sorted(ranked, key=lambda pair: pair[0])
        return self._breaks[key]

    @cached_property
    def _breaks(self) -> dict[tuple[int, frozenset[str], str], list[tuple[int, int]]]:
        return {}

    @cached_property
    def _differences(self) -> dict[int, list[tuple[int, list[str]]]]:
        return {}

    def value_in(self, cell: int, feature: str) -> str:
        """The value of a bundle feature in a cell."""
        return self.cells[cell][self.bundle.index(feature)]
