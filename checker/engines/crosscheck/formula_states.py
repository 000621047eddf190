"""The states on which z3's formulas are compared with plain Python.

They are initial states; states that z3 finds where a formula holds and where it does not; states with random values
from the domains, most of them unreachable; and states of random walks. With a fixed number of states the choice is
deterministic: draws follow from the spec, and z3 counts its own effort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

import z3

from ...backends.smt import Goal, System, Unrolling
from ...errors import EverystateError
from ...ir.traced import Model
from ...language.state import State
from ..execution_cache import Cells
from ..observer import Observer, Silent, counted
from . import culprit
from .allowance import Allowance
from .formulas import Formulas

EFFORT = 2_000_000
"""The limit of a query in z3's own units: about a second."""
TOO_HARD = 8
"""After z3 gave up on so many queries, no more are made."""
STEPS, WALKS = 3, 8
"""Steps of Python, of so many walks, that z3 must accept as a trace."""


def cross_check(
    system: System,
    depth: int,
    allowance: Allowance,
    goals: Sequence[Goal] = (),
    lemmas: Mapping[str, Any] | None = None,
    observer: Observer | None = None,
) -> int:
    """Compare states of each model of a system, as many as are allowed; returns the number of states."""
    on_progress = counted(observer or Silent(), "cross-checking")
    done, models = 0, len(system.models)
    with allowance.running():
        for m in range(0 if allowance.off else models):
            report = partial(_together, on_progress, done, allowance.nominal)
            states = FormulaStates(Formulas(system, m, goals, lemmas), depth, report)
            states.compare(Part(allowance, done, m / models, (m + 1) / models))
            done += states.formulas.count
    return done


def _together(on_progress: Callable[[int, int], None], before: int, wanted: int, count: int) -> None:
    on_progress(min(before + count, wanted), wanted)


class Part:
    """A part of an allowance, from one fraction to another; so many states were compared before it."""

    def __init__(self, allowance: Allowance, before: int, start: float, end: float) -> None:
        self.allowance, self.before, self.start, self.end = allowance, before, start, end
        self.most = -(-allowance.nominal // max(1, round(1 / (end - start))))

    def used(self, compared: int) -> float:
        """The fraction of this part that is used up after so many states."""
        return (self.allowance.used(self.before + compared) - self.start) / (self.end - self.start)


class FormulaStates:
    """States of one model of a system, for traces of so many steps."""

    def __init__(self, formulas: Formulas, depth: int, on_progress: Callable[[int], None]) -> None:
        self.formulas, self.depth, self.on_progress, self.model = formulas, depth, on_progress, formulas.model
        self.random, self.given_up = Random(0), 0

    def compare(self, part: Part) -> None:
        """Compare states until the number suffices."""
        initial = list(self.formulas.initial)
        for source, share in ((initial, 0.25), (self._answers(), 0.125), (self._drawn(part.most), 0.125)):
            upto, some = min(1.0, part.used(self.formulas.count) + share), False
            for cells in source:
                if some and part.used(self.formulas.count) >= upto:
                    break
                some = True
                self.on_progress(self.formulas.count)
                self._compare(cells)
        self._behaviours()
        for cells in self._reached(part.most):
            if part.used(self.formulas.count) >= 1:
                return
            self.on_progress(self.formulas.count)
            self.formulas.compare(cells)

    def _compare(self, cells: Cells) -> None:
        """Compare a state that may be unreachable, where errors in Python are no errors of the spec."""
        try:
            self.formulas.compare(cells)
        except EverystateError as error:
            if error.code == "E217":
                raise

    # -- answers of z3 -------------------------------------------------------------------------------------

    def _answers(self) -> Iterator[Cells]:
        """States that z3 finds: different initial states, and for each other formula one where it is true and one where
        it is false."""
        system, formulas = self.formulas.system, self.formulas
        unrolling, fresh = self._any_state(), self._any_state().solver
        fresh.add(system.initial)
        for _ in range(len(formulas.initial) + 1):
            found = self._ask(fresh, [])
            if found is None:
                break
            yield found
            fresh.add(z3.Not(system.states.are(formulas.m, found)))
        asked = [goal.formula for goal in formulas.goals if not goal.step]
        for formula in (*asked, *formulas.lemmas.values(), system.inside, *(leaf.guard for leaf in system.leaves)):
            for wanted in (formula, z3.Not(formula)):
                found = self._ask(unrolling.solver, [unrolling.name(wanted)])
                if found is not None:
                    yield found

    def _any_state(self) -> Unrolling:
        """The constraint that z3's answers are states of the language."""
        unrolling = Unrolling(self.formulas.system, logic="")
        unrolling.add(self.formulas.system.valid)
        unrolling.solver.add(self.formulas.system.chosen(self.formulas.m))
        unrolling.solver.set("rlimit", EFFORT)
        return unrolling

    def _ask(self, solver: Any, assumed: Sequence[Any]) -> Cells | None:
        """A state that satisfies a query; None where there is none or z3 gives up."""
        if self.given_up == TOO_HARD:
            return None
        answer = solver.check(*assumed)
        self.given_up += answer == z3.unknown
        if answer != z3.sat:
            return None
        return self.formulas.states.decode(solver.model(), self.formulas.m, 0)

    # -- any states of the domains -------------------------------------------------------------------------

    def _drawn(self, most: int) -> Iterator[Cells]:
        return (drawn(self.model, self.random) for _ in range(most))

    # -- states that Python reaches ------------------------------------------------------------------------

    def _reached(self, least: int) -> Iterator[Cells]:
        """States of random walks, again and again; stops when a small space is likely to be covered."""
        for _ in range(16 + 4 * least // (self.depth + 1)):
            yield from self._walk(self.depth, self.formulas.compare)

    def _walk(self, depth: int, following: Callable[[Cells], Sequence[Cells]]) -> Iterator[Cells]:
        here = self.random.choice(list(self.formulas.initial))
        for _ in range(depth):
            yield here
            after = following(here) if self.formulas.inside(here) else []
            if not after:
                return
            here = self.random.choice(after)
        yield here

    def _behaviours(self) -> None:
        """Check that the steps of plain Python are a trace for z3."""
        system, formulas = self.formulas.system, self.formulas
        walks = [tuple(self._walk(min(STEPS, self.depth), formulas.successors)) for _ in range(WALKS)]
        unrolling = Unrolling(system, logic="")
        unrolling.solver.add(system.chosen(formulas.m))
        unrolling.add(system.initial)
        unrolling.add(system.valid)
        for states in sorted(dict.fromkeys(walks), key=len):
            while unrolling.length < len(states) - 1:
                unrolling.extend()
                unrolling.add(system.valid, unrolling.length)
            unrolling.solver.push()
            for at, cells in enumerate(states):
                unrolling.solver.add(system.states.are(formulas.m, cells, at))
            if unrolling.solver.check() == z3.unsat:
                said = f"z3 has no behaviour that gets here by the same {len(states) - 1} steps"
                spec = formulas.spec
                raise culprit.difference(spec, type(spec).__name__, said, states[-1], None)
            unrolling.solver.pop()


def drawn(model: Model, random: Random) -> Cells:
    """A state with values drawn from the domains, often the least or the largest."""
    cells = [random.choice((cell.lo, cell.hi, random.randint(cell.lo, cell.hi))) for cell in model.cells]
    at = 0
    for domain in model.spec.domains.values():
        for start, size, most in domain.sums(at):
            for cell in random.sample(range(start, start + size), size):
                cells[cell] = min(cells[cell], most)
                most -= cells[cell]
        at += domain.size
    values = State(model.spec.domains, tuple(cells)).values()  # Python has no unused cells
    return State.of(model.spec, values).cells
