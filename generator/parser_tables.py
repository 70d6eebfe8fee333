"""The tables of the line parser, made beforehand: making them takes Lark longer than most commands take otherwise.

`parser_tables.json` says what it was made of.  Where that is not what there is now (a changed `grammar.lark`, another
Lark), the parser is built from the grammar, which gives the same one.  `make tables` writes the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import Lexer, TerminalDef

FILE_NAME = "parser_tables.json"


def tables_of(parser: Lark, grammar: str, starts: Sequence[str]) -> str:
    """The content of the file, for a parser that was built from a grammar."""
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    content = {"lark": lark.__version__, "grammar": digest_of(grammar, starts), "data": data, "memo": memo}
    return json.dumps(content, default=lambda lexer: None, separators=(",", ":")) + "\n"


def restored(grammar: str, starts: Sequence[str], lexer: type[Lexer]) -> Lark | None:
    """The parser of a grammar from the file; None where the file was made of something else."""
    file = files("generator").joinpath(FILE_NAME)
    content = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    if (content.get("lark"), content.get("grammar")) != (lark.__version__, digest_of(grammar, starts)):
        return None
    data = content["data"]
    # JSON has no classes, and names only as keys.
    data["options"]["lexer"] = data["parser"]["lexer_conf"]["lexer_type"] = lexer
    table = data["parser"]["parser"]
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {state: _numbered(actions) for state, actions in _numbered(table["states"]).items()}
    parser: Lark = Lark._load_from_dict(data, _numbered(content["memo"]))  # type: ignore[no-untyped-call]
    return parser


def _numbered(found: Mapping[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in found.items()}


def digest_of(grammar: str, starts: Sequence[str]) -> str:
    """What the tables follow from, but for Lark."""
    return hashlib.sha256("\n".join((*starts, grammar)).encode()).hexdigest()
