"""The version, the same as the generator's (a test sees to it)."""

__version__ = "0.1.0"
