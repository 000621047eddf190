"""Sampling: seeded random walks, for spaces too large to visit.

`walker` makes them on machine code, `walk` says what they show, `walk_spark` spreads them over a cluster; a `sample` is
what some walks saw, and can be merged with others; `recount` takes the first walks once more and doubts the counts.
May import: crosscheck, and what lies beside the rooms.
"""
