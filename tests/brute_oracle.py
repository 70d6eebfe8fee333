"""The second oracle: lists the items of a tiny grammar from its text.  It shares no code with the engine.

A derivation is made by replay: every choice that an item makes is asked of `choose`, every choice that only a version
makes of the version's own.  Whole derivations are tested at the end (conditions, distinctness, licences).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

import brute_conditions
import brute_mentions
from brute_derivations import At, Cell, Choose, Dead, Derivation, Draw, Member, Scope, Version, explore
from brute_reader import Alt, Brace, Feature, Grammar, Level, Line, Mention, braces, filtered, mentions_of, read
from brute_words import BUNDLE, VALUES, WORDS, Word, bundle_cells, listed


def breaks(cell: Cell, part: str) -> Iterator[tuple[int, Cell]]:
    """(rank, cell) for every other cell; a value that no mention carries is free."""
    for other in bundle_cells(set(BUNDLE)):
        differing = [name for name in BUNDLE if cell.get(name, other[name]) != other[name]]
        if not differing or (part and part != "all" and differing != [part]):
            continue
        yield (0 if part == "all" else BUNDLE.index(differing[0]) if len(differing) == 1 else len(BUNDLE)), other


class Oracle:
    def __init__(self, text: str, most: int = 20_000) -> None:
        self.grammar: Grammar = read(text)
        self.most = most
        self.found: dict[int, list[Derivation]] = {}
        self.labels: dict[Any, dict[str, str]] = {}
        owners: list[tuple[Any, list[Line]]] = [(n, [line for _, line in t]) for n, t in enumerate(self.templates)]
        owners += [(phrase.name, list(phrase.rules)) for phrase in self.grammar.phrases.values()]
        for owner, lines in owners:
            labels = self.labels.setdefault(owner, {})
            for line in lines:
                for mention in mentions_of(line):
                    stem = re.sub(r"\d+$", "", mention.name)
                    if mention.label:
                        labels[mention.label] = mention.name
                    elif mention.name not in self.grammar.classes and stem in self.grammar.classes:
                        labels[mention.name] = stem
        self.carried: dict[Any, set[str]] = {}
        self.typed: dict[Any, list[str]] = {}
        binds: list[tuple[Any, Any]] = []
        for owner, lines in owners:
            for line in lines:
                for mention in mentions_of(line):
                    binds += self._carry(mention, owner)
        for _ in range(len(binds) + 1):
            for outer, inner in binds:
                self.carried.setdefault(outer, set()).update(self.carried.get(inner, set()))

    @property
    def templates(self) -> list[list[tuple[str, Line]]]:
        return self.grammar.templates

    def base(self, name: str, owner: Any) -> str:
        seen: set[str] = set()
        while name in self.labels[owner] and name not in seen:
            seen.add(name)
            name = self.labels[owner][name]
        return name

    def words(self, base: str) -> tuple[Word, ...]:
        """The words of a slot or of a category."""
        if base not in self.grammar.classes:
            self.grammar.classes[base] = tuple(listed(base, lemma) for lemma in WORDS[base])
        return self.grammar.classes[base]

    def _carry(self, mention: Mention, owner: Any) -> Iterator[tuple[Any, Any]]:
        """What a mention's variables can tell apart; yields (outer, inner) variables that are one."""
        base = self.base(mention.name, owner)
        used = [f.name for f in mention.features if f.kind in ("var", "other")]
        for variable in used:
            if variable in self.grammar.typed:
                if variable not in self.typed.setdefault(owner, []):
                    self.typed[owner].append(variable)
                continue
            self.carried.setdefault((owner, variable), set())
            if base in self.grammar.phrases:
                phrase = self.grammar.phrases[base]
                self.carried[owner, variable] |= {name for name, _ in phrase.literals if name in BUNDLE}
                if phrase.variable:
                    yield (owner, variable), (base, phrase.variable)
                continue
            literal = [f for f in mention.features if f.kind == "lit" and not f.negative]
            only = {f.value for f in mention.features if f.kind == "word" and not f.negative}
            for word in self.words(base):
                if only and not only & {word.lemma, *(reading.text for reading in word.readings)}:
                    continue
                found = filtered(word, literal)
                for reading in found.readings if found else ():
                    names = {name for name, _ in reading.features if name in BUNDLE}
                    self.carried[owner, variable] |= names - {f.name for f in literal}

    # --- derivations --------------------------------------------------------------------------------------------

    def derivations(self, template: int) -> list[Derivation]:
        """Every derivation of the acceptable member (or conditions) that keeps conditions and distinctness."""
        if template not in self.found:
            found = explore(lambda choose: self._derive(choose, template), self.most)
            self.found[template] = [d for d in found if brute_conditions.holds(self.grammar, d) and self._distinct(d)]
        return self.found[template]

    def items(self, template: int = 0) -> list[Derivation]:
        """The items of the forced-choice flavour."""
        everything = self.derivations(template)
        licensed: dict[Any, set[str]] = {}
        for each in everything:
            licensed.setdefault(each.key, set()).update(each.licences)
            if not self.factors(template):
                licensed[each.key].update(version.text for version in each.versions if version.acceptable)
        found = []
        for each in everything:
            known = licensed[each.key]
            if self.factors(template):
                texts = [version.text for version in each.versions]
                if each.complete and len(set(texts)) == len(texts) and not known & set(each.stars) and each.stars:
                    found.append(each)
                continue
            kept = [v for v in each.versions if v.text != each.text and (v.acceptable or v.text not in known)]
            first: dict[str, Version] = {}
            for version in kept:
                first.setdefault(version.text, version)
            each.versions = list(first.values())
            if each.stars:
                found.append(each)
        return found

    def projections(self, template: int = 0) -> dict[str, list[Derivation]]:
        """The items of the open-ended flavour: what reads the same outside the mask."""
        found: dict[str, list[Derivation]] = {}
        for each in self.derivations(template):
            for masked in each.masked:
                found.setdefault(masked, []).append(each)
        return found

    def factors(self, template: int) -> list[str]:
        """The factors that a template uses, in the order of their statements."""
        line = self.templates[template][0][1]
        named = {name for brace in braces(line) for name in brace.factors}
        variables = {v for o, v in self.carried if o == template} | set(self.typed.get(template, ()))
        return [
            name
            for name, levels in self.grammar.factors.items()
            if name in named or any(variable in variables for level in levels for variable, _ in level.fixed)
        ]

    def _derive(self, choose: Choose, template: int) -> Derivation:
        result = Derivation(choose, template=template)
        factors = self.factors(template)
        levels = [self.grammar.factors[name] for name in factors]
        for owner, variable in self.carried:
            if owner == template:
                fixed = self._fixed_always(variable, levels)
                result.cells[(), variable] = choose(list(bundle_cells(self.carried[owner, variable] - fixed)))
        for variable in self.typed.get(template, ()):
            if not self._fixed_always(variable, levels):
                result.cells[(), variable] = choose(VALUES[self.grammar.typed[variable]])
        if factors:
            self._design(result, template, factors)
        else:
            self._versions(result, template)
        return result

    def _fixed_always(self, variable: str, levels: Sequence[Sequence[Level]]) -> set[str]:
        found: set[str] = set()
        for each in levels:
            names = [{self._feature(v, value) for v, value in level.fixed if v == variable} for level in each]
            found |= set.intersection(*names)
        return found

    def _feature(self, variable: str, value: str) -> str:
        return self.grammar.typed.get(variable) or next(name for name in BUNDLE if value in VALUES[name])

    # --- members ------------------------------------------------------------------------------------------------

    def _finish(self, member: Member) -> str:
        while member.later:
            member.later.pop(0)()
        return " ".join(text for text, _ in member.tokens if text)

    def _masked(self, member: Member) -> str:
        inside = [hidden for _, hidden in member.tokens]
        if not any(inside):
            return ""
        first, last = inside.index(True), len(inside) - inside[::-1].index(True)
        texts = [text for text, _ in member.tokens]
        return " ".join([t for t in texts[:first] if t] + ["[MASK]"] + [t for t in texts[last:] if t])

    def _versions(self, result: Derivation, template: int) -> None:
        lines = self.templates[template]
        good = Member("good", result.choose)
        self.line(lines[0][1], result, Scope(), good, ())
        result.text = self._finish(good)
        result.masked = [self._masked(good)]
        result.licences = {result.text}
        for mark, line in lines[1:]:
            result.versions += self._lined(result, line, mark == "+")
        sites = [(number, part) for number, part in enumerate(lines[0][1]) if isinstance(part, Brace) and part.is_site]
        if not sites or len(lines) > 1:
            return
        if self.grammar.is_product:
            result.versions += self._combined(result, lines[0][1], sites)
            return
        count = max(sum(bool(alt.mark) for alt in brace.alts) for _, brace in sites)
        for number in range(count):
            sides = {}
            for place, brace in sites:
                marked = [alt for alt in brace.alts if alt.mark]
                sides[place] = marked[number if len(marked) > 1 else 0]
            acceptable = all(alt.mark == "+" for alt in sides.values())
            texts = [text for _, text in self._switched(result, lines[0][1], sides)]
            result.versions += [Version(text, acceptable) for text in texts]

    def _switched(self, result: Derivation, line: Line, sides: dict[Any, Alt]) -> list[tuple[Any, str]]:
        """(script, text) of every version with these sides: of `!$n`, the first feature that shows."""

        def render(choose: Choose) -> tuple[Any, Any, str]:
            member = Member("site", choose, sides)
            self.line(line, result, Scope(), member, ())
            text = self._finish(member)
            return (tuple(member.taken), tuple(member.script)), tuple(member.ranks), text

        found = [each for each in explore(render) if each[2] != result.text]
        best: dict[Any, Any] = {}
        for (_, script), ranks, _ in found:
            best[script] = min(best.get(script, ranks), ranks)
        return [(path, text) for (path, script), ranks, text in found if ranks == best[script]]

    def _combined(self, result: Derivation, line: Line, sites: list[tuple[int, Brace]]) -> Iterator[Version]:
        """Every combination of sides, the rightmost fastest."""
        options: list[list[Any]] = []
        for place, brace in sites:
            options.append([None])
            for alt in brace.alts:
                if alt.mark:
                    seen: dict[str, Any] = {}
                    for path, text in self._switched(result, line, {place: alt}):
                        seen.setdefault(text, path)
                    options[-1] += [(alt, path) for path in seen.values()]
        for chosen in product(*options):
            if not any(chosen):
                continue
            sides = {place: side[0] for (place, _), side in zip(sites, chosen, strict=True) if side}
            replay: dict[Any, list[int]] = {}
            for side in chosen:
                for tag, index in side[1] if side else ():
                    replay.setdefault(tag, []).append(index)
            member = Member("site", result.choose, sides, replay=replay)
            self.line(line, result, Scope(), member, ())
            yield Version(self._finish(member), all(alt.mark == "+" for alt in sides.values()))

    def _lined(self, result: Derivation, line: Line, acceptable: bool) -> Iterator[Version]:
        def render(choose: Choose) -> tuple[Any, Any, str]:
            member = Member("line", choose)
            self.line(line, result, Scope(), member, ())
            return tuple(member.script), tuple(member.ranks), self._finish(member)

        found = [each for each in explore(render) if each[2] != result.text]
        best: dict[Any, Any] = {}
        for script, ranks, _ in found:
            best[script] = min(best.get(script, ranks), ranks)
        for script, ranks, text in found:
            if ranks == best[script]:
                yield Version(text, acceptable)

    def _design(self, result: Derivation, template: int, factors: list[str]) -> None:
        line = self.templates[template][0][1]
        planned = []
        for found in product(*(self.grammar.factors[name] for name in factors)):
            levels = dict(zip(factors, found, strict=True))
            starred = any(level.starred for level in found) or self._has_starred_arm(line, levels)
            planned.append((levels, starred))
        order = sorted(range(len(planned)), key=lambda n: (planned[n][1], n))
        first = order.pop(0)
        members: dict[int, str] = {}
        for number in [first, *sorted(order)]:
            levels, starred = planned[number]
            member = Member("condition", result.choose, levels=levels, starred=starred)
            try:
                self.line(line, result, Scope(), member, ())
                members[number] = self._finish(member)
            except Dead:
                if not starred:
                    raise
                result.complete = False
            if not starred:
                result.masked.append(self._masked(member))
                result.licences.add(members[number])
        for number, text in sorted(members.items()):
            levels, starred = planned[number]
            name = "_".join(level.name for level in levels.values())
            result.versions.append(Version(text, not starred, name))

    def _has_starred_arm(self, line: Sequence[Any], levels: dict[str, Level]) -> bool:
        for part in line:
            if not isinstance(part, Brace):
                continue
            alts = [self.arm(part, levels)] if part.factors else [a for a in part.alts if isinstance(a.body, tuple)]
            for alt in alts:
                if part.factors and alt.mark == "*":
                    return True
                if isinstance(alt.body, tuple) and self._has_starred_arm(alt.body, levels):
                    return True
        return False

    def arm(self, brace: Brace, levels: dict[str, Level]) -> Alt:
        wanted = tuple(levels[name].name for name in brace.factors)
        return next(alt for alt in brace.alts if wanted in alt.tuples)

    def _distinct(self, derivation: Derivation) -> bool:
        names = {key: name for name, key in derivation.names.get((), {}).items()}
        allowed = {frozenset(pair) for group in self.grammar.repeat for pair in combinations(group, 2)}
        asked = {frozenset(pair) for group in self.grammar.distinct for pair in combinations(group, 2)}
        for (one, first), (two, second) in combinations(derivation.draws.items(), 2):
            pair = frozenset([names.get(one, ""), names.get(two, "")])
            if first.word.lexeme == second.word.lexeme and (
                pair in asked or (first.word.is_open and pair not in allowed)
            ):
                return False
        return True

    # --- rendering ----------------------------------------------------------------------------------------------

    def line(self, line: Line, result: Derivation, scope: Scope, member: Member, path: tuple[Any, ...]) -> None:
        for number, part in enumerate(line):
            if isinstance(part, str):
                member.tokens.append([part, False])
                continue
            start = len(member.tokens)
            place = (*path, number)
            self.brace(part, result, scope, member, At(place))
            if not scope.path and self._is_target(part):
                if len(member.tokens) == start:
                    member.tokens.append(["", True])
                for token in member.tokens[start:]:
                    token[1] = True

    def _is_target(self, brace: Brace) -> bool:
        if not self.grammar.target:
            return brace.is_site
        return any(
            isinstance(alt.body, Mention) and self.grammar.target in (alt.body.label or alt.body.name,)
            for alt in brace.alts
        )

    def brace(self, brace: Brace, result: Derivation, scope: Scope, member: Member, at: At) -> None:
        if brace.factors:
            alt = self.arm(brace, member.levels)
            inner = At((*at.place, brace.alts.index(alt)), at.place, at.starred, True, at.site)
            self.alt(alt, result, scope, member, inner)
            return
        if brace.is_site:
            side = member.sides.get(at.place[0]) if not scope.path and len(at.place) == 1 else None
            if member.kind == "site" and side is not None:
                inner = At((*at.place, "star", brace.alts.index(side)), at.place, True, False, at.place)
                self.alt(side, result, scope, member, inner)
                return
            at = At(at.place, at.place, at.starred, at.arm, at.site)
        alts = [alt for alt in brace.alts if not alt.mark]
        texts = [
            a.body[0] for a in alts if isinstance(a.body, tuple) and len(a.body) == 1 and isinstance(a.body[0], str)
        ]
        key: Any = ("choice", *scope.path, *at.place)
        several = not scope.path and len(self.templates[result.template]) > 1
        if several and not any(isinstance(alt.body, Mention) for alt in alts):
            key = ("text", repr(alts))  # across lines, the same text is the same choice
        if len(alts) == 1:
            index = 0
        elif len(texts) == len(alts) and len({alt.weight for alt in alts}) == 1:
            if at.starred and key not in result.draws:
                member.tokens += [[word, False] for word in member.pick(texts, at).split()]
                return
            if key not in result.draws:
                text = result.choose(texts)
                result.draws[key] = Draw(Word("", text, ()), text, (), ())
            member.tokens += [[word, False] for word in result.draws[key].text.split()]
            return
        elif at.starred and key not in result.structure:
            index = member.pick(range(len(alts)), at)
        else:
            if key not in result.structure:
                result.structure[key] = result.choose(range(len(alts)))
            index = result.structure[key]
        self.alt(alts[index], result, scope, member, At((*at.place, index), at.brace, at.starred, at.arm, at.site))

    def alt(self, alt: Alt, result: Derivation, scope: Scope, member: Member, at: At) -> None:
        if isinstance(alt.body, Mention):
            self.mention(alt.body, result, scope, member, at)
            return
        for number, unit in enumerate(alt.body):
            if isinstance(unit, str):
                member.tokens += [[word, False] for word in unit.split()]
            else:
                self.brace(unit, result, scope, member, At((*at.place, number), at.brace, at.starred, at.arm, at.site))

    # --- variables ----------------------------------------------------------------------------------------------

    def value(self, variable: str, result: Derivation, scope: Scope, member: Member) -> Any:
        bound = dict(scope.bound)
        if variable in bound:
            return bound[variable]
        typed = self.grammar.typed.get(variable)
        key = (scope.path, variable)
        fixed = {
            self._feature(v, value): value
            for level in member.levels.values() for v, value in level.fixed if v == variable and not scope.path
        }  # fmt: skip
        if typed and fixed:
            return fixed[typed]
        if key not in result.cells:  # a phrase's own
            assert scope.phrase is not None, variable
            options = VALUES[typed] if typed else list(bundle_cells(self.carried[scope.phrase.name, variable]))
            result.cells[key] = result.choose(options)
        if typed:
            return result.cells[key]
        carried = self.carried.get((result.template, variable), set()) if not scope.path else set(BUNDLE)
        return {**result.cells[key], **{name: value for name, value in fixed.items() if name in carried}}

    def other(self, feature: Feature, result: Derivation, scope: Scope, member: Member, at: At, known: bool) -> Any:
        """(value, whether it breaks, whether only the first wrong form counts) of `!$n`."""
        variable, part = feature.name, feature.value
        value = self.value(variable, result, scope, member)
        typed = self.grammar.typed.get(variable)
        if known and ((member.kind == "site" and at.starred) or member.kind == "line"):
            key = (at.site if self.grammar.is_product else None, variable, part)
            if key not in member.broken:
                options = [(0, v) for v in VALUES[typed] if v != value] if typed else list(breaks(value, part))
                member.broken[key] = member.pick(options, at, is_break=True)
            rank, found = member.broken[key]
            member.ranks.append(rank)
            return found, True
        if known and member.kind == "condition" and member.starred and at.arm:
            options = [(0, v) for v in VALUES[typed] if v != value] if typed else list(breaks(value, part))
            return [found for _, found in sorted(options, key=lambda o: o[0])], True
        if typed:
            kept = (scope.path, variable, value)
            if kept not in result.others:
                result.others[kept] = result.choose([v for v in VALUES[typed] if v != value])
            return result.others[kept], False
        first = part if part and part != "all" else next((name for name in BUNDLE if name in value), BUNDLE[0])
        owner = scope.phrase.name if scope.phrase else result.template
        cells = [c for c in bundle_cells(self.carried[owner, variable]) if c.get(first) != value.get(first)]
        kept = (scope.path, variable, part, value.get(first))
        if kept not in result.others:
            result.others[kept] = result.choose(cells)
        return result.others[kept], False

    # --- mentions: see brute_mentions -------------------------------------------------------------------------------

    def mention(self, mention: Mention, result: Derivation, scope: Scope, member: Member, at: At) -> None:
        brute_mentions.render(self, mention, result, scope, member, at)
