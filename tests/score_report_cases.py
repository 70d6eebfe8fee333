"""Reports made up for tests: small ones with every part filled, and large ones."""

from __future__ import annotations

from scorers.errors import Finding
from scorers.reports.agreement import (
    COEFFICIENTS,
    HUMAN_ACCURACY,
    MEASURES,
    RATING_ALPHA,
    VERDICT_AGREEMENT,
    VERDICT_KAPPA,
)
from scorers.reports.model import (
    Agreement,
    AlignmentCounts,
    AnswerCategory,
    AnswerRow,
    AnswerTable,
    Breakdown,
    Comparison,
    DesignRow,
    DifferenceRow,
    ItemRow,
    OutcomeRow,
    RegionRow,
    Report,
    Row,
    Statistic,
    Step,
)

MODELS = ("roberta-base", "lstm")
NASTY = '</script><script>alert("1")</script> <!-- & \' | `x` *b* _c_ [l](u)'


def row(label: str, model: str, right: float, items: int, **more: float) -> Row:
    """A row whose interval is five points to each side."""
    share = right / items
    return Row(label, model, items, right, share, max(0.0, share - 0.05), min(1.0, share + 0.05), **more)  # type: ignore[arg-type]


def full_report() -> Report:
    """A report in which no part is empty, with text that each output has to escape."""
    phenomena = ("agreement", "binding", "ellipsis_in_VP")
    by_phenomenon = tuple(
        row(label, model, 10 * place + 53 - 8 * (model == "lstm"), 100, ties=place, unequal=2 * place)
        for place, label in enumerate(phenomena)
        for model in MODELS
    )
    by_paradigm = tuple(
        row(f"{label}-{number}", model, 70 + number + place, 100)
        for place, label in enumerate(phenomena)
        for number in range(3)
        for model in MODELS
    )
    summary = (
        row(
            "all",
            MODELS[0],
            1234.5,
            1500,
            ties=3,
            macro=0.75,
            sum_accuracy=0.823,
            token_accuracy=0.7,
            character_accuracy=0.6,
        ),
        row(
            "all",
            MODELS[1],
            987,
            1500,
            unequal=7,
            macro=0.625,
            sum_accuracy=0.658,
            token_accuracy=0.5,
            character_accuracy=0.4,
        ),
    )
    return Report(
        title=f"Scores {NASTY}",
        signature=("items:1a2b3c4d|ties:half|seed:1|model:roberta-base", "items:1a2b3c4d|ties:half|seed:1|model:lstm"),
        models=MODELS,
        summary=summary,
        groups=(Breakdown("phenomenon", by_phenomenon), Breakdown("paradigm", by_paradigm)),
        answers=(AnswerTable("template", tuple(_answers())),),
        designs=(
            DesignRow(
                "number_src",
                "lstm",
                "1",
                "(6;%match_sing%) < (6;%mismatch_sing%) | [(*;%a%) = (1;%b%)]",
                19,
                12,
                12 / 19,
                0.41,
                0.81,
                1,
                True,
                -1.25,
            ),
            DesignRow("number_src", "lstm", "2", "(6;%a%) < (6;%b%) & (1;%a%) > (1;%b%)", 20, 5, 0.25),
        ),
        differences=(
            DifferenceRow("number_src", "lstm", "1", "(6;%match_sing%) < (6;%mismatch_sing%)", 19, -1.25, -2.5, 0.5),
            DifferenceRow("number_src", "lstm", "2", "(6;%a%) < (6;%b%)", 20, 0.75, 0.25, 1.5),
            DifferenceRow("number_src", "lstm", "2", "(1;%a%) > (1;%b%)", 20, -3.125),
        ),
        regions=tuple(
            RegionRow(
                "number_src",
                "lstm",
                f"{condition} {NASTY}",
                region,
                number,
                place,
                place < 3,
                20,
                bits,
                bits - 1,
                bits + 1,
            )
            for condition, offset in (("a", 0.0), ("b", 1.5))
            for place, region, number, bits in (
                (1, "intro", "1", 4.25 + offset),
                (2, f"verb {NASTY}", "2", 8.5 - offset),
                (3, "*", "", 12.75),
            )
        ),
        outcomes=(
            OutcomeRow("number_src", "lstm", "number_src:1", "1", True, (1.5,)),
            OutcomeRow("number_src", "lstm", "number_src:1", "2", None, (1.5, None)),
        ),
        comparisons=(
            Comparison("all", *MODELS, 1500, 0.823, 0.658, 0.165, 0.12, 0.21, 300, 52, 0.0002, 0.0301, 0.0602),
        ),
        steps=tuple(
            Step(step, label, "lstm", 100, min(0.95, 0.5 + 0.03 * number * (place + 1)), None, None)
            for place, label in enumerate(phenomena)
            for number, step in enumerate((0, 100, 1000, 10000))
        ),
        agreement=(
            *_agreement("all", "all"),
            *_agreement("paradigm", "all"),
            *_agreement("paradigm", f"binding {NASTY}"),
        ),
        statistics=(Statistic("mean margin", "lstm", 0.4321, 0.4, 0.5, 0.01, 200),),
        alignment=(AlignmentCounts(MODELS[0], 1500), AlignmentCounts(MODELS[1], 1490, 10, 3, 2, 1)),
        findings=(
            Finding("bad-row", f"no number: {NASTY}", "scores.tsv", 17, 3, "a\tb", "write one", "warning"),
            Finding("missing", "no prediction", "items.jsonl", 4),
        ),
        notes=(f"With 1,500 items a difference of 3.6 points would be seen with 80%. {NASTY}",),
        items=tuple(_items()),
    )


def _agreement(by: str, label: str) -> list[Agreement]:
    """Figures on human judgements; of a model that does not vary there is no correlation."""
    rows = [
        Agreement(by, label, "", HUMAN_ACCURACY, MEASURES[HUMAN_ACCURACY], 0.914, 0.85, 0.95, None, 150),
        Agreement(by, label, "", RATING_ALPHA, MEASURES[RATING_ALPHA], -0.0625, -0.25, 0.125, None, 300, "sentences"),
    ]
    for model in MODELS:
        kappa = (0.567, 0.5, 0.625) if model == "lstm" else (None, None, None)
        rows.append(
            Agreement(by, label, model, VERDICT_AGREEMENT, MEASURES[VERDICT_AGREEMENT], 0.765, 0.7, 0.8, None, 140)
        )
        rows.append(Agreement(by, label, model, VERDICT_KAPPA, MEASURES[VERDICT_KAPPA], *kappa, None, 140))
        for kind in COEFFICIENTS:
            measure = f"sentence_{kind}"
            number, p = (0.678, 0.0001) if model == "lstm" else (None, None)
            rows.append(
                Agreement(by, label, model, measure, MEASURES[measure], number, None, None, p, 300, "sentences")
            )
    return rows


def _answers() -> list[AnswerRow]:
    rows = []
    for label in ("this_A_N", "these_A_N"):
        for place, model in enumerate(MODELS):
            counts = {"correct number": 30 - 10 * place, "false number": 15, "other": 5 + 10 * place}
            words = (("dog|s", 3), (NASTY, 2))
            parts = tuple(AnswerCategory(name, count, count / 50, words) for name, count in counts.items())
            rows.append(AnswerRow(label, model, 50, parts))
    return rows


def _items() -> list[ItemRow]:
    verdicts = ("right", "wrong", "tie", "missing")
    items = []
    for number in range(40):
        good, bad = f"the dog number {number} is here .", f"the dog number {number} are here ."
        scores = ((-10.5 - number, -11.25), (None, None) if number % 4 == 3 else (-20.0, -19.5))
        said = ("right" if number % 3 else "wrong", verdicts[number % 4])
        items.append(
            ItemRow(f"p:{number}", f"agreement-{number % 3}", "t1", good, bad, scores, said, {"crossed:n": "sg"})
        )
    items.append(
        ItemRow(
            "p:nasty", "binding-0", NASTY, NASTY, "x", ((1.0, 2.0), (2.0, 1.0)), ("wrong", "right"), {"note": NASTY}
        )
    )
    return items


def large_report(items: int, paradigms: int = 67) -> Report:
    """A report over `items` items of two models, as a benchmark suite gives it; the same on every call."""
    rows = []
    for number in range(items):
        paradigm = number * paradigms // items
        words = f"the {_WORDS[number % 17]} near the {_WORDS[number * 7 % 13]} {number}"
        scores = ((-20 - number % 101 / 8, -20 - number % 97 / 8), (-30 - number % 89 / 16, -30 - number % 83 / 16))
        said = tuple("right" if good > bad else "wrong" if good < bad else "tie" for good, bad in scores)
        name = f"paradigm_{paradigm:03}"
        crossed = {"crossed:number": "sg" if number % 2 else "pl"}
        rows.append(
            ItemRow(
                f"{name}:{number}",
                name,
                f"t{number % 3}",
                f"{words} is here .",
                f"{words} are here .",
                scores,
                said,
                crossed,
            )
        )
    groups = []
    for by, size in (("phenomenon", 12), ("paradigm", paradigms)):
        lines = []
        for place in range(size):
            for first, model in enumerate(MODELS):
                total = items // size
                name = f"{by}_{place:03}"
                lines.append(row(name, model, total * ((place * 37 + 11 * first) % 50 + 48) // 100, total))
        groups.append(Breakdown(by, tuple(lines)))
    summary = tuple(row("all", model, items * 7 // 10, items) for model in MODELS)
    return Report("A large suite", ("items:00000000|seed:1",) * 2, MODELS, summary, tuple(groups), items=tuple(rows))


_WORDS = (
    *("dog", "cat", "house", "teacher", "window", "garden", "river", "friend", "letter", "picture", "table"),
    *("doctor", "street", "book", "mountain", "child", "story"),
)
