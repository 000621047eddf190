"""The cross-check: states are cross-checked, and a difference is an error (E217), never a verdict.

`crosscheck` compares machine code (`compiled_steps`) with plain Python (`plain_python`, which executes nothing again
that has read the same values: `memory`), `formulas` compares z3's formulas, on states that
`formula_states` says; `selection` says which states of a search, `culprit` says what differs.
May import: what lies beside the rooms.
"""
