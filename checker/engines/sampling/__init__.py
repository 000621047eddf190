"""Sampling: seeded random walks, for spaces too large to visit.

`walk` makes them on machine code, `walk_spark` spreads them over a cluster; a `sample` is what some walks saw, and can
be merged with others.
May import: doublecheck, and what lies beside the rooms.
"""
