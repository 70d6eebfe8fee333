"""What a syntax message is, and what tokens are called."""

from __future__ import annotations

from dataclasses import dataclass, replace

TOKEN_NAMES = {
    "NAME": "a name",
    "VAR": "a variable like $n",
    "STRING": "a quoted word",
    "INT": "a number",
    "WORD": "a word",
    "REGION": "'[name:'",
    "WEIGHT": "a weight like @2",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "RBRACK": "']'",
    "BAR": "'|'",
    "STAR": "'*'",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "AT": "'@'",
    "EQ": "'='",
    "NE": "'!='",
    "BANG": "'!'",
    "DOT": "'.'",
    "COMMA": "','",
    "COLON": "':'",
    "LPAR": "'('",
    "RPAR": "')'",
    "NOT": "'not'",
    "AND": "'and'",
    "OR": "'or'",
    "IN": "'in'",
    "AFTER": "'after'",
    "DEPTH": "'depth'",
    "BY": "'by'",
    "FITS": "'fits'",
    "LT": "'<'",
    "GT": "'>'",
    "WITHIN": "'within'",
    "DECIMAL": "a number",
    "$END": "the end of the line",
}


@dataclass(frozen=True)
class SyntaxMessage:
    """A message for lines that stop the parser as the examples do.  An example is (kind of line, line)."""

    message: str
    hint: str
    examples: tuple[tuple[str, str], ...]


def everywhere(entry: SyntaxMessage) -> SyntaxMessage:
    """The entry with its examples of braces also where a phrase, a table's cell, a slot or an answer has them."""
    found = dict.fromkeys(entry.examples)
    for kind, example in entry.examples:
        if kind == "text" and "{" in example:
            found |= dict.fromkeys([("rules", example), ("cells", example)])
        elif kind == "slot" and example[:1].isalpha() and " = " in example:
            found[("answer", example)] = None
    return replace(entry, examples=tuple(found))
