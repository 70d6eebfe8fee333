"""The command as its users meet it: exit codes, streams, files that are whole or absent."""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from generator._version import __version__
from generator.cli.main import main

GEN = [sys.executable, "-m", "generator"]
GOOD = """\
slot N = noun "dog" | noun "cat" | noun "cow" | noun "horse" | noun "rabbit"
+ the {subj=N $n | *subj !$n} {Be $n} here .
slot Be = auxiliary "be" pres
cross $n
example the dogs are here . / * the dog are here .
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.grammar").write_text(GOOD, "utf-8")
    return tmp_path


def _only_grammar(folder: Path) -> None:
    assert sorted(p.name for p in folder.iterdir()) == ["good.grammar"], "something was left behind"


def test_version_imports_nothing_heavy() -> None:
    code = (
        "import sys; from generator.cli.main import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "heavy = {'lark', 'rich', 'inflect', 'nltk', 'jsonschema', 'generator.loading'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"gen {__version__}\n", "")


def test_check(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "good.grammar"]) == 0
    (here / "bad.grammar").write_text(GOOD.replace('noun "dog"', 'nuon "dog"'), "utf-8")
    assert main(["check", "bad.grammar"]) == 1
    out = capsys.readouterr().out
    assert "bad.grammar:1:10: unknown class 'nuon'" in out
    assert "did you mean 'noun'?" in out
    assert main(["check", "bad.grammar", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found[0]["line"], found[0]["column"], found[0]["code"]) == (1, 10, "unknown-class")


def test_count(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", "good.grammar", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert (report["items"], report["pairs"], report["open_ended"], report["exact"]) == (10, 10, 2, True)
    assert [(row["crossed"], row["items"]) for row in report["rows"]] == [({"n": "sg"}, 5), ({"n": "pl"}, 5)]
    assert main(["count", "good.grammar"]) == 0
    assert "total" in capsys.readouterr().out


def test_preview_highlights_the_contrast(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.run(
        [*GEN, "preview", "good.grammar", "-n", "2"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "FORCE_COLOR": "1", "TERM": "xterm"},
    )
    assert "\x1b[1;32m" in done.stdout
    assert "\x1b[1;31m" in done.stdout
    plain = subprocess.run(
        [*GEN, "preview", "good.grammar", "-n", "2"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert "\x1b[" not in plain.stdout


def test_make_writes_data_out_and_talk_aside(here: Path) -> None:
    done = subprocess.run(
        [*GEN, "make", "good.grammar", "--all", "--format", "zorro"], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 20
    assert lines[:2] == ["the dogs is here .", "the dog is here ."]
    assert done.stderr.startswith("gen: good|forced|10 of 10 items|all|grammar ")


def test_standard_input(here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(GOOD))
    assert main(["make", "-", "-n", "2", "--format", "sentences", "--quiet"]) == 0
    out = capfd.readouterr().out.splitlines()
    assert out[0] == "pattern\tsent\tsent_alt"
    assert len(out) == 3


def test_items_fit_their_schema(here: Path) -> None:
    schema = json.loads(files("generator").joinpath("item_schema.json").read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    assert main(["make", "en/babeval", "-n", "10", "--flavour", "both", "-o", "made", "--quiet"]) == 0
    rows = 0
    for path in sorted((here / "made").rglob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            validator.validate(record)
            rows += 1
            for condition in record["conditions"]:
                for region in condition["regions"]:
                    assert 0 <= region["start"] <= region["end"] <= len(condition["text"])
            if record["flavour"] == "open":
                sidecar = json.loads(path.with_suffix(".answers.json").read_text("utf-8"))
                classes = sidecar["paradigms"][record["paradigm"]]
                assert record["mask"]["token"] in record["conditions"][0]["text"].split()
                assert set(classes["answers"][record["mask"]["answers"]]) == set(classes["classes"]) - {"other"}
    assert rows == 7 * 2 * 10


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["make", "good.grammar", "-n", "11"], 2, "no balanced sample of 11 items: the largest is 10"),
        (["make", "good.grammar", "-n", "-1"], 2, "negative"),
        (["make", "good.grammar", "--all", "--shard", "5/4"], 2, "there is no part 5 of 4"),
        (["make", "good.grammar", "--all", "--shard", "0/4"], 2, "K goes from 1 to M"),
        (["make", "good.grammar", "--all", "--shard", "x"], 2, "write K/M"),
        (["make", "good.grammar"], 2, "-n"),
        (["make", "good.grammar", "--all", "-n", "2"], 2, "not allowed with"),
        (["make", "good.grammar", "--all", "--format", "blimb"], 2, "did you mean 'blimp'?"),
        (["make", "good.grammar", "--all", "--flavour", "open", "--format", "zorro"], 2, "minimal pairs only"),
        (["make", "good.grammar", "--all", "--mask", "a b"], 2, "--mask is one word"),
        (["make", "nothing.grammar", "--all"], 3, "no grammar 'nothing.grammar'"),
        (["make", "agreement_across_pp", "--all"], 3, "did you mean 'agreement_across_PP'?"),
        (["make", "good.grammar", "--all", "--words", "nowhere"], 3, "no folder of words 'nowhere'"),
        (["make", "en/lib", "--all"], 3, "only definitions to import"),
        (["frobnicate"], 2, "unknown command 'frobnicate'"),
        (["mak"], 2, "did you mean 'make'?"),
        ([], 2, "COMMAND"),
    ],
)
def test_bad_command_lines(
    here: Path, arguments: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = ["-o", "out.txt"] if arguments[:1] == ["make"] else []
    try:
        found = main([*arguments, *extra])
    except SystemExit as error:
        found = int(str(error.code))
    out = capsys.readouterr()
    assert (found, out.out) == (code, "")
    assert says in out.err
    _only_grammar(here)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"+ the caf\xe9 is here .\n", "not UTF-8: byte 0xe9"),
        (b"", "the grammar is empty"),
        (b"# only a comment\n", "the grammar is empty"),
        (b"+ the {Nuon} is {here | *there} .\n", "unknown class 'Nuon'"),
    ],
)
def test_bad_grammars_write_nothing(here: Path, content: bytes, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "good.grammar").write_bytes(content)
    assert main(["make", "good.grammar", "--all", "-o", "out.jsonl"]) == 3
    assert says in capsys.readouterr().err
    _only_grammar(here)


def test_words_that_cannot_hold_two_differences(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "good.grammar").write_text(
        GOOD.replace("{subj=N $n | *subj !$n} {Be $n}", '{N $n} {Be $n | *Be !$n} {"still" | *"again"}').replace(
            "example the dogs are here . / * the dog are here .\n", ""
        ),
        "utf-8",
    )
    assert main(["make", "good.grammar", "--all", "--format", "words", "-o", "w.tab"]) == 3
    err = capsys.readouterr().err
    assert "good:1:1.1: the format 'words' holds pairs that differ in one word; these differ in 2 words" in err
    _only_grammar(here)


def test_a_folder_that_cannot_be_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "file").write_text("x", "utf-8")
    assert main(["make", "good.grammar", "--all", "-o", "file/out.jsonl"]) == 3
    assert "cannot write 'file/out.jsonl'" in capsys.readouterr().err
    (here / "file").unlink()
    _only_grammar(here)


def test_a_full_disk_leaves_nothing(here: Path) -> None:
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = subprocess.run(
        [*GEN, "make", "en/tense", "--all", "-o", "out.jsonl"],
        capture_output=True,
        text=True,
        preexec_fn=limited,
        check=False,
    )
    assert done.returncode == 3
    assert "cannot write 'out.jsonl': file too large; nothing was left behind" in done.stderr
    _only_grammar(here)


def test_an_interrupt_leaves_no_half_file(here: Path) -> None:
    (here / "old.jsonl").write_text("kept\n", "utf-8")
    process = subprocess.Popen(
        [*GEN, "make", "en/babeval/agreement_across_PP", "-n", "5000000", "-o", "old.jsonl"],
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(400):
        if any(p.name.endswith(".part") and p.stat().st_size for p in here.iterdir()):
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "gen: interrupted; nothing unfinished was left behind\n"
    assert (here / "old.jsonl").read_text("utf-8") == "kept\n"
    (here / "old.jsonl").unlink()
    _only_grammar(here)


def test_a_reader_that_leaves_early(here: Path) -> None:
    done = subprocess.run(
        f'{sys.executable} -m generator make en/tense --all --quiet | head -n 1; test "${{PIPESTATUS[0]}}" = 0',
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_new_list_formats(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "mine"]) == 0
    assert main(["check", "mine.grammar"]) == 0
    assert main(["new", "mine"]) == 3
    assert "exists already" in capsys.readouterr().err
    assert main(["new", "no good"]) == 2
    capsys.readouterr()
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"en/babeval/agreement_across_PP", "en/coordination/coordination", "en/tense/tense"} <= {
        row["name"] for row in listed
    }
    assert all(row["about"] for row in listed)
    assert main(["formats", "--json"]) == 0
    formats = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert {"items", "babeval", "zorro", "blimp", "sentences", "words", "original", "clams", "tsv"} <= set(formats)
    assert [(formats[name]["read"], formats[name]["written"]) for name in ("zorro", "text")] == [
        (True, True),
        (True, False),
    ]
    assert ["regions" in formats[name]["holds"] for name in ("items", "zorro")] == [True, False]


def test_shards_have_one_header(here: Path) -> None:
    whole = main(["make", "good.grammar", "--all", "--format", "words", "-o", "w.tab", "--quiet"])
    parts = [
        main(
            ["make", "good.grammar", "--all", "--format", "words", "--shard", f"{k}/16", "-o", f"w.{k}.tab", "--quiet"]
        )
        for k in range(1, 17)
    ]
    assert {whole, *parts} == {0}
    joined = b"".join((here / f"w.{k}.tab").read_bytes() for k in range(1, 17))
    assert joined == (here / "w.tab").read_bytes()


def test_words_stand_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["check", "en/zorro", "--words", "a", "--words", "b"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err == "gen: --words stands twice: put the lists of both folders into one\n"


def test_a_reader_that_stops_is_no_mistake_of_ours(tmp_path: Path) -> None:
    main(["make", "en/zorro/filler-gap", "-n", "2", "-o", str(tmp_path / "out"), "--quiet"])
    many = [str(tmp_path / "out")] * 40
    command = [sys.executable, "-c", "import sys; from generator.cli.main import main; sys.exit(main(sys.argv[1:]))"]
    with subprocess.Popen(  # the pipe is closed before a line is written
        [*command, "verify", *many], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        assert run.stderr.read() == ""
        assert run.wait() == 0
