"""Open-ended answers from the grammar to the report: made-up words for each category of each Babeval task.

The words are listed here by hand, and which category each belongs to is worked out here from the sentence's own words
(`this` asks for a singular noun ...), by no code of either package.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from generator.cli.main import main as gen
from scorers.cli.main import main as score

GRAMMARS = Path(__file__).parents[1] / "grammars" / "en" / "babeval"
REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
reference = pytest.mark.skipif(not REFERENCE.is_dir(), reason=f"no published material in {REFERENCE} (REFERENCE_DATA)")

# --- what is known without the packages -------------------------------------------------------------------------------

NOUN = ("sub_word", "ambiguous_noun", "proper_noun", "correct_noun", "false_noun", "non_noun", "other")
COPULA = ("sub_word", "correct_copula", "false_copula", "other")
AUXILIARY = ("sub_word", "ambiguous_auxiliary", "correct_auxiliary", "false_auxiliary", "other")

CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "agreement_across_1_adjective": NOUN,
    "agreement_across_2_adjectives": NOUN,
    "agreement_between_neighbors": NOUN,
    "agreement_across_PP": COPULA,
    "agreement_across_RC": COPULA,
    "agreement_in_1_verb_question": COPULA,
    "agreement_in_2_verb_question": AUXILIARY,
}
"""The tasks with their answer categories (Babeval's), in the order in which they are tried."""
TASKS = tuple(CATEGORIES)

SINGULAR = ["dog", "nurse", "table", "woman", "knife", "person", "duck", "water"]
PLURAL = ["dogs", "nurses", "tables", "women", "knives", "people", "ducks", "boxes"]
AMBIGUOUS = ["sheep", "fish", "deer", "series", "species", "scissors", "jeans", "police"]
PROPER = ["Anna", "London", "Africa", "Mary", "Paul", "Germany"]
NON_NOUN = ["was", "goes", "happy", "quickly", "the", "they", "under", "and", "who", "must", "saw", "older"]
PIECES = ["s", "##s", "##ing", "##dog", "▁s"]
UNKNOWN = ["xyzzy", "[UNK]", ",", "blorks"]

SINGULAR_COPULA, PLURAL_COPULA = ["is", "was"], ["are", "were"]
OTHER_VERBS = ["looks", "the", "be", "being", "did", "dogs", "did not"]

IRREGULAR = frozenset(
    ["taxis", "children", "feet", "geese", "men", "mice", "oxen", "people", "teeth", "women", "sheep"]
)


def is_plural(noun: str) -> bool:
    """Whether a noun of the sentences is plural, by its looks; the sentences hold no noun of ambiguous number."""
    looks = noun.endswith("s") and not noun.endswith(("ss", "us", "is", "lens"))
    return looks or noun in IRREGULAR or noun.endswith(("men", "people"))


def wants_plural(task: str, text: str) -> bool:
    """Whether a masked sentence asks for a plural."""
    words = text.lower().rstrip(".? ").split()
    if CATEGORIES[task] is NOUN:
        (determiner,) = (word for word in words if word in ("this", "that", "one", "these", "those", "all"))
        return determiner in ("these", "those", "all")
    if task == "agreement_across_RC" and "there" in words:
        return words[words.index("there") - 1] in PLURAL_COPULA
    return is_plural(words[words.index("the") + 1])


def words_of(task: str, category: str, *, plural: bool) -> list[str]:
    """Words of a category, for a sentence that asks for the plural or for the singular."""
    if CATEGORIES[task] is NOUN:
        right, wrong = (PLURAL, SINGULAR) if plural else (SINGULAR, PLURAL)
        lists = [PIECES, AMBIGUOUS, PROPER, right, wrong, NON_NOUN, UNKNOWN]
    elif CATEGORIES[task] is COPULA:
        right, wrong = (PLURAL_COPULA, SINGULAR_COPULA) if plural else (SINGULAR_COPULA, PLURAL_COPULA)
        lists = [PIECES, right, wrong, OTHER_VERBS]
    else:
        right, wrong = (["do"], ["does"]) if plural else (["does"], ["do"])
        lists = [PIECES, ["did"], right, wrong, ["must", "is", "dogs"]]
    return dict(zip(CATEGORIES[task], lists, strict=True))[category]


def template_of(task: str, text: str) -> str:
    """The template of a sentence, by its words."""
    words = text.lower().rstrip(".? ").split()
    if task in ("agreement_across_1_adjective", "agreement_across_2_adjectives"):
        return "2" if words[-1] == "there" else "1"
    if task == "agreement_across_RC":
        return "subject_relative" if "there" in words else "object_relative"
    if task in ("agreement_in_1_verb_question", "agreement_in_2_verb_question"):
        return {"where": "1", "what": "2"}.get(words[0], "3")
    return "1"


# --- making, filling, scoring -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Items of all tasks as JSON lines and as text."""
    folder = tmp_path_factory.mktemp("babeval")
    for task in TASKS:
        count = "12" if task == "agreement_between_neighbors" else "36"
        command = [
            "make",
            str(GRAMMARS / f"{task}.grammar"),
            "-n",
            count,
            "--seed",
            "3",
            "--flavour",
            "open",
            "--quiet",
        ]
        assert gen([*command, "-o", str(folder / "items" / f"{task}.jsonl")]) == 0
        assert gen([*command, "--format", "babeval", "-o", str(folder / "text" / f"{task}.txt")]) == 0
    return folder


def sentences(items: Path) -> list[str]:
    """The sentences with a mask, in order."""
    lines = items.read_text("utf-8").splitlines()
    return lines if items.suffix == ".txt" else [json.loads(line)["conditions"][0]["text"] for line in lines]


def report(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """What `score predictions --json` says, without a finding."""
    capsys.readouterr()
    code = score(["predictions", *map(str, arguments), "--json"])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    found: dict[str, Any] = json.loads(captured.out)
    return found


def fill(folder: Path, model: str, task: str, texts: Sequence[str], words: Sequence[str]) -> Path:
    """Write a model's filled sentences."""
    path = folder / model / f"{task}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    filled = [text.replace("<mask>", "[MASK]").replace("[MASK]", word) for text, word in zip(texts, words, strict=True)]
    path.write_text("\n".join(filled) + "\n", "utf-8")
    return path


Counts = dict[tuple[str, str], dict[str, Counter[str]]]
"""(model, template) -> category -> words."""


def counts(found: Mapping[str, Any]) -> Counts:
    """The answers of a report; shares are those of the counts, categories are complete."""
    (table,) = found["answers"]
    counted: Counts = {}
    for row in table["rows"]:
        parts = {part["name"]: Counter(dict(part["words"])) for part in row["categories"]}
        for part in row["categories"]:
            assert part["count"] == parts[part["name"]].total()
            assert part["share"] == pytest.approx(part["count"] / row["items"])
        assert sum(part["share"] for part in row["categories"]) == pytest.approx(1)
        counted[row["model"], row["label"]] = parts
    return counted


def expected(task: str, templates: Sequence[str], answers: Mapping[str, Sequence[tuple[str, str]]]) -> Counts:
    """What is to come out: `answers` are by model the (category, word) of every sentence."""
    counted: Counts = {}
    for model, given in answers.items():
        for label in dict.fromkeys([*templates, *(["all"] if len(set(templates)) > 1 else [])]):
            counted[model, label] = {name: Counter() for name in CATEGORIES[task]}
            for template, (category, word) in zip(templates, given, strict=True):
                if label in (template, "all"):
                    counted[model, label][category][word] += 1
    return counted


def made_up(task: str, texts: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """For each category a model that always falls in it, and one that mixes them: (category, word) by sentence."""
    names = CATEGORIES[task]
    chosen = {name: [name] * len(texts) for name in names}
    chosen["mixed"] = [names[(place + place // 4) % len(names)] for place in range(len(texts))]
    answers: dict[str, list[tuple[str, str]]] = {}
    for model, categories in chosen.items():
        answers[model] = []
        for place, (text, category) in enumerate(zip(texts, categories, strict=True)):
            words = words_of(task, category, plural=wants_plural(task, text))
            answers[model].append((category, words[(place // 2 + (6 if model == "mixed" else 0)) % len(words)]))
    return answers


@pytest.mark.parametrize("kind", ["items", "text"])
@pytest.mark.parametrize("task", TASKS)
def test_every_category_of_every_task(
    task: str, kind: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = made / kind / (f"{task}.jsonl" if kind == "items" else f"{task}.txt")
    texts = sentences(items)
    assert {wants_plural(task, text) for text in texts} == {False, True}
    answers = made_up(task, texts)
    models = [fill(tmp_path, model, task, texts, [word for _, word in given]) for model, given in answers.items()]
    found = counts(report(capsys, items, *(path.parent for path in models)))
    assert found == expected(task, [template_of(task, text) for text in texts], answers)
    assert {tuple(parts) for parts in found.values()} == {CATEGORIES[task]}


def test_the_rule_of_this_test_agrees_with_the_crossed_values(made: Path) -> None:
    for task in TASKS:
        for line in (made / "items" / f"{task}.jsonl").read_text("utf-8").splitlines():
            record = json.loads(line)
            text = record["conditions"][0]["text"]
            assert ("pl" if wants_plural(task, text) else "sg") == record["crossed"]["n"], text
            assert template_of(task, text) == record["template"], text


def test_all_tasks_in_one_report(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Templates of one number in several tasks stay apart, and no row has another task's categories."""
    wanted: Counts = {}
    for task in TASKS:
        texts = sentences(made / "items" / f"{task}.jsonl")
        templates = [template_of(task, text) for text in texts]
        given = made_up(task, texts)["mixed"]
        fill(tmp_path, "mixed", task, texts, [word for _, word in given])
        for (_, label), parts in expected(task, templates, {"mixed": given}).items():
            name = f"{task}:{label}" if label.isdigit() else label
            wanted |= {} if label == "all" else {("mixed", name): parts}
    for items in (made / "items", made / "text"):
        assert counts(report(capsys, items, tmp_path / "mixed")) == wanted
        by_task = counts(report(capsys, items, tmp_path / "mixed", "--by", "paradigm"))
        assert {label: tuple(parts) for (_, label), parts in by_task.items()} == CATEGORIES


@pytest.mark.parametrize(
    ("word", "category"),
    [
        ("Dog", "correct_noun"), ("DOGS", "false_noun"), ("anna", "proper_noun"), ("THE", "non_noun"),
        ("may", "non_noun"), ("Will", "non_noun"), ("LONDON", "proper_noun"),
        # The marks of tokenizers; what goes on with the word before it is no word.
        ("Ġdog", "correct_noun"), ("▁dogs", "false_noun"), ("dog</w>", "correct_noun"), ("ĠAnna", "proper_noun"),
        ("##dog", "sub_word"), ("##s", "sub_word"), ("S", "sub_word"), ("▁", "other"),
        # More than a word.
        ("big dog", "other"), ("dog dog", "other"),
        # In two categories: number that does not show comes before right and wrong, a noun before a verb.
        ("sheep", "ambiguous_noun"), ("duck", "correct_noun"), ("dream", "correct_noun"), ("trains", "false_noun"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["sentence", "table"])
def test_odd_words(
    word: str, category: str, form: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (made / "items" / "agreement_across_1_adjective.jsonl").read_text("utf-8").splitlines(keepends=True)
    line = next(line for line in lines if " this " in line)
    (tmp_path / "x.jsonl").write_text(line, "utf-8")
    answers = (made / "items" / "agreement_across_1_adjective.answers.json").read_text("utf-8")
    (tmp_path / "x.answers.json").write_text(answers, "utf-8")
    record = json.loads(line)
    if form == "sentence":
        path = fill(tmp_path, "model", "x", [record["conditions"][0]["text"]], [word])
    else:
        path = tmp_path / "x.tsv"
        path.write_text(f"id\tfill\n{record['id']}\t{word}\n", "utf-8")
    capsys.readouterr()
    assert score(["predictions", str(tmp_path / "x.jsonl"), str(path), "--json"]) == 0
    (parts,) = counts(json.loads(capsys.readouterr().out)).values()
    assert {name: words for name, words in parts.items() if words} == {category: Counter([word])}


# --- how sentences are written ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["in order", "backwards"])
@pytest.mark.parametrize("style", ["tokens", "prose", "lower case"])
@pytest.mark.parametrize("task", ["agreement_across_RC", "agreement_in_1_verb_question"])
def test_sentences_in_another_style(
    task: str, style: str, order: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Filled sentences are found as they are, as in a book, and in lower case, in any order."""
    items = made / "items" / f"{task}.jsonl"
    texts = sentences(items)
    given = made_up(task, texts)["mixed"]
    path = fill(tmp_path, "mixed", task, texts, [word for _, word in given])
    lines = path.read_text("utf-8").splitlines()
    if style == "prose":
        lines = [line[0].upper() + line[1:-2] + line[-1] for line in lines]
        given = [
            (name, word[0].upper() + word[1:] if text[0] == "[" else word)
            for (name, word), text in zip(given, texts, strict=True)
        ]
    elif style == "lower case":
        lines = [line.lower() for line in lines]
        given = [(name, word.lower()) for name, word in given]
    path.write_text("\n".join(lines if order == "in order" else lines[::-1]) + "\n", "utf-8")
    found = counts(report(capsys, items, path.parent))
    assert found == expected(task, [template_of(task, text) for text in texts], {"mixed": given})


@pytest.mark.parametrize("is_backwards", [False, True])
def test_a_piece_that_is_written_with_the_word_before_it(
    is_backwards: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`reds` is the piece `##s` behind *red*, and *reddish* no dish; in order and by text."""
    classes = {"sub_word": ["s"], "correct": ["dish", "cup"]}
    paradigm = {"mask": "[MASK]", "classes": [*classes, "other"], "answers": {"all": classes}}
    document = {"format": "starling-answers-1", "paradigms": {"red": paradigm}}
    (tmp_path / "red.answers.json").write_text(json.dumps(document), "utf-8")
    lines = [f"look at {word} red [MASK] ." for word in ("this", "that", "the")]
    items, fills = tmp_path / "red.txt", tmp_path / "fills.txt"
    items.write_text("\n".join(lines) + "\n", "utf-8")
    filled = ["look at this reds .", "look at that reddish .", "look at the red dish ."]
    fills.write_text("\n".join(filled[::-1] if is_backwards else filled) + "\n", "utf-8")
    (parts,) = counts(report(capsys, items, fills)).values()
    assert parts == {"sub_word": Counter(["##s", "##dish"]), "correct": Counter(["dish"]), "other": Counter()}


# --- another wording --------------------------------------------------------------------------------------------------

REWORDED: Mapping[str, Mapping[str, str]] = {
    "agreement_across_1_adjective": {
        "look at": "he saw",
        "{noun=": "old {noun=",
        "went there .": "slept near us today .",
    },
    "agreement_across_2_adjectives": {
        "look at": "we bought",
        "{Look} {Color}": "very {Look} {Color}",
        "went there .": "left .",
    },
    "agreement_between_neighbors": {
        "+ {Det": "+ perhaps {Det",
        "} {Modal}": "} of ours {Modal}",
        "be here .": "stay in town .",
    },
    "agreement_across_PP": {"+ the {subj": "+ they say the {subj", "{Be $n} {": "{Be $n} so {", "} .": "} today ."},
    "agreement_across_RC": {"+ the": "+ here the", "that {": "which {", "} {Physical} .": "} rather {Physical} now ."},
    "agreement_in_1_verb_question": {
        "where {": "and where {",
        "what {": "what then {",
        "} the": "} really the",
        " ?": " today ?",
    },
    "agreement_in_2_verb_question": {
        "where {": "from where {",
        "go ?": "come ?",
        "what {": "why {",
        "do ?": "sleep tonight ?",
    },
}
"""Other words in the templates of each task: before, behind and beside the mask, and at the sentence's end."""


@pytest.mark.parametrize("task", TASKS)
def test_another_wording_has_the_same_categories(
    task: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (GRAMMARS / f"{task}.grammar").read_text("utf-8")
    for old, new in REWORDED[task].items():
        templates = [line for line in text.splitlines() if line.lstrip().startswith("+")]
        assert any(old in line for line in templates), old
        for line in templates:
            text = text.replace(line, line.replace(old, new))
    text = "\n".join(line for line in text.splitlines() if not line.startswith("example")) + "\n"
    grammar = tmp_path / f"{task}.grammar"
    grammar.write_text(text, "utf-8")
    items = tmp_path / f"{task}.jsonl"
    assert gen(["make", str(grammar), "-n", "12", "--flavour", "open", "--quiet", "-o", str(items)]) == 0
    texts = sentences(items)
    answers = made_up(task, texts)
    models = [fill(tmp_path, model, task, texts, [word for _, word in given]) for model, given in answers.items()]
    labels = [json.loads(line)["template"] for line in items.read_text("utf-8").splitlines()]
    assert counts(report(capsys, items, *(path.parent for path in models))) == expected(task, labels, answers)
    # The words of each class are those of the shipped grammar, letter for letter.
    ours, shipped = (
        json.loads(path.with_suffix(".answers.json").read_text("utf-8"))["paradigms"][task]
        for path in (items, made / "items" / items.name)
    )
    assert ours == shipped


# --- published files --------------------------------------------------------------------------------------------------


@pytest.mark.reference
@reference
@pytest.mark.parametrize("task", TASKS)
def test_published_sentences(task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first sentences of each published file, read with its own words, through `gen parse`."""
    folder = REFERENCE / "babeval"
    lines = (folder / "open_ended" / f"{task}.txt").read_text("utf-8").splitlines()[:300]
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / f"{task}.csv").symlink_to(folder / "task_words" / f"{task}.csv")
    (tmp_path / f"{task}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    items = tmp_path / "parsed" / f"{task}.jsonl"
    command = ["parse", str(GRAMMARS / f"{task}.grammar"), "--words", str(tmp_path / "words"), "--format", "babeval"]
    assert gen([*command, "--input", str(tmp_path / f"{task}.txt"), "--json", "--quiet", "-o", str(items)]) == 0
    texts = sentences(items)
    assert texts == lines
    answers = made_up(task, texts)
    models = [fill(tmp_path / "m", model, task, texts, [word for _, word in given]) for model, given in answers.items()]
    capsys.readouterr()
    assert score(["predictions", str(items), *(str(path.parent) for path in models), "--json"]) == 0
    found = counts(json.loads(capsys.readouterr().out))
    assert found == expected(task, [template_of(task, text) for text in texts], answers)


# --- word lists of a user ---------------------------------------------------------------------------------------------


def test_word_lists_of_a_user_come_before_the_grammar(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = "agreement_between_neighbors"
    items = made / "items" / f"{task}.jsonl"
    texts = sentences(items)
    words = ["dog", "Dogs", "sheep", "the", "London", "blorks"]
    given = [words[place % len(words)] for place in range(len(texts))]
    path = fill(tmp_path, "mixed", task, texts, given)
    (tmp_path / "animals.txt").write_text("# beasts\ndog\ndogs  # more\n\nsheep\n", "utf-8")
    (tmp_path / "made_up.txt").write_text("\ufeffblorks\r\n", "utf-8")
    (tmp_path / "more.txt").write_text("london\n", "utf-8")
    lists = [f"animal={tmp_path / 'animals.txt'}", f"odd={tmp_path / 'made_up.txt'}", f"odd={tmp_path / 'more.txt'}"]
    options = [part for text in lists for part in ("--category", text)]
    found = counts(report(capsys, items, path.parent, *options))
    (parts,) = found.values()
    each = len(texts) // len(words)
    assert {name: dict(listed) for name, listed in parts.items() if listed} == {
        "animal": {"dog": each, "Dogs": each, "sheep": each},
        "odd": {"blorks": each, "London": each},
        "non_noun": {"the": each},
    }
    assert tuple(parts) == ("animal", "odd", *NOUN)


@pytest.mark.parametrize(
    ("given", "content", "code", "said"),
    [
        ("animals", None, 2, "NAME=FILE"),
        ("=list.txt", "dog\n", 2, "NAME=FILE"),
        ("animals=", None, 2, "NAME=FILE"),
        ("animals=none.txt", None, 3, "none.txt: cannot be read"),
        ("animals=.", None, 3, ".: cannot be read"),
        ("animals=list.txt", "", 3, "list.txt: no words for the category 'animals'"),
        ("animals=list.txt", "# dog\n\n", 3, "list.txt: no words for the category 'animals'"),
    ],
)
def test_wrong_word_lists_are_told(
    given: str, content: str | None, code: int, said: str, made: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    task = "agreement_between_neighbors"
    items = made / "items" / f"{task}.jsonl"
    path = fill(tmp_path, "m", task, sentences(items), ["dog"] * 12)
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / "list.txt").write_text(content, "utf-8")
    assert score(["predictions", str(items), str(path), "--category", given]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


# --- the answers beside a text ----------------------------------------------------------------------------------------


def test_parts_of_a_run_and_converted_files_know_their_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = "agreement_across_RC"
    command = ["make", str(GRAMMARS / f"{task}.grammar"), "-n", "12", "--flavour", "open", "--quiet"]
    for part in (1, 2):
        place = tmp_path / f"part{part}.txt"
        assert gen([*command, "--format", "babeval", "--shard", f"{part}/2", "-o", str(place)]) == 0
        converted = tmp_path / "converted" / f"part{part}.jsonl"
        assert gen(["convert", str(place), str(converted), "--to", "items", "--quiet"]) == 0
        texts = sentences(place)
        given = made_up(task, texts)["mixed"]
        path = fill(tmp_path, f"{part}/mixed", task, texts, [word for _, word in given])
        for items in (place, converted):
            found = counts(report(capsys, items, path))
            wanted = expected(task, [template_of(task, text) for text in texts], {"mixed": given})
            assert {label: parts for (_, label), parts in found.items()} == {
                label: parts for (_, label), parts in wanted.items()
            }


def test_a_text_without_answers_or_with_those_of_another_is_warned_of(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = "agreement_across_PP"
    texts = sentences(made / "text" / f"{task}.txt")
    answers = json.loads((made / "text" / f"{task}.answers.json").read_text("utf-8"))
    bare = {name: answers[name] for name in ("format", "paradigms")}
    path = fill(tmp_path, "m", task, texts, ["is"] * len(texts))
    (tmp_path / "x.txt").write_text("\n".join(texts) + "\n", "utf-8")
    for content, said in (
        (None, "there is no x.answers.json beside the file"),
        (bare, "the answers beside it do not say which of them a line has"),
        (answers | {"lines": answers["lines"][1:]}, "they are of 35 sentences, and there are 36 here"),
    ):
        if content is not None:
            (tmp_path / "x.answers.json").write_text(json.dumps(content), "utf-8")
        assert score(["predictions", str(tmp_path / "x.txt"), str(path), "--json"]) == 0
        captured = capsys.readouterr()
        assert said in captured.err
        (parts,) = counts(json.loads(captured.out)).values()
        assert parts == {"other": Counter({"is": 36})}
    (tmp_path / "x.answers.json").write_text(json.dumps(answers | {"lines": [99]}), "utf-8")
    assert score(["predictions", str(tmp_path / "x.txt"), str(path), "--json"]) == 3
    assert "'lines': expected whole numbers from 0 to 1" in capsys.readouterr().err


# --- what is shown ----------------------------------------------------------------------------------------------------


def test_outputs_say_the_same(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = "agreement_in_2_verb_question"
    items = made / "items" / f"{task}.jsonl"
    texts = sentences(items)
    given = made_up(task, texts)["mixed"]
    path = fill(tmp_path, "mixed", task, texts, [word for _, word in given])
    found = counts(report(capsys, items, path))
    outputs = {}
    for option in (["--csv", "answers"], ["--csv", "words"], ["--markdown"], ["--by", "n,template"]):
        assert score(["predictions", str(items), str(path), *option]) == 0
        outputs[" ".join(option)] = capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(outputs["--csv answers"])))
    assert [(row["label"], row["category"], int(row["count"])) for row in rows] == [
        (label, name, words.total()) for (_, label), parts in found.items() for name, words in parts.items()
    ]
    rows = list(csv.DictReader(io.StringIO(outputs["--csv words"])))
    listed = [(label, name, words) for (_, label), parts in found.items() for name, words in parts.items()]
    assert {(row["label"], row["category"], row["word"]): int(row["count"]) for row in rows} == {
        (label, name, word): times for label, name, words in listed for word, times in words.items()
    }
    assert "| template | category | count | share | interval | words |" in outputs["--markdown"]
    assert re.findall("^Answers by (.*)$", outputs["--by n,template"], re.MULTILINE) == ["n", "template"]


def test_an_empty_answer_is_shown_as_nothing(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = "agreement_between_neighbors"
    items = made / "items" / f"{task}.jsonl"
    path = fill(tmp_path, "m", task, sentences(items), [""] * 12)
    assert score(["predictions", str(items), str(path)]) == 0
    assert re.search(r"other +12 +100\.0 .*\(nothing\) 12", capsys.readouterr().out)


def test_parsed_items_have_answers_beside_them_in_a_file_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grammar = str(GRAMMARS / "agreement_in_1_verb_question.grammar")
    parsed = [grammar, "where [MASK] the dogs ?"]
    assert gen(["parse", "-o", str(tmp_path / "x.jsonl"), *parsed]) == 2
    assert "-o names a file for the items of --json" in capsys.readouterr().err
    assert gen(["parse", "--json", "--quiet", "-o", str(tmp_path / "x.jsonl"), *parsed]) == 0
    written = (tmp_path / "x.jsonl").read_text("utf-8")
    assert {path.name for path in tmp_path.iterdir()} == {"x.jsonl", "x.answers.json"}
    answers = json.loads((tmp_path / "x.answers.json").read_text("utf-8"))["paradigms"]["agreement_in_1_verb_question"]
    assert (answers["mask"], answers["answers"]["n=pl"]["correct_copula"]) == ("[MASK]", PLURAL_COPULA)
    capsys.readouterr()
    assert gen(["parse", "--json", "--quiet", *parsed]) == 0
    assert capsys.readouterr().out == written
