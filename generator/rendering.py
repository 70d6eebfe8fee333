"""A template's members as pieces, along one path of decisions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from generator import nodes
from generator.domains import Member, Request, WordClass
from generator.features import COLUMN
from generator.mentions import ResolvedFeatures, RowTable, plain
from generator.paths import DeadBranch, Oracle
from generator.resolving import Resolver
from generator.scopes import TemplateScope
from generator.source import Span
from generator.strata import Decision, DrawKey, Form, Literal, Mark, Piece, Ref


@dataclass
class Draw:
    """A draw as it grows: its class and the forms asked for so far."""

    key: DrawKey
    name: str
    word_class: WordClass
    members: tuple[Member, ...]
    forms: list[Form] = field(default_factory=list)
    place: Span | None = None


@dataclass(frozen=True)
class Scope:
    """Where names live: the template (empty path) or one use of a phrase."""

    path: tuple[Hashable, ...]
    labels: Mapping[str, str]
    # A phrase's variable, the cell it is bound to, and the features that the outer variable carries.
    variables: tuple[tuple[str, int, frozenset[str]], ...] = ()
    phrase: str = ""


class Renderer:
    """Renders members along one path: decides what is open, collects the draws."""

    def __init__(
        self,
        resolver: Resolver,
        scope: TemplateScope,
        oracle: Oracle,
        most_readings: Callable[[Draw, Request], int],
    ) -> None:
        self.resolver = resolver
        self.template = scope
        self.most_readings = most_readings
        self.primary = oracle
        self.secondary: Oracle | None = None
        self.star = 0
        self.draws: dict[DrawKey, Draw] = {}
        self.numbers: dict[DrawKey, int] = {}
        self.anchored: set[DrawKey] = set()
        self.heads: dict[DrawKey, tuple[str, DrawKey]] = {}
        self.scopes: dict[Hashable, tuple[Scope, nodes.PhraseDefinition]] = {}
        self.task_counts: dict[str, int] = {}
        self.rows: dict[str, dict[str, str]] = {}  # chosen rows: table -> column label -> words
        self.cell_mentions: dict[str, int] = {}  # in the cell being rendered: class -> mentions so far
        self.brace: Hashable | None = None  # the contrast being rendered
        self.ranks: list[int] = []
        self.cells_used: dict[tuple[tuple[Hashable, ...], str], int] = {}

    # --- decisions ----------------------------------------------------------------------------------------------

    def choose(
        self, key: Hashable, weights: tuple[int, ...], label: str, crossed: bool = False, is_variable: bool = False
    ) -> int:
        """Which of the weighted options this path takes; asked once per key."""
        for oracle in (self.primary, self.secondary):
            if oracle is not None and key in oracle.memory:
                return oracle.memory[key].index
        if len(weights) == 1 and not crossed:
            return 0
        oracle = self.secondary or self.primary
        return oracle.choose(Decision(key, 0, weights, label, crossed, is_variable)).index

    def variable(self, name: str, scope: Scope) -> int:
        """The cell of a variable in a scope; decides it where it is open."""
        for own, cell, _ in scope.variables:
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

    def carried(self, name: str, scope: Scope) -> frozenset[str]:
        """The features of the bundle that a variable's mentions carry."""
        for own, _, carries in scope.variables:
            if own == name:
                return carries
        return self.template.variable(name, scope.phrase).carries

    def _others(self, name: str, scope: Scope) -> list[tuple[int, list[str]]]:
        """The cells that differ from a variable's in features that it carries, with those features."""
        system = self.resolver.system
        cell = self.variable(name, scope)
        carries = self.carried(name, scope)
        found = []
        for other in range(len(system.cells)):
            differing = [f for f in system.bundle if system.value_in(other, f) != system.value_in(cell, f)]
            if differing and carries.issuperset(differing):
                found.append((other, differing))
        return found

    def other(self, name: str, part: str, scope: Scope) -> int:
        """The cell of `!$n` as a distractor: a value that differs from `$n` in its first (or the named) feature."""
        system = self.resolver.system
        carries = self.carried(name, scope)
        feature = part if part and part != "all" else next((f for f in system.bundle if f in carries), "")
        options = [other for other, differing in self._others(name, scope) if feature in differing]
        if not options:
            raise DeadBranch(self.template.template.span, f"no value differs from {name} in {feature or 'agreement'}")
        path = scope.path if scope.phrase else ()
        key = ("other", path, name, part, self.variable(name, scope))
        index = self.choose(key, (1,) * len(options), f"!{name}", False, True)
        return options[index]

    def broken(self, name: str, part: str, scope: Scope) -> int:
        """The cell that a starred mention breaks `$n` to, ranked by the feature it changes."""
        system = self.resolver.system
        ranked: list[tuple[int, int]] = []
        for other, differing in self._others(name, scope):
            if part and part != "all" and differing != [part]:
                continue
            single = system.bundle.index(differing[0]) if len(differing) == 1 else len(system.bundle)
            ranked.append((0 if part == "all" else single, other))
        ranked.sort(key=lambda pair: pair[0])
        if not ranked:
            raise DeadBranch(self.template.template.span, f"{name} has no other value")
        path = scope.path if scope.phrase else ()
        index = self.choose(("broken", path, name, part), (1,) * len(ranked), f"!{name}")
        self.ranks.append(ranked[index][0])
        return ranked[index][1]

    def member(self, text: nodes.Text, scope: Scope) -> tuple[Piece, ...]:
        """A line's pieces."""
        pieces: list[Piece] = []
        self._text(text, scope, pieces, False)
        return tuple(pieces)

    # --- rendering ----------------------------------------------------------------------------------------------

    def _text(self, text: nodes.Text, scope: Scope, pieces: list[Piece], glued: bool) -> None:
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

    def _brace(self, brace: nodes.Brace, scope: Scope, pieces: list[Piece], glued: bool) -> None:
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
        scope: Scope,
        pieces: list[Piece],
        glued: bool,
    ) -> None:
        quoted = [a.body[0] for a in alternatives if isinstance(a.body, tuple) and len(a.body) == 1]
        words = [word for word in quoted if isinstance(word, nodes.Quoted)]
        if (
            len(words) == len(alternatives) > 1
            and (self.secondary is None or (*key, "words") in self.draws)
            and len({a.weight for a in alternatives}) == 1
        ):
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
                words_of = unit.text.split()  # a word a piece, so that "is not" reads as "is" "not" does
                pieces += [Literal(word, joined and number == 0) for number, word in enumerate(words_of)]

    def _mention(self, mention: nodes.Mention, scope: Scope, pieces: list[Piece], glued: bool) -> None:
        template = self.template
        name, class_name = template.names_of(mention, scope.labels)
        kind = self.resolver.kind(class_name)
        local: Hashable = name or template.anonymous_key(mention, self.brace, scope.path)
        if not name and scope.path[:1] == ("cell",):
            # The n-th mention of a class in a cell is the n-th in the other columns' cells of that row.
            self.cell_mentions[class_name] = self.cell_mentions.get(class_name, 0) + 1
            local = ("in cell", class_name, self.cell_mentions[class_name])
        in_template = bool(name) and scope.path[:1] == ("cell",)  # names in cells belong to the template
        key: DrawKey = (local,) if in_template else (*scope.path, local)
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

    def _request(self, features: ResolvedFeatures, scope: Scope, anchored: bool) -> Request:
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
        place: Span,
    ) -> None:
        draw = self.draws.get(key)
        if draw is None:
            members = self._task_members(word_class)
            draw = Draw(key, name, word_class, members, [Form(request, True)], place)
            self.draws[key] = draw
            self.numbers[key] = len(self.numbers)
        if key not in self.anchored:
            if self.secondary is None:
                self.anchored.add(key)
            form = Form(request, True)
        else:
            pick = 0
            changes = request != draw.forms[0].request
            if self.secondary is not None and changes and (request.literals or request.cells):
                most = self.most_readings(draw, request)
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
                return self.template.task_members(tag, number, words, category, form)
        return word_class.members

    def row(self, name: str, key: Hashable) -> tuple[nodes.Text, ...]:
        """The chosen row of a table whose rows are choice points."""
        table = self.resolver.row_table(name)
        labels = [
            next((i.text for i in row[0].items if isinstance(i, nodes.Word)), str(n))
            for n, row in enumerate(table.rows, start=1)
        ]
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
        self, mention: nodes.Mention, table: RowTable, key: DrawKey, scope: Scope, pieces: list[Piece], glued: bool
    ) -> None:
        row = self.row(table.name, key)
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
        if not fitting:
            raise DeadBranch(mention.span, f"no column of table '{table.name}' fits")
        inner = Scope(("cell", *key), scope.labels, scope.variables)
        outer, self.cell_mentions = self.cell_mentions, {}
        self._text(row[fitting[0]], inner, pieces, glued)
        self.cell_mentions = outer

    def _phrase(
        self, mention: nodes.Mention, name: str, key: DrawKey, scope: Scope, pieces: list[Piece], glued: bool
    ) -> None:
        phrase = self.resolver.phrase(name)
        features = self.resolver.features(mention, None)
        bindings: list[tuple[str, int, frozenset[str]]] = []
        known = self.scopes.get(key)
        if phrase.variable:
            if features.variables:
                variable, part, broken = features.variables[0]
                if not broken:
                    cell = self.variable(variable, scope)
                elif self.secondary is not None and known is not None:
                    cell = self.broken(variable, part, scope)
                else:
                    cell = self.other(variable, part, scope)
                bindings.append((phrase.variable, cell, self.carried(variable, scope)))
            elif known is not None:
                bindings = list(known[0].variables)
        inner = Scope(key, self.template.phrase_labels(phrase), tuple(bindings), name)
        shown = mention.label or mention.name
        index = self.choose(
            ("rule", key), tuple(rule.weight for rule in phrase.rules), shown, shown in self.template.crossed
        )
        if known is None:
            self.scopes[key] = (inner, phrase)
        first = len(self.draws)
        outer, self.brace = self.brace, None  # inside a phrase each mention is a word of its own
        self._text(phrase.rules[index].text, inner, pieces, glued)
        self.brace = outer
        if key not in self.heads:
            keys = list(self.draws)
            head: DrawKey = (*key, "head")
            if head in self.draws:
                self.heads[key] = (shown, head)
            elif head in self.heads:
                self.heads[key] = (shown, self.heads[head][1])
            elif first < len(keys):
                self.heads[key] = (shown, keys[first])
