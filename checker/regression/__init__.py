"""Many checks at once: matrices of variants with a baseline, safety maps, reports for CI.

`runners` executes checks, here or on Spark; `matrix` compares variants with expectations; `frontier` checks a grid of
two constants; `reports` writes the formats of CI systems.
"""
