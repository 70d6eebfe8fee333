"""Reads the text of a tiny grammar, for the second oracle.  It knows no errors: the grammars are right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from brute_words import BARE, BUNDLE, FLAGS, VALUES, WORDS, Word, listed, quoted

TOKEN = re.compile(r'"[^"]*"|[$][A-Za-z_][\w]*|[A-Za-z_]\w*|\d+|!=|[{}()|:,=!.*+@$-]')


@dataclass(frozen=True)
class Feature:
    """A feature of a mention: kind is lit, flag, word, text, var, other (`!$n`), after or ref."""

    kind: str
    name: str = ""
    value: str = ""
    negative: bool = False


@dataclass(frozen=True)
class Mention:
    name: str
    features: tuple[Feature, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Alt:
    """An alternative: a mention, or a row of texts and braces; its mark; for arms, its level tuples."""

    body: Mention | tuple[Any, ...]
    mark: str = ""
    weight: int = 1
    tuples: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Brace:
    alts: tuple[Alt, ...]
    factors: tuple[str, ...] = ()

    @cached_property
    def is_site(self) -> bool:
        return not self.factors and any(alt.mark for alt in self.alts)


Line = tuple["str | Brace", ...]


@dataclass(frozen=True)
class Phrase:
    name: str
    variable: str
    typed: tuple[str, ...]
    literals: tuple[tuple[str, str], ...]
    depth: int
    rules: tuple[Line, ...]
    wheres: tuple[Any, ...]


@dataclass(frozen=True)
class Level:
    name: str
    starred: bool
    fixed: tuple[tuple[str, str], ...]


@dataclass
class Grammar:
    text: str
    classes: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    phrases: dict[str, Phrase] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)
    factors: dict[str, tuple[Level, ...]] = field(default_factory=dict)
    templates: list[list[tuple[str, Line]]] = field(default_factory=list)
    wheres: list[Any] = field(default_factory=list)
    repeat: list[tuple[str, ...]] = field(default_factory=list)
    distinct: list[tuple[str, ...]] = field(default_factory=list)
    cross: tuple[str, ...] = ()
    target: str = ""
    is_product: bool = False
    one_star: bool = False


def braces(line: Sequence[Any]) -> Iterator[Brace]:
    for part in line:
        if isinstance(part, Brace):
            yield part
            for alt in part.alts:
                if isinstance(alt.body, tuple):
                    yield from braces(alt.body)


def mentions_of(line: Sequence[Any]) -> Iterator[Mention]:
    for brace in braces(line):
        for alt in brace.alts:
            if isinstance(alt.body, Mention):
                yield alt.body


class _Tokens:
    def __init__(self, text: str) -> None:
        self.items = TOKEN.findall(text)
        self.at = 0

    @property
    def next(self) -> str:
        return self.items[self.at] if self.at < len(self.items) else ""

    def peek(self, further: int) -> str:
        return self.items[self.at + further] if self.at + further < len(self.items) else ""

    def take(self, wanted: str = "") -> str:
        found = self.next
        assert found, (wanted, self.items)
        assert wanted in ("", found), (wanted, self.items, self.at)
        self.at += 1
        return found

    def may(self, wanted: str) -> bool:
        if self.next == wanted:
            self.at += 1
            return True
        return False


def read_line(text: str) -> Line:
    """`the {N $n | *N !$n} .`: words and braces."""
    parts: list[str | Brace] = []
    depth, start = 0, 0
    for at, sign in enumerate(text):
        if sign == "{":
            if not depth:
                parts += text[start:at].split()
                start = at + 1
            depth += 1
        elif sign == "}":
            depth -= 1
            if not depth:
                parts.append(_brace(_Tokens(text[start:at])))
                start = at + 1
    return (*parts, *text[start:].split())


def _brace(tokens: _Tokens) -> Brace:
    names: list[str] = []
    start = tokens.at
    while re.match(r"[A-Za-z_]", tokens.next):
        names.append(tokens.take())
        if not tokens.may(","):
            break
    if names and tokens.may(":"):
        alts = [_arm(tokens)]
        while tokens.may("|"):
            alts.append(_arm(tokens))
        return Brace(tuple(alts), tuple(names))
    tokens.at = start
    alts = [_alt(tokens)]
    while tokens.may("|"):
        alts.append(_alt(tokens))
    return Brace(tuple(alts))


def _arm(tokens: _Tokens) -> Alt:
    tuples: list[tuple[str, ...]] = []
    if tokens.next == "(":
        while tokens.may("("):
            found = [tokens.take()]
            while tokens.may(","):
                found.append(tokens.take())
            tokens.take(")")
            tuples.append(tuple(found))
    else:
        tuples.append((tokens.take(),))
    alt = _alt(tokens)
    return Alt(alt.body, alt.mark, alt.weight, tuple(tuples))


def _alt(tokens: _Tokens) -> Alt:
    mark = tokens.take() if tokens.next in ("*", "+") else ""
    body: Any
    if tokens.next.startswith(('"', "{")):
        units: list[Any] = []
        while tokens.next.startswith(('"', "{")):
            if tokens.may("{"):
                units.append(_brace(tokens))
                tokens.take("}")
            else:
                units.append(tokens.take()[1:-1])
        body = tuple(units)
    else:
        body = _mention(tokens)
    weight = int(tokens.take()) if tokens.may("@") else 1
    return Alt(body, mark, weight)


def _mention(tokens: _Tokens) -> Mention:
    label, name = "", tokens.take()
    if tokens.may("="):
        label, name = name, tokens.take()
    features = []
    while tokens.next not in ("", "|", "}", "@"):
        features.append(_feature(tokens))
    return Mention(name, tuple(features), label)


def _feature(tokens: _Tokens) -> Feature:
    negative = tokens.may("-")
    if tokens.next.startswith('"'):
        return Feature("word", value=tokens.take()[1:-1], negative=negative)
    if tokens.may("!"):
        variable = tokens.take()
        return Feature("other", variable, tokens.take() if tokens.may(".") else "")
    if tokens.next.startswith("$"):
        variable = tokens.take()
        return Feature("var", variable, tokens.take() if tokens.may(".") else "")
    name = tokens.take()
    if name == "after":
        return Feature("after", tokens.take())
    if tokens.may("="):
        bang = tokens.may("!")
        value = tokens.take()
        if tokens.may("."):
            tokens.take(name)
            return Feature("ref", name, value, bang)
        return Feature("lit", name, value, bang)
    if name in BARE:
        return Feature("lit", BARE[name], name, negative)
    if name in FLAGS:
        return Feature("flag", name, negative=negative)
    return Feature("text", name)


# --- conditions: ("not", c), ("and", [c]), ("or", [c]), ("=", a, b), ("!=", a, b), ("in", a, [b]), ("flag", a),
# --- ("fits", a, b), ("call", name, [argument]); operands: ("of", name, feature), ("value", text) ---------------------


def read_condition(text: str) -> Any:
    tokens = _Tokens(text)
    found = _either(tokens)
    assert not tokens.next, text
    return found


def _either(tokens: _Tokens) -> Any:
    parts = [_both(tokens)]
    while tokens.may("or"):
        parts.append(_both(tokens))
    return parts[0] if len(parts) == 1 else ("or", parts)


def _both(tokens: _Tokens) -> Any:
    parts = [_single(tokens)]
    while tokens.may("and"):
        parts.append(_single(tokens))
    return parts[0] if len(parts) == 1 else ("and", parts)


def _single(tokens: _Tokens) -> Any:
    if tokens.may("not"):
        return ("not", _single(tokens))
    if tokens.may("("):
        found = _either(tokens)
        tokens.take(")")
        return found
    if tokens.peek(1) == "(":
        name = tokens.take()
        tokens.take("(")
        arguments = [tokens.take()]
        while tokens.may(","):
            arguments.append(tokens.take())
        tokens.take(")")
        return ("call", name, arguments)
    left = _operand(tokens)
    if tokens.may("fits"):
        return ("fits", left, _operand(tokens))
    if tokens.next in ("=", "!="):
        return (tokens.take(), left, _operand(tokens))
    if tokens.may("in"):
        tokens.take("(")
        values = [_operand(tokens)]
        while tokens.may(","):
            values.append(_operand(tokens))
        tokens.take(")")
        return ("in", left, values)
    return ("flag", left)


def _operand(tokens: _Tokens) -> Any:
    name = tokens.take()
    if name.startswith('"'):
        return ("value", name[1:-1])
    if tokens.may("."):
        return ("of", name, tokens.take())
    return ("value", name) if name in BARE else ("of", name, "")


# --- statements -------------------------------------------------------------------------------------------------------


def read(text: str) -> Grammar:
    grammar = Grammar(text)
    statements: list[str] = []
    for row in text.splitlines():
        if row.startswith((" ", "\t")) and row.strip():
            statements[-1] += "\n" + row.strip()
        elif row.strip():
            statements.append(row)
    for statement in statements:  # variables first: headers speak of them
        if statement.startswith("var "):
            name, feature = statement.removeprefix("var ").split("=")
            grammar.typed[name.strip()] = feature.strip()
    for statement in statements:
        _statement(grammar, statement)
    return grammar


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _statement(grammar: Grammar, statement: str) -> None:
    keyword, _, rest = statement.partition(" ")
    if keyword == "slot":
        name, _, sources = rest.partition("=")
        grammar.classes[name.strip()] = _union([_source(grammar, s.strip()) for s in sources.split(" | ")])
    elif keyword == "phrase":
        _phrase(grammar, rest)
    elif keyword == "factor":
        name, _, levels = rest.partition("=")
        grammar.factors[name.strip()] = tuple(_level(part) for part in levels.split("|"))
    elif keyword == "where":
        grammar.wheres.append(read_condition(rest))
    elif keyword == "repeat":
        grammar.repeat.append(_names(rest))
    elif keyword == "distinct":
        grammar.distinct.append(_names(rest))
    elif keyword == "cross":
        grammar.cross = _names(rest)
    elif keyword == "target":
        grammar.target = rest.strip()
    elif keyword == "+":
        grammar.templates.append([("+", read_line(rest))])
    elif keyword == "*":
        grammar.templates[-1].append(("*", read_line(rest)))
    elif statement == "versions product":
        grammar.is_product = True
    elif statement == "one star":
        grammar.one_star = True
    else:
        assert keyword in ("var", "paradigm"), statement


def _level(text: str) -> Level:
    parts = text.split()
    starred = parts[0].startswith("*")
    name = parts.pop(0).lstrip("*") or parts.pop(0)
    return Level(name, starred, tuple(zip(parts[::2], parts[1::2], strict=True)))


def _phrase(grammar: Grammar, text: str) -> None:
    header, _, body = text.partition(":")
    name, *parts = header.split()
    depth = 0
    if "depth" in parts:
        depth = int(parts[parts.index("depth") + 1])
        parts = parts[: parts.index("depth")]
    rows = [row for row in body.split("\n") if row.strip()]
    wheres = tuple(read_condition(row.strip().removeprefix("where ")) for row in rows if row.startswith("where "))
    rules = []
    for row in rows:
        if not row.startswith("where "):
            rules += [read_line(re.sub(r"@\d+\s*$", "", rule)) for rule in _top_bars(row)]
    variables = [part for part in parts if part.startswith("$")]
    grammar.phrases[name] = Phrase(
        name,
        next((v for v in variables if v not in grammar.typed), ""),
        tuple(v for v in variables if v in grammar.typed),
        tuple((BARE[part], part) for part in parts if not part.startswith("$")),
        depth,
        tuple(rules),
        wheres,
    )


def _top_bars(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if sign == "|" and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _source(grammar: Grammar, text: str) -> tuple[Word, ...]:
    if text.startswith('"'):
        _, word, features = text.split('"', 2)
        return (quoted(word, features),)
    tokens = _Tokens(text)
    name = tokens.take()
    features = []
    while tokens.next:
        features.append(_feature(tokens))
    words = grammar.classes[name] if name in grammar.classes else tuple(listed(name, lemma) for lemma in WORDS[name])
    only = {f.value for f in features if f.kind == "word" and not f.negative}
    kept = []
    for word in words:
        texts = {word.lemma, *(reading.text for reading in word.readings)}
        if (only and not only & texts) or any(f.kind == "word" and f.negative and f.value in texts for f in features):
            continue
        found = filtered(word, [f for f in features if f.kind in ("lit", "flag")])
        if found is not None:
            kept.append(found)
    return tuple(kept)


def filtered(word: Word, features: Iterable[Feature]) -> Word | None:
    """The word with the readings that have these features; None where there are none."""
    return _filtered(word, tuple(features))


@cache
def _filtered(word: Word, features: tuple[Feature, ...]) -> Word | None:
    readings = list(word.readings)
    for feature in features:
        if feature.kind == "flag":
            if (feature.name in word.flags) == feature.negative:
                return None
            continue
        wanted = frozenset([feature.value])
        if feature.negative:
            wanted = frozenset(VALUES[feature.name]) - wanted
        if feature.name in BUNDLE:
            narrow = [reading.narrowed(feature.name, wanted) for reading in readings if reading.agrees]
            readings = [reading for reading in narrow if reading is not None]
        elif any(reading.get(feature.name) for reading in readings):
            narrow = [reading.narrowed(feature.name, wanted) for reading in readings if reading.get(feature.name)]
            readings = [reading for reading in narrow if reading is not None]
        elif not dict(word.values).get(feature.name, wanted) & wanted:
            return None
    if not readings:
        return None
    return Word(word.category, word.lemma, tuple(readings), word.flags, word.values, word.governs, word.columns)


def _union(sources: list[tuple[Word, ...]]) -> tuple[Word, ...]:
    joined: dict[Any, Word] = {}
    for words in sources:
        for word in words:
            key = word.lexeme if word.category else word
            old = joined.get(key)
            if old is not None:
                both = tuple(dict.fromkeys(old.readings + word.readings))
                word = Word(word.category, word.lemma, both, word.flags, word.values, word.governs, word.columns)
            joined[key] = word
    return tuple(joined.values())
