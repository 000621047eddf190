"""A transition system as clauses for a SAT solver; z3's tactics write them once.

An engine with many small queries needs a solver that answers in microseconds: a query of MiniSat takes 15, one through
z3's interface 300 and more. Everything that queries mention gets a variable number: predicates over the state before
and after a step, and the selectors of leaves.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import z3

from .limits import Clock
from .system import Goal, System

Clauses = list[list[int]]
PAIRS = 6
"""Up to this number of selectors, mutual exclusion is pairwise; more get a variable for the first few of them."""


@dataclass(frozen=True)
class Compiled:
    """Clauses over variables 1..top."""

    clauses: Clauses
    top: int


class Cnf:
    """The clauses of a system and its predicates.

    Predicate i is variable i + 1 before a step and i + 1 + `count` after it. `selectors` and `guards` belong to the
    leaves that do not fail. `clauses` define what a selected leaf assigns, `guarded` that its guard and `inside` hold.
    `goals` are the variables of possible violations, those in fewer steps first, with whether each is about a step.
    `initial` has the initial states as clauses that share the predicates.
    """

    def __init__(
        self, system: System, predicates: Sequence[Any], goals: Sequence[Goal], clock: Clock | None = None
    ) -> None:
        self.system, self.count, self.clock = system, len(predicates), clock or Clock()
        self._bits: list[tuple[Any, Any]] = []
        for at in (0, 1):
            self._bits += [pair for variable in system.states.moment(at) for pair in _bits_of(variable)]
        before, after = self._names("before"), self._names("after")
        now = z3.And([name == formula for name, formula in zip(before, predicates, strict=True)])
        moments = zip(system.states.moment(0), system.states.moment(1), strict=True)
        then = z3.substitute(now, *moments, *zip(before, after, strict=True))
        taken = [k for k, leaf in enumerate(system.leaves) if leaf.error is None]
        selectors = [system.selectors[k] for k in taken]
        guards = [z3.Bool(f"guard {k}") for k in taken]
        inside = z3.Bool("inside")
        marks = [z3.Bool(f"goal {i}") for i in range(len(goals))]
        parts = [system.valid, now, then, inside == system.inside, *system.assignments()]
        parts += [guard == system.leaves[k].guard for guard, k in zip(guards, taken, strict=True)]
        parts += [mark == goal.formula for mark, goal in zip(marks, goals, strict=True)]
        names = [*before, *after, *selectors, *guards, inside, *marks]
        compiled = self._compiled(parts, names)
        self.clauses, self.top = compiled.clauses, compiled.top
        places = iter(range(2 * self.count + 1, len(names) + 1))
        self.selectors = [next(places) for _ in selectors]
        self.guards = [next(places) for _ in guards]
        self.inside = next(places)
        kinds = ((False, False), (True, False), (True, True))
        of = list(zip(places, goals, strict=True))
        self.goals = [([v for v, g in of if (bool(g.ahead), g.step) == kind], kind[1]) for kind in kinds]
        self._at_most_one(self.selectors)
        pairs = zip(self.selectors, self.guards, strict=True)
        self.guarded = [clause for s, g in pairs for clause in ([-s, g], [-s, self.inside])]
        self.initial = self._compiled([system.initial, system.valid, now], before)

    def _names(self, moment: str) -> list[Any]:
        return [z3.Bool(f"predicate {i} {moment}") for i in range(self.count)]

    def _compiled(self, parts: Sequence[Any], names: Sequence[Any]) -> Compiled:
        """Formulas as clauses whose first variables are the named ones."""
        goal = z3.Goal()
        goal.add(z3.substitute(z3.And(list(parts)), *self._bits))
        tactic = z3.Then(z3.With("simplify", elim_and=False), "bit-blast", "tseitin-cnf")
        head, *lines = self._applied(tactic, goal).dimacs().splitlines()
        number = int(head.split()[2])
        known = dict(line.split(" ", 2)[:0:-1] for line in lines if line.startswith("c "))
        table = np.zeros(number + 1, np.int64)
        for place, name in enumerate(names, 1):
            if str(name) in known:
                table[int(known[str(name)])] = place
        rest = np.flatnonzero(table[1:] == 0) + 1
        table[rest] = np.arange(len(names) + 1, len(names) + 1 + len(rest))
        found = " ".join(line for line in lines if not line.startswith("c"))
        literals = np.array(found.split(), np.int64)
        numbers = iter((np.sign(literals) * table[np.abs(literals)]).tolist())
        clauses = [list(iter(numbers.__next__, 0)) for _ in range(int((literals == 0).sum()))]
        return Compiled(clauses, len(names) + len(rest))

    def _applied(self, tactic: Any, goal: Any) -> Any:
        """What a tactic makes of a goal; Stopped at a limit."""
        try:
            with self.clock.watching(goal.ctx):
                return tactic(goal)[0]
        except z3.Z3Exception:
            self.clock.left()
            raise

    def _at_most_one(self, selectors: Sequence[int]) -> None:
        left = list(selectors)
        while len(left) > PAIRS:
            first, left = left[: PAIRS - 2], left[PAIRS - 2 :]
            self.top += 1
            self.clauses += [[-a, -b] for a, b in itertools.combinations(first, 2)]
            self.clauses += [[-a, self.top] for a in first]
            left.append(self.top)
        self.clauses += [[-a, -b] for a, b in itertools.combinations(left, 2)]

    def after(self, literal: int) -> int:
        """The literal of the same predicate after a step."""
        return literal + self.count if literal > 0 else literal - self.count


def _bits_of(variable: Any) -> list[tuple[Any, Any]]:
    """A variable of several bits, and the same made of booleans."""
    if z3.is_bool(variable):
        return []
    one, zero = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)
    bits = [z3.If(z3.Bool(f"{variable}!{i}"), one, zero) for i in reversed(range(variable.size()))]
    return [(variable, z3.Concat(*bits) if len(bits) > 1 else bits[0])]
