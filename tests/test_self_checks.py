"""Self-checks against a naive checker that reads what was written, and grammars that have each of the problems."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import shipped_plan

from generator import making
from generator.cli.common import shipped_grammars
from generator.cli.main import main
from generator.errors import DataError
from generator.item_making import items
from generator.items import Condition, Item
from generator.loading import grammar_from_text
from generator.planning import plan
from generator.realizing import Sentence
from generator.repeats import Repeat, Side, find_repeats
from generator.self_checks import CHECKS, Finding, SelfCheck
from generator.vocabularies import read_vocabulary


def _partner(record: Mapping[str, Any], starred: Mapping[str, Any]) -> str:
    """The acceptable member that a starred one stands against, as docs/item-format.md has it."""
    good = [c for c in record["conditions"] if c["acceptable"]]
    if "levels" in starred:
        good.sort(key=lambda c: sum(c["levels"][f] != level for f, level in starred["levels"].items()))
    return str(good[0]["text"])


def naive(lines: list[str]) -> dict[str, int]:
    """Counts of every check but that of articles and vocabulary, from written items, in the plainest way."""
    sides: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    found: Counter[str] = Counter()
    for line in lines:
        record = json.loads(line)
        own: dict[bool, set[str]] = {True: set(), False: set()}
        for condition in record["conditions"]:
            text = condition["text"].casefold()
            sides[condition["acceptable"]][text] += 1
            own[condition["acceptable"]].add(text)
            found["doubled_word"] += bool(re.search(r"(?<!\S)(\S*[^\W_]\S*) \1(?!\S)", text))
            if not condition["acceptable"]:
                unequal = len(condition["text"].split()) != len(_partner(record, condition).split())
                found["unequal_length"] += unequal
        found["identical_members"] += bool(own[True] & own[False])
    found["repeated_acceptable"] = sum(sides[True].values()) - len(sides[True])
    found["repeated_starred"] = sum(sides[False].values()) - len(sides[False])
    found["acceptable_and_starred"] = len(set(sides[True]) & set(sides[False]))
    return {name: found[name] for name in CHECKS if name not in ("wrong_article", "outside_vocabulary")}


@pytest.mark.parametrize("path", shipped_grammars(), ids=lambda p: p.stem)
def test_shipped_grammars_agree_with_a_naive_checker(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(making, "plan", lambda _grammar, flavour: shipped_plan(path, flavour))
    style = "prose" if path.parent.name == "blimp" else "tokens"
    done = main(["make", str(path), "-n", "60", "--style", style, "-o", "made.jsonl", "--quiet"])
    if done == 2:  # fewer than 60 in balance
        done = main(["make", str(path), "--all", "--style", style, "-o", "made.jsonl", "--quiet"])
    assert done == 0
    manifest = json.loads(Path("made.jsonl.manifest.json").read_text("utf-8"))
    (made,) = manifest["made"]
    found = {name: row["count"] for name, row in made["self_checks"].items()}
    # The realiser chooses every article itself.
    assert found.pop("wrong_article") == 0
    assert found == naive(Path("made.jsonl").read_text("utf-8").splitlines())
    assert found["identical_members"] == 0
    # A relative pronoun and an article may read alike: *die Frau , die die Männer sehen*.
    assert found["doubled_word"] == 0 or path.stem == "subject_verb_in_object_relative"


def _check(grammar: str, style: str = "tokens") -> tuple[dict[str, Finding], list[Item]]:
    """The findings of a whole grammar, and its items."""
    found = plan(grammar_from_text(grammar, "made.grammar"))
    made = list(items(found, style="prose" if style == "prose" else "tokens"))
    check = SelfCheck(found.grammar.lexicon.realisation, style == "prose")
    for item in made:
        check.add(item)
    return {finding.check: finding for finding in check.findings(made.__getitem__)}, made


NOUNS = 'slot N = noun "dog" | noun "cat"\n'


def test_a_clean_grammar() -> None:
    found, made = _check(NOUNS + '+ the {N sg} {"is" | *"are"} here .\n')
    assert (found, len(made)) == ({}, 2)


def test_repeated_acceptable_sentences() -> None:
    found, _ = _check(NOUNS + '+ the {N sg} {"is" | *"are"} here .\n+ the {N sg} {"is" | *"am"} here .\n')
    assert found == {
        "repeated_acceptable": Finding("repeated_acceptable", 2, "made:2:1", "the dog is here .", "made:1:1")
    }
    assert found["repeated_acceptable"].line() == (
        "2 acceptable sentences repeat an earlier one, first in made:2:1 (as in made:1:1): the dog is here ."
    )


def test_repeated_starred_sentences() -> None:
    found, _ = _check(NOUNS + '+ the {N sg} {"was" | *"are"} here .\n+ the {N sg} {"is" | *"are"} here .\n')
    assert found == {"repeated_starred": Finding("repeated_starred", 2, "made:2:1", "the dog are here .", "made:1:1")}


def test_acceptable_in_one_place_and_starred_in_another() -> None:
    found, _ = _check(NOUNS + '+ the {N sg} {"is" | *"are"} here .\n+ the {N sg} {"are" | *"be"} here .\n')
    assert found == {
        "acceptable_and_starred": Finding("acceptable_and_starred", 2, "made:2:1", "the dog are here .", "made:1:1")
    }


def test_unequal_length() -> None:
    found, _ = _check(NOUNS + '+ the {N sg} {"is" | *"is not"} here .\n')
    assert found == {
        "unequal_length": Finding("unequal_length", 2, "made:1:1", "the dog is here . / the dog is not here .")
    }


def test_doubled_words_whatever_their_case() -> None:
    for style, text in (("tokens", "the the dog is here ."), ("prose", "The the dog is here.")):
        found, _ = _check('+ the {"old" | "the"} dog {"is" | *"are"} here .\n', style)
        assert found == {"doubled_word": Finding("doubled_word", 2, "made:1:2", text)}
    found, _ = _check('+ the dog , {"is" | *"are"} , , here .\n')
    assert found == {}, "marks may stand twice"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('+ a{"n"} dog {"is" | *"are"} here .', 2),
        ('+ I see a{"n"} hour{"s"} {"here" | *"hereof"} .', 0),
        ('+ "a apple" {"is" | *"are"} here .', 2),
        ('+ an F. {"is" | *"are"} here .', 0),
        ('+ it {"is" | *"are"} a hour .', 0),
    ],
)
def test_articles(text: str, wrong: int) -> None:
    for style in ("tokens", "prose"):
        found, made = _check(text, style)
        shown = [condition.text for item in made for condition in item.conditions]
        assert (found["wrong_article"].count if "wrong_article" in found else 0) == wrong, shown


def test_a_masked_word_has_no_article() -> None:
    found = plan(grammar_from_text('slot V = noun "apple" | noun "dog"\n+ a{"n"} {V sg | *V pl} is here .\n'), "open")
    check = SelfCheck(found.grammar.lexicon.realisation)
    made = list(items(found))
    assert [item.good.text for item in made] == ["an [MASK] is here ."]
    check.add(made[0])
    assert check.findings(made.__getitem__) == ()


def test_members_that_are_the_same() -> None:
    """Counting leaves them out, so none comes from a grammar; what looks at items finds them all the same."""

    def condition(text: str, acceptable: bool) -> Condition:
        return Condition("c", acceptable, Sentence(text, tuple(text.split()), ()))

    item = Item("x:1:1", "x", "1", 1, (condition("The dog is .", True), condition("the Dog is .", False)))
    check = SelfCheck({})
    check.add(item)
    found = {finding.check: finding for finding in check.findings([item].__getitem__)}
    assert set(found) == {"identical_members", "acceptable_and_starred"}
    assert found["identical_members"].line() == (
        "1 item has an acceptable and a starred member that are the same, first in x:1:1: The dog is ."
    )


# --- repeats in bounded memory ----------------------------------------------------------------------------------


def _naive_repeat(texts: list[tuple[str, int]]) -> Repeat:
    seen: dict[str, int] = {}
    again = []
    for text, item in texts:
        if text in seen:
            again.append((item, seen[text]))
        seen.setdefault(text, item)
    return Repeat(len(again), *again[0]) if again else Repeat()


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 12)), max_size=60),
    st.sampled_from([22, 100, 1 << 20]),
)
def test_repeats_are_those_of_a_plain_set(sentences: list[tuple[bool, int]], held: int) -> None:
    sides = {True: Side(held), False: Side(held)}
    plain: dict[bool, list[tuple[str, int]]] = {True: [], False: []}
    for number, (side, text) in enumerate(sentences):
        sides[side].add(str(text), number)
        plain[side].append((str(text), number))
    found = find_repeats(sides[True], sides[False])
    for side in sides.values():
        side.close()
    assert found.acceptable == _naive_repeat(plain[True])
    assert found.starred == _naive_repeat(plain[False])
    firsts = [dict(reversed(plain[side])) for side in (True, False)]
    shared = [sorted((firsts[0][text], firsts[1][text]), reverse=True) for text in firsts[0].keys() & firsts[1].keys()]
    assert found.both == (Repeat(len(shared), *min(shared)) if shared else Repeat())


# --- vocabularies -----------------------------------------------------------------------------------------------

BYTE_LEVEL = {
    "model": {"type": "BPE", "vocab": {"The": 0, "Ġdog": 1, "Ġis": 2, "s": 3, "Ġhere": 4, "ĠgrÃ¼n": 5, "er": 6}}
}
WORD_PIECE = {
    "normalizer": {"type": "BertNormalizer", "lowercase": True},
    "model": {"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": {"the": 0, "dog": 1, "##s": 2, "is": 3}},
}
UNIGRAM = {"model": {"type": "Unigram", "vocab": [["▁The", -1.0], ["▁dog", -2.0], ["s", -3.0], ["▁is", -3.5]]}}


@pytest.mark.parametrize(
    ("name", "content", "has", "lacks"),
    [
        ("tokenizer.json", json.dumps(BYTE_LEVEL), ["dog", "is", "grün"], ["The", "Dog", "s", "er", "cat"]),
        ("tokenizer.json", json.dumps(WORD_PIECE), ["the", "The", "dog"], ["s", "##s", "cat"]),
        ("tokenizer.json", json.dumps(UNIGRAM), ["The", "dog"], ["the", "s", "cat"]),
        ("vocab.json", json.dumps(BYTE_LEVEL["model"]["vocab"]), ["dog", "grün"], ["s"]),
        ("vocab.txt", "[PAD]\n[UNK]\nThe\ndog\n##s\n", ["The", "dog"], ["the", "s"]),
        ("words.vocab", "▁the\t-1\n▁dog\t-2\ns\t-3\n", ["the", "dog", "Dog"], ["s"]),
        ("old.json", json.dumps({"the</w>": 0, "do": 1, "dog</w>": 2}), ["the", "dog"], ["do"]),
        ("words.txt", "dog\nLaura\n", ["dog", "Laura"], ["laura", "cat"]),
        ("words.txt", "dog\ncat\n", ["dog", "Cat"], ["cow"]),
    ],
)
def test_vocabularies(name: str, content: str, has: list[str], lacks: list[str], tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    vocabulary = read_vocabulary(tmp_path / name)
    assert {word: vocabulary.has(word) for word in (*has, *lacks)} == {
        **dict.fromkeys(has, True),
        **dict.fromkeys(lacks, False),
    }
    if "BPE" in content:
        assert vocabulary.has("The", first=True), "without a mark at the start of a sentence"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"model": {"vocab": 3}}', "is no vocabulary"),
        (b'{"a": }', "v.json:1:7: not JSON"),
        (b"caf\xe9\n", "v.json:1: not UTF-8: byte 0xe9"),
        (b"\n", "is empty"),
    ],
)
def test_bad_vocabularies(content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "v.json").write_bytes(content)
    with pytest.raises(DataError, match=re.escape(says)):
        read_vocabulary(tmp_path / "v.json")


def test_words_outside_a_vocabulary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pets.grammar").write_text(
        'slot N = noun "dog" | noun "cat" | noun "cow"\n'
        '+ the {N sg} did n\'t {"see" | *"saw"} {name "Laura"}{"\'s"} cat .\n',
        "utf-8",
    )
    Path("words.txt").write_text("the\ndog\ncat\nsee\nsaw\ndid\nLaura\n", "utf-8")
    for style in ("tokens", "ptb", "prose"):
        command = ["make", "pets.grammar", "--all", "--style", style, "--vocab", "words.txt", "-o", "out.jsonl"]
        assert main(command) == 0
        err = capsys.readouterr().err
        assert "gen: warning: pets: 1 word is outside the vocabulary's whole words, in 1 item: cow\n" in err, style
        manifest = json.loads(Path("out.jsonl.manifest.json").read_text("utf-8"))
        row = manifest["made"][0]["self_checks"]["outside_vocabulary"]
        assert (row["count"], row["items"], row["words"], row["first"]) == (1, 1, ["cow"], "pets:1:3")
    assert main(["verify", "out.jsonl.manifest.json"]) == 0
    Path("words.txt").write_text("the\n", "utf-8")
    assert main(["verify", "out.jsonl.manifest.json"]) == 1
    assert "words.txt: the vocabulary has changed" in capsys.readouterr().out
