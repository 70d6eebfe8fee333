"""`Plan` -> items: the words of a number, realised."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from generator import nodes
from generator.expectations import expectations_of
from generator.formulas import FormulaTree
from generator.items import Binding, Condition, Item, Mask
from generator.leaves import Leaf, visible
from generator.masking import answer_key
from generator.permuting import derived_key
from generator.planning import Plan, PlanTemplate
from generator.realizing import Realizer, Sentence, Stretch, Style, Token
from generator.sampling import Run
from generator.scopes import TemplateScope
from generator.strata import DrawPlan, Entry, Literal, Mark, MemberPieces, Ref
from generator.tree_making import TreeMaker


class ItemMaker:
    """Makes the items of a plan, in any order.

    `trees`: each sentence knows its tree.  Without `binds` items say nothing of their slots' words: made faster.
    """

    def __init__(
        self,
        plan: Plan,
        style: Style = "tokens",
        mask: str = "[MASK]",
        seed: int = 0,
        trees: bool = False,
        binds: bool = True,
    ) -> None:
        self.plan = plan
        self.binds = binds
        self.seed = seed
        self._known_expectations: dict[str, Mapping[str, FormulaTree]] = {}
        # Words come again in item after item.  An entry is kept beside its binding, so that its id() stays its own.
        self._bound: dict[tuple[str, int], tuple[Entry, Binding]] = {}
        self._tokens: dict[tuple[int, int, bool], tuple[Entry, tuple[Token, ...]]] = {}
        self.style = style
        self.mask = mask
        self.realizer = Realizer(plan.grammar.lexicon.realisation)
        self.trees = TreeMaker(plan.grammar.lexicon, plan.resolver.finder, self.realizer) if trees else None

    def item(self, template: PlanTemplate, index: int) -> Item:
        """Item `index` (from 0) of a template; its public number is one more."""
        leaf, place = template.locate(index)
        return self.item_of(template, index, leaf, leaf.words(place))

    def item_of(
        self,
        template: PlanTemplate,
        index: int,
        leaf: Leaf,
        words: Mapping[int, Entry],
        members: Collection[int] | None = None,
        versions: tuple[int, ...] | None = None,
    ) -> Item:
        """The item with these words; of its members only the acceptable one (-1) and versions named, where any are.

        `versions` are those that it has, where the words do not say so (they are placeholders), one star chosen.
        """
        bindings = tuple(self._bindings(leaf, words)) if self.binds else ()
        if self.plan.flavour == "open":
            before, inside, after = visible(leaf.stratum, leaf.scope)
            first = next(piece for piece in inside if isinstance(piece, Mark))
            masked: MemberPieces = (*before, first, Literal(self.mask, _is_glued(inside)), inside[-1], *after)
            sentence = self.sentence(masked, words, leaf.stratum.draws)
            mask = Mask(first.name, self.mask, answer_key(leaf))
            conditions: tuple[Condition, ...] = (Condition("open", True, sentence),)
            return self._item(template.name, index, conditions, bindings, leaf, mask)
        found = (
            self._design(leaf, words, members)
            if leaf.stratum.design
            else self._versions(leaf, words, template.name, index, members, versions)
        )
        return self._item(template.name, index, tuple(found), bindings, leaf)

    def _item(
        self,
        template: str,
        index: int,
        conditions: tuple[Condition, ...],
        bindings: tuple[Binding, ...],
        leaf: Leaf,
        mask: Mask | None = None,
    ) -> Item:
        """`paradigm:template:number` is its id; open-ended items, which are numbered by themselves, have `open`."""
        grammar = self.plan.grammar
        mark = "open:" if mask is not None else ""
        return Item(
            f"{grammar.paradigm}:{template}:{mark}{index + 1}",
            grammar.paradigm,
            template,
            index + 1,
            conditions,
            bindings,
            leaf.cell,
            mask,
            self._expectations(leaf.scope) if mask is None else {},
            grammar.meta.get("phenomenon", ""),
            grammar.meta.get("field", ""),
            grammar.lexicon.language,
        )

    def _expectations(self, scope: TemplateScope) -> Mapping[str, FormulaTree]:
        if scope.number not in self._known_expectations:
            self._known_expectations[scope.number] = expectations_of(scope)
        return self._known_expectations[scope.number]

    def _design(self, leaf: Leaf, words: Mapping[int, Entry], members: Collection[int] | None) -> list[Condition]:
        """The conditions of a factor design, in order."""
        design = leaf.stratum.design
        assert design is not None
        found = []
        for number, (name, levels) in enumerate(zip(design.names, design.levels, strict=True)):
            version = -1 if number == design.good else number - (number > design.good)
            if members is None or version in members:
                plan = None if version < 0 else leaf.stratum.versions[version]
                pieces = leaf.stratum.acceptable if plan is None else plan.pieces
                acceptable = plan is None or plan.acceptable
                found.append(
                    Condition(name, acceptable, self.sentence(pieces, words, leaf.stratum.draws), number, levels)
                )
        return found

    def _versions(
        self,
        leaf: Leaf,
        words: Mapping[int, Entry],
        template: str,
        index: int,
        members: Collection[int] | None,
        versions: tuple[int, ...] | None,
    ) -> list[Condition]:
        """The acceptable member, then its versions."""
        draws = leaf.stratum.draws
        found = []
        if members is None or -1 in members:
            found.append(
                Condition("acceptable", True, self.sentence(leaf.stratum.acceptable, words, draws), _rank(leaf, None))
            )
        counts = {True: 1, False: 0}
        if versions is None:
            versions = leaf.valid_versions(words)
            if members is None:
                versions = self.chosen(leaf, versions, template, index)
        stars = sum(not leaf.stratum.versions[v].acceptable for v in versions)
        for version in versions:
            plan = leaf.stratum.versions[version]
            counts[plan.acceptable] += 1
            if members is not None and version not in members:
                continue
            if plan.acceptable:
                name = f"acceptable_{counts[True]}"
            else:
                name = "starred" if stars == 1 else f"starred_{counts[False]}"
            sentence = self.sentence(plan.pieces, words, draws)
            found.append(Condition(name, plan.acceptable, sentence, _rank(leaf, version)))
        return found

    def chosen(self, leaf: Leaf, versions: tuple[int, ...], template: str, index: int) -> tuple[int, ...]:
        """Of an item's versions those that are made: under `one star` a single starred one, drawn by seed and number.

        An edit of words moves none.
        """
        if not leaf.scope.has_option("one star"):
            return versions
        starred = starred_of(leaf, versions)
        return one_starred(versions, starred, self.star(template, index, len(starred))) if starred else versions

    def star(self, template: str, index: int, amount: int) -> int:
        """Which of `amount` starred versions an item has under `one star`."""
        key = derived_key(self.plan.grammar.paradigm, self.seed, "one star", template, index)
        return int.from_bytes(key[:8], "big") % amount

    def sentence(self, pieces: MemberPieces, words: Mapping[int, Entry], draws: Sequence[DrawPlan] = ()) -> Sentence:
        """A member with its words, realised; with its tree where trees are made (then `draws` are needed)."""
        tokens: list[Token] = []
        stretches: list[Stretch] = []
        opened: list[tuple[Mark, int]] = []
        for piece in pieces:
            if isinstance(piece, Mark):
                if piece.opens:
                    opened.append((piece, len(tokens)))
                else:
                    mark, start = opened.pop()
                    stretches.append(Stretch(mark.name, start, len(tokens), mark.contrast))
            elif isinstance(piece, Literal):
                tokens.append(Token(piece.text, piece.glued))
            else:
                tokens += self._shown(words[piece.draw], piece)
        stretches.sort(key=lambda s: (s.start, -s.end, not s.is_contrast))
        sentence = self.realizer.realize(tokens, _once(stretches), self.style)
        return replace(sentence, tree=self.trees.tree(pieces, words, draws)) if self.trees else sentence

    def _shown(self, entry: Entry, piece: Ref) -> tuple[Token, ...]:
        """The tokens of a word where it stands."""
        key = (id(entry), piece.form, piece.glued)
        if key not in self._tokens:
            text, category = entry.texts[piece.form] or "", entry.member.entry.category
            found = tuple(Token(word, piece.glued and n == 0, category) for n, word in enumerate(text.split()))
            self._tokens[key] = (entry, found)
        return self._tokens[key][1]

    def _bindings(self, leaf: Leaf, words: Mapping[int, Entry]) -> Iterator[Binding]:
        for number, draw in enumerate(leaf.stratum.draws):
            if number not in words:
                continue
            entry = words[number]
            key = (draw.name, id(entry))
            if key not in self._bound:
                self._bound[key] = (entry, self._binding(draw, entry))
            yield self._bound[key][1]

    def _binding(self, draw: DrawPlan, entry: Entry) -> Binding:
        """What an item says of a word in a draw."""
        system = self.plan.grammar.lexicon.system
        lexeme = entry.member.entry
        features: dict[str, str] = {}
        analyses = entry.reading.analyses
        for name in system.bundle:
            values = [
                v
                for v in system.values(name)
                if any(a.agreeing and name in a.carries and a.mask & system.mask_of(name, v) for a in analyses)
            ]
            if len(values) == 1:
                features[name] = values[0]
        for name, value in analyses[0].features:
            if all(a.get(name) == value for a in analyses):
                features[name.removeprefix("column:") if ":" in name else name] = value
        for name, found in lexeme.values.items():
            if name not in features and len(found) == 1 and name not in system.bundle:
                features[name] = next(iter(found))
        return Binding(draw.name, lexeme.category, lexeme.lemma, entry.texts[0] or "", features, bool(lexeme.guessed))


def starred_of(leaf: Leaf, versions: tuple[int, ...]) -> list[int]:
    """The starred ones of a leaf's versions."""
    return [version for version in versions if not leaf.stratum.versions[version].acceptable]


def one_starred(versions: tuple[int, ...], starred: Sequence[int], kept: int) -> tuple[int, ...]:
    """Versions with one of the starred ones, given by its place among them."""
    return tuple(version for version in versions if version == starred[kept] or version not in starred)


def _once(stretches: Sequence[Stretch]) -> list[Stretch]:
    """A contrast and the one mention in it share a name and a place: kept once."""
    result: list[Stretch] = []
    for stretch in stretches:
        last = result[-1] if result else None
        if last and (last.name, last.start, last.end) == (stretch.name, stretch.start, stretch.end):
            continue
        result.append(stretch)
    return result


def _is_glued(pieces: MemberPieces) -> bool:
    first = next((piece for piece in pieces if not isinstance(piece, Mark)), None)
    return bool(first and first.glued)


def _rank(leaf: Leaf, version: int | None) -> int:
    """Where a member's contrasted word stands in bundle order: the cell of its first contrasted form."""
    pieces = leaf.stratum.acceptable if version is None else leaf.stratum.versions[version].pieces
    inside = False
    for piece in pieces:
        if isinstance(piece, Mark) and piece.contrast:
            inside = piece.opens
        elif inside and isinstance(piece, Ref):
            cells = leaf.stratum.draws[piece.draw].forms[piece.form].request.cells
            return cells[0][0] if cells else int(version is not None)
    return int(version is not None)


def run_of(
    plan: Plan, count: int | None, seed: int = 0, only: Callable[[PlanTemplate, Leaf], bool] | None = None
) -> Run:
    """A run; of a grammar that says `unrepeated` a sample has no acceptable and no starred sentence twice.

    Sentences are compared in small letters.  Raises UsageError where more are asked for than exist.
    """
    run = Run(plan, count, seed, only)
    if not run.is_sample or plan.flavour != "forced" or not says_unrepeated(plan):
        return run
    maker = ItemMaker(plan, seed=seed, binds=False)
    seen: set[tuple[bool, str]] = set()

    def repeats(template: PlanTemplate, index: int) -> bool:
        conditions = maker.item(template, index).conditions
        texts = {(condition.acceptable is True, condition.text.lower()) for condition in conditions}
        if not seen.isdisjoint(texts):
            return True
        seen.update(texts)
        return False

    run.leave_out(repeats)
    return run


def says_unrepeated(plan: Plan) -> bool:
    """Whether the grammar says `unrepeated`."""
    return any(isinstance(s, nodes.Option) and s.name == "unrepeated" for s in plan.grammar.statements)


def items(
    plan: Plan,
    count: int | None = None,
    seed: int = 0,
    style: Style = "tokens",
    mask: str = "[MASK]",
    shard: tuple[int, int] = (1, 1),
    only: Callable[[PlanTemplate, Leaf], bool] | None = None,
    trees: bool = False,
) -> Iterator[Item]:
    """The items of a plan: all in order (`count` None), or a balanced sample of `count` without replacement.

    `shard` (k, m) gives the k-th of m consecutive parts; `only` keeps some leaves of a sample; `trees`: each sentence
    knows its tree.  Raises UsageError where more are asked for than exist.
    """
    maker = ItemMaker(plan, style, mask, seed, trees)
    for template, index in run_of(plan, count, seed, only).shard(*shard):
        yield maker.item(template, index)
