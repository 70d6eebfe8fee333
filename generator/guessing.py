"""Forms of words that the lexicon lacks: irregular table, then lemminflect where installed, then inflect.

Every form made here is a guess: the entry says so, and `gen check` lists it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from generator.lexicon import CategoryDeclaration, LexicalEntry, Lexicon
from generator.source import Span

_VOWELS = "aeiou"


@cache
def _irregular(language: str) -> dict[str, Any]:
    path = files("wordlists").joinpath(language, "irregular.json")
    data: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return data


@cache
def _inflect_engine() -> Any:
    import inflect

    return inflect.engine()


@cache
def _lemminflect() -> Any:
    try:
        import lemminflect
    except ImportError:
        return None
    return lemminflect


def guess_entry(
    lexicon: Lexicon, category: CategoryDeclaration, word: str, form: str = "", span: Span | None = None
) -> LexicalEntry:
    """An entry for an unknown `word`, given in its form column `form` (by default the first).

    Forms that no source knows are left out; a mention that needs one then reports it.
    """
    given = form or next(iter(category.forms))
    forms = {given: word}
    if lexicon.language == "en":
        forms.update(_english(category.name, given, word))
    guessed = tuple(column for column in forms if column != given)
    return lexicon.make_entry(category, word, forms, ("guessed_word",), {}, guessed or (given,), span)


def _english(category: str, given: str, word: str) -> dict[str, str]:
    if category == "noun" and given == "sg":
        return {"pl": english_plural(word)}
    if category == "noun" and given == "pl":
        singular = _inflect_engine().singular_noun(word)
        return {"sg": str(singular)} if singular else {}
    if category == "verb" and given == "base":
        forms = {"s": english_third_person(word)}
        if _lemminflect() is not None:
            for column, tag in (("past", "VBD"), ("participle", "VBN"), ("ing", "VBG")):
                found = _lemminflect().getInflection(word, tag)
                if found:
                    forms[column] = str(found[0])
        return forms
    return {}


def english_plural(word: str) -> str:
    """The plural of an English noun; of an expression of several words, that of its last."""
    *before, last = word.split(" ")
    plural = _plural_word(last)
    return " ".join([*before, plural])


def _plural_word(word: str) -> str:
    table = _irregular("en").get("noun", {})
    lower = word.lower()
    if lower in table["pl"]:
        found: str = table["pl"][lower]
        return found
    if lower not in table["pl_endings_not"]:
        for ending, plural in table["pl_endings"].items():
            if lower.endswith(ending) and len(lower) > len(ending):
                return str(word[: -len(ending)] + plural)
    if _lemminflect() is not None:
        forms = _lemminflect().getInflection(lower, "NNS")
        if forms:
            return str(forms[0])
    return str(_inflect_engine().plural_noun(word) or word)


def english_third_person(word: str) -> str:
    """The -s form of an English verb, by the rules of spelling."""
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        return word + "es"
    if word.endswith("y") and len(word) > 1 and word[-2] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"
