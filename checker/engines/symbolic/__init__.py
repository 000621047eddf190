"""Symbolic search: queries to z3 and to SAT solvers; no state is visited.

`bounded` looks for violations within so many steps, `inductive` proves for any number of them (`lemmas` suggests
lemmas, `houdini` keeps the inductive ones), `parametric` leaves constants open. `search` is iterative deepening,
`reachability` asks the explicit search whether a state is reachable, `report` makes the result.

`decide` needs no lemmas. It makes one `attempt`: this guesses invariants (`guesses`) and runs IC3 (`ic3`) over
`predicates`, by queries about one step (`steps`). `certificate` confirms and shortens the proof, `clauses` prints it
and writes it as lemmas (`lemma_imports`). `liveness` judges temporal properties by the same means, on the product with
a `monitor`. May import: explicit, temporal, crosscheck, and the shared modules of the engines.
"""
