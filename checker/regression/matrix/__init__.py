"""Matrices: variants of specs, the expectations for each, and changes since a baseline.

`schema` and `variants` read the file, `judge` compares outcomes with expectations, `baseline` with earlier outcomes;
`table` prints them. May import: runners.
"""
