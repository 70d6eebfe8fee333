"""Starling's scorers read items and predictions from files; they import nothing from `generator`."""
