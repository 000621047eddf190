"""Traces for z3: the transition relation, copied step by step into one solver that keeps its learned clauses."""

from __future__ import annotations

from typing import Any

import z3

from .limits import Clock, Stopped
from .states import Cells
from .system import System

LOGIC = "QF_FD"
"""z3's incremental SAT solver for finite domains."""


class Unrolling:
    """One solver with states 0..length and the steps between them."""

    def __init__(self, system: System, clock: Clock | None = None, logic: str = LOGIC) -> None:
        self.system, self.clock = system, clock or Clock()
        integers = system.arithmetic.name == "integers"
        self.solver = z3.Solver() if integers or not logic else z3.SolverFor(logic)
        self.length = 0
        self.queries = 0
        self._names = 0

    # -- formulas ------------------------------------------------------------------------------------------

    def at(self, formula: Any, moment: int) -> Any:
        """A formula over moments 0 and 1, and the selectors of its step, moved to a later moment."""
        if moment == 0:
            return formula
        states, pairs = self.system.states, []
        for old, new in ((0, moment), (1, moment + 1)):
            pairs += list(zip(states.moment(old), states.moment(new), strict=True))
        pairs += [(s, self.selector(k, moment)) for k, s in enumerate(self.system.selectors)]
        return z3.substitute(formula, *pairs)

    def selector(self, leaf: int, moment: int) -> Any:
        """The selector of a leaf in the step that leaves a moment."""
        return self.system.selectors[leaf] if moment == 0 else z3.Bool(f"step {leaf}@{moment}")

    def add(self, formula: Any, moment: int = 0) -> None:
        """Assert a formula at a moment."""
        with self.clock.counting("writing formulas"):
            self.solver.add(self.at(formula, moment))

    def extend(self) -> None:
        """One more step."""
        self.add(self.system.transition, self.length)
        self.length += 1

    def name(self, formula: Any, moment: int = 0) -> Any:
        """A literal that implies a formula at a moment, to be assumed in queries."""
        self._names += 1
        literal = z3.Bool(f"assumed {self._names}")
        self.add(z3.Implies(literal, self.at(formula, moment)))
        return literal

    def differ(self, a: int, b: int) -> Any:
        """That the states at two moments are not the same."""
        pairs = zip(self.system.states.moment(a), self.system.states.moment(b), strict=True)
        return z3.Or([x != y for x, y in pairs])

    # -- queries -------------------------------------------------------------------------------------------

    def ask(self, *assumed: Any) -> z3.ModelRef | None:
        """A solution under assumptions, None when there is none; Stopped when z3 does not know."""
        self.solver.set("timeout", self.clock.left())
        self.queries += 1
        try:
            with self.clock.counting("solving"), self.clock.watching(self.solver):
                answer = self.solver.check(*assumed)
        except z3.Z3Exception as error:
            raise Stopped(f"z3 gave up: {_text(error)}") from error
        if answer == z3.sat:
            return self.solver.model()
        if answer == z3.unsat:
            return None
        raise self._undecided(self.solver.reason_unknown())

    def _undecided(self, reason: str) -> Stopped:
        """Why z3 gave no answer; the clock reports a limit that is reached."""
        self.clock.left()
        if "interrupt" in reason:
            return Stopped("interrupted", interrupted=True)
        if self.clock.seconds and "timeout" in reason:
            return Stopped(f"the time limit of {self.clock.seconds:g} s is reached")
        return Stopped(f"z3 gave up: {reason}")

    def core(self) -> list[Any]:
        """The assumptions that the last query without a solution needed."""
        return list(self.solver.unsat_core())

    def behaviour(self, found: z3.ModelRef, model: int = 0, length: int | None = None) -> list[Cells]:
        """The states of a solution."""
        last = self.length if length is None else length
        return [self.system.states.decode(found, model, at) for at in range(last + 1)]

    def which(self, found: z3.ModelRef) -> int:
        """The model that runs in a solution."""
        if len(self.system.models) == 1:
            return 0
        value: int = found.eval(self.system.which, model_completion=True).as_long()
        return value


def _text(error: z3.Z3Exception) -> str:
    value: Any = error.value
    return value.decode() if isinstance(value, bytes) else str(value)
