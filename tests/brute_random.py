"""Random tiny grammars over all constructs, the same ones on each run: `grammar_of(number)`.

Each grammar is text with the set of constructs in it.  A grammar that brute force finds empty, or too large to list, is
drawn again; how often is kept in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from brute_oracle import Derivation, Oracle, TooMany

MOST = 600  # paths that brute force follows
MOST_ITEMS = 200

CONSTRUCTS = (
    "government", "empty auxiliary", "several takes values", "before its governor",
    "typed variable", "broken typed variable", "typed distractor",
    "reference on a first mention", "reference to another word", "reference to a form",
    "several header variables", "private variable", "header literal", "features to the head",
    "recursion", "mutual recursion", "private condition", "void condition", "split condition",
    "selection", "fits", "comparison across slots",
    "one factor", "two factors", "starred level", "starred arm", "fixing level", "tuples",
    "versions product", "one star", "repeat", "distinct", "overlapping classes", "several sites", "several lines",
    "broken agreement", "distractor", "choice", "target", "contrast masked",
)  # fmt: skip

POOLS: dict[str, tuple[str, ...]] = {
    "Noun": ("dog", "cat", "sheep", "axe", "axis", "king", "queen"),
    "Plain": ("dog", "cat", "sheep", "axe", "axis"),
    "Name": ("ivan", "olga", "marie"),
    "Verb": ("run", "put", "see", "hit", "rain"),
    "Adj": ("bon", "gris", "large", "brun"),
    "Art": ("der", "manch"),
    "He": ("he", "she", "it", "they"),
    "Refl": ("himself", "herself", "oneself", "themselves"),
    "Prep": ("mit", "ohne", "ab", "als"),
    "Part": ("on", "by", "up"),
}
CATEGORIES = {
    "Noun": "noun", "Plain": "noun", "Name": "name", "Verb": "verb", "Adj": "adjective", "Art": "article", "He": "pronoun",  # noqa: E501
    "Refl": "reflexive", "Prep": "preposition", "Part": "particle",
}  # fmt: skip
GOVERNING = ('auxiliary "be" pres', 'auxiliary "be" past', 'auxiliary "have" pres', 'auxiliary "can" pres',
             'auxiliary "get" pres', 'auxiliary "get" past', 'auxiliary "ought" pres', '"" takes=pres', '"" takes=past')  # fmt: skip  # noqa: E501
SHAPED = ("Noun", "Plain", "Name", "Verb", "Adj", "Part", "Prep")


@dataclass(frozen=True)
class RandomGrammar:
    """A grammar, what it is made of, and what brute force finds."""

    number: int
    text: str
    constructs: frozenset[str]
    items: list[Derivation]
    projections: dict[str, list[Derivation]] | None
    one_star: bool


class Maker:
    """Draws the parts of one grammar."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.classes: dict[str, str] = {}
        self.phrases: list[str] = []
        self.vars: dict[str, str] = {}
        self.wheres: list[str] = []
        self.more: list[str] = []
        self.used: set[str] = set()
        self.named: list[tuple[str, str]] = []  # (name, kind) of draws of the sentence
        self.optional: set[str] = set()
        self.targets: list[str] = []
        self.count = 0
        self.sites = 0
        self.design = False

    def pick(self, options: Sequence[Any]) -> Any:
        return self.rng.choice(options)

    def maybe(self, share: float = 0.5) -> bool:
        return self.rng.random() < share

    def note(self, *constructs: str) -> None:
        assert set(constructs) <= set(CONSTRUCTS), constructs
        self.used.update(constructs)

    # --- words --------------------------------------------------------------------------------------------------

    def slot(self, kind: str, most: int = 3) -> str:
        """A class of this kind: one of two overlapping selections of its words."""
        name = kind + self.pick("XY")
        if name not in self.classes:
            lemmas = self.rng.sample(POOLS[kind], min(len(POOLS[kind]), self.pick(range(1, most + 1))))
            self.classes[name] = " | ".join(f'{CATEGORIES[kind]} "{lemma}"' for lemma in lemmas)
            twin = kind + ("Y" if name.endswith("X") else "X")
            if twin in self.classes and set(self.classes[twin].split(" | ")) & set(self.classes[name].split(" | ")):
                self.note("overlapping classes")
        return name

    def label(self, kind: str) -> str:
        self.count += 1
        name = f"x{self.count}"
        self.named.append((name, kind))
        return name

    def new(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # --- pieces: each a stretch of the sentence -----------------------------------------------------------------

    def noun(self) -> str:
        kind = self.pick(["Noun", "Plain", "Plain"])
        features = self.pick(["$n", "$n", "sg", "pl", "$m", ""])
        return f"{{{self.label(kind)}={self.slot(kind)} {features}}}"

    def word(self) -> str:
        kind = self.pick(["Part", "Part", "Plain"])
        features = "sg" if kind == "Plain" else ""
        return f"{{{self.label(kind)}={self.slot(kind)} {features}}}"

    def distractor(self) -> str:
        self.note("distractor")
        return f"{{{self.slot('Plain')} $n}} {{{self.slot('Plain')} !$n}}"

    def choice(self) -> str:
        self.note("choice")
        if self.maybe():
            return str(self.pick(['{"far" | "much"}', '{"far" @2 | "much" {"so" | "too"}}']))
        name = self.label("Part")
        self.optional.add(name)
        return f'{{"it" @2 | {{{name}={self.slot("Part")}}} "that"}}'

    def contrast(self) -> str:
        self.sites += 1
        way = self.pick(["quoted", "be", "be", "adjective", "three"])
        if way == "be":
            self.note("broken agreement")
            name = self.aux_slot()
            self.targets.append(name)
            return f"{{{self.slot('Plain')} $n}} {{{name} $n | *{name} !$n}}"
        if way == "adjective":
            self.note("broken agreement")
            name = self.slot("Adj")
            return f"{{{self.slot('Noun')} $n}} {{{name} $n | *{name} !$n{self.pick(['', '.all', '.number'])}}}"
        if way == "three":
            return '{"is" | *"are" | *"be"}'
        return '{"is" | "was" | *"are"}' if self.maybe(0.3) else '{"is" | *"are"}'

    def aux_slot(self) -> str:
        name = "Be" + self.pick("XY")
        if name not in self.classes:
            sources = self.rng.sample(['auxiliary "be" pres', 'auxiliary "be" past', 'auxiliary "have" pres'], 2)
            self.classes[name] = " | ".join(sources[: self.pick([1, 2])])
        return name

    def governed(self) -> str:
        """An auxiliary and its verb."""
        self.note("government")
        infl, verb = self.new("Infl"), self.slot("Verb", 2)
        sources = self.rng.sample(GOVERNING, self.pick([1, 2, 2, 3]))
        self.classes[infl] = " | ".join(sources)
        if any(s.startswith('""') for s in sources):
            self.note("empty auxiliary")
        if any("get" in s for s in sources):
            self.note("several takes values")
        self.targets.append(infl)
        starred = not self.design and self.maybe(0.7)
        if starred:
            self.sites += 1
            self.note("broken agreement")
        site = f"{{{infl} $n | *{infl} !$n}}" if starred else f"{{{infl} $n}}"
        subject = f"{{{self.label('Plain')}={self.slot('Plain', 2)} $n}}"
        if self.maybe(0.25):
            self.note("features to the head")
            phrase = self.new("VP")
            noun = self.slot("Plain", 2)
            rules = self.pick([f"{{head={verb}}} it | {{{verb}}}", f"{{head={verb}}} {{{noun} sg}}"])
            self.phrases.append(f"phrase {phrase}: {rules}")
            vp = f"{{{phrase} after {infl}}}"
        else:
            vp = f"{{{self.label('Verb')}={verb} after {infl}}}"
        if self.maybe(0.35):
            self.note("before its governor")
            return self.pick([f"{vp} {subject} {site}", f"{subject} {vp} {site}"])
        return self.pick([f"{subject} {site} {vp}", f"{site} {subject} {vp}"])

    def adposition(self) -> str:
        self.note("government")
        prep = self.slot("Prep")
        name = self.label("Prep")
        return f"{{{name}={prep}}} {{{self.slot('Art')} {self.pick(['sg', 'pl', 'sg', '$n'])} after {name}}}"

    def cased(self) -> str:
        self.note("typed variable")
        self.vars["$c"] = "case"
        article = f"{{{self.slot('Art')} {self.pick(['sg', '$n', 'sg'])} $c}}"
        kind = self.pick(["Name", "He"])
        name = self.slot(kind)
        if self.maybe(0.3):
            self.note("typed distractor")
            return f"{article} {{{self.label(kind)}={name} !$c}}"
        if not self.design and self.maybe(0.5):
            self.note("broken typed variable")
            self.sites += 1
            return f"{article} {{{name} $c | *{name} !$c}}"
        return f"{article} {{{self.label(kind)}={name} $c}}"

    def shaped(self) -> str:
        self.note("typed variable")
        self.vars["$s"] = "shape"
        return f"{{{self.slot('Part')} $s}} {{{self.label('Noun')}={self.slot('Noun')} sg $s}}"

    def reflexive(self) -> str:
        self.note("reference to another word")
        self.sites += 1
        name, noun, refl = self.label("Noun"), self.slot("Noun"), self.slot("Refl")
        return f"{{{name}={noun} {self.pick(['sg', 'sg', '$n'])}}} {{{refl} gender={name}.gender | *{refl} gender=!{name}.gender}}"  # noqa: E501

    def participle(self) -> str:
        self.note("reference to a form")
        self.sites += 1
        name, noun, adjective = self.label("Noun"), self.slot("Noun"), self.slot("Adj")
        return f"{{{name}={noun} sg}} {{{adjective} sg gender={name}.gender | *{adjective} sg gender=!{name}.gender}}"

    def referring(self) -> str:
        self.note("reference on a first mention")
        name, kind = self.label("Noun"), self.pick(["Name", "Noun", "Refl"])
        features = {"Name": "nom", "Noun": "sg", "Refl": ""}[kind]
        bang = self.pick(["", "!"])
        feature = self.pick(["gender", "shape"]) if kind != "Refl" else "gender"
        return (
            f"{{{name}={self.slot('Noun')} sg}} "
            f"{{{self.label(kind)}={self.slot(kind)} {features} {feature}={bang}{name}.{feature}}}"
        )

    def noun_phrase(self) -> str:
        """A phrase that agrees, perhaps recursive, perhaps with a condition of its own."""
        phrase, noun, part = self.new("NP"), self.slot("Plain", 2), self.slot("Part", 2)
        depth = self.pick([0, 1, 1, 2])
        rules = [f"the {{head={noun} $p}}", f"a {{{part}}} {{head={noun} $p}}"][: 1 if depth else 2]
        if depth:
            self.note("recursion")
            rules.append(f"so {{head={phrase} $p}} by {{{part}}}")
        header = f"phrase {phrase} $p{f' depth {depth}' if depth else ''}:"
        block = header + "".join(f"\n    {rule}" for rule in rules)
        if self.maybe(0.6):
            self.note("private condition")
            test = self.pick([f"head.shape = {part}.shape", f'{part} != "by" and head.shape = {part}.shape',
                              f"not head.shape = {part}.shape or head.heavy", "head.animate"])  # fmt: skip
            if " and " in test:
                self.note("split condition")
            block += f"\n    where {test}"
        self.phrases.append(block)
        self.named.append((name := self.new("x"), "NP"))
        if self.maybe(0.25):
            self.note("private variable")
            return f"{{{name}={phrase}}}"
        return f"{{{name}={phrase} $n}}"

    def branching(self) -> str:
        self.note("recursion")
        phrase, depth = self.new("NP"), self.pick([1, 1, 2])
        name = self.slot("Part", 2)
        first = f"{{head={name}}}" if self.maybe() else f"{{head={self.slot('Plain', 2)} sg}}"
        second = (
            self.pick([f"( {{head={phrase}}} {{{phrase}}} )", f"( {{head={phrase}}} )"])
            if depth == 1
            else f"( {{{phrase}}} )"
        )
        self.phrases.append(f"phrase {phrase} depth {depth}: {first} | {second}")
        return f"{{{phrase}}}"

    def mutual(self) -> str:
        self.note("recursion", "mutual recursion")
        one, two, part = self.new("A"), self.new("B"), self.slot("Part", 2)
        deeper = self.pick([" depth 1", ""])
        self.phrases.append(f"phrase {one} depth 1: x {{{part}}} | a {{{two}}}")
        self.phrases.append(f"phrase {two}{deeper}: y | b {{{one}}}")
        return f"{{{one}}}"

    def two_headed(self) -> str:
        self.note("several header variables")
        phrase = self.new("NP")
        self.vars["$q"] = "case"
        article, noun = self.slot("Art", 2), self.slot("Plain", 2)
        second = f" | {{head={self.slot('Art', 2)} $p $q}} up" if self.maybe(0.3) else ""
        self.phrases.append(f"phrase {phrase} $p $q: {{{article} $p $q}} {{head={noun} $p}}{second}")
        way = self.pick(["$n nom", "$n dat", "$n $c", "$n $c", "$c", "$n", "acc"])
        if way in ("$c", "$n", "acc"):
            self.note("private variable")
        if "$c" in way:
            self.vars["$c"] = "case"
            self.note("typed variable")
            return f"{{{phrase} {way}}} {{{self.label('He')}={self.slot('He')} $c}}"
        return f"{{{phrase} {way}}}"

    def coordinated(self) -> str:
        self.note("header literal")
        phrase = self.new("Both")
        self.phrases.append(f"phrase {phrase} pl: {{{self.slot('Plain', 2)} sg}} and {{{self.slot('Plain', 2)} sg}}")
        if self.maybe(0.3):
            name, noun = self.new("x"), self.label("Plain")
            self.wheres.append(f"{name}.number {self.pick(['=', '!='])} {noun}.number")
            return f"{{{name}={phrase}}} {{{noun}={self.slot('Plain', 2)}}}"
        return f"{{{phrase} $n}} {{{self.aux_slot()} $n}}"

    def headed(self) -> str:
        self.note("features to the head")
        phrase, verb = self.new("VP"), self.slot("Verb", 2)
        self.phrases.append(f"phrase {phrase}: {{head={verb}}} {{{self.slot('Plain', 2)} sg}} | {{{verb}}} it")
        name = self.new("x")
        if not self.design and self.maybe(0.5):
            self.sites += 1
            return f"{{{name}={phrase} {self.pick(['past', 'base'])} | *{name} ing}}"
        return f"{{{phrase} {self.pick(['past', 'ing', 'base'])}}}"

    def selecting(self) -> str:
        subject, verb, thing = self.label("Noun"), self.label("Verb"), self.label("Noun")
        self.note("selection")
        kind = self.pick(["Noun", "Noun", "He"])
        mention = f"{self.slot(kind)} {'sg' if kind == 'Noun' else 'nom'}"
        if kind == "He":
            self.named = [(n, k) for n, k in self.named if n != subject]
        self.wheres.append(f"{verb}({self.pick([f'{subject}, {thing}', f'_, {thing}', f'{subject}, _', subject])})")
        return f"{{{subject}={mention}}} {{{verb}={self.slot('Verb')} past}} {{{thing}={self.slot('Noun')} sg}}"

    def fitting(self) -> str:
        self.note("fits")
        thing, verb = self.label("Noun"), self.label("Verb")
        self.wheres.append(self.pick(["", "", "not "]) + f"{thing} fits {verb}.{self.pick(['subject', 'object'])}")
        return f"{{{thing}={self.slot('Noun')} sg}} {{{verb}={self.slot('Verb')} past}}"

    # --- statements ---------------------------------------------------------------------------------------------

    def conditions(self) -> None:
        names = [(name, kind) for name, kind in self.named if kind in SHAPED]
        if len(names) < 2 or not self.maybe(0.5):
            return
        (one, _), (two, _) = self.rng.sample(names, 2)
        way = self.pick(["same", "same", "and", "or", "value", "not"])
        compared = f"{one}.shape {self.pick(['=', '!='])} {two}.shape"
        self.note("comparison across slots")
        test = {
            "same": compared,
            "and": f"{compared} and {two}.shape = {self.pick(['round', 'flat'])}",
            "or": f"{compared} or {one}.heavy",
            "value": f"{one}.shape = round or {two}.shape in (flat, round)",
            "not": f"not ({compared} and {one}.animate)",
        }[way]
        if way == "and":
            self.note("split condition")
        if {one, two} & self.optional:
            self.note("void condition")
        self.wheres.append(test)

    def identities(self) -> None:
        nouns = [name for name, kind in self.named if kind in ("Noun", "Plain") and name not in self.optional]
        parts = [name for name, kind in self.named if kind == "Part" and name not in self.optional]
        if len(nouns) > 1 and self.maybe(0.4):
            self.note("repeat")
            self.more.append(f"repeat {', '.join(self.rng.sample(nouns, 2))}")
        if len(parts) > 1 and self.maybe(0.7):
            self.note("distinct")
            self.more.append(f"distinct {', '.join(self.rng.sample(parts, 2))}")

    def finish(self, lines: Sequence[str], fixed: Sequence[str] = ()) -> str | None:
        """The grammar around these lines; None where a variable stands alone and cannot be crossed."""
        text = "\n".join(lines)
        crossed = []
        for variable in ("$n", "$m", "$c", "$s"):
            times = text.count(variable)
            if variable in fixed:
                if times < 2:
                    return None
            elif times == 1 or (times and self.maybe(0.4)):
                crossed.append(variable)
        rows = [f"var {variable} = {feature}" for variable, feature in self.vars.items()]
        for name, sources in self.classes.items():
            everything = text + "".join(self.phrases)
            if any(f"{before}{name}{after}" in everything for before in "{=* " for after in " }"):
                rows.append(f"slot {name} = {sources}")
        rows += self.phrases + self.more + list(lines)
        rows += [f"where {where}" for where in self.wheres]
        rows += [f"cross {', '.join(crossed)}"] if crossed else []
        return "\n".join(rows) + "\n"


Piece = Callable[[Maker], str]
PIECES: dict[str, Piece] = {
    "government": Maker.governed, "several takes values": Maker.governed, "before its governor": Maker.governed,
    "empty auxiliary": Maker.governed, "case": Maker.adposition,
    "typed variable": Maker.cased, "broken typed variable": Maker.cased, "typed distractor": Maker.cased,
    "shape": Maker.shaped, "reference to another word": Maker.reflexive, "reference to a form": Maker.participle,
    "reference on a first mention": Maker.referring, "private condition": Maker.noun_phrase,
    "recursion": Maker.branching, "mutual recursion": Maker.mutual, "several header variables": Maker.two_headed,
    "private variable": Maker.two_headed, "header literal": Maker.coordinated, "features to the head": Maker.headed,
    "selection": Maker.selecting, "fits": Maker.fitting, "distractor": Maker.distractor, "choice": Maker.choice,
    "distinct": lambda maker: f"{maker.word()} {maker.word()}", "repeat": lambda maker: f"{maker.noun()} {maker.noun()}",  # noqa: E501
    "void condition": lambda maker: f"{maker.choice()} {maker.word()}",
    "broken agreement": Maker.contrast,
}  # fmt: skip
SMALL: tuple[Piece, ...] = (
    Maker.noun, Maker.word, Maker.choice, Maker.distractor, Maker.contrast, Maker.shaped, Maker.referring, Maker.cased,
    Maker.governed, Maker.noun_phrase, Maker.mutual, Maker.reflexive, Maker.participle, Maker.adposition, Maker.fitting,
    Maker.coordinated, Maker.headed, Maker.two_headed,
)  # fmt: skip
SITELESS: tuple[Piece, ...] = (Maker.noun, Maker.word, Maker.choice, Maker.shaped, Maker.referring, Maker.noun_phrase,
                               Maker.mutual, Maker.cased, Maker.governed, Maker.fitting)  # fmt: skip


def _sentence(maker: Maker, focus: str) -> str | None:
    """A sentence with contrasts, which switch together or, as a product, alone."""
    rng = maker.rng
    pieces = [PIECES[focus](maker)] if focus in PIECES else []
    wanted = maker.pick([0, 1, 1, 2])
    if focus in ("versions product", "several sites"):
        pieces += [_sited(maker), _sited(maker)]
        wanted = maker.pick([0, 0, 1])
    pieces += [maker.pick(SMALL)(maker) for _ in range(wanted)]
    if not maker.sites:
        pieces.append(maker.contrast())
    rng.shuffle(pieces)
    line = f"+ {' , '.join(pieces)} ."
    if focus == "versions product" or (maker.sites > 1 and focus != "several sites" and maker.maybe(0.3)):
        maker.note("versions product")
        maker.more.append("versions product")
        if '*"are" | *"be"' in line and maker.maybe(0.5):
            line = line.replace('*"are" | *"be"', '*"are" | +"be"')
    elif maker.sites > 1:
        maker.note("several sites")
        if line.count('*"be"') not in (0, maker.sites):
            line = line.replace(' | *"be"', "")  # as many stars at each
    if focus == "one star" or (maker.sites and maker.maybe(0.05)):
        maker.note("one star")
        maker.more.append("one star")
    targets = [name for name in maker.targets if line.count(f"{{{name} ") == 1]
    if targets and maker.maybe(0.6):
        maker.note("target")
        maker.more.append(f"target {maker.pick(targets)}")
    elif maker.sites == 1:
        maker.note("contrast masked")
    maker.conditions()
    maker.identities()
    return maker.finish([line])


def _sited(maker: Maker) -> str:
    return str(maker.pick([Maker.contrast, Maker.contrast, Maker.participle, Maker.reflexive])(maker))


def _lines(maker: Maker) -> str | None:
    """A contrast in word order."""
    maker.note("several lines")
    parts, names = [], []
    for _ in range(maker.pick([2, 2, 3])):
        kind = maker.pick(["Noun", "Plain", "Part", "Name", "He", "Aux"])
        features = {"Noun": "$n", "Plain": maker.pick(["$n", "sg"]), "Part": "", "Name": "nom", "He": "acc"}
        name = maker.label(kind)
        if kind == "Aux":
            maker.note("government")
            infl, verb = maker.new("Infl"), maker.slot("Verb", 2)
            maker.classes[infl] = " | ".join(maker.rng.sample(GOVERNING[:6], 2))
            parts.append(f"{{{name}={infl} $n}} {{v{name}={verb} after {name}}}")
            names += [name, f"v{name}"]
        else:
            parts.append(f"{{{name}={maker.slot(kind)} {features[kind]}}}")
            names.append(name)
    lines = [f"+ {' '.join(parts)} ."]
    for _ in range(maker.pick([1, 1, 2])):
        order = maker.rng.sample(names, len(names))
        lines.append(f"* {' '.join(f'{{{name}}}' for name in order)} {maker.pick(['.', 'not .'])}")
    maker.conditions()
    maker.identities()
    return maker.finish(lines)


def _design(maker: Maker, focus: str) -> str | None:
    """A design of one or two factors."""
    maker.design = True
    fixed: list[str] = []
    factors = []
    pieces = [maker.pick(SITELESS)(maker) for _ in range(maker.pick([0, 0, 1]))]
    starred = maker.maybe(0.6) or focus == "starred level"
    ways = ["fixing level", "tuples", "one factor"]
    way = focus if focus in ways else maker.pick(ways)
    star = "*" if starred else ""
    arm_star = "" if starred and maker.maybe(0.8) else "*"
    if way != "tuples":
        maker.note("starred level") if starred else None
        maker.note("starred arm") if arm_star else None
        factors.append(f"factor match = match | {star}mismatch")
        kind = maker.pick(["be", "be", "word", "case", "gender"])
        if kind == "be":
            name, noun = maker.aux_slot(), maker.slot("Plain", 2)
            maker.targets.append(name)
            maker.note("broken agreement")
            pieces.append(f"{{{noun} $n}} {{match: match {name} $n | mismatch {arm_star}{name} !$n}}")
        elif kind == "word":
            part, other = maker.slot("Part"), maker.slot("Plain", 2)
            pieces.append(f"{{match: match {part} | mismatch {arm_star}{other} sg}}")
        elif kind == "case":
            maker.vars["$c"] = "case"
            maker.note("typed variable", "broken typed variable")
            name = maker.slot("He")
            pieces.append(f"{{{maker.slot('Art')} sg $c}} {{match: match {name} $c | mismatch {arm_star}{name} !$c}}")
        else:
            name = maker.slot("Adj")
            maker.note("broken agreement")
            pieces.append(f"{{{maker.slot('Noun')} $n}} {{match: match {name} $n | mismatch {arm_star}{name} !$n}}")
        if way == "fixing level":
            maker.note("two factors", "fixing level")
            if kind == "case":
                fixed.append("$c")
                factors.append("factor case = nominative $c nom | accusative $c acc")
            else:
                fixed.append("$n")
                factors.append("factor number = sing $n sg | plural $n pl")
                if kind == "word":
                    pieces.append(f"{{{maker.slot('Plain', 2)} $n}} {{{maker.aux_slot()} $n}}")
                if maker.maybe(0.4):
                    maker.note("distractor")
                    pieces.append(f"{{{maker.slot('Plain', 2)} !$n}}")
            if maker.maybe():
                factors.reverse()
        else:
            maker.note("one factor")
    else:
        maker.note("two factors", "tuples")
        if starred:
            maker.note("starred level")
        factors.append(f"factor one = a | {star}b")
        factors.append("factor two = c | d")
        first, second = maker.slot("Part"), maker.slot("Plain", 2)
        bodies = [first, '"x"', f'"y" {{{second} sg}}', '"z"']
        maker.rng.shuffle(bodies)
        tuples = ["(a, c)", "(a, d)", "(b, c)", "(b, d)"]
        maker.rng.shuffle(tuples)
        marks = ["", "*" if not starred or maker.maybe(0.3) else "", "", ""]
        if "*" in marks:
            maker.note("starred arm")
        arms = [f"{where} {mark}{body}" for where, mark, body in zip(tuples, marks, bodies, strict=True)]
        if maker.maybe(0.4):
            arms = [*arms[:2], f"{tuples[2]} {tuples[3]} {bodies[2]}"]
            pieces.append('{one: a "p" | b "q"} {two: c "r" | d "s"}')
        maker.rng.shuffle(arms)
        pieces.append(f"{{one, two: {' | '.join(arms)}}}")
    maker.rng.shuffle(pieces)
    line = f"+ {' , '.join(pieces)} ."
    targets = [name for name in maker.targets if line.count(f"{{{name} ") + line.count(f": match {name} ") == 1]
    if targets and maker.maybe(0.7):
        maker.note("target")
        maker.more.append(f"target {maker.pick(targets)}")
    maker.more += factors
    maker.conditions()
    maker.identities()
    return maker.finish([line], fixed)


# What each grammar must have; the rest comes as it may.  What comes seldom by itself stands twice.
_RARE = (
    "versions product", "several sites", "reference to another word", "reference to a form", "several header variables",
    "header literal", "features to the head", "selection", "fits", "fixing level", "tuples", "several lines",
    "split condition", "one factor", "distinct", "distractor", "private condition", "void condition", "typed distractor",  # noqa: E501
    "before its governor", "several takes values", "private variable", "reference on a first mention", "one star",
)  # fmt: skip
FOCUS = (*_RARE, "mutual recursion", "broken typed variable", "empty auxiliary", *_RARE, "distinct", "typed distractor",
         "reference to another word", "mutual recursion", "one factor", "repeat", "tuples", "before its governor",
         "selection",
         "selection", "several lines", "several lines", "void condition", "void condition", "versions product",
         "header literal", "fixing level", "fixing level", "empty auxiliary", "tuples", "distinct", "one factor")  # fmt: skip  # noqa: E501
DESIGNS = ("one factor", "two factors", "starred level", "starred arm", "fixing level", "tuples")


def attempt(rng: Random, focus: str) -> tuple[Maker, str] | None:
    maker = Maker(rng)
    if focus in DESIGNS:
        text = _design(maker, focus)
    elif focus == "several lines":
        text = _lines(maker)
    else:
        text = _sentence(maker, focus)
    return (maker, text) if text and focus in maker.used else None


ATTEMPTS = Path(__file__).with_name("brute_attempts.txt")


@cache
def _attempts() -> tuple[int, ...]:
    """Of each grammar the first attempt that is neither empty nor too large; this file, run, finds them."""
    return tuple(map(int, ATTEMPTS.read_text("utf-8").split()))


def drawn(number: int, attempt_number: int) -> tuple[Maker, str] | None:
    return attempt(Random(number * 10_000 + attempt_number), FOCUS[number % len(FOCUS)])


def constructs_of(number: int) -> frozenset[str]:
    made = drawn(number, _attempts()[number])
    assert made is not None
    return frozenset(made[0].used)


def listed(number: int, attempt_number: int) -> RandomGrammar | None:
    """A grammar with what brute force finds; None where that is nothing, or too much."""
    made = drawn(number, attempt_number)
    if made is None:
        return None
    maker, text = made
    try:
        oracle = Oracle(text, MOST)
        items = oracle.items()
    except TooMany:
        return None
    if not 0 < len(items) <= MOST_ITEMS or ("recursion" in maker.used and not any(item.level for item in items)):
        return None
    masks = "target" in maker.used or "contrast masked" in maker.used
    projections = oracle.projections() if masks else None
    return RandomGrammar(number, text, frozenset(maker.used), items, projections, "one star" in maker.used)


def grammar_of(number: int) -> RandomGrammar:
    """Grammar `number`: always the same."""
    found = listed(number, _attempts()[number])
    assert found is not None, "the generator has changed: run python tests/brute_random.py"
    return found


def main(grammars: int) -> None:
    """Look for the attempts anew."""
    found = []
    for number in range(grammars):
        found.append(next(n for n in range(10_000) if listed(number, n) is not None))
    rows = [" ".join(map(str, found[start : start + 40])) for start in range(0, grammars, 40)]
    ATTEMPTS.write_text("\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main(1_000)
