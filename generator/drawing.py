"""Draws of a path: which words are drawn, in which forms, and what each mention asks of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from generator import nodes
from generator.agreeing import Agreement, Scope
from generator.domains import Literal as Feature
from generator.domains import Member, Request, WordClass
from generator.mentions import ResolvedFeatures
from generator.paths import DeadBranch, Oracle
from generator.resolving import Resolver
from generator.scopes import TemplateScope
from generator.source import Span
from generator.strata import DrawKey, Form, Ref

Government = tuple[tuple[str, frozenset[str]], ...]
"""What a word asks of those that stand `after` it: (feature, values), for each feature by which it governs."""


_OF_A_MEMBER = (
    "numbers",
    "anchored",
    "heads",
    "wholes",
    "scopes",
    "task_counts",
    "cell_mentions",
    "tests",
    "version_tests",
    "ranks",
)
"""What rendering a member changes, beside the draws."""


class UnseenGovernor(Exception):  # noqa: N818 - not an error: the line is read once more
    """A mention stands before the word that governs its form."""


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
class ReferenceTest:
    """`gender=x.gender`: a condition on two draws.  `value`: the value that the form has; '' to read it."""

    draw: DrawKey
    feature: str
    of: str
    scope: Scope
    negative: bool
    value: str = ""


@dataclass(frozen=True)
class Asked:
    """What a mention asks of its word, and the conditions that come with it."""

    request: Request
    tests: tuple[ReferenceTest, ...] = ()
    is_another: bool = False  # the starred mention is another word of the class


class Drawing(Agreement):
    """Collects the draws of a path."""

    def __init__(
        self,
        resolver: Resolver,
        scope: TemplateScope,
        oracle: Oracle,
        most_readings: Callable[[Draw, Request], int],
        fills: Callable[[tuple[Member, ...], Request], bool],
    ) -> None:
        super().__init__(resolver, scope, oracle)
        self.most_readings = most_readings
        self.fills = fills
        self.star = 0
        self.draws: dict[DrawKey, Draw] = {}
        self.numbers: dict[DrawKey, int] = {}
        self.anchored: set[DrawKey] = set()
        self.heads: dict[DrawKey, tuple[str, DrawKey]] = {}
        self.sites: Mapping[Hashable, int] | None = (
            None  # with `versions product`: contrast -> its star in this version
        )
        self.wholes: dict[DrawKey, tuple[str, Mapping[str, str]]] = {}  # phrases with features of their own as a whole
        self.scopes: dict[Hashable, tuple[Scope, nodes.PhraseDefinition]] = {}
        self.task_counts: dict[str, int] = {}
        self.rows: dict[str, dict[str, str]] = {}  # chosen rows: table -> column label -> words
        self.cell_mentions: dict[str, int] = {}  # in the cell being rendered: class -> mentions so far
        self.brace: Hashable | None = None  # the contrast being rendered
        self.is_starred = False  # inside a starred alternative, line or arm
        self.reading = "first"  # then "scouting", then "scouted": see `Renderer.member`
        self.governments: dict[DrawKey, Government] = {}  # draws whose words are those that ask for this
        self.ahead: dict[DrawKey, Draw] = {}  # found while scouting
        self.asked: dict[tuple[tuple[Hashable, ...], str], tuple[DrawKey, Request]] = {}  # in this member
        self.tests: list[ReferenceTest] = []  # of the item
        self.version_tests: list[ReferenceTest] = []  # of the version being rendered
        self.level = 0  # the deepest recursion so far

    def snapshot(self) -> Callable[[], None]:
        """Keep the state before a member is rendered; calling the result brings it back (decisions stay)."""
        kept = {name: getattr(self, name).copy() for name in _OF_A_MEMBER}
        draws = {key: list(draw.forms) for key, draw in self.draws.items()}
        objects = dict(self.draws)

        def restore() -> None:
            for name, value in kept.items():
                setattr(self, name, value.copy())
            self.draws = {key: replace(objects[key], forms=list(forms)) for key, forms in draws.items()}

        return restore

    # --- requests -----------------------------------------------------------------------------------------------

    def ask(
        self,
        given: Sequence[tuple[ResolvedFeatures, Scope]],
        key: DrawKey,
        place: Span,
        word_class: WordClass | None = None,
    ) -> Asked:
        """What a mention asks: its own features and those that a phrase hands on, each in the scope it stands in."""
        literals: list[Feature] = []
        cells: list[tuple[int, frozenset[str]]] = []
        governed: list[tuple[str, frozenset[str]]] = []
        passed: list[tuple[int, frozenset[str]]] = []
        wrong: list[tuple[str, tuple[Request, ...]]] = []
        tests: list[ReferenceTest] = []
        column = ""
        another = False
        known = key in self.anchored
        for features, scope in given:
            literals += features.literals
            column = features.column or column
            for variable, part, broken in features.variables:
                only = frozenset([part]) if part and part != "all" else frozenset()
                breaks = broken and self.is_starred and known
                if breaks and self.condition is not None:
                    wrong.append((variable, tuple(self._wrong(variable, part, scope))))
                    value = self.variable(variable, scope)
                elif breaks:
                    value = self.broken(variable, part, scope)
                    only = frozenset()
                else:
                    value = self.other(variable, part, scope) if broken else self.variable(variable, scope)
                if typed := self.resolver.typed_feature(variable):
                    literals.append(("value", typed, self.resolver.system.values(typed)[value], False))
                else:
                    cells.append((value, only))
            for name in features.after:
                asked, over = self._government(name, scope)
                governed += asked
                passed += [*over.cells, *over.passed]
                passed += self._stated(over)
            for feature, of, negative in features.references:
                if word_class is None:
                    continue
                lexical = is_lexical(word_class, feature, self.resolver)
                draw = self.draws.get(key)
                is_first = not known or (draw is not None and draw.place == place and not self.is_starred)
                if is_first or (lexical and self.is_starred):
                    another = another or not is_first
                    tests.append(ReferenceTest(key, feature, of, scope, negative))
                    continue
                values = self.resolver.system.values(feature)
                index = self.choose(("reference", self.site, key, feature, of, negative), (1,) * len(values), feature)
                literals.append(("value", feature, values[index], False))
                tests.append(ReferenceTest(key, feature, of, scope, negative, values[index]))
        own = cells or any(kind == "value" and f in self.resolver.system.bundle for kind, f, _, _ in literals)
        # Agreement of its own (an object under a verb that asks for its case) is not that of the governing word.
        request = Request(tuple(literals), tuple(cells), column, tuple(governed), () if own else tuple(passed))
        if wrong:
            name, options = wrong[0]
            request = replace(request, wrong=tuple(self._instead(request, name, option) for option in options))
        return Asked(request, tuple(tests), another)

    def _stated(self, request: Request) -> Iterator[tuple[int, frozenset[str]]]:
        """The values of the bundle that a request writes out, as cells."""
        system = self.resolver.system
        for kind, feature, value, negative in request.literals:
            if kind == "value" and feature in system.bundle and not negative:
                mask = system.mask_of(feature, value)
                yield (mask & -mask).bit_length() - 1, frozenset([feature])

    def _wrong(self, variable: str, part: str, scope: Scope) -> list[Request]:
        """What `!$n` may break to in a factor design, best first."""
        typed = self.resolver.typed_feature(variable)
        values = [value for _, value in self.ranked(variable, part, scope)]
        if not typed:
            return [Request(cells=((value, frozenset()),)) for value in values]
        names = self.resolver.system.values(typed)
        return [Request(literals=(("value", typed, names[value], False),)) for value in values]

    def _instead(self, request: Request, variable: str, option: Request) -> Request:
        """A request with another value of one variable."""
        typed = self.resolver.typed_feature(variable)
        if typed:
            kept = tuple(literal for literal in request.literals if literal[1] != typed)
            return replace(request, literals=(*kept, *option.literals), wrong=())
        return replace(request, cells=option.cells, wrong=())

    # --- government ---------------------------------------------------------------------------------------------

    def _government(self, name: str, scope: Scope) -> tuple[Government, Request]:
        """What the word of `name` asks for, and what is asked of it in this member."""
        found = self.asked.get((names_path(scope), name))
        if found is None:
            if self.reading == "scouting":
                return (), Request()
            if self.reading == "scouted":
                raise DeadBranch(self.template.template.span, f"'{name}' does not stand in this sentence")
            raise UnseenGovernor
        key, request = found
        return self.governs(self.heads[key][1] if key in self.heads else key), request

    def governs(self, key: DrawKey) -> Government:
        """What a draw's word asks of others: decided for the item, by how many words ask the same."""
        if key not in self.governments:
            draw = self.draws.get(key) or self.ahead[key]
            asks: dict[Government, int] = {}
            for member in self.resolver.finder.filtered(draw.members, draw.forms[0].request.literals):
                if government := government_of(member, self.resolver):
                    asks[government] = asks.get(government, 0) + 1
            if not asks:
                raise DeadBranch(draw.place or self.template.template.span, f"no word of '{draw.name}' asks for a form")
            index = self.choose(("governs", key), tuple(asks.values()), draw.name, is_variable=True, for_item=True)
            self.governments[key] = list(asks)[index]
        return tuple((feature, self._one_of(key, feature, values)) for feature, values in self.governments[key])

    def _one_of(self, key: DrawKey, feature: str, values: frozenset[str]) -> frozenset[str]:
        """Of several values (a preposition with accusative or dative) one is asked for, of all that follow."""
        options = [value for value in self.resolver.system.values(feature) if value in values]
        index = self.choose(("asks", key, feature), (1,) * len(options), feature, is_variable=True, for_item=True)
        return frozenset([options[index]])

    # --- draws --------------------------------------------------------------------------------------------------

    def draw(
        self,
        key: DrawKey,
        name: str,
        word_class: WordClass,
        asked: Asked,
        glued: bool,
        place: Span,
    ) -> tuple[Ref, Request]:
        """The piece that shows a draw, and what is asked of it there."""
        request = asked.request
        if asked.is_another:
            key = (*key, "another")
        for test in asked.tests:
            found = self.version_tests if test.value and self.secondary is not None else self.tests
            moved = replace(test, draw=key)
            if moved not in found:
                found.append(moved)
        draw = self.draws.get(key)
        if draw is None:
            draw = Draw(key, name, word_class, self._task_members(word_class), [Form(request, True)], place)
            if self.secondary is None and not self.fills(draw.members, request):
                raise DeadBranch(place, f"no word of '{word_class.name}' fits")  # what follows need not be tried
            self.draws[key] = draw
            self.numbers[key] = len(self.numbers)
        if key not in self.anchored:
            if self.secondary is None:
                self.anchored.add(key)
            form = Form(request, True)
        else:
            pick = 0
            changes = request != draw.forms[0].request
            if self.secondary is not None and changes and not (request.says_nothing or request.column):
                most = self.most_readings(draw, request)
                pick = self.choose(("reading", key, request), (1,) * most, name) if most > 1 else 0
            form = Form(request, request == draw.forms[0].request and not pick, pick)
        if form.is_anchor or request.says_nothing:
            number = 0
        elif form in draw.forms:
            number = draw.forms.index(form)
        else:
            draw.forms.append(form)
            number = len(draw.forms) - 1
        return Ref(self.numbers[key], number, glued), draw.forms[number].request

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


def names_path(scope: Scope) -> tuple[Hashable, ...]:
    """The path under which a scope's names are known; those in a table's cells belong to the template."""
    return () if scope.path[:1] == ("cell",) else scope.path


def government_of(member: Member, resolver: Resolver) -> Government:
    """What a word asks of those after it: (form, {ing, participle}) for `takes=ing|participle`."""
    values = member.entry.values
    return tuple(
        (governed, values[feature]) for feature, governed in resolver.system.governing.items() if feature in values
    )


def is_lexical(word_class: WordClass, feature: str, resolver: Resolver) -> bool:
    """Whether a feature tells the words of a class apart, and not forms of one word."""
    return not any(_has_forms_in(member, feature, resolver) for member in word_class.members)


def _has_forms_in(member: Member, feature: str, resolver: Resolver) -> bool:
    system = resolver.system
    if feature not in system.bundle:
        return feature in member.entry.form_features
    fitting = {
        tuple(value for value in system.values(feature) if a.mask & system.mask_of(feature, value))
        for a in member.entry.analyses
        if a.agreeing and feature in a.carries
    }
    return len(fitting) > 1
