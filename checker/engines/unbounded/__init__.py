"""Proofs for any size: some constants, such as the number of clients, may have every value from 1 on.

`protocol` reads a spec from its syntax trees as formulas over unbounded sorts: `declarations` its variables,
`expressions`, `calls`, `comparing` and `merging` its conditions, `actions` its steps, all in terms of `values` in a
`world`. Invariants at small sizes suggest conditions (`candidates`, `collecting`), and `induction` keeps the inductive
ones. `comparison` proves that the formulas are those of the compiled spec, at several sizes. `decide` puts these
together. May import: symbolic, and the shared modules of the engines.
"""

from .decide import AnySize, decide

__all__ = ["AnySize", "decide"]
