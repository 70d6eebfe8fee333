"""The tables of docs/zorro.md, made anew from the published material: `python tests/zorro_page.py` rewrites the page.

A table stands between `<!-- NAME -->` and `<!-- end -->`.  The published sentences are in no table: examples are of our
own words.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from test_zorro import PATHS, PROGRAM_WORDS, PUBLISHED, ZORRO, published_pairs, recognised

from generator.cli.main import main as gen
from generator.item_making import items
from generator.loading import load_grammar
from generator.planning import plan
from scorers.cli.main import main as score

PAGE = Path(__file__).parents[1] / "docs" / "zorro.md"


def tables() -> dict[str, str]:
    """Every table of the page by its name, as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        return {"recognised": _recognised(), "roberta": _roberta(Path(folder)), "numbers": _numbers(Path(folder))}


def filled(page: str, found: dict[str, str]) -> str:
    """The page with its tables."""
    for name, table in found.items():
        page = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m, t=table: f"{m[1]}\n{t}\n{m[2]}", page, flags=re.DOTALL
        )
    return page


# --- what is recognised ---------------------------------------------------------------------------------------------


def _recognised() -> str:
    rows = ["| paradigm | lists | with the programs' words |", "|---|---:|---:|"]
    for name in PUBLISHED:
        total = len(published_pairs(name))
        shares = (f"{100 * recognised(name, with_programs=each) / total:.1f}%" for each in (False, True))
        rows.append(f"| {name} | {' | '.join(shares)} |")
    return "\n".join(rows) + "\n"


# --- RoBERTa --------------------------------------------------------------------------------------------------------


def _scored(folder: Path, by: str) -> list[dict[str, str]]:
    """The rows of `score predictions --csv accuracy`, of all published pairs that are recognised."""
    parsed = folder / "items.jsonl"
    if not parsed.exists():
        words = folder / "words"
        words.mkdir()
        for source in (ZORRO / "legal_words", PROGRAM_WORDS):
            for path in source.iterdir():
                shutil.copyfile(path, words / path.name)
        grammars = [str(PATHS[name]) for name in PUBLISHED]
        sentences = str(ZORRO / "sentences")
        with redirect_stderr(io.StringIO()):
            gen(
                [
                    "parse",
                    *grammars,
                    "--words",
                    str(words),
                    "--input",
                    sentences,
                    "--json",
                    "-o",
                    str(parsed),
                    "--quiet",
                ]
            )
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(io.StringIO()):
        score(
            ["predictions", str(parsed), str(ZORRO / "predictions" / "roberta-base"), "--by", by, "--csv", "accuracy"]
        )
    return list(csv.DictReader(io.StringIO(output.getvalue())))


def _percent(row: dict[str, str]) -> str:
    return f"{100 * float(row['accuracy']):.1f}"


def _examples() -> Iterator[tuple[str, str, str]]:
    """(paradigm, template, an acceptable sentence of ours) of each published paradigm's templates."""
    for name in PUBLISHED:
        found = plan(load_grammar(PATHS[name]))
        seen: set[str] = set()
        for item in items(found, 20 * len(found.templates), style="prose"):
            if item.template not in seen:
                seen.add(item.template)
                yield item.paradigm, item.template, item.good.text


def _roberta(folder: Path) -> str:
    """Each template: pairs, accuracy with its interval, and accuracy by number."""
    whole = {row["label"]: row for row in _scored(folder, "paradigm*template") if row["by"] != "all"}
    by_number = {row["label"]: row for row in _scored(folder, "paradigm*template*n") if row["by"] != "all"}
    rows = ["| paradigm | for example | pairs | accuracy | singular | plural |", "|---|---|---:|---:|---:|---:|"]
    before = ""
    for paradigm, template, text in _examples():
        label = f"{paradigm}, {paradigm}:{template}" if template.isdigit() else f"{paradigm}, {template}"
        row = whole.get(label) or whole.get(f"{paradigm}, {paradigm}:{template}")
        if row is None:
            continue
        cells = [f"[{100 * float(row['low']):.0f}, {100 * float(row['high']):.0f}]"]
        numbers = []
        for value in ("sg", "pl"):
            one = by_number.get(f"{row['label']}, {value}")
            numbers.append(_percent(one) if one else "")
        shown = "" if paradigm == before else f"`{paradigm}`"
        before = paradigm
        rows.append(
            f"| {shown} | {text} | {int(row['items']):,} | {_percent(row)} {cells[0]} | {' | '.join(numbers)} |"
        )
    return "\n".join(rows) + "\n"


def _by_number(row: dict[str, str], by_number: dict[str, dict[str, str]]) -> str:
    """The cells of singular and plural; empty where a grammar crosses no number."""
    found = (by_number.get(f"{row['label']}, {value}") for value in ("sg", "pl"))
    return " | ".join(_percent(one) if one else "" for one in found)


def _numbers(folder: Path) -> str:
    """Each paradigm with a number that is crossed: singular against plural."""
    rows = ["| paradigm | pairs | accuracy | singular | plural |", "|---|---:|---:|---:|---:|"]
    whole = {row["label"]: row for row in _scored(folder, "paradigm") if row["by"] != "all"}
    by_number = {row["label"]: row for row in _scored(folder, "paradigm*n") if row["by"] != "all"}
    for label, row in whole.items():
        numbers = [
            _percent(by_number[key]) if (key := f"{label}, {value}") in by_number else "" for value in ("sg", "pl")
        ]
        rows.append(f"| `{label}` | {int(row['items']):,} | {_percent(row)} | {' | '.join(numbers)} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    if not ZORRO.is_dir():
        sys.exit(f"no published material in {ZORRO} (REFERENCE_DATA)")
    PAGE.write_text(filled(PAGE.read_text("utf-8"), tables()), "utf-8")
