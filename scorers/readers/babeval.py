"""Babeval: `forced_choice/TASK.txt` (two lines a pair, either may be right), `open_ended/TASK.txt` (a mask a line)."""

from __future__ import annotations

from collections.abc import Iterator

from scorers.items import Condition, Item, Mask
from scorers.readers.answers import Answers, Classes, masks_beside, read_answers
from scorers.readers.base import ItemReader
from scorers.readers.lines import MASKS, couples, is_plain, sentence_lines
from scorers.readers.source import Report, Source

_FORCED, _OPEN = "forced_choice", "open_ended"


def _read(source: Source, report: Report) -> Iterator[Item]:
    answers = read_answers(source, report)
    masks = answers.masks or MASKS
    if source.folders[:1] == (_OPEN,) or (source.head and _mask_in(source.head[0], masks)):
        yield from _open(source, report, masks, answers)
        return
    for line, first, second in couples(source, report):
        members = (Condition("first", first, None), Condition("second", second, None))
        yield Item(f"{source.label}:{line}", source.label, members, file=source.name, line=line)


def _open(source: Source, report: Report, masks: tuple[str, ...], answers: Answers) -> Iterator[Item]:
    rows = list(sentence_lines(source, report))
    kinds = _kinds(source, report, answers, len(rows))
    for (line, text), (paradigm, template, classes) in zip(rows, kinds, strict=True):
        token = _mask_in(text, masks)
        if not token or text.count(token) != 1:
            count = text.count(token) if token else "no"
            report.error(line, f"{count} masks ({' or '.join(masks)}): expected one in a line", "mask")
            continue
        yield Item(
            f"{source.label}:open:{line}",
            paradigm,
            (Condition("open", text, True),),
            template=template,
            mask=Mask("", token, classes),
            file=source.name,
            line=line,
        )


def _kinds(source: Source, report: Report, answers: Answers, count: int) -> list[tuple[str, str, Classes]]:
    """The paradigm, the template and the classes of answers of each sentence, as far as the answers beside it say."""
    by_key = list(answers.paradigms.get(source.label, {}).values())
    # Which answers are right depends on the line: without `lines` they are known only where there is no choice.
    only = by_key[0] if len(by_key) == 1 else {}
    if answers.lines and len(answers.lines) != count:
        beside = f"they are of {len(answers.lines):,} sentences, and there are {count:,} here"
    elif answers.lines:
        # Files that are called alike are told apart by their labels.
        own = source.label if source.label != source.stem else ""
        return [(own or paradigm, template, answers.of(paradigm, key)) for paradigm, template, key in answers.lines]
    elif only:
        return [(source.label, "", only)] * count
    else:
        beside = answers.absence or "the answers beside it do not say which of them a line has"
    message = f"open-ended sentences without classes of answers: {beside}"
    report.warn(1, message, "no-answers")
    return [(source.label, "", {})] * count


def _mask_in(text: str, masks: tuple[str, ...]) -> str:
    return next((mask for mask in masks if mask in text), "")


def _detect(source: Source) -> bool:
    if not is_plain(source) or source.suffix not in (".txt", ""):
        return False
    if all(_mask_in(text, MASKS) for text in source.head):
        return True
    if source.folders[:1] == (_OPEN,):
        masks = (*MASKS, *masks_beside(source))
        return any(_mask_in(text, masks) for text in source.head)
    return source.folders[:1] in ((_FORCED,), ("babeval",))


READER = ItemReader(
    "babeval", "Babeval text: two lines a pair (which is right is not said), or a mask a line", _read, _detect
)
