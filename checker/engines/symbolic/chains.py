"""Traces that lead through a chain of cubes to a violation, as IC3 and ABC find them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from ...backends.smt import Clock, Unrolling, z3
from ...backends.smt.cnf import Cnf
from ...backends.smt.sat import Sat
from .predicates import Predicates
from .search import Hit, Search
from .steps import Cube


def leads(cnf: Cnf, chain: Sequence[Cube], look: Callable[[], object] = lambda: None) -> bool:
    """Whether a trace goes through some cubes to a violation, each of them a state, for the SAT solver."""
    if not Sat(cnf.initial.clauses, look).solve(chain[0]):
        return False
    solver, moving = Sat([*cnf.clauses, *cnf.guarded], look), cnf.top + 1
    solver.add([-moving, *cnf.selectors])
    for cube, after in itertools.pairwise(chain):
        if not solver.solve([moving, *cube, *map(cnf.after, after)]):
            return False
    goals = [[goal, *([moving] if step else [])] for goals, step in cnf.goals for goal in goals]
    return any(solver.solve([*goal, *chain[-1]]) for goal in goals)


def violations(search: Search, predicates: Predicates, chain: Sequence[Cube], clock: Clock) -> list[Hit]:
    """The violations in the fewest steps at the end of a trace through some cubes."""
    unrolling, formulas = Unrolling(search.system, clock), predicates.formulas()
    unrolling.add(search.system.initial)
    for at, cube in enumerate(chain):
        if at:
            unrolling.extend()
        parts = [formulas[abs(literal) - 1] for literal in cube]
        signed = [part if literal > 0 else z3.Not(part) for part, literal in zip(parts, cube, strict=True)]
        unrolling.add(z3.And(search.system.valid, *signed), at)
    hits: list[Hit] = []
    for goal in sorted(search.goals, key=lambda goal: goal.step):
        if goal.step and unrolling.length < len(chain):
            unrolling.extend()
        found = unrolling.ask(unrolling.name(goal.formula, len(chain) - 1))
        if found is not None:
            m, last = unrolling.which(found), len(chain) - (0 if goal.step else 1)
            hits.append(Hit(goal, m, unrolling.behaviour(found, m, last), len(chain) - 1 + goal.ahead))
    least = min(hit.length for hit in hits)
    return [hit for hit in hits if hit.length == least]
