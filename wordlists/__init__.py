"""The word lists that ship with Starling (data)."""
