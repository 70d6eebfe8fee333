"""Renders one mention for the second oracle: draws a word, finds its form in another member, opens a phrase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import brute_conditions
from brute_derivations import At, Cell, Dead, Derivation, Draw, Member, Scope
from brute_reader import Feature, Mention, filtered, mentions_of
from brute_words import BUNDLE, VALUES, Reading, Word, listed

if TYPE_CHECKING:
    from brute_oracle import Oracle

PLAIN = ("lit", "flag", "word")


class Request:
    """What a mention asks for: plain features, cells, government, references, text columns."""

    def __init__(self) -> None:
        self.plain: list[Feature] = []
        self.cells: list[Cell] = []
        self.wrong: list[Any] = []  # of a starred condition: the broken values in order
        self.right: list[Any] = []
        self.after: list[tuple[Any, str]] = []
        self.refs: list[tuple[str, bool, Any, str]] = []
        self.columns: list[str] = []
        self.broken = False

    @property
    def is_empty(self) -> bool:
        return self.signature == ((),) * 4 and not self.wrong and not self.columns

    @property
    def signature(self) -> Any:
        cells = tuple(tuple(sorted(cell.items())) for cell in self.cells)
        return tuple(self.plain), cells, tuple(self.after), tuple(self.refs)

    @property
    def stated(self) -> frozenset[str]:
        return frozenset(f.name for f in self.plain if f.kind == "lit")

    @property
    def asked(self) -> Cell:
        found: Cell = {}
        for cell in self.cells:
            found.update({name: value for name, value in cell.items() if name not in self.stated})
        found.update({f.name: f.value for f in self.plain if f.kind == "lit" and f.name in BUNDLE and not f.negative})
        return found

    def add(self, other: Request) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value if isinstance(value, list) else self.broken or other.broken)


def _resolve(
    oracle: Oracle, features: Sequence[Feature], result: Derivation, scope: Scope, member: Member, at: At, known: bool
) -> Request:
    request = Request()
    for feature in features:
        if feature.kind in PLAIN:
            request.plain.append(feature)
        elif feature.kind == "text":
            request.columns.append(feature.name)
        elif feature.kind == "after":
            request.after.append((scope.path, feature.name))
        elif feature.kind == "ref":
            request.refs.append((feature.name, feature.negative, scope.path, feature.value))
        else:
            typed = oracle.grammar.typed.get(feature.name)
            breaks = False
            if feature.kind == "other":
                value, breaks = oracle.other(feature, result, scope, member, at, known)
            else:
                value = oracle.value(feature.name, result, scope, member)
            request.broken = request.broken or breaks
            if isinstance(value, list):  # in a starred condition
                request.right.append(_asking(typed, oracle.value(feature.name, result, scope, member)))
                request.wrong += [_asking(typed, other) for other in value]
            elif typed:
                request.plain.append(Feature("lit", typed, value))
            else:
                part = feature.value if feature.kind == "var" else ""
                request.cells.append({n: v for n, v in value.items() if not part or n == part})
    return request


def _asking(typed: str | None, value: Any) -> Request:
    request = Request()
    if typed:
        request.plain.append(Feature("lit", typed, value))
    else:
        request.cells.append(value)
    return request


def render(oracle: Oracle, mention: Mention, result: Derivation, scope: Scope, member: Member, at: At) -> None:
    owner = scope.phrase.name if scope.phrase else result.template
    base = oracle.base(mention.name, owner)
    name = mention.label or (mention.name if base != mention.name else "")
    if name:
        key: Any = (*scope.path, name)
    elif at.brace is not None:
        key = ("brace", at.brace, base)
    elif not scope.path and len(oracle.templates[result.template]) > 1:
        key = ("class", base)
    else:
        key = ("at", *at.place)
    is_head = mention.label == "head" or scope.only_mention
    if scope.path and (is_head or scope.path not in result.heads):
        result.heads[scope.path] = key
    if base in oracle.grammar.phrases:
        _phrase(oracle, mention, base, name or base, key, result, scope, member, at, is_head)
    else:
        _word(oracle, mention, base, name or base, key, result, scope, member, at, is_head)


# --- phrases ----------------------------------------------------------------------------------------------------------


def _phrase(
    oracle: Oracle, mention: Mention, base: str, name: str, key: Any, result: Derivation, scope: Scope, member: Member,
    at: At, is_head: bool,
) -> None:  # fmt: skip
    phrase = oracle.grammar.phrases[base]
    depth = scope.stack.count(base)
    if depth > phrase.depth:
        raise Dead
    result.level = max(result.level, depth)
    known = key in result.structure
    typed = {oracle.grammar.typed[variable]: variable for variable in phrase.typed}
    bound: dict[str, Any] = dict(result.bound.get(key, {}))
    passed: list[Feature] = []
    for feature in mention.features:
        if feature.kind in ("var", "other") and feature.name not in oracle.grammar.typed:
            request = _resolve(oracle, [feature], result, scope, member, at, known)
            assert not request.wrong, "the random grammars break no phrase inside the arms of a design"
            cell = request.cells[0]
            if any(cell.get(n, v) != v for n, v in phrase.literals):
                raise Dead
            if phrase.variable:
                bound[phrase.variable] = cell
            elif not phrase.literals:
                passed.append(feature)
        elif feature.kind in ("var", "other") and oracle.grammar.typed[feature.name] in typed:
            request = _resolve(oracle, [feature], result, scope, member, at, known)
            bound[typed[request.plain[0].name]] = request.plain[0].value
        elif feature.kind == "lit" and feature.name in typed and not feature.negative:
            bound[typed[feature.name]] = feature.value
        else:
            passed.append(feature)
    result.bound.setdefault(key, dict(bound))
    extra = [(tuple(passed), scope, known)] if passed else []
    if is_head:
        extra += scope.extra
    if not known:
        result.structure[key] = result.choose(range(len(phrase.rules)))
        result.names.setdefault(scope.path, {}).setdefault(name, key)
    number = result.structure[key]
    path = (*key, number) if key[: len(scope.path)] == scope.path else (*scope.path, *key, number)
    result.uses[key] = (path, phrase)
    rule = phrase.rules[number]
    inner = Scope(
        path, phrase, tuple(bound.items()), (*scope.stack, base), scope.breaks or at.starred, tuple(extra),
        sum(1 for _ in mentions_of(rule)) == 1,
    )  # fmt: skip
    oracle.line(rule, result, inner, member, path)


# --- words ------------------------------------------------------------------------------------------------------------


def _word(
    oracle: Oracle, mention: Mention, base: str, name: str, key: Any, result: Derivation, scope: Scope, member: Member,
    at: At, is_head: bool,
) -> None:  # fmt: skip
    known = key in result.draws
    features = list(mention.features)
    governed = any(f.kind == "after" for f in features)
    if is_head:
        governed = governed or any(f.kind == "after" for passed, _, _ in scope.extra for f in passed)
    token: list[Any] = ["", False]
    member.tokens.append(token)
    is_steady = member.kind == "site" and not at.starred and not scope.breaks and not governed
    if known and is_steady and at.place in result.shown:
        token[0], asked = result.shown[at.place]
        member.asked.setdefault(key, asked)
        return
    request = _resolve(oracle, features, result, scope, member, at, known)
    if is_head:
        for passed, outer, phrase_known in scope.extra:
            request.add(_resolve(oracle, passed, result, outer, member, at, phrase_known))

    def show(text: str, asked: Cell) -> None:
        token[0] = text
        if member.kind == "good":
            result.shown[at.place] = (text, asked)

    if request.columns:
        draw = result.draws.get(key)
        column = dict(draw.word.columns).get(request.columns[0], "") if draw else ""
        if not column:
            raise Dead
        show(column, {})
        return
    if not known:
        _draw(oracle, base, key, request, result, member, token, show)
        result.names.setdefault(scope.path, {}).setdefault(name, key)
        return
    draw = result.draws[key]
    if request.is_empty:
        member.asked.setdefault(key, draw.asked)
        show(draw.text, draw.asked)
        return
    if not governed and not request.wrong and request.signature == draw.signature:
        member.asked.setdefault(key, draw.asked)
        show(draw.text, draw.asked)
        return
    for feature, _, _, _ in request.refs:
        if not _inflects(draw, feature):  # another word of the class
            again = (*key, "anew", *at.place)
            if again not in result.draws:
                _draw(oracle, base, again, request, result, member, token, show)
            else:
                token[0] = result.draws[again].text
            return
    asked = request.asked
    if request.wrong:
        base_request = request.right[0]
        asked = {**request.asked, **base_request.asked}
        right = _texts(draw, _joined(request, base_request), result, member, at)
        for other in request.wrong:
            texts = [t for t in _texts(draw, _joined(request, other), result, member, at) if t not in right]
            if texts:
                member.asked.setdefault(key, {**request.asked, **other.asked})
                token[0] = texts[0]
                return
        raise Dead
    member.asked.setdefault(key, asked)
    if not governed:
        show(_one(_texts(draw, request, result, member, at), member, at), asked)
        return

    def later() -> None:
        _, cell = _government(request, result, member) or _dead()
        if (request.signature, cell) == (draw.signature, draw.governed):
            show(draw.text, asked)
        else:
            show(_one(_texts(draw, request, result, member, at), member, at), asked)

    member.later.append(later)


def _dead() -> Any:
    raise Dead


def _joined(request: Request, other: Request) -> Request:
    joined = Request()
    joined.add(request)
    joined.wrong, joined.right = [], []
    joined.add(other)
    return joined


def _one(texts: list[str], member: Member, at: At) -> str:
    """The form in this member: of a version any, elsewhere the only one."""
    if member.kind in ("site", "line"):
        if not texts:
            raise Dead
        return str(member.pick(texts, at, is_break=True))
    if len(texts) != 1:
        raise Dead
    return texts[0]


def _fits(reading: Reading, cell: Cell, stated: frozenset[str]) -> bool:
    return reading.agrees and all(
        value in carried
        for name, value in cell.items()
        if name not in stated and (carried := reading.get(name)) is not None
    )


def _government(request: Request, result: Derivation, member: Member) -> tuple[list[Any], list[Cell]] | None:
    """(what is governed, the cells that are asked of the governors) in this member; None before they are drawn."""
    governs: list[Any] = []
    cells: list[Cell] = []
    for path, name in request.after:
        key = brute_conditions.drawn(result, path, name)
        if key is None:
            return None
        draw = result.draws[key]
        if not draw.word.governs:
            raise Dead
        asked = member.asked.get(key, draw.asked)
        governs += [(feature, _one_of(key, feature, values, result), asked) for feature, values in draw.word.governs]
        cells.append(asked)
    return governs, cells


def _one_of(key: Any, feature: str, values: frozenset[str], result: Derivation) -> frozenset[str]:
    """Of the values that a word governs the one that the item has chosen."""
    kept = (key, feature)
    if kept not in result.governing:
        result.governing[kept] = result.choose([value for value in VALUES[feature] if value in values])
    return frozenset([result.governing[kept]])


def _meets(reading: Reading, governs: list[Any]) -> bool:
    for feature, values, asked in governs:
        if not (reading.get(feature) or frozenset()) & values:
            return False
        if reading.agrees and not _fits(reading, asked, frozenset()):
            return False
    return True


def _draw(
    oracle: Oracle, base: str, key: Any, request: Request, result: Derivation, member: Member, token: Any, show: Any
) -> None:
    words = oracle.words(base)
    options: dict[tuple[int, str], list[Reading]] = {}
    ready = _ready(request, result, member)
    governs = _government(request, result, member) if ready else None
    for number, word in enumerate(words):
        for reading in _anchors(word, request):
            if governs is None or _meets(reading, governs[0]):
                options.setdefault((number, reading.text), []).append(reading)
    number, text = result.choose(list(options))
    draw = Draw(words[number], text, tuple(options[number, text]), words, request.signature, request.asked)
    draw.governed = governs[1] if governs else []
    result.draws[key] = draw
    result.checks += [(*ref, key) for ref in request.refs]
    member.asked.setdefault(key, request.asked)
    show(text, request.asked)
    if not ready:

        def later() -> None:
            found = _government(request, result, member) or _dead()
            draw.readings = tuple(reading for reading in draw.readings if _meets(reading, found[0]))
            draw.governed = found[1]
            if not draw.readings:
                raise Dead

        member.later.append(later)


def _ready(request: Request, result: Derivation, member: Member) -> bool:
    """Whether all governors have been mentioned in this member."""
    keys = [brute_conditions.drawn(result, path, name) for path, name in request.after]
    return all(key is not None and key in member.asked for key in keys)


def _anchors(word: Word, request: Request) -> list[Reading]:
    texts = {word.lemma, *(reading.text for reading in word.readings)}
    for feature in request.plain:
        if feature.kind == "word" and (feature.value in texts) == feature.negative:
            return []
    found = filtered(word, [f for f in request.plain if f.kind != "word"])
    readings = []
    for reading in found.readings if found else ():
        if all(_fits(reading, cell, request.stated) for cell in request.cells):
            narrow: Reading | None = reading
            for cell in request.cells:
                for name, value in cell.items():
                    if name not in request.stated and narrow is not None:
                        narrow = narrow.narrowed(name, frozenset([value]))
            assert narrow is not None
            readings.append(narrow)
    return readings


def _inflects(draw: Draw, feature: str) -> bool:
    """Whether a feature distinguishes forms of some word of the draw's class."""
    words = (listed(*word.lexeme) for word in draw.words if word.category)
    return any(
        len({values for reading in word.readings if (values := reading.get(feature)) is not None}) > 1 for word in words
    )


def _texts(draw: Draw, request: Request, result: Derivation, member: Member, at: At) -> list[str]:
    """The forms of a known word that a mention can show: what its features change, all the rest kept."""
    requests = [request.plain]
    for feature, negative, path, name in request.refs:
        values = brute_conditions.values(result, path, name, feature)
        if values is None:
            if negative:
                raise Dead
            continue
        wanted = [v for v in VALUES[feature] if (v in values) != negative]
        requests = [[*plain, Feature("lit", feature, value)] for plain in requests for value in wanted]
    if len(requests) > 1 and member.kind in ("site", "line"):
        requests = [member.pick(requests, at, is_break=True)]
    governs = (_government(request, result, member) or _dead())[0] if request.after else []
    whole = listed(*draw.word.lexeme) if draw.word.category else draw.word
    found: dict[str, None] = {}
    for plain in requests:
        stated = frozenset(f.name for f in plain if f.kind == "lit")
        changed = stated | {name for cell in request.cells for name in cell}
        if governs:
            changed = changed | {*BUNDLE, *(feature for feature, _, _ in governs)}
        word = filtered(whole, [f for f in plain if f.kind != "word"])
        for reading in word.readings if word else ():
            if (
                all(_fits(reading, cell, stated) for cell in request.cells)
                and _meets(reading, governs)
                and any(_keeps(reading, anchor, changed) for anchor in draw.readings)
            ):
                found[reading.text] = None
    return list(found)


def _keeps(reading: Reading, anchor: Reading, changed: frozenset[str]) -> bool:
    return all(
        name in changed or (own := reading.get(name)) is None or bool(own & values) for name, values in anchor.features
    )
