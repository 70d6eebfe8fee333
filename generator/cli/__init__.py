"""The command `gen`: one module per command family, no logic."""
