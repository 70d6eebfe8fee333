"""Argparse with the project's exit code and nearest names."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """Argparse with the project's exit code and nearest names; `more` makes an epilog when help is asked for."""

    more: Callable[[], str] | None = None

    def format_help(self) -> str:
        """As argparse, with the epilog that `more` makes."""
        if self.more is not None:
            self.epilog = self.more()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, with the nearest name, and end with 2."""
        from scorers.errors import nearest

        if "invalid choice: '" in message:
            found = message.split("invalid choice: '", 1)[1].split("'", 1)[0]
            if "argument COMMAND" in message:
                there = self._commands()
                message = f"unknown command '{found}'" + (nearest(found, there) or f"; there are {', '.join(there)}")
            else:
                message += nearest(
                    found, message.rsplit("(choose from ", 1)[-1].rstrip(")").replace("'", "").split(", ")
                )
        sys.stderr.write(f"score: {message}\n")
        raise SystemExit(2)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # the types of argparse are overloads
        """As argparse, but an unknown option is refused by the command that it was given to: it knows the nearest."""
        args = sys.argv[1:] if args is None else list(args)
        if args and args[0].startswith("-") and self._subparsers is not None:
            self._refuse([] if args[0] in self._options() else args[:1])
        found, left = super().parse_known_args(args, namespace)
        self._refuse([text for text in left if text.startswith("-") and text != "-"])
        return found, left

    def _options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings]

    def _commands(self) -> list[str]:
        return [name for action in self._actions for name in (action.choices or ()) if action.dest == "command"]

    def _refuse(self, unknown: Sequence[str]) -> None:
        if unknown:
            from scorers.errors import nearest

            name = unknown[0].partition("=")[0]
            guess = nearest(name, self._options()) or f" (see: {self.prog} --help)"
            self.error(f"unknown option '{name}'{guess}")
