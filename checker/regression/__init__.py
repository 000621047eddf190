"""Many checks at once: matrices of variants with their baseline, the map of what is safe, reports for CI.

`runners` makes checks, here or on Spark; `matrix` judges variants against what is expected;
`frontier` checks a grid of two constants; `reports` writes what CI systems read.
"""
