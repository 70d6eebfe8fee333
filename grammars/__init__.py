"""The grammars that ship with Starling (data)."""
