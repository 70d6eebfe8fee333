"""The command `score`: what it writes, where, and its exit codes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from scorers.cli.main import build_parser, main
from scorers.reports.csv import TABLES

PAIRS = [("the dogs is here .", "the dog is here ."), ("the cats is here .", "the cat is here .")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "agreement-number.txt").write_text("".join(f"{bad}\n{good}\n" for bad, good in PAIRS))
    for model, numbers in {"first": "2 1 2 1", "second": "2 1 1 2", "even": "1 1 1 1"}.items():
        (tmp_path / model).mkdir()
        lines = zip((line for pair in PAIRS for line in pair), numbers.split(), strict=True)
        text = "".join(f"{line} {number}.25\n" for line, number in lines)
        (tmp_path / model / "agreement-number.txt").write_text(text)
    return tmp_path


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("model", "options", "accuracy"),
    [("first", [], 1), ("second", [], 0.5), ("even", [], 0.5), ("even", ["--ties", "right"], 1),
     ("even", ["--ties", "wrong"], 0), ("second", ["--unit", "log_probability"], 0.5),
     ("first", ["--unit", "log_probability"], 0), ("second", ["--normalise", "per_character"], 0.5)],
)  # fmt: skip
def test_accuracy(
    model: str, options: list[str], accuracy: float, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predictions", "items", model, "--csv", *options]) == 0
    assert float(rows(capsys.readouterr().out)[0]["accuracy"]) == accuracy


def test_pairs_give_the_same_numbers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predictions", "items", "second", "--csv"]) == 0
    slow = rows(capsys.readouterr().out)[0]
    for items in ("items", "second"):
        assert main(["predictions", items, "second", "--csv", "--pairs"]) == 0
        fast = rows(capsys.readouterr().out)[0]
        for name in ("items", "right", "accuracy", "low", "high", "ties", "unequal", "chance"):
            assert fast[name] == slow[name]
    assert main(["predictions", "items", "second", "--pairs", "--by", "template"]) == 2


def test_json_has_the_signature_and_the_items(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predictions", "items", "second", "--json", "--seed", "7", "--title", "T"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["title"] == "T"
    assert "|ties:half|norm:sum|per:pair|interval:wilson0.95|seed:7|version:" in report["signature"][0]
    assert len(report["items"]) == 2


def test_tables_and_markdown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predictions", "items", "first", "second"]) == 0
    shown = capsys.readouterr().out
    assert "first" in shown
    assert "100.0" in shown
    assert "\x1b[" not in shown
    assert main(["predictions", "items", "first", "--markdown"]) == 0
    assert "| first | 2 | 100.0 |" in capsys.readouterr().out


@pytest.mark.parametrize("interval", ["bootstrap", "cluster"])
def test_resampled_intervals_are_seeded(interval: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = []
    for number in range(12):
        conditions = [
            {"name": n, "acceptable": n == "good", "text": f"{n} {number}", "regions": []} for n in ("good", "bad")
        ]
        words = [{"slot": "Noun", "category": "noun", "lemma": f"noun{number % 4}"}]
        lines.append({"id": f"p:{number}", "paradigm": "p", "conditions": conditions, "bindings": words})
    (folder / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    # A model that knows two of four nouns.
    scores = [f"{n} {number}\t{(n == 'good') ^ (number % 4 > 1):d}\n" for number in range(12) for n in ("good", "bad")]
    (folder / "m.tsv").write_text("text\tscore\n" + "".join(scores))
    command = ["predictions", "p.jsonl", "m.tsv", "--csv", "--interval", interval, "--resamples", "200", "--seed"]
    found = []
    for seed in ("1", "1"):
        assert main([*command, seed]) == 0
        found.append(rows(capsys.readouterr().out)[0]["low"])
    assert found[0] == found[1]
    # With whole nouns drawn, no more than one of four is rare enough to be left out.
    assert float(found[0]) == 0 if interval == "cluster" else 0 < float(found[0]) < 0.5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--interval", "cluster"], "--interval cluster: no item names its lexemes"),
        (["--normalise", "per_token"], "--normalise per_token: nothing in second/agreement-number.txt says how many"),
    ],
)
def test_what_the_files_cannot_give_is_refused(
    options: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predictions", "items", "second", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


def test_two_models_in_a_folder_are_no_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [line for pair in PAIRS for line in pair]
    (folder / "two").mkdir()
    for name, offset in (("a", 0), ("b", 1)):
        table = "".join(f"{text}\t{(place + offset) % 2}\n" for place, text in enumerate(texts))
        (folder / "two" / f"{name}.tsv").write_text("text\tscore\n" + table)
    assert main(["predictions", "items", "two"]) == 3
    assert (
        "two/b.tsv: its predictions are of what two/a.tsv has predicted already, and differ" in capsys.readouterr().err
    )
    assert main(["predictions", "items", "two/a.tsv", "two/b.tsv", "--csv"]) == 0
    assert [row["accuracy"] for row in rows(capsys.readouterr().out)[:2]] == ["1.0", "0.0"]


def test_items_are_called_as_in_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Paradigms of one name in two phenomena: the items' rows can be joined with those of the accuracies."""
    for path in (folder / "items", folder / "first"):
        (path / "case-number.txt").write_text((path / "agreement-number.txt").read_text())
    assert main(["predictions", "items", "first", "--csv", "items"]) == 0
    assert {row["paradigm"] for row in rows(capsys.readouterr().out)} == {"agreement-number", "case-number"}
    assert main(["predictions", "items", "first", "--csv"]) == 0
    assert {row["label"] for row in rows(capsys.readouterr().out)} >= {"agreement-number", "case-number"}


def test_compare(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "items", "first", "second", "even", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    first = report["comparisons"][0]
    assert (first["first"], first["second"], first["difference"]) == ("first", "second", 0.5)
    # One discordant item: p = 2 * 1/2; three tests, so that Holm's values stay 1.
    assert (first["mcnemar_p"], first["randomisation_p"], first["holm_p"]) == (1, 1, 1)
    assert len(report["comparisons"]) == 3
    assert "|correction:holm|version:" in report["signature"][0]
    assert main(["compare", "items", "first"]) == 2


def test_models_of_like_files_stay_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model in ("first", "second"):
        (folder / model / "scores.tsv").write_text(
            "text\tsurprisal\n" + "".join(f"{line}\t{place}\n" for place, line in enumerate(PAIRS[0]))
        )
    for command in ("compare", "predictions"):
        assert main([command, "items", "first/scores.tsv", "second/scores.tsv", "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["models"] == ["first", "second"]
    assert main(["compare", "items", "first/scores.tsv", "first/scores.tsv"]) == 2
    assert "first/scores.tsv: stands there twice" in capsys.readouterr().err


def test_checkpoints_are_steps(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model, step in (("second", "run-step-100"), ("first", "run-step-2000")):
        (folder / model).rename(folder / step)
    assert main(["predictions", "items", "run-step-100", "run-step-2000", "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [(step["model"], step["step"], step["accuracy"]) for step in steps] == [("run", 100, 0.5), ("run", 2000, 1)]
    # A model that is none is named, and the others stay.
    command = ["predictions", "items", "run-step-2000", "run-step-100", "even", "--json"]
    assert main(command) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["steps"] == steps
    assert report["models"] == ["run-step-100", "run-step-2000", "even"]
    assert report["notes"][-1] == "not among the training steps, since no step is in the name: even"


def test_babeval_learns_from_items_which_line_is_right(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "forced_choice").mkdir()
    (folder / "forced_choice" / "number.txt").write_text("the dog is here .\nthe dogs is here .\n")
    (folder / "scored.txt").write_text("the dog is here . 1.5\nthe dogs is here . 2.5\n")
    command = ["--items-format", "babeval", "--csv"]
    assert main(["predictions", "forced_choice/number.txt", "scored.txt", *command]) == 3
    assert "gen parse GRAMMAR --input FILE --format babeval --json" in capsys.readouterr().err
    conditions = [
        {"name": name, "acceptable": good, "text": text, "tokens": text.split(), "regions": []}
        for name, good, text in (("acceptable", True, "the dog is here ."), ("starred", False, "the dogs is here ."))
    ]
    record = {"id": "n:1:1", "paradigm": "n", "language": "en", "flavour": "forced", "template": "1", "number": 1,
              "crossed": {"n": "sg"}, "conditions": conditions, "bindings": []}  # fmt: skip
    (folder / "parsed.jsonl").write_text(json.dumps(record) + "\n")
    assert main(["predictions", "parsed.jsonl", "scored.txt", "--csv", "--by", "n"]) == 0
    assert [(row["label"], row["accuracy"]) for row in rows(capsys.readouterr().out)] == [("all", "1.0"), ("sg", "1.0")]
    records = []
    for number, (n, template, good, bad) in enumerate(
        [
            ("sg", "here", "a b .", "a c ."),
            ("pl", "here", "b b .", "b c ."),
            ("sg", "there", "c b .", "c c ."),
            ("sg", "here", "d b .", "d c ."),
        ]
    ):
        two = [
            {"name": name, "acceptable": name == "acceptable", "text": text, "tokens": text.split(), "regions": []}
            for name, text in (("acceptable", good), ("starred", bad))
        ]
        records.append(record | {"id": f"n:{number}", "template": template, "crossed": {"n": n}, "conditions": two})
    (folder / "parsed.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    (folder / "scored.txt").write_text(
        "a b . 1.5\na c . 2.5\nb b . 2.5\nb c . 1.5\nc b . 1.5\nc c . 2.5\nd b . 3.5\nd c . 2.5\n"
    )
    assert main(["predictions", "parsed.jsonl", "scored.txt", "--csv", "--by", "template*n,n * template"]) == 0
    assert [(row["by"], row["label"], row["items"], row["right"]) for row in rows(capsys.readouterr().out)] == [
        ("all", "all", "4", "2.0"),
        ("template*n", "here, sg", "2", "1.0"),
        ("template*n", "here, pl", "1", "0.0"),
        ("template*n", "there, sg", "1", "1.0"),
        ("n*template", "sg, here", "2", "1.0"),
        ("n*template", "pl, here", "1", "0.0"),
        ("n*template", "sg, there", "1", "1.0"),
    ]


def test_files_are_written_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predictions", "items", "first", "--report", "out.html"]) == 0
    assert "the dogs is here" in (folder / "out.html").read_text("utf-8")
    before = sorted(path.name for path in folder.iterdir())
    assert main(["predictions", "items", "first", "--report", "new.html", "--plot", "plot.gif"]) == 2
    assert main(["predictions", "items", "first", "--report", "no/such/folder.html"]) == 3
    assert sorted(path.name for path in folder.iterdir()) == before


def test_what_is_missing_is_an_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "first" / "agreement-number.txt"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    assert main(["predictions", "items", "first", "--csv"]) == 1
    captured = capsys.readouterr()
    assert rows(captured.out)[0]["items"] == "1"
    assert "items/agreement-number.txt:3: warning: no prediction for" in captured.err


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (["predictions", "items", "first", "--by", "phenomenom"], 2, "did you mean 'phenomenon'?"),
        (["predictions", "items", "first", "--by", "paradigm*phenomenom"], 2, "did you mean 'phenomenon'?"),
        (["predictions", "items", "first", "--by", "paradigm*"], 2, "no item says that"),
        (["predictions", "items", "first", "--format", "scord"], 2, "there is no format of predictions"),
        (["predictions", "items", "first", "--unit", "surprise"], 2, "did you mean 'surprisal'?"),
        (["predictions", "items", "first", "--category", "x"], 2, "NAME=FILE"),
        (["predictions", "items", "first", "--level", "95"], 2, "between 0 and 1"),
        (["predictions", "items", "gone"], 3, "gone"),
        (["predictions", "-", "-"], 2, "cannot both"),
        (["formulas", "items", "first"], 3, "expect nothing"),
        (["prediction", "items"], 2, "did you mean 'predictions'?"),
    ],
)
def test_mistakes(
    command: list[str], code: int, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        found = main(command)
    except SystemExit as error:
        found = int(error.code or 0)
    captured = capsys.readouterr()
    assert (found, captured.out) == (code, "")
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_numbers_that_are_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "first" / "agreement-number.txt"
    path.write_text(path.read_text().replace("1.25", "nan"))
    assert main(["predictions", "items", "first", "--json"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "first/agreement-number.txt:2:" in captured.err
    assert "first/agreement-number.txt:4:" in captured.err


def test_open_ended_with_a_word_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mask = {"slot": "noun", "token": "[MASK]", "answers": "all"}
    record = {"id": "p:1:open:1", "paradigm": "p", "language": "en", "flavour": "open", "template": "1", "number": 1,
              "crossed": {}, "bindings": [], "mask": mask,
              "conditions": [{"name": "open", "acceptable": True, "text": "the [MASK] .", "tokens": [],
                              "regions": []}]}  # fmt: skip
    (folder / "open.jsonl").write_text(json.dumps(record) + "\n")
    answers = {"correct": ["dog"], "false": ["dogs"]}
    sidecar = {"format": "starling-answers-1", "paradigms": {"p": {"mask": "[MASK]", "classes": ["correct", "false",
               "other"], "answers": {"all": answers}}}}  # fmt: skip
    (folder / "open.answers.json").write_text(json.dumps(sidecar))
    (folder / "fills.txt").write_text("the dogs .\n")
    (folder / "list.txt").write_text("dogs # plural\n")
    command = ["predictions", "open.jsonl", "fills.txt", "--json"]
    for options, category in (([], "false"), (["--category", "many=list.txt"], "many")):
        assert main([*command, *options]) == 0
        (table,) = json.loads(capsys.readouterr().out)["answers"]
        assert [part["name"] for part in table["rows"][0]["categories"] if part["count"]] == [category]


def test_formulas(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = {"meta": {"name": "s", "metric": "sum"}, "region_meta": {"1": "verb"},
             "predictions": [{"type": "formula", "formula": "(1;%a%) < (1;%b%)"}],
             "items": [{"item_number": n, "conditions": [
                 {"condition_name": c, "regions": [{"region_number": 1, "content": f"{c} word"}]} for c in "ab"]}
                 for n in (1, 2)]}  # fmt: skip
    (folder / "suite.json").write_text(json.dumps(suite))
    table = ["item\tcondition\tregion\tsurprisal"]
    table += [f"{n}\t{c}\t1\t{value}" for n, c, value in ((1, "a", 1), (1, "b", 2), (2, "a", 2), (2, "b", 1))]
    (folder / "regions.tsv").write_text("\n".join(table) + "\n")
    assert main(["formulas", "suite.json", "regions.tsv", "--json"]) == 0
    (design,) = json.loads(capsys.readouterr().out)["designs"]
    assert (design["items"], design["fulfilled"], design["share"]) == (2, 1, 0.5)
    # Means of 1.5 bits on both sides.
    assert (design["on_average"], design["difference_bits"]) == (False, 0)
    assert main(["formulas", "suite.json", "regions.tsv", "--csv", "outcomes"]) == 0
    assert [(row["item"], row["holds"], float(row["difference_bits"])) for row in rows(capsys.readouterr().out)] == [
        ("s:1", "1", 1.0),
        ("s:2", "0", -1.0),
    ]
    assert main(["formulas", "suite.json", "regions.tsv", "--csv", "regions"]) == 0
    means = [(row["condition"], row["region"], float(row["mean_bits"])) for row in rows(capsys.readouterr().out)]
    assert means == [("a", "verb", 1.5), ("a", "*", 1.5), ("b", "verb", 1.5), ("b", "*", 1.5)]
    assert main(["formulas", "suite.json", "regions.tsv", "--csv", "items"]) == 0
    first, second = rows(capsys.readouterr().out)
    assert (first["verdict"], first["answer"], first["a"], first["b"]) == ("right", "1.00 bits", "a word", "b word")
    assert (second["id"], second["verdict"]) == ("s:2 expectation_1", "wrong")


def test_suites_of_several_formulas(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row counts the items that fulfil all of them; a note gives the mean over suites."""
    conditions = [{"condition_name": c, "regions": [{"region_number": 1, "content": f"{c} word"}]} for c in "abc"]
    table = ["suite\titem\tcondition\tregion\tsurprisal"]
    for name, formulas in (("s", ["(1;%a%) < (1;%b%)", "(1;%b%) < (1;%c%)"]), ("t", ["(1;%a%) < (1;%c%)"])):
        suite = {"meta": {"name": name, "metric": "sum"}, "region_meta": {"1": "verb"},
                 "predictions": [{"type": "formula", "formula": formula} for formula in formulas],
                 "items": [{"item_number": n, "conditions": conditions} for n in (1, 2)]}  # fmt: skip
        (folder / "suites").mkdir(exist_ok=True)
        (folder / "suites" / f"{name}.json").write_text(json.dumps(suite))
        for n, bits in ((1, "123"), (2, "132")):
            table += [f"{name}\t{n}\t{c}\t1\t{bits[place]}" for place, c in enumerate("abc")]
    (folder / "regions.tsv").write_text("\n".join(table) + "\n")
    assert main(["formulas", "suites", "regions.tsv", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    found = [(row["label"], row["name"], row["fulfilled"], row["on_average"]) for row in report["designs"]]
    assert found == [("s", "expectation_1", 2, True), ("s", "expectation_2", 1, False), ("s", "(all)", 1, None),
                     ("t", "expectation_1", 2, True)]  # fmt: skip
    # Shares of s: 1 and 1/2; of t: 1.
    assert "regions: the mean of the shares of 2 suites is 87.5%" in report["notes"]


def test_scores_of_pairs_leave_formulas_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is no probability has no surprisals; pairs can be scored all the same."""
    conditions = [
        {"name": name, "acceptable": name == "a", "text": f"{name} word", "tokens": [], "regions": []} for name in "ab"
    ]
    item = {"id": "d:1", "paradigm": "d", "language": "en", "flavour": "forced", "template": "1", "number": 1,
            "crossed": {}, "bindings": [], "conditions": conditions,
            "expectations": {"whole": {"<": [{"condition": "a"}, {"condition": "b"}]}}}  # fmt: skip
    (folder / "design.jsonl").write_text(json.dumps(item) + "\n")
    (folder / "scores.tsv").write_text("id\tcondition\tscore\nd:1\ta\t2\nd:1\tb\t1\n")
    assert main(["predictions", "design.jsonl", "scores.tsv", "--json"]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert (report["summary"][0]["right"], report["designs"]) == (1, [])
    assert "scores are no surprisals: formulas are left out" in err
    assert main(["formulas", "design.jsonl", "scores.tsv"]) == 2
    assert "say what the numbers are" in capsys.readouterr().err


def test_formats_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats", "--json"]) == 0
    assert {"of": "items", "format": "zorro"}.items() <= json.loads(capsys.readouterr().out)[13].items()
    # Nothing heavy is imported before it is needed.
    code = "import sys, scorers.cli.main as m; m.build_parser(); print({'rich', 'lark', 'csv'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["predictoins"], "unknown command 'predictoins'; did you mean 'predictions'?"),
        (["--verison"], "unknown option '--verison'; did you mean '--version'?"),
        (["predictions", "items", "first", "--reprot", "x"], "unknown option '--reprot'; did you mean '--report'?"),
        (["formulas", "items", "first", "--zzzz=1"], "unknown option '--zzzz' (see: score formulas --help)"),
        (
            ["compare", "items", "first", "--ties", "hlf"],
            "; did you mean 'half'?",
        ),
        (
            ["compare", "items", "first", "--csv", "step"],
            "no table is called 'step'; did you mean 'steps'? (the tables: ",
        ),
    ],
)
def test_what_is_unknown_has_a_nearest_name(
    arguments: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


def test_every_option_is_explained() -> None:
    (commands,) = [action for action in build_parser()._actions if isinstance(action.choices, dict)]
    assert isinstance(commands.choices, dict)
    told = " ".join((action.help or "") for action in commands.choices["predictions"]._actions if action.dest == "csv")
    assert set(TABLES) <= set(told.replace(",", " ").split())
    for name, command in commands.choices.items():
        assert all(action.help for action in command._actions), name
        examples = [line.split() for line in (command.epilog or "").splitlines()[1:]]
        assert bool(examples) is (name != "formats")
        for words in examples:
            # What stands behind '>' is the shell's.
            given = words[2 : words.index(">")] if ">" in words else words[2:]
            assert words[:2] == ["score", name]
            command.parse_args(given)


def test_csv_of_a_comparison_is_the_comparisons(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "items", "first", "second", "--csv"]) == 0
    assert [row["first_only"] for row in rows(capsys.readouterr().out)] == ["1"]
    assert main(["compare", "items", "first", "second", "--csv", "accuracy"]) == 0
    assert len(rows(capsys.readouterr().out)) == 4


def test_a_signature_names_what_was_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def names(*arguments: str) -> list[str]:
        assert main([*arguments, "--json"]) == 0
        (line,) = json.loads(capsys.readouterr().out)["signature"]
        return [part.partition(":")[0] for part in line.split("|")]

    suite = {
        "meta": {"name": "s", "metric": "max"},
        "predictions": [{"type": "formula", "formula": "(1;%a%) < (1;%b%)"}],
        "region_meta": {"1": "word"},
        "items": [
            {
                "item_number": 1,
                "conditions": [
                    {"condition_name": name, "regions": [{"region_number": 1, "content": text}]}
                    for name, text in (("a", "she"), ("b", "her"))
                ],
            }
        ],
    }
    (folder / "suite.json").write_text(json.dumps(suite))
    given = [{"item": "1", "condition": name, "regions": {"1": bits}} for name, bits in (("a", 1.5), ("b", 2))]
    (folder / "regions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given))
    ends = ["items", "predictions"], ["version"]
    designs = ["formulas", "metric", "difference", "resamples", "seed"]
    assert names("formulas", "suite.json", "regions.jsonl") == [*ends[0], *designs, *ends[1]]
    (folder / "open_ended").mkdir()
    (folder / "open_ended" / "x.txt").write_text("the [MASK] is here .\n")
    (folder / "fills.txt").write_text("the dog is here .\n")
    (folder / "dogs.txt").write_text("dog\n")
    assert names("predictions", "open_ended", "fills.txt") == [*ends[0], "answers", *ends[1]]
    found = names("predictions", "open_ended", "fills.txt", "--category", "dogs=dogs.txt")
    assert found == [*ends[0], "answers", "categories", *ends[1]]


def test_differences_of_formulas_have_intervals(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conditions = [
        {"condition_name": name, "regions": [{"region_number": 1, "content": text}]}
        for name, text in (("a", "she"), ("b", "her"))
    ]
    suite = {
        "meta": {"name": "s", "metric": "sum"},
        "predictions": [{"type": "formula", "formula": "(1;%a%) < (1;%b%)"}],
        "region_meta": {"1": "word"},
        "items": [{"item_number": number, "conditions": conditions} for number in (1, 2, 3)],
    }
    (folder / "suite.json").write_text(json.dumps(suite))
    given = [
        {"item": str(number), "condition": name, "regions": {"1": bits}}
        for number in (1, 2, 3)
        for name, bits in (("a", 1), ("b", 1 + number))
    ]
    (folder / "regions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given))
    assert main(["formulas", "suite.json", "regions.jsonl", "--csv", "--resamples", "500"]) == 0
    (row,) = rows(capsys.readouterr().out)
    assert float(row["difference_bits"]) == 2
    assert 1 <= float(row["difference_low"]) < 2 < float(row["difference_high"]) <= 3


def test_comparisons_by_paradigm_tell_equal_names_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for place in ("items", "first", "second"):
        text = (folder / place / "agreement-number.txt").read_text()
        (folder / place / "binding-number.txt").write_text(text.replace("here", "there"))
    assert main(["compare", "items", "first", "second", "--by", "paradigm", "--csv"]) == 0
    found = rows(capsys.readouterr().out)
    assert [(row["by"], row["label"], row["items"]) for row in found] == [
        ("all", "all", "4"), ("paradigm", "agreement-number", "2"), ("paradigm", "binding-number", "2")
    ]  # fmt: skip
