"""Statistics of scores in plain Python: intervals, resampling, paired tests, agreement and power.

They know nothing of items or models: they take numbers and counts, and give frozen records.
"""
