"""The recogniser undoes the generator: every member of every item comes back, and nothing else is accepted."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from brute_compare import planned
from brute_random import grammar_of
from brute_words import write_words
from shipped import shipped_plan

from generator.cli.common import shipped_grammars
from generator.item_making import ItemMaker
from generator.items import Flavour, Item
from generator.loading import load_grammar
from generator.matching import members_of
from generator.normalizing import Normalizer
from generator.planning import Plan
from generator.recognizing import Recognizer

GRAMMARS = range(0, 1_000, 10)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_words(tmp_path_factory.mktemp("tiny"))


def _whole(found: Plan) -> Iterator[tuple[int, int, Item]]:
    """Every item with all its members (`one star` aside)."""
    maker = ItemMaker(found)
    for number, template in enumerate(found.templates):
        for index in range(template.items):
            leaf, place = template.locate(index)
            if leaf.exists(place):
                words = leaf.words(place)
                members = {member.version for member in members_of(found) if member.leaf is leaf}
                yield number, index, maker.item_of(template, index, leaf, words, members)


@pytest.mark.parametrize("number", GRAMMARS)
def test_random_grammars(number: int, tiny: Path) -> None:
    grammar = grammar_of(number)
    flavours: tuple[Flavour, ...] = ("forced",) if grammar.projections is None else ("forced", "open")
    for flavour in flavours:
        found = planned(grammar.text, tiny, flavour)
        recognizer = Recognizer([found])
        rng = random.Random(number)
        texts: dict[tuple[str, ...], set[tuple[str, bool | None, str]]] = {}
        pairs = []
        for _, _, item in _whole(found):
            for condition in item.conditions:
                tokens = recognizer.normalizer.sentence(condition.text, ("[MASK]",))
                texts.setdefault(tokens, set()).add((item.id, condition.acceptable, condition.text))
            pairs += [[recognizer.normalizer.sentence(c.text) for c in (good, bad)] for _, good, bad in item.pairs]
        maker = ItemMaker(found)
        for tokens, wanted in texts.items():
            seen = set()
            for each in recognizer.sentence(tokens):
                item = maker.item_of(each.template, each.index, each.leaf, each.words, set(each.versions))
                condition = item.conditions[0]
                seen.add((item.id, condition.acceptable, condition.text))
            # Words that the sentence does not show stand for several items, of which one is given.
            assert seen, (grammar.text, tokens)
            assert seen <= wanted, (grammar.text, tokens, seen - wanted)
            assert {(acceptable, text) for _, acceptable, text in seen} == {
                (acceptable, text) for _, acceptable, text in wanted
            }, (grammar.text, tokens)
        for good, bad in rng.sample(pairs, min(20, len(pairs))):
            assert next(recognizer.members([good, bad], (True, False)), None) is not None, (grammar.text, good, bad)
        for tokens in _corrupted(rng, list(texts)):
            known = next(recognizer.sentence(tokens), None) is not None
            assert known == (tokens in texts), (grammar.text, tokens)


def _corrupted(rng: random.Random, texts: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Sentences with a word left out, doubled, exchanged with its neighbour or with a word of another sentence."""
    vocabulary = sorted({token for tokens in texts for token in tokens})
    for tokens in rng.sample(texts, min(30, len(texts))):
        place = rng.randrange(len(tokens))
        before, after = tokens[:place], tokens[place + 1 :]
        yield (*before, *after)
        yield (*before, tokens[place], tokens[place], *after)
        yield (*before, rng.choice(vocabulary), *after)
        if after:
            yield (*before, after[0], tokens[place], *after[1:])


@pytest.mark.parametrize("path", shipped_grammars(), ids=lambda p: p.stem)
def test_numbers_of_words_undo_words_of_numbers(path: Path) -> None:
    flavours: tuple[Flavour, ...] = ("forced", "open")
    for flavour in flavours:
        found = shipped_plan(path, flavour)
        if found is None:
            continue
        rng = random.Random(1)
        for template in found.templates:
            for _ in range(20):
                leaf, place = template.locate(rng.randrange(template.items))
                assert leaf.index_of(leaf.words(place)) == place


ENGLISH = Normalizer(load_grammar(shipped_grammars()[-1]).lexicon.realisation)


@pytest.mark.parametrize(
    "texts",
    [
        ("they will n't go .", "They won't go.", "they wo n't go . <eos>"),
        ("he can not go .", "He cannot go."),
        ("he can n't go .", "He can't go.", "he ca n't go ."),
        ("an apple , a pear", "An apple, a pear", "a apple , an pear"),
        ("`` no , '' he said", "“No,” he said"),
        ("the dog 's tail ( it is long )", "The dog's tail (it is long)"),
        ("Ann ( a pilot ) , Bill ( a cook ) .", "Ann (a pilot), Bill (a cook)."),
    ],
)
def test_styles_are_one(texts: tuple[str, ...]) -> None:
    for first, second in itertools.pairwise(texts):
        assert ENGLISH.sentence(first) == ENGLISH.sentence(second)
