"""Starling's generator: from a `.grammar` file to counted, numbered, reproducible test sentences.

Each stage can be called alone: `load_grammar`, `check`, `plan`, `items`.  The names are imported
on first use, so that `import generator` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator._version import __version__

if TYPE_CHECKING:
    from generator.checks import check
    from generator.item_making import items
    from generator.loading import load_grammar
    from generator.planning import plan

__all__ = ["__version__", "check", "items", "load_grammar", "plan"]

_HOMES = {"check": "checks", "items": "item_making", "load_grammar": "loading", "plan": "planning"}


def __getattr__(name: str) -> Any:
    """Import a stage when it is first asked for."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"generator.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'generator' has no attribute {name!r}")
