"""Mutations of word lists: cells, rows, headers, the JSON of a schema; and the lists of a user's own words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from fuzz_texts import NUMBERS, ODD, Donors, mutate

WORDS_GRAMMAR = """\
paradigm pets
phenomenon subject_verb_agreement
language en
slot Pet   = noun human countable -number_ambiguous
slot Thing = noun artefact movable countable -number_ambiguous
slot Near  = "near" | "behind"
table Pred: sg             | pl
            sings          | sing
            knows a doctor | know a doctor
+ the {pet=Pet $n | *pet !$n} {Near} the {Thing sg} {Pred $n} .
+ the {noun $n} {adjective predicative} {auxiliary "be" pres $n | *auxiliary "be" pres !$n} here .
cross $n
"""
CZECH_GRAMMAR = """\
paradigm adjectives
language cs
slot Noun = noun animate -number_ambiguous
+ {adjective attributive $n nom} {x=Noun $n nom | *x !$n nom} {"tady" | "tam"} .
+ hledáme {Noun acc $n} {"." | *"a"} .
cross $n
"""
BALANCE = "balance Pet, Thing by frequency\n"

# --- tables -----------------------------------------------------------------------------------------------------------


def mutate_table(rng: Random, text: str, delimiter: str, donors: Donors) -> tuple[str, list[str]]:
    """A delimited text after some changes of cells, rows and columns."""
    rows = [line.split(delimiter) for line in text.split("\n")]
    names = []
    for _ in range(rng.choices([1, 2, 4], [65, 25, 10])[0]):
        change = rng.choice(_TABLE_CHANGES)
        change(rng, rows, donors)
        names.append(change.__name__)
    return "\n".join(delimiter.join(row) for row in rows), names


def _row(rng: Random, rows: list[list[str]]) -> list[str]:
    return rows[0] if rng.random() < 0.1 else rng.choice(rows)


def delete_cell(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    row = _row(rng, rows)
    if row:
        del row[rng.randrange(len(row))]


def empty_cell(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    row = _row(rng, rows)
    if row:
        row[rng.randrange(len(row))] = ""


def double_cell(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    row = _row(rng, rows)
    if row:
        row.insert(rng.randrange(len(row)), rng.choice(row))


def swap_cells(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    one, two = _row(rng, rows), _row(rng, rows)
    if one and two:
        here, there = rng.randrange(len(one)), rng.randrange(len(two))
        one[here], two[there] = two[there], one[here]


def replace_cell(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    row = _row(rng, rows)
    if row:
        row[rng.randrange(len(row))] = rng.choice(
            [rng.choice(ODD), rng.choice(NUMBERS), rng.choice(donors.tokens), rng.choice(donors.features), "a b", "_"]
        )


def change_cell(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    row = _row(rng, rows)
    if row:
        place = rng.randrange(len(row))
        row[place] = mutate(rng, row[place], donors, 1)[0]


def add_feature(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    row = _row(rng, rows)
    if row:
        place = rng.randrange(len(row))
        name, value = rng.choice(donors.features), rng.choice(donors.features)
        forms = [name, "-" + name, f"{name}={value}", f"{name}=", f"={value}", f"{name}={value}|{name}"]
        row[place] += " " + rng.choice(forms)


def delete_row(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    if len(rows) > 1:
        del rows[0 if rng.random() < 0.2 else rng.randrange(len(rows))]


def double_row(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    rows.insert(rng.randrange(len(rows) + 1), list(rng.choice(rows)))


def move_row(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    row = rows.pop(0 if rng.random() < 0.3 else rng.randrange(len(rows)))
    rows.insert(rng.randrange(len(rows) + 1), row)


def cut_rows(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    del rows[rng.choice([0, 1, 1, 2, len(rows) // 2]) :]
    if not rows:
        rows.append([""])


def change_header(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    place = rng.randrange(len(rows[0]))
    cell = rows[0][place]
    new = [mutate(rng, cell, donors, 1)[0], rng.choice(rows[0]), rng.choice(donors.features), cell.upper(), ""]
    rows[0][place] = rng.choice(new)


def swap_columns(rng: Random, rows: list[list[str]], donors: Donors) -> None:
    one, two = rng.randrange(len(rows[0])), rng.randrange(len(rows[0]))
    for row in rows if rng.random() < 0.5 else rows[:1]:
        if max(one, two) < len(row):
            row[one], row[two] = row[two], row[one]


_TABLE_CHANGES: tuple[Callable[[Random, list[list[str]], Donors], None], ...] = (
    delete_cell,
    empty_cell,
    double_cell,
    swap_cells,
    replace_cell,
    change_cell,
    change_cell,
    add_feature,
    add_feature,
    delete_row,
    double_row,
    move_row,
    cut_rows,
    change_header,
    change_header,
    swap_columns,
)

# --- JSON -------------------------------------------------------------------------------------------------------------

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    2,
    1e308,
    float("nan"),
    float("inf"),
    10**400,
    "",
    " ",
    "any",
    "\ud800",
    "\x00",
    "../..",
    "x" * 300,
    "(",
    "[a-",
    "*",
    "a b",
    [],
    {},
    [[]],
    [None],
    ["sg", "sg"],
    {"": ""},
    {"a": "b"},
    [{}],
)
JSON_BOMBS = (
    "[" * 100_000,
    '{"a":' * 50_000 + "1" + "}" * 50_000,
    "9" * 5000,
    '{"language": ' + "1" * 5000 + "}",
    "",
    "null",
    "{}",
    "[]",
    '"en"',
    "NaN",
)


def _places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every (container, key) of parsed JSON."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    for key in keys:
        found.append((value, key))
        _places(value[key], found)
    return found


def mutate_json(rng: Random, text: str, donors: Donors) -> tuple[str, list[str]]:
    """JSON after changes of keys and values; sometimes of its text, which may then be no JSON."""
    if rng.random() < 0.02:
        return rng.choice(JSON_BOMBS), ["bomb"]
    if rng.random() < 0.15:
        return mutate(rng, text, donors)
    data = json.loads(text)
    names = []
    for _ in range(rng.choices([1, 2, 3], [70, 20, 10])[0]):
        places = _places(data, [])
        if not places:
            break
        # Short containers as often as long ones, else the articles' word lists get nearly all changes.
        by_owner: dict[int, list[tuple[Any, Any]]] = {}
        for owner, key in places:
            by_owner.setdefault(id(owner), []).append((owner, key))
        owner, key = rng.choice(rng.choice(list(by_owner.values())))
        change = rng.choice(["delete", "odd", "odd", "other", "rename", "near", "insert", "wrap", "swap"])
        names.append(change)
        other_owner, other_key = rng.choice(places)
        if change == "delete":
            del owner[key]
        elif change == "odd":
            owner[key] = rng.choice(ODD_VALUES)
        elif change == "other":
            owner[key] = json.loads(json.dumps(other_owner[other_key]))
        elif change == "wrap":
            owner[key] = rng.choice([[owner[key]], {"values": owner[key]}, str(owner[key])])
        elif change == "swap":
            copy = json.loads(json.dumps(owner[key]))
            owner[key] = json.loads(json.dumps(other_owner[other_key]))
            if isinstance(other_owner, dict) or other_key < len(other_owner):
                other_owner[other_key] = copy
        elif change == "insert":
            value = rng.choice([rng.choice(ODD_VALUES), rng.choice(donors.features), other_owner[other_key]])
            value = json.loads(json.dumps(value))
            if isinstance(owner, list):
                owner.insert(rng.randrange(len(owner) + 1), value)
            else:
                owner[rng.choice([str(other_key), rng.choice(donors.features), "\ud800"])] = value
        elif isinstance(owner, dict):
            other = rng.choice([str(other_key), "", "any", "\ud800"])
            new = mutate(rng, key, donors, 1)[0] if change == "near" else other
            owner[new] = owner.pop(key)
        elif isinstance(owner[key], str):
            owner[key] = mutate(rng, owner[key], donors, 1)[0]
    return json.dumps(data, ensure_ascii=rng.random() < 0.5, indent=1), names


# --- a user's own words -----------------------------------------------------------------------------------------------


def user_files(rng: Random, lists: Mapping[str, str], donors: Donors) -> dict[str, str]:
    """A folder of a user's own words for `WORDS_GRAMMAR`: some of the files that it could hold."""
    rows = [line.split("\t") for line in lists["nouns.tsv"].split("\n")[1:] if line]
    lemmas = [row[0].replace("_", " ") for row in rows]
    plurals = [row[2] for row in rows if row[2]]
    unknown = ["wug", "blick", "axes", "sheep", "grand piano", "Wien", "half-truth", "dog's", "été", "2nd"]
    some = rng.sample(lemmas, 8) + rng.sample(unknown, 3)
    judged = [f"{word},{rng.choice('011')}" for word in some]
    tasks = [f"{word},{rng.choice('011')},{rng.choice('011')}" for word in rng.sample(lemmas, 8)]
    numbers = [f"{word},{rng.choice(['0', '1', '17', '250.5', '3e4'])}" for word in rng.sample(lemmas, 40)]
    files = {
        "Pet.txt": "\n".join(some) + "\n",
        "noun.txt": "\n".join(rng.sample(lemmas, 5)) + "\n",
        "Near.txt": "near\nin front of\n",
        "Pred.tsv": "sg\tpl\nsleeps\tsleep\nhas a {noun sg}\thave a {noun sg}\n",
        "Thing.csv": "word,is_legal\n" + "\n".join(judged) + "\n",
        "NN.csv": "word,is_legal\n" + "\n".join(judged) + "\n",
        "NNS.csv": "word,is_legal\n" + "\n".join(f"{word},1" for word in rng.sample(plurals, 6)) + "\n",
        "pets.csv": "word,NN-0,NN-1\n" + "\n".join(tasks) + "\n",
        "frequency.csv": "word,frequency\n" + "\n".join(numbers) + "\n",
    }
    return {name: files[name] for name in sorted(rng.sample(sorted(files), rng.choice([1, 1, 2, 3])))}


def mutate_list(rng: Random, name: str, text: str, donors: Donors) -> tuple[str, list[str]]:
    """A file of a folder of words, changed in the way of its kind."""
    if name.endswith(".json"):
        return mutate_json(rng, text, donors)
    if name.endswith(".txt") or rng.random() < 0.15:
        return mutate(rng, text, donors)
    return mutate_table(rng, text, "\t" if name.endswith(".tsv") else ",", donors)
