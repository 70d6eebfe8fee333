"""The syntax tree of a grammar file: frozen records, each with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from generator.formulas import Formula
from generator.source import Node, SourceFile, Span


@dataclass(frozen=True)
class Feature(Node):
    """`pl`, `-pl`: a name that is a value, a flag, a form or a column label."""

    name: str
    negative: bool = False


@dataclass(frozen=True)
class FeatureValue(Node):
    """`gender=masc`, `gender=!masc`, `gender=subj.gender`."""

    feature: str
    value: str
    of: str = ""  # a slot's name when the value is that slot's
    negative: bool = False


@dataclass(frozen=True)
class VariableFeature(Node):
    """`$n`, `!$n`, `$n.number`, `!$n.all`."""

    variable: str
    part: str = ""
    broken: bool = False


@dataclass(frozen=True)
class WordFeature(Node):
    """`"take"` or `-"take"` in a filter: a choice by lemma."""

    word: str
    negative: bool = False


@dataclass(frozen=True)
class After(Node):
    """`after Aux`: the form and agreement that another slot's word asks for."""

    name: str


AnyFeature = Feature | FeatureValue | VariableFeature | WordFeature | After


@dataclass(frozen=True)
class Mention(Node):
    """`subj=Noun $n`: a class, table, phrase or earlier name, with features."""

    name: str
    features: tuple[AnyFeature, ...] = ()
    label: str = ""
    name_span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def place(self) -> Span:
        """Where the name stands."""
        return self.name_span or self.span


@dataclass(frozen=True)
class Quoted(Node):
    """A quoted word with features of its own."""

    text: str
    features: tuple[Feature | FeatureValue, ...] = ()


@dataclass(frozen=True)
class Alternative(Node):
    """One side of `|` in a brace: a mention, or a row of quoted words and braces."""

    body: Mention | tuple[Quoted | Brace, ...]
    mark: str = ""  # '', '*' or '+'
    weight: int = 1


@dataclass(frozen=True)
class Choice(Node):
    """The alternatives of a brace, a slot or an answer.

    With `factors` the alternatives are arms: `levels[i]` are the tuples of levels, in the order of `factors`, for which
    alternative *i* stands.
    """

    alternatives: tuple[Alternative, ...]
    factors: tuple[str, ...] = ()
    levels: tuple[tuple[tuple[str, ...], ...], ...] = ()

    @property
    def is_contrast(self) -> bool:
        """Whether an alternative is starred (or a further acceptable version); arms of a factor are none."""
        return not self.factors and any(alternative.mark for alternative in self.alternatives)

    def arm(self, levels: Mapping[str, str]) -> Alternative | None:
        """The arm that stands in a condition (factor -> level)."""
        wanted = tuple(levels.get(factor, "") for factor in self.factors)
        for alternative, tuples in zip(self.alternatives, self.levels, strict=True):
            if wanted in tuples:
                return alternative
        return None


@dataclass(frozen=True)
class Brace(Node):
    """`{...}` in a text."""

    choice: Choice
    glued: bool = False  # no space before it


@dataclass(frozen=True)
class Word(Node):
    """A literal word."""

    text: str
    glued: bool = False


@dataclass(frozen=True)
class RegionText(Node):
    """`[name: text]`: a named stretch of the sentence."""

    name: str
    text: Text
    glued: bool = False


TextItem = Word | Brace | RegionText


@dataclass(frozen=True)
class Text(Node):
    """Literal words, braces and regions in order."""

    items: tuple[TextItem, ...]


@dataclass(frozen=True)
class Operand(Node):
    """One side of a comparison: `x.feature`, `$n`, `$n.number`, `x`, a bare value, a quoted word."""

    name: str
    part: str = ""
    kind: str = "name"  # name, variable, word


@dataclass(frozen=True)
class Comparison(Node):
    """`a = b`, `a != b`, `a in (b, c)`, `a fits b.column`, or `a` alone."""

    left: Operand
    operator: str = ""  # '', '=', '!=', 'in', 'fits'
    right: tuple[Operand, ...] = ()


@dataclass(frozen=True)
class Predicate(Node):
    """`V(subj, obj)`: the words fit the argument columns of V's word, in declared order; `_` is skipped."""

    verb: Operand
    arguments: tuple[Operand, ...]


@dataclass(frozen=True)
class Logical(Node):
    """`not`, `and`, `or` over conditions."""

    operator: str
    parts: tuple[Condition, ...]


Condition = Comparison | Predicate | Logical


@dataclass(frozen=True)
class Where(Node):
    """`where CONDITION`."""

    condition: Condition


@dataclass(frozen=True)
class Meta(Node):
    """`paradigm NAME` and its like."""

    keyword: str
    value: str
    place: Span | None = field(default=None, compare=False, repr=False)  # of the value


@dataclass(frozen=True)
class Import(Node):
    """`import en/lib/basics`."""

    path: str


@dataclass(frozen=True)
class SlotDefinition(Node):
    """`slot Noun = noun countable`."""

    name: str
    choice: Choice


@dataclass(frozen=True)
class Column(Node):
    """A table's column: its labels."""

    labels: tuple[str, ...]


@dataclass(frozen=True)
class TableDefinition(Node):
    """A table: a row is drawn per item."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Text, ...], ...]


@dataclass(frozen=True)
class PhraseRule(Node):
    """One expansion of a phrase."""

    text: Text
    weight: int = 1


@dataclass(frozen=True)
class PhraseDefinition(Node):
    """`phrase NP $n $c pl depth 2: ...`.  `features` are what the phrase is as a whole (`pl`)."""

    name: str
    variables: tuple[str, ...]
    rules: tuple[PhraseRule, ...]
    wheres: tuple[Where, ...] = ()
    features: tuple[Feature | FeatureValue, ...] = ()
    depth: int | None = None


@dataclass(frozen=True)
class Sentence(Node):
    """A `+` or `*` line."""

    mark: str
    text: Text


@dataclass(frozen=True)
class TemplateDefinition(Node):
    """`template NAME: ...`; a `+` line at file level is a template without a name."""

    name: tuple[str | Mention | VariableFeature, ...]
    sentences: tuple[Sentence, ...]
    wheres: tuple[Where, ...] = ()
    weight: int = 1


@dataclass(frozen=True)
class NamesStatement(Node):
    """`repeat a, b`, `distinct a, b`."""

    keyword: str
    names: tuple[Operand, ...]


@dataclass(frozen=True)
class Cross(Node):
    """`cross $n (sg @3, pl), Tense`.  `weights` are, for each path, (value, weight) of the values named."""

    paths: tuple[Operand, ...]
    weights: tuple[tuple[tuple[str, int], ...], ...] = ()


@dataclass(frozen=True)
class Target(Node):
    """`target Be`."""

    name: str


@dataclass(frozen=True)
class Answer(Node):
    """`answer correct = Be $n`."""

    name: str
    choice: Choice


@dataclass(frozen=True)
class StarredExample(Node):
    """The starred side of an example."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Example(Node):
    """`example good words / * bad words`."""

    good: tuple[str, ...]
    bad: tuple[StarredExample, ...]


@dataclass(frozen=True)
class VariableDefinition(Node):
    """`var $c = case`."""

    name: str
    feature: str
    place: Span | None = field(default=None, compare=False, repr=False)  # of the feature


@dataclass(frozen=True)
class Balance(Node):
    """`balance A, B by frequency`."""

    names: tuple[Operand, ...]
    by: Operand


@dataclass(frozen=True)
class Option(Node):
    """A statement of fixed words: `uniform`, `unrepeated`, `one star`, `versions product`."""

    name: str


@dataclass(frozen=True)
class Level(Node):
    """`*plural $n pl`: a level of a factor.  `fixes` are (variable, value) in its conditions."""

    name: str
    is_starred: bool = False
    fixes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class FactorDefinition(Node):
    """`factor match = match | *mismatch`."""

    name: str
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Expect(Node):
    """`expect NAME: formula`."""

    name: str
    formula: Formula


Statement = (
    Meta
    | Import
    | SlotDefinition
    | TableDefinition
    | PhraseDefinition
    | TemplateDefinition
    | Where
    | NamesStatement
    | Cross
    | Target
    | Answer
    | Example
    | VariableDefinition
    | Balance
    | Option
    | FactorDefinition
    | Expect
)


@dataclass(frozen=True)
class GrammarFile:
    """A parsed file."""

    source: SourceFile
    statements: tuple[Statement, ...]
    failed: frozenset[str] = frozenset()  # what lines that could not be read would have defined
