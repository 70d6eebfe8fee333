"""A template -> its strata.

One run of `_Run` renders the template's members along one path of decisions (variables, phrase rules,
alternatives, rows).  The paths are enumerated by replay: a run asks `choose` wherever something is open, and the
next run repeats all decisions but the last that has a further option.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from generator import nodes
from generator.conditions import ConditionBinder, Unbound
from generator.domains import Member, Reading, Request, WordClass
from generator.errors import Diagnostic, GrammarError
from generator.features import COLUMN
from generator.resolving import Resolver, ResolvedFeatures, RowTable, plain
from generator.scopes import TemplateScope
from generator.strata import (
    Condition,
    Decision,
    DrawKey,
    DrawPlan,
    Entry,
    Form,
    Literal,
    Mark,
    Piece,
    Ref,
    Stratum,
    Version,
)

MAX_STRATA = 200_000


class DeadBranch(Exception):  # noqa: N818 - not an error: this combination of choices has no sentence
    """No word fits somewhere on this path."""

    def __init__(self, place: nodes.Span, what: str) -> None:
        self.place = place
        self.what = what
        super().__init__(what)


class _Oracle:
    """Answers `choose` along one path and knows the next."""

    def __init__(self) -> None:
        self.path: list[Decision] = []
        self.position = 0
        self.memory: dict[Hashable, Decision] = {}

    def start(self) -> None:
        self.position = 0
        self.memory = {}

    def choose(self, decision: Decision) -> Decision:
        if self.position < len(self.path):
            taken = replace(decision, index=self.path[self.position].index)
        else:
            taken = replace(decision, index=0)
            self.path.append(taken)
        self.path[self.position] = taken
        self.position += 1
        self.memory[decision.key] = taken
        return taken

    def advance(self) -> bool:
        """Go to the next path; False when all are done."""
        del self.path[self.position :]
        while self.path:
            last = self.path[-1]
            if last.index + 1 < len(last.weights):
                self.path[-1] = replace(last, index=last.index + 1)
                return True
            self.path.pop()
        return False


@dataclass
class _Draw:
    key: DrawKey
    name: str
    word_class: WordClass
    members: tuple[Member, ...]
    forms: list[Form] = field(default_factory=list)
    place: nodes.Span | None = None


@dataclass(frozen=True)
class _Scope:
    """Where names live: the template (empty path) or one use of a phrase."""

    path: tuple[Hashable, ...]
    labels: Mapping[str, str]
    variables: tuple[tuple[str, int], ...] = ()  # a phrase's variable -> the cell it is bound to
    phrase: str = ""


class TemplateExpander:
    """Enumerates the strata of one template."""

    def __init__(self, resolver: Resolver, scope: TemplateScope) -> None:
        self.resolver = resolver
        self.scope = scope
        self.dead: list[DeadBranch] = []
        self._domains: dict[Hashable, tuple[Entry, ...]] = {}

    def strata(self) -> Iterator[Stratum]:
        """Every stratum in written order; those without a word somewhere are left out (see `dead`)."""
        oracle = _Oracle()
        count = 0
        while True:
            oracle.start()
            try:
                yield _Run(self, oracle).stratum()
            except DeadBranch as dead:
                self.dead.append(dead)
            count += 1
            if count > MAX_STRATA:
                raise GrammarError([Diagnostic("too-many", f"more than {MAX_STRATA:,} combinations of rules, rows and "
                                               "variables in one template", self.scope.template.span,
                                               "split the template")])  # fmt: skip
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

    def most_readings(self, draw: _Draw, request: Request) -> int:
        """The largest number of forms that a word of the draw has for a later mention."""
        finder = self.resolver.finder
        most = 1
        for member in draw.members:
            for anchor in finder.readings(member, draw.forms[0].request):
                most = max(most, len(finder.changed(member, anchor, request)))
        return most


class _Run:
    """One rendering of all members along one path."""

    def __init__(self, owner: TemplateExpander, oracle: _Oracle) -> None:
        self.owner = owner
        self.resolver = owner.resolver
        self.template = owner.scope
        self.primary = oracle
        self.secondary: _Oracle | None = None
        self.star = 0
        self.draws: dict[DrawKey, _Draw] = {}
        self.numbers: dict[DrawKey, int] = {}
        self.anchored: set[DrawKey] = set()
        self.heads: dict[DrawKey, tuple[str, DrawKey]] = {}
        self.scopes: dict[Hashable, tuple[_Scope, nodes.PhraseDefinition]] = {}
        self.task_counts: dict[str, int] = {}
        self.rows: dict[str, dict[str, str]] = {}  # chosen rows: table -> column label -> words
        self.brace: Hashable | None = None  # the contrast being rendered
        self.ranks: list[int] = []
        self.cells_used: dict[tuple[tuple[Hashable, ...], str], int] = {}

    # --- decisions ----------------------------------------------------------------------------------------------

    def choose(
        self, key: Hashable, weights: tuple[int, ...], label: str, crossed: bool = False, is_variable: bool = False
    ) -> int:
        for oracle in (self.primary, self.secondary):
            if oracle is not None and key in oracle.memory:
                return oracle.memory[key].index
        if len(weights) == 1 and not crossed:
            return 0
        oracle = self.secondary or self.primary
        return oracle.choose(Decision(key, 0, weights, label, crossed, is_variable)).index

    def variable(self, name: str, scope: _Scope) -> int:
        """The cell of a variable in a scope; decides it where it is open."""
        for own, cell in scope.variables:
            if own == name:
                return cell
        path = scope.path if scope.phrase else ()
        info = self.template.variable(name, scope.phrase)
        if not info.cells:
            raise DeadBranch(self.template.template.span, f"no value of {name} fits all its words")
        is_crossed = not path and name in self.template.crossed
        index = self.choose(("variable", path, name), (1,) * len(info.cells), name, is_crossed, True)
        cell = info.cells[index]
        if self.secondary is None:
            self.cells_used[path, name] = cell
        return cell

    def other(self, name: str, part: str, scope: _Scope) -> int:
        """The cell of `!$n` as a distractor: a value that differs from `$n` in its first (or the named) feature."""
        system = self.resolver.system
        cell = self.variable(name, scope)
        info = self.template.variable(name, scope.phrase)
        feature = part if part and part != "all" else system.bundle[0]
        options = [
            other for other in info.all_cells if system.value_in(other, feature) != system.value_in(cell, feature)
        ]
        if not options:
            raise DeadBranch(self.template.template.span, f"no value differs from {name} in {feature}")
        index = self.choose(("other", scope.path, name, part, cell), (1,) * len(options), f"!{name}", False, True)
        return options[index]

    def broken(self, name: str, part: str, scope: _Scope) -> int:
        """The cell that a starred mention breaks `$n` to, ranked by the feature it changes."""
        system = self.resolver.system
        cell = self.variable(name, scope)
        ranked: list[tuple[int, int]] = []
        for other in range(len(system.cells)):
            differing = [f for f in system.bundle if system.value_in(other, f) != system.value_in(cell, f)]
            if not differing or (part and part != "all" and differing != [part]):
                continue
            rank = 0 if part == "all" else (
                system.bundle.index(differing[0]) if len(differing) == 1 else len(system.bundle)
            )
            ranked.append((rank, other))
        ranked.sort(key=lambda pair: pair[0])
        if not ranked:
            raise DeadBranch(self.template.template.span, f"{name} has no other value")
        index = self.choose(("broken", scope.path, name, part), (1,) * len(ranked), f"!{name}")
        self.ranks.append(ranked[index][0])
        return ranked[index][1]

    # --- the whole stratum --------------------------------------------------------------------------------------

    def stratum(self) -> Stratum:
        template = self.template
        top = _Scope((), template.labels)
        name = self._family(top)
        for crossed in template.crossed:
            if crossed.startswith("$"):
                self.variable(crossed, top)
            elif self.resolver.kind(crossed) == "rows":
                self._row(crossed, ("table", crossed))
        acceptable = self._member(template.good, top)
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
                kept = tuple(
                    e for e in domains[draw] if condition.holds(tuple(read(e) for read in condition.read))
                )
                domains = (*domains[:draw], kept, *domains[draw + 1 :])
            else:
                conditions.append(condition)
        for draw, domain in zip(draws, domains, strict=True):
            if not domain:
                place = self.draws[draw.key].place or template.template.span
                raise DeadBranch(place, f"no word of '{draw.word_class.name}' fits")
        return Stratum(
            name, tuple(self.primary.path[: self.primary.position]), self._own_cells(), draws, domains,
            acceptable, versions, tuple(conditions), self._unlike(draws), template.stars > 0,
        )  # fmt: skip

    def _own_cells(self) -> dict[str, int]:
        return {name: cell for (path, name), cell in self.cells_used.items() if not path}

    def _plan(self, draw: _Draw) -> DrawPlan:
        return DrawPlan(
            draw.key, draw.name, draw.word_class, draw.members, tuple(draw.forms), any(m.entry.is_open for m in draw.members)
        )

    def _member(self, text: nodes.Text, scope: _Scope) -> tuple[Piece, ...]:
        pieces: list[Piece] = []
        self._text(text, scope, pieces, False)
        return tuple(pieces)

    def _versions(self, top: _Scope) -> Iterator[Version]:
        for star in range(self.template.stars):
            self.secondary = _Oracle()
            self.star = star
            while True:
                self.secondary.start()
                self.ranks = []
                try:
                    text, mark = self.template.version(star)
                    pieces = self._member(text, top)
                    family = (star, tuple(
                        (d.key, d.index) for d in self.secondary.path[: self.secondary.position]
                        if not (isinstance(d.key, tuple) and d.key[0] == "broken")
                    ))  # fmt: skip
                    yield Version(pieces, mark == "+", family, tuple(self.ranks))
                except DeadBranch as dead:
                    self.owner.dead.append(dead)
                if not self.secondary.advance():
                    break
            self.secondary = None

    def _family(self, scope: _Scope) -> str:
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
                row = self._row(piece.name, ("table", piece.name))
                cells = [
                    cell for column, cell in zip(table.columns, row, strict=True)
                    if all(column.get(feature) == value for _, feature, value, _ in features.literals)
                ]  # fmt: skip
                name += "_".join(item.text for item in cells[0].items if isinstance(item, nodes.Word)) if cells else "?"
        return name or self.template.number

    # --- conditions, distinctness -------------------------------------------------------------------------------

    def _conditions(self, top: _Scope) -> Iterator[Condition]:
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
            cells.update((own, (cell, frozenset(self.resolver.system.bundle))) for own, cell in scope.variables)
            binder = ConditionBinder(self.resolver.system, self._names(scope), cells, template.known_name, self.rows)
            try:
                yield binder.bind(where.condition)
            except Unbound:
                # In this shape the name does not occur (another rule of the phrase was taken).
                continue

    def _names(self, scope: _Scope) -> dict[str, int]:
        names: dict[str, int] = {}
        for number, (key, draw) in enumerate(self.draws.items()):
            inside = key[: len(scope.path)] == scope.path and len(key) == len(scope.path) + 1
            if inside or key[:1] == ("table",) or (not scope.path and key[:1] == ("cell",)):
                names.setdefault(draw.name, number)
        for key, (shown, head) in self.heads.items():
            if key[:-1] == scope.path:
                names.setdefault(shown, self.numbers[head])
        return names

    def _unlike(self, draws: tuple[DrawPlan, ...]) -> frozenset[tuple[int, int]]:
        names = self._names(_Scope((), {}))
        pairs = set()
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
        return frozenset(pairs)

    # --- rendering ----------------------------------------------------------------------------------------------

    def _text(self, text: nodes.Text, scope: _Scope, pieces: list[Piece], glued: bool) -> None:
        for position, item in enumerate(text.items):
            joined = item.glued or (glued and position == 0)
            match item:
                case nodes.Word():
                    pieces.append(Literal(item.text, joined))
                case nodes.RegionText():
                    pieces.append(Mark(item.name, True, key=("region", item.name)))
                    self._text(item.text, scope, pieces, joined)
                    pieces.append(Mark(item.name, False, key=("region", item.name)))
                case nodes.Brace():
                    self._brace(item, scope, pieces, joined)

    def _brace(self, brace: nodes.Brace, scope: _Scope, pieces: list[Piece], glued: bool) -> None:
        choice = brace.choice
        key = (*scope.path, self.template.choice_key(brace, scope.path))
        if not choice.is_contrast:
            self._choice(choice.alternatives, key, scope, pieces, glued)
            return
        name = self.template.contrast_name(choice)
        mark = Mark(name, True, contrast=True, target=self.template.is_target(name), key=key)
        pieces.append(mark)
        outer, self.brace = self.brace, key
        if self.secondary is None:
            plain = tuple(a for a in choice.alternatives if not a.mark)
            self._choice(plain, key, scope, pieces, glued)
        else:
            marked = [a for a in choice.alternatives if a.mark]
            chosen = marked[self.star if len(marked) > 1 else 0]
            self._choice((chosen,), (*key, self.star), scope, pieces, glued)
        self.brace = outer
        pieces.append(replace(mark, opens=False))

    def _choice(
        self,
        alternatives: Sequence[nodes.Alternative],
        key: tuple[Hashable, ...],
        scope: _Scope,
        pieces: list[Piece],
        glued: bool,
    ) -> None:
        quoted = [a.body[0] for a in alternatives if isinstance(a.body, tuple) and len(a.body) == 1]
        words = [word for word in quoted if isinstance(word, nodes.Quoted)]
        if (len(words) == len(alternatives) > 1 and self.secondary is None
                and len({a.weight for a in alternatives}) == 1):  # fmt: skip
            members = self.template.quoted_class(key, words, self.resolver)
            self._draw((*key, "words"), words[0].text, members, Request(), pieces, glued, words[0].span)
            return
        weights = tuple(a.weight for a in alternatives)
        label = " | ".join(a.span.text for a in alternatives)
        index = self.choose(("choice", key), weights, label)
        body = alternatives[index].body
        if isinstance(body, nodes.Mention):
            self._mention(body, scope, pieces, glued)
            return
        for position, unit in enumerate(body):
            joined = glued and position == 0
            if isinstance(unit, nodes.Brace):
                self._brace(unit, scope, pieces, joined)
            elif unit.text:
                member = self.resolver.quoted_member(unit)
                pieces.append(Literal(member.entry.lemma, joined))

    def _mention(self, mention: nodes.Mention, scope: _Scope, pieces: list[Piece], glued: bool) -> None:
        template = self.template
        name, class_name = template.names_of(mention, scope.labels)
        kind = self.resolver.kind(class_name)
        local: Hashable = name or template.anonymous_key(mention, self.brace, scope.path)
        key: DrawKey = (*scope.path, local)
        if kind in ("rows", "class") and not name:
            found = self.resolver.word_class(class_name) if kind == "class" else None
            if kind == "rows" or (found is not None and found.is_table):
                key = ("table", class_name)
        shown = name or class_name
        region = Mark(shown, True, target=template.is_target(shown), key=key)
        pieces.append(region)
        if kind == "phrase":
            self._phrase(mention, class_name, key, scope, pieces, glued)
        elif kind == "rows":
            table = self.resolver.row_table(class_name)
            self._cell(mention, table, key, scope, pieces, glued)
        else:
            word_class = self.resolver.word_class(class_name)
            assert word_class is not None
            features = self.resolver.features(mention, word_class)
            request = self._request(features, scope, key in self.anchored)
            self._draw(key, shown, word_class, request, pieces, glued, mention.span)
        pieces.append(replace(region, opens=False))

    def _request(self, features: ResolvedFeatures, scope: _Scope, anchored: bool) -> Request:
        cells: list[tuple[int, frozenset[str]]] = []
        is_broken = False
        for variable, part, broken in features.variables:
            only = frozenset([part]) if part and part != "all" else frozenset()
            if not broken:
                cells.append((self.variable(variable, scope), only))
            elif self.secondary is not None and anchored:
                cells.append((self.broken(variable, part, scope), frozenset()))
                is_broken = True
            else:
                cells.append((self.other(variable, part, scope), only))
        return Request(features.literals, tuple(cells), is_broken, features.column)

    def _draw(
        self,
        key: DrawKey,
        name: str,
        word_class: WordClass,
        request: Request,
        pieces: list[Piece],
        glued: bool,
        place: nodes.Span,
    ) -> None:
        draw = self.draws.get(key)
        if draw is None:
            members = self._task_members(word_class)
            draw = _Draw(key, name, word_class, members, [Form(request, True)], place)
            self.draws[key] = draw
            self.numbers[key] = len(self.numbers)
        if key not in self.anchored:
            if self.secondary is None:
                self.anchored.add(key)
            form = Form(request, True)
        else:
            pick = 0
            if self.secondary is not None and (request.literals or request.cells):
                most = self.owner.most_readings(draw, request)
                pick = self.choose(("reading", key, request), (1,) * most, name) if most > 1 else 0
            form = Form(request, request == draw.forms[0].request and not pick, pick)
        if form.is_anchor or (not request.literals and not request.cells and not request.column):
            number = 0
        elif form in draw.forms:
            number = draw.forms.index(form)
        else:
            draw.forms.append(form)
            number = len(draw.forms) - 1
        pieces.append(Ref(self.numbers[key], number, glued))

    def _task_members(self, word_class: WordClass) -> tuple[Member, ...]:
        """The class's members, or those a task file gives for this mention of the category's tag."""
        grammar = self.resolver.grammar
        columns = grammar.choices.tasks.get(grammar.paradigm)
        if columns is None or len(word_class.categories) != 1:
            return word_class.members
        grammar.used_choices.add(grammar.paradigm)
        for (tag, number), words in columns.items():
            category, form = self.resolver.lexicon.tags.get(tag, ("", ""))
            if category == word_class.categories[0] and number == self.task_counts.get(tag, 0):
                self.task_counts[tag] = number + 1
                key = ("task", tag, number)
                return self.template.cached_members(
                    key, lambda: [self.resolver.listed_member(word, category, form) for word in words]
                )
        return word_class.members

    def _row(self, name: str, key: Hashable) -> tuple[nodes.Text, ...]:
        table = self.resolver.row_table(name)
        labels = [next((i.text for i in row[0].items if isinstance(i, nodes.Word)), str(n))
                  for n, row in enumerate(table.rows, start=1)]  # fmt: skip
        index = self.choose(("row", key), (1,) * len(table.rows), name, name in self.template.crossed)
        if not table.rows:
            raise DeadBranch(self.template.template.span, f"table '{name}' has no rows")
        self.template.row_labels[name] = labels
        row = table.rows[index]
        words = {
            label.removeprefix(COLUMN): plain(cell)
            for column, cell in zip(table.columns, row, strict=True)
            for label in column
            if label.startswith(COLUMN) and all(isinstance(item, nodes.Word) for item in cell.items)
        }
        self.rows[name] = {**words, "": labels[index]}
        return table.rows[index]

    def _cell(
        self, mention: nodes.Mention, table: RowTable, key: DrawKey, scope: _Scope, pieces: list[Piece], glued: bool
    ) -> None:
        row = self._row(table.name, key)
        system = self.resolver.system
        features = self.resolver.features(mention, table)
        request = self._request(features, scope, True)
        fitting = []
        for number, column in enumerate(table.columns):
            stated = {n: frozenset([v]) for n, v in column.items() if n in system.bundle}
            mask = system.mask(stated)
            if all((column.get(f) == v) != negative for _, f, v, negative in features.literals) and all(
                mask & system.same_in(cell, names or frozenset(stated)) for cell, names in request.cells
            ):
                fitting.append(number)
        own = [n for n in fitting if any(f.startswith(COLUMN) for f in table.columns[n])] if not fitting else fitting
        if not own:
            raise DeadBranch(mention.span, f"no column of table '{table.name}' fits")
        inner = _Scope(("cell", *key), {}, scope.variables)
        self._text(row[own[0]], inner, pieces, glued)

    def _phrase(
        self, mention: nodes.Mention, name: str, key: DrawKey, scope: _Scope, pieces: list[Piece], glued: bool
    ) -> None:
        phrase = self.resolver.phrase(name)
        features = self.resolver.features(mention, None)
        bindings: list[tuple[str, int]] = []
        known = self.scopes.get(key)
        if phrase.variable:
            if features.variables:
                variable, part, broken = features.variables[0]
                if not broken:
                    bindings.append((phrase.variable, self.variable(variable, scope)))
                elif self.secondary is not None and known is not None:
                    bindings.append((phrase.variable, self.broken(variable, part, scope)))
                else:
                    bindings.append((phrase.variable, self.other(variable, part, scope)))
            elif known is not None:
                bindings = list(known[0].variables)
        inner = _Scope(key, self.template.phrase_labels(phrase), tuple(bindings), name)
        shown = mention.label or mention.name
        index = self.choose(
            ("rule", key), tuple(rule.weight for rule in phrase.rules), shown, shown in self.template.crossed
        )
        if known is None:
            self.scopes[key] = (inner, phrase)
        first = len(self.draws)
        self._text(phrase.rules[index].text, inner, pieces, glued)
        if key not in self.heads:
            keys = list(self.draws)
            head: DrawKey = (*key, "head")
            if head in self.draws:
                self.heads[key] = (shown, head)
            elif head in self.heads:
                self.heads[key] = (shown, self.heads[head][1])
            elif first < len(keys):
                self.heads[key] = (shown, keys[first])
