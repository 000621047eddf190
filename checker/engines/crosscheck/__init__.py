"""The cross-check: compares compiled results with plain Python; a difference is the error E217, never a verdict.

`crosscheck` compares machine code (`compiled_steps`) with plain Python. `formulas` compares z3's formulas, on states
from `formula_states`. `selection` picks the states of a search, `culprit` reports what differs. May import: the shared
modules of the engines.
"""
