"""A member's pieces and words -> its tree: phrases are the nonterminals, heads give the dependencies.

As deep as the grammar says and no deeper: what the grammar writes side by side stands side by side in the tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generator.domains import FormFinder, Reading
from generator.lexicon import Lexicon
from generator.normalizing import Normalizer
from generator.realizing import PennWord, Realizer, Token
from generator.strata import DrawPlan, Entry, Form, Literal, Mark, MemberPieces, Ref
from generator.tagging import Tagged, TaggedWords, Tagger
from generator.trees import ROOT_LABEL, Constituent, Leaf, SentenceTree, TreeToken


@dataclass
class _Node:
    """A mention or the whole sentence; `children` are nodes and numbers of words."""

    mention: str = "phrase"
    label: str = ROOT_LABEL
    is_head: bool = False
    main: int = -1  # of a drawn form of several words, the number of the lexeme's own
    children: list[_Node | int] = field(default_factory=list)


@dataclass(frozen=True)
class _Unit:
    """What stands side by side in a phrase: a word or a phrase, known by its head token."""

    head: int
    is_head: bool = False
    is_phrase: bool = False


class TreeMaker:
    """Makes the trees of one plan's sentences.  Raises DataError where the language has no tag table."""

    def __init__(self, lexicon: Lexicon, finder: FormFinder, realizer: Realizer) -> None:
        self.finder = finder
        self.realizer = realizer
        self.tagger = Tagger(lexicon, Normalizer(lexicon.realisation).canonical)
        self._tagged: dict[tuple[int, Form, str], tuple[Entry, TaggedWords]] = {}  # entries are kept: ids stay theirs

    def tree(self, pieces: MemberPieces, words: Mapping[int, Entry], draws: Sequence[DrawPlan]) -> SentenceTree:
        """The tree of a member with these words."""
        tokens: list[Token] = []
        tags: list[Tagged | None] = []  # None: a literal word
        root = _Node()
        opened = [root]
        for piece in pieces:
            if isinstance(piece, Mark):
                if not piece.mention:
                    continue  # a region or contrast is no phrase
                if piece.opens:
                    node = _Node(piece.mention, piece.label, piece.is_head)
                    opened[-1].children.append(node)
                    opened.append(node)
                else:
                    opened.pop()
            elif isinstance(piece, Literal):
                opened[-1].children.append(len(tokens))
                tokens.append(Token(piece.text, piece.glued))
                tags.append(None)
            else:
                self._drawn(piece, words[piece.draw], draws[piece.draw].forms[piece.form], opened[-1], tokens, tags)
        shown = self.realizer.penn_words(tokens)
        return self._tree(
            root, shown, [self._token(word, shown[n + 1 :], tokens, tags) for n, word in enumerate(shown)]
        )

    def _drawn(
        self, piece: Ref, entry: Entry, form: Form, node: _Node, tokens: list[Token], tags: list[Tagged | None]
    ) -> None:
        text = entry.texts[piece.form] or ""
        found = self._tags(entry, form, text)
        if len(found.words) > 1:
            node.main = len(tokens) + found.main
        for number, (word, tagged) in enumerate(zip(text.split(), found.words, strict=True)):
            node.children.append(len(tokens))
            tokens.append(Token(word, piece.glued and number == 0, entry.member.entry.category))
            tags.append(tagged)

    def _tags(self, entry: Entry, form: Form, text: str) -> TaggedWords:
        key = (id(entry), form, text)
        if key not in self._tagged:
            lexeme = entry.member.entry
            reading = self._reading(entry, form, text)
            self._tagged[key] = (
                entry,
                self.tagger.drawn(lexeme, reading.analyses, text.split(), form.request.column),
            )
        return self._tagged[key][1]

    def _reading(self, entry: Entry, form: Form, text: str) -> Reading:
        """The reading behind a drawn form."""
        if form.is_anchor:
            return entry.reading
        found = self.finder.changed(entry.member, entry.reading, form.request)
        if form.pick < len(found) and found[form.pick].text == text:
            return found[form.pick]
        # An open-ended item's word stands for several that read alike: any reading of what is shown.
        return Reading(text, tuple(a for a in entry.member.entry.analyses if a.text == text) or entry.reading.analyses)

    # --- tokens -------------------------------------------------------------------------------------------------

    def _token(
        self, word: PennWord, following: Sequence[PennWord], tokens: Sequence[Token], tags: Sequence[Tagged | None]
    ) -> TreeToken:
        found = self._tag(word, tokens, tags)
        space = bool(following) and following[0].space_before
        return TreeToken(
            word.text, word.form, space, found.lemma, found.category, found.tag, found.upos, found.feats, found.features
        )

    def _tag(self, word: PennWord, tokens: Sequence[Token], tags: Sequence[Tagged | None]) -> Tagged:
        drawn = [tag for source in word.sources if (tag := tags[source]) is not None]
        if word.part:
            return self.tagger.literal(word.text)
        if len(word.sources) > 1:  # glued together: a word of its own if the lists know it
            known = self.tagger.known("".join(tokens[source].text for source in word.sources))
            return known or (drawn[0] if drawn else self.tagger.literal(word.text))
        if word.is_fused:
            return self.tagger.fused(tokens[word.sources[0]].text)
        if drawn:
            return drawn[0]
        return self.tagger.literal(word.text if word.is_cut else tokens[word.sources[0]].text)

    # --- structure ----------------------------------------------------------------------------------------------

    def _tree(self, root: _Node, shown: Sequence[PennWord], tokens: Sequence[TreeToken]) -> SentenceTree:
        if not tokens:  # all its slots are empty
            return SentenceTree((), Constituent(ROOT_LABEL, ()), ())
        places: dict[int, list[int]] = {}
        for number, word in enumerate(shown):
            places.setdefault(word.sources[0], []).append(number)
        structure = _Structure(tokens, places)
        top = structure.head_of(root)
        structure.heads[top], structure.relations[top] = -1, "root"
        whole = Constituent(ROOT_LABEL, tuple(structure.constituents(root)))
        return SentenceTree(tuple(tokens), whole, tuple(structure.heads), tuple(structure.relations))


class _Structure:
    """Heads and constituents of one sentence.  `places`: word -> its tokens."""

    def __init__(self, tokens: Sequence[TreeToken], places: Mapping[int, Sequence[int]]) -> None:
        self.tokens = tokens
        self.places = places
        self.heads = [-1] * len(tokens)
        self.relations = ["dep"] * len(tokens)

    def constituents(self, node: _Node) -> Iterator[Constituent | Leaf]:
        """The phrases and words of a node; a phrase that shows no word is left out."""
        for child in node.children:
            if not isinstance(child, _Node):
                yield from (Leaf(self.tokens[n].tag, self.tokens[n].text) for n in self.places.get(child, ()))
            elif child.mention == "phrase":
                if inside := tuple(self.constituents(child)):
                    yield Constituent(child.label, inside)
            else:
                yield from self.constituents(child)

    def head_of(self, root: _Node) -> int:
        """The root token; all others depend on it or on the heads of their phrases."""
        units = list(self._units(root))
        verbs = [unit for unit in units if self.tokens[unit.head].upos in ("VERB", "AUX")]
        chosen = next(
            (found for found in (_first(units, is_head=True), _first(verbs, is_phrase=False), *verbs) if found), None
        )
        return self._attached(units, chosen, False).head

    def _units(self, node: _Node) -> Iterator[_Unit]:
        """What stands side by side in a phrase, a sentence or a cell."""
        for child in node.children:
            if not isinstance(child, _Node):
                yield from (_Unit(number) for number in self.places.get(child, ()))
                continue
            units = list(self._units(child))
            if not units:
                continue
            if child.mention == "phrase":
                own = _first(units, is_head=True)
                yield _Unit(self._attached(units, own, True).head, child.is_head, True)
            elif child.mention == "class":
                main = [unit for unit in units if unit.head in self.places.get(child.main, ())]
                yield _Unit(self._attached(units, main[0] if main else None, False).head, child.is_head)
            else:  # what a cell holds is the sentence's own; of a head, its first word
                first = self._first_word(units)
                yield from (_Unit(u.head, u is first and child.is_head, u.is_phrase) for u in units)

    def _attached(self, units: Sequence[_Unit], head: _Unit | None, in_phrase: bool) -> _Unit:
        """The head of what stands side by side, the others attached to it."""
        head = head or self._first_word(units)
        for unit in units:
            if unit is head:
                continue
            upos = self.tokens[unit.head].upos
            self.heads[unit.head] = head.head
            if upos == "PUNCT":
                self.relations[unit.head] = "punct"
            elif upos == "DET" and in_phrase and not unit.is_phrase:
                self.relations[unit.head] = "det"
        return head

    def _first_word(self, units: Sequence[_Unit]) -> _Unit:
        return next((unit for unit in units if self.tokens[unit.head].upos != "PUNCT"), units[0])


def _first(units: Sequence[_Unit], is_head: bool | None = None, is_phrase: bool | None = None) -> _Unit | None:
    return next(
        (
            u
            for u in units
            if (is_head is None or u.is_head == is_head) and (is_phrase is None or u.is_phrase == is_phrase)
        ),
        None,
    )
