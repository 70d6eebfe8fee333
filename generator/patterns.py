"""Members of leaves as patterns: rows of the tokens that can stand at each place, compared without making a sentence.

Tokens are those by which written sentences can be told apart: small letters, *a* for *an*, clitics and final marks cut
off.  Two rows of different tokens are never written alike; where that is not sure, `UnclearError` is raised.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from generator.leaves import Leaf, visible
from generator.realizing import Realizer, Style, Token
from generator.strata import Entry, Literal, Mark, MemberPieces, Ref

MAX_COMBINATIONS = 4096
"""Combinations of words' attributes that are tried, of one leaf."""

MAX_PATTERNS = 64
"""Patterns of one member: words of several tokens make several."""

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class UnclearError(Exception):
    """Tokens could run together, or become others."""


@dataclass(frozen=True)
class Place:
    """A place of a pattern: the tokens that can stand there, and whether they follow without a space."""

    tokens: frozenset[str]
    is_glued: bool = False


Pattern = tuple[Place, ...]
_Cut = tuple[tuple[str, bool], ...]
"""Tokens of a word, each with: no space before it."""


@dataclass(frozen=True)
class Member:
    """A member of a leaf's items: which version (None: the acceptable one), its pieces, the words it can have."""

    version: int | None
    is_acceptable: bool
    pieces: MemberPieces
    words: Mapping[int, Sequence[Entry]]

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The pieces that are the same in every item."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Literal))


def members_of(leaf: Leaf, is_open: bool, mask: str) -> list[Member]:
    """The members of a leaf's items."""
    live = leaf.words(0)
    every = {draw: leaf.domains[draw] for draw in live}
    if is_open:
        before, _, after = visible(leaf.stratum, leaf.scope)
        return [Member(None, True, (*before, Literal(mask), *after), every)]
    allowed = _allowed(leaf)
    members = [Member(None, True, leaf.stratum.acceptable, {**every, **allowed.get(None, {})})]
    for number, version in enumerate(leaf.stratum.versions):
        if allowed and number not in allowed:
            continue  # no item has it
        members.append(Member(number, version.acceptable, version.pieces, {**every, **allowed.get(number, {})}))
    return members


def _allowed(leaf: Leaf) -> dict[int | None, dict[int, list[Entry]]]:
    """For each version the words of items that have it, where these are few enough to try; else nothing."""
    automaton = leaf.version_automaton
    if automaton is None:
        return {}
    draws = sorted(automaton.draws)
    read = {draw: [(entry, automaton.attribute(draw, entry)) for entry in leaf.domains[draw]] for draw in draws}
    kinds = [dict.fromkeys(attribute for _, attribute in read[draw]) for draw in draws]
    if prod(map(len, kinds)) > MAX_COMBINATIONS:
        return {}
    seen: dict[int | None, list[dict[object, None]]] = {}
    for attributes in itertools.product(*kinds):
        state = automaton.start
        for draw, attribute in zip(draws, attributes, strict=True):
            state = automaton.step(state, draw, attribute)
            if state is None:
                break
        valid = automaton.valid(state) if state is not None else ()
        for version in (*valid, None) if valid else ():
            found = seen.setdefault(version, [{} for _ in draws])
            for known, attribute in zip(found, attributes, strict=True):
                known[attribute] = None
    return {
        version: {
            draw: [entry for entry, attribute in read[draw] if attribute in known]
            for draw, known in zip(draws, found, strict=True)
        }
        for version, found in seen.items()
    }


class PatternReader:
    """Reads members of one language in one style."""

    def __init__(self, realizer: Realizer, style: Style, mask: str) -> None:
        rules = realizer.rules
        self._realizer = realizer
        self._style = style
        self._mask = mask
        self._clitics = {clitic.lower() for clitic in rules.get("clitics", ()) if not clitic.isalpha()}
        self._closing = frozenset(rules.get("no_space_before", ()))
        self._opening = frozenset(rules.get("no_space_after", ()))
        quotes = rules.get("quotes", {})
        self._changed = self._opening | frozenset(quotes) | frozenset(quotes.values())
        articles = rules.get("article", {}).get("words", ())
        self._same = {word: articles[0] for word in articles}  # noqa: C420 - there may be none
        for rule in rules.get("variants", ()):
            for word in (*rule["words"], rule["becomes"]):
                self._same[word] = rule["words"][0]
        self._joining = frozenset(
            word for rule in rules.get("variants", ()) if rule.get("joined") for word in rule["words"]
        )
        joined = [*rules.get("fusions", {}), *(rules.get("contractions", {}) if style == "prose" else ())]
        self._pairs = [tuple(parts.split()) for parts in joined]
        self._known: dict[str, _Cut] = {}
        # By the identity of a list of words, which is kept with what they show.
        self._shown: dict[Hashable, tuple[Sequence[Entry], list[tuple[_Cut, ...] | None]]] = {}

    def cut(self, text: str, is_glued: bool = False) -> _Cut:
        """The tokens of a piece's text.  Raises UnclearError."""
        cut = self._known.get(text)
        if cut is None:
            cut = self._known[text] = tuple(part for word in text.split() for part in self._word(word))
        if not is_glued:
            return cut
        # A clitic may be glued: it is cut off again where it stands in a word.
        if len(cut) != 1 or cut[0][0] not in self._clitics:
            raise UnclearError
        return ((cut[0][0], self._style != "ptb"),)

    def _word(self, word: str) -> Iterator[tuple[str, bool]]:
        if word == self._mask:
            yield word.casefold(), False
            return
        if word.lower() in self._joining:
            raise UnclearError
        for number, piece in enumerate(self._realizer.penn(Token(word))):
            token = piece.text.casefold()
            is_clitic = piece.text.lower() in self._clitics
            is_closing = piece.text in self._closing
            if self._style == "prose":
                is_plain = is_clitic or _WORD.fullmatch(token) or (len(token) == 1 and not token.isspace())
                if not is_plain or piece.text in self._changed:
                    raise UnclearError
                is_glued = is_clitic or is_closing or number > 0
            else:
                is_glued = self._style == "tokens" and number > 0
            yield self._same.get(token, token), is_glued

    def shown(self, member: Member, draw: int) -> Sequence[tuple[_Cut, ...] | None]:
        """For each of a draw's words its tokens at each of its places in a member; None where it lacks a form there."""
        words = member.words[draw]
        places = tuple((p.form, p.glued) for p in member.pieces if isinstance(p, Ref) and p.draw == draw)
        key = (id(words), places)
        if key not in self._shown:
            self._shown[key] = words, [self._cuts(entry, places) for entry in words]
        return self._shown[key][1]

    def _cuts(self, entry: Entry, places: Sequence[tuple[int, bool]]) -> tuple[_Cut, ...] | None:
        found = []
        for form, is_glued in places:
            text = entry.texts[form]
            if text is None:
                return None
            found.append(self.cut(text, is_glued))
        return tuple(found)

    def patterns(self, member: Member) -> Iterator[Pattern]:
        """The patterns of a member.  Raises UnclearError."""
        draws = list(dict.fromkeys(piece.draw for piece in member.pieces if isinstance(piece, Ref)))
        kinds: list[list[list[tuple[_Cut, ...]]]] = []
        for draw in draws:
            by_shape: dict[object, list[tuple[_Cut, ...]]] = {}
            for shown in self.shown(member, draw):
                if shown is not None:
                    shape = tuple(tuple(glued for _, glued in cut) for cut in shown)
                    by_shape.setdefault(shape, []).append(shown)
            kinds.append(list(by_shape.values()))
        if prod(map(len, kinds)) > MAX_PATTERNS:
            raise UnclearError
        for chosen in itertools.product(*kinds):
            pattern = tuple(self._places(member, dict(zip(draws, chosen, strict=True))))
            self._require_apart(pattern)
            yield pattern

    def _places(self, member: Member, chosen: Mapping[int, list[tuple[_Cut, ...]]]) -> Iterator[Place]:
        used: dict[int, int] = {}
        for piece in member.pieces:
            if isinstance(piece, Mark):
                continue
            if isinstance(piece, Literal):
                for token, is_glued in self.cut(piece.text, piece.glued):
                    yield Place(frozenset((token,)), is_glued)
                continue
            number = used.get(piece.draw, 0)
            used[piece.draw] = number + 1
            cuts = [shown[number] for shown in chosen[piece.draw]]
            for place in range(len(cuts[0])):
                yield Place(frozenset(cut[place][0] for cut in cuts), cuts[0][place][1])

    def _require_apart(self, pattern: Pattern) -> None:
        """Nothing in the pattern fuses, contracts or is glued to what is no plain word."""
        if pattern and pattern[0].is_glued:
            raise UnclearError
        for before, after in itertools.pairwise(pattern):
            if any(pair[0] in before.tokens and pair[-1] in after.tokens for pair in self._pairs):
                raise UnclearError
            if after.is_glued and not all(map(self._holds_clitics, before.tokens)):
                raise UnclearError

    def _holds_clitics(self, token: str) -> bool:
        if self._style == "prose":
            return True  # every token is plain or a mark there
        return token not in self._same and _WORD.fullmatch(token) is not None
