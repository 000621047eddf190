"""All successors of a state as z3 finds them, to be compared with the interpreter."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import z3

from everystate.checker.backends.interpreter import Valuation, outcomes
from everystate.checker.backends.smt import BITS, Arithmetic, System, Unrolling, own_context
from everystate.checker.errors import CheckedError, EverystateError
from everystate.checker.ir.traced import Model
from tests.agreement.states import arbitrary, initial

Cells = tuple[int, ...]


def expected(model: Model, cells: Cells) -> Counter[Any]:
    """Every step and every error of a state, from the interpreter."""
    found: Counter[Any] = Counter()
    inside = all(map(Valuation(cells), model.inside))
    for action in model.actions if inside else ():
        for labels, outcome in outcomes(action.tree, cells):
            after = (outcome.code, outcome.where) if isinstance(outcome, CheckedError) else outcome
            found[str(action.instance), told(labels), after] += 1
    return found


def told(labels: Any) -> str:
    """What was chosen, where it has a text; a collection of the state has none."""
    try:
        return repr(labels)
    except EverystateError:
        return ""


class Solver:
    """One step from a state that is assumed."""

    def __init__(self, model: Model, arithmetic: Arithmetic = BITS) -> None:
        self.system = System([model], arithmetic)
        self.unrolling = Unrolling(self.system)
        self.unrolling.extend()
        self.errors = Unrolling(self.system)

    def outcomes(self, cells: Cells) -> Counter[Any]:
        """Every step and every error of a state, from z3."""
        found: Counter[Any] = Counter()
        here = self.unrolling.name(self.system.states.are(0, cells))
        there = self.errors.name(z3.And(self.system.states.are(0, cells), self.system.inside))
        for selector, leaf in zip(self.system.selectors, self.system.leaves, strict=True):
            key = (str(leaf.instance), told(leaf.labels))
            if leaf.error is not None:
                if self.errors.ask(there, self.errors.name(leaf.guard)) is not None:
                    found[*key, (leaf.error.code, leaf.error.where)] += 1
                continue
            solution = self.unrolling.ask(here, selector)
            if solution is not None:
                found[*key, self.system.states.decode(solution, 0, 1)] += 1
        return found

    def property(self, index: int, cells: Cells) -> bool:
        """Whether a property of states has a value, and it is true."""
        formula = self.system.wanted(self.system.model.properties[index].name).formula
        literal = self.errors.name(z3.And(self.system.states.are(0, cells), formula))
        return self.errors.ask(literal) is not None


@own_context()
def compare(model: Model, most: int, arithmetic: Arithmetic = BITS) -> int:
    """Compare on initial, reached and arbitrary states; how many successors were the same."""
    solver, random, seen, successors = Solver(model, arithmetic), Random(most), set[tuple[int, ...]](), 0
    todo = initial(model.spec)[: most // 2 + 1]
    todo += [arbitrary(model.spec, random) for _ in range(most // 2)]
    while todo and len(seen) < most:
        cells = todo.pop(random.randrange(len(todo)))
        if cells in seen:
            continue
        seen.add(cells)
        wanted, found = expected(model, cells), solver.outcomes(cells)
        assert set(found) == set(wanted), f"{cells}\nz3: {found}\ninterpreter: {wanted}"
        successors += len(found)
        todo += [after for _, _, after in found if not isinstance(after[0], str)]
        for index, prop in enumerate(model.properties):
            if prop.kind in ("invariant", "reachable", "constraint"):
                value = Valuation(cells)
                right = bool(value(prop.term)) and not any(value(c) for c, _ in prop.errors)
                assert solver.property(index, cells) == right, f"{prop.name} in {cells}"
    return successors
