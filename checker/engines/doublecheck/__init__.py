"""The double check: states are executed twice, and a difference is an error (E217), never a verdict.

`doublecheck` compares machine code with plain Python, `formulas` compares z3's formulas; `selection` says which states,
`culprit` finds the line at which two executions part.
May import: what lies beside the rooms.
"""
