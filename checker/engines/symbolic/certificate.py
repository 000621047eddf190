"""Checks a proof with another solver, on other formulas, and on the explored states; then makes it shorter.

SAT solvers found the clauses of an invariant, on clauses that z3 has written. Here z3 itself is queried on the
formulas: the clauses hold in every initial state, each step from a state in which all hold leads to such a state, and
such states violate nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from pysat.solvers import Solver

from ...backends.smt import Clock, Goal, Unrolling, z3
from ...backends.smt.cnf import Cnf
from .predicates import Clause, Predicates
from .steps import SOLVER

GROUP = 100
"""Clauses in one query to z3."""


class ProofRefuted(AssertionError):
    """A proof that is wrong; a bug of Everystate."""


def check(predicates: Predicates, clauses: Sequence[Clause], goals: Sequence[Goal], clock: Clock) -> int:
    """Confirm a proof by z3 and on explored states; returns the number of queries. ProofRefuted for a wrong proof."""
    _on_explored_states(predicates, clauses)
    system = predicates.system
    with clock.counting("checking the proof"):
        formulas = predicates.formulas()
        names = [[z3.Bool(f"predicate {i}@{at}") for i in range(len(formulas))] for at in (0, 1)]
        named = z3.And([name == formula for name, formula in zip(names[0], formulas, strict=True)])
        start, step = Unrolling(system, clock), Unrolling(system, clock)
        start.add(z3.And(system.initial, system.valid, named))
        taken = z3.Bool("a step is taken")
        moved = list(zip(system.states.moment(0), system.states.moment(1), strict=True))
        step.solver.add(z3.Implies(taken, system.transition), system.valid, named)
        step.solver.add(z3.substitute(named, *moved, *zip(*names, strict=True)))
        now, then = ([_clause(clause, at) for clause in clauses] for at in names)
        step.solver.add(*now)
        for first in range(0, len(clauses), GROUP):
            part = slice(first, first + GROUP)
            _none(start, "an initial state", z3.Not(z3.And(now[part])))
            _none(step, "a step out of the invariant", taken, z3.Not(z3.And(then[part])))
        _none(step, "a step out of the domains", taken, z3.Not(z3.substitute(system.valid, *moved)))
        for goal in goals:
            _none(step, goal.name, goal.formula, *([taken] if goal.step else []))
    return start.queries + step.queries


def _none(unrolling: Unrolling, what: str, *formulas: Any) -> None:
    if unrolling.ask(*(unrolling.name(formula) for formula in formulas)) is not None:
        raise ProofRefuted(f"z3 found {what} against a proof by IC3")


def _clause(clause: Clause, names: Sequence[Any]) -> Any:
    parts = (names[abs(literal) - 1] if literal > 0 else z3.Not(names[-literal - 1]) for literal in clause)
    return z3.Or(list(parts))


def _on_explored_states(predicates: Predicates, clauses: Sequence[Clause]) -> None:
    everything = (1 << predicates.explored) - 1
    for clause in clauses:
        holds = 0
        for literal in clause:
            bits = predicates.seen[abs(literal) - 1]
            holds |= bits if literal > 0 else everything & ~bits
        if holds != everything:
            raise ProofRefuted("an explored state against a proof by IC3")


def needed(cnf: Cnf, clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses of an inductive invariant that are needed to exclude violations; they are inductive by themselves."""
    count = len(clauses)
    names = range(cnf.top + 1, cnf.top + 1 + count)
    moving, here = cnf.top + count + 1, cnf.top + count + 1
    used = set[int]()
    with Solver(SOLVER, bootstrap_with=[*cnf.clauses, *cnf.guarded, [-moving, *cnf.selectors]]) as solver:
        for name, clause in zip(names, clauses, strict=True):
            solver.add_clause([-name, *clause])
        todo = deque[tuple[list[list[int]], bool]]([([goals], step) for goals, step in cnf.goals if goals])
        while todo:
            wanted, step = todo.popleft()
            here += 1
            solver.append_formula([[-here, *part] for part in wanted])
            found = solver.solve([here, *([moving] if step else []), *sorted(used), *names])
            assert not found, "the clauses are inductive"
            for name in set(solver.get_core() or ()) & set(names) - used:
                used.add(name)
                todo.append(([[-cnf.after(literal)] for literal in clauses[name - cnf.top - 1]], True))
            solver.add_clause([-here])
    return [clauses[name - cnf.top - 1] for name in sorted(used)]
