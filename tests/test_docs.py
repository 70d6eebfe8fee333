"""The documents hold: every command in them runs, every complete grammar in docs/language.md passes `gen check`.

A block ```` ```sh ```` holds commands; the blocks of one document run in order in one empty folder.  A block
```` ```grammar ```` whose first line is `# file: NAME.grammar` is written there, at its turn.  A block
```` ```text output ```` behind a `sh` block is what the commands printed; `python tests/test_docs.py [NAME.md ...]`
writes these anew (they change with every edit of the word lists, so the test runs the commands and does not compare).
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if path.is_file()]
LANGUAGE = ROOT / "docs" / "language.md"

# What sets up a checkout is not run again from inside the tests.
SKIPPED = re.compile(r"(git|make|uv|pip|python3 -m venv|\. \.venv)\b")
FILE_LINE = re.compile(r"#\s*file:\s*(\S+\.grammar)\s*$")


@dataclass(frozen=True)
class Block:
    """A fenced block: its info string, the line of its fence, its text, and where the text stands in the document."""

    info: str
    line: int
    text: str
    start: int
    end: int

    @property
    def file(self) -> str:
        """The name that a grammar block gives itself, or an empty string."""
        found = FILE_LINE.match(self.text.split("\n", 1)[0])
        return found.group(1) if found else ""

    @property
    def commands(self) -> str:
        """The commands to run; skipped lines stay as comments, so that line numbers hold."""
        return "\n".join(f"# {line}" if SKIPPED.match(line) else line for line in self.text.split("\n"))


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a document, in order."""
    for found in re.finditer(r"^```([^\n`]*)\n(.*?)^```[ \t]*$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(found.group(1).strip(), line, found.group(2), found.start(2), found.end(2))


def environment() -> dict[str, str]:
    """The caller's environment with this interpreter's `gen` first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "NO_COLOR": "1", "PYTHONUTF8": "1"}


def run_block(block: Block, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a block's commands; standard error joins standard output."""
    return subprocess.run(
        ["bash", "-e", "-c", block.commands], cwd=folder, env=environment(), text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
    )  # fmt: skip


def runs(document: Path, folder: Path) -> Iterator[tuple[Block, subprocess.CompletedProcess[str]]]:
    """Write and run a document's blocks in order."""
    for block in blocks(document.read_text("utf-8")):
        if block.info == "grammar" and block.file:
            target = folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, "utf-8")
        elif block.info == "sh":
            yield block, run_block(block, folder)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_run(document: Path, tmp_path: Path) -> None:
    for block, done in runs(document, tmp_path):
        assert done.returncode == 0, f"{document.name}:{block.line}: exit {done.returncode}\n{done.stdout}"
        assert "Traceback" not in done.stdout, f"{document.name}:{block.line}\n{done.stdout}"


@pytest.mark.parametrize("document", DOCUMENTS[1:], ids=lambda path: path.name)
def test_blocks_are_of_known_kinds(document: Path) -> None:
    known = {"sh", "grammar", "text", "text output", "json", "csv", "tsv"}
    for block in blocks(document.read_text("utf-8")):
        assert block.info in known, f"{document.name}:{block.line}: a block of kind '{block.info}'"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_no_machine_paths(document: Path) -> None:
    assert not re.search(r"(?<![\w.])/(work|home|Users|root|tmp)/", document.read_text("utf-8"))


def test_language_grammars_check(tmp_path: Path) -> None:
    names = {}
    for block in blocks(LANGUAGE.read_text("utf-8")):
        if block.info == "grammar":
            name = block.file or f"line_{block.line}.grammar"
            (tmp_path / name).write_text(block.text, "utf-8")
            names[name] = block.line
    assert len(names) >= 20
    done = subprocess.run(
        ["gen", "check", "--json", *names], cwd=tmp_path, env=environment(), text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    errors = [
        f"language.md, grammar block in line {names.get(finding.get('file', ''), '?')}: {finding['message']}"
        for finding in json.loads(done.stdout)
        if finding["severity"] == "error"
    ]
    assert not errors, "\n".join(errors)
    assert done.returncode == 0, done.stderr


def test_language_names_every_code() -> None:
    """The table of findings in docs/language.md has the codes of the sources, no more and no fewer."""
    pattern = re.compile(r"(?:Diagnostic|_problem|\bproblem|_fail)\(\s*\"([a-z-]+)\"")
    found = {code for path in (ROOT / "generator").rglob("*.py") for code in pattern.findall(path.read_text("utf-8"))}
    section = LANGUAGE.read_text("utf-8").split("\n## Errors and warnings", 1)[1].split("\n## ", 1)[0]
    listed = set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE))
    assert listed == found


def update(names: Sequence[str] = ()) -> None:
    """Write every `text output` block anew from a run of the commands before it (of the documents named, if any)."""
    for document in DOCUMENTS:
        if names and document.name not in names:
            continue
        text = document.read_text("utf-8")
        every = list(blocks(text))
        if not any(block.info == "text output" for block in every):
            continue
        with tempfile.TemporaryDirectory() as folder:
            printed = {block.start: done for block, done in runs(document, Path(folder))}
        replaced = []
        for before, after in itertools.pairwise(every):
            if before.info == "sh" and after.info == "text output":
                done = printed[before.start]
                if done.returncode:
                    raise SystemExit(f"{document.name}:{before.line}: exit {done.returncode}\n{done.stdout}")
                lines = [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")]
                replaced.append((after.start, after.end, "\n".join(lines) + "\n"))
        for start, end, new in reversed(replaced):
            text = text[:start] + new + text[end:]
        document.write_text(text, "utf-8")


if __name__ == "__main__":
    update(sys.argv[1:])
