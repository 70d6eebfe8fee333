"""`python -m generator.frequencies LANGUAGE`: how frequent the words are that a language's lists and grammars yield.

The numbers are those of wordfreq 3.1.1 (Speer 2022; the extra 'frequency') on the Zipf scale of van Heuven et al.
(2014): the base-10 logarithm of occurrences per thousand million words.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from generator import nodes
from generator.cli.common import shipped_folder
from generator.errors import DataError, GrammarError, StarlingError, UsageError, listed, nearest
from generator.lexicon import Lexicon
from generator.output import standard_output, whole_file
from generator.parsing import parse
from generator.wordlists import load_lexicon, read_source, shipped_languages

HEADER = "word,frequency"
VERSION = "3.1.1"

_NOT = "n't"

Lookup = Callable[[str], float]
"""A word's number on the Zipf scale; 0 where it has none."""


def wordfreq_lookup(language: str) -> Lookup:
    """The numbers of wordfreq.  Raises DataError without it, or with another version: its numbers would be others."""
    try:
        from importlib.metadata import version

        from wordfreq import zipf_frequency
    except ImportError:
        raise DataError("frequencies need the extra 'frequency': pip install 'starling-gen[frequency]'") from None
    if version("wordfreq") != VERSION:
        raise DataError(f"the lists are made with wordfreq {VERSION}, and here is {version('wordfreq')}")
    return lambda word: float(zipf_frequency(word, language, wordlist="best"))


def forms_of(language: str) -> list[str]:
    """Every form that the word lists and shipped grammars of a language yield, sorted by code points.

    An expression of several words stands there as it is and word by word; what has neither letter nor digit is no word.
    """
    lexicon = load_lexicon(language)
    found: set[str] = set()
    for text in (*_listed(lexicon), *_irregular(language), *_in_grammars(language)):
        found |= {part for part in (text, *text.split()) if _is_word(part)}
    return sorted(found)


def _is_word(text: str) -> bool:
    """Whether a text can stand in the list; with `_` it is the name of something in a grammar."""
    return any(sign.isalnum() for sign in text) and "," not in text and "_" not in text


def _listed(lexicon: Lexicon) -> Iterator[str]:
    """The forms of all entries, the words that their rows name (particles ...), and what realisation makes of them."""
    for category in lexicon.categories.values():
        for entry in lexicon.entries[category.name]:
            yield from (analysis.text for analysis in entry.analyses)
            yield from (entry.columns[name] for name in category.text_columns if name in entry.columns)
    realisation = lexicon.realisation
    if _NOT in realisation.get("clitics", ()):  # one word in running text
        others = realisation.get("contractions", {})
        finite = (a.text for entry in lexicon.entries["auxiliary"] for a in entry.analyses if a.agreeing)
        yield from (form + _NOT for form in finite if f"{form} {_NOT}" not in others)
    yield from realisation.get("article", {}).get("words", ())
    yield from realisation.get("clitics", ())
    yield from realisation.get("contractions", {}).values()
    yield from realisation.get("fusions", {}).values()
    yield from (variant["becomes"] for variant in realisation.get("variants", ()))


def _irregular(language: str) -> Iterator[str]:
    """Both sides of the irregular forms, which words of a user's own may take."""
    path = files("wordlists").joinpath(language, "irregular.json")
    if path.is_file():
        table: Mapping[str, Mapping[str, Any]] = json.loads(path.read_text("utf-8"))
        for forms in table.values():
            for form in forms.values():
                if isinstance(form, dict):
                    yield from (text for pair in form.items() for text in pair)


def _in_grammars(language: str) -> Iterator[str]:
    """The literal and quoted words of the shipped grammars of a language, libraries included."""
    for path in sorted((shipped_folder() / language).rglob("*.grammar")):
        tree, problems = parse(read_source(path))
        if problems:
            raise GrammarError(problems)
        yield from _words(tree.statements)


def _words(node: object) -> Iterator[str]:
    if isinstance(node, nodes.Word | nodes.Quoted):
        yield node.text
    elif isinstance(node, tuple):
        for part in node:
            yield from _words(part)
    elif dataclasses.is_dataclass(node) and not isinstance(node, nodes.Example):
        for field in dataclasses.fields(node):
            if field.name != "span":
                yield from _words(getattr(node, field.name))


def table_of(forms: Iterable[str], lookup: Lookup) -> tuple[str, list[str]]:
    """The text of `frequency.csv`, and the forms that have no number and are left out of it."""
    rows, unknown = [HEADER], []
    for form in forms:
        number = lookup(form)
        if number > 0:
            rows.append(f"{form},{number:.2f}")
        else:
            unknown.append(form)
    return "\n".join(rows) + "\n", unknown


def run(arguments: Sequence[str] | None = None) -> int:
    """Write the list of a language; what has no number is listed on standard error."""
    parser = argparse.ArgumentParser(
        prog="python -m generator.frequencies",
        description="Write word,frequency rows (Zipf scale, of wordfreq) for every form of a language's word lists and "
        "shipped grammars.",
    )
    parser.add_argument("language", metavar="LANGUAGE", help=", ".join(shipped_languages()))
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="default: standard output")
    options = parser.parse_args(arguments)
    if options.language not in shipped_languages():
        guess = nearest(options.language, shipped_languages())
        known = guess or f"There are lists for {listed(shipped_languages())}"
        raise UsageError(f"no word lists for language '{options.language}'. {known}")
    lookup = wordfreq_lookup(options.language)
    forms = forms_of(options.language)
    text, unknown = table_of(forms, lookup)
    if options.output == "-":
        with standard_output() as stream:
            stream.write(text)
    else:
        with whole_file(Path(options.output)) as writer:
            writer.write(text)
    share = 100 * (1 - len(unknown) / len(forms))
    sys.stderr.write(f"{options.language}: {len(forms) - len(unknown):,} of {len(forms):,} forms ({share:.1f}%)\n")
    if unknown:
        sys.stderr.write(f"without a number: {', '.join(unknown)}\n")
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(run())
    except StarlingError as error:
        sys.stderr.write(f"generator.frequencies: {error}\n")
        raise SystemExit(error.exit_code) from None
