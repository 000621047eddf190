"""A SAT solver whose queries end at the limits of a run and on Ctrl-C.

A query has a budget of conflicts and propagations. Where it does not suffice, the limits are checked and the query goes
on with what was learned. Meanwhile Python can note an interrupt, and other threads can run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pysat.solvers import Solver

SOLVER = "minisat22"
"""Its queries take 15 microseconds on small specs; CaDiCaL and Glucose were no faster on any that was measured."""
CONFLICTS, PROPAGATIONS = 5_000, 20_000_000
"""The budget between two looks at the limits: half a second, in which a query with few conflicts ends."""


class Sat:
    """Clauses, and queries about them. `look` may raise to end a query."""

    def __init__(self, clauses: Sequence[Sequence[int]] = (), look: Callable[[], object] = lambda: None) -> None:
        self._solver, self._look = Solver(SOLVER, bootstrap_with=clauses), look
        self.add, self.add_all = self._solver.add_clause, self._solver.append_formula

    def solve(self, assumed: Sequence[int] = ()) -> bool:
        """Whether there is a solution in which some literals hold."""
        while True:
            self._solver.conf_budget(CONFLICTS)
            self._solver.prop_budget(PROPAGATIONS)
            found: bool | None = self._solver.solve_limited(assumed, expect_interrupt=True)
            if found is not None:
                return found
            self._look()

    @property
    def model(self) -> list[int]:
        """The literals that hold in the last solution."""
        found: list[int] = self._solver.get_model()
        return found

    @property
    def core(self) -> Any:
        """The assumptions that the last query without a solution needed."""
        return self._solver.get_core() or ()

    def close(self) -> None:
        """Free its memory."""
        self._solver.delete()
