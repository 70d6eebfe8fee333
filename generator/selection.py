"""Selection: whether a word fits what another word says of its arguments.

A verb's (or a relational noun's) argument columns are written in slot notation: `place | vehicle`,
`movable -animate | abstract`.  An empty column takes nothing.
"""

from __future__ import annotations

from functools import lru_cache

from generator.lexicon import LexicalEntry, Lexicon

Arguments = frozenset[str] | None
"""What an argument column can ask of a word: its flags and values; None of a word that fits everything."""


def read_argument(lexicon: Lexicon, entry: LexicalEntry) -> Arguments:
    """A word as an argument.

    Words of which the lists say nothing fit everything: quoted words without features, words that are guessed, and
    words of closed categories (*they*, *it*) without any feature that argument columns speak of.
    """
    values = {value for found in entry.values.values() for value in found}
    own = frozenset((entry.flags | values) & lexicon.argument_features)
    if not own and (not entry.is_open or "guessed_word" in entry.flags):
        return None
    return own


def column_of(entry: LexicalEntry, column: str) -> str | None:
    """A word's argument column; None of a word of which nothing is known (quoted or guessed)."""
    if not entry.category or "guessed_word" in entry.flags:
        return None
    return entry.columns.get(column, "")


def read_columns(lexicon: Lexicon, entry: LexicalEntry, places: tuple[int, ...]) -> tuple[str | None, ...]:
    """The argument columns at some places of the declared order.

    In the place of an empty column stands the one that is declared to stand instead of it: what follows *look at* is no
    object, but is asked for where the object of *see* is.
    """
    declaration = lexicon.categories.get(entry.category)
    names = declaration.filter_columns if declaration is not None else ()
    instead = {lexicon.system.declarations[name].instead_of: name for name in names}

    def column(name: str) -> str | None:
        own = column_of(entry, name)
        return column_of(entry, instead[name]) if own == "" and name in instead else own

    return tuple(column(names[place]) if place < len(names) else None for place in places)


@lru_cache(maxsize=65536)
def _alternatives(column: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """A column as (features that must be there, features that must not), for each alternative."""
    found = []
    for alternative in column.split("|"):
        tokens = alternative.split()
        if tokens:
            wanted = frozenset(token for token in tokens if not token.startswith("-"))
            found.append((wanted, frozenset(token[1:] for token in tokens if token.startswith("-"))))
    return tuple(found)


def fits(argument: Arguments, column: str | None) -> bool:
    """Whether a word fits a column."""
    if argument is None:
        return column != ""
    return column is None or any(
        wanted <= argument and not barred & argument for wanted, barred in _alternatives(column)
    )
