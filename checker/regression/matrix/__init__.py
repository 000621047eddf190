"""Matrices: variants of specs, what is expected of each, and what has changed.

`schema` and `variants` read the file, `judge` compares with what was found, `baseline` with what was; `table` shows it.
May import: runners.
"""
