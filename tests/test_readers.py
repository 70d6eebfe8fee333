"""Readers: every published file completely, what was written comes back, and what is malformed is said by line."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import forced_plan
from test_published import REFERENCE, needs_reference

from generator.cli.common import shipped_grammars
from generator.errors import DataError, UsageError
from generator.item_making import items
from generator.items import Binding, Condition, Item, Mask
from generator.readers import detect, find_reader
from generator.readers.base import Source
from generator.realizing import Region, Sentence, Style
from generator.writers import FORMATS, find_format
from generator.writers.base import FormatError

Test = Callable[..., None]


def published(test: Test) -> Test:
    """Mark a test that needs the published material."""
    for mark in needs_reference:
        test = mark(test)
    return test


LINE_FORMATS = [form.name for form in FORMATS if form.lines is not None and not form.needs_trees]


def _source(text: str, name: str = "file.txt") -> Source:
    return Source(name, text=text)


def _read(name: str, text: str, file: str = "file.txt") -> list[Item]:
    source = _source(text, file)
    found = list(find_reader(name).read(source))
    source.findings.require_none()
    return found


def _errors(name: str, text: str) -> list[str]:
    source = _source(text)
    list(find_reader(name).read(source))
    return source.findings.errors


def _texts(item: Item) -> list[tuple[bool | None, str]]:
    return [(condition.acceptable, condition.text) for condition in item.conditions]


# --- published files ------------------------------------------------------------------------------------------------

# format, files, how many files, how many items: `wc -l`, halved where two lines (or rows, without the header) are one
# item; of CLAMS, whose English files end without \n, `grep -c ^True`.
PUBLISHED = [
    ("babeval", "babeval/forced_choice/*.txt", 6, 10260),
    ("babeval", "babeval/open_ended/*.txt", 7, 14620),
    ("zorro", "zorro/sentences/*.txt", 18, 18000),
    ("blimp", "blimp/*.jsonl", 45, 22500),
    ("sentences", "lstm_syntax/my_*.tab", 2, 9576 + 17408),
    ("words", "lstm_syntax/preliminary_experiments.tab", 1, 183),
    ("original", "gulordava/English/*.tab", 2, 410 + 410),
    ("clams", "clams/*/*.txt", 10, 5206),
]


@published
@pytest.mark.parametrize(("name", "files", "file_count", "item_count"), PUBLISHED)
def test_published_files_are_read_completely(name: str, files: str, file_count: int, item_count: int) -> None:
    paths = sorted(REFERENCE.glob(files))
    assert len(paths) == file_count
    total = 0
    for path in paths:
        source = Source(str(path), path)
        reader = detect(source)
        assert reader is not None, path
        assert reader.name == name, path
        found = list(reader.read(source))
        source.findings.require_none()
        assert len({item.id for item in found}) == len(found)
        total += len(found)
    assert total == item_count


@published
@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("babeval", "babeval/forced_choice/agreement_across_PP.txt"),
        ("babeval", "babeval/open_ended/agreement_across_RC.txt"),
        ("zorro", "zorro/sentences/island-effects-coordinate_structure_constraint.txt"),
        ("sentences", "lstm_syntax/my_coord_templates.tab"),
        ("sentences", "lstm_syntax/my_tense_templates.tab"),
        ("original", "gulordava/English/generated.tab"),
        ("clams", "clams/de/vp_coord.txt"),
        ("clams", "clams/en/simple_reflexives.txt"),
    ],
)
def test_published_files_come_back_byte_for_byte(name: str, file: str) -> None:
    path = REFERENCE / file
    form = find_format(name)
    assert form.lines is not None
    found = list(find_reader(name).read(Source(str(path), path)))
    lines = [form.header] if form.header else []
    lines += [line for item in found for line in form.lines(item)]
    assert "\n".join(lines) + "\n" == path.read_text("utf-8").rstrip("\n") + "\n"


@published
def test_published_quirks_are_warned_of() -> None:
    words = Source("w", REFERENCE / "lstm_syntax" / "preliminary_experiments.tab")
    found = list(find_reader("words").read(words))
    assert any("not form" in w and w.endswith("(and 3 more)") for w in words.findings.warnings)
    # As the published system did (results/preliminary_experiments_whole_sentences.txt): the form goes to len_prefix.
    assert [_texts(item)[0][1].split()[0] for item in found if item.template == "question"].count("Who") >= 1
    passive = Source("p", REFERENCE / "blimp" / "passive_1.jsonl")
    list(find_reader("blimp").read(passive))
    assert passive.findings.warnings == ["p:163: the two sentences of the pair are identical (and 1 more)"]


# --- what was written comes back ------------------------------------------------------------------------------------


def _without_place(item: Item) -> Item:
    """An item without its line; of ranks only the order counts."""
    order = sorted(range(len(item.conditions)), key=lambda place: item.conditions[place].rank)
    conditions = (dataclasses.replace(c, rank=order.index(place)) for place, c in enumerate(item.conditions))
    return dataclasses.replace(item, line=0, conditions=tuple(conditions))


@pytest.mark.parametrize("path", shipped_grammars(), ids=lambda path: path.stem)
def test_formats_come_back(path: Path) -> None:
    found = forced_plan(path)
    styles: tuple[Style, ...] = ("tokens", "ptb", "prose")
    for style in styles:
        made = list(items(found, min(6, found.items), style=style))
        for name in LINE_FORMATS:
            form = find_format(name)
            assert form.lines is not None
            kept, lines = [], []
            for item in made:
                try:
                    lines += form.lines(item)
                except FormatError:
                    assert name in ("words", "original")
                    continue
                kept.append(item)
            text = "\n".join([*([form.header] if form.header else []), *lines, ""])
            again = _read(name, text, f"{path.stem}{form.suffix}")
            assert [line for item in again for line in form.lines(item)] == lines
            if name == "items":
                assert [_without_place(item) for item in again] == [_without_place(item) for item in kept]
            if name in ("items", "blimp", "tsv"):
                ids = [pair_id for item in kept for pair_id, _, _ in item.pairs]
                own = [str(item.extra.get("pairID", pair_id)) for item in again for pair_id, _, _ in item.pairs]
                assert own == ids


_words = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=6).filter(lambda w: w != "<eos>")
_sentences = st.lists(_words, min_size=1, max_size=5).map(" ".join)
_names = st.from_regex(r"[a-z]{1,5}", fullmatch=True)


@st.composite
def _conditions(draw: st.DrawFn, name: str, acceptable: bool | None) -> Condition:
    text = draw(_sentences)
    ends = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    regions = draw(st.sampled_from([(), (Region(draw(_names), ends[0], ends[1], draw(st.booleans())),)]))
    levels = draw(st.dictionaries(_names, _names, max_size=2))
    return Condition(name, acceptable, Sentence(text, tuple(text.split(" ")), regions), draw(st.integers(0, 3)), levels)


@st.composite
def _items(draw: st.DrawFn) -> Item:
    marks = draw(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=4))
    conditions = tuple(draw(_conditions(f"c{n}", mark)) for n, mark in enumerate(marks))
    number = draw(st.integers(0, 3))
    paradigm, template = draw(_names), draw(_names)
    return Item(
        f"{paradigm}:{template}:{number}",
        paradigm,
        template,
        number,
        conditions,
        tuple(Binding(draw(_names), draw(_names), draw(_words), draw(_words), {"number": "sg"}) for _ in marks),
        tuple(draw(st.dictionaries(_names, _words, max_size=2)).items()),
        draw(st.none() | st.builds(Mask, _names, _words, _words)),
        {},
        draw(_names),
        draw(_names),
        draw(_names),
        draw(st.dictionaries(_names, _words | st.integers() | st.lists(_words), max_size=2)),
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(_items(), min_size=1, max_size=3))
def test_any_items_come_back(made: list[Item]) -> None:
    form = find_format("items")
    assert form.lines is not None
    text = "".join(line + "\n" for item in made for line in form.lines(item))
    assert [_without_place(item) for item in _read("items", text)] == [_without_place(item) for item in made]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(_sentences, _sentences), min_size=1, max_size=4))
def test_any_pairs_come_back(pairs: list[tuple[str, str]]) -> None:
    made = [
        Item(f"f:{n}", "f", "", 0, tuple(Condition(str(k), k == 0, Sentence(t, (), ())) for k, t in enumerate(pair)))
        for n, pair in enumerate(pairs)
    ]
    for name in ("zorro", "blimp", "sentences", "clams", "tsv"):
        form = find_format(name)
        assert form.lines is not None
        lines = [*([form.header] if form.header else []), *(line for item in made for line in form.lines(item))]
        again = _read(name, "\n".join(lines) + "\n")
        if name in ("tsv", "blimp"):  # rows with one id side by side could be one item
            assert len(again) == len(made)
        assert [[text for _, text in _texts(item)] for item in again] == [list(pair) for pair in pairs]


# --- each format ----------------------------------------------------------------------------------------------------


def test_babeval_does_not_say_which_is_acceptable() -> None:
    (item,) = _read("babeval", "the dog is here .\nthe dogs is here .\n", "forced_choice/task.txt")
    assert _texts(item) == [(None, "the dog is here ."), (None, "the dogs is here .")]
    assert [c.rank for c in item.conditions] == [0, 1]
    assert (item.id, item.paradigm) == ("task:1", "task")


@pytest.mark.parametrize("mask", ["<mask>", "[MASK]"])
def test_babeval_masks(mask: str) -> None:
    found = _read("babeval", f"the dog {mask} here .\nthe dogs {mask} here .\n", "task.txt")
    assert [item.mask for item in found] == [Mask("", mask, "")] * 2
    assert [item.id for item in found] == ["task:open:1", "task:open:2"]
    assert _errors("babeval", f"a {mask} b\nno mask\n{mask} {mask}\n") == [
        "file.txt:2: no masks ([MASK] or <mask>): one a line",
        "file.txt:3: 2 masks ([MASK] or <mask>): one a line",
    ]


def test_babeval_mask_from_the_answers_beside(tmp_path: Path) -> None:
    path = tmp_path / "task.txt"
    path.write_text("a BLANK b\n", "utf-8")
    (tmp_path / "task.answers.json").write_text('{"paradigms": {"task": {"mask": "BLANK"}}}', "utf-8")
    source = Source(str(path), path)
    reader = detect(source)
    assert reader is not None
    assert reader.name == "babeval"
    assert [item.mask for item in reader.read(source)] == [Mask("", "BLANK", "")]


def test_zorro_bad_first_and_names_from_the_file() -> None:
    (item,) = _read("zorro", "he are .\nhe is .\n", "filler-gap-wh_question_object.txt")
    assert _texts(item) == [(True, "he is ."), (False, "he are .")]
    assert (item.phenomenon, item.paradigm) == ("filler-gap", "wh_question_object")
    assert item.id == "filler-gap-wh_question_object:1"


def test_an_odd_line_is_an_error() -> None:
    assert _errors("zorro", "a b\na c\n\nx y\n") == [
        "file.txt:4: a sentence without a second one: two lines are a pair, and the file has an odd number"
    ]


def test_clams_several_false_lines() -> None:
    first, second = _read("clams", "True\the is\nFalse\the are\nFalse\the am\nTrue\tshe is\nFalse\tshe are\n")
    assert _texts(first) == [(True, "he is"), (False, "he are"), (False, "he am")]
    assert [pair_id for pair_id, _, _ in first.pairs] == ["file:1.1", "file:1.2"]
    assert (second.id, second.line) == ("file:4", 4)
    assert _errors("clams", "False\tx\ntrue\ty\nTrue x\n") == [
        "file.txt:1: a False line without a True line before it",
        "file.txt:2: neither True nor False and a tab at the beginning: 'true\\ty'",
        "file.txt:3: neither True nor False and a tab at the beginning: 'True x'",
    ]


def test_words_put_the_form_in_place() -> None:
    text = "pattern\tform\tform_alt\tlen_prefix\tsent\nq\tWho\tWhat\t0\tWhat left ? <eos>\n"
    source = _source(text)
    (item,) = find_reader("words").read(source)
    assert _texts(item) == [(True, "Who left ?"), (False, "What left ?")]
    assert source.findings.warnings == ["file.txt:2: the word at len_prefix is not form: form is put in its place"]
    assert _errors("words", text + "q\ta\tb\t9\tx y <eos>\nq\ta\tb\t-1\tx y\nq\ta\tb\t0\n") == [
        "file.txt:3: len_prefix is 9, and the sentence has 2 words (counted from 0)",
        "file.txt:4: len_prefix is '-1'; it is a whole number from 0",
        "file.txt:5: 4 tab-separated fields; the header has 5",
    ]


def test_a_wrong_header_names_the_column() -> None:
    assert _errors("sentences", "pattern\tsentence\tsent_alt\n") == [
        "file.txt:1: the header lacks sent: the columns are pattern, sent, sent_alt (did you mean 'sentence'?)"
    ]


ORIGINAL = (
    "pattern\tconstr_id\tsent_id\tcorrect_number\tform\tclass\ttype\tprefix\tn_attr\tpunct\tfreq\tlen_context"
    "\tlen_prefix\tsent\tlstm\n"
    'P\t1\t7\tsing\tis\tcorrect\tgenerated\tThe dog\t0\tFalse\t9\t1\t2\t"The dog runs "" here "" . <eos>"\t-1.5\n'
    'P\t1\t7\tsing\tare\twrong\tgenerated\tThe dog\t0\tFalse\t8\t1\t2\t"The dog runs "" here "" . <eos>"\t-2.5\n'
)


def test_original_keeps_what_models_gave() -> None:
    (item,) = _read("original", ORIGINAL, "file.tab")
    assert _texts(item) == [(True, 'The dog is " here " .'), (False, 'The dog are " here " .')]
    assert item.id == "file:P:1-7"
    assert item.extra["lstm"] == ["-1.5", "-2.5"]
    assert item.extra["freq"] == ["9", "8"]
    assert item.extra["sent"] == 'The dog runs " here " .'


def test_original_rows_without_partner() -> None:
    header, right, wrong = ORIGINAL.splitlines()
    assert _errors("original", "\n".join([header, right, right.replace("\t7\t", "\t8\t", 1), wrong]) + "\n") == [
        "file.txt:2: a row without its partner: the next row differs in sent_id",
        "file.txt:3: a row without its partner: the next row differs in sent_id",
        "file.txt:4: a row without its partner: the file ends",
    ]
    source = _source("\n".join([header, wrong, right]) + "\n")
    (item,) = find_reader("original").read(source)
    assert _texts(item)[0][1].startswith("The dog is")
    assert source.findings.warnings == ["file.txt:2: the wrong form stands before the correct one"]
    assert "quotes that do not fit" in _errors("original", header + "\n" + right.replace('<eos>"', "<eos>") + "\n")[0]


def test_blimp_own_columns_and_ids() -> None:
    record = {"sentence_good": "a", "sentence_bad": "b", "UID": "u", "pairID": "3", "dependency_length": 4}
    (item,) = _read("blimp", json.dumps(record) + "\n")
    assert (item.id, item.number, item.extra) == ("u:3", 0, {"pairID": "3", "dependency_length": 4})
    form = find_format("blimp")
    assert form.lines is not None
    (line,) = form.lines(item)
    assert (json.loads(line)["pairID"], json.loads(line)["dependency_length"]) == ("3", 4)


def test_blimp_quirks() -> None:
    source = _source(
        '{"sentence_good": "a b", "sentence_bad": "a c", "one_prefix_method": true, "pair_id": 3}\n', "u.jsonl"
    )
    (item,) = find_reader("blimp").read(source)
    assert item.id == "u:3"
    assert source.findings.warnings == [
        "u.jsonl:1: 'one_prefix_method' is true, and the fields that it promises are not there",
        "u.jsonl:1: no 'UID': the file's name stands for it",
        "u.jsonl:1: 'pairID' is no text but int: read as text",
    ]


def test_blimp_errors_are_all_reported() -> None:
    bad = '"sentence_bad": "b"}'
    text = f'{{"sentence_good": "a"}}\n{{"sentence_good": 1, {bad}\n[1]\n{{"a"\n{{"sentence_good": " ", {bad}\n'
    assert _errors("blimp", text) == [
        "file.txt:1: 'sentence_bad' is missing; it is a sentence",
        "file.txt:2: 'sentence_good' is 1; it is a sentence",
        "file.txt:3: no JSON object but list",
        "file.txt:4: not JSON: Expecting ':' delimiter, column 5",
        "file.txt:5: the acceptable sentence is empty",
    ]


def test_rows_of_one_item_become_one_item() -> None:
    header = find_format("tsv").header
    rows = ["x:t:4\tx\t\t\tt\t1\tn=sg; c=nom\ta b\ta c", "x:t:4\tx\t\t\tt\t3\tn=sg; c=nom\ta b\ta d"]
    (item,) = _read("tsv", "\n".join([header, *rows]) + "\n")
    assert (item.number, item.crossed) == (4, (("n", "sg"), ("c", "nom")))
    assert [pair_id for pair_id, _, _ in item.pairs] == ["x:t:4.1", "x:t:4.3"]
    apart = _read("tsv", "\n".join([header, rows[0], rows[1].replace("a b", "a e")]) + "\n")
    assert [item.id for item in apart] == ["x:t:4.1", "x:t:4.3"]


ITEM = {
    "id": "x:t:1", "paradigm": "x", "language": "en", "flavour": "forced", "template": "t", "number": 1, "crossed": {},
    "conditions": [
        {"name": "good", "acceptable": True, "text": "a b", "tokens": ["a", "b"], "regions": []},
        {"name": "bad", "acceptable": False, "text": "a c", "tokens": ["a", "c"], "regions": []},
    ],
    "bindings": [],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ""}, "id: "),
        ({"id": "nonsense"}, "id: 'nonsense' does not match"),
        ({"number": -1}, "number: -1 is less than the minimum of 0"),
        ({"flavour": "open"}, "'flavour' is open exactly where there is a 'mask'"),
        ({"conditions": []}, "conditions: [] "),
        ({"conditions": [ITEM["conditions"][0]] * 2}, "two conditions are called 'good'"),  # type: ignore[index]
        ({"conditions": [{**ITEM["conditions"][0], "acceptable": "yes"}]}, "conditions[0].acceptable: 'yes' is not"),  # type: ignore[index]
        (
            {"conditions": [{**ITEM["conditions"][0], "regions": [{"name": "r", "start": 2, "end": 9}]}]},  # type: ignore[index]
            "region 'r' of 'good' is 2-9; its text has 3 characters",
        ),
        ({"conditions": [{**ITEM["conditions"][0], "txt": "a"}]}, "conditions[0]: Additional properties"),  # type: ignore[index]
        ({"paradigmm": "x"}, "unknown key 'paradigmm'; did you mean 'paradigm'?"),
    ],
)
def test_items_that_are_none(change: dict[str, object], message: str) -> None:
    good, wrong = json.dumps(ITEM), json.dumps(ITEM | change)
    for text in (f"{good}\n{wrong}\n", f"{wrong}\n{good}\n"):
        (error,) = _errors("items", text)
        assert error.startswith(f"file.txt:{text.splitlines().index(wrong) + 1}: {message}"), error


def test_text_has_no_judgement() -> None:
    found = _read("text", "one two .\n\nthree .\n")
    assert [(item.id, _texts(item)) for item in found] == [
        ("file:1", [(None, "one two .")]),
        ("file:3", [(None, "three .")]),
    ]


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("a.txt", "one two .\nthree four .\n", "text"),
        ("a-b.txt", "one two .\nthree four .\n", "text"),
        ("a-b.txt", "the dogs is here .\nthe dog is here .\n", "zorro"),
        ("zorro/x.txt", "the dogs is here .\nthe dog is here .\n", "zorro"),
        ("forced_choice/x.txt", "the dog is here .\nthe dogs is here .\n", "babeval"),
        ("x.txt", "the dog [MASK] here .\n", "babeval"),
        ("x.txt", "True\ta b\nFalse\ta c\n", "clams"),
        ("x.tab", "pattern\tsent\tsent_alt\n", "sentences"),
        ("x.tab", "pattern\tform\tform_alt\tlen_prefix\tsent\n", "words"),
        ("x.tab", ORIGINAL, "original"),
        ("x.tsv", find_format("tsv").header + "\n", "tsv"),
        ("x.jsonl", '{"sentence_good": "a", "sentence_bad": "b"}\n', "blimp"),
        ("x.jsonl", json.dumps(ITEM) + "\n", "items"),
        # predictions in Zorro's layout are no sentences, and data of other kinds is no text
        ("a-b.txt", "the dogs is here . 13.5\nthe dog is here . 12.25\n", None),
        ("x.jsonl", '{"text": "a"}\n', None),
        ("x.csv", "a,b\n", None),
        ("x.txt", "a\tb\n", None),
        ("x.txt", "\n", None),
    ],
)
def test_detection(tmp_path: Path, file: str, text: str, name: str | None) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    reader = detect(Source(str(path), path))
    assert (reader.name if reader else None) == name


def test_bom_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("\ufeffTrue\tá b\r\nFalse\tá c\r\n".encode())
    source = Source("x.txt", path)
    (item,) = find_reader("clams").read(source)
    assert _texts(item) == [(True, "á b"), (False, "á c")]
    assert source.findings.warnings == ["x.txt:1: line ends of Windows: read as \\n"]


def test_not_utf8_says_the_line(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"one .\n" * 5000 + b"caf\xe9 .\n")
    source = Source("x.txt", path)
    lines = source.lines()
    assert next(lines) == (1, "one .")  # read as it goes, not as a whole
    with pytest.raises(DataError, match=r"x.txt:5001: not UTF-8 \(byte 0xe9\)"):
        list(lines)


def test_many_errors_are_counted() -> None:
    source = _source("x\n" * 3000)
    list(find_reader("clams").read(source))
    with pytest.raises(DataError) as caught:
        source.findings.require_none()
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "... and 2,980 more errors"


def test_spaces_are_warned_of() -> None:
    source = _source("  one two .\nthree  four .\n")
    assert [item.conditions[0].text for item in find_reader("text").read(source)] == ["one two .", "three  four ."]
    assert len(source.findings.warnings) == 2


def test_unknown_reader() -> None:
    with pytest.raises(UsageError, match="did you mean 'zorro'"):
        find_reader("zoro")


# --- what nobody meant ----------------------------------------------------------------------------------------------

_anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
_places = ("conditions", "bindings", "crossed", "mask", "extra", "expectations", "id", "number", "flavour", "template")
_inner = ("name", "acceptable", "text", "tokens", "regions", "rank", "levels")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(_places + _inner), _anything, st.booleans())
def test_any_value_anywhere_is_an_item_or_an_error(key: str, value: object, is_first: bool) -> None:
    record = json.loads(json.dumps(ITEM))
    (record if key in _places else record["conditions"][0])[key] = value
    lines = [json.dumps(ITEM), json.dumps(record)]
    source = _source("\n".join(reversed(lines) if is_first else lines) + "\n")
    found = list(find_reader("items").read(source))
    assert len(found) + len(source.findings.errors) == 2
    for item in found:  # what is accepted can be written, and is what the schema describes
        (line,) = _lines_of("items", item)
        again = _source(line + "\n")
        assert len(list(find_reader("items").read(again))) == 1, again.findings.errors


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["sentence_good", "sentence_bad", "UID", "pairID", "field", "template", "x"]), _anything)
def test_any_value_in_blimp_is_an_item_or_an_error(key: str, value: object) -> None:
    record = {"sentence_good": "a", "sentence_bad": "b", "UID": "u", "pairID": "u:t:1.1", "template": "t", key: value}
    source = _source(json.dumps(record) + "\n")
    found = list(find_reader("blimp").read(source))
    assert bool(found) != bool(source.findings.errors)
    for item in found:
        assert len(_lines_of("blimp", item)) == 1


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(LINE_FORMATS),
    st.lists(
        st.sampled_from(["\t", "\n", '"', "a", " ", "True", "False", "0", "[MASK]", "<eos>", "\r", "\u2028", "{}"])
    ),
)
def test_any_text_is_read_or_reported(name: str, pieces: list[str]) -> None:
    header = find_format(name).header
    text = (header + "\n" if header else "") + "".join(pieces)
    source = _source(text)
    for item in find_reader(name).read(source):
        assert item.conditions
        assert all(condition.text.strip() for condition in item.conditions)


def _lines_of(name: str, item: Item) -> list[str]:
    form = find_format(name)
    assert form.lines is not None
    return form.lines(item)
