"""Explicit search: every reachable state, level by level, each stored exactly.

`exhaustive` runs machine code in threads that share one `store`, `python` runs the spec as it is. `findings` counts,
`history` finds shortest traces in the stored levels, `report` makes the result. May import: temporal, crosscheck, and
the shared modules of the engines.
"""
