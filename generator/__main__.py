"""`python -m generator` is `gen`."""

from generator.cli.main import entry

entry()
