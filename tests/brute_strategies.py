"""Hypothesis strategies for tiny grammars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brute_force import Enumerator
from brute_tiny import Arm, Brace, Class, Line, Mention, Phrase, Source, Table, Test, Tiny, slot
from hypothesis import assume
from hypothesis import strategies as st

MOST_ITEMS = 3_000

NOUNS = ("dog", "cat", "sheep", "fish", "axe", "axis", "king", "queen", "deer")
CLASSES: dict[str, list[Source]] = {
    "Noun": [Source("noun", lemma) for lemma in NOUNS],
    "Thing": [Source("noun", lemma) for lemma in NOUNS] + [Source("", "stuff", ("sg",)), Source("", "things", ("pl",))],
    "Verb": [Source("verb", "run", ("pres",)), Source("verb", "put", ("pres",)), Source("verb", "hit", ("past",)),
             Source("verb", "run", ("past",))],
    "Aux": [Source("auxiliary", "be", ("pres",)), Source("auxiliary", "be", ("past",)), Source("auxiliary", "can"),
            Source("auxiliary", "have", ("pres",))],
    "Adj": [Source("adjective", lemma) for lemma in ("bon", "gris", "large", "brun")],
    "Det": [Source("determiner", lemma) for lemma in ("the", "this", "a")],
    "Part": [Source("particle", lemma) for lemma in ("on", "by", "up")],
    "Bit": [Source("particle", "on"), Source("particle", "up"), Source("", "on"), Source("", "off")],
}  # fmt: skip
AGREEING = ("Noun", "Thing", "Verb", "Aux", "Adj", "Det")
CONTRASTED = ("Noun", "Thing", "Verb", "Aux", "Adj", "Det")
VARIABLES = ("$n", "$m")


class Builder:
    """Draws the parts of a grammar from hypothesis, and keeps what they need."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.classes: dict[str, Class] = {}
        self.phrases: list[Phrase] = []
        self.tables: list[Table] = []
        self.labelled: list[tuple[str, str]] = []  # (name of a draw, kind of its class)
        self.count = 0

    def pick(self, options: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def word_class(self, kind: str) -> str:
        """A class of this kind: one of two overlapping selections of its words."""
        name = kind + self.pick("XY")
        if name not in self.classes:
            sources = self.draw(st.lists(st.sampled_from(CLASSES[kind]), min_size=1, max_size=3, unique=True))
            self.classes[name] = Class(name, tuple(sources))
        return name

    def label(self, kind: str) -> str:
        self.count += 1
        name = f"x{self.count}"
        self.labelled.append((name, kind))
        return name

    def mention(self, kinds: Sequence[str] = tuple(CLASSES), variables: Sequence[str] = VARIABLES) -> Brace:
        kind = self.pick(kinds)
        options: list[tuple[str, ...]] = [(), ()]
        if kind in AGREEING and variables:
            options += [(v,) for v in variables] * 2
        if kind in ("Noun", "Det", "Adj"):
            options += [("sg",), ("pl",)]
        if kind in ("Noun", "Adj") and "$n" in variables:
            options.append(("!$n",))
        label = self.label(kind) if self.draw(st.booleans()) else ""
        return slot(self.word_class(kind), *self.pick(options), label=label)

    def contrast(self, stars: int) -> Brace:
        """A brace with this many stars."""
        way = self.pick(["broken", "broken", "literal", "quoted", "classes"]) if stars == 1 else "quoted"
        if way == "broken":
            kind, variable = self.pick(CONTRASTED), self.pick(VARIABLES)
            name, label = self.word_class(kind), self.label(kind) if self.draw(st.booleans()) else ""
            part = self.pick(["", "", ".all", ".number"])
            star = Mention(label or name, (f"!{variable}{part}",))
            return Brace((Arm(Mention(name, (variable,), label)), Arm(star, star=True)))
        if way == "literal":
            name, label = self.word_class("Noun"), self.label("Noun")
            values = self.pick([("sg", "pl"), ("pl", "sg")])
            return Brace((Arm(Mention(name, values[:1], label)), Arm(Mention(label, values[1:]), star=True)))
        if way == "classes":
            first, second = self.word_class("Part"), self.word_class("Bit")
            return Brace((Arm(Mention(first)), Arm(Mention(second), star=True)))
        plain = self.draw(st.lists(st.sampled_from(["is", "are", "was"]), min_size=1, max_size=2, unique=True))
        starred = self.draw(st.lists(st.sampled_from(["is", "are", "be"]), min_size=stars, max_size=stars, unique=True))
        weight = self.pick([1, 1, 2])
        arms = [Arm((text,), weight=weight if number else 1) for number, text in enumerate(plain)]
        return Brace((*arms, *(Arm((text,), star=True) for text in starred)))

    def choice(self) -> Brace:
        texts = self.draw(st.lists(st.sampled_from(["so", "very", "quite", ""]), min_size=2, max_size=3, unique=True))
        weights = [self.pick([1, 1, 1, 3]) for _ in texts]
        inner = Brace((Arm(("much",)), Arm(("far",))))
        rows = [(text, inner) if text == "so" and self.draw(st.booleans()) else (text,) for text in texts]
        return Brace(tuple(Arm(row, weight=weight) for row, weight in zip(rows, weights, strict=True)))

    def phrase(self) -> Brace:
        number = len(self.phrases) + 1
        variable = self.pick(["$p", ""])
        variables = [variable] if variable else []
        kept = list(self.labelled)
        first: Line = ("those", self.mention(("Det", "Noun"), variables), self.mention(("Noun",), variables))
        second: Line = ("some", self.mention(("Noun", "Adj"), variables))
        self.labelled = kept
        used = any("$p" in f for line in (first, second) for b in line if isinstance(b, Brace)
                   for arm in b.arms if isinstance(arm.body, Mention) for f in arm.body.features)  # fmt: skip
        variable = variable if used else ""
        weights = self.pick([(1, 1), (2, 1)])
        self.phrases.append(Phrase(f"Phrase{number}", variable, (first, second), weights))
        return slot(f"Phrase{number}", *([self.pick(VARIABLES)] if variable else []))

    def table(self) -> Brace:
        number = len(self.tables) + 1
        if self.draw(st.booleans()):
            cells = st.sampled_from([("he",), ("they",), ("you",), ("all", "of", "us")])
            rows = tuple((self.draw(cells), self.draw(cells)) for _ in range(self.pick([1, 2])))
            self.tables.append(Table(f"Table{number}", ("sg", "pl"), rows))
            return slot(f"Table{number}", self.pick(["sg", "pl", "$n", "$m"]))
        noun = slot(self.word_class("Noun"))
        rows = ((("one",), ("near", noun)), (("two",), (slot(self.word_class("Part")), "it")))
        self.tables.append(Table(f"Table{number}", ("name", "rest"), rows))
        return slot(f"Table{number}", "rest")

    def test(self) -> Test:
        names = [(name, kind) for name, kind in self.labelled if kind in ("Noun", "Adj", "Part", "Verb", "Thing")]
        agreeing = [(name, kind) for name, kind in self.labelled if kind in ("Noun", "Adj", "Det", "Verb", "Aux")]
        kind = self.pick(["shape", "heat", "number", "value", "value"])
        operator = self.pick(["=", "!="])
        pool = agreeing if kind == "number" else names
        assume(len(pool) >= 2)
        first, second = self.draw(st.lists(st.sampled_from(pool), min_size=2, max_size=2, unique=True))
        if kind == "value":
            one = Test("=", ((first[0], "shape"), "round"))
            two = Test(operator, ((second[0], "heat"), "warm"))
            return Test(self.pick(["and", "or"]), (one, two))
        found = Test(operator, ((first[0], kind), (second[0], kind)))
        return Test("not", (found,)) if self.draw(st.booleans()) else found


def finished(builder: Builder, lines: tuple[Line, ...], target: str = "") -> Tiny:
    """The grammar around these lines."""
    draw, pick = builder.draw, builder.pick
    nouns = [name for name, kind in builder.labelled if kind in ("Noun", "Thing")]
    others = [name for name, kind in builder.labelled if kind in ("Part", "Bit", "Aux")]
    repeat, distinct, where = [], [], []
    if len(nouns) > 1 and draw(st.booleans()):
        repeat.append((nouns[0], nouns[1]))
    if len(others) > 1 and draw(st.booleans()):
        distinct.append((others[0], others[1]))
    if (len(nouns) > 1 and pick([True, False, False])) or (len(builder.labelled) > 1 and pick([True, False])):
        where.append(builder.test())
    text = "\n".join(str(part) for line in lines for part in line)
    cross = tuple(v for v in VARIABLES if v in text and (text.count(v) < 3 or draw(st.booleans())))
    named = {name for name in builder.classes if name in text}
    inside = [line for phrase in builder.phrases for line in phrase.rules]
    inside += [cell for table in builder.tables for row in table.rows for cell in row]
    named |= {name for name in builder.classes for line in inside for part in line if name in str(part)}
    classes = tuple(c for name, c in builder.classes.items() if name in named)
    return Tiny(classes, lines, tuple(builder.phrases), tuple(builder.tables), tuple(repeat), tuple(distinct),
                tuple(where), cross, target)  # fmt: skip


def small(grammar: Tiny) -> Tiny:
    """Only grammars that the engine takes at all and that brute force can list."""
    for table in grammar.tables:
        assume(any(f"{{{table.name}" in str(part) for line in grammar.lines for part in line))
    try:
        number = sum(1 for _ in zip(range(MOST_ITEMS + 1), Enumerator(grammar).derivations(), strict=False))
    except KeyError:  # a condition on what another shape has
        assume(False)
    assume(0 < number <= MOST_ITEMS)
    return grammar


@st.composite
def one_line(draw: st.DrawFn) -> Tiny:
    builder = Builder(draw)
    makers = [builder.mention, builder.mention, builder.mention, builder.choice, builder.phrase, builder.table]
    stars = builder.pick([1, 1, 1, 2])
    slots: list[Brace] = [builder.pick(makers)() for _ in range(builder.pick([0, 1, 2, 2, 3]))]
    for _ in range(builder.pick([1, 1, 2])):
        slots.insert(draw(st.integers(0, len(slots))), builder.contrast(stars))
    line: list[str | Brace] = []
    for number, brace in enumerate(slots):
        line += [brace, f"w{number}"] if draw(st.booleans()) else [brace]
    return small(finished(builder, ((*line, "."),)))


@st.composite
def several_lines(draw: st.DrawFn) -> Tiny:
    builder = Builder(draw)
    first: list[Brace] = []
    for _ in range(builder.pick([2, 2, 3])):
        kind = builder.pick(["Noun", "Part", "Bit", "Verb", "Aux"])
        features = builder.pick([("$n",), ()]) if kind in AGREEING else ()
        first.append(slot(builder.word_class(kind), *features, label=builder.label(kind)))
    lines: list[Line] = [(*first, ".")]
    names = [name for name, _ in builder.labelled]
    for _ in range(builder.pick([1, 1, 2])):
        order = draw(st.permutations(names))
        parts = []
        for name in order:
            kind = dict(builder.labelled)[name]
            again = builder.pick([(), (), ("sg",), ("pl",)]) if kind == "Noun" else ()
            parts.append(slot(name, *again))
        lines.append((*parts, *builder.pick([(".",), ("not", ".")])))
    return small(finished(builder, tuple(lines)))


@st.composite
def masked(draw: st.DrawFn) -> Tiny:
    """A grammar with a slot to mask.  Its rules and alternatives read unlike, so that what merges is agreement."""
    builder = Builder(draw)
    makers = [builder.mention, builder.mention, builder.mention, builder.phrase]
    slots: list[Brace] = [builder.pick(makers)() for _ in range(builder.pick([1, 2, 2, 3]))]
    kind = builder.pick(["Noun", "Aux", "Verb", "Det"])
    label = builder.label(kind)
    target = slot(builder.word_class(kind), *builder.pick([("$n",), ("$n",), ("$m",), ()]), label=label)
    slots.insert(draw(st.integers(0, len(slots))), target)
    return small(finished(builder, ((*slots, "."),), label))
