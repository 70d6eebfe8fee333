"""Why a sentence is not recognised: where it leaves every template, or what its words break."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.errors import listed, nearest
from generator.matching import Matcher, Member, State, WordsHere
from generator.normalizing import MASK, Tokens
from generator.recognizing import Options, Recognizer
from generator.strata import Entry

SHOWN = 4
_TRIED_WORDS = 200
_KEPT = 20_000


@dataclass(frozen=True)
class NearMiss:
    """How far a sentence is like those of some grammars.

    `tokens` of it read like the start of a sentence of `paradigms`; there `expected` could stand, and `found` does
    ('' at the end).  `reason` says what else is wrong, or more of the word found.
    """

    tokens: Tokens
    expected: tuple[str, ...]
    found: str
    reason: str
    paradigms: tuple[str, ...]

    @property
    def text(self) -> str:
        """`after *the dogs that*: expected a pronoun; *theys* is not one`."""
        if not self.expected and not self.found:
            return self.reason
        place = f"after *{' '.join(_shown(token) for token in self.tokens)}*" if self.tokens else "at the start"
        if not self.expected:
            return f"{place}: expected the end, found *{_shown(self.found)}*"
        wanted = _one_of(self.expected)
        if not self.found:
            return f"{place}: expected {wanted}; the sentence ends there"
        refused = "one of these" if len(self.expected) > 1 else "one" if wanted.startswith(("a ", "an ")) else "it"
        tail = f" ({self.reason})" if self.reason else ""
        return f"{place}: expected {wanted}; *{_shown(self.found)}* is not {refused}{tail}"


class NearMisses:
    """Says why sentences are not recognised; what it has found out of a place in the grammars is kept."""

    def __init__(self, recognizer: Recognizer) -> None:
        self.recognizer = recognizer
        self._at_places: dict[tuple[int, ...], tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._reasons: dict[tuple[tuple[int, ...], str], str] = {}
        self._lemmas: dict[int, Mapping[str, str]] = {}

    def near_miss(self, tokens: Tokens) -> NearMiss:
        """Why no member of any plan reads as these tokens do."""
        matcher = self.recognizer.matcher
        number, state = matcher.run(tokens)
        if number == len(tokens) and state.ends:
            reason, members = _broken(self.recognizer, tokens, state.ends)
            return NearMiss(tokens, (), "", reason, _paradigms_of(members))
        found = tokens[number] if number < len(tokens) else ""
        if len(self._at_places) > _KEPT:
            self._at_places.clear()
        if state.places not in self._at_places:
            self._at_places[state.places] = (_expected(matcher, state), _paradigms_at(matcher, state))
        expected, paradigms = self._at_places[state.places]
        return NearMiss(tokens[:number], expected, found, self._about(state, found), paradigms)

    def _about(self, state: State, found: str) -> str:
        """What the lexicon knows of a word that does not fit."""
        if not found or found == MASK:
            return ""
        key = (state.places, found)
        if key not in self._reasons:
            if len(self._reasons) > _KEPT:
                self._reasons.clear()
            self._reasons[key] = self._looked_up(state, found)
        return self._reasons[key]

    def _looked_up(self, state: State, found: str) -> str:
        matcher = self.recognizer.matcher
        lexicon = self.recognizer.plans[0].grammar.lexicon
        places = [matcher.classes[known] for place in state.places for known in matcher.class_edges[place]]
        for here in places:
            if lemma := self._lemmas_of(here.leaf.domains[here.draw]).get(found):
                return f"another form of '{lemma}'"
        known = [category for category in lexicon.categories if (category, found) in lexicon.by_form]
        if known:
            slots = [here.leaf.stratum.draws[here.draw].word_class for here in places]
            own = list(dict.fromkeys(slot.name for slot in slots if known[0] in slot.categories))
            return f"{_a(known[0])}, but not of {listed(own, 3)}" if own else f"it is {_a(known[0])}"
        texts = {text.split()[0].casefold() for here in places for text in _texts(here) if text}
        texts.update(token for place in state.places for token in matcher.edges[place])
        # What is near enough to be a slip has about its length, and its first or last letter.
        close = [t for t in texts if abs(len(t) - len(found)) <= 2 and (t[:1] == found[:1] or t[-1:] == found[-1:])]
        return nearest(found, close).removesuffix("?").replace("did you mean", "near to")

    def _lemmas_of(self, domain: Sequence[Entry]) -> Mapping[str, str]:
        """Form in small letters -> lemma, of the words of a domain; the recogniser's plans hold on to it."""
        if id(domain) not in self._lemmas:
            self._lemmas[id(domain)] = {
                analysis.text.casefold(): entry.member.entry.lemma
                for entry in domain
                for analysis in entry.member.entry.analyses
            }
        return self._lemmas[id(domain)]


def _paradigms_at(matcher: Matcher, state: State) -> tuple[str, ...]:
    bits = 0
    for place in state.places:
        bits |= matcher.plans_below[place]
    names = [plan.grammar.paradigm for n, plan in enumerate(matcher.plans) if bits >> n & 1]
    return tuple(dict.fromkeys(names))


# --- what is expected -----------------------------------------------------------------------------------------------


def _expected(matcher: Matcher, state: State) -> tuple[str, ...]:
    """What could stand behind a state: words by category, with the features that all of a category have; words."""
    classes = dict.fromkeys(known for place in state.places for known in matcher.class_edges[place])
    by_category: dict[str, list[list[str]]] = {}
    words = dict.fromkeys(token for place in state.places for token in matcher.edges[place])
    for known in classes:
        here = matcher.classes[known]
        draw = here.leaf.stratum.draws[here.draw]
        if not any(draw.word_class.categories) or (not draw.is_open and len(here.leaf.domains[here.draw]) <= SHOWN):
            words.update(dict.fromkeys(text for text in _texts(here) if text))
            continue
        category, features = _described(here)
        by_category.setdefault(category, []).append(features)
    described = []
    for category, several in by_category.items():
        shared = [value for value in several[0] if all(value in features for features in several)]
        described.append(_a(category) + (f" ({', '.join(shared)})" if shared else ""))
    return (*described, *(f"'{_shown(word)}'" for word in words))


def _described(here: WordsHere) -> tuple[str, list[str]]:
    """The category of a class, and the features asked for that are not what every word of the category has."""
    draw = here.leaf.stratum.draws[here.draw]
    resolver = here.leaf.scope.resolver
    system, lexicon = resolver.system, resolver.grammar.lexicon
    categories = list(dict.fromkeys(c for c in draw.word_class.categories if c))
    usual = {name for c in categories if c in lexicon.categories for name in lexicon.categories[c].defaults}
    carried = {name for e in here.leaf.domains[here.draw] for a in e.reading.analyses for name in a.carries} - usual
    request = draw.forms[here.form].request
    said = [
        system.value_in(cell, name)
        for cell, names in request.cells
        for name in system.bundle
        if name in carried and (not names or name in names)
    ]
    said += [value for kind, _, value, negative in request.literals if kind == "value" and not negative]
    kinds = [category if not category.startswith("table ") else f"word of {category}" for category in categories]
    return " or ".join(kinds) or f"word of '{draw.word_class.name}'", list(dict.fromkeys(said))


def _one_of(options: Sequence[str]) -> str:
    shown = list(options[:SHOWN])
    if len(options) > SHOWN:
        return ", ".join(shown) + f" or one of {len(options) - SHOWN} others"
    return " or ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _texts(here: WordsHere) -> Iterator[str]:
    for entry in here.leaf.domains[here.draw]:
        yield entry.texts[here.form] or ""


def _a(category: str) -> str:
    return f"{'an' if category[0] in 'aeiou' else 'a'} {category}"


# --- what is broken -------------------------------------------------------------------------------------------------


def _broken(recognizer: Recognizer, tokens: Tokens, ends: Sequence[Member]) -> tuple[str, list[Member]]:
    """What the words of a sentence break that has the shape of a member: the member nearest to being one."""
    reasons: dict[str, list[Member]] = {}
    for member in ends:
        for options in recognizer.matches(member, tokens):
            for reason in _reasons(member, options):
                reasons.setdefault(reason, []).append(member)
                break
    if not reasons:
        return "its words belong to no one item", list(ends)
    first = next(iter(reasons))
    return first, reasons[first]


def _reasons(member: Member, options: Options) -> Iterator[str]:
    stratum = member.leaf.stratum
    words = {draw: entries[0] for draw, entries in options.items()}
    for a, b in sorted(stratum.unlike):
        if a in words and b in words and _always(options, a, b, stratum.told):
            yield f"*{words[a].member.entry.lemma}* stands twice"
    for condition in stratum.conditions:
        if all(draw in options for draw in condition.draws):
            chosen = itertools.product(*(options[draw] for draw in condition.draws))
            some = itertools.islice(chosen, _TRIED_WORDS)
            if not any(
                condition.holds(tuple(read(e) for read, e in zip(condition.read, entries, strict=True)))
                for entries in some
            ):
                yield f"it breaks '{condition.text}'"
    if member.version >= 0:
        yield "with these words it is no version of an item: it would not differ, or would not be starred"
    yield "its words do not go together in one item"


def _always(options: Options, a: int, b: int, told: frozenset[int]) -> bool:
    def words(draw: int) -> set[object]:
        found: set[object] = {entry.word(draw, told) for entry in _entries(options[draw])}
        return found

    one, two = words(a), words(b)
    return len(one) == 1 and one == two


def _entries(entries: Sequence[Entry]) -> Sequence[Entry]:
    return entries[:_TRIED_WORDS]


def _paradigms_of(members: Sequence[Member]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(member.plan.grammar.paradigm for member in members))


def _shown(token: str) -> str:
    return "the mask" if token == MASK else token
