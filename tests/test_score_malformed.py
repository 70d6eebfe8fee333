"""Malformed items and predictions: what `score` says of them, exactly as the person who must mend a file reads it.

The cases are in `score_malformed_cases.py`, what is said of them in `corpus_score/`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from score_malformed_cases import (
    CASES,
    CONLLU,
    CORPUS,
    ITEM,
    ORIGINAL,
    ORIGINAL_HEADER,
    OTHER,
    PAIRS_HEADER,
    REGIONS,
    SAMPLE,
    SCORED,
    SUITE,
    TOKENS,
    TSV,
    ZORRO,
    jsonl,
    outcome,
    scores,
)

from scorers.errors import ScoreError
from scorers.readers.files import read_items, read_predictions


def _expected(group: str) -> dict[str, str]:
    """What the corpus has for each case of a group: the text behind the command."""
    text = (CORPUS / f"{group.replace(' ', '_')}.txt").read_text("utf-8")
    cases = [part.partition("\n") for part in re.split(r"^=== ", text, flags=re.MULTILINE) if part]
    return {name: rest.partition("\n")[2].rstrip("\n") for name, _, rest in cases}


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, cases in CASES.items() for name in cases])
def test_what_is_said(group: str, name: str, tmp_path: Path) -> None:
    assert outcome(*CASES[group][name], tmp_path).rstrip("\n") == _expected(group)[name]


def test_the_corpus_has_every_case_and_no_other() -> None:
    assert sum(len(cases) for cases in CASES.values()) >= 100
    for group, cases in CASES.items():
        assert list(_expected(group)) == list(cases)


def test_every_message_names_its_place() -> None:
    """An error of a file begins with its name; the program itself never fails."""
    for group in CASES:
        for name, text in _expected(group).items():
            *said, code = text.split("\n")
            assert code in ("exit 0", "exit 1", "exit 2", "exit 3"), name
            places = r"[\w./-]+\.\w+:|model:|score: |the files of one model|\.\.\. and|   "
            assert all(re.match(places, line) for line in said), name


# --- files that are cut off anywhere ----------------------------------------------------------------------------------

_NAMED = "the café is here ."
GOOD_PREDICTIONS = {
    "model.txt": SCORED.replace("dog", "döner"),
    "model.tsv": TSV,
    "tokens.tsv": TOKENS,
    "regions.tsv": REGIONS,
    "model.jsonl": scores({"text": _NAMED, "score": 1.5}, {"score": -2e3}),
    "tokens.jsonl": scores({"tokens": ["é", "b"], "surprisals": [1, 2.5], "starts": [0, 2]}),
    "regions.jsonl": jsonl({"item": 1, "condition": "a", "regions": {"v": 1.5}, "unit": "surprisal_nats"}),
    "samples.jsonl": jsonl(SAMPLE, SAMPLE),
    "model.tab": f"{ORIGINAL_HEADER}\tlstm\n{ORIGINAL}\tthe dogs is\t-1\n{OTHER}\tthe dogs is\t-2\n",
    "results.txt": "True\tp\t-1.5\t-2.5\ta b <eos>\ta c <eos>\n" * 2,
    "fills.txt": "look at this dog .\nlook at this café .\n",
}
GOOD_ITEMS = {
    "items.jsonl": jsonl(ITEM, {**ITEM, "id": "p:1:2"}),
    "blimp.jsonl": jsonl({"sentence_good": _NAMED, "sentence_bad": "b", "UID": "u", "pairID": "0"}),
    "set.jsonl": jsonl({"id": "i", "paradigm": "p", "sentence_good": "a", "sentence_bad": "b"}),
    "suite.json": json.dumps(SUITE, indent=1),
    "items.tab": f"{ORIGINAL_HEADER}\n{ORIGINAL}\tthe dogs is\n{OTHER}\tthe dogs is\n",
    "items.tsv": f"{PAIRS_HEADER}i\tp\t\t\t1\t1\tn=sg\ta b\ta c\n",
    "sentences.tab": "pattern\tsent\tsent_alt\np\ta b\ta c\n",
    "words.tab": "pattern\tform\tform_alt\tlen_prefix\tsent\np\tdog\tdogs\t1\tthe dog\n",
    "items.conllu": CONLLU + CONLLU.replace("1:1", "1:2"),
    "clams.txt": "True\tthe dog is .\nFalse\tthe dogs is .\n",
    "a-b.txt": ZORRO,
    "open_ended/a.txt": "the dog [MASK] here .\n",
}


def _reads(path: Path, is_items: bool) -> bool:
    """Whether a file is read; a ScoreError is one message for the user, anything else fails the test."""
    try:
        return bool(read_items([path]) if is_items else read_predictions([path]))
    except ScoreError as error:
        said = str(error)
    assert said.startswith(str(path))
    return False


@pytest.mark.parametrize("name", [*GOOD_PREDICTIONS, *GOOD_ITEMS])
def test_a_file_that_is_cut_anywhere_is_read_or_refused(name: str, tmp_path: Path) -> None:
    is_items = name in GOOD_ITEMS
    raw = (GOOD_ITEMS if is_items else GOOD_PREDICTIONS)[name].encode()
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(raw)
    assert _reads(path, is_items)
    for size in range(len(raw)):
        path.write_bytes(raw[:size])
        _reads(path, is_items)
    path.write_bytes(b"")
    assert not _reads(path, is_items)


@pytest.mark.parametrize("name", [*GOOD_PREDICTIONS, *GOOD_ITEMS])
@pytest.mark.parametrize("put", [b"\0", b"\xff", b'"', b"\t", b"\n", b"{", b"]", b"\\ud800", b"\xe2\x80\xa8"])
def test_a_byte_that_is_put_in_anywhere_is_read_or_refused(name: str, put: bytes, tmp_path: Path) -> None:
    is_items = name in GOOD_ITEMS
    raw = (GOOD_ITEMS if is_items else GOOD_PREDICTIONS)[name].encode()
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    for place in range(0, len(raw), max(1, len(raw) // 40)):
        path.write_bytes(raw[:place] + put + raw[place:])
        _reads(path, is_items)
