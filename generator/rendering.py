"""A template's members as pieces, along one path of decisions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from generator import nodes
from generator.agreeing import Scope
from generator.domains import Request, WordClass
from generator.drawing import Asked, Drawing, UnseenGovernor, names_path
from generator.features import COLUMN
from generator.mentions import Binding, ResolvedFeatures, RowTable, plain
from generator.paths import DeadBranch
from generator.strata import DrawKey, Literal, Mark, Piece
from generator.walking import head_of


class Renderer(Drawing):
    """Renders members along one path: decides what is open, collects the draws."""

    # --- members ------------------------------------------------------------------------------------------------

    def member(self, text: nodes.Text, scope: Scope) -> tuple[Piece, ...]:
        """A line's pieces.

        Where a word asks for its form before the word that governs it has been seen, the line is read once for what
        is asked of each word, then rendered.
        """
        self.asked, self.ahead, self.reading = {}, {}, "first"
        restore = self.snapshot()
        try:
            return self._member(text, scope)
        except UnseenGovernor:
            restore()
        self.asked, self.reading = {}, "scouting"
        self._member(text, scope)
        self.ahead, self.reading = self.draws, "scouted"
        restore()
        return self._member(text, scope)

    def _member(self, text: nodes.Text, scope: Scope) -> tuple[Piece, ...]:
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
        if choice.factors:
            self._arm(choice, key, scope, pieces, glued)
            return
        if not choice.is_contrast:
            self._choice(choice.alternatives, key, scope, pieces, glued)
            return
        name = self.template.contrast_name(choice)
        mark = Mark(name, True, contrast=True, target=self.template.is_target(name), key=key)
        pieces.append(mark)
        outer = self.brace, self.site, self.is_starred
        self.brace = key
        marked = [a for a in choice.alternatives if a.mark]
        star = self.star_at(brace, len(marked)) if self.secondary is not None else None
        if star is None:
            plain = tuple(a for a in choice.alternatives if not a.mark)
            self._choice(plain, key, scope, pieces, glued)
        else:
            self.is_starred = True
            if self.template.is_product:
                self.site = key
            self._choice((marked[star],), (*key, star), scope, pieces, glued)
        self.brace, self.site, self.is_starred = outer
        pieces.append(mark.end)

    def star_at(self, brace: nodes.Brace, marked: int) -> int | None:
        """The starred alternative that a contrast shows in this version; None for the acceptable side."""
        if self.sites is not None:
            return self.sites.get((brace.span.line, brace.span.column))
        return self.star if marked > 1 else 0

    def _arm(
        self, choice: nodes.Choice, key: tuple[Hashable, ...], scope: Scope, pieces: list[Piece], glued: bool
    ) -> None:
        """The arm of a factor brace that stands in this condition."""
        assert self.condition is not None
        arm = choice.arm(self.condition.levels)
        assert arm is not None
        name = self.template.contrast_name(choice)
        mark = Mark(name, True, contrast=True, target=self.template.is_target(name), key=key)
        pieces.append(mark)
        outer = self.brace, self.is_starred
        # What several arms mention is the same word.
        self.brace, self.is_starred = key, not self.condition.acceptable
        self._choice((arm,), (*key, choice.alternatives.index(arm)), scope, pieces, glued)
        self.brace, self.is_starred = outer
        pieces.append(mark.end)

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
            piece, _ = self.draw((*key, "words"), words[0].text, members, Asked(Request()), glued, words[0].span)
            pieces.append(piece)
            return
        alternatives = [a for a in alternatives if self._is_possible(a, scope)]
        if not alternatives:
            raise DeadBranch(self.template.template.span, "a choice that has no side at this depth")
        weights = tuple(a.weight for a in alternatives)
        label = " | ".join(a.span.text for a in alternatives)
        index = self.choose(("choice", key), weights, label, names=[a.span.text for a in alternatives])
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

    # --- recursion ----------------------------------------------------------------------------------------------

    def _is_possible(self, alternative: nodes.Alternative, scope: Scope) -> bool:
        if not isinstance(alternative.body, nodes.Mention) or not scope.nesting:
            return True
        _, name = self.template.names_of(alternative.body, scope.labels)
        return self.template.is_possible(name, scope.nesting)

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
        is_head = mention is scope.head or name == "head"
        region = Mark(shown, True, False, template.is_target(shown), key, kind or "", class_name, is_head)
        pieces.append(region)
        if kind == "phrase":
            self._phrase(mention, class_name, key, scope, pieces, glued)
        elif kind == "rows":
            table = self.resolver.row_table(class_name)
            self._cell(mention, table, key, scope, pieces, glued)
        else:
            word_class = self.resolver.word_class(class_name)
            assert word_class is not None
            asked = self.ask(self._given(mention, word_class, scope), key, mention.span, word_class)
            piece, request = self.draw(key, shown, word_class, asked, glued, mention.span)
            pieces.append(piece)
            drawn = (*key, "another") if asked.is_another else key
            self.asked.setdefault((names_path(scope), shown), (drawn, request))
        pieces.append(region.end)

    def _given(
        self, mention: nodes.Mention, word_class: WordClass | RowTable, scope: Scope
    ) -> list[tuple[ResolvedFeatures, Scope]]:
        """A mention's own features and, where it is a phrase's head, those given to the phrase."""
        given = [(self.resolver.features(mention, word_class), scope)]
        if mention is scope.head:
            given += [(self.resolver.features(passed, word_class), outer) for passed, outer in scope.passed]
        return given

    def row(self, name: str, key: Hashable) -> tuple[nodes.Text, ...]:
        """The chosen row of a table whose rows are choice points."""
        table = self.resolver.row_table(name)
        labels = [
            next((i.text for i in row[0].items if isinstance(i, nodes.Word)), str(n))
            for n, row in enumerate(table.rows, start=1)
        ]
        weights = tuple(self.template.weight_of(name, label) for label in labels)
        index = self.choose(("row", key), weights, name, name in self.template.crossed, names=labels)
        if not table.rows:
            raise DeadBranch(self.template.template.span, f"table '{name}' has no rows")
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
        given = self._given(mention, table, scope)
        features = given[0][0]
        self.anchored.add(key)
        request = self.ask(given, key, mention.span).request
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
        inner = Scope(("cell", *key), scope.labels, scope.variables, nesting=scope.nesting)
        outer, self.cell_mentions = self.cell_mentions, {}
        self._text(row[fitting[0]], inner, pieces, glued)
        self.cell_mentions = outer

    def _phrase(
        self, mention: nodes.Mention, name: str, key: DrawKey, scope: Scope, pieces: list[Piece], glued: bool
    ) -> None:
        phrase = self.resolver.phrase(name)
        known = self.scopes.get(key)
        given = [(mention, scope), *(scope.passed if mention is scope.head else ())]
        bound: dict[str, tuple[str, int, frozenset[str]]] = {v[0]: v for v in known[0].variables} if known else {}
        passed: list[tuple[nodes.Mention, Scope]] = []
        stated: list[tuple[str, str]] = list(known[0].stated) if known else []
        for each, outer in given:
            binding = self.resolver.bind(each, phrase)
            self._bind(binding, phrase, outer, known is not None, bound)
            stated += [pair for pair in binding.stated if pair not in stated]
            if binding.rest.features:
                passed.append((binding.rest, outer))
        count = scope.nesting.get(name, 0)
        self.level = max(self.level, count)
        shown = mention.label or mention.name
        nesting = {**scope.nesting, name: count + 1}
        rules = [rule for rule in phrase.rules if self.template.is_possible_rule(phrase, rule, nesting)]
        if not rules:
            raise DeadBranch(mention.span, f"phrase '{name}' cannot stand at this depth")
        weights = tuple(rule.weight for rule in rules)
        names = [" ".join(rule.text.span.text.split()) for rule in rules]
        index = self.choose(("rule", key), weights, shown, shown in self.template.crossed, names=names)
        text = rules[index].text
        labels = self.template.phrase_labels(phrase)
        own = self.resolver.agreeing_variable(phrase)
        if own in bound and not self.has_values(bound[own][1], stated):
            raise DeadBranch(mention.span, f"phrase '{name}' is not {' '.join(value for _, value in stated)}")
        inner = Scope(key, labels, tuple(bound.values()), name, tuple(passed), nesting, head_of(text), tuple(stated))
        whole = self.resolver.whole_features(phrase)
        if any(whole.get(feature, value) != value for feature, value in stated):
            raise DeadBranch(mention.span, f"phrase '{name}' is not {' '.join(value for _, value in stated)}")
        if known is None:
            self.scopes[key] = (inner, phrase)
            if whole:
                self.wholes[key] = (shown, whole)
        self.asked.setdefault((names_path(scope), shown), (key, self._asked_of(bound, phrase)))
        first = len(self.draws)
        outer_brace, self.brace = self.brace, None  # inside a phrase each mention is a word of its own
        self._text(text, inner, pieces, glued)
        self.brace = outer_brace
        if key not in self.heads:
            keys = list(self.draws)
            head: DrawKey = (*key, "head")
            if head in self.draws:
                self.heads[key] = (shown, head)
            elif head in self.heads:
                self.heads[key] = (shown, self.heads[head][1])
            elif first < len(keys):
                self.heads[key] = (shown, keys[first])

    def _asked_of(
        self, bound: Mapping[str, tuple[str, int, frozenset[str]]], phrase: nodes.PhraseDefinition
    ) -> Request:
        """What is asked of a phrase that governs others: the value of its own variable of agreement."""
        own = bound.get(self.resolver.agreeing_variable(phrase))
        return Request(cells=((own[1], frozenset()),)) if own else Request()

    def _bind(
        self,
        binding: Binding,
        phrase: nodes.PhraseDefinition,
        scope: Scope,
        is_known: bool,
        bound: dict[str, tuple[str, int, frozenset[str]]],
    ) -> None:
        """Bind a phrase's variables to what a mention gives.  Raises DeadBranch where it is not such a phrase."""
        breaks = self.is_starred and is_known
        if binding.agreement is not None:
            variable, part, broken = binding.agreement
            if not broken:
                cell = self.variable(variable, scope)
            elif breaks:
                cell = self.broken(variable, part, scope)
            else:
                cell = self.other(variable, part, scope)
            for feature, value in self.resolver.whole_features(phrase).items():
                stated = feature in self.resolver.system.bundle and (not part or part == feature or broken)
                if stated and self.resolver.system.value_in(cell, feature) != value:
                    raise DeadBranch(self.template.template.span, f"phrase '{phrase.name}' is not of this {feature}")
            if own := self.resolver.agreeing_variable(phrase):
                bound[own] = (own, cell, self.carried(variable, scope))
        for parameter, (variable, literal, broken) in binding.typed:
            if not variable:
                feature = self.resolver.typed_feature(parameter)
                value_number = self.resolver.system.values(feature).index(literal)
            elif not broken:
                value_number = self.variable(variable, scope)
            elif breaks:
                value_number = self.broken(variable, "", scope)
            else:
                value_number = self.other(variable, "", scope)
            bound[parameter] = (parameter, value_number, frozenset())
