"""k-induction beside a bounded search: what no state violates that follows k states without a violation, none violates.

The states are arbitrary, and those of a path differ, because a shortest path to a violation repeats none. The bounded
search has shown that the first k states of every behaviour violate nothing.

Sheeran, Singh, Stålmarck: Checking safety properties using induction and a SAT solver, 2000.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...backends.smt import Clock, Goal, Stopped, System, Unrolling, z3

PATIENCE = 5.0
"""Seconds for a question to the solver; as many as the bounded search has taken so far, if these are more."""


class Share(Clock):
    """A part of the time of another clock."""

    def __init__(self, whole: Clock, seconds: float) -> None:
        super().__init__(seconds, whole.memory)
        self.whole, self.spent = whole, whole.spent

    def left(self) -> int:
        """Milliseconds of this part; Stopped where it or the whole has ended."""
        return min(self.whole.left(), super().left())

    @property
    def over(self) -> bool:
        """Whether a limit of the part or of the whole is reached."""
        return self.whole.over or super().over


class Induction:
    """The question for k = 1, 2, ... in one solver; it is given up at the first one that takes too long."""

    def __init__(self, system: System, goals: Sequence[Goal], clock: Clock) -> None:
        self.clock, self.unrolling = clock, Unrolling(system, clock)
        self.states = [goal.formula for goal in goals if not goal.step]
        self.steps = [goal.formula for goal in goals if goal.step]
        self.unrolling.add(system.valid)
        self._exclude(self.states, 0)
        self.given_up = False

    def _exclude(self, formulas: Sequence[z3.BoolRef], moment: int) -> None:
        self.unrolling.add(z3.Not(z3.Or(formulas)), moment)

    def next(self) -> bool:
        """Whether nothing is violated after one state more than the last time; Stopped at a limit of the clock."""
        if self.given_up:
            return False
        unrolling, last = self.unrolling, self.unrolling.length
        unrolling.clock = Share(self.clock, max(PATIENCE, self.clock.elapsed))
        try:
            unrolling.extend()
            unrolling.add(unrolling.system.valid, last + 1)
            for before in range(last):
                unrolling.solver.add(unrolling.differ(before, last))
            ends = [unrolling.at(z3.Or(self.states), last + 1), unrolling.at(z3.Or(self.steps), last)]
            if unrolling.ask(unrolling.name(z3.Or(ends))) is None:
                return True
        except Stopped as stop:
            self.clock.left()
            if stop.interrupted and not self.clock.ended:
                raise
            self.given_up = True
            return False
        self._exclude(self.states, last + 1)
        self._exclude(self.steps, last)
        return False

    @property
    def k(self) -> int:
        """The number of states without a violation in the last question."""
        return self.unrolling.length
