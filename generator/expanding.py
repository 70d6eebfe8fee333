"""A template -> its strata: one run of the renderer for every path of decisions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from generator import nodes
from generator.conditions import ConditionBinder, Unbound
from generator.domains import Reading, Request
from generator.errors import Diagnostic, GrammarError
from generator.paths import DeadBranch, Oracle
from generator.rendering import Draw, Renderer, Scope
from generator.resolving import Resolver
from generator.scopes import TemplateScope
from generator.strata import Condition, DrawPlan, Entry, Stratum, Version

MAX_STRATA = 200_000


class TemplateExpander:
    """Enumerates the strata of one template."""

    def __init__(self, resolver: Resolver, scope: TemplateScope) -> None:
        self.resolver = resolver
        self.scope = scope
        self.dead: list[DeadBranch] = []
        self._domains: dict[Hashable, tuple[Entry, ...]] = {}
        self._most: dict[Hashable, int] = {}

    def strata(self) -> Iterator[Stratum]:
        """Every stratum in written order; those without a word somewhere are left out (see `dead`)."""
        oracle = Oracle()
        count = 0
        while True:
            oracle.start()
            try:
                yield _Run(self, oracle).stratum()
            except DeadBranch as dead:
                self.dead.append(dead)
            count += 1
            if count > MAX_STRATA:
                raise GrammarError(
                    [
                        Diagnostic(
                            "too-many",
                            f"more than {MAX_STRATA:,} combinations of rules, rows and variables in one template",
                            self.scope.template.span,
                            "split the template",
                        )
                    ]
                )
            if not oracle.advance():
                return

    def domain(self, draw: DrawPlan) -> tuple[Entry, ...]:
        """The words that a draw can take: each anchor reading with the texts of all forms."""
        key = (id(draw.word_class), id(draw.members), draw.forms)
        if key not in self._domains:
            self._domains[key] = tuple(self._entries(draw))
        return self._domains[key]

    def _entries(self, draw: DrawPlan) -> Iterator[Entry]:
        finder = self.resolver.finder
        for member in draw.members:
            for anchor in finder.readings(member, draw.forms[0].request):
                texts: list[str | None] = [anchor.text]
                for form in draw.forms[1:]:
                    found: Sequence[Reading] = finder.changed(member, anchor, form.request)
                    texts.append(found[form.pick].text if form.pick < len(found) else None)
                yield Entry(member, anchor, tuple(texts))

    def most_readings(self, draw: Draw, request: Request) -> int:
        """The largest number of forms that a word of the draw has for a later mention."""
        key = (id(draw.word_class), id(draw.members), draw.forms[0].request, request)
        if key not in self._most:
            self._most[key] = self._most_readings(draw, request)
        return self._most[key]

    def _most_readings(self, draw: Draw, request: Request) -> int:
        finder = self.resolver.finder
        most = 1
        for member in draw.members:
            for anchor in finder.readings(member, draw.forms[0].request):
                most = max(most, len(finder.changed(member, anchor, request)))
        return most


class _Run(Renderer):
    """One rendering of all members along one path."""

    def __init__(self, owner: TemplateExpander, oracle: Oracle) -> None:
        super().__init__(owner.resolver, owner.scope, oracle, owner.most_readings)
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
        acceptable = self.member(template.good, top)
        versions = tuple(self._versions(top))
        draws = tuple(self._plan(draw) for draw in self.draws.values())
        domains = tuple(self.owner.domain(draw) for draw in draws)
        conditions: list[Condition] = []
        for condition in self._conditions(top):
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
            *self._unlike(draws),
            template.stars > 0,
        )

    def _own_cells(self) -> dict[str, int]:
        return {name: cell for (path, name), cell in self.cells_used.items() if not path}

    def _plan(self, draw: Draw) -> DrawPlan:
        return DrawPlan(
            draw.key,
            draw.name,
            draw.word_class,
            draw.members,
            tuple(draw.forms),
            any(m.entry.is_open for m in draw.members),
        )

    def _versions(self, top: Scope) -> Iterator[Version]:
        for star in range(self.template.stars):
            self.secondary = Oracle()
            self.star = star
            while True:
                self.secondary.start()
                self.ranks = []
                try:
                    text, mark = self.template.version(star)
                    pieces = self.member(text, top)
                    family = (
                        star,
                        tuple(
                            (d.key, d.index)
                            for d in self.secondary.path[: self.secondary.position]
                            if not (isinstance(d.key, tuple) and d.key[0] == "broken")
                        ),
                    )
                    yield Version(pieces, mark == "+", family, tuple(self.ranks))
                except DeadBranch as dead:
                    self.owner.dead.append(dead)
                if not self.secondary.advance():
                    break
            self.secondary = None

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

    # --- conditions, distinctness -------------------------------------------------------------------------------

    def _conditions(self, top: Scope) -> Iterator[Condition]:
        template = self.template
        bound = [(where, top) for where in template.wheres]
        for scope, phrase in self.scopes.values():
            bound += [(where, scope) for where in phrase.wheres]
        for where, scope in bound:
            path = scope.path if scope.phrase else ()
            cells = {
                name: (cell, template.variable(name, scope.phrase).carries)
                for (where_decided, name), cell in self.cells_used.items()
                if where_decided == path
            }
            cells.update((own, (cell, carries)) for own, cell, carries in scope.variables)
            binder = ConditionBinder(self.resolver.system, self._names(scope), cells, template.known_name, self.rows)
            try:
                yield binder.bind(where.condition)
            except Unbound:
                # In this shape the name does not occur (another rule of the phrase was taken).
                continue

    def _names(self, scope: Scope) -> dict[str, int]:
        names: dict[str, int] = {}
        for number, (key, draw) in enumerate(self.draws.items()):
            inside = key[: len(scope.path)] == scope.path and len(key) == len(scope.path) + 1
            if inside or key[:1] == ("table",) or (not scope.path and key[:1] == ("cell",)):
                names.setdefault(draw.name, number)
        for key, (shown, head) in self.heads.items():
            if key[:-1] == scope.path:
                names.setdefault(shown, self.numbers[head])
        return names

    def _unlike(self, draws: tuple[DrawPlan, ...]) -> tuple[frozenset[tuple[int, int]], frozenset[int]]:
        names = self._names(Scope((), {}))
        pairs = set()
        told: set[int] = set()
        for first in range(len(draws)):
            for second in range(first + 1, len(draws)):
                if draws[first].is_open and draws[second].is_open:
                    pairs.add((first, second))
        for keyword, group in self.template.identities:
            numbers = sorted({names[name] for name in group if name in names})
            for i, first in enumerate(numbers):
                for second in numbers[i + 1 :]:
                    if keyword == "repeat":
                        pairs.discard((first, second))
                    else:
                        pairs.add((first, second))
                        told |= {first, second}
        return frozenset(pairs), frozenset(told)
