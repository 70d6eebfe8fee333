"""Walking a text's braces and mentions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from generator import nodes


def braces_of(text: nodes.Text) -> Iterator[nodes.Brace]:
    """Every brace of a text, outer ones first."""
    for item in text.items:
        if isinstance(item, nodes.Brace):
            yield from _nested(item)
        elif isinstance(item, nodes.RegionText):
            yield from braces_of(item.text)


def _nested(brace: nodes.Brace) -> Iterator[nodes.Brace]:
    yield brace
    for alternative in brace.choice.alternatives:
        if isinstance(alternative.body, tuple):
            for unit in alternative.body:
                if isinstance(unit, nodes.Brace):
                    yield from _nested(unit)


def mentions_of(text: nodes.Text) -> Iterator[tuple[nodes.Mention, Hashable | None]]:
    """Every mention of a text, with the contrast (or brace of factors) it stands in, if any."""
    for brace in braces_of(text):
        joined = brace.choice.is_contrast or brace.choice.factors
        key = (brace.span.line, brace.span.column) if joined else None
        for alternative in brace.choice.alternatives:
            if isinstance(alternative.body, nodes.Mention):
                yield alternative.body, key


def labels_of(text: nodes.Text) -> Mapping[str, str]:
    """The names that a text gives, with their classes."""
    return {mention.label: mention.name for mention, _ in mentions_of(text) if mention.label}


def marked(brace: nodes.Brace) -> int:
    """How many starred (or further acceptable) alternatives a brace has."""
    return sum(1 for alternative in brace.choice.alternatives if alternative.mark)


def is_alternative(text: nodes.Text, mention: nodes.Mention) -> bool:
    """Whether a mention is one of several unmarked alternatives of its brace, or a starred one."""
    for brace in braces_of(text):
        for alternative in brace.choice.alternatives:
            if alternative.body is mention:
                return bool(alternative.mark) or sum(not a.mark for a in brace.choice.alternatives) > 1
    return True


def head_of(text: nodes.Text) -> nodes.Mention | None:
    """The mention of a rule that features given to the phrase go to: the one named `head`, else the only one."""
    mentions = list({id(mention): mention for mention, _ in mentions_of(text)}.values())
    return next((m for m in mentions if m.label == "head"), mentions[0] if len(mentions) == 1 else None)


def rests_on(text: nodes.Text) -> Iterator[tuple[str, ...]]:
    """What must be possible for a text to be: for each brace, the names of which one must be (empty: always)."""
    for item in text.items:
        if isinstance(item, nodes.RegionText):
            yield from rests_on(item.text)
        elif isinstance(item, nodes.Brace):
            yield from _brace_rests_on(item)


def _brace_rests_on(brace: nodes.Brace) -> Iterator[tuple[str, ...]]:
    names: list[str] = []
    for alternative in brace.choice.alternatives:
        if alternative.mark:
            continue
        if not isinstance(alternative.body, nodes.Mention):
            return  # quoted words are always possible
        names.append(alternative.body.name)
    yield tuple(names)
