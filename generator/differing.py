"""What a change of a grammar, or of its words, does to its items: which are added, removed and changed.

Two plans whose inputs say the same have the same items.  The items of small ones are compared one by one; of larger
ones, those that both have are counted on their graphs.  Where that cannot be done, items are compared one by one up to
a bound, and beyond it a sample of each side is looked up in the other, and shares are estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from generator.ambiguity import ambiguous
from generator.differing_causes import causes_of, is_same
from generator.differing_counting import NotCountableError, counted
from generator.differing_listing import FEW, MOST, Listing
from generator.differing_sampling import (
    SAMPLE,
    STEPS,
    Looked,
    Wanted,
    differing,
    estimated,
    estimated_rows,
    looked_up,
    random_items,
)
from generator.differing_sides import Side, Standing
from generator.differing_types import Difference, Kind, Sample, Space, Tally
from generator.errors import UsageError
from generator.item_making import ItemMaker
from generator.items import Flavour, Item
from generator.loading import Grammar
from generator.planning import Plan, PlanTemplate, plan_flavours
from generator.realizing import Style

Bar = Callable[[str, int], AbstractContextManager[Callable[[int], object]]]
"""A progress bar: what it is called, how many steps there are; gives what advances it."""

Found = list[tuple[PlanTemplate, int]]


@dataclass(frozen=True)
class Asked:
    """How a comparison is made.

    `samples`: of each kind, how many items are shown.  `most`: sides of up to so many items may be listed.
    `sample`: how many items of each side an estimate looks up.  `style`: how the items shown are written.
    """

    samples: int = 5
    seed: int = 0
    most: int = MOST
    sample: int = SAMPLE
    style: Style = "prose"


def _no_bar(name: str, total: int) -> AbstractContextManager[Callable[[int], object]]:
    return nullcontext(lambda _count: None)


def plans_of(
    old: Grammar | None, new: Grammar | None, flavour: Flavour | None = None
) -> tuple[Plan | None, Plan | None]:
    """The plans to compare: of the flavour asked for, else forced choice where a side has it.

    A side without the flavour has no plan.  Raises GrammarError where a grammar has errors, UsageError where no side
    has the flavour.
    """
    ours = plan_flavours(old) if old is not None else {}
    theirs = plan_flavours(new) if new is not None else {}
    chosen: Flavour = flavour or ("forced" if "forced" in ours or "forced" in theirs else "open")
    found = ours.get(chosen), theirs.get(chosen)
    if found == (None, None):
        grammar = new or old
        assert grammar is not None
        raise UsageError(f"{grammar.paradigm} has no items of the flavour '{chosen}'")
    return found


def differ(old: Plan | None, new: Plan | None, asked: Asked | None = None, bar: Bar = _no_bar) -> Difference:
    """Compare two plans of one flavour; None stands for a side that has none.

    Exact wherever `method` of what comes back is not `estimated`.
    """
    return _Comparison(asked or Asked(), bar).difference(old, new)


class _Comparison:
    def __init__(self, asked: Asked, bar: Bar) -> None:
        self.asked = asked
        self.bar = bar

    def difference(self, old: Plan | None, new: Plan | None) -> Difference:
        """See `differ`."""
        some = new or old
        assert some is not None
        name = some.grammar.paradigm
        base = Difference(name, some.flavour, "same", _space(old), _space(new))
        if old is None or new is None:
            return self._one_sided(base, some, is_new=new is not None)
        if is_same(old, new):
            rows = tuple((t.name, Tally(old=t.items, new=t.items)) for t in new.templates)
            return replace(base, tally=_sum(rows), rows=rows)
        base = replace(base, causes=causes_of(old, new))
        sides = Side(old), Side(new)
        size = max(old.items, new.items)
        if size <= min(FEW, self.asked.most):
            return self._listed(base, sides)
        try:
            rows = counted(*sides)
        except NotCountableError as error:
            base = replace(base, reason=str(error))
            return self._listed(base, sides) if size <= self.asked.most else self._estimated(base, sides)
        base = replace(base, method="counted", tally=_sum(rows), rows=rows)
        return self._with_samples(base, sides, lambda kind, is_new: self._searched(sides, base, kind, is_new))

    def _one_sided(self, base: Difference, plan: Plan, *, is_new: bool) -> Difference:
        """All items of the only side are added or removed."""

        def tally(items: int) -> Tally:
            return Tally(new=items, added=items) if is_new else Tally(old=items, removed=items)

        rows = tuple((template.name, tally(template.items)) for template in plan.templates)
        make = self._maker(plan)
        shown = [make(*each) for each in random_items(plan, self.asked.samples, self.asked.seed)]
        samples = tuple(Sample("added", None, item) if is_new else Sample("removed", item, None) for item in shown)
        return replace(base, method="counted", tally=_sum(rows), rows=rows, samples=samples)

    def _listed(self, base: Difference, sides: tuple[Side, Side]) -> Difference:
        with self.bar(base.paradigm, sum(side.plan.items for side in sides)) as advance:
            listing = Listing(*sides, advance)
        base = replace(base, method="listed", tally=_sum(listing.rows), rows=listing.rows)
        amount, seed = self.asked.samples, self.asked.seed
        return self._with_samples(base, sides, lambda kind, is_new: listing.samples(kind, is_new, amount, seed))

    def _estimated(self, base: Difference, sides: tuple[Side, Side]) -> Difference:
        old, new = sides
        asked = self.asked
        amount = sum(min(asked.sample, side.plan.items) for side in sides)
        with self.bar(base.paradigm, STEPS * amount) as advance:
            looked = (
                looked_up(old, new, asked.sample, asked.seed, advance),
                looked_up(new, old, asked.sample, asked.seed, advance),
            )
        rows = estimated_rows(old.plan, new.plan, *looked)
        base = replace(base, method="estimated", estimates=estimated(*looked), estimate_rows=rows)
        return self._with_samples(
            base, sides, lambda kind, is_new: self._searched(sides, base, kind, is_new, looked[is_new])
        )

    # --- items to look at ---------------------------------------------------------------------------------------

    def _searched(
        self, sides: tuple[Side, Side], base: Difference, kind: Kind, is_new: bool, looked: Looked | None = None
    ) -> Found:
        """Items of a kind, searched for; in templates that are known to have some, where numbers are known."""
        standing = Standing.CHANGED if kind == "changed" else Standing.ABSENT
        name = {"removed": "removed", "added": "added", "changed": "changed_new" if is_new else "changed_old"}[kind]
        having = frozenset(template for template, tally in base.rows if getattr(tally, name))
        wanted = Wanted(standing, self.asked.samples, self.asked.seed, having if base.rows else None)
        return differing(sides[is_new], sides[not is_new], wanted, looked)

    def _with_samples(
        self, base: Difference, sides: tuple[Side, Side], find: Callable[[Kind, bool], Found]
    ) -> Difference:
        """With items of each kind that there can be; of changed ones OLD's, or NEW's where OLD has none."""
        tally = base.tally
        found: list[Sample] = []
        makers = [self._maker(side.plan) for side in sides]
        if tally is None or tally.removed:
            found += [Sample("removed", makers[0](*each), None) for each in find("removed", False)]
        if tally is None or tally.added:
            found += [Sample("added", None, makers[1](*each)) for each in find("added", True)]
        if tally is None or tally.changed_old or tally.changed_new:
            found += self._changed(sides, makers, find, (tally is None or tally.changed_old > 0))
        return replace(base, samples=tuple(found))

    def _changed(
        self,
        sides: tuple[Side, Side],
        makers: Sequence[Callable[[PlanTemplate, int], Item]],
        find: Callable[[Kind, bool], Found],
        has_old: bool,
    ) -> list[Sample]:
        is_new = False
        found = find("changed", False) if has_old else []
        if not found:
            is_new = True
            found = find("changed", True)
        samples = []
        for template, index in found:
            own = makers[is_new](template, index)
            other = sides[not is_new].first_with(sides[is_new].reading_of(template, index).good)
            there = makers[not is_new](*other) if other is not None else None
            samples.append(Sample("changed", there, own) if is_new else Sample("changed", own, there))
        return samples

    def _maker(self, plan: Plan) -> Callable[[PlanTemplate, int], Item]:
        """Makes items with all the members that they can have: under `one star`, with every star."""
        maker = ItemMaker(plan, self.asked.style)

        def made(template: PlanTemplate, index: int) -> Item:
            leaf, place = template.locate(index)
            words = leaf.words(place)
            if plan.flavour == "open" or leaf.stratum.design is not None:
                return maker.item_of(template, index, leaf, words)
            return maker.item_of(template, index, leaf, words, {-1, *range(len(leaf.stratum.versions))})

        return made


def _sum(rows: Sequence[tuple[str, Tally]]) -> Tally:
    return sum((tally for _, tally in rows), Tally())


def _space(plan: Plan | None) -> Space | None:
    if plan is None:
        return None
    exact = ambiguous(plan) is None and not plan.filters
    return Space(plan.grammar.source.name, plan.items, plan.versions, exact)
