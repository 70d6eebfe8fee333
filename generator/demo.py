"""`make demo`: every Babeval task in both flavours and the coordination and tense sets, into a folder.

The Babeval tasks are written twice: as Babeval text, and as items, which `score` reads.
"""

from __future__ import annotations

import sys
from pathlib import Path

from generator.cli.common import console, shipped_folder, shipped_grammars
from generator.cli.main import main
from generator.errors import UsageError
from generator.item_making import items
from generator.items import Item
from generator.loading import load_grammar
from generator.planning import FLAVOURS, Plan, plan

SAMPLE = 1000
FORMATS = {"babeval": ("babeval", ".txt"), "items": ("items", ".jsonl")}
"""Of the Babeval tasks: format, its folder, the ending of its files."""


def demo(folder: Path) -> int:
    """Write the files with `gen make`, then print what was made and ten sentences."""
    code = _babeval(folder)
    for name in ("coordination", "tense"):
        code = code or _made(["make", f"en/{name}", "--all", "--format", "sentences", "-o", f"{folder}/{name}.tab"])
    if code:
        return code
    _show(folder)
    return 0


def _babeval(folder: Path) -> int:
    for path in shipped_grammars():
        if path.parent.name != "babeval":
            continue
        name = path.relative_to(shipped_folder()).with_suffix("").as_posix()
        for flavour, inside in zip(FLAVOURS, ("forced_choice", "open_ended"), strict=True):
            # A task whose balanced space is smaller than the sample is made whole.
            try:
                found = plan(load_grammar(path), flavour)
                amount = ["-n", str(SAMPLE)]
                next(items(found, SAMPLE))
            except UsageError:
                amount = ["--all"]
            for form, (own, ending) in FORMATS.items():
                output = folder / own / inside / f"{path.stem}{ending}"
                command = ["make", name, *amount, "--flavour", flavour, "--format", form, "-o", str(output)]
                code = _made(command)
                if code:
                    return code
    return 0


def _made(command: list[str]) -> int:
    """Show a command as a user would type it, and run it."""
    sys.stderr.write(f"$ gen {' '.join(command)}\n")
    return main([*command, "--quiet"])


def _show(folder: Path) -> None:
    from rich.table import Table

    table = Table(title=f"Made in {folder}/", title_justify="left")
    table.add_column("file")
    table.add_column("lines", justify="right")
    for path in sorted(folder.rglob("*.t??")):
        table.add_row(path.relative_to(folder).as_posix(), f"{path.read_text('utf-8').count(chr(10)):,}")
    out = console()
    out.print(table)
    shown: list[tuple[Plan, Item]] = []
    for path in shipped_grammars():
        found = plan(load_grammar(path))
        shown += [(found, item) for item in items(found, 2 if path.parent.name == "tense" else 1, 1, "prose")]
    sentences = Table(title="Ten sentences", title_justify="left")
    for name in ("paradigm", "acceptable", "starred"):
        sentences.add_column(name)
    for found, item in shown[:10]:
        _, good, bad = item.pairs[0]
        sentences.add_row(found.grammar.paradigm, good.text, bad.text)
    out.print(sentences)


if __name__ == "__main__":
    raise SystemExit(demo(Path(sys.argv[1] if len(sys.argv) > 1 else "out")))
