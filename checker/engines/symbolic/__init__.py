"""Symbolic search: questions to z3, which visits no state.

`bounded` looks for violations within so many steps, `inductive` proves for any number of them (`lemmas` suggests what
helps, `houdini` keeps what is inductive), `parametric` leaves constants open. `search` deepens step by step,
`reachability` asks the explicit search whether a state is reachable, `report` makes the result.
May import: explicit, doublecheck, and what lies beside the rooms.
"""
