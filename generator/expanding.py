"""A template -> its strata: one run of the renderer for every path of decisions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

from generator import nodes
from generator.agreeing import Scope
from generator.binding import PathBinder
from generator.domains import Member, Reading, Request
from generator.drawing import Draw, Government, ReferenceTest, government_of
from generator.errors import Diagnostic, GrammarError
from generator.paths import DeadBranch, Oracle
from generator.rendering import Renderer
from generator.resolving import Resolver
from generator.scopes import TemplateScope
from generator.strata import Condition, Design, DrawPlan, Entry, Mark, Stratum, Version
from generator.walking import marked

MAX_STRATA = 200_000
MAX_PIECES = 200_000
"""How many words, slots and marks the members of all strata of a template may have together: some seconds' work."""
MAX_VERSIONS = 2_000
"""How many versions the stars of an item may give with `versions product`."""


class TemplateExpander:
    """Enumerates the strata of one template."""

    def __init__(self, resolver: Resolver, scope: TemplateScope, flavour: str = "forced") -> None:
        self.resolver = resolver
        self.scope = scope
        self.flavour = flavour
        self.dead: list[DeadBranch] = []
        self._domains: dict[Hashable, tuple[Entry, ...]] = {}
        # Members are kept, so that ids stay theirs.
        self._fills: dict[Hashable, tuple[bool, tuple[Member, ...]]] = {}
        self._anchored: dict[Hashable, tuple[list[tuple[Member, Reading]], tuple[Member, ...]]] = {}
        self._changed: dict[Hashable, list[list[Reading]]] = {}
        self._governing: dict[Hashable, tuple[Member, ...]] = {}

    def strata(self) -> Iterator[Stratum]:
        """Every stratum, shallow recursion first, else in written order; those without a word somewhere are left out
        (see `dead`).
        """
        yield from sorted(self._strata(), key=lambda stratum: stratum.level)

    def _strata(self) -> Iterator[Stratum]:
        oracle = Oracle()
        count = pieces = 0
        what = "combinations of rules, rows and variables in one template"
        while True:
            oracle.start()
            try:
                stratum = _Run(self, oracle).stratum()
                pieces += len(stratum.acceptable) + sum(len(version.pieces) for version in stratum.versions)
                yield stratum
            except DeadBranch as dead:
                self.dead.append(dead)
            count += 1
            if count > MAX_STRATA:
                message = f"more than {MAX_STRATA:,} {what}"
                raise GrammarError([Diagnostic("too-many", message, self.scope.template.span, "split the template")])
            if pieces > MAX_PIECES:
                message = f"too many {what}: the sentences of the first {count:,} have {pieces:,} parts"
                hint = "put words into slots, which do not count, or split the template"
                raise GrammarError([Diagnostic("too-many", message, self.scope.template.span, hint)])
            if not oracle.advance():
                return

    def governing(self, members: tuple[Member, ...], government: Government) -> tuple[Member, ...]:
        """The words that ask for just this."""
        key = (id(members), government)
        if key not in self._governing:
            self._governing[key] = tuple(m for m in members if government_of(m, self.resolver) == government)
        return self._governing[key]

    def domain(self, draw: DrawPlan) -> tuple[Entry, ...]:
        """The words that a draw can take: each anchor reading with the texts of all forms."""
        key = (id(draw.word_class), id(draw.members), draw.forms)
        if key not in self._domains:
            self._domains[key] = tuple(self._entries(draw))
        return self._domains[key]

    def _entries(self, draw: DrawPlan) -> Iterator[Entry]:
        first = draw.forms[0].request
        later = [(form.pick, self._later(draw.members, first, form.request)) for form in draw.forms[1:]]
        for number, (member, anchor) in enumerate(self._anchors(draw.members, first)):
            shown = ((pick, readings[number]) for pick, readings in later)
            texts = (found[pick].text if pick < len(found) else None for pick, found in shown)
            yield Entry(member, anchor, (anchor.text, *texts))

    def _anchors(self, members: tuple[Member, ...], first: Request) -> list[tuple[Member, Reading]]:
        """The readings in which words can stand in their first mention, each with its word."""
        key = (id(members), first)
        if key not in self._anchored:
            readings = self.resolver.finder.readings
            self._anchored[key] = [(m, anchor) for m in members for anchor in readings(m, first)], members
        return self._anchored[key][0]

    def _later(self, members: tuple[Member, ...], first: Request, request: Request) -> list[list[Reading]]:
        """For each anchor the forms that its word has in a later mention."""
        key = (id(members), first, request)
        if key not in self._changed:
            changed = self.resolver.finder.changed
            self._changed[key] = [changed(m, anchor, request) for m, anchor in self._anchors(members, first)]
        return self._changed[key]

    def fills(self, members: tuple[Member, ...], request: Request) -> bool:
        """Whether some word has a form that fits a request."""
        key = (id(members), request)
        if key not in self._fills:
            finder = self.resolver.finder
            self._fills[key] = (any(finder.readings(member, request) for member in members), members)
        return self._fills[key][0]

    def most_readings(self, draw: Draw, request: Request) -> int:
        """The largest number of forms that a word of the draw has for a later mention."""
        return max(map(len, self._later(draw.members, draw.forms[0].request, request)), default=1) or 1


class _Run(Renderer):
    """One rendering of all members along one path."""

    def __init__(self, owner: TemplateExpander, oracle: Oracle) -> None:
        super().__init__(owner.resolver, owner.scope, oracle, owner.most_readings, owner.fills)
        self.owner = owner

    # --- the whole stratum --------------------------------------------------------------------------------------

    def stratum(self) -> Stratum:
        """The stratum of this path.  Raises DeadBranch where no word fits."""
        template = self.template
        top = Scope((), template.labels)
        name = self._family(top)
        for crossed in template.crossed:
            if crossed.startswith("$"):
                self.variable(crossed, top)
            elif self.resolver.kind(crossed) == "rows":
                self.row(crossed, ("table", crossed))
        design = self._design()
        acceptable = self.member(template.good, top)
        rendered = list(self._conditions_of(design, top) if design else self._versions(top))
        binder = PathBinder(self)
        versions = tuple(binder.version(version, tests) for version, tests in rendered)
        if template.is_product:
            order = [((brace.span.line, brace.span.column),) for brace in template.contrasts]
            versions = tuple(_with_parts(versions, order))
        draws = tuple(self._plan(draw) for draw in self.draws.values())
        domains = tuple(self.owner.domain(draw) for draw in draws)
        conditions: list[Condition] = []
        for condition in (*binder.conditions(top), *binder.references()):
            if not condition.draws:
                if not condition.holds(()):
                    raise DeadBranch(template.template.span, f"'{condition.text}' never holds here")
            elif len(set(condition.draws)) == 1:
                draw = condition.draws[0]
                kept = tuple(e for e in domains[draw] if condition.holds(tuple(read(e) for read in condition.read)))
                domains = (*domains[:draw], kept, *domains[draw + 1 :])
            else:
                conditions.append(condition)
        for planned, domain in zip(draws, domains, strict=True):
            if not domain:
                place = self.draws[planned.key].place or template.template.span
                raise DeadBranch(place, f"no word of '{planned.word_class.name}' fits")
        return Stratum(
            name,
            tuple(self.primary.path[: self.primary.position]),
            self._own_cells(),
            draws,
            domains,
            acceptable,
            versions,
            tuple(conditions),
            *binder.unlike(draws),
            template.stars > 0,
            self.level,
            design,
        )

    def _own_cells(self) -> dict[str, int]:
        return {name: cell for (path, name), cell in self.cells_used.items() if not path}

    def _plan(self, draw: Draw) -> DrawPlan:
        members = draw.members
        if draw.key in self.governments:
            members = self.owner.governing(members, self.governments[draw.key])
        return DrawPlan(
            draw.key,
            draw.name,
            draw.word_class,
            members,
            tuple(draw.forms),
            any(m.entry.is_open for m in members),
        )

    # --- versions and conditions --------------------------------------------------------------------------------

    def _design(self) -> Design | None:
        """Set the condition to render first: the first acceptable one (in the open-ended flavour, any of them)."""
        conditions = self.template.conditions
        if not conditions:
            return None
        good = [number for number, condition in enumerate(conditions) if condition.acceptable]
        if not good:
            raise DeadBranch(self.template.template.span, "every condition is starred")
        chosen = good[0]
        if self.owner.flavour == "open":
            chosen = good[self.choose(("condition",), (1,) * len(good), "condition")]
        self.condition = conditions[chosen]
        return Design(tuple(c.name for c in conditions), tuple(c.levels for c in conditions), chosen)

    def _conditions_of(self, design: Design, top: Scope) -> Iterator[tuple[Version, list[ReferenceTest]]]:
        """The other conditions of a design.  A word that a condition lacks takes the whole item away."""
        if self.owner.flavour == "open":
            return
        for number, condition in enumerate(self.template.conditions):
            if number != design.good:
                self.condition = condition
                pieces = self.member(self.template.good, top)
                yield Version(pieces, condition.acceptable, number, ()), []

    def _versions(self, top: Scope) -> Iterator[tuple[Version, list[ReferenceTest]]]:
        for star, sites in self._switched():
            self.secondary = Oracle()
            self.star, self.sites = star, sites
            while True:
                self.secondary.start()
                self.ranks, self.version_tests = [], []
                try:
                    text, mark = self._version(star, sites)
                    self.is_starred = self.template.is_several_lines
                    pieces = self.member(text, top)
                    family = (
                        star,
                        tuple(
                            (d.key[:2] if isinstance(d.key, tuple) and d.key[0] == "reading" else d.key, d.index)
                            for d in self.secondary.path[: self.secondary.position]
                            if not (isinstance(d.key, tuple) and d.key[0] == "broken")
                        ),
                    )
                    switched = tuple(((place),) for place in sites) if sites else ()
                    version = Version(pieces, mark == "+", family, tuple(self.ranks), sites=switched)
                    yield version, self.version_tests
                except DeadBranch as dead:
                    self.owner.dead.append(dead)
                finally:
                    self.is_starred, self.site, self.brace = False, (), None
                if not self.secondary.advance():
                    break
            self.secondary = None

    def _switched(self) -> Iterator[tuple[int, Mapping[Hashable, int] | None]]:
        """(number, stars at each contrast) of the written versions; None: all contrasts switch together."""
        template = self.template
        if not template.is_product or template.is_several_lines:
            for star in range(template.stars):
                yield star, None
            return
        places = [(brace.span.line, brace.span.column) for brace in template.contrasts]
        options = [range(-1, marked(brace)) for brace in template.contrasts]
        if math.prod(map(len, options)) > MAX_VERSIONS:
            message = f"more than {MAX_VERSIONS:,} versions of an item: 'versions product' combines all stars"
            raise GrammarError(
                [Diagnostic("too-many", message, template.template.span, "star fewer words in one line")]
            )
        for number, chosen in enumerate(itertools.product(*options)):
            if any(star >= 0 for star in chosen):
                yield number, {place: star for place, star in zip(places, chosen, strict=True) if star >= 0}

    def _version(self, star: int, sites: Mapping[Hashable, int] | None) -> tuple[nodes.Text, str]:
        if sites is None:
            return self.template.version(star)
        marks = {
            [a.mark for a in brace.choice.alternatives if a.mark][sites[brace.span.line, brace.span.column]]
            for brace in self.template.contrasts
            if (brace.span.line, brace.span.column) in sites
        }
        return self.template.good, "*" if "*" in marks else "+"

    def _family(self, scope: Scope) -> str:
        name = ""
        for piece in self.template.template.name:
            if isinstance(piece, str):
                name += piece
            elif isinstance(piece, nodes.VariableFeature):
                cell = self.variable(piece.variable, scope)
                name += self.template.variable(piece.variable, "").labels.get(cell, "?")
            else:
                table = self.resolver.row_table(piece.name)
                features = self.resolver.features(piece, table)
                row = self.row(piece.name, ("table", piece.name))
                cells = [
                    cell
                    for column, cell in zip(table.columns, row, strict=True)
                    if all(column.get(feature) == value for _, feature, value, _ in features.literals)
                ]
                name += "_".join(item.text for item in cells[0].items if isinstance(item, nodes.Word)) if cells else "?"
        return name or self.template.number


def _with_parts(versions: Sequence[Version], order: Sequence[Hashable]) -> Iterator[Version]:
    """Versions of several contrasts in order, the rightmost contrast fastest, each with the versions that switch one
    of its contrasts alone.
    """
    alone: dict[Hashable, int] = {}
    for version in versions:
        if len(version.sites) == 1:
            alone.setdefault(_stretch(version, version.sites[0]), len(alone))

    def places(version: Version) -> tuple[int, ...]:
        return tuple(alone.get(_stretch(version, s), len(alone)) if s in version.sites else -1 for s in order)

    ordered = sorted(versions, key=places)
    numbers: dict[Hashable, int] = {}
    for number, version in enumerate(ordered):
        if len(version.sites) == 1:
            numbers.setdefault(_stretch(version, version.sites[0]), number)
    for version in ordered:
        parts = [numbers.get(_stretch(version, site), -1) for site in version.sites] if len(version.sites) > 1 else []
        yield replace(version, parts=tuple(parts))


def _stretch(version: Version, site: Hashable) -> Hashable:
    """A contrast as a version shows it."""
    ends = [
        n for n, piece in enumerate(version.pieces) if isinstance(piece, Mark) and piece.contrast and piece.key == site
    ]
    return (site, version.pieces[ends[0] : ends[-1] + 1])
