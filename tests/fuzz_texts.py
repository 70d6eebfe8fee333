"""Mutations of a text: mistakes of typing, of pasting, of editing, and what a strange editor or file system adds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

ALPHABET = "{}[]|*+-!$\"'#@=:.,()<>&\\/_ \t\nabnzANZ0159éß"
ODD = (
    "\u0301",  # a combining accent
    "e\u0301\u0323",
    "\x00",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\u2028",
    "\r",
    "\u00a0",
    "\u3000",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\ufffd",
    "\ufffe",
    "\u202e",
    "\u200f",
    "שלום",
    "مرحبا",
    "ａｂ",
    "²",
    "٣",
    "Ⅷ",
    "ſ",
    "İ",
    "ı",
    "ﬁ",
    "𝒏",
    "🐕",
    "👩‍🔬",
    "“",
    "’",
    "–",
    "…",
    "日本語",
    "\\ud800",
    "\\",
    "%s",
    "{0}",
    "[bold]",
)
NUMBERS = ("0", "-1", "1", "2", "3", "7", "64", "999", "100000", "4294967296", "9" * 19, "9" * 400, "9" * 5000, "0x10")
_TOKEN = re.compile(r'"[^"\n]*"|\$?\w+|\S')
_WORD = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"\d+")
_HEADER = re.compile(r"^phrase [^:\n]*(?=:)", re.MULTILINE)


@dataclass(frozen=True)
class Donors:
    """What other files give: lines, tokens, the names of features and values."""

    lines: Sequence[str]
    tokens: Sequence[str]
    features: Sequence[str]


Change = Callable[[Random, str, Donors], str]


def _place(rng: Random, text: str) -> int:
    return rng.randrange(len(text) + 1)


def _span_of(rng: Random, pattern: re.Pattern[str], text: str) -> tuple[int, int]:
    """A random match of a pattern; an empty stretch at a random place where there is none."""
    found = [match.span() for match in pattern.finditer(text)]
    if not found:
        place = _place(rng, text)
        return place, place
    return rng.choice(found)


def _put(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


# --- characters -------------------------------------------------------------------------------------------------------


def delete_character(rng: Random, text: str, donors: Donors) -> str:
    place = _place(rng, text)
    return text[:place] + text[place + 1 :]


def insert_character(rng: Random, text: str, donors: Donors) -> str:
    place = _place(rng, text)
    return text[:place] + rng.choice(ALPHABET) + text[place:]


def swap_characters(rng: Random, text: str, donors: Donors) -> str:
    place = _place(rng, text)
    return text[:place] + text[place : place + 2][::-1] + text[place + 2 :]


def double_character(rng: Random, text: str, donors: Donors) -> str:
    place = _place(rng, text)
    return text[:place] + text[place : place + 1] * rng.choice([2, 2, 3, 40]) + text[place + 1 :]


def insert_odd_character(rng: Random, text: str, donors: Donors) -> str:
    place = _place(rng, text)
    return text[:place] + rng.choice(ODD) + text[place:]


def odd_letter_in_word(rng: Random, text: str, donors: Donors) -> str:
    start, end = _span_of(rng, _WORD, text)
    place = rng.randint(start, end)
    return text[:place] + rng.choice(ODD) + text[place:]


# --- tokens -----------------------------------------------------------------------------------------------------------


def swap_tokens(rng: Random, text: str, donors: Donors) -> str:
    one, two = sorted([_span_of(rng, _TOKEN, text), _span_of(rng, _TOKEN, text)])
    if one[1] > two[0]:
        return text
    return text[: one[0]] + text[slice(*two)] + text[one[1] : two[0]] + text[slice(*one)] + text[two[1] :]


def replace_token(rng: Random, text: str, donors: Donors) -> str:
    return _put(text, _span_of(rng, _TOKEN, text), rng.choice(donors.tokens))


def insert_token(rng: Random, text: str, donors: Donors) -> str:
    place = _span_of(rng, _TOKEN, text)[0]
    return text[:place] + rng.choice(donors.tokens) + " " + text[place:]


def delete_token(rng: Random, text: str, donors: Donors) -> str:
    return _put(text, _span_of(rng, _TOKEN, text), "")


def double_token(rng: Random, text: str, donors: Donors) -> str:
    span = _span_of(rng, _TOKEN, text)
    return _put(text, span, f"{text[slice(*span)]} {text[slice(*span)]}")


def token_of_own(rng: Random, text: str, donors: Donors) -> str:
    own = _TOKEN.findall(text) or ["x"]
    return _put(text, _span_of(rng, _TOKEN, text), rng.choice(own))


def replace_name(rng: Random, text: str, donors: Donors) -> str:
    """A name by a near one (a typing mistake) or by another of the file or of other files."""
    span = _span_of(rng, _WORD, text)
    name = text[slice(*span)]
    place = rng.randrange(len(name) + 1)
    near = name[:place] + name[place + 1 :]
    own = rng.choice(_WORD.findall(text) or ["x"])
    new = rng.choice([near, own, rng.choice(donors.tokens), name.lower(), name.upper(), name * 60])
    if rng.random() < 0.3:
        return re.sub(rf"\b{re.escape(name)}\b", lambda _: new, text) if name else text  # everywhere
    return _put(text, span, new)


def swap_feature(rng: Random, text: str, donors: Donors) -> str:
    known = set(donors.features)
    found = [match.span() for match in _WORD.finditer(text) if match.group() in known]
    span = rng.choice(found) if found else _span_of(rng, _TOKEN, text)
    new = rng.choice(donors.features)
    if rng.random() < 0.3:
        return text[: span[1]] + " " + rng.choice(["", "-", "!", "*"]) + new + text[span[1] :]
    return _put(text, span, new)


def sign_before_token(rng: Random, text: str, donors: Donors) -> str:
    place = _span_of(rng, _TOKEN, text)[0]
    return (
        text[:place]
        + rng.choice(["-", "!", "*", "+", "$", "@", '"', "#", "not ", "after ", "head=", "_"])
        + text[place:]
    )


# --- brackets, numbers ------------------------------------------------------------------------------------------------


def drop_bracket(rng: Random, text: str, donors: Donors) -> str:
    return _put(text, _span_of(rng, re.compile(r"[{}\[\]()\"|]"), text), "")


def add_bracket(rng: Random, text: str, donors: Donors) -> str:
    start, end = _span_of(rng, _TOKEN, text)
    left, right = rng.choice(["{}", "[]", "()", '""', "{ ", " }", "[ ", "||"])
    return text[:start] + left + text[start:end] + right + text[end:]


def nest(rng: Random, text: str, donors: Donors) -> str:
    """A braced stretch (else a token) in very many brackets."""
    span = _span_of(rng, re.compile(r"\{[^{}\n]*\}"), text)
    many = rng.choice([2, 5, 30, 400, 3000])
    left, right = rng.choice([("{", "}"), ("(", ")"), ("[r: ", "]"), ("not ", ""), ("{a ", " | *b}"), ("{x=", "}")])
    return _put(text, span, left * many + text[slice(*span)] + right * many)


def change_number(rng: Random, text: str, donors: Donors) -> str:
    return _put(text, _span_of(rng, _NUMBER, text), rng.choice(NUMBERS))


def add_weight(rng: Random, text: str, donors: Donors) -> str:
    place = _span_of(rng, re.compile(r"\}|\n|$|\|"), text)[0]
    return f"{text[:place]} @{rng.choice(NUMBERS)} {text[place:]}"


def add_depth(rng: Random, text: str, donors: Donors) -> str:
    place = _span_of(rng, _HEADER, text)[1]
    return f"{text[:place]} depth {rng.choice(NUMBERS)}{text[place:]}"


# --- lines ------------------------------------------------------------------------------------------------------------


def _changed_lines(change: Callable[[Random, list[str], Donors], None]) -> Change:
    def changed(rng: Random, text: str, donors: Donors) -> str:
        lines = text.split("\n")
        change(rng, lines, donors)
        return "\n".join(lines)

    changed.__name__ = change.__name__.removeprefix("_")
    return changed


def _delete_line(rng: Random, lines: list[str], donors: Donors) -> None:
    del lines[rng.randrange(len(lines))]


def _double_line(rng: Random, lines: list[str], donors: Donors) -> None:
    line = rng.choice(lines)
    place = rng.randrange(len(lines) + 1)
    lines[place:place] = [line] * rng.choice([1, 1, 1, 2, 30])


def _move_line(rng: Random, lines: list[str], donors: Donors) -> None:
    line = lines.pop(rng.randrange(len(lines)))
    lines.insert(rng.randrange(len(lines) + 1), line)


def _truncate_line(rng: Random, lines: list[str], donors: Donors) -> None:
    number = rng.randrange(len(lines))
    lines[number] = lines[number][: rng.randrange(len(lines[number]) + 1)]


def _truncate_file(rng: Random, lines: list[str], donors: Donors) -> None:
    del lines[rng.randrange(len(lines)) :]


def _insert_line(rng: Random, lines: list[str], donors: Donors) -> None:
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(donors.lines))


def _replace_line(rng: Random, lines: list[str], donors: Donors) -> None:
    lines[rng.randrange(len(lines))] = rng.choice(donors.lines)


def _join_lines(rng: Random, lines: list[str], donors: Donors) -> None:
    number = rng.randrange(len(lines))
    lines[number : number + 2] = ["".join(lines[number : number + 2])]


def _indent_line(rng: Random, lines: list[str], donors: Donors) -> None:
    number = rng.randrange(len(lines))
    lines[number] = rng.choice(["  ", "\t", " "]) + lines[number] if rng.random() < 0.5 else lines[number].lstrip()


CHANGES: tuple[tuple[Change, int], ...] = (
    (delete_character, 4),
    (insert_character, 4),
    (swap_characters, 3),
    (double_character, 2),
    (insert_odd_character, 3),
    (odd_letter_in_word, 2),
    (swap_tokens, 5),
    (replace_token, 7),
    (insert_token, 4),
    (delete_token, 5),
    (double_token, 3),
    (token_of_own, 7),
    (replace_name, 6),
    (swap_feature, 9),
    (sign_before_token, 6),
    (drop_bracket, 3),
    (add_bracket, 4),
    (nest, 2),
    (change_number, 3),
    (add_weight, 2),
    (add_depth, 3),
    (_changed_lines(_delete_line), 4),
    (_changed_lines(_double_line), 3),
    (_changed_lines(_move_line), 4),
    (_changed_lines(_truncate_line), 2),
    (_changed_lines(_truncate_file), 1),
    (_changed_lines(_insert_line), 6),
    (_changed_lines(_replace_line), 3),
    (_changed_lines(_join_lines), 1),
    (_changed_lines(_indent_line), 2),
)


def mutate(rng: Random, text: str, donors: Donors, most: int = 6) -> tuple[str, list[str]]:
    """A text after one to `most` changes (mostly one or two), and their names."""
    changes, weights = zip(*CHANGES, strict=True)
    count = min(most, rng.choices([1, 2, 3, 6], [55, 25, 14, 6])[0])
    names = []
    for change in rng.choices(changes, weights, k=count):
        text = change(rng, text, donors)
        names.append(change.__name__)
    return text, names


def encode(rng: Random, text: str) -> tuple[bytes, str]:
    """A text as the bytes of a file: nearly always UTF-8; else with what some editors do to files."""
    data = text.encode("utf-8", "surrogatepass")
    how = rng.choices(["", "bom", "crlf", "cr", "cut", "byte", "latin-1", "utf-16"], [88, 3, 3, 1, 1, 2, 1, 1])[0]
    if how == "bom":
        data = b"\xef\xbb\xbf" + data
    elif how == "crlf":
        data = data.replace(b"\n", b"\r\n")
    elif how == "cr":
        data = data.replace(b"\n", b"\r")
    elif how == "cut":
        data = data[: rng.randrange(len(data) + 1)]
    elif how == "byte":
        place = rng.randrange(len(data) + 1)
        data = data[:place] + bytes([rng.randrange(128, 256)]) + data[place:]
    elif how == "latin-1":
        data = text.encode("latin-1", "replace") + b"\xe9"
    elif how == "utf-16":
        data = text.encode("utf-16", "surrogatepass")
    return data, how
