"""`python -m scorers` is `score`."""

from scorers.cli.main import entry

entry()
