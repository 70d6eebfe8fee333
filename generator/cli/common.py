"""What the commands share: finding grammars, consoles, diagnostics."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from generator.errors import DataError, Diagnostic, nearest
from generator.loading import Grammar, load_grammar

if TYPE_CHECKING:
    from rich.console import Console

    from generator.leaves import Leaf
    from generator.planning import Plan, PlanTemplate


def shipped_folder() -> Path:
    """Where the shipped grammars are."""
    return Path(str(files("grammars")))


def shipped_grammars() -> list[Path]:
    """Every shipped paradigm, libraries left out, in order."""
    return [path for path in sorted(shipped_folder().rglob("*.grammar")) if path.parent.name != "lib"]


def find_grammars(names: Sequence[str]) -> list[str | Path]:
    """The grammar files that the command line names, in its order, each once.  Raises DataError."""
    found: dict[str, str | Path] = {}
    for name in names:
        for path in _find(name):
            found.setdefault(str(path), path)
    return list(found.values())


def _find(name: str) -> list[str | Path]:
    if name == "-":
        return ["-"]
    for base in (Path(name), shipped_folder() / name, shipped_folder() / f"{name}.grammar"):
        if base.is_dir():
            inside: list[str | Path] = [*sorted(base.rglob("*.grammar"))]
            if not inside:
                raise DataError(f"no .grammar file in '{name}'")
            return inside
        if base.is_file():
            return [base]
    named = [path for path in shipped_grammars() if path.stem == name]
    if named:
        return [named[0]]
    known = {path.stem for path in shipped_grammars()}
    known |= {p.relative_to(shipped_folder()).parent.as_posix() for p in shipped_grammars()}
    raise DataError(f"no grammar '{name}' here or among the shipped ones. {nearest(name, known) or 'See: gen list'}")


def load_all(names: Sequence[str], words: str | None, libraries: bool = False) -> list[Grammar]:
    """Load what the command line names; files without sentences are left out unless `libraries`."""
    grammars = [load_grammar(path, words) for path in find_grammars(names)]
    if libraries:
        return grammars
    kept = [g for g in grammars if g.templates or any(d.is_error for d in g.diagnostics) or not g.definitions]
    if not kept:
        raise DataError(f"no grammar with sentences in {', '.join(names)}: only definitions to import")
    return kept


def console(stderr: bool = False) -> Console:
    """A rich console; NO_COLOR and FORCE_COLOR are honoured."""
    from rich.console import Console

    if stderr:
        return Console(stderr=True, highlight=False)
    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Findings on standard error, with a last line that counts them."""
    found = list(diagnostics)
    for diagnostic in found:
        sys.stderr.write(diagnostic.render() + "\n")
    sys.stderr.write(f"gen: {summary(found)}\n")


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """`2 errors, 1 warning`."""
    errors = sum(d.is_error for d in diagnostics)
    warnings = len(diagnostics) - errors
    parts = [f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((errors, "error"), (warnings, "warning")) if n]
    return ", ".join(parts) or "no findings"


def note_unused_words(grammars: Sequence[Grammar]) -> None:
    """Say which files of --words replaced nothing in any grammar."""
    from generator.overlays import unused_note

    if not grammars or grammars[0].choices.folder is None:
        return
    used: set[str] = set()
    for grammar in grammars:
        used |= grammar.used_choices
    note = unused_note(grammars[0].choices, used)
    if note:
        sys.stderr.write(f"gen: note: {note}\n")


def choice_value(template: PlanTemplate, leaf: Leaf, name: str) -> str:
    """What a leaf has for a name: `template`, a variable (`n` or `$n`), a table, a phrase; '' where it has none."""
    return template.name if name == "template" else leaf.value_of(name)


def choice_values(plan: Plan, name: str) -> list[str]:
    """The values of a name in a plan, in order."""
    found = {choice_value(template, leaf, name): None for template in plan.templates for leaf in template.leaves}
    return [value for value in found if value]


def choice_names(plan: Plan) -> list[str]:
    """The names that have several values somewhere."""
    labels = (d.label for t in plan.templates for leaf in t.leaves for d in leaf.stratum.decisions if d.names)
    return ["template", *dict.fromkeys(label.removeprefix("$") for label in labels)]
