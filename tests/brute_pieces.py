"""The parts of random tiny grammars: words, phrases, contrasts, conditions, each with the constructs in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

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
             'auxiliary "get" pres', 'auxiliary "get" past', 'auxiliary "may" pres', 'auxiliary "ought" pres', '"" takes=pres', '"" takes=past')  # fmt: skip  # noqa: E501
SHAPED = ("Noun", "Plain", "Name", "Verb", "Adj", "Part", "Prep")


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
        if any("get" in s or "may" in s for s in sources):
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
        article = f"{{{self.slot('Art')} {self.pick(['sg', 'pl', 'sg', '$n'])} after {name}}}"
        second = f" {{{self.slot('Name')} after {name}}}" if self.maybe(0.3) else ""
        return f"{{{name}={prep}}} {article}{second}"

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
