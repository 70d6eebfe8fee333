"""What expanding a template yields: strata, their draws and members.  Pure data.

A *stratum* fixes a template's variables and every choice of structure (phrase rules, alternatives, rows that hold
slots).  What is left open in it are the *draws*: each takes a word of its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from generator.domains import Member, Reading, Request, WordClass

DrawKey = tuple[Hashable, ...]


@dataclass(frozen=True)
class Decision:
    """One choice of structure: which of `weights` was taken.  `label` and `names` (of the options) are shown."""

    key: Hashable
    index: int
    weights: tuple[int, ...]
    label: str
    crossed: bool = False
    is_variable: bool = False
    names: tuple[str, ...] = ()

    @property
    def value(self) -> str:
        """The option taken, as shown."""
        return self.names[self.index] if self.names else str(self.index + 1)


@dataclass(frozen=True)
class Literal:
    """A literal word of a member."""

    text: str
    glued: bool = False


@dataclass(frozen=True)
class Ref:
    """A drawn word of a member: form `form` of draw number `draw`."""

    draw: int
    form: int
    glued: bool = False


@dataclass(frozen=True)
class Mark:
    """The start or end of a region.

    Of a mention, `mention` says of what (`phrase`, `rows` or `class`), `label` is the name of that, and `is_head`
    whether it is its phrase's (or, named `head`, the sentence's) head.  They serve trees only: pieces that differ in
    nothing else are the same.
    """

    name: str
    opens: bool
    contrast: bool = False
    target: bool = False
    key: Hashable = ()
    mention: str = field(default="", compare=False)
    label: str = field(default="", compare=False)
    is_head: bool = field(default=False, compare=False)

    @property
    def end(self) -> Mark:
        """The end of the region that begins here."""
        # Members have many: `replace` takes ten times as long.
        return Mark(self.name, False, self.contrast, self.target, self.key, self.mention, self.label, self.is_head)


Piece = Literal | Ref | Mark
MemberPieces = tuple[Piece, ...]


@dataclass(frozen=True)
class Form:
    """A form of a drawn word that a member asks for.  `pick`: which of several readings, in written order."""

    request: Request
    is_anchor: bool
    pick: int = 0


@dataclass(frozen=True)
class DrawPlan:
    """A draw: its class, its forms (the first is the anchor), whether its words must differ from others'."""

    key: DrawKey
    name: str
    word_class: WordClass
    members: tuple[Member, ...]
    forms: tuple[Form, ...]
    is_open: bool


@dataclass(frozen=True)
class Version:
    """A further member of an item: a starred (or further acceptable) one.  `tests` are conditions on its existence.

    Where each contrast switches alone, `sites` are those that are switched, and `parts` the versions (by index) that
    switch one of these alone: it exists if each of them shows.

    Versions of one `family` are alternatives by rank: only those of the lowest rank that shows are kept (`!$n`
    changes the first feature of the bundle that changes the form).
    """

    pieces: MemberPieces
    acceptable: bool
    family: Hashable
    rank: tuple[int, ...]
    tests: tuple[Condition, ...] = ()
    sites: tuple[Hashable, ...] = ()
    parts: tuple[int, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A word in a draw's domain: the member, its anchor reading, and the text of each form (None: no such form)."""

    member: Member
    reading: Reading
    texts: tuple[str | None, ...]

    def word(self, draw: int, told: frozenset[int]) -> Hashable:
        """What distinctness compares: words of open categories by lemma, others only where `distinct` says so."""
        entry = self.member.entry
        return entry.key if entry.is_open or draw in told else (draw, id(self))


@dataclass(frozen=True)
class Design:
    """The conditions of a factor design: their names, levels and values, and which of them is the stratum's
    acceptable member (the others are its versions, in order).
    """

    names: tuple[str, ...]
    levels: tuple[Mapping[str, str], ...]
    good: int


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition over several draws: `read[i](entry)` is what it reads of draw `draws[i]`.

    `is_lexical`: it reads nothing of forms, so that it holds of the same lexemes in every stratum.
    """

    draws: tuple[int, ...]
    read: tuple[Callable[[Entry], Hashable], ...]
    holds: Callable[[tuple[Hashable, ...]], bool]
    text: str
    is_lexical: bool = False

    def is_same(self, other: Condition) -> bool:
        """Whether both say the same of the same lexemes, whatever their forms."""
        return self.is_lexical and other.is_lexical and (self.draws, self.text) == (other.draws, other.text)


@dataclass(frozen=True, eq=False)
class Stratum:
    """See the module's docstring."""

    template: str
    decisions: tuple[Decision, ...]
    variables: Mapping[str, int]
    draws: tuple[DrawPlan, ...]
    domains: tuple[tuple[Entry, ...], ...]
    acceptable: MemberPieces
    versions: tuple[Version, ...]
    conditions: tuple[Condition, ...]
    unlike: frozenset[tuple[int, int]]  # pairs of draws that must differ in lemma
    told: frozenset[int]  # draws named by `distinct`: their closed and quoted words must differ too
    has_contrast: bool
    level: int = 0  # the deepest recursion of a phrase
    design: Design | None = None

    @property
    def structure(self) -> tuple[tuple[Hashable, int], ...]:
        """The decisions apart from variables: strata of equal structure differ in agreement only."""
        return tuple((d.key, d.index) for d in self.decisions if not d.is_variable)
