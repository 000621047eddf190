"""Sampling: seeded random walks, for state spaces too large to visit.

`walker` makes walks on machine code, `walk` makes the result, `walk_spark` distributes walks over a cluster. A `sample`
holds what some walks saw, and can be merged with others.
May import: crosscheck, and the shared modules of the engines.
"""
