"""Checks a proof with another solver, on other formulas, and on the explored states; then makes it shorter.

SAT solvers found the clauses of an invariant, on clauses that z3 has written. Here z3 itself is queried on the
formulas: the clauses hold in every initial state, each step from a state in which all hold leads to such a state, and
such states violate nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ...backends.smt import Clock, Goal, Unrolling, z3
from ...backends.smt.cnf import Cnf
from ...backends.smt.sat import Sat
from .predicates import Clause, Predicates

GROUP = 10
"""Clauses in one query to z3."""


class ProofRefuted(AssertionError):
    """A proof that is wrong; a bug of Everystate."""


def check(
    predicates: Predicates,
    clauses: Sequence[Clause],
    goals: Sequence[Goal],
    clock: Clock,
    look: Callable[[], object] = lambda: None,
) -> int:
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
            look()
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


def excludes(cnf: Cnf, clauses: Sequence[Clause], look: Callable[[], object] = lambda: None) -> bool:
    """Whether clauses exclude every violation, for the SAT solver."""
    solver = Sat([*cnf.clauses, *cnf.guarded, *map(list, clauses)], look)
    here = cnf.top
    for goals, step in cnf.goals:
        here += 1
        solver.add_all([[-here, *goals], *([[-here, *cnf.selectors]] if step else [])])
        if goals and solver.solve([here]):
            return False
    return True


def needed(cnf: Cnf, clauses: Sequence[Clause], look: Callable[[], object] = lambda: None) -> list[Clause]:
    """The clauses of an inductive invariant that are needed to exclude violations; they are inductive by themselves.

    A clause that is needed is asserted from then on. So a query assumes all others only where these do not suffice.
    """
    names = dict(enumerate(clauses, cnf.top + 1))
    moving = here = cnf.top + len(clauses) + 1
    solver = Sat([*cnf.clauses, *cnf.guarded, [-moving, *cnf.selectors]], look)
    solver.add_all([[-name, *clause] for name, clause in names.items()])
    left, used = dict.fromkeys(names), list[int]()
    todo = deque[tuple[list[list[int]], bool]]([([goals], step) for goals, step in cnf.goals if goals])
    while todo:
        wanted, step = todo.popleft()
        look()
        here += 1
        solver.add_all([[-here, *part] for part in wanted])
        asked = [here, *([moving] if step else [])]
        if solver.solve(asked):
            found = solver.solve([*asked, *left])
            assert not found, "the clauses are inductive"
            for name in sorted(left.keys() & set(solver.core)):
                del left[name]
                used.append(name)
                solver.add([name])
                todo.append(([[-cnf.after(literal)] for literal in names[name]], True))
        solver.add([-here])
    return [names[name] for name in sorted(used)]
