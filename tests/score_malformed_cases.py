"""Malformed files, as a user would meet them: the files of each case, and the command that reads them.

What the command says is in `corpus_score/`, a file for each group, as `python tests/score_malformed_cases.py` writes it
for a person to read.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from scorers.cli.main import main

CORPUS = Path(__file__).parent / "corpus_score"

Content = str | bytes

ITEM = {
    "id": "p:1:1",
    "paradigm": "p",
    "conditions": [
        {"name": "acceptable", "acceptable": True, "text": "the dog is here ."},
        {"name": "starred", "acceptable": False, "text": "the dogs is here ."},
    ],
}
SCORED = "the dogs is here . 2.5\nthe dog is here . 1.5\n"
ZORRO = "the dogs is here .\nthe dog is here .\n"
TSV = "id\tcondition\tsurprisal\np:1:1\tacceptable\t1.5\np:1:1\tstarred\t2.5\n"
TOKENS = "id\tcondition\ttoken\tsurprisal\np:1:1\tacceptable\tthe\t1.5\np:1:1\tstarred\tthe\t2.5\n"
REGIONS = "item\tcondition\tregion\tsurprisal\np:1:1\tacceptable\tverb\t1.5\np:1:1\tstarred\tverb\t2.5\n"
ORIGINAL_HEADER = (
    "pattern\tconstr_id\tsent_id\tcorrect_number\tform\tclass\ttype\tprefix\tn_attr\tpunct\tfreq\tlen_context\t"
    "len_prefix\tsent"
)
ORIGINAL = "\t".join(["p", "1", "2", "plur", "dogs", "correct", "original", "prefix", "0", "0", "10", "5", "1"])
OTHER = ORIGINAL.replace("dogs\tcorrect", "dog\twrong")
PAIRS_HEADER = "id\tparadigm\tphenomenon\tfield\ttemplate\tpair\tcrossed\tsentence_good\tsentence_bad\n"
CONLLU = "# sent_id = p:1:1.acceptable\n# text = a dog\n# acceptable = yes\n1\ta\ta\tDET\tDT\t_\t0\troot\t_\t_\n\n"
SUITE = {
    "meta": {"name": "s", "metric": "sum"},
    "region_meta": {"1": "noun"},
    "predictions": [{"type": "formula", "formula": "(1;%a%) < (1;%b%)"}],
    "items": [
        {
            "item_number": 1,
            "conditions": [
                {"condition_name": name, "regions": [{"region_number": 1, "content": "dog"}]} for name in ("a", "b")
            ],
        }
    ],
}
SAMPLE = {
    "doc": {"id": "p:1:1.1", "paradigm": "p", "sentence_good": "the dog is here .", "sentence_bad": "the dogs"},
    "arguments": [["", "the dog is here ."], ["", "the dogs is here ."]],
    "filtered_resps": [[-1.5, True], [-2.5, False]],
}


def jsonl(*records: object) -> str:
    """JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def scores(*rows: Mapping[str, object]) -> str:
    """JSON lines with scores: each row has what the row of the acceptable sentence has, and its own."""
    return jsonl(*({"id": "p:1:1", "condition": "acceptable", **row} for row in rows))


def predictions(name: str, content: Content) -> tuple[dict[str, Content], list[str]]:
    """A case of a prediction file."""
    return {"items.jsonl": jsonl(ITEM), name: content}, ["predictions", "items.jsonl", name]


def items(name: str, content: Content) -> tuple[dict[str, Content], list[str]]:
    """A case of an item file."""
    return {name: content, "model.txt": SCORED}, ["predictions", name, "model.txt"]


def command(files: Mapping[str, Content], *arguments: str) -> tuple[dict[str, Content], list[str]]:
    """Any other case."""
    return dict(files), list(arguments)


CASES: dict[str, dict[str, tuple[dict[str, Content], list[str]]]] = {
    "lines": {
        "cut in a number": predictions("model.txt", SCORED[:-3]),
        "cut in a line": predictions("model.txt", SCORED[:-8]),
        "an odd number of lines": predictions("model.txt", SCORED + "the cat is here . 1.5\n"),
        "cut in a UTF-8 character": predictions(
            "model.txt", "the café is here . 1.5\nthe café are 2.5\nthe caf".encode() + b"\xc3"
        ),
        "not a number and infinity": predictions("model.txt", SCORED.replace("2.5", "nan").replace("1.5", "-inf")),
        "numbers that other tools do not read": predictions(
            "model.txt", "a b 1_0\na c ٣\na d 0x1\na e 1,5\n" + 2 * SCORED
        ),
        "no number": predictions("model.txt", SCORED + "the cat is here .\nthe cats is here .\n"),
        "a number and no sentence": predictions("model.txt", SCORED + "1.5\n2.5\n"),
        "too large a number": predictions("model.txt", SCORED.replace("2.5", "1e999")),
        "scores of the wrong sign": predictions("model.txt", SCORED.replace("2.5", "-2.5").replace("1.5", "-1.5")),
        "a NUL byte": predictions("model.txt", SCORED + "the\0 cat 1.5\nthe cats 2.5\n"),
        "line ends of Windows and a byte order mark": predictions(
            "model.txt", b"\xef\xbb\xbf" + SCORED.replace("\n", "\r\n").encode()
        ),
        "blank lines": predictions("model.txt", SCORED.replace("\n", "\n\n")),
        "a line of a megabyte": predictions(
            "model.txt", SCORED + "dog " * 250_000 + "x\n" + "dog " * 250_000 + "1.5\n"
        ),
        "sentences of no item": predictions("model.txt", SCORED + "a cat sits 1.5\na cats sits 2.5\n"),
        "twice the same": predictions("model.txt", SCORED + SCORED),
        "the predictions of another suite": predictions("model.txt", "a cat sits . 1.5\na cats sits . 2.5\n"),
        "latin-1": predictions("model.txt", "the café is here . 1.5\nthe cafés is here . 2.5\n".encode("latin-1")),
    },
    "tables": {
        "cut in a line": predictions("model.tsv", TSV[:-6]),
        "cut in a number": predictions("model.tsv", TSV[:-2]),
        "a misspelt score": predictions("model.tsv", TSV.replace("surprisal", "suprisal")),
        "a misspelt condition": predictions("model.tsv", TSV.replace("condition", "conditon")),
        "a misspelt id": predictions("model.tsv", TSV.replace("id\t", "idd\t")),
        "no header": predictions("model.tsv", TSV.partition("\n")[2]),
        "a column twice": predictions("model.tsv", TSV.replace("condition", "id")),
        "empty numbers": predictions("model.tsv", TSV.replace("1.5", "").replace("2.5", " ")),
        "not a number and infinity": predictions("model.tsv", TSV.replace("1.5", "NaN").replace("2.5", "Infinity")),
        "a row of an unknown item": predictions("model.tsv", TSV + "p:1:7\tstarred\t1.5\n"),
        "a row twice": predictions("model.tsv", TSV + "p:1:1\tstarred\t3.5\n"),
        "an unknown condition": predictions("model.tsv", TSV.replace("starred", "stared")),
        "a cell too many": predictions("model.tsv", TSV + "p:1:1\tstarred\t3.5\tx\n"),
        "no id": predictions("model.tsv", TSV.replace("p:1:1", "")),
        "the wrong sign": predictions("model.tsv", TSV.replace("\t1.5", "\t-1.5")),
        "a perplexity of 0": predictions("model.tsv", TSV.replace("surprisal", "perplexity").replace("1.5", "0")),
        "two models": predictions(
            "model.tsv", "id\tcondition\tscore\tmodel\np:1:1\tacceptable\t1\ta\np:1:1\tstarred\t2\tb\n"
        ),
        "tokens without numbers": predictions("model.tsv", TOKENS.replace("1.5", "").replace("2.5", "x")),
        "tokens with a start that is none": predictions(
            "model.tsv", "id\tcondition\ttoken\tsurprisal\tstart\np:1:1\tstarred\tthe\t1\t-1\n"
        ),
        "tokens without a text": predictions("model.tsv", TOKENS.replace("p:1:1", "")),
        "regions without a name": predictions("model.tsv", REGIONS.replace("verb", "")),
        "a region twice": predictions("model.tsv", REGIONS.replace("starred", "acceptable")),
        "a last row without a line end": predictions("model.tsv", TSV[:-1]),
        "commas in the place of tabs": predictions("model.csv", TSV.replace("\t", ",")),
        "only a header": predictions("model.tsv", TSV.partition("\n")[0] + "\n"),
    },
    "json lines": {
        "cut in an object": predictions("model.jsonl", scores({"score": 1}, {"score": 2})[:-9]),
        "cut in the first object": predictions("model.jsonl", scores({"score": 1})[:-9]),
        "an object over several lines": predictions("model.jsonl", json.dumps({"id": "p:1:1", "score": 1}, indent=1)),
        "a list of objects": predictions("model.jsonl", json.dumps([{"id": "p:1:1", "score": 1}])),
        "lines that are no objects": predictions(
            "model.jsonl", scores({"score": 1}) + '[1]\n"a"\n1.5\nnull\ntrue\n{"id"}\n'
        ),
        "a key twice": predictions(
            "model.jsonl", '{"id": "p:1:1", "condition": "acceptable", "score": 1, "score": 2}\n'
        ),
        "numbers that are none": predictions(
            "model.jsonl", scores({"score": "1"}, {"score": "x"}, {"score": None}, {"score": True}, {"score": [1]}, {})
        ),
        "numbers that are not finite": predictions(
            "model.jsonl",
            scores({"score": 1}).replace("1}", "NaN}")
            + scores({"score": 1}).replace("1}", "-Infinity}")
            + scores({"score": 1}).replace("1}", "1e999}"),
        ),
        "a whole number of 5,000 digits": predictions(
            "model.jsonl", scores({"score": 1}) + scores({"score": 1}).replace("1}", "1" * 5000 + "}")
        ),
        "a whole number beyond all floats": predictions("model.jsonl", scores({"score": 10**400})),
        "nested 100,000 deep": predictions(
            "model.jsonl", scores({"score": 1}) + '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}\n"
        ),
        "nested 900 deep": predictions(
            "model.jsonl", scores({"score": 1}) + '{"score": 1, "id": ' + "[" * 900 + "]" * 900 + "}\n"
        ),
        "a misspelt score": predictions("model.jsonl", scores({"log_probabilty": -1})),
        "an id that is no text": predictions(
            "model.jsonl", jsonl({"id": ["p:1:1"], "score": 1}, {"id": 1.5, "score": 1})
        ),
        "cut in a UTF-8 character": predictions("model.jsonl", (scores({"score": 1}) + '{"id": "é').encode()[:-1]),
        "a lone half of a character": predictions(
            "model.jsonl", scores({"score": 1}) + '{"id": "\\ud800", "condition": "acceptable", "score": 1}\n'
        ),
        "a count of tokens that is none": predictions(
            "model.jsonl", scores({"score": 1, "token_count": -1}, {"score": 1, "token_count": "x"})
        ),
        "tokens of another number than scores": predictions(
            "model.jsonl",
            scores(
                {"tokens": ["the", "dog"], "surprisals": [1]},
                {"tokens": "the", "surprisals": [1]},
                {"tokens": ["a"], "surprisals": [1], "starts": [-1]},
            ),
        ),
        "tokens with numbers that are none": predictions(
            "model.jsonl", scores({"tokens": ["the", "dog"], "surprisals": [None, "x"]}).replace("null", "NaN")
        ),
        "regions that are none": predictions(
            "model.jsonl",
            jsonl(
                {"item": "p:1:1", "condition": "starred", "regions": {"a": 1}},
                {"item": "p:1:1", "condition": "starred", "regions": [1]},
                {"item": "p:1:1", "condition": "x", "regions": {"a": "x"}},
            ),
        ),
        "a unit that is none": predictions(
            "model.jsonl", jsonl({"item": "p:1:1", "condition": "starred", "regions": {"a": 1}, "unit": "surprise"})
        ),
        "samples without responses": predictions(
            "samples.jsonl", jsonl(SAMPLE, {**SAMPLE, "filtered_resps": []}, {**SAMPLE, "doc": 1})
        ),
        "samples with numbers that are none": predictions(
            "samples.jsonl", jsonl({**SAMPLE, "filtered_resps": [["x", "True"], [None, False]]})
        ),
        "words for masks that are none": predictions(
            "model.jsonl",
            jsonl({"id": "p:1:1", "fill": "dog"}, {"id": "p:1:1", "fill": " "}, {"id": "p:1:1", "fill": 3}),
        ),
    },
    "other predictions": {
        "result lines that are cut off": predictions(
            "model.txt", "True\tp\t-1.5\t-2.5\tthe dog is here . <eos>\tthe dogs is here . <eos>\nTrue\tp\t-1.5\t-2"
        ),
        "result lines with numbers that are none": predictions(
            "model.txt", "True\tp\tx\tnan\tthe dog is here . <eos>\tthe dogs is here . <eos>\n"
        ),
        "a result that its numbers contradict": predictions(
            "model.txt", "False\tp\t-1.5\t-2.5\tthe dog is here . <eos>\tthe dogs is here . <eos>\n"
        ),
        "columns of models without numbers": predictions(
            "model.tab", f"{ORIGINAL_HEADER}\tlstm\n{ORIGINAL}\tthe dogs is here\tx\n{OTHER}\tthe dogs is here\t\n"
        ),
        "a row of a model's column without its partner": predictions(
            "model.tab", f"{ORIGINAL_HEADER}\tlstm\n{ORIGINAL}\tthe dogs is here\t-1.5\n"
        ),
        "masks that are left": predictions(
            "model.txt", "look at this dog .\nlook at this cat .\nlook at this [MASK] .\n"
        ),
    },
    "items": {
        "cut in an object": items("items.jsonl", jsonl(ITEM, ITEM)[:-9]),
        "two items of one id": items("items.jsonl", jsonl(ITEM, {**ITEM, "conditions": ITEM["conditions"][:1]})),  # type: ignore[index]
        "no conditions, no id, no text": items(
            "items.jsonl",
            jsonl(
                {**ITEM, "conditions": []},
                {**ITEM, "id": ""},
                {**ITEM, "conditions": [{"name": "a", "text": ""}]},
                {**ITEM, "conditions": 3},
            ),
        ),
        "a misspelt key": items("items.jsonl", jsonl({"id": "p:1:1", "conditons": []})),
        "a key twice, deep in an item": items(
            "items.jsonl", jsonl(ITEM).replace('"name": "starred"', '"name": "starred", "name": "x"')
        ),
        "a region outside its text": items(
            "items.jsonl",
            jsonl(
                {**ITEM, "conditions": [{"name": "a", "text": "a b", "regions": [{"name": "r", "start": 1, "end": 9}]}]}
            ),
        ),
        "BLiMP rows without a sentence": items(
            "items.jsonl",
            jsonl(
                {"sentence_good": "a", "sentence_bad": "b", "UID": "u", "pairID": "0"},
                {"sentence_good": "a"},
                {"sentence_good": " ", "sentence_bad": 3, "UID": 1},
            ),
        ),
        "a misspelt key of BLiMP": items("items.jsonl", jsonl({"sentence_god": "a", "sentence_bad": "b"})),
        "Zorro's lines, an odd number": items("a-b.txt", ZORRO + "the cats is here .\n"),
        "Zorro's lines, empty sentences": items("a-b.txt", 3 * ZORRO + "<eos>\nthe cat is here .\n"),
        "Zorro's lines in UTF-16": items("a-b.txt", ZORRO.encode("utf-16")),
        "Zorro's lines in latin-1": items("a-b.txt", "the cafés is here .\nthe café is here .\n".encode("latin-1")),
        "Zorro's lines without a name": items("items.txt", ZORRO),
        "CLAMS without a True line": items(
            "items.txt", "True\tthe dog is here .\nFalse\tthe dogs is here .\n\tthe cat\nFals\tthe cats\n"
        ),
        "CLAMS that begins with False": items("items.txt", "False\tthe dogs is here .\nTrue\tthe dog is here .\n"),
        "a mask twice": items("open_ended/items.txt", "the dog [MASK] here [MASK]\n"),
        "a pair of Babeval": items("forced_choice/items.txt", ZORRO),
        "a table with a misspelt column": items("items.tab", "patern\tsent\tsent_alt\np\ta b\ta c\n"),
        "a table with a row cut off": items("items.tab", "pattern\tsent\tsent_alt\np\ta b\ta c\np\ta b"),
        "words behind the end of a sentence": items(
            "items.tab",
            "pattern\tform\tform_alt\tlen_prefix\tsent\np\tdog\tdogs\t9\tthe dog\n"
            "p\t\tdogs\t1\tthe dog\np\tdog\tdogs\tx\tthe dog\n",
        ),
        "the original table, cut off": items(
            "items.tab", f"{ORIGINAL_HEADER}\n{ORIGINAL}\tthe dogs is here\n{OTHER}\tthe do"
        ),
        "the original table with a quote": items(
            "items.tab", f'{ORIGINAL_HEADER}\n{ORIGINAL}\t"the dogs" is\n{OTHER}\t"the dogs" is\n'
        ),
        "Starling's table without a number": items("items.tsv", f"{PAIRS_HEADER}\tp\t\t\t1\tx\tn\ta b\t\n"),
        "trees that are cut off": items(
            "items.conllu", CONLLU + "# sent_id = p:1:1.starred\n# text = a dogs\n# acceptable = no\n1\ta\ta"
        ),
        "a suite that is cut off": items("suite.json", json.dumps(SUITE, indent=1)[:-40]),
        "a suite without items": items("suite.json", json.dumps({**SUITE, "items": [], "meta": {"metric": "sun"}})),
        "a suite with parts of another kind": items(
            "suite.json", json.dumps({"meta": [], "region_meta": 3, "items": {}})
        ),
        "a suite with a formula that is none": command(
            {
                "suite.json": json.dumps({**SUITE, "predictions": [{"type": "formula", "formula": "(1;%a%) <"}]}),
                "model.tsv": "item\tcondition\tregion\tsurprisal\n1\ta\tnoun\t1\n1\tb\tnoun\t2\n",
            },
            "formulas",
            "suite.json",
            "model.tsv",
        ),
        "answers that are none": command(
            {
                "open.jsonl": jsonl(
                    {
                        "id": "p:1:open:1",
                        "paradigm": "p",
                        "conditions": [{"name": "open", "acceptable": True, "text": "a [MASK]"}],
                        "mask": {"slot": "s", "token": "[MASK]", "answers": ""},
                    }
                ),
                "open.answers.json": '{"format": "x"}',
                "fills.txt": "a dog\n",
            },
            "predictions",
            "open.jsonl",
            "fills.txt",
        ),
    },
    "arguments": {
        "items as predictions": command({"items.jsonl": jsonl(ITEM)}, "predictions", "items.jsonl", "items.jsonl"),
        "predictions as items": command({"model.txt": SCORED}, "predictions", "model.txt", "model.txt"),
        "Zorro's items as predictions": command(
            {"a-b.txt": ZORRO, "items.jsonl": jsonl(ITEM)}, "predictions", "items.jsonl", "a-b.txt"
        ),
        "no such file, with one of nearly that name": command(
            {"items.jsonl": jsonl(ITEM)}, "predictions", "itens.jsonl", "x"
        ),
        "no such file, and none like it": command({"items.jsonl": jsonl(ITEM)}, "predictions", "items.jsonl", "zzz"),
        "no such folder": command(
            {"models/a.txt": SCORED, "items.jsonl": jsonl(ITEM)}, "predictions", "items.jsonl", "model/a.txt"
        ),
        "an empty file": command(
            {"items.jsonl": jsonl(ITEM), "model.txt": ""}, "predictions", "items.jsonl", "model.txt"
        ),
        "an empty file of items": command(
            {"items.jsonl": "", "model.txt": SCORED}, "predictions", "items.jsonl", "model.txt"
        ),
        "blank lines only": command(
            {"items.jsonl": jsonl(ITEM), "model.txt": "\n\n \n"}, "predictions", "items.jsonl", "model.txt"
        ),
        "an empty folder": command({"items.jsonl": jsonl(ITEM), "model/": ""}, "predictions", "items.jsonl", "model"),
        "a binary file": command(
            {"items.jsonl": jsonl(ITEM), "model.bin": bytes(range(256))}, "predictions", "items.jsonl", "model.bin"
        ),
        "a compressed file": command(
            {"items.jsonl": jsonl(ITEM), "model.txt.gz": b"\x1f\x8b\x08\0\0"},
            "predictions",
            "items.jsonl",
            "model.txt.gz",
        ),
        "a UTF-16 file with a format that is named": command(
            {"items.jsonl": jsonl(ITEM), "model.txt": SCORED.encode("utf-16-be")},
            "predictions",
            "items.jsonl",
            "model.txt",
            "--format",
            "lines",
        ),
        "a format that there is not": command(
            {"items.jsonl": jsonl(ITEM), "model.txt": SCORED},
            "predictions",
            "items.jsonl",
            "model.txt",
            "--format",
            "line",
        ),
        "a format of items that there is not": command(
            {"items.jsonl": jsonl(ITEM), "model.txt": SCORED},
            "predictions",
            "items.jsonl",
            "model.txt",
            "--items-format",
            "blmp",
        ),
        "a format that the file has not": command(
            {"items.jsonl": jsonl(ITEM), "model.txt": SCORED},
            "predictions",
            "items.jsonl",
            "model.txt",
            "--format",
            "tsv",
        ),
        "two units of one model": command(
            {"items.jsonl": jsonl(ITEM), "m/a.tsv": TSV, "m/b.tsv": TSV.replace("surprisal", "score")},
            "predictions",
            "items.jsonl",
            "m",
        ),
        "standard input twice": command({}, "predictions", "-", "-"),
        "several files, all at once": command(
            {"items.jsonl": jsonl(ITEM), "a.txt": SCORED[:-8], "b.tsv": TSV[:-6], "c.jsonl": scores({"score": None})},
            "predictions",
            "items.jsonl",
            "a.txt",
            "b.tsv",
            "c.jsonl",
        ),
        "more errors than are shown": command(
            {"items.jsonl": jsonl(ITEM), "a.txt": SCORED + "a b nan\n" * 60}, "predictions", "items.jsonl", "a.txt"
        ),
    },
}


def outcome(files: Mapping[str, Content], arguments: list[str], folder: Path) -> str:
    """What `score` says on standard error in a folder with these files, and its exit code."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir()
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    said = io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = main([*arguments, "--csv"])
    finally:
        os.chdir(before)
    return f"{said.getvalue()}exit {code}\n"


def corpus_text(group: str) -> str:
    """All cases of a group with what is said of them."""
    parts = []
    for name, (files, arguments) in CASES[group].items():
        with tempfile.TemporaryDirectory() as folder:
            parts.append(f"=== {name}\n$ score {' '.join(arguments)}\n{outcome(files, arguments, Path(folder))}")
    return "\n".join(parts)


if __name__ == "__main__":
    CORPUS.mkdir(exist_ok=True)
    for group_name in sys.argv[1:] or CASES:
        (CORPUS / f"{group_name.replace(' ', '_')}.txt").write_text(corpus_text(group_name), "utf-8")
