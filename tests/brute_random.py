"""Random tiny grammars over all constructs, the same ones on each run: `grammar_of(number)`.

Each grammar is text with the set of constructs in it.  A grammar that brute force finds empty, or too large to list, is
drawn again; how often is kept in a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from random import Random

from brute_derivations import Derivation, TooMany
from brute_oracle import Oracle
from brute_pieces import GOVERNING, PIECES, SITELESS, SMALL, Maker

MOST = 600  # paths that brute force follows
MOST_ITEMS = 200


@dataclass(frozen=True)
class RandomGrammar:
    """A grammar, what it is made of, and what brute force finds."""

    number: int
    text: str
    constructs: frozenset[str]
    items: list[Derivation]
    projections: dict[str, list[Derivation]] | None
    one_star: bool


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
    if focus == "one star" or (maker.sites and maker.maybe(0.1)):
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
    if "one star" in maker.used and all(len(item.stars) < 2 for item in items):
        return None
    masks = "target" in maker.used or "contrast masked" in maker.used
    projections = oracle.projections() if masks else None
    return RandomGrammar(number, text, frozenset(maker.used), items, projections, "one star" in maker.used)


def grammar_of(number: int) -> RandomGrammar:
    """Grammar `number`: always the same."""
    found = listed(number, _attempts()[number])
    assert found is not None, "the generator has changed: run python tests/brute_random.py"
    return found


def _first(number: int) -> int:
    return next(n for n in range(10_000) if listed(number, n) is not None)


def main(grammars: int) -> None:
    """Look for the attempts anew."""
    with Pool() as pool:
        found = pool.map(_first, range(grammars), chunksize=10)
    rows = [" ".join(map(str, found[start : start + 40])) for start in range(0, grammars, 40)]
    ATTEMPTS.write_text("\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main(1_000)
