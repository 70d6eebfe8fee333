"""What a report says: plain frozen data, from which every output is made.

Shares (accuracies, proportions, intervals) lie between 0 and 1 and are written as percentages only where people read
them.  A number that cannot be given (no items, no token counts) is None, never NaN.  Rows stand in the order in which
they are to be shown.  A tuple "per model" has one entry for each name of `Report.models`, in that order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scorers.errors import Finding

RIGHT, WRONG, TIE, MISSING = "right", "wrong", "tie", "missing"


@dataclass(frozen=True, slots=True)
class Row:
    """Accuracy of one model on one group of items.

    `items` are those scored, `right` the points among them (a tie may be half a point), `accuracy` = right / items,
    `low` and `high` its interval.  `ties` and `unequal` count items whose members have equal scores, and unequal
    lengths.  `chance` is what guessing gives.  `macro` is the mean over the paradigms of the group, where that is asked
    for.  `sum_accuracy`, `token_accuracy`, `character_accuracy`: the same items judged by summed scores, and by scores
    per token and per character.
    """

    label: str
    model: str
    items: int
    right: float
    accuracy: float | None
    low: float | None = None
    high: float | None = None
    ties: int = 0
    unequal: int = 0
    chance: float | None = 0.5
    macro: float | None = None
    sum_accuracy: float | None = None
    token_accuracy: float | None = None
    character_accuracy: float | None = None


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Rows by one thing: `by` is 'paradigm', 'template', 'phenomenon', 'field' or an attribute's name.

    Rows of one label stand together, a row for each model.
    """

    by: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class AnswerCategory:
    """One class of answers to an open-ended item: how many fell in it, their share, and which (the commonest first)."""

    name: str
    count: int
    share: float | None
    words: tuple[tuple[str, int], ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """The answers of one model to the open-ended items of one label; rows of one label have the same categories."""

    label: str
    model: str
    items: int
    categories: tuple[AnswerCategory, ...]


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Answers to open-ended items by one thing: 'template' as a rule."""

    by: str
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True)
class DesignRow:
    """How many items of `label` (a suite or paradigm) fulfil one formula over region surprisals.

    `fulfilled` of `items` do, `share` with its interval; `missing` more items lack a number that the formula needs.
    `on_average` is whether the formula holds of the mean surprisals (None without any).
    `difference_bits` is the mean of right side minus left side, where the formula is one comparison, with its interval.
    """

    label: str
    model: str
    name: str
    formula: str
    items: int
    fulfilled: int
    share: float | None
    low: float | None = None
    high: float | None = None
    missing: int = 0
    on_average: bool | None = None
    difference_bits: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One comparison of a formula: the mean over items of by how many bits it is so, with its interval."""

    label: str
    model: str
    name: str
    comparison: str
    items: int
    mean_bits: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """Whether an item fulfils a formula (None: a number is missing), and each comparison's difference in bits."""

    label: str
    model: str
    item: str
    name: str
    holds: bool | None
    differences_bits: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class RegionRow:
    """The mean surprisal of a region in a condition of `label`, over `items`; `number` is '' where it has none.

    `place` is where it stands among the regions of the suite; `is_outermost`: it lies in no other.
    """

    label: str
    model: str
    condition: str
    region: str
    number: str
    place: int
    is_outermost: bool
    items: int
    mean_bits: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on the same items: `difference` = accuracy of `first` minus accuracy of `second`, with its interval.

    The items are those of `label`, a value of the breakdown `by` ('all': all items).  `first_only` and `second_only`
    count those that only one of them has right.  `mcnemar_p`: exact McNemar test; `randomisation_p`: paired
    randomisation test; `holm_p`: corrected for all comparisons of the report.
    """

    label: str
    first: str
    second: str
    items: int
    first_accuracy: float
    second_accuracy: float
    difference: float
    low: float | None = None
    high: float | None = None
    first_only: int = 0
    second_only: int = 0
    mcnemar_p: float | None = None
    randomisation_p: float | None = None
    holm_p: float | None = None
    by: str = "all"


@dataclass(frozen=True, slots=True)
class Step:
    """Accuracy at one training step (a checkpoint folder's number) on one label (a phenomenon as a rule).

    `model` is the run; `checkpoint` the name of the model at that step.
    """

    step: int
    label: str
    model: str
    items: int
    accuracy: float | None
    low: float | None = None
    high: float | None = None
    chance: float | None = 0.5
    checkpoint: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """One figure on human judgements, of the items of `label` (of the breakdown `by`; all items: 'all').

    `measure` says which (`about` says it in words).  `model` is '' where it is about people only.  `n` counts what it
    rests on: `of` pairs, items, sentences or groups.  `value` is None where there is none: one side does not vary, or
    nobody judged a thing twice.  Shares and coefficients have an interval, correlations a two-sided `p`.
    """

    by: str
    label: str
    model: str
    measure: str
    about: str
    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int = 0
    of: str = "pairs"


@dataclass(frozen=True, slots=True)
class Statistic:
    """Any other figure.  `items` is how many it rests on."""

    name: str
    model: str
    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    items: int = 0


@dataclass(frozen=True, slots=True)
class AlignmentCounts:
    """How many items of one model were joined, and what could not be (see scorers.results.Alignment)."""

    model: str
    joined: int
    missing: int = 0
    duplicate: int = 0
    unknown: int = 0
    ambiguous: int = 0


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One pair (or open-ended item) for the item browser.

    `good` and `bad` are the two sentences; of an open-ended item `good` is the sentence with the mask and `bad` ''.
    Per model: `scores` of (good, bad) in the unit of the file; `verdicts`, each one of RIGHT, WRONG, TIE, MISSING, or
    the category of an answer; `answers`, the words put in the place of the mask (empty for pairs).
    """

    id: str
    paradigm: str
    template: str
    good: str
    bad: str
    scores: tuple[tuple[float | None, float | None], ...]
    verdicts: tuple[str, ...]
    attributes: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All that is said of one run.  Parts that do not apply stay empty, and no output mentions them.

    `signature` has one line for each model.  `summary` has one row for each model, over all items.  `notes` are whole
    sentences (the power line, a warning).  `level` is the confidence level of all intervals.
    """

    title: str
    signature: tuple[str, ...]
    models: tuple[str, ...]
    summary: tuple[Row, ...] = ()
    groups: tuple[Breakdown, ...] = ()
    answers: tuple[AnswerTable, ...] = ()
    designs: tuple[DesignRow, ...] = ()
    differences: tuple[DifferenceRow, ...] = ()
    regions: tuple[RegionRow, ...] = ()
    outcomes: tuple[OutcomeRow, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    steps: tuple[Step, ...] = ()
    agreement: tuple[Agreement, ...] = ()
    statistics: tuple[Statistic, ...] = ()
    alignment: tuple[AlignmentCounts, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    items: tuple[ItemRow, ...] = ()
    level: float = 0.95
