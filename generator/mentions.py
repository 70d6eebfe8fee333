"""What a resolved mention is made of: typed features, tables of rows, members of classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from generator import nodes
from generator.domains import Literal, Member


@dataclass(frozen=True, eq=False)
class RowTable:
    """A table whose rows are choice points: its cells hold slots, or a name or `cross` speaks of it."""

    name: str
    columns: tuple[dict[str, str], ...]
    rows: tuple[tuple[nodes.Text, ...], ...]


@dataclass(frozen=True)
class ResolvedFeatures:
    """A mention's features, typed.

    `variables` are (name, part, broken), `after` the names of what governs the form, `references` (feature, name of the
    slot whose value it is, negative).
    """

    literals: tuple[Literal, ...] = ()
    variables: tuple[tuple[str, str, bool], ...] = ()
    column: str = ""
    after: tuple[str, ...] = ()
    references: tuple[tuple[str, str, bool], ...] = ()


@dataclass(frozen=True)
class Binding:
    """What a mention of a phrase says to it.

    `agreement` is the variable that binds the phrase's own ((name, part, broken), or None); `stated` are values of
    the bundle that the phrase's own variable must have (`{NP sg}`); `typed` maps the phrase's
    typed variables to (outer variable or '', value, broken); `rest` is the mention with the features that go to the
    head.
    """

    agreement: tuple[str, str, bool] | None
    stated: tuple[tuple[str, str], ...]
    typed: tuple[tuple[str, tuple[str, str, bool]], ...]
    rest: nodes.Mention


def plain(text: nodes.Text) -> str:
    """The words of a text without braces."""
    result = ""
    for item in text.items:
        assert isinstance(item, nodes.Word)
        result += ("" if item.glued or not result else " ") + item.text
    return result


def holds_braces(text: nodes.Text) -> bool:
    """Whether a text is more than words."""
    return any(not isinstance(item, nodes.Word) for item in text.items)


def unique_members(members: Iterable[Member]) -> list[Member]:
    """Each word once: readings of the same entry are joined."""
    found: dict[object, Member] = {}
    for member in members:
        entry = member.entry
        said = (entry.lemma, entry.analyses, entry.flags, frozenset(entry.values.items()))
        key: object = id(entry) if entry.category else said
        if key in found:
            earlier = found[key]
            joined = tuple(dict.fromkeys([*earlier.analyses, *member.analyses]))
            found[key] = Member(earlier.entry, joined, earlier.free)
        else:
            found[key] = member
    return list(found.values())
