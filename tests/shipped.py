"""The plans of the shipped grammars, made once for all tests of a process: to plan them is most of the work."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from generator.errors import UsageError
from generator.items import Flavour
from generator.loading import Grammar, load_grammar
from generator.planning import Plan, plan


def shipped_grammar(path: Path) -> Grammar:
    """A shipped grammar, loaded once."""
    return _grammar(path.resolve())


def shipped_plan(path: Path, flavour: Flavour = "forced") -> Plan | None:
    """The plan of a shipped grammar; None where it has not the flavour."""
    return _plan(path.resolve(), flavour)


@cache
def _grammar(path: Path) -> Grammar:
    return load_grammar(path)


@cache
def _plan(path: Path, flavour: Flavour) -> Plan | None:
    try:
        return plan(_grammar(path), flavour)
    except UsageError:
        return None


def forced_plan(path: Path) -> Plan:
    """The forced-choice plan of a shipped grammar; all have one."""
    found = shipped_plan(path)
    assert found is not None
    return found
