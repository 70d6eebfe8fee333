"""An enumerator of tiny grammars that shares no code with the engine.

A grammar is a few dataclasses (`brute_tiny`), from which its items are enumerated from scratch: every choice is made by
replay, whole derivations are tested at the end.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from brute_tiny import (
    BARE,
    BUNDLE,
    VALUES,
    Analysis,
    Arm,
    Brace,
    Line,
    Mention,
    Table,
    Test,
    Tiny,
    Word,
    filtered,
    listed_word,
    shown,
    write_words,
)

T = TypeVar("T")
Choose = Callable[[Sequence[Any]], Any]


class Dead(Exception):  # noqa: N818
    """No word fits on this path."""


def explore(render: Callable[[Choose], T]) -> Iterator[T]:
    """Every outcome of a function that makes choices."""
    path: list[list[int]] = []
    while True:
        position = 0

        def choose(options: Sequence[Any]) -> Any:
            nonlocal position
            if not options:
                raise Dead
            if position == len(path):
                path.append([0, len(options)])
            index = path[position][0]
            position += 1
            return options[index]

        with contextlib.suppress(Dead):
            yield render(choose)
        while path and path[-1][0] + 1 == path[-1][1]:
            path.pop()
        if not path:
            return
        path[-1][0] += 1


@dataclass
class Draw:
    word: Word
    text: str
    analyses: tuple[Analysis, ...]


@dataclass
class Derivation:
    """One acceptable member, with its starred ones to be found."""

    variables: dict[str, dict[str, str]] = field(default_factory=dict)
    others: dict[Any, dict[str, str]] = field(default_factory=dict)
    structure: dict[Any, int] = field(default_factory=dict)
    draws: dict[Any, Draw] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)  # template-level name -> key of its draw
    text: str = ""
    masked: str = ""
    shown: tuple[Any, ...] = ()
    stars: list[str] = field(default_factory=list)

    @property
    def lexemes(self) -> tuple[Any, ...]:
        return tuple((key, draw.word.category, draw.word.lemma) for key, draw in self.draws.items())


@dataclass(frozen=True)
class _Star:
    number: int
    choose: Choose
    broken: dict[Any, tuple[int, dict[str, str]]]
    ranks: list[int]
    choices: dict[Any, int]


@dataclass(frozen=True)
class _Where:
    """The scope of a line: its key, its names, its variables."""

    path: tuple[Any, ...] = ()
    bound: tuple[tuple[str, dict[str, str]], ...] = ()
    brace: Any = None
    breaks: bool = False  # whether the bound value is a broken one


class Enumerator:
    def __init__(self, grammar: Tiny) -> None:
        self.grammar = grammar
        self.classes = {c.name: c for c in grammar.classes}
        self.phrases = {p.name: p for p in grammar.phrases}
        self.tables = {t.name: t for t in grammar.tables}
        self.carried: dict[str, set[str]] = {}
        for line in grammar.lines:
            self._carry(line, {})

    # What the mentions of each variable carry.
    def _carry(self, line: Line, outer: dict[str, str]) -> None:
        for brace in _braces(line):
            for arm in brace.arms:
                if not isinstance(arm.body, Mention):
                    continue
                mention = arm.body
                name = self._class_name(mention)
                used = [f.lstrip("!").partition(".")[0] for f in mention.features if "$" in f]
                used = [outer.get(v, v) for v in used]
                for variable in used:
                    self.carried.setdefault(variable, set())
                if name in self.phrases:
                    phrase = self.phrases[name]
                    for rule in phrase.rules:
                        self._carry(rule, {phrase.variable: used[0]} if used else {})
                elif name in self.tables:
                    table = self.tables[name]
                    stated = {BARE[f] for column in table.columns for f in column.split() if BARE.get(f) in BUNDLE}
                    for variable in used:
                        self.carried[variable] |= stated
                    for row in table.rows:
                        for cell in row:
                            self._carry(cell, outer)
                else:
                    literal = {BARE[f] for f in mention.features if f in BARE}
                    for word in self.classes[name].words:
                        for analysis in filtered(word.analyses, [f for f in mention.features if f in BARE]):
                            for variable in used:
                                self.carried[variable] |= {n for n, _ in analysis.bundle} - literal

    def _class_name(self, mention: Mention) -> str:
        for line in (*self.grammar.lines, *(rule for phrase in self.grammar.phrases for rule in phrase.rules)):
            for brace in _braces(line):
                for arm in brace.arms:
                    if isinstance(arm.body, Mention) and arm.body.label and arm.body.label == mention.name:
                        return arm.body.name
        return mention.name

    def cells(self, variable: str) -> list[dict[str, str]]:
        names = [name for name in BUNDLE if name in self.carried[variable]]
        return [dict(zip(names, found, strict=True)) for found in itertools.product(*(VALUES[n] for n in names))]

    # --- derivations --------------------------------------------------------------------------------------------

    def derivations(self) -> Iterator[Derivation]:
        """Every derivation of the acceptable line."""
        return explore(self._derive)

    def acceptable(self) -> list[Derivation]:
        """Every acceptable derivation that keeps distinctness and conditions, whether its contrast shows or not."""
        found = []
        for derivation in self.derivations():
            if self._distinct(derivation) and all(self._holds(test, derivation) for test in self.grammar.where):
                found.append(derivation)
        return found

    def items(self) -> list[Derivation]:
        """The items of the forced-choice flavour, with the starred members of each."""
        everything = self.acceptable()
        licensed: dict[Any, set[str]] = {}
        for each in everything:
            licensed.setdefault((tuple(each.structure.items()), each.lexemes), set()).add(each.text)
        items = []
        for each in everything:
            known = licensed[tuple(each.structure.items()), each.lexemes]
            each.stars = list(dict.fromkeys(self._stars(each, known)))
            if each.stars:
                items.append(each)
        return items

    def _derive(self, choose: Choose) -> Derivation:
        result = Derivation()
        for variable in self.carried:
            if variable.startswith("$") and variable != "$p":
                result.variables[variable] = choose(self.cells(variable))
        words: list[tuple[str, bool]] = []
        self._line(self.grammar.lines[0], result, _Where(), words, choose, None)
        result.text = " ".join(word for word, _ in words if word)
        inside = [hidden for _, hidden in words]
        if any(inside):
            first = inside.index(True)
            last = len(inside) - inside[::-1].index(True)
            result.masked = " ".join(
                [w for w, _ in words[:first] if w] + ["[MASK]"] + [w for w, _ in words[last:] if w]
            )
        # What only starred members draw is drawn as well.
        for number in range(self.star_count):
            star = _Star(number, _first, {}, [], {})
            try:
                self._star_line(result, star, choose)
            except Dead:
                continue
        return result

    @property
    def star_count(self) -> int:
        if len(self.grammar.lines) > 1:
            return len(self.grammar.lines) - 1
        return max(sum(arm.star for arm in brace.arms) for brace in _braces(self.grammar.lines[0]))

    def _star_line(self, derivation: Derivation, star: _Star, draw: Choose | None) -> list[tuple[str, bool]]:
        lines = self.grammar.lines
        words: list[tuple[str, bool]] = []
        line = lines[star.number + 1] if len(lines) > 1 else lines[0]
        self._line(line, derivation, _Where(), words, draw, star)
        return words

    def _stars(self, derivation: Derivation, licensed: set[str]) -> Iterator[str]:
        for number in range(self.star_count):

            def render(choose: Choose, number: int = number) -> tuple[tuple[int, ...], str]:
                star = _Star(number, choose, {}, [], {})
                words = self._star_line(derivation, star, None)
                return tuple(star.ranks), " ".join(word for word, _ in words if word)

            # The first feature that changes the form decides; a false star is then no version at all.
            found = [pair for pair in explore(render) if pair[1] != derivation.text]
            best = min((ranks for ranks, _ in found), default=())
            yield from (text for ranks, text in found if ranks == best and text not in licensed)

    # --- rendering ----------------------------------------------------------------------------------------------

    def _line(
        self,
        line: Line,
        derivation: Derivation,
        where: _Where,
        words: list[tuple[str, bool]],
        draw: Choose | None,
        star: _Star | None,
    ) -> None:
        """Append (word, whether it is masked).  `draw` chooses new words (None: all are known)."""
        for position, part in enumerate(line):
            if isinstance(part, str):
                words.append((part, False))
                continue
            start = len(words)
            starred = any(arm.star for arm in part.arms)
            key = (*where.path, position)
            inner = _Where(where.path, where.bound, key if starred else None, where.breaks)
            if starred and star is not None:
                arms = [arm for arm in part.arms if arm.star]
                arm = arms[star.number if len(arms) > 1 else 0]
                self._arm(arm, derivation, inner, words, draw, star, (*key, "star"))
            else:
                self._choice([arm for arm in part.arms if not arm.star], derivation, inner, words, draw, star, key)
            body = part.arms[0].body
            name = (body.label or body.name) if isinstance(body, Mention) else ""
            if not where.path and (name == self.grammar.target if self.grammar.target else starred):
                words[start:] = [(word, True) for word, _ in words[start:]] or [("", True)]

    def _choice(
        self,
        arms: list[Arm],
        derivation: Derivation,
        where: _Where,
        words: list[tuple[str, bool]],
        draw: Choose | None,
        star: _Star | None,
        key: Any,
    ) -> None:
        if len(self.grammar.lines) > 1 and not where.path and not any(isinstance(arm.body, Mention) for arm in arms):
            key = ("text", str(Brace(tuple(arms))))  # across lines, the same text is the same choice
        if len(arms) == 1:
            index = 0
        elif all(isinstance(a.body, tuple) and len(a.body) == 1 and isinstance(a.body[0], str) for a in arms) and (
            len({a.weight for a in arms}) == 1
        ):
            # Equally likely quoted words are words.
            if key not in derivation.draws:
                assert draw is not None
                text = draw([arm.body[0] for arm in arms if isinstance(arm.body, tuple)])
                derivation.draws[key] = Draw(Word("", text, ()), text, ())
            words.append((derivation.draws[key].text, False))
            return
        elif star is not None and key not in derivation.structure:
            index = star.choices.setdefault(key, star.choose(range(len(arms))))
        else:
            if key not in derivation.structure:
                assert draw is not None
                derivation.structure[key] = draw(range(len(arms)))
            index = derivation.structure[key]
        self._arm(arms[index], derivation, where, words, draw, star, (*key, index) if isinstance(key, tuple) else key)

    def _arm(
        self,
        arm: Arm,
        derivation: Derivation,
        where: _Where,
        words: list[tuple[str, bool]],
        draw: Choose | None,
        star: _Star | None,
        key: Any,
    ) -> None:
        if isinstance(arm.body, Mention):
            self._mention(arm.body, derivation, where, words, draw, star, key)
            return
        for position, unit in enumerate(arm.body):
            if isinstance(unit, str):
                words.append((unit, False))
            else:
                self._choice(list(unit.arms), derivation, where, words, draw, star, (*key, position))

    def _cell(self, feature: str, derivation: Derivation, where: _Where, star: _Star | None, known: bool) -> Any:
        """(the cell that a `$` feature asks for, whether the form breaks)."""
        variable, _, part = feature.lstrip("!").partition(".")
        cell = dict(where.bound).get(variable, derivation.variables.get(variable))
        assert cell is not None
        if not feature.startswith("!"):
            is_broken = where.breaks and variable in dict(where.bound)
            return {name: cell.get(name) for name in ([part] if part else BUNDLE)}, is_broken
        if star is not None and known:
            if (variable, part) not in star.broken:
                star.broken[variable, part] = star.choose(list(_breaks(cell, part)))
            rank, other = star.broken[variable, part]
            star.ranks.append(rank)
            return other, True
        if (variable, part) not in derivation.others:
            first = part or next((name for name in BUNDLE if name in cell), BUNDLE[0])
            cells = [other for other in self.cells(variable) if other.get(first) != cell.get(first)]
            raise _NeedsOther(variable, part, cells)
        return derivation.others[variable, part], False

    def _mention(
        self,
        mention: Mention,
        derivation: Derivation,
        where: _Where,
        words: list[tuple[str, bool]],
        draw: Choose | None,
        star: _Star | None,
        place: Any,
    ) -> None:
        class_name = self._class_name(mention)
        name = mention.label or (mention.name if class_name != mention.name else "")
        if class_name in self.tables:
            self._table(mention, self.tables[class_name], derivation, where, words, draw, star)
            return
        if name:
            key: Any = (*where.path, name)
        elif where.path and where.path[0] == "cell":
            key = ("cell", where.path[1], class_name)
        elif where.brace is not None:
            key = ("in contrast", where.brace, class_name)
        elif len(self.grammar.lines) > 1 and not where.path:
            key = ("class", class_name)
        else:
            key = ("at", *place)
        shown_name = name or class_name
        known = key in derivation.draws or key in derivation.structure
        # Outside a contrast `!$n` is a distractor in every member.
        breaks = star is not None and (where.brace is not None or len(self.grammar.lines) > 1)
        cells = []
        for feature in mention.features:
            if "$" in feature:
                try:
                    cells.append(self._cell(feature, derivation, where, star, known and breaks))
                except _NeedsOther as needed:
                    assert draw is not None
                    derivation.others[needed.variable, needed.part] = draw(needed.cells)
                    cells.append(self._cell(feature, derivation, where, star, False))
        if class_name in self.phrases:
            phrase = self.phrases[class_name]
            if key not in derivation.structure:
                assert draw is not None
                derivation.structure[key] = draw(range(len(phrase.rules)))
            bound = ((phrase.variable, cells[0][0]),) if cells else ()
            rule = phrase.rules[derivation.structure[key]]
            inner = _Where((*key, derivation.structure[key]), bound, None, any(breaks for _, breaks in cells))
            self._line(rule, derivation, inner, words, draw, star)
            return
        literals = [feature for feature in mention.features if feature in BARE]
        stated = frozenset(BARE[value] for value in literals)
        if key not in derivation.draws:
            assert draw is not None
            derivation.draws[key] = self._anchor(class_name, literals, [cell for cell, _ in cells], draw)
            if not where.path or where.path[0] == "cell":
                derivation.names.setdefault(shown_name, key)
            words.append((derivation.draws[key].text, False))
            return
        known_draw = derivation.draws[key]
        is_again = star is not None and where.brace is None and len(self.grammar.lines) == 1
        if not mention.features or (is_again and not any(broken for _, broken in cells)):
            words.append((known_draw.text, False))
            return
        words.append((self._changed(known_draw, literals, stated, cells, star), False))

    def _anchor(self, class_name: str, literals: list[str], cells: list[dict[str, str]], draw: Choose) -> Draw:
        stated = frozenset(BARE[value] for value in literals)
        options: dict[tuple[int, str], list[Analysis]] = {}
        words = self.classes[class_name].words
        for number, word in enumerate(words):
            for analysis in filtered(word.analyses, literals):
                if all(analysis.fits(cell, stated) for cell in cells):
                    narrowed: Analysis | None = analysis
                    for cell in cells:
                        for name in dict(analysis.bundle):
                            if name not in stated and cell.get(name) is not None and narrowed is not None:
                                narrowed = narrowed.narrowed(name, frozenset([cell[name]]))
                    assert narrowed is not None
                    options.setdefault((number, analysis.text), []).append(narrowed)
        number, text = draw(list(options))
        return Draw(words[number], text, tuple(options[number, text]))

    def _changed(
        self, known: Draw, literals: list[str], stated: frozenset[str], cells: list[Any], star: _Star | None
    ) -> str:
        """The form of a later mention: what its features change, all the rest kept."""
        whole = known.word if not known.word.category else listed_word(known.word.category, known.word.lemma)
        texts: dict[str, None] = {}
        for analysis in filtered(whole.analyses, literals):
            if not all(analysis.fits(cell, stated) for cell, _ in cells):
                continue
            changed = stated | {name for cell, _ in cells for name in BUNDLE if cell.get(name) is not None}
            if any(_compatible(analysis, anchor, changed) for anchor in known.analyses):
                texts[analysis.text] = None
        if star is None:
            if len(texts) != 1:
                raise Dead
            return next(iter(texts))
        return str(star.choose(list(texts)))

    def _table(
        self,
        mention: Mention,
        table: Table,
        derivation: Derivation,
        where: _Where,
        words: list[tuple[str, bool]],
        draw: Choose | None,
        star: _Star | None,
    ) -> None:
        key = ("table", table.name)
        if table.is_text and key not in derivation.draws:
            assert draw is not None
            number = draw(range(len(table.rows)))
            row_word = Word(f"table {table.name} {number}", shown(table.rows[number][0]), ())
            derivation.draws[key] = Draw(row_word, str(number), ())
        if not table.is_text and key not in derivation.structure:
            assert draw is not None
            derivation.structure[key] = draw(range(len(table.rows)))
        row = table.rows[int(derivation.draws[key].text) if table.is_text else derivation.structure[key]]
        cells = [self._cell(f, derivation, where, star, star is not None)[0] for f in mention.features if "$" in f]
        fitting = []
        for column, cell in zip(table.columns, row, strict=True):
            labels = column.split()
            values = {BARE[label]: label for label in labels if label in BARE}
            if all(f in labels for f in mention.features if "$" not in f) and all(
                wanted.get(name) in (None, value) for wanted in cells for name, value in values.items()
            ):
                fitting.append(cell)
        if not fitting:
            raise Dead
        self._line(fitting[0], derivation, _Where(("cell", table.name)), words, draw, star)

    # --- conditions ---------------------------------------------------------------------------------------------

    def _distinct(self, derivation: Derivation) -> bool:
        names = {key: name for name, key in derivation.names.items()}
        allowed = {frozenset(pair) for pair in self.grammar.repeat}
        asked = {frozenset(pair) for pair in self.grammar.distinct}
        for (one, first), (two, second) in itertools.combinations(derivation.draws.items(), 2):
            same = (first.word.category, first.word.lemma) == (second.word.category, second.word.lemma)
            pair = frozenset([names.get(one, ""), names.get(two, "")])
            if same and (pair in asked or (first.word.is_open and pair not in allowed)):
                return False
        return True

    def _holds(self, test: Test, derivation: Derivation) -> bool:
        if test.operator == "not":
            return not self._holds(test.parts[0], derivation)
        if test.operator in ("and", "or"):
            found = [self._holds(part, derivation) for part in test.parts]
            return all(found) if test.operator == "and" else any(found)
        left, right = (self._value(part, derivation) for part in test.parts)
        if left is None or right is None:
            return True
        return bool(left & right) == (test.operator == "=")

    def _value(self, operand: Any, derivation: Derivation) -> frozenset[str] | None:
        if isinstance(operand, str):
            return frozenset([operand])
        name, feature = operand
        if name.startswith("$"):
            return frozenset([derivation.variables[name][feature]])
        draw = derivation.draws[derivation.names[name]]
        if feature in BUNDLE:
            sets = [dict(a.bundle)[feature] for a in draw.analyses if a.agrees and feature in dict(a.bundle)]
            return frozenset().union(*sets) if sets else None
        forms = {dict(a.other)[feature] for a in draw.analyses if feature in dict(a.other)}
        if forms:
            return frozenset(forms)
        value = dict(draw.word.values).get(feature)
        return None if value is None else frozenset([value])


class _NeedsOther(Exception):  # noqa: N818
    def __init__(self, variable: str, part: str, cells: list[dict[str, str]]) -> None:
        self.variable, self.part, self.cells = variable, part, cells
        super().__init__(variable)


def _first(options: Sequence[Any]) -> Any:
    """What stands for a choice while only the words are being drawn."""
    return options[0] if options else ""


def _braces(line: Sequence[str | Brace]) -> Iterator[Brace]:
    for part in line:
        if isinstance(part, Brace):
            yield part
            for arm in part.arms:
                if isinstance(arm.body, tuple):
                    yield from _braces([unit for unit in arm.body if isinstance(unit, Brace)])


def _breaks(cell: dict[str, str], part: str) -> Iterator[tuple[int, dict[str, str]]]:
    """(rank, cell) for every other cell; a value that no mention carries is free."""
    for values in itertools.product(*(VALUES[name] for name in BUNDLE)):
        other = dict(zip(BUNDLE, values, strict=True))
        differing = [name for name in BUNDLE if cell.get(name, other[name]) != other[name]]
        if not differing or (part and part != "all" and differing != [part]):
            continue
        yield (0 if part == "all" else BUNDLE.index(differing[0]) if len(differing) == 1 else len(BUNDLE)), other


def _compatible(analysis: Analysis, anchor: Analysis, changed: frozenset[str] | set[str]) -> bool:
    ours, theirs = dict(analysis.other), dict(anchor.other)
    if any(name in ours and name not in changed and ours[name] != theirs[name] for name in theirs):
        return False
    mine, known = dict(analysis.bundle), dict(anchor.bundle)
    return all(name in changed or name not in mine or mine[name] & known[name] for name in known)


__all__ = ["Dead", "Derivation", "Draw", "Enumerator", "explore", "write_words"]
