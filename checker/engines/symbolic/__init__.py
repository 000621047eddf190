"""Symbolic search: questions to z3 and to SAT solvers, which visit no state.

`bounded` looks for violations within so many steps, `inductive` proves for any number of them (`lemmas` suggests what
helps, `houdini` keeps what is inductive), `parametric` leaves constants open. `search` deepens step by step,
`reachability` asks the explicit search whether a state is reachable, `report` makes the result.

`decide` needs no lemmas: it guesses invariants (`guesses`) and runs IC3 (`ic3`) over `predicates`, by questions about
one step (`steps`). `certificate` confirms and shortens the proof, `clauses` prints it and writes it as lemmas.
May import: explicit, crosscheck, and what lies beside the rooms.
"""
