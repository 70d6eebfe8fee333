"""Formulas over surprisals: SyntaxGym's predictions and the expectations of our designs, in one grammar.

`syntax` reads and prints them, `trees` knows their JSON form, `evaluation` says whether one holds.
"""
