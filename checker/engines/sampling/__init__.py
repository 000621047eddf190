"""Sampling: seeded random walks, for state spaces too large to visit.

`walker` makes walks, in threads that run machine code (`walk_loop`), `walk` makes the result, `walk_spark` distributes
walks over a cluster. A `sample` holds what some walks saw, and can be merged with others. Its `sketch` of the distinct
states says how many these are, and what further walks would find.
May import: crosscheck, and the shared modules of the engines.
"""
